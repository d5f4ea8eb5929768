//! What is asked of a chain. The one implementation asks several nodes by JSON-RPC; tests have a chain in memory too.

use futures_util::future::BoxFuture;
use std::fmt::Debug;

/// Why there was no answer that can be believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NodeError(pub String);

/// The head of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub number: u64,
    pub hash: String,
    /// The hash of the block before it.
    pub parent: String,
    /// When it was made, in Unix seconds.
    pub timestamp: u64,
}

/// A transfer of a token, as its contract logged it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// The contract, in lower case.
    pub contract: String,
    /// Who got it, in lower case.
    pub to: String,
    /// How much; what does not fit is as much as fits.
    pub atoms: u128,
    pub block: u64,
    pub block_hash: String,
    pub transaction: String,
    /// Its place among the logs of the block.
    pub index: u64,
}

/// What a transaction did, as its receipt says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub succeeded: bool,
    pub block: u64,
    pub block_hash: String,
    /// Whom the chain's own coin went to, in lower case, and how much.
    pub value: Option<(String, u128)>,
    /// Transfers of tokens in it.
    pub logs: Vec<Log>,
}

/// What a token's contract says of itself. `None` where it does not answer the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub decimals: Option<u128>,
    pub symbol: Option<String>,
}

/// A chain that can be asked.
pub trait Node: Debug + Send + Sync {
    /// The newest block that may be believed: the nodes that answer do not contradict each other about it.
    fn head(&self) -> BoxFuture<'_, Result<Header, NodeError>>;

    /// The head of a block; nothing if there is none with this number.
    fn header(&self, number: u64) -> BoxFuture<'_, Result<Option<Header>, NodeError>>;

    /// Transfers of these tokens in these blocks, both included; if addresses are named, only to them.
    fn logs<'a>(
        &'a self,
        blocks: (u64, u64),
        contracts: &'a [String],
        to: Option<&'a [String]>,
    ) -> BoxFuture<'a, Result<Vec<Log>, NodeError>>;

    /// What these addresses have of the chain's own coin after a block, in the same order. Few questions for many
    /// addresses.
    fn balances<'a>(
        &'a self,
        addresses: &'a [String],
        block: u64,
    ) -> BoxFuture<'a, Result<Vec<u128>, NodeError>>;

    /// How many transactions these addresses have sent up to a block, in the same order.
    fn nonces<'a>(
        &'a self,
        addresses: &'a [String],
        block: u64,
    ) -> BoxFuture<'a, Result<Vec<u64>, NodeError>>;

    /// What a token's contract says of itself.
    fn token<'a>(&'a self, contract: &'a str) -> BoxFuture<'a, Result<Token, NodeError>>;

    /// Whether any node has a transaction, in a block or waiting for one.
    fn has_transaction<'a>(&'a self, transaction: &'a str) -> BoxFuture<'a, Result<bool, NodeError>>;

    /// What a transaction did; nothing if no block has it.
    fn receipt<'a>(&'a self, transaction: &'a str) -> BoxFuture<'a, Result<Option<Receipt>, NodeError>>;
}
