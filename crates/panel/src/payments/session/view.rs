//! The page of one session: its timeline, callback, data and money.

use crate::{
    pages::{
        document::PanelDocument,
        fiscal::FiscalLine,
        refund::RefundLine,
        view::{Crumb, View, template},
    },
    payments::lists::view::{self as lists, Delivery, status_class},
};
use std::time::Duration;
use till_domain::{
    delivery::{ReceiverResponse, Requester},
    dispatch::DispatchState,
    id::{EventId, SessionId},
    metadata::Metadata,
    method::Method,
    misdelivery::Fault,
    money::Money,
    refund::RefundedPart,
    session::{Customer, FailureReason, State},
    time::Timestamp,
    transaction::Marks,
};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct OneSession {
    pub id: SessionId,
    pub order_id: String,
    /// The name of the item paid for.
    pub product: String,
    /// The product id and category id of the catalog, if they were given.
    pub catalog: [Option<String>; 2],
    pub price: Money,
    pub state: State,
    pub refunded: RefundedPart,
    /// The method chosen now.
    pub method: Method,
    /// All methods that are offered.
    pub offered: Vec<Method>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The time left, while it is pending.
    pub left: Option<Duration>,
    /// The id of the request that created it.
    pub request_id: String,
    /// What the vendor said of the customer.
    pub customer: Customer,
    /// The vendor's own data.
    pub metadata: Metadata,
    /// When the personal data was erased, if it was.
    pub erased_at: Option<Timestamp>,
    /// The address of its callback: its own, or the vendor's.
    pub callback_url: Option<String>,
    /// The page that the customer returns to: its own, or the vendor's.
    pub return_url: Option<String>,
    pub checkout_url: String,
    /// The receipt that the customer has.
    pub receipt_url: Option<String>,
    /// A request that creates another session like it.
    pub curl: String,
    /// The timeline, oldest first.
    pub steps: Vec<TimelineStep>,
    /// Its callbacks, oldest first: its own status, its refunds.
    pub callbacks: Vec<OneCallback>,
    /// The money received; `None` in the sandbox.
    pub money: Option<Vec<Received>>,
    /// True if the user may send the callback again.
    pub can_send: bool,
    /// Its refunds in any state.
    pub refunds: Vec<RefundLine>,
    /// True if the user may refund the amount that is left.
    pub can_refund: bool,
    /// Its fiscal receipts, oldest first.
    pub fiscal: Vec<FiscalLine>,
}

#[derive(Debug, Clone)]
pub struct TimelineStep {
    pub at: Timestamp,
    pub what: TimelineEvent,
}

#[derive(Debug, Clone)]
pub enum TimelineEvent {
    /// The vendor created the session, which expires at this time if it is not paid.
    Created { ends_at: Timestamp },
    /// The customer opened the checkout page.
    Opened,
    /// The customer left the checkout page for the shop.
    Returned,
    /// The customer chose a method; an attempt was started at the provider, if one is named.
    Chosen { method: Option<Method>, provider: Option<String> },
    /// A tester chose the outcome (sandbox).
    Planned {
        /// As stored in the history.
        detail: String,
    },
    /// The customer was warned that the order was paid before, and pays again.
    RepeatConfirmed,
    /// The provider reports that the money is in transit.
    InFlight,
    /// The provider declined an attempt.
    Declined(FailureReason),
    /// An attempt was closed: it takes no more money.
    Closed { provider: String },
    /// Money came after the end of the session.
    Late { detail: String },
    /// Less money came than the price.
    Partial { detail: String },
    /// Money that had come was taken back (reversal).
    Reversed { detail: String },
    /// The session reached its final status.
    Ended {
        state: State,
        /// The provider's reference of the payment.
        reference: Option<String>,
    },
    /// A delivery attempt of a callback.
    Called(DeliveryTry),
    /// There was no callback address.
    NoTarget,
    /// A callback was delivered wrongly on purpose (sandbox).
    Misdelivered(FaultLine),
    /// A receipt was mailed, is queued, or could not be sent.
    Mailed(ReceiptMailLine),
    /// A refund was requested.
    RefundAsked(RefundLine),
    /// A refund succeeded or failed.
    RefundEnded(RefundLine),
}

