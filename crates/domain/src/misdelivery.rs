//! Misdelivery on purpose: the faults with which a tester has a sandbox callback delivered, to see what the receiver does.
//! Networks and proxies cause some of them, attackers others. The true event always follows with its own bytes.
//!
//! Only the sandbox can store or play a fault: the live schema has no table for it, and the sender of live callbacks has
//! no place for it.

use crate::{
    change::Change,
    delivery::{self, AttemptResult, DeliveryAttempt, DueEvent, Schedule},
    id::{EventId, RefundId, SessionId},
    rejection::{FieldProblem, Problems},
    request::FieldValue,
    time::Timestamp,
};
use serde_json::{Map, Value};
use std::{fmt, time::Duration};

/// The longest delay that a tester can choose, in milliseconds.
const MAX_DELAY_MS: u32 = 60_000;

/// The delay if the tester chooses none.
pub const DEFAULT_DELAY: Duration = Duration::from_secs(5);

/// The choices, for messages.
const WORDS: &str = "none, drop, delay, duplicate, reorder, bad_signature, wrong_secret, old_timestamp, changed_body, \
                     truncated, wrong_environment, slow, unknown_event, unknown_field";

/// How much older than the event a made-up event of the same order is.
pub const OLDER_BY: Duration = Duration::from_secs(60 * 60);

/// One way to deliver a callback wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The first attempt is recorded, but never sent.
    Drop,
    /// The first attempt is made later.
    Delay,
    /// The first attempt is sent twice.
    Duplicate,
    /// An older event of the order is sent after the event.
    Reorder,
    /// First a request whose signatures are spoiled.
    BadSignature,
    /// First a request that another secret has signed.
    WrongSecret,
    /// First a request with an old timestamp, rightly signed.
    OldTimestamp,
    /// First a request whose body was changed after it was signed.
    ChangedBody,
    /// First a request whose body is cut off.
    Truncated,
    /// First a request whose header names the other environment.
    WrongEnvironment,
    /// The bytes of the first attempt arrive slowly.
    Slow,
    /// First an event of a kind that does not exist yet.
    UnknownEvent,
    /// First the event with a field that does not exist yet.
    UnknownField,
}

impl Fault {
    pub const ALL: [Self; 13] = [
        Self::Drop,
        Self::Delay,
        Self::Duplicate,
        Self::Reorder,
        Self::BadSignature,
        Self::WrongSecret,
        Self::OldTimestamp,
        Self::ChangedBody,
        Self::Truncated,
        Self::WrongEnvironment,
        Self::Slow,
        Self::UnknownEvent,
        Self::UnknownField,
    ];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Delay => "delay",
            Self::Duplicate => "duplicate",
            Self::Reorder => "reorder",
            Self::BadSignature => "bad_signature",
            Self::WrongSecret => "wrong_secret",
            Self::OldTimestamp => "old_timestamp",
            Self::ChangedBody => "changed_body",
            Self::Truncated => "truncated",
            Self::WrongEnvironment => "wrong_environment",
            Self::Slow => "slow",
            Self::UnknownEvent => "unknown_event",
            Self::UnknownField => "unknown_field",
        }
    }

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.as_str() == word)
    }

    /// True if the tester can choose how long it takes.
    #[must_use]
    pub fn takes_delay(self) -> bool {
        matches!(self, Self::Delay | Self::Slow)
    }
}

/// How a tester wants a callback to be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveryChoice {
    /// `None` for a right delivery, also where the vendor's default is a fault.
    pub fault: Option<Fault>,
    /// The delay of [`Fault::Delay`], and the duration of [`Fault::Slow`]; zero with the others.
    pub delay: Duration,
}

impl DeliveryChoice {
    /// The word of a right delivery.
    pub const NONE: &str = "none";

    #[must_use]
    pub fn new(fault: Option<Fault>, delay: Option<Duration>) -> Self {
        let takes_delay = fault.is_some_and(Fault::takes_delay);
        let delay = if takes_delay { delay.unwrap_or(DEFAULT_DELAY) } else { Duration::ZERO };
        Self { fault, delay }
    }

