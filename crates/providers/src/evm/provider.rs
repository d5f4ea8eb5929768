//! The provider: it assigns an address to each payment, and reports what the book knows of it. For a payment
//! it queries no chain; what is new there is read by [`Watcher`](super::Watcher).

use super::{
    AccountKey, Book, BookError, Chain, Coin, CoinStates, EvmSetup, KeyProblem, Node, PriceSource, Prices,
    checksummed, observation, payment_uri, quote,
};
use crate::{CustomerChoice, Label, Notice, NoticeSubject, Order, Provider, ProviderError, Refunds};
use futures_util::future::BoxFuture;
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use till_domain::{
    attempt::{Attempt, Instructions, Observation, Started},
    chain::{Address, Atoms, ChainId, Cursor, Deposit, Transfer},
    method::Method,
    money::{Currency, Money},
    rules::{Currencies, Offering},
    time::Timestamp,
};

/// The most tries to find a free address.
const TRIES: u32 = 10_000;

/// The most re-reads of the book because it was written meanwhile.
const READINGS: u32 = 8;

/// The largest age of the last read of a chain for its coins to be offered, and for saying that nothing
/// arrived: this many polls, and at least `CURRENT`.
const CURRENT_POLLS: u64 = 10;
const CURRENT: Duration = Duration::from_secs(60);

/// The same for offering the native coin. The opening balance of an address is queried from nodes that keep
/// the state of some 128 blocks, so the chain has to be read again soon after the address was handed out.
const CURRENT_NATIVE_POLLS: u64 = 4;
const CURRENT_NATIVE: Duration = Duration::from_secs(30);

/// The provider for coins on EVM chains.
#[derive(Debug)]
pub struct Evm {
    chains: Vec<(Chain, AccountKey)>,
    currencies: Vec<Currency>,
    prices: Arc<dyn Prices>,
    pub(super) book: Arc<dyn Book>,
    /// Nodes by chain, which verify refunds that a person sent.
    pub(super) nodes: Vec<(ChainId, Arc<dyn Node>)>,
    /// The coins that the chains have confirmed.
    coins: Arc<CoinStates>,
    /// Chains that are not being read, as of the last [`Evm::look_around`].
    unread: Mutex<UnreadChains>,
    /// When this provider was created.
    since: Timestamp,
}

/// Chains that are not being read.
#[derive(Debug, Clone, Default)]
struct UnreadChains {
    /// Chains of which no coin is offered.
    all: BTreeSet<ChainId>,
    /// Chains whose native coin is not offered.
    native: BTreeSet<ChainId>,
}

impl UnreadChains {
    fn hides(&self, chain: &Chain, coin: &Coin) -> bool {
        self.all.contains(&chain.id) || (coin.contract.is_none() && self.native.contains(&chain.id))
    }
}

impl From<BookError> for ProviderError {
    fn from(error: BookError) -> Self {
        Self::Unknown(error.to_string())
    }
}

fn no(text: impl Into<String>) -> ProviderError {
    ProviderError::Definite(text.into())
}

/// The value by which a customer chooses a coin.
fn value(chain: &Chain, coin: &Coin) -> String {
    format!("{}-{}", coin.symbol.to_lowercase(), chain.id)
}

/// The currencies in which some coin has a price, without duplicates.
fn currencies(setup: &EvmSetup) -> Vec<Currency> {
    let mut found = Vec::new();
    for source in &setup.prices {
        let (PriceSource::Fixed { coin, currency, .. } | PriceSource::Json { coin, currency, .. }) = source;
        let mut coins = setup.chains.iter().flat_map(|chain| &chain.coins);
        let is_taken = coins.any(|taken| taken.symbol.eq_ignore_ascii_case(coin));
        let currency = Currency::parse(currency).filter(|currency| is_taken && !found.contains(currency));
        found.extend(currency);
    }
    found
}

