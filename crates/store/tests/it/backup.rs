//! Backups of an embedded store.

use crate::fixture::{Backend, Kind};
use std::{fs, path::Path};
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
    let now = Timestamp::from_ms(5_000);
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
    let chains = stores.live.chains().expect("chains");
    assert_eq!(chains.next_index("key").await.expect("a read"), 1_000_000);
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
