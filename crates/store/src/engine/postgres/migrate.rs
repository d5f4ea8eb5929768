//! Migrates the three schemas, in one transaction, one node at a time.

use super::{
    connection::{Connection, Connector, SessionSetup, describe},
    url::DatabaseUrl,
};
use crate::engine::{
    error::StoreError,
    migrate::{Role, STEPS_TABLE, Schema, SchemaState},
};
use tokio_postgres::{Error, error::SqlState};

/// The key of the advisory lock that serialises nodes that start at the same time: `Till` in ASCII.
const LOCK: i64 = 0x54_69_6c_6c;

/// The table in each schema that records its role and its version.
const VERSION_TABLE: &str = "till_schema";

/// True if any of the schemas exists.
pub(crate) async fn holds_store(url: &DatabaseUrl) -> Result<bool, StoreError> {
    let connection = connect(url).await?;
    for role in Role::ALL {
        if found(&connection, role).await.map_err(|e| failed(url, &e))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Applies the migrations that are missing.
pub(crate) async fn migrate(url: &DatabaseUrl) -> Result<(), StoreError> {
    let connection = connect(url).await?;
    let begin = format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})");
    connection.run(&begin).await.map_err(|error| failed(url, &error))?;
    refuse_loss(&connection, url).await?;
    for role in Role::ALL {
        migrate_role(&connection, url, role, Extent::Required).await?;
    }
    connection.run("COMMIT").await.map_err(|error| failed(url, &error))?;
    // Nodes of the version before may be at work. A transaction that locked several of their tables, one after another,
    // could wait for one of theirs that waits for it (deadlock), so each of the others has its own.
    for role in Role::ALL {
        while migrate_one(&connection, url, role).await? {}
    }
    Ok(())
}

/// How many of the missing migrations are applied together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    All,
    /// Up to the last one that the version before does not know.
    Required,
}

/// Applies the next migration of a schema in a transaction of its own. False if there is none.
async fn migrate_one(connection: &Connection, url: &DatabaseUrl, role: Role) -> Result<bool, StoreError> {
    let begin = format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})");
    connection.run(&begin).await.map_err(|error| failed(url, &error))?;
    let found = found(connection, role).await.map_err(|error| failed(url, &error))?;
    let newest = found.map_or(0, |(_, state)| state.newest);
    let next = Schema::of(role).missing(newest).next();
    let text = next.map_or_else(String::new, |next| {
        let search_path = format!("SET LOCAL search_path = {};", role.name());
        [search_path, next.postgres(role).to_owned(), record_step(next.version)].concat()
    });
    connection.run(&format!("{text} COMMIT")).await.map_err(|error| failed(url, &error))?;
    Ok(next.is_some())
}

/// The statements that record the newest migration.
fn record_step(version: i64) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS {STEPS_TABLE} (version BIGINT NOT NULL);
         DELETE FROM {STEPS_TABLE}; INSERT INTO {STEPS_TABLE} VALUES ({version});"
    )
}

/// Begins a transaction and creates the schemas in it; the caller fills them and commits. `None` if there is a store.
pub(crate) async fn begin_creation(url: &DatabaseUrl) -> Result<Option<Connection>, StoreError> {
    let connection = connect(url).await?;
    let begin = format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})");
    connection.run(&begin).await.map_err(|error| failed(url, &error))?;
    // With the lock, so that no other process creates one meanwhile.
    for role in Role::ALL {
        if found(&connection, role).await.map_err(|error| failed(url, &error))?.is_some() {
            return Ok(None);
        }
    }
    for role in Role::ALL {
        migrate_role(&connection, url, role, Extent::All).await?;
    }
    Ok(Some(connection))
}

async fn connect(url: &DatabaseUrl) -> Result<Connection, StoreError> {
    Connector::new(url, None, "start", SessionSetup::Plain).connect().await
}

/// What each schema records of itself; `None` if there is none.
pub(crate) async fn schema_states(url: &DatabaseUrl) -> Result<Vec<(Role, Option<SchemaState>)>, StoreError> {
    let connection = connect(url).await?;
    let mut states = Vec::new();
    for role in Role::ALL {
        let found = found(&connection, role).await.map_err(|error| failed(url, &error))?;
        states.push((role, found.map(|(_, state)| state)));
    }
    Ok(states)
}

