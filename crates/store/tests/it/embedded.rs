//! Opening the embedded store: durability, the lock of the folder, schema versions.

use crate::{
    accounts::add_vendor,
    fixture::{Backend, FILES, Kind, Shop, read, start},
};
use futures_util::FutureExt as _;
use rusqlite::Connection;
use std::{fs, path::Path, sync::Barrier, thread};
use till_store::{Clock, Durability, StoreError, StoreLocation, Stores};

fn open(folder: &Path, durability: Durability) -> Result<Stores, StoreError> {
    let place = StoreLocation::Folder(folder.to_owned());
    let opened = Stores::open(&place, durability, Some(Clock::manual(start()))).now_or_never();
    opened.expect("files are opened without waiting")
}

fn lock(folder: &Path) -> Result<Option<fs::File>, StoreError> {
    StoreLocation::Folder(folder.to_owned()).lock()
}

/// The version and the whole schema of a file.
fn schema(folder: &Path, file: &str) -> (i64, Vec<String>) {
    let shell = Connection::open(folder.join(file)).expect("a database");
    let version = shell.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version");
    let mut texts = shell
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        .expect("a statement");
    let texts = texts.query_map([], |row| row.get(0)).expect("a query");
    (version, texts.collect::<Result<_, _>>().expect("texts"))
}

