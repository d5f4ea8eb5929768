//! The same on a real chain: anvil, with tokens deployed on it.

use super::{CHAIN, address_in, attempt, dollars, setup};
use crate::doubles::{MemoryBook, When};
use crate::{
    conformance::{Can, Question, World, run_all},
    web::Server,
};
use serde_json::json;
use std::sync::Arc;
use till_domain::{
    attempt::{Attempt, Observation, Quantity},
    chain::Address,
    money::Money,
    time::Timestamp,
};
use till_providers::{
    Order, Provider, ProviderError,
    evm::{Book as _, Chain, CoinStates, Evm, Pass, RpcNode, WatchError, Watcher},
    web::Web,
};
use till_testing::anvil::Anvil;

const NEEDED: u32 = 4;

/// A chain with two tokens, its reader and the provider.
struct Real {
    anvil: Anvil,
    usdc: Address,
    usdt: Address,
    chain: Chain,
    book: Arc<MemoryBook>,
    watcher: Watcher,
    evm: Evm,
}

fn watcher(chain: &Chain, endpoints: &[String], book: &Arc<MemoryBook>, coins: &Arc<CoinStates>) -> Watcher {
    let chain = Chain { endpoints: endpoints.to_vec(), ..chain.clone() };
    let node = Arc::new(RpcNode::new(&chain, &Web::trusting([])));
    let coins = Arc::clone(coins);
    Watcher::new(chain, node, Arc::clone(book) as _, coins)
}

impl Real {
    async fn start() -> Self {
        let anvil = Anvil::start().await;
        let usdc = anvil.deploy_token("USDC", 6).await;
        let usdt = anvil.deploy_token("USDT", 6).await;
        let mut setup = setup(NEEDED);
        setup.chains[0].coins[1].contract = Some(usdc);
        setup.chains[0].coins[2].contract = Some(usdt);
        let book = Arc::new(MemoryBook::default());
        book.set_now(Timestamp::from_ms(1_900_000_000_000));
        let coins = Arc::new(CoinStates::new(&setup));
        let evm = super::evm(&setup, &book, &coins);
        let chain = setup.chains.remove(0);
        let watcher = watcher(&chain, &[anvil.url()], &book, &coins);
        assert!(watcher.confirm_coins().await, "{coins:?}");
        let real = Self { anvil, usdc, usdt, chain, book, watcher, evm };
        real.pass().await;
        real
    }

    async fn pass(&self) -> Pass {
        self.watcher.pass().await.expect("a pass")
    }

    /// Adds blocks, and reads them.
    async fn grow(&self, blocks: u64) {
        self.anvil.mine(blocks).await;
        self.pass().await;
    }

    /// A started payment and its address.
    async fn open(&self, number: u32, coin: &str) -> (Attempt, Address) {
        let mut attempt = attempt(number, Some(&format!("{coin}-{CHAIN}")));
        let order = Order {
            attempt: &attempt,
            amount: dollars(4_990),
            item: "A thing",
            back: "https://x.example",
            deadline: Timestamp::from_ms(i64::MAX),
        };
        let started = self.evm.start(&order).await.expect("it starts");
        let address = address_in(&started.reference);
        attempt.reference = Some(started.reference);
        attempt.charge = started.charge;
        (attempt, address)
    }

    /// Pays this many tenths of the charge.
    async fn pay(&self, attempt: &Attempt, address: Address, tenths: u128) {
        let atoms = attempt.charge.atoms * tenths / 10;
        match attempt.charge.unit.as_str() {
            "ETH" => self.anvil.send(address, atoms).await,
            _ => self.anvil.mint(self.usdc, address, atoms).await,
        };
    }

    async fn check(&self, attempt: &Attempt) -> Observation {
        self.evm.check(attempt).await.expect("an answer")
    }
}

fn tenths(attempt: &Attempt, tenths: u128) -> Quantity {
    attempt.charge.with(attempt.charge.atoms * tenths / 10)
}

fn paid(attempt: &Attempt, parts: u128) -> Observation {
    let reference = attempt.reference.clone().expect("a reference");
    Observation::Paid { received: tenths(attempt, parts), reference }
}

fn confirming(attempt: &Attempt, seen: u32, parts: u128) -> Observation {
    Observation::Confirming { seen, needed: NEEDED, received: tenths(attempt, parts) }
}

