//! A database file that fails, is removed, or lost acknowledged commits: nothing is acknowledged from then
//! on.

use crate::fixture::{Backend, FILES, Kind, Shop, commit, read, start};
use rusqlite::Connection;
use std::{
    fs,
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};
use till_store::{Clock, Committed, Durability, OnFault, Payments, StoreError, StoreLocation, Stores};

async fn open(folder: &Path, on_fault: OnFault) -> Result<Stores, StoreError> {
    let place = StoreLocation::Folder(folder.to_owned());
    Stores::open_with(&place, Durability::Full, Some(Clock::manual(start())), on_fault).await
}

async fn create(live: &Payments, number: u64) -> Result<Committed, StoreError> {
    live.commit(&Shop::live().order(number).1).await
}

/// Copies the files of a folder as a killed process leaves them. The index of the write-ahead log is built
/// again.
fn killed(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    for file in FILES {
        for suffix in ["", "-wal", "-commits"] {
            let name = format!("{file}{suffix}");
            fs::copy(folder.join(&name), copy.path().join(&name)).expect("a copy");
        }
    }
    copy
}

/// Inverts one byte of a file.
fn flip(path: &Path, at: u64) {
    let mut file = fs::File::options().read(true).write(true).open(path).expect("a file");
    let mut byte = [0];
    file.seek(SeekFrom::Start(at)).expect("a place");
    file.read_exact(&mut byte).expect("a byte");
    file.seek(SeekFrom::Start(at)).expect("a place");
    file.write_all(&[!byte[0]]).expect("written");
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).expect("a file").len()
}

#[tokio::test]
async fn d6_a_file_that_was_taken_away_is_noticed_before_the_next_acknowledgement() {
    type Take = fn(&Path);
    let takes: [(&str, Take); 3] = [
        ("deleted", |path| fs::remove_file(path).expect("removed")),
        ("renamed", |path| fs::rename(path, path.with_extension("aside")).expect("renamed")),
        ("replaced", |path| {
            let copy = path.with_extension("copy");
            fs::copy(path, &copy).expect("a copy");
            fs::rename(copy, path).expect("renamed");
        }),
    ];
    for name in ["live.db", "live.db-wal", "live.db-shm"] {
        for (how, take) in takes {
            let folder = tempfile::tempdir().expect("a folder");
            let stores = open(folder.path(), OnFault::Report).await.expect("stores");
            assert_eq!(create(&stores.live, 1).await.expect("an answer"), Committed::Done);
            take(&folder.path().join(name));
            let answer = create(&stores.live, 2).await;
            assert!(matches!(answer, Err(StoreError::Unknown(_))), "{name} {how}: {answer:?}");
            let later = create(&stores.live, 3).await;
            let Err(StoreError::Stopped(reason)) = later else { panic!("{name} {how}: {later:?}") };
            assert!(reason.contains(name) && reason.contains("while it was open"), "{reason}");
            let sandbox = stores.sandbox.commit(&Shop::sandbox().order(1).1).await;
            assert_eq!(sandbox.expect("an answer"), Committed::Done, "the other file is as it was");
        }
    }
}

#[tokio::test]
async fn f4b_a_damaged_page_is_reported_and_nothing_is_written_afterwards() {
    let folder = tempfile::tempdir().expect("a folder");
    {
        let stores = open(folder.path(), OnFault::EndProcess).await.expect("stores");
        for number in 0..200 {
            commit(&stores.live, &Shop::live().order(number).1).await;
        }
    }
    let path = folder.path().join("live.db");
    let root: u32 = Connection::open(&path)
        .expect("a database")
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'sessions'", [], |row| row.get(0))
        .expect("a page");
    for at in 0..64 {
        flip(&path, u64::from(root - 1) * 4096 + at);
    }
    let stores = Stores::examine(&StoreLocation::Folder(folder.path().to_owned())).await.expect("it opens");
    let checked = stores.live.verify(&mut |_, _| ()).await.expect("a table, not an error");
    assert_eq!(checked.len(), stores.live.checks());
    let damaged = |line: &String| line.contains("malformed");
    let told = checked.iter().filter(|check| check.first.iter().any(damaged)).count();
    assert!(told > 0, "{checked:#?}");
    let file = checked.last().expect("the last check");
    assert!(file.wrong > 0, "{file:?}");
    let ready =
        stores.live.claim("work", till_store::NodeId([1; 16]), std::time::Duration::from_secs(30)).await;
    assert!(matches!(ready, Err(StoreError::Stopped(_))), "what touches no damaged page: {ready:?}");
    let after = create(&stores.live, 1_000).await;
    assert!(matches!(after, Err(StoreError::Stopped(_))), "{after:?}");
}

