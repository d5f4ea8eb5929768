//! What a provider's word means for an attempt, its session and the money.

use super::{
    Attempt, AttemptState, Beside, Confirmations, Observation, Pace, Quantity, Started, schedule,
    silence::{Doubt, resolve_doubt, unreachable},
};
use crate::{
    change::{Change, HistoryEntry, HistoryKind},
    id::{EntryId, EventId},
    ledger::{Books, Terms},
    money::Money,
    receipt::{self, ReceiptLink},
    rules::Rules,
    session::{self, FailureReason, Outcome, Session, State},
    time::Timestamp,
    transaction::{Action, ActionKind, Marks, Transaction},
    vendor::Settings,
};
use std::time::Duration;

/// How long after the end of a session somebody tries to close what is still open for it.
const CLOSE_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// What a decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The session as it was read.
    pub session: &'a Session,
    /// The attempt as it was read.
    pub attempt: &'a Attempt,
    /// What the other attempts of the session do.
    pub beside: Beside,
    pub settings: &'a Settings,
    /// What the vendor and the operator agreed on.
    pub terms: &'a Terms,
    /// The rules of its environment.
    pub rules: &'a Rules,
    pub now: Timestamp,
    /// The number of whatever comes of it.
    pub event_id: EventId,
    /// What would lead to a receipt.
    pub link: ReceiptLink,
    /// How the attempt is followed.
    pub pace: Pace,
    /// What is open because the provider could not be asked.
    pub doubt: Doubt<'a>,
}

impl<'a> Scene<'a> {
    /// How the vendor's money is booked, where books are kept.
    fn books(&self) -> Option<Books<'a>> {
        self.rules.books(self.terms)
    }
}

/// What came of it. The changes are lost if anybody changed the attempt or ended the session meanwhile; the
/// caller reads both again.
#[derive(Debug, Clone)]
pub struct Observed {
    pub session: Session,
    pub attempt: Attempt,
    pub changes: Vec<Change>,
}

/// The provider has started the payment.
#[must_use]
pub fn started(scene: &Scene<'_>, started: Started) -> Observed {
    let mut attempt = scene.attempt.clone();
    attempt.reference = Some(started.reference);
    attempt.shown = Some(started.shown);
    attempt.charge = started.charge;
    if attempt.state == AttemptState::Intended {
        attempt.state = AttemptState::Open;
    }
    go_on(scene, attempt, true)
}

/// What a provider's word means.
#[must_use]
pub fn observe(scene: &Scene<'_>, observation: Observation) -> Observed {
    let mut attempt = scene.attempt.clone();
    match observation {
        // Money that is there stays there; only more of it is news.
        Observation::Waiting
        | Observation::InFlight
        | Observation::Confirming { .. }
        | Observation::Declined(_)
        | Observation::Closed
        | Observation::TimedOut
        | Observation::CannotBeClosed
        | Observation::NeverStarted
            if attempt.state == AttemptState::Paid =>
        {
            go_on(scene, attempt, false)
        }
        Observation::Waiting => {
            let news = nothing_came(&mut attempt) | nothing_confirms(&mut attempt);
            go_on(scene, attempt, news)
        }
        Observation::InFlight => {
            let news = fly(&mut attempt, scene.now);
            go_on(scene, attempt, news)
        }
        Observation::Confirming { seen, needed, received } => {
            // What is not what was asked for is judged when it has arrived.
            if !received.same_unit(&attempt.charge) {
                return go_on(scene, attempt, false);
            }
            let confirmations = Some(Confirmations { seen, needed, atoms: received.atoms });
            let news = fly(&mut attempt, scene.now) | (attempt.confirmations != confirmations);
            attempt.confirmations = confirmations;
            if seen == 0 && attempt.state.is_active() && is_given_up(&attempt, scene.now) {
                attempt.state = AttemptState::Watched;
                return conclude(scene, attempt, Outcome::Failed(FailureReason::Unconfirmed));
            }
            go_on(scene, attempt, news)
        }
        Observation::Partial { received } => partial(scene, attempt, received),
        Observation::TakenBack { received } => taken_back(scene, attempt, &received),
        Observation::Paid { received, reference } => {
            if !is_of(&attempt, &reference) || !received.same_unit(&attempt.charge) {
                return mismatch(scene, attempt, received, Some(reference));
            }
            if received.atoms < attempt.charge.atoms {
                return partial(scene, attempt, received);
            }
            attempt.reference = Some(reference);
            pay(scene, attempt, received.atoms)
        }
        Observation::Declined(reason) => refuse(scene, attempt, reason),
        Observation::TimedOut => {
            attempt.state = AttemptState::Closed;
            conclude(scene, attempt, Outcome::Expired)
        }
        Observation::Closed | Observation::NeverStarted => {
            attempt.state = AttemptState::Closed;
            end(scene, attempt)
        }
        Observation::CannotBeClosed => {
            nothing_came(&mut attempt);
            nothing_confirms(&mut attempt);
            attempt.state = AttemptState::Watched;
            end(scene, attempt)
        }
    }
}

