//! Circuit breaker: after several unanswered calls in a row no customers are sent to a provider for a while.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Unanswered calls in a row that open the breaker: the provider counts as down.
const IN_A_ROW: u32 = 5;

/// How long the breaker stays open before customers are let through again (half-open).
const PAUSE: Duration = Duration::from_secs(15);

/// Interval of the checks of old payments while the breaker is open.
const PROBE_EVERY: Duration = Duration::from_secs(1);

/// The circuit breaker of one provider on this node.
#[derive(Debug, Default)]
pub(super) struct Breaker(Mutex<BreakerState>);

#[derive(Debug, Default)]
struct BreakerState {
    unanswered: u32,
    down_until: Option<Duration>,
    probed_at: Option<Duration>,
}

impl Breaker {
    /// Records whether a call was answered.
    pub(super) fn note(&self, answered: bool, now: Duration) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answered {
            *known = BreakerState::default();
            return;
        }
        known.unanswered = known.unanswered.saturating_add(1);
        if known.unanswered >= IN_A_ROW {
            known.down_until = Some(now + PAUSE);
        }
    }

    /// The number of checks that may be made now, of those wanted: one a second while the breaker is open.
    pub(super) fn admit(&self, wanted: usize, now: Duration) -> usize {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if wanted == 0 || known.down_until.is_none_or(|until| now >= until) {
            return wanted;
        }
        let early = known.probed_at.is_some_and(|at| now < at + PROBE_EVERY);
        if !early {
            known.probed_at = Some(now);
        }
        usize::from(!early)
    }

    /// Returns true while the breaker is open: no customers are sent to the provider.
    pub(super) fn is_down(&self, now: Duration) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.down_until.is_some_and(|until| now < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_silences_in_a_row_open_it_and_one_answer_closes_it() {
        let breaker = Breaker::default();
        let second = Duration::from_secs;
        for _ in 0..4 {
            breaker.note(false, second(0));
        }
        assert!(!breaker.is_down(second(0)));
        breaker.note(false, second(1));
        assert!(breaker.is_down(second(1)) && breaker.is_down(second(15)));
        assert!(!breaker.is_down(second(16)), "somebody is let through");
        breaker.note(false, second(16));
        assert!(breaker.is_down(second(17)), "and finds it still silent");
        breaker.note(true, second(18));
        assert!(!breaker.is_down(second(18)));
    }

    #[test]
    fn m7_who_is_down_is_asked_once_a_second() {
        let (breaker, ms) = (Breaker::default(), Duration::from_millis);
        assert_eq!(breaker.admit(64, ms(0)), 64);
        for _ in 0..5 {
            breaker.note(false, ms(0));
        }
        let calls: usize = (0..10_000).step_by(50).map(|at| breaker.admit(64, ms(at))).sum();
        assert_eq!(calls, 10);
        breaker.note(true, ms(10_000));
        assert_eq!(breaker.admit(64, ms(10_000)), 64);
    }
}
