//! Mails about payments: their recipients, and their delivery.
//!
//! A mail is queued in the list of changes of the event that it is about, for one recipient, and its text is
//! written when it is sent. A worker that claims a mail increases its fencing token and sets the moment from
//! which another worker may claim it; a result with an older token changes nothing. Sending is a worker's
//! job.

use crate::{
    change::Change,
    delivery::DeliveryState,
    id::{SessionId, VendorId},
    rules::Rules,
    time::Timestamp,
    vendor::Settings,
};
use std::time::Duration;

/// Minimum time between two mails to a vendor about undelivered callbacks: the next mail lists all of them.
pub const QUIET: Duration = Duration::from_secs(60 * 60);

/// Retention of the recipient of a mail that was sent or given up.
pub const RECIPIENT_KEPT_FOR: Duration = Duration::from_secs(30 * 86_400);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DispatchKind {
    /// A receipt, to the customer.
    Receipt,
    /// A copy of the receipt, to the vendor.
    ReceiptCopy,
    /// A notification about undelivered callbacks, to the vendor.
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

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A mail to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// The id of the receipt that it brings, or of the first callback that it reports.
    pub about: [u8; 16],
    pub kind: DispatchKind,
    pub vendor: VendorId,
    /// The session, if it is about one.
    pub session: Option<SessionId>,
    pub recipient: String,
    /// When it was queued.
    pub at: Timestamp,
}

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

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Queued, Self::Sent, Self::Failed].into_iter().find(|state| state.as_str() == word)
    }
}

/// A mail that is due, or that a worker has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDispatch {
    pub dispatch: Dispatch,
    /// The number of attempts, including the current one once it is claimed.
    pub attempts: u32,
    /// Fencing token: increases whenever a worker claims the mail.
    pub fence: i64,
}

/// The result of an attempt. The error is a code of ours, never the server's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    /// A server has accepted it.
    Accepted,
    /// A temporary failure.
    Trouble(&'static str),
    /// A permanent refusal.
    Refused(&'static str),
}

/// The mail to a vendor whose callback these changes make undelivered, if mails are sent and it has a contact
/// address.
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

/// Claims a due mail for the duration of `lease`.
#[must_use]
pub fn take(due: &DueDispatch, now: Timestamp, lease: Duration) -> (DueDispatch, Change) {
    let (about, kind, fence) = (due.dispatch.about, due.dispatch.kind, due.fence);
    let taken = DueDispatch { attempts: due.attempts.saturating_add(1), fence: fence + 1, ..due.clone() };
    (taken, Change::TakeDispatch { about, kind, fence, due_at: now.plus(lease) })
}

/// The change after an attempt: the mail is done, or tried again after the next of `pauses` while there is
/// one.
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
