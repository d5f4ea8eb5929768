//! The list of things that a decision wants done to payment data. The store commits a list as a whole,
//! or none of it.
//!
//! Changes with a guard come first in their list: when a guard finds that somebody else was quicker, nothing
//! of the list is done.

use crate::{
    attempt::Attempt,
    callback::CallbackEvent,
    delivery::{AttemptRecord, DeliveryState},
    dispatch::{Dispatch, DispatchKind, DispatchState},
    hash_chain::Seal,
    id::{ActionId, EntryId, EventId, PayoutId, SessionId, VendorId},
    ledger::{Carried, Entry, Settlement},
    method::{Clocks, Method},
    money::Currency,
    payout::{Payout, PayoutStep},
    receipt::Receipt,
    refund::Refund,
    session::{Outcome, Plan, Session},
    time::Timestamp,
    transaction::{Action, Resolution, Transaction},
};

/// What a customer does at a session's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VisitKind {
    /// They look at it.
    Opened,
    /// They leave it for the shop.
    Returned,
}

impl VisitKind {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Returned => "returned",
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Opened, Self::Returned].into_iter().find(|kind| kind.as_str() == word)
    }
}

/// One thing to do to payment data.
#[derive(Debug, Clone)]
pub enum Change {
    /// Guarded: remembers an idempotency key unless it is already in use.
    RememberKey(RememberedKey),
    /// Guarded: forgets keys that are past their day, at most `limit` of them.
    ForgetKeys {
        /// Keys remembered at or before this moment.
        before: Timestamp,
        /// How many at once.
        limit: u32,
    },
    /// Guarded: deletes old visits, at most `limit` of them.
    ForgetVisits {
        /// Visits before this moment.
        before: Timestamp,
        /// How many at once.
        limit: u32,
    },
    /// Guarded: clears the recipients of mails about payments that ended long ago, at most `limit` of them.
    ClearRecipients {
        /// Mails that ended before this moment.
        before: Timestamp,
        /// How many at once.
        limit: u32,
    },
    /// Deletes a session that has ended, with everything that belongs to it. Only the sandbox's store can: live refuses.
    DeleteSession {
        id: SessionId,
    },
    InsertSession(Box<Session>),
    /// Guarded: gives a pending session its final status.
    FinishSession {
        id: SessionId,
        /// What became of it.
        outcome: Outcome,
        /// When, by its own clock.
        at: Timestamp,
        /// The moment at which the session was due: the change loses to a commit that moved it. Money, and what a tester
        /// says, end a session whenever it is due.
        was_due_at: Option<Timestamp>,
    },
    /// Guarded: stores what shall become of a pending session later.
    PlanOutcome {
        id: SessionId,
        plan: Plan,
        /// When the session next needs attention.
        due_at: Timestamp,
        /// When it did as it was read. It loses to whoever moved that moment.
        was_due_at: Timestamp,
    },
    /// Guarded: makes a method the one that counts, and keeps the session open for an attempt.
    ChooseMethod {
        id: SessionId,
        /// The method chosen now.
        method: Method,
        clocks: Clocks,
        /// Until when it is kept open.
        held_until: Option<Timestamp>,
        /// When the session next needs attention.
        due_at: Timestamp,
        /// When it did as it was read. It loses to whoever moved that moment.
        was_due_at: Timestamp,
    },
    /// Guarded: keeps a pending session open for an attempt, or no longer.
    HoldSession {
        id: SessionId,
        held_until: Option<Timestamp>,
        /// When the session next needs attention.
        due_at: Timestamp,
        /// When it did as it was read. It loses to whoever moved that moment.
        was_due_at: Timestamp,
    },
    /// Guarded: adds an attempt, unless its session has an active one.
    InsertAttempt(Box<Attempt>),
    /// Guarded: an attempt as it is now, unless somebody else has changed it.
    MoveAttempt {
        attempt: Box<Attempt>,
        /// Its version when it was read.
        was: i64,
        /// Whether a customer would see the difference.
        news: bool,
    },
    /// Guarded: says what was decided about something, once.
    ResolveAction {
        id: ActionId,
        resolution: Resolution,
        at: Timestamp,
        by: String,
    },
    /// Guarded: updates the note of an open dispute. Lost if an operator has resolved it.
    NoteAction {
        id: ActionId,
        /// What a person reads of it.
        note: String,
    },
    /// Guarded: notes that a person is told of a transfer on a chain, unless somebody was or it is gone.
    TellOfTransfer {
        chain: u64,
        /// What names the transfer there.
        reference: String,
        /// The address that it came to.
        address: String,
    },
    /// Adds a movement of money.
    RecordTransaction(Box<Transaction>),
    /// Adds something that a person has to decide. Guarded if it was found at a provider: nobody is told twice of the same
    /// finding, whatever was decided about it.
    NeedAction(Box<Action>),
    /// Moves money between a vendor's accounts.
    PostEntry(Box<Entry>),
    /// Says when what an entry brought becomes available.
    ScheduleSettlement(Settlement),
    /// Guarded: what an entry brought is no longer pending.
    SettleEntry {
        entry: EntryId,
    },
    /// Guarded: takes money from a vendor, unless somebody else has taken some since it was counted.
    TakeFromWallet {
        vendor: VendorId,
        currency: Currency,
        /// The wallet's version, read before its balance was.
        was: i64,
    },
    /// Guarded: adds a refund, unless somebody else has added one of the same payment since they were counted.
    InsertRefund(Box<Refund>),
    /// Guarded: a refund as it is now, unless somebody else has changed it.
    MoveRefund {
        refund: Box<Refund>,
        /// Its version when it was read.
        was: i64,
    },
    /// Gives an entry its place in history. The store refuses a number that is not the next, and a second place.
    SealEntry {
        id: EntryId,
        seal: Seal,
    },
    /// Adds what sealed entries changed to the balance that is carried for an account.
    CarryBalance(Carried),
    /// Writes a payout down that a vendor asks for. [`TakeFromWallet`](Self::TakeFromWallet) comes before it.
    AskPayout(Box<Payout>),
    /// Guarded: takes the next step of a payout, unless somebody else has taken it.
    MovePayout {
        id: PayoutId,
        step: Box<PayoutStep>,
    },
    /// Guarded: the rest of the list is done only while a lease is held with this fence.
    HoldLease {
        name: &'static str,
        /// The fence that came with it.
        fence: i64,
    },
    /// Adds a line to a session's history.
    Record(HistoryEntry),
    /// Notes that a customer was there, unless enough is known of this session: see [`visit`](crate::visit).
    NoteVisit {
        /// At the page of this session.
        session: SessionId,
        kind: VisitKind,
        at: Timestamp,
    },
    /// Adds a callback to send.
    QueueCallback(Box<CallbackEvent>),
    QueueReceipt(Box<Receipt>),
    /// Adds a mail to send. A vendor that has just been told of callbacks that do not arrive is told later, and
    /// one that is going to be is not told twice.
    QueueDispatch(Box<Dispatch>),
    /// Guarded: takes a mail that nobody has taken since it was read.
    TakeDispatch {
        /// What it is about.
        about: [u8; 16],
        kind: DispatchKind,
        /// The fence that was read; it rises by one.
        fence: i64,
        /// When somebody else goes on if nothing more is heard.
        due_at: Timestamp,
    },
    /// Guarded: says where a mail stands after an attempt, unless somebody else has taken it meanwhile.
    EndDispatch {
        /// What it is about.
        about: [u8; 16],
        kind: DispatchKind,
        /// The fence of the attempt.
        fence: i64,
        state: DispatchState,
        /// When the next attempt is made.
        due_at: Option<Timestamp>,
        /// When it was sent or given up.
        ended_at: Option<Timestamp>,
        /// What went wrong, in a word of ours.
        error: Option<&'static str>,
    },
    /// Guarded: takes an event that nobody has taken since it was read.
    BeginAttempt {
        id: EventId,
        /// The fence that was read; it rises by one.
        fence: i64,
        number: u32,
        at: Timestamp,
        /// When somebody else goes on if nothing more is heard.
        due_at: Timestamp,
    },
    /// Guarded: says where an event stands after an attempt, unless somebody else has taken it meanwhile.
    EndAttempt {
        id: EventId,
        /// The fence of the attempt.
        fence: i64,
        state: DeliveryState,
        /// When the next attempt is made.
        due_at: Option<Timestamp>,
        /// When the vendor had it.
        delivered_at: Option<Timestamp>,
    },
    /// Guarded: gives back an attempt that was taken and surely not sent, so that its number is used again.
    ReturnAttempt {
        id: EventId,
        /// The fence of the attempt.
        fence: i64,
        number: u32,
        /// When the attempt before it started.
        started_at: Option<Timestamp>,
        /// When the attempt is due again.
        due_at: Timestamp,
    },
    /// Adds a line about an attempt.
    RecordAttempt(AttemptRecord),
    /// Guarded: makes the next attempt of an event due at once.
    Hasten {
        id: EventId,
        at: Timestamp,
    },
    /// Guarded: asks for one more attempt of an event that is delivered or undelivered.
    Resend {
        id: EventId,
        at: Timestamp,
        /// The number that the attempt's is above.
        attempts: u32,
    },
}

