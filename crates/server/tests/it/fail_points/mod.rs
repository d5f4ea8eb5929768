//! F28: the process ends at each moment between "the intent is committed" and "the result is committed", and is started
//! again. Nothing is lost, done twice or left undone.

mod archives;
mod callbacks;
mod keys;
mod mails;
mod payments;
mod payouts;
mod refunds;
mod subject;

use serde_json::{Value, json};
use std::{env, fs::File, io::Write as _};
use subject::Subject;
use till_store::FailPoint;

/// Adds a line to the file that `FAIL_POINT_FIGURES` names, if it does: the proving ground reports what was reached.
fn note_figure(figure: &Value) {
    if let Some(path) = env::var_os("FAIL_POINT_FIGURES") {
        let mut file = File::options().create(true).append(true).open(path).expect("a file");
        file.write_all(format!("{figure}\n").as_bytes()).expect("a line");
    }
}

/// The file of each fail point's test. A new fail point does not compile before it has one.
fn tested_in(point: FailPoint) -> &'static str {
    use FailPoint as P;
    match point {
        P::SessionCreated
        | P::AttemptIntended
        | P::AttemptClaimed
        | P::AttemptAnswered
        | P::AttemptConcluded => include_str!("payments.rs"),
        P::RefundRequested | P::RefundClaimed | P::RefundAnswered | P::RefundConcluded => {
            include_str!("refunds.rs")
        }
        P::PayoutAnnounced | P::PayoutRequested | P::PayoutStepped => include_str!("payouts.rs"),
        P::CallbackClaimed | P::CallbackSent | P::CallbackRecorded => include_str!("callbacks.rs"),
        P::MailClaimed
        | P::MailSent
        | P::MailRecorded
        | P::ReceiptClaimed
        | P::ReceiptSent
        | P::ReceiptRecorded => include_str!("mails.rs"),
        P::RotationStarted | P::SecretResealed | P::RotationResealed => include_str!("keys.rs"),
        P::BackupFileAdded | P::BackupWritten | P::RestoreUnpacked | P::RestoreHeld | P::RestoreFileNamed => {
            include_str!("archives.rs")
        }
    }
}

#[test]
fn f28_every_fail_point_has_a_test() {
    for point in FailPoint::ALL {
        assert!(tested_in(*point).contains(&format!("FailPoint::{point:?}")), "{point:?}");
    }
    note_figure(&json!({ "points": FailPoint::ALL.len() }));
}
