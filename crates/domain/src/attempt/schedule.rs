//! The schedule of the calls to a provider: when the next one is due, and which one it is.

use super::{Attempt, AttemptState, OtherAttempts};
use crate::{
    change::Change,
    method::Method,
    session::{Session, State},
    time::Timestamp,
};
use std::fmt;
use std::time::Duration;

/// How long a session waits past its deadline for a payment that is in flight, or for a provider that does
/// not answer.
pub const GRACE: Duration = Duration::from_secs(5 * 60);

/// How long the session waits for a transfer that is in no block.
pub const UNCONFIRMED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// How long after its start an attempt is watched for late money.
const WATCH: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Time to close a payment in before the session ends in any case.
const CLOSING: Duration = Duration::from_secs(20);

/// The backoff between two calls without news, in seconds.
const PAUSES: [u64; 10] = [2, 2, 3, 3, 5, 5, 10, 15, 30, 60];

/// The same where the provider sends notices (webhooks): at 30 s and at 2 min, then not before the deadline.
const PAUSES_WITH_NOTICES: [u64; 2] = [30, 90];

/// How an attempt is followed while the customer pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// By polling: the provider sends no notices (webhooks), or none came lately.
    #[default]
    Polling,
    /// By the provider's notices; polling only covers for a lost one.
    Notices,
}

/// The next call to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptStep {
    /// Start the payment: whether it was started is unknown.
    Start,
    /// Check the state of the payment.
    Check,
    /// Close the payment: it must take no more money. What was authorised in time may still be captured.
    Close,
    /// Close the payment of a session that has ended: what is held for it is released.
    Release,
}

impl AttemptStep {
    /// Returns true if the payment must take no more money after it.
    #[must_use]
    pub fn is_closing(self) -> bool {
        matches!(self, Self::Close | Self::Release)
    }
}

impl fmt::Display for AttemptStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::Check => "check",
            Self::Close => "close",
            Self::Release => "release",
        })
    }
}

/// The call that is to be made now. An active attempt is closed if the money is already on its way by another
/// one.
#[must_use]
pub fn next_step(session: &Session, attempt: &Attempt, beside: OtherAttempts, now: Timestamp) -> AttemptStep {
    let over = session.state != State::Pending || beside == OtherAttempts::Holding;
    match attempt.state {
        // The customer was given nothing to pay it with, so it can always be closed.
        AttemptState::Watched if attempt.reference.is_none() => AttemptStep::Close,
        AttemptState::Watched | AttemptState::Paid | AttemptState::Declined(_) | AttemptState::Closed => {
            AttemptStep::Check
        }
        AttemptState::Intended if !over && now < session.deadline() => AttemptStep::Start,
        AttemptState::Open | AttemptState::InFlight if !over && now < close_at(session, attempt) => {
            AttemptStep::Check
        }
        _ if session.state != State::Pending => AttemptStep::Release,
        AttemptState::Open | AttemptState::Intended | AttemptState::InFlight => AttemptStep::Close,
    }
}

/// Claims an attempt with a lease for the duration of a call, so that no other worker calls meanwhile. The
/// change is lost if another worker claimed it.
#[must_use]
pub fn claim(attempt: &Attempt, now: Timestamp, lease: Duration) -> (Attempt, Change) {
    let was = attempt.version;
    let claimed = Attempt { check_at: Some(now.plus(lease)), version: was + 1, ..attempt.clone() };
    let change = Change::MoveAttempt { attempt: Box::new(claimed.clone()), was, news: false };
    (claimed, change)
}

/// Makes the next call due now, because there is news and no call could be made; also for an attempt that has
/// no further call planned. `None` if it is due already. The change is lost if the attempt has changed
/// meanwhile.
#[must_use]
pub fn hasten(attempt: &Attempt, now: Timestamp) -> Option<(Attempt, Change)> {
    let due = attempt.check_at.is_some_and(|check_at| check_at <= now);
    (!due).then(|| claim(attempt, now, Duration::ZERO))
}

/// The next check of an active attempt: soon at first, then less often, and in any case when it is to be
/// closed.
pub(super) fn next_check(session: &Session, attempt: &Attempt, pace: Pace, now: Timestamp) -> Timestamp {
    let (close_at, checks) =
        (close_at(session, attempt), usize::try_from(attempt.checks).unwrap_or(usize::MAX));
    // A start or a close does not wait for a notice.
    if pace == Pace::Notices && attempt.state != AttemptState::Intended && now < close_at {
        let pause = PAUSES_WITH_NOTICES.get(checks).map(|pause| now.plus(Duration::from_secs(*pause)));
        let moments = [pause, Some(session.deadline())];
        return moments.into_iter().flatten().filter(|moment| *moment > now).fold(close_at, Timestamp::min);
    }
    let later = now.plus(Duration::from_secs(PAUSES[checks.min(PAUSES.len() - 1)]));
    let moments = [close_at, session.ends_at()];
    moments.into_iter().filter(|moment| *moment > now).fold(later, Timestamp::min)
}

/// When an active attempt is closed: one with enough money on its way has a little longer.
fn close_at(session: &Session, attempt: &Attempt) -> Timestamp {
    if moves_deadline(attempt) { session.ends_at().minus(CLOSING) } else { session.deadline() }
}

/// Returns true if money is on its way for which the session waits past the deadline. It does not wait for a
/// transfer that is too little, however it confirms: else dust, sent again and again, would keep the price
/// locked for ever.
pub(super) fn moves_deadline(attempt: &Attempt) -> bool {
    let short = attempt.confirmations.is_some_and(|seen| seen.atoms < attempt.charge.atoms);
    attempt.state == AttemptState::InFlight && !short
}

/// The next check of an attempt that is only watched for late money, if there is one.
pub(super) fn next_watch(attempt: &Attempt, now: Timestamp) -> Option<Timestamp> {
    let since = now.since(attempt.started_at);
    let pause = (since / 10).clamp(Duration::from_secs(5), Duration::from_secs(60 * 60));
    (since < WATCH).then(|| now.plus(pause))
}

/// Until when a session is kept open for a transfer of an attempt that was left: for as long as it confirms.
pub(super) fn hold_for_left(session: &Session, now: Timestamp) -> Timestamp {
    now.plus(UNCONFIRMED_AFTER).plus(GRACE).max(session.deadline().plus(GRACE))
}

/// Until when a session is kept open for an active attempt.
pub(super) fn hold(session: &Session, attempt: &Attempt, now: Timestamp) -> Timestamp {
    let least = session.deadline().plus(GRACE);
    let confirming = attempt.method == Method::Crypto && moves_deadline(attempt);
    if !confirming {
        // An attempt whose transfer no longer confirms past all this is closed first, too.
        let held = session.held_until.unwrap_or(least);
        return held.min(now.plus(GRACE)).max(least);
    }
    // In a block: for as long as it confirms. In none: a day from when it was seen, and a little longer, so
    // that the transfer is given up before the session's time is up.
    let in_block = attempt.confirmations.is_some_and(|confirmations| confirmations.seen > 0);
    let from = if in_block { now } else { attempt.in_flight_since.unwrap_or(now) };
    from.plus(UNCONFIRMED_AFTER).plus(GRACE).max(least)
}
