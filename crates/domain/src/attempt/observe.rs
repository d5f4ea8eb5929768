//! The meaning of a provider's answer for an attempt, its session and the money.
//!
//! Each answer is judged first: `judge` returns a [`Verdict`] and writes nothing. `write.rs` then turns the
//! verdict into its list of changes.

use super::{
    Attempt, AttemptState, Confirmations, Observation, OtherAttempts, Pace, Quantity, Started, schedule,
    silence::{self, UnreachableActions},
    verdict::{
        MoneyRecord, SessionVerdict, Verdict, conclude, end_or_retire, follow, next_watch, record_rest,
    },
    write::write,
};
use crate::{
    change::Change,
    defect::Defect,
    id::EventId,
    ledger::{Books, Terms},
    receipt::ReceiptLink,
    rules::Rules,
    session::{FailureReason, Outcome, Session, State},
    time::Timestamp,
    transaction::{Marks, Transaction},
    vendor::Settings,
};

/// The facts that a decision about an attempt depends on.
#[derive(Debug, Clone, Copy)]
pub struct AttemptFacts<'a> {
    /// The session as it was read.
    pub session: &'a Session,
    /// The attempt as it was read.
    pub attempt: &'a Attempt,
    /// The state of the session's other attempts.
    pub beside: OtherAttempts,
    pub settings: &'a Settings,
    /// The fees and the settlement delay that apply to the vendor.
    pub terms: &'a Terms,
    /// The rules of the session's environment.
    pub rules: &'a Rules,
    pub now: Timestamp,
    /// The id for the event, the transaction, the action and the ledger entry that the decision makes.
    pub event_id: EventId,
    /// The link of the receipt, should one be made.
    pub link: ReceiptLink,
    /// How often the provider is asked.
    pub pace: Pace,
    /// The open actions about a provider that could not be asked.
    pub doubt: UnreachableActions<'a>,
    /// Set if the session ends now if it can, before its deadline: the vendor asked for it.
    pub ends_now: bool,
}

impl<'a> AttemptFacts<'a> {
    /// The vendor's ledger, in an environment that keeps one.
    pub(super) fn books(&self) -> Option<Books<'a>> {
        self.rules.books(self.terms)
    }

    /// Returns true if the customer's time is over.
    pub(super) fn time_is_up(&self) -> bool {
        self.ends_now || self.session.deadline() <= self.now
    }
}

/// The result of a decision. Its changes are lost if another commit changed the attempt or ended the session
/// meanwhile (compare-and-set); the caller then reads both again.
#[derive(Debug, Clone)]
pub struct AttemptDecision {
    /// The session after the commit.
    pub session: Session,
    /// The attempt after the commit.
    pub attempt: Attempt,
    pub changes: Vec<Change>,
}

/// The provider has started the payment.
#[must_use]
pub fn started(facts: &AttemptFacts<'_>, started: Started) -> AttemptDecision {
    let mut attempt = facts.attempt.clone();
    attempt.reference = Some(started.reference);
    attempt.instructions = Some(started.instructions);
    attempt.charge = started.charge;
    if attempt.state == AttemptState::Intended {
        attempt.state = AttemptState::Open;
    }
    write(facts, follow(facts, attempt, true))
}

/// The provider has answered a question about the payment.
#[must_use]
pub fn observe(facts: &AttemptFacts<'_>, observation: Observation) -> AttemptDecision {
    write(facts, judge(facts, observation))
}

/// The provider has answered the request to take no more money.
#[must_use]
pub fn closing(facts: &AttemptFacts<'_>, observation: Observation) -> AttemptDecision {
    write(facts, judge_closing(facts, observation))
}

