//! The keys with which a signature may have been computed.

use super::{Diagnosis, Mistake};
use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use secrecy::{ExposeSecret as _, SecretSlice, SecretString};

/// A secret of the vendor.
#[derive(Debug)]
pub struct KnownSecret {
    pub secret: SecretString,
    /// The client id of its pair, which is no secret.
    pub client_id: String,
    pub used_for: SecretUse,
}

/// What a secret signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecretUse {
    /// `X-Signature`.
    Signature,
    /// `X-Signature-Alternate`, while a rotation overlaps.
    Alternate,
    /// Nothing any more.
    Ended,
    /// Callbacks of the other environment.
    OtherEnvironment,
}

/// A key to try.
pub(super) struct KeyGuess {
    pub(super) bytes: SecretSlice<u8>,
    /// What is wrong with it.
    pub(super) diagnosis: Option<Diagnosis>,
}

impl KeyGuess {
    /// True for the secrets that sign now.
    pub(super) fn is_working(&self) -> bool {
        self.diagnosis.as_ref().is_none_or(|diagnosis| diagnosis.mistake == Mistake::AlternateSecret)
    }
}

pub(super) fn guesses(secrets: &[KnownSecret], token: Option<&str>) -> Vec<KeyGuess> {
    let mut guesses = Vec::new();
    for secret in secrets {
        let mistake = match secret.used_for {
            SecretUse::Signature => None,
            SecretUse::Alternate => Some(Mistake::AlternateSecret),
            SecretUse::Ended => Some(Mistake::EndedSecret),
            SecretUse::OtherEnvironment => Some(Mistake::OtherEnvironment),
        };
        let diagnosis =
            mistake.map(|mistake| Diagnosis { mistake, client_id: Some(secret.client_id.clone()) });
        let bytes = secret.secret.expose_secret().as_bytes().to_vec().into();
        guesses.push(KeyGuess { bytes, diagnosis });
    }
    for secret in secrets {
        let text = secret.secret.expose_secret();
        if secret.used_for != SecretUse::OtherEnvironment {
            guesses.extend(variants(text));
        }
        if !secret.client_id.is_empty() {
            guesses.push(guess(Mistake::ClientIdAsKey, secret.client_id.as_bytes().to_vec()));
        }
    }
    guesses.extend(token.map(|token| guess(Mistake::TokenAsKey, token.as_bytes().to_vec())));
    guesses.push(guess(Mistake::EmptyKey, Vec::new()));
    guesses
}

fn guess(mistake: Mistake, bytes: Vec<u8>) -> KeyGuess {
    KeyGuess { bytes: bytes.into(), diagnosis: Some(mistake.into()) }
}

/// What becomes of a secret by accident.
fn variants(secret: &str) -> Vec<KeyGuess> {
    let random = secret.rsplit_once("_sandbox_").or_else(|| secret.rsplit_once("_live_"));
    let random = random.map_or(secret, |(_, random)| random);
    let mut variants = Vec::new();
    for text in [secret, random] {
        variants.extend(hex::decode(text).ok().map(|bytes| guess(Mistake::DecodedFromHex, bytes)));
        variants.extend(decode_base64(text).map(|bytes| guess(Mistake::DecodedFromBase64, bytes)));
    }
    if random != secret {
        variants.push(guess(Mistake::WithoutPrefix, random.as_bytes().to_vec()));
    }
    let surrounded = [
        format!("{secret}\n"),
        format!("{secret}\r\n"),
        format!("{secret} "),
        format!(" {secret}"),
        format!("\"{secret}\""),
    ];
    variants.extend(surrounded.map(|text| guess(Mistake::SecretSurrounded, text.into_bytes())));
    variants.push(guess(Mistake::SecretEncoded, hex::encode(secret).into_bytes()));
    let encoded = base64::prelude::BASE64_STANDARD.encode(secret);
    variants.push(guess(Mistake::SecretEncoded, encoded.into_bytes()));
    variants
}

/// The bytes of a text in either alphabet, as lenient decoders read it.
pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let lenient = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let decode = |alphabet| GeneralPurpose::new(alphabet, lenient).decode(text).ok();
    decode(&STANDARD).or_else(|| decode(&URL_SAFE)).filter(|bytes| !bytes.is_empty())
}
