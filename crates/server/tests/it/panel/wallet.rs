//! A vendor's wallet: the page, the statement and the API agree to the last minor unit.

use super::{rows, text_of};
use crate::support::{Answer, Person, Server, Shop, Vendor, entry, until};
use serde_json::json;
use std::time::Duration;
use till_domain::{
    audit::AuditEvent, id::SessionId, ledger::Fee, method::Method, money::Currency, session::State,
    user::Role,
};

pub(super) struct Scene {
    pub server: Server,
    pub vendor: Vendor,
    pub shop: Shop,
    pub ada: Person,
}

/// A live vendor whose card payments cost 2.5 % and 10 rubles.
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
    /// Pays an order by card.
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
    for (order, price) in [("A-1", "100.00"), ("A-2", "4990.00"), ("A-3", "15.00")] {
        scene.pay(order, price, "RUB").await;
        scene.server.later(Duration::from_secs(60));
    }
    scene.pay("E-1", "7.50", "EUR").await;
    let page = scene.ada.get("/panel/wallet?currency=RUB").await.body;
    // Less the fees of 12.50, 134.75 and 10.38.
    assert_eq!(plain(rows(&page, "balance")), ["4,947.37 RUB", "4,942.75 RUB", "87.50 RUB"][..].to_vec());
    assert_eq!(plain(rows(&page, "in")), ["4.62 RUB", "4,855.25 RUB", "87.50 RUB"][..].to_vec());
    assert_eq!(
        plain(vec![text_of(&page, "[data-testid=fund-RUB] [data-testid=available]")]),
        ["4,947.37 RUB"]
    );
    assert!(plain(rows(&page, "fee"))[1].contains("134.75"));
    assert_eq!(plain(rows(&scene.ada.get("/panel/wallet?currency=EUR").await.body, "in")), ["7.50 EUR"]);
    let narrow = scene.ada.get("/panel/wallet?currency=RUB&status=payout").await.body;
    assert_eq!((rows(&narrow, "balance").len(), rows(&narrow, "empty").len()), (0, 1));
    assert_eq!(scene.ada.get("/panel/wallet?from=x").await.status, 422);
    let nothing = json!("0.00");
    assert_eq!(
        scene.api().await["balances"][1],
        json!({ "currency": "RUB", "available": "4947.37", "pending": nothing, "refunds": nothing, "payouts": nothing })
    );
    assert_eq!(scene.shop.get("/api/sandbox/vendor/wallet").await.status, 404);
    let file = statement(&scene.ada.get("/panel/wallet.csv?month=2026-11&currency=RUB").await);
    let cells = |row: usize| file[row][2..].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(cells(0), ["opening_balance", "", "", "", "", "", "0.00"]);
    assert_eq!(
        (cells(2)[0], cells(2)[1], &cells(2)[3..]),
        ("payment", "A-2", &["134.75", "", "4855.25", "4942.75"][..])
    );
    assert_eq!((file.len(), cells(4)), (5, vec!["closing_balance", "", "", "", "", "", "4947.37"]));
    let later = statement(&scene.ada.get("/panel/wallet.csv?month=2026-12&currency=RUB").await);
    assert_eq!((later.len(), later[0][8].as_str(), later[1][8].as_str()), (2, "4947.37", "4947.37"));
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

