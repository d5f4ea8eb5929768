//! Statistics of the calls to a provider from this node: their number, the answered ones, and the latency.
//! Kept in memory, so each node has its own, and they start at zero with the process.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use till_domain::time::Timestamp;

/// The recent period (`lately`), in slots of a minute.
const SLOTS: usize = 15;

/// Duration of a slot.
const SLOT: Duration = Duration::from_secs(60);

/// Upper bounds of the buckets of the latency histogram, in milliseconds. Slower answers count in the last
/// one.
const BOUNDS: [u64; 20] =
    [1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 350, 500, 750, 1_000, 1_500, 2_500, 5_000, 7_500, 10_000];

/// Maximum characters of an error text that is kept.
const MAX_ERROR: usize = 300;

/// The call statistics of one provider.
#[derive(Debug, Default)]
pub(super) struct Calls(Mutex<CallRecord>);

#[derive(Debug, Default)]
struct CallRecord {
    all: Slot,
    /// The last minutes with calls, each with the number of the minute.
    slots: VecDeque<(u64, Slot)>,
    last_error: Option<(Timestamp, String)>,
}

#[derive(Debug, Clone, Default)]
struct Slot {
    calls: u64,
    answered: u64,
    /// Number of answers in each bucket of the histogram.
    took: [u64; BOUNDS.len()],
}

impl Slot {
    fn note(&mut self, answered: bool, took: Duration) {
        self.calls = self.calls.saturating_add(1);
        if !answered {
            return;
        }
        self.answered = self.answered.saturating_add(1);
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let class = BOUNDS.iter().position(|bound| ms <= *bound).unwrap_or(BOUNDS.len() - 1);
        if let Some(count) = self.took.get_mut(class) {
            *count = count.saturating_add(1);
        }
    }

    fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.answered = self.answered.saturating_add(other.answered);
        for (mine, theirs) in self.took.iter_mut().zip(other.took) {
            *mine = mine.saturating_add(theirs);
        }
    }

    fn tally(&self) -> Tally {
        // The smallest bound that 95% of the answers keep.
        let wanted = self.answered.saturating_mul(95).div_ceil(100);
        let mut seen = 0;
        let bound = BOUNDS.iter().zip(self.took).find(|(_, count)| {
            seen += count;
            seen >= wanted
        });
        let p95 = bound.filter(|_| self.answered > 0).map(|(bound, _)| Duration::from_millis(*bound));
        Tally { calls: self.calls, answered: self.answered, p95 }
    }
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

/// The health of a provider: its call statistics on this node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Health {
    /// In the last 15 minutes.
    pub lately: Tally,
    /// Since the process started.
    pub all: Tally,
    /// The last error, and when it was.
    pub last_error: Option<(Timestamp, String)>,
}

impl Calls {
    /// Records a call that was answered, or its error. `now` is the cashier's uptime.
    pub(super) fn note(&self, took: Duration, error: Option<(Timestamp, String)>, now: Duration) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.all.note(error.is_none(), took);
        let minute = minute(now);
        if known.slots.back().is_none_or(|(last, _)| *last != minute) {
            known.slots.push_back((minute, Slot::default()));
        }
        if let Some((_, slot)) = known.slots.back_mut() {
            slot.note(error.is_none(), took);
        }
        while known.slots.len() > SLOTS {
            known.slots.pop_front();
        }
        if let Some((at, text)) = error {
            known.last_error = Some((at, text.chars().take(MAX_ERROR).collect()));
        }
    }

    /// The statistics at this time.
    pub(super) fn health(&self, now: Duration) -> Health {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first = minute(now).saturating_sub(u64::try_from(SLOTS).unwrap_or(u64::MAX) - 1);
        let mut lately = Slot::default();
        known.slots.iter().filter(|(minute, _)| *minute >= first).for_each(|(_, slot)| lately.add(slot));
        Health { lately: lately.tally(), all: known.all.tally(), last_error: known.last_error.clone() }
    }
}

fn minute(now: Duration) -> u64 {
    now.as_secs() / SLOT.as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn error(text: &str) -> Option<(Timestamp, String)> {
        Some((Timestamp::from_ms(1_763_164_800_000), text.to_owned()))
    }

    #[test]
    fn what_was_long_ago_counts_only_for_ever() {
        let calls = Calls::default();
        assert_eq!(calls.health(MS(0)), Health::default());
        calls.note(MS(3), error("no answer in time"), MS(0));
        calls.note(MS(3), None, MS(1));
        let at = |minutes: u64| calls.health(Duration::from_secs(60 * minutes));
        assert_eq!((at(0).lately.calls, at(0).lately.answered), (2, 1));
        assert_eq!((at(14).lately.calls, at(15).lately.calls, at(15).all.calls), (2, 0, 2));
        assert_eq!(at(15).lately.p95, None);
        assert_eq!(at(15).last_error.map(|(_, text)| text).as_deref(), Some("no answer in time"));
        for minute in 0..100 {
            calls.note(MS(3), None, Duration::from_secs(60 * minute));
        }
        assert_eq!(at(99).lately.calls, 15, "one a minute");
    }

    #[test]
    fn p95_is_what_95_of_100_answers_took_at_most() {
        let calls = Calls::default();
        for number in 0..100 {
            calls.note(MS(if number < 95 { 18 } else { 900 }), None, MS(0));
        }
        assert_eq!(calls.health(MS(0)).all.p95, Some(MS(20)));
        calls.note(MS(900), None, MS(0));
        assert_eq!(calls.health(MS(0)).all.p95, Some(MS(1_000)), "96 of 101");
        let slow = Calls::default();
        slow.note(Duration::from_secs(90), None, MS(0));
        assert_eq!(slow.health(MS(0)).all.p95, Some(MS(10_000)), "the last class has no end");
    }

    #[test]
    fn the_text_of_an_error_is_cut() {
        let calls = Calls::default();
        calls.note(MS(1), error(&"ж".repeat(10_000)), MS(0));
        assert_eq!(calls.health(MS(0)).last_error.map(|(_, text)| text.chars().count()), Some(MAX_ERROR));
    }
}