    /// The word of the fault.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.fault.map_or(Self::NONE, Fault::as_str)
    }

    /// Reads the fields of a form; an empty delay is absent. An error names the wrong fields.
    pub fn typed(fault: &str, delay_ms: &str) -> Result<Self, Vec<&'static str>> {
        let fault = read_fault(&FieldValue::Text(fault.to_owned()));
        let delay = match delay_ms.trim() {
            "" => Ok(None),
            digits => read_delay(&FieldValue::Number(digits.to_owned())),
        };
        match (fault, delay) {
            (Ok(fault), Ok(delay)) => Ok(Self::new(fault, delay)),
            (fault, delay) => {
                let wrong = [fault.err().map(|_| "fault"), delay.err().map(|_| "delay_ms")];
                Err(wrong.into_iter().flatten().collect())
            }
        }
    }
}

impl fmt::Display for DeliveryChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        if self.delay.is_zero() { Ok(()) } else { write!(f, " ({} ms)", self.delay.as_millis()) }
    }
}

/// Reads the `callback` member of a request; `None` if it is absent.
pub(crate) fn read(value: &FieldValue, problems: &mut Problems) -> Option<DeliveryChoice> {
    let members = problems.take("callback", value.members())?;
    if !value.is_present() {
        return None;
    }
    let member = |name: &str| {
        let found = members.iter().find(|(key, _)| key == name);
        found.map_or(&FieldValue::Absent, |(_, value)| value)
    };
    let fault = match member("fault") {
        FieldValue::Absent => Err(FieldProblem::Required),
        given => read_fault(given),
    };
    let fault = problems.take("callback.fault", fault);
    let delay = problems.take("callback.delay_ms", read_delay(member("delay_ms")));
    let (fault, delay) = (fault?, delay?);
    if delay.is_some() && !fault.is_some_and(Fault::takes_delay) {
        problems.add("callback.delay_ms", FieldProblem::OnlyWith("fault delay or slow"));
        return None;
    }
    Some(DeliveryChoice::new(fault, delay))
}

fn read_fault(value: &FieldValue) -> Result<Option<Fault>, FieldProblem> {
    match value.text()? {
        None | Some(DeliveryChoice::NONE) => Ok(None),
        Some(word) => Fault::parse(word).map(Some).ok_or(FieldProblem::NotOneOf(WORDS)),
    }
}

fn read_delay(value: &FieldValue) -> Result<Option<Duration>, FieldProblem> {
    let ms = value.whole(1..=MAX_DELAY_MS, "a whole number of milliseconds")?;
    Ok(ms.map(|ms| Duration::from_millis(ms.into())))
}

/// What a tester chose a delivery for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenFor {
    /// The event of a session's final status.
    Outcome(SessionId),
    /// An event about something else of a session, by the id that the event is stored under.
    Event(SessionId, EventId),
    /// The event of a refund.
    Refund(SessionId, RefundId),
}

impl ChosenFor {
    #[must_use]
    pub fn session(self) -> SessionId {
        match self {
            Self::Outcome(session) | Self::Event(session, _) | Self::Refund(session, _) => session,
        }
    }

    /// What the event is about, if it is not the session's own status.
    #[must_use]
    pub fn about(self) -> Option<[u8; 16]> {
        match self {
            Self::Outcome(_) => None,
            Self::Event(_, event) => Some(event.into()),
            Self::Refund(_, refund) => Some(refund.into()),
        }
    }
}

/// A fault that is played with an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedFault {
    pub fault: Fault,
    pub delay: Duration,
}

impl PlannedFault {
    /// The time that it needs in addition to the attempt. `timeout` is that of one request.
    #[must_use]
    pub fn extra_time(self, timeout: Duration) -> Duration {
        timeout.saturating_add(self.delay)
    }
}

