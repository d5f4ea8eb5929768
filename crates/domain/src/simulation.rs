//! Events that a tester simulates for the money of a sandbox session after its end: money that it does not cover, the decision
//! about it, and disputes. Each is recorded and reported like the same thing in live.

use crate::{
    callback::{EventKind, EventSource, UncoveredMoney},
    change::{Change, HistoryEntry, HistoryKind},
    finding::{self, Finding},
    fiscal::FiscalReceipt,
    id::{EventId, RefundId},
    misdelivery::{self, ChosenFor, DeliveryChoice},
    money::{Money, Price},
    refund::{self, Payment, Refund},
    rejection::{FieldProblem, Problems, Rejection},
    request::{FieldValue, SimulateRequest},
    session::{Session, State, Status},
    time::Timestamp,
    transaction::{Action, ActionKind, Marks, Resolution, Transaction},
    vendor::Settings,
};
use std::time::Duration;

/// The events that a tester may ask for, for messages.
const EVENTS: &str = "payment.late, payment.partial, payment.over, payment.resolved, dispute.opened, dispute.won, \
                      dispute.lost";

/// The time until which a dispute has to be answered.
const ANSWER_WITHIN: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The name under which a tester decides.
const TESTER: &str = "tester";

/// The facts that a simulated event depends on.
#[derive(Debug, Clone, Copy)]
pub struct SimulationFacts<'a> {
    pub session: &'a Session,
    /// All its transactions.
    pub transactions: &'a [Transaction],
    /// Its actions that are not decided, oldest first.
    pub open: &'a [Action],
    /// How many disputes it had.
    pub disputes: usize,
    pub refunds: &'a [Refund],
    /// Its fiscal receipt, if it has one.
    pub fiscal: Option<&'a FiscalReceipt>,
    /// Its payment, if it was paid.
    pub payment: Option<Payment<'a>>,
    pub settings: &'a Settings,
    pub now: Timestamp,
    /// The id for the event, the transaction and the action.
    pub id: EventId,
}

/// The changes that make the event of a request happen. They are lost if another request was faster.
pub fn simulate_event(
    request: &SimulateRequest,
    facts: &SimulationFacts<'_>,
) -> Result<Vec<Change>, Rejection> {
    let asked = read(request, facts.session)?;
    let mut changes = happen(&asked, facts)?;
    let chosen_for = ChosenFor::Event(facts.session.id, facts.id);
    changes.extend(asked.delivery.map(|choice| Change::ChooseDelivery { chosen_for, choice }));
    Ok(changes)
}

fn happen(asked: &AskedEvent, facts: &SimulationFacts<'_>) -> Result<Vec<Change>, Rejection> {
    match asked.kind {
        EventKind::PaymentLate | EventKind::PaymentPartial | EventKind::PaymentOver => {
            uncovered(asked.kind, asked.amount, facts)
        }
        EventKind::PaymentResolved => resolve(asked.resolution, facts),
        EventKind::DisputeOpened => open_dispute(asked.amount, facts),
        EventKind::DisputeWon => end_dispute(Resolution::Dismiss, facts),
        EventKind::DisputeLost => end_dispute(Resolution::Charge, facts),
        EventKind::SessionPaid
        | EventKind::SessionFailed
        | EventKind::SessionExpired
        | EventKind::RefundSucceeded
        | EventKind::RefundFailed => unreachable!("these are refused when they are read"),
    }
}

/// A request for an event.
struct AskedEvent {
    kind: EventKind,
    amount: Option<Money>,
    resolution: Resolution,
    delivery: Option<DeliveryChoice>,
}

