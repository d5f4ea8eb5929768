//! The webhook endpoint at Stripe: the events that it needs, and whether it is registered.

use super::{
    Stripe, VERSION,
    api::{FailureKind, StripeFailure},
    wire::{ListPage, WebhookEndpoint},
};
use crate::ProviderError;

/// The events that Till acts on.
pub const EVENTS: [&str; 15] = [
    "payment_intent.succeeded",
    "payment_intent.payment_failed",
    "payment_intent.canceled",
    "payment_intent.processing",
    "payment_intent.requires_action",
    "payment_intent.amount_capturable_updated",
    "charge.refunded",
    "refund.created",
    "refund.updated",
    "refund.failed",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
];

/// The state of the webhook endpoint at Stripe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookState {
    /// The key may not read webhook endpoints.
    Hidden,
    /// No endpoint has our address.
    Missing,
    /// It is disabled.
    Disabled,
    /// It has another version of the API, or the account's.
    Version(Option<String>),
    /// It lacks these events.
    Events(Vec<&'static str>),
    Registered,
}

impl Stripe {
    /// Looks for the webhook endpoint with this address. It changes nothing.
    pub async fn webhook(&self, address: &str) -> Result<WebhookState, ProviderError> {
        let query = [("limit", "100".to_owned())];
        let page: Result<ListPage<WebhookEndpoint>, StripeFailure> =
            self.api.get("/v1/webhook_endpoints", &query).await;
        match page {
            Ok(page) => Ok(state(&page.data, address)),
            Err(failure) if matches!(failure.kind, FailureKind::Locked | FailureKind::Refused) => {
                Ok(WebhookState::Hidden)
            }
            Err(failure) => Err(failure.unknown()),
        }
    }
}

fn state(endpoints: &[WebhookEndpoint], address: &str) -> WebhookState {
    let ours: Vec<_> = endpoints.iter().filter(|endpoint| endpoint.url == address).collect();
    let Some(endpoint) = ours.iter().find(|endpoint| endpoint.status == "enabled").or(ours.first()) else {
        return WebhookState::Missing;
    };
    let has = |event: &&str| endpoint.enabled_events.iter().any(|known| known == "*" || known == event);
    let missing: Vec<_> = EVENTS.into_iter().filter(|event| !has(event)).collect();
    if endpoint.status != "enabled" {
        WebhookState::Disabled
    } else if endpoint.api_version.as_deref() != Some(VERSION) {
        WebhookState::Version(endpoint.api_version.clone())
    } else if missing.is_empty() {
        WebhookState::Registered
    } else {
        WebhookState::Events(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webhook_needs_our_address_version_and_events() {
        let endpoint = |url: &str, status: &str, version: Option<&str>, events: &[&str]| WebhookEndpoint {
            url: url.to_owned(),
            status: status.to_owned(),
            api_version: version.map(str::to_owned),
            enabled_events: events.iter().map(|event| (*event).to_owned()).collect(),
        };
        let (ours, version) = ("https://pay.example/notices/stripe/events", Some(VERSION));
        let judge = |endpoints: &[WebhookEndpoint]| state(endpoints, ours);
        assert_eq!(judge(&[]), WebhookState::Missing);
        let other = endpoint("https://other.example/", "enabled", version, &["*"]);
        assert_eq!(judge(std::slice::from_ref(&other)), WebhookState::Missing);
        let off = endpoint(ours, "disabled", version, &["*"]);
        assert_eq!(judge(std::slice::from_ref(&off)), WebhookState::Disabled);
        assert_eq!(
            judge(&[other, off, endpoint(ours, "enabled", version, &["*"])]),
            WebhookState::Registered
        );
        assert_eq!(judge(&[endpoint(ours, "enabled", version, &EVENTS)]), WebhookState::Registered);
        assert_eq!(judge(&[endpoint(ours, "enabled", None, &EVENTS)]), WebhookState::Version(None));
        let few = endpoint(ours, "enabled", version, &EVENTS[1..]);
        assert_eq!(judge(&[few]), WebhookState::Events(vec!["payment_intent.succeeded"]));
    }
}