/// A folder as a killed process leaves it, with this many acknowledged orders, all of them only in the
/// write-ahead log.
async fn acknowledged(orders: u64) -> tempfile::TempDir {
    let backend = Backend::new(Kind::Embedded).await;
    for number in 0..orders {
        commit(&backend.stores.live, &Shop::live().order(number).1).await;
    }
    killed(backend.folder())
}

fn refusal(opened: Result<Stores, StoreError>, path: &Path) -> String {
    match opened {
        Err(StoreError::Open { place, reason }) if place == path.display().to_string() => reason,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it opens"),
    }
}

#[tokio::test]
async fn f4b_a_log_damaged_in_its_middle_stops_the_start_and_is_left_as_it_was() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 4] = [
        ("a frame in the middle", |log| flip(log, length(log) / 2)),
        ("the first frame", |log| flip(log, 100)),
        ("the end cut off", |log| {
            let file = fs::File::options().write(true).open(log).expect("a file");
            file.set_len(length(log) - 4_096).expect("cut");
        }),
        ("the whole log", |log| fs::remove_file(log).expect("removed")),
    ];
    for (what, damage) in damages {
        let folder = acknowledged(40).await;
        let [path, log, commits] =
            ["", "-wal", "-commits"].map(|suffix| folder.path().join(format!("live.db{suffix}")));
        damage(&log);
        let before = fs::read(&log).ok();
        for _ in 0..2 {
            let reason = refusal(open(folder.path(), OnFault::EndProcess).await, &path);
            assert!(reason.contains("acknowledged commits are missing"), "{what}: {reason}");
            assert!(reason.contains("commit 40 of "), "{what}: {reason}");
            assert!(reason.contains(&commits.display().to_string()), "{what}: {reason}");
            let after = fs::read(&log).ok();
            assert_eq!(after.is_some_and(|log| !log.is_empty()), before.is_some(), "{what}: the log stays");
        }
        assert!(before.is_none() || fs::read(&log).ok() == before, "{what}: the log is left as it was");
        let examined =
            Stores::examine(&StoreLocation::Folder(folder.path().to_owned())).await.expect("it opens");
        let damage = examined.live.find_damage().await.expect("a scan");
        assert!(damage[0].contains("acknowledged commits are missing"), "{what}: {damage:?}");
        drop(examined);
        // An operator who accepts the loss removes this file.
        fs::remove_file(&commits).expect("removed");
        let stores = open(folder.path(), OnFault::EndProcess).await.expect("it opens");
        assert!(read(&stores.live, 39).await.is_none(), "{what}: it was lost indeed");
        commit(&stores.live, &Shop::live().order(50).1).await;
    }
}

#[tokio::test]
async fn f4b_what_a_killed_process_leaves_is_whole_and_a_torn_end_is_no_loss() {
    type Leave = fn(&Path);
    let leaves: [Leave; 3] = [
        |_| (),
        |log| {
            let mut file = fs::File::options().append(true).open(log).expect("a file");
            file.write_all(&[7; 10_000]).expect("the beginning of a commit");
        },
        // A power loss may leave an older note of the last commit, or none.
        |log| {
            let commits = log.with_file_name("live.db-commits");
            fs::write(commits, format!("{:47}\n", "commit 12 at 1763164800000")).expect("written");
        },
    ];
    for leave in leaves {
        let folder = acknowledged(40).await;
        leave(&folder.path().join("live.db-wal"));
        let stores = open(folder.path(), OnFault::EndProcess).await.expect("it opens");
        for number in 0..40 {
            assert!(read(&stores.live, number).await.is_some(), "{number}");
        }
        commit(&stores.live, &Shop::live().order(50).1).await;
    }
}

