//! Logs: structured, to standard error, as text for people or JSON for machines. Never bodies, secrets,
//! tokens or e-mail addresses.
//!
//! A separate thread writes the lines. If standard error is a pipe that its reader has stopped reading, lines
//! beyond a bounded buffer are dropped and counted; nothing else waits for it.

use std::{
    collections::BTreeMap,
    panic::PanicHookInfo,
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};
use till_store::Unreadable;
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{EnvFilter, fmt};

/// The buffer of lines to be written; more are dropped.
const BUFFERED_LINES: usize = 2048;

/// The counter of dropped lines, once logging has started.
static DROPPED: OnceLock<ErrorCounter> = OnceLock::new();

/// Interval at which the same trouble is logged again.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// Most troubles that are told apart; another one is not logged until one of them is a minute old.
const MAX_TROUBLES: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

/// Starts logging. The filter is a level such as `info`, or `till=debug,warn`. Buffered lines are written
/// when the guard is dropped, if that takes no longer than a second.
pub fn start(format: LogFormat, filter: EnvFilter) -> WorkerGuard {
    let lossy = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(BUFFERED_LINES);
    let (writer, guard) = lossy.thread_name("log").finish(std::io::stderr());
    let _ = DROPPED.set(writer.error_counter());
    let builder = fmt().with_env_filter(filter).with_writer(writer).with_target(false);
    let started = match format {
        LogFormat::Text => builder.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    // A test that starts the service twice in one process has a logger already.
    drop(started);
    // The database driver logs every value of every statement at debug level; that is suppressed whatever the
    // filter says. Our own lines do not use the `log` crate.
    log::set_max_level(log::LevelFilter::Info);
    // The panic hook of the standard library writes to standard error itself, and would wait for its reader.
    std::panic::set_hook(Box::new(log_panic));
    guard
}

/// Log lines that were dropped because the reader of standard error had stopped.
#[must_use]
pub fn dropped_lines() -> u64 {
    DROPPED.get().map_or(0, |counter| u64::try_from(counter.dropped_lines()).unwrap_or(u64::MAX))
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let reason = panic.payload_as_str().unwrap_or("a value that is not text");
    match panic.location() {
        Some(location) => tracing::error!("panicked at {location}: {reason}"),
        None => tracing::error!("panicked: {reason}"),
    }
}

/// An error with all its sources, on one line.
#[must_use]
pub fn explain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text.replace('\n', " ")
}

/// Logs the rows of a queue that cannot be read, once a minute for each queue. `till doctor` lists them all.
pub fn report_unreadable(database: &str, unreadable: &Unreadable) {
    static REPORTED: Complaints = Complaints::new();
    let (queue, count) = (unreadable.queue, unreadable.count);
    let Some(first) = unreadable.first.first() else { return };
    if REPORTED.tell(&format!("{database} {queue}"), Instant::now()).is_some() {
        let (id, problem) = (&first.id, &first.problem);
        tracing::error!(
            environment = database, queue = %queue, count, id, error = problem,
            "{count} rows of {queue} are unreadable and skipped; see till doctor"
        );
    }
}

/// Limits the logging of trouble that repeats with every request or pass, such as a full disk: each text is
/// logged when it first occurs, and then once a minute.
#[derive(Debug)]
pub struct Complaints {
    reports: Mutex<BTreeMap<String, LastReport>>,
    /// Most texts that are remembered.
    room: usize,
}

#[derive(Debug)]
struct LastReport {
    at: Instant,
    suppressed: u64,
}

impl Default for Complaints {
    fn default() -> Self {
        Self::new()
    }
}

impl Complaints {
    #[must_use]
    pub const fn new() -> Self {
        Self::with_room(MAX_TROUBLES)
    }

    /// As [`Complaints::new`], with room for this many texts.
    #[must_use]
    pub const fn with_room(room: usize) -> Self {
        Self { reports: Mutex::new(BTreeMap::new()), room }
    }

    /// `Some` if the text should be logged now, with the number of times it was suppressed since it was last
    /// logged.
    pub fn tell(&self, text: &str, now: Instant) -> Option<u64> {
        let mut troubles = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = troubles.get_mut(text) {
            if now.duration_since(last.at) < TELL_EVERY {
                last.suppressed += 1;
                return None;
            }
            let suppressed = last.suppressed;
            *last = LastReport { at: now, suppressed: 0 };
            return Some(suppressed);
        }
        if troubles.len() >= self.room {
            troubles.retain(|_, report| now.duration_since(report.at) < TELL_EVERY);
        }
        if troubles.len() >= self.room {
            return None;
        }
        troubles.insert(text.to_owned(), LastReport { at: now, suppressed: 0 });
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_trouble_is_told_once_a_minute_and_another_one_at_once() {
        let complaints = Complaints::new();
        let start = Instant::now();
        let tell = |text: &str, ms: u64| complaints.tell(text, start + Duration::from_millis(ms));
        assert_eq!(tell("the disk is full", 0), Some(0));
        for ms in [0, 1, 59_999] {
            assert_eq!(tell("the disk is full", ms), None);
        }
        assert_eq!(tell("the file is locked", 59_999), Some(0), "another trouble");
        assert_eq!(tell("the disk is full", 60_000), Some(3), "with how often it came in between");
        assert_eq!(tell("the disk is full", 119_999), None);
        assert_eq!(tell("the disk is full", 120_000), Some(1));
    }

    #[test]
    fn i27_troubles_without_end_do_not_fill_the_memory() {
        let complaints = Complaints::new();
        let start = Instant::now();
        let logged = (0..1000).filter(|n| complaints.tell(&format!("trouble {n}"), start).is_some()).count();
        assert_eq!(logged, MAX_TROUBLES);
        assert_eq!(complaints.tell("a new one", start + TELL_EVERY), Some(0), "the old ones made room");
        assert_eq!(complaints.reports.lock().expect("not poisoned").len(), 1);
    }
}
