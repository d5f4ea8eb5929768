//! When a provider is asked about a refund, and what for.

use super::{Refund, RefundState};
use crate::{change::Change, time::Timestamp};
use std::time::Duration;

/// Pauses between two questions, in seconds. Who sends money back takes seconds or days.
const PAUSES: [u64; 12] = [2, 3, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600];

/// The pauses between two questions about what a person sent: a chain takes seconds or minutes.
const SOON: Duration = Duration::from_secs(2);
const LATER: Duration = Duration::from_secs(120);

/// What to ask a provider for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// To send the money back.
    Send,
    /// How it stands: it may have been sent.
    Check,
}

/// What to ask a provider for now.
#[must_use]
pub fn next_step(refund: &Refund) -> Step {
    if refund.state == RefundState::Requested { Step::Send } else { Step::Check }
}

/// Takes a refund for as long as a question may take, and notes before anything is asked that it may have been sent.
/// The change is lost if somebody else took it.
#[must_use]
pub fn claim(refund: &Refund, now: Timestamp, lease: Duration) -> (Refund, Change) {
    let was = refund.version;
    let claimed = Refund {
        state: RefundState::Sent,
        attempts: refund.attempts.saturating_add(1),
        check_at: Some(now.plus(lease)),
        version: was + 1,
        updated_at: now,
        ..refund.clone()
    };
    let change = Change::MoveRefund { refund: Box::new(claimed.clone()), was };
    (claimed, change)
}

/// Makes the next question due at once, because somebody says that there is news; nothing if there is none to come, or
/// if it is due already. The change is lost if somebody else is quicker.
#[must_use]
pub fn hasten(refund: &Refund, now: Timestamp) -> Option<Change> {
    let was = refund.version;
    let later = refund.check_at.is_some_and(|check_at| check_at > now);
    let hastened = || Refund { check_at: Some(now), version: was + 1, ..refund.clone() };
    later.then(|| Change::MoveRefund { refund: Box::new(hastened()), was })
}

/// When it is asked again after this many questions. What a person sent is as old as their word: however often others
/// were asked about before it says nothing.
pub(super) fn next_check(refund: &Refund, now: Timestamp) -> Timestamp {
    if let Some(sent_at) = refund.hand.as_ref().and_then(|hand| hand.sent_at) {
        return now.plus((now.since(sent_at) / 4).clamp(SOON, LATER));
    }
    let last = PAUSES.len() - 1;
    let asked = usize::try_from(refund.attempts.saturating_sub(1)).unwrap_or(last).min(last);
    now.plus(Duration::from_secs(PAUSES[asked]))
}
