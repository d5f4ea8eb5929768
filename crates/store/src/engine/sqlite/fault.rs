//! Faults after which a database file cannot be trusted any more: a failed sync, a damaged page, any other
//! I/O error, a transaction that cannot be rolled back, a file that was replaced.
//!
//! Linux reports a failed write-back once and marks the pages clean, so a second sync that succeeds proves
//! nothing. Continuing could acknowledge what only the page cache holds. The service therefore ends at once,
//! without closing the file, and the next start recovers from the write-ahead log. A full disk is no fault:
//! nothing was written that has to be kept.

use super::commits::CommitFile;
use crate::engine::error::StoreError;
use rusqlite::{ErrorCode, ffi};
use std::{
    fmt::Display,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, mpsc},
    thread,
    time::Duration,
};

/// The exit code of a process after a fault: `EX_SOFTWARE` of `sysexits.h`. A supervisor starts it again.
const EXIT_CODE: i32 = 70;

/// How long writing the last line may take. A reader of standard error that stopped must not keep the process
/// alive.
const LAST_LINE_WITHIN: Duration = Duration::from_secs(1);

/// The reaction of a process to the failure of one of its database files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFault {
    /// It ends at once with exit code 70. For everything that acknowledges writes.
    EndProcess,
    /// Errors are returned, and nothing is written from then on. For commands that examine a damaged store.
    Report,
    /// As with `EndProcess`, but only the use of the file ends: in a simulation a process runs many nodes.
    #[cfg(feature = "simulation")]
    EndNode,
}

#[cfg(feature = "simulation")]
impl OnFault {
    /// True in a simulation, in which many nodes share a thread.
    pub(crate) fn is_simulated(self) -> bool {
        self == Self::EndNode
    }
}

/// Stops the use of one database file at its first fault.
#[derive(Debug)]
pub(crate) struct FaultStop {
    path: PathBuf,
    on_fault: OnFault,
    commits: Option<Arc<CommitFile>>,
    reason: OnceLock<String>,
}

impl FaultStop {
    pub(crate) fn new(path: &Path, on_fault: OnFault, commits: Option<Arc<CommitFile>>) -> Self {
        Self { path: path.to_owned(), on_fault, commits, reason: OnceLock::new() }
    }

    /// Stops if an error is a fault.
    pub(crate) fn judge(&self, doing: &str, error: &rusqlite::Error) {
        if is_fault(error) {
            self.stop(&describe(doing, error));
        }
    }

    /// Stops for this reason. Returns only with [`OnFault::Report`].
    pub(crate) fn stop(&self, reason: &str) {
        let first = self.reason.set(reason.to_owned()).is_ok();
        if first && let Some(commits) = &self.commits {
            commits.note_fault();
        }
        if self.on_fault == OnFault::EndProcess {
            end_process(&self.path, reason);
        }
    }

    /// The reason why the file is not used any more.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.reason.get().map(String::as_str)
    }
}

/// True if an error says that the file, or the disk below it, failed.
pub(crate) fn is_fault(error: &rusqlite::Error) -> bool {
    match error.sqlite_error_code() {
        // These two codes mean a full disk (the index of the log could not grow) and a missing folder for
        // temporary files.
        Some(ErrorCode::SystemIoFailure) => !matches!(
            error.sqlite_extended_error_code(),
            Some(ffi::SQLITE_IOERR_SHMSIZE | ffi::SQLITE_IOERR_GETTEMPPATH)
        ),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => true,
        _ => false,
    }
}

/// The fault that caused an error of the store.
pub(crate) fn find_fault(error: &StoreError) -> Option<&rusqlite::Error> {
    match error {
        StoreError::Failed { source, .. } => source.downcast_ref().filter(|error| is_fault(error)),
        _ => None,
    }
}

/// Describes an error with its extended code, which says which call failed.
fn describe(doing: &str, error: &rusqlite::Error) -> String {
    match error.sqlite_extended_error_code() {
        Some(code) => format!("{doing} failed: {error} (SQLite code {code})"),
        None => format!("{doing} failed: {error}"),
    }
}

/// Writes one line and ends the process. Nothing is closed: closing a database file would write to it.
fn end_process(path: &Path, reason: impl Display) -> ! {
    let line = format!(
        "till: stopped with exit code {EXIT_CODE}, because {} failed: {reason}. No further writes are \
         acknowledged; a restart recovers those that were. See \"When the disk fails\" in \
         docs/operations.md\n",
        path.display()
    );
    let (done, written) = mpsc::channel();
    let writer = thread::Builder::new().spawn(move || {
        let _ = std::io::stderr().write_all(line.as_bytes());
        let _ = done.send(());
    });
    if writer.is_ok() {
        let _ = written.recv_timeout(LAST_LINE_WITHIN);
    }
    std::process::exit(EXIT_CODE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f4b_io_errors_and_damage_are_faults_and_a_full_disk_is_none() {
        let error = |code| rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        for code in [
            ffi::SQLITE_IOERR,
            ffi::SQLITE_IOERR_FSYNC,
            ffi::SQLITE_IOERR_DIR_FSYNC,
            ffi::SQLITE_IOERR_WRITE,
            ffi::SQLITE_IOERR_READ,
            ffi::SQLITE_IOERR_TRUNCATE,
            ffi::SQLITE_CORRUPT,
            ffi::SQLITE_CORRUPT_INDEX,
            ffi::SQLITE_NOTADB,
        ] {
            assert!(is_fault(&error(code)), "{code}");
        }
        for code in [
            ffi::SQLITE_FULL,
            ffi::SQLITE_IOERR_SHMSIZE,
            ffi::SQLITE_IOERR_GETTEMPPATH,
            ffi::SQLITE_BUSY,
            ffi::SQLITE_CONSTRAINT_FOREIGNKEY,
            ffi::SQLITE_CANTOPEN,
            ffi::SQLITE_NOMEM,
        ] {
            assert!(!is_fault(&error(code)), "{code}");
        }
        assert!(!is_fault(&rusqlite::Error::QueryReturnedNoRows));
    }
}
