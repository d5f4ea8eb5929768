//! The lists of a vendor: sessions, transactions, callbacks and wallet entries, with filters and pagination.

use crate::{
    pages::{
        Language,
        counted::UndeliveredCount,
        form::{Complaint, Input},
        view::{View, template},
    },
    sealed_search,
};
use std::time::Duration;
use till_domain::{
    delivery::DeliveryState,
    id::{EventId, SessionId, TransactionId},
    method::Method,
    money::Money,
    refund::RefundedPart,
    session::{State, Status},
    time::Timestamp,
    transaction::Marks,
};
use till_service::web::words::Words;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    Sessions,
    Transactions,
    Callbacks,
    /// Ledger entries of the vendor's own money.
    Wallet,
    /// The sessions of all vendors, for the operator.
    AllSessions,
    /// The transactions of all vendors, for the operator.
    AllTransactions,
}

impl List {
    /// The word used in translation keys and tests.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sessions | Self::AllSessions => "sessions",
            Self::Transactions | Self::AllTransactions => "transactions",
            Self::Callbacks => "callbacks",
            Self::Wallet => "wallet",
        }
    }

    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Sessions => "/panel/sessions",
            Self::Transactions => "/panel/transactions",
            Self::Callbacks => "/panel/callbacks",
            Self::Wallet => "/panel/wallet",
            Self::AllSessions => "/operator/sessions",
            Self::AllTransactions => "/operator/transactions",
        }
    }

    /// The words of its status filter, in the order in which they are shown.
    #[must_use]
    pub fn choices(self) -> &'static [&'static str] {
        match self {
            Self::Sessions | Self::AllSessions => &["pending", "paid", "failed", "expired"],
            Self::Transactions | Self::AllTransactions => {
                &["to_decide", "plain", "late", "partial", "over", "reversed"]
            }
            Self::Callbacks => &["on_its_way", "delivered", "undelivered", "no_target"],
            Self::Wallet => &["payment", "refund", "payout", "settlement"],
        }
    }

    /// True if it has a search text. That is posted: it may be a customer's e-mail address.
    #[must_use]
    pub fn has_search(self) -> bool {
        matches!(self, Self::Sessions | Self::Transactions | Self::Callbacks)
    }

    /// The translated name of a status filter.
    pub fn choice(&self, word: &str, t: &Words) -> String {
        t.text(&match self {
            Self::Sessions | Self::AllSessions => format!("sessions-{word}"),
            Self::Transactions | Self::AllTransactions => format!("transactions-{word}"),
            Self::Callbacks => format!("callbacks-{word}"),
            Self::Wallet => format!("wallet-{word}"),
        })
    }

    /// The message for an empty list, with or without filters.
    pub fn nothing(&self, is_narrowed: bool, t: &Words) -> String {
        t.text(match (self, is_narrowed) {
            (Self::Sessions, false) => "sessions-none",
            (Self::AllSessions, false) => "all-sessions-none",
            (Self::AllTransactions, false) => "all-transactions-none",
            (Self::Sessions | Self::AllSessions, true) => "sessions-none-match",
            (Self::Transactions, false) => "transactions-none",
            (Self::Transactions | Self::AllTransactions, true) => "transactions-none-match",
            (Self::Callbacks, false) => "callbacks-none",
            (Self::Callbacks, true) => "callbacks-none-match",
            (Self::Wallet, false) => "wallet-none",
            (Self::Wallet, true) => "wallet-none-match",
        })
    }

    /// What was searched for without success, and what to try instead.
    pub fn searched(&self, text: &str, t: &Words) -> String {
        let key = match self {
            Self::Sessions | Self::AllSessions => "searched-sessions",
            Self::Transactions | Self::AllTransactions => "searched-transactions",
            Self::Callbacks | Self::Wallet => "searched-callbacks",
        };
        t.with(key, "q", text)
    }

    /// The message about new rows: their number, or that there are more.
    #[must_use]
    pub fn news(self, count: u64, is_all: bool, language: Language) -> String {
        let t = Words { language };
        let key = match self {
            _ if !is_all => return t.count("many-new", &count),
            Self::Wallet => "many-new",
            Self::Sessions | Self::AllSessions => "sessions-new",
            Self::Transactions | Self::AllTransactions => "transactions-new",
            Self::Callbacks => "callbacks-new",
        };
        t.count(key, &count)
    }
}

/// The filters of a list, as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// The search text: an order id or any other id.
    pub q: String,
    /// The search text as the address has it, if that is [encrypted](crate::sealed_search).
    pub customer: String,
    /// The environment's word, in lists of all vendors.
    pub environment: String,
    /// The vendor as typed, a name or an id, in lists of all vendors.
    pub vendor: String,
    /// True if no vendor has this name or id.
    pub wrong_vendor: bool,
    /// True if the encrypted search text cannot be read.
    pub wrong_customer: bool,
    /// One of the list's [choices](List::choices); empty for all.
    pub status: String,
    /// A method's word; empty for all.
    pub method: String,
    /// A currency code, for lists that show one currency at a time.
    pub currency: String,
    pub from: String,
    pub to: String,
    /// True if the first day is invalid.
    pub wrong_from: bool,
    /// True if the last day is invalid, or before the first.
    pub wrong_to: bool,
}

