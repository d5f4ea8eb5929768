//! A vendor's own money: the page, the statement and the API say the same, to the last minor unit.

use super::{rows, text_of};
use crate::support::{Answer, Person, Server, Shop, Vendor, entry, until};
use serde_json::json;
use std::time::Duration;
use till_domain::{id::SessionId, ledger::Fee, method::Method, money::Currency, session::State, user::Role};

pub(super) struct Scene {
    pub server: Server,
    pub vendor: Vendor,
    pub shop: Shop,
    pub ada: Person,
}

/// A vendor that is live, and of whose payments by card 2.5 % and 10 rubles are taken.
pub(super) async fn scene(delay: &str) -> Scene {
    let server = Server::with(&[("TILL_SETTLEMENT_DELAY", delay), ("TILL_OPERATOR_TOTP", "off")]).await;
    let vendor = server.vendor().await;
    assert!(server.accounts.set_sandbox(vendor.id, false, &entry()).await.expect("stored"));
    let currency = Currency::parse("RUB");
    let fee = Fee { method: Method::Card, currency, millionths: 25_000, fixed: 1_000, returned: false };
    assert!(server.accounts.set_fee(vendor.id, &fee, &entry()).await.expect("stored"));
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let shop = server.shop("live", &vendor).await;
    Scene { server, vendor, shop, ada }
}

impl Scene {
    /// Pays an order, by card.
    pub(super) async fn pay(&self, order: &str, price: &str, currency: &str) -> SessionId {
        let body =
            json!({ "product_name": "Atlas", "price": price, "currency": currency, "order_id": order });
        let id = self.shop.create(&body).await.text("session_id");
        let customer = self.server.customer();
        assert_eq!(customer.pay(&id, "card").await.status, 303);
        let attempt = self.server.attempts(&id).await[0].id.to_string();
        customer.decide(&attempt, "approve").await;
        until("it is paid", async || self.server.session(&id).await.state == State::Paid).await;
        SessionId::parse(&id).expect("an id")
    }

    async fn api(&self) -> serde_json::Value {
        self.shop.get("/api/wallet").await.json()
    }
}

/// Amounts as English pages write them, without the space that keeps them on one line.
fn plain(texts: Vec<String>) -> Vec<String> {
    texts.into_iter().map(|text| text.trim().replace(['\u{a0}', '\u{202f}'], " ")).collect()
}

