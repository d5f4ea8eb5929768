//! One session: what happened to it in order, its callback, its facts and its money.

use crate::{
    panel::{
        pages::{
            document::Document,
            refund::RefundLine,
            view::{Crumb, View, template},
        },
        payments::lists::view::{Delivery, status_class},
    },
    web::words::Words,
};
use std::time::Duration;
use till_domain::{
    dispatch::DispatchState,
    id::{EventId, SessionId},
    method::Method,
    money::Money,
    session::{FailureReason, State},
    time::Timestamp,
    transaction::Marks,
};

#[derive(Debug, Clone)]
pub struct OneSession {
    pub id: SessionId,
    pub order_id: String,
    /// What is paid for.
    pub product: String,
    /// The product and category of the catalog, if they were named.
    pub catalog: [Option<String>; 2],
    pub price: Money,
    pub state: State,
    /// The method that counts now.
    pub method: Method,
    /// All that are offered.
    pub offered: Vec<Method>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its status last changed.
    pub updated_at: Timestamp,
    /// How much time is left, while it is pending.
    pub left: Option<Duration>,
    /// The id of the request that created it.
    pub request_id: String,
    /// Where its callback goes, and where its customer.
    pub callback_url: Option<String>,
    /// Where the customer goes afterwards.
    pub return_url: Option<String>,
    pub checkout_url: String,
    /// The request that makes another one like it.
    pub curl: String,
    /// What happened, oldest first.
    pub steps: Vec<Step>,
    /// What the vendor is told, once there is something to tell.
    pub callback: Option<OneCallback>,
    /// What was received; the sandbox has no money.
    pub money: Option<Vec<Received>>,
    /// Whether whoever looks may send the callback again.
    pub can_send: bool,
    /// What went back or is to go back.
    pub refunds: Vec<RefundLine>,
    /// Whether whoever looks may refund what is left.
    pub can_refund: bool,
}

#[derive(Debug, Clone)]
pub struct Step {
    pub at: Timestamp,
    pub what: What,
}

#[derive(Debug, Clone)]
pub enum What {
    /// The vendor created the session, which ends then if nobody pays.
    Created { ends_at: Timestamp },
    /// The customer looked at the page.
    Opened,
    /// The customer left the page for the shop.
    Returned,
    /// The customer chose a method; an attempt was begun at a provider, if one is named.
    Chosen { method: Option<Method>, provider: Option<String> },
    /// A tester planned what becomes of it.
    Planned {
        /// In the words of the history.
        detail: String,
    },
    /// The customer was warned that the order was paid before, and pays again.
    RepeatConfirmed,
    /// The provider says that money is on its way.
    InFlight,
    /// The provider said no to an attempt.
    Declined(FailureReason),
    /// An attempt was closed: it takes no more money.
    Closed { provider: String },
    /// Money came after the end.
    Late { detail: String },
    /// Less money came than was asked for.
    Partial { detail: String },
    /// Money that had come was taken back.
    Reversed { detail: String },
    /// The session got its final status.
    Ended {
        state: State,
        /// What the provider calls the payment.
        reference: Option<String>,
    },
    /// The vendor was called.
    Called(Try),
    /// There was nobody to call.
    NoTarget,
    /// A receipt was mailed, is going to be, or could not be.
    Mailed(Mailed),
    /// Somebody asked for a refund.
    RefundAsked(RefundLine),
    /// A refund came to its end.
    RefundEnded(RefundLine),
}

/// A mail with a receipt.
#[derive(Debug, Clone)]
pub struct Mailed {
    /// Whether it is the vendor's own copy.
    pub copy: bool,
    /// How far it is.
    pub state: DispatchState,
    /// Who gets it, masked if it is the customer.
    pub to: String,
    /// What went wrong last, in a word of ours.
    pub error: Option<String>,
}

/// One attempt to tell the vendor.
#[derive(Debug, Clone)]
pub struct Try {
    pub number: u32,
    pub at: Timestamp,
    /// How long it took, if anybody knows.
    pub took: Option<Duration>,
    /// The word of its result.
    pub result: String,
    /// The status of the answer.
    pub status: Option<u16>,
}

/// What the vendor is told.
#[derive(Debug, Clone)]
pub struct OneCallback {
    pub id: EventId,
    /// Where its delivery stands.
    pub delivery: Delivery,
    pub target: Option<String>,
    /// The attempts, oldest first.
    pub tries: Vec<Try>,
    /// The frozen bytes, as text.
    pub body: String,
    /// The headers that prove where they come from, as they are or will be sent.
    pub signatures: Vec<(String, String)>,
}

/// A movement of money.
#[derive(Debug, Clone)]
pub struct Received {
    /// What it is worth.
    pub amount: Money,
    /// What is unusual about it.
    pub marks: Marks,
    pub provider: String,
    /// What the provider calls it.
    pub reference: String,
}

impl Received {
    /// What it is called.
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
    /// What happened to the session, with the day where it is another than before.
    pub fn timeline(&self, document: &Document<'_>) -> Vec<(&Step, Option<String>)> {
        let mut last = String::new();
        let steps = self.steps.iter().map(|step| {
            let day = document.moment(&step.at).day;
            let is_new = std::mem::replace(&mut last, day.clone()) != day;
            (step, is_new.then_some(day))
        });
        steps.collect()
    }

