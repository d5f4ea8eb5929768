//! The hash chain of the ledger. Entries are sealed in a pass of their own, never in the commit that posts
//! them.

use super::{Account, Entry};
use crate::{
    change::Change,
    defect::Defect,
    hash_chain::{Seal, begin, push_id, push_word},
    id::{EntryId, SessionId, VendorId},
    money::Currency,
};
use std::collections::BTreeMap;

/// The bytes of an entry that are hashed. Numbers are big-endian; a word is its length in one byte and its
/// UTF-8.
///
/// | bytes | what |
/// |---|---|
/// | 32 | the hash of the entry before it; zeros before the first |
/// | 8 | its number |
/// | 16, 16 | its id, its vendor's |
/// | word | its kind |
/// | 16 | the id of its cause |
/// | 1, 16 | 1 and the id of its session, or 0 and zeros |
/// | word | its currency |
/// | 8 | when, in milliseconds since 1970 |
/// | 1 | how many postings |
/// | word, 8 | of each: the account, the amount |
#[must_use]
pub fn canonical_bytes(entry: &Entry, before: &Seal) -> Vec<u8> {
    let heading = entry.heading();
    let mut bytes = begin(before);
    bytes.extend(heading.id.as_bytes());
    bytes.extend(heading.vendor.as_bytes());
    push_word(&mut bytes, heading.kind.as_str());
    bytes.extend(heading.cause.as_bytes());
    push_id(&mut bytes, heading.session.as_ref().map(SessionId::as_bytes));
    push_word(&mut bytes, heading.currency.code());
    bytes.extend(heading.at.as_ms().to_be_bytes());
    bytes.push(u8::try_from(entry.postings().len()).unwrap_or(u8::MAX));
    for posting in entry.postings() {
        push_word(&mut bytes, &posting.account.to_string());
        bytes.extend(posting.amount.to_be_bytes());
    }
    bytes
}

/// The seal of `entry` as the successor of `before`.
#[must_use]
pub fn seal(entry: &Entry, before: &Seal) -> Seal {
    before.next(&canonical_bytes(entry, before))
}

/// The amount by which sealed entries change an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BalanceChange {
    pub vendor: VendorId,
    pub currency: Currency,
    pub account: Account,
    /// The change, in minor units.
    pub amount: i64,
    /// The number of the last of these entries.
    pub seq: i64,
}

/// Sums up by how much entries change each account, in a fixed order.
#[must_use]
pub fn sum_up<'a>(sealed: impl IntoIterator<Item = (&'a Entry, &'a Seal)>) -> Vec<BalanceChange> {
    let mut sums: BTreeMap<(VendorId, &str, &Account), BalanceChange> = BTreeMap::new();
    for (entry, seal) in sealed {
        let heading = entry.heading();
        for posting in entry.postings() {
            let key = (heading.vendor, heading.currency.code(), &posting.account);
            let carried = sums.entry(key).or_insert_with(|| BalanceChange {
                vendor: heading.vendor,
                currency: heading.currency,
                account: posting.account.clone(),
                amount: 0,
                seq: 0,
            });
            carried.amount = carried.amount.saturating_add(posting.amount);
            carried.seq = carried.seq.max(seal.seq);
        }
    }
    sums.into_values().collect()
}

/// The changes that seal `entries` after `last`, and add their sums to the stored balances.
#[must_use]
pub fn seal_all(last: Seal, entries: &[Entry]) -> Vec<Change> {
    let mut last = last;
    let seals: Vec<Seal> = entries
        .iter()
        .map(|entry| {
            last = seal(entry, &last);
            last
        })
        .collect();
    let sealed =
        entries.iter().zip(&seals).map(|(entry, seal)| Change::SealEntry { id: entry.id(), seal: *seal });
    let summed = if Defect::BalanceNotCarried.is_planted() { &[] } else { entries };
    let carried = sum_up(summed.iter().zip(&seals)).into_iter().map(Change::CarryBalance);
    sealed.chain(carried).collect()
}

/// Verifies the seals of entries that follow `before` in the order of their numbers. Returns the last seal,
/// or the first entry with a wrong one.
pub fn follow<'a>(
    before: Seal,
    sealed: impl IntoIterator<Item = (&'a Entry, &'a Seal)>,
) -> Result<Seal, EntryId> {
    let mut last = before;
    for (entry, stored) in sealed {
        let expected = seal(entry, &last);
        if *stored != expected {
            return Err(entry.id());
        }
        last = expected;
    }
    Ok(last)
}
