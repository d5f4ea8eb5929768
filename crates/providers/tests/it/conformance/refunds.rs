//! Cases of refunds, for providers that send them.

use super::{World, opened};
use crate::doubles::When;
use till_domain::{
    attempt::Attempt,
    refund::{Refund, RefundSeen},
};
use till_providers::ProviderError;

async fn taken(world: &impl World, number: u32) -> Attempt {
    let (attempt, _) = opened(world, number).await;
    assert!(world.pay(&attempt, 10).await);
    attempt
}

fn refund(world: &impl World, attempt: &Attempt, number: u8, minor: i64) -> Refund {
    world.refund(attempt, number, minor).expect("a refund")
}

async fn send(world: &impl World, refund: &Refund) -> Result<RefundSeen, ProviderError> {
    world.provider().refunds().expect("it sends money back").refund(refund).await
}

async fn ask(world: &impl World, refund: &Refund) -> RefundSeen {
    world.provider().refunds().expect("it sends money back").check(refund).await.expect("an answer")
}

/// Asks as the service does, which sends a refund again that the provider cannot find.
async fn settle(world: &impl World, refund: &Refund) -> RefundSeen {
    match ask(world, refund).await {
        RefundSeen::Unheard if !world.finds_refunds() => send(world, refund).await.expect("an answer"),
        seen => seen,
    }
}

/// The refund after this answer, as the service stores it.
fn kept(refund: Refund, seen: &RefundSeen) -> Refund {
    match seen {
        RefundSeen::Accepted { reference } | RefundSeen::Succeeded { reference } => {
            Refund { reference: Some(reference.clone()), ..refund }
        }
        _ => refund,
    }
}

fn succeeded(seen: &RefundSeen) -> bool {
    matches!(seen, RefundSeen::Succeeded { .. })
}

pub(super) async fn money_goes_back_once_for_each_id(world: &impl World, number: u32) {
    let attempt = taken(world, number).await;
    let (before, mut one) = (world.sent_back(), refund(world, &attempt, 1, 100));
    assert_eq!(ask(world, &one).await, RefundSeen::Unheard);
    for _ in 0..3 {
        let seen = send(world, &one).await.expect("an answer");
        assert!(succeeded(&seen));
        one = kept(one, &seen);
        assert!(succeeded(&settle(world, &one).await));
    }
    assert_eq!(world.sent_back() - before, 100);
}

pub(super) async fn never_more_goes_back_than_was_taken(world: &impl World, number: u32) {
    let attempt = taken(world, number).await;
    let (before, all) = (world.sent_back(), world.amount().minor);
    assert!(succeeded(&send(world, &refund(world, &attempt, 11, all - 1)).await.expect("an answer")));
    let more = send(world, &refund(world, &attempt, 12, 2)).await;
    assert!(matches!(more, Ok(RefundSeen::Failed { .. }) | Err(ProviderError::Definite(_))), "{more:?}");
    assert!(succeeded(&send(world, &refund(world, &attempt, 13, 1)).await.expect("an answer")));
    assert_eq!(world.sent_back() - before, all);
    let (unpaid, _) = opened(world, number + 1).await;
    let nothing = send(world, &refund(world, &unpaid, 14, 1)).await;
    assert!(
        matches!(nothing, Ok(RefundSeen::Failed { .. }) | Err(ProviderError::Definite(_))),
        "{nothing:?}"
    );
}

pub(super) async fn f16_a_refund_that_was_not_heard_is_unheard_of(world: &impl World, number: u32) {
    let attempt = taken(world, number).await;
    let (before, one) = (world.sent_back(), refund(world, &attempt, 21, 100));
    world.lose_refund(When::Before);
    assert!(matches!(send(world, &one).await, Err(ProviderError::Unknown(_) | ProviderError::Unclear(_))));
    assert_eq!((ask(world, &one).await, world.sent_back() - before), (RefundSeen::Unheard, 0));
    assert!(succeeded(&send(world, &one).await.expect("an answer")));
    assert_eq!(world.sent_back() - before, 100);
}

pub(super) async fn f16_a_refund_whose_answer_is_lost_goes_back_once(world: &impl World, number: u32) {
    let attempt = taken(world, number).await;
    let (before, one) = (world.sent_back(), refund(world, &attempt, 31, 100));
    world.lose_refund(When::After);
    let one = match send(world, &one).await {
        Err(ProviderError::Unknown(_) | ProviderError::Unclear(_)) => one,
        // The provider looked at the payment before and after.
        Ok(seen) => kept(one, &seen),
        Err(error) => panic!("{error:?}"),
    };
    assert!(succeeded(&settle(world, &one).await));
    assert!(succeeded(&send(world, &one).await.expect("an answer")));
    assert_eq!(world.sent_back() - before, 100);
}
