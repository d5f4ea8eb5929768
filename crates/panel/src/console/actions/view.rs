//! The pages of actions: money that came late, short or unexpectedly and waits for a decision, and the
//! decision.

use crate::pages::{
    form::{Complaint, Input},
    vendor_name::VendorName,
    view::{Crumb, View, template},
};
use std::{borrow::Borrow, time::Duration};
use till_domain::{
    attempt::Quantity,
    environment::EnvironmentName,
    id::{ActionId, RefundId, SessionId},
    method::Method,
    money::Money,
    text,
    time::Timestamp,
    transaction::{ActionKind, ActionNote, Resolution},
};
use till_service::web::words::Words;

/// The actions of one environment.
#[derive(Debug, Clone)]
pub struct Actions {
    pub environment: EnvironmentName,
    /// The email address of the reader.
    pub me: String,
    pub shown: ShownActions,
    /// Only actions of this kind.
    pub kind: Option<ActionKind>,
    pub assignee: AssigneeChoice,
    /// The vendor's name or id, as it was typed.
    pub vendor: String,
    /// True if no vendor has this name or id.
    pub wrong_vendor: bool,
    pub figures: WaitingFigures,
    /// The actions of this page.
    pub rows: Vec<ActionLine>,
    /// The link to the page of newer actions.
    pub newer: Option<String>,
    /// The link to the page of older actions.
    pub older: Option<String>,
}

/// The actions of the list by their state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownActions {
    Open,
    /// Open ones with a due time, the earliest first.
    Due,
    Decided,
    All,
}

impl ShownActions {
    pub const ALL: [Self; 4] = [Self::Open, Self::Due, Self::Decided, Self::All];

    /// The word in addresses and translation keys.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Due => "due",
            Self::Decided => "decided",
            Self::All => "all",
        }
    }

    /// The state that a query names: open by default.
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|shown| shown.word() == word).unwrap_or(Self::Open)
    }
}

/// The actions of the list by the operator they are assigned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssigneeChoice {
    Anyone,
    Mine,
    Unassigned,
}

impl AssigneeChoice {
    pub const ALL: [Self; 3] = [Self::Anyone, Self::Mine, Self::Unassigned];

    /// The word in addresses and translation keys.
    pub fn word(self) -> &'static str {
        match self {
            Self::Anyone => "anyone",
            Self::Mine => "mine",
            Self::Unassigned => "unassigned",
        }
    }

    /// The choice that a query names: anyone by default.
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|choice| choice.word() == word).unwrap_or(Self::Anyone)
    }
}

/// How long actions of the environment wait.
#[derive(Debug, Clone, Copy, Default)]
pub struct WaitingFigures {
    pub open: u64,
    /// The age of the oldest open action.
    pub oldest: Option<Duration>,
    /// The median age of the open actions.
    pub median: Option<Duration>,
    /// The decisions of operators in the last 30 days.
    pub decided: u64,
    /// The median time to those decisions.
    pub time_to_decide: Option<Duration>,
}

impl Actions {
    pub fn vendor_input(&self, t: &Words) -> Input {
        let input = Input::new("vendor", t.text("vendor")).kind("search").value(&self.vendor).max(100);
        input.marked(&self.complaints(t))
    }

    /// True if the list is filtered to this kind.
    pub fn has_kind(&self, kind: &ActionKind) -> bool {
        self.kind == Some(*kind)
    }

    /// True if any filter is set.
    pub fn is_filtered(&self) -> bool {
        let narrowed = self.kind.is_some() || self.assignee != AssigneeChoice::Anyone;
        narrowed || !self.vendor.is_empty() || self.shown == ShownActions::Due
    }
}

/// The time until which the operator has to respond at a provider.
#[derive(Debug, Clone, Copy)]
pub struct DueTime {
    pub at: Timestamp,
    /// The time that is left; `None` if it has passed.
    pub left: Option<Duration>,
    /// The time since then, if it has passed.
    pub over: Option<Duration>,
}

