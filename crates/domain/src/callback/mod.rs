//! Callback events (webhooks): the messages that tell the vendor about a final status, or about money beside it, and
//! their exact bytes.
//!
//! The body is built once, with the event: every attempt sends and signs the same bytes. The attempts are
//! planned in [`crate::delivery`]; sending is a worker's job.

mod kind;
mod money;

pub use kind::{EventFamilies, EventFamily, EventKind};
pub use money::{EventSource, UncoveredMoney};

use crate::{
    id::{EventId, SessionId, VendorId},
    metadata::Metadata,
    method::Method,
    money::{Currency, Money, Price},
    refund::{Refund, RefundState},
    session::{Session, State},
    time::Timestamp,
    vendor::Settings,
    weburl::WebUrl,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A message to the vendor about a session, or about money that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallbackEvent {
    /// Its id, the same on every attempt.
    pub id: EventId,
    /// The session it is about.
    pub session: SessionId,
    pub vendor: VendorId,
    /// What it is about, if not the session's own status: a refund by its id, all else by the event's own.
    pub about: Option<[u8; 16]>,
    pub kind: EventKind,
    /// The callback URL: the session's own, else the vendor's at the time of the event.
    pub target: Option<WebUrl>,
    /// The body, never built again.
    pub body: Vec<u8>,
    /// The payment method: the session's chosen one, or that of the refund.
    pub method: Method,
    /// When the status took effect, by the session's own clock; it may be noticed later.
    pub at: Timestamp,
}

/// The body on the wire: the fields of the status response and a few more, so that one parser serves both.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    event: &'static str,
    event_id: String,
    occurred_at: String,
    session_id: String,
    status: &'static str,
    product_name: &'a str,
    price: &'a str,
    currency: &'static str,
    created_at: String,
    updated_at: String,
    order_id: &'a str,
    payment_method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: &'a Metadata,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    refund: Option<RefundBody<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    money: Option<MoneyBody<'a>>,
}

/// Additional fields of an event about money beside the session's own payment.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoneyBody<'a> {
    transaction_id: String,
    amount: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    coin: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coin_amount: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dispute_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_by: Option<String>,
}

/// Additional fields of an event about a refund.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RefundBody<'a> {
    refund_id: String,
    refund_amount: String,
    refund_status: &'static str,
    refunded_total: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    refund_failure_reason: Option<&'a str>,
}

/// The price and failure reason, read back from the body of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedCallback {
    pub price: Money,
    pub failure_reason: Option<String>,
}

/// Reads the body of an event; `None` if the bytes are not such a body.
#[must_use]
pub fn read(body: &[u8]) -> Option<ParsedCallback> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Wire<'a> {
        price: &'a str,
        currency: &'a str,
        failure_reason: Option<String>,
    }
    let Wire { price, currency, failure_reason } = serde_json::from_slice(body).ok()?;
    let price = Price::from_text(price, Currency::from_stored(currency)?).ok()?.money();
    Some(ParsedCallback { price, failure_reason })
}

/// The session of an event, read back from its body.
#[must_use]
pub fn session_of(body: &[u8]) -> Option<SessionId> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Wire<'a> {
        session_id: &'a str,
    }
    let Wire { session_id } = serde_json::from_slice(body).ok()?;
    SessionId::parse(session_id)
}

/// The body without the vendor's own data, in the same order; `None` if it has none. An error if the bytes are not such a body.
pub fn without_metadata(body: &[u8]) -> Result<Option<Vec<u8>>, serde_json::Error> {
    let mut members: Map<String, Value> = serde_json::from_slice(body)?;
    members.shift_remove("metadata").map(|_| serde_json::to_vec(&members)).transpose()
}

/// The body of a test callback, which is about no session and has `"test": true`.
#[must_use]
pub fn ping(id: EventId, now: Timestamp) -> Vec<u8> {
    let body =
        Ping { event: "test.ping", event_id: id.to_string(), occurred_at: now.to_string(), test: true };
    serde_json::to_vec(&body).unwrap_or_else(|_| unreachable!("strings always serialize"))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ping {
    event: &'static str,
    event_id: String,
    occurred_at: String,
    test: bool,
}

/// The event of a session that has just got its final status; `None` while it is pending.
#[must_use]
pub fn event(session: &Session, method: Method, settings: &Settings, id: EventId) -> Option<CallbackEvent> {
    let kind = match session.state {
        State::Pending => return None,
        State::Paid => EventKind::SessionPaid,
        State::Failed(_) => EventKind::SessionFailed,
        State::Expired => EventKind::SessionExpired,
    };
    let at = session.updated_at;
    let (about, refund, money) = (None, None, None);
    make(session, settings, EventFacts { id, kind, method, at, about, refund, money })
}

/// The event of a refund that has just become final; `None` while it is pending, or if the vendor wants no events about
/// refunds. `total` is the sum of all
/// refunds of the session that succeeded.
#[must_use]
pub fn refund_event(
    refund: &Refund,
    total: Money,
    session: &Session,
    settings: &Settings,
    id: EventId,
) -> Option<CallbackEvent> {
    let (kind, failure) = match &refund.state {
        RefundState::Requested | RefundState::Sent | RefundState::Manual => return None,
        RefundState::Succeeded => (EventKind::RefundSucceeded, None),
        RefundState::Failed(reason) => (EventKind::RefundFailed, Some(reason.as_str())),
    };
    let body = RefundBody {
        refund_id: refund.id.to_string(),
        refund_amount: refund.amount.digits(),
        refund_status: refund.state.status(),
        refunded_total: total.digits(),
        refund_failure_reason: failure,
    };
    let (method, at, about) = (refund.method, refund.updated_at, Some(refund.id.into()));
    let facts = EventFacts { id, kind, method, at, about, refund: Some(body), money: None };
    make(session, settings, facts)
}

/// The parts in which the events of one session differ.
struct EventFacts<'a> {
    id: EventId,
    kind: EventKind,
    method: Method,
    at: Timestamp,
    about: Option<[u8; 16]>,
    refund: Option<RefundBody<'a>>,
    money: Option<MoneyBody<'a>>,
}

/// The event, unless the vendor wants none of its family.
fn make(session: &Session, settings: &Settings, facts: EventFacts<'_>) -> Option<CallbackEvent> {
    let EventFacts { id, kind, method, at, about, refund, money } = facts;
    if !settings.events.send(kind) {
        return None;
    }
    let body = Body {
        event: kind.as_str(),
        event_id: id.to_string(),
        occurred_at: at.to_string(),
        session_id: session.id.to_string(),
        status: session.state.status().as_str(),
        product_name: &session.item.name,
        price: session.item.price.digits(),
        currency: session.item.price.currency().code(),
        created_at: session.created_at.to_string(),
        updated_at: session.updated_at.to_string(),
        order_id: &session.order_id,
        payment_method: method.as_str(),
        failure_reason: match session.state {
            State::Failed(reason) => Some(reason.as_str()),
            _ => None,
        },
        metadata: &session.metadata,
        refund,
        money,
    };
    let Ok(body) = serde_json::to_vec(&body) else { unreachable!("strings always serialize") };
    Some(CallbackEvent {
        id,
        session: session.id,
        vendor: session.vendor,
        about,
        kind,
        target: session.callback_url.clone().or_else(|| settings.callback_url.clone()),
        body,
        method,
        at,
    })
}
