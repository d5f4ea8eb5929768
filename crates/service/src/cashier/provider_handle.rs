//! A provider with its state on this node: circuit breaker, statistics, rate limit and concurrency limit.

use super::{
    breaker::Breaker,
    calls::{Calls, Health},
    journal::Journal,
    pacer::{Limited, Pacer, Priority},
};
use crate::traces::TraceSpan;
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use till_domain::{
    activity::{NoticeRefusal, ProviderEvent},
    attempt::Pace,
    id::SessionId,
    method::Method,
    money::Money,
    time::Timestamp,
};
use till_providers::{Provider, ProviderError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Concurrency limit: the most calls of the workers to one provider that are under way. Checks leave a
/// quarter of it to other calls.
const ROOM: usize = 256;
const ROOM_FOR_CHECKS: usize = ROOM - ROOM / 4;

/// How long after a notice (webhook) further ones are expected.
const NOTICES_LATELY: Duration = Duration::from_secs(10 * 60);

/// A provider, and its state on this node.
#[derive(Debug, Clone)]
pub struct ProviderHandle {
    pub provider: Arc<dyn Provider>,
    /// True if customers are sent to it. Otherwise it is only asked about earlier payments.
    pub offered: bool,
    known: Arc<ProviderRecord>,
}

/// The state of a provider on this node. It is kept when the provider is set up again.
#[derive(Debug)]
pub(super) struct ProviderRecord {
    breaker: Breaker,
    calls: Calls,
    journal: Journal,
    pacer: Pacer,
    room: Arc<Semaphore>,
    noticed_at: Mutex<Option<Duration>>,
    /// True if unanswered checks count for the circuit breaker; few checks are made while it is open then.
    judged_by_checks: AtomicBool,
}

impl Default for ProviderRecord {
    fn default() -> Self {
        Self {
            breaker: Breaker::default(),
            calls: Calls::default(),
            journal: Journal::default(),
            pacer: Pacer::default(),
            room: Arc::new(Semaphore::new(ROOM)),
            noticed_at: Mutex::default(),
            judged_by_checks: AtomicBool::new(true),
        }
    }
}

impl ProviderRecord {
    /// Takes permits and rate limit tokens for up to `wanted` calls of a worker, and returns the permits.
    pub(super) fn places(
        &self,
        priority: Priority,
        wanted: usize,
        now: Duration,
    ) -> Vec<OwnedSemaphorePermit> {
        let kept = if priority == Priority::Check { ROOM - ROOM_FOR_CHECKS } else { 0 };
        let free = self.room.available_permits().saturating_sub(kept);
        let mut wanted = wanted.min(free);
        if priority == Priority::Check && self.judged_by_checks.load(Ordering::Relaxed) {
            wanted = self.breaker.admit(wanted, now);
        }
        let granted = self.pacer.take(priority, wanted, now);
        let taken = (0..granted).map_while(|_| Arc::clone(&self.room).try_acquire_owned().ok());
        let places: Vec<_> = taken.collect();
        self.pacer.give_back(granted - places.len());
        places
    }

    /// The rate limiter of the calls.
    pub(super) fn pacer(&self) -> &Pacer {
        &self.pacer
    }
}

/// A call to a provider that has ended.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// True if it was to start a payment.
    pub starts: bool,
    pub at: Timestamp,
    pub took: Duration,
    /// The HTTP requests that it sent; the first was counted against the rate limit before the call.
    pub requests: u32,
    /// The error, if it failed.
    pub error: Option<&'a ProviderError>,
}

/// Ends the span of a call to a provider.
pub(super) fn finish_call(
    span: TraceSpan,
    provider: &str,
    requests: u32,
    error: Option<&ProviderError>,
    session: SessionId,
) {
    span.with("till.provider", provider)
        .with("till.http_requests", requests)
        .failed(error.map(|error| error.class().to_owned()))
        .finish(Some(session));
}

