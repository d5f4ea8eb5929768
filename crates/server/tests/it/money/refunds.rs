//! Refunds of live payments through the whole service: the API, the provider, the money, the callback.

mod closing;
mod fiscal;
mod hand;
mod sandbox;

use crate::support::{Answer, Nodes, Receiver, Server, Shop, Vendor, signature, until};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use till_domain::{audit::AuditEvent, id::SessionId, ledger::Account, refund::RefundState, user::Role};

/// A service whose payments are available at once, and whose callbacks may go to this machine.
async fn start() -> (Server, Vendor, Shop) {
    let settings = [
        ("TILL_SETTLEMENT_DELAY", "0s"),
        ("TILL_ALLOW_PRIVATE_CALLBACKS", "true"),
        ("TILL_OPERATOR_TOTP", "off"),
    ];
    let server = Server::with(&settings).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    (server, vendor, shop)
}

/// A session of 4990.00 that was paid by card.
async fn paid(server: &Server, shop: &Shop, body: &Value) -> String {
    let created = shop.create(body).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let id = created.text("session_id");
    let customer = server.customer();
    assert_eq!(customer.pay(&id, "card").await.status, 303);
    let attempt = server.attempts(&id).await[0].id.to_string();
    customer.decide(&attempt, "approve").await;
    until("paid", async || shop.status(&id).await.text("status") == "paid").await;
    id
}

async fn balance(server: &Server, vendor: &Vendor, account: &Account) -> i64 {
    let all = server.live.store.ledger().expect("books").balances(vendor.id).await.expect("balances");
    all.iter().find(|balance| balance.account == *account).map_or(0, |balance| balance.amount.minor)
}

