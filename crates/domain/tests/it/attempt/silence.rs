//! Providers that do not answer, or that send notices (webhooks): when they are checked, and the
//! actions that the operator gets.

use super::{begin, close, kinds, observe, opened, see, started};
use crate::fixture::{Shop, after, event_id, minutes};
use till_domain::{
    attempt::{
        self, Attempt, AttemptDecision, AttemptFacts, AttemptState, AttemptStep, Observation, OtherAttempts,
        Pace, UnreachableActions,
    },
    change::Change,
    id::ActionId,
    method::Method,
    session::{FailureReason, Session, State},
    time::Timestamp,
    transaction::{ActionKind, Resolution},
};

const SECOND: i64 = 1_000;
const DAY: i64 = 24 * 60 * 60 * SECOND;

/// Repeats one observation at every check, and returns the seconds of the checks before the session ends.
fn checks(pace: Pace, word: &Observation) -> Vec<i64> {
    let (mut session, mut attempt) = opened(Method::Card);
    let look = |session: &Session, attempt: &Attempt, now, start: bool| {
        see(session, attempt, now, |scene| {
            let scene = AttemptFacts { pace, ..*scene };
            if start {
                attempt::started(&scene, started(attempt.id))
            } else {
                attempt::observe(&scene, word.clone())
            }
        })
    };
    attempt = look(&session, &attempt, after(0), true).attempt;
    let mut asked = Vec::new();
    loop {
        let now = attempt.check_at.expect("it is asked again");
        if attempt::next_step(&session, &attempt, OtherAttempts::Nothing, now) == AttemptStep::Close {
            return asked;
        }
        asked.push(now.since(after(0)).as_secs().try_into().expect("a while"));
        AttemptDecision { session, attempt, .. } = look(&session, &attempt, now, false);
    }
}

#[test]
fn h3_where_notices_come_a_payment_is_asked_about_at_30_s_2_min_and_its_deadline() {
    assert_eq!(checks(Pace::Notices, &Observation::Waiting), [30, 120], "and closed at the deadline");
    assert_eq!(
        checks(Pace::Notices, &Observation::InFlight),
        [30, 60, 150, 900],
        "from when it was in flight"
    );
    let polled = checks(Pace::Polling, &Observation::Waiting);
    assert_eq!((polled[0], polled.len()), (2, 22));
}

#[test]
fn h3_a_question_without_an_answer_is_asked_again_soon_although_notices_come() {
    let (session, attempt) = opened(Method::Card);
    let asked = Attempt { checks: 2, ..attempt };
    let now = after(minutes(10));
    let silent = see(&session, &asked, now, |scene| {
        attempt::unreachable(&AttemptFacts { pace: Pace::Notices, ..*scene })
    });
    let again = silent.attempt.check_at.expect("it is asked again");
    assert!(again.since(now).as_secs() <= 60, "not only at the deadline: {again}");
}

#[test]
fn h3_what_has_to_be_started_or_closed_does_not_wait_for_a_notice() {
    let session = Shop::live().session("{}");
    let (session, attempt, _) = begin(&session, Method::Card, 1, after(0));
    let silent = |attempt: &Attempt, now| {
        see(&session, attempt, now, |scene| {
            attempt::unreachable(&AttemptFacts { pace: Pace::Notices, ..*scene })
        })
    };
    assert_eq!(silent(&attempt, after(SECOND)).attempt.check_at, Some(after(3 * SECOND)), "a start");
    let (_, open) = opened(Method::Card);
    let past = silent(&open, after(minutes(15)));
    assert_eq!(past.attempt.check_at, Some(after(minutes(15) + 2 * SECOND)), "a close");
}

#[test]
fn h3_news_that_no_call_could_be_made_for_are_due_at_once() {
    let (_, open) = opened(Method::Card);
    let (due, change) = attempt::hasten(&open, after(SECOND)).expect("it was due later");
    assert_eq!((due.check_at, due.state), (Some(after(SECOND)), AttemptState::Open));
    assert!(matches!(change, Change::MoveAttempt { was, .. } if was == open.version));
    assert!(attempt::hasten(&due, after(SECOND)).is_none(), "it is due already");
    let over = Attempt { state: AttemptState::Watched, check_at: None, ..open.clone() };
    assert!(attempt::hasten(&over, after(SECOND)).is_some(), "a notice may come after its watch");
    let paid = Attempt { state: AttemptState::Paid, check_at: None, ..open };
    assert!(attempt::hasten(&paid, after(SECOND)).is_some(), "there may be news of a refund");
}

