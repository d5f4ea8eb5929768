//! Reconciles a chain with the book, for all addresses that were ever handed out: also those that are no
//! longer watched, and those that were emptied between two checks.
//!
//! Token transfers are read again, block by block. For the native coin only balances and transaction counts
//! can be queried: an address may not have more than is known to have arrived, and one where nothing arrived
//! has sent nothing.

use super::{Chain, Header, Log, NodeError, WatchError, Watcher};
use std::collections::{BTreeMap, BTreeSet};
use till_domain::{
    chain::{Address, Atoms, Deposit, DepositSelection, Transfer},
    time::Timestamp,
};

/// Addresses in one query.
const AT_ONCE: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The first and the last block whose token transfers were compared.
    pub blocks: (u64, u64),
    /// When the last of them was made; `None` if the chain was never read.
    pub until: Option<Timestamp>,
    /// Number of addresses that were compared.
    pub addresses: u64,
    pub sums: BTreeMap<String, Sum>,
    /// Money that is on the chain and missing in the book.
    pub unbooked: Vec<Unbooked>,
}

/// Totals of one coin: of a token in these blocks, of the native coin ever.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sum {
    pub decimals: u8,
    pub there: Atoms,
    /// The amount in the book.
    pub here: Atoms,
}

/// Money at an address that is on the chain and missing in the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unbooked {
    /// The address, and the payment it belongs to.
    pub deposit: Deposit,
    pub coin: String,
    pub decimals: u8,
    pub there: Atoms,
    /// The amount in the book.
    pub here: Atoms,
    /// The block of the transfer; for the native coin, the last block that was read.
    pub block: u64,
    /// True if money arrived and was sent on, so that the amount is not known.
    pub emptied: bool,
    /// The reference of the token transfer that was missed. For the native coin there is only the balance,
    /// which is read once an hour where the payment is no longer awaited.
    pub transfer: Option<String>,
}

impl Watcher {
    /// Compares what arrived between two moments, as far as it is final.
    pub async fn compare(&self, from: Timestamp, to: Timestamp) -> Result<Comparison, WatchError> {
        let cursor = self.book.cursor(self.chain.id).await?;
        let Some(cursor) = cursor else { return Ok(Comparison::empty()) };
        let last = (cursor.block + 1).saturating_sub(u64::from(self.chain.confirmations));
        let first = self.block_at(from, last).await?;
        let last = self.block_at(to, last).await?.max(first);
        let all = self.book.watched(self.chain.id, DepositSelection::Since(Timestamp::from_ms(0))).await?;
        let came = self.book.came_since(self.chain.id, 0).await?;
        let came: Vec<Transfer> = came.into_iter().map(|(_, transfer)| transfer).collect();
        let addresses = u64::try_from(all.len()).unwrap_or(u64::MAX);
        let until = self.made_at(last).await?;
        let mut comparison = Comparison { blocks: (first, last), until, addresses, ..Comparison::empty() };
        for deposits in all.chunks(AT_ONCE) {
            self.compare_tokens(deposits, &came, &mut comparison).await?;
            self.compare_native(deposits, (&came, cursor.block), &mut comparison).await?;
        }
        Ok(comparison)
    }

    /// The time of a block.
    async fn made_at(&self, block: u64) -> Result<Option<Timestamp>, NodeError> {
        let header = self.node.header(block).await?;
        let ms = |header: Header| i64::try_from(header.timestamp).unwrap_or(i64::MAX).saturating_mul(1_000);
        Ok(header.map(ms).map(Timestamp::from_ms))
    }