#[tokio::test]
async fn f4b_a_file_that_failed_is_recovered_only_while_nobody_else_has_it_open() {
    let folder = acknowledged(40).await;
    let (path, log) = (folder.path().join("live.db"), folder.path().join("live.db-wal"));
    let noted = fs::File::options().write(true).open(folder.path().join("live.db-commits")).expect("a file");
    std::os::unix::fs::FileExt::write_all_at(&noted, b"fault\n", 64).expect("noted");
    let shell = Connection::open(&path).expect("a database");
    let sessions = |shell: &Connection| -> i64 {
        shell.query_row("SELECT COUNT(*) FROM sessions", [], |row| row.get(0)).expect("a count")
    };
    assert_eq!(sessions(&shell), 40);
    let reason = refusal(open(folder.path(), OnFault::EndProcess).await, &path);
    assert!(reason.contains("another program has opened it"), "{reason}");
    assert!(length(&log) > 0);
    // Closing it as another program does would checkpoint and empty the write-ahead log.
    let config = rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    shell.set_db_config(config, true).expect("a setting");
    drop(shell);
    let stores = open(folder.path(), OnFault::EndProcess).await.expect("it opens");
    assert_eq!(length(&log), 0, "everything was copied and synced before the first write");
    assert!(read(&stores.live, 39).await.is_some());
    let again = open(folder.path(), OnFault::EndProcess).await;
    assert!(again.is_ok(), "it is recovered once");
}

#[tokio::test]
async fn d7_the_log_is_reused_and_its_length_is_reported() {
    let backend = Backend::new(Kind::Embedded).await;
    let live = &backend.stores.live;
    let mut longest = 0;
    for number in 0..700 {
        commit(live, &Shop::live().order(number).1).await;
        longest = longest.max(live.stats().log_bytes.expect("a file has a log"));
    }
    assert!((1_000 * 4_096..2_000 * 4_096).contains(&longest), "{longest}");
    assert!(length(&backend.folder().join("live.db-wal")) < 2_100 * 4_120);
    assert!(length(&backend.folder().join("live.db")) > 100 * 4_096, "it was copied into the file");
    let folder: PathBuf = backend.folder().to_owned();
    let reader = backend.file_shell("live.db");
    reader.execute_batch("BEGIN; SELECT COUNT(*) FROM sessions").expect("a read that stays open");
    for number in 2_000..2_300 {
        commit(live, &Shop::live().order(number).1).await;
    }
    let held = live.stats().log_bytes.expect("a log");
    assert!(held > 1_500 * 4_096, "a reader holds it: {held}");
    drop(reader);
    commit(live, &Shop::live().order(3_000).1).await;
    for number in 3_001..3_100 {
        commit(live, &Shop::live().order(number).1).await;
    }
    assert!(live.stats().log_bytes.expect("a log") < held, "it is reused once the reader has gone");
    let backend = backend.reopen().await;
    assert!(!folder.join("live.db-wal").exists() || length(&folder.join("live.db-wal")) == 0);
    drop(backend);
}

#[tokio::test]
async fn d8_readiness_writes_a_row() {
    let backend = Backend::new(Kind::Embedded).await;
    let count = |file: &str| -> i64 {
        let shell = backend.file_shell(file);
        shell.query_row("SELECT commits FROM commit_count", [], |row| row.get(0)).expect("a count")
    };
    let before = FILES.map(count);
    backend.stores.accounts.ping().await.expect("it writes");
    backend.stores.live.ping().await.expect("it writes");
    backend.stores.sandbox.ping().await.expect("it writes");
    assert_eq!(FILES.map(count), before.map(|count| count + 1));
}
