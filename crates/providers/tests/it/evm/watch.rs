//! The chain reader: its requests, its writes, and answers that contradict each other.

use super::{CHAIN, Scene, UNKNOWN, USDC, Waiting};
use futures_util::FutureExt as _;
use std::{sync::Arc, time::Duration};
use till_domain::{
    attempt::Observation,
    chain::{Address, Atoms, BlockHash, ChainId, Cursor},
};
use till_providers::{
    ProviderError,
    evm::{AccountKey, Book as _, Header, WatchError, Watcher},
};

fn cursor(scene: &Scene) -> Option<Cursor> {
    scene.book.cursor(CHAIN).now_or_never().expect("at once").expect("a book")
}

fn count(scene: &Scene) -> u32 {
    scene.chain.asked().values().sum()
}

/// A payment of each kind, paid in the next block, and that block is read.
fn paid_in_both(scene: &Scene) -> [Waiting; 2] {
    let both = [scene.open(1, "usdc"), scene.open(2, "eth")];
    scene.mine(&[scene.pay(&both[0], 1, 1), scene.pay(&both[1], 1, 1)]);
    scene.pass();
    both
}

#[test]
fn a_new_chain_is_read_from_its_head_on() {
    let scene = Scene::unread(6);
    let pass = scene.pass();
    assert_eq!((pass.cursor.block, pass.cursor.head, pass.cursor.version, pass.behind), (99, 99, 1, false));
    assert_eq!(cursor(&scene), Some(pass.cursor.clone()));
    assert_eq!(pass.cursor.recent.len(), 64, "what the next blocks are compared with");
}

#[test]
fn what_was_paid_before_a_chain_was_first_read_is_found() {
    let scene = Scene::unread(6);
    let waiting = scene.open(1, "usdc");
    scene.mine(&[scene.pay(&waiting, 1, 1)]);
    for _ in 0..300 {
        scene.mine(&[]);
    }
    assert_eq!(scene.check(&waiting), Observation::Waiting);
    while scene.pass().behind {}
    assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)));
}

#[test]
fn nothing_new_costs_one_question_and_writes_nothing() {
    let scene = Scene::new(6);
    scene.open(1, "eth");
    scene.chain.asked();
    let before = cursor(&scene);
    scene.pass();
    assert_eq!((cursor(&scene), count(&scene)), (before.clone(), 1));
    // The time of the last pass is stored now and then, even without new blocks.
    scene.later(Duration::from_secs(15));
    let pass = scene.pass();
    assert_eq!(pass.cursor.at, scene.book.now());
    assert_eq!(pass.cursor.version, before.expect("a cursor").version + 1);
}

#[test]
fn many_blocks_are_read_in_pages_and_none_is_missed() {
    for coin in ["usdc", "eth"] {
        let scene = Scene::new(6);
        let waiting = scene.open(1, coin);
        let before = cursor(&scene).expect("a cursor").at;
        for block in 0..1_050 {
            let part = scene.pay(&waiting, 1, 100);
            scene.mine(if block % 50 == 0 { std::slice::from_ref(&part) } else { &[] });
        }
        let mut passes = 1;
        while scene.pass().behind {
            assert_eq!(cursor(&scene).expect("a cursor").at, before, "the view is old until all is read");
            passes += 1;
        }
        assert_eq!(passes, 6);
        scene.grow(6);
        assert_eq!(scene.check(&waiting), Observation::Partial { received: waiting.part(21, 100) });
        let recent = cursor(&scene).expect("a cursor").recent;
        assert_eq!((recent.len(), recent.last().map(|(number, _)| *number)), (64, Some(1_155)));
        assert!(recent.windows(2).all(|two| two[0].0 + 1 == two[1].0), "no hash is left out");
    }
}

#[test]
fn a_node_that_is_behind_changes_nothing() {
    let scene = Scene::new(6);
    let both = paid_in_both(&scene);
    scene.grow(3);
    let (before, words) = (cursor(&scene), both.each_ref().map(|waiting| scene.check(waiting)));
    let gone = scene.chain.fork(2);
    assert_eq!(gone.len(), 2);
    scene.later(Duration::from_secs(60));
    assert!(!scene.pass().behind);
    assert_eq!(cursor(&scene), before, "not even that somebody has looked");
    assert_eq!(both.each_ref().map(|waiting| scene.check(waiting)), words);
    // The node is so far behind that it cannot be told whether it is on the same chain: an error, and nothing
    // is written.
    scene.chain.fork(90);
    assert!(matches!(scene.try_pass(), Err(WatchError::Node(_))));
    assert_eq!(cursor(&scene), before);
}

