//! YooKassa fails before or after it has acted: nothing happens twice, nothing is lost.

use super::*;
use till_domain::transaction::ActionKind;

const UNCLEAR: [&str; 7] = [
    "202_after",
    "500_before",
    "500_after",
    "hang_up_before",
    "hang_up_after",
    "timeout_before",
    "timeout_after",
];

/// A call fails once; one without an answer stays silent for longer than the client's timeout.
async fn fault(world: &World, on: &str, kind: &str) {
    world.fake.does("fault", json!({ "on": on, "kind": kind, "times": 1, "seconds": 8 })).await;
}

/// A payment and a refund, with the same fault at every step.
async fn through(world: &World, kind: &str) {
    let before = world.fake.truth().await.0;
    let id = world.order(kind).await;
    fault(world, "create", kind).await;
    assert_eq!(world.server.customer().pay(&id, "card").await.status, 303, "{kind}");
    let second = Duration::from_secs(1);
    let open = async || world.attempt(&id).await.state == AttemptState::Open;
    world.later_until("it is started", second, open).await;
    assert_eq!(world.fake.truth().await.0 - before, 1, "{kind}: once");
    for call in ["payment", "capture"] {
        fault(world, call, kind).await;
    }
    let payment = world.attempt(&id).await.reference.expect("a payment");
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.later_until("it is paid", second, async || world.state(&id).await == State::Paid).await;
    fault(world, "refund_create", kind).await;
    let asked = world.shop.refund(&id, &json!({ "amount": "90.00" }), &[]).await;
    assert_eq!(asked.status, 201, "{}", asked.body);
    let sent = async || world.refunds().await[0].state == RefundState::Succeeded;
    world.later_until("it went back", second, sent).await;
    world.fake.does("heal", json!({})).await;
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f16_trouble_at_every_step_moves_money_once() {
    let world = World::new().await;
    for kind in UNCLEAR {
        through(&world, kind).await;
    }
    let count = i64::try_from(UNCLEAR.len()).expect("small");
    assert_eq!(world.fake.truth().await, (UNCLEAR.len(), 0, count * PRICE, count * 9_000));
    assert!(world.actions().await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f18_money_that_comes_while_nobody_answers_is_found_afterwards() {
    let world = World::new().await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    world.fake.does("fault", json!({ "on": "any", "kind": "500_before", "times": 100_000 })).await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    // Ten minutes, and five more for a provider that does not answer.
    world.later(10 * MINUTE).await;
    world.later_until("it expires", MINUTE, async || world.state(&id).await == State::Expired).await;
    let kinds = async || world.actions().await.iter().map(|a| a.action.kind).collect::<Vec<_>>();
    until("an action is open", async || kinds().await == [ActionKind::Unreachable]).await;
    world.fake.does("heal", json!({})).await;
    world.later_until("it is found", MINUTE, async || world.money(&id).await.len() == 1).await;
    assert_eq!(kinds().await, [ActionKind::Late, ActionKind::Unreachable]);
    assert_eq!(world.balance(Account::Suspense).await, PRICE);
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_yookassa_refuses_to_start_can_be_chosen_again() {
    let world = World::new().await;
    let id = world.order("A-1").await;
    world.fake.does("settings", json!({ "fiscalization": true })).await;
    let refused = world.server.customer().pay(&id, "card").await;
    assert_eq!(refused.status, 502, "{}", refused.body);
    world.fake.does("settings", json!({ "fiscalization": false })).await;
    assert_eq!(world.server.customer().pay(&id, "card").await.status, 303);
    let payment = world.attempt(&id).await.reference.expect("a payment");
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    world.agrees().await;
}
