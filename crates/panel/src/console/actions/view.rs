//! The pages of actions: money that came late, short or unexpectedly and waits for a decision, and the
//! decision.

use crate::pages::{
    vendor_name::VendorName,
    view::{Crumb, View, template},
};
use std::{borrow::Borrow, time::Duration};
use till_domain::{
    attempt::Quantity,
    environment::EnvironmentName,
    id::{ActionId, SessionId},
    method::Method,
    money::Money,
    time::Timestamp,
    transaction::{ActionKind, Resolution},
};
use till_service::web::words::Words;

/// The actions of one environment.
#[derive(Debug, Clone)]
pub struct Actions {
    pub environment: EnvironmentName,
    /// True if decided actions are shown too.
    pub decided: bool,
    /// The actions of this page, newest first.
    pub rows: Vec<ActionLine>,
    /// The link to the page of newer actions.
    pub newer: Option<String>,
    /// The link to the page of older actions.
    pub older: Option<String>,
}

#[derive(Debug, Clone)]
pub struct ActionLine {
    pub id: ActionId,
    /// The environment of its session.
    pub environment: EnvironmentName,
    pub kind: ActionKind,
    /// The session that the money belongs to, if it is known.
    pub session: Option<SessionId>,
    pub order_id: String,
    pub vendor: Option<VendorName>,
    /// A note on what was found at a provider, in the provider's words and ours.
    pub note: Option<String>,
    /// The price of the session.
    pub price: Option<Money>,
    pub money: Option<SeenMoney>,
    /// The held funds that wait for the decision, where a ledger is kept.
    pub held: Option<Money>,
    pub at: Timestamp,
    pub age: Duration,
    /// The possible decisions.
    pub choices: &'static [Resolution],
    pub decided: Option<DecidedBy>,
}

impl ActionLine {
    /// The path that its pages begin with.
    pub fn path(&self) -> String {
        format!("/operator/actions/{}/{}", self.environment, self.id)
    }

    /// The translation key of what happened to the money.
    pub fn money_word(&self) -> &'static str {
        match self.kind {
            ActionKind::Reversed => "need-taken",
            ActionKind::Disputed => "need-paid",
            _ => "need-received",
        }
    }

    /// True if there is live money that is not in the ledger: it came before the ledger was begun, or a
    /// provider only claims it. A decision about it moves nothing.
    pub fn is_unbooked(&self) -> bool {
        self.environment == EnvironmentName::Live && self.money.is_some() && self.held.is_none()
    }

    pub fn session_path(&self, session: &SessionId) -> String {
        session_path(self.environment, *session)
    }

    /// The word of a decision: dismissing means something different for each kind of action.
    pub fn word(&self, resolution: impl Borrow<Resolution>) -> &'static str {
        decision_word(self.kind, *resolution.borrow())
    }
}

/// The word of a decision about an action of this kind.
pub fn decision_word(kind: ActionKind, resolution: Resolution) -> &'static str {
    match (kind, resolution) {
        (ActionKind::Disputed, Resolution::Dismiss) => "won",
        (ActionKind::Difference, Resolution::Dismiss) => "settled",
        _ => resolution.as_str(),
    }
}

/// The path of a session's page.
pub fn session_path(environment: EnvironmentName, session: SessionId) -> String {
    format!("/operator/sessions/{environment}/{session}")
}

/// Money that a provider reported.
#[derive(Debug, Clone)]
pub struct SeenMoney {
    /// The amount received, in the provider's own unit.
    pub received: Quantity,
    /// Its value in the session's currency.
    pub worth: Money,
    pub method: Method,
    pub provider: String,
    /// The provider's reference of the payment.
    pub reference: String,
}

#[derive(Debug, Clone)]
pub struct DecidedBy {
    pub resolution: Resolution,
    pub at: Timestamp,
    pub by: String,
}

/// The page that asks for confirmation of a decision, or says that the action was decided meanwhile.
#[derive(Debug, Clone)]
pub struct Decide {
    pub line: ActionLine,
    /// The decision to confirm.
    pub resolution: Resolution,
    /// The reason why this decision is not possible.
    pub problem: Option<DecideProblem>,
}

/// The reason why a decision is not possible.
#[derive(Debug, Clone, Copy)]
pub enum DecideProblem {
    /// The vendor's balance does not cover its share.
    NotCovered {
        needed: Money,
        /// The vendor's available balance.
        available: Money,
    },
    /// The money was taken back, so it cannot be refunded.
    Gone,
}

impl Decide {
    /// The explanation of what the decision does.
    pub fn text(&self, t: &Words) -> String {
        match self.resolution {
            Resolution::Accept if self.line.is_unbooked() => t.text("decide-accept-unbooked"),
            Resolution::Refund if self.line.is_unbooked() => t.text("decide-refund-unbooked"),
            other => t.text(&format!("decide-{}-text", self.line.word(other))),
        }
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