#[test]
fn a_chain_that_is_shorter_and_different_is_followed() {
    let scene = Scene::new(6);
    let both = paid_in_both(&scene);
    scene.grow(3);
    scene.chain.fork(4);
    scene.mine(&[]);
    let pass = scene.pass();
    assert_eq!((pass.cursor.block, pass.replaced, pass.too_deep), (100, 4, false));
    assert_eq!(
        both.each_ref().map(|waiting| scene.check(waiting)),
        [Observation::Waiting, Observation::Waiting]
    );
}

#[test]
fn a_fork_from_before_all_that_is_kept_is_read_again_and_said() {
    let scene = Scene::new(6);
    let waiting = scene.open(1, "usdc");
    scene.mine(&[scene.pay(&waiting, 1, 1)]);
    scene.pass();
    scene.grow(70);
    assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)));
    let gone = scene.chain.fork(71);
    for payments in gone.iter().chain([&Vec::new()]) {
        scene.mine(payments);
    }
    let pass = scene.pass();
    assert!(pass.too_deep && pass.replaced > 64, "{pass:?}");
    assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)), "it is on the new chain too");
    scene.grow(1);
    let pass = scene.pass();
    assert!(!pass.too_deep && pass.replaced == 0, "{pass:?}");
}

#[test]
fn whatever_question_is_not_answered_nothing_is_written_and_the_next_pass_finds_all() {
    for depth in [0, 3, 8] {
        for fails in ["node", "book"] {
            for question in 1.. {
                let scene = Scene::new(6);
                let both = paid_in_both(&scene);
                scene.grow(6);
                let third = scene.open(3, "eth");
                scene.chain.fork(depth);
                scene.mine(&[scene.pay(&third, 1, 1)]);
                for _ in 0..depth {
                    scene.mine(&[]);
                }
                let before = (cursor(&scene), scene.book.transfers());
                if fails == "node" {
                    scene.chain.fail_at(question)
                } else {
                    scene.book.fail_at(question)
                };
                scene.chain.asked();
                let result = scene.try_pass();
                scene.chain.fail_at(0);
                scene.book.fail_at(0);
                // One request may fail without failing the pass: what the owner swept is found out in a later
                // pass.
                let failed = result.is_err() || (fails == "node" && count(&scene) >= question);
                if !failed {
                    assert!(question > 4, "{question} questions are too few");
                    break;
                }
                if result.is_err() {
                    let after = (cursor(&scene), scene.book.transfers());
                    assert_eq!(after, before, "{fails} {question} {depth}");
                }
                scene.pass();
                scene.grow(6);
                assert_eq!(scene.check(&third), third.paid(third.part(1, 1)));
                let stands = depth < 7;
                for one in &both {
                    let expected = if stands { one.paid(one.part(1, 1)) } else { Observation::Waiting };
                    assert_eq!(scene.check(one), expected, "{fails} {question} {depth}");
                }
            }
        }
    }
}

#[test]
fn a_chain_that_moves_while_it_is_read_is_read_again() {
    let mut given_up = 0;
    for (question, depth) in (1..12).flat_map(|question| (1..4).map(move |depth| (question, depth))) {
        let scene = Scene::new(3);
        let both = [scene.open(1, "usdc"), scene.open(2, "eth")];
        scene.mine(&[]);
        scene.mine(&[scene.pay(&both[0], 1, 1), scene.pay(&both[1], 1, 1)]);
        scene.mine(&[]);
        // The new blocks have less money: that of the old ones must not count.
        let less =
            vec![vec![scene.pay(&both[0], 1, 10)], vec![scene.pay(&both[1], 1, 10)], Vec::new(), Vec::new()];
        scene.chain.fork_after(question, depth, less);
        given_up += u32::from(scene.try_pass().is_err());
        if scene.chain.calm() {
            continue;
        }
        scene.pass();
        scene.grow(4);
        let part = if depth > 1 { 1 } else { 11 };
        for one in &both {
            let got = one.part(part, 10);
            let expected = if part > 10 { one.paid(got) } else { Observation::Partial { received: got } };
            assert_eq!(scene.check(one), expected, "question {question}, depth {depth}");
        }
    }
    assert!(given_up > 5, "only {given_up} passes have noticed");
}

