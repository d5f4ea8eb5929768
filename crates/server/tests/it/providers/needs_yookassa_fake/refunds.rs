//! Refunds of payments at YooKassa.

use super::*;

/// A session that was paid by this method, and its payment.
async fn paid(world: &World, order: &str, method: &str) -> (String, String) {
    let (id, payment) = world.paying(order, method).await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    (id, payment)
}

async fn ask(world: &World, id: &str, body: Value) {
    let asked = world.shop.refund(id, &body, &[]).await;
    assert_eq!(asked.status, 201, "{}", asked.body);
}

/// Waits until this many refunds have this state.
async fn ended(world: &World, count: usize, state: &str) {
    let count_now = async || world.refunds().await.iter().filter(|r| r.state.as_str() == state).count();
    world.later_until(state, Duration::from_secs(1), async || count_now().await == count).await;
}

on_both_engines! {
    payments_go_back_in_parts_and_whole
    a_refused_refund_gives_the_vendor_its_money_again
}

async fn payments_go_back_in_parts_and_whole(engine: Engine) {
    let world = World::on(engine, &[]).await;
    let (card, _) = paid(&world, "A-1", "card").await;
    let (sbp, _) = paid(&world, "A-2", "sbp").await;
    ask(&world, &card, json!({ "amount": "990.00" })).await;
    ask(&world, &sbp, json!({})).await;
    ended(&world, 2, "succeeded").await;
    assert_eq!(world.fake.truth().await, (2, 0, 2 * PRICE, 99_000 + PRICE));
    let told = world.told("A-1", "refund.succeeded").await;
    assert_eq!(told["refundAmount"], "990.00", "{told}");
    ask(&world, &card, json!({})).await;
    ended(&world, 3, "succeeded").await;
    assert_eq!(world.fake.truth().await.3, 2 * PRICE);
    assert_eq!(world.balance(Account::Available).await, 0);
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_that_takes_a_while_is_hastened_by_its_notice() {
    let world = World::new().await;
    let (id, _) = paid(&world, "A-1", "card").await;
    world.fake.does("settings", json!({ "refunds": "pending" })).await;
    ask(&world, &id, json!({ "amount": "100.00" })).await;
    until("it is there", async || !world.fake.keys("refund_create").await.is_empty()).await;
    until("it is on its way", async || world.refunds().await[0].state == RefundState::Sent).await;
    world.agrees().await;
    let refund = world.fake.look("truth").await["refunds"][0]["id"].clone();
    world.fake.does("refund", json!({ "refund": refund, "status": "succeeded" })).await;
    // The clock stands still: only the notice can have triggered the check.
    until("it is known", async || world.refunds().await[0].state == RefundState::Succeeded).await;
    world.agrees().await;
}

async fn a_refused_refund_gives_the_vendor_its_money_again(engine: Engine) {
    let world = World::on(engine, &[]).await;
    let (id, _) = paid(&world, "A-1", "sbp").await;
    world.fake.does("settings", json!({ "refunds": "canceled" })).await;
    ask(&world, &id, json!({})).await;
    ended(&world, 1, "failed").await;
    assert_eq!(world.balance(Account::Available).await, PRICE);
    assert_eq!(world.fake.truth().await, (1, 0, PRICE, 0));
    world.agrees().await;
}