/// What a provider's word means after it was asked to take no more money.
#[must_use]
pub fn closing(scene: &Scene<'_>, observation: Observation) -> Observed {
    // Somebody may be starting it this very moment.
    if observation == Observation::NeverStarted && is_being_started(scene) {
        return go_on(scene, scene.attempt.clone(), false);
    }
    let known = scene.attempt;
    let received = match &observation {
        Observation::Partial { received } => Some(received),
        Observation::TakenBack { received } if received.atoms >= known.recorded => Some(received),
        Observation::Paid { received, reference } if is_of(known, reference) => Some(received),
        _ => None,
    };
    let short = received.filter(|r| r.same_unit(&known.charge) && r.atoms < known.charge.atoms);
    let late = scene.session.deadline() <= scene.now;
    match short {
        // Too little is on its way, and the time is over: what of it is confirmed later is late money.
        None if late && known.state.is_active() && is_confirming_short(known, &observation) => {
            end(scene, leave_short(known.clone(), &observation))
        }
        // What has come is all that came in time, and nobody says that no more can come.
        Some(received) if known.state != AttemptState::Paid => {
            let received = received.atoms.max(known.recorded);
            end(scene, Attempt { state: AttemptState::Watched, received, ..known.clone() })
        }
        _ => {
            let observed = observe(scene, observation);
            // Who does not close it by the last moment is as good as silent.
            let open = observed.session.state == State::Pending && observed.attempt.state.is_active();
            if open && observed.session.ends_at() <= scene.now { unreachable(scene) } else { observed }
        }
    }
}

/// Whether what is on its way is not enough, with all that came before.
fn is_confirming_short(attempt: &Attempt, observation: &Observation) -> bool {
    matches!(observation, Observation::Confirming { received, .. }
        if received.same_unit(&attempt.charge) && received.atoms < attempt.charge.atoms)
}

/// An attempt of which a part may be confirmed, and another is not: of the latter nothing has come yet.
fn leave_short(mut attempt: Attempt, observation: &Observation) -> Attempt {
    attempt.state = AttemptState::Watched;
    if let Observation::Confirming { seen, needed, received } = observation {
        attempt.confirmations = Some(Confirmations { seen: *seen, needed: *needed, atoms: received.atoms });
        // A chain took some of it back; what of the rest is sure, nobody says.
        if received.atoms < attempt.received {
            nothing_came(&mut attempt);
        }
    }
    attempt
}

pub(super) fn is_being_started(scene: &Scene<'_>) -> bool {
    let age = scene.now.since(scene.attempt.started_at);
    scene.attempt.state == AttemptState::Intended && age < super::begin::START_WITHIN
}

/// Whether what a provider calls a payment is this attempt's.
fn is_of(attempt: &Attempt, reference: &str) -> bool {
    attempt.reference.as_ref().is_none_or(|known| known == reference)
}

/// Notes that money is on its way; whether that is news.
fn fly(attempt: &mut Attempt, now: Timestamp) -> bool {
    let news = attempt.in_flight_since.is_none();
    attempt.in_flight_since.get_or_insert(now);
    if attempt.state.is_active() {
        attempt.state = AttemptState::InFlight;
    }
    news
}

/// Forgets money that is in no transaction, because a chain took it back before anybody counted on it; whether there was
/// any.
fn nothing_came(attempt: &mut Attempt) -> bool {
    let was = std::mem::replace(&mut attempt.received, attempt.recorded);
    was != attempt.recorded
}

/// Notes that no transfer is on its way any more; whether one was.
fn nothing_confirms(attempt: &mut Attempt) -> bool {
    match attempt.state {
        AttemptState::InFlight => attempt.state = AttemptState::Open,
        AttemptState::Watched if attempt.confirmations.is_some() => {}
        _ => return false,
    }
    (attempt.in_flight_since, attempt.confirmations) = (None, None);
    true
}

fn is_given_up(attempt: &Attempt, now: Timestamp) -> bool {
    attempt.in_flight_since.is_some_and(|since| now.since(since) >= schedule::UNCONFIRMED_AFTER)
}

