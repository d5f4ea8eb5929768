//! Moves of a session: to its final status, to another method, and by the passing of time.
//!
//! A final status is given in one place, `end`; its callback and its money are in the same list of
//! changes, so they are one commit.

use super::{FailureReason, Outcome, Plan, Session, State, price};
use crate::{
    callback,
    change::{Change, HistoryEntry, HistoryKind},
    defect::Defect,
    fiscal::{ReceiptStatus, registration},
    id::EventId,
    method::Method,
    misdelivery::{self, ChosenFor, DeliveryChoice},
    rejection::{FieldProblem, Problems, Rejection},
    request::{FieldValue, SimulateRequest},
    rules::Rules,
    time::Timestamp,
    transaction::{Action, Transaction},
    vendor::Settings,
};
use std::time::Duration;

/// The longest delay that a tester may ask for, in milliseconds.
const MAX_AFTER_MS: u32 = 600_000;

/// Gives a pending session its final status at this moment without a provider, because a tester chose it or
/// time has passed. Its callback event and, if it is paid, its money are in the changes.
pub fn finish(
    session: &Session,
    outcome: Outcome,
    at: Timestamp,
    settings: &Settings,
    event_id: EventId,
) -> Result<(Session, Vec<Change>), Rejection> {
    end_by_tester(session, Ending::new(session, outcome, at), settings, event_id)
}

fn end_by_tester(
    session: &Session,
    ending: Ending,
    settings: &Settings,
    event_id: EventId,
) -> Result<(Session, Vec<Change>), Rejection> {
    let (mut finished, mut changes) = end(session, ending, settings, event_id)?;
    if ending.outcome == Outcome::Paid {
        let money = Transaction::by_tester(session, ending.at, event_id);
        changes.push(Change::RecordTransaction(Box::new(money)));
        changes.extend(registration::play(&mut finished));
    }
    Ok((finished, changes))
}

/// How a pending session ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ending {
    pub outcome: Outcome,
    pub at: Timestamp,
    /// The method that the callback names.
    pub method: Method,
    /// Set if the end loses to a commit that moved the session's due moment: another method was chosen, or the session
    /// is held for money that is on its way.
    pub unless_moved: bool,
}

impl Ending {
    /// An end that no other change of a pending session prevents, by the method that was chosen last.
    pub(crate) fn new(session: &Session, outcome: Outcome, at: Timestamp) -> Self {
        Self { outcome, at, method: session.methods.chosen, unless_moved: false }
    }
}

/// Gives a pending session its final status, with its callback. It never ends before it was created, whatever the clock
/// said then and says now.
pub(crate) fn end(
    session: &Session,
    ending: Ending,
    settings: &Settings,
    event_id: EventId,
) -> Result<(Session, Vec<Change>), Rejection> {
    let Ending { outcome, at, method, unless_moved } = ending;
    let (state, at) = (State::from(outcome), at.max(session.created_at));
    if !session.state.status().may_become(state.status()) {
        return Err(Rejection::SessionNotPending);
    }
    let finished = Session { state, updated_at: at, plan: None, held_until: None, ..session.clone() };
    let Some(event) = callback::event(&finished, method, settings, event_id) else {
        unreachable!("an outcome is final, and every final state has an event");
    };
    let was_due_at = unless_moved.then(|| session.due_at());
    let mut changes = vec![
        Change::FinishSession { id: session.id, outcome, at, was_due_at },
        Change::QueueCallback(Box::new(event)),
    ];
    if Defect::OutcomeWithoutCallback.is_planted() {
        changes.pop();
    }
    Ok((finished, changes))
}

