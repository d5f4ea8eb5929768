//! A vendor's own data of a session: names and texts that come back as they were sent.

use crate::request::FieldValue;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most keys.
pub const MAX_KEYS: usize = 20;

/// The most characters of a key.
pub const MAX_KEY_CHARS: usize = 40;

/// The most characters of a value.
pub const MAX_VALUE_CHARS: usize = 500;

/// The most bytes of all keys and values together, in UTF-8.
pub const MAX_BYTES: usize = 8 * 1024;

/// The data, by key. Empty if the vendor sent none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metadata(BTreeMap<String, String>);

/// A validation error of metadata. A key is named only if it is well-formed, so that no message repeats what it should
/// not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetadataProblem {
    #[error("may have at most {MAX_KEYS} keys")]
    TooManyKeys,
    #[error("must have keys of 1 to {MAX_KEY_CHARS} of the characters A-Z a-z 0-9 _ . -")]
    BadKey,
    #[error("must have only strings as values: {0} is not a string")]
    NotText(String),
    #[error("may have values of at most {MAX_VALUE_CHARS} characters: {0} is longer")]
    TooLong(String),
    #[error("must not have control characters other than newline and tab: {0} has one")]
    BadCharacter(String),
    #[error("may have at most {MAX_BYTES} bytes in all keys and values")]
    TooLarge,
}

impl MetadataProblem {
    /// The code of the field's entry in `errors`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooManyKeys => "too_many_keys",
            Self::BadKey => "invalid_key",
            Self::NotText(_) => "wrong_type",
            Self::TooLong(_) => "too_long",
            Self::BadCharacter(_) => "invalid_character",
            Self::TooLarge => "too_large",
        }
    }
}

impl Metadata {
    /// Validates the members of an object.
    pub fn parse(members: &[(String, FieldValue)]) -> Result<Self, MetadataProblem> {
        if members.len() > MAX_KEYS {
            return Err(MetadataProblem::TooManyKeys);
        }
        let mut checked = BTreeMap::new();
        let mut bytes = 0;
        for (key, value) in members {
            let value = check(key, value)?;
            bytes += key.len() + value.len();
            checked.insert(key.clone(), value.to_owned());
        }
        if bytes > MAX_BYTES { Err(MetadataProblem::TooLarge) } else { Ok(Self(checked)) }
    }

    /// The data that [`Metadata::to_json`] wrote; `None` if the text is anything else.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// A JSON object; `None` without data.
    #[must_use]
    pub fn to_json(&self) -> Option<String> {
        let text =
            || serde_json::to_string(self).unwrap_or_else(|_| unreachable!("strings always serialize"));
        (!self.is_empty()).then(text)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keys and values, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

/// True if a text may be a key.
#[must_use]
pub fn is_key(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=MAX_KEY_CHARS).contains(&text.len()) && text.bytes().all(allowed)
}

fn check<'a>(key: &str, value: &'a FieldValue) -> Result<&'a str, MetadataProblem> {
    if !is_key(key) {
        return Err(MetadataProblem::BadKey);
    }
    let FieldValue::Text(value) = value else { return Err(MetadataProblem::NotText(key.to_owned())) };
    if value.chars().nth(MAX_VALUE_CHARS).is_some() {
        return Err(MetadataProblem::TooLong(key.to_owned()));
    }
    if value.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(MetadataProblem::BadCharacter(key.to_owned()));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(members: &[(&str, FieldValue)]) -> Result<Metadata, MetadataProblem> {
        let members: Vec<_> = members.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        Metadata::parse(&members)
    }

    fn text(value: impl Into<String>) -> FieldValue {
        FieldValue::Text(value.into())
    }

    #[test]
    fn what_was_sent_reads_back() {
        let all =
            [("cart.id-1_A", text("7\n\t\u{1f600}")), ("empty", text("")), ("a", text("я".repeat(500)))];
        let metadata = parse(&all).expect("good");
        let json = metadata.to_json().expect("data");
        assert_eq!(Metadata::from_json(&json), Some(metadata.clone()));
        let keys: Vec<_> = metadata.iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["a", "cart.id-1_A", "empty"]);
        assert_eq!(parse(&[]).expect("good").to_json(), None);
        for stored in ["", "[]", "{\"a\":1}", "{\"a\":null}"] {
            assert_eq!(Metadata::from_json(stored), None, "{stored}");
        }
    }

    #[test]
    fn every_limit_is_met_exactly() {
        let numbered = |count: usize, value: &str| {
            let members: Vec<_> = (0..count).map(|n| (format!("k{n:02}"), text(value))).collect();
            Metadata::parse(&members)
        };
        assert!(numbered(MAX_KEYS, "x").is_ok());
        assert_eq!(numbered(MAX_KEYS + 1, "x"), Err(MetadataProblem::TooManyKeys));
        for key in ["", "a b", "ä", "a/b", &"k".repeat(41)] {
            assert_eq!(parse(&[(key, text("x"))]), Err(MetadataProblem::BadKey), "{key}");
        }
        assert!(parse(&[(&"k".repeat(40), text("x"))]).is_ok());
        let named = || "a".to_owned();
        for value in [FieldValue::Absent, FieldValue::Number("1".to_owned()), FieldValue::Other] {
            assert_eq!(parse(&[("a", value)]), Err(MetadataProblem::NotText(named())));
        }
        assert_eq!(parse(&[("a", text("x".repeat(501)))]), Err(MetadataProblem::TooLong(named())));
        for bad in ["\0", "\r", "\u{7f}", "\u{85}"] {
            assert_eq!(parse(&[("a", text(bad))]), Err(MetadataProblem::BadCharacter(named())));
        }
        // 16 keys of 3 bytes and 500 characters of one byte are 8,048 bytes; 144 more fit.
        let mut members: Vec<_> = (0..16).map(|n| (format!("k{n:02}"), text("x".repeat(500)))).collect();
        members.push(("last".to_owned(), text("x".repeat(140))));
        assert!(Metadata::parse(&members).is_ok());
        members[16].1 = text("x".repeat(141));
        assert_eq!(Metadata::parse(&members), Err(MetadataProblem::TooLarge));
    }
}
