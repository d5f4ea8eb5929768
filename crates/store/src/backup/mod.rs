//! Backups of an embedded store: one tar file with the three databases and a manifest of their checksums.
//!
//! A backup is made while the service runs: a read transaction of each database keeps its pages as they were when it began.
//! The three begin one after another, within milliseconds, the accounts last, so that every vendor of a session is in
//! the backup.

mod archive;
mod restore;

pub use restore::restore;

use crate::FailPoint;
use crate::engine::{
    migrate::Role,
    sqlite::{commits::CommitFile, folder},
};
use archive::ArchiveWriter;
use rusqlite::{Connection, OpenFlags, backup::Backup, config::DbConfig};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use till_domain::time::Timestamp;

/// Pages that are copied before progress is reported.
const PAGES_AT_ONCE: i32 = 2_000;

/// The format of the file that this version writes and reads.
const FORMAT: u32 = 1;

/// The name of the manifest in the archive. It is the last file: an archive without it is incomplete.
const MANIFEST: &str = "manifest.json";

/// The databases in the order in which they are pinned and stored.
const ORDER: [Role; 3] = [Role::Live, Role::Sandbox, Role::Accounts];

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of Till that made it.
    pub till: String,
    /// The time at which the databases were as they are in it.
    pub made_at: String,
    pub files: Vec<ManifestFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFile {
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
    /// The version of its schema.
    pub schema: i64,
    /// The number of its last commit.
    pub commits: i64,
}

/// The reason why a backup was not made or not restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{0} exists already: choose another name, or remove it")]
    Exists(PathBuf),
    #[error("there is no store in {0}")]
    NoStore(PathBuf),
    #[error("{0} is not empty: restore into a new or empty folder")]
    NotEmpty(PathBuf),
    /// The file is not a backup, or not all of one, or damaged.
    #[error("{file} cannot be restored: {reason}")]
    Unusable { file: PathBuf, reason: String },
    /// The store has fewer commits than it acknowledged.
    #[error("{0}")]
    Lost(String),
    #[error("interrupted; nothing was kept")]
    Interrupted,
    #[error("cannot read or write {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{database} cannot be copied")]
    Database {
        database: String,
        #[source]
        source: rusqlite::Error,
    },
}

impl BackupError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }

    fn database(role: Role) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| Self::Database { database: role.file().to_owned(), source }
    }
}

/// Reports how many bytes of all are done; false ends the work.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

/// Backs up the store of a folder, which may be in use, to a file that does not exist yet.
pub fn back_up(
    store: &Path,
    file: &Path,
    till: &str,
    made_at: Timestamp,
    progress: Progress<'_>,
) -> Result<Manifest, BackupError> {
    if file.exists() {
        return Err(BackupError::Exists(file.to_owned()));
    }
    if !folder::holds_store(store) {
        return Err(BackupError::NoStore(store.to_owned()));
    }
    let pinned: Vec<Pinned> =
        ORDER.into_iter().map(|role| Pinned::open(store, role)).collect::<Result<_, _>>()?;
    let total: u64 = pinned.iter().map(|one| one.bytes).sum();
    let mut archive = ArchiveWriter::create(file)?;
    let (mut files, mut before) = (Vec::new(), 0);
    for one in pinned {
        // Copying is the first half of the work on a file, and storing it the second.
        let mut halves = |done: u64| progress(before + done / 2, total);
        let Pinned { role, bytes, schema, commits, .. } = one;
        let copy = archive.scratch(role.file());
        one.copy_to(&copy, &mut halves)?;
        // From here on the service's log of it can shrink.
        drop(one);
        let stored = archive.add(&copy, role.file(), &mut |done| halves(bytes + done))?;
        files.push(ManifestFile { schema, commits, ..stored });
        FailPoint::BackupFileAdded.reach();
        before += bytes;
    }
    let manifest = Manifest { format: FORMAT, till: till.to_owned(), made_at: made_at.to_string(), files };
    archive.finish(&manifest)?;
    progress(total, total);
    Ok(manifest)
}

/// A database with a read transaction that keeps it as it is now.
struct Pinned {
    role: Role,
    connection: Connection,
    bytes: u64,
    schema: i64,
    commits: i64,
}

impl Pinned {
    fn open(store: &Path, role: Role) -> Result<Self, BackupError> {
        let open = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(store.join(role.file()), flags)?;
            // The service's log stays, whatever is in it.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            connection.pragma_update(None, "query_only", true)?;
            connection.execute_batch("BEGIN")?;
            let number =
                |sql: &str| -> rusqlite::Result<i64> { connection.query_row(sql, [], |row| row.get(0)) };
            // The first read takes the snapshot.
            let commits = number("SELECT commits FROM commit_count WHERE id = 1")?;
            let bytes = number("PRAGMA page_count")? * number("PRAGMA page_size")?;
            let schema = number("PRAGMA user_version")?;
            Ok((bytes, schema, commits, connection))
        };
        let (bytes, schema, commits, connection) = open().map_err(BackupError::database(role))?;
        let path = store.join(role.file());
        let noted = CommitFile::open(&path).map_err(BackupError::io(&path))?;
        if let Some(loss) = noted.find_loss(&connection).map_err(BackupError::database(role))? {
            return Err(BackupError::Lost(loss.refuse(&path).to_string()));
        }
        Ok(Self { role, connection, bytes: u64::try_from(bytes).unwrap_or(0), schema, commits })
    }

    /// Copies the pages to a new file.
    fn copy_to(&self, path: &Path, progress: &mut dyn FnMut(u64) -> bool) -> Result<(), BackupError> {
        let failed = |error| BackupError::database(self.role)(error);
        let mut copy = Connection::open(path).map_err(failed)?;
        let backup = Backup::new(&self.connection, &mut copy).map_err(failed)?;
        loop {
            let step = backup.step(PAGES_AT_ONCE).map_err(failed)?;
            let state = backup.progress();
            let (left, all) = (i64::from(state.remaining), i64::from(state.pagecount.max(1)));
            let done = i128::from(self.bytes) * i128::from(all - left) / i128::from(all);
            if !progress(u64::try_from(done).unwrap_or(0)) {
                return Err(BackupError::Interrupted);
            }
            if step == rusqlite::backup::StepResult::Done {
                break;
            }
        }
        drop(backup);
        // The copy is one file: without this, opening it would make a log beside it.
        copy.pragma_update(None, "journal_mode", "DELETE").map_err(failed)?;
        copy.close().map_err(|(_, error)| failed(error))
    }
}

/// Makes the names in a folder durable.
fn sync_folder(folder: &Path) -> Result<(), BackupError> {
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(BackupError::io(folder))
}
