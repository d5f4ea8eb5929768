//! A chain and its book in memory, for tests: reorgs of any depth, payments that are mined again or not,
//! nodes and books that give no answer, and a count of the queries.

use super::lost::{Lost, When};
use futures_util::{FutureExt as _, future::BoxFuture};
use sha2::{Digest as _, Sha256};
use std::{
    collections::BTreeMap,
    future::ready,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicUsize, Ordering},
    },
};
use till_domain::{
    chain::{
        Address, Advance, Atoms, BlockHash, ChainId, Cursor, Deposit, DepositSelection, Transfer, TxHash,
    },
    id::AttemptId,
    time::Timestamp,
};
use till_providers::evm::{Answer, Book, BookError, Header, Log, Node, NodeError, Receipt, Token};

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets a number of queries through and then fails one.
#[derive(Debug, Default)]
struct Fuse(AtomicU32);

impl Fuse {
    /// True if this query is the one that fails.
    fn blows(&self) -> bool {
        let left = self.0.load(Ordering::SeqCst);
        self.0.store(left.saturating_sub(1), Ordering::SeqCst);
        left == 1
    }
}

/// A payment on the chain in memory. It is the same payment in whichever block it is mined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    pub transaction: TxHash,
    /// The token's contract; `None` for the native coin.
    pub contract: Option<Address>,
    /// The address whose balance it changes.
    pub address: Address,
    /// The change of the balance, in the coin's smallest unit; negative for a sweep by the owner.
    pub atoms: i128,
    /// True if the receipt says that the transaction failed.
    pub failed: bool,
}

#[derive(Debug, Clone)]
struct Block {
    header: Header,
    payments: Vec<Payment>,
}

/// A reorg that happens while the chain is being read.
#[derive(Debug, Clone)]
struct Meanwhile {
    questions: u32,
    depth: usize,
    blocks: Vec<Vec<Payment>>,
}

/// A chain in memory.
#[derive(Debug, Default)]
pub struct MemoryChain {
    blocks: Mutex<Vec<Block>>,
    made: AtomicU32,
    fuse: Fuse,
    asked: Mutex<BTreeMap<&'static str, u32>>,
    meanwhile: Mutex<Option<Meanwhile>>,
    lie: Mutex<Option<Header>>,
    /// Pruning: balances are known for this many blocks before the head; 0 if for all.
    forgets: AtomicU32,
    invented: Mutex<Vec<Log>>,
    /// How many more log queries are answered with nothing.
    blind: AtomicU32,
    /// True if no query is answered.
    silent: AtomicBool,
    /// Metadata of token contracts.
    tokens: Mutex<BTreeMap<Address, Token>>,
    /// Transactions that wait for a block.
    mempool: Mutex<Vec<TxHash>>,
}

fn digest(parts: &[&str]) -> [u8; 32] {
    Sha256::digest(parts.join("|").as_bytes()).into()
}

impl MemoryChain {
    /// A chain with this many empty blocks.
    #[must_use]
    pub fn new(blocks: u64) -> Self {
        let chain = Self::default();
        for _ in 0..blocks.max(1) {
            chain.mine(&[]);
        }
        chain
    }

    /// A payment that is in no block yet.
    #[must_use]
    pub fn payment(&self, contract: Option<Address>, address: Address, atoms: i128) -> Payment {
        let number = self.made.fetch_add(1, Ordering::SeqCst);
        Payment {
            transaction: TxHash::from_bytes(digest(&["transaction", &number.to_string()])),
            contract,
            address,
            atoms,
            failed: false,
        }
    }