fn judge(facts: &AttemptFacts<'_>, observation: Observation) -> Verdict {
    let mut attempt = facts.attempt.clone();
    match observation {
        // Money that has arrived stays; only more of it is news.
        Observation::Waiting
        | Observation::InFlight
        | Observation::Confirming { .. }
        | Observation::Declined(_)
        | Observation::Closed
        | Observation::TimedOut
        | Observation::CannotBeClosed
        | Observation::ClosesAtDeadline
        | Observation::NeverStarted
            if attempt.state == AttemptState::Paid =>
        {
            follow(facts, attempt, false)
        }
        Observation::Waiting => {
            let news = clear_unrecorded(&mut attempt) | clear_confirmations(&mut attempt);
            follow(facts, attempt, news)
        }
        Observation::InFlight => {
            let news = mark_in_flight(&mut attempt, facts.now);
            follow(facts, attempt, news)
        }
        Observation::Confirming { seen, needed, received } => {
            // A transfer in another unit is judged when it has arrived.
            if !received.same_unit(&attempt.charge) {
                return follow(facts, attempt, false);
            }
            confirming(facts, attempt, Confirmations { seen, needed, atoms: received.atoms })
        }
        Observation::Partial { received } => partial(facts, attempt, received),
        Observation::TakenBack { received } => taken_back(facts, attempt, &received),
        Observation::Paid { received, reference } => paid(facts, attempt, received, reference),
        Observation::Declined(reason) => {
            attempt.state = AttemptState::Declined(reason);
            conclude(facts, attempt, Outcome::Failed(reason))
        }
        Observation::TimedOut if !facts.time_is_up() => {
            attempt.state = AttemptState::Closed;
            conclude(facts, attempt, Outcome::Expired)
        }
        // Past the deadline it ends as of the deadline, like one that was closed.
        Observation::TimedOut | Observation::Closed | Observation::NeverStarted => {
            attempt.state = AttemptState::Closed;
            end_or_retire(facts, attempt)
        }
        // The provider is about to close it: the session does not expire before that.
        Observation::ClosesAtDeadline if facts.session.deadline() <= facts.now => {
            let news = clear_unrecorded(&mut attempt) | clear_confirmations(&mut attempt);
            follow(facts, attempt, news)
        }
        Observation::CannotBeClosed | Observation::ClosesAtDeadline => {
            clear_unrecorded(&mut attempt);
            clear_confirmations(&mut attempt);
            attempt.state = AttemptState::Watched;
            end_or_retire(facts, attempt)
        }
    }
}

fn judge_closing(facts: &AttemptFacts<'_>, observation: Observation) -> Verdict {
    // A node may be starting it at this moment.
    if observation == Observation::NeverStarted && is_being_started(facts) {
        return follow(facts, facts.attempt.clone(), false);
    }
    let known = facts.attempt;
    let received = match &observation {
        Observation::Partial { received } => Some(received),
        Observation::TakenBack { received } if received.atoms >= known.recorded => Some(received),
        Observation::Paid { received, reference } if is_of(known, reference) => Some(received),
        _ => None,
    };
    let short = received.filter(|r| r.same_unit(&known.charge) && r.atoms < known.charge.atoms);
    match short {
        // A transfer of too little confirms, and the time is up: what confirms later is late money.
        None if facts.time_is_up() && known.state.is_active() && is_confirming_short(known, &observation) => {
            end_or_retire(facts, watch_short(known.clone(), &observation))
        }
        // This is all that came in time, and the provider does not say that no more can come.
        Some(received) if known.state != AttemptState::Paid => {
            let received = received.atoms.max(known.recorded);
            end_or_retire(facts, Attempt { state: AttemptState::Watched, received, ..known.clone() })
        }
        _ => {
            let verdict = judge(facts, observation);
            // A provider that has not closed it by the last moment counts as one that does not answer.
            let stays = matches!(verdict.session, SessionVerdict::Stays { .. });
            let open = stays && facts.session.state == State::Pending && verdict.attempt.state.is_active();
            let ends_at = verdict.ends_at(facts);
            if open && ends_at <= facts.now { silence::judge(facts) } else { verdict }
        }
    }
}