/// Advances time until a refund has this status.
pub async fn ended(server: &Server, shop: &Shop, refund: &Answer, status: &str) -> Answer {
    let (session, id) = (refund.text("sessionId"), refund.text("refundId"));
    for _ in 0..300 {
        let now = shop.ask_refund(&session, &id).await;
        if now.text("status") == status {
            return now;
        }
        server.later(Duration::from_millis(500));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the refund is not {status}");
}

/// The amounts that the simulated bank has refunded of a session.
async fn at_the_bank(server: &Server, session: &str) -> Vec<i64> {
    let attempt = server.attempts(session).await[0].id;
    let all = server.live.store.simulated_refunds(attempt).await.expect("books");
    all.iter().filter(|refund| refund.acted_at.is_some()).map(|refund| refund.minor).collect()
}

#[tokio::test]
async fn a_payment_is_refunded_in_parts_and_never_more_than_all_of_it() {
    let (server, vendor, shop) = start().await;
    let id = paid(&server, &shop, &Shop::book("A-1")).await;
    let first = shop
        .refund(&id, &json!({ "amount": "990.00", "reason": "wrong size", "currency": "rub" }), &[])
        .await;
    assert_eq!(first.status, 201, "{}", first.body);
    let body = first.json();
    assert_eq!(
        (&body["status"], &body["amount"], &body["currency"]),
        (&json!("pending"), &json!("990.00"), &json!("RUB"))
    );
    assert_eq!((&body["reason"], &body["sessionId"]), (&json!("wrong size"), &json!(id)));
    let too_much = shop.refund(&id, &json!({ "amount": "4000.01" }), &[]).await;
    assert_eq!(too_much.problem(), "422 amount_too_large");
    assert!(too_much.text("detail").contains("4000.00 RUB is left"), "{}", too_much.body);
    ended(&server, &shop, &first, "succeeded").await;
    assert_eq!(shop.status(&id).await.text("status"), "paid", "the session stays paid");
    let rest = shop.refund(&id, &json!({}), &[]).await;
    assert_eq!((rest.status.as_u16(), rest.text("amount")), (201, "4000.00".to_owned()));
    ended(&server, &shop, &rest, "succeeded").await;
    assert_eq!(shop.refund(&id, &json!({}), &[]).await.problem(), "422 nothing_to_refund");
    let all = shop.ask_refund(&id, "").await.json();
    assert_eq!(all["refunds"].as_array().map(Vec::len), Some(2));
    assert_eq!(at_the_bank(&server, &id).await.iter().sum::<i64>(), 499_000);
    for account in [Account::Available, Account::Refunds, Account::Clearing("simulator".to_owned())] {
        assert_eq!(balance(&server, &vendor, &account).await, 0, "{account}");
    }
}

#[tokio::test]
async fn wrong_requests_are_told_what_is_wrong() {
    let (server, _, shop) = start().await;
    let open = shop.order("A-1").await;
    assert_eq!(shop.refund(&open, &json!({}), &[]).await.problem(), "409 session_not_paid");
    let id = paid(&server, &shop, &Shop::book("A-2")).await;
    for (body, expected, field) in [
        (json!({ "amount": "0" }), "422 invalid_request", "amount:not_positive"),
        (json!({ "amount": "1.001" }), "422 invalid_request", "amount:too_many_decimals"),
        (json!({ "amount": [] }), "422 invalid_request", "amount:wrong_type"),
        (json!({ "amount": "10", "currency": "USD" }), "422 invalid_request", "currency:other_currency"),
        (json!({ "currency": "rubles" }), "422 invalid_request", "currency:other_currency"),
        (json!({ "currency": 643 }), "422 invalid_request", "currency:wrong_type"),
        (json!({ "reason": "a\u{0}b" }), "422 invalid_request", "reason:invalid_character"),
        (json!({ "reason": "x".repeat(256) }), "422 invalid_request", "reason:too_long"),
    ] {
        let answer = shop.refund(&id, &body, &[]).await;
        assert_eq!(
            (answer.problem().as_str(), answer.fields()),
            (expected, vec![field.to_owned()]),
            "{body}"
        );
    }
    let unknown = "01963f2a-7b1c-7def-8123-456789abcdef";
    assert_eq!(shop.refund(unknown, &json!({}), &[]).await.problem(), "404 session_not_found");
    assert_eq!(shop.ask_refund(&id, unknown).await.problem(), "404 refund_not_found");
    let stranger = server.shop("live", &server.vendor().await).await;
    assert_eq!(stranger.refund(&id, &json!({}), &[]).await.problem(), "404 session_not_found");
    assert_eq!(stranger.ask_refund(&id, "").await.problem(), "404 session_not_found");
    let sandbox = server.shop("sandbox", &server.vendor().await).await;
    assert_eq!(sandbox.refund(&id, &json!({}), &[]).await.problem(), "404 session_not_found");
}

#[tokio::test]
async fn a_key_makes_one_refund_and_is_not_a_creates_key() {
    let (server, _, shop) = start().await;
    let created = shop.create_once("k", &Shop::book("A-1")).await;
    assert_eq!(created.status, 201);
    let id = paid(&server, &shop, &Shop::book("A-2")).await;
    let body = json!({ "amount": "10.00" });
    let key = [("idempotency-key", "k")];
    let (one, two, three) = tokio::join!(
        shop.refund(&id, &body, &key),
        shop.refund(&id, &body, &key),
        shop.refund(&id, &body, &key)
    );
    let ids: Vec<String> = [&one, &two, &three].iter().map(|answer| answer.text("refundId")).collect();
    assert!(ids.iter().all(|other| *other == ids[0]), "{ids:?}");
    let replayed =
        [one, two, three].iter().filter(|answer| answer.header("idempotent-replayed").is_some()).count();
    assert_eq!(replayed, 2);
    let other = shop.refund(&id, &json!({ "amount": "11.00" }), &key).await;
    assert_eq!(other.problem(), "422 idempotency_key_reused");
    let another = paid(&server, &shop, &Shop::book("A-3")).await;
    assert_eq!(shop.refund(&another, &body, &key).await.problem(), "422 idempotency_key_reused");
    assert_eq!(shop.ask_refund(&id, "").await.json()["refunds"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_refund_that_fails_is_reversed_and_reported() {
    let (server, vendor, shop) = start().await;
    let receiver = Receiver::start().await;
    let mut order = Shop::book("A-1");
    order["callback_url"] = json!(receiver.url("/told"));
    let id = paid(&server, &shop, &order).await;
    receiver.wait("/told", 1).await;
    let failing = shop.refund(&id, &json!({ "amount": "990.00", "reason": "simulate fail" }), &[]).await;
    assert_eq!(balance(&server, &vendor, &Account::Available).await, 400_000, "it is taken at once");
    let failed = ended(&server, &shop, &failing, "failed").await;
    assert!(failed.text("failureReason").contains("refused"), "{}", failed.body);
    assert_eq!(balance(&server, &vendor, &Account::Available).await, 499_000, "and back when it fails");
    assert_eq!(balance(&server, &vendor, &Account::Refunds).await, 0);
    let good = shop.refund(&id, &json!({}), &[]).await;
    ended(&server, &shop, &good, "succeeded").await;
    let told = receiver.wait("/told", 3).await;
    let bodies: Vec<Value> =
        told.iter().map(|one| serde_json::from_slice(&one.body).expect("JSON")).collect();
    let events: Vec<&str> = bodies.iter().filter_map(|body| body["event"].as_str()).collect();
    assert_eq!(events, ["session.paid", "refund.failed", "refund.succeeded"]);
    for (one, body) in told.iter().zip(&bodies) {
        let expected = signature(&vendor.live.client_secret, &one.body);
        assert_eq!(one.header("x-signature"), expected, "every event is signed the same way");
        assert_eq!((&body["status"], &body["sessionId"]), (&json!("paid"), &json!(id)));
    }
    assert_eq!(bodies[1]["refundId"], failing.json()["refundId"]);
    assert_eq!(
        (&bodies[1]["refundedTotal"], &bodies[2]["refundedTotal"]),
        (&json!("0.00"), &json!("4990.00"))
    );
    let fed = shop.feed("").await.json();
    assert_eq!(fed["callbacks"].as_array().map(Vec::len), Some(3), "they can be fetched, too");
    // Before and after they are added up: one session has ended, whatever became of its money.
    for _ in 0..2 {
        let figures =
            server.live.store.figures(vendor.id, till_store::Span::default()).await.expect("figures");
        assert_eq!(figures.iter().map(|figure| figure.count).sum::<i64>(), 1, "{figures:?}");
        server.later(Duration::from_secs(120));
        while server.live.store.count_events().await.expect("counted") {}
    }
}

#[tokio::test]
async fn a_bank_that_is_slow_or_silent_sends_exactly_once() {
    let (server, vendor, shop) = start().await;
    let id = paid(&server, &shop, &Shop::book("A-1")).await;
    for word in ["slow", "timeout_before", "timeout_after"] {
        let body = json!({ "amount": "100.00", "reason": format!("simulate {word}") });
        let refund = shop.refund(&id, &body, &[]).await;
        assert_eq!(refund.status, 201, "{}", refund.body);
        ended(&server, &shop, &refund, "succeeded").await;
    }
    assert_eq!(at_the_bank(&server, &id).await, [10_000; 3]);
    assert_eq!(balance(&server, &vendor, &Account::Available).await, 469_000);
    assert_eq!(balance(&server, &vendor, &Account::Refunds).await, 0);
}

#[tokio::test]
async fn a_balance_that_does_not_cover_it_refuses_a_refund() {
    let settings = [("TILL_SETTLEMENT_DELAY", "1h")];
    let server = Server::with(&settings).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let fee = till_domain::ledger::Fee {
        method: till_domain::method::Method::Card,
        currency: None,
        millionths: 100_000,
        fixed: 0,
        returned: false,
    };
    server.accounts.set_fee(vendor.id, &fee, &crate::support::entry()).await.expect("a fee");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let id = paid(&server, &shop, &Shop::book("A-1")).await;
    let refused = shop.refund(&id, &json!({}), &[]).await;
    assert_eq!(refused.problem(), "422 insufficient_balance");
    assert!(refused.text("detail").contains("499.00 RUB, and 0.00 RUB"), "{}", refused.body);
    let covered = shop.refund(&id, &json!({ "amount": "4491.00" }), &[]).await;
    assert_eq!(covered.status, 201, "{}", covered.body);
    assert_eq!(balance(&server, &vendor, &Account::Pending).await, 0);
}

#[tokio::test]
async fn money_in_suspense_goes_back_the_same_way() {
    let (server, vendor, mut shop) = start().await;
    let id = shop.order("A-1").await;
    let customer = server.customer();
    assert_eq!(customer.pay(&id, "crypto").await.status, 303);
    let attempt = server.attempts(&id).await[0].id.to_string();
    customer.decide(&attempt, "pay_over").await;
    server.later(Duration::from_secs(60));
    until("paid", async || shop.status(&id).await.text("status") == "paid").await;
    shop.log_in().await;
    assert_eq!(balance(&server, &vendor, &Account::Suspense).await, 49_900);
    let session = SessionId::parse(&id).expect("an id");
    let actions = server.live.store.actions_of(session).await.expect("a read");
    let decision = till_service::admin::Decision {
        action: actions[0].action.id,
        resolution: till_domain::transaction::Resolution::Refund,
        by: "Ada",
        sent_by: till_service::admin::SentBy::Service,
    };
    let actor = till_domain::audit::Actor::shell();
    till_service::admin::resolve(&server.accounts, &server.live.store, &actor, decision)
        .await
        .expect("decided");
    let refunds = || async {
        let all = server.live.store.refunds().of_session(session).await;
        all.expect("a read")
    };
    for _ in 0..200 {
        if refunds().await[0].state.is_final() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let all = refunds().await;
    assert_eq!((all.len(), &all[0].state, all[0].amount.minor), (1, &RefundState::Succeeded, 49_900));
    assert_eq!(balance(&server, &vendor, &Account::Suspense).await, 0);
    assert_eq!(balance(&server, &vendor, &Account::Clearing("simulator".to_owned())).await, -499_000);
    assert_eq!(shop.ask_refund(&id, "").await.json()["refunds"], json!([]), "it was never the vendor's");
    let receipts = server.live.store.receipts_of(session).await.expect("a read");
    let page = customer.get(&format!("/receipt/{}", receipts[0].link), &[]).await.body;
    assert!(!page.contains("499.00"), "what was too much is no part of the price: {page}");
    let rest = shop.refund(&id, &json!({}), &[]).await;
    assert_eq!(rest.text("amount"), "4990.00", "what was paid is all there");
}

/// Surplus money that was accepted for the vendor can be refunded with the rest: all that the provider took.
#[tokio::test]
async fn money_that_was_accepted_is_refunded_with_its_payment() {
    let (server, vendor, mut shop) = start().await;
    let id = shop.order("A-1").await;
    let customer = server.customer();
    assert_eq!(customer.pay(&id, "crypto").await.status, 303);
    let attempt = server.attempts(&id).await[0].id.to_string();
    customer.decide(&attempt, "pay_over").await;
    server.later(Duration::from_secs(60));
    until("paid", async || shop.status(&id).await.text("status") == "paid").await;
    shop.log_in().await;
    let too_much = shop.refund(&id, &json!({ "amount": "5489.00" }), &[]).await;
    assert_eq!(too_much.problem(), "422 amount_too_large", "nobody has decided about it yet");
    let session = SessionId::parse(&id).expect("an id");
    let actions = server.live.store.actions_of(session).await.expect("a read");
    let decision = till_service::admin::Decision {
        action: actions[0].action.id,
        resolution: till_domain::transaction::Resolution::Accept,
        by: "Ada",
        sent_by: till_service::admin::SentBy::Service,
    };
    let actor = till_domain::audit::Actor::shell();
    till_service::admin::resolve(&server.accounts, &server.live.store, &actor, decision)
        .await
        .expect("decided");
    assert_eq!(balance(&server, &vendor, &Account::Available).await, 548_900);
    let all = shop.refund(&id, &json!({}), &[]).await;
    assert_eq!((all.status.as_u16(), all.text("amount")), (201, "5489.00".to_owned()));
    ended(&server, &shop, &all, "succeeded").await;
    for account in [Account::Available, Account::Refunds, Account::Clearing("simulator".to_owned())] {
        assert_eq!(balance(&server, &vendor, &account).await, 0, "{account}");
    }
    assert_eq!(shop.refund(&id, &json!({}), &[]).await.problem(), "422 nothing_to_refund");
}

/// Two processes on one server, and many requests at once: never more than was paid.
#[tokio::test]
async fn needs_postgres_two_nodes_never_refund_more_than_was_paid() {
    let nodes = Nodes::start(&[("TILL_SETTLEMENT_DELAY", "0s")]);
    let shops = nodes.shops("live").await;
    let id = shops[0].order("A-1").await;
    let customer = crate::support::Customer::new(&nodes.services[0].url);
    assert_eq!(customer.pay(&id, "card").await.status, 303);
    let shell = nodes.shell().await;
    let hex = shell.row("SELECT encode(id, 'hex') FROM live.payment_attempts").await.remove(0);
    let attempt = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
    customer.decide(&attempt, "approve").await;
    until("paid", async || shops[0].status(&id).await.text("status") == "paid").await;
    let mut asking = tokio::task::JoinSet::new();
    for number in 0..16 {
        let (shop, id) = (shops[number % 2].clone(), id.clone());
        asking.spawn(async move { shop.refund(&id, &json!({ "amount": "1000.00" }), &[]).await.outcome() });
    }
    let outcomes = asking.join_all().await;
    let made = outcomes.iter().filter(|outcome| *outcome == "201").count();
    assert_eq!(made, 4, "{outcomes:?}");
    assert!(outcomes.iter().all(|one| one == "201" || one == "422 amount_too_large"), "{outcomes:?}");
    let number = async |query: &str| shell.number(query).await;
    until("all are sent", async || {
        number("SELECT COUNT(*) FROM live.refunds WHERE state = 'succeeded'").await == 4
    })
    .await;
    assert_eq!(number("SELECT SUM(amount)::bigint FROM live.refunds").await, 400_000);
    assert_eq!(number("SELECT COUNT(*) FROM live.simulated_refunds").await, 4);
    assert_eq!(
        number("SELECT SUM(amount)::bigint FROM live.postings WHERE account = 'available'").await,
        99_000
    );
    let totals = shell.rows("SELECT convert_from(body, 'UTF8')::json->>'refundedTotal' FROM live.callbacks WHERE event = 'refund.succeeded' ORDER BY 1").await;
    assert_eq!(totals.concat(), ["1000.00", "2000.00", "3000.00", "4000.00"], "each tells its own sum");
}

/// The value of a hidden field.
fn hidden(page: &str, name: &str) -> String {
    let document = scraper::Html::parse_document(page);
    let field = scraper::Selector::parse(&format!("input[name={name}]")).expect("a selector");
    document.select(&field).next().and_then(|input| input.attr("value")).unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_admin_refunds_on_the_page_of_a_session_and_a_viewer_only_looks() {
    let (server, vendor, shop) = start().await;
    server.accounts.set_sandbox(vendor.id, false, &crate::support::entry()).await.expect("stored");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let id = paid(&server, &shop, &Shop::book("A-1")).await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let vic = server.person("vic", Role::VendorViewer, Some(vendor.id)).await;
    let path = format!("/panel/sessions/{id}");
    assert!(ada.get(&path).await.body.contains("data-testid=\"refund-link\""));
    assert!(!vic.get(&path).await.body.contains("data-testid=\"refund-link\""));
    let form = format!("{path}/refund");
    assert_eq!(vic.get(&form).await.status, 403);
    assert_eq!(vic.post(&form, &[("amount", "1"), ("sure", "on")]).await.status, 403);
    assert_eq!(hidden(&ada.get(&form).await.body, "amount"), "4990.00", "all that is left");
    for wrong in ["0", "x", "4990.01"] {
        let again = ada.post(&form, &[("amount", wrong), ("reason", "wrong size")]).await;
        assert_eq!(again.status, 422, "{wrong}");
        assert!(again.body.contains("aria-invalid=\"true\"") && again.body.contains("wrong size"), "{wrong}");
    }
    let sure = ada.post(&form, &[("amount", "990.00"), ("reason", "wrong size")]).await;
    assert_eq!(sure.status, 200);
    assert_eq!(shop.ask_refund(&id, "").await.json()["refunds"], json!([]), "it is only asked");
    let once = hidden(&sure.body, "once");
    let fields = [("amount", "990.00"), ("reason", "wrong size"), ("sure", "on"), ("once", once.as_str())];
    let done = ada.post(&form, &fields).await;
    assert_eq!(done.header("location"), Some(format!("{path}?done=refunded").as_str()));
    let again = ada.post(&form, &fields).await;
    assert_eq!(again.header("location"), Some(format!("{path}?done=repeated").as_str()));
    let all = shop.ask_refund(&id, "").await.json();
    assert_eq!(all["refunds"].as_array().map(Vec::len), Some(1), "a form counts once");
    let refund = all["refunds"][0]["refundId"].as_str().expect("an id").to_owned();
    until("sent", async || shop.ask_refund(&id, &refund).await.text("status") == "succeeded").await;
    let page = vic.get(&path).await.body;
    assert!(page.contains("data-status=\"succeeded\"") && page.contains("990.00"), "everybody sees it");
    assert!(page.contains("ada@shop.example: wrong size"), "and who asked for it");
    let olga = server.person("olga", Role::Operator, None).await;
    let case = format!("/operator/sessions/live/{id}");
    assert!(olga.get(&case).await.body.contains("data-testid=\"refund-link\""));
    let rest = [("amount", "4000.00"), ("sure", "on")];
    let done = olga.post(&format!("{case}/refund"), &rest).await;
    assert_eq!(done.header("location"), Some(format!("{case}?done=refunded").as_str()));
    let filter =
        till_store::AuditFilter { event: Some(AuditEvent::RefundRequested), limit: 10, ..Default::default() };
    let lines = server.accounts.audit(&filter).await.expect("a log");
    assert_eq!(lines.len(), 2, "{lines:?}");
}

#[tokio::test]
async fn the_operator_refunds_at_a_shell() {
    let (server, _, shop) = start().await;
    let id = paid(&server, &shop, &Shop::book("A-1")).await;
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_till"));
        command
            .env_clear()
            .env("TILL_DATA_DIR", server.folder())
            .env("TILL_MASTER_KEY", crate::support::MASTER_KEY);
        command.env("TILL_SIMULATOR", "on");
        let output = command.args(arguments).arg("--json").output().expect("the binary runs");
        match output.status.success() {
            true => Ok(serde_json::from_slice::<Value>(&output.stdout).expect("JSON")),
            false => Err(String::from_utf8(output.stderr).expect("text")),
        }
    };
    let made = run(&["refund", "create", &id, "--amount", "990.00", "--reason", "wrong size"]).expect("made");
    assert_eq!((&made["amount"], &made["status"]), (&json!("990.00 RUB"), &json!("pending")));
    let refused = run(&["refund", "create", &id, "--amount", "4000.01"]).expect_err("it is too much");
    assert!(refused.contains("4000.00 RUB is left"), "{refused}");
    let refund = made["refund_id"].as_str().expect("an id");
    // The command uses the machine's clock, and the service that of the test.
    server.later(Duration::from_secs(60 * 60 * 24 * 365));
    until("sent", async || {
        let listed = run(&["refund", "list", "--session", &id]).expect("a list");
        listed[0]["status"] == "succeeded" && listed[0]["refund_id"] == refund
    })
    .await;
    assert_eq!(run(&["refund", "list"]).expect("a list").as_array().map(Vec::len), Some(1));
}

impl Shop {
    pub async fn refund(&self, session: &str, body: &Value, headers: &[(&str, &str)]) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let own = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        let url = format!("{}/{session}/refunds", self.sessions());
        self.send(Method::POST, &url, &[&own, headers].concat(), body.to_string().into_bytes()).await
    }

    /// Reads a refund of a session, or all of them.
    pub async fn ask_refund(&self, session: &str, refund: &str) -> Answer {
        let url = format!("{}/{session}/refunds/{refund}", self.sessions());
        let bearer = format!("Bearer {}", self.token);
        self.send(Method::GET, url.trim_end_matches('/'), &[("authorization", &bearer)], Vec::new()).await
    }
}
