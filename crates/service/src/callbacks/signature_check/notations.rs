//! The ways in which a signature may be written.

use super::{Diagnosis, Mistake, keys::decode_base64};

/// Fewer bytes are no signature.
const MIN_BYTES: usize = 8;

/// More readings of one text are not examined.
const MAX_READINGS: usize = 8;

/// What services write before a signature.
const PREFIXES: [&str; 10] = [
    "x-signature:",
    "sha256=",
    "sha1=",
    "sha512=",
    "hmac-sha256=",
    "hmac-sha256 ",
    "signature ",
    "v1=",
    "v1,",
    "0x",
];

/// A reading of a signature.
#[derive(Debug)]
pub(super) struct Notation {
    pub(super) bytes: Vec<u8>,
    mistakes: Vec<Mistake>,
}

impl Notation {
    pub(super) fn diagnoses(&self) -> Vec<Diagnosis> {
        self.mistakes.iter().map(|mistake| Diagnosis::from(*mistake)).collect()
    }
}

/// Every reading of a text.
pub(super) fn read(text: &str) -> Vec<Notation> {
    let mut readings = Vec::new();
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == '"' || c == '\'');
    let surrounded = (trimmed != text).then_some(Mistake::Surrounded);
    for (part, prefix) in parts(trimmed) {
        let before: Vec<Mistake> = surrounded.into_iter().chain(prefix).collect();
        readings.extend(decode(part, &before));
    }
    readings.retain(|reading: &Notation| reading.bytes.len() >= MIN_BYTES);
    readings.truncate(MAX_READINGS);
    readings
}

/// The text without what services write before and around a signature.
fn parts(text: &str) -> Vec<(&str, Option<Mistake>)> {
    let lower = text.to_ascii_lowercase();
    let mut parts = vec![(text, None)];
    for prefix in PREFIXES {
        if lower.starts_with(prefix)
            && let Some(rest) = text.get(prefix.len()..)
        {
            parts.push((rest.trim(), Some(Mistake::Prefix)));
        }
    }
    // A list of signatures, or of a time and a signature.
    let listed = text.split([' ', ',']).map(|part| part.strip_prefix("v1=").unwrap_or(part));
    if text.contains([' ', ',']) {
        parts.extend(
            listed.filter(|part| part.len() > 2 * MIN_BYTES).map(|part| (part, Some(Mistake::Prefix))),
        );
    }
    parts
}

fn decode(text: &str, before: &[Mistake]) -> Vec<Notation> {
    let with =
        |bytes: Vec<u8>, mistakes: &[Mistake]| Notation { bytes, mistakes: [before, mistakes].concat() };
    let mut readings = Vec::new();
    if let Ok(bytes) = hex::decode(text) {
        let is_lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        let twice = as_text(&bytes).map(|bytes| with(bytes, &[Mistake::EncodedTwice]));
        readings.extend(twice);
        readings.push(with(bytes, if is_lower { &[] } else { &[Mistake::UpperCase] }));
    }
    let without_separators: String = text.chars().filter(|c| !matches!(c, ':' | '-' | ' ')).collect();
    if without_separators != text
        && let Ok(bytes) = hex::decode(without_separators)
    {
        readings.push(with(bytes, &[Mistake::Separators]));
    }
    if let Some(bytes) = decode_base64(text) {
        let twice = as_text(&bytes).map(|bytes| with(bytes, &[Mistake::EncodedTwice]));
        readings.extend(twice);
        readings.push(with(bytes, &[Mistake::Base64]));
    }
    readings
}

/// The bytes that are written in these bytes, in hex or base64.
fn as_text(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(bytes).ok()?.trim();
    hex::decode(text).ok().or_else(|| decode_base64(text))
}
