//! A chain in memory, payments that wait on it, and a reader of the chain.

mod allot;
mod compare;
mod forks;
mod real;
mod refunds;
mod simulate;
mod watch;

use crate::doubles::{MemoryBook, MemoryChain, Payment};
use futures_util::FutureExt as _;
use std::{sync::Arc, time::Duration};
use till_domain::{
    attempt::{Attempt, AttemptState, Observation, Quantity, Started},
    chain::{Address, Atoms, ChainId},
    id::{AttemptId, SessionId, VendorId},
    method::Method,
    money::{Currency, Money},
    time::Timestamp,
};
use till_providers::{
    Order, Provider as _, ProviderError,
    evm::{
        Book as _, Chain, Coin, CoinStates, Evm, EvmSetup, Pass, Price, PriceRules, PriceSource, Prices,
        Quote, WatchError, Watcher,
    },
};

/// The account of `test test test test test test test test test test test junk`.
pub(crate) const XPUB: &str = "xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP";
pub(crate) const USDC: Address =
    Address::parse("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48").expect("an address");
pub(crate) const USDT: Address =
    Address::parse("0xdac17f958d2ee523a2206206994597c13d831ec7").expect("an address");
/// A contract that is not set up.
pub(crate) const UNKNOWN: Address = Address::from_bytes([0xde; 20]);
pub(crate) const CHAIN: ChainId = ChainId(31_337);

/// When the first block of the chain in memory was made.
const GENESIS: i64 = 1_700_000_000_000;

/// Fixed prices: one dollar for each coin, two thousand for ETH.
#[derive(Debug)]
pub(crate) struct Fixed;

impl Prices for Fixed {
    fn quote(&self, coin: &str, currency: Currency) -> Option<Quote> {
        let mantissa = match (coin, currency.code()) {
            ("ETH", "USD") => 2_000,
            (_, "USD") => 1,
            _ => return None,
        };
        let price = Price { mantissa, scale: 0 };
        Some(Quote { price, source: "a table".to_owned(), at: Timestamp::from_ms(0) })
    }
}

fn coin(symbol: &str, contract: Option<Address>, decimals: u8) -> Coin {
    Coin { symbol: symbol.to_owned(), contract, decimals }
}

pub(crate) fn setup(confirmations: u32) -> EvmSetup {
    let price = |coin: &str| PriceSource::Fixed {
        coin: coin.to_owned(),
        currency: "USD".to_owned(),
        price: "1".to_owned(),
    };
    EvmSetup {
        chains: vec![Chain {
            id: CHAIN,
            name: "Ethereum".to_owned(),
            endpoints: vec!["http://127.0.0.1:1".to_owned()],
            xpub: XPUB.to_owned(),
            confirmations,
            max_fuel: Atoms(10_000_000_000_000_000),
            poll_ms: 1_000,
            coins: vec![coin("ETH", None, 18), coin("USDC", Some(USDC), 6), coin("USDT", Some(USDT), 6)],
        }],
        prices: ["ETH", "USDC", "USDT"].map(price).to_vec(),
        price_rules: PriceRules::default(),
    }
}

pub(crate) fn dollars(minor: i64) -> Money {
    Money { minor, currency: Currency::parse("USD").expect("a currency") }
}

/// An attempt that was not started.
pub(crate) fn attempt(number: u32, choice: Option<&str>) -> Attempt {
    let mut random = [0; 10];
    random[..4].copy_from_slice(&number.to_be_bytes());
    let now = Timestamp::from_ms(GENESIS);
    Attempt {
        id: AttemptId::new(now, &random),
        session: SessionId::new(now, &random),
        vendor: VendorId::new(now, &random),
        method: Method::Crypto,
        provider: "evm".to_owned(),
        choice: choice.map(str::to_owned),
        email: None,
        language: None,
        state: AttemptState::Intended,
        reference: None,
        instructions: None,
        charge: Quantity::from(dollars(4_990)),
        received: 0,
        recorded: 0,
        confirmations: None,
        in_flight_since: None,
        started_at: now,
        updated_at: now,
        check_at: None,
        checks: 0,
        version: 1,
    }
}

/// The address in the reference of a payment.
pub(crate) fn address_in(reference: &str) -> Address {
    let (_, address) = reference.split_once(':').expect("a reference");
    Address::parse(address).expect("an address")
}

/// A provider that offers the confirmed ones of these coins.
pub(crate) fn evm(setup: &EvmSetup, book: &Arc<MemoryBook>, coins: &Arc<CoinStates>) -> Evm {
    Evm::new(setup, Arc::new(Fixed), Arc::clone(book) as _, Arc::clone(coins)).expect("a set-up")
}

/// A chain, its book, its reader and the provider.
pub(crate) struct Scene {
    pub(crate) chain: Arc<MemoryChain>,
    pub(crate) book: Arc<MemoryBook>,
    pub(crate) watcher: Watcher,
    pub(crate) evm: Evm,
}

/// A payment that is waited for.
pub(crate) struct Waiting {
    pub(crate) attempt: Attempt,
    pub(crate) address: Address,
    pub(crate) contract: Option<Address>,
}

impl Scene {
    /// A chain of a hundred blocks that was read once.
    pub(crate) fn new(confirmations: u32) -> Self {
        let scene = Self::unread(confirmations);
        scene.pass();
        scene
    }

