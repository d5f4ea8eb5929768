//! Rate limit of the calls to a provider: a token bucket for all requests, and pauses after an answer with
//! 429.
//!
//! Starts, closes and refunds may use the whole bucket; checks leave some of it to them, and only checks are
//! held back by a pause. Time is an argument.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// The bucket holds what the rate gives in this time, so that no second has many more requests than the rate.
const BURST: Duration = Duration::from_millis(200);

/// The largest debt of the bucket, in time: requests beyond that are not made up for.
const MAX_DEBT: Duration = Duration::from_secs(5);

/// Exponential backoff after a 429 without a `Retry-After`: the first pause, doubled each time up to the
/// longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(64);

/// The longest `Retry-After` that is honoured.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(5 * 60);

/// The priority of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priority {
    /// A start, a close or a refund: a customer or a vendor waits for it, or the session's deadline has
    /// passed.
    Act,
    /// A check: it can be made later.
    Check,
}

/// The counters of one provider's rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limited {
    /// Requests that it answered with 429.
    pub refused: u64,
    /// How long calls that were due had to wait for the limit.
    pub waited: Duration,
}

/// The rate limiter of the calls to one provider on this node. Without a rate there is no limit.
#[derive(Debug, Default)]
pub(super) struct Pacer(Mutex<PacerState>);

#[derive(Debug, Default)]
struct PacerState {
    /// The cost of one request, in microseconds of the rate; `None` if there is no limit.
    cost: Option<i64>,
    /// The content of the bucket, in microseconds of the rate; negative while it is in debt.
    credit: i64,
    /// When the credit was last updated.
    at: Duration,
    /// Until when no check is made, and how many pauses have come in a row.
    paused_until: Duration,
    pauses: u32,
    /// Since when a call waits for the limit.
    waiting_since: Option<Duration>,
    limited: Limited,
}

impl PacerState {
    fn full(cost: i64) -> i64 {
        micros(BURST).max(2 * cost)
    }

    /// Refills the bucket, and returns the cost of one request; `None` if there is no limit.
    fn refill(&mut self, now: Duration) -> Option<i64> {
        let cost = self.cost?;
        let more = micros(now.saturating_sub(self.at));
        self.at = self.at.max(now);
        self.credit = self.credit.saturating_add(more).min(Self::full(cost));
        Some(cost)
    }

    /// The content of the bucket that a call needs. Checks leave a quarter of the bucket to other calls.
    fn needed(cost: i64, priority: Priority) -> i64 {
        match priority {
            Priority::Act => cost,
            Priority::Check => (cost + Self::full(cost) / 4).min(Self::full(cost)),
        }
    }

    fn is_paused(&self, priority: Priority, now: Duration) -> bool {
        priority == Priority::Check && now < self.paused_until
    }

    fn begins(&mut self, now: Duration) {
        if let Some(since) = self.waiting_since.take() {
            self.limited.waited += now.saturating_sub(since);
        }
    }
}

impl Pacer {
    /// Sets the limit, in requests a second.
    pub(super) fn set_rate(&self, per_second: Option<u32>) {
        let mut state = self.lock();
        let cost = per_second.map(|rate| 1_000_000 / i64::from(rate.clamp(1, 1_000_000)));
        if cost != state.cost {
            state.credit = cost.map_or(0, PacerState::full);
            state.cost = cost;
        }
    }

    /// Takes tokens for up to `wanted` calls, and returns how many may begin now.
    pub(super) fn take(&self, priority: Priority, wanted: usize, now: Duration) -> usize {
        let mut state = self.lock();
        let cost = state.refill(now);
        let mut granted = 0;
        if !state.is_paused(priority, now) {
            while granted < wanted
                && cost.is_none_or(|cost| state.credit >= PacerState::needed(cost, priority))
            {
                state.credit -= cost.unwrap_or(0);
                granted += 1;
            }
        }
        if granted > 0 {
            state.begins(now);
        } else if wanted > 0 {
            state.waiting_since.get_or_insert(now);
        }
        granted
    }

    /// Returns the tokens of calls that were not made.
    pub(super) fn give_back(&self, calls: usize) {
        let mut state = self.lock();
        let Some(cost) = state.cost else { return };
        let back = cost.saturating_mul(i64::try_from(calls).unwrap_or(i64::MAX));
        state.credit = state.credit.saturating_add(back).min(PacerState::full(cost));
    }

    /// Records requests that were sent beyond the tokens taken: later calls wait for them.
    pub(super) fn spend(&self, requests: u32, now: Duration) {
        let mut state = self.lock();
        let Some(cost) = state.refill(now) else { return };
        state.credit = (state.credit - cost.saturating_mul(i64::from(requests))).max(-micros(MAX_DEBT));
    }

    /// The time until a call may begin, as far as is known now.
    pub(super) fn wait(&self, priority: Priority, now: Duration) -> Duration {
        let mut state = self.lock();
        let cost = state.refill(now);
        let missing = cost.map_or(0, |cost| PacerState::needed(cost, priority) - state.credit);
        let missing = Duration::from_micros(u64::try_from(missing).unwrap_or(0));
        if state.is_paused(priority, now) { missing.max(state.paused_until - now) } else { missing }
    }