/// The crypto offering in these currencies; `None` if there are none.
fn offering(currencies: Vec<Currency>) -> Option<Offering> {
    let taken = !currencies.is_empty();
    let currencies = Currencies::Only(currencies);
    taken.then_some(Offering { method: Method::Crypto, currencies })
}

impl Evm {
    /// Its name in settings, logs and addresses.
    pub const NAME: &str = "evm";

    /// A provider for this setup. It offers the coins that are confirmed in `coins`.
    pub fn new(
        setup: &EvmSetup,
        prices: Arc<dyn Prices>,
        book: Arc<dyn Book>,
        coins: Arc<CoinStates>,
    ) -> Result<Self, KeyProblem> {
        let keyed = |chain: &Chain| Ok((chain.clone(), AccountKey::parse(&chain.xpub)?));
        let chains = setup.chains.iter().map(keyed).collect::<Result<_, _>>()?;
        let (unread, since) = (Mutex::default(), book.now());
        let currencies = currencies(setup);
        Ok(Self { chains, currencies, prices, book, nodes: Vec::new(), coins, unread, since })
    }

    /// Adds nodes, by chain, to verify refunds that a person sends. Without a node of its chain the state of
    /// such a refund is unknown.
    #[must_use]
    pub fn with_nodes(self, nodes: Vec<(ChainId, Arc<dyn Node>)>) -> Self {
        Self { nodes, ..self }
    }

    /// The offering of a setup; `None` if no coin has a price.
    #[must_use]
    pub fn offering(setup: &EvmSetup) -> Option<Offering> {
        offering(currencies(setup))
    }

    /// Finds out which chains are being read: no payment is asked for where it would not be seen. The caller
    /// runs this periodically, and names the chains whose last pass failed.
    pub async fn look_around(&self, failing: &BTreeSet<ChainId>) -> Result<(), BookError> {
        let mut unread = UnreadChains::default();
        for (chain, _) in &self.chains {
            let cursor = self.book.cursor(chain.id).await?;
            let read_at = cursor.as_ref().map(|cursor| cursor.at);
            if read_at.unwrap_or(self.since) < self.current_since(chain) {
                unread.all.insert(chain.id);
            }
            // An address handed out before the chain was ever read has no block for its opening balance.
            let is_current = read_at.is_some_and(|at| at >= self.current_native_since(chain));
            if failing.contains(&chain.id) || !is_current {
                unread.native.insert(chain.id);
            }
        }
        *self.unread.lock().unwrap_or_else(PoisonError::into_inner) = unread;
        Ok(())
    }

    /// The confirmed coins of chains that are being read.
    fn offered(&self) -> impl Iterator<Item = (&Chain, &AccountKey, &Coin)> {
        let unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let all = self.chains.iter();
        let all = all.flat_map(|(chain, key)| chain.coins.iter().map(move |coin| (chain, key, coin)));
        all.filter(move |(chain, _, coin)| !unread.hides(chain, coin) && self.coins.is_confirmed(chain, coin))
    }

    /// The coin that the customer chose; if only one coin has a price, no choice is needed.
    fn chosen(&self, order: &Order<'_>) -> Result<(&Chain, &AccountKey, &Coin), ProviderError> {
        let Some(word) = order.attempt.choice.as_deref() else {
            let mut all = self.offered().filter(|(_, _, coin)| self.charge(order.amount, coin).is_ok());
            return match (all.next(), all.next()) {
                (Some(only), None) => Ok(only),
                (None, _) => Err(no(format!("no coin has a price in {} now", order.amount.currency))),
                _ => Err(no("no coin was chosen")),
            };
        };
        let found = self.offered().find(|(chain, _, coin)| value(chain, coin) == word);
        found.ok_or_else(|| {
            no(format!("there is no coin {word:?}, its chain is not read now, or has not confirmed it yet"))
        })
    }

