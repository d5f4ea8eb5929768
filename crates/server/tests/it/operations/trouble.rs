//! A store that cannot write: a clear 503, reads that continue, and a retry that gets the true result.

use crate::support::{Server, Shop};
use reqwest::Method;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p3_a_store_that_cannot_write_answers_503_and_recovers_by_itself() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let before = shop.order("A-1").await;
    let other = rusqlite::Connection::open(server.folder().join("sandbox.db")).expect("the file opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    let book = Shop::book("A-2");
    let (refused, meanwhile) = tokio::join!(shop.create_once("k", &book), async {
        let status = shop.status(&before).await;
        let live = server.shop("live", &vendor).await.create(&Shop::book("A-3")).await;
        let ready = shop.send(Method::GET, &format!("{}/readyz", server.url), &[], vec![]).await;
        (status, live, ready)
    });
    assert_eq!(refused.problem(), "503 unavailable");
    assert!(refused.header("retry-after").is_some());
    let (status, live, ready) = meanwhile;
    assert_eq!((status.status.as_u16(), live.status.as_u16(), ready.status.as_u16()), (200, 201, 503));
    other.execute_batch("ROLLBACK").expect("the lock is given back");
    let retried = shop.create_once("k", &book).await;
    assert_eq!(retried.status, 201, "{}", retried.body);
    let ready = shop.send(Method::GET, &format!("{}/readyz", server.url), &[], vec![]).await;
    assert_eq!(ready.status, 200);
    assert_eq!(shop.create_once("k", &book).await.text("session_id"), retried.text("session_id"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_create_that_waits_10_seconds_for_its_key_is_told_so() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let running = server.live.in_flight.enter(vendor.id, "k").await;
    let answer = shop.create_once("k", &Shop::book("A-1")).await;
    assert_eq!(answer.problem(), "409 idempotency_in_progress");
    drop(running);
    assert_eq!(shop.create_once("k", &Shop::book("A-1")).await.status, 201);
}