/// Whether customers can be sent to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    /// The circuit breaker is open: the provider has not answered lately.
    Down,
}

impl ProviderHandle {
    /// A handle for a provider, with the state of the previous handle of the same name.
    pub(super) fn new(provider: Arc<dyn Provider>, offered: bool, before: &[Self]) -> Self {
        let known = before.iter().find(|handle| handle.provider.name() == provider.name());
        let known = known.map(|handle| Arc::clone(&handle.known)).unwrap_or_default();
        known.pacer.set_rate(provider.requests_per_second());
        known.judged_by_checks.store(provider.is_judged_by_checks(), Ordering::Relaxed);
        Self { provider, offered, known }
    }

    /// The state of the provider on this node.
    pub(super) fn known(&self) -> &Arc<ProviderRecord> {
        &self.known
    }

    /// The counters of its rate limit.
    #[must_use]
    pub fn limited(&self) -> Limited {
        self.known.pacer.limited()
    }

    /// Calls of the workers that are under way.
    #[must_use]
    pub fn under_way(&self) -> usize {
        ROOM.saturating_sub(self.known.room.available_permits())
    }

    /// Records an authentic notice (webhook): the cashier's uptime, and the time.
    pub(super) fn note_notice(&self, now: Duration, at: Timestamp) {
        *self.known.noticed_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        self.known.journal.note_event(ProviderEvent::NoticeAccepted, at, "");
    }

    /// Records a notice that was refused.
    pub(super) fn note_refused_notice(&self, at: Timestamp, reason: NoticeRefusal) {
        self.known.journal.note_event(ProviderEvent::NoticeRefused, at, reason.as_str());
    }

    /// How its payments are followed: by notices (webhooks), if it sends them for every change and one came
    /// lately; otherwise by polling.
    pub(super) fn pace(&self, now: Duration) -> Pace {
        if !self.provider.notifies_of_every_change() {
            return Pace::Polling;
        }
        let noticed_at = *self.known.noticed_at.lock().unwrap_or_else(PoisonError::into_inner);
        let lately = |at: Duration| now.saturating_sub(at) < NOTICES_LATELY;
        if noticed_at.is_some_and(lately) { Pace::Notices } else { Pace::Polling }
    }

    /// Whether customers can be sent there.
    #[must_use]
    pub fn readiness(&self, now: Duration) -> Readiness {
        if self.known.breaker.is_down(now) { Readiness::Down } else { Readiness::Ready }
    }

    /// Whether it could take this money right now; `left` is the time until the session's deadline.
    pub(super) fn can_take(&self, method: Method, money: Money, left: Duration, now: Duration) -> bool {
        let in_time = self.provider.least_time() <= left;
        in_time && self.readiness(now) == Readiness::Ready && self.provider.takes(method, money)
    }

    /// What this node has counted for all nodes.
    pub(super) fn journal(&self) -> &Journal {
        &self.known.journal
    }

    /// Its call statistics on this node.
    #[must_use]
    pub fn health(&self, now: Duration) -> Health {
        self.known.calls.health(now)
    }

