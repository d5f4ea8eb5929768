//! Closing receipts: what was paid before was handed over. The same call in both environments.

use super::{
    ended,
    fiscal::{atlas, both, order, receipts},
};
use crate::support::{Answer, Shop, until};
use reqwest::Method;
use serde_json::{Value, json};
use till_domain::{
    fiscal::{FiscalKind, PaymentMode},
    user::Role,
};

async fn close(shop: &Shop, id: &str, body: &Value) -> Answer {
    let (url, bearer) = (format!("{}/{id}/receipts", shop.sessions()), shop.bearer());
    let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
    shop.send(Method::POST, &url, &headers, body.to_string().into_bytes()).await
}

fn of_type(kind: &str) -> Value {
    json!({ "type": kind })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prepayment_is_closed_once() {
    let (server, vendor, both) = both().await;
    let ada = server.person("ada", Role::VendorViewer, Some(vendor)).await;
    for (environment, shop, id) in &both {
        let returned = shop.refund(id, &json!({ "amount": "2400", "receipt": atlas("1") }), &[]).await;
        assert_eq!(returned.status, 201, "{}", returned.body);
        ended(&server, shop, &returned, "succeeded").await;
        let (closing, body) = (of_type("closing"), of_type("closing"));
        let (one, two) = tokio::join!(close(shop, id, &closing), close(shop, id, &body));
        let mut statuses = [one.status.as_u16(), two.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 201], "{} {}", one.body, two.body);
        assert_eq!(one.json()["receiptId"], two.json()["receiptId"]);
        let status = if *environment == "sandbox" { "registered" } else { "pending" };
        let made = if one.status == 201 { one.json() } else { two.json() };
        assert_eq!(made, json!({ "receiptId": made["receiptId"], "type": "closing", "status": status }));
        let again = close(shop, id, &json!({ "type": "closing", "items": 7 })).await;
        assert_eq!(again.json()["receiptId"], made["receiptId"], "the first one");
        until("registered", async || close(shop, id, &body).await.text("status") == "registered").await;
        assert_eq!(close(shop, id, &of_type("refund")).await.problem(), "422 invalid_request");
        let all = receipts(&server, environment, id).await;
        let stored = all.iter().find(|one| one.kind == FiscalKind::Closing).expect("a closing receipt");
        assert_eq!((stored.total.minor, stored.content.items.len()), (240_000, 1), "one atlas came back");
        assert_eq!(stored.content.items[0].mode, PaymentMode::FullPayment);
        // From now on, what was handed over comes back.
        let rest = json!({ "amount": "2400", "receipt": atlas("1") });
        let refund = shop.refund(id, &rest, &[]).await.text("refundId");
        let all = receipts(&server, environment, id).await;
        let last = all.iter().find(|one| one.id.to_string() == refund).expect("a receipt");
        assert_eq!(last.content.items[0].mode, PaymentMode::FullPayment);
        // The vendor is in the sandbox, and so is its panel.
        if *environment == "sandbox" {
            let page = ada.get(&format!("/panel/sessions/{id}")).await.body;
            assert!(page.contains(r#"data-testid="fiscal-closing""#), "{page}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_a_paid_prepayment_can_be_closed() {
    let (server, _, both) = both().await;
    for (environment, shop, paid) in &both {
        let pending = shop.create(&order("A-3")).await.text("session_id");
        assert_eq!(close(shop, &pending, &of_type("closing")).await.problem(), "409 session_not_paid");
        let wrong = close(shop, paid, &json!({})).await;
        assert_eq!(
            (wrong.problem().as_str(), wrong.fields()),
            ("422 invalid_request", vec!["type:required".to_owned()])
        );
        let wrong =
            close(shop, paid, &json!({ "type": "closing", "items": [{ "name": "Atlas", "vat": 22 }] })).await;
        assert_eq!(wrong.fields(), ["items[0].price:required"]);
        // A misspelled member would silently close all lines.
        let body = json!({ "type": "closing", "item": [], "items": null, "note": null });
        let wrong = close(shop, paid, &body).await;
        assert_eq!((wrong.status.as_u16(), wrong.fields()), (422, vec!["item:unknown_field".to_owned()]));
        let unknown = "01963f2a-7b1c-7def-8123-456789abcdef";
        assert_eq!(close(shop, unknown, &of_type("closing")).await.problem(), "404 session_not_found");
        let stranger = server.shop(environment, &server.vendor().await).await;
        assert_eq!(close(&stranger, paid, &of_type("closing")).await.problem(), "404 session_not_found");
        let all = receipts(&server, environment, paid).await;
        assert_eq!(all.len(), 1, "nothing was stored");
        let refunded = shop.refund(paid, &json!({}), &[]).await;
        assert_eq!(refunded.status, 201);
        ended(&server, shop, &refunded, "succeeded").await;
        assert_eq!(close(shop, paid, &of_type("closing")).await.problem(), "422 no_prepayment");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_that_fails_leaves_no_prepayment_open() {
    let (server, _, both) = both().await;
    for (environment, shop, id) in &both {
        let body = json!({ "amount": "2400", "receipt": atlas("1"), "reason": "simulate fail" });
        let refund = shop.refund(id, &body, &[]).await;
        assert_eq!(refund.status, 201, "{}", refund.body);
        let early = close(shop, id, &of_type("closing")).await;
        assert_eq!(early.problem(), "409 refund_pending", "its end tells what is left");
        ended(&server, shop, &refund, "failed").await;
        assert_eq!(close(shop, id, &of_type("closing")).await.status, 201);
        let all = receipts(&server, environment, id).await;
        let stored = all.iter().find(|one| one.kind == FiscalKind::Closing).expect("a closing receipt");
        assert_eq!(stored.total.minor, 480_000, "both atlases");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_refund_and_a_closing_at_one_moment_each_knows_of_the_other() {
    let (server, _, both) = both().await;
    let shop = &both[1].1;
    for round in 0..12 {
        let id = shop.create(&order(&format!("R-{round}"))).await.text("session_id");
        shop.simulate(&id, &json!({ "outcome": "paid" })).await;
        let part = json!({ "amount": "2400", "receipt": atlas("1") });
        let (refund, closing) = (async || shop.refund(&id, &part, &[]).await, of_type("closing"));
        let (refund, closed) = tokio::join!(refund(), close(shop, &id, &closing));
        assert_eq!(refund.status, 201, "{}", refund.body);
        let all = receipts(&server, "sandbox", &id).await;
        let of = |kind| all.iter().find(|one| one.kind == kind);
        let mode = of(FiscalKind::Refund).expect("a receipt").content.items[0].mode;
        match closed.status.as_u16() {
            201 => {
                let total = of(FiscalKind::Closing).map(|closing| closing.total.minor);
                assert_eq!(
                    (mode, total),
                    (PaymentMode::FullPayment, Some(480_000)),
                    "handed over, then returned"
                );
            }
            _ => {
                assert_eq!(closed.problem(), "409 refund_pending");
                assert_eq!((mode, all.len()), (PaymentMode::FullPrepayment, 2), "{all:?}");
            }
        }
    }
}
