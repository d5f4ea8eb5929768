//! The verdict about an attempt: the attempt's next state, the session's, and the money to record.
//!
//! Nothing here writes a change; `write.rs` does.

use super::{Attempt, AttemptState, OtherAttempts, observe::AttemptFacts, schedule};
use crate::{
    defect::Defect,
    id::EventId,
    session::{Outcome, State},
    time::Timestamp,
    transaction::{Marks, Surplus, Transaction},
};
use std::time::Duration;

/// How long after the end of a session the workers try to close an attempt that is still open for it.
const CLOSE_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// A decision about an attempt.
#[derive(Debug)]
pub(super) struct Verdict {
    /// The attempt after the commit.
    pub attempt: Attempt,
    /// Set if open pages show something new.
    pub news: bool,
    pub session: SessionVerdict,
    /// Set if the session's open `unreachable` actions are resolved.
    pub resolves_doubt: bool,
    /// In the order of the list of changes.
    pub records: Vec<MoneyRecord>,
    /// The time of the `unreachable` action that an operator gets.
    pub unreachable_at: Option<Timestamp>,
}

#[derive(Debug)]
pub(super) enum SessionVerdict {
    /// It keeps its status, and is held open until this time.
    Stays { held_until: Option<Timestamp> },
    /// It gets its final status.
    Ends { outcome: Outcome, at: Timestamp },
}

/// Money that gets a transaction.
#[derive(Debug)]
pub(super) enum MoneyRecord {
    /// The payment of the session, with what came beyond the price.
    Payment { money: Transaction, surplus: Surplus },
    /// Late or partial money: an operator decides about it.
    Rest(Transaction),
    /// A reorg took recorded money back.
    Reversal(Transaction),
    /// A payment that was not asked for, as far as the provider claims it.
    Mismatch { claimed: Transaction, id: EventId },
}

impl Verdict {
    /// The session keeps its status.
    pub(super) fn stay(held_until: Option<Timestamp>, attempt: Attempt, news: bool) -> Self {
        Self {
            attempt,
            news,
            session: SessionVerdict::Stays { held_until },
            resolves_doubt: false,
            records: Vec::new(),
            unreachable_at: None,
        }
    }

    /// The pending session gets its outcome together with the attempt's end.
    pub(super) fn end(facts: &AttemptFacts<'_>, attempt: Attempt, outcome: Outcome, at: Timestamp) -> Self {
        let mut verdict = Self::stay(None, stop_checking(facts, attempt), true);
        verdict.session = SessionVerdict::Ends { outcome, at };
        record_rest(facts, &mut verdict);
        verdict
    }

    /// The last moment of a session that stays pending.
    pub(super) fn ends_at(&self, facts: &AttemptFacts<'_>) -> Timestamp {
        match self.session {
            SessionVerdict::Stays { held_until } => {
                crate::session::Session { held_until, ..facts.session.clone() }.ends_at()
            }
            SessionVerdict::Ends { at, .. } => at,
        }
    }
}

/// The attempt is checked again later, and its session is held open for it.
pub(super) fn follow(facts: &AttemptFacts<'_>, mut attempt: Attempt, news: bool) -> Verdict {
    if releases_hold(facts, &attempt) {
        return release(facts, attempt);
    }
    let session = facts.session;
    let pending = session.state == State::Pending;
    attempt.checks = if news { 0 } else { attempt.checks.saturating_add(1) };
    let abandoned = !pending && facts.now.since(session.updated_at) > CLOSE_FOR;
    if attempt.state.is_active() && abandoned {
        attempt.state = AttemptState::Watched;
    }
    let mut held_until = session.held_until;
    if attempt.state.is_active() {
        attempt.check_at = Some(schedule::next_check(session, &attempt, facts.pace, facts.now));
        if pending && facts.beside != OtherAttempts::Holding {
            held_until = Some(schedule::hold(session, &attempt, facts.now));
        }
    } else {
        attempt.check_at = next_watch(facts, &attempt);
        if pending && attempt.holds_session() {
            held_until = Some(schedule::hold_for_left(session, facts.now));
        }
    }
    Verdict::stay(held_until, attempt, news)
}

/// Whether an attempt that the customer left for another held the pending session, and no longer does: a
/// reorg took the transfer back.
fn releases_hold(facts: &AttemptFacts<'_>, attempt: &Attempt) -> bool {
    let held = facts.session.state == State::Pending && facts.attempt.holds_though_left();
    held && !attempt.holds_session()
}

