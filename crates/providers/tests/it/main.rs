//! Tests of the providers through their public API, against real counterparts where there are any.

mod conformance;
mod doubles;
mod evm;
mod form;
mod needs_stripe_fake;
mod needs_tbank_fake;
mod needs_yookassa_fake;
mod prices;
mod probe;
mod rpc;
mod simulator;
mod tls;
mod trouble;
mod web;

use till_domain::chain::{Atoms, ChainId};
use till_providers::{
    evm::{Chain, Coin, RpcNode},
    web::Web,
};

/// A chain with these nodes, and ETH as its coin.
fn chain(endpoints: &[String], confirmations: u32) -> Chain {
    Chain {
        id: ChainId(31_337),
        name: "Anvil".to_owned(),
        endpoints: endpoints.to_vec(),
        xpub: till_testing::anvil::XPUB.to_owned(),
        confirmations,
        max_fuel: Atoms(10_000_000_000_000_000),
        poll_ms: 1_000,
        coins: vec![Coin { symbol: "ETH".to_owned(), contract: None, decimals: 18 }],
    }
}

/// The nodes at these addresses.
fn node(endpoints: &[String]) -> RpcNode {
    RpcNode::new(&chain(endpoints, 3), &Web::trusting([]))
}
