//! The last step of sending a callback: the requests that go to the receiver for one attempt.
//!
//! Live callbacks are sent by [`PlainTransmitter`], which knows no faults. Those of the sandbox are sent by
//! [`FaultPlayer`](super::misdelivery::FaultPlayer), which needs the sandbox's own [`till_store::Faults`].

use crate::{
    environment::{Secrets, Signed},
    outbound::{CallResult, Delivery, Outbound},
};
use axum::{
    body::Bytes,
    http::{HeaderName, HeaderValue},
};
use std::{fmt, future::Future, time::Duration};
use till_domain::{
    change::Change,
    delivery::{self, DeliveryAttempt, DueEvent, Schedule},
    environment::EnvironmentName,
    time::Timestamp,
};
use till_store::StoreError;
use tokio::time::Instant;

/// Makes the requests of an attempt.
pub trait Transmitter: fmt::Debug + Send + Sync + 'static {
    /// What is done with an attempt beside sending it.
    type Plan: fmt::Debug + Send + Sync;

    /// Decides what is done with the next attempt of an event.
    fn plan(&self, event: &DueEvent) -> impl Future<Output = Result<Self::Plan, StoreError>> + Send;

    /// The lease for an attempt; `lease` is that of an attempt without a plan.
    fn lease(&self, plan: &Self::Plan, lease: Duration) -> Duration;

    /// Claims the event, as [`delivery::begin`] does.
    fn begin(
        &self,
        plan: &Self::Plan,
        due: &DueEvent,
        now: Timestamp,
        schedule: &Schedule,
        lease: Duration,
    ) -> (Vec<Change>, Option<DeliveryAttempt>);

    /// What else is taken back if the attempt was certainly not sent.
    fn give_back(&self, plan: &Self::Plan, due: &DueEvent) -> Option<Change>;

    /// Makes the requests of an attempt; the result is that of the request with the event as it is.
    fn transmit(
        &self,
        plan: &Self::Plan,
        attempt: &SignedAttempt<'_>,
        outbound: &Outbound,
    ) -> impl Future<Output = CallResult> + Send;
}

/// An attempt with all that its request is made of.
#[derive(Debug)]
pub struct SignedAttempt<'a> {
    pub event: &'a DueEvent,
    pub number: u32,
    pub secrets: &'a Secrets,
    /// The time of the attempt, for the receiver.
    pub at: Timestamp,
    pub environment: EnvironmentName,
    /// Until when its requests must have ended.
    pub latest: Instant,
}

/// A request to a receiver.
#[derive(Debug, Clone)]
pub struct CallbackRequest {
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Bytes,
}

impl SignedAttempt<'_> {
    /// The request with the event as it is.
    pub fn request(&self) -> CallbackRequest {
        let body = Bytes::copy_from_slice(&self.event.body);
        let headers = self.signed(&self.event.body).headers(self.secrets);
        CallbackRequest { headers, body }
    }

    /// This content, to be signed as the event is.
    pub fn signed<'b>(&'b self, body: &'b [u8]) -> Signed<'b> {
        let (event, attempt, at) = (self.event.id, self.number, self.at);
        Signed { event, body, attempt, at, environment: self.environment }
    }

    pub fn delivery<'b>(&'b self, request: &'b CallbackRequest) -> Delivery<'b> {
        let CallbackRequest { headers, body } = request;
        Delivery { vendor: self.event.vendor, url: self.event.target.as_str(), headers, body }
    }

    /// Sends a request to the event's receiver.
    pub async fn post(&self, request: &CallbackRequest, outbound: &Outbound) -> CallResult {
        outbound.post(self.delivery(request), self.latest).await
    }
}

/// Sends each attempt once, as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainTransmitter;

impl Transmitter for PlainTransmitter {
    type Plan = ();

    async fn plan(&self, _: &DueEvent) -> Result<(), StoreError> {
        Ok(())
    }

    fn lease(&self, (): &(), lease: Duration) -> Duration {
        lease
    }

    fn begin(
        &self,
        (): &(),
        due: &DueEvent,
        now: Timestamp,
        schedule: &Schedule,
        lease: Duration,
    ) -> (Vec<Change>, Option<DeliveryAttempt>) {
        delivery::begin(due, now, schedule, lease)
    }

    fn give_back(&self, (): &(), _: &DueEvent) -> Option<Change> {
        None
    }

    async fn transmit(&self, (): &(), attempt: &SignedAttempt<'_>, outbound: &Outbound) -> CallResult {
        attempt.post(&attempt.request(), outbound).await
    }
}