    pub fn mine(&self, payments: &[Payment]) {
        let number = self.made.fetch_add(1, Ordering::SeqCst);
        let mut blocks = open(&self.blocks);
        let nothing = || BlockHash::from_bytes(digest(&["nothing"]));
        let parent = blocks.last().map_or_else(nothing, |block| block.header.hash);
        let header = Header {
            number: u64::try_from(blocks.len()).unwrap_or(u64::MAX),
            hash: BlockHash::from_bytes(digest(&["block", &parent.to_string(), &number.to_string()])),
            parent,
            timestamp: 1_700_000_000 + 12 * u64::try_from(blocks.len()).unwrap_or(0),
        };
        blocks.push(Block { header, payments: payments.to_vec() });
    }

    pub fn mine_empty(&self, count: u64) {
        for _ in 0..count {
            self.mine(&[]);
        }
    }

    /// Removes the last blocks, but never the first one of the chain. Returns their payments, block by block.
    pub fn fork(&self, depth: usize) -> Vec<Vec<Payment>> {
        let mut blocks = open(&self.blocks);
        let stays = blocks.len().saturating_sub(depth).max(1);
        blocks.split_off(stays).into_iter().map(|block| block.payments).collect()
    }

    /// Schedules a reorg after this many queries: the last `depth` blocks are replaced by these.
    pub fn fork_after(&self, questions: u32, depth: usize, blocks: Vec<Vec<Payment>>) {
        *open(&self.meanwhile) = Some(Meanwhile { questions, depth, blocks });
    }

    /// Cancels the scheduled failure and reorg. Returns true if the chain was still to fork.
    pub fn calm(&self) -> bool {
        self.fail_at(0);
        open(&self.meanwhile).take().is_some()
    }

    /// Fails the n-th query from now on; 1 is the next one, 0 is none.
    pub fn fail_at(&self, question: u32) {
        self.fuse.0.store(question, Ordering::SeqCst);
    }

    /// Reports another head, until called with `None`.
    pub fn lie(&self, head: Option<Header>) {
        *open(&self.lie) = head;
    }

    /// Prunes the balances of blocks more than `depth` before the head, as most nodes do.
    pub fn forget(&self, depth: u32) {
        self.forgets.store(depth, Ordering::SeqCst);
    }

    /// Reports this false transfer too, but only to queries without addresses: queries by address are
    /// compared between nodes.
    pub fn invent(&self, payment: &Payment) {
        let block = open(&self.blocks).last().cloned();
        let block = block.map(|block| Block { payments: vec![payment.clone()], ..block });
        open(&self.invented).extend(block.iter().flat_map(logs));
    }

    /// Answers this many log queries with nothing, as a node does that lags.
    pub fn blind(&self, times: u32) {
        self.blind.store(times, Ordering::SeqCst);
    }

    /// Answers no query while `silent` is true.
    pub fn silence(&self, silent: bool) {
        self.silent.store(silent, Ordering::SeqCst);
    }

    /// Puts a transaction into the mempool.
    pub fn submit(&self, transaction: TxHash) {
        open(&self.mempool).push(transaction);
    }

    /// Adds a token contract with this symbol and these decimals.
    pub fn deploy(&self, contract: Address, symbol: &str, decimals: u8) {
        let token = Token { decimals: Some(decimals.into()), symbol: Some(symbol.to_owned()) };
        open(&self.tokens).insert(contract, token);
    }

