//! The fields of Stripe's answers that are read. All others are ignored.

use serde::{Deserialize, Deserializer};
use std::collections::HashMap;

/// Reads `null` as an empty value.
fn or_nothing<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}

/// A PaymentIntent. It holds the client secret, so it is never printed.
#[derive(Deserialize)]
pub(super) struct Intent {
    pub id: String,
    pub status: String,
    pub amount: u64,
    pub amount_received: u64,
    pub currency: String,
    pub livemode: bool,
    pub client_secret: Option<String>,
    pub last_payment_error: Option<PaymentError>,
    pub cancellation_reason: Option<String>,
    #[serde(default, deserialize_with = "or_nothing")]
    pub metadata: HashMap<String, String>,
}

/// Why the last try to pay failed.
#[derive(Deserialize)]
pub(super) struct PaymentError {
    #[serde(rename = "type")]
    pub kind: String,
    pub code: Option<String>,
    pub decline_code: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Refund {
    pub id: String,
    pub status: String,
    pub payment_intent: Option<String>,
    pub failure_reason: Option<String>,
    #[serde(default, deserialize_with = "or_nothing")]
    pub metadata: HashMap<String, String>,
}

/// A dispute (chargeback): the cardholder's bank demands money back.
#[derive(Deserialize)]
pub(super) struct Dispute {
    pub id: String,
    pub status: String,
    pub reason: String,
    pub amount: u64,
    pub currency: String,
    pub payment_intent: Option<String>,
    pub evidence_details: Option<EvidenceDetails>,
}

/// The deadline for answering a dispute.
#[derive(Deserialize)]
pub(super) struct EvidenceDetails {
    pub due_by: Option<i64>,
}

/// A charge, successful or not.
#[derive(Deserialize)]
pub(super) struct Charge {
    pub id: String,
    pub status: String,
    pub amount_captured: u64,
    pub amount_refunded: u64,
    pub currency: String,
    pub disputed: bool,
    pub created: i64,
    pub payment_intent: Option<String>,
    #[serde(default, deserialize_with = "or_nothing")]
    pub metadata: HashMap<String, String>,
}

#[derive(Deserialize)]
pub(super) struct Balance {
    pub livemode: bool,
    #[serde(default)]
    pub available: Vec<Funds>,
}

#[derive(Deserialize)]
pub(super) struct Funds {
    pub currency: String,
}

#[derive(Deserialize)]
pub(super) struct ListPage<T> {
    pub data: Vec<T>,
    pub has_more: bool,
}

/// An address that Stripe sends events to.
#[derive(Deserialize)]
pub(super) struct WebhookEndpoint {
    pub url: String,
    pub status: String,
    /// The version of the API that its events have; none if it is the account's.
    pub api_version: Option<String>,
    /// The types of its events, or `*` for all.
    pub enabled_events: Vec<String>,
}

/// An item of a list; its id tells where the next page begins.
pub(super) trait ListItem {
    fn id(&self) -> &str;
}

impl ListItem for Intent {
    fn id(&self) -> &str {
        &self.id
    }
}

impl ListItem for Refund {
    fn id(&self) -> &str {
        &self.id
    }
}

impl ListItem for Dispute {
    fn id(&self) -> &str {
        &self.id
    }
}

impl ListItem for Charge {
    fn id(&self) -> &str {
        &self.id
    }
}

#[derive(Deserialize)]
pub(super) struct ErrorAnswer {
    pub error: RefusalBody,
}

#[derive(Deserialize)]
pub(super) struct RefusalBody {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub code: Option<String>,
    pub message: Option<String>,
}

/// An event (webhook): what it is about. Nothing else of it is believed.
#[derive(Deserialize)]
pub(super) struct Event {
    #[serde(rename = "type")]
    pub kind: String,
    pub livemode: bool,
    pub data: EventData,
}

#[derive(Deserialize)]
pub(super) struct EventData {
    pub object: EventObject,
}

/// The object that an event is about.
#[derive(Deserialize)]
pub(super) struct EventObject {
    /// Some objects have none.
    #[serde(default)]
    pub id: String,
    #[serde(default)]
    pub object: String,
    pub payment_intent: Option<String>,
    #[serde(default, deserialize_with = "or_nothing")]
    pub metadata: HashMap<String, String>,
}
