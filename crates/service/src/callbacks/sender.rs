//! Takes callbacks that are due, sends them, and stores the results.

use super::{
    traffic::{OnItsWay, Traffic, TrafficLimits},
    transmitter::{SignedAttempt, Transmitter},
    turns::Turns,
    vendor_pauses::VendorPauses,
};
use crate::{
    environment::{Environment, Secrets},
    metrics::Metrics,
    outbound::{CallFailure, CallResult, Outbound},
    telemetry::{Complaints, explain, report_unreadable},
    traces::{SpanKind, TraceSpan},
};
use futures_util::future::join_all;
use std::{sync::Arc, time::Duration};
use till_domain::{
    callback,
    change::Change,
    defect::Defect,
    delivery::{self, AttemptResult, DeliveryAttempt, DueEvent, Schedule},
    dispatch,
    id::VendorId,
};
use till_store::{Committed, FailPoint, MAX_BUSY_HOSTS, PendingVendor, StoreError};
use tokio::time::Instant;

/// Events taken in one pass.
const AT_ONCE: usize = 256;

/// Vendors queried for events at a time.
const VENDORS_AT_ONCE: usize = 32;

/// Fewest events queried of a vendor in its turn.
const MIN_SHARE: usize = 8;

/// The longest pause: an event queued on another node waits no longer than this.
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// The shortest pause while nothing is due yet.
const MIN_PAUSE: Duration = Duration::from_millis(5);

/// The longest that reading a vendor's secrets may take.
const SECRETS_WITHIN: Duration = Duration::from_secs(2);

/// An attempt is given up this long before its lease ends, so that two clocks may differ by this much.
const BEFORE_LEASE: Duration = Duration::from_secs(1);

/// Tries to store a result before it is left to the lease.
const RECORD_TRIES: u32 = 5;

/// The options of a sender.
#[derive(Debug, Clone)]
pub struct SenderOptions {
    /// The retry schedule of attempts.
    pub schedule: Schedule,
    /// Limits of callbacks in flight.
    pub limits: TrafficLimits,
    /// The lease of a taken event: how long it stays with a node that no longer answers.
    pub lease: Duration,
}

/// The sender of one environment.
#[derive(Debug)]
pub struct Sender<T> {
    environment: Arc<Environment>,
    transmitter: T,
    outbound: Outbound,
    traffic: Arc<Traffic>,
    turns: Turns,
    resting: VendorPauses,
    options: SenderOptions,
    metrics: Arc<Metrics>,
    complaints: Complaints,
}

/// An event that may be taken, the secrets that sign it, and its place among those in flight.
struct Claim {
    event: DueEvent,
    secrets: Arc<Secrets>,
    on_its_way: OnItsWay,
}

impl<T: Transmitter> Sender<T> {
    #[must_use]
    pub fn new(
        environment: Arc<Environment>,
        transmitter: T,
        outbound: Outbound,
        metrics: Arc<Metrics>,
        options: SenderOptions,
    ) -> Arc<Self> {
        let traffic = Traffic::new(options.limits);
        let (turns, resting, complaints) = (Turns::default(), VendorPauses::default(), Complaints::new());
        Arc::new(Self {
            environment,
            transmitter,
            outbound,
            traffic,
            turns,
            resting,
            options,
            metrics,
            complaints,
        })
    }

    /// The environment whose callbacks it sends.
    #[must_use]
    pub fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    /// Lets it wait from now on until it is given a turn, and take no more in it than the limits allow at once.
    pub fn wait_for_turns(&self) {
        self.turns.begin();
    }

    /// Gives it a turn to take callbacks that are due.
    pub fn give_turn(&self) {
        self.turns.give();
    }