/// Runs a command on the store of a running service.
fn till(server: &Server, arguments: &[&str]) -> (Option<i32>, serde_json::Value) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_till"));
    command
        .env_clear()
        .env("TILL_DATA_DIR", server.folder())
        .env("TILL_MASTER_KEY", crate::support::MASTER_KEY);
    let output = command.args(arguments).arg("--json").output().expect("the binary runs");
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payout_takes_money_once_and_comes_back_unless_it_was_sent() {
    let scene = scene("0s").await;
    scene.pay("A-1", "100.00", "EUR").await;
    // Entries of one millisecond have no order.
    scene.server.later(Duration::from_secs(1));
    let operator = scene.server.person("op", Role::Operator, None).await;
    let available = async || scene.api().await["balances"][0]["available"].clone();
    let form = |amount: &'static str| {
        vec![("currency", "EUR"), ("amount", amount), ("destination", "IBAN 1\r\nBank"), ("sure", "on")]
    };
    for wrong in ["100.01", "0", "x", "-1", "1.001"] {
        assert_eq!(scene.ada.post("/panel/wallet/payout", &form(wrong)).await.status, 422, "{wrong}");
    }
    let missing = [("currency", "EUR"), ("amount", "1"), ("destination", " "), ("sure", "on")];
    let missing = scene.ada.post("/panel/wallet/payout", &missing).await;
    assert!(missing.status == 422 && missing.body.contains("destination-error"));
    let unsure = scene.ada.post("/panel/wallet/payout", &form("60")[..3]).await;
    assert_eq!((unsure.status.as_u16(), rows(&unsure.body, "confirm").len()), (200, 1));
    assert_eq!(available().await, json!("100.00"), "nothing before the last word");
    let once = [&form("60.00")[..], &[("once", "01963f2a-7b1c-7def-8123-456789abcdef")]].concat();
    let first = scene.ada.post("/panel/wallet/payout", &once).await;
    assert_eq!(first.header("location"), Some("/panel/wallet?done=payout-asked"));
    let again = scene.ada.post("/panel/wallet/payout", &form("60.00")).await;
    assert_eq!(
        (again.status.as_u16(), available().await),
        (422, json!("40.00")),
        "there is not so much left"
    );
    let reloaded = [&form("10.00")[..], &[("once", "01963f2a-7b1c-7def-8123-456789abcdef")]].concat();
    let reloaded = scene.ada.post("/panel/wallet/payout", &reloaded).await;
    assert!(reloaded.header("location").is_some_and(|to| to.ends_with("done=repeated")), "{reloaded:?}");
    assert_eq!(available().await, json!("40.00"));
    let listed = till(&scene.server, &["payout", "list"]).1;
    let id = listed[0]["payout_id"].as_str().expect("an id").to_owned();
    let path = |step: &str| format!("/operator/payouts/{id}/{step}");
    assert_eq!(operator.post(&path("sent"), &[("note", "Ref 1")]).await.status, 409, "not approved yet");
    assert_eq!(operator.post(&path("refused"), &[("note", " ")]).await.status, 422);
    assert_eq!(operator.post(&path("approved"), &[]).await.status, 303);
    assert_eq!(operator.post(&path("approved"), &[]).await.status, 409, "once");
    assert_eq!(operator.post(&path("sent"), &[("note", "Ref 1")]).await.status, 303);
    assert_eq!(operator.post(&path("failed"), &[("note", "no")]).await.status, 409);
    let page = scene.ada.get("/panel/wallet").await.body;
    assert!(page.contains("Ref 1") && text_of(&page, "[data-testid=payout-rows]").contains("Sent"));
    assert_eq!(plain(rows(&page, "out"))[0], "60.00 EUR");
    // Another payout is refused, and its money comes back.
    assert_eq!(scene.ada.post("/panel/wallet/payout", &form("40")).await.status, 303);
    assert_eq!(available().await, json!("0.00"));
    let listed = till(&scene.server, &["payout", "list"]).1;
    let id = listed[0]["payout_id"].as_str().expect("an id");
    assert_eq!(till(&scene.server, &["payout", "refuse", id, "--reason", "closed account"]).0, Some(0));
    assert_eq!(till(&scene.server, &["payout", "approve", id]).0, Some(1));
    assert_eq!(available().await, json!("40.00"));
    let deeds: Vec<_> =
        super::told(&scene.server, scene.vendor.id).await.into_iter().map(|(deed, _)| deed).collect();
    for deed in [
        AuditEvent::PayoutAsked,
        AuditEvent::PayoutApproved,
        AuditEvent::PayoutSent,
        AuditEvent::PayoutRefused,
    ] {
        let expected = if deed == AuditEvent::PayoutAsked { 2 } else { 1 };
        assert_eq!(deeds.iter().filter(|other| **other == deed).count(), expected, "{deed:?}");
    }
    let (code, report) = till(&scene.server, &["verify"]);
    assert_eq!((code, &report["ok"]), (Some(0), &json!(true)), "{report:#}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i7_of_payouts_at_once_only_those_get_through_that_there_is_money_for() {
    let scene = scene("0s").await;
    scene.pay("A-1", "100.00", "EUR").await;
    let form = [("currency", "EUR"), ("amount", "30,00"), ("destination", "IBAN"), ("sure", "on")];
    let asked =
        futures_util::future::join_all((0..8).map(|_| scene.ada.post("/panel/wallet/payout", &form))).await;
    assert_eq!(asked.iter().filter(|answer| answer.status == 303).count(), 3);
    assert!(asked.iter().all(|answer| [303, 422].contains(&answer.status.as_u16())));
    let balance = scene.api().await["balances"][0].clone();
    assert_eq!((&balance["available"], &balance["payouts"]), (&json!("10.00"), &json!("90.00")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_that_somebody_edited_is_found_by_verify() {
    let scene = scene("0s").await;
    for number in 1..=3 {
        scene.pay(&format!("A-{number}"), "100.00", "RUB").await;
    }
    let shell = rusqlite::Connection::open(scene.server.folder().join("live.db")).expect("a database");
    until("history is sealed", async || {
        scene.server.later(Duration::from_secs(5));
        let open =
            shell.query_row("SELECT COUNT(*) FROM entries WHERE seq IS NULL", [], |row| row.get::<_, i64>(0));
        open == Ok(0)
    })
    .await;
    assert_eq!(till(&scene.server, &["verify"]).0, Some(0));
    shell.execute_batch("DROP TRIGGER postings_unchanged").expect("a superuser can");
    let edit = "UPDATE postings SET amount = amount + 1 WHERE (entry_id, account) IN
        (SELECT id, 'available' FROM entries WHERE seq = 2)";
    assert_eq!(shell.execute(edit, []).expect("edited"), 1);
    let (code, report) = till(&scene.server, &["verify"]);
    assert_eq!((code, &report["ok"]), (Some(1), &json!(false)));
    let wrong: Vec<_> =
        report["checks"].as_array().expect("checks").iter().filter(|c| c["violations"] != 0).collect();
    assert!(
        wrong.iter().any(|check| check["check"].as_str().is_some_and(|name| name.contains("I5"))),
        "{wrong:?}"
    );
    assert!(
        wrong.iter().any(|check| check["check"].as_str().is_some_and(|name| name.contains("I6"))),
        "{wrong:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_reads_a_vendors_wallet_and_its_statement_and_changes_nothing() {
    let scene = scene("0s").await;
    let olga = scene.server.person("olga", Role::Operator, None).await;
    let vendor = format!("/operator/vendors/{}", scene.vendor.id);
    let path = format!("{vendor}/wallet");
    let empty = olga.get(&path).await;
    assert_eq!((empty.status.as_u16(), rows(&empty.body, "empty").len()), (200, 1));
    let id = scene.pay("A-1", "100.00", "RUB").await;
    scene.pay("A-2", "4990.00", "RUB").await;
    assert!(
        olga.get(&vendor).await.body.contains(&format!("href=\"{path}\"")),
        "the vendor's page leads there"
    );
    let page = olga.get(&path).await.body;
    // Both may have the same millisecond, and then either can be the first.
    let balances = plain(rows(&page, "balance"));
    let either = [["4,942.75 RUB", "87.50 RUB"], ["4,942.75 RUB", "4,855.25 RUB"]];
    assert!(either.iter().any(|found| balances == *found), "{balances:?}");
    assert!(page.contains(&format!("/operator/sessions/live/{id}")), "its sessions are the operator's pages");
    assert!(
        !page.contains("/panel/wallet") && !page.contains("/panel/sessions"),
        "nothing leads to the vendor's own pages"
    );
    let narrow = olga.get(&format!("{path}?status=payout&currency=RUB")).await.body;
    assert!(narrow.contains(&format!("href=\"{path}\"")), "the search is cleared on the same page");
    assert_eq!(olga.get(&format!("{path}?from=x")).await.status, 422);
    let own = scene.ada.get("/panel/wallet.csv?month=2026-11&currency=RUB").await;
    let theirs = olga.get(&format!("{path}.csv?month=2026-11&currency=RUB")).await;
    assert_eq!(statement(&theirs).len(), 4);
    // Times are in the reader's time zone; both have the same.
    assert_eq!(statement(&own), statement(&theirs), "both read the same");
    let wrong = olga.get(&format!("{path}.csv?month=x&currency=RUB")).await;
    assert_eq!(wrong.header("location"), Some(format!("{path}?month=x&currency=RUB").as_str()));
    assert_eq!(olga.get("/operator/vendors/01963f2a-7b1c-7def-8123-456789abcdef/wallet").await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_agrees_on_fees_and_a_delay_at_the_console() {
    let scene = scene("3d").await;
    let olga = scene.server.person("olga", Role::Operator, None).await;
    let vendor = format!("/operator/vendors/{}", scene.vendor.id);
    let (page, fees, delay) =
        (format!("{vendor}/terms"), format!("{vendor}/fees"), format!("{vendor}/delay"));
    let shown = olga.get(&vendor).await.body;
    assert!(
        shown.contains("2.5% + 10.00\u{a0}RUB") && shown.contains("3 days"),
        "the vendor's page has them"
    );
    let wrong = olga
        .post(
            &fees,
            &[
                ("method", "card"),
                ("currency", "XXX"),
                ("percent", "101"),
                ("fixed", "7"),
                ("returned", "on"),
            ],
        )
        .await;
    assert_eq!(wrong.status, 422);
    for kept in
        ["value=\"XXX\"", "value=\"101\"", "value=\"7\"", "id=\"currency-error\"", "id=\"percent-error\""]
    {
        assert!(wrong.body.contains(kept), "{kept} in {}", wrong.body);
    }
    let late = olga.post(&delay, &[("delay", "soon")]).await;
    assert!(late.status == 422 && late.body.contains("value=\"soon\"") && late.body.contains("delay-error"));
    let lines = async || {
        let filter = till_store::AuditFilter {
            vendor: Some(scene.vendor.id),
            event: Some(AuditEvent::TermsChanged),
            limit: 10,
            ..Default::default()
        };
        let lines = scene.server.accounts.audit(&filter).await.expect("a log");
        lines.into_iter().filter_map(|line| line.detail).collect::<Vec<_>>()
    };
    let before = lines().await.len();
    let saved = Some(format!("{page}?done=saved"));
    let set =
        [("method", "sbp"), ("currency", "eur"), ("percent", "1,5"), ("fixed", "0.30"), ("returned", "on")];
    assert_eq!(olga.post(&fees, &set).await.header("location"), saved.as_deref());
    assert_eq!(olga.post(&delay, &[("delay", "12h")]).await.header("location"), saved.as_deref());
    let remove = [("remove", "on"), ("method", "card"), ("currency", "RUB")];
    assert_eq!(olga.post(&fees, &remove).await.header("location"), saved.as_deref());
    assert_eq!(
        olga.post(&fees, &remove).await.header("location"),
        Some(format!("{page}?done=failed").as_str())
    );
    let told = lines().await;
    assert_eq!(told.len() - before, 3, "{told:?}");
    assert_eq!(told[..3], ["card, RUB: no fee", "settlement delay: 12h", "sbp, EUR: 1.5 % + 0.30 EUR"]);
    let shown = olga.get(&page).await.body;
    assert!(
        shown.contains("1.5% + 0.30\u{a0}EUR") && shown.contains("value=\"12h\"") && !shown.contains("2.5%")
    );
    assert_eq!(olga.post(&delay, &[("delay", "")]).await.header("location"), saved.as_deref());
    let terms = scene.server.accounts.vendor(scene.vendor.id).await.expect("a read").expect("a vendor").terms;
    assert_eq!((terms.fees.len(), terms.settlement_delay), (1, None));
    assert!(terms.fees[0].returned);
}
