//! Idempotency keys: the syntax of a key, and the comparison of bodies. Requests in flight are in
//! `environment/in_flight.rs`.
//!
//! The guarantee itself, one session per key, is given by the store: the key commits with its session or not
//! at all.

use super::json::Json;
use axum::extract::Request;
use sha2::{Digest, Sha256};
use till_domain::rejection::Rejection;
use till_service::web::Problem;

/// Reads the header's value: 1 to 255 printable ASCII characters.
pub fn parse_key(value: &[u8]) -> Result<&str, Rejection> {
    let printable = value.iter().all(|b| (0x20..=0x7e).contains(b));
    match std::str::from_utf8(value) {
        Ok(key) if printable && (1..=255).contains(&key.len()) => Ok(key),
        _ => Err(Rejection::InvalidIdempotencyKey),
    }
}

/// The idempotency key of a request, if it has one.
pub fn read_key(request: &Request) -> Result<Option<String>, Problem> {
    let mut values = request.headers().get_all("idempotency-key").iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Rejection::InvalidIdempotencyKey.into());
    }
    Ok(Some(parse_key(value.as_bytes())?.to_owned()))
}

/// A hash of a JSON value: the order of an object's fields does not count, the digits of a number do.
#[must_use]
pub fn fingerprint(value: &Json) -> [u8; 32] {
    let mut hash = Sha256::new();
    feed(&mut hash, value);
    hash.finalize().into()
}

/// A hash of a JSON value together with an id that belongs to it, such as the session in the path.
#[must_use]
pub fn fingerprint_of(about: &[u8; 16], value: &Json) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(about);
    feed(&mut hash, value);
    hash.finalize().into()
}

fn feed(hash: &mut Sha256, value: &Json) {
    // Every part starts with a tag and its length, so different values never feed the same bytes.
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
}
