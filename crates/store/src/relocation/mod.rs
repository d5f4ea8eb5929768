//! Moving an embedded store to a PostgreSQL server.
//!
//! Everything is written in one transaction: an interrupted move leaves nothing behind. Before it is committed, every table is
//! read back, and its rows are compared with those of the file by count and checksum. The files take no writes meanwhile, and
//! the old store is on hold before the new one exists.

mod rows;
mod source;

use crate::{
    Durability, StoreLocation, Stores,
    engine::{
        error::StoreError,
        migrate::{Role, STEPS_TABLE},
        postgres::{self, Connection, DatabaseUrl, describe},
        sqlite::folder,
    },
};
use futures_util::{SinkExt as _, TryStreamExt as _, pin_mut};
use rows::{Chunk, Column, TableReader, Tally};
use source::LockedFiles;
use std::{fs::File, io::Cursor, path::Path};

/// The reason why a store was not moved.
#[derive(Debug, thiserror::Error)]
pub enum RelocationError {
    #[error("{0} has no store: name the data folder of the service")]
    NoStore(String),
    #[error("the database has a store already: choose an empty database")]
    TargetHasStore,
    #[error("{table} cannot be read from the file: {reason}")]
    Source { table: String, reason: String },
    #[error("a service or another move runs on {0}: stop it first")]
    InUse(String),
    #[error("the server refused a step of the move: {0}")]
    Server(String),
    #[error(
        "the rows of {table} are not the same on the server: {here} rows in the file, {there} on the server"
    )]
    Differs { table: String, here: u64, there: u64 },
    #[error(
        "it is unknown whether the server committed: {0}. The old store is on hold. If `till status` finds a store in the \
         database, everything was moved; if not, run `till release` on the old store, and move it again"
    )]
    Unknown(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<tokio_postgres::Error> for RelocationError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Server(describe(&error))
    }
}

/// A table that was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedTable {
    /// Its database and name.
    pub name: String,
    pub rows: u64,
    /// The sum of the checksums of its rows, in hex.
    pub checksum: String,
}

/// What a move is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelocationStep<'a> {
    Copying(&'a str),
    /// Reads a table back from the server.
    Comparing(&'a str),
    /// The server checks every foreign key.
    CheckingReferences,
}

/// How far a move is.
#[derive(Debug, Clone, Copy)]
pub struct RelocationProgress<'a> {
    pub step: RelocationStep<'a>,
    /// Each row counts twice, when it is copied and when it is compared; the check of the references counts once.
    pub done: u64,
    pub total: u64,
}

/// A copy that the server has not committed yet. Dropped, it leaves nothing behind.
pub struct Relocation {
    connection: Connection,
    source: LockedFiles,
    moved: Vec<MovedTable>,
    _service: File,
}

