//! When a provider is called about a refund, and for what.

use super::{Refund, RefundState};
use crate::{change::Change, time::Timestamp};
use std::time::Duration;

/// The backoff between two calls, in seconds. A refund takes seconds or days.
const PAUSES: [u64; 12] = [2, 3, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600];

/// The bounds of the backoff while a transaction that the operator named is checked: a chain takes seconds or
/// minutes.
const SOON: Duration = Duration::from_secs(2);
const LATER: Duration = Duration::from_secs(120);

/// The pause before a refund that waits for another one is looked at again.
const TURN: Duration = Duration::from_secs(3);

/// The next call to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefundStep {
    /// Send the money back.
    Send,
    /// Query the refund: it may have been sent.
    Check,
}

/// The call that is to be made now.
#[must_use]
pub fn next_step(refund: &Refund) -> RefundStep {
    if refund.state == RefundState::Requested { RefundStep::Send } else { RefundStep::Check }
}

/// Claims a refund for the duration of a call, and records before the call that it may have been sent. The
/// change is lost if another worker claimed it.
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

/// Makes the next call due at once, because there may be news; `None` if no call is planned, or if it is due
/// already. The change is lost if another commit was faster.
#[must_use]
pub fn hasten(refund: &Refund, now: Timestamp) -> Option<Change> {
    let was = refund.version;
    let later = refund.check_at.is_some_and(|check_at| check_at > now);
    let hastened = || Refund { check_at: Some(now), version: was + 1, ..refund.clone() };
    later.then(|| Change::MoveRefund { refund: Box::new(hastened()), was })
}

/// Lets a refund wait, without a call, because another one of the same payment has to end first. The change is
/// lost if another worker was faster.
#[must_use]
pub fn wait(refund: &Refund, now: Timestamp) -> Change {
    let was = refund.version;
    let waiting = Refund { check_at: Some(now.plus(TURN)), version: was + 1, ..refund.clone() };
    Change::MoveRefund { refund: Box::new(waiting), was }
}

/// When the provider is called again, by the number of calls so far. For a transaction that the operator
/// named, the time since it was named counts instead: earlier calls say nothing about it.
pub(super) fn next_check(refund: &Refund, now: Timestamp) -> Timestamp {
    if let Some(sent_at) = refund.manual.as_ref().and_then(|hand| hand.sent_at) {
        return now.plus((now.since(sent_at) / 4).clamp(SOON, LATER));
    }
    let last = PAUSES.len() - 1;
    let index = usize::try_from(refund.attempts.saturating_sub(1)).unwrap_or(last).min(last);
    now.plus(Duration::from_secs(PAUSES[index]))
}
