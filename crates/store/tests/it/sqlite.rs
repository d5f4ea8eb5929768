//! The embedded engine's batching writer and readers: batches, the bound of the queue, reads concurrent with
//! writes.
//!
//! A lock held by another connection keeps the writer waiting, so that a test decides what is queued.

use crate::{
    accounts::add_vendor,
    fixture::{Backend, Kind, Shop, commit, history, read, start},
};
use futures_util::FutureExt as _;
use rusqlite::Connection;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};
use till_domain::{change::Change, session::Outcome};
use till_store::{Clock, Committed, Durability, Payments, StoreError, StoreLocation, Stores};
use tokio::task::JoinSet;

type Answer = Result<Committed, StoreError>;

/// Keeps every other connection from writing until it is dropped.
struct WriteLock(Connection);

impl WriteLock {
    fn hold(shell: Connection) -> Self {
        shell.execute_batch("BEGIN IMMEDIATE").expect("the lock");
        Self(shell)
    }
}

/// A write that is in the queue, or that was answered at once.
enum Queued<'a> {
    Waiting(Pin<Box<dyn Future<Output = Answer> + 'a>>),
    Answered(Answer),
}

impl<'a> Queued<'a> {
    fn start(payments: &'a Payments, changes: &'a [Change]) -> Self {
        let mut write = Box::pin(payments.commit(changes));
        match write.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => Self::Waiting(write),
            Poll::Ready(answer) => Self::Answered(answer),
        }
    }

    async fn answer(self) -> Answer {
        match self {
            Self::Waiting(write) => write.await,
            Self::Answered(answer) => answer,
        }
    }
}

fn orders(numbers: std::ops::Range<u64>) -> Vec<Vec<Change>> {
    let shop = Shop::live();
    numbers.map(|number| shop.order(number).1).collect()
}

fn count_sessions(shell: &Connection) -> usize {
    let mut ids = shell.prepare("SELECT id FROM sessions").expect("a statement");
    ids.query_map([], |_| Ok(())).expect("a query").count()
}

#[tokio::test]
async fn a_bad_unit_in_a_batch_fails_alone() {
    let backend = Backend::new(Kind::Embedded).await;
    let live = &backend.stores.live;
    let first = Shop::live().store(live, 1_000, start()).await;
    for bad_at in [0, 25, 50] {
        let from = 100 * bad_at;
        let mut units = orders(from..from + 50);
        let bad_index = usize::try_from(bad_at).expect("small");
        units.insert(bad_index, Shop::live().order(1_000).1);
        let lock = WriteLock::hold(backend.file_shell("live.db"));
        let queued: Vec<_> = units.iter().map(|unit| Queued::start(live, unit)).collect();
        drop(lock);
        for (index, write) in queued.into_iter().enumerate() {
            match write.answer().await {
                Ok(committed) => assert_eq!((committed, index == bad_index), (Committed::Done, false)),
                Err(error) => {
                    assert_eq!(index, bad_index, "{error:?}");
                    assert!(matches!(error, StoreError::Failed { .. }), "{error:?}");
                }
            }
        }
        for number in from..from + 50 {
            assert!(read(live, number).await.is_some(), "neighbour {number} of the bad one at {bad_at}");
            assert_eq!(history(live, number).await, Vec::<String>::new());
        }
    }
    assert_eq!(read(live, 1_000).await, Some(first));
    assert_eq!(history(live, 1_000).await, Vec::<String>::new());
}

