//! The number of commits that a file has acknowledged, kept in another file beside it.
//!
//! SQLite ends recovery at the first damaged frame of the write-ahead log and reports nothing. Each batch
//! therefore counts itself in the table `commit_count`, and once it is synced the same number is written to
//! `<name>.db-commits`. That write is not synced: after a power loss the number may be too low, never too
//! high, because the commit it names was synced first. A database that holds fewer commits than that file
//! names has lost some.

use super::identity::beside;
use crate::engine::{
    error::StoreError,
    sql::{Sql, Statement},
};
use rusqlite::{Connection, OptionalExtension as _};
use std::{
    fs::{self, File},
    io,
    os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _, fchown},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};
use till_domain::time::Timestamp;

const COUNT: &str = "UPDATE commit_count SET commits = commits + 1, at = ?1 WHERE id = 1 RETURNING commits";
const COUNTED: &str = "SELECT commits, at FROM commit_count WHERE id = 1";
const HAS_COUNT: &str =
    "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'commit_count')";

/// A write that changes only the row of the count: its answer shows whether the file can be written.
static PROBE: Sql = Sql::new("UPDATE commit_count SET at = $1 WHERE id = 1");

/// The position of the fault mark in the file. The commit comes first and never reaches this far.
const FAULT_AT: u64 = 64;
const FAULT: &[u8] = b"fault\n";

/// A commit, by its number and the machine's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) number: i64,
    at: Timestamp,
}

impl Commit {
    /// The last commit that a database holds; number 0 if it does not even have the table.
    fn last_of(connection: &Connection) -> rusqlite::Result<Self> {
        let none = Self { number: 0, at: Timestamp::from_ms(0) };
        if !connection.query_row(HAS_COUNT, [], |row| row.get::<_, bool>(0))? {
            return Ok(none);
        }
        let read =
            |row: &rusqlite::Row<'_>| Ok(Self { number: row.get(0)?, at: Timestamp::from_ms(row.get(1)?) });
        Ok(connection.query_row(COUNTED, [], read).optional()?.unwrap_or(none))
    }

    /// Counts the commit of the transaction that is open.
    pub(crate) fn count(connection: &Connection) -> rusqlite::Result<Self> {
        let at = now();
        let mut statement = connection.prepare_cached(COUNT)?;
        let number = statement.query_row([at.as_ms()], |row| row.get(0))?;
        Ok(Self { number, at })
    }

    fn line(self) -> [u8; 48] {
        let mut line = [b' '; 48];
        let text = format!("commit {} at {}", self.number, self.at.as_ms());
        for (place, byte) in line.iter_mut().zip(text.bytes()) {
            *place = byte;
        }
        line[47] = b'\n';
        line
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?.strip_prefix("commit ")?;
        let (number, at) = text.trim_end().split_once(" at ")?;
        Some(Self { number: number.parse().ok()?, at: Timestamp::from_ms(at.parse().ok()?) })
    }
}

/// A unit of work that only runs [`PROBE`].
pub(crate) fn probe() -> Vec<Statement> {
    vec![Statement { sql: &PROBE, params: vec![now().into()], guarded: true }]
}

/// The file beside a database that names the last acknowledged commit.
#[derive(Debug)]
pub(crate) struct CommitFile {
    path: PathBuf,
    file: File,
    failed: AtomicBool,
}

impl CommitFile {
    /// Opens the file of a database, and makes it if it is missing.
    pub(crate) fn open(database: &Path) -> io::Result<Self> {
        let path = beside(database, "-commits");
        let mut options = File::options();
        let file = options.create(true).truncate(false).read(true).write(true).mode(0o600).open(&path)?;
        // For a command that root runs: gives the file to the owner of the database, as SQLite does with its
        // own files.
        if let Ok(database) = fs::metadata(database) {
            let _ = fchown(&file, Some(database.uid()), Some(database.gid()));
        }
        Ok(Self { path, file, failed: AtomicBool::new(false) })
    }

    /// Opens the file of a database if it is there, for reading.
    pub(crate) fn examine(database: &Path) -> Option<Self> {
        let path = beside(database, "-commits");
        let file = File::open(&path).ok()?;
        Some(Self { path, file, failed: AtomicBool::new(false) })
    }

    /// Records a commit that was synced.
    pub(crate) fn note(&self, commit: Commit) {
        let noted = self.file.write_all_at(&commit.line(), 0);
        if let Err(error) = noted
            && !self.failed.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(%error, "cannot write {}: a damaged log would go unnoticed", self.path.display());
        }
    }

    /// Records that the database failed, for the next start.
    pub(crate) fn note_fault(&self) {
        let _ = self.file.write_all_at(FAULT, FAULT_AT);
    }

    /// True if the database failed, and was not recovered since.
    pub(crate) fn has_fault(&self) -> bool {
        let mut note = [0; FAULT.len()];
        self.file.read_exact_at(&mut note, FAULT_AT).is_ok() && note == FAULT
    }

    /// Records that the database was recovered.
    pub(crate) fn clear_fault(&self) -> io::Result<()> {
        self.file.set_len(FAULT_AT)
    }

    /// The commits that were acknowledged and are not in the database, if any.
    pub(crate) fn find_loss(&self, connection: &Connection) -> rusqlite::Result<Option<Loss>> {
        let mut line = [0; 48];
        let noted = self.file.read_exact_at(&mut line, 0).ok().and_then(|()| Commit::parse(&line));
        let Some(acknowledged) = noted else { return Ok(None) };
        let found = Commit::last_of(connection)?;
        Ok((found.number < acknowledged.number).then(|| Loss {
            found,
            acknowledged,
            file: self.path.clone(),
        }))
    }
}

/// Commits that were acknowledged and are not in the database.
#[derive(Debug)]
pub(crate) struct Loss {
    found: Commit,
    acknowledged: Commit,
    file: PathBuf,
}

impl Loss {
    pub(crate) fn describe(&self) -> String {
        let (found, acknowledged) = (self.found, self.acknowledged);
        format!(
            "{} acknowledged commits are missing: the database ends with commit {} of {}, but commit {} of {} was \
             acknowledged",
            acknowledged.number.saturating_sub(found.number),
            found.number,
            found.at,
            acknowledged.number,
            acknowledged.at
        )
    }

    /// The error that refuses to start on such a database.
    pub(crate) fn refuse(&self, database: &Path) -> StoreError {
        let reason = format!(
            "{}. Its log (-wal) is damaged or missing, or an older copy was put in its place; nothing has been changed. \
             Copy the whole folder aside first. Then restore a backup, or delete {} to continue without these commits",
            self.describe(),
            self.file.display()
        );
        StoreError::cannot_open(database.display(), reason)
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_read_back_as_it_was_noted() {
        for (number, at) in [(0, 0), (1_240, 1_763_164_800_123), (i64::MAX, 9_999_999_999_999)] {
            let commit = Commit { number, at: Timestamp::from_ms(at) };
            assert_eq!(Commit::parse(&commit.line()), Some(commit));
        }
        for line in [&[0_u8; 48][..], b"commit", b"commit x at 1", b"\xff\xff"] {
            assert_eq!(Commit::parse(line), None);
        }
    }
}