#[test]
fn a_head_that_nobody_has_is_not_believed() {
    let scene = Scene::new(6);
    scene.open(1, "eth");
    let before = cursor(&scene);
    for number in [100, 105, 1_000_000] {
        let lie = BlockHash::from_bytes([0x11; 32]);
        let head = Header { number, hash: lie, parent: lie, timestamp: 0 };
        scene.chain.lie(Some(head));
        assert!(matches!(scene.try_pass(), Err(WatchError::Node(_))), "{number}");
        assert_eq!(cursor(&scene), before);
    }
    scene.chain.lie(None);
    scene.grow(1);
}

#[test]
fn of_two_who_read_the_same_chain_one_counts() {
    let scene = Scene::new(6);
    let both = paid_in_both(&scene);
    scene.mine(&[]);
    let before = cursor(&scene).expect("a cursor");
    // The other reader has read the cursor, and is overtaken.
    let late = till_domain::chain::Advance {
        cursor: Cursor { block: 105, ..before.clone() },
        replaced_from: Some(1),
        found: Vec::new(),
        swept: Vec::new(),
        before: Vec::new(),
        touched: Vec::new(),
    };
    scene.pass();
    let written = scene.book.advance(&late).now_or_never().expect("at once").expect("a book");
    assert!(!written);
    let (chain, node) = (scene.watcher.chain.clone(), Arc::clone(&scene.chain) as _);
    let other = Watcher::new(chain, node, Arc::clone(&scene.book) as _, Arc::clone(&scene.watcher.coins));
    other.pass().now_or_never().expect("at once").expect("a pass");
    scene.grow(6);
    for one in &both {
        assert_eq!(scene.check(one), one.paid(one.part(1, 1)));
    }
}

#[test]
fn what_the_owner_takes_away_is_not_missed_and_what_comes_then_is_new() {
    let scene = Scene::new(3);
    let waiting = scene.open(1, "eth");
    let charge = i128::try_from(waiting.attempt.charge.atoms).expect("not so much");
    scene.mine(&[scene.pay(&waiting, 1, 1)]);
    scene.pass();
    scene.grow(2);
    assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)));
    scene.mine(&[scene.pay_in(&waiting, None, -charge)]);
    scene.pass();
    assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)), "it was paid");
    // New money comes before the sweep is final.
    scene.mine(&[scene.pay(&waiting, 3, 10)]);
    scene.pass();
    scene.grow(4);
    assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(13, 10)));
    assert_eq!(scene.book.deposits()[0].swept.0, waiting.attempt.charge.atoms);
    // Two sweeps, and no new money.
    scene.mine(&[scene.pay_in(&waiting, None, -charge / 10)]);
    scene.pass();
    scene.mine(&[scene.pay_in(&waiting, None, -charge / 10)]);
    scene.pass();
    scene.grow(4);
    assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(13, 10)));
}

/// The next address of the account, before it is given out.
fn next_address(scene: &Scene) -> Address {
    let key = AccountKey::parse(super::XPUB).expect("a key");
    let index = scene.book.next_index(&key.fingerprint()).now_or_never().expect("at once").expect("a book");
    key.address(index).expect("an address")
}

#[test]
fn what_an_address_had_before_it_was_given_out_is_nobodys_payment() {
    for (coin, read) in [("usdc", true), ("eth", true), ("eth", false)] {
        let scene = Scene::unread(3);
        let old = scene.chain.payment((coin == "usdc").then_some(USDC), next_address(&scene), 1 << 80);
        scene.mine(&[old]);
        scene.later(Duration::from_secs(3_600));
        scene.chain.mine_empty(300);
        if read {
            scene.pass();
        }
        // Either the chain was read before, or the first pass comes while a payment is already waited for.
        let waiting = scene.open(1, coin);
        scene.pass();
        scene.grow(4);
        assert_eq!(scene.check(&waiting), Observation::Waiting, "{coin} {read}");
        scene.mine(&[scene.pay(&waiting, 1, 1)]);
        scene.pass();
        scene.grow(4);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)), "{coin} {read}");
        // The owner sweeps all of it, the old money too.
        if coin == "eth" {
            let all = scene.pay(&waiting, 1, 1).atoms + (1 << 80);
            scene.mine(&[scene.pay_in(&waiting, None, -all)]);
            scene.pass();
            scene.grow(4);
            scene.mine(&[scene.pay(&waiting, 2, 10)]);
            scene.pass();
            scene.grow(4);
            assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(12, 10)), "{read}");
        }
    }
}