    /// The number of queries by kind, since the last call of this.
    pub fn asked(&self) -> BTreeMap<&'static str, u32> {
        std::mem::take(&mut open(&self.asked))
    }

    pub fn height(&self) -> u64 {
        open(&self.blocks).last().map_or(0, |block| block.header.number)
    }

    /// The amount of a coin that an address received in blocks up to this one.
    pub fn got(&self, contract: Option<Address>, address: Address, block: u64) -> Atoms {
        let blocks = open(&self.blocks);
        let read = blocks.iter().take_while(|found| found.header.number <= block);
        let own = read.flat_map(|block| &block.payments);
        let own = own.filter(|payment| payment.contract == contract && payment.address == address);
        Atoms(own.map(|payment| received(payment.atoms).0).sum())
    }

    fn answer<'a, T: Send + 'a>(
        &'a self,
        question: &'static str,
        answer: impl FnOnce(&[Block]) -> T,
    ) -> BoxFuture<'a, Result<T, NodeError>> {
        *open(&self.asked).entry(question).or_default() += 1;
        if self.fuse.blows() || self.silent.load(Ordering::SeqCst) {
            return ready(Err(NodeError(format!("no answer to {question}")))).boxed();
        }
        let answer = answer(&open(&self.blocks));
        let due = {
            let mut meanwhile = open(&self.meanwhile);
            let left = meanwhile.as_mut().map(|event| {
                event.questions = event.questions.saturating_sub(1);
                event.questions
            });
            if left == Some(0) { meanwhile.take() } else { None }
        };
        if let Some(event) = due {
            self.fork(event.depth);
            event.blocks.iter().for_each(|payments| self.mine(payments));
        }
        ready(Ok(answer)).boxed()
    }
}

fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// What a change of a balance gives to the address.
fn received(change: i128) -> Atoms {
    Atoms(u128::try_from(change).unwrap_or(0))
}

fn logs(block: &Block) -> impl Iterator<Item = Log> {
    let tokens = block.payments.iter().filter_map(|payment| Some((payment, payment.contract?)));
    tokens.enumerate().map(|(index, (payment, contract))| Log {
        contract,
        to: payment.address,
        atoms: received(payment.atoms),
        block: block.header.number,
        block_hash: block.header.hash,
        transaction: payment.transaction,
        index: u64::try_from(index).unwrap_or(u64::MAX),
    })
}

impl Node for MemoryChain {
    fn head(&self) -> BoxFuture<'_, Result<Header, NodeError>> {
        let lie = open(&self.lie).clone();
        let head = self.answer("head", |blocks| blocks.last().map(|block| block.header.clone()));
        async move { lie.or(head.await?).ok_or_else(|| NodeError("there is no block".to_owned())) }.boxed()
    }

    fn header(&self, number: u64) -> BoxFuture<'_, Result<Option<Header>, NodeError>> {
        self.answer("header", |blocks| blocks.get(place(number)).map(|block| block.header.clone()))
    }

    fn logs<'a>(
        &'a self,
        (first, last): (u64, u64),
        contracts: &'a [Address],
        to: Option<&'a [Address]>,
    ) -> BoxFuture<'a, Result<Vec<Log>, NodeError>> {
        let left = self.blind.load(Ordering::SeqCst);
        self.blind.store(left.saturating_sub(1), Ordering::SeqCst);
        self.answer("logs", |blocks| {
            if left > 0 {
                return Vec::new();
            }
            let read = blocks.iter().filter(|block| (first..=last).contains(&block.header.number));
            let invented = open(&self.invented).clone().into_iter();
            let invented = invented.filter(|log| to.is_none() && (first..=last).contains(&log.block));
            let all = read.flat_map(logs).chain(invented);
            let all = all.filter(|log| contracts.contains(&log.contract));
            all.filter(|log| to.is_none_or(|to| to.contains(&log.to))).collect()
        })
    }

    fn balances<'a>(
        &'a self,
        addresses: &'a [Address],
        block: u64,
    ) -> BoxFuture<'a, Result<Vec<Atoms>, NodeError>> {
        let forgets = u64::from(self.forgets.load(Ordering::SeqCst));
        if forgets > 0 && block + forgets < self.height() {
            return ready(Err(NodeError(format!("the state of block {block} is not available")))).boxed();
        }
        self.answer("balances", |blocks| {
            let mut all: BTreeMap<Address, i128> = BTreeMap::new();
            let read = blocks.iter().filter(|read| read.header.number <= block);
            for payment in read.flat_map(|read| &read.payments).filter(|read| read.contract.is_none()) {
                *all.entry(payment.address).or_default() += payment.atoms;
            }
            addresses.iter().map(|address| received(all.get(address).copied().unwrap_or(0))).collect()
        })
    }

    fn nonces<'a>(
        &'a self,
        addresses: &'a [Address],
        block: u64,
    ) -> BoxFuture<'a, Result<Vec<u64>, NodeError>> {
        self.answer("nonces", |blocks| {
            let read = blocks.iter().filter(|read| read.header.number <= block);
            let sent: Vec<&Payment> = read
                .flat_map(|read| &read.payments)
                .filter(|payment| payment.contract.is_none() && payment.atoms < 0)
                .collect();
            let count = |address: &Address| sent.iter().filter(|payment| payment.address == *address).count();
            addresses.iter().map(|address| u64::try_from(count(address)).unwrap_or(u64::MAX)).collect()
        })
    }

    fn token(&self, contract: Address) -> BoxFuture<'_, Result<Token, NodeError>> {
        let known = open(&self.tokens).get(&contract).cloned();
        self.answer("token", |_| known.unwrap_or(Token { decimals: None, symbol: None }))
    }

    fn has_transaction(&self, transaction: TxHash) -> BoxFuture<'_, Result<bool, NodeError>> {
        let waits = open(&self.mempool).contains(&transaction);
        self.answer("transaction", |blocks| {
            let mut paid = blocks.iter().flat_map(|block| &block.payments);
            waits || paid.any(|payment| payment.transaction == transaction)
        })
    }

    fn receipt(&self, transaction: TxHash) -> BoxFuture<'_, Result<Option<Receipt>, NodeError>> {
        self.answer("receipt", |blocks| {
            let has = |block: &&Block| block.payments.iter().any(|paid| paid.transaction == transaction);
            let block = blocks.iter().find(has)?;
            let mut own = block.payments.iter().filter(|paid| paid.transaction == transaction);
            let native = own.find(|paid| paid.contract.is_none());
            Some(Receipt {
                succeeded: !block.payments.iter().any(|paid| paid.transaction == transaction && paid.failed),
                block: block.header.number,
                block_hash: block.header.hash,
                value: native.map(|paid| (paid.address, received(paid.atoms))),
                logs: logs(block).filter(|log| log.transaction == transaction).collect(),
            })
        })
    }
}

