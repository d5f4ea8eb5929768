//! F20: reorgs at every depth, and money that is exact, short, too much, late, of another coin, or twice in
//! one block.

use super::{CHAIN, Scene, UNKNOWN, USDT, Waiting};
use crate::doubles::Payment;
use futures_util::FutureExt as _;
use till_domain::attempt::Observation;
use till_providers::evm::Book as _;

const NEEDED: u32 = 6;

/// The payments of a customer, in tenths of the charge, all in one block.
const SHAPES: [&[u128]; 5] = [&[10], &[4, 6], &[12], &[10, 3], &[1, 2, 3, 4]];

fn payments(scene: &Scene, waiting: &Waiting, shape: &[u128]) -> Vec<Payment> {
    shape.iter().map(|tenths| scene.pay(waiting, *tenths, 10)).collect()
}

fn confirming(seen: u32, waiting: &Waiting, tenths: u128) -> Observation {
    Observation::Confirming { seen, needed: NEEDED, received: waiting.part(tenths, 10) }
}

/// Replaces the last blocks by one block more than that, with these payments in the first of them.
fn replace(scene: &Scene, depth: usize, payments: &[Payment]) {
    scene.chain.fork(depth);
    scene.mine(payments);
    for _ in 0..depth {
        scene.mine(&[]);
    }
}

#[test]
fn f20_nothing_is_paid_before_it_is_final() {
    for coin in ["usdc", "eth"] {
        for shape in SHAPES {
            let total = shape.iter().sum();
            let scene = Scene::new(NEEDED);
            let waiting = scene.open(1, coin);
            assert_eq!(scene.check(&waiting), Observation::Waiting);
            scene.mine(&payments(&scene, &waiting, shape));
            scene.pass();
            for seen in 1..NEEDED {
                assert_eq!(scene.check(&waiting), confirming(seen, &waiting, total), "{coin} {shape:?}");
                assert_eq!(scene.touched(), [waiting.attempt.id], "every block is news");
                scene.grow(1);
            }
            assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(total, 10)), "{coin} {shape:?}");
            assert_eq!(scene.touched(), [waiting.attempt.id]);
            scene.grow(1);
            assert_eq!(scene.touched(), [], "what is final is no news");
        }
    }
}

#[test]
fn f20_what_a_fork_takes_back_before_it_is_final_is_waited_for_again() {
    for (coin, seen) in ["usdc", "eth"].into_iter().flat_map(|coin| (1..NEEDED).map(move |seen| (coin, seen)))
    {
        for depth in 0..=10_usize {
            for comes_back in [false, true] {
                let scene = Scene::new(NEEDED);
                let waiting = scene.open(1, coin);
                let payments = payments(&scene, &waiting, &[10]);
                scene.mine(&payments);
                scene.pass();
                scene.grow(seen - 1);
                scene.touched();
                let hit = depth >= seen as usize;
                replace(&scene, depth, if hit && comes_back { &payments } else { &[] });
                let pass = scene.pass();
                let name = format!("{coin}, seen {seen}, depth {depth}, back {comes_back}");
                assert_eq!(pass.replaced, depth as u64, "{name}");
                let then = scene.check(&waiting);
                match (hit, comes_back) {
                    (false, _) if seen + 1 == NEEDED => {
                        assert_eq!(then, waiting.paid(waiting.part(1, 1)), "{name}")
                    }
                    (false, _) => assert_eq!(then, confirming(seen + 1, &waiting, 10), "{name}"),
                    (true, false) => assert_eq!(then, Observation::Waiting, "{name}"),
                    // The transfer is in the first new block; the native coin counts from the block in which
                    // its balance was read.
                    (true, true) if coin == "eth" => assert_eq!(then, confirming(1, &waiting, 10), "{name}"),
                    (true, true) if depth + 1 >= NEEDED as usize => {
                        assert_eq!(then, waiting.paid(waiting.part(1, 1)), "{name}");
                    }
                    (true, true) => assert_eq!(then, confirming(depth as u32 + 1, &waiting, 10), "{name}"),
                }
                assert_eq!(scene.touched(), [waiting.attempt.id], "{name}");
                scene.grow(NEEDED);
                let paid = !hit || comes_back;
                let last = if paid { waiting.paid(waiting.part(1, 1)) } else { Observation::Waiting };
                assert_eq!(scene.check(&waiting), last, "{name}");
            }
        }
    }
}

