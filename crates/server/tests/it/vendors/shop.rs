//! The shop of a demo, for a visitor without JavaScript, and against forged callbacks.

use crate::{
    operations::demo::Demo,
    support::{Answer, Customer, Server, Shop, signature, until},
};
use serde_json::{Value, json};
use std::{process::Command, time::Duration};
use tempfile::TempDir;

/// A visitor of a demo's shop.
struct Visitor {
    browser: Customer,
    facts: Value,
}

#[derive(Debug, Clone)]
struct Bought {
    order: String,
    session: String,
}

impl Visitor {
    fn of(demo: &Demo) -> Self {
        Self { browser: Customer::new(demo.url()), facts: demo.facts.clone() }
    }

    async fn send(&self, environment: &str) -> Answer {
        let form = [("item", "atlas"), ("currency", "RUB"), ("environment", environment)];
        self.browser.post("/shop/orders", &form, &[]).await
    }

    async fn buy(&self, environment: &str) -> Bought {
        let sent = self.send(environment).await;
        assert_eq!(sent.status, 303, "{}", sent.body);
        let session = header(&sent, "location").rsplit('/').next().expect("an id").to_owned();
        Bought { order: self.latest().await, session }
    }

    /// The number of the newest order.
    async fn latest(&self) -> String {
        let list = self.browser.get("/shop/orders", &[]).await.body;
        let rest = list.split("href=\"/shop/orders/").nth(1).expect("an order");
        rest.split('"').next().expect("a number").to_owned()
    }

    async fn page(&self, order: &str) -> String {
        let page = self.browser.get(&format!("/shop/orders/{order}"), &[]).await;
        assert_eq!(page.status, 200);
        page.body
    }

    async fn status(&self, order: &str) -> String {
        let page = self.page(order).await;
        let rest = page.split("data-status=\"").nth(1).expect("a status");
        rest.split('"').next().expect("a word").to_owned()
    }

    async fn becomes(&self, order: &str, status: &str) {
        until(status, async || self.status(order).await == status).await;
    }

    fn secret(&self, environment: &str) -> &str {
        let vendor = if environment == "live" { "live_vendor" } else { "vendor" };
        self.facts[vendor][environment]["client_secret"].as_str().expect("a secret")
    }

    /// Sends a callback to the shop, signed with this secret.
    async fn tell(&self, environment: &str, body: &Value, secret: &str) -> u16 {
        let body = body.to_string();
        let request = self.browser.client.post(format!("{}/shop/callbacks/{environment}", self.browser.url));
        let request = request.header("x-signature", signature(secret, body.as_bytes()));
        request
            .header("content-type", "application/json")
            .body(body)
            .send()
            .await
            .expect("an answer")
            .status()
            .as_u16()
    }
}

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.header(name).unwrap_or_default()
}

fn paid(bought: &Bought) -> Value {
    json!({
        "event": "session.paid", "eventId": format!("e-{}", bought.order), "sessionId": bought.session,
        "status": "paid", "price": "4990.00", "currency": "RUB", "orderId": bought.order, "paymentMethod": "card",
    })
}

async fn open() -> (TempDir, Demo, Visitor, Shop) {
    let home = TempDir::new().expect("a folder");
    let demo = Demo::start(home.path(), &["--no-history"]);
    let visitor = Visitor::of(&demo);
    let vendor = demo.shop("sandbox").await;
    (home, demo, visitor, vendor)
}

#[tokio::test]
async fn an_order_becomes_what_its_payment_became() {
    let (_home, demo, visitor, vendor) = open().await;
    assert_eq!(demo.facts["shop_url"], format!("{}/shop", demo.url()));
    assert!(visitor.browser.get("/shop", &[]).await.body.contains("buy-atlas"));
    for (outcome, status, words) in [
        (json!({ "outcome": "paid" }), "paid", "Thank you! Your order is paid"),
        (
            json!({ "outcome": "failed", "failure_reason": "insufficient_funds" }),
            "failed",
            "The card has insufficient funds.",
        ),
        (json!({ "outcome": "expired" }), "expired", "Time to pay has run out"),
    ] {
        let bought = visitor.buy("sandbox").await;
        assert_eq!(visitor.status(&bought.order).await, "pending", "coming back proves nothing");
        assert_eq!(vendor.simulate(&bought.session, &outcome).await.text("status"), status);
        visitor.becomes(&bought.order, status).await;
        until("the callback is in the journal", async || {
            visitor.page(&bought.order).await.contains("data-testid=\"line-callback\"")
        })
        .await;
        let page = visitor.page(&bought.order).await;
        for part in [words, "line-create", "line-status", "Signature valid; order and amount match"] {
            assert!(page.contains(part), "{status}: {part}\n{page}");
        }
    }
}

