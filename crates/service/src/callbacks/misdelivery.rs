//! Misdelivery on purpose: plays the faults that testers choose for callbacks of the sandbox. Only a sender that was given
//! the sandbox's [`Faults`] can do it, so live callbacks cannot have a fault.

use super::{
    sender::judge,
    transmitter::{CallbackRequest, PlainTransmitter, SignedAttempt, Transmitter},
};
use crate::{
    environment::{Environment, Secrets, Signed},
    outbound::{CallResult, Outbound},
    random,
    telemetry::explain,
};
use axum::{
    body::Bytes,
    http::{HeaderName, HeaderValue},
};
use secrecy::SecretString;
use std::{sync::Arc, time::Duration};
use till_domain::{
    change::Change,
    delivery::{DeliveryAttempt, DueEvent, Schedule},
    environment::EnvironmentName,
    misdelivery::{self, Fault, PlannedFault},
    time::Timestamp,
};
use till_store::{Faults, StoreError};

/// How old an old timestamp is: beyond every tolerance, and not so old that it looks like a mistake.
pub(super) const OLD_BY: Duration = Duration::from_secs(24 * 60 * 60);

/// The headers that carry signatures.
const SIGNATURE_HEADERS: [&str; 3] = ["x-signature", "x-signature-alternate", "webhook-signature"];

/// Sends attempts with the faults that testers chose.
#[derive(Debug)]
pub struct FaultPlayer {
    faults: Faults,
    sandbox: Arc<Environment>,
    /// The timeout of one request.
    timeout: Duration,
}

impl FaultPlayer {
    #[must_use]
    pub fn new(faults: Faults, sandbox: Arc<Environment>, timeout: Duration) -> Self {
        Self { faults, sandbox, timeout }
    }

    async fn play(
        &self,
        planned: PlannedFault,
        attempt: &SignedAttempt<'_>,
        outbound: &Outbound,
    ) -> CallResult {
        let right = attempt.request();
        match planned.fault {
            Fault::Slow => {
                outbound.post_slowly(attempt.delivery(&right), planned.delay, attempt.latest).await
            }
            Fault::Duplicate => {
                let result = attempt.post(&right, outbound).await;
                self.send_wrong(&right, attempt, outbound).await;
                result
            }
            Fault::Reorder => {
                let result = attempt.post(&right, outbound).await;
                let older = self.older(attempt).await;
                self.send_wrong(&older, attempt, outbound).await;
                result
            }
            fault => {
                self.send_wrong(&with_fault(fault, attempt), attempt, outbound).await;
                attempt.post(&right, outbound).await
            }
        }
    }

    /// Sends the request that has the fault, and stores the answer. If that is not possible, the timeline of the session
    /// lacks the answer, and the event is delivered all the same.
    async fn send_wrong(&self, request: &CallbackRequest, attempt: &SignedAttempt<'_>, outbound: &Outbound) {
        let result = judge(&attempt.post(request, outbound).await);
        let end = Change::EndFault { event: attempt.event.id, result };
        if let Err(error) = self.sandbox.commit(&[end]).await {
            tracing::warn!(event = %attempt.event.id, "cannot store the answer to a fault: {}", explain(&error));
        }
    }

    /// A request with an older event of the same order; with a made-up one, if there is none.
    async fn older(&self, attempt: &SignedAttempt<'_>) -> CallbackRequest {
        let event = attempt.event;
        let stored = self.faults.older_of_order(event.vendor, event.id).await;
        let stored = stored.unwrap_or_else(|error| {
            tracing::warn!(event = %event.id, "cannot read an older event: {}", explain(&error));
            None
        });
        let (id, body) = stored.unwrap_or_else(|| {
            let at = self.sandbox.now().minus(misdelivery::OLDER_BY);
            let owner: &[&[u8]] = &[event.id.as_bytes()];
            let (id, session) = (random::id_for(at, owner), random::id_for(at, owner));
            (id, misdelivery::older_event(&event.body, id, session, at))
        });
        let signed = Signed { event: id, ..attempt.signed(&body) };
        let headers = signed.headers(attempt.secrets);
        CallbackRequest { headers, body: Bytes::from(body) }
    }
}

impl Transmitter for FaultPlayer {
    type Plan = Option<PlannedFault>;

    /// A fault is played with the first attempt only.
    async fn plan(&self, event: &DueEvent) -> Result<Self::Plan, StoreError> {
        if event.attempts > 0 {
            return Ok(None);
        }
        self.faults.planned(event.id).await
    }

