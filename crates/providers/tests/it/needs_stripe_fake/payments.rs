//! A payment from its start to its end, and the meaning of each status.

use super::{Scene, attempt, clock, money, paid, price, value};
use serde_json::json;
use till_domain::{
    attempt::{Instructions, Observation, Quantity},
    method::Method,
    session::FailureReason,
};
use till_providers::{
    Order, Provider as _, ProviderError,
    stripe::{Stripe, StripeSetup},
    web::Web,
};
use till_testing::stripe::KEY;

#[tokio::test]
async fn a_card_is_paid_in_the_form_on_our_page() {
    let scene = Scene::new().await;
    let mut attempt = scene.open(1).await;
    let Some(Instructions::Embedded { origins, .. }) = &attempt.instructions else { panic!("a form") };
    assert_eq!(origins.frames, origins.connections, "the fake is all of Stripe's origins");
    assert!(!format!("{:?}", attempt.instructions).contains("_secret_"), "it is never printed");
    let secret = value(&attempt, "client_secret");
    let reference = attempt.reference.clone().expect("a reference");
    assert!(secret.starts_with(&format!("{reference}_secret_")));
    assert_eq!(scene.check(&attempt).await, Ok(Observation::Waiting));
    scene.pays(&attempt, "4242424242424242").await;
    assert_eq!(scene.check(&attempt).await, Ok(paid(&attempt)));
    // A paid payment stays paid when it is closed, and when its reference was lost.
    assert_eq!(scene.close(&attempt).await, Ok(paid(&attempt)));
    let found = paid(&attempt);
    attempt.reference = None;
    assert_eq!(scene.check(&attempt).await, Ok(found.clone()));
    assert_eq!(scene.close(&attempt).await, Ok(found));
    let truth = scene.truth().await;
    let intent = &truth["intents"][&reference];
    assert_eq!(intent["metadata"]["attempt_id"], json!(attempt.id.to_string()));
    assert_eq!(
        (&intent["description"], &intent["capture_method"]),
        (&json!("Tea, 100 g"), &json!("automatic"))
    );
    scene.compare().await;
}

#[tokio::test]
async fn starting_again_finds_the_same_payment() {
    let scene = Scene::new().await;
    let attempt = attempt(1);
    let first = scene.start(&attempt, price()).await.expect("it starts");
    for _ in 0..3 {
        assert_eq!(scene.start(&attempt, price()).await.as_ref(), Ok(&first));
    }
    assert_eq!(scene.truth().await["intents"].as_object().expect("intents").len(), 1);
    // The same attempt with another amount is an error of the caller.
    assert!(matches!(scene.start(&attempt, money(5_000, "USD")).await, Err(ProviderError::Definite(_))));
    assert_eq!(scene.truth().await["intents"].as_object().expect("intents").len(), 1);
}

#[tokio::test]
async fn a_refused_card_ends_the_payment_there_first() {
    use FailureReason as R;
    let scene = Scene::new().await;
    let cards = [
        ("4000000000000002", R::CardDeclined),
        ("4000000000009995", R::InsufficientFunds),
        ("4000000000009987", R::CardDeclined),
        ("4000000000000069", R::CardExpired),
        ("4000000000000127", R::CardDeclined),
        ("4000000000000119", R::ProviderError),
        ("4000000000000341", R::CardDeclined),
    ];
    for (number, (card, reason)) in (1..).zip(cards) {
        let attempt = scene.open(number).await;
        scene.pays(&attempt, card).await;
        // One call checks, the other closes: both return the reason, and both have cancelled the intent.
        let said = if number % 2 == 0 { scene.check(&attempt).await } else { scene.close(&attempt).await };
        assert_eq!(said, Ok(Observation::Declined(reason)), "{card}");
        assert_eq!(
            scene.truth().await["intents"][attempt.reference.as_ref().expect("it")]["status"],
            "canceled"
        );
        // A second try of the customer is refused.
        let again = json!({ "intent": attempt.reference, "card": "4242424242424242" });
        assert_eq!(scene.control("/customer", again).await["refused"], "payment_intent_unexpected_state");
        assert_eq!(scene.check(&attempt).await, Ok(Observation::Declined(reason)), "{card}, asked again");
    }
    scene.compare().await;
}