#[test]
fn old_money_that_came_a_moment_before_an_address_was_given_out_is_no_payment() {
    for coin in ["usdc", "eth"] {
        let scene = Scene::new(6);
        let contract = (coin == "usdc").then_some(USDC);
        scene.mine(&[scene.chain.payment(contract, next_address(&scene), 1 << 80)]);
        scene.pass();
        let waiting = scene.open(1, coin);
        for _ in 0..20 {
            scene.grow(1);
            assert_eq!(scene.check(&waiting), Observation::Waiting, "{coin}");
        }
        // The same block comes again, and then the customer pays in one that has its number.
        let waiting = scene.open(2, coin);
        scene.chain.fork(2);
        scene.mine(&[scene.pay(&waiting, 1, 1)]);
        scene.mine(&[]);
        scene.mine(&[]);
        scene.pass();
        scene.grow(6);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)), "{coin}");
    }
}

#[test]
fn h2_what_an_address_held_is_asked_for_while_a_node_still_knows_it() {
    let scene = Scene::new(3);
    let waiting = scene.open(1, "eth");
    scene.mine(&[scene.pay(&waiting, 1, 1)]);
    for _ in 0..99 {
        scene.mine(&[]);
    }
    scene.chain.forget(128);
    scene.pass();
    assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)));
}

#[test]
fn h2_an_address_with_nothing_at_the_oldest_known_block_had_nothing_before() {
    let scene = Scene::new(3);
    let waiting = scene.open(1, "eth");
    for _ in 0..50 {
        scene.mine(&[]);
    }
    scene.mine(&[scene.pay(&waiting, 1, 1)]);
    for _ in 0..100 {
        scene.mine(&[]);
    }
    scene.chain.forget(128);
    scene.pass();
    assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)));
    assert_eq!((scene.watcher.unknown_before(), scene.watcher.unreported()), (0, vec![]));
}

#[test]
fn h2_where_no_node_can_say_it_is_reported_with_the_balance() {
    for sent_on in [false, true] {
        let scene = Scene::new(3);
        let waiting = scene.open(1, "eth");
        let paid = scene.pay(&waiting, 1, 1);
        scene.mine(std::slice::from_ref(&paid));
        if sent_on {
            scene.mine(&[scene.pay_in(&waiting, None, -paid.atoms)]);
        }
        for _ in 0..150 {
            scene.mine(&[]);
        }
        scene.chain.forget(128);
        scene.pass();
        let found = scene.watcher.unreported();
        let balance = Atoms(if sent_on { 0 } else { waiting.attempt.charge.atoms });
        let seen: Vec<_> =
            found.iter().map(|one| (one.deposit.attempt, one.wanted, one.oldest, one.balance)).collect();
        let oldest = scene.chain.height() - 128;
        assert_eq!(seen, [(waiting.attempt.id, 99, oldest, balance)], "{sent_on}");
        assert_eq!(scene.watcher.unknown_before(), 1);
        scene.chain.asked();
        scene.grow(1);
        let asked = scene.chain.asked();
        assert_eq!(asked.get("nonces"), None, "the oldest block is not looked for again: {asked:?}");
        assert_eq!(scene.watcher.unreported().len(), 1, "until somebody was notified");
        scene.watcher.reported(waiting.address);
        scene.grow(1);
        assert_eq!((scene.watcher.unreported(), scene.watcher.unknown_before()), (vec![], 1));
        scene.chain.forget(0);
        scene.grow(1);
        assert_eq!(scene.watcher.unknown_before(), 0);
    }
}

#[test]
fn what_nobody_knows_of_before_is_not_counted_and_stops_nobody() {
    let scene = Scene::new(3);
    let waiting = scene.open(1, "eth");
    scene.mine(&[scene.pay(&waiting, 1, 1)]);
    for _ in 0..150 {
        scene.mine(&[]);
    }
    scene.chain.forget(128);
    scene.pass();
    let other = scene.open(2, "eth");
    scene.mine(&[scene.pay(&other, 1, 1)]);
    scene.pass();
    scene.grow(3);
    assert_eq!(scene.check(&waiting), Observation::Waiting, "it may have had that before");
    assert_eq!(scene.check(&other), other.paid(other.part(1, 1)));
    // Another node that keeps old state was added.
    scene.chain.forget(0);
    scene.grow(4);
    assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)));
}

