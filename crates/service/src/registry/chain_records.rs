//! The progress of reading each chain on this node: written by the worker, shown in the console.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use till_domain::{chain::Cursor, time::Timestamp};
use till_providers::evm::Watcher;

/// The progress of reading a chain, as this node knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChainRecord {
    pub chain: u64,
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
    fn new(watcher: &Watcher) -> Self {
        let (chain, name) = (watcher.chain.id, watcher.chain.name.clone());
        Self { chain, name, ..Self::default() }
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
pub struct ChainRecords(Mutex<BTreeMap<u64, ChainRecord>>);

impl ChainRecords {
    /// The last error of a chain on this node, and its time, if no pass succeeded since.
    #[must_use]
    pub fn error(&self, chain: u64) -> Option<(Timestamp, String)> {
        self.lock().get(&chain)?.error.clone()
    }

    /// The records of all chains.
    #[must_use]
    pub fn all(&self) -> Vec<ChainRecord> {
        self.lock().values().cloned().collect()
    }

    /// The chains whose last pass on this node failed.
    #[must_use]
    pub fn failing(&self) -> BTreeSet<u64> {
        self.lock().values().filter(|record| record.error.is_some()).map(|record| record.chain).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, ChainRecord>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the records of all other chains.
    pub fn keep(&self, watchers: &[Arc<Watcher>]) {
        self.lock().retain(|chain, _| watchers.iter().any(|watcher| watcher.chain.id == *chain));
    }

    pub fn change(&self, watcher: &Watcher, change: impl FnOnce(&mut ChainRecord)) {
        change(self.lock().entry(watcher.chain.id).or_insert_with(|| ChainRecord::new(watcher)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lag_is_what_was_not_read_yet() {
        let (chain, name) = (1, "Ethereum".to_owned());
        let mut record = ChainRecord { chain, name, ..ChainRecord::default() };
        assert_eq!(record.lag(), None);
        let at = Timestamp::from_ms(5);
        record.note(&Cursor { chain, block: 7, head: 10, at, recent: Vec::new(), version: 1 });
        assert_eq!((record.lag(), record.read_at), (Some(3), Some(at)));
        record.note(&Cursor { chain, block: 7, head: 5, at, recent: Vec::new(), version: 2 });
        assert_eq!(record.lag(), Some(0), "a head that a node was wrong about");
    }
}
