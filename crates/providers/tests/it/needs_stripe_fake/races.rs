//! A payment against its deadline, and concurrent calls about one payment.

use super::{Scene, paid};
use futures_util::future::join_all;
use serde_json::json;
use std::time::Duration;
use till_domain::{attempt::Observation, session::FailureReason};
use till_providers::ProviderError;

#[tokio::test]
async fn a_payment_that_succeeds_while_it_is_cancelled_wins() {
    let scene = Scene::new().await;
    let attempt = scene.open(1).await;
    let pays = json!({ "intent": attempt.reference, "card": "4242424242424242" });
    scene.control("/fault", json!({ "path": "/cancel", "kind": "meanwhile", "customer": pays })).await;
    assert_eq!(scene.close(&attempt).await, Ok(paid(&attempt)));
    // The 3-D Secure challenge is passed at the last moment.
    let attempt = scene.open(2).await;
    scene.pays(&attempt, "4000002760003184").await;
    let answers = json!({ "intent": attempt.reference, "three_ds": "confirm" });
    scene.control("/fault", json!({ "path": "/cancel", "kind": "meanwhile", "customer": answers })).await;
    assert_eq!(scene.close(&attempt).await, Ok(paid(&attempt)));
    scene.compare().await;
}

#[tokio::test]
async fn a_card_that_is_refused_while_its_payment_is_cancelled_changes_nothing() {
    let scene = Scene::new().await;
    let attempt = scene.open(1).await;
    let pays = json!({ "intent": attempt.reference, "card": "4000000000000002" });
    scene.control("/fault", json!({ "path": "/cancel", "kind": "meanwhile", "customer": pays })).await;
    assert_eq!(scene.close(&attempt).await, Ok(Observation::Closed));
    scene.compare().await;
}

#[tokio::test]
async fn a_customer_who_tries_another_card_before_the_first_refusal_is_seen_has_paid() {
    let scene = Scene::new().await;
    let attempt = scene.open(1).await;
    scene.pays(&attempt, "4000000000000002").await;
    scene.pays(&attempt, "4242424242424242").await;
    assert_eq!(scene.check(&attempt).await, Ok(paid(&attempt)));
    // Or while it is being cancelled because of that refusal.
    let attempt = scene.open(2).await;
    scene.pays(&attempt, "4000000000000002").await;
    let pays = json!({ "intent": attempt.reference, "card": "4242424242424242" });
    scene.control("/fault", json!({ "path": "/cancel", "kind": "meanwhile", "customer": pays })).await;
    assert_eq!(scene.check(&attempt).await, Ok(paid(&attempt)));
    // Or gets a 3-D Secure challenge, which is not waited for: the payment was already being cancelled.
    let attempt = scene.open(3).await;
    scene.pays(&attempt, "4000000000000002").await;
    let pays = json!({ "intent": attempt.reference, "card": "4000002760003184" });
    scene.control("/fault", json!({ "path": "/cancel", "kind": "meanwhile", "customer": pays })).await;
    assert_eq!(scene.check(&attempt).await, Ok(Observation::Declined(FailureReason::CardDeclined)));
    scene.compare().await;
}

#[tokio::test]
async fn of_two_nodes_that_look_at_once_both_say_the_same() {
    let scene = Scene::new().await;
    for number in 1..=8 {
        let attempt = scene.open(number).await;
        scene.pays(&attempt, "4000000000009995").await;
        let mut other = attempt.clone();
        other.version += 1;
        let (one, two) = tokio::join!(scene.check(&attempt), scene.close(&other));
        let declined = Ok(Observation::Declined(FailureReason::InsufficientFunds));
        assert_eq!((&one, &two), (&declined, &declined));
    }
    // With the same idempotency key some of them may be told to wait.
    let attempt = scene.open(9).await;
    let said = join_all((0..8).map(|_| scene.close(&attempt))).await;
    let fine = |said: &Result<_, _>| {
        matches!(said, Ok(Observation::Closed) | Err(ProviderError::Unknown(_) | ProviderError::Unclear(_)))
    };
    assert!(said.iter().all(fine) && said.iter().any(Result::is_ok), "{said:?}");
    scene.compare().await;
}

#[tokio::test]
#[allow(clippy::print_stderr, reason = "how often each won is of interest")]
async fn forty_payments_against_their_deadline_come_to_what_the_money_did() {
    let scene = Scene::new().await;
    let mut won = [0, 0];
    for number in 1..=40 {
        let attempt = scene.open(number).await;
        // Closing reads first and then cancels: the customer pays before, between and after the two.
        let customer = async {
            tokio::time::sleep(Duration::from_millis(u64::from(number % 20) * 2)).await;
            scene.pays(&attempt, "4242424242424242").await;
        };
        let ((), closed) = tokio::join!(customer, scene.close(&attempt));
        match closed.expect("an answer") {
            Observation::Closed => won[0] += 1,
            Observation::Paid { .. } => won[1] += 1,
            other => panic!("{other:?}"),
        }
    }
    eprintln!("closed {}, paid {}", won[0], won[1]);
    scene.compare().await;
}

/// A small random number generator, so that a run can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }
}

#[tokio::test]
async fn f16_f18_payments_with_all_kinds_of_bad_luck_come_to_what_the_money_did() {
    let scene = Scene::new().await;
    let mut dice = Dice(std::env::var("TILL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(11));
    let kinds = [
        "drop_before",
        "drop_after",
        "error_before",
        "error_after",
        "conflict",
        "rate",
        "malformed",
        "wrong_types",
    ];
    let cards =
        ["4242424242424242", "4000000000000002", "4000002760003184", "4000008260003178", "5555555555554444"];
    for number in 1..=60 {
        let mut attempt = super::attempt(number);
        for _ in 0..dice.roll(3) {
            scene.fault("/v1/", kinds[dice.roll(kinds.len())]).await;
        }
        for _ in 0..6 {
            if let Ok(started) = scene.start(&attempt, super::price()).await {
                attempt.reference = Some(started.reference);
                break;
            }
        }
        // A start that is stuck has no reference: the customer cannot pay, and closing finds it.
        if let Some(reference) = &attempt.reference {
            for _ in 0..dice.roll(3) {
                scene.pays(&attempt, cards[dice.roll(cards.len())]).await;
                let waits = scene.truth().await["intents"][reference]["status"] == "requires_action";
                if waits && dice.roll(3) > 0 {
                    scene.answers_bank(&attempt, ["confirm", "refuse"][dice.roll(2)]).await;
                }
            }
        }
        for _ in 0..dice.roll(3) {
            scene.fault("/v1/payment_intents", kinds[dice.roll(kinds.len())]).await;
        }
        let mut last = None;
        for _ in 0..12 {
            attempt.version += 1;
            let said =
                if dice.roll(3) == 0 { scene.check(&attempt).await } else { scene.close(&attempt).await };
            let over = !matches!(said, Err(_) | Ok(Observation::Waiting | Observation::InFlight));
            last = Some(said);
            if over {
                break;
            }
        }
        scene.control("/calm", json!({})).await;
        assert!(matches!(last, Some(Ok(_))), "payment {number} came to nothing: {last:?}");
    }
    scene.compare().await;
}