#[test]
fn a_coin_that_is_not_set_up_any_more_is_looked_for_while_somebody_may_pay_in_it() {
    for (coin, repoint) in [("usdc", false), ("usdc", true), ("eth", false)] {
        let mut scene = Scene::new(3);
        let waiting = scene.open(1, coin);
        scene.grow(1);
        scene.set_up(|chain| {
            if repoint {
                chain.coins[1].contract = Some(UNKNOWN);
            } else {
                chain.coins.retain(|one| !one.symbol.eq_ignore_ascii_case(coin));
            }
        });
        scene.mine(&[scene.pay(&waiting, 1, 1)]);
        scene.pass();
        scene.grow(3);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)), "{coin} {repoint}");
    }
}

#[test]
fn one_node_cannot_invent_a_payment_whatever_their_number() {
    let scene = Scene::new(3);
    let all: Vec<_> = (0..300).map(|number| scene.open(number, "usdc")).collect();
    scene.mine(&[scene.pay(&all[1], 1, 1)]);
    scene.chain.invent(&scene.pay(&all[0], 1, 1));
    scene.pass();
    scene.grow(3);
    assert_eq!(scene.check(&all[0]), Observation::Waiting);
    assert_eq!(scene.check(&all[1]), all[1].paid(all[1].part(1, 1)));
}

#[test]
fn a_transfer_that_a_late_node_did_not_see_is_found_by_the_next_pass() {
    for blind in 1..6 {
        let scene = Scene::new(6);
        let waiting = scene.open(1, "usdc");
        scene.chain.blind(blind);
        scene.mine(&[scene.pay(&waiting, 1, 1)]);
        scene.pass();
        assert_eq!(scene.check(&waiting), Observation::Waiting);
        scene.grow(5);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)), "{blind}");
        scene.touched();
        scene.grow(1);
        assert_eq!(scene.touched(), [], "what is read again is no news");
    }
}

#[test]
fn many_confirmations_need_no_node_that_keeps_old_state() {
    for forgets in [128, 10] {
        let scene = Scene::new(200);
        scene.chain.forget(forgets);
        let waiting = scene.open(1, "eth");
        let charge = i128::try_from(waiting.attempt.charge.atoms).expect("not so much");
        scene.mine(&[scene.pay(&waiting, 1, 1)]);
        scene.pass();
        scene.grow(200);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)), "{forgets}");
        scene.mine(&[scene.pay_in(&waiting, None, -charge)]);
        scene.pass();
        scene.grow(100);
        let swept = if forgets == 128 { waiting.attempt.charge.atoms } else { 0 };
        assert_eq!(scene.book.deposits()[0].swept, Atoms(swept), "{forgets}");
    }
}

#[test]
fn what_comes_after_the_owner_took_all_is_seen_though_nobody_waits() {
    let scene = Scene::new(3);
    let waiting = scene.open(1, "eth");
    let charge = i128::try_from(waiting.attempt.charge.atoms).expect("not so much");
    scene.mine(&[scene.pay(&waiting, 1, 1)]);
    scene.pass();
    scene.grow(4);
    scene.book.over(waiting.attempt.id);
    scene.later(Duration::from_secs(7_200));
    scene.grow(1);
    // Both within the hour in which the balance of an address without an active attempt is read once.
    scene.mine(&[scene.pay_in(&waiting, None, -charge)]);
    scene.pass();
    scene.grow(4);
    scene.mine(&[scene.pay(&waiting, 1, 1)]);
    scene.pass();
    scene.later(Duration::from_secs(3_600));
    scene.grow(4);
    assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(2, 1)));
}

#[test]
fn a_taking_that_the_chain_takes_back_is_no_new_money() {
    for depth in 1..=2 {
        let scene = Scene::new(3);
        let waiting = scene.open(1, "eth");
        let charge = i128::try_from(waiting.attempt.charge.atoms).expect("not so much");
        scene.mine(&[scene.pay(&waiting, 1, 1)]);
        scene.pass();
        scene.grow(5);
        let taking = scene.pay_in(&waiting, None, -charge);
        scene.mine(std::slice::from_ref(&taking));
        scene.pass();
        scene.grow(depth - 1);
        scene.chain.fork(depth as usize);
        scene.grow(depth + 3);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)), "depth {depth}");
        scene.mine(&[taking]);
        scene.pass();
        scene.grow(6);
        assert_eq!(scene.check(&waiting), waiting.paid(waiting.part(1, 1)), "depth {depth}");
    }
}