/// A fault that was played with a callback.
#[derive(Debug, Clone)]
pub struct FaultLine {
    pub fault: Fault,
    /// The event of the callback, if it is not the session's own status.
    pub about: Option<String>,
    /// The word of what came of the request that had the fault, and its HTTP status.
    pub answer: Option<(String, Option<u16>)>,
    /// How long it took, where the tester can choose that.
    pub delay: Option<Duration>,
}

impl FaultLine {
    /// What a correct receiver does, and what this one answered.
    fn detail(&self, t: &Words) -> String {
        let right = t.text(&format!("fault-{}-right", self.fault.as_str()));
        let right = match &self.about {
            Some(event) => format!("{event}: {right}"),
            None => right,
        };
        match &self.answer {
            Some((result, status)) => {
                format!("{right} {}", t.with("fault-answer", "answer", &t.answer(result, *status)))
            }
            None => right,
        }
    }
}

/// A mail with a receipt.
#[derive(Debug, Clone)]
pub struct ReceiptMailLine {
    /// True if it is the vendor's own copy.
    pub copy: bool,
    pub state: DispatchState,
    /// The recipient, masked if it is the customer.
    pub to: String,
    /// The word of the last error.
    pub error: Option<String>,
}

/// A delivery attempt of a callback.
#[derive(Debug, Clone)]
pub struct DeliveryTry {
    /// The event of the callback, if it is not the session's own status.
    pub about: Option<String>,
    pub number: u32,
    pub at: Timestamp,
    /// The duration, if known.
    pub took: Option<Duration>,
    /// The word of its result.
    pub result: String,
    /// The HTTP status of the answer.
    pub status: Option<u16>,
    /// True if a user asked for it.
    pub is_manual: bool,
    /// Who that was, if it is recorded.
    pub requested_by: Option<Requester>,
    /// The start of the receiver's response, if it failed and is still kept.
    pub response: Option<ReceiverResponse>,
}

/// A callback of the session.
#[derive(Debug, Clone)]
pub struct OneCallback {
    pub id: EventId,
    /// Its event, such as `session.paid` or `refund.succeeded`.
    pub event: String,
    pub created_at: Timestamp,
    pub delivery: Delivery,
    pub target: Option<String>,
    /// The delivery attempts, oldest first.
    pub tries: Vec<DeliveryTry>,
    /// The frozen bytes, as text.
    pub body: String,
    /// The signature headers, as they are or will be sent.
    pub signatures: Vec<(String, String)>,
}

/// A movement of money.
#[derive(Debug, Clone)]
pub struct Received {
    /// Its value in the session's currency.
    pub amount: Money,
    /// Marks such as late or partial.
    pub marks: Marks,
    pub provider: String,
    /// The provider's reference of it.
    pub reference: String,
}

impl Received {
    /// The translation key of its name.
    pub fn word(&self) -> &'static str {
        match self.marks {
            _ if self.amount.minor == 0 => "money-claimed",
            Marks { reversed: true, .. } => "money-reversed",
            Marks { late: true, .. } => "money-late",
            Marks { partial: true, .. } => "money-partial",
            Marks { over: true, .. } => "money-over",
            _ => "money-received",
        }
    }
}

impl OneSession {
    /// The steps of the timeline, each with its day where that differs from the step before.
    pub fn timeline(&self, document: &PanelDocument<'_>) -> Vec<(&TimelineStep, Option<String>)> {
        let mut last = String::new();
        let steps = self.steps.iter().map(|step| {
            let day = document.moment(&step.at).day;
            let is_new = std::mem::replace(&mut last, day.clone()) != day;
            (step, is_new.then_some(day))
        });
        steps.collect()
    }

