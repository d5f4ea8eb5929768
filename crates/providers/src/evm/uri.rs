//! Payment URIs for wallets, shown as a QR code (ERC-681).

use super::key::checksummed;
use till_domain::chain::{Address, Atoms, ChainId};

/// A URI that asks a wallet to send exactly this amount to an address. Whole numbers only: a wallet rounds
/// `2.014e18` as it likes.
#[must_use]
pub fn payment_uri(chain: ChainId, contract: Option<Address>, address: Address, atoms: Atoms) -> String {
    let address = checksummed(address);
    match contract {
        None => format!("ethereum:{address}@{chain}?value={atoms}"),
        Some(contract) => {
            let contract = checksummed(contract);
            format!("ethereum:{contract}@{chain}/transfer?address={address}&uint256={atoms}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wallet_is_asked_for_the_exact_sum() {
        let parse = |text| Address::parse(text).expect("an address");
        let address = parse("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
        let usdc = parse("0x3c499c542cef5e3811e1192ce70d8cc03d5c3359");
        assert_eq!(
            payment_uri(ChainId(1), None, address, Atoms(2_014_000_000_000_000_001)),
            "ethereum:0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266@1?value=2014000000000000001"
        );
        assert_eq!(
            payment_uri(ChainId(137), Some(usdc), address, Atoms(12_500_000)),
            "ethereum:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359@137/transfer\
             ?address=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266&uint256=12500000"
        );
    }
}
