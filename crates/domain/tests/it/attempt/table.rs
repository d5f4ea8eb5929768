//! Every observation of a provider, for every attempt state and every session state.

use super::{
    CHARGE, actions, attempt_id, close, coins, kinds, observe, opened, paid, see, started, transactions,
};
use crate::fixture::{after, event_id, minutes};
use till_domain::{
    attempt::{
        self, Attempt, AttemptDecision, AttemptState, AttemptStep, Observation, OtherAttempts, Quantity,
    },
    change::Change,
    method::Method,
    session::{self, FailureReason, Outcome, Session, State},
    time::Timestamp,
    transaction::ActionKind,
    vendor::Settings,
};

const NO: FailureReason = FailureReason::CardDeclined;

const STATES: [AttemptState; 7] = [
    AttemptState::Intended,
    AttemptState::Open,
    AttemptState::InFlight,
    AttemptState::Paid,
    AttemptState::Declined(NO),
    AttemptState::Closed,
    AttemptState::Watched,
];

/// The state of a session and the time of the check. The deadline is at minute 15, or 60 with crypto.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Then {
    Before,
    Over,
    Final(Outcome),
}

const THEN: [Then; 5] = [
    Then::Before,
    Then::Over,
    Then::Final(Outcome::Paid),
    Then::Final(Outcome::Failed(NO)),
    Then::Final(Outcome::Expired),
];

fn observations(attempt: &Attempt) -> Vec<(&'static str, Observation)> {
    let other_unit = Quantity { unit: "EURC".to_owned(), ..coins(CHARGE) };
    let other_places = Quantity { decimals: 2, ..coins(CHARGE) };
    let confirming = |seen| Observation::Confirming { seen, needed: 6, received: coins(CHARGE) };
    let reference = super::reference(attempt.id);
    vec![
        ("waiting", Observation::Waiting),
        ("in flight", Observation::InFlight),
        ("in no block", confirming(0)),
        ("in a block", confirming(3)),
        (
            "in a block, another coin",
            Observation::Confirming { seen: 1, needed: 6, received: other_unit.clone() },
        ),
        ("part", Observation::Partial { received: coins(CHARGE / 2) }),
        ("part, another coin", Observation::Partial { received: other_unit.clone() }),
        ("taken back", Observation::TakenBack { received: coins(0) }),
        ("taken back in part", Observation::TakenBack { received: coins(CHARGE / 2) }),
        ("taken back, another coin", Observation::TakenBack { received: other_unit.clone() }),
        ("paid", paid(attempt, CHARGE)),
        ("paid too much", paid(attempt, CHARGE + 1)),
        ("paid too little", paid(attempt, CHARGE - 1)),
        ("paid, another payment", Observation::Paid { received: coins(CHARGE), reference: "x".to_owned() }),
        ("paid, another coin", Observation::Paid { received: other_unit, reference: reference.clone() }),
        ("paid, other places", Observation::Paid { received: other_places, reference }),
        ("declined", Observation::Declined(NO)),
        ("closed", Observation::Closed),
        ("timed out", Observation::TimedOut),
        ("cannot be closed", Observation::CannotBeClosed),
        ("closes at the deadline", Observation::ClosesAtDeadline),
        ("never started", Observation::NeverStarted),
    ]
}

/// A session and an attempt in these states, and the time of the check.
fn scene(method: Method, state: AttemptState, then: Then) -> (Session, Attempt, Timestamp) {
    let (mut session, mut attempt) = opened(method);
    attempt.state = state;
    if state == AttemptState::InFlight {
        attempt.in_flight_since = Some(after(minutes(1)));
    }
    if !state.is_active() {
        (session.held_until, attempt.check_at) = (None, None);
    }
    if state == AttemptState::Paid {
        (attempt.received, attempt.recorded) = (CHARGE, CHARGE);
    }
    let deadline = session.deadline();
    let now = match then {
        Then::Before => after(minutes(2)),
        Then::Over | Then::Final(_) => deadline.plus(std::time::Duration::from_secs(60)),
    };
    if let Then::Final(outcome) = then {
        let finished = session::finish(&session, outcome, deadline, &Settings::default(), event_id());
        session = finished.expect("it was pending").0;
    }
    (session, attempt, now)
}

/// Applies the changes to a session, as a store would.
fn apply(session: &Session, changes: &[Change]) -> Session {
    let mut stored = session.clone();
    for change in changes {
        match change {
            Change::FinishSession { outcome, at, was_due_at, .. } => {
                assert_eq!(stored.state, State::Pending);
                assert_eq!(
                    was_due_at.is_none(),
                    *outcome == Outcome::Paid,
                    "only money ends what was held meanwhile"
                );
                assert!(was_due_at.is_none_or(|due| due == session.due_at()));
                (stored.state, stored.updated_at, stored.held_until) = ((*outcome).into(), *at, None);
            }
            Change::HoldSession { held_until, due_at, .. } => {
                assert_eq!(stored.state, State::Pending);
                stored.held_until = *held_until;
                assert_eq!(*due_at, stored.due_at());
            }
            _ => {}
        }
    }
    stored
}

