//! The progress of reading each chain on this node: written by the worker, shown in the console.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use till_domain::{
    chain::{ChainId, Cursor},
    time::Timestamp,
};
use till_providers::evm::Watcher;

/// The progress of reading a chain, as this node knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainRecord {
    pub chain: ChainId,
    /// Its name, for people.
    pub name: String,
    /// The last block that was read.
    pub block: Option<u64>,
    /// The newest known block.
    pub head: Option<u64>,
    /// The time of the last successful pass, on any node.
    pub read_at: Option<Timestamp>,
    /// The last error on this node, and its time, if no pass succeeded since.
    pub error: Option<(Timestamp, String)>,
    /// True if another node reads it.
    pub elsewhere: bool,
    /// Addresses for the chain's own coin whose earlier balance is not known.
    pub unknown_before: usize,
    /// Blocks replaced by reorgs since this node started.
    pub replaced: u64,
    /// Reorgs deeper than the remembered blocks since this node started.
    pub deep_forks: u64,
}

impl ChainRecord {
    /// The record of a chain that was not read yet.
    fn new(chain: ChainId, name: &str) -> Self {
        Self {
            chain,
            name: name.to_owned(),
            block: None,
            head: None,
            read_at: None,
            error: None,
            elsewhere: false,
            unknown_before: 0,
            replaced: 0,
            deep_forks: 0,
        }
    }

    pub fn note(&mut self, cursor: &Cursor) {
        (self.block, self.head) = (Some(cursor.block), Some(cursor.head));
        self.read_at = Some(cursor.at);
    }

    /// The number of blocks not read yet.
    #[must_use]
    pub fn lag(&self) -> Option<u64> {
        Some(self.head?.saturating_sub(self.block?))
    }
}

/// The progress of all chains, for the console.
#[derive(Debug, Default)]
pub struct ChainRecords(Mutex<BTreeMap<ChainId, ChainRecord>>);

impl ChainRecords {
    /// The last error of a chain on this node, and its time, if no pass succeeded since.
    #[must_use]
    pub fn error(&self, chain: ChainId) -> Option<(Timestamp, String)> {
        self.lock().get(&chain)?.error.clone()
    }

    /// The records of all chains.
    #[must_use]
    pub fn all(&self) -> Vec<ChainRecord> {
        self.lock().values().cloned().collect()
    }

    /// The chains whose last pass on this node failed.
    #[must_use]
    pub fn failing(&self) -> BTreeSet<ChainId> {
        self.lock().values().filter(|record| record.error.is_some()).map(|record| record.chain).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ChainId, ChainRecord>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the records of all other chains.
    pub fn keep(&self, watchers: &[Arc<Watcher>]) {
        self.lock().retain(|chain, _| watchers.iter().any(|watcher| watcher.chain.id == *chain));
    }

    pub fn change(&self, watcher: &Watcher, change: impl FnOnce(&mut ChainRecord)) {
        let (id, name) = (watcher.chain.id, &watcher.chain.name);
        change(self.lock().entry(id).or_insert_with(|| ChainRecord::new(id, name)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lag_is_what_was_not_read_yet() {
        let chain = ChainId(1);
        let mut record = ChainRecord::new(chain, "Ethereum");
        assert_eq!(record.lag(), None);
        let at = Timestamp::from_ms(5);
        record.note(&Cursor { chain, block: 7, head: 10, at, recent: Vec::new(), version: 1 });
        assert_eq!((record.lag(), record.read_at), (Some(3), Some(at)));
        record.note(&Cursor { chain, block: 7, head: 5, at, recent: Vec::new(), version: 2 });
        assert_eq!(record.lag(), Some(0), "a head that a node was wrong about");
    }
}
