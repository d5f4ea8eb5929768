//! Decides which range of blocks a pass reads. It makes no queries.

use super::super::Header;
use std::time::Duration;
use till_domain::{
    chain::{BlockHash, Cursor, Deposit},
    time::Timestamp,
};

/// Blocks in one log query, and in one pass while the watcher is behind.
pub(super) const PAGE: u64 = 200;

/// Interval of the heartbeat, which writes the cursor although there is no new block.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The range of blocks that a pass reads, and what is known of the blocks before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BlockRange {
    /// The first block.
    pub(super) first: u64,
    /// The last block; before the first if there is nothing new.
    pub(super) last: u64,
    /// True if the last block is the head of the chain.
    pub(super) reaches_head: bool,
    /// Hashes of blocks read before that are still on the chain, oldest first.
    pub(super) base: Vec<(u64, BlockHash)>,
    /// The first block that a reorg replaced, if there was one.
    pub(super) replaced_from: Option<u64>,
    /// True if the reorg goes back further than the hashes that are kept.
    pub(super) too_deep: bool,
}

/// The chain's head compared with the blocks that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadPosition {
    /// It is the last block that was read.
    Same,
    /// It was read before: the node that reported it lags.
    Earlier,
    /// It is older than the hashes that are kept.
    Forgotten,
    /// There are more blocks. Whether they continue what was read is not known.
    Further,
    /// It has another hash than the block with its number that was read: a reorg.
    Other,
}

/// The number of block hashes to keep: enough to find the fork point of a reorg, unless it forked from what
/// was final long ago.
pub(super) fn kept(confirmations: u32) -> usize {
    let wanted = usize::try_from(confirmations).unwrap_or(usize::MAX).saturating_mul(2);
    wanted.clamp(64, 1_024)
}

pub(super) fn compare(old: &Cursor, head: &Header) -> HeadPosition {
    if head.number > old.block {
        return HeadPosition::Further;
    }
    let known = old.recent.iter().rev().find(|(number, _)| *number == head.number);
    match known {
        None => HeadPosition::Forgotten,
        Some((_, hash)) if *hash != head.hash => HeadPosition::Other,
        Some(_) if head.number == old.block => HeadPosition::Same,
        Some(_) => HeadPosition::Earlier,
    }
}

impl BlockRange {
    pub(super) fn first(first: u64, head: u64) -> Self {
        let last = head.min(first.saturating_add(PAGE - 1));
        let reaches_head = last == head;
        Self { first, last, reaches_head, base: Vec::new(), replaced_from: None, too_deep: false }
    }

    /// The blocks that follow those that were read.
    pub(super) fn onward(old: &Cursor, head: u64) -> Self {
        Self { base: old.recent.clone(), ..Self::first(old.block + 1, head) }
    }

    /// A pass without new blocks, if the heartbeat is due: it reads the blocks that are not final again, for
    /// transfers that were overlooked, and shows that the chain is being watched.
    pub(super) fn heartbeat(old: &Cursor, now: Timestamp) -> Option<Self> {
        let due = now.since(old.at) >= HEARTBEAT;
        due.then(|| Self { last: old.block, reaches_head: true, ..Self::onward(old, old.block) })
    }

    /// All blocks after the fork point. They are read in one pass whatever their number: transfers that are
    /// gone and transfers that are there again have to be written together.
    pub(super) fn again(old: &Cursor, ancestor: Option<u64>, confirmations: u32, head: u64) -> Self {
        let oldest = old.recent.first().map_or(old.block, |(number, _)| *number);
        let stands = ancestor.unwrap_or_else(|| oldest.saturating_sub(u64::from(confirmations) + 1));
        let base = old.recent.iter().filter(|(number, _)| ancestor.is_some() && *number <= stands);
        Self {
            first: stands + 1,
            last: head,
            reaches_head: true,
            base: base.copied().collect(),
            replaced_from: Some(stands + 1),
            too_deep: ancestor.is_none(),
        }
    }

