//! Faults of the service: F16 and F18.

use super::*;
use till_domain::attempt::Instructions;

/// Every fault that leaves open whether the service has acted, and true if it had.
const UNCLEAR: [(&str, bool); 14] = [
    ("timeout_before", false),
    ("timeout_after", true),
    ("hang_up_before", false),
    ("hang_up_after", true),
    ("500_before", false),
    ("500_after", true),
    ("503_before", false),
    ("429_before", false),
    ("malformed", false),
    ("malformed_after", true),
    ("huge_after", true),
    ("types", true),
    ("html", false),
    ("redirect", false),
];

async fn unclear(world: &World, on: &str, kind: &str) {
    let to = format!("{}/me", world.api);
    world.does("fault", json!({ "on": on, "kind": kind, "seconds": 4, "to": to })).await;
}

#[tokio::test]
async fn f16_an_unclear_start_is_repeated_with_its_key_and_happens_once() {
    let world = World::new();
    for (kind, acted) in UNCLEAR {
        let before = world.truth().await.0;
        let attempt = attempt(Method::Card);
        unclear(&world, "create", kind).await;
        assert!(is_unknown(&world.start(&attempt).await), "{kind}");
        assert_eq!(world.truth().await.0 - before, usize::from(acted), "{kind}");
        let started = world.start(&attempt).await.expect("it starts");
        assert_eq!(world.truth().await.0 - before, 1, "{kind}: once");
        let attempt = opened(attempt, started);
        world.pay(&attempt).await;
        assert_eq!(world.check(&attempt).await, paid(&attempt), "{kind}");
        let of = |key: &&String| **key == attempt.id.to_string();
        assert_eq!(world.keys("create").await.iter().filter(of).count(), 2, "{kind}: the same key");
    }
    assert_eq!(world.truth().await, (UNCLEAR.len(), 0, 149_000 * 14, 0));
}

#[tokio::test]
async fn f16_a_payment_whose_start_was_never_answered_is_found_and_closed() {
    let world = World::new();
    let lost = attempt(Method::Card);
    assert_eq!(world.close(&lost).await, Observation::NeverStarted);
    world.fault("create", "timeout_after", 1).await;
    assert!(is_unknown(&world.start(&lost).await));
    // There are many others, on more than one page.
    for _ in 0..110 {
        world.open(Method::Card).await;
    }
    assert_eq!(world.check(&lost).await, Observation::Waiting, "it is among them");
    assert_eq!(world.close(&lost).await, Observation::CannotBeClosed);
    let pages = world.keys("payments").await.len();
    assert!(pages >= 5, "{pages} pages");
    world.fault("payments", "500_before", 1).await;
    assert!(is_unknown(&world.shop.close(&lost).await), "who cannot look knows nothing");
}

#[tokio::test]
async fn l9_the_search_for_an_unanswered_start_ends_at_its_first_match() {
    let world = World::new();
    for _ in 0..110 {
        world.open(Method::Card).await;
    }
    let lost = attempt(Method::Card);
    world.fault("create", "timeout_after", 1).await;
    assert!(is_unknown(&world.start(&lost).await));
    let before = world.keys("payments").await.len();
    assert_eq!(world.check(&lost).await, Observation::Waiting);
    assert_eq!(world.keys("payments").await.len() - before, 1, "it is the newest of 111");
    // Payments made long before or after the start are not searched.
    let (mut early, mut late) = (lost.clone(), lost);
    early.updated_at = early.updated_at.minus(Duration::from_secs(10 * 60));
    early.started_at = early.updated_at;
    late.started_at = late.started_at.plus(Duration::from_secs(10 * 60));
    late.updated_at = late.started_at;
    for other in [&early, &late] {
        assert_eq!(world.check(other).await, Observation::NeverStarted);
    }
}

#[tokio::test]
async fn h3_too_many_requests_are_told_apart_with_how_long_to_wait() {
    let world = World::new();
    let open = world.open(Method::Card).await;
    world.fault("payment", "429_before", 1).await;
    let said = world.shop.check(&open).await;
    let wait = Some(Duration::from_millis(1_800));
    assert!(
        matches!(&said, Err(ProviderError::RateLimited { retry_after, .. }) if *retry_after == wait),
        "{said:?}"
    );
    world.fault("create", "429_before", 1).await;
    let said = world.start(&attempt(Method::Card)).await;
    assert!(matches!(said, Err(ProviderError::RateLimited { .. })), "{said:?}");
}

#[tokio::test]
async fn what_is_still_processed_is_asked_for_again_with_the_same_key() {
    let world = World::new();
    let one = attempt(Method::Card);
    world.fault("create", "202_before", 3).await;
    assert!(world.start(&one).await.is_ok(), "the fourth time");
    assert_eq!(world.keys("create").await, vec![one.id.to_string(); 4]);
    let other = attempt(Method::Card);
    world.fault("create", "202_after", 4).await;
    assert!(is_unknown(&world.start(&other).await), "not longer");
    assert!(world.start(&other).await.is_ok());
    assert_eq!(world.truth().await.0, 2);
}