impl ListFilter {
    /// True if any filter other than the currency is set.
    #[must_use]
    pub fn is_any(&self) -> bool {
        let typed = [&self.q, &self.vendor, &self.status, &self.method, &self.from, &self.to];
        typed.iter().any(|text| !text.is_empty())
    }

    /// The address of a list with these filters and more parameters.
    #[must_use]
    pub fn href(&self, path: &str, more: &[(&str, &str)]) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let typed = if self.customer.is_empty() { self.q.as_str() } else { "" };
        let own = [
            ("q", typed),
            (sealed_search::PARAMETER, &self.customer),
            ("env", &self.environment),
            ("vendor", &self.vendor),
            ("status", &self.status),
            ("method", &self.method),
            ("currency", &self.currency),
            ("from", &self.from),
            ("to", &self.to),
        ];
        for (name, value) in own.iter().chain(more).filter(|(_, value)| !value.is_empty()) {
            query.append_pair(name, value);
        }
        let query = query.finish();
        if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
    }

    /// The address of a list with these filters.
    pub fn at(&self, path: &str) -> String {
        self.href(path, &[])
    }

    pub fn is_status(&self, word: &str) -> bool {
        self.status == word
    }

    pub fn is_method(&self, method: &Method) -> bool {
        self.method == method.as_str()
    }

    /// The same list with another status.
    pub fn with_status(&self, list: &List, word: &str) -> String {
        Self { status: word.to_owned(), ..self.clone() }.href(list.path(), &[])
    }

    pub fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let from = self.wrong_from.then(|| Complaint::about("from", t.text("wrong-from")));
        let to = self.wrong_to.then(|| Complaint::about("to", t.text("wrong-to")));
        let vendor = self.wrong_vendor.then(|| Complaint::about("vendor", t.text("deliver-no-vendor")));
        let customer = self.wrong_customer.then(|| Complaint::about("q", t.text("wrong-customer")));
        from.into_iter().chain(to).chain(vendor).chain(customer).collect()
    }

    /// The field of the vendor, in lists of all vendors.
    pub fn vendor_input(&self, t: &Words) -> Input {
        let input = Input::new("vendor", t.text("vendor")).kind("search").value(&self.vendor).max(100);
        input.marked(&self.complaints(t))
    }

    /// The date fields.
    pub fn days(&self, t: &Words) -> [Input; 2] {
        let complaints = self.complaints(t);
        let day = |name, key, value: &str| {
            Input::new(name, t.text(key)).kind("date").value(value).marked(&complaints)
        };
        [day("from", "from-day", &self.from), day("to", "to-day", &self.to)]
    }
}

#[derive(Debug, Clone)]
pub struct Listing<Row> {
    pub narrowed: ListFilter,
    /// Its rows, newest first.
    pub rows: Vec<Row>,
    /// The link to the page of newer rows.
    pub newer: Option<String>,
    /// The link to the page of older rows.
    pub older: Option<String>,
    /// The address that the script polls for the number of new rows.
    pub news: Option<String>,
    /// The first steps, if the vendor never had a row.
    pub start: Option<Start>,
    pub extra: Extra,
}

/// Data that only some lists show.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extra {
    /// The number of undelivered callbacks.
    pub undelivered: UndeliveredCount,
    /// True if the user may send callbacks.
    pub can_send: bool,
    /// True if more orders or products begin with the search text than were searched for.
    pub more_match: bool,
}

impl<Row: HasTime> Listing<Row> {
    /// The period that its rows cover, oldest first.
    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        Some((self.rows.last()?.at(), self.rows.first()?.at()))
    }
}

/// The time that rows are sorted by.
pub trait HasTime {
    fn at(&self) -> Timestamp;
}

/// The first steps for a vendor without sessions.
#[derive(Debug, Clone)]
pub struct Start {
    /// True in the sandbox.
    pub sandbox: bool,
    /// True if the live credentials are not shown before an endpoint check is passed.
    pub live_hidden: bool,
    /// The path of the token endpoint.
    pub tokens: &'static str,
    /// A request that creates a session.
    pub curl: String,
}

#[derive(Debug, Clone)]
pub struct SessionLine {
    pub id: SessionId,
    pub order_id: String,
    /// The name of the item paid for.
    pub product: String,
    pub state: State,
    pub refunded: RefundedPart,
    pub method: Method,
    pub price: Money,
    pub created_at: Timestamp,
    /// The time left, while it is pending.
    pub left: Option<Duration>,
    /// The delivery state of its callback.
    pub delivery: Option<Delivery>,
}

impl HasTime for SessionLine {
    fn at(&self) -> Timestamp {
        self.created_at
    }
}

impl SessionLine {
    /// The word of its badge.
    pub fn badge(&self) -> &'static str {
        badge(self.state.status(), self.refunded)
    }

    /// The seconds left, rounded up.
    pub fn seconds_left(&self) -> Option<u64> {
        self.left.map(|left| left.as_secs() + u64::from(left.subsec_nanos() > 0))
    }

    pub fn reason(&self, t: &Words) -> Option<String> {
        match &self.state {
            State::Failed(reason) => Some(t.failure(reason)),
            _ => None,
        }
    }
}