    /// The last block before an address was handed out. After a reorg, transfers in the new blocks may have
    /// been sent later than their numbers say, so all of these count.
    pub(super) fn before(&self, deposit: &Deposit) -> u64 {
        let replaced = self.replaced_from.map_or(u64::MAX, |from| from.saturating_sub(1));
        deposit.since_block.min(replaced)
    }

    /// The range split into log queries, together with the blocks before it that are not final. Those are
    /// read once more: of several nodes behind one address, one that lags reports no transfers.
    pub(super) fn pages(&self, confirmations: u32) -> impl Iterator<Item = (u64, u64)> + use<> {
        let goes_on = self.replaced_from.is_none() && !self.base.is_empty();
        let again = if goes_on { u64::from(confirmations).min(PAGE) } else { 0 };
        let (first, last) = (self.first.saturating_sub(again), self.last);
        let page = usize::try_from(PAGE).unwrap_or(usize::MAX);
        (first..last.saturating_add(1)).step_by(page).map(move |from| (from, last.min(from + PAGE - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::chain::ChainId;

    /// The hash of a block on the branch that was read.
    fn hash(number: u64) -> BlockHash {
        BlockHash::parse(&format!("0x{number:064x}")).expect("a hash")
    }

    fn cursor(blocks: std::ops::RangeInclusive<u64>) -> Cursor {
        let recent: Vec<_> = blocks.map(|number| (number, hash(number))).collect();
        let block = recent.last().map_or(0, |(number, _)| *number);
        Cursor { chain: ChainId(1), block, head: block, at: Timestamp::from_ms(0), recent, version: 1 }
    }

    fn head(number: u64, hash: BlockHash) -> Header {
        Header { number, hash, parent: BlockHash::from_bytes([0; 32]), timestamp: 0 }
    }

    #[test]
    fn a_head_is_compared_with_what_was_read() {
        let (old, other) = (cursor(10..=20), BlockHash::from_bytes([0xff; 32]));
        for (number, hash, expected) in [
            (21, hash(21), HeadPosition::Further),
            (20, hash(20), HeadPosition::Same),
            (20, other, HeadPosition::Other),
            (15, hash(15), HeadPosition::Earlier),
            (15, other, HeadPosition::Other),
            (9, hash(9), HeadPosition::Forgotten),
        ] {
            assert_eq!(compare(&old, &head(number, hash)), expected, "{number} {hash}");
        }
    }

    #[test]
    fn many_blocks_are_read_in_pages() {
        let old = cursor(10..=20);
        let range = BlockRange::onward(&old, 1_000);
        assert_eq!((range.first, range.last, range.reaches_head), (21, 220, false));
        let range = BlockRange::onward(&old, 220);
        assert_eq!((range.first, range.last, range.reaches_head), (21, 220, true));
        assert_eq!(range.pages(12).collect::<Vec<_>>(), [(9, 208), (209, 220)]);
        assert_eq!(BlockRange::first(21, 30).pages(12).collect::<Vec<_>>(), [(21, 30)]);
        let again = BlockRange::again(&old, Some(18), 12, 500);
        assert_eq!(again.pages(12).collect::<Vec<_>>(), [(19, 218), (219, 418), (419, 500)]);
        assert_eq!(again.base.last().map(|(number, _)| *number), Some(18));
        let quiet = BlockRange::heartbeat(&old, Timestamp::from_ms(15_000)).expect("it is time");
        assert_eq!((quiet.last, quiet.pages(12).collect::<Vec<_>>()), (20, vec![(9, 20)]));
        assert_eq!(BlockRange::heartbeat(&old, Timestamp::from_ms(14_999)), None);
    }

    #[test]
    fn what_forked_before_all_that_is_kept_is_read_again_from_a_guess_on() {
        let again = BlockRange::again(&cursor(100..=200), None, 12, 205);
        assert_eq!((again.first, again.replaced_from, again.too_deep), (88, Some(88), true));
        assert!(again.base.is_empty());
        assert_eq!(BlockRange::again(&cursor(5..=9), None, 12, 10).first, 1);
    }

    #[test]
    fn hashes_are_kept_for_twice_the_confirmations_within_bounds() {
        assert_eq!((kept(1), kept(32), kept(128), kept(u32::MAX)), (64, 64, 256, 1_024));
    }
}
