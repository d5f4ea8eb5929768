//! An order of the shop, and what a report about its payment may change.
//!
//! No database and no network. A status only moves forward: an order that is paid stays paid, whatever
//! arrives later or twice.

use crate::{environment::Environment, report::PaymentReport};
use serde::{Deserialize, Serialize};

/// The alphabet of order numbers: no letter is mistaken for another.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// No payment session yet.
    New,
    /// The customer can pay.
    Pending,
    Paid,
    Failed,
    /// Not paid in time.
    Expired,
}

impl Status {
    const ALL: [Self; 5] = [Self::New, Self::Pending, Self::Paid, Self::Failed, Self::Expired];

    /// Its name in the database and in the keys of texts.
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Pending => "pending",
            Self::Paid => "paid",
            Self::Failed => "failed",
            Self::Expired => "expired",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    /// True if no other status follows it.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Paid | Self::Failed | Self::Expired)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Its number, which cannot be guessed: it is all that opens the order's page.
    pub id: String,
    /// The environment in which it is paid.
    pub environment: Environment,
    /// The catalogue's key of the item.
    pub item: String,
    /// The item's name as the customer saw it.
    pub product_name: String,
    /// The price, in exact digits.
    pub price: String,
    /// ISO 4217.
    pub currency: String,
    pub status: Status,
    /// Why the payment failed.
    pub reason: Option<String>,
    /// The payment method.
    pub method: Option<String>,
    pub session_id: Option<String>,
    /// The page where the customer pays.
    pub session_url: Option<String>,
    /// Why there is no session, or why its status is not known any more.
    pub trouble: Option<CallError>,
    /// True if the API itself named the final status, in answer to a status query.
    pub confirmed: bool,
    /// True if a callback reported the final status.
    pub called_back: bool,
    /// When the API was last queried, in Unix milliseconds.
    pub asked_at_ms: i64,
    /// When it was placed.
    pub created_at_ms: i64,
    /// When its status last changed.
    pub updated_at_ms: i64,
    /// The total of its refunds, in exact digits.
    pub refunded: Option<String>,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallError {
    /// The kind, which selects the text of the page.
    pub kind: TroubleKind,
    /// The API's message, for developers.
    pub detail: String,
    /// Seconds after which a retry is worthwhile.
    pub retry_after: Option<u64>,
}

/// Kinds of trouble that a shop handles differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TroubleKind {
    /// No answer at all.
    Unreachable,
    /// Overload or a rate limit: 429 or 503.
    Busy,
    /// The request was refused.
    Refused,
    /// The shop's own credentials are not valid any more.
    Credentials,
    /// An answer that cannot be read.
    Unreadable,
}

/// Why a report is not believed. A person has to look at it; a retry does not change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disagreement {
    /// It is about another order.
    Order,
    /// It is about a session that the shop did not open for this order.
    Session,
    Price,
    Currency,
    /// Another final status than the one that is already there.
    Status,
}

impl Disagreement {
    /// Its name in journal notes.
    pub fn word(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Session => "session",
            Self::Price => "price",
            Self::Currency => "currency",
            Self::Status => "status",
        }
    }
}

impl Order {
    /// Applies a report, if it is about this order and this amount.
    pub fn believe(&mut self, report: &PaymentReport, now_ms: i64) -> Result<(), Disagreement> {
        self.compare(report)?;
        if report.is_refund() {
            self.note_refund(report.refunded_total.as_deref(), now_ms);
            return Ok(());
        }
        if report.is_for_a_person() {
            return Ok(());
        }
        // A callback may be faster than the answer to the call that opened the session.
        self.session_id.get_or_insert_with(|| report.session_id.clone());
        let forward =
            if report.status.is_final() { !self.status.is_final() } else { self.status == Status::New };
        if forward {
            self.status = report.status;
            self.trouble = None;
            self.updated_at_ms = now_ms;
        }
        if self.status == report.status {
            self.reason = self.reason.take().or_else(|| report.failure_reason.clone());
            self.method = self.method.take().or_else(|| report.payment_method.clone());
        }
        Ok(())
    }

    /// Notes the total of all refunds. Two events may arrive in the wrong order, so a smaller total is ignored.
    fn note_refund(&mut self, total: Option<&str>, now_ms: i64) {
        let known = self.refunded.as_deref().unwrap_or("0");
        if let Some(total) = total.filter(|total| decimal(total) > decimal(known)) {
            self.refunded = Some(total.to_owned());
            self.updated_at_ms = now_ms;
        }
    }

