//! The one writer of a file: concurrent units share one transaction and one sync.
//!
//! The thread takes what waits, runs all of it in one transaction and answers everybody after the commit.
//! If a unit fails, the batch is rolled back and run one by one, so a bad neighbour never costs a good
//! request.

use super::DurabilitySettings;
use crate::{
    engine::{StoreStats, Written},
    error::StoreError,
    queue::{Answer, Jobs, Queue},
    sql::Statement,
};
use rusqlite::Connection;
use std::{path::Path, thread};
use tokio::runtime::Handle;

/// Sends units to the writer thread. The thread ends, and closes the file, when this is dropped.
#[derive(Debug)]
pub(crate) struct Writer {
    queue: Option<Queue>,
    thread: Option<thread::JoinHandle<()>>,
    settings: DurabilitySettings,
}

impl Writer {
    pub(crate) fn start(connection: Connection, path: &Path) -> Result<Self, StoreError> {
        let settings = DurabilitySettings::read(&connection)
            .map_err(|e| StoreError::failed("reading the durability settings", e))?;
        let (queue, jobs) = Queue::new(Handle::try_current().ok());
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let thread = thread::Builder::new()
            .name(format!("write-{name}"))
            .spawn(move || run(&connection, jobs))
            .map_err(|e| StoreError::failed("starting the writer", e))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), settings })
    }

    pub(crate) fn settings(&self) -> &DurabilitySettings {
        &self.settings
    }

    pub(crate) fn stats(&self) -> StoreStats {
        self.queue().stats()
    }

    pub(crate) async fn write(&self, unit: Vec<Statement>) -> Answer {
        self.queue().write(unit).await
    }

    fn queue(&self) -> &Queue {
        self.queue.as_ref().unwrap_or_else(|| unreachable!("it is there until this is dropped"))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(connection: &Connection, mut jobs: Jobs) {
    while let Some(batch) = jobs.blocking_batch() {
        let answers = run_batch(connection, &batch.units());
        batch.answer(answers);
    }
}

fn run_batch(connection: &Connection, units: &[&[Statement]]) -> Vec<Answer> {
    match in_one_transaction(connection, units) {
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        Err(Failure::Begin(error)) => {
            let error = error.to_string();
            units.iter().map(|_| Err(StoreError::failed("starting a transaction", error.as_str()))).collect()
        }
        Err(Failure::Commit(error)) => {
            let error = error.to_string();
            units.iter().map(|_| Err(unknown(&error))).collect()
        }
        Err(Failure::Unit) => units.iter().map(|unit| alone(connection, unit)).collect(),
    }
}

/// Why a transaction did not happen.
enum Failure {
    /// It could not be started: another process holds the file, or it cannot be written.
    Begin(rusqlite::Error),
    /// Some unit failed before the commit; everything is rolled back.
    Unit,
    /// The commit itself gave an error.
    Commit(rusqlite::Error),
}

fn in_one_transaction(connection: &Connection, units: &[&[Statement]]) -> Result<Vec<Written>, Failure> {
    begin(connection).map_err(Failure::Begin)?;
    let mut answers = Vec::with_capacity(units.len());
    for unit in units {
        match run_unit(connection, unit) {
            Ok(written @ (Written::Done | Written::Stopped(0))) => answers.push(written),
            // A later guard that stops leaves the earlier statements behind: undo them.
            Ok(Written::Stopped(_)) | Err(_) => {
                roll_back(connection);
                return Err(Failure::Unit);
            }
        }
    }
    commit(connection).map_err(Failure::Commit)?;
    Ok(answers)
}

/// A unit in a transaction of its own, so that its error is its own.
fn alone(connection: &Connection, unit: &[Statement]) -> Answer {
    begin(connection).map_err(|e| StoreError::failed("starting a transaction", e))?;
    match run_unit(connection, unit) {
        Ok(Written::Done) => match commit(connection) {
            Ok(()) => Ok(Written::Done),
            Err(error) => Err(unknown(&error.to_string())),
        },
        Ok(stopped @ Written::Stopped(_)) => {
            roll_back(connection);
            Ok(stopped)
        }
        Err(error) => {
            roll_back(connection);
            Err(StoreError::failed("a write", error))
        }
    }
}

fn run_unit(connection: &Connection, unit: &[Statement]) -> rusqlite::Result<Written> {
    for (index, statement) in unit.iter().enumerate() {
        let mut prepared = connection.prepare_cached(statement.sql.sqlite())?;
        let changed = prepared.execute(rusqlite::params_from_iter(&statement.params))?;
        if statement.guarded && changed == 0 {
            return Ok(Written::Stopped(index));
        }
    }
    Ok(Written::Done)
}

fn begin(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([]).map(drop)
}

fn commit(connection: &Connection) -> rusqlite::Result<()> {
    let committed = connection.prepare_cached("COMMIT").and_then(|mut c| c.execute([])).map(drop);
    if committed.is_err() {
        roll_back(connection);
    }
    committed
}

fn roll_back(connection: &Connection) {
    // Some errors have rolled back already.
    if !connection.is_autocommit()
        && let Err(error) = connection.execute_batch("ROLLBACK")
    {
        tracing::error!(%error, "a transaction could not be rolled back");
    }
}

fn unknown(error: &str) -> StoreError {
    StoreError::Unknown(Box::new(StoreError::failed("a commit", error)))
}