#[tokio::test]
async fn why_it_was_refused_is_known_to_whoever_looks_after_a_crash() {
    let scene = Scene::new().await;
    scene.control("/set", json!({ "keeps_error": false })).await;
    // The customer fails the 3-D Secure challenge, which leaves no charge behind either.
    let attempt = scene.open(1).await;
    scene.pays(&attempt, "4000000000003220").await;
    scene.answers_bank(&attempt, "refuse").await;
    let declined = Ok(Observation::Declined(FailureReason::ThreeDsFailed));
    // Noted and cancelled, and the answer is lost.
    scene.fault("/cancel", "drop_after").await;
    assert!(matches!(
        scene.check(&attempt).await,
        Err(ProviderError::Unknown(_) | ProviderError::Unclear(_))
    ));
    assert_eq!(scene.check(&attempt).await, declined);
    assert_eq!(scene.close(&attempt).await, declined);
    // Noted and not cancelled: noting it made the service forget the error.
    let attempt = scene.open(2).await;
    scene.pays(&attempt, "4000000000003220").await;
    scene.answers_bank(&attempt, "refuse").await;
    scene.fault("/cancel", "drop_before").await;
    assert!(matches!(
        scene.check(&attempt).await,
        Err(ProviderError::Unknown(_) | ProviderError::Unclear(_))
    ));
    assert_eq!(scene.check(&attempt).await, declined);
    scene.compare().await;
}

#[tokio::test]
async fn the_banks_question_is_in_flight_until_it_is_answered() {
    use FailureReason as R;
    let scene = Scene::new().await;
    let declined = |reason| Observation::Declined(reason);
    let cases = [
        ("4000002760003184", "confirm", None),
        ("4000002500003155", "refuse", Some(declined(R::ThreeDsFailed))),
        ("4000008260003178", "confirm", Some(declined(R::InsufficientFunds))),
        ("4000008400001629", "confirm", Some(declined(R::CardDeclined))),
    ];
    for (number, (card, answer, expected)) in (1..).zip(cases) {
        let attempt = scene.open(number).await;
        scene.pays(&attempt, card).await;
        assert_eq!(scene.check(&attempt).await, Ok(Observation::InFlight), "{card}");
        scene.answers_bank(&attempt, answer).await;
        assert_eq!(scene.check(&attempt).await, Ok(expected.unwrap_or_else(|| paid(&attempt))), "{card}");
    }
    // One with an unanswered 3-D Secure challenge can be closed.
    let attempt = scene.open(9).await;
    scene.pays(&attempt, "4000002760003184").await;
    assert_eq!(scene.close(&attempt).await, Ok(Observation::Closed));
    scene.compare().await;
}

#[tokio::test]
async fn what_is_closed_takes_no_more_money() {
    let scene = Scene::new().await;
    let attempt = scene.open(1).await;
    for _ in 0..3 {
        assert_eq!(scene.close(&attempt).await, Ok(Observation::Closed));
    }
    assert_eq!(scene.check(&attempt).await, Ok(Observation::Closed));
    scene.pays(&attempt, "4242424242424242").await;
    assert_eq!(scene.check(&attempt).await, Ok(Observation::Closed));
    assert_eq!(scene.calls("POST", "/cancel").await, 1, "asking first spares a call");
    // Stripe itself ends an intent that was open for too long.
    let attempt = scene.open(2).await;
    scene.control("/end", json!({ "intent": attempt.reference, "reason": "automatic" })).await;
    assert_eq!(scene.check(&attempt).await, Ok(Observation::TimedOut));
    scene.compare().await;
}

#[tokio::test]
async fn what_is_being_processed_cannot_be_closed_and_is_waited_for() {
    let scene = Scene::new().await;
    for (number, outcome) in [(1, "succeed"), (2, "fail")] {
        let mut attempt = scene.open(number).await;
        scene.control("/plan", json!({ "intent": attempt.reference, "confirm": "processing" })).await;
        scene.pays(&attempt, "4242424242424242").await;
        assert_eq!(scene.check(&attempt).await, Ok(Observation::InFlight));
        assert_eq!(scene.close(&attempt).await, Ok(Observation::InFlight));
        scene.control("/settle", json!({ "intent": attempt.reference, "outcome": outcome })).await;
        // The refusal to cancel is remembered under its idempotency key; the next version of the attempt has
        // another key.
        attempt.version += 1;
        let declined = Observation::Declined(FailureReason::CardDeclined);
        let expected = if outcome == "succeed" { paid(&attempt) } else { declined };
        assert_eq!(scene.close(&attempt).await, Ok(expected));
    }
    scene.compare().await;
}