/// Whether the transfer that confirms is too little, together with all that came before.
fn is_confirming_short(attempt: &Attempt, observation: &Observation) -> bool {
    matches!(observation, Observation::Confirming { received, .. }
        if received.same_unit(&attempt.charge) && received.atoms < attempt.charge.atoms)
}

/// An attempt of which one part may be confirmed and another is not: of the latter nothing counts as received
/// yet.
fn watch_short(mut attempt: Attempt, observation: &Observation) -> Attempt {
    attempt.state = AttemptState::Watched;
    if let Observation::Confirming { seen, needed, received } = observation {
        attempt.confirmations = Some(Confirmations { seen: *seen, needed: *needed, atoms: received.atoms });
        // A reorg took some of it back; how much of the rest is final is not known.
        if received.atoms < attempt.received {
            clear_unrecorded(&mut attempt);
        }
    }
    attempt
}

pub(super) fn is_being_started(facts: &AttemptFacts<'_>) -> bool {
    let age = facts.now.since(facts.attempt.started_at);
    facts.attempt.state == AttemptState::Intended && age < super::begin::START_WITHIN
}

/// Whether the payment that a provider names is this attempt's.
fn is_of(attempt: &Attempt, reference: &str) -> bool {
    attempt.reference.as_ref().is_none_or(|known| known == reference)
}

/// Notes that money is on its way. Returns true if that is news.
fn mark_in_flight(attempt: &mut Attempt, now: Timestamp) -> bool {
    let news = attempt.in_flight_since.is_none();
    attempt.in_flight_since.get_or_insert(now);
    if attempt.state.is_active() {
        attempt.state = AttemptState::InFlight;
    } else if attempt.state == AttemptState::Closed && schedule::next_watch(attempt, now).is_some() {
        // A start that the provider had not answered reached it later: the money needs a row once it has arrived.
        attempt.state = AttemptState::Watched;
    }
    news
}

/// Forgets received money that is in no transaction, because a reorg took it back. Returns true if there was
/// any.
fn clear_unrecorded(attempt: &mut Attempt) -> bool {
    let was = std::mem::replace(&mut attempt.received, attempt.recorded);
    was != attempt.recorded
}

/// Notes that no transfer is on its way any more. Returns true if one was.
fn clear_confirmations(attempt: &mut Attempt) -> bool {
    match attempt.state {
        AttemptState::InFlight => attempt.state = AttemptState::Open,
        AttemptState::Watched if attempt.confirmations.is_some() => {}
        _ => return false,
    }
    (attempt.in_flight_since, attempt.confirmations) = (None, None);
    true
}

fn confirming(facts: &AttemptFacts<'_>, mut attempt: Attempt, confirmations: Confirmations) -> Verdict {
    let changed = attempt.confirmations != Some(confirmations);
    let news = mark_in_flight(&mut attempt, facts.now) | changed;
    attempt.confirmations = Some(confirmations);
    if confirmations.seen == 0 && attempt.state.is_active() && has_timed_out(&attempt, facts.now) {
        attempt.state = AttemptState::Watched;
        return conclude(facts, attempt, Outcome::Failed(FailureReason::Unconfirmed));
    }
    follow(facts, attempt, news)
}

fn has_timed_out(attempt: &Attempt, now: Timestamp) -> bool {
    attempt.in_flight_since.is_some_and(|since| now.since(since) >= schedule::UNCONFIRMED_AFTER)
}

fn partial(facts: &AttemptFacts<'_>, mut attempt: Attempt, received: Quantity) -> Verdict {
    if Defect::PartialAmountPays.is_planted() {
        let reference = attempt.reference.clone().unwrap_or_default();
        return paid(facts, attempt, received, reference);
    }
    if !received.same_unit(&attempt.charge) {
        return mismatch(facts, attempt, received, None);
    }
    // Money in a transaction has come, whatever the provider says about it later.
    let received = received.atoms.max(attempt.recorded);
    let news = attempt.received != received;
    attempt.received = received;
    clear_confirmations(&mut attempt);
    let awaits_rest = attempt.state.is_active() && facts.session.state == State::Pending;
    let mut verdict = follow(facts, attempt, news);
    if !awaits_rest {
        record_rest(facts, &mut verdict);
    }
    verdict
}

