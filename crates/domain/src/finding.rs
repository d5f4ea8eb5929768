//! What a provider knows of money beyond its payments: somebody demands it back, a refund came back, or its books say
//! something else than ours. A person decides; what was said about a session stays.
//!
//! The same finding has the same [`Finding::subject`], whoever hears of it and however often, and is entered once.

use crate::{
    attempt::Quantity,
    change::{Change, HistoryEntry, HistoryKind},
    id::{EntryId, EventId, RefundId, SessionId, VendorId},
    ledger::{self, Entry},
    money::Money,
    refund::Refund,
    time::Timestamp,
    transaction::{Action, ActionKind, Marks, Resolution, Transaction},
};

/// The most characters of a note.
const MAX_NOTE: usize = 500;

/// The most characters of a subject.
const MAX_SUBJECT: usize = 255;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What names it among all: `stripe:du_1`. No two entries have the same.
    pub subject: String,
    /// What it is, for people: how much, why, until when.
    pub note: String,
    /// How much it is about in the session's currency, if that can be said.
    pub amount: Option<Money>,
}

impl Finding {
    /// A finding. Whatever a provider wrote is cut, and is one line.
    #[must_use]
    pub fn new(subject: &str, note: &str, amount: Option<Money>) -> Self {
        let plain = |text: &str, most: usize| -> String {
            text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect()
        };
        Self { subject: plain(subject, MAX_SUBJECT), note: plain(note, MAX_NOTE), amount }
    }

    /// The same once more, because what was decided about it could not be done by this refund.
    #[must_use]
    pub(crate) fn again(&self, refund: RefundId) -> Self {
        let own = self.subject.split_once('/').map_or(self.subject.as_str(), |(own, _)| own);
        Self { subject: format!("{own}/{refund}"), ..self.clone() }
    }
}

/// What so much of what a payment brought is worth; nothing if it counts another thing.
#[must_use]
pub fn worth(amount: &Quantity, money: &Transaction) -> Option<Money> {
    if !amount.same_unit(&money.received) || amount.atoms == 0 {
        return None;
    }
    let part = money.received.with(amount.atoms.min(money.received.atoms));
    Some(part.share(&money.received, money.amount)).filter(|worth| worth.minor > 0)
}

/// A customer's bank demands a payment back. Nothing is booked before somebody has decided: it may be won.
#[must_use]
pub fn disputed(finding: Finding, money: &Transaction, now: Timestamp, event: EventId) -> Vec<Change> {
    let action = Action {
        id: event.into(),
        kind: ActionKind::Disputed,
        session: Some(money.session),
        vendor: Some(money.vendor),
        transaction: Some(money.id),
        finding: Some(finding),
        at: now,
    };
    vec![Change::NeedAction(Box::new(action))]
}

/// What a provider says now about a dispute that nobody has decided about; nothing if that is known.
#[must_use]
pub fn dispute_news(open: &Action, note: &str) -> Option<Change> {
    let known = open.finding.as_ref().filter(|_| open.kind == ActionKind::Disputed)?;
    let now = Finding::new(&known.subject, note, known.amount);
    (now.note != known.note).then_some(Change::NoteAction { id: open.id, note: now.note })
}

/// A provider's books and ours do not say the same about a payment, of this session if anybody here knows it.
#[must_use]
pub fn differs(
    finding: Finding,
    whose: Option<(SessionId, VendorId)>,
    now: Timestamp,
    event: EventId,
) -> Vec<Change> {
    let action = Action {
        id: event.into(),
        kind: ActionKind::Difference,
        session: whose.map(|(session, _)| session),
        vendor: whose.map(|(_, vendor)| vendor),
        transaction: None,
        finding: Some(finding),
        at: now,
    };
    vec![Change::NeedAction(Box::new(action))]
}

/// Money that had gone back to a customer is at the provider again. It is late money of the same payment: it waits in
/// suspense until somebody has decided whose it is. The refund stays what the vendor was told.
#[must_use]
pub fn refund_lost(
    finding: Finding,
    refund: &Refund,
    payment: &Transaction,
    now: Timestamp,
    event: EventId,
) -> Vec<Change> {
    let money = Transaction {
        id: event.into(),
        amount: refund.amount,
        received: refund.amount.into(),
        marks: Marks { late: true, ..Marks::default() },
        at: now,
        ..payment.clone()
    };
    let action = Action {
        id: event.into(),
        kind: ActionKind::RefundLost,
        session: Some(refund.session),
        vendor: Some(refund.vendor),
        transaction: Some(money.id),
        finding: Some(finding),
        at: now,
    };
    let history = HistoryEntry {
        session: refund.session,
        at: now,
        kind: HistoryKind::MoneyLate,
        detail: Some(money.received.to_string()),
    };
    let entry = ledger::held(&money, refund.amount, EntryId::from(event));
    vec![
        Change::NeedAction(Box::new(action)),
        Change::RecordTransaction(Box::new(money)),
        Change::PostEntry(Box::new(entry)),
        Change::Record(history),
    ]
}

/// What a decision about a dispute moves.
#[derive(Debug, Clone)]
pub struct Borne {
    /// What to commit, without the guards.
    pub changes: Vec<Change>,
    /// What whoever bears it pays.
    pub entry: Entry,
}

/// Somebody bears what a bank demands back: it is gone from where it came to, as what a chain takes back is, and so it
/// cannot be refunded too. Nothing if nothing was lost, or nobody knows how much.
#[must_use]
pub fn bear(
    action: &Action,
    payment: &Transaction,
    resolution: Resolution,
    now: Timestamp,
    event: EventId,
) -> Option<Borne> {
    let bears = matches!(resolution, Resolution::Charge | Resolution::Absorb);
    let amount = action.amount().filter(|_| bears && action.kind == ActionKind::Disputed)?;
    let money = Transaction {
        id: event.into(),
        amount,
        received: amount.into(),
        marks: Marks { reversed: true, ..Marks::default() },
        at: now,
        ..payment.clone()
    };
    let gone = ledger::reversal(&money, EntryId::from(event));
    let entry = ledger::decide(&gone, (resolution, false), action.id, gone.id().beside(), now)?;
    let history = HistoryEntry {
        session: payment.session,
        at: now,
        kind: HistoryKind::MoneyReversed,
        detail: Some(money.received.to_string()),
    };
    let changes = vec![
        Change::RecordTransaction(Box::new(money)),
        Change::PostEntry(Box::new(gone)),
        Change::PostEntry(Box::new(entry.clone())),
        Change::Record(history),
    ];
    Some(Borne { changes, entry })
}
