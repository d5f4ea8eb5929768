//! A hash chain: each row of a history gets a number and a hash over itself and the hash before it, so that
//! no row can be changed, deleted or inserted later without every hash after it being wrong. The ledger and
//! the audit log are sealed by one each.

use sha2::{Digest as _, Sha256};
use std::fmt;

/// A SHA-256 hash.
pub type Hash = [u8; 32];

/// The seal before the first row.
pub const NOTHING: Seal = Seal { seq: 0, hash: [0; 32] };

/// The position of a row in its hash chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seal {
    /// Its number: one more than that of the row before it.
    pub seq: i64,
    /// The hash of this row and everything before it.
    pub hash: Hash,
}

/// The number and the hash in hexadecimal digits, to be kept outside the database and compared.
impl fmt::Display for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.seq)?;
        self.hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Seal {
    /// The seal of the next row, which has these canonical bytes.
    #[must_use]
    pub fn next(&self, canonical_bytes: &[u8]) -> Self {
        Self { seq: self.seq + 1, hash: Sha256::digest(canonical_bytes).into() }
    }
}

/// The start of a row's canonical bytes: the previous hash, and the row's number.
pub(crate) fn begin(before: &Seal) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256);
    bytes.extend(before.hash);
    bytes.extend((before.seq + 1).to_be_bytes());
    bytes
}

/// Appends a text: its length in one byte and its UTF-8, or 255 and its hash if it has 255 bytes or more.
pub(crate) fn push_word(bytes: &mut Vec<u8>, word: &str) {
    match u8::try_from(word.len()) {
        Ok(length) if length < u8::MAX => {
            bytes.push(length);
            bytes.extend(word.as_bytes());
        }
        _ => {
            bytes.push(u8::MAX);
            bytes.extend(Sha256::digest(word));
        }
    }
}

/// Appends 1 and an id, or 0 and zeros.
pub(crate) fn push_id(bytes: &mut Vec<u8>, id: Option<&[u8; 16]>) {
    bytes.push(u8::from(id.is_some()));
    bytes.extend(id.unwrap_or(&[0; 16]));
}
