//! The page on which a tester of the sandbox makes happen what can happen after a payment.

use crate::{
    callbacks::money::{events, told},
    support::{Server, Shop},
};
use serde_json::json;
use std::{collections::BTreeSet, time::Duration};

/// The choices on the page of a session.
async fn choices(server: &Server, id: &str) -> BTreeSet<String> {
    let page = server.customer().get(&format!("/sandbox/session/{id}/simulate"), &[]).await;
    assert_eq!(page.status, 200);
    let buttons = page.body.split("data-testid=\"decision-").skip(1);
    buttons.map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect()
}

/// Clicks a button; true if the page says that it happened.
async fn choose(server: &Server, id: &str, choice: &str) -> bool {
    // Events of one millisecond have no order.
    server.later(Duration::from_millis(2));
    let path = format!("/sandbox/session/{id}/simulate");
    let answer = server.customer().post(&path, &[("decision", choice)], &[]).await;
    assert_eq!(answer.status, 303);
    let target = answer.headers["location"].to_str().expect("text");
    let page = server.customer().get(target, &[]).await;
    assert!(target.starts_with(&path) && page.status == 200, "{target}");
    page.body.contains("simulate-note")
}

async fn ended(shop: &Shop, outcome: &str) -> String {
    let id = shop.order(outcome).await;
    assert_eq!(shop.simulate(&id, &json!({ "outcome": outcome })).await.text("status"), outcome);
    id
}

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tester_refunds_a_payment_on_its_page() {
    let server = Server::start().await;
    let shop = server.shop("sandbox", &server.vendor().await).await;
    let id = ended(&shop, "paid").await;
    let page = server.customer().get(&format!("/sandbox/session/{id}"), &[]).await;
    assert!(page.body.contains(&format!("href=\"/sandbox/session/{id}/simulate\"")));
    assert_eq!(choices(&server, &id).await, set(&["refund", "payment_over", "dispute_opened", "back"]));

    assert!(choose(&server, &id, "refund").await);
    let event = told(&server, &shop, &id, "refund.succeeded").await;
    assert_eq!(event["status"], json!("paid"));
    // Everything is refunded: a second click does nothing.
    assert!(!choices(&server, &id).await.contains("refund"));
    assert!(!choose(&server, &id, "refund").await);
    let refunds = events(&shop, &id).await;
    assert_eq!(refunds.iter().filter(|event| event["event"] == json!("refund.succeeded")).count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_offers_what_can_happen_and_makes_it_happen() {
    let server = Server::start().await;
    let shop = server.shop("sandbox", &server.vendor().await).await;
    let paid = ended(&shop, "paid").await;
    assert!(choose(&server, &paid, "dispute_opened").await);
    let now = choices(&server, &paid).await;
    assert!(now.contains("dispute_lost") && now.contains("dispute_won") && !now.contains("dispute_opened"));
    assert!(!choose(&server, &paid, "dispute_opened").await);
    assert!(choose(&server, &paid, "dispute_lost").await);
    told(&server, &shop, &paid, "dispute.lost").await;

    let expired = ended(&shop, "expired").await;
    assert_eq!(choices(&server, &expired).await, set(&["payment_late", "payment_partial", "back"]));
    assert!(choose(&server, &expired, "payment_late").await);
    let held = choices(&server, &expired).await;
    assert!(held.contains("payment_accepted") && held.contains("payment_refunded"), "{held:?}");
    assert!(choose(&server, &expired, "payment_accepted").await);
    told(&server, &shop, &expired, "payment.resolved").await;

    let failed = ended(&shop, "failed").await;
    assert!(choices(&server, &failed).await.contains("payment_late"));
    assert!(!choose(&server, &failed, "no_such_choice").await);
    assert_eq!(events(&shop, &failed).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_exists_for_ended_sandbox_sessions_alone() {
    let server = Server::with(&[("TILL_RATE_LIMITS", "on"), ("TILL_RATE_LIMIT_CREATE", "1/h burst 3")]).await;
    let vendor = server.vendor().await;
    let (shop, live) = (server.shop("sandbox", &vendor).await, server.shop("live", &vendor).await);
    let customer = server.customer();
    let pending = shop.order("A-1").await;
    let path = format!("/sandbox/session/{pending}/simulate");
    let back = customer.get(&path, &[]).await;
    assert_eq!(back.headers["location"], format!("/sandbox/session/{pending}"));
    assert_eq!(customer.post(&path, &[("decision", "refund")], &[]).await.status, 303);

    let of_live = live.order("A-1").await;
    let live_path = format!("/session/{of_live}/simulate");
    assert_eq!(customer.get(&live_path, &[]).await.status, 404);
    assert_eq!(customer.post(&live_path, &[("decision", "refund")], &[]).await.status, 404);

    assert_eq!(shop.simulate(&pending, &json!({ "outcome": "paid" })).await.status, 200);
    let foreign = customer.post(&path, &[("decision", "refund")], &[("sec-fetch-site", "cross-site")]).await;
    assert_eq!(foreign.status, 403);
    // The limit is that of the vendor's calls, which are used up by now.
    let many = customer.post(&path, &[("decision", "refund")], &[]).await;
    assert!(many.status == 429 && many.headers.contains_key("retry-after"));
    assert!(many.body.contains("Too many requests"));
    assert!(events(&shop, &pending).await.iter().all(|event| event["event"] == json!("session.paid")));
}