/// Less is left of money that is in transactions. The session keeps its status; the ledger books the money
/// back, and an operator decides who bears the loss.
fn taken_back(facts: &AttemptFacts<'_>, mut attempt: Attempt, left: &Quantity) -> Verdict {
    if !left.same_unit(&attempt.charge) {
        return follow(facts, attempt, false);
    }
    if left.atoms >= attempt.recorded {
        return partial(facts, attempt, left.clone());
    }
    let money = Transaction::taken_back(&attempt, left.atoms, facts.session, facts.now, facts.event_id);
    (attempt.received, attempt.recorded) = (left.atoms, left.atoms);
    (attempt.in_flight_since, attempt.confirmations) = (None, None);
    if attempt.state == AttemptState::InFlight {
        attempt.state = AttemptState::Open;
    }
    let mut verdict = follow(facts, attempt, true);
    verdict.records.push(MoneyRecord::Reversal(money));
    verdict
}

fn paid(facts: &AttemptFacts<'_>, mut attempt: Attempt, received: Quantity, reference: String) -> Verdict {
    if !is_of(&attempt, &reference) || !received.same_unit(&attempt.charge) {
        return mismatch(facts, attempt, received, Some(reference));
    }
    if received.atoms < attempt.charge.atoms && !Defect::PartialAmountPays.is_planted() {
        return partial(facts, attempt, received);
    }
    attempt.reference = Some(reference);
    attempt.received = received.atoms.max(attempt.recorded);
    attempt.state = AttemptState::Paid;
    if facts.session.state == State::Pending { pay(facts, attempt) } else { pay_late(facts, attempt) }
}

/// The pending session is paid.
fn pay(facts: &AttemptFacts<'_>, mut attempt: Attempt) -> Verdict {
    let marks = Marks { over: attempt.received > attempt.charge.atoms, ..Marks::default() };
    let money = Transaction::by_attempt(&attempt, facts.session, marks, facts.now, facts.event_id);
    let surplus = Transaction::surplus(&attempt, facts.session);
    attempt.recorded = attempt.received;
    let mut verdict = Verdict::end(facts, attempt, Outcome::Paid, facts.now);
    verdict.records.push(MoneyRecord::Payment { money, surplus });
    verdict
}

/// The session has its final status already.
fn pay_late(facts: &AttemptFacts<'_>, mut attempt: Attempt) -> Verdict {
    let known = facts.attempt.state == AttemptState::Paid && facts.attempt.received == attempt.received;
    (attempt.checks, attempt.check_at) = (0, next_watch(facts, &attempt));
    let mut verdict = Verdict::stay(facts.session.held_until, attempt, !known);
    record_rest(facts, &mut verdict);
    verdict
}

/// The provider's payment is not the one that was asked for: the session fails, and an operator decides about
/// what the provider claims.
fn mismatch(
    facts: &AttemptFacts<'_>,
    mut attempt: Attempt,
    received: Quantity,
    reference: Option<String>,
) -> Verdict {
    let reference = reference.or_else(|| attempt.reference.clone()).unwrap_or_default();
    // Money that came before, and is in no transaction yet, gets its own one in the same commit.
    let id = if attempt.received > attempt.recorded { facts.event_id.beside() } else { facts.event_id };
    let claimed = Transaction::claimed(&attempt, facts.session, received, reference, facts.now, id);
    if attempt.state != AttemptState::Paid {
        attempt.state = AttemptState::Closed;
    }
    let mut verdict = conclude(facts, attempt, Outcome::Failed(FailureReason::ProviderError));
    verdict.records.push(MoneyRecord::Mismatch { claimed, id });
    verdict
}