fn statement(answer: &Answer) -> Vec<Vec<String>> {
    assert_eq!(answer.status, 200);
    let body = answer.body.strip_prefix('\u{feff}').expect("a mark");
    let mut reader = csv::ReaderBuilder::new().from_reader(body.as_bytes());
    reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wallet_shows_what_was_paid_less_fees_and_what_there_was_after_each() {
    let scene = scene("0s").await;
    let empty = scene.ada.get("/panel/wallet").await;
    assert_eq!((empty.status.as_u16(), rows(&empty.body, "empty").len()), (200, 1));
    assert_eq!(scene.api().await, json!({ "balances": [] }));
    for (order, price) in [("A-1", "100.00"), ("A-2", "4990.00"), ("A-3", "5.00")] {
        scene.pay(order, price, "RUB").await;
        scene.server.later(Duration::from_secs(60));
    }
    scene.pay("E-1", "7.50", "EUR").await;
    let page = scene.ada.get("/panel/wallet?currency=RUB").await.body;
    // Less 12.50, 134.75 and all of 5.00.
    assert_eq!(plain(rows(&page, "balance")), ["4,942.75 RUB", "4,942.75 RUB", "87.50 RUB"][..].to_vec());
    assert_eq!(plain(rows(&page, "in")), ["", "4,855.25 RUB", "87.50 RUB"][..].to_vec());
    assert_eq!(
        plain(vec![text_of(&page, "[data-testid=fund-RUB] [data-testid=available]")]),
        ["4,942.75 RUB"]
    );
    assert!(plain(rows(&page, "fee"))[1].contains("134.75"));
    assert_eq!(plain(rows(&scene.ada.get("/panel/wallet?currency=EUR").await.body, "in")), ["7.50 EUR"]);
    let narrow = scene.ada.get("/panel/wallet?currency=RUB&status=payout").await.body;
    assert_eq!((rows(&narrow, "balance").len(), rows(&narrow, "empty").len()), (0, 1));
    assert_eq!(scene.ada.get("/panel/wallet?from=x").await.status, 422);
    let nothing = json!("0.00");
    assert_eq!(
        scene.api().await["balances"][1],
        json!({ "currency": "RUB", "available": "4942.75", "pending": nothing, "refunds": nothing, "payouts": nothing })
    );
    assert_eq!(scene.shop.get("/api/sandbox/vendor/wallet").await.status, 404);
    let file = statement(&scene.ada.get("/panel/wallet.csv?month=2026-11&currency=RUB").await);
    let cells = |row: usize| file[row][2..].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(cells(0), ["opening_balance", "", "", "", "", "", "0.00"]);
    assert_eq!(
        (cells(2)[0], cells(2)[1], &cells(2)[3..]),
        ("payment", "A-2", &["134.75", "", "4855.25", "4942.75"][..])
    );
    assert_eq!((file.len(), cells(4)), (5, vec!["closing_balance", "", "", "", "", "", "4942.75"]));
    let later = statement(&scene.ada.get("/panel/wallet.csv?month=2026-12&currency=RUB").await);
    assert_eq!((later.len(), later[0][8].as_str(), later[1][8].as_str()), (2, "4942.75", "4942.75"));
    let wrong = scene.ada.get("/panel/wallet.csv?month=x&currency=RUB").await;
    assert_eq!(wrong.header("location"), Some("/panel/wallet?month=x&currency=RUB"));
    assert_eq!(scene.ada.get("/panel/wallet?month=x&currency=RUB").await.status, 422);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_pending_is_the_vendors_already_and_becomes_available_once() {
    let scene = scene("1d").await;
    scene.pay("A-1", "100.00", "RUB").await;
    let balance = scene.api().await["balances"][0].clone();
    assert_eq!((&balance["available"], &balance["pending"]), (&json!("0.00"), &json!("87.50")));
    let page = scene.ada.get("/panel/wallet").await.body;
    assert!(plain(rows(&page, "next"))[0].contains("87.50"), "{page}");
    scene.server.later(Duration::from_secs(24 * 60 * 60));
    let mut ada = scene.ada;
    scene.server.open_browser(&mut ada).await;
    until("it is available", async || {
        scene.server.later(Duration::from_secs(1));
        let page = ada.get("/panel/wallet").await.body;
        plain(vec![text_of(&page, "[data-testid=available]")]) == ["87.50 RUB"]
    })
    .await;
    let page = ada.get("/panel/wallet").await.body;
    assert_eq!(plain(rows(&page, "balance")), ["87.50 RUB"], "the sum is the same, so nothing is listed");
    let page = ada.get("/panel/wallet?status=settlement").await.body;
    assert_eq!((plain(rows(&page, "balance")), rows(&page, "what").len()), (vec!["87.50 RUB".to_owned()], 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_history_is_paged_both_ways_and_every_page_continues_the_sum() {
    let scene = scene("0s").await;
    for number in 1..=60 {
        scene.pay(&format!("A-{number}"), "100.00", "EUR").await;
        scene.server.later(Duration::from_secs(1));
    }
    let mut path = "/panel/wallet".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = scene.ada.get(&path).await.body;
        seen.extend(plain(rows(&page, "balance")));
        if rows(&page, "older").is_empty() {
            break;
        }
        path = super::detail::attribute(&page, "[data-testid=older]", "href");
    }
    let expected: Vec<_> = (1..=60).rev().map(|number| format!("{}00.00 EUR", number)).collect();
    let digits = |texts: &[String]| texts.iter().map(|text| text.replace(',', "")).collect::<Vec<_>>();
    assert_eq!(digits(&seen), expected);
    let (file, other) = ("/panel/wallet.csv?month=2026-11&currency=EUR", scene.server.vendor().await);
    assert_eq!(statement(&scene.ada.get(file).await).len(), 62);
    assert!(scene.server.accounts.set_sandbox(other.id, false, &entry()).await.expect("stored"));
    let eve = scene.server.person("eve", Role::VendorViewer, Some(other.id)).await;
    assert_eq!(rows(&eve.get("/panel/wallet?currency=EUR").await.body, "balance").len(), 0, "nobody else's");
    assert_eq!(statement(&eve.get(file).await).len(), 2);
    assert_ne!(scene.vendor.id, other.id);
}