#[test]
fn f20_what_a_fork_takes_back_after_it_was_final_is_said_so() {
    for coin in ["usdc", "eth"] {
        for depth in 0..=10_usize {
            for comes_back in [false, true] {
                let scene = Scene::new(NEEDED);
                let mut waiting = scene.open(1, coin);
                let payments = payments(&scene, &waiting, &[10]);
                scene.mine(&payments);
                scene.pass();
                scene.grow(NEEDED - 1);
                assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)));
                waiting.attempt.recorded = waiting.attempt.charge.atoms;
                scene.touched();
                let hit = depth >= NEEDED as usize;
                replace(&scene, depth, if hit && comes_back { &payments } else { &[] });
                scene.pass();
                let name = format!("{coin}, depth {depth}, back {comes_back}");
                let then = scene.check(&waiting);
                if hit && !comes_back {
                    let nothing = waiting.part(0, 1);
                    assert_eq!(then, Observation::TakenBack { received: nothing }, "{name}");
                    assert_eq!(scene.touched(), [waiting.attempt.id], "{name}");
                } else {
                    assert_eq!(then, waiting.paid(waiting.part(1, 1)), "{name}");
                }
                scene.grow(NEEDED);
                let again = scene.check(&waiting);
                assert_eq!(matches!(again, Observation::TakenBack { .. }), hit && !comes_back, "{name}");
            }
        }
    }
}

#[test]
fn f20_more_confirmations_take_nothing_back() {
    for (coin, tenths) in [("usdc", 10), ("eth", 10), ("usdc", 4), ("eth", 4)] {
        let mut scene = Scene::new(NEEDED);
        let mut waiting = scene.open(1, coin);
        scene.mine(&[scene.pay(&waiting, tenths, 10)]);
        scene.pass();
        scene.grow(NEEDED - 1);
        let before = scene.check(&waiting);
        waiting.attempt.recorded = waiting.part(tenths, 10).atoms;
        scene.ask_for(NEEDED * 4);
        assert_eq!(scene.check(&waiting), before, "{coin} {tenths}");
        // Money that comes now needs the new number of confirmations.
        scene.mine(&[scene.pay(&waiting, 10, 10)]);
        scene.pass();
        scene.grow(NEEDED);
        let paid = tenths == 10;
        assert_eq!(scene.check(&waiting) == before, paid, "{coin} {tenths}");
        assert_eq!(matches!(scene.check(&waiting), Observation::Confirming { .. }), !paid);
        scene.grow(NEEDED * 3);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(tenths + 10, 10)));
    }
}

#[test]
fn f20_less_is_partial_until_the_rest_is_there() {
    for coin in ["usdc", "eth"] {
        let scene = Scene::new(NEEDED);
        let waiting = scene.open(1, coin);
        scene.mine(&[scene.pay(&waiting, 4, 10)]);
        scene.pass();
        scene.grow(NEEDED - 1);
        assert_eq!(scene.check(&waiting), Observation::Partial { received: waiting.part(4, 10) });
        assert_eq!(scene.close(&waiting), Ok(Observation::Partial { received: waiting.part(4, 10) }));
        scene.mine(&[scene.pay(&waiting, 6, 10)]);
        scene.pass();
        assert_eq!(scene.check(&waiting), confirming(1, &waiting, 10), "all of it confirms");
        scene.grow(NEEDED - 1);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)));
        // More money comes later.
        scene.mine(&[scene.pay(&waiting, 2, 10)]);
        scene.pass();
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)), "what is there is there");
        scene.grow(NEEDED - 1);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(12, 10)));
    }
}