fn read(request: &SimulateRequest, session: &Session) -> Result<AskedEvent, Rejection> {
    let mut problems = Problems::default();
    for (name, of_outcome) in [("outcome", &request.outcome), ("receipt", &request.receipt)] {
        if *of_outcome != FieldValue::Absent {
            problems.add(name, FieldProblem::NotTogetherWith("event"));
        }
    }
    let kind = request.event.required_text().and_then(|word| {
        let kind = EventKind::parse(word).filter(|kind| can_be_simulated(*kind));
        kind.ok_or(FieldProblem::NotOneOf(EVENTS))
    });
    let kind = problems.take("event", kind);
    let price = |digits| Price::new(digits, session.item.price.currency()).map_err(FieldProblem::from);
    let amount = request.amount.digits().and_then(|digits| digits.map(price).transpose());
    let amount = problems.take("amount", amount).flatten().map(|price| price.money());
    let resolution = problems.take("resolution", read_resolution(request, kind));
    let delivery = misdelivery::read(&request.callback, &mut problems);
    problems.finish()?;
    match (kind, resolution) {
        (Some(kind), Some(resolution)) => Ok(AskedEvent { kind, amount, resolution, delivery }),
        _ => unreachable!("a missing part was noted as a problem"),
    }
}

fn can_be_simulated(kind: EventKind) -> bool {
    kind.family().is_some() && !matches!(kind, EventKind::RefundSucceeded | EventKind::RefundFailed)
}

/// The decision about money; needed for `payment.resolved` alone.
fn read_resolution(request: &SimulateRequest, kind: Option<EventKind>) -> Result<Resolution, FieldProblem> {
    let word = match kind {
        Some(EventKind::PaymentResolved) => Some(request.resolution.required_text()?),
        _ => request.resolution.text()?,
    };
    match word {
        None | Some("accepted") => Ok(Resolution::Accept),
        Some("refunded") => Ok(Resolution::Refund),
        Some(_) => Err(FieldProblem::NotOneOf("accepted, refunded")),
    }
}

/// Refuses an amount that is more than there can be.
fn at_most(amount: Money, left: Money) -> Result<Money, Rejection> {
    if amount.minor <= left.minor {
        return Ok(amount);
    }
    let mut problems = Problems::default();
    problems.add("amount", FieldProblem::AmountTooLarge { left });
    problems.finish()?;
    Ok(amount)
}

/// Money comes that the session does not cover.
fn uncovered(
    kind: EventKind,
    amount: Option<Money>,
    facts: &SimulationFacts<'_>,
) -> Result<Vec<Change>, Rejection> {
    let (session, price) = (facts.session, facts.session.item.price.money());
    let part = |minor: i64| Money { minor: minor.max(1), ..price };
    let status = session.state.status();
    let (possible, amount, marks, action) = match kind {
        EventKind::PaymentLate => {
            let possible = matches!(status, Status::Expired | Status::Failed);
            let marks = Marks { late: true, ..Marks::default() };
            (possible, amount.unwrap_or(price), marks, ActionKind::Late)
        }
        EventKind::PaymentPartial => {
            let amount = match amount {
                Some(amount) => at_most(amount, part(price.minor - 1))?,
                None => part(price.minor / 2),
            };
            let marks = Marks { partial: true, ..Marks::default() };
            (status == Status::Expired, amount, marks, ActionKind::Partial)
        }
        _ => {
            let marks = Marks { over: true, ..Marks::default() };
            let amount = amount.unwrap_or_else(|| part(price.minor / 10));
            (status == Status::Paid, amount, marks, ActionKind::Surplus)
        }
    };
    if !possible {
        return Err(Rejection::NotPossibleNow);
    }
    let money = Transaction {
        amount,
        received: amount.into(),
        marks,
        ..Transaction::by_tester(session, facts.now, facts.id)
    };
    let history = match action {
        ActionKind::Late => Some(HistoryKind::MoneyLate),
        ActionKind::Partial => Some(HistoryKind::MoneyPartial),
        _ => None,
    };
    let event = UncoveredMoney { money: &money, amount, received: &money.received };
    let event = source(facts).uncovered(kind, &event);
    let mut changes = vec![
        Change::RecordTransaction(Box::new(money.clone())),
        Change::NeedAction(Box::new(Action {
            id: facts.id.into(),
            kind: action,
            session: Some(session.id),
            vendor: Some(session.vendor),
            transaction: Some(money.id),
            finding: None,
            at: facts.now,
        })),
    ];
    changes.extend(history.map(|kind| record(kind, &money)));
    changes.extend(event);
    Ok(changes)
}