impl Change {
    /// What it means for the caller when the change's guard finds nothing to change.
    #[must_use]
    pub fn guard(&self) -> Option<Guard> {
        match self {
            Self::RememberKey(_) => Some(Guard::KeyTaken),
            Self::ForgetKeys { .. } | Self::ForgetVisits { .. } | Self::ClearRecipients { .. } => {
                Some(Guard::NothingToForget)
            }
            Self::FinishSession { .. }
            | Self::PlanOutcome { .. }
            | Self::ChooseMethod { .. }
            | Self::HoldSession { .. } => Some(Guard::NotPending),
            Self::InsertAttempt(_) => Some(Guard::AttemptActive),
            Self::MoveAttempt { .. } => Some(Guard::AttemptMoved),
            Self::ResolveAction { .. } | Self::NoteAction { .. } => Some(Guard::Resolved),
            Self::TellOfTransfer { .. } => Some(Guard::Told),
            Self::NeedAction(action) => action.finding.as_ref().map(|_| Guard::Found),
            Self::SettleEntry { .. } => Some(Guard::Settled),
            Self::TakeFromWallet { .. } => Some(Guard::WalletMoved),
            Self::MovePayout { .. } => Some(Guard::PayoutMoved),
            Self::InsertRefund(_) | Self::MoveRefund { .. } => Some(Guard::RefundMoved),
            Self::HoldLease { .. }
            | Self::BeginAttempt { .. }
            | Self::EndAttempt { .. }
            | Self::ReturnAttempt { .. }
            | Self::TakeDispatch { .. }
            | Self::EndDispatch { .. } => Some(Guard::LeaseLost),
            Self::Resend { .. } | Self::Hasten { .. } => Some(Guard::NotResendable),
            Self::InsertSession(_)
            | Self::DeleteSession { .. }
            | Self::Record(_)
            | Self::NoteVisit { .. }
            | Self::QueueCallback(_)
            | Self::QueueReceipt(_)
            | Self::QueueDispatch(_)
            | Self::RecordAttempt(_)
            | Self::RecordTransaction(_)
            | Self::PostEntry(_)
            | Self::AskPayout(_)
            | Self::ScheduleSettlement(_)
            | Self::SealEntry { .. }
            | Self::CarryBalance(_) => None,
        }
    }

