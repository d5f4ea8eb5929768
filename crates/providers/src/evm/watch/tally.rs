//! Evaluates what a pass found in blocks: to which address it belongs, how much of it is new, and which
//! payments are affected. It makes no queries.

use super::{
    super::{Chain, Log, NodeError},
    WatchedAddresses,
    block_range::BlockRange,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use till_domain::{
    chain::{Address, Atoms, BlockHash, ChainId, Cursor, Deposit, Transfer},
    id::AttemptId,
    time::Timestamp,
};

/// Interval between two balance checks of an address whose payment is no longer awaited.
const COLD_MS: i64 = 60 * 60 * 1_000;

/// Recent arrivals of the native coin, by address: block and amount.
pub(super) type Lately = BTreeMap<Address, Vec<(u64, Atoms)>>;

pub(super) fn lately(came: &[(AttemptId, Transfer)]) -> Lately {
    let mut lately = Lately::new();
    for (_, transfer) in came.iter().filter(|(_, transfer)| transfer.contract.is_none()) {
        lately.entry(transfer.address).or_default().push((transfer.block, transfer.atoms));
    }
    lately
}

/// True if the transfer was found before, in the block where it is now.
pub(super) fn is_known(found: &Transfer, came: &[(AttemptId, Transfer)]) -> bool {
    let place = |transfer: &Transfer| (transfer.block, transfer.block_hash);
    let same = |known: &Transfer| (&known.reference, known.address) == (&found.reference, found.address);
    came.iter().any(|(_, known)| same(known) && place(known) == place(found))
}

/// A watched address of ours.
#[derive(Debug, Clone)]
pub(super) struct WatchedAddress {
    pub(super) deposit: Arc<Deposit>,
    /// The amount of the native coin that is known to have arrived and was not reverted.
    known: Atoms,
    /// The part of it that arrived in blocks that are not final or are read again: block and amount.
    lately: Vec<(u64, Atoms)>,
    /// True if its balance is checked in this pass.
    pub(super) looked_at: bool,
}

impl WatchedAddress {
    pub(super) fn new(deposit: Arc<Deposit>, known: Atoms, looked_at: bool, lately: &Lately) -> Self {
        let lately = lately.get(&deposit.address).cloned().unwrap_or_default();
        Self { deposit, known, lately, looked_at }
    }

    /// True if native coin arrived in a block that a reorg removed (`from` or later).
    pub(super) fn is_replaced(&self, from: u64) -> bool {
        self.lately.iter().any(|(block, _)| *block >= from)
    }

    /// The amount known to have arrived before this block.
    fn known_before(&self, block: u64) -> Atoms {
        let later = self.lately.iter().filter(|(number, _)| *number >= block);
        later.fold(self.known, |known, (_, atoms)| known.saturating_sub(*atoms))
    }
}

/// True if the hourly balance check of this address falls between the two moments. The checks of different
/// addresses are spread over the hour.
pub(super) fn is_due(index: u32, then: Timestamp, now: Timestamp) -> bool {
    let turn = |moment: Timestamp| (moment.as_ms() + i64::from(index % 60) * 60_000) / COLD_MS;
    turn(then) != turn(now)
}

/// The native coin of one address, counted from its balances.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) address: Address,
    /// True if some of what arrived is in blocks that a reorg removed.
    pub(super) lost: bool,
    watched_address: WatchedAddress,
    /// The balance before the address was handed out.
    before: Atoms,
    /// The total that arrived, as far as it is counted.
    known: Atoms,
    swept: Atoms,
    /// New arrivals: block, its hash, amount.
    new: Vec<(u64, BlockHash, Atoms)>,
    replaced_from: u64,
}

impl Tally {
    /// `None` for an address whose balance before it was handed out is not known.
    pub(super) fn new(watched_address: &WatchedAddress, replaced_from: u64) -> Option<Self> {
        Some(Self {
            before: watched_address.deposit.before?,
            address: watched_address.deposit.address,
            lost: watched_address.is_replaced(replaced_from),
            known: watched_address.known_before(replaced_from),
            swept: watched_address.deposit.swept,
            new: Vec::new(),
            replaced_from,
            watched_address: watched_address.clone(),
        })
    }

    /// The balance before the address was handed out plus what arrived up to a block, on the chain as it is
    /// now.
    fn came_by(&self, block: u64) -> Atoms {
        self.watched_address.known_before(self.replaced_from.min(block + 1)).saturating_add(self.before)
    }

    /// True if the address was handed out by this block.
    pub(super) fn is_handed_out_by(&self, block: u64) -> bool {
        block >= self.watched_address.deposit.since_block
    }

    /// True if the address held something at this block that could have been swept since. Blocks from before
    /// it was handed out give false: what was there then is not known.
    pub(super) fn holds_at(&self, block: u64) -> bool {
        self.is_handed_out_by(block) && self.came_by(block) > self.swept
    }