#[derive(Debug, Clone)]
struct Page {
    deposit: Deposit,
    /// When its payment ended.
    over_at: Option<Timestamp>,
    touched: i64,
    looked: i64,
}

#[derive(Debug, Default)]
struct Pages {
    deposits: BTreeMap<AttemptId, Page>,
    /// By chain, reference and address.
    transfers: BTreeMap<(ChainId, String, Address), Transfer>,
    cursors: BTreeMap<ChainId, Cursor>,
}

/// A book in memory, with a clock that only tests move.
#[derive(Debug, Default)]
pub struct MemoryBook {
    pages: Mutex<Pages>,
    now: AtomicI64,
    handed_out: AtomicUsize,
    fuse: Fuse,
    lost: Lost,
}

impl MemoryBook {
    /// Number of deposits that it has returned to watchers so far.
    pub fn handed_out(&self) -> usize {
        self.handed_out.load(Ordering::SeqCst)
    }

    pub fn set_now(&self, now: Timestamp) {
        self.now.store(now.as_ms(), Ordering::SeqCst);
    }

    /// Fails the n-th query from now on; 1 is the next one, 0 is none.
    pub fn fail_at(&self, question: u32) {
        self.fuse.0.store(question, Ordering::SeqCst);
    }

    /// Loses the next answer to this query.
    pub fn lose(&self, question: &'static str, when: When) {
        self.lost.lose(question, when);
    }

    /// Ends a payment: it is no longer awaited.
    pub fn over(&self, attempt: AttemptId) {
        let now = self.now();
        if let Some(page) = open(&self.pages).deposits.get_mut(&attempt) {
            page.over_at = Some(now);
        }
    }