#[test]
fn m1_a_start_that_nobody_answered_can_be_left_after_its_time() {
    let session = Shop::live().session("{}");
    let (session, card, _) = begin(&session, Method::Card, 1, after(0));
    let leave = |now| {
        let mut left = None;
        see(&session, &card, now, |scene| {
            left = attempt::leave(scene);
            attempt::unreachable(scene)
        });
        left
    };
    assert!(leave(after(14 * SECOND)).is_none(), "somebody may be starting it this moment");
    let left = leave(after(15 * SECOND)).expect("its time is over");
    assert_eq!((left.attempt.state, left.session.held_until), (AttemptState::Watched, None));
    assert!(left.attempt.check_at.is_some_and(|at| at > after(15 * SECOND) && at <= after(30 * SECOND)));
    let (_, sbp, _) = begin(&left.session, Method::Sbp, 2, after(16 * SECOND));
    assert_eq!(sbp.state, AttemptState::Intended);
    let step = |now| attempt::next_step(&left.session, &left.attempt, OtherAttempts::Nothing, now);
    assert_eq!(
        (step(after(20 * SECOND)), step(after(minutes(30)))),
        (AttemptStep::Close, AttemptStep::Close)
    );
    for word in [Observation::NeverStarted, Observation::Closed] {
        let closed = close(&left.session, &left.attempt, after(20 * SECOND), word);
        assert_eq!((closed.attempt.state, closed.attempt.check_at), (AttemptState::Closed, None));
        assert_eq!(closed.session.state, State::Pending, "it says nothing about the session");
    }
    let (_, open) = opened(Method::Card);
    let (mut other, session) = (None, &session);
    see(session, &open, after(minutes(1)), |scene| {
        other = attempt::leave(scene);
        attempt::unreachable(scene)
    });
    assert!(other.is_none(), "what was started is closed instead");
}

#[test]
fn i1_a_payment_that_was_given_up_and_takes_money_after_all_is_watched() {
    let (session, open) = opened(Method::Crypto);
    let intended = Attempt { state: AttemptState::Intended, reference: None, ..open };
    let closed = close(&session, &intended, after(minutes(2)), Observation::NeverStarted);
    assert_eq!((closed.attempt.state, closed.attempt.check_at), (AttemptState::Closed, None));
    for on_its_way in [
        Observation::InFlight,
        Observation::Confirming { seen: 1, needed: 6, received: closed.attempt.charge.clone() },
    ] {
        let late = observe(&closed.session, &closed.attempt, after(minutes(3)), on_its_way);
        assert_eq!(late.attempt.state, AttemptState::Watched);
        assert!(late.attempt.check_at.is_some(), "it is asked about until the money has arrived");
        let after_the_watch =
            observe(&closed.session, &closed.attempt, after(8 * DAY), Observation::InFlight);
        assert_eq!(after_the_watch.attempt.state, AttemptState::Closed, "only the books tell of it then");
    }
}

fn ends(
    session: &Session,
    attempt: &Attempt,
    now: Timestamp,
    doubt: UnreachableActions<'_>,
    word: Observation,
) -> AttemptDecision {
    see(session, attempt, now, |scene| attempt::closing(&AttemptFacts { doubt, ..*scene }, word))
}

fn resolved(changes: &[Change]) -> Vec<ActionId> {
    let of = |change: &Change| match change {
        Change::ResolveAction { id, resolution: Resolution::Dismiss, by, .. } if by == "system" => Some(*id),
        _ => None,
    };
    changes.iter().filter_map(of).collect()
}

#[test]
fn l3_what_was_left_open_because_nobody_answered_is_resolved_once_nothing_was_taken() {
    let (session, open) = opened(Method::Card);
    let silent = see(&session, &open, session.ends_at(), attempt::unreachable);
    assert_eq!(
        (silent.session.state, kinds(&silent.changes)),
        (State::Expired, vec![ActionKind::Unreachable])
    );
    let actions = [ActionId::from(event_id())];
    let last = UnreachableActions { actions: &actions, last: true };
    let later = after(minutes(25));
    for (word, settles) in [
        (Observation::Closed, true),
        (Observation::NeverStarted, true),
        (Observation::Declined(FailureReason::InsufficientFunds), true),
        (Observation::CannotBeClosed, false),
        (Observation::InFlight, false),
    ] {
        let ended = ends(&silent.session, &silent.attempt, later, last, word.clone());
        assert_eq!(!resolved(&ended.changes).is_empty(), settles, "{word:?}");
        assert!(ended.changes[0].guard().is_some(), "{word:?}: guards come first");
        let others =
            ends(&silent.session, &silent.attempt, later, UnreachableActions { last: false, ..last }, word);
        assert_eq!(resolved(&others.changes), [], "another attempt may still bring money");
    }
}

#[test]
fn l4_past_the_seven_days_an_operator_is_notified_once() {
    let (session, open) = opened(Method::Crypto);
    let watched = close(&session, &open, after(minutes(60)), Observation::CannotBeClosed);
    assert_eq!(watched.attempt.state, AttemptState::Watched);
    let silent = |attempt: &Attempt, now, actions: &[ActionId]| {
        let doubt = UnreachableActions { actions, last: true };
        see(&watched.session, attempt, now, |scene| attempt::unreachable(&AttemptFacts { doubt, ..*scene }))
    };
    let last = silent(&watched.attempt, after(8 * DAY), &[]);
    assert_eq!((kinds(&last.changes), last.attempt.check_at), (vec![ActionKind::Unreachable], None));
    let again = silent(&last.attempt, after(9 * DAY), &[]);
    assert_eq!(kinds(&again.changes), [], "a notice made somebody look again");
    let told = silent(&watched.attempt, after(8 * DAY), &[ActionId::from(event_id())]);
    assert_eq!(
        kinds(&told.changes),
        [],
        "the person who was told when the session ended has not decided yet"
    );
}
