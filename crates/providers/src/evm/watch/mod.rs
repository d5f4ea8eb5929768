//! Watches a chain, block by block, for all payments that wait on it.
//!
//! A pass queries the chain, and then writes everything it found or nothing. [`range`] decides which blocks
//! to read and [`tally`] evaluates what was found; neither makes queries.

mod ask;
mod block_range;
mod known_addresses;
mod opening_balances;
mod tally;

use super::{Book, BookError, Chain, CoinStates, Log, Node, NodeError};
use ask::ChainView;
use block_range::BlockRange;
use known_addresses::KnownAddresses;
pub use opening_balances::UnprovenAddress;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tally::WatchedAddress;
use till_domain::{
    chain::{Address, Advance, Atoms, BlockHash, Cursor, Deposit, DepositSelection, Transfer},
    id::AttemptId,
    time::Timestamp,
};

/// How long an address is watched after it was handed out.
const WATCH: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The same after a reorg: a removed block may hold money of an address whose watch has ended since.
const WATCH_REPLACED: Duration = Duration::from_secs(31 * 24 * 60 * 60);

/// How long the balance of an address is checked in every pass after its payment is no longer awaited.
const HOT: Duration = Duration::from_secs(60 * 60);

/// The most addresses named in a log query. With more addresses, all transfers of the coins are read and
/// those to us are picked out here, so that the query does not grow with the number of payments.
const NAMED: usize = 256;

#[derive(Debug)]
pub struct Watcher {
    pub chain: Chain,
    pub node: Arc<dyn Node>,
    /// The store for what was read.
    pub book: Arc<dyn Book>,
    /// The coins that the chain has confirmed.
    pub coins: Arc<CoinStates>,
    /// The addresses as the last pass knew them.
    known_addresses: Mutex<KnownAddresses>,
    /// Addresses whose opening balance is not known.
    before: Mutex<BeforeState>,
    /// Transfers up to this block may be gone, because a reorg was deeper than the hashes that are kept.
    doubtful: Mutex<Option<u64>>,
}

/// Addresses whose opening balance is not known, as the last pass saw them.
#[derive(Debug, Default)]
struct BeforeState {
    /// How many of them wait for the native coin.
    unknown: usize,
    /// Those whose opening balance no node can tell, and whether that was reported.
    unproved: BTreeMap<Address, (UnprovenAddress, bool)>,
}

/// The result of a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// How far the chain was read.
    pub cursor: Cursor,
    /// True if there are more blocks to read at once.
    pub behind: bool,
    /// Number of blocks read before that a reorg replaced.
    pub replaced: u64,
    /// True if the reorg was deeper than the hashes that are kept. Then the chain was read again from an
    /// estimated block on: see [`Watcher::displaced`].
    pub too_deep: bool,
}

