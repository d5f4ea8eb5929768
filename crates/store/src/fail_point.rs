//! Fail points: the moments between "the intent is committed" and "the result is committed". A test ends the process at one
//! of them, starts it again, and checks that nothing is lost, done twice or left undone.
//!
//! Without the feature `fail-points`, which only tests turn on, reaching one does nothing.

macro_rules! fail_points {
    ($($(#[$doc:meta])* $point:ident = $name:literal,)*) => {
        /// A moment at which a test can end the process.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum FailPoint {
            $($(#[$doc])* $point,)*
        }

        impl FailPoint {
            pub const ALL: &[Self] = &[$(Self::$point),*];

            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$point => $name,)*
                }
            }
        }
    };
}

fail_points! {
    /// A session is committed, and its creator has no answer yet.
    SessionCreated = "session created",
    /// An attempt is committed, and its provider has not been called.
    AttemptIntended = "attempt intended",
    /// A worker holds the lease of an attempt, and has not called the provider.
    AttemptClaimed = "attempt claimed",
    /// A provider has answered, and the result is not committed.
    AttemptAnswered = "attempt answered",
    /// The result of a call about an attempt is committed.
    AttemptConcluded = "attempt concluded",
    /// A refund is committed, and its requester has no answer yet.
    RefundRequested = "refund requested",
    /// A worker holds the lease of a refund, and has not called the provider.
    RefundClaimed = "refund claimed",
    /// A provider has answered about a refund, and the result is not committed.
    RefundAnswered = "refund answered",
    /// The result of a call about a refund is committed.
    RefundConcluded = "refund concluded",
    /// The form of a payout is used up, and its money is not taken.
    PayoutAnnounced = "payout announced",
    /// The money of a payout is taken, and the audit log does not say so.
    PayoutRequested = "payout requested",
    /// A payout has its next state, and the audit log does not say so.
    PayoutStepped = "payout stepped",
    /// An attempt of a callback is committed, and nothing was sent.
    CallbackClaimed = "callback claimed",
    /// A callback was sent, and the result is not committed.
    CallbackSent = "callback sent",
    /// The result of a callback is committed.
    CallbackRecorded = "callback recorded",
    /// A node holds the lease of a mail, and has not sent it.
    MailClaimed = "mail claimed",
    /// A mail was sent, and the result is not committed.
    MailSent = "mail sent",
    /// The result of a mail is committed.
    MailRecorded = "mail recorded",
    /// A node holds the lease of a mail about a payment, and has not sent it.
    ReceiptClaimed = "receipt claimed",
    /// A mail about a payment was sent, and the result is not committed.
    ReceiptSent = "receipt sent",
    /// The result of a mail about a payment is committed.
    ReceiptRecorded = "receipt recorded",
    /// A new master key is in use, and nothing is sealed with it.
    RotationStarted = "rotation started",
    /// One secret is sealed with the new master key.
    SecretResealed = "secret resealed",
    /// Everything is sealed with the new master key, and the rotation is not complete.
    RotationResealed = "rotation resealed",
    /// One database is in an archive that has no name yet.
    BackupFileAdded = "backup file added",
    /// An archive is complete and has no name yet.
    BackupWritten = "backup written",
    /// The databases of an archive are unpacked, and not on hold.
    RestoreUnpacked = "restore unpacked",
    /// The unpacked databases are on hold, and have no names yet.
    RestoreHeld = "restore held",
    /// One of the restored databases has its name.
    RestoreFileNamed = "restore file named",
}

impl FailPoint {
    /// Ends the process, if the environment variable `FAIL_POINT` names this one.
    #[cfg(feature = "fail-points")]
    pub fn reach(self) {
        use std::sync::LazyLock;
        static CHOSEN: LazyLock<Option<FailPoint>> = LazyLock::new(|| {
            let name = std::env::var("FAIL_POINT").ok().filter(|name| !name.is_empty())?;
            let chosen = FailPoint::ALL.iter().find(|point| point.name() == name);
            assert!(chosen.is_some(), "there is no fail point {name:?}");
            chosen.copied()
        });
        if *CHOSEN == Some(self) {
            // Without running a destructor, like a kill.
            std::process::abort();
        }
    }

    #[cfg(not(feature = "fail-points"))]
    #[inline]
    pub fn reach(self) {}
}
