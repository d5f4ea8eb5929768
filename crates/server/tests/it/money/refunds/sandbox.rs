//! Refunds in the sandbox: the same calls, limits and callbacks as in live, and no money.

use super::{ended, hidden};
use crate::support::{Nodes, Receiver, Server, Shop, Vendor, signature, until};
use serde_json::{Value, json};
use till_domain::{session::State, user::Role};

async fn start() -> (Server, Vendor, Shop) {
    let server = Server::with(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    (server, vendor, shop)
}

/// A session of 4990.00 whose outcome was chosen by a call.
async fn paid_by_call(shop: &Shop, body: &Value) -> String {
    let id = shop.create(body).await.text("session_id");
    assert_eq!(shop.simulate(&id, &json!({ "outcome": "paid" })).await.text("status"), "paid");
    id
}

/// A session of 4990.00 whose outcome was chosen on the checkout page.
async fn paid_on_page(server: &Server, shop: &Shop, body: &Value) -> String {
    let id = shop.create(body).await.text("session_id");
    let form = [("method", "card"), ("outcome", "paid")];
    let chosen = server.customer().post(&format!("/sandbox/session/{id}/pay"), &form, &[]).await;
    assert_eq!(chosen.status, 303, "{}", chosen.body);
    until("paid", async || shop.status(&id).await.text("status") == "paid").await;
    id
}

#[tokio::test]
async fn a_payment_is_refunded_in_parts_with_the_callbacks_of_live() {
    let (server, vendor, shop) = start().await;
    let receiver = Receiver::start().await;
    for way in ["call", "page"] {
        let path = format!("/{way}");
        let mut order = Shop::book(way);
        order["callback_url"] = json!(receiver.url(&path));
        let id = match way {
            "call" => paid_by_call(&shop, &order).await,
            _ => paid_on_page(&server, &shop, &order).await,
        };
        receiver.wait(&path, 1).await;
        let failing = shop.refund(&id, &json!({ "amount": "100.00", "reason": "simulate fail" }), &[]).await;
        assert_eq!((failing.status.as_u16(), failing.text("status")), (201, "pending".to_owned()));
        let failed = ended(&server, &shop, &failing, "failed").await;
        assert!(failed.text("failureReason").contains("refused"), "{}", failed.body);
        for word in ["slow", "timeout_before", "timeout_after"] {
            let body = json!({ "amount": "330.00", "reason": format!("simulate {word}") });
            let refund = shop.refund(&id, &body, &[]).await;
            ended(&server, &shop, &refund, "succeeded").await;
        }
        let too_much = shop.refund(&id, &json!({ "amount": "4000.01" }), &[]).await;
        assert_eq!(too_much.problem(), "422 amount_too_large");
        let rest = shop.refund(&id, &json!({}), &[]).await;
        assert_eq!(rest.text("amount"), "4000.00");
        ended(&server, &shop, &rest, "succeeded").await;
        assert_eq!(shop.refund(&id, &json!({}), &[]).await.problem(), "422 nothing_to_refund");
        assert_eq!(shop.status(&id).await.text("status"), "paid", "the session stays paid");
        let told = receiver.wait(&path, 6).await;
        let bodies: Vec<Value> =
            told.iter().map(|one| serde_json::from_slice(&one.body).expect("JSON")).collect();
        let totals: Vec<&str> = bodies.iter().filter_map(|body| body["refundedTotal"].as_str()).collect();
        assert_eq!(totals, ["0.00", "330.00", "660.00", "990.00", "4990.00"]);
        for (one, body) in told.iter().zip(&bodies) {
            assert_eq!(one.header("x-signature"), signature(&vendor.sandbox.client_secret, &one.body));
            assert_eq!(one.header("x-environment"), "sandbox");
            assert_eq!((&body["status"], &body["sessionId"]), (&json!("paid"), &json!(id)));
        }
    }
}

#[tokio::test]
async fn a_key_makes_one_refund_and_other_sessions_have_none() {
    let (server, vendor, shop) = start().await;
    let open = shop.order("A-1").await;
    assert_eq!(shop.refund(&open, &json!({}), &[]).await.problem(), "409 session_not_paid");
    let id = paid_by_call(&shop, &Shop::book("A-2")).await;
    let key = [("idempotency-key", "k-1")];
    let first = shop.refund(&id, &json!({ "amount": "1.00" }), &key).await;
    let again = shop.refund(&id, &json!({ "amount": "1.00" }), &key).await;
    assert_eq!(again.text("refundId"), first.text("refundId"));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let other = shop.refund(&id, &json!({ "amount": "2.00" }), &key).await;
    assert_eq!(other.problem(), "422 idempotency_key_reused");
    let refund = first.text("refundId");
    let live = server.shop("live", &vendor).await;
    let stranger = server.shop("sandbox", &server.vendor().await).await;
    for shop in [&live, &stranger] {
        assert_eq!(shop.ask_refund(&id, &refund).await.problem(), "404 session_not_found");
        assert_eq!(shop.refund(&id, &json!({}), &[]).await.problem(), "404 session_not_found");
    }
    assert_eq!(shop.ask_refund(&open, &refund).await.problem(), "404 refund_not_found");
}

#[tokio::test]
async fn a_fully_refunded_order_can_be_paid_again_without_a_warning() {
    let (server, _, shop) = start().await;
    let id = paid_by_call(&shop, &Shop::book("A-1")).await;
    let again = shop.create(&Shop::book("A-1")).await.text("session_id");
    let page = || async { server.customer().get(&format!("/sandbox/session/{again}"), &[]).await.body };
    assert!(page().await.contains("data-testid=\"pay-again\""), "{}", page().await);
    let refund = shop.refund(&id, &json!({}), &[]).await;
    ended(&server, &shop, &refund, "succeeded").await;
    assert!(!page().await.contains("data-testid=\"pay-again\""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_admin_refunds_on_the_page_of_a_session() {
    let (server, vendor, shop) = start().await;
    let id = paid_by_call(&shop, &Shop::book("A-1")).await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let path = format!("/panel/sessions/{id}");
    assert!(ada.get(&path).await.body.contains("data-testid=\"refund-link\""));
    let form = format!("{path}/refund");
    let asked = ada.get(&form).await.body;
    assert!(asked.contains("No money moves"), "{asked}");
    assert_eq!(hidden(&asked, "amount"), "4990.00");
    let done = ada.post(&form, &[("amount", "990.00"), ("reason", "wrong size"), ("sure", "on")]).await;
    assert_eq!(done.header("location"), Some(format!("{path}?done=refunded").as_str()));
    until("sent", async || ada.get(&path).await.body.contains("data-status=\"succeeded\"")).await;
    assert!(ada.get(&path).await.body.contains("990.00"));
}

#[tokio::test]
async fn what_belongs_to_a_deleted_session_includes_its_refunds() {
    let (server, _, shop) = start().await;
    let id = paid_by_call(&shop, &Shop::book("A-1")).await;
    let refund = shop.refund(&id, &json!({}), &[]).await;
    ended(&server, &shop, &refund, "succeeded").await;
    let id = till_domain::id::SessionId::parse(&id).expect("an id");
    let store = &server.sandbox.store;
    let delete = till_domain::change::Change::DeleteSession { id };
    assert_eq!(store.commit(&[delete]).await.expect("a commit"), till_store::Committed::Done);
    assert!(store.refunds().of_session(id).await.expect("a read").is_empty());
    assert_eq!(store.page_session(id).await.expect("a read").map(|session| session.state), None::<State>);
}

/// Two processes on one server, and many requests at once: never more than was paid, and every total once.
#[tokio::test]
async fn needs_postgres_two_nodes_never_refund_more_than_was_paid_in_the_sandbox() {
    let nodes = Nodes::start(&[]);
    let shops = nodes.shops("sandbox").await;
    let id = paid_by_call(&shops[0], &Shop::book("A-1")).await;
    let mut asking = tokio::task::JoinSet::new();
    for number in 0..48 {
        let (shop, id) = (shops[number % 2].clone(), id.clone());
        asking.spawn(async move { shop.refund(&id, &json!({ "amount": "300.00" }), &[]).await.outcome() });
    }
    let outcomes = asking.join_all().await;
    assert_eq!(outcomes.iter().filter(|outcome| *outcome == "201").count(), 16, "{outcomes:?}");
    assert!(outcomes.iter().all(|one| one == "201" || one == "422 amount_too_large"), "{outcomes:?}");
    let shell = nodes.shell().await;
    until("all are sent", async || {
        shell.number("SELECT COUNT(*) FROM sandbox.refunds WHERE state = 'succeeded'").await == 16
    })
    .await;
    let totals = shell
        .rows(
            "SELECT (convert_from(body, 'UTF8')::json->>'refundedTotal')::numeric::bigint FROM sandbox.callbacks
             WHERE event = 'refund.succeeded' ORDER BY 1",
        )
        .await;
    let expected: Vec<String> = (1..=16).map(|number| (number * 300).to_string()).collect();
    assert_eq!(totals.concat(), expected, "each tells its own sum");
}