/// Expects that the folder cannot be opened because of `path`, and returns the reason.
fn check_refused(opened: Result<impl Sized, StoreError>, path: &Path) -> String {
    match opened.err().expect("it cannot be opened") {
        StoreError::Open { place, reason } if place == path.display().to_string() => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn only_a_synced_store_calls_itself_durable() {
    let folder = tempfile::tempdir().expect("a folder");
    for (durability, durable) in
        [(Durability::Full, true), (Durability::Off, false), (Durability::Full, true)]
    {
        let stores = open(folder.path(), durability).expect("stores");
        let claims = [
            stores.accounts.assert_durable().await,
            stores.live.assert_durable().await,
            stores.sandbox.assert_durable().await,
            stores.assert_durable().await,
        ];
        for (claim, file) in claims.into_iter().zip(FILES.iter().chain(&FILES[..1])) {
            match claim {
                Ok(()) => assert!(durable, "{file} does not sync"),
                Err(StoreError::NotDurable { place, reason }) => {
                    assert!(!durable, "{file} syncs");
                    assert_eq!(place, folder.path().join(file).display().to_string());
                    assert_eq!(reason, "synchronous is 0, it must be FULL (2)");
                }
                Err(other) => panic!("{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn a_reopened_store_has_everything_that_was_committed() {
    let mut backend = Backend::new(Kind::Embedded).await;
    for number in 1..=5 {
        let live = Shop::live().store(&backend.stores.live, number, start()).await;
        let sandbox = Shop::sandbox().store(&backend.stores.sandbox, number, start()).await;
        add_vendor(&backend.stores.accounts, number).await;
        backend = backend.reopen().await;
        assert_eq!(read(&backend.stores.live, number).await, Some(live));
        assert_eq!(read(&backend.stores.sandbox, number).await, Some(sandbox));
        let vendors = backend.stores.accounts.list_vendors().await.expect("a read");
        assert_eq!(u64::try_from(vendors.len()), Ok(number));
    }
}

#[tokio::test]
async fn reopening_changes_no_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(open(folder.path(), Durability::Full).expect("stores"));
    let first = FILES.map(|file| schema(folder.path(), file));
    assert!(first.iter().all(|(version, texts)| *version >= 1 && !texts.is_empty()));
    let [_, (live, texts), (sandbox, shared)] = &first;
    // The sandbox has no table for data that it must never have.
    let alone = [
        "receipts",
        "dispatches",
        "entries",
        "postings",
        "settlements",
        "wallets",
        "balances",
        "payouts",
        "chain_",
        "reconciliations",
    ];
    // Only the sandbox may delete sessions, and only ended ones.
    let kept = [
        "sessions",
        "history",
        "callbacks",
        "attempts",
        "payment_attempts",
        "transactions",
        "actions",
        "fiscal_receipts",
    ];
    let kept = kept.map(|table| format!("{table}_kept"));
    let found_by = ["transactions_attempt", "actions_transaction"];
    // The sandbox has refunds in the shape of live, with no ledger behind them.
    let like_live = ["refunds", "refund_counts"];
    // Only testers of the sandbox have callbacks delivered wrongly or left out, and endpoints checked.
    let faults = ["callback_faults", "vendor_faults", "attempts_sent", "endpoint_check"];
    // Testers play the registration of fiscal receipts.
    let final_in_live = ["fiscal_receipts_onward", "fiscal_receipts_once"];
    let name = |text: &str| {
        let mut words =
            text.split_whitespace().skip_while(|word| !["TABLE", "INDEX", "TRIGGER"].contains(word));
        words.nth(1).unwrap_or_default().to_owned()
    };
    // A table, or an index or trigger of one: its name begins with that of the table.
    let differs = |text: &&String| {
        let name = name(text);
        alone
            .iter()
            .chain(&like_live)
            .chain(&faults)
            .chain(&final_in_live)
            .any(|table| name.starts_with(table))
            || kept.contains(&name)
            || found_by.contains(&name.as_str())
    };
    let same = |texts: &[String]| texts.iter().filter(|text| !differs(text)).cloned().collect::<Vec<_>>();
    assert_eq!(live, sandbox);
    assert_eq!(same(texts), same(shared), "live and sandbox have one schema but for that");
    let refusals: Vec<_> = texts.iter().filter(|text| kept.contains(&name(text))).collect();
    assert_eq!(refusals.len(), kept.len());
    assert!(refusals.iter().all(|text| !text.contains("WHEN")), "live deletes nothing: {refusals:?}");
    for _ in 0..2 {
        drop(open(folder.path(), Durability::Full).expect("stores"));
        assert_eq!(FILES.map(|file| schema(folder.path(), file)), first);
    }
}

#[test]
fn several_may_open_a_new_folder_at_once() {
    const OPENERS: usize = 8;
    const ROUNDS: usize = 20;
    let parent = tempfile::tempdir().expect("a folder");
    let mut refused = Vec::new();
    for round in 0..ROUNDS {
        let folder = parent.path().join(round.to_string());
        let together = Barrier::new(OPENERS);
        let open_together = || {
            together.wait();
            open(&folder, Durability::Full).map(drop)
        };
        thread::scope(|scope| {
            let openers: Vec<_> = (0..OPENERS).map(|_| scope.spawn(open_together)).collect();
            refused.extend(openers.into_iter().filter_map(|opener| opener.join().expect("no panic").err()));
        });
    }
    assert!(refused.is_empty(), "{} of {} were refused: {}", refused.len(), OPENERS * ROUNDS, refused[0]);
}

#[test]
fn a_file_of_a_newer_program_is_refused_and_left_alone() {
    for file in FILES {
        let folder = tempfile::tempdir().expect("a folder");
        drop(open(folder.path(), Durability::Full).expect("stores"));
        let path = folder.path().join(file);
        let newer = 1_000;
        let shell = Connection::open(&path).expect("a database");
        shell.pragma_update(None, "user_version", newer).expect("a version");
        drop(shell);
        let before = schema(folder.path(), file);
        let error = open(folder.path(), Durability::Full).expect_err("a newer file");
        let begins = format!("{} has schema version {newer}, this version supports ", path.display());
        let told = error.to_string();
        assert!(told.starts_with(&begins) && told.ends_with(": run the newer version of till"), "{told}");
        assert!(matches!(error, StoreError::NewerSchema { .. }), "{error:?}");
        assert_eq!(schema(folder.path(), file), before);
    }
}

/// A version that only adds to the schema leaves the version alone that the program before it reads.
#[test]
fn f30_a_file_with_additions_of_a_newer_program_is_opened_and_keeps_them() {
    for file in FILES {
        let folder = tempfile::tempdir().expect("a folder");
        drop(open(folder.path(), Durability::Full).expect("stores"));
        let shell = Connection::open(folder.path().join(file)).expect("a database");
        shell
            .execute_batch("CREATE TABLE later (a); UPDATE till_steps SET version = 1000")
            .expect("additions");
        drop(shell);
        let before = schema(folder.path(), file);
        drop(open(folder.path(), Durability::Full).expect("it is opened"));
        assert_eq!(schema(folder.path(), file), before);
    }
}

/// The versions of the last program that did not know of additions.
#[test]
fn f30_the_program_of_the_version_before_can_be_started_on_a_new_file() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(open(folder.path(), Durability::Full).expect("stores"));
    let versions = FILES.map(|file| (file, schema(folder.path(), file).0));
    for (file, version) in versions {
        assert_eq!(version, if file == "accounts.db" { 15 } else { 46 }, "{file}");
    }
}

/// A folder with a closed store in which this file holds a row.
async fn filled(file: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let stores = open(folder.path(), Durability::Full).expect("stores");
    match file {
        "accounts.db" => add_vendor(&stores.accounts, 1).await,
        "live.db" => drop(Shop::live().store(&stores.live, 1, start()).await),
        _ => drop(Shop::sandbox().store(&stores.sandbox, 1, start()).await),
    }
    folder
}

#[tokio::test]
async fn a_folder_that_lost_a_file_is_refused_and_gets_no_empty_one_instead() {
    for kept in FILES {
        for lost in FILES.into_iter().filter(|file| *file != kept) {
            let folder = filled(kept).await;
            let path = folder.path().join(lost);
            fs::remove_file(&path).expect("it was there");
            let error = open(folder.path(), Durability::Full).expect_err("refused").to_string();
            assert!(error.contains(lost) && error.contains("restore it from a backup"), "{error}");
            assert!(!path.exists());
            fs::write(&path, "").expect("a blank file");
            assert!(open(folder.path(), Durability::Full).is_err(), "blank is as bad as lost");
        }
    }
}

#[test]
fn a_first_start_that_was_interrupted_is_taken_up_again() {
    for missing in FILES {
        let folder = tempfile::tempdir().expect("a folder");
        drop(open(folder.path(), Durability::Full).expect("stores"));
        fs::remove_file(folder.path().join(missing)).expect("it was there");
        open(folder.path(), Durability::Full).expect("nothing was lost: there were no rows");
    }
}

#[test]
fn t12_files_that_were_mixed_up_are_refused() {
    for (one, other) in [("live.db", "sandbox.db"), ("accounts.db", "live.db")] {
        let folder = tempfile::tempdir().expect("a folder");
        drop(open(folder.path(), Durability::Full).expect("stores"));
        let path = |name: &str| folder.path().join(name);
        fs::rename(path(one), path("aside")).expect("renamed");
        fs::rename(path(other), path(one)).expect("renamed");
        fs::rename(path("aside"), path(other)).expect("renamed");
        let error = open(folder.path(), Durability::Full).expect_err("refused").to_string();
        assert!(error.contains("put the files back where they belong"), "{error}");
    }
}

#[test]
fn a_folder_that_is_a_file_is_refused() {
    let parent = tempfile::tempdir().expect("a folder");
    let file = parent.path().join("data");
    fs::write(&file, "not a folder").expect("a file");
    check_refused(open(&file, Durability::Full), &file);
    check_refused(lock(&file), &file);
    assert_eq!(fs::read_to_string(&file).expect("a file"), "not a folder");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    for name in FILES {
        let folder = tempfile::tempdir().expect("a folder");
        drop(open(folder.path(), Durability::Full).expect("stores"));
        let path = folder.path().join(name);
        let text = "order,price\n".repeat(100);
        fs::write(&path, &text).expect("a file");
        let reason = check_refused(open(folder.path(), Durability::Full), &path);
        assert!(reason.contains("file is not a database"), "{reason}");
        assert_eq!(fs::read_to_string(&path).expect("a file"), text);
    }
}

#[test]
fn a_new_folder_is_made_for_its_owner_only() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("a/b");
    drop(open(&folder, Durability::Full).expect("stores"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&folder).expect("a folder").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

#[test]
fn a_folder_has_one_service_at_a_time() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("data");
    for _ in 0..2 {
        let held = lock(&folder).expect("the lock");
        let reason = check_refused(lock(&folder), &folder.join("serve.lock"));
        assert!(reason.starts_with("another till serve runs on this folder"), "{reason}");
        lock(parent.path()).expect("another folder is another service's");
        drop(open(&folder, Durability::Full).expect("the lock is not on the stores"));
        drop(held);
    }
}
