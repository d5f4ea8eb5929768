//! Finds the opening balances: what addresses held of the native coin before they were handed out. That money
//! is no payment, since another wallet may have used the account before.
//!
//! They are queried in every pass until they are known. A node that has pruned the state of that block cannot
//! answer; then the oldest block whose state a node has is queried: an address with no coins and no
//! transaction there had none before.

use super::{ChainView, NodeError, WatchedAddresses, block_range::BlockRange, tally::WatchedAddress};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use till_domain::chain::{Address, Atoms, Cursor, Deposit};

/// Pruned nodes know the balances of at least this many recent blocks. An error about one of these blocks
/// stops the pass, an error about an older one does not.
pub(super) const RECENT: u64 = 64;

/// The most blocks without an answer in one pass. Blocks are queried newest first: a node that has pruned one
/// has pruned those below it.
const MAX_MISSES: usize = 4;

/// How many blocks later to query if the oldest known block was pruned meanwhile.
const MARGINS: [u64; 3] = [0, 16, 64];

/// An address whose opening balance no node can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnprovenAddress {
    /// The address, and the payment it belongs to.
    pub deposit: Arc<Deposit>,
    /// The block whose balance is wanted and not known.
    pub wanted: u64,
    /// The oldest block whose state a node has.
    pub oldest: u64,
    /// The address's balance at that oldest block.
    pub balance: Atoms,
}

/// The findings of a pass.
#[derive(Debug, Default)]
pub(super) struct OpeningBalances {
    /// Opening balances, by address.
    pub(super) known: Vec<(Address, Atoms)>,
    /// Addresses whose opening balance no node can tell.
    pub(super) unproved: Vec<UnprovenAddress>,
}

impl OpeningBalances {
    fn note(&mut self, watched_address: &mut WatchedAddress, balance: Atoms) {
        Arc::make_mut(&mut watched_address.deposit).before = Some(balance);
        self.known.push((watched_address.deposit.address, balance));
    }
}

/// The block whose balance is the opening balance. A later one will not do: the customer may have paid.
fn block(deposit: &Deposit, range: &BlockRange, old: Option<&Cursor>, head: u64) -> u64 {
    let read = old.map_or(range.first.saturating_sub(1), |old| old.block);
    let handed_out = range.before(deposit);
    let is_old = handed_out + RECENT < head;
    // The chain had never been read then; or a token is awaited, and native coin only has to be reported.
    if deposit.since_block == 0 || (is_old && deposit.contract.is_some()) {
        read
    } else {
        handed_out.min(read)
    }
}

/// Queries the opening balances that are not known yet. For addresses that were tried in vain before, only
/// the wanted block is queried: another node may have been added.
pub(super) async fn look(
    chain_view: &ChainView<'_>,
    range: &BlockRange,
    watched: &mut WatchedAddresses,
    old: Option<&Cursor>,
    tried: &BTreeSet<Address>,
) -> Result<OpeningBalances, NodeError> {
    let head = chain_view.head.number;
    let mut by_block: BTreeMap<u64, Vec<&mut WatchedAddress>> = BTreeMap::new();
    for watched_address in
        watched.values_mut().filter(|watched_address| watched_address.deposit.before.is_none())
    {
        by_block.entry(block(&watched_address.deposit, range, old, head)).or_default().push(watched_address);
    }
    let mut found = OpeningBalances::default();
    let mut unanswered: Vec<(u64, &mut WatchedAddress)> = Vec::new();
    let mut misses = 0;
    for (block, watched) in by_block.into_iter().rev() {
        let addresses: Vec<_> =
            watched.iter().map(|watched_address| watched_address.deposit.address).collect();
        let is_recent = block + RECENT >= head;
        if misses >= MAX_MISSES && !is_recent {
            unanswered.extend(watched.into_iter().map(|watched_address| (block, watched_address)));
            continue;
        }
        match chain_view.balances_of(&addresses, block).await {
            Ok(balances) => {
                watched
                    .into_iter()
                    .zip(balances)
                    .for_each(|(watched_address, balance)| found.note(watched_address, balance));
            }
            Err(error) if is_recent => return Err(error),
            Err(error) => {
                tracing::debug!(%error, block, "no node knows the balances of a block");
                misses += 1;
                unanswered.extend(watched.into_iter().map(|watched_address| (block, watched_address)));
            }
        }
    }
    // Where a token is expected, the operator is notified of native coin only if more of it arrives.
    let is_open = |watched_address: &WatchedAddress| {
        watched_address.deposit.contract.is_none() && !tried.contains(&watched_address.deposit.address)
    };
    unanswered.retain(|(_, watched_address)| is_open(watched_address));
    if !unanswered.is_empty() {
        prove(chain_view, unanswered, &mut found).await;
    }
    Ok(found)
}

/// Queries the oldest block whose state a node has.
async fn prove(
    chain_view: &ChainView<'_>,
    watched: Vec<(u64, &mut WatchedAddress)>,
    found: &mut OpeningBalances,
) {
    let addresses: Vec<_> =
        watched.iter().map(|(_, watched_address)| watched_address.deposit.address).collect();
    let pruned = watched.iter().map(|(block, _)| *block).min().unwrap_or(0);
    let Some((oldest, balances, nonces)) = oldest_state(chain_view, &addresses, pruned).await else { return };
    for ((wanted, watched_address), (balance, nonce)) in
        watched.into_iter().zip(balances.into_iter().zip(nonces))
    {
        if balance == Atoms::ZERO && nonce == 0 {
            found.note(watched_address, Atoms::ZERO);
        } else {
            found.unproved.push(UnprovenAddress {
                deposit: Arc::clone(&watched_address.deposit),
                wanted,
                oldest,
                balance,
            });
        }
    }
}

/// The oldest block above this one whose state a node has (binary search), with the balances and transaction
/// counts of these addresses there. `None` if no node answers about its newest block either.
async fn oldest_state(
    chain_view: &ChainView<'_>,
    addresses: &[Address],
    pruned: u64,
) -> Option<(u64, Vec<Atoms>, Vec<u64>)> {
    let (mut below, mut known) = (pruned, chain_view.head.number);
    while below + 1 < known {
        let middle = below + (known - below) / 2;
        match chain_view.balances_of(&addresses[..1], middle).await {
            Ok(_) => known = middle,
            Err(_) => below = middle,
        }
    }
    for margin in MARGINS {
        let block = (known + margin).min(chain_view.head.number);
        let balances = chain_view.balances_of(addresses, block).await;
        let nonces = chain_view.node.nonces(addresses, block).await;
        if let (Ok(balances), Ok(nonces)) = (balances, nonces)
            && nonces.len() == addresses.len()
        {
            return Some((block, balances, nonces));
        }
    }
    None
}
