//! The deadline of a session is the end of its payment at T-Bank: expired means closed.

use super::*;
use till_domain::session::FailureReason;

on_both_engines! {
    an_expired_session_takes_no_money
    a_payment_in_work_at_the_deadline_is_waited_for
}

/// Whether the customer can still pay, at the fake.
async fn can_pay(world: &World, payment: &str) -> bool {
    world.fake.happens("pay", json!({ "payment": payment })).await == 200
}

async fn an_expired_session_takes_no_money(engine: Engine) {
    let world = World::on(engine, &[]).await;
    for (method, minutes) in [("card", 15), ("sbp", 10)] {
        let (id, payment) = world.paying(method, method).await;
        let deadline = world.server.session(&id).await.deadline();
        world.later(minutes * MINUTE).await;
        world.reaches(&id, State::Expired).await;
        assert_eq!(world.server.session(&id).await.updated_at, deadline);
        assert_eq!(world.attempt(&id).await.state, AttemptState::Closed, "{method}: nothing is watched");
        assert!(!can_pay(&world, &payment).await, "{method}");
        assert_eq!(world.told(method, "session.expired").await["status"], "expired");
        assert!(world.money(&id).await.is_empty());
    }
    assert!(world.actions().await.is_empty());
    world.agrees().await;
}

async fn a_payment_in_work_at_the_deadline_is_waited_for(engine: Engine) {
    let world = World::on(engine, &[]).await;
    let mut sessions = Vec::new();
    for order in ["paid", "declined", "silent"] {
        let (id, payment) = world.paying(order, "card").await;
        world.fake.does("authorize", json!({ "payment": payment })).await;
        sessions.push((id, payment));
    }
    world.later(15 * MINUTE).await;
    for (id, payment) in &sessions {
        world
            .later_until("it is in flight", Duration::from_secs(1), async || {
                world.attempt(id).await.state == AttemptState::InFlight
            })
            .await;
        assert_eq!(world.state(id).await, State::Pending);
        assert_eq!(world.fake.payment(payment).await["status"], "AUTHORIZING");
    }
    world.later(Duration::from_secs(100)).await;
    world.fake.does("pay", json!({ "payment": sessions[0].1 })).await;
    world.fake.does("decline", json!({ "payment": sessions[1].1, "code": "1051" })).await;
    world.reaches(&sessions[0].0, State::Paid).await;
    world.reaches(&sessions[1].0, State::Failed(FailureReason::InsufficientFunds)).await;
    // Five minutes past the deadline the third one is given up; held money that comes later is released.
    world
        .later_until("it expires", Duration::from_secs(20), async || {
            world.state(&sessions[2].0).await == State::Expired
        })
        .await;
    assert_eq!(world.actions().await.len(), 1, "T-Bank never said what became of it");
    world.fake.does("pay", json!({ "payment": sessions[2].1 })).await;
    world
        .later_until("it is released", MINUTE, async || {
            world.fake.payment(&sessions[2].1).await["status"] == "REVERSED"
        })
        .await;
    assert!(world.money(&sessions[2].0).await.is_empty());
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_cancelled_expires_only_when_t_bank_has_closed_it() {
    let world = World::new().await;
    world.fake.does("settings", json!({ "cancel_shown": "refused", "lag": 90 })).await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    let deadline = world.server.session(&id).await.deadline();
    world.later(10 * MINUTE + Duration::from_secs(1)).await;
    until("it is asked to close", async || !world.fake.calls("Cancel").await.is_empty()).await;
    assert_eq!(world.state(&id).await, State::Pending, "T-Bank has not closed it");
    let pending = async || world.state(&id).await == State::Pending;
    while pending().await {
        let open = world.fake.payment(&payment).await["status"] == "FORM_SHOWED";
        assert!(open || world.fake.payment(&payment).await["status"] == "DEADLINE_EXPIRED");
        world.later(Duration::from_secs(10)).await;
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    assert_eq!(world.state(&id).await, State::Expired);
    assert_eq!(world.fake.payment(&payment).await["status"], "DEADLINE_EXPIRED");
    assert_eq!(world.server.session(&id).await.updated_at, deadline, "as of its deadline");
    assert!(world.actions().await.is_empty() && !can_pay(&world, &payment).await);
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_less_than_a_minute_left_t_bank_is_not_offered() {
    let world = World::new().await;
    let id = world.order("A-1").await;
    world.later(15 * MINUTE - Duration::from_secs(59)).await;
    let page = async || world.server.customer().get(&format!("/session/{id}"), &[]).await.body;
    let refused = world.server.customer().pay(&id, "card").await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(world.fake.calls("Init").await.is_empty() && !page().await.contains("pay.tbank.ru"));
    // By SBP the session has its own ten minutes.
    assert_eq!(world.server.customer().pay(&id, "sbp").await.status, 303);
    assert_eq!(world.fake.calls("Init").await.len(), 1);
    let payment = world.attempt(&id).await.reference.expect("a payment");
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vendor_ends_a_session_and_its_payment() {
    let world = World::new().await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    assert_eq!(world.shop.expire(&id, "").await.status, 200);
    assert_eq!((world.state(&id).await, can_pay(&world, &payment).await), (State::Expired, false));
    world.agrees().await;
}
