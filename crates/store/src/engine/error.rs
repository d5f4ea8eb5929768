//! The errors of a store, sorted by what the caller should do about them.

/// An error of the store. Never the caller's fault.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The write queue is full (back-pressure); try again shortly.
    #[error("the store is busy: {waiting} writes are waiting")]
    Busy {
        /// The size of the queue.
        waiting: usize,
    },
    /// The store is on hold: nothing is written until an operator releases it.
    #[error("the service is on hold until its operator releases it")]
    Held,
    /// A commit with an unknown outcome: it gave an error, and the write may or may not have happened. A
    /// retry with the same idempotency key tells.
    #[error("the outcome of a commit is unknown")]
    Unknown(#[source] Box<StoreError>),
    /// The database refused or failed; nothing was written.
    #[error("{doing} failed")]
    Failed {
        /// The operation that failed.
        doing: &'static str,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A row holds something that no version of this program writes.
    #[error("a stored row is invalid: {0}")]
    Corrupt(String),
    /// The database was written by a newer program.
    #[error(
        "{place} has schema version {found}, this version supports {known}: run the newer version of till"
    )]
    NewerSchema {
        /// The file or schema.
        place: String,
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The database cannot be opened.
    #[error("cannot open {place}: {reason}")]
    Open {
        /// The file, folder or server.
        place: String,
        reason: String,
    },
    /// The store does not keep what it acknowledges.
    #[error("{place} is not durable: {reason}")]
    NotDurable {
        /// The file or server.
        place: String,
        reason: String,
    },
    /// A database file, or the disk below it, failed while it was read.
    #[error("the database is damaged or unreadable: {0}")]
    Damaged(String),
    /// A database file failed earlier, and nothing is written to it any more.
    #[error("the store has stopped: {0}")]
    Stopped(String),
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// The error of a commit with an unknown outcome.
    #[must_use]
    pub fn unknown(reason: &str) -> Self {
        Self::Unknown(Box::new(Self::failed("a commit", reason)))
    }

    pub(crate) fn cannot_open(place: impl std::fmt::Display, reason: impl Into<String>) -> Self {
        Self::Open { place: place.to_string(), reason: reason.into() }
    }

    pub(crate) fn failed(
        doing: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Failed { doing, source: source.into() }
    }
}