#[tokio::test]
async fn the_shop_passes_the_endpoint_check() {
    let (_home, demo, _visitor, vendor) = open().await;
    let url = format!("{}/api/sandbox/vendor/endpoint-checks", demo.url());
    let body = json!({ "callback_url": format!("{}/shop/callbacks/sandbox", demo.url()) });
    let headers = [("authorization", &*vendor.bearer()), ("content-type", "application/json")];
    let started = vendor.send(reqwest::Method::POST, &url, &headers, body.to_string().into_bytes()).await;
    let path = format!("/api/sandbox/vendor/endpoint-checks/{}", started.text("check_id"));
    until("the check is done", async || vendor.get(&path).await.json()["state"] == "done").await;
    let report = vendor.get(&path).await.json();
    assert_eq!(report["verdict"], "ready", "{report}");
}

#[tokio::test]
async fn only_a_signed_callback_that_agrees_with_the_order_is_believed() {
    let (_home, _demo, visitor, _) = open().await;
    let bought = visitor.buy("sandbox").await;
    let body = paid(&bought);
    let with = |name: &str, value: &str| {
        let mut body = body.clone();
        body[name] = value.into();
        body["eventId"] = format!("e-{name}").into();
        body
    };
    let (live, sandbox) = (visitor.secret("live"), visitor.secret("sandbox"));
    assert_eq!(visitor.tell("sandbox", &body, "sk_sandbox_guessed").await, 401);
    assert_eq!(visitor.tell("sandbox", &body, live).await, 401, "the other environment's secret");
    assert_eq!(visitor.tell("live", &body, live).await, 200, "no such order in live: a retry would not help");
    assert_eq!(visitor.tell("nowhere", &body, sandbox).await, 404);
    assert_eq!(visitor.tell("sandbox", &json!({}), sandbox).await, 400);
    assert_eq!(visitor.tell("sandbox", &with("orderId", "B-0000-0000"), sandbox).await, 200);
    for (wrong, words) in [
        (with("price", "49.90"), "Different amount: rejected"),
        (with("currency", "USD"), "Different currency: rejected"),
        (with("sessionId", "another"), "For another session: rejected"),
    ] {
        assert_eq!(
            visitor.tell("sandbox", &wrong, sandbox).await,
            200,
            "it would not get better by repeating"
        );
        let page = visitor.page(&bought.order).await;
        assert!(page.contains(words) && page.contains("data-status=\"pending\""), "{words}\n{page}");
    }
    assert_eq!(visitor.tell("sandbox", &body, sandbox).await, 200);
    assert_eq!(visitor.tell("sandbox", &body, sandbox).await, 200, "a repeat");
    let page = visitor.page(&bought.order).await;
    assert!(page.contains("data-status=\"paid\"") && page.contains("duplicate, nothing changed"), "{page}");
}

#[tokio::test]
async fn orders_and_what_was_said_about_them_survive_a_restart() {
    let (home, demo, visitor, vendor) = open().await;
    let bought = visitor.buy("sandbox").await;
    vendor.simulate(&bought.session, &json!({ "outcome": "paid" })).await;
    visitor.becomes(&bought.order, "paid").await;
    demo.stop();
    let again = Demo::start(home.path(), &["--no-history"]);
    let page = Visitor::of(&again).page(&bought.order).await;
    assert!(page.contains("data-status=\"paid\"") && page.contains("line-create"), "{page}");
}

