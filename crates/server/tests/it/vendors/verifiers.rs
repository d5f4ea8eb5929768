//! The Rust verifier of docs/callbacks.md, over the vectors that all verifiers share.
//!
//! The signatures in the vectors were made with the openssl command line, not with this crate's code. The
//! verifiers in other languages run in tests/callbacks.

use crate::support::Server;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use till_domain::id::SessionId;

#[path = "../../../../../docs/callbacks/verify.rs"]
mod verifier;

const VECTORS: &str = include_str!("../../../../../docs/callbacks/vectors.json");
const EXAMPLE: &str = include_str!("../../../../../docs/callbacks/example.json");

fn vectors() -> Vec<Value> {
    let file: Value = serde_json::from_str(VECTORS).expect("JSON");
    file["vectors"].as_array().expect("a list").clone()
}

fn text<'a>(vector: &'a Value, field: &str) -> &'a str {
    vector[field].as_str().unwrap_or_else(|| panic!("no {field} in {}", vector["name"]))
}

fn names(body: &[u8]) -> Vec<String> {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    body.as_object().expect("an object").keys().cloned().collect()
}

#[test]
fn p9_t4_i18_the_rust_verifier_agrees_with_every_vector() {
    for vector in vectors() {
        let answer = verifier::verify(
            text(&vector, "secret"),
            text(&vector, "body").as_bytes(),
            text(&vector, "xSignature"),
        );
        assert_eq!(Value::Bool(answer), vector["valid"], "{}", vector["name"]);
    }
}

#[test]
fn p9_the_standard_signature_covers_id_time_and_body_under_the_same_secret() {
    let right: Vec<_> = vectors().into_iter().filter(|vector| vector["valid"] == true).collect();
    assert!(!right.is_empty());
    for vector in right {
        let [id, time] = ["webhookId", "webhookTimestamp"].map(|field| text(&vector, field));
        let mac = Hmac::<Sha256>::new_from_slice(text(&vector, "secret").as_bytes()).expect("any length");
        let mac = mac.chain_update(format!("{id}.{time}.{}", text(&vector, "body"))).finalize().into_bytes();
        assert_eq!(text(&vector, "webhookSignature"), format!("v1,{}", STANDARD.encode(mac)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_documented_body_has_the_fields_of_a_real_one() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let mut failed = names(EXAMPLE.as_bytes());
    failed.push("failureReason".to_owned());
    for (outcome, expected) in [("paid", names(EXAMPLE.as_bytes())), ("failed", failed)] {
        let id = shop.order("A-1001").await;
        shop.simulate(&id, &json!({ "outcome": outcome })).await;
        let id = SessionId::parse(&id).expect("an id");
        let event = server.sandbox.store.callback(id).await.expect("a read").expect("an event");
        assert_eq!(names(&event.body), expected, "{outcome}");
        let vector = vectors().into_iter().find(|vector| text(vector, "body").contains(&event.event));
        assert_eq!(names(text(&vector.expect("one of each"), "body").as_bytes()), expected, "{outcome}");
    }
}
