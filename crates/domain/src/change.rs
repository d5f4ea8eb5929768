//! The list of writes to payment data that a decision asks for. The store commits a list as a whole, or none
//! of it.
//!
//! Changes with a guard come first in their list: when a guard finds that another commit was faster, nothing
//! of the list is done.

use crate::{
    attempt::Attempt,
    callback::CallbackEvent,
    chain::{Address, ChainId},
    delivery::{AttemptRecord, AttemptResult, DeliveryState, ReceiverResponse, Requester},
    dispatch::{Dispatch, DispatchKind, DispatchState},
    fiscal::{
        FiscalReceipt, ReceiptStatus,
        registration::{FiscalSending, SecondReceipt},
    },
    hash_chain::Seal,
    id::{ActionId, EntryId, EventId, FiscalReceiptId, PayoutId, SessionId, VendorId},
    ledger::{BalanceChange, Entry, Settlement},
    method::{Clocks, Method},
    misdelivery::{ChosenFor, DeliveryChoice, PlannedFault},
    money::Currency,
    payout::{Payout, PayoutStep},
    receipt::Receipt,
    refund::Refund,
    session::{Outcome, Plan, Session},
    time::Timestamp,
    transaction::{Action, ActionNote, Resolution, Transaction},
};

/// What a customer did on a session's checkout page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VisitKind {
    /// The customer opened it.
    Opened,
    /// The customer left it for the shop.
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

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Opened, Self::Returned].into_iter().find(|kind| kind.as_str() == word)
    }
}

