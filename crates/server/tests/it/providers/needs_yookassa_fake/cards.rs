//! Cards on YooKassa's page: authorised, then captured while the session is open.

use super::*;
use crate::support::signature;
use till_domain::attempt::Instructions;

on_both_engines! {
    a_card_is_held_there_taken_while_the_session_is_open_and_paid
}

async fn a_card_is_held_there_taken_while_the_session_is_open_and_paid(engine: Engine) {
    let world = World::on(engine, &[]).await;
    let id = world.order("A-1").await;
    let answer = world.server.customer().pay(&id, "card").await;
    let page = answer.header("location").expect("a page").to_owned();
    assert!(page.starts_with("https://yoomoney.ru/checkout/"), "{page}");
    let payment = world.attempt(&id).await.reference.expect("a payment");
    assert!(
        matches!(world.attempt(&id).await.instructions, Some(Instructions::Redirect { url }) if url == page)
    );
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    assert_eq!(world.fake.keys("capture").await.len(), 1);
    assert_eq!(world.shop.status(&id).await.text("status"), "paid");
    let told = world.told("A-1", "session.paid").await;
    assert_eq!((&told["price"], &told["paymentMethod"]), (&json!("4990.00"), &json!("card")));
    let got = &world.receiver.at("/A-1")[0];
    assert_eq!(got.header("x-signature"), signature(&world.vendor.live.client_secret, &got.body));
    let money = world.money(&id).await;
    assert_eq!((money.len(), money[0].amount.minor, money[0].reference == payment), (1, PRICE, true));
    assert!(!money[0].marks.late);
    assert_eq!(world.balance(Account::Clearing("yookassa".to_owned())).await, -PRICE);
    assert_eq!(world.balance(Account::Available).await, PRICE);
    assert!(world.actions().await.is_empty());
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payment_is_seen_without_any_notice() {
    let world = World::new().await;
    world.fake.does("notify", json!({ "mode": "off" })).await;
    for method in ["card", "sbp"] {
        let (id, payment) = world.paying(method, method).await;
        world.fake.does("pay", json!({ "payment": payment })).await;
        world
            .later_until("paid", Duration::from_secs(2), async || world.state(&id).await == State::Paid)
            .await;
    }
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_declined_card_fails_with_its_reason() {
    let world = World::new().await;
    for (reason, ours) in
        [("insufficient_funds", "insufficient_funds"), ("3d_secure_failed", "three_ds_failed")]
    {
        let (id, payment) = world.paying(reason, "card").await;
        world.fake.does("decline", json!({ "payment": payment, "reason": reason })).await;
        world.reaches(&id, State::Failed(world.failure(&id).await)).await;
        let told = world.told(reason, "session.failed").await;
        assert_eq!(told["failureReason"], ours);
        assert!(world.money(&id).await.is_empty());
    }
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_card_that_is_paid_after_the_deadline_is_let_go_there() {
    let world = World::new().await;
    let (id, payment) = world.paying("A-1", "card").await;
    world.later(15 * MINUTE).await;
    world.reaches(&id, State::Expired).await;
    assert_eq!(world.attempt(&id).await.state, AttemptState::Watched, "it cannot be closed there");
    world.fake.does("pay", json!({ "payment": payment })).await;
    until("it is let go", async || world.attempt(&id).await.state == AttemptState::Closed).await;
    assert_eq!(world.fake.truth().await, (1, 0, 0, 0));
    assert_eq!(world.state(&id).await, State::Expired);
    assert!(world.money(&id).await.is_empty() && world.actions().await.is_empty());
    world.told("A-1", "session.expired").await;
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_changes_the_method_pays_once() {
    let world = World::new().await;
    let (id, card) = world.paying("A-1", "card").await;
    assert_eq!(world.server.customer().pay(&id, "sbp").await.status, 303);
    let code = world.attempt(&id).await.reference.expect("a payment");
    assert_ne!(card, code);
    world.fake.does("pay", json!({ "payment": code })).await;
    world.reaches(&id, State::Paid).await;
    // The card's page is still open in another tab.
    world.fake.does("pay", json!({ "payment": card })).await;
    until("it is let go", async || world.fake.truth().await.1 == 0).await;
    assert_eq!((world.money(&id).await.len(), world.actions().await.len()), (1, 0));
    world.agrees().await;
}

impl World {
    /// The failure reason of a session, once it has failed.
    async fn failure(&self, id: &str) -> till_domain::session::FailureReason {
        until("it fails", async || matches!(self.state(id).await, State::Failed(_))).await;
        let State::Failed(reason) = self.state(id).await else { panic!("it has failed") };
        reason
    }
}
