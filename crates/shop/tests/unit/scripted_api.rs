//! The shop against a scripted API, which can also act between two answers.

use crate::{
    Config, Credentials, Shop,
    environment::Environment,
    journal::MessageKind,
    order::{Order, Status, TroubleKind, tests as made},
    orders::tests::entry,
    pages::{Language, order_page},
    report::PaymentReport,
    router,
    visit::Visit,
};
use axum::{
    Json, Router,
    http::{HeaderMap, StatusCode},
    response::IntoResponse as _,
    routing::post,
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use std::{
    path::Path,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};
use tempfile::TempDir;
use tokio::net::TcpListener;

const ID: &str = "B-TEST-0001";

fn config(base_url: &str, folder: &Path) -> Config {
    let pair = || Credentials { client_id: "ci".to_owned(), client_secret: "cs-secret".to_owned() };
    Config {
        random: || [7; 8],
        base_url: base_url.to_owned(),
        checkout_url: base_url.to_owned(),
        data_dir: folder.to_owned(),
        live: pair(),
        sandbox: pair(),
    }
}

async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// A shop with a new order. A callback about `session` arrives before the answer to the create call, which
/// names `s-1`.
async fn opened_after_a_callback(
    session: Option<(&'static str, Status)>,
) -> (TempDir, Arc<Shop>, Option<String>) {
    let folder = TempDir::new().expect("a folder");
    let known: Arc<OnceLock<Arc<Shop>>> = Arc::default();
    let shop = Arc::clone(&known);
    let token = async || Json(json!({ "access_token": "t", "expires_in": 3600 }));
    let create = async move || {
        let shop = Arc::clone(shop.get().expect("a shop"));
        if let Some((session, status)) = session {
            let report = PaymentReport { session_id: session.to_owned(), ..made::report(status) };
            shop.orders.change(ID, move |order| order.believe(&report, 1)).await.expect("changed");
        }
        Json(json!({ "session_id": "s-1", "session_url": "http://127.0.0.1:1/session/s-1" }))
    };
    let api = Router::new()
        .route(Environment::Sandbox.token_path(), post(token))
        .route(Environment::Sandbox.session_path(), post(create));
    let shop = Arc::new(Shop::new(config(&serve(api).await, folder.path())).expect("a shop"));
    assert!(known.set(Arc::clone(&shop)).is_ok());
    let order = Order { status: Status::New, session_id: None, session_url: None, ..made::order() };
    shop.orders.add(order.clone()).await.expect("kept");
    let page = shop.open(&order).await.expect("opened");
    (folder, shop, page)
}

#[tokio::test]
async fn a_customer_is_sent_on_only_to_a_session_that_can_be_paid_and_is_beyond_doubt() {
    for (callback, sent_on, status, note) in [
        (None, true, Status::Pending, None),
        (Some(("s-1", Status::Pending)), true, Status::Pending, None),
        (Some(("s-1", Status::Paid)), false, Status::Paid, None),
        (Some(("s-2", Status::Paid)), false, Status::Paid, Some("doubt-session")),
        (Some(("s-2", Status::Pending)), false, Status::Pending, Some("doubt-session")),
    ] {
        let (_folder, shop, page) = opened_after_a_callback(callback).await;
        assert_eq!(page.is_some(), sent_on, "{callback:?}");
        let order = shop.orders.find(ID).await.expect("read").expect("an order");
        assert_eq!(order.status, status, "{callback:?}");
        let journal = shop.orders.journal(ID).await.expect("read");
        let line = journal.iter().find(|line| line.kind == MessageKind::Create).expect("a line");
        assert_eq!(line.note.as_deref(), note, "{callback:?}");
    }
}

#[tokio::test]
async fn credentials_that_no_longer_work_are_reported() {
    let folder = TempDir::new().expect("a folder");
    let refuse = async || {
        (StatusCode::UNAUTHORIZED, Json(json!({ "code": "invalid_client", "detail": "no" }))).into_response()
    };
    let api = Router::new().route(Environment::Sandbox.token_path(), post(refuse));
    let shop = Shop::new(config(&serve(api).await, folder.path())).expect("a shop");
    for status in [Status::New, Status::Pending] {
        let order = Order { status, ..made::order() };
        shop.orders.add(order.clone()).await.expect("kept");
        for _ in 0..3 {
            shop.open(&order).await.expect("an answer");
            shop.ask(ID, Duration::ZERO).await.expect("an answer");
        }
        let order = shop.orders.find(ID).await.expect("read").expect("an order");
        let trouble = order.trouble.clone().expect("trouble");
        assert_eq!(trouble.kind, TroubleKind::Credentials);
        assert_eq!(shop.orders.journal(ID).await.expect("read").len(), 1, "the same refusal is one line");
        let page = page(&shop).await;
        assert!(page.contains("Restart the demo"), "{page}");
    }
}

async fn page(shop: &Shop) -> String {
    let visit = Visit {
        language: Language::English,
        chosen: None,
        foreign: false,
        path: format!("/shop/orders/{ID}"),
        query: Vec::new(),
    };
    order_page(shop, &visit, ID).await.expect("read").expect("an order").write()
}

#[tokio::test]
async fn a_demo_that_moved_asks_with_another_key_and_pays_at_the_new_address() {
    let folder = TempDir::new().expect("a folder");
    let keys: Arc<Mutex<Vec<String>>> = Arc::default();
    let api = || {
        let keys = Arc::clone(&keys);
        let create = async move |headers: HeaderMap| {
            let key = headers["idempotency-key"].to_str().expect("a text").to_owned();
            keys.lock().expect("a lock").push(key);
            StatusCode::SERVICE_UNAVAILABLE
        };
        let token = async || Json(json!({ "access_token": "t", "expires_in": 3600 }));
        Router::new()
            .route(Environment::Sandbox.token_path(), post(token))
            .route(Environment::Sandbox.session_path(), post(create))
    };
    let new = Order { status: Status::New, session_id: None, session_url: None, ..made::order() };
    for _ in 0..2 {
        let base = serve(api()).await;
        let shop = Shop::new(config(&base, folder.path())).expect("a shop");
        shop.orders.add(new.clone()).await.expect("kept");
        shop.open(&new).await.expect("an answer");
        shop.open(&new).await.expect("an answer");
        let pending = made::order();
        let moved = format!("{base}/session/s-1");
        assert_eq!(shop.open(&pending).await.expect("a page"), Some(moved.clone()));
        shop.orders.add(pending).await.expect("kept");
        let html = page(&shop).await;
        assert!(html.contains(&format!("href=\"{moved}\"")), "{html}");
    }
    let keys = keys.lock().expect("a lock").clone();
    assert!(keys[0] == keys[1] && keys[1] != keys[2] && keys[2] == keys[3], "{keys:?}");
}

#[tokio::test]
async fn the_shop_answers_under_no_other_name_and_shows_its_secret_on_this_machine_only() {
    let folder = TempDir::new().expect("a folder");
    let url = serve(router(config("http://127.0.0.1:1", folder.path())).expect("a shop")).await;
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    for (host, status) in [("127.0.0.1:1", 200), ("localhost:1", 200), ("evil.example:1", 421)] {
        let sent = client.get(format!("{url}/shop/orders")).header("host", host).send();
        assert_eq!(sent.await.expect("an answer").status().as_u16(), status, "{host}");
    }
    for (base, shown) in [("http://127.0.0.1:1", true), ("http://192.0.2.1:1", false)] {
        let shop = Shop::new(config(base, folder.path())).expect("a shop");
        let curl = entry(MessageKind::Token, "").curl(&shop.config, Environment::Sandbox);
        assert_eq!(curl.contains("cs-secret"), shown, "{curl}");
        assert_eq!(curl.contains(r#""client_secret":"'"$TILL_CLIENT_SECRET"'"}'"#), !shown, "{curl}");
    }
}

async fn tell(url: &str, body: &Value) -> u16 {
    let body = body.to_string();
    let mac = Hmac::<Sha256>::new_from_slice(b"cs-secret").expect("a key").chain_update(body.as_bytes());
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let request = client.post(format!("{url}/shop/callbacks/sandbox"));
    let request = request.header("x-signature", hex::encode(mac.finalize().into_bytes()));
    request.body(body).send().await.expect("an answer").status().as_u16()
}

#[tokio::test]
async fn a_signed_event_that_the_shop_does_not_know_is_taken_and_ignored() {
    let folder = TempDir::new().expect("a folder");
    let config = config("http://127.0.0.1:1", folder.path());
    let shop = Shop::new(config.clone()).expect("a shop");
    shop.orders.add(made::order()).await.expect("kept");
    let url = serve(router(config).expect("a shop")).await;
    for (body, status) in [
        (json!({ "event": "test.ping", "eventId": "e-1" }), 200),
        (
            json!({ "event": "session.paid", "eventId": "e-2", "orderId": "B-0000-0000", "status": "odd" }),
            200,
        ),
        (json!({ "event": "session.refunded", "eventId": "e-3", "orderId": ID, "status": "refunded" }), 200),
        (json!({}), 400),
    ] {
        assert_eq!(tell(&url, &body).await, status, "{body}");
    }
    let journal = shop.orders.journal(ID).await.expect("read");
    let notes: Vec<_> = journal.iter().map(|line| line.note.as_deref()).collect();
    assert_eq!(notes, [Some("ignored")]);
    let order = shop.orders.find(ID).await.expect("read").expect("an order");
    assert_eq!(order.status, Status::Pending);
}