    /// The word of its status as the customer sees it: a paid order may have been refunded since.
    pub fn shown_status(&self) -> &'static str {
        match &self.refunded {
            Some(total) if self.status == Status::Paid && decimal(total) >= decimal(&self.price) => {
                "refunded"
            }
            Some(_) if self.status == Status::Paid => "partly-refunded",
            _ => self.status.word(),
        }
    }

    fn compare(&self, report: &PaymentReport) -> Result<(), Disagreement> {
        let same_session = self.session_id.as_ref().is_none_or(|id| *id == report.session_id);
        let contradicts = self.status.is_final() && report.status.is_final() && self.status != report.status;
        let checks = [
            (self.id == report.order_id, Disagreement::Order),
            (same_session, Disagreement::Session),
            (same_amount(&self.price, &report.price), Disagreement::Price),
            (self.currency == report.currency, Disagreement::Currency),
            (!contradicts, Disagreement::Status),
        ];
        checks.into_iter().find(|(agrees, _)| !agrees).map_or(Ok(()), |(_, disagreement)| Err(disagreement))
    }

    /// True if nothing new is expected: the API and a callback have both reported the final status.
    pub fn is_settled(&self) -> bool {
        self.status.is_final() && self.confirmed && self.called_back
    }
}

/// A new order number, such as `B-7F3K-9QXM`.
pub fn new_id(random: [u8; 8]) -> String {
    let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
    let (one, two) = random.split_at(4);
    format!("B-{}-{}", one.iter().map(letter).collect::<String>(), two.iter().map(letter).collect::<String>())
}

/// True if two texts are the same decimal: `49.9` is `49.90`, and nothing is rounded.
fn same_amount(one: &str, other: &str) -> bool {
    decimal(one).is_some() && decimal(one) == decimal(other)
}

