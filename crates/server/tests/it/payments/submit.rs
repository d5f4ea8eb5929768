//! However often a customer clicks, there is one payment.

use crate::support::{Server, Shop, until};
use serde_json::json;
use std::time::Duration;
use till_domain::{
    attempt::{self, AttemptState, Beginning},
    id::{AttemptId, SessionId},
    method::Method,
    session::State,
};
use tokio::task::JoinSet;

/// The bank's books: the number of payments, and of closed ones.
fn books(server: &Server) -> (i64, i64) {
    let shell = rusqlite::Connection::open(server.folder().join("live.db")).expect("a database");
    let query = "SELECT COUNT(*), COUNT(closed_at) FROM simulated_payments";
    shell.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?))).expect("a row")
}

/// How often a session was ended: the numbers of its callbacks and transactions.
async fn ends(server: &Server, id: &str) -> (usize, usize) {
    let id = SessionId::parse(id).expect("an id");
    let store = &server.live.store;
    let callbacks = usize::from(store.callback(id).await.expect("a read").is_some());
    (callbacks, store.transactions_of(id).await.expect("a read").len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t21_f9_p12_64_submits_at_once_are_one_payment() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    let mut clicks = JoinSet::new();
    for _ in 0..64 {
        let (customer, id) = (server.customer(), id.clone());
        clicks.spawn(async move { customer.pay(&id, "card").await });
    }
    for answer in clicks.join_all().await {
        assert_eq!(answer.status, 303, "{}", answer.body);
        let to = answer.header("location").expect("an address");
        assert!(to.contains("/bank/") || to == format!("/session/{id}"), "{to}");
    }
    assert_eq!(books(&server), (1, 0));
    let attempt = server.attempts(&id).await[0].id.to_string();
    let mut clicks = JoinSet::new();
    for _ in 0..64 {
        let (customer, attempt) = (server.customer(), attempt.clone());
        clicks.spawn(async move { customer.decide(&attempt, "approve").await });
    }
    assert!(clicks.join_all().await.iter().all(|answer| answer.status == 303));
    until("it is paid", async || server.session(&id).await.state == State::Paid).await;
    assert_eq!((ends(&server, &id).await, server.attempts(&id).await.len()), ((1, 1), 1));
    assert_eq!(books(&server), (1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p12_of_tabs_that_want_different_ways_to_pay_one_is_open_at_the_bank() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    for round in 0..8 {
        let id = shop.order(&format!("A-{round}")).await;
        let mut clicks = JoinSet::new();
        for method in ["card", "sbp", "card", "sbp"] {
            let (customer, id) = (server.customer(), id.clone());
            clicks.spawn(async move { customer.pay(&id, method).await });
        }
        for answer in clicks.join_all().await {
            assert!([303, 503].contains(&answer.status.as_u16()), "{}", answer.body);
        }
        let attempts = server.attempts(&id).await;
        let active: Vec<_> = attempts.iter().filter(|attempt| attempt.state.is_active()).collect();
        assert_eq!(active.len(), 1, "{attempts:?}");
        for attempt in &attempts {
            let entry =
                server.live.store.simulated(attempt.id).await.expect("a read").expect("it was started");
            assert_eq!(entry.closed_at.is_none(), attempt.state.is_active(), "{attempt:?} {entry:?}");
        }
        assert_eq!(server.session(&id).await.methods.chosen, active[0].method);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p12_another_way_to_pay_closes_the_first_and_back_and_reload_begin_nothing() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    let customer = server.customer();
    assert!(customer.pay(&id, "card").await.header("location").is_some_and(|to| to.contains("/bank/")));
    let page = format!("/session/{id}");
    server.later(Duration::from_millis(1));
    assert_eq!(customer.pay(&id, "sbp").await.header("location"), Some(page.as_str()));
    let attempts = server.attempts(&id).await;
    assert_eq!(
        attempts.iter().map(|a| a.state).collect::<Vec<_>>(),
        [AttemptState::Closed, AttemptState::Open]
    );
    assert_eq!(books(&server), (2, 1));
    // The closed payment takes no money any more.
    customer.decide(&attempts[0].id.to_string(), "approve").await;
    assert_eq!(server.session(&id).await.state, State::Pending);
    let reload = customer.get(&format!("/session/{id}/pay"), &[]).await;
    assert_eq!((reload.status.as_u16(), reload.header("location")), (303, Some(page.as_str())));
    customer.decide(&attempts[1].id.to_string(), "pay").await;
    assert_eq!(server.session(&id).await.state, State::Paid);
    for method in ["card", "sbp", "crypto"] {
        let again = customer.pay(&id, method).await;
        assert_eq!((again.status.as_u16(), again.header("location")), (303, Some(page.as_str())));
    }
    assert_eq!((books(&server), ends(&server, &id).await), ((2, 1), (1, 1)));
    assert_eq!(customer.get(&page, &[]).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stale_page_of_an_order_that_was_paid_elsewhere_begins_no_second_payment() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let (one, other) = (shop.order("A-1").await, shop.order("A-1").await);
    let customer = server.customer();
    customer.pay(&one, "card").await;
    customer.decide(&server.attempts(&one).await[0].id.to_string(), "approve").await;
    assert_eq!(server.session(&one).await.state, State::Paid);
    let stale = customer.pay(&other, "card").await;
    assert_eq!(stale.header("location"), Some(format!("/session/{other}").as_str()));
    assert_eq!(server.attempts(&other).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t23_i9_p13_a_notice_counts_once_however_often_it_comes_and_only_if_it_is_signed() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    let customer = server.customer();
    customer.pay(&id, "card").await;
    let attempt = server.attempts(&id).await.remove(0);
    // The bank decides, and its notice (webhook) is on the way.
    let store = &server.live.store;
    let entry = store.simulated(attempt.id).await.expect("a read").expect("a payment");
    let decision = Some(("approve".to_owned(), server.clock.now()));
    let decided = till_store::SimulatedPayment { decision, ..entry };
    assert!(store.change_simulated(&decided).await.expect("an answer"));
    let body = format!("{{\"payment\":\"{}\"}}", attempt.reference.clone().expect("a reference"));
    let key = server.live.vault.simulator_key(till_domain::environment::EnvironmentName::Live);
    let signature = sign(&key, body.as_bytes());
    let send = async |signature: String, body: String, provider: &str| {
        let request = customer.client.post(format!("{}/notices/{provider}/main", server.url));
        request.header("x-signature", signature).body(body).send().await.expect("an answer").status().as_u16()
    };
    let wrong = signature.replace(|c: char| c.is_ascii_digit(), "f");
    assert_eq!(send(wrong, body.clone(), "simulator").await, 404);
    assert_eq!(send(signature.clone(), format!("{body} "), "simulator").await, 404);
    assert_eq!(send(signature.clone(), body.clone(), "another").await, 404);
    assert_eq!(server.session(&id).await.state, State::Pending, "nobody has asked");
    let mut notices = JoinSet::new();
    for _ in 0..50 {
        let request = customer.client.post(format!("{}/notices/simulator/main", server.url));
        let request = request.header("x-signature", &signature).body(body.clone());
        notices.spawn(async move { request.send().await.expect("an answer").status().as_u16() });
    }
    assert!(notices.join_all().await.iter().all(|status| *status == 200));
    assert_eq!(server.session(&id).await.state, State::Paid);
    assert_eq!(ends(&server, &id).await, (1, 1));
    assert_eq!(server.live.store.open_actions().await.expect("a read"), 0);
}

fn sign(key: &[u8; 32], body: &[u8]) -> String {
    use hmac::{Hmac, KeyInit as _, Mac as _};
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(key).expect("any key");
    mac.update(body);
    hex::encode(mac.finalize().into_bytes())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p12_an_intent_that_nobody_carried_out_is_taken_up() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    // The state that a process leaves if it dies between the intent and the bank.
    let session = server.session(&id).await;
    let now = server.clock.now();
    let beginning = Beginning {
        session: &session,
        method: Method::Sbp,
        provider: "simulator",
        choice: None,
        email: None,
        language: None,
        id: AttemptId::new(now, &[1; 10]),
    };
    let (_, attempt, changes) = attempt::begin(beginning, &server.live.rules(), now).expect("it may begin");
    assert_eq!(server.live.store.commit(&changes).await.expect("an answer"), till_store::Committed::Done);
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(server.attempts(&id).await[0], attempt, "whoever made it may still be at it");
    server.later(Duration::from_secs(15));
    until("it is started", async || server.attempts(&id).await[0].state == AttemptState::Open).await;
    assert_eq!(books(&server), (1, 0));
    server.customer().decide(&attempt.id.to_string(), "pay").await;
    assert_eq!(server.session(&id).await.state, State::Paid);
}

const MAIL_FROM: (&str, &str) = ("TILL_MAIL_FROM", "till@pay.example");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_mail_server_no_address_is_asked_for() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    let (customer, page) = (server.customer(), format!("/session/{id}"));
    assert!(!customer.get(&page, &[]).await.body.contains("id=\"email\""));
    let form = [("method", "card"), ("email", "ann@example.org")];
    assert_eq!(customer.post(&format!("{page}/pay"), &form, &[]).await.status, 303);
    assert_eq!(server.attempts(&id).await.remove(0).email, None, "nor kept");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_for_the_receipt_is_kept_and_a_wrong_one_refused() {
    // No mail server listens there, but with this setting mails are offered.
    let server = Server::with(&[("TILL_SMTP_URL", "smtp://127.0.0.1:9?tls=none"), MAIL_FROM]).await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    let (customer, path) = (server.customer(), format!("/session/{id}/pay"));
    for wrong in ["x", "a@b@c", "a b@example.org", "a@example.org\r\nBcc: x@example.org", "a@b..c"] {
        let answer = customer.post(&path, &[("method", "card"), ("email", wrong)], &[]).await;
        assert_eq!(answer.status, 422, "{wrong}");
        assert!(answer.header("content-type").is_some_and(|kind| kind.starts_with("text/html")));
    }
    assert_eq!(server.attempts(&id).await, [], "nothing was begun");
    let russian = [("accept-language", "ru")];
    let form = [("method", "card"), ("email", " Ann@Example.org ")];
    let answer = customer.post(&path, &form, &russian).await;
    assert_eq!(answer.status, 303);
    let attempt = server.attempts(&id).await.remove(0);
    let kept = attempt.email.expect("an address");
    assert!(kept.eq_ignore_ascii_case("ann@example.org"), "{kept}");
    assert_eq!(attempt.language.as_deref(), Some("ru"));
    // The sandbox sends no mail, and keeps no address.
    let mut shop = Shop::new(&server.url, "sandbox", vendor.sandbox.clone());
    shop.log_in().await;
    let id = shop.order("A-1").await;
    let form = [("method", "card"), ("outcome", "paid"), ("email", "ann@example.org")];
    customer.post(&format!("/sandbox/session/{id}/pay"), &form, &[]).await;
    assert_eq!(shop.status(&id).await.json()["status"], json!("paid"));
    let id = SessionId::parse(&id).expect("an id");
    let attempts = server.sandbox.store.attempts_of(id).await.expect("a read");
    assert_eq!((attempts.len(), attempts[0].email.as_deref()), (1, None));
}
