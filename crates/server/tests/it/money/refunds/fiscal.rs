//! Refunds of payments that have a fiscal receipt (54-FZ): by items, the same in both environments, from the API and the panel.

use super::{ended, hidden, paid, start};
use crate::{
    money::decisions::Operator,
    panel::detail::texts,
    support::{Answer, Server, Shop, until},
};
use serde_json::{Value, json};
use std::time::Duration;
use till_domain::{
    fiscal::{FiscalKind, FiscalPolicy, FiscalReceipt, FiscalSettings, ReceiptStatus},
    id::SessionId,
    user::Role,
};

/// An order of 4990.00 with a receipt: two atlases of 2400.00, and a delivery of 190.00.
pub fn order(id: &str) -> Value {
    let mut body = Shop::book(id);
    body["receipt"] = json!({
        "customer": { "email": "ann@mail.example" },
        "items": [
            { "name": "Atlas", "quantity": 2, "price": "2400.00", "vat": "22/122", "mode": "full_prepayment" },
            { "name": "Доставка", "price": "190.00", "vat": "22" },
        ],
    });
    body
}

pub fn atlas(quantity: &str) -> Value {
    json!({ "items": [{ "name": "Atlas", "quantity": quantity, "price": "2400.00", "vat": "22/122" }] })
}

pub async fn receipts(server: &Server, environment: &str, session: &str) -> Vec<FiscalReceipt> {
    let store = &server.environment(environment).store;
    let id = SessionId::parse(session).expect("an id");
    store.fiscal_receipts_of(id).await.expect("a read")
}

/// The receipt of this refund.
async fn receipt_of(server: &Server, environment: &str, refund: &Answer) -> Option<FiscalReceipt> {
    let all = receipts(server, environment, &refund.text("sessionId")).await;
    all.into_iter().find(|one| one.id.to_string() == refund.text("refundId"))
}

/// The receipt of the payment, and that of its only refund.
fn paid_and_returned(mut all: Vec<FiscalReceipt>) -> (FiscalReceipt, FiscalReceipt) {
    all.sort_by_key(|receipt| receipt.kind != FiscalKind::Payment);
    let [payment, refund] = all.try_into().expect("two receipts");
    (payment, refund)
}

/// The totals of the receipts of a session's refunds, the smallest first.
async fn returned(server: &Server, environment: &str, session: &str) -> Vec<i64> {
    let all = receipts(server, environment, session).await;
    let of_refunds = all.iter().filter(|receipt| receipt.kind == FiscalKind::Refund);
    let mut totals: Vec<i64> = of_refunds.map(|receipt| receipt.total.minor).collect();
    totals.sort_unstable();
    totals
}

