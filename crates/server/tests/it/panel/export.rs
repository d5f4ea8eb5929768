//! CSV exports of lists: complete, filtered like the list, and safe in a spreadsheet.

use super::{
    detail::texts,
    lists::{Scene, scene},
};
use crate::support::{Answer, Receiver, Reply, Server, until};
use serde_json::json;
use std::time::Duration;
use till_domain::user::Role;

async fn read(scene: &Scene, path: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let answer = scene.ada.get(path).await;
    assert_eq!(answer.status, 200, "{path}");
    rows(&answer)
}

fn rows(answer: &Answer) -> (Vec<String>, Vec<Vec<String>>) {
    assert_eq!(answer.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(answer.header("content-disposition").is_some_and(|name| name.starts_with("attachment; ")));
    let body = answer.body.strip_prefix('\u{feff}').expect("a mark");
    let mut reader = csv::ReaderBuilder::new().from_reader(body.as_bytes());
    let head = reader.headers().expect("a head").iter().map(str::to_owned).collect();
    let rows = reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect());
    (head, rows.collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_has_every_row_of_its_list_and_no_other() {
    let scene = scene().await;
    let ids = scene.orders(60).await;
    for id in &ids[..3] {
        scene.end(id, "paid").await;
    }
    let (head, all) = read(&scene, "/panel/sessions.csv").await;
    assert_eq!(head[..3], ["session_id", "order_id", "status"]);
    let expected: Vec<&String> = ids.iter().rev().collect();
    assert_eq!(all.iter().map(|row| &row[0]).collect::<Vec<_>>(), expected);
    assert_eq!(all[59][6..9], ["4990.00", "RUB", "2026-11-15T09:30:00.000+00:00"]);
    let (_, paid) = read(&scene, "/panel/sessions.csv?status=paid").await;
    assert_eq!(paid.len(), 3);
    let (_, one) = read(&scene, "/panel/sessions.csv?q=A-7").await;
    assert_eq!((one.len(), one[0][0].as_str()), (1, ids[7].as_str()));
    let (_, none) = read(&scene, "/panel/sessions.csv?to=2026-11-14").await;
    assert!(none.is_empty());
    let (head, money) = read(&scene, "/panel/transactions.csv").await;
    assert_eq!((head[2].as_str(), money.len()), ("order_id", 3));
    assert!(money.iter().any(|row| row[2] == "A-2" && row[7..9] == ["4990.00", "RUB"]));
    let (head, told) = read(&scene, "/panel/callbacks.csv?status=no_target").await;
    assert_eq!((head[3].as_str(), told.len(), told[2][3].as_str()), ("event", 3, "session.paid"));
    let wrong = scene.ada.get("/panel/sessions.csv?from=x").await;
    assert_eq!(wrong.header("location"), Some("/panel/sessions?from=x"), "the list says what is wrong");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_longer_than_what_is_read_at_once_is_whole() {
    let scene = scene().await;
    let mut ids = Vec::new();
    for number in 0..1_203 {
        ids.push(scene.shop.order(&format!("A-{number}")).await);
    }
    let (_, all) = read(&scene, "/panel/sessions.csv").await;
    let mut found: Vec<_> = all.into_iter().map(|row| row[0].clone()).collect();
    found.sort_unstable();
    ids.sort_unstable();
    assert_eq!(found, ids);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t9_what_a_vendor_calls_its_orders_is_no_formula() {
    let scene = scene().await;
    let texts =
        ["=1+1", "+1", "-1", "@SUM(A1)", "=HYPERLINK(\"https://evil.example\")", "a,b\"c", "＝1", "plain"];
    for text in texts {
        let body = json!({ "product_name": text, "price": "1.00", "currency": "EUR", "order_id": text });
        let id = scene.shop.create(&body).await.text("session_id");
        scene.end(&id, "paid").await;
        scene.server.later(Duration::from_secs(1));
    }
    for (path, columns) in [("sessions", vec![1, 5]), ("transactions", vec![2]), ("callbacks", vec![2])] {
        let (_, rows) = read(&scene, &format!("/panel/{path}.csv")).await;
        assert_eq!(rows.len(), texts.len());
        for (row, text) in rows.iter().rev().zip(texts) {
            for column in &columns {
                let harmful = text.starts_with(['=', '+', '-', '@', '＝']);
                let expected = if harmful { format!("'{text}") } else { text.to_owned() };
                assert_eq!(row[*column], expected, "{path}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_undelivered_callbacks_since_a_moment_are_counted_and_then_sent_again() {
    let server = Server::with(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
    let (vendor, receiver) = (server.vendor().await, Receiver::start().await);
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    receiver.answer("/dead", &[vec![Reply::Status(500); 8], vec![Reply::Status(204)]].concat());
    for order in ["A-1", "A-2"] {
        let shop = server.shop("sandbox", &vendor).await;
        let body = json!({ "product_name": "Atlas", "price": "1.00", "currency": "EUR", "order_id": order,
            "callback_url": receiver.url("/dead") });
        let id = shop.create(&body).await.text("session_id");
        shop.simulate(&id, &json!({ "outcome": "paid" })).await;
        for tries in 1..=4 {
            let path = format!("/panel/sessions/{id}");
            until("a try", async || {
                texts(&ada.get(&path).await.body, "[data-testid=tries] tbody tr").len() >= tries
            })
            .await;
            server.later(Duration::from_secs(200));
        }
        server.later(Duration::from_secs(3600));
    }
    let count = async |query: &str| {
        let page = ada.get(&format!("/panel/callbacks/resend{query}")).await.body;
        super::detail::attribute(&page, "[data-testid=how-many]", "data-count")
    };
    until("undelivered", async || count("").await == "2").await;
    // The second one failed more than an hour after 09:30.
    assert_eq!(count("?since=2026-11-15T10:30").await, "1");
    assert_eq!(count("?since=2026-11-16T00:00").await, "0");
    assert_eq!(ada.get("/panel/callbacks/resend?since=soon").await.status, 422);
    let wrong = ada.post("/panel/callbacks/resend", &[("since", "soon")]).await;
    assert!(wrong.status == 422 && wrong.body.contains("soon"), "what was typed is kept");
    let page = ada.get("/panel/callbacks?status=undelivered").await.body;
    assert_eq!(texts(&page, ".wide [data-testid=nav-callbacks] .count"), ["2 undelivered"]);
    assert_eq!(texts(&page, "[data-testid=rows] tbody tr").len(), 2);
    assert!(ada.get("/panel").await.body.contains("2 callbacks were not delivered."));
    let before = receiver.at("/dead").len();
    let done = ada.post("/panel/callbacks/resend", &[("since", "2026-11-15T10:30")]).await;
    assert_eq!(done.header("location"), Some("/panel/callbacks?done=resent-all"));
    receiver.wait("/dead", before + 1).await;
    until("one is left", async || count("").await == "1").await;
    let done = ada.post("/panel/callbacks/resend", &[("since", "")]).await;
    assert_eq!(done.header("location"), Some("/panel/callbacks?done=resent-all"));
    receiver.wait("/dead", before + 2).await;
    until("none is left", async || count("").await == "0").await;
    let done = ada.post("/panel/callbacks/resend", &[("since", "")]).await;
    assert_eq!(done.header("location"), Some("/panel/callbacks?done=on-its-way"), "nothing to send");
}
