//! The changes that a verdict about an attempt makes: the only place where they are listed.

use super::{
    observe::{AttemptDecision, AttemptFacts},
    verdict::{MoneyRecord, SessionVerdict, Verdict},
};
use crate::{
    audit::Actor,
    callback::{EventKind, EventSource, UncoveredMoney},
    change::{Change, HistoryEntry, HistoryKind},
    defect::Defect,
    fiscal::registration::{self, FiscalSending, SecondReceipt},
    id::{EntryId, EventId},
    money::Money,
    receipt,
    session::{self, Ending, Outcome, Session},
    transaction::{Action, ActionKind, Resolution, Surplus, Transaction},
};

/// Writes a verdict as the changes of one commit, those with a guard first.
pub(super) fn write(facts: &AttemptFacts<'_>, verdict: Verdict) -> AttemptDecision {
    let Verdict { mut attempt, news, session, resolves_doubt, records, unreachable_at } = verdict;
    attempt.updated_at = facts.now;
    attempt.version = facts.attempt.version + 1;
    let mut changes = Vec::new();
    if resolves_doubt {
        changes.extend(resolved_doubt(facts));
    }
    let session = match session {
        SessionVerdict::Stays { held_until } => {
            let session = Session { held_until, ..facts.session.clone() };
            if session.held_until != facts.session.held_until {
                changes.push(Change::hold_session(&session, facts.session));
            }
            session
        }
        SessionVerdict::Ends { outcome, at } => {
            // Money ends the session whatever was chosen meanwhile. Any other end loses to a hold that began
            // while the provider answered.
            let paid = outcome == Outcome::Paid;
            let method = if paid { attempt.method } else { facts.session.methods.chosen };
            let ending = Ending { outcome, at, method, unless_moved: !paid };
            let ended = session::end(facts.session, ending, facts.settings, facts.event_id);
            let (mut session, ended) = ended.unwrap_or_else(|_| unreachable!("only a pending session ends"));
            changes.extend(ended);
            if paid && facts.rules.plays_registration {
                changes.extend(registration::play(&mut session));
            }
            session
        }
    };
    let was = facts.attempt.version;
    changes.push(Change::MoveAttempt { attempt: Box::new(attempt.clone()), was, news });
    for record in records {
        write_record(facts, &session, record, &mut changes);
    }
    changes.extend(
        unreachable_at
            .map(|at| Change::NeedAction(Box::new(Action::unreachable(facts.session, at, facts.event_id)))),
    );
    changes.sort_by_key(|change| change.guard().is_none());
    AttemptDecision { session, attempt, changes }
}

/// The provider has answered after all, and no attempt of the session can bring money any more: its open
/// `unreachable` actions are dismissed.
fn resolved_doubt(facts: &AttemptFacts<'_>) -> impl Iterator<Item = Change> {
    facts.doubt.actions.iter().map(|id| Change::ResolveAction {
        id: *id,
        resolution: Resolution::Dismiss,
        at: facts.now,
        by: Actor::system().name,
    })
}

