// Cargo.toml: hex = "0.4", hmac = "0.13", sha2 = "0.11", subtle = "2"
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

pub fn verify(secret: &str, raw_body: &[u8], x_signature: &str) -> bool {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    let expected = hex::encode(mac.chain_update(raw_body).finalize().into_bytes());
    !secret.is_empty() && bool::from(expected.as_bytes().ct_eq(x_signature.as_bytes()))
}
