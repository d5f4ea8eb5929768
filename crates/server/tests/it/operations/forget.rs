//! `till forget` and the retention of personal data: what identifies a customer is erased, and the books stay intact.

use crate::{
    panel::detail::{attribute, texts},
    support::{Customer, MailServer, Person, Receiver, Server, Shell, Shop, Till, until},
};
use serde_json::{Value, json};
use std::time::Duration;
use till::workers::retention::{self, Retention};
use till_domain::{id::SessionId, user::Role};
use till_testing::cluster::Cluster;

const ADDRESS: &str = "Ann.Customer@Mail.example";

/// A part of the address that is in nothing else, in lower case.
const TRACE: &str = "ann.customer";

fn order(number: u32, callbacks: &str) -> Value {
    let mut order = Shop::book(&format!("F-{number}"));
    order["customer_email"] = json!(ADDRESS);
    order["metadata"] = json!({ "login": ADDRESS, "cart": "7" });
    // More than a page of a database, so that pages become free.
    for number in 0..16 {
        order["metadata"][format!("history-{number}")] = json!(format!("{ADDRESS} ").repeat(18));
    }
    order["callback_url"] = json!(callbacks);
    order
}

fn settings(till: &mut Till, mails: &MailServer) {
    till.set("TILL_SMTP_URL", &mails.url()).set("TILL_MAIL_FROM", "till@pay.example");
    till.set("TILL_SIMULATOR", "on")
        .set("TILL_ALLOW_PRIVATE_CALLBACKS", "true")
        .set("TILL_CHECKOUT_URL", "https://pay.example");
}

/// Pays a live session by card, refunds a part of it, and leaves another one pending. Returns both.
async fn trade(till: &Till, vendor: &Value, receiver: &Receiver, mails: &MailServer) -> [String; 2] {
    let url = &receiver.url("/");
    let service = till.serve();
    let mut shop = service.shop("live", vendor);
    shop.log_in().await;
    let paid = shop.create(&order(1, url)).await.text("session_id");
    let customer = Customer::new(&service.url);
    let form = [("method", "card"), ("email", ADDRESS)];
    assert_eq!(customer.post(&format!("/session/{paid}/pay"), &form, &[]).await.status, 303);
    let attempt = till.json(&["session", "show", &paid])["attempts"][0]["attempt_id"].clone();
    customer.decide(attempt.as_str().expect("an id"), "approve").await;
    until("it is paid", async || shop.status(&paid).await.text("status") == "paid").await;
    let reason = format!("asked by {ADDRESS}");
    till.json(&["refund", "create", &paid, "--amount", "1", "--reason", &reason]);
    receiver.wait("/", 2).await;
    until("both receipts are sent", async || {
        let status = till.json(&["status"]);
        let queues = status["queues"].as_array().expect("queues");
        let receipts = queues.iter().find(|queue| queue["queue"] == "receipts").expect("a queue");
        receipts["waiting"] == 0
    })
    .await;
    assert_eq!(mails.kept().len(), 2, "a receipt of the payment and one of the refund");
    let first = &receiver.at("/")[0];
    assert!(String::from_utf8_lossy(&first.body).contains("metadata"));
    let pending = shop.create(&order(2, url)).await.text("session_id");
    until("both callbacks are recorded", async || {
        let list = till.json(&["callback", "list", "--state", "delivered"]);
        list.as_array().is_some_and(|list| list.len() == 2)
    })
    .await;
    // Every command of the operator works while the service runs.
    forget(till, &paid, &pending);
    let status = shop.status(&paid).await;
    assert_eq!((status.status.as_u16(), &status.json()["metadata"]), (200, &Value::Null), "{}", status.body);
    assert_eq!(status.text("orderId"), "F-1");
    // What is sent again has no metadata.
    let event = first.event();
    till.json(&["callback", "resend", &event]);
    let again = receiver.wait("/", 3).await.remove(2);
    let body: Value = serde_json::from_slice(&again.body).expect("JSON");
    assert_eq!((again.event(), &body["metadata"]), (event, &Value::Null));
    assert_eq!(body["orderId"], "F-1");
    assert!(service.terminate().0.success());
    [paid, pending]
}