    fn lease(&self, plan: &Self::Plan, lease: Duration) -> Duration {
        plan.map_or(lease, |planned| lease.saturating_add(planned.extra_time(self.timeout)))
    }

    fn begin(
        &self,
        plan: &Self::Plan,
        due: &DueEvent,
        now: Timestamp,
        schedule: &Schedule,
        lease: Duration,
    ) -> (Vec<Change>, Option<DeliveryAttempt>) {
        match plan {
            None => PlainTransmitter.begin(&(), due, now, schedule, lease),
            Some(planned) => misdelivery::begin(due, *planned, now, schedule, lease),
        }
    }

    fn give_back(&self, plan: &Self::Plan, due: &DueEvent) -> Option<Change> {
        plan.map(|_| Change::ReturnFault { event: due.id })
    }

    async fn transmit(
        &self,
        plan: &Self::Plan,
        attempt: &SignedAttempt<'_>,
        outbound: &Outbound,
    ) -> CallResult {
        match plan {
            None => PlainTransmitter.transmit(&(), attempt, outbound).await,
            Some(planned) => self.play(*planned, attempt, outbound).await,
        }
    }
}

/// The request with a fault that precedes the right one.
pub(super) fn with_fault(fault: Fault, attempt: &SignedAttempt<'_>) -> CallbackRequest {
    let event = &attempt.event;
    let CallbackRequest { headers, body } = attempt.request();
    match fault {
        Fault::BadSignature => CallbackRequest { headers: spoiled(headers), body },
        Fault::WrongSecret => {
            let headers = attempt.signed(&event.body).headers(&made_up_secret());
            CallbackRequest { headers, body }
        }
        Fault::OldTimestamp => {
            let signed = Signed { at: attempt.at.minus(OLD_BY), ..attempt.signed(&event.body) };
            CallbackRequest { headers: signed.headers(attempt.secrets), body }
        }
        Fault::ChangedBody => {
            CallbackRequest { headers, body: misdelivery::changed_body(&event.body).into() }
        }
        Fault::Truncated => {
            CallbackRequest { headers, body: misdelivery::truncated_body(&event.body).into() }
        }
        Fault::WrongEnvironment => {
            let signed = Signed { environment: EnvironmentName::Live, ..attempt.signed(&event.body) };
            CallbackRequest { headers: signed.headers(attempt.secrets), body }
        }
        Fault::UnknownEvent => {
            let id = random::id_for(attempt.at, &[event.id.as_bytes()]);
            let body = misdelivery::unknown_event(&event.body, id);
            let signed = Signed { event: id, ..attempt.signed(&body) };
            CallbackRequest { headers: signed.headers(attempt.secrets), body: body.into() }
        }
        Fault::UnknownField => {
            let body = misdelivery::unknown_field(&event.body);
            CallbackRequest { headers: attempt.signed(&body).headers(attempt.secrets), body: body.into() }
        }
        Fault::Drop | Fault::Delay | Fault::Duplicate | Fault::Reorder | Fault::Slow => {
            CallbackRequest { headers, body }
        }
    }
}

/// A secret that no vendor has.
fn made_up_secret() -> Secrets {
    Secrets { first: SecretString::from(hex::encode(random::draw::<32>("made-up secret"))), other: None }
}

/// The headers with another character in each signature.
fn spoiled(headers: Vec<(HeaderName, HeaderValue)>) -> Vec<(HeaderName, HeaderValue)> {
    let spoil = |(name, value): (HeaderName, HeaderValue)| {
        if !SIGNATURE_HEADERS.contains(&name.as_str()) {
            return (name, value);
        }
        let spoiled = value.to_str().unwrap_or_default().split(' ').map(spoiled_signature);
        let spoiled = spoiled.collect::<Vec<_>>().join(" ");
        let value = HeaderValue::from_str(&spoiled).unwrap_or_else(|_| unreachable!("letters stay letters"));
        (name, value)
    };
    headers.into_iter().map(spoil).collect()
}

/// The signature with another digit in its middle: hex stays hex, and base64 stays base64.
fn spoiled_signature(signature: &str) -> String {
    let middle = signature.len() / 2;
    let other = |c: char| if c == '0' { '1' } else { '0' };
    signature.char_indices().map(|(at, c)| if at == middle { other(c) } else { c }).collect()
}