#[tokio::test]
async fn needs_anvil_f20_exact_short_over_and_late_payments() {
    let real = Real::start().await;
    for (number, coin) in [(10, "usdc"), (20, "eth")] {
        let (exact, address) = real.open(number, coin).await;
        real.pay(&exact, address, 10).await;
        real.pass().await;
        for seen in 1..NEEDED {
            assert_eq!(real.check(&exact).await, confirming(&exact, seen, 10), "{coin}");
            real.grow(1).await;
        }
        assert_eq!(real.check(&exact).await, paid(&exact, 10), "{coin}");

        let (short, address) = real.open(number + 1, coin).await;
        real.pay(&short, address, 4).await;
        real.pass().await;
        real.grow(u64::from(NEEDED)).await;
        assert_eq!(real.check(&short).await, Observation::Partial { received: tenths(&short, 4) });
        real.pay(&short, address, 6).await;
        real.pass().await;
        assert_eq!(real.check(&short).await, confirming(&short, 1, 10), "{coin}");
        real.grow(u64::from(NEEDED) - 1).await;
        assert_eq!(real.check(&short).await, paid(&short, 10), "{coin}");

        let (over, address) = real.open(number + 2, coin).await;
        real.pay(&over, address, 13).await;
        real.pass().await;
        real.grow(u64::from(NEEDED) - 1).await;
        assert_eq!(real.check(&over).await, paid(&over, 13), "{coin}");

        let (late, address) = real.open(number + 3, coin).await;
        real.grow(1).await;
        assert_eq!(real.evm.close(&late).await, Ok(Observation::CannotBeClosed));
        real.book.over(late.id);
        real.pay(&late, address, 10).await;
        real.pass().await;
        real.grow(u64::from(NEEDED) - 1).await;
        assert_eq!(real.check(&late).await, paid(&late, 10), "{coin}");
    }
}

#[tokio::test]
async fn needs_anvil_f20_another_token_does_not_count() {
    let real = Real::start().await;
    let (waiting, address) = real.open(1, "usdc").await;
    let fake = real.anvil.deploy_token("USDC", 6).await;
    real.anvil.mint(real.usdt, address, waiting.charge.atoms).await;
    real.anvil.mint(fake, address, waiting.charge.atoms).await;
    real.anvil.send(address, 5).await;
    real.pass().await;
    real.grow(u64::from(NEEDED)).await;
    assert_eq!(real.check(&waiting).await, Observation::Waiting);
    let strays = real.book.strays(CHAIN, real.anvil.head().await).await.expect("a book");
    let mut coins: Vec<_> = strays.iter().map(|(_, transfer)| transfer.contract).collect();
    coins.sort_unstable();
    assert_eq!(coins, [None, Some(real.usdt)], "the false one is nobody's coin");
}

#[tokio::test]
async fn needs_anvil_f20_two_payments_in_one_block_and_one_through_a_contract() {
    let real = Real::start().await;
    let (one, first) = real.open(1, "usdc").await;
    let (two, second) = real.open(2, "eth").await;
    let (three, third) = real.open(3, "eth").await;
    let forwarder = real.anvil.deploy_forwarder(third).await;
    real.pass().await;
    real.anvil.automine(false).await;
    real.pay(&one, first, 10).await;
    real.pay(&two, second, 10).await;
    real.anvil.send(forwarder, three.charge.atoms).await;
    real.anvil.mine(1).await;
    real.anvil.automine(true).await;
    real.pass().await;
    assert_eq!(real.anvil.balance(third).await, three.charge.atoms, "it went through");
    for attempt in [&one, &two, &three] {
        assert_eq!(real.check(attempt).await, confirming(attempt, 1, 10));
    }
    real.grow(u64::from(NEEDED) - 1).await;
    for attempt in [&one, &two, &three] {
        assert_eq!(real.check(attempt).await, paid(attempt, 10));
    }
}

