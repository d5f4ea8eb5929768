//! The addresses that were given out, as the last pass knew them, so that what a pass reads of the book does not grow with
//! them.

use super::super::{Book, BookError};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use till_domain::{
    chain::{Advance, Deposit, Watched},
    time::Timestamp,
};

/// How far back is read again: an address is given out a moment before others can see that.
const AGAIN: Duration = Duration::from_secs(5 * 60);

/// Addresses with what is known to have come to each of the chain's own coin.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) all: BTreeMap<String, (Arc<Deposit>, u128)>,
    /// The version of the cursor that it fits: whoever else has written since then has another.
    version: i64,
    /// Up to when they are all there.
    until: Option<Timestamp>,
}

impl Given {
    /// What was given out since a moment, of which only what is new is asked for if this is how the book stood at that
    /// version.
    pub(super) async fn read(
        self,
        (book, chain): (&dyn Book, u64),
        version: Option<i64>,
        (since, now): (Timestamp, Timestamp),
    ) -> Result<Self, BookError> {
        let is_current = self.until.is_some() && version == Some(self.version);
        let mut given = if is_current { self } else { Self::default() };
        given.all.retain(|_, (deposit, _)| deposit.opened_at >= since);
        let from = given.until.map_or(since, |until| until.minus(AGAIN).max(since));
        for (deposit, known) in book.watched(chain, Watched::Since(from)).await? {
            given.all.insert(deposit.address.clone(), (Arc::new(deposit), known));
        }
        given.until = Some(now);
        Ok(given)
    }

    /// The same after that was written; nothing if it says more than what is known here.
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
