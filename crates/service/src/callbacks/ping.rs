//! Sends a test callback to a vendor's receiver. It is signed like the others and says that it is a test. It
//! is sent once, and not stored.

use super::sender::judge;
use crate::{
    environment::{Environment, Signed},
    outbound::{Delivery, Outbound},
    random,
};
use axum::body::Bytes;
use std::time::{Duration, Instant};
use till_domain::{
    callback,
    delivery::AttemptResult,
    id::{EventId, VendorId},
    weburl::WebUrl,
};
use till_store::StoreError;

/// The longest that it may take, in addition to the timeout of every callback.
const WITHIN: Duration = Duration::from_secs(30);

/// Sends test callbacks of one environment.
#[derive(Debug, Clone, Copy)]
pub struct Pinger<'a> {
    pub environment: &'a Environment,
    pub outbound: &'a Outbound,
}

impl Pinger<'_> {
    /// Sends a test callback to an address. `None` if the vendor has no credential that could sign it.
    pub async fn ping(
        &self,
        vendor: VendorId,
        target: &WebUrl,
    ) -> Result<Option<(AttemptResult, Duration)>, StoreError> {
        let environment = self.environment;
        environment.store.hold.check()?;
        let now = environment.now();
        let Some(secrets) = environment.keyring.secrets(vendor, now).await? else { return Ok(None) };
        let event = random::id::<EventId>(now);
        let body = callback::ping(event, now);
        let name = environment.name;
        let signed = Signed { event, body: &body, attempt: 1, at: environment.calendar(), environment: name };
        let (headers, body) = (signed.headers(&secrets), Bytes::from(body.clone()));
        let delivery = Delivery { vendor, url: target.as_str(), headers: &headers, body: &body };
        let outcome = self.outbound.post(delivery, (Instant::now() + WITHIN).into()).await;
        Ok(Some((judge(&outcome), outcome.duration)))
    }
}
