//! The start of a payment: its address and its charge, neither given out twice.

use super::{CHAIN, Scene, USDC, USDT, attempt, dollars};
use futures_util::FutureExt as _;
use std::{collections::BTreeSet, thread, time::Duration};
use till_domain::{
    attempt::Instructions,
    chain::ChainId,
    method::Method,
    money::{Currency, Money},
};
use till_providers::{
    Order, Provider as _, ProviderError,
    evm::{CoinState, Evm, PriceSource},
};

#[test]
fn a_payment_starts_with_an_address_and_an_exact_charge() {
    let scene = Scene::new(12);
    let token = attempt(1, Some("usdc-31337"));
    let started = scene.try_start(&token, dollars(4_990)).expect("it starts");
    assert_eq!(started.charge.to_string(), "49.90 USDC");
    assert_eq!(started.reference, "31337:0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
    let Instructions::Address { network, address, uri, wallet_url, rate } = started.instructions else {
        panic!("{started:?}")
    };
    assert_eq!((network.as_str(), rate.as_deref()), ("Ethereum", Some("1")));
    assert_eq!(address, "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    assert_eq!((uri.contains("/transfer?address=0xf39F"), &uri), (true, &wallet_url), "{uri}");
    assert!(uri.ends_with("&uint256=49900000"), "{uri}");
    let own = scene.try_start(&attempt(2, Some("eth-31337")), dollars(4_990)).expect("it starts");
    assert_eq!(own.charge.to_string(), "0.02495 ETH");
    let Instructions::Address { uri, .. } = own.instructions else { panic!("{own:?}") };
    assert_eq!(uri, "ethereum:0x70997970C51812dc3A010C7d01b50e0d17dc79C8@31337?value=24950000000000000");
}

#[test]
fn what_cannot_be_quoted_is_refused_for_good() {
    let scene = Scene::new(12);
    let refused = |choice, amount| match scene.try_start(&attempt(1, choice), amount) {
        Err(ProviderError::Definite(text)) => text,
        other => panic!("{other:?}"),
    };
    refused(None, dollars(100));
    refused(Some("usdc-1"), dollars(100));
    refused(Some("doge-31337"), dollars(100));
    let roubles = Money { minor: 100, currency: Currency::parse("RUB").expect("a currency") };
    assert!(refused(Some("usdc-31337"), roubles).contains("RUB"));
    let huge = dollars(i64::MAX);
    // 92 quadrillion dollars can still be quoted at this price; only a tiny price would overflow.
    assert!(scene.try_start(&attempt(2, Some("eth-31337")), huge).is_ok());
    let takes = |money| scene.evm.takes(Method::Crypto, money);
    assert!(takes(dollars(1)) && !takes(roubles) && !scene.evm.takes(Method::Card, dollars(1)));
    let choices = |currency| scene.evm.choices(Method::Crypto, currency);
    let words: Vec<_> = choices(dollars(1).currency).into_iter().map(|choice| choice.value).collect();
    assert_eq!(words, ["eth-31337", "usdc-31337", "usdt-31337"]);
    assert!(choices(roubles.currency).is_empty());
    assert!(scene.evm.choices(Method::Card, dollars(1).currency).is_empty());
    let offered = scene.evm.methods();
    assert_eq!(offered.len(), 1);
    assert_eq!(offered[0].method, Method::Crypto);
    assert!(offered[0].currencies.take(dollars(1).currency) && !offered[0].currencies.take(roubles.currency));
}

#[test]
fn where_one_coin_has_a_price_nobody_has_to_choose() {
    let scene = Scene::new(12);
    let mut setup = super::setup(12);
    setup.chains[0].coins.truncate(1);
    let evm = super::evm(&setup, &scene.book, &scene.watcher.coins);
    let one = attempt(1, None);
    let order = Order {
        attempt: &one,
        amount: dollars(4_990),
        item: "A thing",
        back: "https://shop.example/",
        deadline: till_domain::time::Timestamp::from_ms(i64::MAX),
    };
    let started = evm.start(&order).now_or_never().expect("at once").expect("it starts");
    assert_eq!(started.charge.unit, "ETH");
}

#[test]
fn of_many_who_start_at_once_no_two_get_one_address() {
    let scene = Scene::new(12);
    let (threads, each) = (16, 25);
    thread::scope(|scope| {
        for thread in 0..threads {
            let scene = &scene;
            scope.spawn(move || {
                for number in 0..each {
                    // Every attempt is started by two threads at once.
                    let id = (thread / 2) * each + number;
                    let one = attempt(id, Some("usdc-31337"));
                    let first = scene.try_start(&one, dollars(100)).expect("it starts");
                    assert_eq!(scene.try_start(&one, dollars(100)).expect("again"), first);
                }
            });
        }
    });
    let deposits = scene.book.deposits();
    let addresses: BTreeSet<_> = deposits.iter().map(|deposit| &deposit.address).collect();
    let places: BTreeSet<_> = deposits.iter().map(|deposit| deposit.index).collect();
    let count = usize::try_from(threads / 2 * each).expect("a number");
    assert_eq!((deposits.len(), addresses.len(), places.len()), (count, count, count));
    assert_eq!(places.last().copied(), Some(threads / 2 * each - 1), "no place is left out");
    assert!(deposits.iter().all(|deposit| deposit.chain == CHAIN));
}

#[test]
fn a_price_is_of_a_coin_however_its_symbol_is_written() {
    let mut setup = super::setup(3);
    for price in &mut setup.prices {
        let PriceSource::Fixed { coin, .. } = price else { panic!("{price:?}") };
        *coin = coin.to_lowercase();
    }
    assert_eq!(Evm::offering(&setup), Evm::offering(&super::setup(3)));
}

#[test]
fn a_price_that_moves_does_not_change_what_was_locked() {
    let scene = Scene::new(12);
    let one = attempt(1, Some("usdc-31337"));
    let first = scene.try_start(&one, dollars(4_990)).expect("it starts");
    // The amount has doubled: the charge that was quoted first still holds.
    assert_eq!(scene.try_start(&one, dollars(9_980)).expect("again"), first);
}

#[test]
fn a_book_that_does_not_answer_leaves_it_unknown_and_nothing_is_taken_twice() {
    let scene = Scene::new(12);
    for question in 1..4 {
        let one = attempt(question, Some("usdc-31337"));
        scene.book.fail_at(question);
        assert!(matches!(scene.try_start(&one, dollars(100)), Err(ProviderError::Unknown(_))), "{question}");
        let started = scene.try_start(&one, dollars(100)).expect("it starts");
        assert_eq!(scene.try_start(&one, dollars(100)).expect("again"), started);
    }
    assert_eq!(scene.book.deposits().len(), 3);
}

#[test]
fn h2_the_chains_own_coin_is_not_offered_once_a_pass_has_failed() {
    let scene = Scene::unread(12);
    let look = |failing: &[ChainId]| {
        let failing = failing.iter().copied().collect();
        scene.evm.look_around(&failing).now_or_never().expect("at once").expect("a book");
        let choices = scene.evm.choices(Method::Crypto, dollars(1).currency);
        choices.into_iter().map(|choice| choice.value).collect::<Vec<_>>()
    };
    let (all, tokens) = (["eth-31337", "usdc-31337", "usdt-31337"], ["usdc-31337", "usdt-31337"]);
    assert_eq!(look(&[]), tokens, "nobody knows from which block on it counts");
    scene.pass();
    assert_eq!(look(&[]), all);
    assert_eq!(look(&[CHAIN]), tokens);
    let refused = scene.try_start(&attempt(1, Some("eth-31337")), dollars(1));
    assert!(matches!(refused, Err(ProviderError::Definite(_))), "{refused:?}");
    assert_eq!(look(&[]), all);
    scene.later(Duration::from_secs(31));
    assert_eq!(look(&[]), tokens, "another process reads it, and has not for a while");
}

#[test]
fn m4_a_coin_is_offered_only_after_the_chain_has_confirmed_it() {
    let mut scene = Scene::new(12);
    let offered = |scene: &Scene| {
        let choices = scene.evm.choices(Method::Crypto, dollars(1).currency);
        choices.into_iter().map(|choice| choice.value).collect::<Vec<_>>()
    };
    scene.chain.silence(true);
    scene.set_up(|_| {});
    assert_eq!(offered(&scene), Vec::<String>::new(), "no node has said anything");
    assert!(!scene.evm.takes(Method::Crypto, dollars(1)));
    let refused = scene.try_start(&attempt(1, Some("usdt-31337")), dollars(1));
    assert!(matches!(refused, Err(ProviderError::Definite(_))), "{refused:?}");
    let state = |scene: &Scene, coin: usize| {
        let chain = &scene.watcher.chain;
        scene.watcher.coins.state(chain, &chain.coins[coin])
    };
    assert!(matches!(state(&scene, 2), CoinState::Unconfirmed(Some(_))));
    // USDT has other decimals on this chain, and the contract of USDC is another token.
    scene.chain.silence(false);
    scene.chain.deploy(USDT, "USDT", 18);
    scene.chain.deploy(USDC, "FAKE", 6);
    assert!(!scene.confirm_coins());
    assert_eq!(offered(&scene), ["eth-31337"]);
    let CoinState::Contradicted(why) = state(&scene, 2) else { panic!("{:?}", state(&scene, 2)) };
    assert!(why.contains("set decimals = 18"), "{why}");
    let CoinState::Contradicted(why) = state(&scene, 1) else { panic!("{:?}", state(&scene, 1)) };
    assert!(why.contains("FAKE"), "{why}");
    scene.chain.deploy(USDC, "USDC", 6);
    scene.confirm_coins();
    assert_eq!(offered(&scene), ["eth-31337", "usdc-31337"]);
    scene.set_up(|chain| chain.coins[2].decimals = 18);
    assert_eq!(offered(&scene), ["eth-31337", "usdc-31337", "usdt-31337"]);
}

#[test]
fn a_chain_that_nobody_reads_is_not_offered() {
    let scene = Scene::new(12);
    let failing = BTreeSet::new();
    let look = || scene.evm.look_around(&failing).now_or_never().expect("at once").expect("a book");
    let choices = || scene.evm.choices(Method::Crypto, dollars(1).currency).len();
    look();
    assert_eq!(choices(), 3);
    scene.later(Duration::from_secs(10 * 60));
    look();
    assert_eq!((choices(), scene.evm.takes(Method::Crypto, dollars(1))), (0, false));
    let refused = scene.try_start(&attempt(1, Some("usdc-31337")), dollars(1));
    assert!(matches!(refused, Err(ProviderError::Definite(_))), "{refused:?}");
    scene.grow(1);
    look();
    assert_eq!((choices(), scene.evm.takes(Method::Crypto, dollars(1))), (3, true));
}
