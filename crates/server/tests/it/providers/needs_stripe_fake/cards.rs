//! The customer's side: the page with the form, and the results of cards.

use super::{SECRET, World};
use crate::support::until;
use serde_json::json;
use till_domain::{
    attempt::AttemptState,
    ledger::Account,
    session::{FailureReason, State},
};
use till_testing::stripe::{ASKS, ASKS_AND_IS_POOR, GOOD, POOR};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_card_is_paid_and_shop_wallet_and_stripe_agree() {
    let world = World::new().await;
    world.hears().await;
    let payment = world.begin("A-1").await;
    let page = world.page(&payment).await;
    for words in ["data-element", "<script src=\"/elements/stripe\"", &payment.intent, "pk_test_adapter"] {
        assert!(page.body.contains(words), "{words}: {}", page.body);
    }
    assert!(world.server.customer().get("/elements/stripe", &[]).await.body.contains("confirmPayment"));
    world.fake.pays(&payment.intent, GOOD).await;
    // The webhook event leads there, without any time passing.
    until("it is paid", async || world.session(&payment).await.state == State::Paid).await;
    let told = world.told(1).await;
    assert_eq!(
        (&told[0]["event"], &told[0]["price"], &told[0]["paymentMethod"]),
        (&json!("session.paid"), &json!("49.90"), &json!("card"))
    );
    assert_eq!(world.balance(&Account::Available).await.get("usd"), Some(&4_990));
    assert!(world.page(&payment).await.body.contains("data-status=\"paid\""));
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_any_event_a_payment_is_seen_too() {
    let world = World::new().await;
    let payment = world.paid("A-1").await;
    let yen = world.order("A-2", "5000", "JPY").await;
    let yen = world.chooses_card(yen).await;
    world.fake.pays(&yen.intent, GOOD).await;
    // The customer's "check again" triggers a check at once.
    world.later(std::time::Duration::from_secs(1)).await;
    let path = format!("/session/{}/check", yen.session);
    assert_eq!(world.server.customer().post(&path, &[], &[]).await.status, 303);
    assert_eq!(world.session(&yen).await.state, State::Paid);
    assert_eq!(world.session(&payment).await.state, State::Paid);
    assert_eq!(world.balance(&Account::Available).await.get("jpy"), Some(&5_000));
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_card_ends_the_session_and_nothing_more_can_be_paid() {
    let world = World::new().await;
    world.hears().await;
    let payment = world.begin("A-1").await;
    world.fake.pays(&payment.intent, POOR).await;
    let failed = State::Failed(FailureReason::InsufficientFunds);
    until("it has failed", async || world.session(&payment).await.state == failed).await;
    assert_eq!(world.status_there(&payment).await, "canceled", "before anybody was told");
    let told = world.told(1).await;
    assert_eq!(
        (&told[0]["event"], &told[0]["failureReason"]),
        (&json!("session.failed"), &json!("insufficient_funds"))
    );
    // A second card is refused at Stripe.
    world.fake.pays(&payment.intent, GOOD).await;
    assert_eq!(world.status_there(&payment).await, "canceled");
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bank_asks_and_the_customer_confirms_refuses_or_has_no_money() {
    let world = World::new().await;
    world.hears().await;
    for (order, card, answer, state) in [
        ("A-1", ASKS, "confirm", State::Paid),
        ("A-2", ASKS, "refuse", State::Failed(FailureReason::ThreeDsFailed)),
        ("A-3", ASKS_AND_IS_POOR, "confirm", State::Failed(FailureReason::InsufficientFunds)),
    ] {
        let payment = world.begin(order).await;
        world.fake.pays(&payment.intent, card).await;
        until("the bank asks", async || {
            world.server.attempts(&payment.session).await[0].state == AttemptState::InFlight
        })
        .await;
        // The form stays, so that Stripe can show its 3-D Secure challenge again when the page is reloaded.
        assert!(world.page(&payment).await.body.contains("data-in-flight"));
        world.fake.answers_bank(&payment.intent, answer).await;
        until("it ends", async || world.session(&payment).await.state == state).await;
    }
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_page_with_the_form_is_opened_to_stripe() {
    let own_script = |document: String| {
        document.lines().filter(|line| !line.starts_with("script")).collect::<Vec<_>>().join("\n")
    };
    let world = World::with(SECRET, own_script).await;
    let session = world.order("A-1", "49.90", "USD").await;
    let path = format!("/session/{session}");
    let policy = async |path: &str| {
        let page = world.server.customer().get(path, &[]).await;
        page.header("content-security-policy").expect("a policy").to_owned()
    };
    let plain = policy(&path).await;
    assert!(!plain.contains("stripe"), "{plain}");
    let payment = world.chooses_card(session).await;
    assert_eq!(
        policy(&path).await,
        "default-src 'none'; script-src 'self' https://js.stripe.com https://*.js.stripe.com; \
         frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com; style-src 'self'; \
         img-src 'self' data:; connect-src 'self' https://api.stripe.com; form-action 'self' https:; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    let page = world.page(&payment).await.body;
    assert!(page.contains("<noscript>") && page.contains("JavaScript"), "who has none is told: {page}");
    assert!(page.contains("?methods"), "and may choose another way: {page}");
    for other in [format!("{path}?methods"), "/session/01890a5d-ac96-774b-bcce-b302099a8057".to_owned()] {
        assert_eq!(policy(&other).await, plain, "{other}");
    }
    world.fake.pays(&payment.intent, GOOD).await;
    world.reaches(&payment, State::Paid).await;
    assert_eq!(policy(&path).await, plain, "the result");
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stripe_is_not_set_up_for_is_not_offered() {
    let world = World::new().await;
    // Stripe accepts dinars only in thousandths that end in 0.
    let dinars = json!({ "product_name": "Tea", "price": "1.005", "currency": "KWD", "order_id": "A-1" });
    let session = world.shop.create(&dinars).await;
    assert_eq!(session.status, 201, "{}", session.body);
    let id = session.text("session_id");
    assert_eq!(world.server.customer().pay(&id, "card").await.status, 503);
    assert!(world.server.attempts(&id).await.is_empty());
    let rubles = json!({ "product_name": "Tea", "price": "1.00", "currency": "RUB", "order_id": "A-2" });
    assert_eq!(world.shop.create(&rubles).await.status, 422);
    world.compare().await;
}