/// A decimal in parts that compare as the number does: the length of the whole part, that part, the fraction.
fn decimal(text: &str) -> Option<(usize, String, String)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let plain = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let usable = !whole.is_empty() && plain(whole) && plain(fraction);
    let whole = whole.trim_start_matches('0');
    usable.then(|| (whole.len(), whole.to_owned(), fraction.trim_end_matches('0').to_owned()))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn order() -> Order {
        Order {
            id: "B-TEST-0001".to_owned(),
            environment: Environment::Sandbox,
            item: "atlas".to_owned(),
            product_name: "Atlas".to_owned(),
            price: "4990.00".to_owned(),
            currency: "RUB".to_owned(),
            status: Status::Pending,
            reason: None,
            method: None,
            session_id: Some("s-1".to_owned()),
            session_url: Some("http://till.example/session/s-1".to_owned()),
            trouble: None,
            confirmed: false,
            called_back: false,
            asked_at_ms: 0,
            created_at_ms: 0,
            updated_at_ms: 0,
            refunded: None,
        }
    }

    pub fn report(status: Status) -> PaymentReport {
        PaymentReport {
            event: Some(format!("session.{status:?}").to_lowercase()),
            event_id: Some("e-1".to_owned()),
            session_id: "s-1".to_owned(),
            order_id: "B-TEST-0001".to_owned(),
            status,
            price: "4990.00".to_owned(),
            currency: "RUB".to_owned(),
            failure_reason: None,
            payment_method: Some("card".to_owned()),
            refunded_total: None,
        }
    }

    fn refund(total: &str) -> PaymentReport {
        let (event, total) = (Some("refund.succeeded".to_owned()), Some(total.to_owned()));
        PaymentReport { event, refunded_total: total, ..report(Status::Paid) }
    }

    #[test]
    fn a_refund_is_noted_and_pays_nothing() {
        let mut order = Order { status: Status::Pending, ..order() };
        order.believe(&refund("500.00"), 1).expect("believed");
        assert_eq!((order.status, order.shown_status()), (Status::Pending, "pending"));
        order.believe(&report(Status::Paid), 1).expect("believed");
        assert_eq!(order.shown_status(), "partly-refunded");
        for (total, kept, word) in [
            ("1500.00", "1500.00", "partly-refunded"),
            ("500.00", "1500.00", "partly-refunded"),
            ("990.00", "1500.00", "partly-refunded"),
            ("4990.00", "4990.00", "refunded"),
            ("0.00", "4990.00", "refunded"),
        ] {
            order.believe(&refund(total), 1).expect("believed");
            assert_eq!((order.refunded.as_deref(), order.shown_status()), (Some(kept), word), "{total}");
        }
        let failed = PaymentReport { event: Some("refund.failed".to_owned()), ..refund("0.00") };
        let mut paid = Order { status: Status::Paid, ..self::order() };
        paid.believe(&failed, 1).expect("believed");
        assert_eq!((paid.refunded.clone(), paid.shown_status()), (None, "paid"));
    }

    #[test]
    fn a_dispute_and_other_money_change_no_status() {
        for event in ["payment.late", "payment.partial", "payment.over", "payment.resolved", "dispute.opened"]
        {
            let mut order = Order { status: Status::Pending, ..order() };
            let told = PaymentReport { event: Some(event.to_owned()), ..report(Status::Paid) };
            order.believe(&told, 1).expect("believed");
            assert_eq!(order.status, Status::Pending, "{event} ships nothing");
        }
    }

    fn check(steps: &[Status], last: Status) {
        let mut order = Order { status: Status::New, ..order() };
        for status in steps {
            let _ = order.believe(&report(*status), 1);
        }
        assert_eq!(order.status, last, "{steps:?}");
    }

    #[test]
    fn a_status_goes_forward_and_never_back() {
        use Status::{Expired, Failed, Paid, Pending};
        check(&[Pending], Pending);
        check(&[Pending, Paid], Paid);
        check(&[Paid], Paid);
        check(&[Paid, Pending], Paid);
        check(&[Paid, Failed], Paid);
        check(&[Failed, Paid], Failed);
        check(&[Expired, Paid, Pending], Expired);
        let mut paid = Order { status: Paid, ..order() };
        assert_eq!(paid.believe(&report(Failed), 1), Err(Disagreement::Status));
    }

    #[test]
    fn a_report_about_something_else_changes_nothing() {
        let paid = || report(Status::Paid);
        for (wrong, what) in [
            (PaymentReport { order_id: "B-0000-0000".to_owned(), ..paid() }, Disagreement::Order),
            (PaymentReport { session_id: "s-2".to_owned(), ..paid() }, Disagreement::Session),
            (PaymentReport { price: "4990.01".to_owned(), ..paid() }, Disagreement::Price),
            (PaymentReport { price: "49.90".to_owned(), ..paid() }, Disagreement::Price),
            (PaymentReport { currency: "USD".to_owned(), ..paid() }, Disagreement::Currency),
        ] {
            let mut order = order();
            assert_eq!(order.believe(&wrong, 1), Err(what));
            assert_eq!((order.status, order.method), (Status::Pending, None));
        }
    }

    #[test]
    fn a_callback_before_the_answer_to_create_names_the_session() {
        let mut early = Order { status: Status::New, session_id: None, ..order() };
        early.believe(&report(Status::Paid), 1).expect("believed");
        assert_eq!((early.status, early.session_id.as_deref()), (Status::Paid, Some("s-1")));
    }

    #[test]
    fn the_reason_may_come_after_the_status() {
        let mut order = order();
        order.believe(&report(Status::Failed), 1).expect("believed");
        let reason = Some("card_declined".to_owned());
        order
            .believe(&PaymentReport { failure_reason: reason.clone(), ..report(Status::Failed) }, 2)
            .expect("believed");
        assert_eq!((order.reason, order.updated_at_ms), (reason, 1));
    }

    #[test]
    fn amounts_are_compared_as_decimals() {
        for (one, other, same) in [
            ("49.90", "49.9", true),
            ("49.00", "49", true),
            ("049", "49.0", true),
            ("0.5", ".5", false),
            ("49.90", "49.91", false),
            ("49.90", "499.0", false),
            ("1e2", "100", false),
            ("", "", false),
        ] {
            assert_eq!(same_amount(one, other), same, "{one} {other}");
        }
    }

    #[test]
    fn order_numbers_differ_and_can_be_read_aloud() {
        let (one, other) = (new_id([1; 8]), new_id([2; 8]));
        assert_ne!(one, other);
        assert!(one.starts_with("B-") && one.len() == 11, "{one}");
    }
}
