//! SBP: a QR code on our page, money at once, and no payment that could be closed.

use super::*;
use till_domain::{attempt::Instructions, session::FailureReason};

#[tokio::test]
async fn sbp_is_paid_by_a_code() {
    let world = World::new();
    let attempt = world.open(Method::Sbp).await;
    let Some(Instructions::Qr { payload, app_url }) = &attempt.instructions else {
        panic!("{:?}", attempt.instructions)
    };
    assert!(payload.starts_with("https://qr.nspk.ru/AD10") && payload.contains("&sum=149000&"), "{payload}");
    assert_eq!(payload, app_url, "a phone opens what the code says");
    assert_eq!(world.check(&attempt).await, Observation::Waiting);
    world.pay(&attempt).await;
    assert_eq!(world.check(&attempt).await, paid(&attempt));
    assert_eq!(world.truth().await, (1, 0, 149_000, 0));
    assert_eq!(world.keys("capture").await.len(), 0, "SBP holds nothing");
}

#[tokio::test]
async fn a_shop_without_codes_sends_customers_to_the_services_page() {
    let world = World::new();
    world.does("settings", json!({ "qr": false })).await;
    let attempt = attempt(Method::Sbp);
    let first = world.start(&attempt).await.expect("it starts");
    assert!(
        matches!(&first.instructions, Instructions::Redirect { url } if url.starts_with("https://yoomoney.ru/"))
    );
    let again = world.start(&attempt).await.expect("it starts");
    assert_eq!((again.reference, world.truth().await.0), (first.reference, 1), "once");
    let id = attempt.id.to_string();
    assert_eq!(world.keys("create").await[..2], [id.clone(), format!("{id}-redirect")]);
    world.does("settings", json!({ "payment_methods": ["bank_card"] })).await;
    assert!(is_definite(&world.start(&super::attempt(Method::Sbp)).await), "a shop without SBP");
}

#[tokio::test]
async fn late_money_by_sbp_is_seen_and_can_go_back() {
    let world = World::new();
    let attempt = world.open(Method::Sbp).await;
    assert_eq!(world.close(&attempt).await, Observation::CannotBeClosed, "a code that was shown can be paid");
    let attempt = watched(&attempt);
    world.does("advance", json!({ "seconds": 3_000 })).await;
    assert_eq!(world.check(&attempt).await, Observation::Waiting);
    world.pay(&attempt).await;
    assert_eq!(world.check(&attempt).await, paid(&attempt), "nothing is lost or hidden");
    let refunds = world.shop.refunds().expect("refunds");
    let back = refund(&attempt, 149_000);
    let seen = refunds.refund(&back).await.expect("it goes back");
    assert!(matches!(seen, till_domain::refund::RefundSeen::Succeeded { .. }), "{seen:?}");
    assert_eq!(world.truth().await, (1, 0, 149_000, 149_000));
}

#[tokio::test]
async fn a_refused_or_forgotten_code_ends_the_payment() {
    let world = World::new();
    let attempt = world.open(Method::Sbp).await;
    world.does("decline", json!({ "payment": attempt.reference, "reason": "insufficient_funds" })).await;
    assert_eq!(world.check(&attempt).await, Observation::Declined(FailureReason::InsufficientFunds));
    let attempt = world.open(Method::Sbp).await;
    world.does("decline", json!({ "payment": attempt.reference, "reason": "general_decline" })).await;
    assert_eq!(world.check(&attempt).await, Observation::Declined(FailureReason::ProviderError), "no card");
    let attempt = world.open(Method::Sbp).await;
    world.does("advance", json!({ "seconds": 3_601 })).await;
    assert_eq!(world.check(&attempt).await, Observation::TimedOut);
}
