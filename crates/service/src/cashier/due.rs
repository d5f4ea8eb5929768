//! The worker: attempts that are due, provider by provider. Each provider has its own queue, concurrency
//! limit and rate limit, so one that hangs does not delay the others.

use super::{
    Cashier,
    checks::{Look, Token},
    pacer::Priority,
    provider_handle::ProviderRecord,
};
use crate::telemetry::{explain, report_unreadable};
use futures_util::future::join_all;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_domain::attempt::{self, Attempt};
use till_store::{AttemptsDue, Committed, FailPoint, StoreError};

/// Attempts of one provider that are claimed at once.
const AT_ONCE: usize = 64;

/// The longest pause: an attempt that becomes due earlier than any other waits no longer than this.
pub(super) const MAX_PAUSE: Duration = Duration::from_millis(500);

/// The shortest pause while nothing is due yet.
pub(super) const MIN_PAUSE: Duration = Duration::from_millis(20);

/// The result of one pass over the due attempts of a provider.
#[derive(Debug, Default)]
struct DuePass {
    /// Attempts that were claimed.
    count: usize,
    /// True if some due rows cannot be read.
    unreadable: bool,
}

/// The pause while attempts are due and the limits have no room: long enough not to read the queue over and
/// over, shorter than the time in which a provider's token bucket fills.
const ACT_PAUSE: Duration = Duration::from_millis(150);

impl Cashier {
    /// Processes the attempts that are due, and returns the pause until the next pass.
    pub async fn pass(self: &Arc<Self>) -> Result<Duration, StoreError> {
        let (mut pause, mut failed) = (MAX_PAUSE, None);
        for provider in self.environment.store.attempt_providers().await? {
            match self.pass_at(&provider).await {
                Ok(next) => pause = pause.min(next),
                // An error with one provider's queue does not delay the others.
                Err(error) => failed = Some(error),
            }
        }
        failed.map_or(Ok(pause), Err)
    }

    async fn pass_at(self: &Arc<Self>, provider: &str) -> Result<Duration, StoreError> {
        let (now, store) = (self.environment.now(), &self.environment.store);
        match store.next_attempt_due_at(provider).await? {
            None => return Ok(MAX_PAUSE),
            Some(due) if due > now => return Ok(due.since(now).clamp(MIN_PAUSE, MAX_PAUSE)),
            Some(_) => {}
        }
        let known = self.known(provider);
        let acts = self.take_due(provider, &known, AttemptsDue::ToAct).await?;
        let checks = self.take_due(provider, &known, AttemptsDue::Any).await?;
        if acts.count + checks.count > 0 {
            return Ok(Duration::ZERO);
        }
        // Rows that cannot be read stay due, and must not be read again without a pause.
        if acts.unreadable || checks.unreadable {
            return Ok(MAX_PAUSE);
        }
        Ok(ACT_PAUSE)
    }

    /// Claims as many attempts as the limits allow, and spawns a look at each.
    async fn take_due(
        self: &Arc<Self>,
        provider: &str,
        known: &ProviderRecord,
        which: AttemptsDue,
    ) -> Result<DuePass, StoreError> {
        let priority = match which {
            AttemptsDue::ToAct => Priority::Act,
            AttemptsDue::Any => Priority::Check,
        };
        let places = known.places(priority, AT_ONCE, self.uptime());
        if places.is_empty() {
            return Ok(DuePass::default());
        }
        let limit = u32::try_from(places.len()).unwrap_or(u32::MAX);
        let due = self.environment.store.due_attempts(provider, which, self.environment.now(), limit).await;
        let mut taken = DuePass::default();
        let claims = match due {
            Ok((due, unreadable)) => {
                report_unreadable(self.environment.name.as_str(), &unreadable);
                taken.unreadable = !unreadable.is_empty();
                join_all(due.into_iter().map(|attempt| self.claim(attempt))).await
            }
            Err(error) => vec![Err(error)],
        };
        let (mut places, mut failed) = (places.into_iter(), None);
        for claim in claims {
            match claim {
                Ok(None) => {}
                Err(error) => failed = Some(error),
                Ok(Some(attempt)) => {
                    let (cashier, place) = (Arc::clone(self), places.next());
                    taken.count += 1;
                    FailPoint::AttemptClaimed.reach();
                    tokio::spawn(async move {
                        let _place = place;
                        if let Err(error) = cashier.look(attempt, Look::Due, Some(Token)).await {
                            cashier.complain(&error);
                        }
                    });
                }
            }
        }
        known.pacer().give_back(places.len());
        failed.map_or(Ok(taken), Err)
    }

    /// Claims a due attempt with a lease for the duration of a call; `None` if another worker was faster.
    async fn claim(&self, attempt: Attempt) -> Result<Option<Attempt>, StoreError> {
        let (claimed, change) = attempt::claim(&attempt, self.environment.now(), self.environment.lease);
        let committed = self.environment.commit(&[change]).await?;
        Ok((committed == Committed::Done).then_some(claimed))
    }

    pub(super) fn complain(&self, error: &StoreError) {
        let error = explain(error);
        if self.complaints.tell(&error, Instant::now()).is_some() {
            let environment = self.environment.name;
            tracing::error!(%environment, error, "could not check a payment; retrying");
        }
    }
}
