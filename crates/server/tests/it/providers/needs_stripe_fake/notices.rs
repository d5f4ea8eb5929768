//! Webhook events: signed, forged, old, repeated, in any order, about unknown objects, and during the
//! rotation of their secret.

use super::World;
use crate::support::{Answer, until};
use reqwest::Method;
use serde_json::{Value, json};
use till_domain::session::{FailureReason, State};
use till_testing::stripe::{ASKS, GOOD, POOR};

impl World {
    /// Sends an event as it was signed.
    async fn send(&self, event: &Value) -> Answer {
        let url = format!("{}/notices/stripe/events", self.server.local);
        let body = event["body"].as_str().expect("a body").as_bytes().to_vec();
        let signature = event["signature"].as_str().map(|text| ("stripe-signature", text));
        let headers: Vec<_> = signature.into_iter().collect();
        self.shop.send(Method::POST, &url, &headers, body).await
    }

    async fn signed(&self, how: &str) -> Vec<Value> {
        let events = self.fake.control(&format!("/signed?{how}"), json!({})).await;
        events.as_array().expect("events").clone()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t_what_nobody_can_prove_is_answered_like_an_unknown_provider_and_asks_nothing() {
    let world = World::new().await;
    let payment = world.begin("A-1").await;
    world.fake.pays(&payment.intent, GOOD).await;
    let asked = world.fake.calls("GET", "/v1/payment_intents").await;
    let unknown = format!("{}/notices/nobody/events", world.server.local);
    let unknown = world.shop.send(Method::POST, &unknown, &[], b"{}".to_vec()).await;
    assert_eq!(unknown.problem(), "404 not_found");
    for how in ["age=330", "forge=secret", "forge=body", "forge=scheme", "forge=unsigned"] {
        let events = world.signed(how).await;
        assert!(!events.is_empty());
        for event in events {
            let answer = world.send(&event).await;
            assert_eq!(answer.problem(), "404 not_found", "{how}");
            assert_eq!(answer.text("detail"), unknown.text("detail"), "{how}");
        }
    }
    assert_eq!(world.fake.calls("GET", "/v1/payment_intents").await, asked, "Stripe was not asked");
    assert_eq!(world.session(&payment).await.state, State::Pending);
    // The same events with the right signature.
    for event in world.signed("age=270").await {
        assert_eq!(world.send(&event).await.status, 200);
    }
    assert_eq!(world.session(&payment).await.state, State::Paid);
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_about_nothing_of_ours_is_taken_however_large() {
    let world = World::new().await;
    let payment = world.begin("A-1").await;
    let metadata: serde_json::Map<String, Value> =
        (0..50).map(|number| (format!("key{number:037}"), json!("ж".repeat(500)))).collect();
    for (kind, thing) in [
        ("balance.available", json!({ "object": "balance" })),
        ("customer.created", json!({ "object": "customer", "id": "cus_1" })),
        ("payment_intent.succeeded", json!({ "object": "payment_intent", "id": "pi_of_somebody" })),
        ("charge.succeeded", json!({ "object": "charge", "id": "ch_1", "metadata": metadata })),
    ] {
        let event = world.fake.control("/tell", json!({ "type": kind, "object": thing })).await;
        let answer = world.send(&event).await;
        assert_eq!(answer.status, 200, "{kind}: {}", answer.body);
    }
    assert_eq!(world.session(&payment).await.state, State::Pending);
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f17_events_twice_late_and_in_any_order_lead_to_one_end_each() {
    for how in
        [json!({ "order": "reverse", "times": 3 }), json!({ "order": "shuffle", "times": 5, "delay": 1 })]
    {
        let world = World::new().await;
        let mut all = Vec::new();
        for number in 0..6 {
            let payment = world.begin(&format!("A-{number}")).await;
            match number % 3 {
                0 => world.fake.pays(&payment.intent, GOOD).await,
                1 => world.fake.pays(&payment.intent, POOR).await,
                _ => {
                    world.fake.pays(&payment.intent, ASKS).await;
                    world.fake.answers_bank(&payment.intent, "confirm").await;
                }
            }
            all.push(payment);
        }
        world.deliver(how).await;
        for (number, payment) in all.iter().enumerate() {
            let failed = State::Failed(FailureReason::InsufficientFunds);
            let expected = if number % 3 == 1 { failed } else { State::Paid };
            assert_eq!(world.session(payment).await.state, expected);
        }
        assert_eq!(world.fake.calls("POST", "/cancel").await, 2, "each refused one once");
        let truth = world.fake.truth().await;
        let answers = truth["answers"].as_array().expect("answers");
        assert!(answers.iter().all(|answer| answer[1] == json!(200)), "{answers:?}");
        assert_eq!(world.told(6).await.len(), 6, "one callback each");
        world.compare().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f17_while_the_secret_is_rolled_no_event_is_lost() {
    let rolled = "webhook_secrets = [\"whsec_new\", \"whsec_fake\"]";
    let world = World::with(rolled, |document| document).await;
    world.hears().await;
    for (order, secrets) in [
        ("A-1", json!(["whsec_fake"])),
        ("A-2", json!(["whsec_fake", "whsec_new"])),
        ("A-3", json!(["whsec_new"])),
    ] {
        world.fake.control("/endpoint", json!({ "secrets": secrets })).await;
        let payment = world.begin(order).await;
        world.fake.pays(&payment.intent, GOOD).await;
        until("the event is heard", async || world.session(&payment).await.state == State::Paid).await;
    }
    world.fake.control("/endpoint", json!({ "secrets": ["whsec_older"], "hold": true })).await;
    let payment = world.begin("A-4").await;
    world.fake.pays(&payment.intent, GOOD).await;
    for event in world.signed("").await {
        assert_eq!(world.send(&event).await.status, 404, "a secret that is not in the document");
    }
    world.reaches(&payment, State::Paid).await;
    world.compare().await;
}