#[tokio::test]
async fn what_was_never_started_is_known_not_to_be() {
    let scene = Scene::new().await;
    scene.open(1).await;
    let attempt = attempt(2);
    assert_eq!(scene.check(&attempt).await, Ok(Observation::NeverStarted));
    assert_eq!(scene.close(&attempt).await, Ok(Observation::NeverStarted));
}

#[tokio::test]
async fn only_amounts_that_can_be_said_exactly_are_taken() {
    let scene = Scene::new().await;
    let good = [(500, "JPY", 500), (1_230, "KWD", 1_230), (12_300, "MGA", 123)];
    for (number, (minor, code, units)) in (1..).zip(good) {
        let mut attempt = attempt(number);
        let started = scene.start(&attempt, money(minor, code)).await.expect("it starts");
        assert_eq!(started.charge, Quantity::from(money(minor, code)));
        attempt.reference = Some(started.reference.clone());
        assert_eq!(scene.truth().await["intents"][&started.reference]["amount"], units, "{code}");
        scene.pays(&attempt, "4242424242424242").await;
        let received = money(minor, code).into();
        let reference = started.reference;
        assert_eq!(scene.stripe.check(&attempt).await, Ok(Observation::Paid { received, reference }));
    }
    // The last two are a currency that is not set up, and an amount below the minimum.
    for (minor, code) in [(1_234, "KWD"), (12_350, "MGA"), (100_000_000, "USD"), (500, "EUR"), (49, "USD")] {
        let said = scene.start(&attempt(9), money(minor, code)).await;
        assert!(matches!(said, Err(ProviderError::Definite(_))), "{minor} {code}: {said:?}");
        assert!(!scene.stripe.takes(Method::Card, money(minor, code)), "{minor} {code}");
    }
    assert!(scene.stripe.takes(Method::Card, price()) && !scene.stripe.takes(Method::Sbp, price()));
    assert_eq!(scene.truth().await["intents"].as_object().expect("intents").len(), 3);
}

#[tokio::test]
async fn a_key_that_is_refused_starts_nothing_and_ends_nothing() {
    let scene = Scene::new().await;
    let known = scene.open(1).await;
    let document = scene.fake.document("webhook_secrets = [\"whsec_fake\"]");
    let revoked = StripeSetup::parse(&document.replace(KEY, "sk_test_revoked")).expect("a set-up");
    let other = Stripe::new(revoked, Web::trusting([]), clock());
    let order = Order {
        attempt: &attempt(2),
        amount: price(),
        item: "Tea",
        back: "https://pay.example",
        deadline: till_domain::time::Timestamp::from_ms(i64::MAX),
    };
    let said = other.start(&order).await;
    let Err(ProviderError::Denied(words)) = said else { panic!("{said:?}") };
    assert!(words.contains("401") && !words.contains("sk_test_revoked"), "{words}");
    for said in [other.check(&known).await, other.close(&known).await] {
        assert!(matches!(said, Err(ProviderError::Unknown(_) | ProviderError::Unclear(_))), "{said:?}");
    }
    assert!(matches!(other.probe().await, Err(ProviderError::Denied(_))));
    // A payment that this account does not have belongs to another account: that ends nothing.
    let mut foreign = known.clone();
    foreign.reference = Some("pi_of_another_account".to_owned());
    assert!(matches!(scene.close(&foreign).await, Err(ProviderError::Unclear(_))));
    foreign.reference = Some("pi_1/../../v1/refunds".to_owned());
    assert!(matches!(
        scene.close(&foreign).await,
        Err(ProviderError::Unknown(_) | ProviderError::Unclear(_))
    ));
}

#[tokio::test]
async fn nothing_secret_is_printed() {
    let scene = Scene::new().await;
    let shown = format!("{:?}", scene.stripe);
    assert!(!shown.contains("sk_test") && !shown.contains("whsec"), "{shown}");
    assert!(scene.stripe.is_simulated(), "a test key moves no money");
    assert_eq!(scene.stripe.methods().len(), 1);
    let script = scene.stripe.element().expect("a script");
    assert!(script.contains("data-element") && !script.contains("innerHTML"));
}
