//! Cases with lost answers, and with notices (webhooks) that come twice or in any order.

use super::{Can, Question, World, check, close, opened, paid, start};
use crate::doubles::When;
use till_domain::attempt::Observation;
use till_providers::{Notice, NoticeSubject, ProviderError};

fn is_unknown<T: std::fmt::Debug>(answer: Result<T, ProviderError>) {
    assert!(matches!(answer, Err(ProviderError::Unknown(_) | ProviderError::Unclear(_))), "{answer:?}");
}

pub(super) async fn f16_a_start_that_was_not_heard_opens_nothing(world: &impl World, number: u32) {
    let mut attempt = world.attempt(number);
    world.lose(Question::Start, When::Before);
    is_unknown(start(world, &mut attempt).await);
    assert_eq!(check(world, &attempt).await, Observation::NeverStarted);
    assert_eq!(world.opened(&attempt), 0);
    start(world, &mut attempt).await.expect("it starts");
    assert_eq!(world.opened(&attempt), 1);
}

pub(super) async fn f16_a_start_whose_answer_is_lost_opens_one_payment(world: &impl World, number: u32) {
    let mut attempt = world.attempt(number);
    world.lose(Question::Start, When::After);
    is_unknown(start(world, &mut attempt).await);
    assert_eq!(check(world, &attempt).await, Observation::Waiting, "asking finds it");
    let started = start(world, &mut attempt).await.expect("the same again");
    assert_eq!(start(world, &mut attempt).await, Ok(started));
    assert_eq!(world.opened(&attempt), 1);
}

pub(super) async fn f16_a_start_whose_answer_is_lost_is_paid_once(world: &impl World, number: u32) {
    let mut attempt = world.attempt(number);
    world.lose(Question::Start, When::After);
    is_unknown(start(world, &mut attempt).await);
    start(world, &mut attempt).await.expect("the same again");
    assert!(world.pay(&attempt, 10).await);
    assert_eq!(check(world, &attempt).await, paid(&attempt, 10));
    start(world, &mut attempt).await.expect("the same again");
    assert_eq!((check(world, &attempt).await, world.opened(&attempt)), (paid(&attempt, 10), 1));
}

pub(super) async fn f16_a_check_without_an_answer_is_unknown_and_harmless(world: &impl World, number: u32) {
    let (attempt, _) = opened(world, number).await;
    for when in [When::Before, When::After] {
        world.lose(Question::Check, when);
        is_unknown(world.provider().check(&attempt).await);
        assert_eq!(check(world, &attempt).await, Observation::Waiting);
    }
    assert!(world.pay(&attempt, 10).await);
    for when in [When::Before, When::After] {
        world.lose(Question::Check, when);
        is_unknown(world.provider().check(&attempt).await);
        assert_eq!(check(world, &attempt).await, paid(&attempt, 10));
    }
}

pub(super) async fn f19_a_close_that_was_not_heard_closes_nothing(world: &impl World, number: u32) {
    let (attempt, _) = opened(world, number).await;
    world.lose(Question::Close, When::Before);
    is_unknown(world.provider().close(&attempt).await);
    assert_eq!(check(world, &attempt).await, Observation::Waiting);
    assert!(world.pay(&attempt, 10).await);
    assert_eq!(close(world, &attempt).await, paid(&attempt, 10));
}

pub(super) async fn f19_a_close_whose_answer_is_lost_has_closed(world: &impl World, number: u32) {
    let (attempt, _) = opened(world, number).await;
    world.lose(Question::Close, When::After);
    is_unknown(world.provider().close(&attempt).await);
    assert!(!world.pay(&attempt, 10).await);
    assert_eq!(check(world, &attempt).await, Observation::Closed);
    assert_eq!(close(world, &attempt).await, Observation::Closed);
}

pub(super) async fn f19_a_close_without_an_answer_hides_no_money(world: &impl World, number: u32) {
    let (attempt, _) = opened(world, number).await;
    assert!(world.pay(&attempt, 10).await);
    for when in [When::Before, When::After] {
        // A payment that exists is found by reading: a close of it may write nothing.
        world.lose(Question::Check, when);
        is_unknown(world.provider().close(&attempt).await);
        assert_eq!(close(world, &attempt).await, paid(&attempt, 10));
    }
}

/// After a definite error the caller starts another payment, so an unknown result must never be reported as
/// definite.
pub(super) async fn f16_silence_is_never_definite(world: &impl World, number: u32) {
    for (place, when) in [When::Before, When::After].into_iter().enumerate() {
        let mut attempt = world.attempt(number + u32::try_from(place).expect("two"));
        world.lose(Question::Start, when);
        let answer = start(world, &mut attempt).await;
        assert!(!matches!(answer, Err(ProviderError::Definite(_))), "{answer:?}");
    }
}

