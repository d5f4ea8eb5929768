//! Refunds through Stripe.

use super::{Payment, World};
use crate::support::Answer;
use serde_json::json;
use std::time::Duration;
use till_domain::ledger::Account;

impl World {
    async fn refund(&self, payment: &Payment, amount: &str) -> Answer {
        let asked = self.shop.refund(&payment.session, &json!({ "amount": amount }), &[]).await;
        assert_eq!(asked.status, 201, "{}", asked.body);
        asked
    }

    /// Advances time until a refund has this status.
    pub(super) async fn refund_is(&self, refund: &Answer, status: &str) -> Answer {
        for _ in 0..300 {
            let now = self.shop.ask_refund(&refund.text("sessionId"), &refund.text("refundId")).await;
            if now.text("status") == status {
                return now;
            }
            self.later(Duration::from_millis(500)).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the refund is not {status}");
    }

    async fn available(&self) -> i64 {
        self.balance(&Account::Available).await.get("usd").copied().unwrap_or(0)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payment_goes_back_in_parts_and_whole() {
    let world = World::new().await;
    let (parts, whole) = (world.paid("A-1").await, world.paid("A-2").await);
    for amount in ["10.00", "9.90"] {
        let refund = world.refund(&parts, amount).await;
        world.refund_is(&refund, "succeeded").await;
    }
    let all = world.refund(&whole, "49.90").await;
    world.refund_is(&all, "succeeded").await;
    let more = world.shop.refund(&parts.session, &json!({ "amount": "30.01" }), &[]).await;
    assert_eq!(more.problem(), "422 amount_too_large");
    assert_eq!(world.available().await, 3_000);
    let truth = world.fake.truth().await;
    assert_eq!(truth["totals"]["usd"]["refunded"], json!(6_980));
    let told = world.told(5).await;
    assert_eq!(told.iter().filter(|event| event["event"] == json!("refund.succeeded")).count(), 3);
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_that_stripe_refuses_comes_back_to_the_vendor() {
    let world = World::new().await;
    let payment = world.paid("A-1").await;
    world.fake.control("/refunds", json!({ "next": ["failed"] })).await;
    let refund = world.refund(&payment, "10.00").await;
    let failed = world.refund_is(&refund, "failed").await;
    assert!(failed.text("failureReason").contains("expired"), "{}", failed.body);
    assert_eq!(world.available().await, 4_990);
    // Money that was refunded in Stripe's dashboard cannot be refunded again.
    world
        .fake
        .fault_with(json!({ "path": "/v1/refunds", "kind": "refuse", "status": 400,
        "code": "charge_already_refunded", "method": "POST" }))
        .await;
    let refund = world.refund(&payment, "10.00").await;
    world.refund_is(&refund, "failed").await;
    assert_eq!(world.available().await, 4_990);
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_that_takes_its_time_is_heard_of_by_its_event_or_without() {
    let world = World::new().await;
    let (first, second) = (world.paid("A-1").await, world.paid("A-2").await);
    world.fake.control("/refunds", json!({ "next": ["pending", "pending"] })).await;
    let (good, bad) = (world.refund(&first, "49.90").await, world.refund(&second, "49.90").await);
    for _ in 0..50 {
        if world.fake.truth().await["refunds"].as_object().is_some_and(|all| all.len() == 2) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    world.hears().await;
    let truth = world.fake.truth().await;
    for (id, refund) in truth["refunds"].as_object().expect("refunds") {
        let succeeds = refund["metadata"]["refund_id"] == good.json()["refundId"];
        let status = if succeeds { "succeeded" } else { "failed" };
        world.fake.control("/refund", json!({ "id": id, "status": status })).await;
    }
    world.refund_is(&good, "succeeded").await;
    world.refund_is(&bad, "failed").await;
    assert_eq!(world.available().await, 4_990);
    world.compare().await;
}
