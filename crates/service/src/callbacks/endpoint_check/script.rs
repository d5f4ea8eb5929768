//! The script of an endpoint check: real sandbox sessions of an order of their own, whose events are sent to the receiver
//! rightly and wrongly. The sessions have no callback URL, so nothing else sends their events.

use super::EndpointChecker;
use crate::{
    callbacks::{misdelivery::with_fault, sender::judge, transmitter::SignedAttempt},
    environment::Secrets,
    random,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_domain::{
    callback::CallbackEvent,
    change::Change,
    delivery::{AttemptResult, DueEvent},
    endpoint_check::{self, CheckStep, CheckVerdict, MadeStep},
    id::VendorId,
    misdelivery::Fault,
    request::{CreateRequest, FieldValue},
    session::{self, Catalog, Creation, FailureReason, Outcome},
    text::MAX_CHARS,
    vendor::{Settings, Vendor},
};
use till_store::{NewCheck, StoreError};

const ITEM: &str = "Till endpoint check";

/// Characters that receivers trip over: other scripts, an emoji, quotes, slashes and the signs of HTML.
const NON_ASCII: &str = "Till check: Атлас «Мир» — 世界地图 🗺️ \"quoted\" \\ / <b>&amp;</b>";

/// How much older than the newer event the older one is that follows it.
const OLDER_BY: Duration = Duration::from_secs(60);

/// The longest that the requests of one step may take beyond the timeout of each.
const WITHIN: Duration = Duration::from_secs(30);

impl EndpointChecker {
    /// Plays all steps and stores them, then the verdict.
    pub(super) async fn run(&self, check: &NewCheck, vendor: &Vendor) -> Result<(), StoreError> {
        let uses_https = check.target.is_https();
        let secrets = self.sandbox.keyring.secrets(vendor.id, self.sandbox.now()).await?;
        let mut made = Vec::with_capacity(CheckStep::ALL.len());
        let mut first = None;
        for (number, step) in CheckStep::ALL.into_iter().enumerate() {
            let may_send = self.may_check(vendor.id).await?;
            let result = match (&secrets, step, first) {
                (None, ..) => MadeStep::not_tried(step),
                _ if !may_send => MadeStep::not_tried(step),
                (_, CheckStep::ValidTls, Some(first)) => MadeStep::tls(first, uses_https),
                (_, _, Some(first)) if endpoint_check::is_unreachable(first) => MadeStep::not_tried(step),
                (Some(secrets), ..) => {
                    let script = Script { checker: self, check, vendor, secrets };
                    let (mut result, mut took) = script.play(step).await?;
                    if first.is_none() && result == AttemptResult::Timeout {
                        // A server that was asleep gets a second chance.
                        (result, took) = script.play(step).await?;
                    }
                    first.get_or_insert(result);
                    MadeStep::requested(step, result, took)
                }
            };
            let now = self.sandbox.now();
            if !self.checks.add_step(check.id, number, &result, now, self.lease()).await? {
                return Ok(());
            }
            made.push(result);
        }
        let verdict = CheckVerdict::of(&made, uses_https);
        self.checks.end(check.id, verdict, self.sandbox.now()).await
    }

    /// False once the operator disabled the vendor or its sandbox: nothing more is sent.
    async fn may_check(&self, vendor: VendorId) -> Result<bool, StoreError> {
        let vendor = self.sandbox.directory.vendor(vendor).await?;
        Ok(vendor.is_some_and(|vendor| vendor.may_use(self.sandbox.name)))
    }
}

/// The parts of one check.
struct Script<'a> {
    checker: &'a EndpointChecker,
    check: &'a NewCheck,
    vendor: &'a Vendor,
    secrets: &'a Arc<Secrets>,
}