#[test]
fn only_who_is_waited_for_is_looked_at_in_every_pass() {
    let scene = Scene::new(6);
    let all: Vec<_> = (0..120).map(|number| scene.open(number, "eth")).collect();
    scene.grow(1);
    for one in &all {
        scene.book.over(one.attempt.id);
    }
    scene.later(Duration::from_secs(7_200));
    scene.grow(1);
    // All money comes at once, to addresses without an active attempt: within the hour all of it is found.
    let payments: Vec<_> = all.iter().map(|one| scene.pay(one, 1, 1)).collect();
    scene.mine(&payments);
    scene.pass();
    let found = || scene.book.transfers().len();
    let first = found();
    assert!(first < 10, "{first} were looked at at once");
    for _ in 0..150 {
        scene.grow(1);
    }
    assert!(found() > 40 && found() < 80, "{} after half an hour", found());
    for _ in 0..150 {
        scene.grow(1);
    }
    assert_eq!(found(), 120);
}

#[test]
fn the_questions_of_a_pass_do_not_grow_with_the_payments() {
    let questions = |payments: u32| {
        let scene = Scene::new(12);
        for number in 0..payments {
            scene.open(number, if number % 2 == 0 { "usdc" } else { "eth" });
        }
        scene.grow(1);
        scene.chain.asked();
        scene.grow(1);
        scene.chain.asked()
    };
    let few = questions(10);
    assert_eq!(few, [("balances", 1), ("head", 1), ("header", 1), ("logs", 1)].into());
    assert_eq!(questions(1_000), few);
    assert_eq!(questions(0), [("head", 1), ("header", 1)].into());
}

#[test]
fn f19_nothing_is_given_up_while_nobody_has_read_the_chain() {
    for coin in ["usdc", "eth"] {
        let scene = Scene::new(6);
        let waiting = scene.open(1, coin);
        scene.grow(1);
        assert_eq!(scene.close(&waiting), Ok(Observation::CannotBeClosed));
        // The node is down for fifty blocks, and in one of them the customer pays.
        scene.mine(&[]);
        scene.mine(&[scene.pay(&waiting, 1, 1)]);
        for _ in 0..48 {
            scene.mine(&[]);
        }
        assert!(matches!(scene.close(&waiting), Err(ProviderError::Unknown(_))), "{coin}");
        assert_eq!(scene.check(&waiting), Observation::Waiting);
        scene.pass();
        scene.grow(if coin == "eth" { 5 } else { 0 });
        assert_eq!(scene.close(&waiting), Ok(waiting.paid(waiting.part(1, 1))), "{coin}");
    }
}

#[test]
fn a_chain_that_is_not_set_up_any_more_is_no_trouble_of_the_others() {
    let mut scene = Scene::new(6);
    let waiting = scene.open(1, "usdc");
    scene.grow(1);
    scene.set_up(|chain| chain.id = ChainId(1));
    assert_eq!(scene.check(&waiting), Observation::Waiting);
    assert!(matches!(scene.close(&waiting), Err(ProviderError::Unknown(_))), "nobody looks");
}

#[test]
fn a_payment_that_was_never_started_is_known_not_to_be() {
    let scene = Scene::new(6);
    let stranger =
        Waiting { attempt: super::attempt(9, Some("eth-31337")), address: UNKNOWN, contract: None };
    assert_eq!(scene.check(&stranger), Observation::NeverStarted);
    assert_eq!(scene.close(&stranger), Ok(Observation::NeverStarted));
}

/// The rows that a pass reads grow with the new addresses, not with all addresses given out in a month.
#[test]
fn known_addresses_are_not_read_again() {
    let scene = Scene::new(3);
    let waiting: Vec<_> =
        (1..=200).map(|number| scene.open(number, if number % 2 == 0 { "usdc" } else { "eth" })).collect();
    scene.grow(2);
    for one in &waiting {
        scene.book.over(one.attempt.id);
    }
    scene.later(Duration::from_secs(2 * 60 * 60));
    scene.grow(2);
    let before = scene.book.handed_out();
    scene.grow(20);
    assert_eq!(scene.book.handed_out(), before, "nothing is new");
    let late = scene.open(201, "usdc");
    scene.grow(1);
    assert!(scene.book.handed_out() - before <= 4, "{}", scene.book.handed_out() - before);
    // Transfers to all of them are still found.
    scene.mine(&[scene.pay(&waiting[1], 1, 1), scene.pay(&waiting[2], 1, 1), scene.pay(&late, 1, 1)]);
    scene.pass();
    // The balance of an address without an active attempt is read once an hour.
    scene.later(Duration::from_secs(60 * 60));
    scene.grow(4);
    for one in [&waiting[1], &waiting[2], &late] {
        assert_eq!(scene.check(one), one.paid(one.part(1, 1)), "{}", one.address);
    }
}
