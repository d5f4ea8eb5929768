//! The first steps of a vendor in the sandbox: each is done once Till has seen it, and not before.

use super::detail::{attribute, texts};
use crate::support::{Person, Receiver, Reply, Server, Shop, until};
use serde_json::{Value, json};
use till_domain::user::Role;

const STEPS: [&str; 6] = ["credentials", "session", "callback", "outcomes", "check", "live"];

/// The steps that are done.
async fn done(ada: &Person) -> Vec<&'static str> {
    let page = ada.get("/panel").await;
    let is_done = |step: &&&str| {
        let css = format!("[data-testid=step-{step}]");
        attribute(&page.body, &css, "data-done") == "true"
    };
    STEPS.iter().filter(is_done).copied().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_step_is_done_once_it_was_seen() {
    let settings = [("TILL_ALLOW_PRIVATE_CALLBACKS", "true"), ("TILL_OPERATOR_TOTP", "false")];
    let server = Server::with(&settings).await;
    let vendor = server.vendor().await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    assert!(done(&ada).await.is_empty());
    assert_eq!(texts(&ada.get("/panel").await.body, "[data-testid=steps-progress]"), ["0 of 6 done"]);

    let shop = server.shop("sandbox", &vendor).await;
    until("the token was seen", async || done(&ada).await == ["credentials"]).await;

    let receiver = Receiver::start().await;
    let end = async |order: &str, simulation: Value, replies: &[Reply]| {
        receiver.answer(&format!("/{order}"), replies);
        let mut body = Shop::book(order);
        body["callback_url"] = json!(receiver.url(&format!("/{order}")));
        let id = shop.create(&body).await.text("session_id");
        assert_eq!(shop.simulate(&id, &simulation).await.status, 200);
        receiver.wait(&format!("/{order}"), replies.len()).await;
    };
    let forged = |status| [Reply::Status(status), Reply::Status(204)];
    let fault = json!({ "outcome": "paid", "callback": { "fault": "bad_signature" } });
    // A forged request that is accepted proves the opposite.
    end("accepts", fault.clone(), &forged(200)).await;
    until("the session was seen", async || done(&ada).await == ["credentials", "session"]).await;
    end("refuses", fault, &forged(401)).await;
    until("the refusal was seen", async || done(&ada).await == ["credentials", "session", "callback"]).await;

    end("failed", json!({ "outcome": "failed" }), &[Reply::Status(204)]).await;
    end("expired", json!({ "outcome": "expired" }), &[Reply::Status(204)]).await;
    until("both were seen", async || done(&ada).await == STEPS[..4]).await;

    // A check that is not passed changes nothing.
    let address = receiver.url("/check");
    assert_eq!(ada.post("/panel/settings/endpoint-check", &[("callback_url", &address)]).await.status, 303);
    until("it is over", async || {
        ada.get("/panel/settings/endpoint-check").await.body.contains("data-state=\"not_ready\"")
    })
    .await;
    assert_eq!(done(&ada).await, STEPS[..4]);
}
