//! Cards: authorised first, captured while the session is open, cancelled otherwise.

use super::*;
use till_domain::{attempt::Instructions, session::FailureReason};

#[tokio::test]
async fn a_card_is_paid_on_the_services_page_and_taken_when_it_is_seen() {
    let world = World::new();
    let attempt = world.open(Method::Card).await;
    let Some(Instructions::Redirect { url }) = &attempt.instructions else {
        panic!("{:?}", attempt.instructions)
    };
    assert!(url.starts_with("https://yoomoney.ru/"), "{url}");
    assert_eq!(world.check(&attempt).await, Observation::Waiting);
    world.pay(&attempt).await;
    assert_eq!(world.truth().await, (1, 149_000, 0, 0), "it is only held");
    assert_eq!(world.check(&attempt).await, paid(&attempt));
    assert_eq!(world.truth().await, (1, 0, 149_000, 0));
    assert_eq!(world.check(&attempt).await, paid(&attempt), "and it stays so");
    assert_eq!(world.close(&attempt).await, paid(&attempt), "it is too late to close it");
    let asked: Value =
        serde_json::from_str(world.look("log").await[0]["body"].as_str().expect("a body")).expect("JSON");
    assert_eq!(asked["capture"], false);
    assert_eq!(asked["confirmation"]["return_url"], BACK);
    assert_eq!(asked["confirmation"]["locale"], "ru_RU");
    assert_eq!(asked["metadata"]["attempt"], attempt.id.to_string());
    assert_eq!(world.keys("create").await, [attempt.id.to_string()]);
}

#[tokio::test]
async fn what_is_held_when_a_session_ends_goes_back() {
    let world = World::new();
    let attempt = world.open(Method::Card).await;
    world.pay(&attempt).await;
    assert_eq!(world.close(&attempt).await, Observation::Closed);
    assert_eq!(world.truth().await, (1, 0, 0, 0));
    assert_eq!(world.check(&watched(&attempt)).await, Observation::Closed);
}

#[tokio::test]
async fn a_payment_that_nobody_waits_for_is_not_taken_but_let_go() {
    let world = World::new();
    let attempt = world.open(Method::Card).await;
    assert_eq!(world.close(&attempt).await, Observation::CannotBeClosed);
    let attempt = watched(&attempt);
    assert_eq!(world.check(&attempt).await, Observation::Waiting);
    world.pay(&attempt).await;
    assert_eq!(world.check(&attempt).await, Observation::Closed);
    assert_eq!(world.truth().await, (1, 0, 0, 0), "the card has its money back");
    assert_eq!(world.keys("capture").await.len(), 0);
}

#[tokio::test]
async fn a_watched_payment_ends_with_its_hour() {
    let world = World::new();
    let attempt = watched(&world.open(Method::Card).await);
    world.does("advance", json!({ "seconds": 3_590 })).await;
    assert_eq!(world.check(&attempt).await, Observation::Waiting);
    world.does("advance", json!({ "seconds": 20 })).await;
    assert_eq!(world.check(&attempt).await, Observation::TimedOut);
    assert_eq!(world.happens("pay", json!({ "payment": attempt.reference })).await, 409, "it cannot be paid");
}

#[tokio::test]
async fn a_decline_has_its_reason() {
    let world = World::new();
    for (reason, expected) in [
        ("insufficient_funds", FailureReason::InsufficientFunds),
        ("card_expired", FailureReason::CardExpired),
        ("3d_secure_failed", FailureReason::ThreeDsFailed),
        ("fraud_suspected", FailureReason::CardDeclined),
        ("a_word_of_next_year", FailureReason::CardDeclined),
        ("internal_timeout", FailureReason::ProviderError),
    ] {
        let attempt = world.open(Method::Card).await;
        world.does("decline", json!({ "payment": attempt.reference, "reason": reason })).await;
        assert_eq!(world.check(&attempt).await, Observation::Declined(expected), "{reason}");
        assert_eq!(world.close(&attempt).await, Observation::Declined(expected), "{reason}");
    }
    let attempt = world.open(Method::Card).await;
    world.does("expire", json!({ "payment": attempt.reference })).await;
    assert_eq!(world.check(&attempt).await, Observation::TimedOut);
    assert_eq!(world.truth().await.2, 0);
}

