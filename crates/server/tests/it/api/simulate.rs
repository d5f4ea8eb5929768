//! Choosing a sandbox session's outcome from an automated test.

use crate::support::Server;
use serde_json::json;
use std::{sync::Arc, time::Duration};
use till_domain::id::SessionId;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_outcome_is_final_and_has_its_callback() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    for (body, status, reason) in [
        (json!({ "outcome": "paid" }), "paid", None),
        (json!({ "outcome": "failed" }), "failed", Some("card_declined")),
        (
            json!({ "outcome": "failed", "failure_reason": "insufficient_funds" }),
            "failed",
            Some("insufficient_funds"),
        ),
        (json!({ "outcome": "expired", "after_ms": 0 }), "expired", None),
    ] {
        let id = shop.order("A-1").await;
        server.later(Duration::from_millis(250));
        let answer = shop.simulate(&id, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.text("status"), status);
        assert_eq!(answer.json(), shop.status(&id).await.json(), "the answer is the status object");
        let event =
            server.sandbox.store.callback(SessionId::parse(&id).expect("an id")).await.expect("a read");
        let event = event.expect("stored with the outcome");
        let frozen: serde_json::Value = serde_json::from_slice(&event.body).expect("JSON");
        assert_eq!(frozen["event"], format!("session.{status}"));
        assert_eq!(frozen["updatedAt"].as_str(), Some(answer.text("updatedAt").as_str()));
        assert_eq!(frozen.get("failureReason").and_then(|r| r.as_str()), reason);
        let again = shop.simulate(&id, &json!({ "outcome": "paid" })).await;
        assert_eq!(again.problem(), "409 session_not_pending");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_planned_outcome_survives_a_restart_and_comes_at_its_time() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let id = shop.order("A-1").await;
    let answer = shop.simulate(&id, &json!({ "outcome": "failed", "after_ms": 60_000 })).await;
    assert_eq!((answer.status.as_u16(), answer.text("status").as_str()), (200, "pending"));
    let replaced = shop.simulate(&id, &json!({ "outcome": "paid", "after_ms": 90_000 })).await;
    assert_eq!(replaced.text("status"), "pending");
    let server = server.restart().await;
    let shop = server.shop("sandbox", &vendor).await;
    server.later(Duration::from_millis(89_999));
    assert_eq!(shop.status(&id).await.text("status"), "pending");
    server.later(Duration::from_millis(5_000));
    let status = shop.status(&id).await;
    assert_eq!(status.text("status"), "paid");
    assert_eq!(status.text("updatedAt"), "2026-11-15T09:31:30.000Z", "when it was planned for");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deadline_that_comes_first_wins() {
    let server = Server::with(&[("TILL_LIFETIME_CARD", "5m")]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let id = shop.order("A-1").await;
    shop.simulate(&id, &json!({ "outcome": "paid", "after_ms": 400_000 })).await;
    server.later(Duration::from_secs(500));
    let status = shop.status(&id).await;
    assert_eq!(
        (status.text("status"), status.text("updatedAt")),
        ("expired".into(), "2026-11-15T09:35:00.000Z".into())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_wrong_field_is_named_and_live_has_no_such_endpoint() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let id = shop.order("A-1").await;
    let wrong = json!({ "outcome": "won", "failure_reason": "bored", "after_ms": 600_001 });
    let answer = shop.simulate(&id, &wrong).await;
    assert_eq!(answer.problem(), "422 invalid_request");
    let fields = ["failure_reason:unknown_value", "outcome:unknown_value", "after_ms:out_of_range"];
    assert_eq!(answer.fields(), fields);
    let mixed = json!({ "outcome": "paid", "amount": "1.00", "resolution": "accepted" });
    let answer = shop.simulate(&id, &mixed).await;
    assert_eq!(answer.fields(), ["amount:conflicting_field", "resolution:conflicting_field"]);
    let live = server.shop("live", &vendor).await;
    let live_id = live.order("A-1").await;
    assert_eq!(live.simulate(&live_id, &json!({ "outcome": "paid" })).await.problem(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_outcomes_at_once_exactly_one_wins() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    for _ in 0..10 {
        let id = shop.order("A-1").await;
        let mut calls = tokio::task::JoinSet::new();
        for call in 0..16 {
            let (shop, id) = (shop.clone(), id.clone());
            let outcome = ["paid", "failed", "expired"][call % 3];
            calls.spawn(async move { (outcome, shop.simulate(&id, &json!({ "outcome": outcome })).await) });
        }
        let answers = calls.join_all().await;
        let winners: Vec<_> = answers.iter().filter(|(_, answer)| answer.status == 200).collect();
        assert_eq!(winners.len(), 1);
        assert!(answers.iter().all(|(_, a)| a.status == 200 || a.problem() == "409 session_not_pending"));
        assert_eq!(shop.status(&id).await.text("status"), winners[0].0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replaced_plan_never_comes_true() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    for _ in 0..40 {
        let id = shop.order("A-1").await;
        shop.simulate(&id, &json!({ "outcome": "paid", "after_ms": 1_000 })).await;
        server.later(Duration::from_millis(999));
        // The expiry worker, a read and the new plan race at the moment when the old plan is due.
        let sweep = Arc::clone(&server.sandbox);
        let (clock, reader, read_id) = (server.clock.clone(), shop.clone(), id.clone());
        let racing = tokio::spawn(async move {
            clock.advance(Duration::from_millis(1));
            let _ = tokio::join!(sweep.settle_due(10), reader.status(&read_id));
        });
        let plan = json!({ "outcome": "failed", "after_ms": 600_000 });
        let replaced = shop.simulate(&id, &plan).await;
        racing.await.expect("no panic");
        let expected = if replaced.status == 200 { "pending" } else { "paid" };
        assert_eq!(shop.status(&id).await.text("status"), expected, "{}", replaced.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_price_chooses_the_outcome() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let by_price = json!({ "outcome": "by_price" });
    for (price, currency, status) in [
        ("10.01", "RUB", "failed"),
        ("10.02", "RUB", "failed"),
        ("10.03", "RUB", "failed"),
        ("10.04", "RUB", "failed"),
        ("10.05", "RUB", "pending"),
        ("10.06", "RUB", "expired"),
        ("10.00", "RUB", "pending"),
        ("10.07", "RUB", "pending"),
        ("1001", "JPY", "pending"),
    ] {
        let mut body = crate::support::Shop::book("A-1");
        body["price"] = json!(price);
        body["currency"] = json!(currency);
        let id = shop.create(&body).await.text("session_id");
        let answer = shop.simulate(&id, &by_price).await;
        assert_eq!((answer.status.as_u16(), answer.text("status").as_str()), (200, status), "{price}");
        server.later(Duration::from_secs(10));
        let later = if price == "10.05" { "paid" } else { status };
        assert_eq!(shop.status(&id).await.text("status"), later, "{price}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_offers_the_outcome_of_the_price_first() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let customer = server.customer();
    let mut body = crate::support::Shop::book("A-1");
    let plain = shop.create(&body).await.text("session_id");
    let page = customer.get(&format!("/sandbox/session/{plain}"), &[]).await.body;
    assert!(!page.contains("outcome-by_price"), "an ordinary price stands for nothing");
    body["price"] = json!("10.02");
    let id = shop.create(&body).await.text("session_id");
    let path = format!("/sandbox/session/{id}");
    let page = customer.get(&path, &[]).await.body;
    let first = page.split("name=\"outcome\"").nth(1).expect("a choice");
    assert!(first.contains("value=\"by_price\" checked"), "{first}");
    let form = [("method", "card"), ("outcome", "by_price")];
    assert_eq!(customer.post(&format!("{path}/pay"), &form, &[]).await.status, 303);
    assert_eq!(shop.status(&id).await.text("status"), "failed");
    // In live there is no such choice.
    let live = server.shop("live", &vendor).await;
    let id = live.create(&body).await.text("session_id");
    customer.post(&format!("/session/{id}/pay"), &form, &[]).await;
    assert_ne!(live.status(&id).await.text("status"), "failed");
}
