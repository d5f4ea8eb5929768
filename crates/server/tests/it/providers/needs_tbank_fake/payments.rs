//! Payments by card on T-Bank's page and by SBP with a code on ours.

use super::*;
use crate::support::signature;
use till_domain::{attempt::Instructions, session::FailureReason};

on_both_engines! {
    a_card_is_held_there_confirmed_while_the_session_is_open_and_paid
    a_code_is_shown_and_paid
}

async fn a_card_is_held_there_confirmed_while_the_session_is_open_and_paid(engine: Engine) {
    let world = World::on(engine, &[]).await;
    let id = world.order("A-1").await;
    let answer = world.server.customer().pay(&id, "card").await;
    let page = answer.header("location").expect("a page").to_owned();
    assert!(page.starts_with("https://pay.tbank.ru/"), "{page}");
    let payment = world.attempt(&id).await.reference.expect("a payment");
    let session = world.server.session(&id).await;
    let due = world.fake.payment(&payment).await["due"].as_f64().expect("a time");
    assert_eq!(due as i64, session.deadline().as_ms() / 1_000, "it lives as long as the session");
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    assert_eq!(world.fake.calls("Confirm").await.len(), 1);
    let told = world.told("A-1", "session.paid").await;
    assert_eq!((&told["price"], &told["paymentMethod"]), (&json!("4990.00"), &json!("card")));
    let got = &world.receiver.at("/A-1")[0];
    assert_eq!(got.header("x-signature"), signature(&world.vendor.live.client_secret, &got.body));
    let money = world.money(&id).await;
    assert_eq!((money.len(), money[0].amount.minor, money[0].reference == payment), (1, PRICE, true));
    assert_eq!(world.balance(Account::Available).await, PRICE);
    assert!(world.actions().await.is_empty());
    world.agrees().await;
}

async fn a_code_is_shown_and_paid(engine: Engine) {
    let world = World::on(engine, &[]).await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    let Some(Instructions::Qr { payload, app_url }) = world.attempt(&id).await.instructions else {
        panic!("no code")
    };
    assert!(payload.starts_with("https://qr.nspk.ru/AD10") && payload == app_url, "{payload}");
    let page = world.server.customer().get(&format!("/session/{id}"), &[]).await.body;
    assert!(page.contains(&payload) && page.contains("<svg"), "{page}");
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    assert!(world.fake.calls("Confirm").await.is_empty(), "SBP holds nothing");
    assert_eq!(world.told("A-1", "session.paid").await["paymentMethod"], "sbp");
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
    for (code, reason) in [("1051", FailureReason::InsufficientFunds), ("101", FailureReason::ThreeDsFailed)]
    {
        let (id, payment) = world.paying(code, "card").await;
        world.fake.does("decline", json!({ "payment": payment, "code": code })).await;
        world.reaches(&id, State::Failed(reason)).await;
        assert_eq!(world.told(code, "session.failed").await["failureReason"], reason.as_str());
        assert!(world.money(&id).await.is_empty());
    }
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_changes_the_method_pays_once() {
    for shown in ["closes", "refused"] {
        let world = World::new().await;
        world.fake.does("settings", json!({ "cancel_shown": shown })).await;
        let (id, code) = world.paying("A-1", "sbp").await;
        assert_eq!(world.server.customer().pay(&id, "card").await.status, 303);
        let card = world.attempt(&id).await.reference.expect("a payment");
        assert_ne!(card, code);
        let closed = world.fake.payment(&code).await["status"] == "CANCELED";
        assert_eq!(closed, shown == "closes");
        world.fake.does("pay", json!({ "payment": card })).await;
        world.reaches(&id, State::Paid).await;
        assert_eq!((world.money(&id).await.len(), world.actions().await.len()), (1, 0));
        world.agrees().await;
    }
}
