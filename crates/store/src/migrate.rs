//! Brings a database's schema up to date, one numbered file after the other, each in its own transaction.
//!
//! A database with a newer version than this program knows is refused: an old program must not write into
//! a schema that it does not understand.

use crate::error::StoreError;
use rusqlite::Connection;
use std::path::Path;

/// One step of a schema.
#[derive(Debug)]
pub(crate) struct Migration {
    pub(crate) version: i64,
    pub(crate) sqlite: &'static str,
}

/// The steps of the accounts' schema.
pub(crate) const ACCOUNTS: &[Migration] =
    &[Migration { version: 1, sqlite: include_str!("../migrations/accounts/0001_accounts.sqlite.sql") }];

/// The steps of an environment's schema.
pub(crate) const PAYMENTS: &[Migration] =
    &[Migration { version: 1, sqlite: include_str!("../migrations/payments/0001_sessions.sqlite.sql") }];

/// Applies what is missing.
pub(crate) fn migrate_sqlite(
    connection: &mut Connection,
    path: &Path,
    migrations: &[Migration],
) -> Result<(), StoreError> {
    let failed = |source: rusqlite::Error| StoreError::failed("bringing the schema up to date", source);
    let known = migrations.last().map_or(0, |m| m.version);
    // The immediate lock makes a second process that starts at the same time wait for the first.
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(failed)?;
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
    if found > known {
        return Err(StoreError::NewerSchema { path: path.to_owned(), found, known });
    }
    for migration in migrations.iter().filter(|m| m.version > found) {
        transaction.execute_batch(migration.sqlite).map_err(failed)?;
        transaction.pragma_update(None, "user_version", migration.version).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}