    /// The charge for this amount in a coin, its rate, and the source of the rate.
    fn charge(&self, amount: Money, coin: &Coin) -> Result<(Atoms, String, String), ProviderError> {
        let quote = self
            .prices
            .quote(&coin.symbol, amount.currency)
            .ok_or_else(|| no(format!("there is no price of {} in {} now", coin.symbol, amount.currency)))?;
        let atoms = quote::charge(amount, quote.price, coin.decimals);
        let atoms = atoms.ok_or_else(|| no(format!("{amount} cannot be counted in {}", coin.symbol)))?;
        Ok((atoms, quote::rate(quote.price, amount), quote.source))
    }

    /// The deposit of an attempt; a new one is opened if it has none.
    async fn deposit_for(&self, order: &Order<'_>) -> Result<Deposit, ProviderError> {
        let attempt = order.attempt;
        if let Some((known, _)) = self.book.deposit(attempt.id).await? {
            return Ok(known);
        }
        let (chain, key, coin) = self.chosen(order)?;
        let (charge, rate, rate_source) = self.charge(order.amount, coin)?;
        let since_block = self.book.cursor(chain.id).await?.map_or(0, |cursor| cursor.block);
        let opened_at = self.book.now();
        let at = |index: u32, address: Address| Deposit {
            attempt: attempt.id,
            session: attempt.session,
            key: key.fingerprint(),
            index,
            address,
            chain: chain.id,
            coin: coin.symbol.clone(),
            contract: coin.contract,
            decimals: coin.decimals,
            charge,
            rate: rate.clone(),
            rate_source: rate_source.clone(),
            opened_at,
            since_block,
            before: None,
            swept: Atoms::ZERO,
        };
        self.watched_address(key, at).await
    }

    /// Opens a deposit at the first free address under the key. `at` gives the deposit with this derivation
    /// index and address.
    async fn watched_address(
        &self,
        key: &AccountKey,
        at: impl Fn(u32, Address) -> Deposit,
    ) -> Result<Deposit, ProviderError> {
        let fingerprint = key.fingerprint();
        let mut least = 0;
        for _ in 0..TRIES {
            let index = self.book.next_index(&fingerprint).await?.max(least);
            least = index.saturating_add(1);
            let Some(address) = key.address(index) else { continue };
            if let Some(opened) = self.book.open(&at(index, address)).await? {
                return Ok(opened);
            }
        }
        Err(ProviderError::Unknown("no address was free".to_owned()))
    }

    fn show(&self, deposit: &Deposit) -> Instructions {
        let network =
            self.chain(deposit.chain).map_or_else(|_| deposit.chain.to_string(), |c| c.name.clone());
        let uri = payment_uri(deposit.chain, deposit.contract, deposit.address, deposit.charge);
        Instructions::Address {
            network,
            address: checksummed(deposit.address),
            wallet_url: uri.clone(),
            uri,
            rate: deposit.rate.split_once(' ').map(|(price, _)| price.to_owned()),
        }
    }

    pub(super) fn chain(&self, id: ChainId) -> Result<&Chain, ProviderError> {
        let found = self.chains.iter().map(|(chain, _)| chain).find(|chain| chain.id == id);
        found.ok_or_else(|| ProviderError::Unknown(format!("chain {id} is no longer set up")))
    }

    /// A deposit with its transfers, and how far the chain had been read at that moment.
    async fn read(&self, attempt: &Attempt) -> Result<Option<Reading>, ProviderError> {
        let Some(mut record) = self.book.deposit(attempt.id).await? else { return Ok(None) };
        for _ in 0..READINGS {
            let cursor = self.book.cursor(record.0.chain).await?;
            // Transfers of one moment must not be confirmed by the cursor of another.
            let Some(after) = self.book.deposit(attempt.id).await? else { return Ok(None) };
            if record == after {
                return Ok(Some(Reading { record, cursor }));
            }
            record = after;
        }
        Err(ProviderError::Unknown("the chain's records keep changing".to_owned()))
    }