/// Checks the invariants that hold for every observation.
fn check(case: &str, session: &Session, attempt: &Attempt, observed: &AttemptDecision) {
    let changes = &observed.changes;
    let guarded: Vec<bool> = changes.iter().map(|change| change.guard().is_some()).collect();
    assert!(guarded.is_sorted_by(|a, b| a >= b), "{case}: guards come first: {changes:?}");
    let moves: Vec<_> = changes
        .iter()
        .filter_map(|c| {
            if let Change::MoveAttempt { attempt, was, .. } = c { Some((attempt, *was)) } else { None }
        })
        .collect();
    let [(moved, was)] = moves[..] else { panic!("{case}: one move: {changes:?}") };
    assert_eq!((**moved == observed.attempt, was), (true, attempt.version), "{case}");
    assert_eq!(moved.version, was + 1, "{case}");
    assert_eq!(apply(session, changes), observed.session, "{case}: the changes say what is returned");

    let count = |kind: fn(&Change) -> bool| changes.iter().filter(|change| kind(change)).count();
    let finished = count(|c| matches!(c, Change::FinishSession { .. }));
    assert_eq!(
        finished,
        count(|c| matches!(c, Change::QueueCallback(event) if event.kind.family().is_none())),
        "{case}"
    );
    assert_eq!(finished == 1, session.state != observed.session.state, "{case}");
    if session.state != State::Pending {
        assert_eq!(finished, 0, "{case}: a final session stays as it is");
    }

    let money: u128 = transactions(changes).iter().map(|money| money.received.atoms).sum();
    let reversed = kinds(changes).contains(&ActionKind::Reversed);
    if reversed {
        assert_eq!(money, attempt.recorded - moved.recorded, "{case}: so has what was taken back");
        assert_eq!((moved.state, finished), (attempt.state, 0), "{case}: what was said stays");
    } else if !kinds(changes).contains(&ActionKind::Mismatch) {
        assert_eq!(money, moved.recorded - attempt.recorded, "{case}: what is recorded has a row");
    }
    if observed.session.state != State::Pending || !moved.state.is_active() {
        // A hundredth of the price's currency is 10 000 atoms, so one atom more than was booked is dust
        // without a row.
        let dust = u128::from(session.state != State::Pending && attempt.recorded > 0);
        assert!(moved.recorded + dust >= moved.received, "{case}: no money without a transaction");
    }
    for money in transactions(changes) {
        let told = actions(changes).iter().any(|action| action.transaction == Some(money.id));
        let unusual = money.marks.late || money.marks.partial || money.marks.reversed;
        assert_eq!(told, unusual, "{case}: a person is told of late, partial and lost money: {money:?}");
        assert_eq!(money.marks.reversed, reversed, "{case}");
        assert_eq!(money.marks.late, session.state != State::Pending && !reversed, "{case}");
    }
    if (session.state, observed.session.state) == (State::Pending, State::Paid) {
        assert!(moved.received >= CHARGE && money > 0, "{case}: paid only by enough money");
    }
    assert_eq!(
        moved.state.is_active(),
        moved.check_at.is_some() && moved.state != AttemptState::Watched,
        "{case}"
    );
    let active = attempt.state.is_active();
    if !active && observed.session.state != session.state {
        assert_eq!(observed.session.state, State::Paid, "{case}: only money ends what waits for another");
    }
    assert!(active || !moved.state.is_active(), "{case}: what is over is not begun again");
}

#[test]
fn i2_p14_whatever_a_provider_says_of_whatever_attempt_keeps_the_rules() {
    let mut cases = 0;
    for method in Method::ALL {
        for state in STATES {
            for then in THEN {
                // A payment and the end of its session are one commit.
                if state == AttemptState::Paid && !matches!(then, Then::Final(_)) {
                    continue;
                }
                let (session, attempt, now) = scene(method, state, then);
                for (word, said) in observations(&attempt) {
                    let case = format!("{method} {state:?} {then:?}: {word}");
                    check(&case, &session, &attempt, &observe(&session, &attempt, now, said.clone()));
                    check(&case, &session, &attempt, &close(&session, &attempt, now, said));
                    cases += 2;
                }
                let case = format!("{method} {state:?} {then:?}");
                let silent = see(&session, &attempt, now, attempt::unreachable);
                check(&case, &session, &attempt, &silent);
                assert_eq!((silent.session.state, silent.attempt.state), (session.state, attempt.state));
                let again = see(&session, &attempt, now, |s| attempt::started(s, started(attempt.id)));
                check(&case, &session, &attempt, &again);
                let open = if state == AttemptState::Intended { AttemptState::Open } else { state };
                assert_eq!((again.session.state, again.attempt.state), (session.state, open), "{case}");
            }
        }
    }
    assert_eq!(cases, 3 * (7 * 5 - 2) * 22 * 2);
}