fn write_record(facts: &AttemptFacts<'_>, after: &Session, record: MoneyRecord, changes: &mut Vec<Change>) {
    let entry = EntryId::from(facts.event_id);
    let transaction = |money: &Transaction| Change::RecordTransaction(Box::new(money.clone()));
    match record {
        MoneyRecord::Payment { money, surplus } => {
            changes.push(transaction(&money));
            changes.extend(to_till(facts, &money).map(FiscalSending::change));
            changes.extend(receipt::on_payment(facts, &money));
            if !Defect::PaymentNotPosted.is_planted() {
                changes.extend(facts.books().iter().flat_map(|books| books.payment(&money, entry)));
            }
            let Surplus { worth, received } = surplus;
            if worth.minor > 0 {
                hold_in_suspense(facts, &money, worth, ActionKind::Surplus, entry.beside(), changes);
                let part = UncoveredMoney { money: &money, amount: worth, received: &received };
                // The session's own event has the id of the decision.
                changes.extend(
                    source(facts, after, facts.event_id.following()).uncovered(EventKind::PaymentOver, &part),
                );
            }
        }
        MoneyRecord::Rest(money) => {
            let (kind, history, event) = if money.marks.late {
                (ActionKind::Late, HistoryKind::MoneyLate, EventKind::PaymentLate)
            } else {
                (ActionKind::Partial, HistoryKind::MoneyPartial, EventKind::PaymentPartial)
            };
            changes.push(transaction(&money));
            if money.marks.late {
                changes.extend(late_to_till(facts, &money));
            }
            hold_in_suspense(facts, &money, money.amount, kind, entry, changes);
            changes.push(history_of(facts, history, &money));
            let part = UncoveredMoney { money: &money, amount: money.amount, received: &money.received };
            changes.extend(source(facts, after, facts.event_id.following()).uncovered(event, &part));
        }
        MoneyRecord::Reversal(money) => {
            changes.push(transaction(&money));
            changes.push(need_action(facts, facts.event_id, &money, ActionKind::Reversed));
            changes.extend(facts.books().and_then(|books| books.reversal(&money, entry)));
            changes.push(history_of(facts, HistoryKind::MoneyReversed, &money));
        }
        MoneyRecord::Mismatch { claimed, id } => {
            changes.push(transaction(&claimed));
            changes.push(need_action(facts, id, &claimed, ActionKind::Mismatch));
        }
    }
}

/// The fiscal receipt has gone to the provider's till with the payment, with the address that the customer typed if it had
/// none.
fn to_till(facts: &AttemptFacts<'_>, money: &Transaction) -> Option<FiscalSending> {
    let has_till = facts.rules.tills.contains(&money.provider.as_str());
    facts.session.fiscal.filter(|_| has_till)?;
    let taken =
        registration::taken_along(facts.session.id.into(), &money.provider, &money.reference, facts.now);
    Some(FiscalSending { email: facts.attempt.email.clone(), ..taken })
}

/// The till has the receipt of late money, too, as the provider got it with the payment: it is that of the session, or a second
/// one, if the session's has gone to a till with another payment.
fn late_to_till(facts: &AttemptFacts<'_>, money: &Transaction) -> Vec<Change> {
    let Some(first) = to_till(facts, money) else { return Vec::new() };
    let sending = FiscalSending { id: money.id.into(), ..first.clone() };
    vec![first.change(), SecondReceipt { session: facts.session.id, sending }.change()]
}

/// The source of an event with this id, from the session as it is after the decision.
fn source<'a>(facts: &AttemptFacts<'a>, after: &'a Session, id: EventId) -> EventSource<'a> {
    EventSource { session: after, settings: facts.settings, now: facts.now, id }
}

/// Money that an operator decides about: it waits in the suspense account, and the operator is notified.
fn hold_in_suspense(
    facts: &AttemptFacts<'_>,
    money: &Transaction,
    amount: Money,
    kind: ActionKind,
    entry: EntryId,
    changes: &mut Vec<Change>,
) {
    changes.push(need_action(facts, facts.event_id, money, kind));
    changes.extend(facts.books().and_then(|books| books.suspense(money, amount, entry)));
}

fn need_action(facts: &AttemptFacts<'_>, id: EventId, money: &Transaction, kind: ActionKind) -> Change {
    Change::NeedAction(Box::new(Action {
        id: id.into(),
        kind,
        session: Some(money.session),
        vendor: Some(money.vendor),
        transaction: Some(money.id),
        finding: None,
        at: facts.now,
    }))
}

fn history_of(facts: &AttemptFacts<'_>, kind: HistoryKind, money: &Transaction) -> Change {
    let detail = Some(money.received.to_string());
    Change::Record(HistoryEntry { session: facts.session.id, at: facts.now, kind, detail })
}
