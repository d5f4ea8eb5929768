//! Coins on chains: the addresses that were given to payments, what came to them, and how far a chain was read.
//!
//! Shared by the provider that reads chains and the store that keeps what it read. How a chain is read is in
//! `till_providers::evm`; which attempt is paid by what came is decided in [`crate::attempt`].

use crate::{
    id::{AttemptId, SessionId},
    time::Timestamp,
};

/// An address on a chain that was given to one payment, and is never given to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deposit {
    /// The attempt that it is for.
    pub attempt: AttemptId,
    /// The session that is paid.
    pub session: SessionId,
    /// Which extended public key it was derived from, by its fingerprint.
    pub key: String,
    /// Its place under that key.
    pub index: u32,
    /// The address, `0x` and 40 lower-case hex digits.
    pub address: String,
    /// The chain on which money is waited for.
    pub chain: u64,
    /// The coin that is waited for: `ETH`, `USDC`.
    pub coin: String,
    /// The coin's contract, in lower case; nothing for the chain's own coin.
    pub contract: Option<String>,
    /// Decimal places of the coin.
    pub decimals: u8,
    /// What has to come, in the coin's smallest part.
    pub charge: u128,
    /// What one coin cost when the price was locked, for people: `91.93 RUB`.
    pub rate: String,
    /// Where that price came from.
    pub rate_source: String,
    /// When it was given out.
    pub opened_at: Timestamp,
    /// How far the chain was read then (0 if it never was): whatever came up to this block is nobody's payment.
    pub since_block: u64,
    /// What it had of the chain's own coin by then; nothing while nobody has looked.
    pub before: Option<u128>,
    /// What the owner has taken away of the chain's own coin, as far as that is final.
    pub swept: u128,
}

/// Money that came to an address, in one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    pub chain: u64,
    /// What names it on the chain: `0x<transaction>:<log>`, or `balance:0x<block>` for the chain's own coin where only
    /// the balance shows it.
    pub reference: String,
    /// The transaction, where it is known.
    pub transaction: Option<String>,
    /// To which of our addresses, in lower case.
    pub address: String,
    /// The coin's contract, in lower case; nothing for the chain's own coin.
    pub contract: Option<String>,
    /// How much, in the coin's smallest part.
    pub atoms: u128,
    /// The number of its block.
    pub block: u64,
    /// The hash of its block.
    pub block_hash: String,
    /// When we saw it.
    pub seen_at: Timestamp,
    /// When the chain took it back, if it did.
    pub gone_at: Option<Timestamp>,
    /// Whether a person was told of it, where it is not what was waited for.
    pub told: bool,
}

/// How far a chain was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub chain: u64,
    /// The last block that was read.
    pub block: u64,
    /// The newest block that anybody told us of; the difference is the lag.
    pub head: u64,
    pub at: Timestamp,
    /// The hashes of the last blocks that were read, oldest first, the last one that of `block`.
    pub recent: Vec<(u64, String)>,
    /// Rises with every pass, so that of two who read the chain one counts.
    pub version: i64,
}

/// What a pass over new blocks found, written in one go or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advance {
    /// How far it was read; `version` is that of the cursor as it was read (0 for a chain that was never read).
    pub cursor: Cursor,
    /// Transfers of blocks from this one on that are not in `found` are gone: the chain took them back.
    pub replaced_from: Option<u64>,
    /// What came. What is known of this address under its reference already is moved to this block, is as much as is
    /// said here, and is not gone.
    pub found: Vec<Transfer>,
    /// What was taken away of the chain's own coin, in all, by address.
    pub swept: Vec<(String, u128)>,
    /// What was there of the chain's own coin before an address was given out, by address. It is written once.
    pub before: Vec<(String, u128)>,
    /// Payments about which something is new: more came, something is gone, or a block was added to what confirms.
    /// They are to be looked at, also after a crash.
    pub touched: Vec<AttemptId>,
}

/// Which deposits a pass looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// All that were given out since then.
    Since(Timestamp),
    /// Those whose payment is waited for, or was until then.
    WaitedForSince(Timestamp),
}
