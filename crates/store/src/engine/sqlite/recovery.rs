//! The checks before a file is opened for writing: no acknowledged commit may be missing, and a file that
//! failed is recovered while no other process has it open.

use super::{BUSY_TIMEOUT, checkpoint::empty_log, commits::CommitFile, is_busy, patiently};
use crate::engine::error::StoreError;
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::path::Path;

/// Refuses a file that lost commits, recovers one that failed, and returns the file that names its last
/// commit.
pub(crate) fn prepare(path: &Path) -> Result<CommitFile, StoreError> {
    let cannot = |reason: String| StoreError::cannot_open(path.display(), reason);
    let commits =
        CommitFile::open(path).map_err(|error| cannot(format!("{}-commits: {error}", path.display())))?;
    if !path.exists() {
        return Ok(commits);
    }
    let failed = commits.has_fault();
    let connection = open(path, failed).map_err(|error| match is_busy(&error) {
        true if failed => cannot(
            "it failed, and another program has opened it since; stop that program, then start again"
                .to_owned(),
        ),
        _ => cannot(error.to_string()),
    })?;
    if let Some(loss) = commits.find_loss(&connection).map_err(|error| cannot(error.to_string()))? {
        return Err(loss.refuse(path));
    }
    if failed {
        empty_log(&connection)
            .map_err(|error| cannot(format!("it failed and cannot be recovered: {error}")))?;
        drop(connection);
        commits.clear_fault().map_err(|error| cannot(error.to_string()))?;
    }
    Ok(commits)
}

/// Opens a file as it was left. A file that failed is opened exclusively, so that SQLite reads its log from
/// the beginning: the index of the log, shared between processes, says that pages were copied which the disk
/// may not have.
fn open(path: &Path, alone: bool) -> rusqlite::Result<Connection> {
    patiently(|| {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        if alone {
            // This keeps other connections out only if it is set before the file is read for the first time.
            connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        }
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(connection)
    })
}