/// The result in a few words: `state`, then what became of the session, its money, and the actions for the
/// operator.
fn words(session: &Session, observed: &AttemptDecision) -> String {
    let mut words = vec![observed.attempt.state.as_str().to_owned()];
    for change in &observed.changes {
        let word = match change {
            Change::FinishSession { outcome, at, .. } => {
                let when = if *at == session.deadline() { "deadline" } else { "now" };
                format!("{}@{when}", State::from(*outcome).status())
            }
            Change::HoldSession { held_until: None, .. } => "free".to_owned(),
            Change::RecordTransaction(money) => {
                let marks = money.marks;
                let list = [("late", marks.late), ("partial", marks.partial), ("over", marks.over)];
                let list = list.into_iter().chain([("reversed", marks.reversed)]);
                let marks: Vec<_> = list.filter(|(_, is)| *is).map(|(word, _)| word).collect();
                format!("+{}", if marks.is_empty() { "money".to_owned() } else { marks.join("+") })
            }
            Change::NeedAction(action) => format!("!{}", action.kind.as_str()),
            _ => continue,
        };
        words.push(word);
    }
    words.join(" ")
}

#[test]
fn p12_p14_each_word_means_what_the_specification_says() {
    use AttemptState::{Closed, InFlight, Open, Paid, Watched};
    let expired = Then::Final(Outcome::Expired);
    let columns = [
        (Open, Then::Before),
        (Open, Then::Over),
        (InFlight, Then::Over),
        (Open, expired),
        (Watched, Then::Before),
        (Watched, expired),
        (Closed, Then::Over),
        (Closed, expired),
        (Paid, Then::Final(Outcome::Paid)),
    ];
    let mut table = String::new();
    for step in [AttemptStep::Check, AttemptStep::Close] {
        let (_, attempt, _) = scene(Method::Crypto, Open, Then::Before);
        for (word, said) in observations(&attempt) {
            let cells = columns.map(|(state, then)| {
                let (session, attempt, now) = scene(Method::Crypto, state, then);
                let decide = if step == AttemptStep::Close { close } else { observe };
                words(&session, &decide(&session, &attempt, now, said.clone()))
            });
            table.push_str(&format!("{step:?} {word}: {}\n", cells.join(" | ")));
        }
    }
    let expected = include_str!("table.txt");
    for (line, wanted) in table.lines().zip(expected.lines()) {
        assert_eq!(line, wanted);
    }
    assert_eq!(table.lines().count(), expected.lines().count(), "{table}");
}

#[test]
fn p12_what_is_asked_depends_on_the_time_and_on_who_acted() {
    let minute = |at| after(minutes(at));
    let just = |at: i64| after(minutes(at) - 1);
    for method in [Method::Card, Method::Sbp] {
        let end = if method == Method::Card { 15 } else { 10 };
        for (state, now, expected) in [
            (AttemptState::Intended, just(end), AttemptStep::Start),
            (AttemptState::Intended, minute(end), AttemptStep::Close),
            (AttemptState::Open, just(end), AttemptStep::Check),
            (AttemptState::Open, minute(end), AttemptStep::Close),
            (AttemptState::InFlight, minute(end), AttemptStep::Check),
            (AttemptState::InFlight, minute(end + 4), AttemptStep::Check),
            (AttemptState::InFlight, just(end + 5), AttemptStep::Close),
            (AttemptState::Watched, minute(end), AttemptStep::Check),
            (AttemptState::Paid, minute(1), AttemptStep::Check),
            (AttemptState::Closed, minute(end), AttemptStep::Check),
            (AttemptState::Declined(NO), minute(end), AttemptStep::Check),
        ] {
            let (session, attempt, _) = scene(method, state, Then::Before);
            assert_eq!(
                attempt::next_step(&session, &attempt, OtherAttempts::Nothing, now),
                expected,
                "{method} {state:?} {now}"
            );
        }
        for state in [AttemptState::Intended, AttemptState::Open, AttemptState::InFlight] {
            for outcome in [Outcome::Paid, Outcome::Expired, Outcome::Failed(NO)] {
                let (session, attempt, _) = scene(method, state, Then::Final(outcome));
                let step = attempt::next_step(&session, &attempt, OtherAttempts::Nothing, minute(1));
                assert_eq!(step, AttemptStep::Release, "nothing waits for it: what is held is not captured");
            }
        }
    }
}

#[test]
fn a_question_is_taken_by_one_who_asks_it() {
    let (session, attempt) = opened(Method::Card);
    let lease = std::time::Duration::from_secs(20);
    let (claimed, change) = attempt::claim(&attempt, after(5_000), lease);
    assert_eq!((claimed.version, claimed.check_at), (attempt.version + 1, Some(after(25_000))));
    assert_eq!((claimed.state, claimed.id), (attempt.state, attempt_id(1)));
    assert!(matches!(change, Change::MoveAttempt { was, news: false, .. } if was == attempt.version));
    assert_eq!(session.state, State::Pending);
}
