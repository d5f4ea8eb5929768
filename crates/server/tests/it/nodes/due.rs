//! Thousands of sessions expire at the same time on two nodes: each ends once (F6).

use crate::support::{Nodes, Shop, alone, note};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{task::JoinSet, time::sleep};

const SESSIONS: usize = 20_000;

/// Creates this many sessions by 64 clients on all nodes.
async fn create(shops: &[Shop], count: usize) {
    let next = Arc::new(AtomicUsize::new(0));
    let mut clients = JoinSet::new();
    for client in 0..64 {
        let (shop, next) = (shops[client % shops.len()].clone(), Arc::clone(&next));
        clients.spawn(async move {
            while next.fetch_add(1, Ordering::Relaxed) < count {
                shop.order("A-1").await;
            }
        });
    }
    clients.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_f6_two_nodes_end_each_of_thousands_of_sessions_once_and_soon() {
    let _turn = alone().await;
    let nodes = Nodes::start(&[]);
    let shell = nodes.shell().await;
    let began = Instant::now();
    create(&nodes.shops("sandbox").await, SESSIONS).await;
    let made = began.elapsed();

    // Deadlines as a choice of method would set them, but all within five seconds, a little from now.
    shell
        .run(&format!(
            "WITH deadlines AS (SELECT id, CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT) + 4000
                + ROW_NUMBER() OVER (ORDER BY id) * 5000 / {SESSIONS} AS at FROM sandbox.sessions)
             UPDATE sandbox.sessions s SET card_ends_at = d.at, sbp_ends_at = d.at, crypto_ends_at = d.at, due_at = d.at
             FROM deadlines d WHERE d.id = s.id"
        ))
        .await;
    let pending = "SELECT COUNT(*) FROM sandbox.sessions WHERE due_at IS NOT NULL";
    let moved = Instant::now();
    while shell.number(pending).await > 0 {
        assert!(moved.elapsed() < Duration::from_secs(60), "{} are left", shell.number(pending).await);
        sleep(Duration::from_millis(50)).await;
    }

    let late = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - MAX(updated_at) FROM sandbox.sessions";
    let late = shell.number(late).await;

    // Each has one final status and one callback; the event's id contains its time.
    let wrong = "SELECT COUNT(*) FROM sandbox.sessions s WHERE s.status <> 'expired' OR s.updated_at <> s.card_ends_at
        OR (SELECT COUNT(*) FROM sandbox.callbacks c WHERE c.session_id = s.id AND c.event = 'session.expired') <> 1";
    assert_eq!(shell.number(wrong).await, 0);
    for table in ["sessions", "callbacks"] {
        let rows = shell.number(&format!("SELECT COUNT(*) FROM sandbox.{table}")).await;
        assert_eq!(rows, i64::try_from(SESSIONS).expect("small"), "{table}");
    }
    let lags = "SELECT MIN(lag), PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY lag), MAX(lag), MAX(at) - MIN(at) FROM (
        SELECT ('x' || encode(substring(c.id FROM 1 FOR 6), 'hex'))::bit(48)::bigint - s.updated_at AS lag, s.updated_at AS at
        FROM sandbox.callbacks c JOIN sandbox.sessions s ON s.id = c.session_id) AS lags";
    let lags: Vec<i64> = shell.row(lags).await.iter().map(|text| text.parse().expect("a number")).collect();
    let share = |node: usize| nodes.services[node].log().matches(" is expired").count();
    // The log comes through a pipe.
    sleep(Duration::from_millis(1_500)).await;
    let shares = [share(0), share(1)];
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    let deadlocks = shell.number(deadlocks).await;
    note(&format!(
        "{SESSIONS} sessions made in {made:?}, due within {} ms: lag at least {}, mostly {}, at most {} ms, \
         the last one stored {late} ms after its deadline; the nodes ended {shares:?}; {deadlocks} deadlocks, {} lock timeouts",
        lags[3],
        lags[0],
        lags[1],
        lags[2],
        nodes.cluster.log().matches("lock timeout").count(),
    ));
    assert_eq!(shares.iter().sum::<usize>(), SESSIONS, "each was ended by one node: {shares:?}");
    assert_eq!((deadlocks, nodes.cluster.log().matches("deadlock").count()), (0, 0));
    assert!(lags[0] >= 0, "none is early");
    // A generous limit: other tests may run, and the note above has the figure.
    assert!(lags[2].max(late) < 30_000, "all of them soon after their deadline: {lags:?}, {late}");
    assert!(shares.iter().all(|share| *share > 0), "both take part: {shares:?}");
}
