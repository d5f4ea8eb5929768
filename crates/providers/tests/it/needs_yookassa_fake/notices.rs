//! Notices (webhooks): they have no signature, so they only trigger a check. F17: duplicated, reordered,
//! forged, conflicting.

use super::*;
use std::sync::{Arc, Mutex};
use till_providers::{Notice, NoticeSubject};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

/// A server that accepts notices, answers 200, and keeps them.
async fn listen() -> (String, Arc<Mutex<Vec<Vec<u8>>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/notices/yookassa/{TOKEN}", listener.local_addr().expect("an address"));
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keeping = Arc::clone(&kept);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            let body = loop {
                let mut part = [0; 4_096];
                let read = stream.read(&mut part).await.unwrap_or(0);
                request.extend_from_slice(&part[..read]);
                if let Some(body) = whole(&request) {
                    break body;
                }
            };
            keeping.lock().expect("no panic").push(body);
            let _ =
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await;
        }
    });
    (url, kept)
}

/// The body of a request, once it is complete.
fn whole(request: &[u8]) -> Option<Vec<u8>> {
    let end = request.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&request[..end]).to_lowercase();
    let length = head.split("content-length:").nth(1)?.lines().next()?.trim().parse().ok()?;
    let body = &request[end..];
    (body.len() >= length).then(|| body[..length].to_vec())
}

impl World {
    fn about(&self, body: &[u8]) -> Option<NoticeSubject> {
        self.shop.read_notice(&Notice { signature: Some(TOKEN), body })
    }
}

#[tokio::test]
async fn f17_duplicated_and_reordered_notices_lead_to_the_same_truth() {
    let world = World::new();
    let (url, kept) = listen().await;
    world.does("notify", json!({ "url": url, "mode": "held" })).await;
    let attempt = world.open(Method::Card).await;
    world.pay(&attempt).await;
    assert_eq!(world.check(&attempt).await, paid(&attempt));
    let back = refund(&attempt, 1_000);
    world.shop.refunds().expect("refunds").refund(&back).await.expect("it goes back");
    world.does("release", json!({ "order": "reversed", "copies": 100 })).await;
    let notices = kept.lock().expect("no panic").clone();
    assert_eq!(notices.len(), 300);
    let mut named = std::collections::HashMap::new();
    for notice in &notices {
        *named.entry(world.about(notice).expect("it is heard")).or_insert(0) += 1;
    }
    let payment = attempt.reference.clone().expect("a reference");
    assert_eq!(
        named,
        [
            (NoticeSubject::Payment { reference: payment, attempt: Some(attempt.id) }, 200),
            (NoticeSubject::Refund { refund: back.id, failed: false }, 100)
        ]
        .into()
    );
    assert_eq!(world.check(&attempt).await, paid(&attempt), "whatever the order was");
    assert_eq!(world.truth().await, (1, 0, 149_000, 1_000));
}

#[tokio::test]
async fn f17_a_forged_notice_only_makes_us_ask() {
    let world = World::new();
    let (url, kept) = listen().await;
    world.does("notify", json!({ "url": url })).await;
    let attempt = world.open(Method::Card).await;
    let object = json!({
        "id": attempt.reference, "status": "succeeded", "paid": true,
        "amount": { "value": "1490.00", "currency": "RUB" }, "metadata": { "attempt": attempt.id.to_string() },
    });
    world.does("forge", json!({ "event": "payment.succeeded", "object": object })).await;
    let forged = kept.lock().expect("no panic")[0].clone();
    let reference = attempt.reference.clone().expect("a payment");
    let payment = NoticeSubject::Payment { reference, attempt: Some(attempt.id) };
    assert_eq!(world.about(&forged), Some(payment));
    assert_eq!(world.check(&attempt).await, Observation::Waiting, "the service says otherwise");
    // After the payment a forged notice says that it was not paid.
    world.pay(&attempt).await;
    assert_eq!(world.check(&attempt).await, paid(&attempt));
    world.does("forge", json!({ "event": "payment.canceled", "object": object })).await;
    assert_eq!(world.check(&attempt).await, paid(&attempt));
    // A notice without the secret of the URL is ignored.
    let notice = Notice { signature: Some("another"), body: &forged };
    assert_eq!(world.shop.read_notice(&notice), None);
    assert_eq!(world.shop.read_notice(&Notice { signature: None, body: &forged }), None);
}

#[tokio::test]
async fn a_forged_id_leads_nowhere() {
    let world = World::new();
    for id in ["../refunds", "me", "a/../../me", "x?limit=1", "%2e%2e", ""] {
        let attempt = Attempt { reference: Some(id.to_owned()), ..world.open(Method::Card).await };
        assert!(is_unknown(&world.shop.check(&attempt).await), "{id:?}");
        assert!(is_unknown(&world.shop.close(&attempt).await), "{id:?}");
    }
    assert_eq!(world.keys("me").await.len(), 0, "nothing else was asked");
}
