//! Refunds: sent once, never more than was paid, and sometimes returned.

use super::{Scene, faults::is_unknown, refund_of};
use serde_json::json;
use till_domain::{money::Money, refund::RefundSeen};
use till_providers::ProviderError;

fn succeeded(seen: &Result<RefundSeen, ProviderError>) -> bool {
    matches!(seen, Ok(RefundSeen::Succeeded { .. }))
}

#[tokio::test]
async fn money_goes_back_once_for_each_id_and_never_more_than_was_taken() {
    let scene = Scene::new().await;
    let payment = scene.paid(1).await;
    let first = refund_of(&payment, 1, 4_989);
    assert_eq!(scene.ask(&first).await, Ok(RefundSeen::Unheard));
    for _ in 0..3 {
        assert!(succeeded(&scene.refund(&first).await));
    }
    assert!(succeeded(&scene.ask(&first).await));
    assert!(matches!(scene.refund(&refund_of(&payment, 2, 2)).await, Err(ProviderError::Definite(_))));
    assert!(succeeded(&scene.refund(&refund_of(&payment, 3, 1)).await));
    assert!(matches!(scene.refund(&refund_of(&payment, 4, 1)).await, Err(ProviderError::Definite(_))));
    assert_eq!(scene.truth().await["totals"]["usd"]["refunded"], 4_990);
    scene.compare().await;
}

#[tokio::test]
async fn nothing_goes_back_of_what_was_not_taken() {
    let scene = Scene::new().await;
    let open = scene.open(1).await;
    assert!(matches!(scene.refund(&refund_of(&open, 1, 100)).await, Err(ProviderError::Definite(_))));
    let mut unknown = refund_of(&open, 2, 100);
    unknown.payment = "pi_nobody".to_owned();
    assert!(matches!(scene.refund(&unknown).await, Err(ProviderError::Definite(_))));
    let disputed = scene.open(2).await;
    scene.pays(&disputed, "4000000000000259").await;
    scene.check(&disputed).await.expect("paid");
    assert!(matches!(scene.refund(&refund_of(&disputed, 3, 100)).await, Err(ProviderError::Definite(_))));
    let mut inexact = refund_of(&disputed, 4, 100);
    inexact.amount = Money { minor: 1_234, ..super::money(1, "KWD") };
    assert!(matches!(scene.refund(&inexact).await, Err(ProviderError::Definite(_))));
    scene.compare().await;
}

#[tokio::test]
async fn f16_a_refund_that_nobody_answers_is_sent_once() {
    let scene = Scene::new().await;
    let payment = scene.paid(1).await;
    let kinds = [
        ("drop_before", false),
        ("drop_after", true),
        ("hang_after", true),
        ("error_before", false),
        ("error_after", true),
        ("conflict", false),
        ("rate", false),
        ("malformed", true),
        ("wrong_types", true),
        ("huge", true),
    ];
    for (number, (kind, acted)) in (1..).zip(kinds) {
        let refund = refund_of(&payment, number, 100);
        scene.fault("/v1/refunds", kind).await;
        let said = scene.refund(&refund).await;
        assert!(is_unknown(&said), "{kind}: {said:?}");
        // As the worker does: it checks first, and sends a refund that Stripe does not know, under the same
        // idempotency key.
        let seen = scene.ask(&refund).await;
        assert_eq!(seen == Ok(RefundSeen::Unheard), !acted, "{kind}: {seen:?}");
        if !acted {
            assert!(succeeded(&scene.refund(&refund).await), "{kind}");
        }
        assert!(succeeded(&scene.ask(&refund).await), "{kind}");
    }
    assert_eq!(scene.truth().await["totals"]["usd"]["refunded"], 100 * kinds.len());
    scene.compare().await;
}

#[tokio::test]
async fn f16_asking_for_a_refund_never_fails_it() {
    let scene = Scene::new().await;
    let payment = scene.paid(1).await;
    let refund = refund_of(&payment, 1, 100);
    assert!(succeeded(&scene.refund(&refund).await));
    for status in [400, 401, 403, 404, 500] {
        scene.control("/fault", json!({ "path": "/v1/refunds", "kind": "refuse", "status": status })).await;
        assert!(
            matches!(scene.ask(&refund).await, Err(ProviderError::Unknown(_) | ProviderError::Unclear(_))),
            "{status}"
        );
    }
    // An API key that was revoked says nothing about what was sent with it.
    let other = refund_of(&payment, 2, 100);
    for status in [401, 403] {
        scene.control("/fault", json!({ "path": "/v1/refunds", "kind": "refuse", "status": status })).await;
        assert!(
            matches!(scene.refund(&other).await, Err(ProviderError::Unknown(_) | ProviderError::Unclear(_))),
            "{status}"
        );
    }
    scene.compare().await;
}

#[tokio::test]
async fn a_refund_may_be_slow_fail_at_once_or_fail_later() {
    let scene = Scene::new().await;
    let payment = scene.paid(1).await;
    scene.control("/refunds", json!({ "next": ["pending", "requires_action", "failed", "succeeded"] })).await;
    let refunds: Vec<_> = (1..=4).map(|number| refund_of(&payment, number, 100)).collect();
    assert_eq!(scene.refund(&refunds[0]).await, Ok(RefundSeen::Pending));
    assert_eq!(scene.refund(&refunds[1]).await, Ok(RefundSeen::Pending));
    let Ok(RefundSeen::Failed { reason }) = scene.refund(&refunds[2]).await else { panic!("it fails") };
    assert_eq!(reason, "Stripe could not complete the refund: expired or canceled card");
    assert!(succeeded(&scene.refund(&refunds[3]).await));
    let truth = scene.truth().await;
    let ids: Vec<String> = truth["refunds"].as_object().expect("refunds").keys().cloned().collect();
    let moves = [
        ("succeeded", None),
        ("failed", Some("insufficient_funds")),
        ("failed", None),
        ("failed", Some("declined")),
    ];
    for (id, (status, failure)) in ids.iter().zip(moves) {
        scene.control("/refund", json!({ "id": id, "status": status, "failure": failure })).await;
    }
    // Repeated under the same idempotency key, the service returns its first answer; the adapter returns the
    // current state.
    for (number, refund) in refunds.iter().enumerate() {
        let (said, asked) = (scene.refund(refund).await, scene.ask(refund).await);
        assert_eq!(said, asked, "{number}");
        assert_eq!(succeeded(&said), number == 0, "{number}: {said:?}");
    }
    // With its reference it is read directly.
    let mut known = refunds[0].clone();
    known.reference = Some(ids[0].clone());
    assert!(succeeded(&scene.ask(&known).await));
    scene.compare().await;
}

#[tokio::test]
async fn a_refund_is_found_among_many() {
    let scene = Scene::new().await;
    let payment = scene.paid(1).await;
    for number in 1..=120 {
        assert!(succeeded(&scene.refund(&refund_of(&payment, number, 1)).await));
    }
    assert!(succeeded(&scene.ask(&refund_of(&payment, 1, 1)).await), "on the second page");
    assert_eq!(scene.ask(&refund_of(&payment, 200, 1)).await, Ok(RefundSeen::Unheard));
    scene.compare().await;
}
