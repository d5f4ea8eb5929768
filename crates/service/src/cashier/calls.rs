//! Statistics of the calls to a provider from this node: their number, the answered ones, and the latency.
//! Kept in memory, so each node has its own, and they start at zero with the process. `journal.rs` has those that are
//! written to the store, for all nodes.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use till_domain::activity::CallCounts;

/// The recent period (`lately`), in slots of a minute.
const SLOTS: usize = 15;

/// Duration of a slot.
const SLOT: Duration = Duration::from_secs(60);

/// The call statistics of one provider.
#[derive(Debug, Default)]
pub(super) struct Calls(Mutex<CallRecord>);

#[derive(Debug, Default)]
struct CallRecord {
    all: CallCounts,
    /// The last minutes with calls, each with the number of the minute.
    slots: VecDeque<(u64, CallCounts)>,
}

/// Calls in a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub calls: u64,
    /// Number of them that were answered.
    pub answered: u64,
    /// The 95th percentile of the latency, as the upper bound of its bucket.
    pub p95: Option<Duration>,
}

impl From<&CallCounts> for Tally {
    fn from(counts: &CallCounts) -> Self {
        Self { calls: counts.calls, answered: counts.answered, p95: counts.percentile(95) }
    }
}

/// The health of a provider: its call statistics on this node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Health {
    /// In the last 15 minutes.
    pub lately: Tally,
    /// Since the process started, for the metrics.
    pub all: Tally,
}

impl Calls {
    /// Records a call that was answered, or was not. `now` is the cashier's uptime.
    pub(super) fn note(&self, took: Duration, answered: bool, now: Duration) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.all.note(answered, took);
        let minute = minute(now);
        if known.slots.back().is_none_or(|(last, _)| *last != minute) {
            known.slots.push_back((minute, CallCounts::default()));
        }
        if let Some((_, slot)) = known.slots.back_mut() {
            slot.note(answered, took);
        }
        while known.slots.len() > SLOTS {
            known.slots.pop_front();
        }
    }

    /// The statistics at this time.
    pub(super) fn health(&self, now: Duration) -> Health {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first = minute(now).saturating_sub(u64::try_from(SLOTS).unwrap_or(u64::MAX) - 1);
        let mut lately = CallCounts::default();
        known.slots.iter().filter(|(minute, _)| *minute >= first).for_each(|(_, slot)| lately.add(slot));
        Health { lately: Tally::from(&lately), all: Tally::from(&known.all) }
    }
}

fn minute(now: Duration) -> u64 {
    now.as_secs() / SLOT.as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn what_was_long_ago_counts_only_for_ever() {
        let calls = Calls::default();
        assert_eq!(calls.health(MS(0)), Health::default());
        calls.note(MS(3), false, MS(0));
        calls.note(MS(3), true, MS(1));
        let at = |minutes: u64| calls.health(Duration::from_secs(60 * minutes));
        assert_eq!((at(0).lately.calls, at(0).lately.answered), (2, 1));
        assert_eq!((at(14).lately.calls, at(15).lately.calls, at(15).all.calls), (2, 0, 2));
        assert_eq!(at(15).lately.p95, None);
        for minute in 0..100 {
            calls.note(MS(3), true, Duration::from_secs(60 * minute));
        }
        assert_eq!(at(99).lately.calls, 15, "one a minute");
    }
}
