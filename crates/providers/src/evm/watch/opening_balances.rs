//! Finds the opening balances: what addresses held of the native coin before they were handed out. That money
//! is no payment, since another wallet may have used the account before.
//!
//! They are queried in every pass until they are known. A node that has pruned the state of that block cannot
//! answer; then the oldest block whose state a node has is queried: an address with no coins and no
//! transaction there had none before.

use super::{ChainView, NodeError, Seats, block_range::BlockRange, tally::WatchedAddress};
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
    fn note(&mut self, seat: &mut WatchedAddress, balance: Atoms) {
        Arc::make_mut(&mut seat.deposit).before = Some(balance);
        self.known.push((seat.deposit.address, balance));
    }
}

/// The block whose balance is the opening balance. A later one will not do: the customer may have paid.
fn block(deposit: &Deposit, stretch: &BlockRange, old: Option<&Cursor>, head: u64) -> u64 {
    let read = old.map_or(stretch.first.saturating_sub(1), |old| old.block);
    let handed_out = stretch.before(deposit);
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
    chainside: &ChainView<'_>,
    stretch: &BlockRange,
    seats: &mut Seats,
    old: Option<&Cursor>,
    tried: &BTreeSet<Address>,
) -> Result<OpeningBalances, NodeError> {
    let head = chainside.head.number;
    let mut by_block: BTreeMap<u64, Vec<&mut WatchedAddress>> = BTreeMap::new();
    for seat in seats.values_mut().filter(|seat| seat.deposit.before.is_none()) {
        by_block.entry(block(&seat.deposit, stretch, old, head)).or_default().push(seat);
    }
    let mut found = OpeningBalances::default();
    let mut unanswered: Vec<(u64, &mut WatchedAddress)> = Vec::new();
    let mut misses = 0;
    for (block, seats) in by_block.into_iter().rev() {
        let addresses: Vec<_> = seats.iter().map(|seat| seat.deposit.address).collect();
        let is_recent = block + RECENT >= head;
        if misses >= MAX_MISSES && !is_recent {
            unanswered.extend(seats.into_iter().map(|seat| (block, seat)));
            continue;
        }
        match chainside.balances_of(&addresses, block).await {
            Ok(balances) => {
                seats.into_iter().zip(balances).for_each(|(seat, balance)| found.note(seat, balance));
            }
            Err(error) if is_recent => return Err(error),
            Err(error) => {
                tracing::debug!(%error, block, "no node knows the balances of a block");
                misses += 1;
                unanswered.extend(seats.into_iter().map(|seat| (block, seat)));
            }
        }
    }
    // Where a token is expected, the operator is notified of native coin only if more of it arrives.
    let is_open =
        |seat: &WatchedAddress| seat.deposit.contract.is_none() && !tried.contains(&seat.deposit.address);
    unanswered.retain(|(_, seat)| is_open(seat));
    if !unanswered.is_empty() {
        prove(chainside, unanswered, &mut found).await;
    }
    Ok(found)
}

/// Queries the oldest block whose state a node has.
async fn prove(
    chainside: &ChainView<'_>,
    seats: Vec<(u64, &mut WatchedAddress)>,
    found: &mut OpeningBalances,
) {
    let addresses: Vec<_> = seats.iter().map(|(_, seat)| seat.deposit.address).collect();
    let pruned = seats.iter().map(|(block, _)| *block).min().unwrap_or(0);
    let Some((oldest, balances, nonces)) = oldest_state(chainside, &addresses, pruned).await else { return };
    for ((wanted, seat), (balance, nonce)) in seats.into_iter().zip(balances.into_iter().zip(nonces)) {
        if balance == Atoms::ZERO && nonce == 0 {
            found.note(seat, Atoms::ZERO);
        } else {
            found.unproved.push(UnprovenAddress {
                deposit: Arc::clone(&seat.deposit),
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
    chainside: &ChainView<'_>,
    addresses: &[Address],
    pruned: u64,
) -> Option<(u64, Vec<Atoms>, Vec<u64>)> {
    let (mut below, mut known) = (pruned, chainside.head.number);
    while below + 1 < known {
        let middle = below + (known - below) / 2;
        match chainside.balances_of(&addresses[..1], middle).await {
            Ok(_) => known = middle,
            Err(_) => below = middle,
        }
    }
    for margin in MARGINS {
        let block = (known + margin).min(chainside.head.number);
        let balances = chainside.balances_of(addresses, block).await;
        let nonces = chainside.node.nonces(addresses, block).await;
        if let (Ok(balances), Ok(nonces)) = (balances, nonces)
            && nonces.len() == addresses.len()
        {
            return Some((block, balances, nonces));
        }
    }
    None
}