#[tokio::test]
async fn what_the_shop_does_not_take_is_refused_before_anybody_is_asked() {
    let world = World::with("[most]\ncard = \"5000.00\"", "test_fake-secret");
    for (method, minor, code) in [
        (Method::Card, 99, "RUB"),
        (Method::Card, 500_001, "RUB"),
        (Method::Card, 10_000, "EUR"),
        (Method::Sbp, 70_000_001, "RUB"),
        (Method::Sbp, 10_000, "EUR"),
        (Method::Crypto, 10_000, "RUB"),
    ] {
        let attempt = Attempt { charge: money(minor, code).into(), ..attempt(method) };
        assert!(is_definite(&world.start(&attempt).await), "{method} {minor} {code}");
    }
    assert_eq!(world.look("log").await, json!([]));
    let most = Attempt { charge: money(500_000, "RUB").into(), ..attempt(Method::Card) };
    assert!(world.start(&most).await.is_ok());
}

#[tokio::test]
async fn a_link_to_anywhere_else_is_shown_to_nobody() {
    let world = World::new();
    world.does("settings", json!({ "page": "https://yoomoney.ru.evil.example/{id}" })).await;
    assert!(is_definite(&world.start(&attempt(Method::Card)).await));
    world.does("settings", json!({ "code": "https://evil.example/{qrc}?sum={minor}" })).await;
    assert!(is_definite(&world.start(&attempt(Method::Sbp)).await));
}

#[tokio::test]
async fn another_amount_is_never_taken() {
    let world = World::new();
    let attempt = world.open(Method::Card).await;
    world.pay(&attempt).await;
    let amount = json!({ "value": "1.00", "currency": "RUB" });
    world.does("fault", json!({ "on": "payment", "kind": "other_amount", "amount": amount })).await;
    assert!(is_unknown(&world.shop.check(&attempt).await));
    assert_eq!(world.truth().await, (1, 149_000, 0, 0));
    // Nor is another attempt's payment.
    let stolen = Attempt { reference: attempt.reference.clone(), ..world.open(Method::Card).await };
    assert!(is_unknown(&world.shop.check(&stolen).await));
    assert!(is_unknown(&world.shop.close(&stolen).await));
    assert_eq!(world.truth().await.1, 149_000);
}

#[tokio::test]
async fn a_test_payment_is_no_money_in_a_live_shop() {
    let world = World::with("", "live_fake-secret");
    assert!(!world.shop.is_simulated() && World::new().shop.is_simulated());
    let attempt = world.open(Method::Card).await;
    world.pay(&attempt).await;
    world.does("settings", json!({ "test": true })).await;
    assert!(is_unknown(&world.shop.check(&attempt).await));
    assert_eq!(world.truth().await.2, 0, "nothing is taken");
    let found = world.shop.probe().await.expect("it works").contradictions;
    assert!(found.iter().any(|problem| problem.contains("no money moves")), "{found:?}");
    world.does("settings", json!({ "test": false })).await;
    assert_eq!(world.check(&attempt).await, paid(&attempt));
}

#[tokio::test]
async fn the_set_up_can_be_tried_without_a_payment() {
    let world = World::new();
    let probe = world.shop.probe().await.expect("it works");
    assert_eq!((probe.shop.as_str(), probe.test, probe.problems), ("100500", true, Vec::<String>::new()));
    let settings = json!({ "status": "disabled", "fiscalization": true, "payment_methods": ["bank_card"] });
    world.does("settings", settings).await;
    let probe = world.shop.probe().await.expect("it works");
    let problems = probe.problems;
    for part in ["disabled", "accept sbp"] {
        assert!(problems.iter().any(|problem| problem.contains(part)), "{part} in {problems:?}");
    }
    assert_eq!(problems.len(), 2, "that the shop makes receipts is none: {problems:?}");
    assert!(probe.makes_receipts);
    let denied = world.stranger().probe().await;
    assert!(matches!(denied, Err(ProviderError::Denied(_))), "a wrong key: {denied:?}");
    world.fault("me", "500_before", 1).await;
    assert!(is_unknown(&world.shop.probe().await));
}
