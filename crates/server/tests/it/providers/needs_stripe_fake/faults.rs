//! Stripe does not answer, before or after it acted.

use super::World;
use serde_json::json;
use std::time::Duration;
use till_domain::{
    ledger::Account,
    session::{FailureReason, State},
};
use till_testing::stripe::{GOOD, POOR};

/// The faults of a call, before or after Stripe acted.
const KINDS: [&str; 6] = ["drop_before", "drop_after", "error_before", "malformed", "rate", "conflict"];

impl World {
    /// Advances time until a session's payment is started.
    async fn started(&self, session: &str) -> String {
        for _ in 0..300 {
            if let Some(reference) = self.server.attempts(session).await[0].reference.clone() {
                return reference;
            }
            self.later(Duration::from_millis(500)).await;
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        panic!("it was never started");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f16_a_start_without_an_answer_is_tried_again_and_makes_one_payment() {
    let world = World::new().await;
    for (number, kind) in KINDS.into_iter().enumerate() {
        world.fake.fault("/v1/payment_intents", kind).await;
        let session = world.order(&format!("A-{number}"), "49.90", "USD").await;
        let begun = world.server.customer().pay(&session, "card").await;
        assert_eq!(begun.status, 303, "{kind}: {}", begun.body);
        let intent = world.started(&session).await;
        let truth = world.fake.truth().await;
        assert_eq!(truth["intents"].as_object().map(serde_json::Map::len), Some(number + 1), "{kind}");
        world.fake.pays(&intent, GOOD).await;
        world.reaches(&super::Payment { session, intent }, State::Paid).await;
    }
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f18_a_cancel_without_an_answer_ends_in_what_is_true() {
    let world = World::new().await;
    let mut open = Vec::new();
    for (number, kind) in KINDS.into_iter().enumerate() {
        open.push((world.begin(&format!("A-{number}")).await, kind));
        let refused = world.begin(&format!("B-{number}")).await;
        world.fake.fault(&format!("{}/cancel", refused.intent), kind).await;
        world.fake.pays(&refused.intent, POOR).await;
        world.reaches(&refused, State::Failed(FailureReason::InsufficientFunds)).await;
    }
    for (payment, kind) in &open {
        world.fake.fault(&format!("{}/cancel", payment.intent), kind).await;
    }
    for (payment, _) in &open {
        world.wait_until(Duration::ZERO, payment).await;
        world.reaches(payment, State::Expired).await;
    }
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f18_silence_for_long_before_and_after_acting() {
    let world = World::new().await;
    world.fake.fault("/v1/payment_intents", "hang_after").await;
    let session = world.order("A-1", "49.90", "USD").await;
    assert_eq!(world.server.customer().pay(&session, "card").await.status, 303);
    let intent = world.started(&session).await;
    world.fake.pays(&intent, GOOD).await;
    world.fake.fault(&intent, "hang_before").await;
    world.reaches(&super::Payment { session, intent }, State::Paid).await;
    assert_eq!(world.fake.truth().await["intents"].as_object().map(serde_json::Map::len), Some(1));
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f18_a_refund_without_an_answer_goes_back_once() {
    let world = World::new().await;
    for (number, kind) in KINDS.into_iter().chain(["error_after"]).enumerate() {
        let payment = world.paid(&format!("A-{number}")).await;
        let wish = json!({ "path": "/v1/refunds", "kind": kind, "method": "POST", "should_retry": "false" });
        world.fake.fault_with(wish).await;
        let refund = world.shop.refund(&payment.session, &json!({}), &[]).await;
        assert_eq!(refund.status, 201, "{}", refund.body);
        world.refund_is(&refund, "succeeded").await;
        let refunded = world.fake.truth().await["totals"]["usd"]["refunded"].as_u64();
        assert_eq!(refunded, Some(4_990 * (u64::try_from(number).expect("few") + 1)), "{kind}");
    }
    assert_eq!(world.balance(&Account::Available).await.get("usd"), None);
    world.compare().await;
}
