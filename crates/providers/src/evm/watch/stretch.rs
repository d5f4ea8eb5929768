//! Which blocks a pass reads.

use super::super::Header;
use std::time::Duration;
use till_domain::{
    chain::{Cursor, Deposit},
    time::Timestamp,
};

/// Blocks that are read by one question, and in one pass while there are many.
pub(super) const PAGE: u64 = 200;

/// How often it is noted that there is nothing new.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The blocks that a pass reads, and what is known of those before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    /// The first of them.
    pub(super) first: u64,
    /// The last of them; before the first if there is nothing new.
    pub(super) last: u64,
    /// Whether the last one is the head.
    pub(super) reaches_head: bool,
    /// Hashes that were read before and still stand, oldest first.
    pub(super) base: Vec<(u64, String)>,
    /// From which block on the chain has others than those that were read.
    pub(super) replaced_from: Option<u64>,
    /// Whether nobody knows how far back that goes.
    pub(super) too_deep: bool,
}

/// How the chain's head stands to what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Against {
    /// It is what was read last.
    Same,
    /// It was read before: whoever told us is behind.
    Earlier,
    /// It is so far back that nobody remembers it.
    Forgotten,
    /// There are more blocks. Whether they go on from what was read is not known.
    Further,
    /// It is another block than the one with its number that was read.
    Other,
}

/// How many hashes are kept: enough to find where a chain forked, unless it forked from what was final long ago.
pub(super) fn kept(confirmations: u32) -> usize {
    let wanted = usize::try_from(confirmations).unwrap_or(usize::MAX).saturating_mul(2);
    wanted.clamp(64, 1_024)
}

pub(super) fn compare(old: &Cursor, head: &Header) -> Against {
    if head.number > old.block {
        return Against::Further;
    }
    let known = old.recent.iter().rev().find(|(number, _)| *number == head.number);
    match known {
        None => Against::Forgotten,
        Some((_, hash)) if *hash != head.hash => Against::Other,
        Some(_) if head.number == old.block => Against::Same,
        Some(_) => Against::Earlier,
    }
}

impl Stretch {
    pub(super) fn first(first: u64, head: u64) -> Self {
        let last = head.min(first.saturating_add(PAGE - 1));
        let reaches_head = last == head;
        Self { first, last, reaches_head, base: Vec::new(), replaced_from: None, too_deep: false }
    }

    /// The next blocks after those that were read.
    pub(super) fn onward(old: &Cursor, head: u64) -> Self {
        Self { base: old.recent.clone(), ..Self::first(old.block + 1, head) }
    }

    /// No block, but a look at what may have been overlooked, and a sign that somebody looks.
    pub(super) fn heartbeat(old: &Cursor, now: Timestamp) -> Option<Self> {
        let due = now.since(old.at) >= HEARTBEAT;
        due.then(|| Self { last: old.block, reaches_head: true, ..Self::onward(old, old.block) })
    }

    /// All blocks after the last one that still stands. They are read in one pass whatever their number: what is gone
    /// and what is there again has to be written together.
    pub(super) fn again(old: &Cursor, ancestor: Option<u64>, confirmations: u32, head: u64) -> Self {
        let oldest = old.recent.first().map_or(old.block, |(number, _)| *number);
        let stands = ancestor.unwrap_or_else(|| oldest.saturating_sub(u64::from(confirmations) + 1));
        let base = old.recent.iter().filter(|(number, _)| ancestor.is_some() && *number <= stands);
        Self {
            first: stands + 1,
            last: head,
            reaches_head: true,
            base: base.cloned().collect(),
            replaced_from: Some(stands + 1),
            too_deep: ancestor.is_none(),
        }
    }

    /// The last block of before an address was given out. Where the chain has replaced blocks, what came in the new ones
    /// may have been sent later than their numbers say.
    pub(super) fn before(&self, deposit: &Deposit) -> u64 {
        let replaced = self.replaced_from.map_or(u64::MAX, |from| from.saturating_sub(1));
        deposit.since_block.min(replaced)
    }

    /// The blocks, in pages that one question asks for, and those before that are not final once more: of several nodes
    /// behind one address, one that has not got as far says that nothing came.
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

    fn cursor(blocks: std::ops::RangeInclusive<u64>) -> Cursor {
        let recent: Vec<_> = blocks.map(|number| (number, format!("h{number}"))).collect();
        let block = recent.last().map_or(0, |(number, _)| *number);
        Cursor { chain: 1, block, head: block, at: Timestamp::from_ms(0), recent, version: 1 }
    }

    fn head(number: u64, hash: &str) -> Header {
        Header { number, hash: hash.to_owned(), parent: String::new(), timestamp: 0 }
    }

    #[test]
    fn a_head_is_compared_with_what_was_read() {
        let old = cursor(10..=20);
        for (number, hash, expected) in [
            (21, "h21", Against::Further),
            (20, "h20", Against::Same),
            (20, "x", Against::Other),
            (15, "h15", Against::Earlier),
            (15, "x", Against::Other),
            (9, "h9", Against::Forgotten),
        ] {
            assert_eq!(compare(&old, &head(number, hash)), expected, "{number} {hash}");
        }
    }

    #[test]
    fn many_blocks_are_read_in_pages() {
        let old = cursor(10..=20);
        let stretch = Stretch::onward(&old, 1_000);
        assert_eq!((stretch.first, stretch.last, stretch.reaches_head), (21, 220, false));
        let stretch = Stretch::onward(&old, 220);
        assert_eq!((stretch.first, stretch.last, stretch.reaches_head), (21, 220, true));
        assert_eq!(stretch.pages(12).collect::<Vec<_>>(), [(9, 208), (209, 220)]);
        assert_eq!(Stretch::first(21, 30).pages(12).collect::<Vec<_>>(), [(21, 30)]);
        let again = Stretch::again(&old, Some(18), 12, 500);
        assert_eq!(again.pages(12).collect::<Vec<_>>(), [(19, 218), (219, 418), (419, 500)]);
        assert_eq!(again.base.last().map(|(number, _)| *number), Some(18));
        let quiet = Stretch::heartbeat(&old, Timestamp::from_ms(15_000)).expect("it is time");
        assert_eq!((quiet.last, quiet.pages(12).collect::<Vec<_>>()), (20, vec![(9, 20)]));
        assert_eq!(Stretch::heartbeat(&old, Timestamp::from_ms(14_999)), None);
    }

    #[test]
    fn what_forked_before_all_that_is_kept_is_read_again_from_a_guess_on() {
        let again = Stretch::again(&cursor(100..=200), None, 12, 205);
        assert_eq!((again.first, again.replaced_from, again.too_deep), (88, Some(88), true));
        assert!(again.base.is_empty());
        assert_eq!(Stretch::again(&cursor(5..=9), None, 12, 10).first, 1);
    }

    #[test]
    fn hashes_are_kept_for_twice_the_confirmations_within_bounds() {
        assert_eq!((kept(1), kept(32), kept(128), kept(u32::MAX)), (64, 64, 256, 1_024));
    }
}