    /// The word of its badge.
    pub fn badge(&self) -> &'static str {
        lists::badge(self.state.status(), self.refunded)
    }

    /// The heading of the card with the session's money; in the sandbox it has only refunds.
    pub fn money_card(&self) -> &'static str {
        if self.money.is_some() { "money" } else { "refunds" }
    }

    /// The seconds left, rounded up.
    pub fn seconds_left(&self) -> Option<u64> {
        self.left.map(|left| left.as_secs() + u64::from(left.subsec_nanos() > 0))
    }

    /// A text with the methods that are offered.
    pub fn others(&self, t: &Words) -> String {
        t.with("methods-of", "methods", &t.methods(&self.offered))
    }
}

impl TimelineStep {
    /// The CSS class of its dot.
    pub fn class(&self) -> &'static str {
        match &self.what {
            TimelineEvent::Created { .. } => "pending",
            TimelineEvent::Ended { state, .. } => status_class(state.status()),
            TimelineEvent::Called(one) if one.is_good() => "paid",
            TimelineEvent::Called(_) | TimelineEvent::Declined(_) => "failed",
            TimelineEvent::RefundEnded(line) => line.class(),
            TimelineEvent::Late { .. } | TimelineEvent::Partial { .. } | TimelineEvent::NoTarget => "warn",
            TimelineEvent::Misdelivered(_) => "warn",
            TimelineEvent::Reversed { .. } => "failed",
            TimelineEvent::Mailed(ReceiptMailLine { state: DispatchState::Failed, .. }) => "failed",
            TimelineEvent::Mailed(ReceiptMailLine { error: Some(_), .. }) => "warn",
            _ => "",
        }
    }

    /// True if it changed the status.
    pub fn is_turn(&self) -> bool {
        matches!(self.what, TimelineEvent::Created { .. } | TimelineEvent::Ended { .. })
    }

    /// The translated step.
    pub fn text(&self, t: &Words) -> String {
        match &self.what {
            TimelineEvent::Created { .. } => t.text("step-created"),
            TimelineEvent::Opened => t.text("step-opened"),
            TimelineEvent::Returned => t.text("step-returned"),
            TimelineEvent::Chosen { method: Some(method), .. } => {
                t.with("step-chosen", "method", &t.text(&format!("method-{method}")))
            }
            TimelineEvent::Chosen { method: None, .. } => t.text("step-chosen-other"),
            TimelineEvent::Planned { .. } => t.text("step-planned"),
            TimelineEvent::RepeatConfirmed => t.text("step-repeat-confirmed"),
            TimelineEvent::InFlight => t.text("step-in-flight"),
            TimelineEvent::Declined(_) => t.text("step-declined"),
            TimelineEvent::Closed { .. } => t.text("step-closed"),
            TimelineEvent::Late { .. } => t.text("step-late"),
            TimelineEvent::Partial { .. } => t.text("step-partial"),
            TimelineEvent::Reversed { .. } => t.text("step-reversed"),
            TimelineEvent::Ended { state, .. } => t.text(&format!("status-{}", state.status())),
            TimelineEvent::Called(one) if one.is_good() => t.text("step-delivered"),
            TimelineEvent::Called(one) => t.with("step-called", "result", &one.answer(t)),
            TimelineEvent::NoTarget => t.text("step-no-target"),
            TimelineEvent::Misdelivered(line) => {
                let fault = t.text(&format!("fault-{}", line.fault.as_str()));
                let delay = line.delay.map(|delay| format!(" ({})", t.took(delay))).unwrap_or_default();
                t.with("step-misdelivered", "fault", &format!("{fault}{delay}"))
            }
            TimelineEvent::Mailed(mail) => {
                let what = if mail.copy { "copy" } else { "receipt" };
                t.with(&format!("step-mail-{}", mail.state.as_str()), "what", what)
            }
            TimelineEvent::RefundAsked(line) => t.with("step-refund-asked", "amount", &t.money(&line.amount)),
            TimelineEvent::RefundEnded(line) => {
                t.with(&format!("step-refund-{}", line.status), "amount", &t.money(&line.amount))
            }
        }
    }

    /// Details of the step. Times are left to the caller, as they need a zone.
    pub fn detail(&self, t: &Words) -> Option<String> {
        match &self.what {
            TimelineEvent::Chosen { provider: Some(provider), .. } | TimelineEvent::Closed { provider } => {
                Some(t.with("step-at", "provider", provider))
            }
            TimelineEvent::Planned { detail }
            | TimelineEvent::Late { detail }
            | TimelineEvent::Partial { detail }
            | TimelineEvent::Reversed { detail } => Some(detail.clone()),
            TimelineEvent::Declined(reason) => Some(t.failure(reason)),
            TimelineEvent::Ended { state: State::Failed(reason), .. } => Some(t.failure(reason)),
            TimelineEvent::Ended { reference: Some(reference), .. } => {
                Some(t.with("step-reference", "reference", reference))
            }
            TimelineEvent::Called(one) => Some(one.line(t)),
            TimelineEvent::Misdelivered(line) => Some(line.detail(t)),
            TimelineEvent::Mailed(ReceiptMailLine { to, error: None, .. }) => Some(to.clone()),
            TimelineEvent::Mailed(ReceiptMailLine { to, error: Some(error), .. }) => {
                Some(format!("{to}, {}", t.text(&format!("mail-error-{error}"))))
            }
            TimelineEvent::RefundAsked(RefundLine { by, reason: Some(reason), .. }) => {
                Some(format!("{by}: {reason}"))
            }
            TimelineEvent::RefundAsked(line) => Some(line.by.clone()),
            TimelineEvent::RefundEnded(line) => line.failure.clone(),
            _ => None,
        }
    }

    /// The time that the step mentions.
    pub fn names(&self) -> Option<&Timestamp> {
        match &self.what {
            TimelineEvent::Created { ends_at } => Some(ends_at),
            _ => None,
        }
    }
}

