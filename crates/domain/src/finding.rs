//! Findings: what a provider knows of money besides its payments. A dispute (chargeback), a refund that came
//! back, or a difference between the provider's books and ours. The operator decides; the status that was
//! announced for a session stays.
//!
//! The same finding always has the same [`Finding::subject`] and is entered once, however often it is seen.

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

/// Maximum characters of a note.
const MAX_NOTE: usize = 500;

/// Maximum characters of a subject.
const MAX_SUBJECT: usize = 255;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its unique key: `stripe:du_1`. No two actions have the same.
    pub subject: String,
    /// The description for the operator: how much, why, until when.
    pub note: String,
    /// The amount in the session's currency, if it is known.
    pub amount: Option<Money>,
    /// The time until which the operator has to respond at the provider, if there is one.
    pub due_at: Option<Timestamp>,
}

impl Finding {
    /// A finding. The provider's text is cut to the maximum and put on one line.
    #[must_use]
    pub fn new(subject: &str, note: &str, amount: Option<Money>) -> Self {
        let plain = |text: &str, most: usize| -> String {
            text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect()
        };
        Self { subject: plain(subject, MAX_SUBJECT), note: plain(note, MAX_NOTE), amount, due_at: None }
    }

    /// The same finding with the time until which the operator has to respond.
    #[must_use]
    pub fn due(self, due_at: Option<Timestamp>) -> Self {
        Self { due_at, ..self }
    }

    /// The same finding under a new subject, because this refund, which was decided on, failed.
    #[must_use]
    pub(crate) fn again(&self, refund: RefundId) -> Self {
        let own = self.subject.split_once('/').map_or(self.subject.as_str(), |(own, _)| own);
        Self { subject: format!("{own}/{refund}"), ..self.clone() }
    }
}

/// The value of a part of a payment; `None` if it is in another unit, or worth nothing.
#[must_use]
pub fn worth(amount: &Quantity, money: &Transaction) -> Option<Money> {
    if !amount.same_unit(&money.received) || amount.atoms == 0 {
        return None;
    }
    let part = money.received.with(amount.atoms.min(money.received.atoms));
    Some(part.share(&money.received, money.amount)).filter(|worth| worth.minor > 0)
}

/// A dispute (chargeback): a customer's bank demands a payment back, as the provider reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// The provider's id.
    pub id: String,
    /// The reference of the payment.
    pub payment: Option<String>,
    pub amount: Quantity,
    /// The provider's word for the reason: `fraudulent`, `product_not_received`.
    pub reason: String,
    pub state: DisputeState,
    /// The provider's word for the state, for people.
    pub status: String,
    /// The last moment for evidence.
    pub answer_by: Option<Timestamp>,
}

/// The state of a dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisputeState {
    /// The bank asks, or considers the evidence.
    Open,
    /// The bank waits for evidence.
    NeedsResponse,
    /// It is over, and the money stays.
    Won,
    /// It is over, and the money is gone.
    Lost,
    /// It is over before it cost anything.
    Withdrawn,
}

impl DisputeState {
    fn is_closed(self) -> bool {
        self.cost_nothing() || self == Self::Lost
    }

    fn cost_nothing(self) -> bool {
        matches!(self, Self::Won | Self::Withdrawn)
    }
}

/// The subject of a dispute or a refund of a provider among all findings.
#[must_use]
pub fn subject(provider: &str, id: &str) -> String {
    format!("{provider}:{id}")
}

/// Leaves a dispute of a payment to an operator, who may have decided about it before. A dispute that is over
/// and cost nothing needs no decision, unless the vendor or the operator has borne it; one that was dismissed
/// is entered again if it comes to more than it was then.
#[must_use]
pub fn enter_dispute(
    dispute: &Dispute,
    money: &Transaction,
    decided: Option<Resolution>,
    now: Timestamp,
    event: EventId,
) -> Option<Vec<Change>> {
    let Dispute { id, amount, state, status, .. } = dispute;
    let first = subject(&money.provider, id);
    let again = format!("{first}:{status}");
    let note = dispute_note(dispute, money);
    match decided {
        Some(Resolution::Charge | Resolution::Absorb) if *state == DisputeState::Won => {
            let note = format!("{note}, but the loss is already booked: the money was returned");
            let whose = Some((money.session, money.vendor));
            Some(differs(Finding::new(&again, &note, None), whose, now, event))
        }
        _ if state.cost_nothing() => None,
        _ => {
            let is_more = matches!(state, DisputeState::Lost | DisputeState::NeedsResponse);
            let name = if decided == Some(Resolution::Dismiss) && is_more { again } else { first };
            let finding = Finding::new(&name, &note, worth(amount, money)).due(dispute.due_at());
            Some(disputed(finding, money, now, event))
        }
    }
}

impl Dispute {
    /// The time until which the operator has to respond, while the dispute is open.
    fn due_at(&self) -> Option<Timestamp> {
        self.answer_by.filter(|_| !self.state.is_closed())
    }
}

/// The text about a dispute that an operator reads.
fn dispute_note(dispute: &Dispute, money: &Transaction) -> String {
    let Dispute { id, amount, reason, state, status, .. } = dispute;
    let more = match dispute.due_at() {
        Some(until) => format!("; respond by {until}"),
        None if state.cost_nothing() => "; closed without a loss".to_owned(),
        None => String::new(),
    };
    format!("{} calls it {id}: {amount}, {reason}, {status}{more}", money.provider)
}

/// A customer's bank demands a payment back. Nothing is booked before the operator has decided: the dispute
/// may be won.
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

/// Brings the open action about a dispute up to date; none if nothing has changed.
#[must_use]
pub fn dispute_news(open: &Action, dispute: &Dispute, money: &Transaction) -> Option<Change> {
    let known = open.finding.as_ref().filter(|_| open.kind == ActionKind::Disputed)?;
    let now = Finding::new(&known.subject, &dispute_note(dispute, money), known.amount);
    let due_at = dispute.due_at();
    let has_changed = now.note != known.note || due_at != known.due_at;
    has_changed.then_some(Change::NoteAction { id: open.id, note: now.note, due_at })
}

/// A difference between a provider's books and ours about a payment; `whose` is its session, if that is
/// known.
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

/// A refund that came back: its money is at the provider again. It is late money of the same payment and
/// stays in suspense until the operator has decided whose it is. The refund keeps the state that was reported
/// to the vendor.
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

/// The bookings of a dispute that was lost.
#[derive(Debug, Clone)]
pub struct DisputeBookings {
    /// The changes to commit, without the guards.
    pub changes: Vec<Change>,
    /// The entry that charges the vendor or the operator.
    pub entry: Entry,
}

/// Books a lost dispute: the money leaves the provider's clearing account, as after a reorg, so that it
/// cannot be refunded too, and the vendor or the operator bears it. `None` if nothing was lost, or the amount
/// is unknown.
#[must_use]
pub fn bear(
    action: &Action,
    payment: &Transaction,
    resolution: Resolution,
    now: Timestamp,
    event: EventId,
) -> Option<DisputeBookings> {
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
    Some(DisputeBookings { changes, entry })
}