/// One write to payment data.
#[derive(Debug, Clone)]
pub enum Change {
    /// Guarded: stores an idempotency key unless it is already in use.
    RememberKey(RememberedKey),
    /// Guarded: prunes expired idempotency keys, at most `limit` of them.
    ForgetKeys {
        /// Keys that were stored at or before this moment.
        before: Timestamp,
        /// Maximum rows in one commit.
        limit: u32,
    },
    /// Guarded: prunes old visits, at most `limit` of them.
    ForgetVisits {
        /// Visits before this moment.
        before: Timestamp,
        /// Maximum rows in one commit.
        limit: u32,
    },
    /// Guarded: clears the recipients of payment mails that were sent or given up long ago, at most `limit`
    /// of them.
    ClearRecipients {
        /// Mails that ended before this moment.
        before: Timestamp,
        /// Maximum rows in one commit.
        limit: u32,
    },
    /// Deletes a session that has ended, with everything that belongs to it. Only in the sandbox: the live
    /// store refuses.
    DeleteSession {
        id: SessionId,
    },
    InsertSession(Box<Session>),
    /// Guarded: gives a pending session its final status.
    FinishSession {
        id: SessionId,
        outcome: Outcome,
        /// When it took effect, by the session's own clock.
        at: Timestamp,
        /// The due moment as it was read (compare-and-set): the change is lost if another commit moved it.
        /// `None` for money and for a tester's outcome, which end a session whenever it is due.
        was_due_at: Option<Timestamp>,
    },
    /// Guarded: stores an outcome that a pending session gets later.
    PlanOutcome {
        id: SessionId,
        plan: Plan,
        /// When the session next needs attention.
        due_at: Timestamp,
        /// `due_at` as it was read (compare-and-set): the change is lost if another commit moved it.
        was_due_at: Timestamp,
    },
    /// Guarded: makes a method the chosen one, and keeps the session open for an attempt.
    ChooseMethod {
        id: SessionId,
        method: Method,
        clocks: Clocks,
        /// Until when the session is kept open.
        held_until: Option<Timestamp>,
        /// When the session next needs attention.
        due_at: Timestamp,
        /// `due_at` as it was read (compare-and-set): the change is lost if another commit moved it.
        was_due_at: Timestamp,
    },
    /// Guarded: keeps a pending session open for an attempt, or stops doing so.
    HoldSession {
        id: SessionId,
        held_until: Option<Timestamp>,
        /// When the session next needs attention.
        due_at: Timestamp,
        /// `due_at` as it was read (compare-and-set): the change is lost if another commit moved it.
        was_due_at: Timestamp,
    },
    /// Guarded: adds an attempt, unless its session has an active one.
    InsertAttempt(Box<Attempt>),
    /// Guarded: updates an attempt, unless another commit changed it since it was read.
    MoveAttempt {
        attempt: Box<Attempt>,
        /// The version that was read (compare-and-set).
        was: i64,
        /// True if the customer would see the difference.
        news: bool,
    },
    /// Guarded: resolves an action, once.
    ResolveAction {
        id: ActionId,
        resolution: Resolution,
        at: Timestamp,
        by: String,
    },
    /// Guarded: updates the note and the due time of an open dispute. Lost if an operator has resolved it.
    NoteAction {
        id: ActionId,
        /// The text that the operator reads.
        note: String,
        /// The time until which the operator has to respond at the provider.
        due_at: Option<Timestamp>,
    },
    /// Guarded: gives an open action to an operator, or to none. Lost if it was resolved, or another commit
    /// gave it to an operator since it was read.
    AssignAction {
        id: ActionId,
        /// The operator's email address.
        to: Option<String>,
        /// The operator as it was read (compare-and-set).
        was: Option<String>,
    },
    /// Guarded: adds a note to an open action. Lost if the action was resolved, or the note is there.
    AddActionNote(Box<ActionNote>),
    /// Guarded: records that the operator was notified of a transfer on a chain. Lost if that was recorded before, or
    /// a reorg removed the transfer.
    TellOfTransfer {
        chain: ChainId,
        /// The reference of the transfer on its chain.
        reference: String,
        /// The receiving address.
        address: Address,
    },
    /// Adds a movement of money.
    RecordTransaction(Box<Transaction>),
    /// Adds an action, which the operator has to decide. Guarded if it has a finding: the same finding is
    /// entered once, whatever was decided about it.
    NeedAction(Box<Action>),
    /// Posts a ledger entry: moves money between a vendor's accounts.
    PostEntry(Box<Entry>),
    /// Schedules when the pending money of an entry becomes available.
    ScheduleSettlement(Settlement),
    /// Guarded: ends the settlement of an entry, whose money is no longer pending.
    SettleEntry {
        entry: EntryId,
    },
    /// Guarded: takes money from a vendor's wallet, unless another commit took some since the balance was
    /// read.
    TakeFromWallet {
        vendor: VendorId,
        currency: Currency,
        /// The wallet's version (compare-and-set), read before its balance.
        was: i64,
    },
    /// Guarded: counts a refund that ends, unless another one of the session ended since they were read. Only where no
    /// ledger is kept.
    CountRefund {
        session: SessionId,
        /// The number that had ended when it was read (compare-and-set).
        was: i64,
    },
    /// Guarded: adds a refund, unless another one of the same payment was added since they were read.
    InsertRefund(Box<Refund>),
    /// Guarded: updates a refund, unless another commit changed it since it was read.
    MoveRefund {
        refund: Box<Refund>,
        /// The version that was read (compare-and-set).
        was: i64,
    },
    /// Seals an entry into the hash chain. The store refuses a number that is not the next, and a second
    /// seal.
    SealEntry {
        id: EntryId,
        seal: Seal,
    },
    /// Adds the sum of newly sealed entries to the stored balance of an account.
    CarryBalance(BalanceChange),
    /// Adds a payout that a vendor requests. [`TakeFromWallet`](Self::TakeFromWallet) comes before it.
    AskPayout(Box<Payout>),
    /// Guarded: moves a payout to its next state, unless another commit did.
    MovePayout {
        id: PayoutId,
        step: Box<PayoutStep>,
    },
    /// Guarded: the list is committed only while a lease is held with this fencing token.
    HoldLease {
        name: &'static str,
        /// The fencing token of the lease.
        fence: i64,
    },
    /// Adds a line to a session's history.
    Record(HistoryEntry),
    /// Records a customer's visit, unless the session has the maximum already: see [`visit`](crate::visit).
    NoteVisit {
        session: SessionId,
        kind: VisitKind,
        at: Timestamp,
    },
    /// Queues a callback for delivery.
    QueueCallback(Box<CallbackEvent>),
    QueueReceipt(Box<Receipt>),
    InsertFiscalReceipt(Box<FiscalReceipt>),
    /// Guarded: adds the closing receipt of a session, unless it has one.
    InsertClosingReceipt(Box<FiscalReceipt>),
    /// A till has got a fiscal receipt that none had. Without such a receipt it changes nothing.
    SendFiscalReceipt(Box<FiscalSending>),
    /// A till has got the receipt of a session once more, with a second payment. Without a first one it changes nothing.
    InsertSecondReceipt(Box<SecondReceipt>),
    /// Guarded by its version: a check of a fiscal receipt's registration begins, or has a result (optimistic concurrency).
    MoveFiscalReceipt {
        receipt: Box<FiscalReceipt>,
        /// The version that was read.
        was: i64,
    },
    /// The status that the sandbox plays for the fiscal receipt of a session: now if it was sent, otherwise when it is. Refunds in
    /// progress follow it.
    PlanFiscalReceipt {
        id: FiscalReceiptId,
        plan: ReceiptStatus,
        at: Timestamp,
    },
    /// Queues a mail. A mail about undelivered callbacks is sent at most once per
    /// [`QUIET`](crate::dispatch::QUIET) to a vendor, and is not queued while one is waiting.
    QueueDispatch(Box<Dispatch>),
    /// Guarded: claims a mail, unless another worker claimed it since it was read.
    TakeDispatch {
        /// The id of the receipt or callback that it is about.
        about: [u8; 16],
        kind: DispatchKind,
        /// The fencing token that was read; it is increased by one.
        fence: i64,
        /// End of the lease: when another worker may claim it if no result was stored.
        due_at: Timestamp,
    },
    /// Guarded: stores the result of an attempt to send a mail, unless another worker has claimed it since.
    EndDispatch {
        /// The id of the receipt or callback that it is about.
        about: [u8; 16],
        kind: DispatchKind,
        /// The fencing token of the attempt.
        fence: i64,
        state: DispatchState,
        /// When the next attempt is made.
        due_at: Option<Timestamp>,
        /// When it was sent or given up.
        ended_at: Option<Timestamp>,
        /// What went wrong, as a code of ours.
        error: Option<&'static str>,
    },
    /// Guarded: claims an event for an attempt, unless another worker claimed it since it was read.
    BeginAttempt {
        id: EventId,
        /// The fencing token that was read; it is increased by one.
        fence: i64,
        number: u32,
        at: Timestamp,
        /// When another worker may claim it if no result was stored.
        due_at: Timestamp,
    },
    /// Guarded: stores the result of an attempt, unless another worker has claimed the event since.
    EndAttempt {
        id: EventId,
        /// The fencing token of the attempt.
        fence: i64,
        state: DeliveryState,
        /// When the next attempt is made.
        due_at: Option<Timestamp>,
        /// When the vendor accepted it.
        delivered_at: Option<Timestamp>,
    },
    /// Guarded: returns a claimed attempt that was certainly not sent, so that its number is used again.
    ReturnAttempt {
        id: EventId,
        /// The fencing token of the attempt.
        fence: i64,
        number: u32,
        /// When the previous attempt started.
        started_at: Option<Timestamp>,
        /// When the attempt is due again.
        due_at: Timestamp,
    },
    /// Guarded: makes an event that was not tried yet due later. Sandbox only.
    PostponeCallback {
        id: EventId,
        /// The fencing token that was read; it is increased by one.
        fence: i64,
        due_at: Timestamp,
    },
    /// Stores how a tester wants a callback to be delivered. Sandbox only: live has no table for it.
    ChooseDelivery {
        chosen_for: ChosenFor,
        choice: DeliveryChoice,
    },
    /// Takes back the choice for a session's outcome, unless it was played. Sandbox only.
    ForgetDelivery {
        session: SessionId,
    },
    /// Takes back that a fault was played, since the attempt was certainly not sent. Sandbox only.
    ReturnFault {
        event: EventId,
    },
    /// Records that a fault is played with the first attempt of an event. Sandbox only.
    PlayFault {
        event: EventId,
        planned: PlannedFault,
        at: Timestamp,
    },
    /// Stores how the receiver answered the request that had the fault. Sandbox only.
    EndFault {
        event: EventId,
        result: AttemptResult,
    },
    /// Adds the record of an attempt.
    RecordAttempt(AttemptRecord),
    /// Keeps the start of the receiver's response to a failed attempt.
    KeepResponse {
        event: EventId,
        /// The number of the attempt.
        number: u32,
        at: Timestamp,
        response: ReceiverResponse,
    },
    /// Guarded: deletes old responses to callbacks, at most `limit` of them.
    ForgetResponses {
        /// Responses before this moment.
        before: Timestamp,
        /// Maximum rows in one commit.
        limit: u32,
    },
    /// Guarded: deletes old figures of calls to providers, at most `limit` rows.
    ForgetCalls {
        /// Quarters of an hour before this moment.
        before: Timestamp,
        /// Maximum rows in one commit.
        limit: u32,
    },
    /// Guarded: makes the next attempt of a queued event due at once.
    Hasten {
        id: EventId,
        at: Timestamp,
    },
    /// Guarded: queues one more attempt of an event that is delivered or undelivered.
    Resend {
        id: EventId,
        at: Timestamp,
        /// The number of that attempt is greater than this.
        attempts: u32,
        by: Requester,
    },
}

