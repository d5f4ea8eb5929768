//! The database goes down and comes back, or a node is gone for good: nothing acknowledged is lost, and the
//! service recovers without help (F5).

use super::load::{Load, assert_kept};
use crate::support::{Nodes, Shop, note};
use reqwest::Method;
use std::time::{Duration, Instant};
use tokio::time::sleep;

pub async fn readiness(shop: &Shop, url: &str) -> u16 {
    shop.send(Method::GET, &format!("{url}/readyz"), &[], vec![]).await.status.as_u16()
}

/// Waits until a condition holds, and returns how long that took.
pub async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) -> Duration {
    let since = Instant::now();
    while !done().await {
        assert!(since.elapsed() < Duration::from_secs(20), "{what} never happens");
        sleep(Duration::from_millis(10)).await;
    }
    since.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_f5_a_crash_of_the_database_loses_nothing_and_both_nodes_come_back_by_themselves() {
    let mut nodes = Nodes::start(&[]);
    let shops = nodes.shops("sandbox").await;
    let urls: Vec<String> = nodes.services.iter().map(|service| service.url.clone()).collect();
    let load = Load::start(&shops, 32, 1);
    let mut back = Vec::new();
    for _ in 0..3 {
        load.more(200).await;
        nodes.cluster.crash();
        for (shop, url) in shops.iter().zip(&urls) {
            let ready = shop.send(Method::GET, &format!("{url}/readyz"), &[], vec![]).await;
            assert_eq!(ready.status, 503, "the database is away");
            let said = ready.text("status");
            let says = ["cannot be read and written: ", "did not respond within 2 seconds: "];
            assert!(says.iter().any(|says| said.contains(says)), "{said}");
            assert!(!said.contains("postgres:"), "{said}");
            let health = shop.send(Method::GET, &format!("{url}/healthz"), &[], vec![]).await;
            assert_eq!(health.status, 200, "which is no reason to restart the node");
        }
        sleep(Duration::from_millis(500)).await;
        nodes.cluster.launch();
        let ready = Instant::now();
        for (shop, url) in shops.iter().zip(&urls) {
            until("readiness", async || readiness(shop, url).await == 200).await;
            until("a create", async || shop.create(&Shop::book("A-1")).await.status == 201).await;
        }
        back.push(ready.elapsed());
    }
    load.more(200).await;
    let acknowledged = load.end().await;
    assert_kept(&nodes, &acknowledged).await;
    note(&format!(
        "3 crashes of the database: {} acknowledged, {} repeated, both nodes back after {back:?}",
        acknowledged.sessions.len(),
        acknowledged.repeated
    ));
    assert!(acknowledged.repeated > 0, "the crashes were not noticed");
    // On a busy machine one of them can be late.
    back.sort();
    assert!(back[1] < Duration::from_secs(5) && back[2] < Duration::from_secs(20), "{back:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_f1_a_killed_node_takes_nothing_with_it_and_the_other_goes_on() {
    let mut nodes = Nodes::start(&[]);
    let shops = nodes.shops("sandbox").await;
    let load = Load::start(&shops, 32, 4);
    load.more(300).await;
    let killed = Instant::now();
    nodes.services.remove(0).kill();
    load.more(300).await;
    let after = Instant::now();
    let acknowledged = load.end().await;
    assert_kept(&nodes, &acknowledged).await;
    for (id, _) in acknowledged.sessions.values().zip(0..50) {
        assert_eq!(shops[1].status(id).await.status, 200);
    }
    let silence = acknowledged.longest_silence(1, killed, after);
    note(&format!(
        "a killed node: {} acknowledged, {} repeated, the other was silent for at most {silence:?}",
        acknowledged.sessions.len(),
        acknowledged.repeated
    ));
    assert!(acknowledged.first_after(0, killed + Duration::from_millis(100)).is_none(), "it is dead");
    assert!(silence < Duration::from_secs(5), "{silence:?}");
}