fn partial(scene: &Scene<'_>, mut attempt: Attempt, received: Quantity) -> Observed {
    if !received.same_unit(&attempt.charge) {
        return mismatch(scene, attempt, received, None);
    }
    // What is in a transaction has come, whatever is said about it later.
    let received = received.atoms.max(attempt.recorded);
    let news = attempt.received != received;
    attempt.received = received;
    nothing_confirms(&mut attempt);
    if attempt.state.is_active() && scene.session.state == State::Pending {
        return go_on(scene, attempt, news);
    }
    // Nobody waits for the rest: what came is money all the same.
    let mut observed = go_on(scene, attempt, news);
    record_rest(scene, &mut observed);
    observed
}

/// Of money that is in transactions less is left. What was said about the session stays; the money goes back to where it
/// came from, and somebody decides who bears that.
fn taken_back(scene: &Scene<'_>, mut attempt: Attempt, left: &Quantity) -> Observed {
    if !left.same_unit(&attempt.charge) {
        return go_on(scene, attempt, false);
    }
    if left.atoms >= attempt.recorded {
        return partial(scene, attempt, left.clone());
    }
    let money = Transaction::taken_back(&attempt, left.atoms, scene.session, scene.now, scene.event_id);
    (attempt.received, attempt.recorded) = (left.atoms, left.atoms);
    (attempt.in_flight_since, attempt.confirmations) = (None, None);
    if attempt.state == AttemptState::InFlight {
        attempt.state = AttemptState::Open;
    }
    let mut observed = go_on(scene, attempt, true);
    observed.changes.push(Change::RecordTransaction(Box::new(money.clone())));
    observed.changes.push(need(scene, scene.event_id, &money, ActionKind::Reversed));
    let entry = EntryId::from(scene.event_id);
    observed.changes.extend(scene.books().and_then(|books| books.reversal(&money, entry)));
    observed.changes.push(Change::Record(HistoryEntry {
        session: scene.session.id,
        at: scene.now,
        kind: HistoryKind::MoneyReversed,
        detail: Some(money.received.to_string()),
    }));
    observed
}

/// Goes on with an attempt: when it is looked at next, and until when its session is kept open for it.
pub(super) fn go_on(scene: &Scene<'_>, mut attempt: Attempt, news: bool) -> Observed {
    if has_let_go(scene, &attempt) {
        return let_go(scene, attempt);
    }
    attempt.checks = if news { 0 } else { attempt.checks.saturating_add(1) };
    let mut session = scene.session.clone();
    let mut changes = Vec::new();
    let forgotten = session.state != State::Pending && scene.now.since(session.updated_at) > CLOSE_FOR;
    if attempt.state.is_active() && forgotten {
        attempt.state = AttemptState::Watched;
    }
    if attempt.state.is_active() {
        attempt.check_at = Some(schedule::next_check(&session, &attempt, scene.pace, scene.now));
        if session.state == State::Pending && scene.beside != Beside::Holding {
            session.held_until = Some(schedule::hold(&session, &attempt, scene.now));
        }
    } else {
        attempt.check_at = next_look(scene, &attempt);
        if session.state == State::Pending && attempt.holds_session() {
            session.held_until = Some(schedule::hold_for_left(&session, scene.now));
        }
    }
    if session.held_until != scene.session.held_until {
        changes.push(Change::hold_session(&session, scene.session));
    }
    changes.push(moved(scene, &mut attempt, news));
    Observed { session, attempt, changes }
}

/// Whether an attempt that was left held the pending session, and no longer does: the chain took the transfer back.
fn has_let_go(scene: &Scene<'_>, attempt: &Attempt) -> bool {
    let held = scene.session.state == State::Pending && scene.attempt.holds_though_left();
    held && !attempt.holds_session()
}

/// The session no longer waits for an attempt that was left. It waits for the one that is active, or for another one until
/// its deadline.
fn let_go(scene: &Scene<'_>, mut attempt: Attempt) -> Observed {
    let mut session = scene.session.clone();
    let deadline = session.deadline();
    session.held_until = match scene.beside {
        Beside::Nothing if deadline <= scene.now => {
            return finish(scene, attempt, Outcome::Expired, scene.now, None);
        }
        Beside::Nothing => None,
        Beside::Active => Some(deadline.plus(schedule::GRACE)),
        Beside::Holding => session.held_until,
    };
    let mut changes = Vec::new();
    if session.held_until != scene.session.held_until {
        changes.push(Change::hold_session(&session, scene.session));
    }
    stop_looking(scene, &mut attempt);
    changes.push(moved(scene, &mut attempt, true));
    let mut observed = Observed { session, attempt, changes };
    record_rest(scene, &mut observed);
    observed
}