    /// The method, clocks and end that a session has now, instead of what was read.
    pub(crate) fn choose_method(session: &Session, was: &Session) -> Self {
        Self::ChooseMethod {
            id: session.id,
            method: session.methods.chosen,
            clocks: session.methods.clocks,
            held_until: session.held_until,
            due_at: session.due_at(),
            was_due_at: was.due_at(),
        }
    }

    /// The end that a session has now, instead of what was read.
    pub(crate) fn hold_session(session: &Session, was: &Session) -> Self {
        Self::HoldSession {
            id: session.id,
            held_until: session.held_until,
            due_at: session.due_at(),
            was_due_at: was.due_at(),
        }
    }
}

/// Why a guarded change was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The idempotency key is in use.
    KeyTaken,
    /// No key is past its day.
    NothingToForget,
    /// The session already has its final status.
    NotPending,
    /// Another node has taken the work over.
    LeaseLost,
    /// The event is on its way, or has no address.
    NotResendable,
    /// The session has an active attempt.
    AttemptActive,
    /// Somebody else has changed the attempt.
    AttemptMoved,
    /// It was decided before, or is not there.
    Resolved,
    /// It was settled before.
    Settled,
    /// Somebody else has taken money from the wallet.
    WalletMoved,
    /// A payout has taken this step, or another, before.
    PayoutMoved,
    /// Somebody else has refunded some of the payment, or changed the refund.
    RefundMoved,
    /// A person was told of the transfer before, or it is gone.
    Told,
    /// A person was told of what was found before.
    Found,
}

/// An idempotency key with what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberedKey {
    pub vendor: VendorId,
    pub key: String,
    /// A hash of the request's JSON value.
    pub fingerprint: [u8; 32],
    /// What was made: a session or a refund.
    pub made: [u8; 16],
    pub at: Timestamp,
    /// Keys remembered at or before this moment no longer count.
    pub forget_before: Timestamp,
}

/// A line of a session's history: what happened to it between its creation and its end, which the session
/// itself tells. Never changed, never removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    pub session: SessionId,
    pub at: Timestamp,
    pub kind: HistoryKind,
    /// More about it, for people.
    pub detail: Option<String>,
}

/// What a line of history tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryKind {
    /// A method was chosen and an attempt begun; the detail is the method, and where.
    MethodChosen,
    /// Money came after the session was final; the detail is how much.
    MoneyLate,
    /// Less money came than was asked for; the detail is how much.
    MoneyPartial,
    /// Money that had come was taken back; the detail is how much.
    MoneyReversed,
    /// A tester planned an outcome; the detail says which and when.
    OutcomePlanned,
    /// The customer was warned that the order was paid before, and confirmed to pay again.
    RepeatConfirmed,
}

impl HistoryKind {
    /// The word that a store keeps.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MethodChosen => "method_chosen",
            Self::MoneyLate => "money_late",
            Self::MoneyPartial => "money_partial",
            Self::MoneyReversed => "money_reversed",
            Self::OutcomePlanned => "outcome_planned",
            Self::RepeatConfirmed => "repeat_confirmed",
        }
    }
}
