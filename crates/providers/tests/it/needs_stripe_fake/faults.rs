//! F16 and F18: Stripe does not answer before or after it acted, is slow or broken, or gives unreadable
//! answers.

use super::{Scene, attempt, paid, price};
use serde_json::json;
use std::time::{Duration, Instant};
use till_domain::attempt::Observation;
use till_providers::ProviderError;

pub(super) fn is_unknown<T>(said: &Result<T, ProviderError>) -> bool {
    use ProviderError::{RateLimited, Unclear, Unknown};
    matches!(said, Err(Unknown(_) | Unclear(_) | RateLimited { .. }))
}

/// Every fault that leaves open whether the request was executed.
const UNCLEAR: [&str; 9] = [
    "drop_before",
    "drop_after",
    "error_before",
    "conflict",
    "rate",
    "malformed",
    "wrong_types",
    "huge",
    "slow",
];

#[tokio::test]
async fn f16_a_start_that_nobody_answers_is_one_payment_however_often_it_is_tried() {
    let scene = Scene::new().await;
    for (number, kind) in (1..).zip(UNCLEAR) {
        let mut attempt = attempt(number);
        scene.fault("/v1/payment_intents", kind).await;
        let said = scene.start(&attempt, price()).await;
        assert!(is_unknown(&said), "{kind}: {said:?}");
        let started = scene.start(&attempt, price()).await.expect("it starts");
        attempt.reference = Some(started.reference);
        scene.pays(&attempt, "4242424242424242").await;
        assert_eq!(scene.check(&attempt).await, Ok(paid(&attempt)), "{kind}");
    }
    let truth = scene.truth().await;
    assert_eq!(truth["intents"].as_object().expect("intents").len(), UNCLEAR.len());
    assert_eq!(truth["totals"]["usd"]["received"], 4_990 * UNCLEAR.len());
    scene.compare().await;
}

#[tokio::test]
async fn f16_a_start_that_nobody_answers_can_be_closed() {
    let scene = Scene::new().await;
    for (number, (kind, expected)) in
        (1..).zip([("drop_before", Observation::NeverStarted), ("drop_after", Observation::Closed)])
    {
        let attempt = attempt(number);
        scene.fault("/v1/payment_intents", kind).await;
        assert!(is_unknown(&scene.start(&attempt, price()).await));
        assert_eq!(scene.close(&attempt).await, Ok(expected));
    }
    let truth = scene.truth().await;
    let intents = truth["intents"].as_object().expect("intents");
    assert!(intents.len() == 1 && intents.values().all(|intent| intent["status"] == "canceled"));
}

#[tokio::test]
async fn f16_a_silent_service_is_waited_for_only_so_long() {
    let scene = Scene::new().await;
    let attempt = scene.open(1).await;
    scene.fault("/v1/payment_intents", "hang_before").await;
    let began = Instant::now();
    assert!(is_unknown(&scene.check(&attempt).await));
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    // It acts without an answer: the next call returns the true state.
    scene.fault("/cancel", "hang_after").await;
    assert!(is_unknown(&scene.close(&attempt).await));
    assert_eq!(scene.close(&attempt).await, Ok(Observation::Closed));
    scene.compare().await;
}

#[tokio::test]
async fn f16_a_start_that_is_stuck_is_given_up_and_charges_nobody() {
    let scene = Scene::new().await;
    // Executed and answered with 500: the service repeats that while it remembers the idempotency key, and
    // says so.
    scene.control("/fault", json!({ "path": "/v1/payment_intents", "kind": "error_after" })).await;
    for _ in 0..2 {
        assert!(matches!(scene.start(&attempt(1), price()).await, Err(ProviderError::Definite(_))));
    }
    assert_eq!(scene.close(&attempt(1)).await, Ok(Observation::Closed));
    scene.compare().await;
}

#[tokio::test]
async fn f16_closing_says_so_only_when_it_is_closed() {
    let scene = Scene::new().await;
    for (number, kind) in (1..).zip(UNCLEAR) {
        let attempt = scene.open(number).await;
        scene.fault("/cancel", kind).await;
        assert!(is_unknown(&scene.close(&attempt).await), "{kind}");
        assert_eq!(scene.close(&attempt).await, Ok(Observation::Closed), "{kind}");
    }
    scene.compare().await;
}

