//! The files of the store that is moved.

use super::RelocationError;
use crate::engine::{clock::Clock, migrate::Role};
use rusqlite::{Connection, params};
use std::{path::Path, time::Duration};

/// How long a command that is writing has to finish.
const WRITERS_END_WITHIN: Duration = Duration::from_secs(10);

/// The three files with their write locks: a command that changed one of them now would change what was copied already.
pub(super) struct LockedFiles {
    accounts: Connection,
    _payments: Vec<Connection>,
    /// True if the hold is this move's.
    placed: bool,
}

impl LockedFiles {
    pub(super) fn lock(folder: &Path) -> Result<Self, RelocationError> {
        let locked = |role: Role| {
            let open = || {
                let connection = Connection::open(folder.join(role.file()))?;
                connection.busy_timeout(WRITERS_END_WITHIN)?;
                connection.execute_batch("BEGIN IMMEDIATE")?;
                Ok(connection)
            };
            open().map_err(|error: rusqlite::Error| failed(&error))
        };
        let payments = [Role::Live, Role::Sandbox].map(locked).into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(Self { accounts: locked(Role::Accounts)?, _payments: payments, placed: false })
    }

    /// Puts the store on hold, so that there are never two that take payments.
    pub(super) fn hold(&mut self) -> Result<(), RelocationError> {
        let sql = "INSERT INTO holds (one, since, reason, placed_by) VALUES (1, ?1, 'operator', 'till move')
                   ON CONFLICT (one) DO NOTHING";
        let now = Clock::System.now().as_ms();
        let placed = self.accounts.execute(sql, params![now]).map_err(|error| failed(&error))?;
        self.placed = placed > 0;
        self.accounts.execute_batch("COMMIT; BEGIN IMMEDIATE").map_err(|error| failed(&error))
    }

    /// Releases the hold of this move.
    pub(super) fn release(&mut self) -> Result<(), RelocationError> {
        let sql = if self.placed { "DELETE FROM holds; COMMIT; BEGIN IMMEDIATE" } else { "" };
        self.accounts.execute_batch(sql).map_err(|error| failed(&error))
    }
}

fn failed(error: &rusqlite::Error) -> RelocationError {
    RelocationError::Source { table: "the store".to_owned(), reason: error.to_string() }
}
