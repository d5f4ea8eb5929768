//! One provider as the cashier sees it.

use super::{
    breaker::Breaker,
    calls::{Calls, Health},
};
use std::{sync::Arc, time::Duration};
use till_domain::{method::Method, money::Money, time::Timestamp};
use till_providers::{Provider, ProviderError};

/// A provider, and whether it answers.
#[derive(Debug, Clone)]
pub struct Desk {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// Whether customers are sent there. If not, it is only asked about what it was given before.
    pub offered: bool,
    known: Arc<Known>,
}

/// What is known of a provider. It stays when the provider is set up anew.
#[derive(Debug, Default)]
struct Known {
    breaker: Breaker,
    calls: Calls,
}

/// A call to a provider that has ended.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// Whether it was to start a payment.
    pub starts: bool,
    /// When.
    pub at: Timestamp,
    /// How long it took.
    pub took: Duration,
    /// What came instead of an answer.
    pub error: Option<&'a ProviderError>,
}

/// Whether customers can be sent to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// They can.
    Ready,
    /// It has not answered lately.
    Down,
}

impl Desk {
    /// A desk for a provider, with what was known of one by this name.
    pub(super) fn new(provider: Arc<dyn Provider>, offered: bool, before: &[Self]) -> Self {
        let known = before.iter().find(|desk| desk.provider.name() == provider.name());
        let known = known.map(|desk| Arc::clone(&desk.known)).unwrap_or_default();
        Self { provider, offered, known }
    }

    /// Whether customers can be sent there.
    #[must_use]
    pub fn readiness(&self, now: Duration) -> Readiness {
        if self.known.breaker.is_down(now) { Readiness::Down } else { Readiness::Ready }
    }

    /// Whether it could take this money right now.
    #[must_use]
    pub fn can_take(&self, method: Method, money: Money, now: Duration) -> bool {
        self.readiness(now) == Readiness::Ready && self.provider.takes(method, money)
    }

    /// How it has answered this node.
    #[must_use]
    pub fn health(&self, now: Duration) -> Health {
        self.known.calls.health(now)
    }

    /// Notes a call: how long it took, and the error if there was one.
    pub(super) fn note(&self, call: Call<'_>, now: Duration) {
        // Who does not let us in is no more use than who is silent; an odd answer about one payment says nothing of others.
        let silent = matches!(call.error, Some(ProviderError::Unknown(_) | ProviderError::Denied(_)));
        if call.starts || self.provider.is_judged_by_checks() {
            self.known.breaker.note(!silent, now);
        }
        self.known.calls.note(call.took, call.error.map(|error| (call.at, error.to_string())), now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::BoxFuture;
    use till_domain::{
        attempt::{Attempt, Observation, Started},
        rules::Offering,
    };
    use till_providers::{Notice, Order};

    #[derive(Debug)]
    struct Silent {
        judged_by_checks: bool,
    }

    type Said<'a, T> = BoxFuture<'a, Result<T, ProviderError>>;

    fn silence<'a, T>() -> Said<'a, T> {
        Box::pin(async { Err(ProviderError::Unknown("silence".to_owned())) })
    }

    impl Provider for Silent {
        fn name(&self) -> &'static str {
            "silent"
        }
        fn methods(&self) -> Vec<Offering> {
            Vec::new()
        }
        fn is_judged_by_checks(&self) -> bool {
            self.judged_by_checks
        }
        fn start<'a>(&'a self, _: &'a Order<'a>) -> Said<'a, Started> {
            silence()
        }
        fn check<'a>(&'a self, _: &'a Attempt) -> Said<'a, Observation> {
            silence()
        }
        fn close<'a>(&'a self, _: &'a Attempt) -> Said<'a, Observation> {
            silence()
        }
        fn read_notice(&self, _: &Notice<'_>) -> Option<String> {
            None
        }
    }

    /// How a provider stands after it was silent for a while.
    fn after_silence(judged_by_checks: bool, starts: bool) -> Readiness {
        after(judged_by_checks, starts, ProviderError::Unknown("silence".to_owned()))
    }

    fn after(judged_by_checks: bool, starts: bool, error: ProviderError) -> Readiness {
        let desk = Desk::new(Arc::new(Silent { judged_by_checks }), true, &[]);
        for _ in 0..20 {
            let (at, took) = (Timestamp::from_ms(1), Duration::ZERO);
            desk.note(Call { starts, at, took, error: Some(&error) }, Duration::ZERO);
        }
        assert_eq!(desk.health(Duration::ZERO).all.calls, 20, "the console shows them all");
        desk.readiness(Duration::ZERO)
    }

    #[test]
    fn a_closed_door_counts_as_silence_and_an_odd_answer_does_not() {
        assert_eq!(after(true, true, ProviderError::Denied("a wrong key".to_owned())), Readiness::Down);
        assert_eq!(
            after(true, false, ProviderError::Unclear("no such payment".to_owned())),
            Readiness::Ready
        );
        assert_eq!(after(true, true, ProviderError::Definite("too much".to_owned())), Readiness::Ready);
    }

    #[test]
    fn silence_about_old_payments_hides_only_who_is_judged_by_it() {
        assert_eq!(after_silence(true, false), Readiness::Down);
        assert_eq!(after_silence(false, false), Readiness::Ready, "one of many chains is silent");
        assert_eq!(after_silence(false, true), Readiness::Down);
    }
}