    pub fn deposits(&self) -> Vec<Deposit> {
        open(&self.pages).deposits.values().map(|page| page.deposit.clone()).collect()
    }

    /// All transfers ever written, including those that a reorg removed.
    pub fn transfers(&self) -> Vec<Transfer> {
        open(&self.pages).transfers.values().cloned().collect()
    }

    fn answer<T: Send + 'static>(&self, question: &str, act: impl FnOnce(&mut Pages) -> T) -> Answer<'_, T> {
        let blown = self.fuse.blows();
        let answer = if blown { None } else { self.lost.answer(question, || act(&mut open(&self.pages))) };
        ready(answer.ok_or_else(|| BookError("no".to_owned()))).boxed()
    }
}

impl Pages {
    fn came_to<'a>(&'a self, deposit: &'a Deposit) -> impl Iterator<Item = &'a Transfer> {
        let own =
            |transfer: &&Transfer| transfer.address == deposit.address && transfer.chain == deposit.chain;
        self.transfers.values().filter(own)
    }

    fn advance(&mut self, advance: &Advance, now: Timestamp) -> bool {
        let chain = advance.cursor.chain;
        if self.cursors.get(&chain).map_or(0, |cursor| cursor.version) != advance.cursor.version {
            return false;
        }
        let from = advance.replaced_from.unwrap_or(u64::MAX);
        let standing = self.transfers.values_mut().filter(|known| known.gone_at.is_none());
        for transfer in standing.filter(|known| known.chain == chain && known.block >= from) {
            transfer.gone_at = Some(now);
        }
        for transfer in &advance.found {
            let key = (chain, transfer.reference.clone(), transfer.address);
            let told = self.transfers.get(&key).is_some_and(|known| known.reported);
            self.transfers.insert(key, Transfer { reported: told, ..transfer.clone() });
        }
        for page in self.deposits.values_mut().filter(|page| page.deposit.chain == chain) {
            if let Some((_, swept)) = advance.swept.iter().find(|(of, _)| *of == page.deposit.address) {
                page.deposit.swept = *swept;
            }
            let before = advance.before.iter().find(|(of, _)| *of == page.deposit.address);
            page.deposit.before = page.deposit.before.or(before.map(|(_, atoms)| *atoms));
            page.touched += i64::from(advance.touched.contains(&page.deposit.attempt));
        }
        let cursor = Cursor { version: advance.cursor.version + 1, ..advance.cursor.clone() };
        self.cursors.insert(chain, cursor);
        true
    }
}

