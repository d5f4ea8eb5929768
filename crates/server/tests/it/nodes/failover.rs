//! The standby is promoted while the old primary runs or hangs: every node writes to the new one, nothing
//! acknowledged is lost, and no node returns stale data (T38, P20, I22).

use super::{
    load::{Load, assert_kept},
    outage::{readiness, until},
};
use crate::support::{Nodes, Shop, note};
use serde_json::json;
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use till_testing::cluster::Cluster;
use tokio::{task::JoinSet, time::sleep};

/// The answers that any node has given about sessions so far.
#[derive(Default)]
struct KnownAnswers {
    finals: Mutex<HashSet<String>>,
    stop: AtomicBool,
}

impl KnownAnswers {
    fn is_final(&self, id: &str) -> bool {
        self.finals.lock().expect("not poisoned").contains(id)
    }

    fn note_final(&self, id: &str) {
        self.finals.lock().expect("not poisoned").insert(id.to_owned());
    }
}

/// Reads sessions at one node, and compares each answer with those that any node gave before the read began.
async fn keep_reading(shop: Shop, ids: Vec<String>, told: Arc<KnownAnswers>) -> u64 {
    let mut reads = 0;
    while !told.stop.load(Ordering::Relaxed) {
        for id in &ids {
            let was_final = told.is_final(id);
            let answer = shop.status(id).await;
            if answer.status == 503 {
                sleep(Duration::from_millis(20)).await;
                continue;
            }
            assert_eq!(answer.status, 200, "session {id} was acknowledged: {}", answer.body);
            let is_final = answer.text("status") != "pending";
            assert!(is_final || !was_final, "session {id} was told as final and now as pending");
            if is_final {
                told.note_final(id);
            }
            reads += 1;
        }
    }
    reads
}

/// Finishes sessions at one node, and retries each until it is final.
async fn keep_deciding(shop: Shop, ids: Vec<String>, told: Arc<KnownAnswers>) {
    for id in ids {
        loop {
            let answer = shop.simulate(&id, &json!({ "outcome": "paid" })).await;
            match answer.status.as_u16() {
                200 => break,
                // An earlier try had been committed after all.
                409 => break assert_eq!(answer.problem(), "409 session_not_pending"),
                _ => assert_eq!(answer.problem(), "503 unavailable"),
            }
            sleep(Duration::from_millis(20)).await;
        }
        told.note_final(&id);
        sleep(Duration::from_millis(50)).await;
    }
}

/// A primary whose commits wait for its standby, and two nodes on both, each with the hosts in another order.
/// The nodes' cluster is the standby.
fn start() -> (Cluster, Nodes) {
    let old = Cluster::with(&[("synchronous_standby_names", "*")]);
    let new = Cluster::following(&old, &[]);
    let urls = [(&old, &new), (&new, &old)]
        .map(|(first, second)| format!("postgres://till@{},{}/postgres", first.host(), second.host()));
    let nodes = Nodes::on(new, &[], &[(&urls[0], &[]), (&urls[1], &[])]);
    (old, nodes)
}

async fn fails_over(hangs: bool) {
    let (old, nodes) = start();
    let shops = nodes.shops("sandbox").await;
    let mut ids = Vec::new();
    for _ in 0..120 {
        ids.push(shops[0].order("A-1").await);
    }
    let told = Arc::new(KnownAnswers::default());
    let (mut readers, mut deciders) = (JoinSet::new(), JoinSet::new());
    for (shop, part) in shops.iter().zip(ids.chunks(60)) {
        readers.spawn(keep_reading(shop.clone(), ids.clone(), Arc::clone(&told)));
        deciders.spawn(keep_deciding(shop.clone(), part.to_vec(), Arc::clone(&told)));
    }
    let load = Load::start(&shops, 8, 1);
    load.more(50).await;

    if hangs {
        old.freeze();
    }
    nodes.cluster.promote();
    let promoted = Instant::now();
    let mut back = Vec::new();
    for (shop, service) in shops.iter().zip(&nodes.services) {
        until("a create", async || shop.create(&Shop::book("A-1")).await.status == 201).await;
        back.push(promoted.elapsed());
        assert_eq!(readiness(shop, &service.url).await, 200, "it is ready as soon as it creates");
    }
    // The old primary resumes as it was.
    old.thaw();
    sleep(Duration::from_secs(1)).await;
    load.more(50).await;
    let give_up = Instant::now() + Duration::from_secs(60);
    while !deciders.is_empty() {
        tokio::select! {
            done = deciders.join_next() => done.expect("a task").expect("no panic"),
            ended = readers.join_next() => panic!("a reader ended: {ended:?}"),
            () = tokio::time::sleep_until(give_up.into()) => panic!("the sessions are never decided"),
        }
    }
    told.stop.store(true, Ordering::Relaxed);
    let reads: u64 = readers.join_all().await.into_iter().sum();
    let acknowledged = load.end().await;
    assert_kept(&nodes, &acknowledged).await;
    note(&format!(
        "a failover, hanging: {hangs}: {} acknowledged, {reads} reads, the nodes create again after {back:?}",
        acknowledged.sessions.len()
    ));
    for service in &nodes.services {
        assert!(service.log().contains("the database's primary is now"), "{}", service.log());
    }
    // 3 s on a quiet machine.
    assert!(back.iter().all(|back| *back < Duration::from_secs(10)), "{back:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_t38_i22_two_nodes_leave_a_primary_that_was_replaced_and_lives() {
    fails_over(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_f5b_t38_two_nodes_leave_a_primary_that_hangs_and_never_ask_it_again() {
    fails_over(true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_i22_a_node_that_was_frozen_during_the_failover_tells_nothing_old() {
    let (_old, nodes) = start();
    let shops = nodes.shops("sandbox").await;
    let mut ids = Vec::new();
    for _ in 0..30 {
        ids.push(shops[0].order("A-1").await);
    }
    nodes.services[0].freeze();
    nodes.cluster.promote();
    let told = Arc::new(KnownAnswers::default());
    keep_deciding(shops[1].clone(), ids.clone(), Arc::clone(&told)).await;
    // These requests wait in the frozen node's sockets.
    let mut questions = JoinSet::new();
    for id in &ids {
        let (shop, id) = (shops[0].clone(), id.clone());
        questions.spawn(async move { shop.status(&id).await });
    }
    sleep(Duration::from_millis(500)).await;
    nodes.services[0].thaw();
    for answer in questions.join_all().await {
        let told = if answer.status == 200 { answer.text("status") } else { answer.problem() };
        assert!(["paid", "503 unavailable"].contains(&told.as_str()), "{told}");
    }
    for id in &ids {
        until("a status", async || shops[0].status(id).await.status == 200).await;
        assert_eq!(shops[0].status(id).await.text("status"), "paid");
    }
}