/// Why a pass failed. The next one begins where the last one ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    #[error(transparent)]
    Node(#[from] NodeError),
    #[error(transparent)]
    Book(#[from] BookError),
}

/// The watched addresses, with what is known of each.
type WatchedAddresses = BTreeMap<Address, WatchedAddress>;

impl Watcher {
    /// A watcher that queries this node and writes into this book.
    #[must_use]
    pub fn new(chain: Chain, node: Arc<dyn Node>, book: Arc<dyn Book>, coins: Arc<CoinStates>) -> Self {
        let (known_addresses, before, doubtful) = Default::default();
        Self { chain, node, book, coins, known_addresses, before, doubtful }
    }

    fn doubtful(&self) -> MutexGuard<'_, Option<u64>> {
        self.doubtful.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True after a reorg deeper than the hashes that are kept, until [`Self::deep_fork_reported`].
    #[must_use]
    pub fn has_deep_fork(&self) -> bool {
        self.doubtful().is_some()
    }

    /// Transfers below the blocks that were read again whose own block is no longer on the chain. They are
    /// still counted.
    pub async fn displaced(&self) -> Result<Vec<Transfer>, WatchError> {
        let Some(last) = *self.doubtful() else { return Ok(Vec::new()) };
        let known = self.book.came_since(self.chain.id, 0).await?.into_iter().map(|(_, transfer)| transfer);
        let mut by_block: BTreeMap<u64, Vec<Transfer>> = BTreeMap::new();
        for transfer in known.filter(|transfer| transfer.block <= last) {
            by_block.entry(transfer.block).or_default().push(transfer);
        }
        let mut displaced = Vec::new();
        for (block, transfers) in by_block.into_iter().rev() {
            let header = self.node.header(block).await?;
            let gone = |transfer: &Transfer| header.as_ref().is_none_or(|it| it.hash != transfer.block_hash);
            let before = displaced.len();
            displaced.extend(transfers.into_iter().filter(gone));
            // If one block is still on the chain, so are all below it.
            if displaced.len() == before {
                break;
            }
        }
        Ok(displaced)
    }

    /// Notes that a person was notified of the displaced transfers.
    pub fn deep_fork_reported(&self) {
        *self.doubtful() = None;
    }

    fn before(&self) -> MutexGuard<'_, BeforeState> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of addresses that wait for the native coin and whose opening balance is not known.
    #[must_use]
    pub fn unknown_before(&self) -> usize {
        self.before().unknown
    }

    /// Addresses whose opening balance no node can tell and that were not reported yet.
    #[must_use]
    pub fn unreported(&self) -> Vec<UnprovenAddress> {
        let before = self.before();
        before.unproved.values().filter(|(_, reported)| !reported).map(|(one, _)| one.clone()).collect()
    }

    /// Notes that a person was notified of such an address.
    pub fn reported(&self, address: Address) {
        if let Some((_, reported)) = self.before().unproved.get_mut(&address) {
            *reported = true;
        }
    }

    /// Keeps what a pass found out about opening balances, and returns the newly known ones.
    fn note_before(
        &self,
        found: opening_balances::OpeningBalances,
        watched: &WatchedAddresses,
    ) -> Vec<(Address, Atoms)> {
        let mut before = self.before();
        let waits = |watched_address: &&WatchedAddress| {
            watched_address.deposit.contract.is_none() && watched_address.deposit.before.is_none()
        };
        before.unknown = watched.values().filter(waits).count();
        before
            .unproved
            .retain(|address, _| watched.get(address).is_some_and(|watched_address| waits(&watched_address)));
        for one in found.unproved {
            before.unproved.entry(one.deposit.address).or_insert((one, false));
        }
        found.known
    }

    /// Reads what is new. Several watchers may read the same chain at the same time: optimistic concurrency
    /// on the cursor lets one of them count, and nothing is lost.
    pub async fn pass(&self) -> Result<Pass, WatchError> {
        let old = self.book.cursor(self.chain.id).await?;
        let mut chain_view = ChainView::ask(self.node.as_ref()).await?;
        // Taken after the head was read: an address handed out later cannot have been paid in a block up to
        // it.
        let now = self.book.now();
        let range = match &old {
            None => Some(self.first_stretch(&mut chain_view, now).await?),
            Some(old) => chain_view.range(old, self.chain.confirmations, now).await?,
        };
        match (range, old) {
            (Some(range), old) => self.read(&mut chain_view, range, old, now).await,
            (None, Some(cursor)) => Ok(Pass { cursor, behind: false, replaced: 0, too_deep: false }),
            (None, None) => unreachable!("a chain that was never read has a first range"),
        }
    }

    /// The range for a chain that was never read. It begins a little before the head, so that there is
    /// something to compare the next blocks with, or earlier, when the first address was handed out.
    async fn first_stretch(
        &self,
        chain_view: &mut ChainView<'_>,
        now: Timestamp,
    ) -> Result<BlockRange, WatchError> {
        let waiting = self.book.watched(self.chain.id, DepositSelection::Since(now.minus(WATCH))).await?;
        let oldest = waiting.iter().map(|(deposit, _)| deposit.opened_at).min();
        let head = chain_view.head.number;
        let kept = u64::try_from(block_range::kept(self.chain.confirmations)).unwrap_or(u64::MAX);
        let first = (head + 1).saturating_sub(kept);
        let first = match oldest {
            Some(oldest) => chain_view.block_before(oldest).await?.min(first),
            None => first,
        };
        Ok(BlockRange::first(first, head))
    }

    async fn read(
        &self,
        chain_view: &mut ChainView<'_>,
        range: BlockRange,
        old: Option<Cursor>,
        now: Timestamp,
    ) -> Result<Pass, WatchError> {
        let recent = chain_view.hashes(&range, self.chain.confirmations).await?;
        let came = self.came(&range, old.as_ref()).await?;
        let known_addresses = self.recent_addresses(&range, old.as_ref(), now).await?;
        let mut watched = self.watched(&known_addresses, &came, old.as_ref(), now).await?;
        let mut found = self.tokens(chain_view, &range, &watched, &recent, now).await?;
        if range.replaced_from.is_none() {
            found.retain(|transfer| !tally::is_known(transfer, &came));
        }
        let has_native = self.coins(&watched).any(|contract| contract.is_none());
        let mut before = Vec::new();
        if has_native {
            let tried: BTreeSet<_> = self.before().unproved.keys().copied().collect();
            let found =
                opening_balances::look(chain_view, &range, &mut watched, old.as_ref(), &tried).await?;
            before = self.note_before(found, &watched);
        }
        let mut swept = Vec::new();
        if range.reaches_head && has_native {
            let native = self.native(chain_view, &range, &watched, old.as_ref(), now).await?;
            found.extend(native.0);
            swept = native.1;
        }
        chain_view.still_stands(&range, &recent).await?;
        let touched = tally::touched(&range, old.as_ref(), &self.chain, &came, &found, &watched);
        let version = old.as_ref().map_or(0, |old| old.version);
        let at = if range.reaches_head { now } else { old.as_ref().map_or(now, |old| old.at) };
        let cursor = Cursor {
            chain: self.chain.id,
            block: range.last,
            head: chain_view.head.number,
            at,
            recent,
            version,
        };
        let advance = Advance { cursor, replaced_from: range.replaced_from, found, swept, before, touched };
        self.write(advance, known_addresses, &range, old).await
    }

    /// The addresses that were handed out recently.
    async fn recent_addresses(
        &self,
        range: &BlockRange,
        old: Option<&Cursor>,
        now: Timestamp,
    ) -> Result<KnownAddresses, WatchError> {
        let known = std::mem::take(&mut *self.known_addresses.lock().unwrap_or_else(PoisonError::into_inner));
        let is_replaced = range.replaced_from.is_some();
        let period = if is_replaced { WATCH_REPLACED } else { WATCH };
        let version = old.map(|old| old.version).filter(|_| !is_replaced);
        let place = (self.book.as_ref(), self.chain.id);
        Ok(known.read(place, version, (now.minus(period), now)).await?)
    }

    /// Known transfers in blocks that are read again or are not final.
    async fn came(
        &self,
        range: &BlockRange,
        old: Option<&Cursor>,
    ) -> Result<Vec<(AttemptId, Transfer)>, WatchError> {
        let Some(old) = old else { return Ok(Vec::new()) };
        let open = old.block.min(range.last).saturating_sub(u64::from(self.chain.confirmations));
        let from = range.replaced_from.unwrap_or(open).min(open);
        Ok(self.book.came_since(self.chain.id, from).await?)
    }

    async fn watched(
        &self,
        known_addresses: &KnownAddresses,
        came: &[(AttemptId, Transfer)],
        old: Option<&Cursor>,
        now: Timestamp,
    ) -> Result<WatchedAddresses, WatchError> {
        let hot = self.book.watched(self.chain.id, DepositSelection::WaitedForSince(now.minus(HOT))).await?;
        let then = old.map_or(Timestamp::from_ms(0), |old| old.at);
        let lately = tally::lately(came);
        let watched_address = |(deposit, known): (Arc<Deposit>, Atoms), looked_at: bool| {
            // A sweep and an arrival between two checks would cancel out, so an address with coins is always
            // checked.
            let is_held = known > deposit.swept;
            let looked_at = looked_at || is_held || tally::is_due(deposit.index, then, now);
            (deposit.address, WatchedAddress::new(deposit, known, looked_at, &lately))
        };
        let mut watched: WatchedAddresses =
            known_addresses.all.values().cloned().map(|one| watched_address(one, false)).collect();
        watched.extend(
            hot.into_iter().map(|(deposit, known)| watched_address((Arc::new(deposit), known), true)),
        );
        Ok(watched)
    }

    /// The coins to look for: those in the setup, and those that were in it when a customer was told to pay
    /// in them.
    fn coins<'a>(&'a self, watched: &'a WatchedAddresses) -> impl Iterator<Item = Option<Address>> {
        let set_up = self.chain.coins.iter().map(|coin| coin.contract);
        set_up.chain(watched.values().map(|watched_address| watched_address.deposit.contract))
    }

    /// Token transfers to our addresses in these blocks.
    async fn tokens(
        &self,
        chain_view: &ChainView<'_>,
        range: &BlockRange,
        watched: &WatchedAddresses,
        recent: &[(u64, BlockHash)],
        now: Timestamp,
    ) -> Result<Vec<Transfer>, WatchError> {
        let contracts: BTreeSet<_> = self.coins(watched).flatten().collect();
        let contracts: Vec<_> = contracts.into_iter().collect();
        if contracts.is_empty() || watched.is_empty() {
            return Ok(Vec::new());
        }
        let addresses: Vec<_> = watched.keys().copied().collect();
        let to = (addresses.len() <= NAMED).then_some(addresses.as_slice());
        let mut found = Vec::new();
        for blocks in range.pages(self.chain.confirmations) {
            let mut logs = chain_view.node.logs(blocks, &contracts, to).await?;
            if to.is_none() {
                logs = chain_view.named(logs, watched, blocks, &contracts).await?;
            }
            tally::check_logs(&logs, blocks, recent)?;
            let counts = |watched_address: &WatchedAddress, log: &Log| {
                log.block > range.before(&watched_address.deposit)
            };
            let ours = logs.into_iter().filter(|log| {
                log.atoms > Atoms::ZERO
                    && contracts.contains(&log.contract)
                    && watched.get(&log.to).is_some_and(|watched_address| counts(watched_address, log))
            });
            found.extend(ours.map(|log| tally::of_log(log, self.chain.id, now)));
        }
        Ok(found)
    }

    /// Arrivals and sweeps of the native coin, derived from balances.
    async fn native(
        &self,
        chain_view: &mut ChainView<'_>,
        range: &BlockRange,
        watched: &WatchedAddresses,
        old: Option<&Cursor>,
        now: Timestamp,
    ) -> Result<(Vec<Transfer>, Vec<(Address, Atoms)>), WatchError> {
        let confirmations = self.chain.confirmations;
        let replaced_from = range.replaced_from.unwrap_or(u64::MAX);
        let looked_at: Vec<_> = watched
            .values()
            .filter(|watched_address| watched_address.looked_at || watched_address.is_replaced(replaced_from))
            .collect();
        let mut tallies: Vec<_> = looked_at
            .iter()
            .filter_map(|watched_address| tally::Tally::new(watched_address, replaced_from))
            .collect();
        // A sweep counts once it is final: before that a reorg could revert it, and it would look like new
        // money.
        if let Some(settled) =
            (range.last + 1).checked_sub(u64::from(confirmations).min(opening_balances::RECENT))
        {
            let holding = tallies.iter_mut().filter(|tally| tally.holds_at(settled)).collect::<Vec<_>>();
            // A node that cannot answer does not fail the pass: until the sweep is known, less counts as new,
            // not more.
            match chain_view.balances(&holding, settled).await {
                Ok(balances) => {
                    let known = holding.into_iter().zip(balances);
                    known.for_each(|(tally, balance)| tally.settle(settled, balance));
                }
                Err(error) => tracing::debug!(%error, settled, "old balances are not known"),
            }
        }
        // Arrivals that were final and are read again are looked for in their old block, so that they do not
        // have to wait for confirmations once more.
        for block in tally::final_before(&looked_at, range, old, confirmations) {
            let hash = chain_view.block(block).await?.hash;
            let lost = tallies.iter_mut().filter(|tally| tally.lost).collect::<Vec<_>>();
            let balances = chain_view.balances(&lost, block).await?;
            for (tally, balance) in lost.into_iter().zip(balances) {
                tally.count(block, hash, balance);
            }
        }
        self.count_final(chain_view, range, &mut tallies).await?;
        let hash = chain_view.block(range.last).await?.hash;
        let everybody = tallies.iter_mut().collect::<Vec<_>>();
        let balances = chain_view.balances(&everybody, range.last).await?;
        for (tally, balance) in everybody.into_iter().zip(balances) {
            tally.count(range.last, hash, balance);
        }
        let swept = tallies.iter().filter_map(tally::Tally::swept).collect();
        let found = tallies.into_iter().flat_map(|tally| tally.transfers(self.chain.id, now)).collect();
        Ok((found, swept))
    }

    /// After many blocks at once, counts what was there at the newest final block: it has its confirmations
    /// already.
    async fn count_final(
        &self,
        chain_view: &mut ChainView<'_>,
        range: &BlockRange,
        tallies: &mut [tally::Tally],
    ) -> Result<(), NodeError> {
        let block = (range.last + 1).checked_sub(u64::from(self.chain.confirmations));
        let is_new = |block: &u64| (range.first..range.last).contains(block);
        let Some(block) = block.filter(is_new).filter(|_| range.replaced_from.is_none()) else {
            return Ok(());
        };
        let handed_out: Vec<_> = tallies.iter_mut().filter(|tally| tally.is_handed_out_by(block)).collect();
        let hash = chain_view.block(block).await?.hash;
        // A node that cannot answer does not fail the pass: the arrival is counted at the last block.
        if let Ok(balances) = chain_view.balances(&handed_out, block).await {
            let known = handed_out.into_iter().zip(balances);
            known.for_each(|(tally, balance)| tally.count(block, hash, balance));
        }
        Ok(())
    }

    async fn write(
        &self,
        advance: Advance,
        known_addresses: KnownAddresses,
        range: &BlockRange,
        old: Option<Cursor>,
    ) -> Result<Pass, WatchError> {
        if !self.book.advance(&advance).await? {
            let cursor = self.book.cursor(self.chain.id).await?.unwrap_or(advance.cursor);
            return Ok(Pass { cursor, behind: false, replaced: 0, too_deep: false });
        }
        if let (true, Some(from)) = (range.too_deep, range.replaced_from) {
            *self.doubtful() = Some(from.saturating_sub(1));
        }
        let known_addresses = known_addresses.after(&advance).unwrap_or_default();
        *self.known_addresses.lock().unwrap_or_else(PoisonError::into_inner) = known_addresses;
        let replaced = match (range.replaced_from, old) {
            (Some(from), Some(old)) => (old.block + 1).saturating_sub(from),
            _ => 0,
        };
        let cursor = Cursor { version: advance.cursor.version + 1, ..advance.cursor };
        Ok(Pass { cursor, behind: !range.reaches_head, replaced, too_deep: range.too_deep })
    }
}