impl Book for MemoryBook {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.now.load(Ordering::SeqCst))
    }

    fn next_index<'a>(&'a self, key: &'a str) -> Answer<'a, u32> {
        let key = key.to_owned();
        self.answer("next_index", move |pages| {
            let of_key = pages.deposits.values().filter(|page| page.deposit.key == key);
            of_key.map(|page| page.deposit.index + 1).max().unwrap_or(0)
        })
    }

    fn open<'a>(&'a self, deposit: &'a Deposit) -> Answer<'a, Option<Deposit>> {
        self.answer("open", |pages| {
            if let Some(known) = pages.deposits.get(&deposit.attempt) {
                return Some(known.deposit.clone());
            }
            let same = |page: &Page| {
                (&page.deposit.key, page.deposit.index) == (&deposit.key, deposit.index)
                    || page.deposit.address == deposit.address
            };
            if pages.deposits.values().any(same) {
                return None;
            }
            let page = Page { deposit: deposit.clone(), over_at: None, touched: 0, looked: 0 };
            pages.deposits.insert(deposit.attempt, page);
            Some(deposit.clone())
        })
    }

    fn deposit(&self, id: AttemptId) -> Answer<'_, Option<(Deposit, Vec<Transfer>)>> {
        self.answer("deposit", move |pages| {
            let deposit = pages.deposits.get(&id)?.deposit.clone();
            let came = pages.came_to(&deposit).cloned().collect();
            Some((deposit, came))
        })
    }

    fn deposit_at(&self, address: Address) -> Answer<'_, Option<Deposit>> {
        self.answer("deposit_at", move |pages| {
            let mut all = pages.deposits.values().map(|page| &page.deposit);
            all.find(|deposit| deposit.address == address).cloned()
        })
    }

    fn watched(&self, chain: ChainId, which: DepositSelection) -> Answer<'_, Vec<(Deposit, Atoms)>> {
        self.answer("watched", move |pages| {
            let is_meant = |page: &&Page| match which {
                DepositSelection::Since(since) => page.deposit.opened_at >= since,
                DepositSelection::WaitedForSince(since) => page.over_at.is_none_or(|over| over >= since),
            };
            let of_chain = pages.deposits.values().filter(|page| page.deposit.chain == chain);
            let known = |page: &Page| {
                let native = pages.came_to(&page.deposit).filter(|came| came.contract.is_none());
                let standing = native.filter(|came| came.gone_at.is_none());
                (page.deposit.clone(), Atoms(standing.map(|came| came.atoms.0).sum()))
            };
            let all: Vec<_> = of_chain.filter(is_meant).map(known).collect();
            self.handed_out.fetch_add(all.len(), Ordering::SeqCst);
            all
        })
    }

    fn came_since(&self, chain: ChainId, block: u64) -> Answer<'_, Vec<(AttemptId, Transfer)>> {
        self.answer("came_since", move |pages| {
            let of_chain = pages.deposits.values().filter(|page| page.deposit.chain == chain);
            let lately = of_chain.flat_map(|page| {
                let came = pages.came_to(&page.deposit);
                came.map(|transfer| (page.deposit.attempt, transfer.clone()))
            });
            lately.filter(|(_, came)| came.block >= block && came.gone_at.is_none()).collect()
        })
    }

    fn cursor(&self, chain: ChainId) -> Answer<'_, Option<Cursor>> {
        self.answer("cursor", move |pages| pages.cursors.get(&chain).cloned())
    }

    fn advance<'a>(&'a self, advance: &'a Advance) -> Answer<'a, bool> {
        let now = self.now();
        self.answer("advance", |pages| pages.advance(advance, now))
    }

    fn touched(&self, chain: ChainId) -> Answer<'_, Vec<(AttemptId, i64)>> {
        self.answer("touched", move |pages| {
            let of_chain = pages.deposits.values().filter(|page| page.deposit.chain == chain);
            let touched = of_chain.filter(|page| page.touched > page.looked);
            touched.map(|page| (page.deposit.attempt, page.touched)).collect()
        })
    }

    fn looked(&self, id: AttemptId, seen: i64) -> Answer<'_, ()> {
        self.answer("looked", move |pages| {
            if let Some(page) = pages.deposits.get_mut(&id) {
                page.looked = page.looked.max(seen);
            }
        })
    }

    fn strays(&self, chain: ChainId, block: u64) -> Answer<'_, Vec<(Deposit, Transfer)>> {
        self.answer("strays", move |pages| {
            let of_chain = pages.deposits.values().filter(|page| page.deposit.chain == chain);
            let all = of_chain.flat_map(|page| {
                pages.came_to(&page.deposit).map(|came| (page.deposit.clone(), came.clone()))
            });
            let is_stray = |(deposit, came): &(Deposit, Transfer)| {
                came.contract != deposit.contract
                    && came.gone_at.is_none()
                    && !came.reported
                    && came.block <= block
            };
            all.filter(is_stray).collect()
        })
    }

    fn mark_reported<'a>(&'a self, transfer: &'a Transfer) -> Answer<'a, ()> {
        let key = (transfer.chain, transfer.reference.clone(), transfer.address);
        self.answer("told", move |pages| {
            if let Some(known) = pages.transfers.get_mut(&key) {
                known.reported = true;
            }
        })
    }
}
