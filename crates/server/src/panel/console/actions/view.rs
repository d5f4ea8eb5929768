//! Money that came late, short or unexpectedly: what waits for a decision, and the decision.

use crate::{
    panel::pages::{
        vendor_name::VendorName,
        view::{Crumb, View, template},
    },
    web::words::Words,
};
use std::{borrow::Borrow, time::Duration};
use till_domain::{
    environment::Environment,
    id::{ActionId, SessionId},
    method::Method,
    money::Money,
    time::Timestamp,
    transaction::{ActionKind, Resolution},
};

/// What waits for a decision in one environment.
#[derive(Debug, Clone)]
pub struct Actions {
    pub environment: Environment,
    /// Whether those that were decided are shown too.
    pub decided: bool,
    /// Those of this page, newest first.
    pub rows: Vec<ActionLine>,
    /// Where the page with newer ones is.
    pub newer: Option<String>,
    /// Where the page with older ones is.
    pub older: Option<String>,
}

#[derive(Debug, Clone)]
pub struct ActionLine {
    pub id: ActionId,
    /// Where its session is.
    pub environment: Environment,
    pub kind: ActionKind,
    /// To which session, if anybody here knows it.
    pub session: Option<SessionId>,
    pub order_id: String,
    pub vendor: Option<VendorName>,
    /// What was found at a provider, in its words and ours.
    pub note: Option<String>,
    /// What was asked for.
    pub price: Option<Money>,
    pub money: Option<SeenMoney>,
    /// What waits for the decision, where books are kept.
    pub held: Option<Money>,
    pub at: Timestamp,
    pub age: Duration,
    /// What can be decided.
    pub choices: &'static [Resolution],
    pub decided: Option<DecidedBy>,
}

impl ActionLine {
    /// Where its pages are.
    pub fn path(&self) -> String {
        format!("/operator/actions/{}/{}", self.environment, self.id)
    }

    /// What its money did.
    pub fn money_word(&self) -> &'static str {
        match self.kind {
            ActionKind::Reversed => "need-taken",
            ActionKind::Disputed => "need-paid",
            _ => "need-received",
        }
    }

    /// Whether there is money in live that no book has: it came before they were begun, or a provider only claims it. A
    /// decision about it moves nothing.
    pub fn is_unbooked(&self) -> bool {
        self.environment == Environment::Live && self.money.is_some() && self.held.is_none()
    }

    pub fn session_path(&self, session: &SessionId) -> String {
        session_path(self.environment, *session)
    }

    /// The word of a decision about it: that there is nothing to decide means something else for each.
    pub fn word(&self, resolution: impl Borrow<Resolution>) -> &'static str {
        decision_word(self.kind, *resolution.borrow())
    }
}

/// The word of a decision about something of a kind.
pub fn decision_word(kind: ActionKind, resolution: Resolution) -> &'static str {
    match (kind, resolution) {
        (ActionKind::Disputed, Resolution::Dismiss) => "won",
        (ActionKind::Difference, Resolution::Dismiss) => "settled",
        _ => resolution.as_str(),
    }
}

/// The page of a session.
pub fn session_path(environment: Environment, session: SessionId) -> String {
    format!("/operator/sessions/{environment}/{session}")
}

/// Money that was seen.
#[derive(Debug, Clone)]
pub struct SeenMoney {
    /// What came, in the provider's own unit.
    pub received: String,
    /// What it is worth in the session's currency.
    pub worth: Money,
    pub method: Method,
    pub provider: String,
    /// What the provider calls it.
    pub reference: String,
}

#[derive(Debug, Clone)]
pub struct DecidedBy {
    pub resolution: Resolution,
    pub at: Timestamp,
    pub by: String,
}

/// "Do you want this?", about money; or that somebody was faster.
#[derive(Debug, Clone)]
pub struct Decide {
    pub line: ActionLine,
    /// What is to be decided.
    pub resolution: Resolution,
    /// Why it cannot be decided like this.
    pub problem: Option<DecideProblem>,
}

/// Why something cannot be decided as somebody wanted.
#[derive(Debug, Clone, Copy)]
pub enum DecideProblem {
    /// The vendor has less than it would bear.
    NotCovered {
        needed: Money,
        /// What the vendor has.
        available: Money,
    },
    /// The money was taken back, so it cannot be sent back.
    Gone,
}

impl Decide {
    /// What the decision does.
    pub fn text(&self, t: &Words) -> String {
        match self.resolution {
            Resolution::Accept if self.line.is_unbooked() => t.text("decide-accept-unbooked"),
            Resolution::Refund if self.line.is_unbooked() => t.text("decide-refund-unbooked"),
            other => t.text(&format!("decide-{}-text", self.line.word(other))),
        }
    }
}

impl Words {
    /// How long ago something was: `3 hours ago`.
    pub fn ago(&self, age: &Duration) -> String {
        let seconds = age.as_secs();
        match seconds {
            0..60 => self.text("ago-now"),
            60..3_600 => self.count("ago-minutes", &(seconds / 60)),
            3_600..86_400 => self.count("ago-hours", &(seconds / 3_600)),
            _ => self.count("ago-days", &(seconds / 86_400)),
        }
    }

    /// How long something takes or took: `14 ms`, `1.40 s`, `3 min`.
    pub fn span(&self, span: &Duration) -> String {
        match span.as_secs() {
            0 => self.with("span-ms", "ms", &span.subsec_millis().to_string()),
            1..60 => {
                let digits = format!("{}.{:02}", span.as_secs(), span.subsec_millis() / 10);
                self.with("span-seconds", "seconds", &self.number(&digits))
            }
            seconds @ 60..3_600 => self.count("span-minutes", &(seconds / 60)),
            seconds => self.count("span-hours", &(seconds / 3_600)),
        }
    }

    /// The name of an environment.
    pub fn environment(&self, environment: &Environment) -> String {
        self.text(environment.as_str())
    }
}

impl View for Actions {
    fn kind(&self) -> &'static str {
        "actions"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-actions")
    }

    template!(write, view: Actions, "operator/actions.html");
}

impl View for Decide {
    fn kind(&self) -> &'static str {
        "decide"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(&format!("decide-{}-button", self.line.word(self.resolution)))
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/actions", t.text("nav-actions"))]
    }

    template!(write, view: Decide, "operator/decide.html");
}
