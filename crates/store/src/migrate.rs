//! The schemas of the three databases, and how one is brought up to date: numbered files, one after the
//! other, in one transaction.
//!
//! A database with a newer version than this program knows is refused: an old program must not write into
//! a schema that it does not understand. So is one that was made for another role: files that were mixed up
//! when they were restored must not serve sandbox sessions as live ones.

use crate::error::StoreError;
use rusqlite::Connection;
use std::path::Path;

/// What a database is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Accounts,
    Live,
    Sandbox,
}

impl Role {
    pub(crate) const ALL: [Self; 3] = [Self::Accounts, Self::Live, Self::Sandbox];

    /// Its file in the folder of the embedded store.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Accounts => "accounts.db",
            Self::Live => "live.db",
            Self::Sandbox => "sandbox.db",
        }
    }

    /// What marks the file itself: `Till` and the role.
    fn mark(self) -> i32 {
        const TIL: i32 = 0x54_69_6c_00;
        TIL + match self {
            Self::Accounts => 1,
            Self::Live => 2,
            Self::Sandbox => 3,
        }
    }
}

/// One step of a schema.
#[derive(Debug)]
pub(crate) struct Migration {
    pub(crate) version: i64,
    pub(crate) sqlite: &'static str,
}

/// The schema of a database.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) role: Role,
    pub(crate) migrations: &'static [Migration],
    /// The table that has rows once the database is in use.
    pub(crate) main_table: &'static str,
}

const ACCOUNTS: &[Migration] =
    &[Migration { version: 1, sqlite: include_str!("../migrations/accounts/0001_accounts.sqlite.sql") }];

const PAYMENTS: &[Migration] =
    &[Migration { version: 1, sqlite: include_str!("../migrations/payments/0001_sessions.sqlite.sql") }];

impl Schema {
    pub(crate) fn of(role: Role) -> Self {
        let (migrations, main_table) = match role {
            Role::Accounts => (ACCOUNTS, "vendors"),
            Role::Live | Role::Sandbox => (PAYMENTS, "sessions"),
        };
        Self { role, migrations, main_table }
    }
}

/// Applies what is missing.
pub(crate) fn migrate_sqlite(
    connection: &mut Connection,
    path: &Path,
    schema: &Schema,
) -> Result<(), StoreError> {
    let failed = |source: rusqlite::Error| StoreError::failed("bringing the schema up to date", source);
    let known = schema.migrations.last().map_or(0, |m| m.version);
    // The immediate lock makes a second process that starts at the same time wait for the first.
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(failed)?;
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
    let mark: i32 = transaction.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(failed)?;
    if found > known {
        return Err(StoreError::NewerSchema { path: path.to_owned(), found, known });
    }
    if found > 0 && mark != schema.role.mark() {
        let owner = Role::ALL.iter().find(|role| role.mark() == mark);
        let owner = owner.map_or("another program's file", |role| role.file());
        let reason = format!("it is {owner} under another name; put the files back where they belong");
        return Err(StoreError::Open { path: path.to_owned(), reason });
    }
    for migration in schema.migrations.iter().filter(|m| m.version > found) {
        transaction.execute_batch(migration.sqlite).map_err(failed)?;
        transaction.pragma_update(None, "user_version", migration.version).map_err(failed)?;
    }
    transaction.pragma_update(None, "application_id", schema.role.mark()).map_err(failed)?;
    transaction.commit().map_err(failed)
}
