//! The ways in which a signature may have been computed.

use super::Mistake;
use hmac::{Hmac, KeyInit as _, Mac as _};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha384, Sha512};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// The right one.
    HmacSha256,
    HmacSha1,
    HmacSha384,
    HmacSha512,
    HmacMd5,
    /// A digest of the secret followed by the body.
    SecretThenBody,
    /// A digest of the body followed by the secret.
    BodyThenSecret,
    /// A digest of the body alone.
    BodyAlone,
    /// The body as the key, the secret as the message.
    Swapped,
}

macro_rules! hmac {
    ($digest:ty, $key:expr, $message:expr) => {{
        let mac = Hmac::<$digest>::new_from_slice($key);
        let mut mac = mac.unwrap_or_else(|_| unreachable!("a key of any length will do"));
        for part in $message {
            mac.update(part);
        }
        mac.finalize().into_bytes().to_vec()
    }};
}

impl Algorithm {
    pub(super) const ALL: [Self; 9] = [
        Self::HmacSha256,
        Self::HmacSha1,
        Self::HmacSha384,
        Self::HmacSha512,
        Self::HmacMd5,
        Self::SecretThenBody,
        Self::BodyThenSecret,
        Self::BodyAlone,
        Self::Swapped,
    ];

    pub(super) fn is_right(self) -> bool {
        self == Self::HmacSha256
    }

    pub(super) fn mistake(self) -> Option<Mistake> {
        match self {
            Self::HmacSha256 => None,
            Self::HmacSha1 => Some(Mistake::Sha1),
            Self::HmacSha384 => Some(Mistake::Sha384),
            Self::HmacSha512 => Some(Mistake::Sha512),
            Self::HmacMd5 => Some(Mistake::Md5),
            Self::SecretThenBody | Self::BodyThenSecret | Self::BodyAlone => Some(Mistake::NoHmac),
            Self::Swapped => Some(Mistake::SwappedArguments),
        }
    }

    /// The number of bytes that it makes.
    pub(super) fn length(self) -> usize {
        match self {
            Self::HmacSha1 => 20,
            Self::HmacSha384 => 48,
            Self::HmacSha512 => 64,
            Self::HmacMd5 => 16,
            _ => 32,
        }
    }

    /// The digest of a message that consists of these parts.
    pub(super) fn digest(self, key: &[u8], message: &[&[u8]]) -> Vec<u8> {
        match self {
            Self::HmacSha256 => hmac!(Sha256, key, message),
            Self::HmacSha1 => hmac!(Sha1, key, message),
            Self::HmacSha384 => hmac!(Sha384, key, message),
            Self::HmacSha512 => hmac!(Sha512, key, message),
            Self::HmacMd5 => hmac!(Md5, key, message),
            Self::SecretThenBody => plain([&[key], message].concat().as_slice()),
            Self::BodyThenSecret => plain([message, &[key]].concat().as_slice()),
            Self::BodyAlone => plain(message),
            Self::Swapped => hmac!(Sha256, &message.concat(), [key]),
        }
    }
}

fn plain(message: &[&[u8]]) -> Vec<u8> {
    let mut digest = Sha256::new();
    for part in message {
        digest.update(part);
    }
    digest.finalize().to_vec()
}
