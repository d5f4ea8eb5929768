//! Attempts to take a session's money: the meaning of each observation of a provider in each state (decisions
//! §5, promises P12 to P14). [`table`] tries all combinations, [`life`] random orders; [`silence`] covers
//! providers that do not answer.

mod left;
mod life;
mod receipts;
mod silence;
mod table;

use crate::fixture::{Shop, after, event_id, minutes};
use std::time::Duration;
use till_domain::{
    attempt::{
        self, Attempt, AttemptDecision, AttemptFacts, AttemptState, AttemptStep, Beginning, Instructions,
        Observation, OtherAttempts, Pace, Quantity, Started, UnreachableActions,
    },
    chain::{Address, ChainId},
    change::Change,
    id::AttemptId,
    ledger::Terms,
    method::Method,
    receipt::ReceiptLink,
    session::{FailureReason, Session, State},
    time::Timestamp,
    transaction::{Action, ActionKind, Transaction},
    vendor::Settings,
};

/// The amount that the customer has to pay: 49.90, in coins with six decimals.
const CHARGE: u128 = 49_900_000;

fn coins(atoms: u128) -> Quantity {
    Quantity { atoms, decimals: 6, unit: "USDC".to_owned() }
}

fn attempt_id(number: u8) -> AttemptId {
    AttemptId::new(after(0), &[number; 10])
}

fn reference(id: AttemptId) -> String {
    format!("ref-{id}")
}

fn started(id: AttemptId) -> Started {
    Started { reference: reference(id), instructions: Instructions::Nothing, charge: coins(CHARGE) }
}

/// Begins an attempt, and returns the session and the attempt after that.
fn begin(session: &Session, method: Method, number: u8, now: Timestamp) -> (Session, Attempt, Vec<Change>) {
    let id = attempt_id(number);
    let beginning =
        Beginning { session, method, provider: "bank", choice: None, email: None, language: None, id };
    attempt::begin(beginning, &Shop::live().rules, now).expect("it may begin")
}