/// Whether the session waits for this attempt. One that was left for another says nothing about the session,
/// unless it brings the money after all; nor does one beside which that is about to happen.
fn is_waited_for(scene: &Scene<'_>) -> bool {
    let alone = scene.beside != Beside::Holding;
    scene.session.state == State::Pending && scene.attempt.state.is_active() && alone
}

/// An attempt that brings no more money. Its session is free for another one, or ends if its time has come.
fn end(scene: &Scene<'_>, attempt: Attempt) -> Observed {
    let deadline = scene.session.deadline();
    if is_waited_for(scene) && deadline <= scene.now {
        // What was in flight past the deadline moved it; what was only shown, or too little, did not.
        let in_flight = schedule::moves_deadline(scene.attempt);
        let moved = in_flight || scene.session.ends_at() > deadline.plus(schedule::GRACE);
        let at = if moved { scene.now } else { deadline };
        return finish(scene, attempt, Outcome::Expired, at, None);
    }
    retire(scene, attempt)
}

/// The end of an attempt that is not the end of its session.
pub(super) fn retire(scene: &Scene<'_>, mut attempt: Attempt) -> Observed {
    if has_let_go(scene, &attempt) {
        return let_go(scene, attempt);
    }
    let mut session = scene.session.clone();
    let mut changes = Vec::new();
    if is_waited_for(scene) {
        session.held_until = None;
        changes.push(Change::hold_session(&session, scene.session));
    }
    stop_looking(scene, &mut attempt);
    changes.push(moved(scene, &mut attempt, true));
    let mut observed = Observed { session, attempt, changes };
    resolve_doubt(scene, &mut observed);
    record_rest(scene, &mut observed);
    observed
}

fn stop_looking(scene: &Scene<'_>, attempt: &mut Attempt) {
    attempt.checks = 0;
    attempt.check_at = next_look(scene, attempt);
}

/// When an attempt that is not active is looked at again: only one that could still bring money is.
fn next_look(scene: &Scene<'_>, attempt: &Attempt) -> Option<Timestamp> {
    match attempt.state {
        AttemptState::Watched => schedule::next_watch(attempt, scene.now),
        _ => None,
    }
}

fn refuse(scene: &Scene<'_>, mut attempt: Attempt, reason: FailureReason) -> Observed {
    attempt.state = AttemptState::Declined(reason);
    conclude(scene, attempt, Outcome::Failed(reason))
}

/// The end of an attempt, and of its session with it if that waits for it.
fn conclude(scene: &Scene<'_>, attempt: Attempt, outcome: Outcome) -> Observed {
    if is_waited_for(scene) {
        finish(scene, attempt, outcome, scene.now, None)
    } else {
        retire(scene, attempt)
    }
}

fn pay(scene: &Scene<'_>, mut attempt: Attempt, received: u128) -> Observed {
    let received = received.max(attempt.recorded);
    attempt.received = received;
    attempt.state = AttemptState::Paid;
    if scene.session.state != State::Pending {
        stop_looking(scene, &mut attempt);
        let known = scene.attempt.state == AttemptState::Paid && scene.attempt.received == received;
        let changes = vec![moved(scene, &mut attempt, !known)];
        let mut observed = Observed { session: scene.session.clone(), attempt, changes };
        record_rest(scene, &mut observed);
        return observed;
    }
    let marks = Marks { over: received > attempt.charge.atoms, ..Marks::default() };
    let money = Transaction::by_attempt(&attempt, scene.session, marks, scene.now, scene.event_id);
    let surplus = Transaction::surplus(&attempt, scene.session);
    attempt.recorded = received;
    let mut observed = finish(scene, attempt, Outcome::Paid, scene.now, Some(money.clone()));
    let entry = EntryId::from(scene.event_id);
    observed.changes.extend(scene.books().iter().flat_map(|books| books.payment(&money, entry)));
    if surplus.minor > 0 {
        set_aside(scene, &mut observed, &money, surplus, ActionKind::Surplus, entry.beside());
    }
    observed
}

/// Money that a person has to decide about: it waits in suspense, and somebody is told.
fn set_aside(
    scene: &Scene<'_>,
    observed: &mut Observed,
    money: &Transaction,
    amount: Money,
    kind: ActionKind,
    entry: EntryId,
) {
    observed.changes.push(need(scene, scene.event_id, money, kind));
    observed.changes.extend(scene.books().and_then(|books| books.suspense(money, amount, entry)));
}

