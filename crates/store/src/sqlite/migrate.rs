//! Brings a file up to date, in one transaction.

use crate::{
    error::StoreError,
    migrate::{Role, Schema},
};
use rusqlite::Connection;
use std::path::Path;

/// What marks a file itself: `Til` and the role.
fn mark(role: Role) -> i32 {
    const TIL: i32 = 0x54_69_6c_00;
    TIL + match role {
        Role::Accounts => 1,
        Role::Live => 2,
        Role::Sandbox => 3,
    }
}

/// Applies what is missing.
pub(crate) fn migrate(connection: &mut Connection, path: &Path, schema: &Schema) -> Result<(), StoreError> {
    let failed = |source: rusqlite::Error| StoreError::failed("bringing the schema up to date", source);
    // The immediate lock makes a second process that starts at the same time wait for the first.
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(failed)?;
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
    let marked: i32 = transaction.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(failed)?;
    let known = schema.version();
    if found > 0 && marked != mark(schema.role) {
        let owner = Role::ALL.iter().find(|role| mark(**role) == marked);
        let owner = owner.map_or("another program's file", |role| role.file());
        let reason = format!("it is {owner} under another name; put the files back where they belong");
        return Err(StoreError::cannot_open(path.display(), reason));
    }
    if found > known {
        return Err(StoreError::NewerSchema { place: path.display().to_string(), found, known });
    }
    for migration in schema.missing(found) {
        transaction.execute_batch(migration.sqlite(schema.role)).map_err(failed)?;
        transaction.pragma_update(None, "user_version", migration.version).map_err(failed)?;
    }
    transaction.pragma_update(None, "application_id", mark(schema.role)).map_err(failed)?;
    transaction.commit().map_err(failed)
}
