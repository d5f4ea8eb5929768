//! Expiry of sessions: applied by a read or by the expiry worker, once, with the same result.

use crate::support::{Server, Shop, entry};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use till_domain::{id::SessionId, vendor::SettingsChange, weburl::WebUrl};

async fn event(server: &Server, environment: &str, id: &str) -> Option<(String, Value)> {
    let id = SessionId::parse(id).expect("an id");
    let event = server.environment(environment).store.callback(id).await.expect("a read")?;
    Some((event.state, serde_json::from_slice(&event.body).expect("JSON")))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i12_a_session_expires_at_its_methods_deadline_and_not_before() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let cases = [("card", 15, "09:45"), ("sbp", 10, "09:40"), ("crypto", 60, "10:30")];
    let shop = server.shop("live", &vendor).await;
    let mut ids = Vec::new();
    for (method, ..) in cases {
        let mut body = Shop::book("A-1");
        body["defaultPaymentMethod"] = json!(method);
        ids.push(shop.create(&body).await.text("session_id"));
    }
    let mut order: Vec<_> = cases.iter().zip(&ids).collect();
    order.sort_by_key(|((_, minutes, _), _)| *minutes);
    let mut passed = 0;
    for ((method, minutes, at), id) in order {
        // Tokens live for an hour: log in again before each read.
        let mut shop = shop.clone();
        server.later(Duration::from_millis((minutes - passed) * 60_000 - 1));
        shop.log_in().await;
        assert_eq!(shop.status(id).await.text("status"), "pending", "{method}");
        server.later(Duration::from_millis(1));
        let status = shop.status(id).await;
        assert_eq!(status.text("status"), "expired", "{method}");
        assert_eq!(status.text("updatedAt"), format!("2026-11-15T{at}:00.000Z"));
        passed = *minutes;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_and_a_sweep_tell_the_same_however_late() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let mut shop = server.shop(environment, &vendor).await;
        let (read, swept) = (shop.order("A-1").await, shop.order("A-2").await);
        server.later(Duration::from_secs(3 * 3600));
        shop.log_in().await;
        let by_read = shop.status(&read).await;
        while server.environment(environment).settle_due(100).await.expect("a sweep").settled > 0 {}
        let by_sweep = shop.status(&swept).await;
        for (answer, id) in [(&by_read, &read), (&by_sweep, &swept)] {
            assert_eq!(answer.text("status"), "expired");
            let created = answer.text("createdAt");
            assert_eq!(answer.text("updatedAt"), created.replace("09:30", "09:45").replace("12:30", "12:45"));
            let (state, body) = event(&server, environment, id).await.expect("stored with the status");
            assert_eq!(state, "no_target");
            assert_eq!(
                (body["event"].as_str(), body["sessionId"].as_str()),
                (Some("session.expired"), Some(id.as_str()))
            );
            assert_eq!(body["updatedAt"].as_str(), Some(answer.text("updatedAt").as_str()));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i2_reads_and_sweeps_at_once_expire_each_session_once() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let mut ids = Vec::new();
    for order in 0..40 {
        ids.push(shop.order(&format!("A-{order}")).await);
    }
    server.later(Duration::from_secs(900));
    let mut work = tokio::task::JoinSet::new();
    for id in &ids {
        for _ in 0..3 {
            let (shop, id) = (shop.clone(), id.clone());
            work.spawn(async move { assert_eq!(shop.status(&id).await.text("status"), "expired") });
        }
    }
    for _ in 0..4 {
        let sandbox = Arc::clone(&server.sandbox);
        work.spawn(async move {
            sandbox.settle_due(100).await.expect("a sweep");
        });
    }
    work.join_all().await;
    for id in &ids {
        assert!(event(&server, "sandbox", id).await.is_some());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_worker_expires_what_nobody_asks_for() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    server.later(Duration::from_secs(900));
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    while event(&server, "live", &id).await.is_none() {
        assert!(tokio::time::Instant::now() < deadline, "the worker looks at least twice a second");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i17_an_event_goes_to_the_address_that_held_when_it_was_made() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let url = WebUrl::parse("https://settings.example/cb").expect("a URL");
    let change = SettingsChange { callback_url: Some(Some(url)), ..SettingsChange::default() };
    server.accounts.set_settings(vendor.id, &change, &entry()).await.expect("stored");
    let shop = server.shop("sandbox", &vendor).await;
    let by_settings = shop.order("A-1").await;
    let mut own = Shop::book("A-2");
    own["callback_url"] = json!("https://own.example/cb");
    let by_session = shop.create(&own).await.text("session_id");
    server.later(Duration::from_secs(900));
    for (id, target) in
        [(&by_settings, "https://settings.example/cb"), (&by_session, "https://own.example/cb")]
    {
        shop.status(id).await;
        let id = SessionId::parse(id).expect("an id");
        let event = server.sandbox.store.callback(id).await.expect("a read").expect("an event");
        assert_eq!((event.state.as_str(), event.target.expect("a target").as_str()), ("queued", target));
    }
}