/// Gives a session the final status that is due by time; `None` while none is. If it was held for an attempt
/// that was never closed, an action tells the operator.
///
/// The change is lost if another commit moved the due moment: a plan was replaced, or another method chosen.
/// The caller reads again and retries.
#[must_use]
pub fn settle(
    session: &Session,
    now: Timestamp,
    settings: &Settings,
    event_id: EventId,
) -> Option<(Session, Vec<Change>)> {
    let (outcome, at) = due(session, now)?;
    let ending = Ending { unless_moved: true, ..Ending::new(session, outcome, at) };
    let ended = end_by_tester(session, ending, settings, event_id);
    let (finished, mut changes) = ended.unwrap_or_else(|_| unreachable!("only a pending session is due"));
    if outcome == Outcome::Expired && session.held_until.is_some() {
        changes.push(Change::NeedAction(Box::new(Action::unreachable(session, at, event_id))));
    }
    Some((finished, changes))
}

/// Ends a pending session that has no active attempt now, before its deadline: the vendor asked for it. `None` if it is
/// final.
///
/// The change is lost if another commit moved the due moment: a method was chosen, or an attempt began.
#[must_use]
pub fn expire(
    session: &Session,
    now: Timestamp,
    settings: &Settings,
    event_id: EventId,
) -> Option<(Session, Vec<Change>)> {
    let ending = Ending { unless_moved: true, ..Ending::new(session, Outcome::Expired, now) };
    end(session, ending, settings, event_id).ok()
}

/// What time has made of a session: its planned outcome or its expiry, and the moment it took effect.
///
/// The answer is the same for a status query and for the expiry worker, and however late: `updatedAt` does
/// not depend on it.
#[must_use]
pub fn due(session: &Session, now: Timestamp) -> Option<(Outcome, Timestamp)> {
    if session.state != State::Pending {
        return None;
    }
    let end = session.expires_at();
    match session.plan {
        Some(plan) if plan.at <= now && plan.at <= end => Some((plan.outcome, plan.at)),
        _ => (end <= now).then_some((Outcome::Expired, session.ends_at())),
    }
}

/// Makes `method` the chosen one. Its clock starts now unless it was started before.
pub fn choose_method(
    session: &Session,
    method: Method,
    rules: &Rules,
    now: Timestamp,
) -> Result<(Session, Vec<Change>), Rejection> {
    if session.state != State::Pending || session.deadline() <= now || due(session, now).is_some() {
        return Err(Rejection::SessionNotPending);
    }
    if !session.methods.offered.contains(&method) {
        return Err(Rejection::MethodNotOffered);
    }
    if session.methods.clocks.of(method).is_some_and(|end| end <= now) {
        return Err(Rejection::MethodTimedOut);
    }
    let mut chosen = session.clone();
    chosen.methods.chosen = method;
    chosen.methods.clocks.start(method, now, &rules.lifetimes, session.closes_at);
    let changes = vec![
        Change::choose_method(&chosen, session),
        Change::Record(HistoryEntry {
            session: session.id,
            at: now,
            kind: HistoryKind::MethodChosen,
            detail: Some(method.to_string()),
        }),
    ];
    Ok((chosen, changes))
}

