//! What addresses had of the chain's own coin before they were given out. It is nobody's payment: the account may have
//! been used by another wallet before.
//!
//! It is asked in every pass until it is known. A node that has pruned the state of that block cannot say; then the oldest
//! block of which a node has the state is asked: an address with no coins and no transaction there had none before.

use super::{Chainside, NodeError, Seats, stretch::Stretch, tally::Seat};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use till_domain::chain::{Cursor, Deposit};

/// Nodes that do not keep everything know the balances of at least so many blocks back. It decides whether an error about
/// a block stops the pass.
pub(super) const RECENT: u64 = 64;

/// Blocks that no node answers about, in one pass. They are asked from the newest on, and who has pruned one has pruned
/// those below it.
const MAX_MISSES: usize = 4;

/// How much later than the oldest known block is asked if that was pruned meanwhile.
const MARGINS: [u64; 3] = [0, 16, 64];

/// An address of which no node says what it had when it was given out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unproved {
    /// The address, and whose it is.
    pub deposit: Arc<Deposit>,
    /// The block at which its balance is not known.
    pub wanted: u64,
    /// The oldest block of which a node has the state.
    pub oldest: u64,
    /// What the address had then.
    pub balance: u128,
}

/// What a pass has found out.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What was there before, by address.
    pub(super) known: Vec<(String, u128)>,
    /// Where nobody can say.
    pub(super) unproved: Vec<Unproved>,
}

impl Found {
    fn note(&mut self, seat: &mut Seat, balance: u128) {
        Arc::make_mut(&mut seat.deposit).before = Some(balance);
        self.known.push((seat.deposit.address.clone(), balance));
    }
}

/// The block whose balance shows what was there before. Later is too late: the customer may have paid.
fn block(deposit: &Deposit, stretch: &Stretch, old: Option<&Cursor>, head: u64) -> u64 {
    let read = old.map_or(stretch.first.saturating_sub(1), |old| old.block);
    let given_out = stretch.before(deposit);
    let is_old = given_out + RECENT < head;
    // The chain was never read then, or another coin is waited for: then this one only has to be told of.
    if deposit.since_block == 0 || (is_old && deposit.contract.is_some()) {
        read
    } else {
        given_out.min(read)
    }
}

/// Looks at the addresses of which nobody knows it yet. Those that were tried in vain before are only asked about at the
/// block that is wanted: another node may have been added.
pub(super) async fn look(
    chainside: &Chainside<'_>,
    stretch: &Stretch,
    seats: &mut Seats,
    old: Option<&Cursor>,
    tried: &BTreeSet<String>,
) -> Result<Found, NodeError> {
    let head = chainside.head.number;
    let mut by_block: BTreeMap<u64, Vec<&mut Seat>> = BTreeMap::new();
    for seat in seats.values_mut().filter(|seat| seat.deposit.before.is_none()) {
        by_block.entry(block(&seat.deposit, stretch, old, head)).or_default().push(seat);
    }
    let mut found = Found::default();
    let mut unanswered: Vec<(u64, &mut Seat)> = Vec::new();
    let mut misses = 0;
    for (block, seats) in by_block.into_iter().rev() {
        let addresses: Vec<_> = seats.iter().map(|seat| seat.deposit.address.clone()).collect();
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
    // Of the chain's own coin where a token is waited for a person is only told if more comes.
    let is_open = |seat: &Seat| seat.deposit.contract.is_none() && !tried.contains(&seat.deposit.address);
    unanswered.retain(|(_, seat)| is_open(seat));
    if !unanswered.is_empty() {
        prove(chainside, unanswered, &mut found).await;
    }
    Ok(found)
}

/// Looks at the oldest block that a node has the state of.
async fn prove(chainside: &Chainside<'_>, seats: Vec<(u64, &mut Seat)>, found: &mut Found) {
    let addresses: Vec<_> = seats.iter().map(|(_, seat)| seat.deposit.address.clone()).collect();
    let pruned = seats.iter().map(|(block, _)| *block).min().unwrap_or(0);
    let Some((oldest, balances, nonces)) = oldest_state(chainside, &addresses, pruned).await else { return };
    for ((wanted, seat), (balance, nonce)) in seats.into_iter().zip(balances.into_iter().zip(nonces)) {
        if balance == 0 && nonce == 0 {
            found.note(seat, 0);
        } else {
            found.unproved.push(Unproved { deposit: Arc::clone(&seat.deposit), wanted, oldest, balance });
        }
    }
}

/// The oldest block above this one whose state a node has, with the balances and the transaction counts of these addresses
/// there. Nothing if no node answers about its newest block either.
async fn oldest_state(
    chainside: &Chainside<'_>,
    addresses: &[String],
    pruned: u64,
) -> Option<(u64, Vec<u128>, Vec<u64>)> {
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
