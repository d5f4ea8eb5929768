// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// Forwards everything it receives, as exchanges and smart wallets do: the receiver gets money without a log
/// and without being the receiver of the transaction.
contract Forwarder {
    address payable public immutable to;

    constructor(address payable to_) {
        to = to_;
    }

    receive() external payable {
        (bool sent, ) = to.call{value: msg.value}("");
        require(sent);
    }
}
