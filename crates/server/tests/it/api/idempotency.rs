//! Idempotency-Key: one session per key, also with concurrent requests.

use crate::support::{Server, Shop};
use reqwest::Method;
use serde_json::json;
use std::{collections::HashSet, time::Duration};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p1_32_creates_at_once_with_one_key_make_one_session() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        for round in 0..10 {
            let mut calls = tokio::task::JoinSet::new();
            for _ in 0..32 {
                let shop = shop.clone();
                let key = format!("order-{round}");
                calls.spawn(async move { shop.create_once(&key, &Shop::book("A-1")).await });
            }
            let answers = calls.join_all().await;
            let bodies: HashSet<_> = answers.iter().map(|answer| answer.body.as_str()).collect();
            assert_eq!(bodies.len(), 1, "32 equal answers: {bodies:?}");
            assert!(answers.iter().all(|answer| answer.status == 201));
            let replayed = answers.iter().filter(|a| a.header("idempotent-replayed") == Some("true")).count();
            assert_eq!(replayed, 31);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i21_the_same_body_is_replayed_and_another_is_refused() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let raw = |body: &str| {
        let (shop, body) = (shop.clone(), body.to_owned());
        async move { shop.create_raw(&body, &[("idempotency-key", "k 1")]).await }
    };
    let first = raw(r#"{"product_name":"x","price":49.90,"currency":"RUB","order_id":"1"}"#).await;
    assert_eq!((first.status.as_u16(), first.header("idempotent-replayed")), (201, None));
    shop.simulate(&first.text("session_id"), &json!({ "outcome": "paid" })).await;
    let reordered =
        raw(r#"{ "order_id":"1", "currency":"RUB", "price":49.90, "product_name":"\u0078" }"#).await;
    assert_eq!(reordered.body, first.body, "the first answer, though the session is paid by now");
    assert_eq!(reordered.header("idempotent-replayed"), Some("true"));
    for other in [
        r#"{"product_name":"x","price":49.9,"currency":"RUB","order_id":"1"}"#,
        r#"{"product_name":"x","price":49.90,"currency":"RUB","order_id":"2"}"#,
        r#"{"product_name":"x","price":49.90,"currency":"RUB","order_id":"1","more":1}"#,
        r#"{}"#,
    ] {
        assert_eq!(raw(other).await.problem(), "422 idempotency_key_reused", "{other}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_create_leaves_its_key_free() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let refused = shop.create_once("k", &json!({ "order_id": "1" })).await;
    assert_eq!(refused.problem(), "422 invalid_request");
    assert_eq!(shop.create_once("k", &Shop::book("1")).await.status, 201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_belongs_to_one_vendor_and_one_environment() {
    let server = Server::start().await;
    let (one, two) = (server.vendor().await, server.vendor().await);
    let mut ids = HashSet::new();
    for vendor in [&one, &two] {
        for environment in ["live", "sandbox"] {
            let shop = server.shop(environment, vendor).await;
            ids.insert(shop.create_once("k", &Shop::book("1")).await.text("session_id"));
        }
    }
    assert_eq!(ids.len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_remembered_for_24_hours_and_then_forgotten() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let mut shop = server.shop("live", &vendor).await;
    let first = shop.create_once("k", &Shop::book("1")).await.text("session_id");
    server.later(Duration::from_millis(24 * 3_600_000 - 1));
    shop.log_in().await;
    assert_eq!(shop.create_once("k", &Shop::book("1")).await.text("session_id"), first);
    server.later(Duration::from_millis(1));
    let second = shop.create_once("k", &Shop::book("2")).await;
    assert_eq!((second.status.as_u16(), second.header("idempotent-replayed")), (201, None));
    assert_ne!(second.text("session_id"), first);
    assert_eq!(shop.create_once("k", &Shop::book("2")).await.text("session_id"), second.text("session_id"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_past_their_day_are_removed_by_the_worker() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    shop.create_once("old", &Shop::book("1")).await;
    server.later(Duration::from_secs(24 * 3600));
    // The worker runs when it starts, and then once a minute.
    let server = server.restart().await;
    let file = rusqlite::Connection::open(server.folder().join("live.db")).expect("the file opens");
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    loop {
        let count = "SELECT COUNT(*) FROM idempotency_keys";
        let left: u32 = file.query_row(count, [], |row| row.get(0)).expect("a count");
        if left == 0 {
            break;
        }
        assert!(tokio::time::Instant::now() < deadline, "{left} keys are still there");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_survives_a_restart() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let first = server.shop("sandbox", &vendor).await.create_once("k", &Shop::book("1")).await;
    let server = server.restart().await;
    let again = server.shop("sandbox", &vendor).await.create_once("k", &Shop::book("1")).await;
    assert_eq!(again.text("session_id"), first.text("session_id"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_malformed_key_is_refused() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let body = Shop::book("1").to_string();
    for key in ["", &"k".repeat(256), "tab\tinside", "ключ"] {
        let answer = shop.create_raw(&body, &[("idempotency-key", key)]).await;
        assert_eq!(answer.problem(), "422 invalid_idempotency_key", "{key:?}");
    }
    let twice = [("idempotency-key", "a"), ("idempotency-key", "b")];
    assert_eq!(shop.create_raw(&body, &twice).await.problem(), "422 invalid_idempotency_key");
    assert_eq!(shop.create_once(&"k".repeat(255), &Shop::book("1")).await.status, 201);
    // The body is checked before the key.
    let headers = [
        ("idempotency-key", ""),
        ("authorization", &format!("Bearer {}", shop.token)),
        ("content-type", "application/json"),
    ];
    let answer = shop.send(Method::POST, &shop.sessions(), &headers, b"{".to_vec()).await;
    assert_eq!(answer.problem(), "400 invalid_json");
}