#[tokio::test]
async fn lost_races_in_a_batch_cost_their_neighbours_nothing() {
    let backend = Backend::new(Kind::Embedded).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let session = shop.store(live, 1, start()).await;
    let mut units = orders(10..20);
    for event in 1..=5 {
        let finish = shop.finish(&session, Outcome::Paid, event).1;
        units.insert(usize::try_from(2 * event).expect("small"), finish);
    }
    let lock = WriteLock::hold(backend.file_shell("live.db"));
    let queued: Vec<_> = units.iter().map(|unit| Queued::start(live, unit)).collect();
    drop(lock);
    let mut done = 0;
    for write in queued {
        done += usize::from(write.answer().await.expect("an answer") == Committed::Done);
    }
    assert_eq!(done, 11, "ten orders and one of the five finishes");
    assert_eq!(count_sessions(&backend.file_shell("live.db")), 11);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn units_of_many_tasks_are_all_committed() {
    let backend = Backend::new(Kind::Embedded).await;
    let mut tasks = JoinSet::new();
    for unit in orders(0..500) {
        let stores = Arc::clone(&backend.stores);
        tasks.spawn(async move { commit(&stores.live, &unit).await });
    }
    tasks.join_all().await;
    let backend = backend.reopen().await;
    assert_eq!(count_sessions(&backend.file_shell("live.db")), 500);
    for number in 0..500 {
        assert_eq!(read(&backend.stores.live, number).await, Some(Shop::live().order(number).0));
    }
}

#[tokio::test]
async fn a_full_queue_refuses_at_once_and_loses_nothing_that_it_took() {
    const WAITING: usize = 4096;
    const BATCH: usize = 256;
    const UNITS: usize = WAITING + 400;
    let backend = Backend::new(Kind::Embedded).await;
    let live = &backend.stores.live;
    let units = orders(0..UNITS as u64);
    let lock = WriteLock::hold(backend.file_shell("live.db"));
    let queued: Vec<_> = units.iter().map(|unit| Queued::start(live, unit)).collect();
    drop(lock);
    let mut taken = 0;
    for (number, write) in (0..).zip(queued) {
        let stored = match write.answer().await {
            Ok(Committed::Done) => true,
            Err(StoreError::Busy { waiting: WAITING }) => false,
            other => panic!("unit {number}: {other:?}"),
        };
        taken += usize::from(stored);
        assert_eq!(read(live, number).await.is_some(), stored, "unit {number}");
    }
    // The queue, and the batch that the writer held while it waited.
    assert!((WAITING..=WAITING + BATCH).contains(&taken), "{taken} were taken");
    assert_eq!(count_sessions(&backend.file_shell("live.db")), taken);
    commit(live, &Shop::live().order(UNITS as u64).1).await;
}

#[test]
fn writes_whose_callers_went_away_still_happen_before_the_store_closes() {
    const UNITS: usize = 1_000;
    let folder = tempfile::tempdir().expect("a folder");
    let place = StoreLocation::Folder(folder.path().to_owned());
    let stores = Stores::open(&place, Durability::Full, Some(Clock::manual(start()))).now_or_never();
    let stores = stores.expect("files are opened without waiting").expect("stores");
    let shell = || Connection::open(folder.path().join("live.db")).expect("a database");
    let lock = WriteLock::hold(shell());
    for unit in &orders(0..UNITS as u64) {
        assert!(matches!(Queued::start(&stores.live, unit), Queued::Waiting(_)));
    }
    drop(lock);
    drop(stores);
    assert_eq!(count_sessions(&shell()), UNITS);
}

#[tokio::test]
async fn of_two_key_checks_at_once_the_first_is_kept() {
    let backend = Backend::new(Kind::Embedded).await;
    let accounts = &backend.stores.accounts;
    let lock = WriteLock::hold(backend.file_shell("accounts.db"));
    let mut checks = [&b"first"[..], b"second"].map(|sealed| Box::pin(accounts.key_check(sealed)));
    for check in &mut checks {
        let poll = check.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(poll.is_pending(), "both found none, and wait to store theirs");
    }
    drop(lock);
    for check in checks {
        assert_eq!(check.await.expect("a check"), b"first");
    }
}

#[tokio::test]
async fn reads_work_while_another_connection_holds_the_write_lock() {
    let backend = Backend::new(Kind::Embedded).await;
    let live = &backend.stores.live;
    let session = Shop::live().store(live, 1, start()).await;
    add_vendor(&backend.stores.accounts, 1).await;
    let locks = ["live.db", "accounts.db"].map(|file| WriteLock::hold(backend.file_shell(file)));
    locks[0].0.execute("DELETE FROM idempotency_keys", []).expect("a write of the other's own");
    assert_eq!(read(live, 1).await.as_ref(), Some(&session));
    assert_eq!(history(live, 1).await, Vec::<String>::new());
    assert_eq!(live.due_sessions(session.deadline(), 1).await.expect("a scan").0, [session]);
    assert_eq!(backend.stores.accounts.list_vendors().await.expect("a scan").len(), 1);
}

#[tokio::test]
async fn readers_never_see_half_a_unit() {
    let backend = Backend::new(Kind::Embedded).await;
    let live = &backend.stores.live;
    let unit = Shop::live().order(1).1;
    let lock = WriteLock::hold(backend.file_shell("live.db"));
    let write = Queued::start(live, &unit);
    assert_eq!(read(live, 1).await, None, "what is only queued is not there");
    drop(lock);
    assert_eq!(write.answer().await.expect("an answer"), Committed::Done);
    assert!(read(live, 1).await.is_some());
    assert_eq!(history(live, 1).await, Vec::<String>::new());
}

#[tokio::test]
async fn damage_is_found_and_named() {
    let backend = Backend::new(Kind::Embedded).await;
    Shop::live().store(&backend.stores.live, 1, start()).await;
    add_vendor(&backend.stores.accounts, 1).await;
    let none: [String; 0] = [];
    assert_eq!(backend.stores.accounts.find_damage().await.expect("a scan"), none);
    assert_eq!(backend.stores.live.find_damage().await.expect("a scan"), none);
    let stray = "PRAGMA foreign_keys = OFF;
        INSERT INTO history (session_id, seq, at, kind) VALUES (x'00', 1, 0, 'paid')";
    backend.file_shell("live.db").execute_batch(stray).expect("a row");
    let damage = backend.stores.live.find_damage().await.expect("a scan");
    assert_eq!(damage, ["1 rows point to rows that do not exist"]);
}
