//! The batching writer of a file: concurrent units share one transaction and one sync.
//!
//! The thread takes the waiting units, runs all of them in one transaction and answers their callers after
//! the commit. If a unit fails, the batch is rolled back and its units are run one by one, so that a bad unit
//! never fails a good one. After a fault nothing more is written; see [`super::fault`].

use super::{
    DurabilitySettings,
    checkpoint::{self, Checkpoints, LogLength},
    commits::{Commit, CommitFile},
    fault::FaultStop,
    identity::OpenFiles,
};
use crate::engine::{
    StoreStats, WriteOutcome,
    error::StoreError,
    queue::{Answer, Batch, Jobs, Queue},
    sql::Statement,
};
use rusqlite::{Connection, ErrorCode, config::DbConfig};
use std::{path::PathBuf, sync::Arc, thread};
use tokio::runtime::Handle;

/// Sends units to the writer thread. The thread ends, and closes the file, when this is dropped.
#[derive(Debug)]
pub(crate) struct Writer {
    queue: Option<Queue>,
    thread: Option<thread::JoinHandle<()>>,
    settings: DurabilitySettings,
    log: LogLength,
}

impl Writer {
    pub(crate) fn start(file: WrittenFile) -> Result<Self, StoreError> {
        let (mut writer, jobs) = Self::new(&file, Handle::try_current().ok())?;
        let name = file.path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let thread = thread::Builder::new()
            .name(format!("write-{name}"))
            .spawn(move || run(file, jobs))
            .map_err(|e| StoreError::failed("starting the writer", e))?;
        writer.thread = Some(thread);
        Ok(writer)
    }

    /// The same as a task of the runtime, for a simulation.
    #[cfg(feature = "simulation")]
    pub(crate) fn start_task(file: WrittenFile) -> Result<Self, StoreError> {
        let (writer, mut jobs) = Self::new(&file, None)?;
        tokio::spawn(async move {
            let mut checkpoints = Checkpoints::new(file.log.clone());
            while let Some(batch) = jobs.batch().await {
                crate::simulation::wait().await;
                file.write(batch, &mut checkpoints);
            }
            file.close();
        });
        Ok(writer)
    }

    fn new(file: &WrittenFile, callers: Option<Handle>) -> Result<(Self, Jobs), StoreError> {
        let settings = DurabilitySettings::read(&file.connection)
            .map_err(|e| StoreError::failed("reading the durability settings", e))?;
        let (queue, jobs) = Queue::new(callers);
        Ok((Self { queue: Some(queue), thread: None, settings, log: file.log.clone() }, jobs))
    }

    pub(crate) fn settings(&self) -> &DurabilitySettings {
        &self.settings
    }