    /// The first block that was made at this moment or later; at most `last`.
    async fn block_at(&self, moment: Timestamp, last: u64) -> Result<u64, NodeError> {
        let seconds = u64::try_from(moment.as_ms() / 1_000).unwrap_or(0);
        let (mut low, mut high) = (0, last);
        while low < high {
            let middle = low + (high - low) / 2;
            let header = self.node.header(middle).await?;
            let header = header.ok_or_else(|| NodeError(format!("the node does not have block {middle}")))?;
            if header.timestamp < seconds { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    async fn compare_tokens(
        &self,
        deposits: &[(Deposit, Atoms)],
        came: &[Transfer],
        comparison: &mut Comparison,
    ) -> Result<(), WatchError> {
        let tokens = self.chain.coins.iter().filter_map(|coin| Some((coin, coin.contract?)));
        let tokens: Vec<_> = tokens.collect();
        let contracts: Vec<Address> = tokens.iter().map(|(_, contract)| *contract).collect();
        let addresses: Vec<Address> = deposits.iter().map(|(deposit, _)| deposit.address).collect();
        let (first, last) = comparison.blocks;
        let logs = self.node.logs((first, last), &contracts, Some(&addresses)).await?;
        for (deposit, _) in deposits {
            for (coin, contract) in &tokens {
                let of = |address: Address, of: Option<Address>, block: u64| {
                    let counts = block > deposit.since_block && (first..=last).contains(&block);
                    address == deposit.address && of == Some(*contract) && counts
                };
                let theirs: Vec<&Log> =
                    logs.iter().filter(|log| of(log.to, Some(log.contract), log.block)).collect();
                let there = theirs.iter().fold(Atoms::ZERO, |sum, log| sum.saturating_add(log.atoms));
                let ours: Vec<&Transfer> =
                    came.iter().filter(|one| of(one.address, one.contract, one.block)).collect();
                let here = ours.iter().fold(Atoms::ZERO, |sum, one| sum.saturating_add(one.atoms));
                comparison.count(&coin.symbol, coin.decimals, (there, here));
                // By reference, not by amount: a second transfer of the same amount is another one.
                let is_read = |log: &&&Log| ours.iter().any(|one| one.reference == reference(log));
                let missed = theirs.iter().filter(|log| !is_read(log));
                comparison.unbooked.extend(missed.map(|log| Unbooked {
                    deposit: deposit.clone(),
                    coin: coin.symbol.clone(),
                    decimals: coin.decimals,
                    there: log.atoms,
                    here: Atoms::ZERO,
                    block: log.block,
                    emptied: false,
                    transfer: Some(reference(log)),
                }));
            }
        }
        Ok(())
    }

    async fn compare_native(
        &self,
        deposits: &[(Deposit, Atoms)],
        (came, block): (&[Transfer], u64),
        comparison: &mut Comparison,
    ) -> Result<(), WatchError> {
        let Some((symbol, decimals)) = native(&self.chain) else { return Ok(()) };
        // An address with an unknown opening balance is left out: that was reported when it was found.
        let known: Vec<_> = deposits.iter().filter(|(deposit, _)| deposit.before.is_some()).collect();
        let addresses: Vec<Address> = known.iter().map(|(deposit, _)| deposit.address).collect();
        let balances = self.node.balances(&addresses, block).await?;
        let nonces = self.node.nonces(&addresses, block).await?;
        if (balances.len(), nonces.len()) != (addresses.len(), addresses.len()) {
            return Err(NodeError("a node responded for other addresses".to_owned()).into());
        }
        let paid: BTreeSet<Address> = came.iter().map(|transfer| transfer.address).collect();
        for ((deposit, here), (balance, nonce)) in known.into_iter().zip(balances.into_iter().zip(nonces)) {
            let before = deposit.before.unwrap_or_default();
            // A sweep that is not noted yet makes this less, never more.
            let there = balance.saturating_add(deposit.swept).saturating_sub(before);
            let was_paid = paid.contains(&deposit.address);
            let never_paid = before == Atoms::ZERO && !was_paid;
            // The operator funds the gas of a token's sweep with some native coin.
            let is_fuel =
                deposit.contract.is_some() && was_paid && there <= here.saturating_add(self.chain.max_fuel);
            let there = if is_fuel { *here } else { there };
            comparison.add(Unbooked {
                deposit: deposit.clone(),
                coin: symbol.clone(),
                decimals,
                there: there.max(*here),
                here: *here,
                block,
                emptied: nonce > 0 && never_paid && there == Atoms::ZERO,
                transfer: None,
            });
        }
        Ok(())
    }
}

/// The reference of a token transfer in the book.
fn reference(log: &Log) -> String {
    format!("{}:{}", log.transaction, log.index)
}

fn native(chain: &Chain) -> Option<(String, u8)> {
    let coin = chain.coins.iter().find(|coin| coin.contract.is_none())?;
    Some((coin.symbol.clone(), coin.decimals))
}

impl Comparison {
    fn empty() -> Self {
        Self { blocks: (0, 0), until: None, addresses: 0, sums: BTreeMap::new(), unbooked: Vec::new() }
    }

    /// Adds amounts of a coin, on the chain and in the book.
    fn count(&mut self, coin: &str, decimals: u8, (there, here): (Atoms, Atoms)) {
        let sum = self.sums.entry(coin.to_owned()).or_default();
        sum.decimals = decimals;
        sum.there = sum.there.saturating_add(there);
        sum.here = sum.here.saturating_add(here);
    }

    /// Counts the native coin of an address, and keeps the finding if the chain has more than the book or the
    /// address was emptied.
    fn add(&mut self, found: Unbooked) {
        self.count(&found.coin, found.decimals, (found.there, found.here));
        if found.there > found.here || found.emptied {
            self.unbooked.push(found);
        }
    }
}