/// Applies an outcome that a tester asked for: now, or planned for later.
pub fn simulate(
    session: &Session,
    request: &SimulateRequest,
    now: Timestamp,
    settings: &Settings,
    event_id: EventId,
) -> Result<(Session, Vec<Change>), Rejection> {
    let AskedSimulation { outcome: asked, after, delivery, receipt } = read_simulation(request)?;
    if session.state != State::Pending || due(session, now).is_some() {
        return Err(Rejection::SessionNotPending);
    }
    let mut delivery: Vec<Change> =
        delivery.map(|choice| choose_delivery(session, choice)).into_iter().collect();
    // The plan has to be stored when the outcome reads it.
    let (session, planned) = match receipt {
        Some(status) => {
            registration::wish(session, status, now).map(|(session, plan)| (session, Some(plan)))?
        }
        None => (session.clone(), None),
    };
    delivery.extend(planned);
    let session = &session;
    let (outcome, after) = match asked {
        AskedOutcome::Is(outcome) => (outcome, after),
        AskedOutcome::ByPrice => match price::outcome(session.item.price.money()) {
            Some((outcome, delay)) => (outcome, after.saturating_add(delay)),
            // The price says nothing: the tester decides later.
            None => return Ok((session.clone(), delivery)),
        },
    };
    if after.is_zero() {
        let (finished, mut changes) = finish(session, outcome, now, settings, event_id)?;
        changes.extend(delivery);
        return Ok((finished, changes));
    }
    let plan = Plan { outcome, at: now.plus(after) };
    let planned = Session { plan: Some(plan), ..session.clone() };
    let word = State::from(outcome).status();
    let mut changes = vec![
        Change::PlanOutcome { id: session.id, plan, due_at: planned.due_at(), was_due_at: session.due_at() },
        Change::Record(HistoryEntry {
            session: session.id,
            at: now,
            kind: HistoryKind::OutcomePlanned,
            detail: Some(format!("{word} at {}", plan.at)),
        }),
    ];
    changes.extend(delivery);
    Ok((planned, changes))
}

/// Stores how a tester wants the callback about a session's outcome to be delivered.
#[must_use]
pub fn choose_delivery(session: &Session, choice: DeliveryChoice) -> Change {
    Change::ChooseDelivery { chosen_for: ChosenFor::Outcome(session.id), choice }
}

/// The outcome that a tester asks for.
#[derive(Debug, Clone, Copy)]
enum AskedOutcome {
    Is(Outcome),
    /// The one that the price stands for.
    ByPrice,
}

/// What a tester asks for.
struct AskedSimulation {
    outcome: AskedOutcome,
    after: Duration,
    delivery: Option<DeliveryChoice>,
    receipt: Option<ReceiptStatus>,
}

fn read_simulation(request: &SimulateRequest) -> Result<AskedSimulation, Rejection> {
    let mut problems = Problems::default();
    let reason = problems.take("failure_reason", read_reason(&request.failure_reason));
    let outcome = problems.take("outcome", read_outcome(&request.outcome, reason.flatten()));
    let after = problems.take("after_ms", read_after(&request.after_ms));
    for (name, of_event) in [("amount", &request.amount), ("resolution", &request.resolution)] {
        if *of_event != FieldValue::Absent {
            problems.add(name, FieldProblem::NotTogetherWith("outcome"));
        }
    }
    let delivery = misdelivery::read(&request.callback, &mut problems);
    let receipt = registration::read_wish(&request.receipt, &mut problems);
    problems.finish()?;
    match (outcome, after) {
        (Some(outcome), Some(after)) => Ok(AskedSimulation { outcome, after, delivery, receipt }),
        _ => unreachable!("a missing part was noted as a problem"),
    }
}

fn read_reason(value: &FieldValue) -> Result<Option<FailureReason>, FieldProblem> {
    let Some(word) = value.text()? else { return Ok(None) };
    FailureReason::parse(word).map(Some).ok_or(FieldProblem::NotOneOf(FailureReason::WORDS))
}

fn read_outcome(value: &FieldValue, reason: Option<FailureReason>) -> Result<AskedOutcome, FieldProblem> {
    let outcome = match value.required_text()? {
        "paid" => Outcome::Paid,
        "failed" => Outcome::Failed(reason.unwrap_or(FailureReason::CardDeclined)),
        "expired" => Outcome::Expired,
        "by_price" => return Ok(AskedOutcome::ByPrice),
        _ => return Err(FieldProblem::NotOneOf("paid, failed, expired, by_price")),
    };
    Ok(AskedOutcome::Is(outcome))
}

fn read_after(value: &FieldValue) -> Result<Duration, FieldProblem> {
    let ms = value.whole(0..=MAX_AFTER_MS, "a whole number of milliseconds")?;
    Ok(Duration::from_millis(ms.unwrap_or_default().into()))
}