/// Runs an operator's command on the vendor that takes the live payments.
fn operator(home: &TempDir, demo: &Demo, word: &str) {
    let id = demo.facts["live_vendor"]["vendor_id"].as_str().expect("an id");
    let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
    command.env_clear().current_dir(home.path()).args(["--data-dir", "till-demo", "vendor", word, id]);
    let done = command.output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// An order that was placed while the API refuses its vendor.
async fn refused(home: &TempDir, demo: &Demo, visitor: &Visitor) -> String {
    operator(home, demo, "disable");
    // The change takes effect within two seconds.
    loop {
        let sent = visitor.send("live").await;
        match header(&sent, "location").strip_prefix("/shop/orders/") {
            Some(order) => return order.to_owned(),
            None => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

#[tokio::test]
async fn an_order_whose_payment_cannot_start_is_kept_and_can_be_started_later() {
    let (home, demo, visitor, _) = open().await;
    let order = refused(&home, &demo, &visitor).await;
    let page = visitor.page(&order).await;
    assert!(page.contains("data-status=\"new\"") && page.contains("rejected our request"), "{page}");
    assert!(page.contains("data-testid=\"try-again\"") && page.contains("vendor_disabled"), "{page}");
    operator(&home, &demo, "enable");
    until("it can be paid", async || {
        let sent = visitor.browser.post(&format!("/shop/orders/{order}/start"), &[], &[]).await;
        header(&sent, "location").contains("/session/")
    })
    .await;
    assert_eq!(visitor.status(&order).await, "pending");
}

#[tokio::test]
async fn a_callback_that_is_faster_than_the_answer_to_create_counts() {
    let (home, demo, visitor, _) = open().await;
    let order = refused(&home, &demo, &visitor).await;
    let body =
        paid(&Bought { order: order.clone(), session: "01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2".to_owned() });
    assert_eq!(visitor.tell("live", &body, visitor.secret("live")).await, 200);
    assert_eq!(visitor.status(&order).await, "paid");
    let again = visitor.browser.post(&format!("/shop/orders/{order}/start"), &[], &[]).await;
    assert_eq!(header(&again, "location"), format!("/shop/orders/{order}"), "it is not paid a second time");
}

#[tokio::test]
async fn the_real_service_has_no_shop() {
    let server = Server::start().await;
    assert_eq!(server.customer().get("/shop", &[]).await.status, 404);
}

#[tokio::test]
async fn forms_of_other_sites_and_unknown_things_order_nothing() {
    let (_home, _demo, visitor, _) = open().await;
    let form = [("item", "atlas"), ("currency", "RUB"), ("environment", "sandbox")];
    let foreign = visitor.browser.post("/shop/orders", &form, &[("sec-fetch-site", "cross-site")]).await;
    assert_eq!(foreign.status, 403);
    let unknown = visitor.browser.post("/shop/orders", &[("item", "moon")], &[]).await;
    assert_eq!(unknown.status, 422);
    for path in ["/shop/orders/B-0000-0000", "/shop/nothing"] {
        assert_eq!(visitor.browser.get(path, &[]).await.status, 404, "{path}");
    }
    let list = visitor.browser.get("/shop/orders", &[("accept-language", "ru")]).await;
    assert!(list.body.contains("Заказов пока нет"), "{}", list.body);
    assert_eq!(header(&list, "referrer-policy"), "same-origin");
    let policy = header(&list, "content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    let chosen = visitor.browser.get("/shop?lang=ru", &[]).await;
    assert_eq!((chosen.status.as_u16(), header(&chosen, "location")), (303, "/shop"));
}

#[tokio::test]
async fn nothing_that_is_kept_holds_a_secret() {
    let (home, demo, visitor, _) = open().await;
    visitor.buy("sandbox").await;
    let page = visitor.page(&visitor.latest().await).await;
    let secret = visitor.secret("sandbox").to_owned();
    assert!(page.contains(&secret), "the commands run when they are pasted");
    demo.stop();
    let folder = home.path().join("till-demo");
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("shop.db")) {
            let bytes = std::fs::read(&path).expect("a file");
            let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!found, "{}", path.display());
            let token = b"till_sandbox_";
            assert!(!bytes.windows(token.len()).any(|part| part == token), "{}", path.display());
        }
    }
}
