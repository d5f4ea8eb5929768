//! One provider as the cashier sees it.

use super::breaker::Breaker;
use std::{sync::Arc, time::Duration};
use till_providers::Provider;

/// A provider, and whether it answers.
#[derive(Debug)]
pub struct Desk {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    breaker: Breaker,
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
        Self { provider, breaker: Breaker::default() }
    }

    /// Whether customers can be sent there.
    #[must_use]
    pub fn readiness(&self, now: Duration) -> Readiness {
        if self.breaker.is_down(now) { Readiness::Down } else { Readiness::Ready }
    }

    /// Notes whether it answered.
    pub(super) fn note(&self, answered: bool, now: Duration) {
        self.breaker.note(answered, now);
    }
}
