//! Calls that are not about one payment: the check of the key, and Stripe's own list of payments and refunds.

use super::{Scene, now, refund_of};
use std::time::Duration;
use till_providers::{Books as _, Disputes as _, stripe::Probe};

#[tokio::test]
async fn a_key_that_works_says_what_it_is_for() {
    let scene = Scene::new().await;
    assert_eq!(
        scene.stripe.probe().await,
        Ok(Probe { live: false, currencies: vec!["USD".to_owned()], denied: vec![] })
    );
}

#[tokio::test]
async fn a_probe_tells_a_key_of_the_other_mode() {
    let scene = Scene::new().await;
    scene.control("/set", serde_json::json!({ "livemode": true })).await;
    assert!(scene.stripe.probe().await.is_err());
}

#[tokio::test]
async fn stripes_books_name_every_payment_that_was_taken() {
    let scene = Scene::new().await;
    let from = now().minus(Duration::from_secs(60));
    let payments = [scene.paid(1).await, scene.paid(2).await];
    let declined = scene.open(3).await;
    scene.pays(&declined, "4000000000000002").await;
    scene.refund(&refund_of(&payments[0], 1, 990)).await.expect("an answer");
    let records = scene.stripe.records(from, now().plus(Duration::from_secs(60))).await.expect("records");
    let records = records.expect("not too many");
    assert_eq!(records.len(), 2, "what was refused is no money");
    for payment in &payments {
        let found = records.iter().find(|record| Some(&record.payment) == payment.reference.as_ref());
        let found = found.expect("its record");
        let returned = if payment.id == payments[0].id { 990 } else { 0 };
        assert_eq!(
            (found.attempt, found.taken.atoms, found.returned.as_ref().map(|sum| sum.atoms)),
            (Some(payment.id), 4_990, Some(returned))
        );
        assert!(!found.disputed && found.at > from);
    }
    let past = scene.stripe.records(from.minus(Duration::from_secs(60)), from).await;
    assert_eq!(past, Ok(Some(Vec::new())));
}

#[tokio::test]
async fn books_of_many_pages_are_read_to_their_end() {
    let scene = Scene::new().await;
    for number in 1..=105 {
        scene.paid(number).await;
    }
    let records =
        scene.stripe.records(now().minus(Duration::from_secs(600)), now().plus(Duration::from_secs(60)));
    assert_eq!(records.await.expect("records").expect("not too many").len(), 105);
    scene.compare().await;
}

#[tokio::test]
async fn a_payment_is_found_in_the_books_by_its_name_whenever_it_was_taken() {
    let scene = Scene::new().await;
    let (paid, open) = (scene.paid(1).await, scene.open(2).await);
    let name = |attempt: &till_domain::attempt::Attempt| attempt.reference.clone().expect("a reference");
    let found = scene.stripe.record(&name(&paid)).await.expect("an answer").expect("a record");
    assert_eq!((found.attempt, found.taken.atoms, found.disputed), (Some(paid.id), 4_990, false));
    assert_eq!(scene.stripe.record(&name(&open)).await, Ok(None), "nothing was taken");
    assert_eq!(scene.stripe.record("pi_nobody").await, Ok(None));
    scene
        .control("/fault", serde_json::json!({ "path": "/v1/charges", "kind": "refuse", "status": 401 }))
        .await;
    assert!(scene.stripe.record(&name(&paid)).await.is_err(), "a key that is no good says nothing");
    // Its disputes are found by it too.
    assert_eq!(scene.stripe.disputes_of(&name(&paid)).await, Ok(Vec::new()));
    let dispute = scene.control("/dispute", serde_json::json!({ "intent": name(&paid) })).await;
    let disputes = scene.stripe.disputes_of(&name(&paid)).await.expect("an answer");
    assert_eq!((disputes.len(), Some(disputes[0].id.as_str())), (1, dispute["id"].as_str()));
    assert!(scene.stripe.record(&name(&paid)).await.expect("an answer").is_some_and(|r| r.disputed));
}
