//! Checkpoints: committed pages are copied from the write-ahead log into the database, so that the log can be
//! reused.
//!
//! SQLite would run them by itself and drop their errors, so the writer runs them between batches and judges
//! the result.

use super::{BUSY_TIMEOUT, fault::FaultStop};
use rusqlite::{Connection, ErrorCode};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// The log length in pages at which the first checkpoint runs.
const FIRST_AT: u64 = 1_000;

/// Pages after which a checkpoint is tried again while readers keep the log from being reused.
const AGAIN_AFTER: u64 = 250;

/// Pages at which the writer waits for readers, so that the log can be reused: 64 MiB.
const WAIT_AT: u64 = 16_384;

/// Pages after which the writer waits for readers again.
const WAIT_AGAIN_AFTER: u64 = 4_096;

/// How long the writer waits for readers.
const WAIT: Duration = Duration::from_millis(100);

/// The log size from which it is reported, in bytes.
pub const LARGE_LOG: u64 = 256 * 1024 * 1024;

/// The minimum interval between reports.
const REPORT_EVERY: Duration = Duration::from_mins(1);

/// The mode of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Copies what no reader needs in the log. Does not wait.
    Passive,
    /// Copies everything, and waits a moment for readers, so that the next write begins the log anew.
    Restart,
    /// As [`Mode::Restart`], and truncates the log.
    Truncate,
}

impl Mode {
    fn sql(self) -> &'static str {
        match self {
            Self::Passive => "PRAGMA wal_checkpoint(PASSIVE)",
            Self::Restart => "PRAGMA wal_checkpoint(RESTART)",
            Self::Truncate => "PRAGMA wal_checkpoint(TRUNCATE)",
        }
    }
}

/// The length of a log in pages, as the last commit left it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogLength {
    pages: Arc<AtomicU64>,
    page_size: u64,
}

impl LogLength {
    /// Tracks the length of a connection's log. This replaces SQLite's automatic checkpoints.
    pub(crate) fn follow(connection: &mut Connection) -> rusqlite::Result<Self> {
        let page_size = connection.pragma_query_value(None, "page_size", |row| row.get::<_, u32>(0))?;
        let pages = Arc::new(AtomicU64::new(0));
        let noted = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
            noted.store(u64::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self { pages, page_size: u64::from(page_size) })
    }

    fn pages(&self) -> u64 {
        self.pages.load(Ordering::Relaxed)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.pages().saturating_mul(self.page_size)
    }
}

/// Schedules the checkpoints of one file.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    log: LogLength,
    due: Due,
    reported: Option<Instant>,
}

impl Checkpoints {
    pub(crate) fn new(log: LogLength) -> Self {
        Self { log, due: Due::default(), reported: None }
    }

    /// Runs a checkpoint if the log is long enough for one.
    pub(crate) fn run_if_due(&mut self, connection: &Connection, faults: &FaultStop, path: &Path) {
        let Some(mode) = self.due.next(self.log.pages()) else { return };
        let done = run(connection, mode);
        let bytes = self.log.bytes();
        match done {
            Ok(()) if bytes < LARGE_LOG => {}
            Ok(()) => self.report(|| {
                let mebibytes = bytes >> 20;
                tracing::warn!(
                    "the log of {} has grown to {mebibytes} MiB: a long-running read blocks its reuse",
                    path.display()
                );
            }),
            Err(error) => {
                faults.judge("a checkpoint", &error);
                self.report(|| {
                    tracing::warn!(%error, "cannot copy the log of {} into the database", path.display());
                });
            }
        }
    }

    fn report(&mut self, tell: impl FnOnce()) {
        if self.reported.is_none_or(|at| at.elapsed() >= REPORT_EVERY) {
            tell();
            self.reported = Some(Instant::now());
        }
    }
}

/// Copies the whole log and truncates it, if no other connection uses the file.
pub(crate) fn empty_log(connection: &Connection) -> rusqlite::Result<()> {
    run(connection, Mode::Truncate)
}

fn run(connection: &Connection, mode: Mode) -> rusqlite::Result<()> {
    connection.busy_timeout(WAIT)?;
    // The result row says how much was copied; an error means that nothing is certain.
    let done = connection.query_row(mode.sql(), [], |_| Ok(()));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    match done {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(()),
        done => done,
    }
}

/// The log lengths in pages at which the next checkpoints are due.
#[derive(Debug)]
struct Due {
    seen: u64,
    at: u64,
    wait_at: u64,
}

impl Default for Due {
    fn default() -> Self {
        Self { seen: 0, at: FIRST_AT, wait_at: WAIT_AT }
    }
}

impl Due {
    /// The checkpoint that is due at this length of the log.
    fn next(&mut self, pages: u64) -> Option<Mode> {
        if pages < self.seen {
            // The log was started anew.
            *self = Self::default();
        }
        self.seen = pages;
        if pages < self.at {
            return None;
        }
        self.at = pages + AGAIN_AFTER;
        if pages < self.wait_at {
            return Some(Mode::Passive);
        }
        self.wait_at = pages + WAIT_AGAIN_AFTER;
        Some(Mode::Restart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d7_a_log_is_copied_as_it_grows_and_readers_are_waited_for_when_it_is_long() {
        let mut due = Due::default();
        let mut checkpoints = Vec::new();
        for pages in (0..20_000).step_by(50) {
            checkpoints.extend(due.next(pages).map(|mode| (pages, mode)));
        }
        assert_eq!(
            checkpoints[..3],
            [(1_000, Mode::Passive), (1_250, Mode::Passive), (1_500, Mode::Passive)]
        );
        let waits: Vec<u64> =
            checkpoints.iter().filter(|(_, mode)| *mode == Mode::Restart).map(|(pages, _)| *pages).collect();
        assert_eq!(waits, [16_500]);
        assert_eq!(due.next(10), None, "a log that was begun anew");
        assert_eq!((due.next(999), due.next(1_000)), (None, Some(Mode::Passive)));
    }
}
