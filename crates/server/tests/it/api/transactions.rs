//! The list of transactions.

use crate::{
    callbacks::money::{tell, told, with_address},
    money::{decisions::Operator, refunds::ended},
    support::{Answer, Server, Shop, until},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

impl Shop {
    /// Lists transactions, with any query.
    pub(crate) async fn transactions(&self, query: &str) -> Answer {
        let path = match self.callbacks().contains("/sandbox/") {
            true => "/api/sandbox/vendor/transactions",
            false => "/api/transactions",
        };
        self.get(&format!("{path}?{query}")).await
    }
}

async fn types(shop: &Shop, query: &str) -> Vec<String> {
    let page = shop.transactions(query).await;
    assert_eq!(page.status, 200, "{query}: {}", page.body);
    let page = page.json();
    let rows = page["transactions"].as_array().expect("a list").iter();
    rows.map(|row| row["type"].as_str().expect("a type").to_owned()).collect()
}

async fn paid(shop: &Shop, order: &str) -> String {
    let id = shop.order(order).await;
    shop.simulate(&id, &json!({ "outcome": "paid" })).await;
    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_movement_of_money_is_listed_with_its_type_and_marks() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    assert_eq!(shop.transactions("").await.json(), json!({ "transactions": [], "next_cursor": null }));
    let id = paid(&shop, "A-1").await;
    server.later(Duration::from_millis(5));
    let refund = shop.refund(&id, &json!({ "amount": "990.00" }), &[]).await;
    let refund = ended(&server, &shop, &refund, "succeeded").await;
    let failing = shop.refund(&id, &json!({ "amount": "1.00", "reason": "simulate fail" }), &[]).await;
    ended(&server, &shop, &failing, "failed").await;
    for event in ["payment.over", "dispute.opened", "dispute.lost"] {
        assert_eq!(tell(&server, &shop, &id, event).await.status, 200);
    }
    server.later(Duration::from_millis(5));
    let late = shop.order("A-2").await;
    shop.simulate(&late, &json!({ "outcome": "expired" })).await;
    for event in ["payment.late", "payment.partial"] {
        assert_eq!(tell(&server, &shop, &late, event).await.status, 200);
    }
    // Rows of one millisecond have no order.
    server.later(Duration::from_millis(5));
    let refunded = json!({ "event": "payment.resolved", "resolution": "refunded" });
    assert_eq!(shop.simulate(&late, &refunded).await.status, 200);
    until("the late money goes back", async || types(&shop, "type=refund").await.len() == 2).await;
    let page = shop.transactions("").await.json();
    let rows = page["transactions"].as_array().expect("a list");
    assert_eq!((&rows[0]["type"], &rows[0]["amount"]), (&json!("refund"), &json!("4990.00")));
    assert!(rows[0]["refundId"].is_null(), "the vendor did not ask for it: {}", rows[0]);
    let rows = &rows[1..];
    let seen: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| (row["type"].as_str().expect("a type"), row["amount"].as_str().expect("an amount")))
        .collect();
    let expected = [
        ("payment", "2495.00"),
        ("payment", "4990.00"),
        ("dispute", "4000.00"),
        ("payment", "499.00"),
        ("refund", "990.00"),
        ("payment", "4990.00"),
    ];
    assert_eq!(seen, expected);
    assert_eq!(
        (&rows[0]["partial"], &rows[1]["late"], &rows[3]["over"]),
        (&json!(true), &json!(true), &json!(true))
    );
    assert_eq!(
        (&rows[5]["late"], &rows[5]["over"]),
        (&Value::Null, &Value::Null),
        "marks are present when true"
    );
    assert_eq!(rows[4]["refundId"], refund.json()["refundId"]);
    assert_eq!(rows[4]["createdAt"], refund.json()["updatedAt"], "when the money left");
    assert!(rows[2]["disputeId"].is_string(), "{}", rows[2]);
    assert_eq!((&rows[5]["sessionId"], &rows[5]["orderId"]), (&json!(id), &json!("A-1")));
    let ids: BTreeSet<&str> = rows.iter().filter_map(|row| row["transactionId"].as_str()).collect();
    assert_eq!(ids.len(), rows.len());

    for (query, expected) in [
        ("type=payment".to_owned(), vec!["payment"; 4]),
        ("type=refund".to_owned(), vec!["refund"; 2]),
        ("type=dispute".to_owned(), vec!["dispute"]),
        ("type=reversal".to_owned(), vec![]),
        ("order_id=A-2".to_owned(), vec!["refund", "payment", "payment"]),
        ("order_id=A-3".to_owned(), vec![]),
        (format!("session_id={id}"), vec!["dispute", "payment", "refund", "payment"]),
        (format!("session_id={id}&type=refund&order_id=A-1"), vec!["refund"]),
        (format!("session_id={id}&order_id=A-2"), vec![]),
        ("created_to=2020-01-01".to_owned(), vec![]),
        ("created_from=2020-01-01&type=refund".to_owned(), vec!["refund"; 2]),
    ] {
        assert_eq!(types(&shop, &query).await, expected, "{query}");
    }
    let other = server.shop("sandbox", &server.vendor().await).await;
    let live = server.shop("live", &vendor).await;
    for stranger in [&other, &live] {
        for query in [String::new(), format!("session_id={id}"), "order_id=A-1".to_owned()] {
            assert_eq!(types(stranger, &query).await, Vec::<String>::new(), "{query}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn coins_and_disputes_of_live_are_listed() {
    let server = Server::with(&[("TILL_SETTLEMENT_DELAY", "0s")]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let (id, attempt) = with_address(&server, &shop).await;
    server.customer().decide(&attempt, "pay_over").await;
    told(&server, &shop, &id, "payment.over").await;
    let mut shop = shop.clone();
    shop.log_in().await;
    let page = shop.transactions(&format!("session_id={id}")).await.json();
    let row = &page["transactions"][0];
    assert_eq!(
        (&row["type"], &row["method"], &row["over"]),
        (&json!("payment"), &json!("crypto"), &json!(true))
    );
    assert!(row["coin"].is_string() && row["coinAmount"].is_string(), "{row}");
    let id = shop.order("B-1").await;
    assert_eq!(server.customer().pay(&id, "card").await.status, 303);
    let attempt = server.attempts(&id).await[0].id.to_string();
    server.customer().decide(&attempt, "approve").await;
    until("paid", async || shop.status(&id).await.text("status") == "paid").await;
    server.customer().decide(&attempt, "dispute").await;
    let opened = told(&server, &shop, &id, "dispute.opened").await;
    let dispute = opened["disputeId"].as_str().expect("an id");
    Operator(&server).run(&["action", "resolve", dispute, "charge"]).expect("it is decided");
    shop.log_in().await;
    let page = shop.transactions(&format!("session_id={id}")).await.json();
    let rows = page["transactions"].as_array().expect("a list");
    assert_eq!((&rows[0]["type"], &rows[0]["disputeId"]), (&json!("dispute"), &json!(dispute)), "{page}");
    assert_eq!(types(&shop, "type=dispute").await, ["dispute"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_follow_each_other_and_wrong_parameters_are_named() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    for number in 0..25 {
        let id = paid(&shop, &format!("A-{number}")).await;
        if number % 5 == 0 {
            shop.refund(&id, &json!({ "amount": "1.00" }), &[]).await;
        }
        server.later(Duration::from_millis(1));
    }
    until("all are refunded", async || types(&shop, "type=refund&limit=100").await.len() == 5).await;
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = shop.transactions(&format!("limit=7{cursor}")).await.json();
        let rows = page["transactions"].as_array().expect("a list");
        seen.extend(rows.iter().map(|row| row["transactionId"].as_str().expect("an id").to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
        // New ones are ahead of the first page.
        paid(&shop, "new").await;
        server.later(Duration::from_millis(1));
    }
    let distinct: BTreeSet<&String> = seen.iter().collect();
    assert_eq!((seen.len(), distinct.len()), (30, 30), "each once");
    for (query, field) in [
        ("type=income", "type:unknown_value"),
        ("session_id=1", "session_id:invalid_session_id"),
        ("order_id=", "order_id:empty"),
        ("limit=0", "limit:out_of_range"),
        ("limit=101", "limit:out_of_range"),
        ("created_from=yesterday", "created_from:invalid_time"),
        ("created_from=2026-02-02&created_to=2026-02-01", "created_to:invalid_time"),
        ("status=paid", "status:unknown_parameter"),
        ("type=refund&type=refund", "type:repeated_parameter"),
        ("cursor=abc", "cursor:invalid_cursor"),
    ] {
        let answer = shop.transactions(query).await;
        assert_eq!(answer.status, 422, "{query}: {}", answer.body);
        assert_eq!(answer.fields().len(), 1, "{query}: {}", answer.body);
        assert_eq!(answer.fields()[0].split(':').next(), field.split(':').next(), "{query}");
    }
    let other = format!("type=payment{cursor}");
    assert_eq!(shop.transactions(&other).await.problem(), "422 invalid_cursor", "a cursor of other filters");
    let of_sessions = shop.list("limit=1").await.json()["next_cursor"].as_str().expect("more").to_owned();
    let other = format!("cursor={of_sessions}");
    assert_eq!(shop.transactions(&other).await.problem(), "422 invalid_cursor", "a cursor of another list");
}
