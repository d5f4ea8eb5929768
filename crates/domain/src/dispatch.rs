//! Mails about payments: who gets one, and what becomes of it.
//!
//! A mail is queued in the list of changes of what it is about, to one recipient, and written when it is sent.
//! Whoever takes one raises its fence and sets the moment from which somebody else may; what a node that was
//! replaced reports changes nothing. Sending is a worker's job.

use crate::{
    change::Change,
    delivery::DeliveryState,
    id::{SessionId, VendorId},
    rules::Rules,
    time::Timestamp,
    vendor::Settings,
};
use std::time::Duration;

/// How long a vendor is not told again that callbacks do not arrive: the next mail tells of all of them.
pub const QUIET: Duration = Duration::from_secs(60 * 60);

/// How long the recipient of a mail that was sent or given up is kept.
pub const RECIPIENT_KEPT_FOR: Duration = Duration::from_secs(30 * 86_400);

/// What a mail is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DispatchKind {
    /// A receipt, to the customer.
    Receipt,
    /// The same receipt, to the vendor.
    ReceiptCopy,
    /// That callbacks do not arrive, to the vendor.
    Undelivered,
}

impl DispatchKind {
    pub const ALL: [Self; 3] = [Self::Receipt, Self::ReceiptCopy, Self::Undelivered];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Receipt => "receipt",
            Self::ReceiptCopy => "receipt_copy",
            Self::Undelivered => "undelivered",
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A mail to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// The receipt that it brings, or the callback that it is the first to tell of.
    pub about: [u8; 16],
    pub kind: DispatchKind,
    /// Whose business it is.
    pub vendor: VendorId,
    /// The session, if it is about one.
    pub session: Option<SessionId>,
    pub recipient: String,
    /// When it was queued.
    pub at: Timestamp,
}

/// How far a mail is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DispatchState {
    /// It waits for its first or next attempt.
    Queued,
    /// A server has accepted it.
    Sent,
    /// It was given up.
    Failed,
}

impl DispatchState {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }

    /// The state with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Queued, Self::Sent, Self::Failed].into_iter().find(|state| state.as_str() == word)
    }
}

/// A mail whose time has come, or that somebody has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDispatch {
    pub dispatch: Dispatch,
    /// How often it was tried, this time included once it was taken.
    pub attempts: u32,
    /// Higher each time that somebody takes it.
    pub fence: i64,
}

/// What an attempt came to. An error is a word of ours, never a server's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    /// A server has accepted it.
    Accepted,
    /// Something went wrong that may pass.
    Trouble(&'static str),
    /// It is refused for good.
    Refused(&'static str),
}

/// What to tell a vendor whose callback came to this, if anything is to be told.
#[must_use]
pub fn on_delivery(
    rules: &Rules,
    settings: &Settings,
    vendor: VendorId,
    changes: &[Change],
    now: Timestamp,
) -> Option<Change> {
    let lost = changes.iter().find_map(|change| match change {
        Change::EndAttempt { id, state: DeliveryState::Undelivered, .. } => Some(*id.as_bytes()),
        _ => None,
    })?;
    let recipient = settings.contact_email.clone().filter(|_| rules.mails)?;
    let kind = DispatchKind::Undelivered;
    let dispatch = Dispatch { about: lost, kind, vendor, session: None, recipient, at: now };
    Some(Change::QueueDispatch(Box::new(dispatch)))
}

/// Takes a mail whose time has come: it stays with the caller for `lease`.
#[must_use]
pub fn take(due: &DueDispatch, now: Timestamp, lease: Duration) -> (DueDispatch, Change) {
    let (about, kind, fence) = (due.dispatch.about, due.dispatch.kind, due.fence);
    let taken = DueDispatch { attempts: due.attempts.saturating_add(1), fence: fence + 1, ..due.clone() };
    (taken, Change::TakeDispatch { about, kind, fence, due_at: now.plus(lease) })
}

/// What an attempt means: the mail is done, or tried again after the next of these pauses while there is one.
#[must_use]
pub fn end(taken: &DueDispatch, sending: Sending, now: Timestamp, pauses: &[Duration]) -> Change {
    let number = usize::try_from(taken.attempts).unwrap_or(usize::MAX).saturating_sub(1);
    let (state, due_at, error) = match (sending, pauses.get(number)) {
        (Sending::Accepted, _) => (DispatchState::Sent, None, None),
        (Sending::Trouble(error), Some(pause)) => {
            (DispatchState::Queued, Some(now.plus(*pause)), Some(error))
        }
        (Sending::Trouble(error) | Sending::Refused(error), _) => (DispatchState::Failed, None, Some(error)),
    };
    Change::EndDispatch {
        about: taken.dispatch.about,
        kind: taken.dispatch.kind,
        fence: taken.fence,
        state,
        due_at,
        ended_at: due_at.is_none().then_some(now),
        error,
    }
}
