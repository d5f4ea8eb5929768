//! Cases without faults.

use super::{Can, World, check, close, opened, paid, start};
use till_domain::attempt::{Instructions, Observation};
use till_providers::ProviderError;

pub(super) async fn a_start_says_what_to_pay_and_where(world: &impl World, number: u32) {
    let (attempt, started) = opened(world, number).await;
    assert!(!started.reference.is_empty() && started.charge.atoms > 0);
    match &started.instructions {
        Instructions::Redirect { url } => assert!(url.starts_with("https://")),
        Instructions::Qr { payload, app_url } => assert!(!payload.is_empty() && !app_url.is_empty()),
        Instructions::Address { address, uri, wallet_url, network, .. } => {
            assert!(!address.is_empty() && !wallet_url.is_empty() && !network.is_empty());
            if world.provider().is_simulated() {
                assert!(!address.starts_with("0x") && uri.starts_with("https://"), "no wallet can pay {uri}");
            } else {
                assert!(address.starts_with("0x") && address.len() == 42, "{address}");
                assert!(uri.contains(address.as_str()), "{uri}");
                assert!(uri.ends_with(&format!("={}", started.charge.atoms)), "{uri}");
            }
        }
        Instructions::Embedded { .. } | Instructions::Nothing => {}
    }
    assert_eq!(world.opened(&attempt), 1);
}

pub(super) async fn starting_again_gives_the_same_payment(world: &impl World, number: u32) {
    let (mut attempt, first) = opened(world, number).await;
    for _ in 0..3 {
        assert_eq!(start(world, &mut attempt).await, Ok(first.clone()));
    }
    assert_eq!(world.opened(&attempt), 1);
}

pub(super) async fn starting_again_undoes_nothing(world: &impl World, number: u32) {
    let (mut attempt, first) = opened(world, number).await;
    assert!(world.pay(&attempt, 10).await);
    assert_eq!(start(world, &mut attempt).await, Ok(first));
    assert_eq!(check(world, &attempt).await, paid(&attempt, 10));
}

pub(super) async fn what_was_never_started_is_known_not_to_be(world: &impl World, number: u32) {
    let attempt = world.attempt(number);
    assert_eq!(check(world, &attempt).await, Observation::NeverStarted);
    assert_eq!(close(world, &attempt).await, Observation::NeverStarted);
    assert_eq!(check(world, &attempt).await, Observation::NeverStarted, "asking starts nothing");
    assert_eq!(world.opened(&attempt), 0);
}

pub(super) async fn nothing_has_happened_until_somebody_pays(world: &impl World, number: u32) {
    let (attempt, _) = opened(world, number).await;
    for _ in 0..3 {
        assert_eq!(check(world, &attempt).await, Observation::Waiting);
    }
}

pub(super) async fn what_is_paid_exactly_is_paid_and_stays_paid(world: &impl World, number: u32) {
    let (mut attempt, _) = opened(world, number).await;
    assert!(world.pay(&attempt, 10).await);
    for _ in 0..3 {
        assert_eq!(check(world, &attempt).await, paid(&attempt, 10));
        attempt.recorded = attempt.charge.atoms;
    }
}

pub(super) async fn two_payments_are_told_apart(world: &impl World, number: u32) {
    let (first, one) = opened(world, number).await;
    let (second, other) = opened(world, number + 1).await;
    assert_ne!(one.reference, other.reference);
    assert_ne!(one.instructions, other.instructions);
    assert!(world.pay(&second, 10).await);
    assert_eq!(check(world, &first).await, Observation::Waiting);
    assert_eq!(check(world, &second).await, paid(&second, 10));
}

pub(super) async fn what_was_paid_is_not_closed(world: &impl World, number: u32) {
    let (attempt, _) = opened(world, number).await;
    assert!(world.pay(&attempt, 10).await);
    for _ in 0..2 {
        assert_eq!(close(world, &attempt).await, paid(&attempt, 10));
    }
    assert_eq!(check(world, &attempt).await, paid(&attempt, 10));
}

pub(super) async fn what_is_closed_takes_no_money(world: &impl World, number: u32) {
    let (mut attempt, _) = opened(world, number).await;
    for _ in 0..2 {
        assert_eq!(close(world, &attempt).await, Observation::Closed);
    }
    assert!(!world.pay(&attempt, 10).await);
    start(world, &mut attempt).await.expect("the same again");
    assert!(!world.pay(&attempt, 10).await, "starting it again opens nothing");
    assert_eq!(check(world, &attempt).await, Observation::Closed);
}