impl DeliveryTry {
    /// True if it delivered the callback.
    pub fn is_good(&self) -> bool {
        self.result == "delivered"
    }

    pub fn class(&self) -> &'static str {
        if self.is_good() { "paid" } else { "failed" }
    }

    /// The answer: an HTTP status, or why there is none.
    pub fn answer(&self, t: &Words) -> String {
        t.answer(&self.result, self.status)
    }

    /// The name of the attempt: `First attempt`, `Retry 2`, `Manual resend`.
    pub fn name(&self, t: &Words) -> String {
        if self.is_manual { t.text("try-manual") } else { t.try_name(&self.number) }
    }

    /// Who asked for it. A vendor learns of an operator, not of a person.
    pub fn requester(&self, t: &Words) -> Option<String> {
        let by = self.requested_by.as_ref()?;
        Some(if by.is_operator { t.text("operator-asked") } else { by.name.clone() })
    }

    /// The duration, as text.
    pub fn took(&self, t: &Words) -> Option<String> {
        self.took.map(|took| t.took(took))
    }

    fn line(&self, t: &Words) -> String {
        let name = match self.requester(t) {
            Some(by) => format!("{} ({by})", self.name(t)),
            None => self.name(t),
        };
        let name = match &self.about {
            Some(event) => format!("{event}: {name}"),
            None => name,
        };
        let answer = self.answer(t);
        match self.took(t) {
            Some(took) if self.is_good() => format!("{name}, {answer}, {took}"),
            Some(took) => format!("{name}, {took}"),
            None => name,
        }
    }
}

impl View for OneSession {
    fn kind(&self) -> &'static str {
        "session"
    }

    fn heading(&self, t: &Words) -> String {
        t.money(&self.price)
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/sessions", t.text("nav-sessions")), Crumb::new("", self.order_id.clone())]
    }

    template!(head, view: OneSession, "panel/session-head.html");

    template!(write, view: OneSession, "panel/session.html");
}