#[tokio::test]
async fn needs_anvil_f20_a_reorganisation_before_the_threshold_is_waited_out() {
    let real = Real::start().await;
    for (number, coin, by_revert) in
        [(1, "usdc", true), (2, "usdc", false), (3, "eth", true), (4, "eth", false)]
    {
        let (waiting, address) = real.open(number, coin).await;
        real.grow(1).await;
        let snapshot = real.anvil.snapshot().await;
        real.pay(&waiting, address, 10).await;
        real.pass().await;
        real.grow(1).await;
        assert_eq!(real.check(&waiting).await, confirming(&waiting, 2, 10), "{coin} {by_revert}");
        if by_revert {
            real.anvil.revert(snapshot).await;
            // A chain that is only shorter may be a node that is behind: nothing is given up yet.
            real.pass().await;
            assert_eq!(real.check(&waiting).await, confirming(&waiting, 2, 10));
            real.anvil.ask("evm_increaseTime", json!([60])).await;
            real.grow(2).await;
        } else {
            real.anvil.reorg(2).await;
            real.pass().await;
        }
        assert_eq!(real.check(&waiting).await, Observation::Waiting, "{coin} {by_revert}");
        real.pay(&waiting, address, 10).await;
        real.pass().await;
        real.grow(u64::from(NEEDED) - 1).await;
        assert_eq!(real.check(&waiting).await, paid(&waiting, 10), "{coin} {by_revert}");
    }
}

#[tokio::test]
async fn needs_anvil_f20_a_reorganisation_after_the_threshold_is_said() {
    let real = Real::start().await;
    for (number, coin, by_revert) in
        [(1, "usdc", true), (2, "usdc", false), (3, "eth", true), (4, "eth", false)]
    {
        let (mut waiting, address) = real.open(number, coin).await;
        real.grow(1).await;
        let snapshot = real.anvil.snapshot().await;
        real.pay(&waiting, address, 10).await;
        real.pass().await;
        real.grow(u64::from(NEEDED) - 1).await;
        assert_eq!(real.check(&waiting).await, paid(&waiting, 10));
        waiting.recorded = waiting.charge.atoms;
        if by_revert {
            real.anvil.revert(snapshot).await;
            real.anvil.ask("evm_increaseTime", json!([60])).await;
            real.grow(u64::from(NEEDED) + 1).await;
        } else {
            real.anvil.reorg(u64::from(NEEDED)).await;
            real.pass().await;
        }
        let nothing = Observation::TakenBack { received: tenths(&waiting, 0) };
        assert_eq!(real.check(&waiting).await, nothing, "{coin} {by_revert}");
        let touched = real.book.touched(CHAIN).await.expect("a book");
        assert!(touched.iter().any(|(id, _)| *id == waiting.id), "somebody is to look");
    }
}

#[tokio::test]
async fn needs_anvil_f19_a_node_that_is_down_for_fifty_blocks_misses_nothing() {
    let real = Real::start().await;
    let (one, first) = real.open(1, "usdc").await;
    let (two, second) = real.open(2, "eth").await;
    let dead = watcher(&real.chain, &["http://127.0.0.1:1".to_owned()], &real.book, &real.watcher.coins);
    for _ in 0..5 {
        real.anvil.mine(5).await;
        assert!(matches!(dead.pass().await, Err(WatchError::Node(_))));
    }
    real.pay(&one, first, 10).await;
    real.pay(&two, second, 10).await;
    real.anvil.mine(25).await;
    real.book.set_now(real.book.now().plus(std::time::Duration::from_secs(600)));
    for attempt in [&one, &two] {
        assert!(matches!(real.evm.close(attempt).await, Err(ProviderError::Unknown(_))), "nobody has looked");
    }
    real.pass().await;
    assert_eq!(real.check(&one).await, paid(&one, 10));
    assert_eq!(real.check(&two).await, paid(&two, 10), "it was there before the last blocks");
}

