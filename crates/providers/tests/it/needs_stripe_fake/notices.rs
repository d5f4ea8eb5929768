//! F17: webhook events that come twice, late, in any order, or forged.

use super::{Scene, paid, refund_of};
use serde_json::{Value, json};
use till_domain::{
    attempt::{Attempt, Observation},
    finding::DisputeState,
    refund::RefundSeen,
    session::FailureReason,
};
use till_providers::{Notice, NoticeSubject, Provider as _, stripe::Stripe};

async fn signed(scene: &Scene, how: &str) -> Vec<Value> {
    let events = scene.control(&format!("/signed?{how}"), json!({})).await;
    events.as_array().expect("events").clone()
}

fn with<T>(event: &Value, read: impl FnOnce(&Notice<'_>) -> T) -> T {
    let body = event["body"].as_str().expect("a body").as_bytes();
    read(&Notice { signature: event["signature"].as_str(), body })
}

fn read(stripe: &Stripe, event: &Value) -> Option<NoticeSubject> {
    with(event, |notice| stripe.read_notice(notice))
}

fn about(payment: &Attempt) -> NoticeSubject {
    let reference = payment.reference.clone().expect("a reference");
    NoticeSubject::Payment { reference, attempt: Some(payment.id) }
}

#[tokio::test]
async fn f17_an_event_says_only_which_payment_to_ask_about() {
    let scene = Scene::new().await;
    let payment = scene.paid(1).await;
    scene.refund(&refund_of(&payment, 7, 100)).await.expect("an answer");
    scene.control("/dispute", json!({ "intent": payment.reference })).await;
    let events = signed(&scene, "").await;
    let kinds: Vec<_> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    for kind in [
        "payment_intent.succeeded",
        "charge.succeeded",
        "charge.refunded",
        "refund.created",
        "charge.dispute.created",
    ] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    for event in &events {
        let reference = payment.reference.clone();
        let expected = match event["type"].as_str().expect("a type") {
            kind if kind.starts_with("refund.") => {
                NoticeSubject::Refund { refund: refund_of(&payment, 7, 100).id, failed: false }
            }
            kind if kind.starts_with("charge.dispute.") => {
                let body: Value =
                    serde_json::from_str(event["body"].as_str().expect("a body")).expect("JSON");
                let dispute = body["data"]["object"]["id"].as_str().expect("an id").to_owned();
                NoticeSubject::Dispute { dispute, payment: reference }
            }
            _ => about(&payment),
        };
        assert_eq!(read(&scene.stripe, event), Some(expected), "{}", event["type"]);
    }
    // An event about no payment is accepted too: if refused, Stripe would send it again for days.
    let other = scene
        .control("/tell", json!({ "type": "balance.available", "object": { "object": "balance" } }))
        .await;
    assert_eq!(read(&scene.stripe, &other), Some(NoticeSubject::Other));
}

#[tokio::test]
async fn f17_what_stripe_has_not_signed_lately_is_not_read() {
    let scene = Scene::new().await;
    let payment = scene.paid(1).await;
    scene.control("/dispute", json!({ "intent": payment.reference })).await;
    for how in ["age=301", "age=86400", "forge=secret", "forge=body", "forge=scheme", "forge=unsigned"] {
        let events = signed(&scene, how).await;
        assert!(events.len() >= 4);
        for event in &events {
            assert_eq!(read(&scene.stripe, event), None, "{how}");
        }
    }
    // Signed, but of the other mode: an account does not act on events of the mode it is not in.
    scene.control("/set", json!({ "livemode": true })).await;
    scene.control("/end", json!({ "intent": scene.open_as_live(2).await })).await;
    let live = signed(&scene, "").await;
    assert_eq!(live.last().map(|event| read(&scene.stripe, event)), Some(None));
    assert!(signed(&scene, "age=290").await.iter().any(|event| read(&scene.stripe, event).is_some()));
}

impl Scene {
    /// An intent that the fake makes in the other mode; the adapter does not accept it as its own.
    async fn open_as_live(&self, number: u8) -> String {
        let said = self.start(&super::attempt(number), super::price()).await;
        assert!(
            matches!(
                said,
                Err(till_providers::ProviderError::Unknown(_) | till_providers::ProviderError::Unclear(_))
            ),
            "{said:?}"
        );
        let truth = self.truth().await;
        let intents = truth["intents"].as_object().expect("intents");
        intents.iter().find(|(_, intent)| intent["livemode"] == true).expect("the live one").0.clone()
    }
}

#[tokio::test]
async fn f17_while_the_secret_is_rolled_events_are_signed_by_both() {
    let scene = Scene::with("webhook_secrets = [\"whsec_old\", \"whsec_new\"]").await;
    let payment = scene.paid(1).await;
    for (secrets, good) in [
        (json!(["whsec_old"]), true),
        (json!(["whsec_old", "whsec_new"]), true),
        (json!(["whsec_new"]), true),
        (json!(["whsec_other"]), false),
    ] {
        scene.control("/endpoint", json!({ "secrets": secrets })).await;
        for event in signed(&scene, "").await {
            assert_eq!(read(&scene.stripe, &event), good.then(|| about(&payment)), "{secrets}");
        }
    }
}

#[tokio::test]
async fn f17_events_in_any_order_and_any_number_lead_to_what_is_true() {
    let scene = Scene::new().await;
    let bought = scene.open(1).await;
    let declined = scene.open(2).await;
    scene.pays(&bought, "4000002760003184").await;
    scene.pays(&declined, "4000000000009995").await;
    scene.answers_bank(&bought, "confirm").await;
    // Each several times, from the last to the first: each leads to a check, and each check says the same.
    let mut events = signed(&scene, "").await;
    events.reverse();
    for event in events.iter().cycle().take(events.len() * 5) {
        let Some(NoticeSubject::Payment { reference, .. }) = read(&scene.stripe, event) else {
            panic!("{event}")
        };
        let reference = Some(reference);
        let payment = [&bought, &declined].into_iter().find(|payment| payment.reference == reference);
        let said = scene.check(payment.expect("one of ours")).await;
        let expected = if reference == bought.reference {
            paid(&bought)
        } else {
            Observation::Declined(FailureReason::InsufficientFunds)
        };
        assert_eq!(said, Ok(expected), "{}", event["type"]);
    }
    assert_eq!(scene.calls("POST", "/cancel").await, 1);
    scene.compare().await;
}

#[tokio::test]
async fn disputes_and_refunds_that_came_back_are_reported_to_an_operator() {
    let scene = Scene::new().await;
    let payment = scene.paid(1).await;
    let refund = refund_of(&payment, 7, 100);
    assert!(matches!(scene.refund(&refund).await, Ok(RefundSeen::Succeeded { .. })));
    let truth = scene.truth().await;
    let (id, _) = truth["refunds"].as_object().and_then(|all| all.iter().next()).expect("a refund");
    scene.control("/refund", json!({ "id": id, "status": "failed", "failure": "lost_or_stolen_card" })).await;
    let dispute = scene.control("/dispute", json!({ "intent": payment.reference })).await;
    let events = signed(&scene, "").await;
    let dispute_id = dispute["id"].as_str().expect("an id").to_owned();
    let is_incident = |subject: &NoticeSubject| {
        matches!(subject, NoticeSubject::Dispute { .. } | NoticeSubject::Refund { failed: true, .. })
    };
    let incidents: Vec<NoticeSubject> =
        events.iter().filter_map(|event| read(&scene.stripe, event)).filter(is_incident).collect();
    let disputed = NoticeSubject::Dispute { dispute: dispute_id.clone(), payment: payment.reference.clone() };
    let failed = NoticeSubject::Refund { refund: refund.id, failed: true };
    assert_eq!(incidents, [failed, disputed.clone(), disputed]);
    // The true state is read from the API.
    let known = scene.stripe.dispute(&dispute_id).await.expect("a dispute");
    assert_eq!(
        (known.state, known.status.as_str(), known.reason.as_str()),
        (DisputeState::NeedsResponse, "needs_response", "fraudulent")
    );
    assert!(known.answer_by.is_some_and(|at| at > super::now()) && known.amount.atoms == 4_990);
    scene.control("/dispute/close", json!({ "id": dispute_id, "won": false })).await;
    assert!(
        scene
            .stripe
            .dispute(&dispute_id)
            .await
            .is_ok_and(|known| known.status == "lost" && known.state == DisputeState::Lost)
    );
    assert!(scene.stripe.dispute("du_unknown").await.is_err());
    // The payment is unchanged: only the operator decides about money that was taken back.
    assert_eq!(scene.check(&payment).await, Ok(paid(&payment)));
    assert!(matches!(scene.ask(&refund).await, Ok(RefundSeen::Failed { .. })), "and so is the refund");
    scene.compare().await;
}