    /// Records a call in the statistics, the rate limit and the circuit breaker.
    pub(super) fn note(&self, call: Call<'_>, now: Duration) {
        let ProviderRecord { breaker, calls, journal, pacer, .. } = &*self.known;
        pacer.spend(call.requests.saturating_sub(1), now);
        match call.error {
            // It works, and wants fewer calls: for the circuit breaker neither an answer nor a failure.
            Some(ProviderError::RateLimited { retry_after, .. }) => pacer.limit(*retry_after, now),
            error => {
                pacer.answered(now);
                // A provider that denies access is as useless as one that does not answer; an unclear answer
                // about one payment says nothing about others.
                let silent = matches!(error, Some(ProviderError::Unknown(_) | ProviderError::Denied(_)));
                if call.starts || self.provider.is_judged_by_checks() {
                    breaker.note(!silent, now);
                }
            }
        }
        calls.note(call.took, call.error.is_none(), now);
        journal.note_call(call.at, call.took, call.error.map(ToString::to_string));
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
    use till_providers::{Notice, NoticeSubject, Order};

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
        fn notifies_of_every_change(&self) -> bool {
            true
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
        fn read_notice(&self, _: &Notice<'_>) -> Option<NoticeSubject> {
            None
        }
    }

    /// The readiness of a provider after many unanswered calls.
    fn after_silence(judged_by_checks: bool, starts: bool) -> Readiness {
        after(judged_by_checks, starts, ProviderError::Unknown("silence".to_owned()))
    }

    fn after(judged_by_checks: bool, starts: bool, error: ProviderError) -> Readiness {
        let handle = ProviderHandle::new(Arc::new(Silent { judged_by_checks }), true, &[]);
        for _ in 0..20 {
            let (at, took) = (Timestamp::from_ms(1), Duration::ZERO);
            handle.note(Call { starts, at, took, requests: 1, error: Some(&error) }, Duration::ZERO);
        }
        assert_eq!(handle.health(Duration::ZERO).all.calls, 20, "the console shows them all");
        handle.readiness(Duration::ZERO)
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
    fn h3_a_429_is_no_silence() {
        let limited = ProviderError::RateLimited { retry_after: None, message: "429".to_owned() };
        assert_eq!(after(true, true, limited.clone()), Readiness::Ready);
        let handle = ProviderHandle::new(Arc::new(Silent { judged_by_checks: true }), true, &[]);
        let note = |error: &ProviderError| {
            let (at, took) = (Timestamp::from_ms(1), Duration::ZERO);
            handle.note(Call { starts: true, at, took, requests: 1, error: Some(error) }, Duration::ZERO);
        };
        for _ in 0..4 {
            note(&ProviderError::Unknown("silence".to_owned()));
        }
        note(&limited);
        assert_eq!(handle.readiness(Duration::ZERO), Readiness::Ready);
        note(&ProviderError::Unknown("silence".to_owned()));
        assert_eq!(handle.readiness(Duration::ZERO), Readiness::Down, "nor is it an answer");
        assert_eq!(handle.known().places(Priority::Check, 64, Duration::ZERO).len(), 0, "checks pause");
        assert_eq!(handle.known().places(Priority::Act, 64, Duration::ZERO).len(), 64);
        assert_eq!(handle.limited().refused, 1);
    }

    #[test]
    fn h3_payments_are_followed_by_notices_while_they_come() {
        let handle = ProviderHandle::new(Arc::new(Silent { judged_by_checks: true }), true, &[]);
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert_eq!(handle.pace(minutes(0)), Pace::Polling);
        handle.note_notice(minutes(1), Timestamp::from_ms(1));
        assert_eq!((handle.pace(minutes(2)), handle.pace(minutes(11))), (Pace::Notices, Pace::Polling));
    }

    #[test]
    fn m7_the_room_of_a_provider_has_an_end_and_checks_leave_some_of_it() {
        let handle = ProviderHandle::new(Arc::new(Silent { judged_by_checks: true }), true, &[]);
        let checks = handle.known().places(Priority::Check, 1_000, Duration::ZERO);
        assert_eq!(checks.len(), ROOM_FOR_CHECKS);
        assert_eq!(handle.known().places(Priority::Act, 1_000, Duration::ZERO).len(), ROOM - ROOM_FOR_CHECKS);
        let other = ProviderHandle::new(Arc::new(Silent { judged_by_checks: true }), true, &[]);
        assert_eq!(other.known().places(Priority::Act, 1_000, Duration::ZERO).len(), ROOM);
    }

    #[test]
    fn silence_about_old_payments_hides_only_who_is_judged_by_it() {
        assert_eq!(after_silence(true, false), Readiness::Down);
        assert_eq!(after_silence(false, false), Readiness::Ready, "one of many chains is silent");
        assert_eq!(after_silence(false, true), Readiness::Down);
    }
}