    /// Whole seconds left, rounded up.
    pub fn seconds_left(&self) -> Option<u64> {
        self.left.map(|left| left.as_secs() + u64::from(left.subsec_nanos() > 0))
    }

    /// What else is offered.
    pub fn others(&self, t: &Words) -> String {
        t.with("methods-of", "methods", &t.methods(&self.offered))
    }
}

impl Step {
    /// The class of its dot.
    pub fn class(&self) -> &'static str {
        match &self.what {
            What::Created { .. } => "pending",
            What::Ended { state, .. } => status_class(state.status()),
            What::Called(one) if one.is_good() => "paid",
            What::Called(_) | What::Declined(_) => "failed",
            What::RefundEnded(line) => line.class(),
            What::Late { .. } | What::Partial { .. } | What::NoTarget => "warn",
            What::Reversed { .. } => "failed",
            What::Mailed(Mailed { state: DispatchState::Failed, .. }) => "failed",
            What::Mailed(Mailed { error: Some(_), .. }) => "warn",
            _ => "",
        }
    }

    /// Whether it changed the status.
    pub fn is_turn(&self) -> bool {
        matches!(self.what, What::Created { .. } | What::Ended { .. })
    }

    /// What happened, in words.
    pub fn text(&self, t: &Words) -> String {
        match &self.what {
            What::Created { .. } => t.text("step-created"),
            What::Opened => t.text("step-opened"),
            What::Returned => t.text("step-returned"),
            What::Chosen { method: Some(method), .. } => {
                t.with("step-chosen", "method", &t.text(&format!("method-{method}")))
            }
            What::Chosen { method: None, .. } => t.text("step-chosen-other"),
            What::Planned { .. } => t.text("step-planned"),
            What::RepeatConfirmed => t.text("step-repeat-confirmed"),
            What::InFlight => t.text("step-in-flight"),
            What::Declined(_) => t.text("step-declined"),
            What::Closed { .. } => t.text("step-closed"),
            What::Late { .. } => t.text("step-late"),
            What::Partial { .. } => t.text("step-partial"),
            What::Reversed { .. } => t.text("step-reversed"),
            What::Ended { state, .. } => t.text(&format!("status-{}", state.status())),
            What::Called(one) if one.is_good() => t.text("step-delivered"),
            What::Called(one) => t.with("step-called", "result", &one.answer(t)),
            What::NoTarget => t.text("step-no-target"),
            What::Mailed(mail) => {
                let what = if mail.copy { "copy" } else { "receipt" };
                t.with(&format!("step-mail-{}", mail.state.as_str()), "what", what)
            }
            What::RefundAsked(line) => t.with("step-refund-asked", "amount", &t.money(&line.amount)),
            What::RefundEnded(line) => {
                t.with(&format!("step-refund-{}", line.status), "amount", &t.money(&line.amount))
            }
        }
    }

    /// More about it. The caller says moments, which need a zone.
    pub fn detail(&self, t: &Words) -> Option<String> {
        match &self.what {
            What::Chosen { provider: Some(provider), .. } | What::Closed { provider } => {
                Some(t.with("step-at", "provider", provider))
            }
            What::Planned { detail }
            | What::Late { detail }
            | What::Partial { detail }
            | What::Reversed { detail } => Some(detail.clone()),
            What::Declined(reason) => Some(t.failure(reason)),
            What::Ended { state: State::Failed(reason), .. } => Some(t.failure(reason)),
            What::Ended { reference: Some(reference), .. } => {
                Some(t.with("step-reference", "reference", reference))
            }
            What::Called(one) => Some(one.line(t)),
            What::Mailed(Mailed { to, error: None, .. }) => Some(to.clone()),
            What::Mailed(Mailed { to, error: Some(error), .. }) => {
                Some(format!("{to}, {}", t.text(&format!("mail-error-{error}"))))
            }
            What::RefundAsked(RefundLine { by, reason: Some(reason), .. }) => Some(format!("{by}: {reason}")),
            What::RefundAsked(line) => Some(line.by.clone()),
            What::RefundEnded(line) => line.failure.clone(),
            _ => None,
        }
    }

    /// The moment that it names.
    pub fn names(&self) -> Option<&Timestamp> {
        match &self.what {
            What::Created { ends_at } => Some(ends_at),
            _ => None,
        }
    }
}

impl Try {
    /// Whether the vendor has it.
    pub fn is_good(&self) -> bool {
        self.result == "delivered"
    }

    pub fn class(&self) -> &'static str {
        if self.is_good() { "paid" } else { "failed" }
    }

    /// What came back: a status, or why there is none.
    pub fn answer(&self, t: &Words) -> String {
        t.answer(&self.result, self.status)
    }

    /// `First try`, `Retry 2`.
    pub fn name(&self, t: &Words) -> String {
        t.try_name(&self.number)
    }

    /// How long it took.
    pub fn took(&self, t: &Words) -> Option<String> {
        self.took.map(|took| t.took(took))
    }

    fn line(&self, t: &Words) -> String {
        let name = self.name(t);
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