#[tokio::test]
async fn needs_anvil_f20_a_node_that_lies_about_the_head_makes_nothing_final() {
    let real = Real::start().await;
    let (waiting, address) = real.open(1, "usdc").await;
    real.pay(&waiting, address, 10).await;
    real.pass().await;
    let liar = Server::altering(&real.anvil, |question, mut answer| {
        if question["params"][0] == "latest" && answer["result"]["number"].is_string() {
            let number = answer["result"]["number"].as_str().expect("a number");
            let number = u64::from_str_radix(number.trim_start_matches("0x"), 16).expect("a number");
            answer["result"]["number"] = json!(format!("0x{:x}", number + 30));
        }
        answer
    })
    .await;
    let before = real.book.cursor(CHAIN).await.expect("a book");
    let misled = watcher(&real.chain, std::slice::from_ref(&liar.url), &real.book, &real.watcher.coins);
    assert!(matches!(misled.pass().await, Err(WatchError::Node(_))));
    // With an honest node beside it, and a silent one before both.
    let silent = Server::silent().await;
    let endpoints = [silent.url.clone(), liar.url.clone(), real.anvil.url()];
    let _ = watcher(&real.chain, &endpoints, &real.book, &real.watcher.coins).pass().await;
    assert_eq!(real.check(&waiting).await, confirming(&waiting, 1, 10));
    let after = real.book.cursor(CHAIN).await.expect("a book");
    assert_eq!(after.map(|cursor| cursor.block), before.map(|cursor| cursor.block));
    real.grow(u64::from(NEEDED) - 1).await;
    assert_eq!(real.check(&waiting).await, paid(&waiting, 10));
}

/// The number of requests in a pass over one block with two payments in it.
async fn questions(sessions: u32) -> usize {
    let real = Real::start().await;
    let counted = Server::altering(&real.anvil, |_, answer| answer).await;
    let watcher = watcher(&real.chain, std::slice::from_ref(&counted.url), &real.book, &real.watcher.coins);
    for number in 0..sessions {
        real.open(number, if number % 2 == 0 { "usdc" } else { "eth" }).await;
    }
    real.anvil.mine(1).await;
    watcher.pass().await.expect("a pass");
    let (one, first) = real.open(sessions, "usdc").await;
    let (two, second) = real.open(sessions + 1, "eth").await;
    real.anvil.automine(false).await;
    real.pay(&one, first, 10).await;
    real.pay(&two, second, 10).await;
    real.anvil.mine(1).await;
    let before = counted.asked();
    watcher.pass().await.expect("a pass");
    let asked = counted.asked() - before;
    for attempt in [&one, &two] {
        assert_eq!(real.check(attempt).await, confirming(attempt, 1, 10));
    }
    asked
}

#[tokio::test]
async fn needs_anvil_a_thousand_sessions_cost_hardly_more_questions_than_ten() {
    let (few, many) = (questions(10).await, questions(1_000).await);
    // Two of them read the balances that the new addresses had before.
    assert!(few <= 8, "{few} questions for ten");
    // One request reads the balances of a few hundred addresses.
    assert!(many <= few + 4, "{few} questions for ten, {many} for a thousand");
}

/// A world for the conformance suite of providers.
struct OnAnvil<const COIN: bool>(Real);

impl<const COIN: bool> World for OnAnvil<COIN> {
    const CAN: &'static [Can] =
        &[Can::PayLate, Can::PayInParts, Can::TakeBack, Can::Choices, Can::StartAgain];

    fn provider(&self) -> &dyn Provider {
        &self.0.evm
    }

    fn attempt(&self, number: u32) -> Attempt {
        attempt(number, Some(&format!("{}-{CHAIN}", if COIN { "eth" } else { "usdc" })))
    }

    fn amount(&self) -> Money {
        dollars(4_990)
    }

    fn opened(&self, attempt: &Attempt) -> usize {
        self.0.book.deposits().iter().filter(|deposit| deposit.session == attempt.session).count()
    }

    async fn pay(&self, attempt: &Attempt, tenths: u128) -> bool {
        let reference = attempt.reference.as_deref().expect("a reference");
        self.0.pay(attempt, address_in(reference), tenths).await;
        self.0.pass().await;
        self.0.grow(u64::from(NEEDED) - 1).await;
        true
    }

    async fn take_back(&self) {
        self.0.anvil.reorg(u64::from(NEEDED)).await;
        self.0.pass().await;
    }

    fn lose(&self, question: Question, when: When) {
        self.0.book.lose(if question == Question::Start { "open" } else { "deposit" }, when);
    }
}

#[tokio::test]
async fn needs_anvil_tokens_on_a_real_chain_pass_the_suite() {
    let world = OnAnvil::<false>(Real::start().await);
    assert_eq!(run_all(&world).await, 22);
}

#[tokio::test]
async fn needs_anvil_the_coin_of_a_real_chain_passes_the_suite() {
    assert_eq!(run_all(&OnAnvil::<true>(Real::start().await)).await, 22);
}
