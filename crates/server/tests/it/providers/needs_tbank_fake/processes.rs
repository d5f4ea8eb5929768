//! The real binary with T-Bank: set up by a command, paid, refunded and tested, on both engines.

use super::real_now;
use crate::support::{Customer, Process, Server, Shop, Till, until};
use serde_json::{Value, json};
use std::{fs, time::Duration};
use till_domain::{
    fiscal::{FiscalPolicy, FiscalSettings},
    session::State,
    user::Role,
};
use till_testing::{cluster::Cluster, tbank::Fake};

/// Pays a session through the pages of a running service; returns its id.
async fn pay(service: &Process, shop: &Shop, fake: &Fake, order: &str, method: &str) -> String {
    let created = shop.create(&Shop::book(order)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let id = created.text("session_id");
    let answer = Customer::new(&service.url).pay(&id, method).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let truth = fake.look("truth").await;
    let payment = truth["payments"].as_array().expect("payments").last().expect("one")["id"].clone();
    fake.does("pay", json!({ "payment": payment })).await;
    until("it is paid", async || shop.status(&id).await.text("status") == "paid").await;
    id
}

async fn sells(till: &mut Till) {
    let fake = Fake::start();
    till.set("TILL_CHECKOUT_URL", "https://pay.example").set("TILL_METRICS_LISTEN", "127.0.0.1:0");
    let file = till.file("tbank.toml");
    fs::write(&file, fake.document("")).expect("a file");
    let vendor = till.vendor();
    till.json(&["provider", "set", "tbank", "--file", file.to_str().expect("a path")]);
    till.json(&["provider", "on", "tbank"]);
    let tested: Value = till.json(&["provider", "test", "tbank"]);
    assert!(tested.to_string().contains("no money moves"), "{tested}");
    let service = till.serve();
    fake.does("notify", json!({ "url": format!("{}/notices/tbank/terminal", service.url) })).await;
    let mut shop = service.shop("live", &vendor);
    shop.log_in().await;
    let card = pay(&service, &shop, &fake, "A-1", "card").await;
    let sbp = pay(&service, &shop, &fake, "A-2", "sbp").await;
    for id in [&card, &sbp] {
        assert_eq!(shop.refund(id, &json!({ "amount": "90.00" }), &[]).await.status, 201);
    }
    until("both go back", async || {
        let truth = fake.look("truth").await;
        for payment in truth["payments"].as_array().expect("payments") {
            fake.happens("refunded", json!({ "payment": payment["id"] })).await;
        }
        truth["returned"] == 18_000
    })
    .await;
    assert!(service.metrics().await.contains("provider=\"tbank\""), "calls are counted");
    let doctor: Value = serde_json::from_slice(&till.run(&["doctor", "--json"]).stdout).expect("JSON");
    let checks = doctor["checks"].as_array().expect("checks").iter().filter(|check| check["name"] == "tbank");
    let said: Vec<_> = checks.map(Value::to_string).collect();
    assert!(said.iter().any(|check| check.contains("no money moves")), "{said:?}");
    assert!(said.iter().all(|check| !check.contains("54-FZ")), "{said:?}");
    // Receipts of a vendor without a till, and the other way round.
    let id = vendor["vendor_id"].as_str().expect("an id");
    assert!(till.run(&["vendor", "set", id, "--fiscal", "accept"]).status.success());
    let doctor = || String::from_utf8_lossy(&till.run(&["doctor", "--json"]).stdout).into_owned();
    let said = doctor();
    assert!(said.contains("the setup names no till"), "{said}");
    assert!(till.run(&["vendor", "set", id, "--fiscal", "off"]).status.success());
    fs::write(&file, fake.document("[receipts]\nffd = \"1.2\"\ntax_system = \"osn\"\n")).expect("a file");
    till.json(&["provider", "set", "tbank", "--file", file.to_str().expect("a path")]);
    let said = doctor();
    assert!(said.contains("receipts are off for"), "{said}");
}

/// The operator fills in the form while the service runs, and the next customer pays at T-Bank.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_sets_it_up_by_form_in_a_running_service() {
    const PATH: &str = "/operator/providers/tbank";
    let fake = Fake::start();
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off"), ("TILL_SIMULATOR", "off")]).await;
    let apart = (server.clock.now().as_ms() - real_now()) / 1_000;
    fake.does("advance", json!({ "seconds": apart })).await;
    fake.does("settings", json!({ "till": "1.2" })).await;
    let olga = server.person("olga", Role::Operator, None).await;
    assert!(olga.get(&format!("{PATH}/edit")).await.body.contains("name=\"terminal_key\""), "a form");
    let form = [
        ("terminal_key", Fake::TERMINAL),
        ("password", "wrong"),
        ("methods", "card"),
        ("methods", "sbp"),
        ("receipts-ffd", "1.2"),
        ("receipts-tax_system", "osn"),
        ("api", fake.api.as_str()),
        ("version", "0"),
        ("do", "test"),
    ];
    let tested = olga.post(PATH, &form).await;
    assert!(tested.status == 200 && tested.body.contains("data-state=\"bad\""), "{}", tested.body);
    let with = |password: &'static str, act| {
        form.map(|(name, value)| match name {
            "password" => (name, password),
            "do" => (name, act),
            _ => (name, value),
        })
    };
    let missing = olga.post(PATH, &with("", "save")).await;
    assert_eq!(missing.status, 422, "{}", missing.body);
    assert!(missing.body.contains("id=\"password-error\""), "{}", missing.body);
    assert_eq!(olga.post(PATH, &with(Fake::PASSWORD, "save")).await.status, 303);
    let page = olga.get(PATH).await.body;
    assert!(page.contains("/notices/tbank/terminal") && !page.contains(Fake::PASSWORD), "{page}");
    let vendor = server.vendor().await;
    let fiscal = FiscalSettings { policy: FiscalPolicy::Accept, ..FiscalSettings::default() };
    server.set_fiscal(&vendor, fiscal).await;
    let shop = server.shop("live", &vendor).await;
    for method in ["card", "sbp"] {
        let mut order = Shop::book(method);
        let line = json!({ "name": "Atlas", "quantity": 1, "price": order["price"], "vat": "none" });
        order["receipt"] = json!({ "items": [line], "customer": { "email": "ann@mail.example" } });
        let id = shop.create(&order).await.text("session_id");
        let answer = server.customer().pay(&id, method).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        let [attempt] = server.attempts(&id).await.try_into().expect("one attempt");
        assert_eq!(attempt.provider, "tbank");
        fake.does("pay", json!({ "payment": attempt.reference })).await;
        until("it is paid", async || {
            server.later(Duration::from_secs(2));
            server.session(&id).await.state == State::Paid
        })
        .await;
    }
    assert_eq!(olga.post(&format!("{PATH}/off"), &[]).await.status, 303);
    assert_eq!(shop.create(&Shop::book("A-3")).await.problem(), "422 no_payment_method");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_binary_sells_on_an_embedded_store() {
    sells(&mut Till::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_binary_sells_on_postgresql() {
    let cluster = Cluster::start();
    let mut till = Till::new();
    till.set("TILL_DATABASE_URL", &cluster.url());
    sells(&mut till).await;
}
