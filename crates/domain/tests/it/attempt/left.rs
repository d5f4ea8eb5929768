//! A transfer on a chain that arrives after its customer has chosen another method (M3).

use super::{CHARGE, begin, close, coins, opened, see, see_beside, started};
use crate::fixture::{after, minutes};
use till_domain::{
    attempt::{self, Attempt, AttemptDecision, AttemptState, AttemptStep, Observation, OtherAttempts},
    change::Change,
    method::Method,
    session::{FailureReason, Session, State},
    time::Timestamp,
};

fn confirming(atoms: u128) -> Observation {
    Observation::Confirming { seen: 1, needed: 6, received: coins(atoms) }
}

/// A crypto payment that the customer abandoned for a card payment, which is open.
fn left_for_a_card() -> (Session, Attempt, Attempt) {
    let (session, coins) = opened(Method::Crypto);
    let left = close(&session, &coins, after(1_000), Observation::CannotBeClosed);
    assert_eq!(left.attempt.state, AttemptState::Watched);
    let (session, card, _) = begin(&left.session, Method::Card, 2, after(2_000));
    let card = see(&session, &card, after(2_000), |scene| attempt::started(scene, started(card.id)));
    (card.session, left.attempt, card.attempt)
}

fn hear_of_left(session: &Session, left: &Attempt, now: Timestamp, word: Observation) -> AttemptDecision {
    see_beside(OtherAttempts::Active, session, left, now, |scene| attempt::observe(scene, word))
}

#[test]
fn m3_a_transfer_that_is_enough_holds_the_session_although_another_method_was_chosen() {
    let (session, left, card) = left_for_a_card();
    let seen = hear_of_left(&session, &left, after(minutes(10)), confirming(CHARGE));
    assert!(seen.attempt.holds_session());
    assert!(seen.session.ends_at() > seen.session.deadline().plus(attempt::GRACE), "it is waited for");
    // The card payment is closed at its next check, and its end does not change the session.
    let beside = OtherAttempts::of(card.id, &[seen.attempt.clone(), card.clone()]);
    assert_eq!(beside, OtherAttempts::Holding);
    assert_eq!(attempt::next_step(&seen.session, &card, beside, after(minutes(10))), AttemptStep::Close);
    for now in [after(minutes(10)), after(minutes(16))] {
        for word in [Observation::Closed, Observation::Declined(FailureReason::CardDeclined)] {
            let then =
                see_beside(beside, &seen.session, &card, now, |scene| attempt::closing(scene, word.clone()));
            assert_eq!(then.session.state, State::Pending, "{word:?}");
            assert_eq!(then.session.ends_at(), seen.session.ends_at(), "{word:?}");
            assert!(!then.attempt.state.is_active(), "{word:?}");
        }
        let open = see_beside(beside, &seen.session, &card, now, |scene| {
            attempt::observe(scene, Observation::InFlight)
        });
        assert_eq!(open.session.ends_at(), seen.session.ends_at(), "nor does one that is not closed yet");
    }
    let paid = super::paid(&left, CHARGE);
    let then = see(&seen.session, &seen.attempt, after(minutes(20)), |scene| attempt::observe(scene, paid));
    assert_eq!(then.session.state, State::Paid);
}

/// While the provider of the card answers, another node sees the transfer and holds the session.
#[test]
fn m3_only_money_ends_a_session_that_was_held_meanwhile() {
    let (session, _, card) = left_for_a_card();
    let guard = |word: Observation| {
        let seen = see(&session, &card, after(minutes(16)), |scene| attempt::closing(scene, word));
        let finished = seen.changes.iter().find_map(|change| match change {
            Change::FinishSession { was_due_at, .. } => Some(*was_due_at),
            _ => None,
        });
        finished.expect("the session ends")
    };
    for word in
        [Observation::Closed, Observation::TimedOut, Observation::Declined(FailureReason::CardDeclined)]
    {
        assert_eq!(guard(word.clone()), Some(session.due_at()), "{word:?}");
    }
    assert_eq!(guard(super::paid(&card, CHARGE)), None);
}

#[test]
fn m3_a_transfer_that_is_too_little_or_in_no_block_holds_nothing() {
    let (session, left, card) = left_for_a_card();
    let in_no_block = Observation::Confirming { seen: 0, needed: 6, received: coins(CHARGE) };
    for word in [confirming(CHARGE - 1), in_no_block, Observation::Waiting] {
        let seen = hear_of_left(&session, &left, after(minutes(10)), word.clone());
        assert_eq!(seen.session.ends_at(), session.ends_at(), "{word:?}");
        assert_eq!(OtherAttempts::of(card.id, &[seen.attempt]), OtherAttempts::Nothing, "{word:?}");
    }
}

#[test]
fn m3_a_transfer_that_the_chain_takes_back_lets_the_session_go() {
    let (session, left, _) = left_for_a_card();
    let seen = hear_of_left(&session, &left, after(minutes(10)), confirming(CHARGE));
    let gone = hear_of_left(&seen.session, &seen.attempt, after(minutes(11)), Observation::Waiting);
    assert_eq!(gone.session.ends_at(), session.ends_at(), "the card is waited for");
    assert_eq!(gone.attempt.confirmations, None);
    let alone = |now: Timestamp| {
        see(&seen.session, &seen.attempt, now, |scene| attempt::observe(scene, Observation::Waiting))
    };
    assert_eq!(alone(after(minutes(11))).session.held_until, None, "the customer may choose again");
    let late = alone(after(minutes(40)));
    assert_eq!((late.session.state, late.session.updated_at), (State::Expired, after(minutes(40))));
}
