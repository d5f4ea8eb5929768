//! Ending a session before its deadline.

use crate::support::{Receiver, Server, Shop, until};
use serde_json::json;
use std::time::Duration;
use till_domain::{attempt::AttemptState, session::State};

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pending_session_ends_at_once_and_is_reported_once() {
    let server = Server::with(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
    let vendor = server.vendor().await;
    let receiver = Receiver::start().await;
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        let path = format!("/{environment}");
        let mut body = Shop::book("A-1");
        body["callback_url"] = json!(receiver.url(&path));
        let id = shop.create(&body).await.text("session_id");
        server.later(Duration::from_millis(1_500));
        let expired = shop.expire(&id, "").await;
        assert_eq!(expired.status, 200, "{}", expired.body);
        assert_eq!(expired.text("status"), "expired");
        assert_ne!(expired.text("updatedAt"), expired.text("createdAt"));
        assert_eq!(shop.status(&id).await.json(), expired.json(), "its status says the same");
        let told = receiver.wait(&path, 1).await;
        server.later(MINUTE);
        for body in ["", "{}", "{\"reason\":\"sold out\"}"] {
            assert_eq!(shop.expire(&id, body).await.json(), expired.json(), "again, with {body:?}");
        }
        let event: serde_json::Value = serde_json::from_slice(&told[0].body).expect("JSON");
        assert_eq!(event["event"], "session.expired");
        assert_eq!(receiver.at(&path).len(), 1);
        let page = server.customer().get(&page(environment, &id), &[]).await;
        assert!(page.body.contains("expired"), "{} {}", page.status, page.body);
    }
}

/// The path of a session's checkout page.
fn page(environment: &str, id: &str) -> String {
    let prefix = if environment == "sandbox" { "/sandbox" } else { "" };
    format!("{prefix}/session/{id}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_final_session_an_unknown_one_and_a_wrong_body_are_refused() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    for outcome in ["paid", "failed"] {
        let id = shop.order("A-1").await;
        shop.simulate(&id, &json!({ "outcome": outcome })).await;
        assert_eq!(shop.expire(&id, "{}").await.problem(), "409 session_not_pending");
        assert_eq!(shop.status(&id).await.text("status"), outcome);
    }
    let live = server.shop("live", &vendor).await;
    let other = server.shop("sandbox", &server.vendor().await).await;
    let id = shop.order("A-1").await;
    for stranger in [&live, &other] {
        assert_eq!(stranger.expire(&id, "").await.problem(), "404 session_not_found");
    }
    assert_eq!(shop.expire("nonsense", "").await.problem(), "404 session_not_found");
    for wrong in ["[]", "{", "null", "\"\""] {
        assert_eq!(shop.expire(&id, wrong).await.problem(), "400 invalid_json", "{wrong}");
    }
    assert_eq!(shop.status(&id).await.text("status"), "pending", "none of these ended it");
    // A plan of the tester does not keep a session open.
    shop.simulate(&id, &json!({ "outcome": "paid", "after_ms": 60_000 })).await;
    assert_eq!(shop.expire(&id, "").await.text("status"), "expired");
    server.later(2 * MINUTE);
    assert_eq!(shop.status(&id).await.text("status"), "expired");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payment_is_closed_at_the_bank_first() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    for (method, decision) in [("card", None), ("sbp", None), ("card", Some("three_ds"))] {
        let id = shop.order("A-1").await;
        assert_eq!(server.customer().pay(&id, method).await.status, 303);
        let attempt = server.attempts(&id).await.remove(0).id;
        if let Some(decision) = decision {
            server.customer().decide(&attempt.to_string(), decision).await;
            assert_eq!(server.attempts(&id).await[0].state, AttemptState::InFlight);
        }
        let expired = shop.expire(&id, "").await;
        assert_eq!(expired.text("status"), "expired", "{method} {decision:?}: {}", expired.body);
        assert_eq!(server.attempts(&id).await[0].state, AttemptState::Closed);
        let entry = server.live.store.simulated(attempt).await.expect("a read").expect("a payment");
        assert!(entry.closed_at.is_some(), "{method} {decision:?}");
        server.customer().decide(&attempt.to_string(), "approve").await;
        let id = server.session(&id).await.id;
        assert!(server.live.store.transactions_of(id).await.expect("a read").is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_for_an_address_on_a_chain_is_late_and_a_transfer_that_confirms_is_in_flight() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let id = shop.order("A-1").await;
    assert_eq!(server.customer().pay(&id, "crypto").await.status, 303);
    assert_eq!(shop.expire(&id, "").await.text("status"), "expired");
    let attempt = server.attempts(&id).await.remove(0);
    assert_eq!(attempt.state, AttemptState::Watched, "an address cannot be closed");
    server.customer().decide(&attempt.id.to_string(), "pay_exact").await;
    let session = server.session(&id).await.id;
    until("the money is seen", async || {
        server.later(MINUTE);
        let seen = server.live.store.transactions_of(session).await.expect("a read");
        seen.first().is_some_and(|money| money.marks.late)
    })
    .await;
    assert_eq!(server.session(&id).await.state, State::Expired);
    let id = shop.order("A-2").await;
    assert_eq!(server.customer().pay(&id, "crypto").await.status, 303);
    let attempt = server.attempts(&id).await.remove(0);
    server.customer().decide(&attempt.id.to_string(), "pay_exact").await;
    assert_eq!(shop.expire(&id, "").await.problem(), "409 payment_in_flight");
    until("it is paid", async || {
        server.later(MINUTE);
        server.session(&id).await.state == State::Paid
    })
    .await;
    assert_eq!(shop.expire(&id, "").await.problem(), "409 session_not_pending");
}
