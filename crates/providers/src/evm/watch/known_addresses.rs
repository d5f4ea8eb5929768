//! A cache of the addresses that were handed out, as the last pass knew them, so that what a pass reads from
//! the book does not grow with their number.

use super::super::{Book, BookError};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use till_domain::{
    chain::{Address, Advance, Atoms, ChainId, Deposit, DepositSelection},
    time::Timestamp,
};

/// Overlap of two reads: an address is handed out a moment before other nodes can see that.
const AGAIN: Duration = Duration::from_secs(5 * 60);

/// Addresses, each with the native coin known to have arrived there.
#[derive(Debug, Default)]
pub(super) struct KnownAddresses {
    pub(super) all: BTreeMap<Address, (Arc<Deposit>, Atoms)>,
    /// The cursor version for which this cache is valid. A write by another node raises the version.
    version: i64,
    /// The moment up to which the addresses are complete.
    until: Option<Timestamp>,
}

impl KnownAddresses {
    /// The addresses handed out since a moment. If the cache is valid for this version, only new ones are
    /// queried.
    pub(super) async fn read(
        self,
        (book, chain): (&dyn Book, ChainId),
        version: Option<i64>,
        (since, now): (Timestamp, Timestamp),
    ) -> Result<Self, BookError> {
        let is_current = self.until.is_some() && version == Some(self.version);
        let mut cache = if is_current { self } else { Self::default() };
        cache.all.retain(|_, (deposit, _)| deposit.opened_at >= since);
        let from = cache.until.map_or(since, |until| until.minus(AGAIN).max(since));
        for (deposit, known) in book.watched(chain, DepositSelection::Since(from)).await? {
            cache.all.insert(deposit.address, (Arc::new(deposit), known));
        }
        cache.until = Some(now);
        Ok(cache)
    }

    /// The cache after this advance was written; `None` if the advance changes more than is cached here.
    pub(super) fn after(mut self, advance: &Advance) -> Option<Self> {
        let native = advance.found.iter().any(|transfer| transfer.contract.is_none());
        if native || !advance.swept.is_empty() || advance.replaced_from.is_some() {
            return None;
        }
        for (address, atoms) in &advance.before {
            if let Some((deposit, _)) = self.all.get_mut(address) {
                Arc::make_mut(deposit).before = Some(*atoms);
            }
        }
        self.version = advance.cursor.version + 1;
        Some(self)
    }
}