impl DueTime {
    pub fn new(at: Timestamp, now: Timestamp) -> Self {
        let passed = now > at;
        let span = if passed { now.since(at) } else { at.since(now) };
        Self { at, left: (!passed).then_some(span), over: passed.then_some(span) }
    }

    /// The rest of the sentence: `2 days left`.
    pub fn text(&self, t: &Words) -> String {
        let span = self.left.or(self.over).unwrap_or_default();
        t.with(if self.over.is_some() { "need-overdue" } else { "need-left" }, "time", &t.lasting(&span))
    }

    /// The CSS class: red once it has passed, and a warning for the last three days.
    pub fn class(&self) -> &'static str {
        const SOON: Duration = Duration::from_secs(3 * 86_400);
        match self.left {
            None => "failed",
            Some(left) if left <= SOON => "warn",
            Some(_) => "pending",
        }
    }
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
    /// The refund of which its provider does not say whether it was made, if it is about one.
    pub refund: Option<RefundId>,
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
    /// The time until which the operator has to respond at the provider, while the action is open.
    pub due: Option<DueTime>,
    /// The email address of the operator who works on it.
    pub assignee: Option<String>,
    /// The notes of operators, oldest first.
    pub notes: Vec<ActionNote>,
}

impl ActionLine {
    /// The path that its pages begin with.
    pub fn path(&self) -> String {
        format!("/operator/actions/{}/{}", self.environment, self.id)
    }

    /// The assignee as a form sends it back, empty for none.
    pub fn was(&self) -> &str {
        self.assignee.as_deref().unwrap_or_default()
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

/// The page of one action: its facts, its assignee and its notes.
#[derive(Debug, Clone)]
pub struct ActionPage {
    pub line: ActionLine,
    /// The email address of the reader.
    pub me: String,
    /// The email addresses of the operators to which it can be assigned.
    pub operators: Vec<String>,
    /// The note that was typed, if it was not saved.
    pub typed: String,
    pub problem: Option<WorkProblem>,
}

/// The reason why an assignment or a note was not saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkProblem {
    /// Another operator has taken or released it meanwhile.
    Moved,
    /// There is no active operator with that address.
    NoOperator,
    /// It was decided meanwhile.
    Decided,
    NoteEmpty,
    NoteLong,
    NoteCharacter,
}

impl ActionPage {
    /// True if the action is assigned to this operator.
    pub fn is_assigned(&self, email: &str) -> bool {
        self.line.assignee.as_deref() == Some(email)
    }

    pub fn is_mine(&self) -> bool {
        self.is_assigned(&self.me)
    }

    /// The text of a conflict with another operator.
    pub fn conflict(&self, t: &Words) -> Option<String> {
        match (self.problem?, &self.line.assignee) {
            (WorkProblem::Moved, Some(email)) => Some(t.with("work-moved", "name", email)),
            (WorkProblem::Moved, None) => Some(t.text("work-released")),
            (WorkProblem::NoOperator, _) => Some(t.text("work-no-operator")),
            _ => None,
        }
    }

    pub fn max_note(&self) -> usize {
        text::MAX_NOTE
    }
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

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let wrong = self.wrong_vendor.then(|| Complaint::about("vendor", t.text("deliver-no-vendor")));
        wrong.into_iter().collect()
    }

    template!(write, view: Actions, "operator/actions.html");
}

impl View for ActionPage {
    fn kind(&self) -> &'static str {
        "action"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("work-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        let path = format!("/operator/actions?env={}", self.line.environment);
        vec![Crumb::new(&path, t.text("nav-actions"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let key = match self.problem {
            Some(WorkProblem::NoteEmpty) => "work-note-empty",
            Some(WorkProblem::NoteLong) => "work-note-long",
            Some(WorkProblem::NoteCharacter) => "work-note-character",
            _ => return Vec::new(),
        };
        vec![Complaint::about("text", t.text(key))]
    }

    template!(write, view: ActionPage, "operator/action.html");
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