/// A movement of money in a list.
#[derive(Debug, Clone)]
pub struct TransactionLine {
    pub id: TransactionId,
    /// The time when it was recorded.
    pub at: Timestamp,
    /// The session that it was paid for.
    pub session: SessionId,
    pub order_id: String,
    pub method: Method,
    pub provider: String,
    /// The provider's reference of it.
    pub reference: String,
    /// Its value in the session's currency.
    pub amount: Money,
    /// The amount received, if it was in another unit.
    pub coins: Option<String>,
    /// Marks such as late or partial.
    pub marks: Marks,
}

impl HasTime for TransactionLine {
    fn at(&self) -> Timestamp {
        self.at
    }
}

impl TransactionLine {
    /// Its CSS class, its icon, and the translation key of its word.
    pub fn sign(&self) -> (&'static str, &'static str, &'static str) {
        match self.marks {
            _ if self.amount.minor == 0 => ("warn", "alert", "money-claimed"),
            Marks { reversed: true, .. } => ("failed", "alert", "money-reversed"),
            Marks { late: true, .. } => ("warn", "alert", "money-late"),
            Marks { partial: true, .. } => ("warn", "alert", "money-partial"),
            Marks { over: true, .. } => ("warn", "alert", "money-over"),
            _ => ("paid", "paid", "money-received"),
        }
    }
}

#[derive(Debug, Clone)]
pub struct CallbackLine {
    pub id: EventId,
    /// The time when the event was created.
    pub at: Timestamp,
    /// The session it is about.
    pub session: SessionId,
    pub order_id: String,
    /// `session.paid`, `session.failed` or `session.expired`; `refund.succeeded` or `refund.failed`.
    pub event: String,
    pub delivery: Delivery,
}

impl HasTime for CallbackLine {
    fn at(&self) -> Timestamp {
        self.at
    }
}

/// The delivery state of a callback.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub state: DeliveryState,
    /// The number of the last attempt.
    pub attempts: u32,
    /// The time of the next attempt.
    pub next_at: Option<Timestamp>,
    /// The last answer: the word of the result, and the HTTP status if there was one.
    pub answer: Option<(String, Option<u16>)>,
}

impl Delivery {
    /// The CSS class of its colour.
    pub fn class(&self) -> &'static str {
        match self.state {
            DeliveryState::Queued | DeliveryState::Sending => "pending",
            DeliveryState::Delivered => "paid",
            DeliveryState::Undelivered => "failed",
            DeliveryState::NoTarget => "expired",
        }
    }

    pub fn icon(&self) -> &'static str {
        if self.state == DeliveryState::NoTarget { "off" } else { self.class() }
    }

    /// The translated state.
    pub fn text(&self, t: &Words) -> String {
        match self.state {
            DeliveryState::Queued if self.attempts > 0 => t.text("delivery-retrying"),
            state => t.text(&format!("delivery-{}", state.as_str())),
        }
    }

    /// The last answer, as text.
    pub fn last(&self, t: &Words) -> Option<String> {
        self.answer.as_ref().map(|(result, status)| t.answer(result, *status))
    }

    /// True if one more attempt can be requested.
    pub fn can_send_again(&self) -> bool {
        matches!(self.state, DeliveryState::Delivered | DeliveryState::Undelivered)
    }

    /// True if the next attempt can be made at once.
    pub fn can_send_now(&self) -> bool {
        self.state == DeliveryState::Queued
    }
}

/// The CSS class of a status, which is also its icon.
pub fn status_class(status: Status) -> &'static str {
    status.as_str()
}

/// The word of a session's badge, which is its class, its icon and a part of its key: the status, or how much
/// of a paid session was refunded.
#[must_use]
pub fn badge(status: Status, refunded: RefundedPart) -> &'static str {
    match (status, refunded) {
        (Status::Paid, RefundedPart::Part) => "partly-refunded",
        (Status::Paid, RefundedPart::Whole) => "refunded",
        _ => status.as_str(),
    }
}

impl View for Listing<SessionLine> {
    fn kind(&self) -> &'static str {
        "sessions"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-sessions")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.narrowed.complaints(t)
    }

    template!(head, view: Listing<SessionLine>, "panel/sessions-head.html");

    template!(write, view: Listing<SessionLine>, "panel/sessions.html");
}

impl View for Listing<TransactionLine> {
    fn kind(&self) -> &'static str {
        "transactions"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-transactions")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.narrowed.complaints(t)
    }

    template!(head, view: Listing<TransactionLine>, "panel/transactions-head.html");

    template!(write, view: Listing<TransactionLine>, "panel/transactions.html");
}

impl View for Listing<CallbackLine> {
    fn kind(&self) -> &'static str {
        "callbacks"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-callbacks")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.narrowed.complaints(t)
    }

    template!(head, view: Listing<CallbackLine>, "panel/callbacks-head.html");

    template!(write, view: Listing<CallbackLine>, "panel/callbacks.html");
}