/// The oldest open action about money is decided.
fn resolve(resolution: Resolution, facts: &SimulationFacts<'_>) -> Result<Vec<Change>, Rejection> {
    let waits = |action: &&Action| action.choices().contains(&resolution) && action.transaction.is_some();
    let action = facts.open.iter().find(waits).ok_or(Rejection::NotPossibleNow)?;
    let money = transaction_of(action, facts)?;
    let mut changes = vec![decided(action, resolution, facts)];
    if resolution == Resolution::Refund {
        let id = RefundId::from_bytes(facts.id.into());
        let (refund, insert) =
            refund::give_back_unbooked(money, action.id, id, facts.refunds, TESTER, facts.now);
        changes.push(insert);
        changes.extend(refund::receipt_of_held(&refund, facts.fiscal));
    }
    changes.extend(source(facts).decided(action, money, resolution, money.amount));
    Ok(changes)
}

/// A customer's bank demands the payment back.
fn open_dispute(amount: Option<Money>, facts: &SimulationFacts<'_>) -> Result<Vec<Change>, Rejection> {
    let is_open = facts.open.iter().any(|action| action.kind == ActionKind::Disputed);
    let payment = facts.payment.filter(|_| facts.session.state == State::Paid && !is_open);
    let payment = payment.ok_or(Rejection::NotPossibleNow)?;
    let (left, payment) = (payment.left(facts.refunds), payment.money);
    if left.minor <= 0 {
        return Err(Rejection::NotPossibleNow);
    }
    let amount = at_most(amount.unwrap_or(left), left)?;
    // Numbered, so that of two that are opened at once one is lost.
    let subject = format!("{}:{}:{}", payment.provider, facts.session.id, facts.disputes + 1);
    let note = format!("a tester simulates a dispute of {amount}");
    let found = Finding::new(&subject, &note, Some(amount)).due(Some(facts.now.plus(ANSWER_WITHIN)));
    let mut changes = finding::disputed(found, payment, facts.now, facts.id);
    if let Some(Change::NeedAction(action)) = changes.first() {
        changes.extend(source(facts).disputed(action, payment));
    }
    Ok(changes)
}

/// The open dispute is won, or lost with its money.
fn end_dispute(resolution: Resolution, facts: &SimulationFacts<'_>) -> Result<Vec<Change>, Rejection> {
    let open = facts.open.iter().find(|action| action.kind == ActionKind::Disputed);
    let action = open.ok_or(Rejection::NotPossibleNow)?;
    let payment = transaction_of(action, facts)?;
    let amount = action.amount().unwrap_or(payment.amount);
    let mut changes = vec![decided(action, resolution, facts)];
    if resolution == Resolution::Charge {
        let money = Transaction {
            id: facts.id.into(),
            amount,
            received: amount.into(),
            marks: Marks { reversed: true, ..Marks::default() },
            at: facts.now,
            ..payment.clone()
        };
        let history = record(HistoryKind::MoneyReversed, &money);
        changes.extend([Change::RecordTransaction(Box::new(money)), history]);
    }
    changes.extend(source(facts).decided(action, payment, resolution, amount));
    Ok(changes)
}

fn decided(action: &Action, resolution: Resolution, facts: &SimulationFacts<'_>) -> Change {
    Change::ResolveAction { id: action.id, resolution, at: facts.now, by: TESTER.to_owned() }
}

fn transaction_of<'a>(action: &Action, facts: &SimulationFacts<'a>) -> Result<&'a Transaction, Rejection> {
    let is = |money: &&Transaction| Some(money.id) == action.transaction;
    facts.transactions.iter().find(is).ok_or(Rejection::NotPossibleNow)
}

fn record(kind: HistoryKind, money: &Transaction) -> Change {
    let detail = Some(money.received.to_string());
    Change::Record(HistoryEntry { session: money.session, at: money.at, kind, detail })
}

fn source<'a>(facts: &SimulationFacts<'a>) -> EventSource<'a> {
    EventSource { session: facts.session, settings: facts.settings, now: facts.now, id: facts.id }
}
