//! Signs callbacks: makes the headers of an attempt.

use axum::http::{HeaderName, HeaderValue, header};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use till_domain::{defect::Defect, environment::EnvironmentName, id::EventId, time::Timestamp};

/// The secrets of a vendor in one environment that sign now.
#[derive(Debug)]
pub struct Secrets {
    /// The secret of `X-Signature`.
    pub first: SecretString,
    /// The second secret, while a rotation overlaps.
    pub other: Option<SecretString>,
}

/// The signed content: one attempt of one event.
#[derive(Debug)]
pub struct Signed<'a> {
    pub event: EventId,
    /// The frozen body of the event.
    pub body: &'a [u8],
    pub attempt: u32,
    /// The time of the attempt.
    pub at: Timestamp,
    pub environment: EnvironmentName,
}

impl Signed<'_> {
    /// The headers of the attempt, in the order in which they are sent.
    #[must_use]
    pub fn headers(&self, secrets: &Secrets) -> Vec<(HeaderName, HeaderValue)> {
        let seconds = self.at.as_ms().div_euclid(1000);
        let mut signatures = self.standard(&secrets.first, seconds);
        if let Some(other) = &secrets.other {
            signatures = format!("{signatures} {}", self.standard(other, seconds));
        }
        let named = |name: &'static str| HeaderName::from_static(name);
        let mut headers = vec![
            (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (header::USER_AGENT, HeaderValue::from_static(concat!("till/", env!("CARGO_PKG_VERSION")))),
            (named("x-signature"), value(&self.plain(&secrets.first))),
            (named("x-attempt"), self.attempt.into()),
            (named("x-environment"), HeaderValue::from_static(self.environment.as_str())),
            (named("webhook-id"), value(&self.event.to_string())),
            (named("webhook-timestamp"), seconds.into()),
            (named("webhook-signature"), value(&signatures)),
        ];
        if let Some(other) = &secrets.other {
            headers.push((named("x-signature-alternate"), value(&self.plain(other))));
        }
        headers
    }

    /// HMAC-SHA256 of the body, in hex.
    fn plain(&self, secret: &SecretString) -> String {
        let mut mac = keyed(secret);
        mac.update(self.body);
        hex::encode(mac.finalize().into_bytes())
    }

    /// The signature of Standard Webhooks: over id, time and body.
    fn standard(&self, secret: &SecretString, seconds: i64) -> String {
        let mut mac = keyed(secret);
        mac.update(format!("{}.{seconds}.", self.event).as_bytes());
        mac.update(self.body);
        format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
    }
}

fn keyed(secret: &SecretString) -> Hmac<Sha256> {
    let wrong = Defect::CallbackSignedWithWrongKey.is_planted();
    let key = if wrong { b"" } else { secret.expose_secret().as_bytes() };
    Hmac::new_from_slice(key).unwrap_or_else(|_| unreachable!("a key of any length will do"))
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| unreachable!("hex, base64 and ids are plain ASCII"))
}