    fn say(&self, attempt: &Attempt, reading: &Reading) -> Result<Observation, ProviderError> {
        let needed = self.chain(reading.record.0.chain)?.confirmations;
        Ok(observation::say(attempt, &reading.record, reading.cursor.as_ref(), needed))
    }

    /// True if the chain was read up to its head recently.
    fn is_current(&self, chain: &Chain, cursor: Option<&Cursor>) -> bool {
        let since = self.current_since(chain);
        cursor.is_some_and(|cursor| cursor.at >= since && cursor.block >= cursor.head)
    }

    /// The oldest time at which a read of the chain still counts as current.
    fn current_since(&self, chain: &Chain) -> Timestamp {
        let polls = Duration::from_millis(chain.poll_ms.saturating_mul(CURRENT_POLLS));
        self.book.now().minus(polls.max(CURRENT))
    }

    /// The same for the native coin.
    fn current_native_since(&self, chain: &Chain) -> Timestamp {
        let polls = Duration::from_millis(chain.poll_ms.saturating_mul(CURRENT_NATIVE_POLLS));
        self.book.now().minus(polls.max(CURRENT_NATIVE))
    }
}

/// A consistent read of the book.
#[derive(Debug)]
struct Reading {
    record: (Deposit, Vec<Transfer>),
    cursor: Option<Cursor>,
}

impl Provider for Evm {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn methods(&self) -> Vec<Offering> {
        Vec::from_iter(offering(self.currencies.clone()))
    }

    fn choices(&self, method: Method, currency: Currency) -> Vec<CustomerChoice> {
        let has_price = |coin: &Coin| self.prices.quote(&coin.symbol, currency).is_some();
        let all = self.offered().filter(|(_, _, coin)| method == Method::Crypto && has_price(coin));
        let choice = |(chain, _, coin): (&Chain, _, &Coin)| CustomerChoice {
            value: value(chain, coin),
            label: Label::Coin { symbol: coin.symbol.clone(), network: chain.name.clone() },
        };
        all.map(choice).collect()
    }

    fn takes(&self, method: Method, money: Money) -> bool {
        method == Method::Crypto && self.offered().any(|(_, _, coin)| self.charge(money, coin).is_ok())
    }

    fn is_judged_by_checks(&self) -> bool {
        false
    }

    fn start<'a>(&'a self, order: &'a Order<'a>) -> BoxFuture<'a, Result<Started, ProviderError>> {
        Box::pin(async move {
            let deposit = self.deposit_for(order).await?;
            Ok(Started {
                reference: observation::reference(&deposit),
                instructions: self.show(&deposit),
                charge: observation::quantity(&deposit, deposit.charge),
            })
        })
    }

    fn check<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(async move {
            let Some(reading) = self.read(attempt).await? else { return Ok(Observation::NeverStarted) };
            // Not an error: that would count against the other chains too.
            if self.chain(reading.record.0.chain).is_err() {
                return Ok(Observation::Waiting);
            }
            self.say(attempt, &reading)
        })
    }

    fn close<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(async move {
            let Some(reading) = self.read(attempt).await? else { return Ok(Observation::NeverStarted) };
            let said = self.say(attempt, &reading)?;
            // Only a recent read of the chain can tell that nothing more arrived.
            let chain = self.chain(reading.record.0.chain)?;
            let is_final = !matches!(said, Observation::Waiting | Observation::Partial { .. });
            if !is_final && !self.is_current(chain, reading.cursor.as_ref()) {
                let text = format!("{} has not been read up to its newest block recently", chain.name);
                return Err(ProviderError::Unknown(text));
            }
            Ok(if said == Observation::Waiting { Observation::CannotBeClosed } else { said })
        })
    }

    fn refunds(&self) -> Option<&dyn Refunds> {
        Some(self)
    }

    /// A chain sends no notices.
    fn read_notice(&self, _: &Notice<'_>) -> Option<NoticeSubject> {
        None
    }
}