impl Script<'_> {
    /// Makes the requests of a step: the first result that is not right, and the time that they took.
    async fn play(&self, step: CheckStep) -> Result<(AttemptResult, Duration), StoreError> {
        let failed = Outcome::Failed(FailureReason::CardDeclined);
        let (item, outcome) = match step {
            CheckStep::FailedSession => (ITEM.to_owned(), failed),
            CheckStep::ExpiredSession => (ITEM.to_owned(), Outcome::Expired),
            CheckStep::LongName => (long_name(), Outcome::Paid),
            CheckStep::NonAsciiText => (NON_ASCII.to_owned(), Outcome::Paid),
            _ => (ITEM.to_owned(), Outcome::Paid),
        };
        let requests = match step {
            CheckStep::SameEventTwice => {
                let event = self.event(&item, outcome).await?;
                vec![(event.clone(), None), (event, None)]
            }
            CheckStep::OutOfOrder => {
                let older = self.event_before(OLDER_BY, &item, Outcome::Expired).await?;
                vec![(self.event(&item, outcome).await?, None), (older, None)]
            }
            step => vec![(self.event(&item, outcome).await?, step.fault())],
        };
        let mut all = Duration::ZERO;
        let mut last = None;
        for (event, fault) in &requests {
            let (result, took) = self.send(event, *fault).await;
            all += took;
            last = Some(result);
            if !step.passes(result) {
                break;
            }
        }
        let result = last.unwrap_or_else(|| unreachable!("a step has requests"));
        Ok((result, all))
    }

    /// The event of a new session that has ended.
    async fn event(&self, item: &str, outcome: Outcome) -> Result<CallbackEvent, StoreError> {
        self.event_before(Duration::ZERO, item, outcome).await
    }

    /// The event of a session that ended so long ago.
    async fn event_before(
        &self,
        ago: Duration,
        item: &str,
        outcome: Outcome,
    ) -> Result<CallbackEvent, StoreError> {
        let sandbox = &self.checker.sandbox;
        let text = |text: &str| FieldValue::Text(text.to_owned());
        let request = CreateRequest {
            product_name: text(item),
            price: text("1.00"),
            currency: text("EUR"),
            order_id: text(&format!("till-check-{}", self.check.id)),
            ..CreateRequest::default()
        };
        let now = sandbox.now().minus(ago);
        let creation = Creation {
            rules: &sandbox.rules(),
            vendor: self.vendor,
            catalog: &Catalog::default(),
            now,
            id: random::id_for(now, &[self.check.id.as_bytes()]),
            request_id: &self.check.id.to_string(),
        };
        let wrong = |rejection| StoreError::Corrupt(format!("a session of an endpoint check: {rejection}"));
        let (session, changes) = session::create(&request, &creation).map_err(wrong)?;
        let _ = sandbox.commit(&changes).await?;
        // Without an address: the check sends the event itself.
        let settings = Settings { callback_url: None, ..self.vendor.settings.clone() };
        let ended = session::finish(&session, outcome, now, &settings, sandbox.next_event_id(session.id));
        let (_, changes) = ended.map_err(wrong)?;
        let _ = sandbox.commit(&changes).await?;
        let event = changes.into_iter().find_map(|change| match change {
            Change::QueueCallback(event) => Some(*event),
            _ => None,
        });
        Ok(event.unwrap_or_else(|| unreachable!("a session that ends has an event")))
    }

    /// Sends an event, with a fault if there is one.
    async fn send(&self, event: &CallbackEvent, fault: Option<Fault>) -> (AttemptResult, Duration) {
        let sandbox = &self.checker.sandbox;
        let due = DueEvent {
            id: event.id,
            vendor: event.vendor,
            target: self.check.target.clone(),
            host: String::new(),
            body: event.body.clone(),
            sending: false,
            attempts: 0,
            started_at: None,
            delivered: false,
            fence: 0,
        };
        let attempt = SignedAttempt {
            event: &due,
            number: 1,
            secrets: self.secrets,
            at: sandbox.calendar(),
            environment: sandbox.name,
            latest: (Instant::now() + WITHIN).into(),
        };
        let request = match fault {
            Some(fault) => with_fault(fault, &attempt),
            None => attempt.request(),
        };
        let call = attempt.post(&request, &self.checker.outbound).await;
        (judge(&call), call.duration)
    }
}

/// A product name of the greatest length.
fn long_name() -> String {
    format!("{ITEM}, a very long product name")
        .chars()
        .chain(std::iter::repeat('x'))
        .take(MAX_CHARS)
        .collect()
}