impl Change {
    /// The reason that the caller gets when the guard of this change matches no row; `None` without a guard.
    #[must_use]
    pub fn guard(&self) -> Option<Guard> {
        match self {
            Self::RememberKey(_) => Some(Guard::KeyTaken),
            Self::ForgetKeys { .. }
            | Self::ForgetVisits { .. }
            | Self::ForgetResponses { .. }
            | Self::ForgetCalls { .. }
            | Self::ClearRecipients { .. } => Some(Guard::NothingToForget),
            Self::FinishSession { .. }
            | Self::PlanOutcome { .. }
            | Self::ChooseMethod { .. }
            | Self::HoldSession { .. } => Some(Guard::NotPending),
            Self::InsertAttempt(_) => Some(Guard::AttemptActive),
            Self::MoveAttempt { .. } => Some(Guard::AttemptMoved),
            Self::ResolveAction { .. } | Self::NoteAction { .. } | Self::AddActionNote(_) => {
                Some(Guard::Resolved)
            }
            Self::AssignAction { .. } => Some(Guard::ActionMoved),
            Self::InsertClosingReceipt(_) => Some(Guard::AlreadyClosed),
            Self::MoveFiscalReceipt { .. } => Some(Guard::ReceiptMoved),
            Self::TellOfTransfer { .. } => Some(Guard::AlreadyReported),
            Self::NeedAction(action) => action.finding.as_ref().map(|_| Guard::Found),
            Self::SettleEntry { .. } => Some(Guard::Settled),
            Self::TakeFromWallet { .. } | Self::CountRefund { .. } => Some(Guard::WalletMoved),
            Self::MovePayout { .. } => Some(Guard::PayoutMoved),
            Self::InsertRefund(_) | Self::MoveRefund { .. } => Some(Guard::RefundMoved),
            Self::HoldLease { .. }
            | Self::BeginAttempt { .. }
            | Self::PostponeCallback { .. }
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
            | Self::InsertFiscalReceipt(_)
            | Self::SendFiscalReceipt(_)
            | Self::InsertSecondReceipt(_)
            | Self::PlanFiscalReceipt { .. }
            | Self::QueueDispatch(_)
            | Self::RecordAttempt(_)
            | Self::ChooseDelivery { .. }
            | Self::ForgetDelivery { .. }
            | Self::ReturnFault { .. }
            | Self::PlayFault { .. }
            | Self::EndFault { .. }
            | Self::KeepResponse { .. }
            | Self::RecordTransaction(_)
            | Self::PostEntry(_)
            | Self::AskPayout(_)
            | Self::ScheduleSettlement(_)
            | Self::SealEntry { .. }
            | Self::CarryBalance(_) => None,
        }
    }

