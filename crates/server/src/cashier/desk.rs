//! One provider as the cashier sees it.

use super::{
    breaker::Breaker,
    calls::{Calls, Health},
};
use std::{sync::Arc, time::Duration};
use till_domain::time::Timestamp;
use till_providers::{Provider, ProviderError};

/// A provider, and whether it answers.
#[derive(Debug)]
pub struct Desk {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    breaker: Breaker,
    calls: Calls,
}

/// A call to a provider that has ended.
#[derive(Debug)]
pub(super) struct Call<'a> {
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
    pub(super) fn new(provider: Arc<dyn Provider>) -> Self {
        Self { provider, breaker: Breaker::default(), calls: Calls::default() }
    }

    /// Whether customers can be sent there.
    #[must_use]
    pub fn readiness(&self, now: Duration) -> Readiness {
        if self.breaker.is_down(now) { Readiness::Down } else { Readiness::Ready }
    }

    /// How it has answered this node.
    #[must_use]
    pub fn health(&self, now: Duration) -> Health {
        self.calls.health(now)
    }

    /// Notes a call: how long it took, and the error if there was one.
    pub(super) fn note(&self, call: Call<'_>, now: Duration) {
        let silent = matches!(call.error, Some(ProviderError::Unknown(_)));
        self.breaker.note(!silent, now);
        self.calls.note(call.took, call.error.map(|error| (call.at, error.to_string())), now);
    }
}