/// Claims a due event whose first attempt has a fault, as [`delivery::begin`] does without one. There is no attempt to make
/// if it is postponed or dropped.
#[must_use]
pub fn begin(
    due: &DueEvent,
    planned: PlannedFault,
    now: Timestamp,
    schedule: &Schedule,
    lease: Duration,
) -> (Vec<Change>, Option<DeliveryAttempt>) {
    let played = Change::PlayFault { event: due.id, planned, at: now };
    // Without a retry, the event of a dropped attempt would never arrive.
    let postponed = match planned.fault {
        Fault::Delay => Some(planned.delay),
        Fault::Drop if schedule.attempts() == 1 => Some(DEFAULT_DELAY),
        _ => None,
    };
    if let Some(delay) = postponed {
        let later = Change::PostponeCallback { id: due.id, fence: due.fence, due_at: now.plus(delay) };
        return (vec![later, played], None);
    }
    let (mut changes, mut attempt) = delivery::begin(due, now, schedule, lease);
    if planned.fault == Fault::Drop
        && let Some(dropped) = attempt.take()
    {
        changes.extend(delivery::end(&dropped, AttemptResult::Dropped, Duration::ZERO, now, schedule));
    }
    changes.push(played);
    (changes, attempt)
}

/// The body with a higher price, as an attacker without the secret would change it.
#[must_use]
pub fn changed_body(body: &[u8]) -> Vec<u8> {
    edit(body, |members| {
        let price = members.get("price").and_then(Value::as_str).unwrap_or_default();
        let price = Value::from(format!("9{price}"));
        members.insert("price".to_owned(), price);
    })
}

/// The first half of the body.
#[must_use]
pub fn truncated_body(body: &[u8]) -> Vec<u8> {
    body[..body.len() / 2].to_vec()
}

/// An event of a kind that does not exist, about the same session.
#[must_use]
pub fn unknown_event(body: &[u8], id: EventId) -> Vec<u8> {
    edit(body, |members| {
        members.insert("event".to_owned(), Value::from("session.till_test_unknown_event"));
        members.insert("eventId".to_owned(), Value::from(id.to_string()));
    })
}

/// The event with fields that do not exist.
#[must_use]
pub fn unknown_field(body: &[u8]) -> Vec<u8> {
    edit(body, |members| {
        members.insert("tillTestUnknownField".to_owned(), serde_json::json!({ "nested": [1, null, "ü"] }));
        members.insert("tillTestUnknownFlag".to_owned(), Value::Bool(true));
    })
}

/// A `session.expired` of a made-up older session of the same order.
#[must_use]
pub fn older_event(body: &[u8], id: EventId, session: SessionId, at: Timestamp) -> Vec<u8> {
    let at = at.to_string();
    edit(body, |members| {
        members.retain(|name, _| OWN_FIELDS.contains(&name.as_str()));
        for (name, text) in [
            ("event", "session.expired".to_owned()),
            ("eventId", id.to_string()),
            ("occurredAt", at.clone()),
            ("sessionId", session.to_string()),
            ("status", "expired".to_owned()),
            ("createdAt", at.clone()),
            ("updatedAt", at),
        ] {
            members.insert(name.to_owned(), Value::from(text));
        }
    })
}

/// The fields of an event about a session's own status.
const OWN_FIELDS: [&str; 12] = [
    "event",
    "eventId",
    "occurredAt",
    "sessionId",
    "status",
    "productName",
    "price",
    "currency",
    "createdAt",
    "updatedAt",
    "orderId",
    "paymentMethod",
];

/// Edits the members of a body and keeps their order.
fn edit(body: &[u8], change: impl FnOnce(&mut Map<String, Value>)) -> Vec<u8> {
    let mut members: Map<String, Value> =
        serde_json::from_slice(body).unwrap_or_else(|_| unreachable!("the body of an event is an object"));
    change(&mut members);
    serde_json::to_vec(&members).unwrap_or_else(|_| unreachable!("JSON values always serialize"))
}