    pub(crate) fn unread(confirmations: u32) -> Self {
        let (chain, book) = (Arc::new(MemoryChain::new(100)), Arc::new(MemoryBook::default()));
        book.set_now(Timestamp::from_ms(GENESIS + 12_000 * 99));
        chain.deploy(USDC, "USDC", 6);
        chain.deploy(USDT, "USDT", 6);
        let setup = setup(confirmations);
        let coins = Arc::new(CoinStates::new(&setup));
        let evm = evm(&setup, &book, &coins);
        let watched = setup.chains.into_iter().next().expect("a chain");
        let watcher = Watcher::new(watched, Arc::clone(&chain) as _, Arc::clone(&book) as _, coins);
        let scene = Self { chain, book, watcher, evm };
        assert!(scene.confirm_coins());
        scene.chain.asked();
        scene
    }

    /// Reads the coins' contracts on the chain. Returns true if all are confirmed.
    pub(crate) fn confirm_coins(&self) -> bool {
        self.watcher.confirm_coins().now_or_never().expect("at once")
    }

    /// Changes the number of confirmations that are needed.
    pub(crate) fn ask_for(&mut self, confirmations: u32) {
        self.set_up(|chain| chain.confirmations = confirmations);
    }

    /// Changes the set-up, as the operator may at any time.
    pub(crate) fn set_up(&mut self, change: impl Fn(&mut Chain)) {
        let mut setup = setup(self.watcher.chain.confirmations);
        setup.chains.iter_mut().for_each(&change);
        self.watcher.coins = Arc::new(CoinStates::new(&setup));
        self.evm = evm(&setup, &self.book, &self.watcher.coins);
        self.watcher.chain = setup.chains.into_iter().next().expect("a chain");
        self.confirm_coins();
    }

    pub(crate) fn later(&self, duration: Duration) {
        self.book.set_now(self.book.now().plus(duration));
    }

    pub(crate) fn mine(&self, payments: &[Payment]) {
        self.chain.mine(payments);
        self.later(Duration::from_secs(12));
    }

    /// Adds empty blocks, and reads each.
    pub(crate) fn grow(&self, blocks: u32) {
        for _ in 0..blocks {
            self.mine(&[]);
            self.pass();
        }
    }

    pub(crate) fn try_pass(&self) -> Result<Pass, WatchError> {
        self.watcher.pass().now_or_never().expect("at once")
    }

    pub(crate) fn pass(&self) -> Pass {
        self.try_pass().expect("a pass")
    }

    pub(crate) fn try_start(&self, attempt: &Attempt, amount: Money) -> Result<Started, ProviderError> {
        let order = Order {
            attempt,
            amount,
            item: "A thing",
            back: "https://shop.example/",
            deadline: Timestamp::from_ms(i64::MAX),
        };
        self.evm.start(&order).now_or_never().expect("at once")
    }

    /// Starts a payment of 49.90 dollars in a coin.
    pub(crate) fn open(&self, number: u32, symbol: &str) -> Waiting {
        let mut attempt = attempt(number, Some(&format!("{symbol}-{CHAIN}")));
        let started = self.try_start(&attempt, dollars(4_990)).expect("it starts");
        let address = address_in(&started.reference);
        attempt.reference = Some(started.reference);
        attempt.charge = started.charge;
        attempt.state = AttemptState::Open;
        let contract = match symbol {
            "usdc" => Some(USDC),
            "usdt" => Some(USDT),
            _ => None,
        };
        Waiting { attempt, address, contract }
    }

    pub(crate) fn check(&self, waiting: &Waiting) -> Observation {
        self.evm.check(&waiting.attempt).now_or_never().expect("at once").expect("an answer")
    }

    pub(crate) fn close(&self, waiting: &Waiting) -> Result<Observation, ProviderError> {
        self.evm.close(&waiting.attempt).now_or_never().expect("at once")
    }

    /// A payment of this fraction of the charge.
    pub(crate) fn pay(&self, waiting: &Waiting, numerator: u128, denominator: u128) -> Payment {
        let atoms = waiting.attempt.charge.atoms * numerator / denominator;
        self.pay_in(waiting, waiting.contract, i128::try_from(atoms).expect("not so much"))
    }

    pub(crate) fn pay_in(&self, waiting: &Waiting, contract: Option<Address>, atoms: i128) -> Payment {
        self.chain.payment(contract, waiting.address, atoms)
    }

    /// The attempts that were touched by new transfers, marked as looked at.
    pub(crate) fn touched(&self) -> Vec<AttemptId> {
        let touched = self.book.touched(CHAIN).now_or_never().expect("at once").expect("a book");
        for (id, seen) in &touched {
            self.book.looked(*id, *seen).now_or_never().expect("at once").expect("a book");
        }
        touched.into_iter().map(|(id, _)| id).collect()
    }
}

impl Waiting {
    pub(crate) fn part(&self, numerator: u128, denominator: u128) -> Quantity {
        self.attempt.charge.with(self.attempt.charge.atoms * numerator / denominator)
    }

    pub(crate) fn paid(&self, received: Quantity) -> Observation {
        Observation::Paid { received, reference: self.attempt.reference.clone().expect("a reference") }
    }
}