/// A session with an open attempt by this method.
fn opened(method: Method) -> (Session, Attempt) {
    let session = Shop::live().session(&format!(r#"{{"defaultPaymentMethod":"{method}"}}"#));
    let (session, attempt, _) = begin(&session, method, 1, after(0));
    let observed = see(&session, &attempt, after(0), |scene| attempt::started(scene, started(attempt.id)));
    (observed.session, observed.attempt)
}

fn see(
    session: &Session,
    attempt: &Attempt,
    now: Timestamp,
    decide: impl FnOnce(&AttemptFacts<'_>) -> AttemptDecision,
) -> AttemptDecision {
    let settings = Settings::default();
    let terms = &Terms::default();
    let (rules, link) = (&Shop::live().rules, ReceiptLink::new([9; 16]));
    decide(&AttemptFacts {
        session,
        attempt,
        beside: OtherAttempts::Nothing,
        settings: &settings,
        terms,
        rules,
        now,
        event_id: event_id(),
        link,
        pace: Pace::Polling,
        doubt: UnreachableActions::default(),
        ends_now: false,
    })
}

/// The same beside another attempt.
fn see_beside(
    beside: OtherAttempts,
    session: &Session,
    attempt: &Attempt,
    now: Timestamp,
    decide: impl FnOnce(&AttemptFacts<'_>) -> AttemptDecision,
) -> AttemptDecision {
    see(session, attempt, now, |scene| decide(&AttemptFacts { beside, ..*scene }))
}

fn observe(
    session: &Session,
    attempt: &Attempt,
    now: Timestamp,
    observation: Observation,
) -> AttemptDecision {
    see(session, attempt, now, |scene| attempt::observe(scene, observation))
}

fn close(session: &Session, attempt: &Attempt, now: Timestamp, observation: Observation) -> AttemptDecision {
    see(session, attempt, now, |scene| attempt::closing(scene, observation))
}

fn paid(attempt: &Attempt, atoms: u128) -> Observation {
    Observation::Paid { received: coins(atoms), reference: reference(attempt.id) }
}

fn transactions(changes: &[Change]) -> Vec<&Transaction> {
    changes
        .iter()
        .filter_map(|change| match change {
            Change::RecordTransaction(money) => Some(&**money),
            _ => None,
        })
        .collect()
}

fn actions(changes: &[Change]) -> Vec<&Action> {
    changes
        .iter()
        .filter_map(|change| match change {
            Change::NeedAction(action) => Some(&**action),
            _ => None,
        })
        .collect()
}

fn kinds(changes: &[Change]) -> Vec<ActionKind> {
    actions(changes).iter().map(|action| action.kind).collect()
}

#[test]
fn an_attempt_is_begun_with_its_session_kept_open_for_it() {
    let session = Shop::live().session("{}");
    let (held, attempt, changes) = begin(&session, Method::Sbp, 1, after(minutes(1)));
    assert_eq!(held.methods.chosen, Method::Sbp);
    assert_eq!(held.ends_at(), after(minutes(1 + 10 + 5)));
    assert_eq!((attempt.state, attempt.version, attempt.received), (AttemptState::Intended, 1, 0));
    assert_eq!(attempt.check_at, Some(after(minutes(1) + 15_000)), "if whoever began it is gone by then");
    assert!(
        matches!(
            &changes[..],
            [Change::ChooseMethod { held_until: Some(_), .. }, Change::InsertAttempt(_), Change::Record(_)]
        ),
        "{changes:?}"
    );
}

#[test]
fn p12_what_was_left_for_another_way_to_pay_no_longer_ends_the_session() {
    let (session, left) = opened(Method::Sbp);
    let then = close(&session, &left, after(1_000), Observation::Closed);
    let (session, card, _) = begin(&then.session, Method::Card, 2, after(2_000));
    let card = see(&session, &card, after(2_000), |scene| attempt::started(scene, started(card.id)));
    let flying = observe(&card.session, &card.attempt, after(3_000), Observation::InFlight);
    for late in [after(4_000), after(minutes(16))] {
        for word in [
            Observation::Declined(FailureReason::CanceledByCustomer),
            Observation::Closed,
            Observation::TimedOut,
            Observation::NeverStarted,
            Observation::CannotBeClosed,
        ] {
            let observed = observe(&flying.session, &then.attempt, late, word.clone());
            assert_eq!(observed.session, flying.session, "{word:?}");
            assert_eq!(observed.changes.len(), 1, "only the attempt itself: {:?}", observed.changes);
        }
    }
}

#[test]
fn p13_a_paid_attempt_stays_paid() {
    let (session, attempt) = opened(Method::Card);
    let word = paid(&attempt, CHARGE);
    let then = observe(&session, &attempt, after(1_000), word.clone());
    assert_eq!((then.session.state, then.attempt.state), (State::Paid, AttemptState::Paid));
    for later in [Observation::Closed, Observation::Declined(FailureReason::CardDeclined), word] {
        let again = observe(&then.session, &then.attempt, after(2_000), later.clone());
        assert_eq!(again.attempt.state, AttemptState::Paid, "{later:?}");
        assert_eq!(again.attempt.check_at, None, "nobody asks any more");
        assert!(
            matches!(&again.changes[..], [Change::MoveAttempt { news: false, .. }]),
            "{:?}",
            again.changes
        );
    }
}

#[test]
fn p14_what_had_come_is_not_forgotten_when_the_provider_then_speaks_of_another_payment() {
    let (session, attempt) = opened(Method::Crypto);
    let part = observe(&session, &attempt, after(1_000), Observation::Partial { received: coins(7) });
    assert_eq!(transactions(&part.changes), [] as [&Transaction; 0], "the rest may still come");
    let other = Observation::Paid { received: coins(CHARGE), reference: "another".to_owned() };
    let then = observe(&part.session, &part.attempt, after(2_000), other);
    let money = transactions(&then.changes);
    assert_eq!(money.iter().map(|money| &money.received).collect::<Vec<_>>(), [&coins(7), &coins(CHARGE)]);
    assert_eq!(money[1].reference, "another", "what is claimed has a row of its own");
    assert_eq!(kinds(&then.changes), [ActionKind::Partial, ActionKind::Mismatch]);
    let about: Vec<_> = actions(&then.changes).iter().map(|action| (action.id, action.transaction)).collect();
    assert_eq!(
        about.iter().map(|(_, about)| *about).collect::<Vec<_>>(),
        [Some(money[0].id), Some(money[1].id)]
    );
    assert!(money[0].id != money[1].id && about[0].0 != about[1].0, "and an id of its own");
}

#[test]
fn p14_a_capture_of_less_than_asked_ends_as_partial_money() {
    let (session, attempt) = opened(Method::Card);
    let word = paid(&attempt, CHARGE - 1);
    let then = observe(&session, &attempt, after(1_000), word.clone());
    assert_eq!((then.session.state, then.attempt.state), (State::Pending, AttemptState::Open));
    let end = close(&then.session, &then.attempt, after(minutes(15)), word);
    assert_eq!((end.session.state, end.attempt.state), (State::Expired, AttemptState::Watched));
    assert_eq!(end.session.updated_at, after(minutes(15)));
    assert!(transactions(&end.changes)[0].marks.partial && !transactions(&end.changes)[0].marks.late);
    assert_eq!(kinds(&end.changes), [ActionKind::Partial]);
}

#[test]
fn p14_the_parts_of_a_payment_are_together_worth_the_price() {
    let (session, attempt) = opened(Method::Crypto);
    let third = Observation::Partial { received: coins(CHARGE / 3) };
    // The customer sent a third, chose another method, and then sent the rest.
    let left = close(&session, &attempt, after(1_000), third);
    let first = transactions(&left.changes)[0].clone();
    let then = observe(&left.session, &left.attempt, after(2_000), paid(&attempt, CHARGE));
    assert_eq!(then.session.state, State::Paid);
    let rest = transactions(&then.changes)[0];
    assert_eq!(first.received.atoms + rest.received.atoms, CHARGE);
    assert_eq!(first.amount.minor + rest.amount.minor, 4_990, "{first:?} {rest:?}");
}

#[test]
fn p14_late_money_that_is_too_much_says_both() {
    let (session, attempt) = opened(Method::Crypto);
    let end = close(&session, &attempt, after(minutes(60)), Observation::CannotBeClosed);
    assert_eq!((end.session.state, end.attempt.state), (State::Expired, AttemptState::Watched));
    let late = observe(&end.session, &end.attempt, after(minutes(61)), paid(&attempt, CHARGE + 5));
    let marks = transactions(&late.changes)[0].marks;
    assert!(marks.late && marks.over && !marks.partial, "{marks:?}");
    assert_eq!((late.session, kinds(&late.changes)), (end.session, vec![ActionKind::Late]));
}

#[test]
fn what_closes_at_the_deadline_can_be_left_before_and_is_waited_for_past_it() {
    let (session, attempt) = opened(Method::Card);
    let left = close(&session, &attempt, after(minutes(2)), Observation::ClosesAtDeadline);
    assert_eq!((left.session.state, left.attempt.state), (State::Pending, AttemptState::Watched));
    let deadline = session.deadline();
    let second = |count| deadline.plus(Duration::from_secs(count));
    let waits = close(&session, &attempt, deadline, Observation::ClosesAtDeadline);
    assert_eq!((waits.session.state, waits.attempt.state), (State::Pending, AttemptState::Open));
    assert!(waits.attempt.check_at.is_some_and(|at| at <= second(5)), "it is asked again soon");
    let over = close(&waits.session, &waits.attempt, second(4), Observation::TimedOut);
    assert_eq!((over.session.state, over.attempt.state), (State::Expired, AttemptState::Closed));
    assert_eq!((over.session.updated_at, actions(&over.changes).len()), (deadline, 0), "as of its deadline");
    // A provider that never closes it counts as one that does not answer.
    let late = close(&waits.session, &waits.attempt, second(300), Observation::ClosesAtDeadline);
    assert_eq!((late.session.state, kinds(&late.changes)), (State::Expired, vec![ActionKind::Unreachable]));
}

#[test]
fn late_dust_is_reported_once_it_is_worth_something() {
    let (session, attempt) = opened(Method::Crypto);
    let end = close(&session, &attempt, after(minutes(60)), Observation::CannotBeClosed);
    let part = |atoms| Observation::Partial { received: coins(atoms) };
    // A hundredth of the price's currency is 10 000 atoms.
    let dust = observe(&end.session, &end.attempt, after(minutes(61)), part(4_000));
    assert_eq!((transactions(&dust.changes).len(), kinds(&dust.changes)), (0, vec![]));
    assert_eq!((dust.attempt.received, dust.attempt.recorded), (4_000, 0), "it is not forgotten");
    let more = observe(&dust.session, &dust.attempt, after(minutes(62)), part(12_000));
    let [money] = transactions(&more.changes)[..] else { panic!("{:?}", more.changes) };
    assert_eq!((money.received.atoms, money.amount.minor), (12_000, 1));
    assert_eq!((kinds(&more.changes), more.attempt.recorded), (vec![ActionKind::Late], 12_000));
    // The same holds for money on top of a full payment.
    let done = observe(&session, &attempt, after(1_000), paid(&attempt, CHARGE));
    let dust = observe(&done.session, &done.attempt, after(2_000), paid(&attempt, CHARGE + 9_999));
    assert_eq!((transactions(&dust.changes).len(), kinds(&dust.changes)), (0, vec![]));
    let more = observe(&dust.session, &dust.attempt, after(3_000), paid(&attempt, CHARGE + 10_000));
    assert_eq!((transactions(&more.changes)[0].amount.minor, more.attempt.recorded), (1, CHARGE + 10_000));
}

/// Repeats the check whenever the attempt is due, always with the same observation, until the session is not
/// pending or a week has passed. The end of the session by time alone counts too.
fn wait(session: Session, attempt: Attempt, word: &Observation) -> (Session, Attempt, Vec<Change>) {
    let (mut session, mut attempt, mut last) = (session, attempt, Vec::new());
    while let Some(now) = attempt.check_at.filter(|at| *at < after(minutes(7 * 24 * 60))) {
        let due = till_domain::session::settle(&session, now, &Settings::default(), event_id());
        if let Some((settled, changes)) = due {
            return (settled, attempt, changes);
        }
        let observed = match attempt::next_step(&session, &attempt, OtherAttempts::Nothing, now) {
            step if step.is_closing() => close(&session, &attempt, now, word.clone()),
            _ => observe(&session, &attempt, now, word.clone()),
        };
        (session, attempt, last) = (observed.session, observed.attempt, observed.changes);
        if session.state != State::Pending {
            break;
        }
    }
    (session, attempt, last)
}

#[test]
fn a_transfer_that_no_block_takes_for_a_day_fails_as_unconfirmed() {
    let (session, attempt) = opened(Method::Crypto);
    let word = Observation::Confirming { seen: 0, needed: 6, received: coins(CHARGE) };
    let seen = observe(&session, &attempt, after(minutes(30)), word.clone());
    let (session, _, _) = wait(seen.session, seen.attempt, &word);
    assert_eq!(session.state, State::Failed(FailureReason::Unconfirmed));
    let since = session.updated_at.since(after(minutes(30)));
    let day = Duration::from_secs(24 * 3600);
    assert!(since >= day && since <= day + Duration::from_secs(60), "{since:?}");
}

#[test]
fn p12_a_transfer_in_a_block_is_waited_for_as_long_as_it_confirms() {
    let (session, attempt) = opened(Method::Crypto);
    let word = Observation::Confirming { seen: 1, needed: 6, received: coins(CHARGE) };
    let seen = observe(&session, &attempt, after(minutes(59)), word.clone());
    let (session, attempt, _) = wait(seen.session, seen.attempt, &word);
    assert_eq!((session.state, attempt.state), (State::Pending, AttemptState::InFlight), "after a week");
}

#[test]
fn p12_what_stops_confirming_past_the_deadline_is_closed_before_its_session_ends() {
    let (session, attempt) = opened(Method::Crypto);
    let confirming = Observation::Confirming { seen: 1, needed: 6, received: coins(CHARGE) };
    let seen = observe(&session, &attempt, after(minutes(59)), confirming);
    // Two hours later a reorg has removed most of it, and the rest is confirmed.
    let now = after(minutes(180));
    let word = Observation::Partial { received: coins(9) };
    let short = observe(&seen.session, &seen.attempt, now, word.clone());
    assert!(short.session.ends_at() > now, "time alone does not end it: {:?}", short.session.held_until);
    let (session, _, changes) = wait(short.session, short.attempt, &word);
    assert_eq!(session.state, State::Expired);
    assert!(session.updated_at >= now, "not before it was confirmed: {}", session.updated_at);
    assert_eq!(kinds(&changes), [ActionKind::Partial]);
    assert!(!transactions(&changes)[0].marks.late);
}

#[test]
fn p12_a_transfer_that_is_too_little_keeps_no_price_past_the_deadline() {
    let (session, attempt) = opened(Method::Crypto);
    for seen in [0, 1] {
        let dust = Observation::Confirming { seen, needed: 6, received: coins(9) };
        let flying = observe(&session, &attempt, after(minutes(59)), dust.clone());
        assert_eq!(flying.attempt.state, AttemptState::InFlight);
        assert_eq!(flying.session.ends_at(), after(minutes(65)), "as if nothing were on its way");
        let at = |now| attempt::next_step(&flying.session, &flying.attempt, OtherAttempts::Nothing, now);
        assert_eq!(
            (at(after(minutes(60) - 1)), at(after(minutes(60)))),
            (AttemptStep::Check, AttemptStep::Close)
        );
        let (ended, left, changes) = wait(flying.session.clone(), flying.attempt.clone(), &dust);
        assert_eq!((ended.state, left.state), (State::Expired, AttemptState::Watched));
        assert_eq!(ended.updated_at, after(minutes(60)), "at its deadline");
        assert_eq!(transactions(&changes).len(), 0, "nothing is confirmed yet");
        let worth = Observation::Partial { received: coins(CHARGE / 2) };
        let late = observe(&ended, &left, after(minutes(70)), worth);
        assert_eq!((late.session, kinds(&late.changes)), (ended, vec![ActionKind::Late]));
        // A transfer that is enough is waited for, even if it is seen at the last moment.
        let enough = Observation::Confirming { seen, needed: 6, received: coins(CHARGE) };
        let held = close(&flying.session, &flying.attempt, after(minutes(60)), enough);
        assert_eq!((held.session.state, held.attempt.state), (State::Pending, AttemptState::InFlight));
        assert!(held.session.ends_at() > after(minutes(24 * 60)), "{:?}", held.session.held_until);
    }
}

#[test]
fn p12_what_was_confirmed_has_its_row_when_the_rest_is_too_little_and_still_on_its_way() {
    let (session, attempt) = opened(Method::Crypto);
    let part = Observation::Partial { received: coins(CHARGE / 2) };
    let some = observe(&session, &attempt, after(minutes(50)), part);
    let more = |atoms| Observation::Confirming { seen: 1, needed: 6, received: coins(atoms) };
    let flying = observe(&some.session, &some.attempt, after(minutes(59)), more(CHARGE - 1));
    let end = close(&flying.session, &flying.attempt, after(minutes(60)), more(CHARGE - 1));
    assert_eq!((end.session.state, end.attempt.state), (State::Expired, AttemptState::Watched));
    assert_eq!(transactions(&end.changes)[0].received, coins(CHARGE / 2));
    assert_eq!(kinds(&end.changes), [ActionKind::Partial]);
    let late = observe(&end.session, &end.attempt, after(minutes(61)), paid(&attempt, CHARGE - 1));
    assert_eq!(transactions(&late.changes)[0].received, coins(CHARGE - 1 - CHARGE / 2));
    // A reorg removed the first part, so it is unknown which part of the rest is final.
    let end = close(&flying.session, &flying.attempt, after(minutes(60)), more(7));
    assert_eq!((end.session.state, transactions(&end.changes).len()), (State::Expired, 0));
}

#[test]
fn p12_a_provider_that_never_answers_ends_the_session_five_minutes_late_and_an_operator_is_notified() {
    let (session, attempt) = opened(Method::Card);
    let (mut session, mut attempt) = (session, attempt);
    let mut asked = 0;
    loop {
        let now = attempt.check_at.expect("it is active");
        let due = till_domain::session::settle(&session, now, &Settings::default(), event_id());
        assert!(due.is_none(), "time alone does not end it");
        asked += 1;
        let observed = see(&session, &attempt, now, attempt::unreachable);
        if observed.session.state != State::Pending {
            let ended = (observed.session.state, observed.session.updated_at);
            assert_eq!(ended, (State::Expired, after(minutes(20))));
            assert_eq!(kinds(&observed.changes), [ActionKind::Unreachable]);
            assert!(observed.attempt.check_at.is_some(), "it is asked on, and closed when it answers");
            break;
        }
        (session, attempt) = (observed.session, observed.attempt);
    }
    assert!((20..40).contains(&asked), "less and less often: {asked}");
}

#[test]
fn f20_what_a_chain_takes_back_after_it_was_paid_is_a_reversal_and_the_status_stays() {
    let (session, attempt) = opened(Method::Crypto);
    let then = observe(&session, &attempt, after(1_000), paid(&attempt, CHARGE));
    let taken = |left| Observation::TakenBack { received: coins(left) };
    let lost = observe(&then.session, &then.attempt, after(2_000), taken(9_900_000));
    assert_eq!((lost.session.state, lost.attempt.state), (State::Paid, AttemptState::Paid));
    assert_eq!((lost.attempt.received, lost.attempt.recorded), (9_900_000, 9_900_000));
    let [money] = transactions(&lost.changes)[..] else { panic!("{:?}", lost.changes) };
    assert_eq!((money.received.to_string().as_str(), money.amount.minor), ("40.00 USDC", 4_000));
    assert_eq!((money.state(), money.moved().minor, money.marks.late), ("reversed", -4_000, false));
    assert_eq!(money.reference, reference(attempt.id));
    assert_eq!(kinds(&lost.changes), [ActionKind::Reversed]);
    assert!(!lost.changes.iter().any(|change| matches!(change, Change::QueueCallback(_))), "nothing is told");
    // The same observation again books nothing, and neither does one without new money.
    for word in [taken(9_900_000), Observation::Waiting, Observation::CannotBeClosed] {
        let again = observe(&lost.session, &lost.attempt, after(3_000), word);
        assert_eq!((transactions(&again.changes).len(), again.attempt.recorded), (0, 9_900_000));
    }
    let back = observe(&lost.session, &lost.attempt, after(4_000), paid(&attempt, CHARGE));
    assert_eq!((kinds(&back.changes), back.attempt.recorded), (vec![ActionKind::Late], CHARGE));
    let [money] = transactions(&back.changes)[..] else { panic!("{:?}", back.changes) };
    assert_eq!((money.amount.minor, money.received.atoms), (4_000, 40_000_000));
}

#[test]
fn f20_what_a_chain_takes_back_before_anybody_counted_on_it_leaves_nothing() {
    let (session, attempt) = opened(Method::Crypto);
    let part = Observation::Partial { received: coins(CHARGE / 2) };
    let some = observe(&session, &attempt, after(1_000), part);
    assert_eq!(some.attempt.received, CHARGE / 2);
    let confirming = Observation::Confirming { seen: 1, needed: 6, received: coins(CHARGE) };
    let flying = observe(&some.session, &some.attempt, after(2_000), confirming);
    let none = observe(&flying.session, &flying.attempt, after(3_000), Observation::Waiting);
    assert_eq!((none.attempt.state, none.attempt.received), (AttemptState::Open, 0));
    let late = after(minutes(61));
    let over = close(&none.session, &none.attempt, late, Observation::CannotBeClosed);
    assert_eq!((over.session.state, transactions(&over.changes).len()), (State::Expired, 0));
    // The same if the money disappears at the last moment.
    let over = close(&some.session, &some.attempt, late, Observation::CannotBeClosed);
    assert_eq!((over.session.state, transactions(&over.changes).len()), (State::Expired, 0));
}

#[test]
fn a_coin_that_nobody_waits_for_is_claimed_and_changes_nothing_else() {
    let (session, attempt) = opened(Method::Crypto);
    let received = Quantity { unit: "USDT".to_owned(), ..coins(7) };
    let stray = attempt::StrayTransfer {
        session: &session,
        attempt: &attempt,
        chain: ChainId(1),
        reference: "0x1:0",
        address: Address::from_bytes([10; 20]),
        received: &received,
    };
    let changes = attempt::stray(&stray, after(5), event_id());
    assert_eq!(changes[0].guard(), Some(till_domain::change::Guard::AlreadyReported));
    assert!(changes[1..].iter().all(|change| change.guard().is_none()), "{changes:?}");
    let [money] = transactions(&changes)[..] else { panic!("{changes:?}") };
    assert_eq!((money.state(), money.amount.minor, &money.received), ("claimed", 0, &received));
    assert_eq!((money.reference.as_str(), money.attempt), ("0x1:0", Some(attempt.id)));
    assert_eq!((kinds(&changes), changes.len()), (vec![ActionKind::Mismatch], 3));
}

#[test]
fn what_nobody_could_say_to_the_end_of_the_watch_is_reported_to_an_operator() {
    let (session, attempt) = opened(Method::Sbp);
    let end = close(&session, &attempt, after(minutes(60)), Observation::CannotBeClosed);
    let silent =
        |day: i64| see(&end.session, &end.attempt, after(minutes(day * 24 * 60)), attempt::unreachable);
    let still = silent(3);
    assert!(still.attempt.check_at.is_some() && kinds(&still.changes).is_empty(), "somebody asks again");
    let last = silent(8);
    assert_eq!((last.attempt.check_at, kinds(&last.changes)), (None, vec![ActionKind::Unreachable]));
    assert_eq!(last.session, end.session, "its status stays");
    // A provider that answers that nothing was paid leaves no action for the operator.
    let answered = observe(&end.session, &end.attempt, after(minutes(8 * 24 * 60)), Observation::Waiting);
    assert_eq!((answered.attempt.check_at, kinds(&answered.changes)), (None, vec![]));
}