pub(super) async fn of_many_who_start_at_once_all_get_the_same(world: &impl World, number: u32) {
    let mut tries: Vec<_> = (0..8).map(|_| world.attempt(number)).collect();
    let all = futures_util::future::join_all(tries.iter_mut().map(|attempt| start(world, attempt))).await;
    assert!(all.iter().all(|started| started.is_ok() && *started == all[0]), "{all:?}");
    assert_eq!(world.opened(&tries[0]), 1);
}

pub(super) async fn f16_a_start_whose_answer_is_lost_is_closed_and_takes_no_money(
    world: &impl World,
    number: u32,
) {
    let mut attempt = world.attempt(number);
    world.lose(Question::Start, When::After);
    is_unknown(start(world, &mut attempt).await);
    assert_eq!(check(world, &attempt).await, Observation::Waiting, "asking finds it");
    // The unanswered call was committed.
    attempt.version += 1;
    for _ in 0..2 {
        let again = start(world, &mut attempt).await;
        assert!(matches!(again, Err(ProviderError::Definite(_))), "{again:?}");
        assert_eq!(check(world, &attempt).await, Observation::Closed);
    }
    assert!(!world.pay(&attempt, 10).await);
    assert_eq!((check(world, &attempt).await, world.opened(&attempt)), (Observation::Closed, 1));
}

pub(super) async fn of_many_who_start_at_once_one_at_most_can_be_paid(world: &impl World, number: u32) {
    let mut tries: Vec<_> = (0..8).map(|_| world.attempt(number)).collect();
    let all = futures_util::future::join_all(tries.iter_mut().map(|attempt| start(world, attempt))).await;
    assert_eq!(all.iter().filter(|started| started.is_ok()).count(), 1, "{all:?}");
    for started in all.into_iter().filter(Result::is_err) {
        is_unknown(started);
    }
    let started = tries.iter().find(|attempt| attempt.reference.is_some()).expect("one");
    assert_eq!(world.opened(started), 1);
    assert!(world.pay(started, 10).await, "no other start has closed it");
    assert_eq!(check(world, started).await, paid(started, 10));
}

pub(super) async fn f17_a_notice_is_believed_only_that_one_should_ask(world: &impl World, number: u32) {
    let (attempt, started) = opened(world, number).await;
    assert!(world.pay(&attempt, 10).await);
    let notices = world.notices(&attempt);
    let read =
        |signature: Option<&str>, body: &[u8]| world.provider().read_notice(&Notice { signature, body });
    assert!(!notices.is_empty());
    for notice in &notices {
        assert_eq!(
            read(Some(&notice.signature), &notice.body),
            Some(NoticeSubject::Payment { reference: started.reference.clone(), attempt: Some(attempt.id) })
        );
        assert_eq!(read(None, &notice.body), None, "nobody signed it");
        assert_eq!(read(Some("00"), &notice.body), None, "somebody else signed it");
        let more = [notice.body.as_slice(), b" "].concat();
        assert_eq!(read(Some(&notice.signature), &more), None, "something else was signed");
    }
}

pub(super) async fn f17_notices_that_are_repeated_and_shuffled_change_nothing(
    world: &impl World,
    number: u32,
) {
    let (attempt, started) = opened(world, number).await;
    assert!(world.pay(&attempt, 10).await);
    let notices = world.notices(&attempt);
    for round in 0..100 {
        // The same notices in another order each time, old ones last.
        let notice = &notices[(round * 7) % notices.len()];
        let about = Notice { signature: Some(&notice.signature), body: &notice.body };
        assert_eq!(
            world.provider().read_notice(&about),
            Some(NoticeSubject::Payment { reference: started.reference.clone(), attempt: Some(attempt.id) })
        );
        assert_eq!(check(world, &attempt).await, paid(&attempt, 10), "round {round}");
    }
    assert_eq!(world.opened(&attempt), 1);
}

pub(super) async fn f17_who_sends_no_notices_reads_none<W: World>(world: &W, number: u32) {
    if W::CAN.contains(&Can::Notices) {
        return;
    }
    let (attempt, started) = opened(world, number).await;
    let body = format!("{{\"payment\":\"{}\"}}", started.reference);
    for signature in [None, Some(""), Some("00"), Some("x")] {
        assert_eq!(world.provider().read_notice(&Notice { signature, body: body.as_bytes() }), None);
    }
    assert_eq!(check(world, &attempt).await, Observation::Waiting);
}
