//! The interface for querying a chain. One implementation asks several nodes by JSON-RPC; tests also have a
//! chain in memory.

use futures_util::future::BoxFuture;
use std::fmt::Debug;
use till_domain::chain::{Address, Atoms, BlockHash, TxHash};

/// Why there is no answer that can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NodeError(pub String);

/// A block header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub number: u64,
    pub hash: BlockHash,
    /// The hash of the block before it.
    pub parent: BlockHash,
    /// When it was made, in Unix seconds.
    pub timestamp: u64,
}

/// A token transfer, as its contract logged it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub contract: Address,
    /// The recipient.
    pub to: Address,
    /// The amount, saturated at `u128::MAX`.
    pub atoms: Atoms,
    pub block: u64,
    pub block_hash: BlockHash,
    pub transaction: TxHash,
    /// Its log index in the block.
    pub index: u64,
}

/// What a transaction did, according to its receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub succeeded: bool,
    pub block: u64,
    pub block_hash: BlockHash,
    /// The recipient of the native coin, and the amount.
    pub value: Option<(Address, Atoms)>,
    /// Its token transfers.
    pub logs: Vec<Log>,
}

/// A token contract's own metadata. `None` where it does not answer the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub decimals: Option<u128>,
    pub symbol: Option<String>,
}

/// A chain that can be queried.
pub trait Node: Debug + Send + Sync {
    /// The newest block that can be trusted: the nodes that answer do not contradict each other about it.
    fn head(&self) -> BoxFuture<'_, Result<Header, NodeError>>;

    /// The header of a block; `None` if there is none with this number.
    fn header(&self, number: u64) -> BoxFuture<'_, Result<Option<Header>, NodeError>>;

    /// Transfers of these tokens in these blocks, both ends included; if `to` is given, only to these
    /// addresses.
    fn logs<'a>(
        &'a self,
        blocks: (u64, u64),
        contracts: &'a [Address],
        to: Option<&'a [Address]>,
    ) -> BoxFuture<'a, Result<Vec<Log>, NodeError>>;

    /// Native balances of these addresses after a block, in the same order. Few queries are made for many
    /// addresses.
    fn balances<'a>(
        &'a self,
        addresses: &'a [Address],
        block: u64,
    ) -> BoxFuture<'a, Result<Vec<Atoms>, NodeError>>;

    /// Number of transactions that each address has sent up to a block (its nonce), in the same order.
    fn nonces<'a>(
        &'a self,
        addresses: &'a [Address],
        block: u64,
    ) -> BoxFuture<'a, Result<Vec<u64>, NodeError>>;

    /// A token contract's own metadata.
    fn token(&self, contract: Address) -> BoxFuture<'_, Result<Token, NodeError>>;

    /// True if any node knows the transaction, in a block or waiting for one.
    fn has_transaction(&self, transaction: TxHash) -> BoxFuture<'_, Result<bool, NodeError>>;

    /// What a transaction did; `None` if no block has it.
    fn receipt(&self, transaction: TxHash) -> BoxFuture<'_, Result<Option<Receipt>, NodeError>>;
}