fn forget(till: &Till, paid: &str, pending: &str) {
    assert!(till.error(&["forget", "--email", "ann"]).contains("is not an e-mail address"));
    let shown = till.json(&["forget", "--email", ADDRESS, "--show"]);
    let sessions = shown["sessions"].as_array().expect("a list");
    let ids: Vec<&str> = sessions.iter().filter_map(|session| session["session_id"].as_str()).collect();
    assert_eq!(ids, [paid, pending]);
    let known = &sessions[0];
    assert_eq!(known["customer_email"], ADDRESS);
    assert_eq!((&known["metadata"]["cart"], &known["typed_emails"][0]), (&json!("7"), &json!(ADDRESS)));
    assert_eq!(known["refund_reasons"], json!([format!("asked by {ADDRESS}")]));
    let kinds = json!(["address", "metadata", "checkout", "receipts", "refunds"]);
    assert_eq!(known["personal_data"], kinds, "{shown}");
    assert!(till.error(&["forget", "--email", ADDRESS]).contains("add --yes"));
    assert_eq!(till.json(&["forget", "--email", ADDRESS, "--show"]), shown, "nothing was changed");
    // The address is found in any case.
    let erased = till.json(&["forget", "--email", "ANN.CUSTOMER@mail.example", "--yes"]);
    assert_eq!((&erased["erased"], &erased["waiting"]), (&json!(1), &json!(1)));
    let waiting = till.json(&["forget", "--email", ADDRESS, "--show"]);
    assert_eq!(waiting["sessions"].as_array().map(Vec::len), Some(1), "{waiting}");
    assert!(waiting["sessions"][0]["erasure_requested_at"].is_string());
}

