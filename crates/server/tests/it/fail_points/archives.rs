//! Backup and restore.

use super::Subject;
use crate::support::Till;
use till_store::FailPoint;

#[test]
fn f28_f31_a_backup_that_was_cut_off_is_no_backup_and_can_be_made_again() {
    for point in [FailPoint::BackupFileAdded, FailPoint::BackupWritten] {
        let mut subject = Subject::new(&[]);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("till.tar");
        let path = file.to_str().expect("text");
        subject.crash(point, &["backup", path]);
        assert!(!file.exists(), "{point:?}: a half archive has no name");
        subject.till.json(&["backup", path]);
        let into = folder.path().join("restored");
        subject.till.json(&["restore", path, "--into", into.to_str().expect("text")]);
        subject.finish();
    }
}

#[test]
fn f28_f31_no_service_starts_on_a_store_that_was_restored_in_part() {
    for point in [FailPoint::RestoreUnpacked, FailPoint::RestoreHeld, FailPoint::RestoreFileNamed] {
        let mut subject = Subject::new(&[]);
        let folder = tempfile::tempdir().expect("a folder");
        let (file, into) = (folder.path().join("till.tar"), folder.path().join("restored"));
        let (path, into) = (file.to_str().expect("text"), into.to_str().expect("text"));
        subject.till.json(&["backup", path]);
        subject.crash(point, &["restore", path, "--into", into]);
        let mut copy = Till::new();
        copy.set("TILL_DATA_DIR", into);
        let listed = copy.run(&["vendor", "list", "--json"]);
        let vendors = String::from_utf8_lossy(&listed.stdout).into_owned();
        let says = String::from_utf8_lossy(&listed.stderr).into_owned();
        assert!(!listed.status.success(), "{point:?}: a half store is used: {vendors}{says}");
        let again = subject.till.error(&["restore", path, "--into", into]);
        assert!(again.contains("not empty"), "{point:?}: {again}");
        std::fs::remove_dir_all(into).expect("it is there");
        subject.till.json(&["restore", path, "--into", into]);
        assert!(copy.run(&["vendor", "list", "--json"]).status.success(), "{point:?}");
        subject.finish();
    }
}