pub(super) async fn what_cannot_be_closed_says_so_and_takes_money_late(world: &impl World, number: u32) {
    let (attempt, _) = opened(world, number).await;
    for _ in 0..2 {
        assert_eq!(close(world, &attempt).await, Observation::CannotBeClosed);
    }
    assert!(world.pay(&attempt, 10).await);
    assert_eq!(check(world, &attempt).await, paid(&attempt, 10));
}

pub(super) async fn a_refusal_is_final(world: &impl World, number: u32) {
    let (attempt, _) = opened(world, number).await;
    assert!(world.decline(&attempt).await);
    let said = check(world, &attempt).await;
    assert!(matches!(said, Observation::Declined(_)), "{said:?}");
    assert!(!world.pay(&attempt, 10).await);
    assert_eq!((check(world, &attempt).await, close(world, &attempt).await), (said.clone(), said));
}

pub(super) async fn f17_a_refusal_after_the_money_changes_nothing(world: &impl World, number: u32) {
    let (attempt, _) = opened(world, number).await;
    assert!(world.pay(&attempt, 10).await);
    assert!(!world.decline(&attempt).await);
    assert_eq!(check(world, &attempt).await, paid(&attempt, 10));
}

pub(super) async fn f20_less_is_partial_until_the_rest_comes(world: &impl World, number: u32) {
    let (attempt, _) = opened(world, number).await;
    assert!(world.pay(&attempt, 9).await);
    let part = Observation::Partial { received: attempt.charge.with(attempt.charge.atoms * 9 / 10) };
    assert_eq!(check(world, &attempt).await, part);
    assert_eq!(close(world, &attempt).await, part, "what is there is not hidden");
    assert!(world.pay(&attempt, 1).await);
    let then = check(world, &attempt).await;
    let Observation::Paid { received, .. } = then else { panic!("{then:?}") };
    assert!(received.atoms >= attempt.charge.atoms, "{received}");
}

pub(super) async fn f20_more_is_paid_with_all_of_it(world: &impl World, number: u32) {
    let (attempt, _) = opened(world, number).await;
    assert!(world.pay(&attempt, 11).await);
    assert_eq!(check(world, &attempt).await, paid(&attempt, 11));
}

pub(super) async fn f20_what_is_taken_back_is_said(world: &impl World, number: u32) {
    let (mut attempt, _) = opened(world, number).await;
    assert!(world.pay(&attempt, 10).await);
    assert_eq!(check(world, &attempt).await, paid(&attempt, 10));
    attempt.recorded = attempt.charge.atoms;
    world.take_back().await;
    let nothing = Observation::TakenBack { received: attempt.charge.with(0) };
    assert_eq!(check(world, &attempt).await, nothing);
    assert!(world.pay(&attempt, 10).await);
    assert_eq!(check(world, &attempt).await, paid(&attempt, 10), "it can come again");
}

pub(super) async fn what_cannot_be_chosen_is_refused_and_opens_nothing(world: &impl World, number: u32) {
    let mut attempt = world.attempt(number);
    attempt.choice = Some("a bribe".to_owned());
    let refused = start(world, &mut attempt).await;
    assert!(matches!(refused, Err(ProviderError::Definite(_))), "{refused:?}");
    assert_eq!(check(world, &attempt).await, Observation::NeverStarted);
    assert_eq!(world.opened(&attempt), 0);
}

pub(super) async fn it_offers_what_it_takes<W: World>(world: &W, number: u32) {
    let (attempt, amount, provider) = (world.attempt(number), world.amount(), world.provider());
    let offered = provider.methods();
    let offering = offered.iter().find(|offering| offering.method == attempt.method);
    assert!(offering.expect("its method").currencies.take(amount.currency));
    assert!(provider.takes(attempt.method, amount));
    let choices = provider.choices(attempt.method, amount.currency);
    assert_eq!(choices.is_empty(), !W::CAN.contains(&Can::Choices));
    let chosen = attempt.choice.as_ref();
    assert!(chosen.is_none_or(|chosen| choices.iter().any(|choice| choice.value == *chosen)));
    assert!(!provider.name().is_empty());
}
