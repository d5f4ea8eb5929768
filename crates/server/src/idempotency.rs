//! Idempotency keys: what is a key, what is "the same body", and who else is using one right now.
//!
//! The promise itself, one session per key, is kept by the store: the key commits with its session or not
//! at all. Here is only what surrounds it.

use crate::api::json::Json;
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use till_domain::{id::VendorId, rejection::Rejection};
use tokio::sync::OwnedMutexGuard;

/// How long a key is remembered.
pub const REMEMBERED_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads the header's value: 1 to 255 printable ASCII characters.
pub fn parse_key(value: &[u8]) -> Result<&str, Rejection> {
    let printable = value.iter().all(|b| (0x20..=0x7e).contains(b));
    match std::str::from_utf8(value) {
        Ok(key) if printable && (1..=255).contains(&key.len()) => Ok(key),
        _ => Err(Rejection::InvalidIdempotencyKey),
    }
}

/// A hash of a JSON value: the order of an object's fields does not count, the digits of a number do.
#[must_use]
pub fn fingerprint(value: &Json) -> [u8; 32] {
    let mut hash = Sha256::new();
    feed(&mut hash, value);
    hash.finalize().into()
}

/// The same, of a value that something else belongs to, such as the session in the path.
#[must_use]
pub fn fingerprint_of(about: &[u8; 16], value: &Json) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(about);
    feed(&mut hash, value);
    hash.finalize().into()
}

fn feed(hash: &mut Sha256, value: &Json) {
    // Every part is led by a tag and its length, so no two values feed the same bytes.
    let mut part = |tag: u8, bytes: &[u8]| {
        hash.update([tag]);
        hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(bytes);
    };
    match value {
        Json::Null => part(b'0', &[]),
        Json::Bool(yes) => part(b'b', &[u8::from(*yes)]),
        Json::Number(text) => part(b'n', text.as_bytes()),
        Json::Text(text) => part(b's', text.as_bytes()),
        Json::List(items) => {
            part(b'l', &items.len().to_be_bytes());
            items.iter().for_each(|item| feed(hash, item));
        }
        Json::Object(fields) => {
            part(b'o', &fields.len().to_be_bytes());
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            for (name, value) in sorted {
                feed(hash, &Json::Text(name.clone()));
                feed(hash, value);
            }
        }
    }
}

/// How long a create waits for another one with its key.
pub const WAIT: Duration = Duration::from_secs(10);

/// Creates with a key that are under way on this node, one at a time for each key: a second one waits for
/// the first and then finds its answer. Between nodes the store does the same at the commit.
#[derive(Debug, Default)]
pub struct InFlight(Mutex<HashMap<(VendorId, String), Arc<Turn>>>);

type Turn = tokio::sync::Mutex<()>;

impl InFlight {
    /// Waits for this create's turn; `None` if another one with its key takes longer than [`WAIT`].
    pub async fn enter(&self, vendor: VendorId, key: &str) -> Option<Entered<'_>> {
        let name = (vendor, key.to_owned());
        let turn = Arc::clone(self.turns().entry(name.clone()).or_default());
        let mut entered = Entered { all: self, name, turn: None };
        entered.turn = Some(tokio::time::timeout(WAIT, turn.lock_owned()).await.ok()?);
        Some(entered)
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<(VendorId, String), Arc<Turn>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A create with a key whose turn it is. The next one's comes when this is dropped.
#[derive(Debug)]
pub struct Entered<'a> {
    all: &'a InFlight,
    name: (VendorId, String),
    turn: Option<OwnedMutexGuard<()>>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut turns = self.all.turns();
        self.turn = None;
        // Only the map still knows it: nobody waits.
        if turns.get(&self.name).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            turns.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(text: &str) -> [u8; 32] {
        fingerprint(&crate::api::json::parse(text.as_bytes()).expect("JSON"))
    }

    #[test]
    fn the_same_body_is_the_same_json_value_with_numbers_as_written() {
        let base = print(r#"{"price": 49.90, "currency": "RUB", "list": ["a", "b"]}"#);
        assert_eq!(base, print(r#"{"list":["a","b"],"currency":"RUB","price":49.90}"#));
        assert_eq!(base, print(r#"{"price": 49.90, "currency": "RU\u0042", "list": ["a", "b"]}"#));
        for other in [
            r#"{"price": 49.9, "currency": "RUB", "list": ["a", "b"]}"#,
            r#"{"price": "49.90", "currency": "RUB", "list": ["a", "b"]}"#,
            r#"{"price": 49.90, "currency": "rub", "list": ["a", "b"]}"#,
            r#"{"price": 49.90, "currency": "RUB", "list": ["b", "a"]}"#,
            r#"{"price": 49.90, "currency": "RUB", "list": ["ab"]}"#,
            r#"{"price": 49.90, "currency": "RUB", "list": ["a", "b"], "more": null}"#,
        ] {
            assert_ne!(base, print(other), "{other}");
        }
    }

    #[test]
    fn a_key_is_1_to_255_printable_ascii_characters() {
        assert_eq!(parse_key(b"order 17"), Ok("order 17"));
        assert!(parse_key(&[b'a'; 255]).is_ok());
        for bad in [&b""[..], &[b'a'; 256], b"a\tb", b"a\x7f", "ключ".as_bytes()] {
            assert!(parse_key(bad).is_err(), "{bad:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn creates_with_one_key_take_turns_and_give_up_after_10_seconds() {
        let all = InFlight::default();
        let vendor = VendorId::from_bytes([1; 16]);
        let first = all.enter(vendor, "k").await.expect("nobody else");
        assert!(all.enter(vendor, "other").await.is_some(), "another key does not wait");
        let asked = tokio::time::Instant::now();
        assert!(all.enter(vendor, "k").await.is_none());
        assert_eq!(asked.elapsed().as_secs(), 10);
        let (second, ()) = tokio::join!(all.enter(vendor, "k"), async { drop(first) });
        assert!(second.is_some());
        drop(second);
        assert!(all.turns().is_empty(), "nothing is left behind");
    }
}