#[tokio::test]
async fn f16_a_cancel_whose_500_is_remembered_is_tried_under_another_key() {
    let scene = Scene::new().await;
    let mut attempt = scene.open(1).await;
    // Not executed, and the 500 is repeated: the fake remembers it without having cancelled anything.
    scene
        .control(
            "/fault",
            json!({ "path": "/cancel", "kind": "error_before", "status": 500, "should_retry": "false" }),
        )
        .await;
    assert!(is_unknown(&scene.close(&attempt).await));
    attempt.version += 1;
    assert_eq!(scene.close(&attempt).await, Ok(Observation::Closed));
    let truth = scene.truth().await;
    let keys: Vec<_> =
        truth["calls"].as_array().expect("calls").iter().map(|call| call["key"].to_string()).collect();
    let cancels: Vec<_> = keys.iter().filter(|key| key.contains(":cancel:")).collect();
    assert!(cancels.len() == 2 && cancels[0] != cancels[1], "{cancels:?}");
}

#[tokio::test]
async fn f18_answers_that_make_no_sense_decide_nothing() {
    let scene = Scene::new().await;
    let attempt = scene.paid(1).await;
    let open = scene.open(2).await;
    for kind in ["error_before", "malformed", "wrong_types", "huge", "drop_before", "rate", "conflict"] {
        for payment in [&attempt, &open] {
            scene.fault("/v1/payment_intents/", kind).await;
            let said = scene.check(payment).await;
            let words = match said {
                Err(ProviderError::Unknown(words)) if kind != "rate" => words,
                Err(ProviderError::RateLimited { message, .. }) if kind == "rate" => message,
                said => panic!("{kind}: {said:?}"),
            };
            assert!(!words.contains("_secret_") && words.len() < 400, "{words}");
            scene.control("/calm", json!({})).await;
        }
    }
    assert_eq!(scene.check(&attempt).await, Ok(paid(&attempt)));
    assert_eq!(scene.check(&open).await, Ok(Observation::Waiting));
    scene.compare().await;
}

#[tokio::test]
async fn f18_a_long_answer_is_not_read_to_its_end() {
    let scene = Scene::new().await;
    scene.fault("/v1/balance", "huge").await;
    let said = scene.stripe.probe().await;
    let Err(ProviderError::Unknown(words)) = said else { panic!("{said:?}") };
    assert!(words.contains("too long"), "{words}");
}

#[tokio::test]
async fn a_conflict_that_passes_is_waited_for() {
    let scene = Scene::new().await;
    let attempt = scene.open(1).await;
    scene.control("/fault", json!({ "path": "/cancel", "kind": "conflict", "times": 2 })).await;
    assert_eq!(scene.close(&attempt).await, Ok(Observation::Closed));
    assert_eq!(scene.calls("POST", "/cancel").await, 3);
    scene.compare().await;
}

#[tokio::test]
async fn h3_too_many_requests_are_told_apart_with_how_long_to_wait() {
    let scene = Scene::new().await;
    let attempt = scene.open(1).await;
    let rate = |more: serde_json::Value| {
        let mut fault = json!({ "path": "/v1/payment_intents", "kind": "rate" });
        fault.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        fault
    };
    let waits = |said: Result<Observation, ProviderError>| match said {
        Err(ProviderError::RateLimited { retry_after, .. }) => retry_after,
        said => panic!("{said:?}"),
    };
    scene.control("/fault", rate(json!({}))).await;
    assert_eq!(waits(scene.check(&attempt).await), None);
    scene.control("/fault", rate(json!({ "retry_after": 7 }))).await;
    assert_eq!(waits(scene.check(&attempt).await), Some(Duration::from_secs(7)));
    scene.control("/fault", rate(json!({ "path": "/cancel" }))).await;
    assert_eq!(waits(scene.close(&attempt).await), None);
    // `lock_timeout` means that one object is in use; it is not about our request rate.
    scene.control("/fault", rate(json!({ "code": "lock_timeout" }))).await;
    let said = scene.check(&attempt).await;
    assert!(matches!(said, Err(ProviderError::Unknown(_))), "{said:?}");
    assert_eq!(scene.close(&attempt).await, Ok(Observation::Closed));
    let (_, requests) = till_providers::web::counting(scene.close(&attempt)).await;
    assert_eq!(requests, 1, "each request is counted");
    scene.compare().await;
}