    /// The session that this change is about, where it names one.
    #[must_use]
    pub fn session(&self) -> Option<SessionId> {
        match self {
            Self::InsertSession(session) => Some(session.id),
            Self::FinishSession { id, .. }
            | Self::PlanOutcome { id, .. }
            | Self::ChooseMethod { id, .. }
            | Self::HoldSession { id, .. } => Some(*id),
            Self::InsertAttempt(attempt) => Some(attempt.session),
            Self::MoveAttempt { attempt, .. } => Some(attempt.session),
            Self::InsertRefund(refund) => Some(refund.session),
            Self::MoveRefund { refund, .. } => Some(refund.session),
            Self::QueueCallback(event) => Some(event.session),
            Self::RecordTransaction(transaction) => Some(transaction.session),
            _ => None,
        }
    }

    /// Writes the session's method, clocks and end, guarded by the due moment of `was`, the session as it was
    /// read.
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

    /// Writes the session's end, guarded by the due moment of `was`, the session as it was read.
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
    /// No key, visit or recipient is old enough to be pruned.
    NothingToForget,
    /// The session already has its final status.
    NotPending,
    /// Another node has taken the work over.
    LeaseLost,
    /// The event cannot be resent or hastened now: it is being sent or has no callback URL, for example.
    NotResendable,
    /// The session has an active attempt.
    AttemptActive,
    /// Another commit has changed the attempt.
    AttemptMoved,
    /// The action was resolved before, or does not exist.
    Resolved,
    /// The action was resolved, or another commit has given it to an operator or to none.
    ActionMoved,
    /// It was settled before.
    Settled,
    /// Another commit has taken money from the wallet; or, where there is none, has ended a refund of the session.
    WalletMoved,
    /// A payout has taken this step, or another, before.
    PayoutMoved,
    /// Another commit has refunded some of the payment, or changed the refund.
    RefundMoved,
    /// The operator was notified of the transfer before, or it is gone.
    AlreadyReported,
    /// The finding was entered before.
    Found,
    /// The session has a closing receipt.
    AlreadyClosed,
    /// Another commit changed the fiscal receipt.
    ReceiptMoved,
}

/// An idempotency key with the object that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberedKey {
    pub vendor: VendorId,
    pub key: String,
    /// A hash of the request's JSON value.
    pub fingerprint: [u8; 32],
    /// The id of the created object: a session or a refund.
    pub made: [u8; 16],
    pub at: Timestamp,
    /// Keys stored at or before this moment have expired.
    pub forget_before: Timestamp,
}

/// A line of a session's history: an event between its creation and its end, which the session itself holds.
/// Never changed, and removed only with a sandbox session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    pub session: SessionId,
    pub at: Timestamp,
    pub kind: HistoryKind,
    /// Additional text for people.
    pub detail: Option<String>,
}

/// The event that a line of history records.
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
    /// The text form in the database.
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
