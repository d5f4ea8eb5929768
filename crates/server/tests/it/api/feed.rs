//! Fetching callbacks: the contents and order of the feed, its signatures, and long polling.

use crate::support::{Answer, MASTER_KEY, Receiver, Server, Shop, entry};
use axum::{Router, http::HeaderMap, routing::post};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use sha2::Sha256;
use std::time::{Duration, Instant};
use till_domain::{
    environment::EnvironmentName,
    id::{SessionId, VendorId},
    request::{FieldValue, SimulateRequest},
    session,
    time::Timestamp,
    vendor::Settings,
};
use till_service::vault::{MasterKey, SecretPlace, Vault, new_client_id, new_client_secret};
use till_store::{Committed, NewCredential};
use tokio::{sync::mpsc, task::JoinHandle, time::sleep};

/// A paid sandbox session, with its callback.
async fn pay(shop: &Shop, order: &str) {
    let id = shop.order(order).await;
    let answer = shop.simulate(&id, &json!({ "outcome": "paid" })).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

fn callbacks(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["callbacks"].as_array().expect("a list").clone()
}

/// The orders of a page, in its order.
fn orders(answer: &Answer) -> Vec<String> {
    let order = |callback: &Value| {
        let body: Value = serde_json::from_str(text(&callback["body"])).expect("a body of JSON");
        assert_eq!(body["eventId"], callback["event_id"]);
        text(&body["orderId"]).to_owned()
    };
    callbacks(answer).iter().map(order).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}

/// HMAC-SHA256 in hex, as a vendor would compute it.
fn hmac(secret: &str, message: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length");
    hex::encode(mac.chain_update(message.as_bytes()).finalize().into_bytes())
}

/// A long poll that waits in the background.
async fn waiting(shop: &Shop, query: &str) -> JoinHandle<(Answer, Instant)> {
    let (shop, query) = (shop.clone(), query.to_owned());
    let call = tokio::spawn(async move { (shop.feed(&query).await, Instant::now()) });
    sleep(Duration::from_millis(300)).await;
    assert!(!call.is_finished(), "it waits");
    call
}

/// Rotates a vendor's sandbox credentials, and returns the new secret.
async fn rotate(server: &Server, vendor: VendorId, old_ends_at: Timestamp) -> String {
    let vault = Vault::new(&MasterKey::parse(MASTER_KEY).expect("a key"));
    let (environment, number) = (EnvironmentName::Sandbox, 2);
    let secret = new_client_secret(environment);
    let sealed = vault.seal(SecretPlace { environment, vendor, number }, &secret);
    let new = NewCredential {
        environment,
        number,
        client_id: new_client_id(environment),
        secret_check: sealed.check,
        secret_sealed: sealed.sealed,
    };
    assert!(server.accounts.rotate(vendor, new, old_ends_at, &entry()).await.expect("stored"));
    secret.expose_secret().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_come_oldest_first_and_go_on_where_the_last_ended() {
    let server = Server::start().await;
    let shop = server.shop("sandbox", &server.vendor().await).await;
    let empty = shop.feed("").await;
    assert_eq!(empty.json(), json!({ "callbacks": [], "next": "0", "has_more": false }));
    for order in ["1", "2", "3"] {
        pay(&shop, order).await;
        server.later(Duration::from_millis(5));
    }
    let first = shop.feed("limit=2").await;
    assert_eq!(
        (orders(&first), first.json()["has_more"].clone()),
        (vec!["1".into(), "2".into()], true.into())
    );
    let next = format!("limit=2&after={}", first.text("next"));
    let second = shop.feed(&next).await;
    assert_eq!((orders(&second), second.json()["has_more"].clone()), (vec!["3".into()], false.into()));
    assert_eq!(shop.feed("limit=2").await.json()["next"], first.json()["next"], "a page stays what it was");
    let after = second.text("next");
    let end = shop.feed(&format!("after={after}")).await;
    assert_eq!(end.json(), json!({ "callbacks": [], "next": after, "has_more": false }));
    for beyond in ["4", "999999999999999999"] {
        let beyond = shop.feed(&format!("after={beyond}&wait=30s")).await;
        assert_eq!(beyond.problem(), "422 invalid_request");
        assert_eq!(beyond.fields(), ["after:invalid_cursor"]);
    }
    pay(&shop, "4").await;
    let exact = shop.feed(&format!("after={after}&limit=1")).await;
    assert_eq!((orders(&exact), exact.json()["has_more"].clone()), (vec!["4".into()], false.into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_fetched_is_what_was_sent() {
    let server = Server::with(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let (send, mut sent) = mpsc::unbounded_channel();
    let receiver = Router::new().route(
        "/",
        post(async move |headers: HeaderMap, body: String| send.send((headers, body)).expect("a test")),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, receiver).await });
    let mut book = Shop::book("№ \"1\"\\");
    book["callback_url"] = url.into();
    let id = shop.create(&book).await.text("session_id");
    shop.simulate(&id, &json!({ "outcome": "paid" })).await;
    let sent = tokio::time::timeout(Duration::from_secs(20), sent.recv()).await;
    let (headers, body) = sent.expect("it is sent in time").expect("it is sent");
    let page = shop.feed("").await;
    let [fetched] = <[Value; 1]>::try_from(callbacks(&page)).expect("one");
    assert_eq!(text(&fetched["body"]), body);
    let own = fetched["headers"].as_object().expect("headers");
    for (name, value) in own {
        // The clock stands still, so even the times are the same.
        assert_eq!(headers[name.as_str()].to_str().expect("text"), text(value), "{name}");
    }
    let transport = ["host", "content-length", "accept", "accept-encoding", "connection"];
    for name in headers.keys().filter(|name| !transport.contains(&name.as_str())) {
        assert!(own.contains_key(name.as_str()), "{name}");
    }
    assert_eq!(text(&own["x-signature"]), hmac(&vendor.sandbox.client_secret, &body));
    assert_eq!(text(&own["webhook-id"]), text(&fetched["event_id"]));
    assert_eq!((text(&own["x-attempt"]), text(&own["x-environment"])), ("1", "sandbox"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t10_a_feed_has_its_own_vendors_events_of_its_own_environment_only() {
    let server = Server::start().await;
    let (one, other) = (server.vendor().await, server.vendor().await);
    let [one_sandbox, other_sandbox] =
        [server.shop("sandbox", &one).await, server.shop("sandbox", &other).await];
    let [one_live, other_live] = [server.shop("live", &one).await, server.shop("live", &other).await];
    pay(&one_sandbox, "one's").await;
    pay(&other_sandbox, "the other's").await;
    let id = one_live.order("one's, live").await;
    server.later(Duration::from_secs(16 * 60));
    assert_eq!(one_live.status(&id).await.text("status"), "expired");
    assert_eq!(orders(&one_sandbox.feed("").await), ["one's"]);
    assert_eq!(orders(&other_sandbox.feed("").await), ["the other's"]);
    let live = one_live.feed("").await;
    assert_eq!(orders(&live), ["one's, live"]);
    let [callback] = <[Value; 1]>::try_from(callbacks(&live)).expect("one");
    assert_eq!(callback["headers"]["x-environment"], "live");
    assert_eq!(
        text(&callback["headers"]["x-signature"]),
        hmac(&one.live.client_secret, text(&callback["body"]))
    );
    assert_eq!(orders(&other_live.feed("").await), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_query_is_refused_after_the_token_and_the_rate() {
    let server = Server::with(&[("TILL_RATE_LIMITS", "on"), ("TILL_RATE_LIMIT_STATUS", "1/h burst 1")]).await;
    let vendor = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        let wrong = "after=x&limit=0&wait=31s&more=1";
        let mut nobody = shop.clone();
        nobody.token.clear();
        assert_eq!(nobody.feed(wrong).await.problem(), "401 invalid_token");
        let answer = shop.feed(wrong).await;
        assert_eq!(answer.problem(), "422 invalid_request");
        let fields = ["after:invalid_cursor", "limit:out_of_range", "wait:invalid_duration"];
        assert_eq!(answer.fields(), fields);
        assert_eq!(shop.feed(wrong).await.problem(), "429 rate_limited");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_waits_is_answered_when_something_comes_or_the_time_is_over() {
    let server = Server::start().await;
    let (vendor, stranger) = (server.vendor().await, server.vendor().await);
    let [shop, stranger] = [server.shop("sandbox", &vendor).await, server.shop("sandbox", &stranger).await];
    let began = Instant::now();
    assert_eq!(callbacks(&shop.feed("wait=300ms").await).len(), 0);
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(300) && took < Duration::from_secs(10), "{took:?}");
    let (mut after, mut late) = ("0".to_owned(), Duration::ZERO);
    for order in ["1", "2", "3", "4", "5"] {
        let call = waiting(&shop, &format!("after={after}&wait=30s")).await;
        pay(&stranger, order).await;
        pay(&shop, order).await;
        let paid = Instant::now();
        let (answer, at) = call.await.expect("it ends");
        assert_eq!(orders(&answer), [order]);
        late += at.saturating_duration_since(paid);
        after = answer.text("next");
    }
    // Polling once a second would be late by more than half a second each time.
    assert!(late < Duration::from_secs(2), "{late:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i27_a_vendor_has_eight_calls_that_wait_and_one_more_is_answered_at_once() {
    let server = Server::start().await;
    let (vendor, stranger) = (server.vendor().await, server.vendor().await);
    let [shop, stranger] = [server.shop("sandbox", &vendor).await, server.shop("sandbox", &stranger).await];
    let mut calls = Vec::new();
    for _ in 0..8 {
        calls.push(waiting(&shop, "wait=30s").await);
    }
    let began = Instant::now();
    assert_eq!(callbacks(&shop.feed("wait=30s").await).len(), 0);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    let other = waiting(&stranger, "wait=30s").await;
    pay(&stranger, "1").await;
    assert_eq!(orders(&other.await.expect("it ends").0), ["1"], "another vendor's may wait");
    pay(&shop, "2").await;
    for call in calls {
        assert_eq!(orders(&call.await.expect("it ends").0), ["2"]);
    }
    waiting(&shop, "after=1&wait=30s").await.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_waits_sees_the_events_of_other_nodes() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let id = SessionId::parse(&shop.order("1").await).expect("an id");
    let call = waiting(&shop, "wait=30s").await;
    // Written directly to the store, so that this node is not notified.
    let found = server.sandbox.store.session(id, vendor.id).await.expect("a read").expect("a session");
    let paid = SimulateRequest::from_fields(|name| match name {
        "outcome" => FieldValue::Text("paid".to_owned()),
        _ => FieldValue::Absent,
    });
    let (now, event) = (server.clock.now(), till_service::random::id(server.clock.now()));
    let decided = session::simulate(&found, &paid, now, &Settings::default(), event);
    let (_, changes) = decided.expect("it is pending");
    assert_eq!(server.sandbox.store.commit(&changes).await.expect("a commit"), Committed::Done);
    let committed = Instant::now();
    let (answer, at) = call.await.expect("it ends");
    assert_eq!(orders(&answer), ["1"]);
    assert!(at.saturating_duration_since(committed) < Duration::from_secs(10));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_stops_answers_those_who_wait() {
    let server = Server::start().await;
    let shop = server.shop("sandbox", &server.vendor().await).await;
    let call = waiting(&shop, "wait=30s").await;
    let stopped = Instant::now();
    let again = server.restart().await;
    let (answer, at) = call.await.expect("it ends");
    assert_eq!(callbacks(&answer).len(), 0);
    let took = at.saturating_duration_since(stopped);
    assert!(took < Duration::from_secs(5), "{took:?}");
    drop(again);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_ends_during_the_wait_gets_nothing_more() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let call = waiting(&shop, "wait=30s").await;
    rotate(&server, vendor.id, server.clock.now()).await;
    let (answer, _) = call.await.expect("it ends");
    assert_eq!(answer.problem(), "401 invalid_token");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn during_an_overlap_both_secrets_sign() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    pay(&shop, "1").await;
    let new = rotate(&server, vendor.id, server.clock.now().plus(Duration::from_secs(86_400))).await;
    let [callback] = <[Value; 1]>::try_from(callbacks(&shop.feed("").await)).expect("one");
    let (headers, body) = (&callback["headers"], text(&callback["body"]));
    assert_eq!(text(&headers["x-signature"]), hmac(&vendor.sandbox.client_secret, body), "the old one first");
    assert_eq!(text(&headers["x-signature-alternate"]), hmac(&new, body));
    assert_eq!(text(&headers["webhook-signature"]).split(' ').count(), 2);
}

/// Replaces a sealed secret in the store, and returns the one before.
fn swap_secret(server: &Server, vendor: VendorId, number: i64, sealed: &[u8]) -> Vec<u8> {
    let accounts = rusqlite::Connection::open(server.folder().join("accounts.db")).expect("a database");
    let place = "vendor_id = ?1 AND environment = 'sandbox' AND number = ?2";
    let id = vendor.as_bytes().as_slice();
    let read = format!("SELECT secret_sealed FROM credentials WHERE {place}");
    let before = accounts.query_row(&read, (id, number), |row| row.get(0)).expect("a secret");
    let write = format!("UPDATE credentials SET secret_sealed = ?3 WHERE {place}");
    assert_eq!(accounts.execute(&write, (id, number, sealed)).expect("a change"), 1);
    before
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn during_an_overlap_one_secret_that_cannot_be_opened_leaves_the_other() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    pay(&shop, "1").await;
    let new = rotate(&server, vendor.id, server.clock.now().plus(Duration::from_secs(86_400))).await;
    swap_secret(&server, vendor.id, 1, b"spoiled");
    let [callback] = <[Value; 1]>::try_from(callbacks(&shop.feed("").await)).expect("one");
    let (headers, body) = (&callback["headers"], text(&callback["body"]));
    assert_eq!(text(&headers["x-signature"]), hmac(&new, body));
    assert_eq!(headers.get("x-signature-alternate"), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_attempt_is_used_up_while_nothing_can_sign() {
    let server = Server::with(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
    let (vendor, other) = (server.vendor().await, server.vendor().await);
    let [shop, other] = [server.shop("sandbox", &vendor).await, server.shop("sandbox", &other).await];
    let receiver = Receiver::start().await;
    let good = swap_secret(&server, vendor.id, 1, b"spoiled");
    for (shop, path) in [(&shop, "/unsigned"), (&other, "/signed")] {
        let mut book = Shop::book("1");
        book["callback_url"] = receiver.url(path).into();
        let id = shop.create(&book).await.text("session_id");
        assert_eq!(shop.simulate(&id, &json!({ "outcome": "paid" })).await.status, 200);
    }
    receiver.wait("/signed", 1).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(receiver.at("/unsigned").len(), 0);
    let pending = server.sandbox.store.pending_vendors().await.expect("a read");
    assert_eq!(pending.iter().map(|pending| pending.vendor).collect::<Vec<_>>(), [vendor.id], "it stays due");
    swap_secret(&server, vendor.id, 1, &good);
    let requests = receiver.wait("/unsigned", 1).await;
    assert_eq!(
        (requests.len(), requests[0].attempt()),
        (1, 1),
        "the first attempt is the first that was made"
    );
}