/// Somebody is told of money.
fn need(scene: &Scene<'_>, id: EventId, money: &Transaction, kind: ActionKind) -> Change {
    Change::NeedAction(Box::new(Action {
        id: id.into(),
        kind,
        session: Some(money.session),
        vendor: Some(money.vendor),
        transaction: Some(money.id),
        finding: None,
        at: scene.now,
    }))
}

/// Gives a pending session its outcome together with the attempt's end; a final one keeps its own.
fn finish(
    scene: &Scene<'_>,
    mut attempt: Attempt,
    outcome: Outcome,
    at: Timestamp,
    money: Option<Transaction>,
) -> Observed {
    stop_looking(scene, &mut attempt);
    // What is told names the method that was paid with.
    let mut paid_with = scene.session.clone();
    if outcome == Outcome::Paid {
        paid_with.methods.chosen = attempt.method;
    }
    let receipt = money.as_ref().map(|money| receipt::on_payment(scene, money));
    let concluded = session::conclude(&paid_with, outcome, at, scene.settings, scene.event_id, money);
    let Ok((mut session, mut changes)) = concluded else {
        return retire(scene, attempt);
    };
    // Money decides whatever was chosen meanwhile. Any other end loses to a hold that began while the provider answered.
    if outcome != Outcome::Paid {
        session::unless_moved(scene.session, &mut changes);
    }
    changes.extend(receipt.into_iter().flatten());
    session.methods.chosen = scene.session.methods.chosen;
    changes.insert(1, moved(scene, &mut attempt, true));
    let mut observed = Observed { session, attempt, changes };
    record_rest(scene, &mut observed);
    observed
}

/// Money that is in no transaction yet, and that nobody waits for: it has a row, and somebody is told. Not of late money
/// that is worth less than the smallest unit of the price.
fn record_rest(scene: &Scene<'_>, observed: &mut Observed) {
    let attempt = &observed.attempt;
    if attempt.received <= attempt.recorded {
        return;
    }
    let late = scene.session.state != State::Pending;
    let asked = attempt.charge.atoms;
    let (partial, over) = (attempt.received < asked, attempt.received > asked);
    let marks = Marks { late, partial, over, ..Marks::default() };
    let money = Transaction::by_attempt(attempt, scene.session, marks, scene.now, scene.event_id);
    // Anybody can send dust to an old address: nobody decides about nothing. It counts once it is worth something,
    // with all that comes.
    if late && money.amount.minor == 0 {
        return;
    }
    let (kind, history) = if late {
        (ActionKind::Late, HistoryKind::MoneyLate)
    } else {
        (ActionKind::Partial, HistoryKind::MoneyPartial)
    };
    let detail = money.received.to_string();
    observed.attempt.recorded = observed.attempt.received;
    for change in &mut observed.changes {
        if let Change::MoveAttempt { attempt, .. } = change {
            attempt.recorded = attempt.received;
        }
    }
    observed.changes.push(Change::RecordTransaction(Box::new(money.clone())));
    set_aside(scene, observed, &money, money.amount, kind, scene.event_id.into());
    observed.changes.push(Change::Record(HistoryEntry {
        session: scene.session.id,
        at: scene.now,
        kind: history,
        detail: Some(detail),
    }));
}

/// The provider's payment is not the one that was asked for: the session fails, and a person looks at what
/// the provider claims.
fn mismatch(
    scene: &Scene<'_>,
    mut attempt: Attempt,
    received: Quantity,
    reference: Option<String>,
) -> Observed {
    let reference = reference.or_else(|| attempt.reference.clone()).unwrap_or_default();
    // Money that came before, and is in no transaction yet, gets its own one in this moment.
    let id = if attempt.received > attempt.recorded { scene.event_id.beside() } else { scene.event_id };
    let claimed = Transaction::claimed(&attempt, scene.session, received, reference, scene.now, id);
    if attempt.state != AttemptState::Paid {
        attempt.state = AttemptState::Closed;
    }
    let mut observed = conclude(scene, attempt, Outcome::Failed(FailureReason::ProviderError));
    let action = need(scene, id, &claimed, ActionKind::Mismatch);
    observed.changes.push(Change::RecordTransaction(Box::new(claimed)));
    observed.changes.push(action);
    observed
}

fn moved(scene: &Scene<'_>, attempt: &mut Attempt, news: bool) -> Change {
    attempt.updated_at = scene.now;
    attempt.version = scene.attempt.version + 1;
    Change::MoveAttempt { attempt: Box::new(attempt.clone()), was: scene.attempt.version, news }
}