/// A service with a vendor that has receipts, and a paid session with one in each environment.
pub async fn both() -> (Server, till_domain::id::VendorId, [(&'static str, Shop, String); 2]) {
    let (server, vendor, live) = start().await;
    let fiscal = FiscalSettings { policy: FiscalPolicy::Accept, ..FiscalSettings::default() };
    server.set_fiscal(&vendor, fiscal).await;
    let sandbox = server.shop("sandbox", &vendor).await;
    let in_live = paid(&server, &live, &order("A-1")).await;
    let in_sandbox = sandbox.create(&order("A-1")).await.text("session_id");
    sandbox.simulate(&in_sandbox, &json!({ "outcome": "paid" })).await;
    (server, vendor.id, [("live", live, in_live), ("sandbox", sandbox, in_sandbox)])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_partial_refund_has_a_receipt_of_the_returned_items() {
    let (server, _, both) = both().await;
    for (environment, shop, id) in &both {
        let ask = async |body: Value| shop.refund(id, &body, &[]).await;
        let answer = ask(json!({ "amount": "2400.00" })).await;
        assert_eq!(
            (answer.problem().as_str(), answer.fields()),
            ("422 receipt_required", vec!["receipt:receipt_required".to_owned()])
        );
        let answer = ask(json!({ "amount": "2400.01", "receipt": atlas("1") })).await;
        assert_eq!(answer.fields(), ["receipt.items:total_mismatch"]);
        assert!(
            answer.body.contains("2400.01 RUB") && answer.body.contains("2400.00 RUB"),
            "{}",
            answer.body
        );
        let mut typo = atlas("1");
        typo["items"][0]["vta"] = json!("22");
        typo["items"][0]["vat"] = json!("18");
        let answer = ask(json!({ "amount": "5000", "receipt": typo })).await;
        let wrong = [
            "amount:amount_too_large",
            "receipt.items[0].vta:unknown_field",
            "receipt.items[0].vat:unknown_value",
        ];
        assert_eq!(answer.fields(), wrong, "all at once");
        assert_eq!(receipts(&server, environment, id).await.len(), 1, "nothing was stored");

        let refund = ask(json!({ "amount": "2400.00", "receipt": atlas("1") })).await;
        assert_eq!(refund.status, 201, "{}", refund.body);
        let stored = receipt_of(&server, environment, &refund).await.expect("a receipt");
        assert_eq!((stored.kind, stored.status), (FiscalKind::Refund, ReceiptStatus::None));
        assert_eq!((stored.total.minor, stored.content.items.len()), (240_000, 1));
        assert_eq!(stored.content.buyer.email.as_deref(), Some("ann@mail.example"), "the payment's customer");
        ended(&server, shop, &refund, "succeeded").await;
        // In live, the till of the simulated bank is asked.
        let registered = async || {
            let stored = receipt_of(&server, environment, &refund).await.expect("a receipt");
            stored.status == ReceiptStatus::Registered
        };
        until("registered", registered).await;
        let rest = ask(json!({})).await;
        assert_eq!(rest.problem(), "422 receipt_required", "the rest is a part, too");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sandbox_plays_the_receipt_of_a_refund_as_that_of_the_payment() {
    let (server, _, [_, (environment, shop, id)]) = both().await;
    shop.simulate(&id, &json!({ "receipt": "failed" })).await;
    let part = json!({ "amount": "2400.00", "receipt": atlas("1") });
    let refund = shop.refund(&id, &part, &[]).await;
    ended(&server, &shop, &refund, "succeeded").await;
    let stored = receipt_of(&server, environment, &refund).await.expect("a receipt");
    assert_eq!(stored.status, ReceiptStatus::Failed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_refund_has_the_items_of_the_payment_and_others_have_no_receipt() {
    let (server, _, both) = both().await;
    for (environment, shop, id) in &both {
        let refund = shop.refund(id, &json!({}), &[]).await;
        assert_eq!((refund.status.as_u16(), refund.text("amount")), (201, "4990.00".to_owned()));
        let (payment, stored) = paid_and_returned(receipts(&server, environment, id).await);
        assert_eq!((stored.kind, stored.content), (FiscalKind::Refund, payment.content));
        let failing = ended(&server, shop, &refund, "succeeded").await;
        assert!(failing.json().get("receipt").is_none(), "the refund's shape stays as it was");

        let bare = match *environment {
            "live" => paid(&server, shop, &Shop::book("A-2")).await,
            _ => {
                let id = shop.create(&Shop::book("A-2")).await.text("session_id");
                shop.simulate(&id, &json!({ "outcome": "paid" })).await;
                id
            }
        };
        let answer = shop.refund(&bare, &json!({ "amount": "2400", "receipt": atlas("1") }), &[]).await;
        assert_eq!(answer.problem(), "422 receipt_not_enabled");
        assert_eq!(shop.refund(&bare, &json!({ "amount": "2400" }), &[]).await.status, 201);
        assert!(receipts(&server, environment, &bare).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receipt_belongs_to_the_body_that_a_refunds_key_stands_for() {
    let (server, _, [(environment, shop, id), _]) = both().await;
    let body = json!({ "amount": "2400.00", "receipt": atlas("1") });
    let key = [("idempotency-key", "k-1")];
    let (one, two) = tokio::join!(shop.refund(&id, &body, &key), shop.refund(&id, &body, &key));
    assert_eq!((one.status.as_u16(), one.text("refundId")), (201, two.text("refundId")));
    let other = json!({ "amount": "2400.00", "receipt": atlas("1.0") });
    assert_eq!(shop.refund(&id, &other, &key).await.problem(), "422 idempotency_key_reused");
    assert_eq!(receipts(&server, environment, &id).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_panel_refunds_by_items() {
    let (server, vendor, both) = both().await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor)).await;
    let olga = server.person("olga", Role::Operator, None).await;
    // The vendor is in the sandbox, and so is its panel.
    let (_, shop, id) = &both[1];
    let path = format!("/panel/sessions/{id}/refund");
    let form = ada.get(&path).await.body;
    assert!(form.contains(r#"name="item-0""#) && form.contains(r#"name="item-1""#), "{form}");
    assert!(!form.contains(r#"name="amount""#), "the amount follows from the items");
    let lines = mark(&form);
    for (first, second, marked) in [("3", "0", 1), ("x", "-1", 2), ("1.0001", "2", 2)] {
        let typed = [("lines", lines.as_str()), ("item-0", first), ("item-1", second), ("reason", "")];
        let wrong = ada.post(&path, &typed).await;
        assert_eq!(wrong.status, 422, "{first} {second}");
        assert_eq!(wrong.body.matches(r#"aria-invalid="true""#).count(), marked, "{first} {second}");
        assert_eq!(mark(&wrong.body), lines);
    }
    let nothing = ada.post(&path, &[("lines", &lines), ("item-0", "0"), ("item-1", "")]).await;
    assert_eq!(nothing.status, 422, "nothing comes back");
    let typed = [("lines", lines.as_str()), ("item-0", "1"), ("item-1", "0"), ("reason", "torn")];
    let sure = ada.post(&path, &typed).await;
    assert_eq!(sure.status, 200, "{}", sure.body);
    assert!(sure.body.contains(r#"name="item-0" value="1""#), "{}", sure.body);
    assert_eq!(mark(&sure.body), lines, "it is sent again with the confirmation");
    assert!(sure.body.contains("Coming back: 1 × Atlas."), "what comes back is named: {}", sure.body);
    assert!(returned(&server, "sandbox", id).await.is_empty());
    let done = ada.post(&path, &[&typed[..], &[("sure", "on")]].concat()).await;
    assert_eq!(done.status, 303, "{}", done.body);
    assert_eq!(returned(&server, "sandbox", id).await, [240_000]);
    let refunds = shop.ask_refund(id, "").await.json();
    assert_eq!(refunds["refunds"][0]["amount"], "2400.00");
    let page = ada.get(&format!("/panel/sessions/{id}")).await.body;
    assert!(page.contains(r#"data-testid="fiscal-refund""#), "{page}");
    // One atlas and the delivery are left, also in the operator's form.
    let case = format!("/operator/sessions/sandbox/{id}/refund");
    let form = olga.get(&case).await.body;
    assert!(form.contains(r#"data-testid="item-0" value="1""#), "{form}");
    let rest = [("lines", &*mark(&form)), ("item-0", "1"), ("item-1", "1"), ("sure", "on")];
    assert_eq!(olga.post(&case, &rest).await.status, 303);
    assert_eq!(returned(&server, "sandbox", id).await, [240_000, 259_000]);
    let (_, _, live) = &both[0];
    let case = format!("/operator/sessions/live/{live}/refund");
    let lines = mark(&olga.get(&case).await.body);
    // A comma is a decimal mark, also before three digits.
    let part = [("lines", lines.as_str()), ("item-0", "0,125"), ("item-1", "0")];
    let sure = olga.post(&case, &part).await;
    assert!(sure.body.contains("Coming back: 0.125 × Atlas."), "{}: {}", sure.status, sure.body);
    assert_eq!(olga.post(&case, &[&part[..], &[("sure", "on")]].concat()).await.status, 303);
    assert_eq!(returned(&server, "live", live).await, [30_000]);
    let rest = olga.get(&case).await.body;
    assert!(rest.contains(r#"data-testid="item-0" value="1.875""#), "{rest}");
    let half = [("lines", &*mark(&rest)), ("item-0", "0.5"), ("item-1", "0"), ("sure", "on")];
    assert_eq!(olga.post(&case, &half).await.status, 303);
    assert_eq!(returned(&server, "live", live).await, [30_000, 120_000]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receipt_is_shown_as_it_is_sent() {
    let (server, vendor, both) = both().await;
    let operator = Operator(&server);
    for (environment, shop, id) in &both {
        let shown = operator.run(&["session", "show", id, "--env", environment]).expect("a session");
        let receipt = &shown["receipts"][0];
        assert_eq!((&receipt["kind"], &receipt["total"]), (&json!("payment"), &json!("4990.00 RUB")));
        let mut body = order("A-2");
        body["receipt"] = json!({ "customer": receipt["customer"], "items": receipt["items"] });
        let created = shop.create(&body).await;
        assert_eq!(created.status, 201, "{}", created.body);
        let content = async |id: &str| receipts(&server, environment, id).await.remove(0).content;
        assert_eq!(content(id).await, content(&created.text("session_id")).await, "nothing is missing");
    }
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor)).await;
    let page = ada.get(&format!("/panel/sessions/{}", both[1].2)).await.body;
    let curl = texts(&page, "[data-testid=curl]").concat();
    assert!(curl.contains(r#""receipt":{"customer":{"email":"ann@mail.example"},"items":[{"#), "{curl}");
    let part = operator.run(&["refund", "create", &both[0].2, "--amount", "95.50"]).expect_err("no items");
    assert!(part.contains("by its items: in the panel"), "{part}");
}

/// The mark of the lines in a form.
fn mark(page: &str) -> String {
    hidden(page, "lines")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_was_opened_before_the_receipt_changed_returns_nothing() {
    let (server, vendor, both) = both().await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor)).await;
    let (_, shop, id) = &both[1];
    let path = format!("/panel/sessions/{id}/refund");
    // After the hand-over, the first line is the delivery.
    for sure in ["", "on"] {
        let lines = mark(&ada.get(&path).await.body);
        if sure.is_empty() {
            let (url, bearer) = (format!("{}/{id}/receipts", shop.sessions()), shop.bearer());
            let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
            let closed =
                shop.send(reqwest::Method::POST, &url, &headers, br#"{"type":"closing"}"#.to_vec()).await;
            assert_eq!(closed.status, 201, "{}", closed.body);
        } else {
            let mut part = json!({ "amount": "2400", "receipt": atlas("1") });
            part["receipt"]["items"][0]["vat"] = json!("22");
            assert_eq!(shop.refund(id, &part, &[]).await.status, 201);
        }
        for stale in [lines.as_str(), ""] {
            let typed = [("lines", stale), ("item-0", "1"), ("item-1", "0"), ("sure", sure)];
            let changed = ada.post(&path, &typed).await;
            assert_eq!(changed.status, 422, "{}", changed.body);
            assert!(changed.body.contains("The items of the receipt have changed"), "{}", changed.body);
            assert_ne!(mark(&changed.body), lines, "the form has the lines as they are now");
        }
    }
    assert_eq!(returned(&server, "sandbox", id).await, [240_000], "only the refund by the API");
    // Sent twice, a form counts once, although the first one has changed the lines.
    let form = ada.get(&path).await.body;
    let (lines, once) = (mark(&form), hidden(&form, "once"));
    let typed =
        [("lines", lines.as_str()), ("once", &once), ("item-0", "1"), ("item-1", "0"), ("sure", "on")];
    let answers = [ada.post(&path, &typed).await.status, ada.post(&path, &typed).await.status];
    assert_eq!(answers, [303, 303]);
    assert_eq!(returned(&server, "sandbox", id).await, [19_000, 240_000]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn late_money_that_goes_back_has_a_receipt_of_all_its_lines() {
    let (server, _, both) = both().await;
    let (environment, shop, _) = &both[1];
    let id = shop.create(&order("A-9")).await.text("session_id");
    shop.simulate(&id, &json!({ "outcome": "expired" })).await;
    assert_eq!(shop.simulate(&id, &json!({ "event": "payment.late" })).await.status, 200);
    let decided = json!({ "event": "payment.resolved", "resolution": "refunded" });
    assert_eq!(shop.simulate(&id, &decided).await.status, 200);
    let (payment, refund) = paid_and_returned(receipts(&server, environment, &id).await);
    assert_eq!((&refund.content, refund.total), (&payment.content, payment.total));
    let registered = async || {
        server.later(Duration::from_millis(500));
        let (_, refund) = paid_and_returned(receipts(&server, environment, &id).await);
        refund.status == ReceiptStatus::Registered
    };
    until("registered", registered).await;
    // A surplus is no part of the receipt.
    let (_, _, paid) = &both[1];
    assert_eq!(shop.simulate(paid, &json!({ "event": "payment.over" })).await.status, 200);
    assert_eq!(shop.simulate(paid, &decided).await.status, 200);
    assert_eq!(receipts(&server, environment, paid).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_may_have_as_many_lines_as_a_create() {
    let (_server, _, both) = both().await;
    for (environment, shop, _) in &both[1..] {
        // As some JSON libraries write all that is not ASCII.
        let line = format!(
            r#"{{"name":"{}","price":"49.90","vat":22,"mode":"full_prepayment"}}"#,
            "\\u0416".repeat(128)
        );
        let items = vec![line; 100].join(",");
        let customer = r#"{"email":"ann@mail.example"}"#;
        let body = format!(
            r#"{{"product_name":"Atlas","price":"4990.00","currency":"RUB","order_id":"L-1","receipt":{{"customer":{customer},"items":[{items}]}}}}"#
        );
        let created = shop.create_raw(&body, &[]).await;
        assert_eq!(created.status, 201, "{}", created.body);
        let id = created.text("session_id");
        shop.simulate(&id, &json!({ "outcome": "paid" })).await;
        let bearer = shop.bearer();
        let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        let send = async |what: &str, body: String| {
            let url = format!("{}/{id}/{what}", shop.sessions());
            shop.send(reqwest::Method::POST, &url, &headers, body.into_bytes()).await
        };
        let closing =
            format!(r#"{{"type":"closing","items":[{}]}}"#, items.replace("full_prepayment", "full_payment"));
        assert!(closing.len() > 64 * 1024);
        let closed = send("receipts", closing).await;
        assert_eq!(closed.status, 201, "{environment}: {}", closed.body);
        let receipt = format!(r#"{{"items":[{}]}}"#, items.replace("full_prepayment", "full_payment"));
        let refunded = send("refunds", format!(r#"{{"amount":"4990.00","receipt":{receipt}}}"#)).await;
        assert_eq!(refunded.status, 201, "{environment}: {}", refunded.body);
        let padded = format!("{{{}}}", " ".repeat(128 * 1024));
        assert_eq!(send("refunds", padded.clone()).await.problem(), "413 payload_too_large");
        assert_eq!(send("simulate", padded[..100_000].to_owned()).await.problem(), "413 payload_too_large");
    }
}
