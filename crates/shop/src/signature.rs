//! Verifies the signatures of callbacks.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// True if `signature` is the HMAC-SHA256 of the raw body, in lower-case hex. The comparison is
/// constant-time; an empty secret is never valid.
pub fn verify(secret: &str, raw_body: &[u8], signature: &str) -> bool {
    let lower = signature.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let (Ok(decoded), Ok(mac)) = (hex::decode(signature), Hmac::<Sha256>::new_from_slice(secret.as_bytes()))
    else {
        return false;
    };
    lower && !secret.is_empty() && mac.chain_update(raw_body).verify_slice(&decoded).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// The published test vectors, with which every vendor can test.
    #[test]
    fn right_signatures_are_told_from_wrong_ones() {
        let vectors: Value =
            serde_json::from_str(include_str!("../../../docs/callbacks/vectors.json")).expect("JSON");
        let cases = vectors["vectors"].as_array().expect("a list");
        assert!(cases.len() > 5, "{vectors}");
        for case in cases {
            let text = |name: &str| case[name].as_str().unwrap_or_default();
            let valid = case["valid"].as_bool().expect("a verdict");
            assert_eq!(verify(text("secret"), text("body").as_bytes(), text("xSignature")), valid, "{case}");
        }
    }
}
