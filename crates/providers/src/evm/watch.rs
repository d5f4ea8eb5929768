//! Reads a chain, block by block, for all payments that wait on it.

use super::{Book, BookError, Chain, Cursor, Node, NodeError};
use std::sync::Arc;

/// Reads one chain.
#[derive(Debug)]
pub struct Watcher {
    /// The chain.
    pub chain: Chain,
    /// Who is asked.
    pub node: Arc<dyn Node>,
    /// Where it is written.
    pub book: Arc<dyn Book>,
}

/// What a pass came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// How far the chain is read.
    pub cursor: Cursor,
    /// Whether there is more to read at once.
    pub behind: bool,
}

/// Why a pass came to nothing. The next one begins where the last one ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// The chain.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The book.
    #[error(transparent)]
    Book(#[from] BookError),
}

impl Watcher {
    /// Reads what is new. Whoever reads the same chain at the same time loses nothing: one of them counts.
    pub async fn pass(&self) -> Result<Pass, WatchError> {
        todo!("read new blocks")
    }
}
