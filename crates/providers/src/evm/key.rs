//! Derives addresses from the extended public key of an account (BIP-32). It can hand out addresses and spend
//! nothing.

use bip32::{
    ChildNumber, XPub,
    secp256k1::{ecdsa::VerifyingKey, elliptic_curve::sec1::ToSec1Point as _},
};
use sha2::Sha256;
use sha3::{Digest as _, Keccak256};
use till_domain::chain::Address;

/// Depth of an account's key, which is three derivation steps below the master key: `m/44'/60'/0'`.
const ACCOUNT_DEPTH: u8 = 3;

/// Why a text is not the extended public key of an account. No part of the text is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyProblem {
    /// A private key, whose holder can take the money.
    #[error(
        "contains a PRIVATE key, which only its owner may have: move the money of that account to a new one, \
         and enter the extended PUBLIC key (xpub…) of the new account here"
    )]
    Private,
    /// Not an extended public key.
    #[error(
        "is not an extended public key: copy the text that starts with xpub from the wallet, all 111 \
         characters"
    )]
    Malformed,
    /// An extended public key of another level than an account.
    #[error(
        "is the key of level {0}, not of an account (level 3): export the extended public key of m/44'/60'/0'"
    )]
    Depth(u8),
}

/// The extended public key of an account, from which addresses are derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountKey {
    account: XPub,
    /// `m/44'/60'/0'/0`: the parent of the addresses that are given to payers.
    receiving: XPub,
}

impl AccountKey {
    /// Parses `xpub…`.
    pub fn parse(text: &str) -> Result<Self, KeyProblem> {
        // The library would silently turn a private key into a public one.
        if text.get(1..4) == Some("prv") || is_secret(text) {
            return Err(KeyProblem::Private);
        }
        if !text.starts_with("xpub") {
            return Err(KeyProblem::Malformed);
        }
        let account: XPub = text.parse().map_err(|_| KeyProblem::Malformed)?;
        if account.attrs().depth != ACCOUNT_DEPTH {
            return Err(KeyProblem::Depth(account.attrs().depth));
        }
        let receiving = account.derive_child(ChildNumber(0)).map_err(|_| KeyProblem::Malformed)?;
        Ok(Self { account, receiving })
    }

    /// The address at `/0/index`. `None` only for an index without a valid child key (BIP-32), and beyond the
    /// last non-hardened one.
    #[must_use]
    pub fn address(&self, index: u32) -> Option<Address> {
        let number = ChildNumber::new(index, false).ok()?;
        let child = self.receiving.derive_child(number).ok()?;
        Some(address_of(child.public_key()))
    }

    /// A digest that identifies this key among others and does not reveal it.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let digest =
            Sha256::new().chain_update(self.account.attrs().chain_code).chain_update(self.account.to_bytes());
        hex::encode(&digest.finalize()[..8])
    }
}

/// True if the text looks like a seed phrase or a raw private key.
fn is_secret(text: &str) -> bool {
    let number = text.strip_prefix("0x").unwrap_or(text);
    let is_number = number.len() == 64 && number.bytes().all(|b| b.is_ascii_hexdigit());
    is_number || text.split_whitespace().count() >= 12
}

fn address_of(key: &VerifyingKey) -> Address {
    let point = key.as_affine().to_sec1_point(false);
    let digest: [u8; 32] = Keccak256::digest(&point.as_bytes()[1..]).into();
    let last = digest.last_chunk().unwrap_or_else(|| unreachable!("a digest has more than 20 bytes"));
    Address::from_bytes(*last)
}

/// An address with the mixed-case checksum of EIP-55, which reveals most typing errors.
#[must_use]
pub fn checksummed(address: Address) -> String {
    let lower = hex::encode(address.as_bytes());
    let digest = hex::encode(Keccak256::digest(lower.as_bytes()));
    let letters = lower.chars().zip(digest.chars());
    let cased = letters.map(|(letter, mark)| if mark >= '8' { letter.to_ascii_uppercase() } else { letter });
    format!("0x{}", cased.collect::<String>())
}

/// Parses an address. A mixed-case address must have a valid EIP-55 checksum.
#[must_use]
pub fn read_address(text: &str) -> Option<Address> {
    let address = Address::parse(text)?;
    let digits = &text[2..];
    let mixed =
        digits.bytes().any(|b| b.is_ascii_uppercase()) && digits.bytes().any(|b| b.is_ascii_lowercase());
    (!mixed || checksummed(address) == text).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The account key of the seed phrase `test test test test test test test test test test test junk`.
    const XPUB: &str = "xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP";

    #[test]
    fn addresses_are_those_of_every_wallet() {
        let key = AccountKey::parse(XPUB).expect("a key");
        let address = |index| key.address(index).map(checksummed);
        for (index, expected) in [
            "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
            "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
            "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
        ]
        .iter()
        .enumerate()
        {
            assert_eq!(address(index as u32).as_deref(), Some(*expected));
        }
        assert_eq!(key.address(1 << 31), None, "hardened places need the private key");
        assert_eq!(key.fingerprint().len(), 16);
        assert_eq!(key.fingerprint(), AccountKey::parse(XPUB).expect("a key").fingerprint());
    }

    #[test]
    fn a_private_key_is_never_taken() {
        let master = "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi";
        let words = "test test test test test test test test test test test junk";
        let number = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
        for secret in [master, words, number] {
            assert_eq!(AccountKey::parse(secret), Err(KeyProblem::Private), "{secret}");
        }
        assert!(!KeyProblem::Private.to_string().contains("xprv9"));
    }

    #[test]
    fn only_an_account_is_taken() {
        let master = "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8";
        assert_eq!(AccountKey::parse(master), Err(KeyProblem::Depth(0)));
        for text in ["", "xpub", "é", &XPUB[..110], &XPUB.replace("xpub6C", "xpub6D")] {
            assert_eq!(AccountKey::parse(text), Err(KeyProblem::Malformed), "{text}");
        }
    }

    #[test]
    fn an_address_with_a_slip_is_refused() {
        let right = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
        let lower = right.to_ascii_lowercase();
        let address = Address::parse(right).expect("an address");
        assert_eq!((checksummed(address).as_str(), address.to_string()), (right, lower.clone()));
        let upper = format!("0x{}", right[2..].to_ascii_uppercase());
        for text in [right, &lower, &upper] {
            assert_eq!(read_address(text), Some(address), "{text}");
        }
        assert_eq!(
            read_address(&lower.replace('a', "A").replace("0xA0b", "0xa0b")),
            None,
            "capitals elsewhere"
        );
        for text in ["", "0x", &right[2..], &right[..41], "0xZ0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"] {
            assert_eq!(read_address(text), None, "{text}");
        }
    }
}