    /// Takes in the balance at a final block: what is missing was swept by the owner.
    pub(super) fn settle(&mut self, block: u64, balance: Atoms) {
        self.swept = self.swept.max(self.came_by(block).saturating_sub(balance));
    }

    /// Takes in the balance at a block: whatever exceeds the known total is new.
    pub(super) fn count(&mut self, block: u64, hash: BlockHash, balance: Atoms) {
        let expected = self.known.saturating_add(self.before);
        let new = balance.saturating_add(self.swept).saturating_sub(expected);
        if new > Atoms::ZERO {
            self.known = self.known.saturating_add(new);
            self.new.push((block, hash, new));
        }
    }

    /// The total swept by the owner, if it has changed.
    pub(super) fn swept(&self) -> Option<(Address, Atoms)> {
        (self.swept != self.watched_address.deposit.swept).then_some((self.address, self.swept))
    }

    pub(super) fn transfers(self, chain: ChainId, now: Timestamp) -> impl Iterator<Item = Transfer> {
        let address = self.address;
        self.new.into_iter().map(move |(block, hash, atoms)| Transfer {
            chain,
            reference: format!("balance:{hash}"),
            transaction: None,
            address,
            contract: None,
            atoms,
            block,
            block_hash: hash,
            seen_at: now,
            gone_at: None,
            reported: false,
        })
    }
}

/// The blocks, lowest first, that are read again after a reorg and in which native coin arrived that was
/// final when the chain was last read.
pub(super) fn final_before(
    watched: &[&WatchedAddress],
    range: &BlockRange,
    old: Option<&Cursor>,
    confirmations: u32,
) -> BTreeSet<u64> {
    let (Some(from), Some(old)) = (range.replaced_from, old) else { return BTreeSet::new() };
    let blocks = watched.iter().flat_map(|watched_address| &watched_address.lately).map(|(block, _)| *block);
    let was_final = |block: &u64| block + u64::from(confirmations) <= old.block + 1;
    blocks.filter(|block| (from..range.last).contains(block)).filter(was_final).collect()
}

/// Rejects logs that are outside of these blocks or name another hash for their block.
pub(super) fn check_logs(
    logs: &[Log],
    blocks: (u64, u64),
    recent: &[(u64, BlockHash)],
) -> Result<(), NodeError> {
    for log in logs {
        let outside = !(blocks.0..=blocks.1).contains(&log.block);
        let place = recent.binary_search_by_key(&log.block, |(number, _)| *number);
        if outside || place.is_ok_and(|place| recent[place].1 != log.block_hash) {
            return Err(NodeError(format!("a log of block {} contradicts that block", log.block)));
        }
    }
    Ok(())
}

pub(super) fn of_log(log: Log, chain: ChainId, now: Timestamp) -> Transfer {
    Transfer {
        chain,
        reference: format!("{}:{}", log.transaction, log.index),
        transaction: Some(log.transaction),
        address: log.to,
        contract: Some(log.contract),
        atoms: log.atoms,
        block: log.block,
        block_hash: log.block_hash,
        seen_at: now,
        gone_at: None,
        reported: false,
    }
}

/// The payments about which something is new: a transfer arrived, may be gone, or gained confirmations.
pub(super) fn touched(
    range: &BlockRange,
    old: Option<&Cursor>,
    chain: &Chain,
    came: &[(AttemptId, Transfer)],
    found: &[Transfer],
    watched: &WatchedAddresses,
) -> Vec<AttemptId> {
    let replaced_from = range.replaced_from.unwrap_or(u64::MAX);
    let read = old.map_or(0, |old| old.block);
    let moves = read != range.last;
    let confirms = |transfer: &Transfer| moves && transfer.block + u64::from(chain.confirmations) > read + 1;
    let known = came.iter().filter(|(_, transfer)| transfer.block >= replaced_from || confirms(transfer));
    let known = known.map(|(attempt, _)| *attempt);
    let new = found.iter().filter_map(|transfer| watched.get(&transfer.address));
    let all: BTreeSet<_> = known.chain(new.map(|watched_address| watched_address.deposit.attempt)).collect();
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::chain::TxHash;

    #[test]
    fn a_log_that_contradicts_its_block_is_refused() {
        let hash = |byte| BlockHash::from_bytes([byte; 32]);
        let recent = [(5, hash(5)), (6, hash(6))];
        let check = |block, block_hash| {
            let log = Log {
                contract: Address::from_bytes([1; 20]),
                to: Address::from_bytes([2; 20]),
                atoms: Atoms(1),
                block,
                block_hash,
                transaction: TxHash::from_bytes([3; 32]),
                index: 0,
            };
            check_logs(&[log], (4, 6), &recent).is_ok()
        };
        assert!(check(5, hash(5)) && check(6, hash(6)));
        assert!(check(4, hash(4)), "a block whose hash is not kept");
        assert!(!check(5, hash(6)) && !check(6, hash(9)), "another block");
        assert!(!check(3, hash(3)) && !check(7, hash(7)), "outside");
    }
}
