//! SBP by a QR code on our page, or on YooKassa's page if the shop has no code; and money after the deadline.

use super::*;
use till_domain::{
    attempt::Instructions,
    audit::{Actor, AuditEvent},
    transaction::{ActionKind, Resolution},
};
use till_service::admin::{Decision, DecisionOutcome, SentBy, resolve};
use till_store::AuditFilter;

/// A session whose code was paid after it had expired.
async fn late(world: &World, order: &str) -> (String, String) {
    let (id, payment) = world.paying(order, "sbp").await;
    world.later(10 * MINUTE).await;
    world.reaches(&id, State::Expired).await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    until("it is seen", async || world.money(&id).await.len() == 1).await;
    (id, payment)
}

on_both_engines! {
    a_code_is_shown_and_paid
    a_code_that_is_paid_late_waits_for_a_person_who_sends_it_back
}

async fn a_code_is_shown_and_paid(engine: Engine) {
    let world = World::on(engine, &[]).await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    let Some(Instructions::Qr { payload, app_url }) = world.attempt(&id).await.instructions else {
        panic!("no code")
    };
    assert!(payload.starts_with("https://qr.nspk.ru/AD10") && payload == app_url, "{payload}");
    let page = world.server.customer().get(&format!("/session/{id}"), &[]).await.body;
    let link = payload.replace('&', "&#38;");
    assert!(page.contains(&link) && page.contains("<svg"), "{page}");
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    assert!(world.fake.keys("capture").await.is_empty(), "SBP knows no holding");
    let told = world.told("A-1", "session.paid").await;
    assert_eq!(told["paymentMethod"], "sbp");
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shop_without_codes_sends_the_customer_to_its_page() {
    let world = World::new().await;
    world.fake.does("settings", json!({ "qr": false })).await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    assert!(matches!(world.attempt(&id).await.instructions, Some(Instructions::Redirect { .. })));
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    assert_eq!(world.fake.truth().await.0, 1);
    world.agrees().await;
}

async fn a_code_that_is_paid_late_waits_for_a_person_who_sends_it_back(engine: Engine) {
    let world = World::on(engine, &[]).await;
    let (id, _) = late(&world, "A-1").await;
    let money = world.money(&id).await.remove(0);
    assert!(money.marks.late && money.amount.minor == PRICE);
    assert_eq!(world.state(&id).await, State::Expired, "what was said stays said");
    assert_eq!(world.balance(Account::Suspense).await, PRICE);
    let action = world.actions().await.remove(0);
    assert_eq!((action.action.kind, action.decided.is_none()), (ActionKind::Late, true));
    // Automatic refunds are off.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(world.refunds().await.is_empty());
    world.agrees().await;
    let decision = Decision {
        action: action.action.id,
        resolution: Resolution::Refund,
        by: "Ada",
        sent_by: SentBy::Service,
    };
    let store = &world.server.live.store;
    let decided = resolve(&world.server.accounts, store, &Actor::shell(), decision).await.expect("a commit");
    assert!(matches!(decided, DecisionOutcome::Done(_)), "{decided:?}");
    world
        .later_until("it goes back", Duration::from_secs(1), async || world.fake.truth().await.3 == PRICE)
        .await;
    until("it is known", async || world.balance(Account::Refunds).await == 0).await;
    assert_eq!(world.balance(Account::Suspense).await, 0);
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_that_is_paid_late_goes_back_by_itself_where_the_operator_wants_that() {
    let world = World::with(&[("TILL_REFUND_LATE", "on")]).await;
    let (id, payment) = late(&world, "A-1").await;
    world
        .later_until("it goes back", Duration::from_secs(1), async || world.fake.truth().await.3 == PRICE)
        .await;
    let done = async || matches!(&world.refunds().await[..], [only] if only.state == RefundState::Succeeded);
    until("it is known", done).await;
    let refund = world.refunds().await.remove(0);
    assert_eq!((refund.payment == payment, refund.requested_by.as_str()), (true, "system"));
    let actions = world.actions().await;
    let [only] = &actions[..] else { panic!("one decision: {actions:?}") };
    assert!(matches!(&only.decided, Some((Resolution::Refund, _, by)) if by == "system"), "{only:?}");
    assert_eq!((world.state(&id).await, world.balance(Account::Suspense).await), (State::Expired, 0));
    let log = world.server.accounts.audit(&AuditFilter { limit: 10, ..AuditFilter::default() }).await;
    let log = log.expect("a read");
    let line = log.iter().find(|line| line.event == AuditEvent::ActionResolved).expect("it is logged");
    assert_eq!((line.actor.name.as_str(), line.vendor), ("system", Some(world.vendor.id)));
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_go_back_by_itself_is_tried_once_and_then_waits_for_a_person() {
    let world = World::with(&[("TILL_REFUND_LATE", "on")]).await;
    world.fake.does("settings", json!({ "refunds": "canceled" })).await;
    late(&world, "A-1").await;
    let waits = async || world.actions().await.iter().any(|stored| stored.decided.is_none());
    world
        .later_until("a person has to decide", Duration::from_secs(1), async || {
            waits().await && world.refunds().await.len() == 1
        })
        .await;
    until("it has failed", async || matches!(world.refunds().await[0].state, RefundState::Failed(_))).await;
    until("a person has to decide", waits).await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!((world.refunds().await.len(), world.actions().await.len()), (1, 2), "it is not tried again");
    assert!(waits().await);
    assert_eq!(world.balance(Account::Suspense).await, PRICE);
    world.agrees().await;
}
