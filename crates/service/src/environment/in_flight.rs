//! Requests with an idempotency key in flight on this node.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use till_domain::id::VendorId;
use tokio::sync::OwnedMutexGuard;

/// The longest that a create waits for another one with its key.
pub const WAIT: Duration = Duration::from_secs(10);

/// Creates with an idempotency key in flight on this node, one at a time for each key: a second one waits for
/// the first and then finds its answer. Between nodes the store ensures the same at the commit.
#[derive(Debug, Default)]
pub struct InFlight(Mutex<HashMap<(VendorId, String), Arc<Turn>>>);

type Turn = tokio::sync::Mutex<()>;

impl InFlight {
    /// Waits for this create's turn; `None` if another one with its key takes longer than [`WAIT`].
    pub async fn enter(&self, vendor: VendorId, key: &str) -> Option<KeyTurn<'_>> {
        let name = (vendor, key.to_owned());
        let turn = Arc::clone(self.turns().entry(name.clone()).or_default());
        let mut entered = KeyTurn { all: self, name, turn: None };
        entered.turn = Some(tokio::time::timeout(WAIT, turn.lock_owned()).await.ok()?);
        Some(entered)
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<(VendorId, String), Arc<Turn>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A create with a key that has its turn. Dropping it lets the next one run.
#[derive(Debug)]
pub struct KeyTurn<'a> {
    all: &'a InFlight,
    name: (VendorId, String),
    turn: Option<OwnedMutexGuard<()>>,
}

impl Drop for KeyTurn<'_> {
    fn drop(&mut self) {
        let mut turns = self.all.turns();
        self.turn = None;
        // Only the map still holds it: no other request waits.
        if turns.get(&self.name).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            turns.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn creates_with_one_key_take_turns_and_give_up_after_10_seconds() {
        let all = InFlight::default();
        let vendor = VendorId::from_bytes([1; 16]);
        let first = all.enter(vendor, "k").await.expect("nobody else");
        assert!(all.enter(vendor, "other").await.is_some(), "another key does not wait");
        let started = tokio::time::Instant::now();
        assert!(all.enter(vendor, "k").await.is_none());
        assert_eq!(started.elapsed().as_secs(), 10);
        let (second, ()) = tokio::join!(all.enter(vendor, "k"), async { drop(first) });
        assert!(second.is_some());
        drop(second);
        assert!(all.turns().is_empty(), "nothing is left behind");
    }
}
