//! Backups of an embedded store.

use crate::fixture::{Backend, Kind};
use std::{fs, path::Path, time::Duration};
use till_domain::time::Timestamp;
use till_store::{
    Durability, HoldReason, StoreLocation, Stores,
    backup::{self, BackupError},
};

fn back_up(backend: &Backend, file: &Path) -> Result<backup::Manifest, BackupError> {
    backup::back_up(backend.folder(), file, "1.2.3", Timestamp::from_ms(1_000), &mut |_, _| true)
}

#[tokio::test]
async fn t37_a_restored_store_is_on_hold_and_gives_out_no_address_again() {
    let backend = Backend::new(Kind::Embedded).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (file, into) = (folder.path().join("till.tar"), folder.path().join("new/store"));
    let made = back_up(&backend, &file).expect("a backup");
    let now = Timestamp::from_ms(1_795_000_000_000);
    let mut steps = Vec::new();
    let read = backup::restore(&file, &into, now, &mut |done, total| {
        steps.push((done, total));
        true
    });
    assert_eq!(read.expect("restored"), made);
    assert!(steps.iter().all(|(done, total)| done <= total) && steps.is_sorted(), "{steps:?}");
    let place = StoreLocation::Folder(into);
    let stores = Stores::open(&place, Durability::Full, None).await.expect("stores");
    let hold = stores.accounts.hold().await.expect("a read").expect("a hold");
    assert_eq!((hold.reason, hold.since), (HoldReason::Restored, now));
    let first = next_index(&stores).await;
    assert!(first >= 1_000_000, "{first}");
    // The same file an hour later: what the first restore gave out is passed over too.
    let again = folder.path().join("again");
    let later = now.plus(Duration::from_secs(3_600));
    backup::restore(&file, &again, later, &mut |_, _| true).expect("restored");
    let place = StoreLocation::Folder(again);
    let stores = Stores::open(&place, Durability::Full, None).await.expect("stores");
    assert!(next_index(&stores).await >= first + 6_000);
}

async fn next_index(stores: &Stores) -> u32 {
    stores.live.chains().expect("chains").next_index("key").await.expect("a read")
}

/// The new program was installed and made a backup before its first start.
#[tokio::test]
async fn a_backup_of_a_store_of_the_version_before_is_restored_on_hold() {
    let backend = Backend::new(Kind::Embedded).await;
    let later = "DROP TABLE holds; DROP TABLE key_rotations; ALTER TABLE nodes DROP COLUMN keys; \
        ALTER TABLE vendors DROP COLUMN fiscal; ALTER TABLE vendors DROP COLUMN fiscal_tax_system; \
        ALTER TABLE vendors DROP COLUMN fiscal_vat; ALTER TABLE vendors DROP COLUMN fiscal_subject; \
        ALTER TABLE vendors DROP COLUMN fiscal_mode; ALTER TABLE vendors DROP COLUMN fiscal_max_items";
    for (file, later) in [
        ("accounts.db", later),
        (
            "live.db",
            "DROP TABLE chain_floor; DROP TABLE erasures; DROP TABLE erasure_marks; DROP TRIGGER attempts_sent; \
             DROP TABLE fiscal_receipts",
        ),
    ] {
        let shell = rusqlite::Connection::open(backend.folder().join(file)).expect("a shell");
        shell.execute_batch(&format!("{later}; DROP TABLE till_steps")).expect("dropped");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (file, into) = (folder.path().join("till.tar"), folder.path().join("store"));
    back_up(&backend, &file).expect("a backup");
    backup::restore(&file, &into, Timestamp::from_ms(5_000), &mut |_, _| true).expect("restored");
    let stores = Stores::open(&StoreLocation::Folder(into.clone()), Durability::Full, None).await;
    assert!(stores.expect("stores").accounts.hold().await.expect("a read").is_some());
    // The version before, which knows of no hold, refuses to start.
    let shell = rusqlite::Connection::open(into.join("accounts.db")).expect("a shell");
    let required: i64 = shell.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version");
    assert!(required >= 16, "{required}");
}

#[tokio::test]
async fn an_interrupted_backup_or_restore_leaves_nothing() {
    let backend = Backend::new(Kind::Embedded).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (file, into) = (folder.path().join("till.tar"), folder.path().join("store"));
    let entries = || fs::read_dir(folder.path()).expect("a folder").count();
    for after in 0..6 {
        let mut calls = 0;
        let mut until = |_, _| {
            calls += 1;
            calls <= after
        };
        let ended = backup::back_up(backend.folder(), &file, "1", Timestamp::from_ms(1), &mut until);
        assert!(matches!(ended, Err(BackupError::Interrupted)), "{after}: {ended:?}");
        assert_eq!(entries(), 0, "{after}");
    }
    back_up(&backend, &file).expect("a backup");
    for after in 0..3 {
        let mut calls = 0;
        let mut until = |_, _| {
            calls += 1;
            calls <= after
        };
        let ended = backup::restore(&file, &into, Timestamp::from_ms(1), &mut until);
        assert!(matches!(ended, Err(BackupError::Interrupted)), "{after}: {ended:?}");
        assert_eq!(entries(), 1, "{after}");
    }
}

#[tokio::test]
async fn a_store_that_lost_commits_is_not_backed_up() {
    let backend = Backend::new(Kind::Embedded).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("till.tar");
    // The last acknowledged commit, in the line that the store writes.
    let line = format!("{:47}\n", "commit 999999 at 1");
    fs::write(backend.folder().join("live.db-commits"), line).expect("a file");
    let refused = back_up(&backend, &file);
    assert!(matches!(&refused, Err(BackupError::Lost(told)) if told.contains("live.db")), "{refused:?}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
