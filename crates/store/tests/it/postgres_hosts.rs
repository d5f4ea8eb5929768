//! The choice between several servers: a node never uses an old primary, and never waits long for one that
//! does not answer.

use crate::{
    fixture::{Shop, read, session_id, start, vendor_id},
    postgres::{count, try_open, until_done},
    shell::Shell,
    way::{Traffic, Way},
};
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use till_domain::session::{Outcome, Session, Status};
use till_store::{Committed, Stores};
use till_testing::cluster::Cluster;
use tokio::task::JoinSet;

/// A primary whose commits wait for its standby, and the standby.
fn pair() -> (Cluster, Cluster) {
    let old = Cluster::with(&[("synchronous_standby_names", "*")]);
    let new = Cluster::following(&old, &[]);
    (old, new)
}

fn url(first: &str, second: &str) -> String {
    format!("postgres://till@{first},{second}/postgres?sslmode=disable")
}

/// The URL of a pair, with the old primary first or last.
fn url_of(old: &str, new: &str, old_first: bool) -> String {
    if old_first { url(old, new) } else { url(new, old) }
}

async fn sessions_on(cluster: &Cluster) -> String {
    count(cluster, "SELECT COUNT(*), 0 FROM live.sessions").await
}

/// The old primary keeps running, as when an operator promotes the standby because the primary is
/// unreachable.
async fn leaves_a_primary_that_was_replaced(old_first: bool) {
    let (old, mut new) = pair();
    let address = url_of(&old.host(), &new.host(), old_first);
    let stores = try_open(&address).await.expect("stores");
    Shop::live().store(&stores.live, 1, start()).await;
    new.promote();
    let took = until_done(&stores.live, &Shop::live().order(2).1).await;
    assert!(took < Duration::from_secs(20), "{took:?}");
    assert_eq!(sessions_on(&new).await, "Some(\"2\")");
    for number in [1, 2] {
        assert!(read(&stores.live, number).await.is_some(), "{number}");
    }
    // Without the new primary there is none: the data of the old one is stale.
    new.crash();
    for number in 3..9 {
        let session = stores.live.session(session_id(2), vendor_id(1)).await;
        assert!(session.is_err(), "an answer from the old timeline: {session:?}");
        assert!(stores.live.commit(&Shop::live().order(number).1).await.is_err());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(sessions_on(&old).await, "Some(\"1\")");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_t38_a_primary_that_was_replaced_and_lives_is_left_when_it_is_named_first() {
    leaves_a_primary_that_was_replaced(true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_t38_a_primary_that_was_replaced_and_lives_is_left_when_it_is_named_last() {
    leaves_a_primary_that_was_replaced(false).await;
}

/// The answers that any node has given about sessions so far.
#[derive(Default)]
struct KnownAnswers {
    finals: Mutex<HashSet<u64>>,
    reads: AtomicU64,
    stop: AtomicBool,
}

impl KnownAnswers {
    fn is_final(&self, number: u64) -> bool {
        self.finals.lock().expect("not poisoned").contains(&number)
    }

    fn note_final(&self, number: u64) {
        self.finals.lock().expect("not poisoned").insert(number);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Reads sessions one after the other, and compares each answer with those given before the read began.
async fn keep_reading(stores: Arc<Stores>, count: u64, told: Arc<KnownAnswers>) {
    while !told.stopped() {
        for number in 0..count {
            let was_final = told.is_final(number);
            let Ok(session) = stores.live.session(session_id(number), vendor_id(1)).await else { continue };
            let session = session.unwrap_or_else(|| panic!("session {number} was acknowledged"));
            let is_final = session.state.status() != Status::Pending;
            assert!(is_final || !was_final, "session {number} was told as final and now as pending");
            if is_final {
                told.note_final(number);
            }
            told.reads.fetch_add(1, Ordering::Relaxed);
        }
        tokio::task::yield_now().await;
    }
}

/// Finishes sessions one after the other, and retries when the outcome is unknown.
async fn keep_finishing(stores: Arc<Stores>, sessions: Vec<(u64, Session)>, told: Arc<KnownAnswers>) -> u64 {
    let mut done = 0;
    for (number, session) in sessions {
        let changes = Shop::live().finish(&session, Outcome::Paid, number).1;
        while !told.stopped() {
            match stores.live.commit(&changes).await {
                Ok(Committed::Done) => {
                    told.note_final(number);
                    done += 1;
                    break;
                }
                // An earlier try had been committed after all.
                Ok(_) => break,
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    done
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_p20_i22_no_node_tells_as_pending_what_another_told_as_final() {
    const SESSIONS: u64 = 300;
    let (old, new) = pair();
    let [one, two] = [true, false].map(|old_first| url_of(&old.host(), &new.host(), old_first));
    let mut nodes = Vec::new();
    for address in [&one, &two] {
        nodes.push(Arc::new(try_open(address).await.expect("stores")));
    }
    let mut sessions = Vec::new();
    for number in 0..SESSIONS {
        sessions.push((number, Shop::live().store(&nodes[0].live, number, start()).await));
    }
    let told = Arc::new(KnownAnswers::default());
    let (mut readers, mut writers) = (JoinSet::new(), JoinSet::new());
    for node in &nodes {
        readers.spawn(keep_reading(Arc::clone(node), SESSIONS, Arc::clone(&told)));
    }
    let mut parts = sessions.chunks(100).map(<[_]>::to_vec);
    for node in &nodes {
        let part = parts.next().expect("a part");
        writers.spawn(keep_finishing(Arc::clone(node), part, Arc::clone(&told)));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    new.promote();
    // One more node starts right now, and finds the new primary before the others do.
    let third = Arc::new(try_open(&two).await.expect("stores"));
    readers.spawn(keep_reading(Arc::clone(&third), SESSIONS, Arc::clone(&told)));
    writers.spawn(keep_finishing(third, parts.next().expect("a part"), Arc::clone(&told)));
    let give_up = Instant::now() + Duration::from_secs(20);
    while !writers.is_empty() {
        tokio::select! {
            done = writers.join_next() => assert!(done.expect("a writer").expect("no panic") > 0),
            ended = readers.join_next() => panic!("a reader ended: {ended:?}"),
            () = tokio::time::sleep_until(give_up.into()) => panic!("a node does not write to the new primary"),
        }
    }
    told.stop.store(true, Ordering::Relaxed);
    readers.join_all().await;
    assert!(told.reads.load(Ordering::Relaxed) > 2 * SESSIONS, "hardly anything was read");
    assert_eq!(told.finals.lock().expect("not poisoned").len(), usize::try_from(SESSIONS).expect("a number"));
}

/// The first host loses power while the second server is promoted.
async fn goes_on_without_a_host_that_vanished(old_first: bool) {
    let (old, new) = pair();
    let way = Way::to(&old).await;
    let address = url_of(&format!("127.0.0.1:{}", way.port), &format!("{}:5432", new.host()), old_first);
    let stores = try_open(&address).await.expect("stores");
    Shop::live().store(&stores.live, 1, start()).await;
    stores.live.ping().await.expect("it reads and writes");
    way.set(Traffic::Silent);
    new.promote();
    let took = until_done(&stores.live, &Shop::live().order(2).1).await;
    stores.live.ping().await.expect("it is ready as soon as it writes");
    stores.sandbox.ping().await.expect("in both environments");
    // Three seconds on a quiet machine.
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert!(read(&stores.live, 1).await.is_some(), "what was acknowledged is there");
    // It comes back as it was, and is not used again.
    way.set(Traffic::Open);
    for number in 3..9 {
        Shop::live().store(&stores.live, number, start()).await;
        assert!(read(&stores.live, number - 1).await.is_some());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_f5b_a_primary_that_vanishes_costs_little_when_it_is_named_first() {
    goes_on_without_a_host_that_vanished(true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_f5b_a_primary_that_vanishes_costs_little_when_it_is_named_last() {
    goes_on_without_a_host_that_vanished(false).await;
}

/// Two addresses of one server, the first of which stops passing bytes.
async fn goes_on_by_another_way(traffic: Traffic) {
    let cluster = Cluster::start();
    let way = Way::to(&cluster).await;
    let address = url(&format!("127.0.0.1:{}", way.port), &format!("{}:5432", cluster.host()));
    let stores = try_open(&address).await.expect("stores");
    stores.live.ping().await.expect("it reads and writes");
    way.set(traffic);
    let began = Instant::now();
    while !matches!(tokio::time::timeout(Duration::from_millis(500), stores.live.ping()).await, Ok(Ok(()))) {
        // Three seconds on a quiet machine.
        assert!(began.elapsed() < Duration::from_secs(8), "nobody waits long enough for it to heal");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn needs_postgres_f5b_a_host_that_falls_silent_is_passed_over_although_nobody_waits_long() {
    goes_on_by_another_way(Traffic::Cut).await;
}

#[tokio::test]
async fn needs_postgres_f5b_a_host_that_swallows_every_byte_is_passed_over() {
    goes_on_by_another_way(Traffic::Silent).await;
}

#[tokio::test]
async fn needs_postgres_f5d_connecting_and_reading_together_take_at_most_ten_seconds() {
    let cluster = Cluster::start();
    let way = Way::to(&cluster).await;
    let address = format!("postgres://till@127.0.0.1:{}/postgres?sslmode=disable", way.port);
    let stores = try_open(&address).await.expect("stores");
    read(&stores.live, 1).await;
    way.set(Traffic::SilentAfter(Duration::from_secs(3), "FROM sessions"));
    let began = Instant::now();
    assert!(stores.live.session(session_id(1), vendor_id(1)).await.is_err());
    let took = began.elapsed();
    assert!(took > Duration::from_secs(9) && took < Duration::from_millis(12_500), "{took:?}");
}

#[tokio::test]
async fn needs_postgres_t38_a_plain_user_is_told_the_timeline_and_a_server_that_hides_it_is_used_too() {
    let cluster = Cluster::start();
    let shell = Shell::connect(&cluster, "public").await;
    for statement in ["CREATE ROLE plain LOGIN", "GRANT CREATE ON DATABASE postgres TO plain"] {
        shell.run(statement).await.expect("a superuser may");
    }
    // A second address of the same server, so that it is probed.
    let way = Way::to(&cluster).await;
    let address =
        format!("postgres://plain@{}:5432,127.0.0.1:{}/postgres?sslmode=disable", cluster.host(), way.port);
    let stores = try_open(&address).await.expect("stores");
    Shop::live().store(&stores.live, 1, start()).await;
    let hide = "REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC";
    shell.run(hide).await.expect("a superuser may");
    let stores = try_open(&address).await.expect("stores");
    Shop::live().store(&stores.live, 2, start()).await;
    assert!(read(&stores.live, 1).await.is_some());
}