/// Erases the second session as well once it has ended, and checks that the books are right and the log says it.
fn finish(till: &Till, pending: &str) {
    till.json(&["session", "expire", pending]);
    let waiting = till.json(&["forget", "--email", ADDRESS, "--yes"]);
    assert_eq!(waiting["waiting"], 1, "its callback is not delivered");
    let service = till.serve();
    // The service delivers its callback. It looks for what it can erase when it starts, and once a minute.
    let delivered =
        || till.json(&["callback", "list", "--state", "delivered"]).as_array().map_or(0, Vec::len);
    for _ in 0..200 {
        if delivered() == 3 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    till.json(&["forget", "--email", ADDRESS, "--yes"]);
    let nothing =
        String::from_utf8(till.run(&["forget", "--email", ADDRESS, "--show"]).stdout).expect("text");
    assert_eq!(nothing.trim(), "No session has this address.");
    assert!(service.terminate().0.success());
    let verified = till.run(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    let log = till.json(&["audit", "list"]).to_string();
    assert!(log.contains("personal_data_erased") && log.contains("2 live, 0 sandbox"), "{log}");
    assert!(!log.to_lowercase().contains(TRACE), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_a_customer_is_forgotten_and_no_file_has_the_address() {
    let (mut till, receiver, mails) = (Till::new(), Receiver::start().await, MailServer::start(&[]));
    settings(&mut till, &mails);
    let vendor = till.vendor();
    let [_, pending] = trade(&till, &vendor, &receiver, &mails).await;
    tokio::task::block_in_place(|| finish(&till, &pending));
    for entry in std::fs::read_dir(till.folder()).expect("a folder") {
        let path = entry.expect("a file").path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        assert!(!text.contains(TRACE), "{} has the address", path.display());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_and_smtp_a_customer_is_forgotten_and_no_table_has_the_address() {
    let (mut till, receiver, mails) = (Till::new(), Receiver::start().await, MailServer::start(&[]));
    let cluster = Cluster::start();
    settings(&mut till, &mails);
    till.set("TILL_DATABASE_URL", &cluster.url());
    let vendor = till.vendor();
    let [_, pending] = trade(&till, &vendor, &receiver, &mails).await;
    tokio::task::block_in_place(|| finish(&till, &pending));
    let shell = Shell::connect(&cluster.url()).await;
    let tables = "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname IN ('accounts', 'live', 'sandbox')";
    for table in shell.rows(tables).await.concat() {
        let found =
            shell.rows(&format!("SELECT t::text FROM {table} AS t WHERE t::text ILIKE '%{TRACE}%'")).await;
        assert_eq!(found, Vec::<Vec<String>>::new(), "{table}");
    }
}

async fn console() -> (Server, Person) {
    let server =
        Server::with(&[("TILL_OPERATOR_TOTP", "off"), ("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
    let olga = server.person("olga", Role::Operator, None).await;
    (server, olga)
}

const DAY: Duration = Duration::from_secs(86_400);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_erases_a_customer_in_the_console() {
    const PATH: &str = "/operator/personal-data";
    let (server, olga) = console().await;
    let (vendor, receiver) = (server.vendor().await, Receiver::start().await);
    let shop = server.shop("sandbox", &vendor).await;
    let url = receiver.url("/");
    let ended = shop.create(&order(1, &url)).await.text("session_id");
    assert_eq!(shop.simulate(&ended, &json!({ "outcome": "paid" })).await.status, 200);
    receiver.wait("/", 1).await;
    let pending = shop.create(&order(2, &url)).await.text("session_id");
    let wrong = olga.post(PATH, &[("email", "ann")]).await;
    assert_eq!((wrong.status.as_u16(), texts(&wrong.body, "#email-error").len()), (422, 1));
    let found = olga.post(PATH, &[("email", &format!(" {ADDRESS} "))]).await;
    let address = found.header("location").expect("a page").to_owned();
    assert!(!address.to_lowercase().contains("ann"), "no log has the address: {address}");
    until("its callback is recorded", async || {
        server.sandbox.store.session_events(id(&ended)).await.expect("a read")[0].due_at.is_none()
    })
    .await;
    let page = olga.get(&address).await.body;
    assert_eq!(texts(&page, "[data-testid=customer-session]").len(), 2, "{page}");
    let sealed = attribute(&page, "input[name=customer]", "value");
    let once = attribute(&page, "form[action='/operator/personal-data/erase'] input[name=once]", "value");
    let form = [("customer", sealed.as_str()), ("once", once.as_str())];
    let erase = format!("{PATH}/erase");
    let erased = olga.post(&erase, &form).await;
    assert_eq!(
        erased.header("location"),
        Some("/operator/personal-data?done=erased-in-part"),
        "{}",
        erased.body
    );
    let again = olga.post(&erase, &form).await;
    assert_eq!(again.header("location"), Some("/operator/personal-data?done=repeated"));
    let session = olga.get(&format!("/operator/sessions/sandbox/{ended}")).await.body;
    assert_eq!(texts(&session, "[data-testid=erased-at]").len(), 1, "{session}");
    assert!(!session.to_lowercase().contains(TRACE));
    let left = olga.get(&address).await.body;
    assert_eq!(texts(&left, "[data-testid=customer-session]").len(), 1);

    // The other one is erased when it has ended and its callback is delivered.
    assert_eq!(shop.expire(&pending, "{}").await.status, 200);
    receiver.wait("/", 2).await;
    until("the service erases it", async || {
        retention::pass(&server.sandbox, Retention::default()).await.expect("a pass");
        server.sandbox.store.waiting_erasures().await.expect("a read") == 0
    })
    .await;
    let none = olga.get(&address).await.body;
    assert_eq!(texts(&none, "[data-testid=empty]").len(), 1, "{none}");
}

fn id(text: &str) -> SessionId {
    SessionId::parse(text).expect("an id")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn personal_data_is_erased_by_age_in_both_environments() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let mut old = Vec::new();
    for environment in ["live", "sandbox"] {
        let mut order = order(1, "");
        order.as_object_mut().expect("an object").remove("callback_url");
        let id = server.shop(environment, &vendor).await.create(&order).await.text("session_id");
        old.push((environment, id));
    }
    let retention = Retention { sessions: None, personal_data: Some(90 * DAY) };
    let pass = async || {
        for (environment, _) in &old {
            let environment = server.environment(environment);
            environment.settle_due(10).await.expect("a sweep");
            for _ in 0..5 {
                retention::pass(environment, retention).await.expect("a pass");
            }
        }
    };
    server.later(89 * DAY);
    pass().await;
    for (environment, session) in &old {
        let store = &server.environment(environment).store;
        let session = store.page_session(id(session)).await.expect("a read").expect("a session");
        assert_eq!(session.customer.email.as_deref(), Some(ADDRESS), "{environment}");
    }
    server.later(2 * DAY);
    let young = server.shop("live", &vendor).await.create(&order(2, "https://shop.example/")).await;
    pass().await;
    for (environment, session) in &old {
        let store = &server.environment(environment).store;
        let session = store.page_session(id(session)).await.expect("a read").expect("a session");
        assert_eq!((session.customer.email, session.metadata.is_empty()), (None, true), "{environment}");
    }
    let kept = server.live.store.page_session(id(&young.text("session_id"))).await.expect("a read");
    assert!(kept.expect("a session").customer.email.is_some());
}
