//! Migrates a file, in one transaction.

use crate::engine::{
    error::StoreError,
    migrate::{Role, STEPS_TABLE, Schema, SchemaState},
};
use rusqlite::Connection;
use std::path::Path;

/// The application id that marks a file: `Til` and the role.
fn mark(role: Role) -> i32 {
    const TIL: i32 = 0x54_69_6c_00;
    TIL + match role {
        Role::Accounts => 1,
        Role::Live => 2,
        Role::Sandbox => 3,
    }
}

/// Applies the migrations that are missing.
pub(crate) fn migrate(connection: &mut Connection, path: &Path, schema: &Schema) -> Result<(), StoreError> {
    let failed = |source: rusqlite::Error| StoreError::failed("bringing the schema up to date", source);
    if is_current(connection, schema).map_err(failed)? {
        return Ok(());
    }
    // The immediate lock makes a second process that starts at the same time wait for the first.
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(failed)?;
    let found = state(&transaction).map_err(failed)?;
    let marked: i32 = transaction.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(failed)?;
    let known = schema.version();
    if found.required > 0 && marked != mark(schema.role) {
        let owner = Role::ALL.iter().find(|role| mark(**role) == marked);
        let owner = owner.map_or("another program's file", |role| role.file());
        let reason = format!("it is {owner} under another name; put the files back where they belong");
        return Err(StoreError::cannot_open(path.display(), reason));
    }
    if found.required > known {
        let place = path.display().to_string();
        return Err(StoreError::NewerSchema { place, found: found.required, known });
    }
    for migration in schema.missing(found.newest) {
        transaction.execute_batch(migration.sqlite(schema.role)).map_err(failed)?;
    }
    let newest = found.newest.max(known);
    let steps = format!(
        "CREATE TABLE IF NOT EXISTS {STEPS_TABLE} (version INTEGER NOT NULL) STRICT;
         DELETE FROM {STEPS_TABLE}; INSERT INTO {STEPS_TABLE} VALUES ({newest});"
    );
    transaction.execute_batch(&steps).map_err(failed)?;
    let required = found.required.max(schema.required());
    transaction.pragma_update(None, "user_version", required).map_err(failed)?;
    transaction.pragma_update(None, "application_id", mark(schema.role)).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// True if nothing has to be written. A command that only examines a file leaves it as it is.
fn is_current(connection: &Connection, schema: &Schema) -> rusqlite::Result<bool> {
    let found = state(connection)?;
    let marked: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let known = schema.version();
    Ok(found.required <= known && found.newest >= known && marked == mark(schema.role))
}

/// What a file records of its schema.
pub(crate) fn state(connection: &Connection) -> rusqlite::Result<SchemaState> {
    let required: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)";
    let there: bool = connection.query_row(known, [STEPS_TABLE], |row| row.get(0))?;
    let steps = if there {
        connection.query_row(&format!("SELECT MAX(version) FROM {STEPS_TABLE}"), [], |row| row.get(0))?
    } else {
        None
    };
    Ok(SchemaState::new(required, steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as the version before the ledger left it, with an open and a decided action in it.
    fn before_the_ledger(role: Role) -> Connection {
        let connection = Connection::open_in_memory().expect("a database");
        connection.pragma_update(None, "foreign_keys", true).expect("a setting");
        for migration in Schema::of(role).missing(0).filter(|migration| migration.version < 9) {
            connection.execute_batch(migration.sqlite(role)).expect("a step");
        }
        connection.pragma_update(None, "user_version", 8).expect("a version");
        connection.pragma_update(None, "application_id", mark(role)).expect("a mark");
        let id = "x'0000000000000000000000000000000";
        connection
            .execute_batch(&format!(
                "INSERT INTO sessions (id, vendor_id, order_id, product_name, price, amount_minor, currency, status,
                    request_id, created_at, updated_at, methods, method, card_ends_at, due_at)
                 VALUES ({id}1', {id}2', 'A-1', 'Atlas', '1', 100, 'RUB', 'pending', 'r', 1, 1, 'card', 'card', 2, 2);
                 INSERT INTO actions (id, kind, session_id, vendor_id, created_at)
                 VALUES ({id}3', 'late', {id}1', {id}2', 5);
                 INSERT INTO actions (id, kind, session_id, vendor_id, created_at, resolution, resolved_at, resolved_by)
                 VALUES ({id}4', 'partial', {id}1', {id}2', 6, 'accept', 7, 'ann');"
            ))
            .expect("rows");
        connection
    }

    #[test]
    fn what_was_to_be_decided_before_there_was_a_ledger_is_still_there() {
        for role in [Role::Live, Role::Sandbox] {
            let mut connection = before_the_ledger(role);
            let rows = |connection: &Connection| -> Vec<String> {
                let text = "SELECT hex(id) || kind || created_at || coalesce(resolution || resolved_at || resolved_by, '')
                    FROM actions ORDER BY id";
                let mut statement = connection.prepare(text).expect("a statement");
                let rows = statement.query_map([], |row| row.get(0)).expect("a query");
                rows.collect::<Result<_, _>>().expect("rows")
            };
            let before = rows(&connection);
            migrate(&mut connection, Path::new(":memory:"), &Schema::of(role)).expect("a newer schema");
            assert_eq!((rows(&connection), before.len()), (before, 2));
            let decided =
                connection.execute("UPDATE actions SET resolved_by = 'bob' WHERE kind = 'partial'", []);
            assert!(decided.is_err_and(|error| error.to_string().contains("stays decided")));
            // The migrations changed which values a row may have, without recreating the table.
            for (word, fits) in [("surplus", true), ("reversed", true), ("disputed", false), ("gift", false)]
            {
                let more = format!(
                    "INSERT INTO actions (id, kind, session_id, vendor_id, created_at)
                     SELECT randomblob(16), '{word}', session_id, vendor_id, 8 FROM actions LIMIT 1"
                );
                assert_eq!(connection.execute(&more, []).is_ok(), fits, "{word}");
            }
            let damage: String =
                connection.query_row("PRAGMA integrity_check", [], |r| r.get(0)).expect("a check");
            assert_eq!(damage, "ok");
            let entries: i64 = connection
                .query_row(
                    "SELECT COUNT(*) FROM sqlite_schema WHERE name IN ('entries', 'postings')",
                    [],
                    |r| r.get(0),
                )
                .expect("a count");
            assert_eq!(entries, if role == Role::Live { 2 } else { 0 });
        }
    }
}