/// The role and version that a schema records; `None` if it is not ours or does not exist.
async fn found(connection: &Connection, role: Role) -> Result<Option<(String, SchemaState)>, Error> {
    let name = role.name();
    let is_there = async |table: &str| {
        let there = format!("SELECT 1::BIGINT WHERE to_regclass('{name}.{table}') IS NOT NULL");
        connection.ask_number(&there).await.map(|found| found.is_some())
    };
    if !is_there(VERSION_TABLE).await? {
        return Ok(None);
    }
    let owner = connection.ask(&format!("SELECT role FROM {name}.{VERSION_TABLE}")).await?;
    let required = connection.ask_number(&format!("SELECT version FROM {name}.{VERSION_TABLE}")).await?;
    let steps = if is_there(STEPS_TABLE).await? {
        connection.ask_number(&format!("SELECT version FROM {name}.{STEPS_TABLE}")).await?
    } else {
        None
    };
    Ok(owner.zip(required.map(|required| SchemaState::new(required, steps))))
}

async fn migrate_role(
    connection: &Connection,
    url: &DatabaseUrl,
    role: Role,
    extent: Extent,
) -> Result<(), StoreError> {
    let (schema, name) = (Schema::of(role), role.name());
    let place = format!("schema {name} of {url}");
    let found = found(connection, role).await.map_err(|error| failed(url, &error))?;
    let none = SchemaState::new(0, None);
    let (state, known) = (found.as_ref().map_or(none, |(_, state)| *state), schema.version());
    if let Some((owner, _)) = found.filter(|(owner, _)| owner != name) {
        let reason =
            format!("it is the schema {owner} under another name; restore the original schema names");
        return Err(StoreError::cannot_open(place, reason));
    }
    if state.required > known {
        return Err(StoreError::NewerSchema { place, found: state.required, known });
    }
    let last = match extent {
        Extent::All => known,
        // An empty schema has no other nodes.
        Extent::Required if state.required == 0 => known,
        Extent::Required => schema.required(),
    };
    if state.newest >= last {
        return Ok(());
    }
    let mut text = String::new();
    if state.required == 0 {
        text.push_str(&format!(
            "CREATE SCHEMA IF NOT EXISTS {name};
             CREATE TABLE {name}.{VERSION_TABLE} (role TEXT NOT NULL, version BIGINT NOT NULL);
             INSERT INTO {name}.{VERSION_TABLE} VALUES ('{name}', 0);"
        ));
    }
    text.push_str(&format!("SET LOCAL search_path = {name};"));
    for migration in schema.missing(state.newest).take_while(|migration| migration.version <= last) {
        text.push_str(migration.postgres(role));
    }
    let required = state.required.max(schema.required());
    text.push_str(&format!("UPDATE {VERSION_TABLE} SET version = {required};{}", record_step(last)));
    connection.run(&text).await.map_err(|error| failed(url, &error))
}

/// Refuses a database in which one schema holds rows and another is gone: something was lost, and an empty
/// schema in its place would hide it.
async fn refuse_loss(connection: &Connection, url: &DatabaseUrl) -> Result<(), StoreError> {
    let (mut filled, mut lost) = (None, None);
    for role in Role::ALL {
        let (name, table) = (role.name(), Schema::of(role).main_table);
        if found(connection, role).await.map_err(|error| failed(url, &error))?.is_none() {
            lost = Some(name);
            continue;
        }
        let rows = format!("SELECT 1::BIGINT WHERE EXISTS (SELECT 1 FROM {name}.{table})");
        if connection.ask_number(&rows).await.map_err(|error| failed(url, &error))?.is_some() {
            filled = Some(name);
        }
    }
    let (Some(filled), Some(lost)) = (filled, lost) else { return Ok(()) };
    let reason = format!("it is missing, while {filled} holds data; restore it from a backup");
    Err(StoreError::cannot_open(format!("schema {lost} of {url}"), reason))
}

fn failed(url: &DatabaseUrl, error: &Error) -> StoreError {
    let advice = if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
        "; allow its user to create schemas: GRANT CREATE ON DATABASE … TO …"
    } else {
        ""
    };
    StoreError::cannot_open(url, format!("cannot upgrade its schemas: {}{advice}", describe(error)))
}
