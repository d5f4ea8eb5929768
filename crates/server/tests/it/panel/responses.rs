//! What a vendor's server responded to a failed callback: only that vendor sees it, for 30 days.

use crate::{
    panel::detail::texts,
    support::{Person, Server, Sink, Vendor, until},
};
use serde_json::json;
use std::time::Duration;
use till::workers::retention::{self, Retention};
use till_domain::{
    id::{EventId, SessionId},
    user::Role,
};

const DAY: Duration = Duration::from_secs(86_400);

const SETTINGS: [(&str, &str); 2] = [("TILL_ALLOW_PRIVATE_CALLBACKS", "true"), ("TILL_OPERATOR_TOTP", "off")];

const BODY: &str = "<script>alert(1)</script> psycopg2.OperationalError: canary-7719";

struct FailedCallback {
    server: Server,
    vendor: Vendor,
    ada: Person,
    session: String,
    event: EventId,
}

/// A paid session whose callback failed once, at a receiver that says why.
async fn failed(server: Server) -> FailedCallback {
    let length = BODY.len();
    let sink = Sink::answering(format!(
        "HTTP/1.1 500 x\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{BODY}"
    ));
    let vendor = server.vendor().await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let shop = server.shop("sandbox", &vendor).await;
    let body = json!({ "product_name": "Atlas", "price": "49.90", "currency": "EUR", "order_id": "A-1",
        "callback_url": sink.url("http", "/till") });
    let session = shop.create(&body).await.text("session_id");
    assert_eq!(shop.simulate(&session, &json!({ "outcome": "paid" })).await.status, 200);
    let id = SessionId::parse(&session).expect("an id");
    let store = &server.sandbox.store;
    let event = store.callback(id).await.expect("a read").expect("an event").id;
    until("the attempt is stored", async || !store.attempts(event).await.expect("a read").is_empty()).await;
    FailedCallback { server, vendor, ada, session, event }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t2_t6_a_failed_response_is_shown_to_its_vendor_only() {
    let FailedCallback { server, vendor, ada, session, event } =
        failed(Server::keeping_responses(&SETTINGS).await).await;
    let page = ada.get(&format!("/panel/sessions/{session}")).await.body;
    assert_eq!(texts(&page, "[data-testid=response]"), [BODY]);
    assert!(texts(&page, "[data-testid=show-response]")[0].contains("text/html"), "{page}");
    assert!(!page.contains("<script>alert(1)"), "it is escaped");
    let operator = server.person("olga", Role::Operator, None).await;
    for path in
        [format!("/operator/sessions/sandbox/{session}"), format!("/operator/callbacks/sandbox/{event}")]
    {
        let page = operator.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.body.contains("500") && !page.body.contains("canary-7719"), "{path}");
    }
    let shop = server.shop("sandbox", &vendor).await;
    for answer in [shop.feed("").await, shop.status(&session).await] {
        assert_eq!(answer.status, 200);
        assert!(!answer.body.contains("canary-7719"), "{}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t2_a_failed_response_is_deleted_after_30_days() {
    let FailedCallback { server, event, .. } = failed(Server::keeping_responses(&SETTINGS).await).await;
    let store = &server.sandbox.store;
    let kept = async || store.responses(event).await.expect("a read").len();
    for attempts in 2..=4 {
        server.later(Duration::from_secs(300));
        until("the next attempt has failed", async || kept().await == attempts).await;
    }
    for (days, left) in [(29, 4), (2, 0)] {
        server.later(days * DAY);
        // The service's own worker may hold the lease meanwhile; then it deletes them.
        for _ in 0..5 {
            retention::pass(&server.sandbox, Retention::default()).await.expect("a pass");
        }
        until("those that are old are deleted", async || kept().await == left).await;
    }
    assert_eq!(store.attempts(event).await.expect("a read").len(), 4, "the attempts stay");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t2_nothing_is_kept_where_private_addresses_may_be_called() {
    let FailedCallback { server, ada, session, event, .. } = failed(Server::with(&SETTINGS).await).await;
    assert!(server.sandbox.store.responses(event).await.expect("a read").is_empty());
    let page = ada.get(&format!("/panel/sessions/{session}")).await.body;
    assert_eq!(texts(&page, "[data-testid=response]"), [""; 0]);
    assert!(!page.contains("canary-7719"));
}
