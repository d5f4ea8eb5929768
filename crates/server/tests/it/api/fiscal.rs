//! Fiscal receipts on create: the same rules in both environments, the status, what the sandbox plays, and the size of a body.

use crate::support::{Server, Shop};
use serde_json::{Value, json};
use till_domain::{
    fiscal::{FiscalPolicy, FiscalReceipt, FiscalSettings, Vat},
    id::SessionId,
    user::Role,
};

const BOTH: [&str; 2] = ["live", "sandbox"];

/// An order of 4990 roubles with a receipt of these items.
fn order(items: Value) -> Value {
    let mut body = Shop::book("A-1");
    body["receipt"] = json!({ "customer": { "email": "ann@mail.example" }, "items": items });
    body
}

fn good() -> Value {
    order(json!([
        { "name": "Atlas of Northern Light", "quantity": 2, "price": "2400.00", "vat": "22", "subject": "commodity" },
        { "name": "Доставка", "price": 190.00, "vat": 22, "subject": "service" },
    ]))
}

fn accepting() -> FiscalSettings {
    FiscalSettings { policy: FiscalPolicy::Accept, ..FiscalSettings::default() }
}

async fn stored(server: &Server, environment: &str, id: &str) -> Option<FiscalReceipt> {
    let store = &server.environment(environment).store;
    store.fiscal_receipt(SessionId::parse(id).expect("an id").into()).await.expect("a read")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receipt_is_stored_and_the_status_says_how_far_it_is() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    server.set_fiscal(&vendor, accepting()).await;
    for environment in BOTH {
        let shop = server.shop(environment, &vendor).await;
        let created = shop.create(&good()).await;
        assert_eq!(created.status, 201, "{}", created.body);
        assert_eq!(created.json().as_object().expect("an object").len(), 4, "the answer stays as it was");
        let id = created.text("session_id");
        assert_eq!(shop.status(&id).await.text("receiptStatus"), "none");
        let receipt = stored(&server, environment, &id).await.expect("a receipt");
        assert_eq!(receipt.content.items.len(), 2);
        let without = shop.create(&Shop::book("A-2")).await.text("session_id");
        assert!(shop.status(&without).await.json().get("receiptStatus").is_none());
        assert!(stored(&server, environment, &without).await.is_none());
        let list = shop.list("").await.json();
        let listed =
            list["sessions"].as_array().expect("a list").iter().find(|one| one["sessionId"] == id.as_str());
        assert_eq!(listed.expect("the session")["receiptStatus"], "none");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sandbox_plays_the_registration() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    server.set_fiscal(&vendor, accepting()).await;
    let shop = server.shop("sandbox", &vendor).await;
    let simulate = async |id: &str, body: Value| {
        let answer = shop.simulate(id, &body).await;
        if answer.status.is_success() { answer.text("receiptStatus") } else { answer.problem() }
    };
    let new = async || shop.create(&good()).await.text("session_id");

    let id = new().await;
    assert_eq!(simulate(&id, json!({ "outcome": "paid" })).await, "registered");
    for status in ["pending", "failed", "registered"] {
        assert_eq!(simulate(&id, json!({ "receipt": status })).await, status);
        assert_eq!(shop.status(&id).await.text("receiptStatus"), status);
        assert_eq!(shop.status(&id).await.text("status"), "paid", "never changes the session");
    }

    let id = new().await;
    assert_eq!(simulate(&id, json!({ "receipt": "failed" })).await, "none", "not paid yet");
    assert_eq!(simulate(&id, json!({ "outcome": "paid" })).await, "failed");

    let id = new().await;
    assert_eq!(simulate(&id, json!({ "outcome": "paid", "receipt": "pending" })).await, "pending");
    let feed = shop.feed("").await.body;
    assert!(!feed.contains("receiptStatus") && !feed.contains("ann@mail"), "{feed}");

    let id = new().await;
    assert_eq!(simulate(&id, json!({ "outcome": "expired", "receipt": "failed" })).await, "none");
    assert_eq!(simulate(&id, json!({ "receipt": "failed" })).await, "409 not_possible_now");
    let bare = shop.create(&Shop::book("A-2")).await.text("session_id");
    assert_eq!(simulate(&bare, json!({ "receipt": "failed" })).await, "409 not_possible_now");
    assert_eq!(simulate(&bare, json!({ "receipt": "none" })).await, "422 invalid_request");
    assert_eq!(simulate(&bare, json!({ "receipt": "failed", "after_ms": 5 })).await, "422 invalid_request");
    assert_eq!(
        simulate(&bare, json!({ "receipt": "failed", "event": "payment.late" })).await,
        "422 invalid_request"
    );
    assert_eq!(simulate(&bare, json!({})).await, "422 invalid_request");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payment_on_the_sandbox_page_is_registered_and_shown_in_the_panel() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let vendor = server.vendor().await;
    server.set_fiscal(&vendor, accepting()).await;
    let shop = server.shop("sandbox", &vendor).await;
    let id = shop.create(&good()).await.text("session_id");
    let form = [("method", "card"), ("outcome", "paid")];
    let paid = server.customer().post(&format!("/sandbox/session/{id}/pay"), &form, &[]).await;
    assert_eq!(paid.status, 303, "{}", paid.body);
    assert_eq!(shop.status(&id).await.text("status"), "paid");
    assert_eq!(shop.status(&id).await.text("receiptStatus"), "registered");
    let ada = server.person("ada", Role::VendorViewer, Some(vendor.id)).await;
    let olga = server.person("olga", Role::Operator, None).await;
    for page in [
        ada.get(&format!("/panel/sessions/{id}")).await.body,
        olga.get(&format!("/operator/sessions/sandbox/{id}")).await.body,
    ] {
        assert!(page.contains("data-testid=\"fiscal-payment\" data-status=\"registered\""), "{page}");
        assert!(page.contains("Доставка") && page.contains("ann@mail.example"), "{page}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_environments_refuse_the_same_with_its_place() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for environment in BOTH {
        let shop = server.shop(environment, &vendor).await;
        let answer = shop.create(&good()).await;
        assert_eq!(
            (answer.problem().as_str(), answer.fields()),
            ("422 receipt_not_enabled", vec!["receipt:receipt_not_enabled".to_owned()])
        );
    }
    server.set_fiscal(&vendor, accepting()).await;
    for environment in BOTH {
        let shop = server.shop(environment, &vendor).await;
        let mut body = good();
        body["receipt"]["items"][1] = json!({ "name": "", "price": "1", "vat": "18", "tax": 1 });
        body["receipt"]["customer"]["phone"] = json!("8 900 000-00-00");
        let answer = shop.create(&body).await;
        assert_eq!(answer.problem(), "422 invalid_request");
        let wrong = [
            "receipt.customer.phone:invalid_contact",
            "receipt.items[1].tax:unknown_field",
            "receipt.items[1].name:empty",
            "receipt.items[1].vat:unknown_value",
            "receipt.items:total_mismatch",
        ];
        assert_eq!(answer.fields(), wrong, "{environment}");
        let answer =
            shop.create(&order(json!([{ "name": "Atlas", "price": "4989.99", "vat": "none" }]))).await;
        assert_eq!(answer.fields(), ["receipt.items:total_mismatch"]);
        assert!(
            answer.body.contains("4990.00 RUB") && answer.body.contains("4989.99 RUB"),
            "{}",
            answer.body
        );
        assert!(!answer.body.contains("ann@"), "{}", answer.body);
    }
    let required = FiscalSettings { policy: FiscalPolicy::Required, ..FiscalSettings::default() };
    server.set_fiscal(&vendor, required).await;
    for environment in BOTH {
        let answer = server.shop(environment, &vendor).await.create(&Shop::book("A-1")).await;
        assert_eq!(
            (answer.problem().as_str(), answer.fields()),
            ("422 receipt_required", vec!["receipt:receipt_required".to_owned()])
        );
    }
    server.set_fiscal(&vendor, FiscalSettings { vat: Some(Vat::None), ..required }).await;
    for environment in BOTH {
        let shop = server.shop(environment, &vendor).await;
        let id = shop.create(&Shop::book("A-1")).await.text("session_id");
        let made = stored(&server, environment, &id).await.expect("a receipt");
        assert!(made.is_made && made.content.items.len() == 1);
        assert_eq!(shop.status(&id).await.text("receiptStatus"), "none");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receipt_belongs_to_the_body_that_an_idempotency_key_stands_for() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    server.set_fiscal(&vendor, accepting()).await;
    let shop = server.shop("live", &vendor).await;
    let first = shop.create_once("k-1", &good()).await;
    assert_eq!(first.status, 201);
    assert_eq!(shop.create_once("k-1", &good()).await.text("session_id"), first.text("session_id"));
    let mut other = good();
    other["receipt"]["items"][1]["vat"] = json!("none");
    assert_eq!(shop.create_once("k-1", &other).await.problem(), "422 idempotency_key_reused");
}

/// A receipt of this many lines whose text is escaped, as some JSON libraries do with all that is not ASCII.
fn escaped(lines: usize) -> String {
    let name = "\\u0416".repeat(128);
    let line = format!(r#"{{"name":"{name}","price":"1.00","vat":"none"}}"#);
    let items = vec![line; lines].join(",");
    format!(
        r#"{{"product_name":"Atlas","price":"{lines}","currency":"RUB","order_id":"A-1","receipt":{{"items":[{items}]}}}}"#
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_body_of_a_create_may_have_128_kib() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    server.set_fiscal(&vendor, accepting()).await;
    for environment in BOTH {
        let shop = server.shop(environment, &vendor).await;
        let body = escaped(100);
        assert!(body.len() > 64 * 1024 && body.len() < 128 * 1024, "{}", body.len());
        assert_eq!(shop.create_raw(&body, &[]).await.status, 201);
        let padded = |length: usize| body.clone() + &" ".repeat(length - body.len());
        assert_eq!(shop.create_raw(&padded(128 * 1024), &[]).await.status, 201);
        assert_eq!(shop.create_raw(&padded(128 * 1024 + 1), &[]).await.problem(), "413 payload_too_large");
        let answer = shop.create_raw(&escaped(101), &[]).await;
        assert_eq!(answer.fields(), ["receipt.items:too_many_items"]);
        // A sender without a token has its answer before the size of the body matters.
        let mut stranger = shop.clone();
        stranger.token = "x".to_owned();
        assert_eq!(stranger.create_raw(&padded(128 * 1024), &[]).await.problem(), "401 invalid_token");
    }
}
