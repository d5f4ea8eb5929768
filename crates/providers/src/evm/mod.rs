//! Provider for ETH and ERC-20 tokens on EVM chains: each payment gets an address of its own, derived from an
//! extended public key, and transfers to it are read from the chain. No private key is ever held.

mod book;
mod coins;
mod compare;
mod credible;
mod document;
mod endpoint;
mod fields;
mod head_quorum;
mod key;
mod node;
mod observation;
mod price;
mod price_feed;
mod probe;
mod provider;
mod quote;
mod refunds;
mod rpc;
mod setup;
mod token;
mod transaction;
mod uri;
mod watch;
mod wire;

pub use book::{Answer, Book, BookError};
pub use coins::{CoinState, CoinStates};
pub use compare::{Comparison, Sum, Unbooked};
pub use endpoint::EndpointState;
pub use fields::FIELDS;
pub use key::{AccountKey, KeyProblem, checksummed, read_address};
pub use node::{Header, Log, Node, NodeError, Receipt, Token};
pub use price::{Price, Prices, Quote};
pub use price_feed::{Clock, PriceFeed, SourceState};
pub use probe::{probe_chain, probe_prices};
pub use provider::Evm;
pub use rpc::RpcNode;
pub use setup::{Chain, Coin, EvmSetup, PriceLimits, PriceRules, PriceSource};
pub use uri::payment_uri;
pub use watch::{Pass, UnprovenAddress, WatchError, Watcher};
