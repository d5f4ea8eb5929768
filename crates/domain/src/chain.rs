//! Crypto payments on blockchains: deposit addresses, transfers to them, and how far each chain was read.
//!
//! Shared by the provider that reads chains and the store that keeps the results. Reading a chain is in
//! `till_providers::evm`; [`crate::attempt`] decides which attempt a transfer pays.

use crate::{
    id::{AttemptId, SessionId},
    time::Timestamp,
};
use std::fmt;

/// Defines a value of a fixed number of bytes, whose text is `0x` and two hex digits for each byte.
macro_rules! hex_value {
    ($(#[$doc:meta])* $name:ident, $bytes:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; $bytes]);

        impl $name {
            /// Reads `0x` and hex digits in any case, exactly two for each byte.
            #[must_use]
            pub const fn parse(text: &str) -> Option<Self> {
                match read_hex(text) {
                    Some(bytes) => Some(Self(bytes)),
                    None => None,
                }
            }

            #[must_use]
            pub const fn from_bytes(bytes: [u8; $bytes]) -> Self {
                Self(bytes)
            }

            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $bytes] {
                &self.0
            }
        }

        /// `0x` and lower-case hex digits, the form that is stored.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_hex(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_hex(&self.0, f)
            }
        }
    };
}

hex_value!(
    /// The address of an account or of a contract, on any chain.
    Address, 20
);
hex_value!(
    /// The hash that identifies a transaction.
    TxHash, 32
);
hex_value!(
    /// The hash of a block, which covers all blocks before it.
    BlockHash, 32
);

const fn read_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let text = text.as_bytes();
    if text.len() != 2 + 2 * N || text[0] != b'0' || text[1] != b'x' {
        return None;
    }
    let mut bytes = [0; N];
    let mut at = 0;
    while at < N {
        let (Some(high), Some(low)) = (digit(text[2 + 2 * at]), digit(text[3 + 2 * at])) else { return None };
        bytes[at] = high << 4 | low;
        at += 1;
    }
    Some(bytes)
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

fn write_hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("0x")?;
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// The id of a chain, as its nodes report it: 1 is Ethereum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainId(pub u64);

impl fmt::Display for ChainId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An amount in a coin's smallest unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Atoms(pub u128);

impl Atoms {
    pub const ZERO: Self = Self(0);

    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Atoms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

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
    pub address: Address,
    /// The chain on which the payment is expected.
    pub chain: ChainId,
    /// The expected coin: `ETH`, `USDC`.
    pub coin: String,
    /// The token's contract; `None` for the chain's native coin.
    pub contract: Option<Address>,
    /// Decimal places of the coin.
    pub decimals: u8,
    /// The amount due.
    pub charge: Atoms,
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
    pub before: Option<Atoms>,
    /// The native coin that the owner has swept from it so far, as far as that is final.
    pub swept: Atoms,
}

/// A transfer to one of our addresses, in one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    pub chain: ChainId,
    /// Its unique reference on the chain: `0x<transaction>:<log>`, or `balance:0x<block hash>` for the native
    /// coin where only the balance shows it.
    pub reference: String,
    /// The transaction, where it is known.
    pub transaction: Option<TxHash>,
    /// The receiving address.
    pub address: Address,
    /// The token's contract; `None` for the chain's native coin.
    pub contract: Option<Address>,
    pub atoms: Atoms,
    /// The number of its block.
    pub block: u64,
    pub block_hash: BlockHash,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// When a reorg removed it, if one did.
    pub gone_at: Option<Timestamp>,
    /// True once the operator was notified of it, where it is not the expected transfer.
    pub reported: bool,
}

/// The position up to which a chain was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub chain: ChainId,
    /// The last block that was read.
    pub block: u64,
    /// The newest block that is known; the difference to `block` is the lag.
    pub head: u64,
    pub at: Timestamp,
    /// The hashes of the last blocks that were read, oldest first and ending with `block`; they reveal a
    /// reorg.
    pub recent: Vec<(u64, BlockHash)>,
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
    pub swept: Vec<(Address, Atoms)>,
    /// The balance of the native coin before an address was assigned, by address. Written once.
    pub before: Vec<(Address, Atoms)>,
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

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
    const HASH: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

    #[test]
    fn addresses_and_hashes_are_shown_as_they_are_stored() {
        let upper = |text: &str| format!("0x{}", text[2..].to_ascii_uppercase());
        for text in [ADDRESS.to_owned(), upper(ADDRESS)] {
            let address = Address::parse(&text).expect("an address");
            assert_eq!(
                (address.to_string(), format!("{address:?}")),
                (ADDRESS.to_owned(), ADDRESS.to_owned())
            );
            assert_eq!(Address::from_bytes(*address.as_bytes()), address);
        }
        for text in [HASH.to_owned(), upper(HASH)] {
            assert_eq!(TxHash::parse(&text).map(|hash| hash.to_string()).as_deref(), Some(HASH));
            assert_eq!(BlockHash::parse(&text).map(|hash| hash.to_string()).as_deref(), Some(HASH));
        }
        let first = Address::parse("0x00ff00000000000000000000000000000000000a").expect("an address");
        assert_eq!((first.as_bytes()[1], first.as_bytes()[19]), (0xff, 0x0a), "no zero is lost");
        assert!(first < Address::parse(ADDRESS).expect("an address"), "the order of their texts");
    }

    #[test]
    fn what_is_not_exactly_the_hex_digits_is_refused() {
        let non_hex = |digit: &str| format!("{}{digit}", &ADDRESS[..41]);
        for text in ["", "0x", &ADDRESS[2..], &ADDRESS[..41], &format!("{ADDRESS}0"), HASH, &non_hex("g")] {
            assert_eq!(Address::parse(text), None, "{text}");
        }
        for text in [&non_hex("+"), &non_hex(" "), &ADDRESS.replace("0x", "0X"), &ADDRESS.replace("0x", "  ")]
        {
            assert_eq!(Address::parse(text), None, "{text}");
        }
        // As many bytes as an address has, but a character of two of them.
        assert_eq!(Address::parse(&format!("{}é", &ADDRESS[..40])), None);
        for text in ["", "0x", &HASH[2..], &HASH[..65], &format!("{HASH}0"), ADDRESS, &HASH.replace('f', "x")]
        {
            assert_eq!((TxHash::parse(text), BlockHash::parse(text)), (None, None), "{text}");
        }
    }

    #[test]
    fn chain_ids_and_amounts_are_shown_in_decimal() {
        assert_eq!(ChainId(31_337).to_string(), "31337");
        assert_eq!(Atoms(u128::MAX).to_string(), "340282366920938463463374607431768211455");
        assert_eq!(Atoms(u128::MAX).saturating_add(Atoms(1)), Atoms(u128::MAX));
        assert_eq!(Atoms(5).saturating_sub(Atoms(7)), Atoms::ZERO);
    }
}
