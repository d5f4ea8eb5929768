//! Crypto payments on blockchains: deposit addresses, transfers to them, and how far each chain was read.
//!
//! Shared by the provider that reads chains and the store that keeps the results. Reading a chain is in
//! `till_providers::evm`; [`crate::attempt`] decides which attempt a transfer pays.

use crate::{
    id::{AttemptId, SessionId},
    time::Timestamp,
};

/// A deposit address on a chain: assigned to one payment, and never reused for another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deposit {
    /// The attempt that it is for.
    pub attempt: AttemptId,
    /// The session that is paid.
    pub session: SessionId,
    /// The fingerprint of the extended public key that it was derived from.
    pub key: String,
    /// Its derivation index under that key.
    pub index: u32,
    /// The address, `0x` and 40 lower-case hex digits.
    pub address: String,
    /// The id of the chain on which the payment is expected.
    pub chain: u64,
    /// The expected coin: `ETH`, `USDC`.
    pub coin: String,
    /// The token's contract, in lower case; `None` for the chain's native coin.
    pub contract: Option<String>,
    /// Decimal places of the coin.
    pub decimals: u8,
    /// The amount due, in the coin's smallest unit.
    pub charge: u128,
    /// The price of one coin when the rate was locked, for people: `91.93 RUB`.
    pub rate: String,
    /// The source of that rate.
    pub rate_source: String,
    /// When the address was assigned.
    pub opened_at: Timestamp,
    /// The last block that was read when the address was assigned (0 if none was): transfers up to it are no
    /// payment.
    pub since_block: u64,
    /// Its balance of the native coin before it was assigned, which is no payment; `None` until it is known.
    pub before: Option<u128>,
    /// The native coin that the owner has swept from it so far, as far as that is final.
    pub swept: u128,
}

/// A transfer to one of our addresses, in one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    pub chain: u64,
    /// Its unique reference on the chain: `0x<transaction>:<log>`, or `balance:0x<block hash>` for the native
    /// coin where only the balance shows it.
    pub reference: String,
    /// The transaction hash, where it is known.
    pub transaction: Option<String>,
    /// The receiving address, in lower case.
    pub address: String,
    /// The token's contract, in lower case; `None` for the chain's native coin.
    pub contract: Option<String>,
    /// The amount, in the coin's smallest unit.
    pub atoms: u128,
    /// The number of its block.
    pub block: u64,
    pub block_hash: String,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// When a reorg removed it, if one did.
    pub gone_at: Option<Timestamp>,
    /// True once the operator was told of it, where it is not the expected transfer.
    pub told: bool,
}

/// The position up to which a chain was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub chain: u64,
    /// The last block that was read.
    pub block: u64,
    /// The newest block that is known; the difference to `block` is the lag.
    pub head: u64,
    pub at: Timestamp,
    /// The hashes of the last blocks that were read, oldest first and ending with `block`; they reveal a
    /// reorg.
    pub recent: Vec<(u64, String)>,
    /// Increases with every pass, for optimistic concurrency: of two concurrent readers one commits.
    pub version: i64,
}

/// The result of one pass over new blocks, committed as a whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advance {
    /// The new position; `version` is that of the cursor that was read (0 for a chain that was never read).
    pub cursor: Cursor,
    /// The first block that a reorg replaced: stored transfers from it on that are not in `found` are gone.
    pub replaced_from: Option<u64>,
    /// The transfers. One that is stored for its address under the same reference is moved to this block,
    /// gets this amount, and is no longer gone.
    pub found: Vec<Transfer>,
    /// The total that was swept of the native coin, by address.
    pub swept: Vec<(String, u128)>,
    /// The balance of the native coin before an address was assigned, by address. Written once.
    pub before: Vec<(String, u128)>,
    /// Payments with news: a new transfer, one that is gone, or another confirmation. Each is checked
    /// afterwards, also if the process crashes first.
    pub touched: Vec<AttemptId>,
}

/// The deposits that a pass reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DepositSelection {
    /// All that were assigned since then.
    Since(Timestamp),
    /// Those whose payment is awaited, or was awaited until then.
    WaitedForSince(Timestamp),
}
