//! The queries of one pass to the chain. Headers are cached for the pass, and answers that do not fit
//! together end it.

use super::{
    super::{Header, Log, Node, NodeError},
    NAMED, WatchedAddresses,
    block_range::{self, BlockRange, HeadPosition},
    tally::Tally,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
use till_domain::{
    chain::{Address, Atoms, BlockHash, Cursor},
    time::Timestamp,
};

/// How many blocks back to search for the block before the first address was handed out.
const FAR: u64 = 16_384;

/// Clock skew between a chain and us that is allowed for.
const SKEW: Duration = Duration::from_secs(120);

/// The chain as one pass sees it.
#[derive(Debug)]
pub(super) struct ChainView<'a> {
    pub(super) node: &'a dyn Node,
    pub(super) head: Header,
    seen: BTreeMap<u64, Header>,
}

fn moved() -> NodeError {
    NodeError("the chain has moved while it was read".to_owned())
}

impl<'a> ChainView<'a> {
    pub(super) async fn ask(node: &'a dyn Node) -> Result<Self, NodeError> {
        let head = node.head().await?;
        Ok(Self { node, seen: BTreeMap::from([(head.number, head.clone())]), head })
    }

    /// The header of a block, cached; an error if the node does not have it.
    pub(super) async fn block(&mut self, number: u64) -> Result<Header, NodeError> {
        if let Some(known) = self.seen.get(&number) {
            return Ok(known.clone());
        }
        let header = self.fetch(number).await?;
        self.seen.insert(number, header.clone());
        Ok(header)
    }

    async fn fetch(&self, number: u64) -> Result<Header, NodeError> {
        let header = self.node.header(number).await?;
        let header = header.filter(|header| header.number == number);
        header.ok_or_else(|| NodeError(format!("the node does not have block {number}")))
    }

    /// The range to read after what was read before; `None` if there is nothing new.
    pub(super) async fn range(
        &mut self,
        old: &Cursor,
        confirmations: u32,
        now: Timestamp,
    ) -> Result<Option<BlockRange>, NodeError> {
        let head = self.head.number;
        match block_range::compare(old, &self.head) {
            HeadPosition::Same => return Ok(BlockRange::heartbeat(old, now)),
            HeadPosition::Earlier => return Ok(None),
            HeadPosition::Forgotten => {
                let text = format!("the node is at block {head}, and block {} was read", old.block);
                return Err(NodeError(text));
            }
            HeadPosition::Further => {
                let next = self.block(old.block + 1).await?;
                if old.recent.last().is_some_and(|(_, hash)| *hash == next.parent) {
                    return Ok(Some(BlockRange::onward(old, head)));
                }
            }
            HeadPosition::Other => {}
        }
        let ancestor = self.ancestor(old).await?;
        Ok(Some(BlockRange::again(old, ancestor, confirmations, head)))
    }

    /// The fork point: the last of the blocks read before that is still on the chain.
    async fn ancestor(&mut self, old: &Cursor) -> Result<Option<u64>, NodeError> {
        let head = self.head.number;
        for (number, hash) in old.recent.iter().rev().filter(|(number, _)| *number < head) {
            if self.block(*number).await?.hash == *hash {
                return Ok(Some(*number));
            }
        }
        Ok(None)
    }

    /// The block hashes to keep after this range: that of its last block, and all near the head.
    pub(super) async fn hashes(
        &mut self,
        range: &BlockRange,
        confirmations: u32,
    ) -> Result<Vec<(u64, BlockHash)>, NodeError> {
        let kept = block_range::kept(confirmations);
        let near = (self.head.number + 1).saturating_sub(u64::try_from(kept).unwrap_or(u64::MAX));
        let mut hashes = range.base.clone();
        for number in (range.first..=range.last).filter(|number| *number >= near.min(range.last)) {
            let header = self.block(number).await?;
            let below = hashes.last().filter(|(below, _)| below + 1 == number);
            if below.is_some_and(|(_, hash)| *hash != header.parent) {
                return Err(moved());
            }
            hashes.push((number, header.hash));
        }
        hashes.drain(..hashes.len().saturating_sub(kept));
        Ok(hashes)
    }

    /// Native balances of these tallies' addresses after a block.
    pub(super) async fn balances(&self, whose: &[&mut Tally], block: u64) -> Result<Vec<Atoms>, NodeError> {
        let addresses: Vec<_> = whose.iter().map(|tally| tally.address).collect();
        self.balances_of(&addresses, block).await
    }

    /// Native balances of these addresses after a block.
    pub(super) async fn balances_of(
        &self,
        addresses: &[Address],
        block: u64,
    ) -> Result<Vec<Atoms>, NodeError> {
        if addresses.is_empty() {
            return Ok(Vec::new());
        }
        let balances = self.node.balances(addresses, block).await?;
        if balances.len() != addresses.len() {
            let text =
                format!("the node returned {} balances for {} addresses", balances.len(), addresses.len());
            return Err(NodeError(text));
        }
        Ok(balances)
    }

    /// Picks transfers to our addresses out of all transfers. They are queried once more by address, because
    /// only such queries are compared between nodes.
    pub(super) async fn named(
        &self,
        all: Vec<Log>,
        watched: &WatchedAddresses,
        blocks: (u64, u64),
        contracts: &[Address],
    ) -> Result<Vec<Log>, NodeError> {
        let ours: BTreeSet<_> =
            all.into_iter().map(|log| log.to).filter(|to| watched.contains_key(to)).collect();
        let ours: Vec<_> = ours.into_iter().collect();
        let mut logs = Vec::new();
        for addresses in ours.chunks(NAMED) {
            logs.extend(self.node.logs(blocks, contracts, Some(addresses)).await?);
        }
        Ok(logs)
    }

    /// Fetches the last block once more: what was read belongs to it only if its hash is still the same.
    pub(super) async fn still_stands(
        &self,
        range: &BlockRange,
        recent: &[(u64, BlockHash)],
    ) -> Result<(), NodeError> {
        let last = self.fetch(range.last).await?;
        let stands = recent.last().is_some_and(|(_, hash)| *hash == last.hash);
        if stands { Ok(()) } else { Err(moved()) }
    }

    /// A block from before this moment, or one about `FAR` blocks back if that is nearer.
    pub(super) async fn block_before(&mut self, moment: Timestamp) -> Result<u64, NodeError> {
        let moment = u64::try_from(moment.minus(SKEW).as_ms() / 1_000).unwrap_or(0);
        let (head, mut back) = (self.head.number, 0);
        loop {
            let number = head.saturating_sub(back);
            if number == 0 || back >= FAR || self.block(number).await?.timestamp <= moment {
                return Ok(number);
            }
            back = (back * 2).max(1);
        }
    }
}