/// Copies the store in a folder to an empty database of a server, and compares it. No service may run on the folder.
pub async fn copy_store(
    folder: &Path,
    url: &DatabaseUrl,
    mut progress: impl FnMut(RelocationProgress<'_>),
) -> Result<Relocation, RelocationError> {
    if !folder::holds_store(folder) {
        return Err(RelocationError::NoStore(folder.display().to_string()));
    }
    if postgres::holds_store(url).await? {
        return Err(RelocationError::TargetHasStore);
    }
    let service = folder::lock(folder).map_err(|_| RelocationError::InUse(folder.display().to_string()))?;
    // Checks that nothing was lost, and brings the schema to this version.
    drop(Stores::open(&StoreLocation::Folder(folder.to_owned()), Durability::Full, None).await?);
    let source = LockedFiles::lock(folder)?;
    let readers: Vec<TableReader> = Role::ALL
        .into_iter()
        .map(|role| TableReader::all_of(folder, role))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    let total = readers.iter().map(|reader| reader.rows * 2).sum::<u64>() + 1;
    let Some(connection) = postgres::begin_creation(url).await? else {
        return Err(RelocationError::TargetHasStore);
    };
    // The text form of bytes is compared, and a table may be large.
    let local = "SET LOCAL bytea_output = 'hex'; SET LOCAL statement_timeout = 0";
    connection.client().batch_execute(local).await?;
    let links = drop_links(&connection).await?;
    let mut moved = Vec::new();
    let mut before = 0;
    for reader in &readers {
        let name = reader.name();
        let copied = copy_table(&connection, reader, |rows| {
            progress(RelocationProgress { step: RelocationStep::Copying(&name), done: before + rows, total });
        })
        .await?;
        before += copied.tally.rows;
        compare_table(&connection, &name, &copied, |rows| {
            progress(RelocationProgress {
                step: RelocationStep::Comparing(&name),
                done: before + rows,
                total,
            });
        })
        .await?;
        before += copied.tally.rows;
        moved.push(MovedTable { rows: copied.tally.rows, checksum: copied.tally.checksum(), name });
    }
    progress(RelocationProgress { step: RelocationStep::CheckingReferences, done: total, total });
    for link in links {
        connection.client().batch_execute(&link).await?;
    }
    Ok(Relocation { connection, source, moved, _service: service })
}

impl Relocation {
    /// Puts the old store on hold, and commits the new one. Not to be interrupted.
    pub async fn commit(mut self) -> Result<Vec<MovedTable>, RelocationError> {
        let client = self.connection.client();
        self.source.hold()?;
        if let Err(error) = client.batch_execute("COMMIT").await {
            if error.as_db_error().is_none() {
                return Err(RelocationError::Unknown(describe(&error)));
            }
            self.source.release()?;
            return Err(error.into());
        }
        if let Err(error) = client.batch_execute("ANALYZE").await {
            tracing::warn!(error = describe(&error), "the moved tables have no statistics yet: run ANALYZE");
        }
        Ok(self.moved)
    }
}

/// Drops the foreign keys, and returns the statements that add them again: then the server checks them all.
async fn drop_links(connection: &Connection) -> Result<Vec<String>, RelocationError> {
    let schemas = Role::ALL.map(|role| format!("'{}'", role.name())).join(", ");
    let found = connection
        .client()
        .query(
            &format!(
                "SELECT conrelid::regclass::text, conname::text, pg_get_constraintdef(oid) FROM pg_constraint
                 WHERE contype = 'f' AND connamespace::regnamespace::text IN ({schemas})"
            ),
            &[],
        )
        .await?;
    let mut again = Vec::new();
    for row in found {
        let (table, name, definition): (String, String, String) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        connection.client().batch_execute(&format!("ALTER TABLE {table} DROP CONSTRAINT {name}")).await?;
        again.push(format!("ALTER TABLE {table} ADD CONSTRAINT {name} {definition}"));
    }
    Ok(again)
}

/// A table that is on the server, and what the file has of it.
struct CopiedTable {
    /// Its columns, in the order in which they were written.
    columns: String,
    tally: Tally,
}

/// Copies a table. Triggers, which refuse rows that did not come about in the usual way, are off meanwhile. `progress` is
/// called with the number of rows so far.
async fn copy_table(
    connection: &Connection,
    reader: &TableReader,
    mut progress: impl FnMut(u64),
) -> Result<CopiedTable, RelocationError> {
    let (client, name) = (connection.client(), reader.name());
    let columns = columns(connection, reader).await?;
    let list = columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    // A migration may have added rows; the file has them too.
    client.batch_execute(&format!("ALTER TABLE {name} DISABLE TRIGGER USER; DELETE FROM {name}")).await?;
    let sink = client.copy_in(&format!("COPY {name} ({list}) FROM STDIN")).await?;
    pin_mut!(sink);
    let (mut chunks, reading) = reader.read(columns);
    while let Some(Chunk { text, rows }) = chunks.recv().await {
        sink.send(Cursor::new(text)).await?;
        progress(rows);
    }
    let tally = reading.await.map_err(|error| RelocationError::Server(error.to_string()))??;
    sink.finish().await?;
    client.batch_execute(&format!("ALTER TABLE {name} ENABLE TRIGGER USER")).await?;
    Ok(CopiedTable { columns: list, tally })
}

/// The columns of a table of the file, with their types on the server.
async fn columns(connection: &Connection, reader: &TableReader) -> Result<Vec<Column>, RelocationError> {
    let name = reader.name();
    let typed = connection
        .client()
        .query(
            "SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute
             WHERE attrelid = to_regclass($1::text) AND attnum > 0 AND NOT attisdropped",
            &[&name],
        )
        .await?;
    let mut found = Vec::new();
    for row in &typed {
        found.push((row.try_get::<_, String>(0)?, row.try_get::<_, String>(1)?));
    }
    let missing = |column: &String| !reader.columns.contains(column);
    if found.len() != reader.columns.len() || found.iter().any(|(column, _)| missing(column)) {
        return Err(RelocationError::Server(format!("{name} has other columns than in the file")));
    }
    Ok(found.into_iter().map(|(name, kind)| Column { is_flag: kind == "boolean", name }).collect())
}

/// Reads a table back, and compares it. `progress` is called with the number of rows so far.
async fn compare_table(
    connection: &Connection,
    name: &str,
    copied: &CopiedTable,
    mut progress: impl FnMut(u64),
) -> Result<(), RelocationError> {
    let query = format!("COPY (SELECT {} FROM {name}) TO STDOUT", copied.columns);
    let stream = connection.client().copy_out(&query).await?;
    pin_mut!(stream);
    let (mut tally, mut rest) = (Tally::default(), Vec::new());
    while let Some(chunk) = stream.try_next().await? {
        rest.extend_from_slice(&chunk);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            tally.add(&rest[..end]);
            rest.drain(..=end);
        }
        progress(tally.rows);
    }
    if tally != copied.tally {
        let (here, there) = (copied.tally.rows, tally.rows);
        return Err(RelocationError::Differs { table: name.to_owned(), here, there });
    }
    Ok(())
}

/// Tables that each engine keeps for itself.
const OWN_TABLES: [&str; 2] = [STEPS_TABLE, "commit_count"];
