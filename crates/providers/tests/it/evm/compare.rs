//! The comparison of the chain's balances with the transfers that were read (`till reconcile`).

use super::{Scene, USDC, Waiting};
use futures_util::FutureExt as _;
use std::time::Duration;
use till_domain::{chain::Address, time::Timestamp};
use till_providers::evm::{Book as _, Comparison};

/// How long an address is watched.
const WATCHED: Duration = Duration::from_secs(31 * 24 * 60 * 60);

fn compare(scene: &Scene) -> Comparison {
    let (from, to) = (Timestamp::from_ms(0), scene.book.now().plus(Duration::from_secs(3_600)));
    scene.watcher.compare(from, to).now_or_never().expect("at once").expect("an answer")
}

fn unbooked(scene: &Scene) -> Vec<(Address, String, u128, u128, bool)> {
    let found = compare(scene).unbooked.into_iter();
    found.map(|one| (one.deposit.address, one.coin, one.there.0, one.here.0, one.emptied)).collect()
}

/// Ends the attempt and lets its address age past the time it is watched.
fn forget(scene: &Scene, waiting: &Waiting) {
    scene.book.over(waiting.attempt.id);
    scene.later(WATCHED);
}

#[test]
fn l11_what_was_read_is_the_same_as_what_the_chain_has() {
    let scene = Scene::new(3);
    let all = [scene.open(1, "usdc"), scene.open(2, "eth"), scene.open(3, "eth")];
    scene.grow(1);
    scene.mine(&[scene.pay(&all[0], 1, 1), scene.pay(&all[1], 1, 1), scene.pay(&all[2], 2, 1)]);
    scene.pass();
    scene.grow(5);
    // The owner sweeps some of it.
    let taken = i128::try_from(all[1].attempt.charge.atoms).expect("a number");
    scene.mine(&[scene.pay_in(&all[1], None, -taken)]);
    scene.pass();
    scene.grow(5);
    let comparison = compare(&scene);
    assert_eq!(comparison.unbooked, []);
    assert_eq!(comparison.addresses, 3);
    for (coin, charge) in [("USDC", all[0].attempt.charge.atoms), ("ETH", all[1].attempt.charge.atoms * 3)] {
        let sum = &comparison.sums[coin];
        assert_eq!((sum.there.0, sum.here.0), (charge, charge), "{coin}");
    }
}

#[test]
fn l11_money_that_comes_after_nobody_looks_any_more_is_found() {
    for coin in ["usdc", "eth"] {
        let scene = Scene::new(3);
        let waiting = scene.open(1, coin);
        scene.grow(1);
        forget(&scene, &waiting);
        scene.mine(&[scene.pay(&waiting, 1, 1)]);
        scene.pass();
        scene.grow(5);
        let charge = waiting.attempt.charge.atoms;
        assert_eq!(scene.book.transfers(), [], "nobody has looked");
        let expected = (waiting.address, coin.to_uppercase(), charge, 0, false);
        assert_eq!(unbooked(&scene), [expected], "{coin}");
    }
}

#[test]
fn l11_what_came_and_was_taken_away_between_two_looks_is_found() {
    let scene = Scene::new(3);
    let waiting = scene.open(1, "eth");
    scene.grow(1);
    forget(&scene, &waiting);
    let paid = scene.pay(&waiting, 1, 1);
    scene.mine(std::slice::from_ref(&paid));
    scene.mine(&[scene.pay_in(&waiting, None, -paid.atoms)]);
    scene.pass();
    scene.grow(5);
    assert_eq!(scene.book.transfers(), []);
    assert_eq!(unbooked(&scene), [(waiting.address, "ETH".to_owned(), 0, 0, true)]);
}

#[test]
fn l11_money_that_comes_to_an_emptied_address_is_found() {
    let scene = Scene::new(3);
    let waiting = scene.open(1, "eth");
    scene.grow(1);
    let paid = scene.pay(&waiting, 1, 1);
    scene.mine(std::slice::from_ref(&paid));
    scene.pass();
    scene.grow(5);
    scene.mine(&[scene.pay_in(&waiting, None, -paid.atoms)]);
    scene.pass();
    scene.grow(5);
    forget(&scene, &waiting);
    scene.mine(&[scene.pay(&waiting, 1, 1)]);
    scene.pass();
    scene.grow(5);
    let charge = waiting.attempt.charge.atoms;
    let expected = (waiting.address, "ETH".to_owned(), charge * 2, charge, false);
    assert_eq!(unbooked(&scene), [expected]);
}

#[test]
fn l11_another_coin_at_an_old_address_is_found() {
    let scene = Scene::new(3);
    let waiting = scene.open(1, "eth");
    scene.grow(1);
    forget(&scene, &waiting);
    scene.mine(&[scene.pay_in(&waiting, Some(USDC), 7)]);
    scene.pass();
    scene.grow(5);
    assert_eq!(unbooked(&scene), [(waiting.address, "USDC".to_owned(), 7, 0, false)]);
}