    /// The provider answered 429: its checks pause.
    pub(super) fn limit(&self, retry_after: Option<Duration>, now: Duration) {
        let mut state = self.lock();
        state.limited.refused = state.limited.refused.saturating_add(1);
        let paused = now < state.paused_until;
        // Concurrent calls are refused together: that counts as one refusal.
        if !paused {
            state.pauses = state.pauses.saturating_add(1);
        }
        let doubled =
            FIRST_PAUSE.saturating_mul(1 << state.pauses.saturating_sub(1).min(6)).min(LONGEST_PAUSE);
        let requested = retry_after.filter(|pause| !pause.is_zero());
        let pause = requested.map_or(doubled, |pause| pause.min(LONGEST_RETRY_AFTER));
        if !paused || retry_after.is_some() {
            state.paused_until = state.paused_until.max(now + pause);
        }
    }

    /// The provider answered: if no pause is in force, the backoff starts from the first pause again.
    pub(super) fn answered(&self, now: Duration) {
        let mut state = self.lock();
        if now >= state.paused_until {
            state.pauses = 0;
        }
    }

    pub(super) fn limited(&self) -> Limited {
        self.lock().limited
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, PacerState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn twenty() -> Pacer {
        let pacer = Pacer::default();
        pacer.set_rate(Some(20));
        pacer
    }

    #[test]
    fn h3_no_second_has_more_than_the_rate_and_the_bucket() {
        let pacer = twenty();
        let mut sent = Vec::new();
        for ms in (0..10_000).step_by(10) {
            sent.extend(vec![ms; pacer.take(Priority::Act, 100, MS(ms))]);
        }
        assert!((195..=205).contains(&sent.len()), "{}", sent.len());
        for from in (0..9_000).step_by(10) {
            let second = sent.iter().filter(|at| (from..from + 1_000).contains(*at)).count();
            assert!(second <= 24, "{second} requests from {from} ms on");
        }
        assert_eq!(Pacer::default().take(Priority::Check, 1_000, MS(0)), 1_000, "no limit");
    }

    #[test]
    fn h3_checks_leave_some_of_the_bucket_to_what_cannot_wait() {
        let pacer = twenty();
        assert_eq!(pacer.take(Priority::Check, 100, MS(0)), 3);
        assert_eq!(pacer.take(Priority::Check, 100, MS(0)), 0);
        assert_eq!(pacer.take(Priority::Act, 100, MS(0)), 1);
        assert_eq!(pacer.wait(Priority::Act, MS(0)), MS(50));
        assert_eq!(pacer.take(Priority::Act, 1, MS(49)) + pacer.take(Priority::Act, 1, MS(50)), 1);
        // While closes take all that comes, no check is made.
        for ms in (100..5_000).step_by(50) {
            assert_eq!(
                (pacer.take(Priority::Act, 9, MS(ms)), pacer.take(Priority::Check, 9, MS(ms))),
                (1, 0)
            );
        }
    }

    #[test]
    fn h3_further_requests_of_a_call_are_made_up_for_and_unused_ones_given_back() {
        let pacer = twenty();
        assert_eq!(pacer.take(Priority::Act, 4, MS(0)), 4);
        pacer.spend(4, MS(0));
        assert_eq!(pacer.wait(Priority::Act, MS(0)), MS(250));
        assert_eq!(pacer.take(Priority::Act, 4, MS(249)), 0);
        assert_eq!(pacer.take(Priority::Act, 4, MS(250)), 1);
        pacer.spend(1_000_000, MS(250));
        assert_eq!(pacer.wait(Priority::Act, MS(250)), MS(5_050), "a bound");
        let pacer = twenty();
        assert_eq!(pacer.take(Priority::Act, 4, MS(0)), 4);
        pacer.give_back(4);
        assert_eq!(pacer.take(Priority::Act, 9, MS(0)), 4);
    }

    #[test]
    fn h3_a_429_pauses_checks_alone_for_longer_each_time() {
        let pacer = twenty();
        let mut now = MS(0);
        for expected in [1, 2, 4, 8, 16, 32, 64, 64] {
            for _ in 0..10 {
                pacer.limit(None, now);
            }
            assert_eq!(pacer.wait(Priority::Check, now), Duration::from_secs(expected));
            assert_eq!(pacer.take(Priority::Check, 1, now), 0);
            assert_eq!(pacer.take(Priority::Act, 1, now), 1, "starts and closes go on");
            pacer.answered(now);
            now += Duration::from_secs(expected);
        }
        assert_eq!(pacer.take(Priority::Check, 1, now), 1);
        pacer.answered(now);
        pacer.limit(None, now);
        assert_eq!(pacer.wait(Priority::Check, now), Duration::from_secs(1), "it had answered");
        pacer.limit(Some(Duration::from_secs(30)), now);
        assert_eq!(pacer.wait(Priority::Check, now), Duration::from_secs(30), "its own word counts");
        pacer.limit(Some(Duration::from_secs(86_400)), now);
        assert_eq!(pacer.wait(Priority::Check, now), Duration::from_secs(300), "but not for ever");
        assert_eq!(pacer.limited().refused, 83);
    }

    #[test]
    fn h3_how_long_calls_waited_is_counted() {
        let pacer = twenty();
        assert_eq!(pacer.take(Priority::Act, 4, MS(0)), 4);
        assert_eq!(pacer.limited().waited, MS(0));
        assert_eq!(pacer.take(Priority::Act, 1, MS(10)), 0);
        assert_eq!(pacer.take(Priority::Act, 1, MS(30)), 0);
        assert_eq!(pacer.take(Priority::Act, 1, MS(60)), 1);
        assert_eq!(pacer.limited().waited, MS(50));
    }
}
