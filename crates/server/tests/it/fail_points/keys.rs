//! The rotation of the master key.

use super::Subject;
use crate::support::{MASTER_KEY, OTHER_KEY};
use till_store::FailPoint;

#[test]
fn f28_f33_a_rotation_survives_a_crash_at_each_of_its_steps() {
    for point in [FailPoint::RotationStarted, FailPoint::SecretResealed, FailPoint::RotationResealed] {
        let mut subject = Subject::new(&[]);
        let vendor = subject.vendor["vendor_id"].as_str().expect("an id").to_owned();
        subject.till.set("TILL_MASTER_KEY", OTHER_KEY).set("TILL_MASTER_KEY_PREVIOUS", MASTER_KEY);
        subject.crash(point, &["key", "rotate", "--yes"]);
        // In between, both keys open everything.
        let shown = subject.till.json(&["vendor", "show", &vendor, "--secrets"]);
        for environment in ["live", "sandbox"] {
            let secret = &subject.vendor[environment]["client_secret"];
            assert_eq!(&shown[environment]["client_secret"], secret, "{point:?}: {environment}");
        }
        let rotated = subject.till.json(&["key", "rotate", "--yes"]);
        assert_eq!(rotated["unreadable"], 0, "{point:?}: {rotated}");
        subject.till.set("TILL_MASTER_KEY_PREVIOUS", "");
        let shown = subject.till.json(&["vendor", "show", &vendor, "--secrets"]);
        assert_eq!(shown["live"]["client_secret"], subject.vendor["live"]["client_secret"], "{point:?}");
        subject.finish();
    }
}
