//! The PostgreSQL engine alone: batches on a server, commits with an unknown outcome, servers that come and
//! go, nodes that start at the same time.

use crate::{
    accounts::add_vendor,
    fixture::{Shop, commit, good_request, read, session_id, start, text},
    shell::{Shell, bytes},
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_domain::{
    change::{Change, RememberedKey},
    request::CreateRequest,
    session::{Outcome, Session, State},
};
use till_store::{Clock, Committed, DatabaseUrl, Durability, Payments, StoreError, StoreLocation, Stores};
use till_testing::cluster::Cluster;
use tokio::task::JoinSet;

pub fn place(url: &str) -> StoreLocation {
    StoreLocation::Server(DatabaseUrl::parse(url).expect("a URL"))
}

pub async fn try_open(url: &str) -> Result<Stores, StoreError> {
    Stores::open(&place(url), Durability::Full, Some(Clock::manual(start()))).await
}

async fn open(cluster: &Cluster) -> Arc<Stores> {
    Arc::new(try_open(&cluster.url()).await.expect("stores"))
}

async fn run(cluster: &Cluster, statement: &str) {
    let shell = Shell::connect(cluster, "public").await;
    shell.run(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
}

/// Runs a query that returns one number.
pub async fn count(cluster: &Cluster, query: &str) -> String {
    let shell = Shell::connect(cluster, "public").await;
    shell.rows(&format!("({query}) AS asked (n, m)")).await[0][0].clone()
}

/// Retries until the commit succeeds, and returns how long that took.
pub async fn until_done(payments: &Payments, changes: &[Change]) -> Duration {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        if payments.commit(changes).await.is_ok() {
            return began.elapsed();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the store does not heal");
}

/// Waits until the query returns 1.
pub async fn wait_for(cluster: &Cluster, query: &str) {
    let give_up = Instant::now() + Duration::from_secs(20);
    while count(cluster, query).await != "Some(\"1\")" {
        assert!(Instant::now() < give_up, "never: {query}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn needs_postgres_units_at_once_share_transactions_and_a_bad_one_costs_no_other() {
    const UNITS: u64 = 400;
    let cluster = Cluster::start();
    let stores = open(&cluster).await;
    Shop::live().store(&stores.live, 7, start()).await;
    let before = stores.live.stats();
    let mut units = JoinSet::new();
    for number in 0..UNITS {
        let stores = Arc::clone(&stores);
        let changes = Shop::live().order(number).1;
        units.spawn(async move { (number, stores.live.commit(&changes).await) });
    }
    for (number, answer) in units.join_all().await {
        match answer {
            Ok(done) => assert!(number != 7 && done == Committed::Done, "{number}"),
            Err(error) => {
                assert!(number == 7 && matches!(error, StoreError::Failed { .. }), "{number}: {error}")
            }
        }
    }
    let after = stores.live.stats();
    assert_eq!(after.units - before.units, UNITS);
    assert!(after.batches - before.batches <= 10, "{} batches", after.batches - before.batches);
    for number in 0..UNITS {
        assert!(read(&stores.live, number).await.is_some(), "{number}");
    }
}

#[tokio::test]
async fn needs_postgres_two_nodes_that_finish_the_same_sessions_never_wait_in_a_circle() {
    const SESSIONS: u64 = 300;
    let cluster = Cluster::start();
    let nodes = [open(&cluster).await, open(&cluster).await];
    let shop = Shop::live();
    let mut sessions: Vec<Session> = Vec::new();
    for number in 0..SESSIONS {
        sessions.push(shop.store(&nodes[0].live, number, start()).await);
    }
    let mut finishes = JoinSet::new();
    for (turn, node) in nodes.iter().enumerate() {
        // Each node in another order.
        if turn == 1 {
            sessions.reverse();
        }
        for (event, session) in sessions.iter().enumerate() {
            let event = u64::try_from(turn * 1_000 + event).expect("a small number");
            let (node, changes) = (Arc::clone(node), shop.finish(session, Outcome::Paid, event).1);
            finishes.spawn(async move { node.live.commit(&changes).await.expect("an answer") });
        }
    }
    let done = finishes.join_all().await.into_iter().filter(|answer| *answer == Committed::Done).count();
    assert_eq!(u64::try_from(done), Ok(SESSIONS), "each is finished once");
    let deadlocks = "SELECT deadlocks, 0 FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(count(&cluster, deadlocks).await, "Some(\"0\")");
}

/// Two nodes change the same sessions in two ways at once: one holds those that the other finishes.
#[tokio::test]
async fn needs_postgres_nodes_that_hold_and_finish_each_others_sessions_never_wait_in_a_circle() {
    const SESSIONS: u64 = 300;
    let cluster = Cluster::start();
    let nodes = [open(&cluster).await, open(&cluster).await];
    let shop = Shop::live();
    let mut changes = JoinSet::new();
    for number in 0..SESSIONS {
        let session = shop.store(&nodes[0].live, number, start()).await;
        let due_at = session.due_at();
        let hold =
            Change::HoldSession { id: session.id, held_until: Some(due_at), due_at, was_due_at: due_at };
        let finish = shop.finish(&session, Outcome::Paid, number).1;
        let finisher = usize::from(number.is_multiple_of(2));
        let (one, other) = (Arc::clone(&nodes[finisher]), Arc::clone(&nodes[1 - finisher]));
        changes.spawn(async move { (true, one.live.commit(&finish).await.expect("an answer")) });
        changes.spawn(async move { (false, other.live.commit(&[hold]).await.expect("an answer")) });
    }
    let answers = changes.join_all().await;
    let finished = answers.iter().filter(|(finish, answer)| *finish && *answer == Committed::Done).count();
    assert_eq!(u64::try_from(finished), Ok(SESSIONS), "a hold does not stop the end");
    for number in 0..SESSIONS {
        let session = read(&nodes[0].live, number).await.expect("a session");
        assert_eq!(session.state, State::Paid, "{number}");
    }
    let deadlocks = "SELECT deadlocks, 0 FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(count(&cluster, deadlocks).await, "Some(\"0\")");
}

#[tokio::test]
async fn needs_postgres_f21_a_row_that_somebody_holds_costs_only_those_who_want_it() {
    let cluster = Cluster::start();
    let stores = open(&cluster).await;
    let shop = Shop::live();
    let held = shop.store(&stores.live, 1, start()).await;
    let shell = Shell::connect(&cluster, "live").await;
    shell.run("BEGIN").await.expect("a transaction");
    let lock = format!("UPDATE sessions SET method = method WHERE id = {}", bytes(held.id.as_bytes()));
    assert_eq!(shell.run(&lock).await, Ok(1));
    let finish = shop.finish(&held, Outcome::Paid, 1).1;
    let order = shop.order(2).1;
    let (refused, done) = tokio::join!(stores.live.commit(&finish), stores.live.commit(&order));
    assert!(matches!(refused, Err(StoreError::Failed { .. })), "{refused:?}");
    assert_eq!(done.expect("a commit"), Committed::Done);
    shell.run("ROLLBACK").await.expect("let go");
    commit(&stores.live, &finish).await;
}

/// Makes commits wait for a standby that does not exist: they are written and not acknowledged.
async fn hold_commits(cluster: &Cluster) {
    run(cluster, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'").await;
    run(cluster, "SELECT pg_reload_conf()").await;
    wait_for(cluster, "SELECT 1, 0 WHERE current_setting('synchronous_standby_names') = 'nobody'").await;
}

const COMMIT_WAITS: &str = "SELECT COUNT(*), 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

#[tokio::test]
async fn needs_postgres_i26_an_error_of_a_commit_means_unknown() {
    let cluster = Cluster::start();
    let stores = open(&cluster).await;
    Shop::live().store(&stores.live, 1, start()).await;
    hold_commits(&cluster).await;
    let waiting = {
        let stores = Arc::clone(&stores);
        tokio::spawn(async move { stores.live.commit(&Shop::live().order(2).1).await })
    };
    wait_for(&cluster, COMMIT_WAITS).await;
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    run(&cluster, end).await;
    let answer = waiting.await.expect("no panic");
    assert!(matches!(answer, Err(StoreError::Unknown(_))), "{answer:?}");
    assert!(
        read(&stores.live, 2).await.is_some(),
        "in fact it was committed: to call it failed would be a lie"
    );
}

#[tokio::test]
async fn needs_postgres_i26_l14_a_commit_whose_wait_for_the_standby_was_cancelled_is_unknown() {
    let cluster = Cluster::start();
    let stores = open(&cluster).await;
    Shop::live().store(&stores.live, 1, start()).await;
    hold_commits(&cluster).await;
    for number in 2..4 {
        let waiting = {
            let stores = Arc::clone(&stores);
            tokio::spawn(async move { stores.live.commit(&Shop::live().order(number).1).await })
        };
        wait_for(&cluster, COMMIT_WAITS).await;
        let cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        run(&cluster, cancel).await;
        let answer = waiting.await.expect("no panic");
        assert!(matches!(answer, Err(StoreError::Unknown(_))), "no standby has it: {answer:?}");
    }
}

#[tokio::test]
async fn needs_postgres_l6_a_deferred_key_refused_at_the_commit_costs_only_its_own_unit() {
    const UNITS: u64 = 60;
    let cluster = Cluster::start();
    let stores = open(&cluster).await;
    let deferred = "ALTER TABLE live.sessions ADD CONSTRAINT one_per_order UNIQUE (order_id) DEFERRABLE INITIALLY DEFERRED";
    run(&cluster, deferred).await;
    let order = |number: u64, order: u64| {
        let request = CreateRequest { order_id: text(&format!("A-{order}")), ..good_request() };
        Shop::live().create(number, start(), &request).1
    };
    commit(&stores.live, &order(1_000, 7)).await;
    let before = stores.live.stats();
    let mut units = JoinSet::new();
    for number in 0..UNITS {
        let (stores, changes) = (Arc::clone(&stores), order(number, number));
        units.spawn(async move { (number, stores.live.commit(&changes).await) });
    }
    for (number, answer) in units.join_all().await {
        match answer {
            Ok(done) => assert!(number != 7 && done == Committed::Done, "{number}"),
            Err(error) => {
                assert!(number == 7 && matches!(error, StoreError::Failed { .. }), "{number}: {error}")
            }
        }
    }
    assert!(stores.live.stats().batches - before.batches < 20, "they shared transactions");
    for number in 0..UNITS {
        assert_eq!(read(&stores.live, number).await.is_some(), number != 7, "{number}");
    }
}

#[tokio::test]
async fn needs_postgres_a_caller_that_gives_up_does_not_cancel_a_commit() {
    let cluster = Cluster::start();
    let stores = open(&cluster).await;
    Shop::live().store(&stores.live, 1, start()).await;
    hold_commits(&cluster).await;
    let changes = Shop::live().order(2).1;
    let given_up = tokio::time::timeout(Duration::from_millis(300), stores.live.commit(&changes)).await;
    assert!(given_up.is_err());
    wait_for(&cluster, COMMIT_WAITS).await;
    run(&cluster, "ALTER SYSTEM RESET synchronous_standby_names").await;
    run(&cluster, "SELECT pg_reload_conf()").await;
    until_done(&stores.live, &Shop::live().order(3).1).await;
    assert!(read(&stores.live, 2).await.is_some());
}

#[tokio::test]
async fn needs_postgres_f5_a_server_that_was_restarted_is_found_again() {
    let mut cluster = Cluster::start();
    let stores = open(&cluster).await;
    for round in 0..3 {
        Shop::live().store(&stores.live, round * 10, start()).await;
        cluster.crash();
        let error = stores.live.commit(&Shop::live().order(round * 10 + 1).1).await.expect_err("no server");
        assert!(matches!(error, StoreError::Failed { .. } | StoreError::Unknown(_)), "{error:?}");
        assert!(stores.live.session(session_id(1), Shop::live().vendor.id).await.is_err());
        cluster.launch();
        let took = until_done(&stores.live, &Shop::live().order(round * 10 + 2).1).await;
        assert!(read(&stores.live, round * 10).await.is_some(), "what was acknowledged is there");
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
}

#[tokio::test]
async fn needs_postgres_f5_the_server_that_can_be_written_is_found_among_several() {
    let mut primary = Cluster::start();
    let mut standby = Cluster::following(&primary, &[]);
    let url = format!("postgres://till@{},{}/postgres", standby.host(), primary.host());
    let stores = Stores::open(&place(&url), Durability::Full, None).await.expect("stores");
    Shop::live().store(&stores.live, 1, start()).await;
    let warnings = stores.warnings().await.expect("an answer");
    assert!(warnings.len() == 1 && warnings[0].contains("asynchronously"), "{warnings:?}");
    let caught_up = "SELECT COUNT(*), 0 FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()";
    wait_for(&primary, caught_up).await;
    primary.crash();
    standby.promote();
    let took = until_done(&stores.live, &Shop::live().order(2).1).await;
    assert!(took < Duration::from_secs(10), "{took:?}");
    for number in [1, 2] {
        assert!(read(&stores.live, number).await.is_some(), "{number}");
    }
    standby.crash();
}

#[tokio::test]
async fn needs_postgres_i26_a_server_that_may_lose_what_it_acknowledged_is_refused() {
    for (setting, advice) in [("fsync", "fsync is off"), ("synchronous_commit", "synchronous_commit is off")]
    {
        let cluster = Cluster::with(&[(setting, "off")]);
        let stores = open(&cluster).await;
        for error in [
            stores.assert_durable().await.expect_err("refused").to_string(),
            stores.live.commit(&Shop::live().order(1).1).await.expect_err("not even a write").to_string(),
        ] {
            assert!(error.contains(advice) || error.contains("a write failed"), "{error}");
        }
        assert_eq!(read(&stores.live, 1).await, None);
        let weak = Stores::open(&place(&cluster.url()), Durability::Off, None).await.expect("stores");
        Shop::live().store(&weak.live, 1, start()).await;
    }
}

#[tokio::test]
async fn needs_postgres_several_nodes_may_start_on_an_empty_database_at_once() {
    const NODES: usize = 8;
    let cluster = Cluster::start();
    let mut nodes = JoinSet::new();
    for _ in 0..NODES {
        let url = cluster.url();
        nodes.spawn(async move { try_open(&url).await.map(drop) });
    }
    for opened in nodes.join_all().await {
        opened.expect("it waits its turn");
    }
}

#[tokio::test]
async fn needs_postgres_schemas_that_are_newer_lost_or_mixed_up_are_refused_and_left_alone() {
    let cluster = Cluster::start();
    let stores = open(&cluster).await;
    add_vendor(&stores.accounts, 1).await;
    let refused = async || try_open(&cluster.url()).await.map(drop).expect_err("refused").to_string();

    // A newer program that only added to the schema.
    run(&cluster, "UPDATE live.till_steps SET version = version + 100").await;
    try_open(&cluster.url()).await.expect("it is opened");

    run(&cluster, "UPDATE live.till_schema SET version = version + 100").await;
    let error = refused().await;
    assert!(error.contains("schema live of") && error.contains("run the newer version of till"), "{error}");
    run(&cluster, "UPDATE live.till_schema SET version = version - 100").await;

    run(&cluster, "ALTER SCHEMA live RENAME TO aside").await;
    let error = refused().await;
    assert!(error.contains("schema live of") && error.contains("restore it from a backup"), "{error}");
    assert_eq!(
        count(&cluster, "SELECT COUNT(*), 0 FROM pg_namespace WHERE nspname = 'live'").await,
        "Some(\"0\")"
    );

    run(&cluster, "ALTER SCHEMA sandbox RENAME TO live").await;
    run(&cluster, "ALTER SCHEMA aside RENAME TO sandbox").await;
    let error = refused().await;
    assert!(error.contains("restore the original schema names"), "{error}");
}

#[tokio::test]
async fn needs_postgres_f7_the_store_tells_the_servers_time() {
    let cluster = Cluster::start();
    let stores = Stores::open(&place(&cluster.url()), Durability::Full, None).await.expect("stores");
    let shell = Shell::connect(&cluster, "public").await;
    let asked = "(SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT), 0) AS asked (n, m)";
    let told = shell.rows(asked).await[0][0].replace(|c: char| !c.is_ascii_digit(), "");
    let difference = stores.live.now().as_ms() - told.parse::<i64>().expect("a number");
    // The server rounds to the nearest millisecond, and the query takes some time.
    assert!((-20..1_000).contains(&difference), "{difference} ms");
}

#[tokio::test]
async fn needs_postgres_i26_what_was_cancelled_by_somebody_is_reported_as_it_is() {
    const UNITS: u64 = 3_000;
    let cluster = Cluster::start();
    let stores = open(&cluster).await;
    let shell = Shell::connect(&cluster, "public").await;
    let cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%write'";
    let cancelling = async {
        loop {
            shell.run(cancel).await.expect("a superuser may");
        }
    };
    let told = tokio::select! {
        () = cancelling => unreachable!("it never ends"),
        told = store_and_check(&stores, UNITS) => told,
    };
    assert!(told[0] > 0 && told[1] > 0, "some are cancelled and not all");
}

/// Stores orders, and checks that each is stored, or not, as its answer said. Returns how many were answered
/// as done, failed and unknown.
async fn store_and_check(stores: &Arc<Stores>, count: u64) -> [u64; 3] {
    let shop = Shop::live();
    let mut told = [0; 3];
    for first in (0..count).step_by(6) {
        let mut units = JoinSet::new();
        for number in first..first + 6 {
            // Some have a guard and take another code path.
            let (stores, mut changes) = (Arc::clone(stores), shop.order(number).1);
            if number % 2 == 0 {
                let key = RememberedKey {
                    vendor: shop.vendor.id,
                    key: number.to_string(),
                    fingerprint: [0; 32],
                    made: session_id(number).into(),
                    at: start(),
                    forget_before: start().minus(Duration::from_secs(1)),
                };
                changes.insert(0, Change::RememberKey(key));
            }
            units.spawn(async move { (number, stores.live.commit(&changes).await) });
        }
        for (number, answer) in units.join_all().await {
            let since = start().minus(Duration::from_secs(1));
            let key = stores.live.key(shop.vendor.id, &number.to_string(), since).await.expect("a read");
            let stored = read(&stores.live, number).await.is_some();
            assert_eq!(
                key.is_some(),
                stored && number % 2 == 0,
                "all of unit {number} or nothing: {answer:?}"
            );
            match answer {
                Ok(_) => {
                    told[0] += 1;
                    assert!(stored, "{number} was told as done");
                }
                Err(StoreError::Unknown(_)) => told[2] += 1,
                Err(error) => {
                    told[1] += 1;
                    assert!(!stored, "{number} was told as failed: {error}");
                }
            }
        }
    }
    told
}