    /// True if a callback is in flight, or about to be taken in a turn.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.turns.is_under_way() || self.traffic.under_way() > 0
    }

    /// Waits until no callback is in flight.
    pub async fn idle(&self) {
        // A pass may consume the notification that a callback ended, so it is also polled.
        while self.traffic.under_way() > 0 {
            let _ = tokio::time::timeout(Duration::from_millis(50), self.traffic.ended.notified()).await;
        }
    }

    /// Takes and starts the callbacks that are due; if there are none, waits a little.
    pub async fn pass(self: &Arc<Self>) -> Result<Duration, StoreError> {
        // From before the look, so that nothing is queued unheard in between.
        let mut queued = self.environment.store.callback_queued.subscribe();
        let now = self.environment.now();
        let pending = self.environment.store.pending_vendors().await?;
        let next = pending.iter().map(|vendor| vendor.due_at).filter(|due| *due > now).min();
        let turn = self.turns.take();
        let is_due = |vendor: &PendingVendor| turn.is_some() && vendor.due_at <= now;
        let due: Vec<PendingVendor> = pending.into_iter().filter(is_due).collect();
        // Events that are due but could not be taken wait until a callback in flight ends.
        let held_back = !due.is_empty();
        let claims = self.gather(due).await?;
        if !claims.is_empty() && self.take(claims).await? > 0 {
            return Ok(Duration::ZERO);
        }
        drop(turn);
        let pause = next.map_or(MAX_PAUSE, |due| due.since(now)).clamp(MIN_PAUSE, MAX_PAUSE);
        tokio::select! {
            biased;
            () = tokio::time::sleep(pause) => {}
            _ = queued.recv() => {}
            () = self.environment.store.clock().woken() => {}
            () = self.traffic.ended.notified(), if held_back => {}
        }
        Ok(Duration::ZERO)
    }

    /// Finds events of these vendors that may be sent now: the same number of each as far as there is room.
    /// Vendors for which there is no room wait for the next pass.
    async fn gather(&self, mut due: Vec<PendingVendor>) -> Result<Vec<Claim>, StoreError> {
        due.retain(|pending| !self.resting.rests(pending.vendor, Instant::now()));
        let turns = self.traffic.turns(due);
        let room = self.traffic.room().min(AT_ONCE);
        let share = (room / turns.len().max(1)).max(MIN_SHARE);
        let (mut claims, mut failed) = (Vec::new(), None);
        for some in turns.chunks(VENDORS_AT_ONCE) {
            // The queries run concurrently, but the vendors enter in turn.
            for found in join_all(some.iter().map(|vendor| self.look(*vendor, share))).await {
                match found {
                    Ok(found) => claims.extend(self.enter(found)),
                    // The events found for other vendors are sent all the same.
                    Err(error) => failed = Some(error),
                }
            }
            if claims.len() >= room {
                break;
            }
        }
        self.judge_trouble(claims.is_empty(), failed)?;
        Ok(claims)
    }

    /// Due events of a vendor, and the secrets that sign them. `None` if nothing can sign: no attempt is used
    /// up on an event that cannot be sent.
    async fn look(
        &self,
        vendor: VendorId,
        limit: usize,
    ) -> Result<Option<(Arc<Secrets>, Vec<DueEvent>)>, StoreError> {
        let Some(secrets) = self.secrets(vendor).await else {
            self.resting.rest(vendor, Instant::now());
            return Ok(None);
        };
        let now = self.environment.now();
        let mut busy_hosts = self.traffic.busy_hosts(vendor);
        busy_hosts.truncate(MAX_BUSY_HOSTS);
        let (due, unreadable) = self.environment.store.due_callbacks(vendor, now, limit, &busy_hosts).await?;
        report_unreadable(self.environment.name.as_str(), &unreadable);
        Ok(Some((secrets, due)))
    }

    /// The events of a vendor that the limits allow to be sent now.
    fn enter(&self, found: Option<(Arc<Secrets>, Vec<DueEvent>)>) -> Vec<Claim> {
        let Some((secrets, due)) = found else { return Vec::new() };
        let enter = |event: DueEvent| {
            let on_its_way = self.traffic.enter(event.vendor, &event.host)?;
            Some(Claim { event, secrets: Arc::clone(&secrets), on_its_way })
        };
        due.into_iter().filter_map(enter).collect()
    }

    /// The secrets that sign a vendor's events now; without any, the reason is logged.
    async fn secrets(&self, vendor: VendorId) -> Option<Arc<Secrets>> {
        let read = self.environment.keyring.secrets(vendor, self.environment.now());
        let trouble = match tokio::time::timeout(SECRETS_WITHIN, read).await {
            Ok(Ok(Some(secrets))) => return Some(secrets),
            Ok(Ok(None)) => "none can be decrypted: see till doctor".to_owned(),
            Ok(Err(error)) => explain(&error),
            Err(_) => "reading them timed out".to_owned(),
        };
        self.complain(&format!("no secret of vendor {vendor} can sign callbacks: {trouble}"));
        None
    }

    /// Stores the attempts that may be made, concurrently, and starts them. Returns how many events were
    /// taken.
    async fn take(self: &Arc<Self>, claims: Vec<Claim>) -> Result<usize, StoreError> {
        let mut tasks = tokio::task::JoinSet::new();
        for claim in claims {
            let sender = Arc::clone(self);
            tasks.spawn(async move { sender.begin(claim).await });
        }
        let (mut taken, mut failed) = (0, None);
        while let Some(begun) = tasks.join_next().await {
            match begun.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())) {
                Ok(()) => taken += 1,
                Err(error) => failed = Some(error),
            }
        }
        self.judge_trouble(taken == 0, failed)?;
        Ok(taken)
    }

    /// Returns an error of the store if the pass achieved nothing, and only logs it otherwise.
    fn judge_trouble(&self, in_vain: bool, failed: Option<StoreError>) -> Result<(), StoreError> {
        match failed {
            Some(error) if in_vain => Err(error),
            Some(error) => {
                self.complain(&explain(&error));
                Ok(())
            }
            None => Ok(()),
        }
    }

    async fn begin(self: Arc<Self>, claim: Claim) -> Result<(), StoreError> {
        let Claim { mut event, secrets, on_its_way } = claim;
        if Defect::CallbackBodyRewritten.is_planted() && event.attempts > 0 {
            event.body.push(b'\n');
        }
        let plan = self.transmitter.plan(&event).await?;
        let lease = self.transmitter.lease(&plan, self.options.lease);
        // Taken before the moment from which the lease counts, so that the attempt ends before the lease.
        let latest = latest(Instant::now(), lease);
        let now = self.environment.now();
        let (changes, attempt) = self.transmitter.begin(&plan, &event, now, &self.options.schedule, lease);
        let changes = self.with_word(event.vendor, changes).await?;
        let committed = self.environment.commit(&changes).await;
        let Some(attempt) = attempt else { return committed.map(drop) };
        let sender = Arc::clone(&self);
        match committed {
            // Another node may have taken it; then that node sends it.
            Ok(Committed::Lost(_)) => {}
            Ok(Committed::Done) => {
                FailPoint::CallbackClaimed.reach();
                tokio::spawn(async move {
                    // Read again, in case the commit took long and the secrets changed.
                    let secrets = sender.secrets(event.vendor).await.unwrap_or(secrets);
                    sender.deliver(&event, &attempt, &plan, &secrets, latest).await;
                    drop(on_its_way);
                });
            }
            Err(error) => {
                if matches!(error, StoreError::Unknown(_)) {
                    tokio::spawn(async move { sender.give_back(&event, &attempt, &plan).await });
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Gives back an attempt that may have been committed but was certainly not sent, so that it does not
    /// count.
    async fn give_back(&self, event: &DueEvent, attempt: &DeliveryAttempt, plan: &T::Plan) {
        let mut changes = vec![delivery::give_back(event, attempt, self.environment.now())];
        changes.extend(self.transmitter.give_back(plan, event));
        for pause in 0..RECORD_TRIES {
            match self.environment.commit(&changes).await {
                // Lost: it was never committed, or its lease has ended.
                Ok(_) => return,
                Err(error) => self.complain(&explain(&error)),
            }
            tokio::time::sleep(Duration::from_secs(u64::from(pause) + 1)).await;
        }
    }

    /// Makes an attempt, and records its result.
    async fn deliver(
        &self,
        event: &DueEvent,
        attempt: &DeliveryAttempt,
        plan: &T::Plan,
        secrets: &Secrets,
        latest: Instant,
    ) {
        let Some(call) = self.send(event, attempt, plan, secrets, latest).await else {
            return self.give_back(event, attempt, plan).await;
        };
        FailPoint::CallbackSent.reach();
        let result = judge(&call);
        self.metrics.count_attempt(self.environment.name, result);
        let now = self.environment.now();
        let mut changes = delivery::end(attempt, result, call.duration, now, &self.options.schedule);
        changes.extend(call.response.map(|response| delivery::keep_response(attempt, response, now)));
        // Without the vendor's settings no mail can be sent; the result counts all the same.
        let with_mail = self.with_word(event.vendor, changes.clone()).await;
        self.record(attempt, &with_mail.unwrap_or(changes)).await;
    }

    /// The changes, and with them the mail to the vendor if its callback is given up.
    async fn with_word(&self, vendor: VendorId, mut changes: Vec<Change>) -> Result<Vec<Change>, StoreError> {
        if self.environment.rules().mails
            && let Some(vendor) = self.environment.directory.vendor(vendor).await?
        {
            let (rules, now) = (&self.environment.rules(), self.environment.now());
            changes.extend(dispatch::on_delivery(rules, &vendor.settings, vendor.id, &changes, now));
        }
        Ok(changes)
    }

    /// Sends an event. `None` if so little of the lease is left that another node might be about to take the
    /// event: then this node must not send it.
    async fn send(
        &self,
        event: &DueEvent,
        attempt: &DeliveryAttempt,
        plan: &T::Plan,
        secrets: &Secrets,
        latest: Instant,
    ) -> Option<CallResult> {
        let signed = SignedAttempt {
            event,
            number: attempt.number,
            secrets,
            at: self.environment.calendar(),
            environment: self.environment.name,
            latest,
        };
        if latest.saturating_duration_since(Instant::now()) < self.options.lease / 2 {
            return None;
        }
        let span = TraceSpan::start(SpanKind::Client, || "callback".to_owned());
        let call = self.transmitter.transmit(plan, &signed, &self.outbound).await;
        if let Some(span) = span {
            let session = callback::session_of(&event.body);
            let status = call.result.as_ref().map_or(0, |status| u32::from(*status));
            span.with("till.environment", self.environment.name.as_str())
                .with("till.event_id", event.id.to_string().as_str())
                .with("till.attempt", attempt.number)
                .with("http.response.status_code", status)
                .failed(call.result.as_ref().err().map(ToString::to_string))
                .finish(session);
        }
        Some(call)
    }

    /// Commits a result. While the store is in trouble the commit is retried; after that the lease decides.
    async fn record(&self, attempt: &DeliveryAttempt, changes: &[Change]) {
        for pause in 0..RECORD_TRIES {
            match self.environment.commit(changes).await {
                Ok(Committed::Done) => return FailPoint::CallbackRecorded.reach(),
                Ok(Committed::Lost(_)) => {
                    let (id, number) = (attempt.event, attempt.number);
                    return tracing::warn!(
                        "the result of attempt {number} of callback {id} came too late: another node took it over"
                    );
                }
                Err(error) => self.complain(&explain(&error)),
            }
            tokio::time::sleep(Duration::from_secs(u64::from(pause) + 1)).await;
        }
    }

    fn complain(&self, trouble: &str) {
        let environment = self.environment.name;
        if let Some(suppressed) = self.complaints.tell(trouble, Instant::now().into_std()) {
            tracing::error!(%environment, untold = suppressed, "cannot send a callback: {trouble}");
        }
    }
}

/// The latest moment until which an attempt begun at this one may be in flight.
fn latest(began: Instant, lease: Duration) -> Instant {
    began + lease.saturating_sub(BEFORE_LEASE)
}

/// The result of an HTTP call in the terms of a delivery.
pub(super) fn judge(outcome: &CallResult) -> AttemptResult {
    match outcome.result {
        Err(_) if Defect::RefusedCallbackCountsAsDelivered.is_planted() => AttemptResult::Delivered(200),
        Ok(status) => AttemptResult::Delivered(status),
        Err(CallFailure::Status(status)) => AttemptResult::Status(status),
        Err(CallFailure::Blocked) => AttemptResult::Blocked,
        Err(CallFailure::Dns) => AttemptResult::Dns,
        Err(CallFailure::Connect) => AttemptResult::Connect,
        Err(CallFailure::Tls) => AttemptResult::Tls,
        Err(CallFailure::Timeout) => AttemptResult::Timeout,
        Err(CallFailure::Closed) => AttemptResult::Closed,
        Err(CallFailure::Protocol) => AttemptResult::Protocol,
    }
}