/// The session no longer waits for an attempt that was left. It waits for the active one, or for another one
/// until its deadline.
fn release(facts: &AttemptFacts<'_>, attempt: Attempt) -> Verdict {
    let deadline = facts.session.deadline();
    let held_until = match facts.beside {
        OtherAttempts::Nothing if deadline <= facts.now => {
            return Verdict::end(facts, attempt, Outcome::Expired, facts.now);
        }
        OtherAttempts::Nothing => None,
        OtherAttempts::Active => Some(deadline.plus(schedule::GRACE)),
        OtherAttempts::Holding => facts.session.held_until,
    };
    let mut verdict = Verdict::stay(held_until, stop_checking(facts, attempt), true);
    record_rest(facts, &mut verdict);
    verdict
}

/// Whether the session waits for this attempt. One that was left for another decides nothing about the
/// session, unless it brings the money after all; nor does one beside another that is about to bring it.
fn is_waited_for(facts: &AttemptFacts<'_>) -> bool {
    let alone = facts.beside != OtherAttempts::Holding;
    facts.session.state == State::Pending && facts.attempt.state.is_active() && alone
}

/// The attempt brings no more money. Its session is free for another one, or expires if its time has come.
pub(super) fn end_or_retire(facts: &AttemptFacts<'_>, attempt: Attempt) -> Verdict {
    let deadline = facts.session.deadline();
    if !is_waited_for(facts) || !facts.time_is_up() {
        return retire(facts, attempt);
    }
    // Money that was in flight past the deadline moved it; a code that was only shown, or too little money,
    // did not.
    let in_flight = schedule::moves_deadline(facts.attempt);
    let moved = in_flight || facts.session.ends_at() > deadline.plus(schedule::GRACE);
    Verdict::end(facts, attempt, Outcome::Expired, if moved { facts.now } else { deadline.min(facts.now) })
}

/// The attempt ends, and its session with it if that waits for it.
pub(super) fn conclude(facts: &AttemptFacts<'_>, attempt: Attempt, outcome: Outcome) -> Verdict {
    if is_waited_for(facts) {
        Verdict::end(facts, attempt, outcome, facts.now)
    } else {
        retire(facts, attempt)
    }
}

/// The attempt ends, and its session does not.
pub(super) fn retire(facts: &AttemptFacts<'_>, attempt: Attempt) -> Verdict {
    if releases_hold(facts, &attempt) {
        return release(facts, attempt);
    }
    let held_until = if is_waited_for(facts) { None } else { facts.session.held_until };
    let mut verdict = Verdict::stay(held_until, stop_checking(facts, attempt), true);
    let ended = matches!(verdict.attempt.state, AttemptState::Closed | AttemptState::Declined(_));
    verdict.resolves_doubt = ended && facts.doubt.last;
    record_rest(facts, &mut verdict);
    verdict
}

fn stop_checking(facts: &AttemptFacts<'_>, mut attempt: Attempt) -> Attempt {
    attempt.checks = 0;
    attempt.check_at = next_watch(facts, &attempt);
    attempt
}

/// The next check of an attempt that is not active: only one that could still bring money has one.
pub(super) fn next_watch(facts: &AttemptFacts<'_>, attempt: &Attempt) -> Option<Timestamp> {
    match attempt.state {
        AttemptState::Watched => schedule::next_watch(attempt, facts.now),
        _ => None,
    }
}

/// Records money that is in no transaction yet and that no session waits for: it gets a row, and an operator
/// is notified. Late money that is worth less than the smallest unit of the price waits until it is worth
/// more: anyone can send dust to an old address.
pub(super) fn record_rest(facts: &AttemptFacts<'_>, verdict: &mut Verdict) {
    let attempt = &mut verdict.attempt;
    if attempt.received <= attempt.recorded {
        return;
    }
    let late = facts.session.state != State::Pending;
    if late && Defect::LateMoneyDropped.is_planted() {
        return;
    }
    let charged = attempt.charge.atoms;
    let (partial, over) = (attempt.received < charged, attempt.received > charged);
    let marks = Marks { late, partial, over, ..Marks::default() };
    let money = Transaction::by_attempt(attempt, facts.session, marks, facts.now, facts.event_id);
    if late && money.amount.minor == 0 {
        return;
    }
    attempt.recorded = attempt.received;
    verdict.records.push(MoneyRecord::Rest(money));
}