#[test]
fn f20_money_that_comes_after_all_was_over_is_found() {
    for (coin, hours) in [("usdc", 1), ("usdc", 700), ("eth", 0), ("eth", 2), ("eth", 700)] {
        let scene = Scene::new(NEEDED);
        let waiting = scene.open(1, coin);
        scene.grow(1);
        assert_eq!(scene.close(&waiting), Ok(Observation::CannotBeClosed));
        scene.book.over(waiting.attempt.id);
        scene.later(std::time::Duration::from_secs(hours * 3_600));
        scene.grow(1);
        scene.mine(&[scene.pay(&waiting, 1, 1)]);
        scene.pass();
        // The balance of an address without an active attempt is read once an hour.
        scene.later(std::time::Duration::from_secs(3_600));
        scene.grow(1);
        assert!(matches!(scene.check(&waiting), Observation::Confirming { .. }), "{coin} after {hours} h");
        scene.grow(NEEDED - 1);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)), "{coin} after {hours} h");
    }
}

#[test]
fn f20_another_coin_does_not_count_and_is_reported_once() {
    for (coin, other) in [("usdc", Some(USDT)), ("usdc", None), ("eth", Some(USDT))] {
        let scene = Scene::new(NEEDED);
        let waiting = scene.open(1, coin);
        let atoms = i128::try_from(waiting.attempt.charge.atoms).expect("not so much");
        scene.mine(&[scene.pay_in(&waiting, other, atoms), scene.pay_in(&waiting, Some(UNKNOWN), atoms)]);
        scene.pass();
        scene.grow(NEEDED);
        assert_eq!(scene.check(&waiting), Observation::Waiting);
        let strays = || {
            let final_block = scene.chain.height() + 1 - u64::from(NEEDED);
            scene.book.strays(CHAIN, final_block).now_or_never().expect("at once").expect("a book")
        };
        let told = strays();
        assert_eq!(told.len(), 1, "a contract that nobody set up is nobody's coin");
        assert_eq!((told[0].1.contract, told[0].1.atoms.0), (other, waiting.attempt.charge.atoms));
        scene.book.mark_reported(&told[0].1).now_or_never().expect("at once").expect("a book");
        assert_eq!(strays().len(), 0);
        // The right coin still counts.
        scene.mine(&[scene.pay(&waiting, 1, 1)]);
        scene.pass();
        scene.grow(NEEDED - 1);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)));
    }
}

#[test]
fn f20_two_payments_in_one_block_are_told_apart() {
    for (one, other) in [("usdc", "usdc"), ("usdc", "eth"), ("eth", "eth")] {
        let scene = Scene::new(NEEDED);
        let (first, second, third) = (scene.open(1, one), scene.open(2, other), scene.open(3, other));
        scene.mine(&[scene.pay(&first, 1, 1), scene.pay(&second, 9, 10)]);
        scene.pass();
        scene.grow(NEEDED - 1);
        assert_eq!(scene.check(&first), first.paid(first.part(1, 1)));
        assert_eq!(scene.check(&second), Observation::Partial { received: second.part(9, 10) });
        assert_eq!(scene.check(&third), Observation::Waiting);
    }
}

#[test]
fn l2_what_a_deep_fork_has_displaced_is_named() {
    let scene = Scene::new(3);
    let (gone, stands) = (scene.open(1, "usdc"), scene.open(2, "usdc"));
    scene.mine(&[scene.pay(&stands, 1, 1)]);
    scene.pass();
    scene.grow(20);
    scene.mine(&[scene.pay(&gone, 1, 1)]);
    scene.pass();
    scene.grow(80);
    assert!(!scene.watcher.has_deep_fork());
    // A reorg deeper than the blocks that are remembered, and than those that are read again.
    scene.chain.fork(90);
    for _ in 0..95 {
        scene.mine(&[]);
    }
    let pass = scene.pass();
    assert!(pass.too_deep && scene.watcher.has_deep_fork(), "{pass:?}");
    let displaced = scene.watcher.displaced().now_or_never().expect("at once").expect("an answer");
    let addresses: Vec<_> = displaced.into_iter().map(|transfer| transfer.address).collect();
    assert_eq!(addresses, [gone.address], "the other one is still there");
    scene.watcher.deep_fork_reported();
    assert!(!scene.watcher.has_deep_fork());
}