    pub(crate) fn stats(&self) -> StoreStats {
        StoreStats { log_bytes: Some(self.log.bytes()), ..self.queue().stats() }
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

fn run(file: WrittenFile, mut jobs: Jobs) {
    let mut checkpoints = Checkpoints::new(file.log.clone());
    while let Some(batch) = jobs.blocking_batch() {
        file.write(batch, &mut checkpoints);
    }
    file.close();
}

/// The file to which the thread writes.
#[derive(Debug)]
pub(crate) struct WrittenFile {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
    pub(crate) faults: Arc<FaultStop>,
    /// The names that have to lead to this file while it is open.
    pub(crate) names: OpenFiles,
    /// The file in which commits are recorded; `None` where a command only examines the database.
    pub(crate) commits: Option<Arc<CommitFile>>,
    pub(crate) log: LogLength,
}

/// Why a transaction did not happen.
enum WriteFailure {
    /// It could not be started: another process holds the file, or it cannot be written.
    Begin(rusqlite::Error),
    /// A unit failed, or the commit refused what one of them wrote; everything is rolled back.
    Unit,
    /// The commit gave an error, and its outcome is unknown.
    Commit(String),
}

/// Why a commit was not confirmed.
enum Uncommitted {
    /// A constraint was violated; the transaction is rolled back.
    Refused(rusqlite::Error),
    /// It may or may not have happened.
    Unknown(String),
}

impl WrittenFile {
    fn write(&self, batch: Batch, checkpoints: &mut Checkpoints) {
        let answers = self.run_batch(&batch.units());
        batch.answer(answers);
        if self.faults.reason().is_none() {
            checkpoints.run_if_due(&self.connection, &self.faults, &self.path);
        }
    }

    fn run_batch(&self, units: &[&[Statement]]) -> Vec<Answer> {
        match self.in_one_transaction(units) {
            Ok(answers) => answers.into_iter().map(Ok).collect(),
            Err(WriteFailure::Begin(error)) => {
                let error = error.to_string();
                let failed = || StoreError::failed("starting a transaction", error.as_str());
                units.iter().map(|_| Err(self.stopped().unwrap_or_else(failed))).collect()
            }
            Err(WriteFailure::Commit(error)) => {
                units.iter().map(|_| Err(StoreError::unknown(&error))).collect()
            }
            Err(WriteFailure::Unit) => units.iter().map(|unit| self.alone(unit)).collect(),
        }
    }

    /// The answer to every unit after a fault.
    fn stopped(&self) -> Option<StoreError> {
        self.faults.reason().map(|reason| StoreError::Stopped(reason.to_owned()))
    }

    fn in_one_transaction(&self, units: &[&[Statement]]) -> Result<Vec<WriteOutcome>, WriteFailure> {
        if self.stopped().is_some() {
            return Err(WriteFailure::Unit);
        }
        let before = self.begin().map_err(WriteFailure::Begin)?;
        let mut answers = Vec::with_capacity(units.len());
        for unit in units {
            match self.run_unit(unit) {
                Ok(written @ (WriteOutcome::Done | WriteOutcome::Stopped(0))) => answers.push(written),
                // A guard that stops behind other statements leaves their changes behind: roll them back.
                Ok(WriteOutcome::Stopped(_)) | Err(_) => {
                    self.roll_back();
                    return Err(WriteFailure::Unit);
                }
            }
        }
        match self.commit(before) {
            Ok(()) => Ok(answers),
            Err(Uncommitted::Refused(_)) => Err(WriteFailure::Unit),
            Err(Uncommitted::Unknown(error)) => Err(WriteFailure::Commit(error)),
        }
    }

    /// Runs a unit in a transaction of its own, so that an error belongs to it alone.
    fn alone(&self, unit: &[Statement]) -> Answer {
        if let Some(stopped) = self.stopped() {
            return Err(stopped);
        }
        let before = self.begin().map_err(|e| StoreError::failed("starting a transaction", e))?;
        match self.run_unit(unit) {
            Ok(WriteOutcome::Done) => match self.commit(before) {
                Ok(()) => Ok(WriteOutcome::Done),
                Err(Uncommitted::Refused(error)) => Err(StoreError::failed("a write", error)),
                Err(Uncommitted::Unknown(error)) => Err(StoreError::unknown(&error)),
            },
            Ok(stopped @ WriteOutcome::Stopped(_)) => {
                self.roll_back();
                Ok(stopped)
            }
            Err(error) => {
                self.roll_back();
                Err(self.stopped().unwrap_or_else(|| StoreError::failed("a write", error)))
            }
        }
    }

    fn run_unit(&self, unit: &[Statement]) -> rusqlite::Result<WriteOutcome> {
        for (index, statement) in unit.iter().enumerate() {
            let execute = || {
                let mut prepared = self.connection.prepare_cached(statement.sql.sqlite())?;
                prepared.execute(rusqlite::params_from_iter(&statement.params))
            };
            let changed = execute().inspect_err(|error| self.faults.judge("a write", error))?;
            if statement.guarded && changed == 0 {
                return Ok(WriteOutcome::Stopped(index));
            }
        }
        Ok(WriteOutcome::Done)
    }

    /// Starts a transaction, and returns the connection's change count before it.
    fn begin(&self) -> rusqlite::Result<u64> {
        let begin = || self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([]);
        begin().inspect_err(|error| self.faults.judge("starting a transaction", error))?;
        Ok(self.connection.total_changes())
    }

    fn commit(&self, before: u64) -> Result<(), Uncommitted> {
        let count = || {
            let changed = self.connection.total_changes() > before;
            changed.then(|| Commit::count(&self.connection)).transpose()
        };
        let commit = count().inspect_err(|error| {
            self.faults.judge("a write", error);
            self.roll_back();
        });
        let commit = commit.map_err(Uncommitted::Refused)?;
        let committed = self.connection.prepare_cached("COMMIT").and_then(|mut c| c.execute([]));
        if let Err(error) = committed {
            self.faults.judge("a commit", &error);
            self.roll_back();
            return Err(match error.sqlite_error_code() {
                Some(ErrorCode::ConstraintViolation) => Uncommitted::Refused(error),
                _ => Uncommitted::Unknown(error.to_string()),
            });
        }
        if let Some(replaced) = self.names.find_replaced() {
            self.faults.stop(&replaced);
            return Err(Uncommitted::Unknown(replaced));
        }
        if let (Some(commit), Some(commits)) = (commit, &self.commits) {
            commits.note(commit);
        }
        Ok(())
    }

    fn roll_back(&self) {
        // Some errors have rolled back already. After a fault the file is left as it is.
        if self.connection.is_autocommit() || self.faults.reason().is_some() {
            return;
        }
        if let Err(error) = self.connection.execute_batch("ROLLBACK") {
            self.faults.stop(&format!("a transaction could not be rolled back: {error}"));
        }
    }

    /// Truncates the log and lets SQLite remove it. After a fault, and where the file was only examined, it
    /// stays as it is.
    fn close(self) {
        if self.faults.reason().is_some() || self.commits.is_none() {
            return;
        }
        match checkpoint::empty_log(&self.connection) {
            Ok(()) => {
                let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
            }
            Err(error) => {
                self.faults.judge("the last checkpoint", &error);
                tracing::warn!(%error, "the log of {} is kept for the next start", self.path.display());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{
        Durability,
        migrate::{Role, Schema},
        sql::Sql,
        sqlite::{OnFault, Sqlite},
    };
    use rusqlite::hooks::{AuthAction, AuthContext, Authorization, TransactionOperation};
    use std::path::Path;

    static RAISE: Sql = Sql::new("UPDATE commit_count SET at = $1");
    static BREAK: Sql = Sql::new("INSERT INTO nowhere (x) VALUES ($1)");

    fn unit(sql: &'static Sql) -> Vec<Statement> {
        vec![Statement { sql, params: vec![1.into()], guarded: false }]
    }

    fn file(folder: &Path) -> WrittenFile {
        let schema = Schema::of(Role::Sandbox);
        Sqlite::open_file(&folder.join("sandbox.db"), &schema, Durability::Full, OnFault::Report)
            .expect("a file")
    }

    #[test]
    fn f4b_a_rollback_that_fails_stops_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = file(folder.path());
        let refuse = |context: AuthContext<'_>| match context.action {
            AuthAction::Transaction { operation: TransactionOperation::Rollback } => Authorization::Deny,
            _ => Authorization::Allow,
        };
        file.connection.authorizer(Some(refuse)).expect("an authorizer");
        let (good, bad) = (unit(&RAISE), unit(&BREAK));
        let answers = file.run_batch(&[&good, &bad]);
        assert!(answers.iter().all(|answer| matches!(answer, Err(StoreError::Stopped(_)))), "{answers:?}");
        let reason = file.faults.reason().expect("a fault");
        assert!(reason.contains("could not be rolled back"), "{reason}");
        let later = file.run_batch(&[&good]);
        assert!(matches!(later[..], [Err(StoreError::Stopped(_))]), "{later:?}");
    }

    #[test]
    fn l6_a_constraint_at_commit_costs_only_the_unit_that_breaks_it() {
        static GOOD: Sql = Sql::new("INSERT INTO one (id) VALUES ($1)");
        static ORPHAN: Sql = Sql::new("INSERT INTO two (one) VALUES ($1 + 41)");
        let folder = tempfile::tempdir().expect("a folder");
        let file = file(folder.path());
        file.connection
            .execute_batch(
                "CREATE TABLE one (id INTEGER PRIMARY KEY);
                 CREATE TABLE two (one INTEGER REFERENCES one (id) DEFERRABLE INITIALLY DEFERRED);",
            )
            .expect("tables");
        let (good, orphan) = (unit(&GOOD), unit(&ORPHAN));
        let answers = file.run_batch(&[&good, &orphan]);
        assert!(
            matches!(answers[..], [Ok(WriteOutcome::Done), Err(StoreError::Failed { .. })]),
            "{answers:?}"
        );
        let rows = |table: &str| -> i64 {
            let count = format!("SELECT COUNT(*) FROM {table}");
            file.connection.query_row(&count, [], |row| row.get(0)).expect("a count")
        };
        assert_eq!((rows("one"), rows("two")), (1, 0));
        assert_eq!(file.faults.reason(), None);
    }
}