#[tokio::test]
async fn a_refused_start_is_definite() {
    let world = World::new();
    world.does("settings", json!({ "fiscalization": true })).await;
    let refused = world.start(&attempt(Method::Card)).await;
    assert!(
        matches!(&refused, Err(ProviderError::Definite(text)) if text.contains("Receipt")),
        "{refused:?}"
    );
    world.does("settings", json!({ "fiscalization": false })).await;
    for kind in ["401_before", "403_before", "404_before"] {
        world.fault("create", kind, 1).await;
        let refused = world.start(&attempt(Method::Card)).await;
        let denied = matches!(refused, Err(ProviderError::Denied(_)));
        assert!(if kind == "401_before" { denied } else { is_definite(&refused) }, "{kind}: {refused:?}");
    }
    assert_eq!(world.truth().await.0, 0, "nothing was made");
}

#[tokio::test]
async fn f18_questions_that_are_not_answered_say_nothing() {
    let world = World::new();
    let attempt = world.open(Method::Sbp).await;
    world.pay(&attempt).await;
    for kind in [
        "timeout_before",
        "hang_up_after",
        "500_before",
        "429_before",
        "malformed",
        "huge",
        "huge_after",
        "types",
        "html",
        "redirect",
        "401_before",
        "403_before",
        "404_before",
    ] {
        unclear(&world, "payment", kind).await;
        assert!(is_unknown(&world.shop.check(&attempt).await), "{kind}");
        unclear(&world, "payment", kind).await;
        assert!(is_unknown(&world.shop.close(&attempt).await), "{kind}");
    }
    let other = json!({ "on": "payment", "kind": "other_id", "id": "23d93cac-000f-5000-8000-126628f15141" });
    world.does("fault", other).await;
    assert!(is_unknown(&world.shop.check(&attempt).await), "another payment");
    assert_eq!(world.check(&attempt).await, paid(&attempt), "then it is known again");
}

#[tokio::test]
async fn a_capture_that_is_not_answered_is_in_flight_and_happens_once() {
    let world = World::new();
    for (kind, acted) in UNCLEAR {
        let attempt = world.open(Method::Card).await;
        world.pay(&attempt).await;
        let taken = world.truth().await.2;
        unclear(&world, "capture", kind).await;
        assert_eq!(world.check(&attempt).await, Observation::InFlight, "{kind}");
        assert_eq!(world.truth().await.2 - taken, if acted { 149_000 } else { 0 }, "{kind}");
        let later = Attempt { state: AttemptState::InFlight, version: attempt.version + 1, ..attempt };
        assert_eq!(world.check(&later).await, paid(&later), "{kind}");
        assert_eq!(world.truth().await.2 - taken, 149_000, "{kind}");
    }
}

#[tokio::test]
async fn a_cancellation_that_is_not_answered_is_asked_for_again() {
    let world = World::new();
    for (kind, _) in UNCLEAR {
        let attempt = world.open(Method::Card).await;
        world.pay(&attempt).await;
        unclear(&world, "cancel", kind).await;
        assert!(is_unknown(&world.shop.close(&attempt).await), "{kind}");
        let later = Attempt { version: attempt.version + 1, ..attempt };
        assert_eq!(world.close(&later).await, Observation::Closed, "{kind}");
    }
    assert_eq!(world.truth().await, (14, 0, 0, 0));
}

#[tokio::test]
async fn nobody_there_is_unknown() {
    let mut world = World::new();
    let attempt = world.open(Method::Card).await;
    world.fake.stop();
    assert!(is_unknown(&world.start(&super::attempt(Method::Card)).await));
    assert!(is_unknown(&world.shop.check(&attempt).await));
    assert!(is_unknown(&world.shop.close(&attempt).await));
    assert!(is_unknown(&world.shop.probe().await));
    let refund = refund(&attempt, 100);
    assert!(is_unknown(&world.shop.refunds().expect("refunds").refund(&refund).await));
}

#[tokio::test]
async fn what_is_decided_at_once_needs_no_page() {
    let world = World::new();
    let attempt = attempt(Method::Card);
    world.fault("create", "timeout_after", 1).await;
    assert!(is_unknown(&world.start(&attempt).await));
    let reference = world.look("truth").await["payments"][0]["id"].as_str().expect("an id").to_owned();
    world.does("decline", json!({ "payment": reference, "reason": "general_decline" })).await;
    // The idempotency key returns the first answer, whatever happened since: the next check shows the current
    // state.
    let started = world.start(&attempt).await.expect("it starts");
    assert!(matches!(started.instructions, Instructions::Redirect { .. }));
    let declined = world.check(&opened(attempt, started)).await;
    assert!(matches!(declined, Observation::Declined(_)), "{declined:?}");
}
