//! The embedded engine: SQLite in WAL mode, one writer thread, inline reads.
//!
//! Point reads run on the caller's thread: they take microseconds, less than handing them over would. Long
//! reads run on the blocking pool. All writes go through [`writer`].

mod checkpoint;
pub(crate) mod commits;
mod fault;
pub(crate) mod folder;
pub(crate) mod identity;
pub(crate) mod migrate;
mod recovery;
mod size;
mod writer;

pub use checkpoint::LARGE_LOG;
pub use fault::OnFault;

use crate::engine::{
    Durability, StoreStats, WriteOutcome,
    error::StoreError,
    migrate::{Schema, SchemaState},
    sql::{Row, Sql, Statement, Value},
};
use checkpoint::LogLength;
use commits::CommitFile;
use fault::{FaultStop, find_fault, is_fault};
use identity::{FileId, OpenFiles};
use rusqlite::{Connection, OpenFlags, config::DbConfig, types::ValueRef};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use till_domain::defect::Defect;
use writer::{Writer, WrittenFile};

/// How long to wait for another process that writes, such as an operator's command.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Prepared statements kept per connection.
const STATEMENT_CACHE: usize = 64;

/// The page cache of the writer, in KiB. Memory is taken only as it is needed.
const WRITER_CACHE_KIB: i64 = 32 * 1024;

/// Idle read connections kept open.
const MAX_IDLE_READERS: usize = 16;

/// How long a successful probe counts for later callers.
const PROBED_FOR: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Sqlite {
    readers: Arc<Readers>,
    writer: Writer,
    /// False in a simulation: everything runs on the thread of the caller, in an order that a seed decides.
    #[cfg(feature = "simulation")]
    threads: bool,
    /// A description of missing acknowledged commits. The file is refused because of them unless it is only
    /// examined.
    loss: Option<String>,
    /// When a probe last succeeded.
    probed_at: tokio::sync::Mutex<Option<Instant>>,
}

impl Sqlite {
    /// Opens or creates the file and migrates its schema.
    pub(crate) fn open(
        path: &Path,
        schema: &Schema,
        durability: Durability,
        on_fault: OnFault,
    ) -> Result<Self, StoreError> {
        let file = Self::open_file(path, schema, durability, on_fault)?;
        let faults = Arc::clone(&file.faults);
        let readers = Arc::new(Readers { path: path.to_owned(), faults, idle: Mutex::default() });
        let loss = match on_fault {
            OnFault::Report => find_loss(path, &file.connection)?,
            _ => None,
        };
        #[cfg(feature = "simulation")]
        let threads = !on_fault.is_simulated();
        #[cfg(feature = "simulation")]
        let writer = if threads { Writer::start(file)? } else { Writer::start_task(file)? };
        #[cfg(not(feature = "simulation"))]
        let writer = Writer::start(file)?;
        Ok(Self {
            readers,
            writer,
            #[cfg(feature = "simulation")]
            threads,
            loss,
            probed_at: Default::default(),
        })
    }

    fn open_file(
        path: &Path,
        schema: &Schema,
        durability: Durability,
        on_fault: OnFault,
    ) -> Result<WrittenFile, StoreError> {
        let commits = match on_fault {
            OnFault::Report => None,
            _ => Some(Arc::new(recovery::prepare(path)?)),
        };
        let opened = open_current(path, schema, durability);
        if let (Err(StoreError::Damaged(_)), Some(commits)) = (&opened, &commits) {
            commits.note_fault();
        }
        let mut connection = opened?;
        let cannot = |reason: String| StoreError::cannot_open(path.display(), reason);
        let log = LogLength::follow(&mut connection).map_err(|error| cannot(error.to_string()))?;
        let names = OpenFiles::of(path).map_err(|error| cannot(error.to_string()))?;
        let faults = Arc::new(FaultStop::new(path, on_fault, commits.clone()));
        Ok(WrittenFile { path: path.to_owned(), connection, faults, names, commits, log })
    }

    pub(crate) fn read(&self, sql: &Sql, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.readers.query(sql, params)
    }

    pub(crate) async fn scan(&self, sql: &'static Sql, params: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let readers = Arc::clone(&self.readers);
        self.blocking(move || readers.query(sql, &params)).await
    }

    pub(crate) async fn write(&self, unit: Vec<Statement>) -> Result<WriteOutcome, StoreError> {
        self.writer.write(unit).await
    }

    /// Checks that a small write gets through to the disk. A successful probe also counts for every caller
    /// within [`PROBED_FOR`].
    pub(crate) async fn probe(&self) -> Result<(), StoreError> {
        let mut probed_at = self.probed_at.lock().await;
        if probed_at.is_some_and(|at| at.elapsed() < PROBED_FOR) {
            return Ok(());
        }
        match self.writer.write(commits::probe()).await? {
            WriteOutcome::Done => {
                *probed_at = Some(Instant::now());
                Ok(())
            }
            WriteOutcome::Stopped(_) => {
                Err(StoreError::Corrupt("the count of commits is missing".to_owned()))
            }
        }
    }

    pub(crate) fn stats(&self) -> StoreStats {
        self.writer.stats()
    }

    pub(crate) fn assert_durable(&self) -> Result<(), StoreError> {
        let settings = self.writer.settings();
        match settings.weakness() {
            None => Ok(()),
            Some(reason) => {
                Err(StoreError::NotDurable { place: self.readers.path.display().to_string(), reason })
            }
        }
    }

    pub(crate) async fn find_damage(&self) -> Result<Vec<String>, StoreError> {
        static CHECK: Sql = Sql::new("PRAGMA quick_check(20)");
        static LINKS: Sql = Sql::new("PRAGMA foreign_key_check");
        let mut damage: Vec<String> = self.loss.iter().cloned().collect();
        for mut row in self.scan(&CHECK, vec![]).await? {
            let line = row.text()?;
            if line != "ok" {
                damage.push(line.replace('\n', " "));
            }
        }
        if damage.is_empty() {
            let links = self.scan(&LINKS, vec![]).await?.len();
            if links > 0 {
                damage.push(format!("{links} rows point to rows that do not exist"));
            }
        }
        Ok(damage)
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        #[cfg(feature = "simulation")]
        if !self.threads {
            let done = work();
            crate::simulation::wait().await;
            return done;
        }
        tokio::task::spawn_blocking(work).await.unwrap_or(Err(StoreError::Closed))
    }
}

/// Opens a file for writing and migrates its schema.
fn open_current(path: &Path, schema: &Schema, durability: Durability) -> Result<Connection, StoreError> {
    let damaged = |reason: String| StoreError::Damaged(format!("{}: {reason}", path.display()));
    let failed = |error: rusqlite::Error| match is_fault(&error) {
        true => damaged(error.to_string()),
        false => StoreError::cannot_open(path.display(), error.to_string()),
    };
    let mut connection = open_by_name(path)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    prepare_once(&connection).map_err(failed)?;
    patiently(|| set_pragmas(&connection, durability)).map_err(failed)?;
    migrate::migrate(&mut connection, path, schema).map_err(|error| match find_fault(&error) {
        Some(fault) => damaged(fault.to_string()),
        None => error,
    })?;
    Ok(connection)
}

/// Opens the file that has this name. If another file gets the name meanwhile, that one is opened instead.
fn open_by_name(path: &Path) -> Result<Connection, StoreError> {
    let cannot = |reason: String| StoreError::cannot_open(path.display(), reason);
    let mut before = FileId::of(path).ok();
    for _ in 0..3 {
        let connection = Connection::open(path).map_err(|error| cannot(error.to_string()))?;
        // Only checkpoints whose result is judged may write to the file.
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            .map_err(|error| cannot(error.to_string()))?;
        let after = FileId::of(path).map_err(|error| cannot(error.to_string()))?;
        if before.is_none_or(|before| before == after) {
            return Ok(connection);
        }
        before = Some(after);
    }
    Err(cannot("another file keeps replacing it".to_owned()))
}

/// Describes the acknowledged commits that a file lacks.
fn find_loss(path: &Path, connection: &Connection) -> Result<Option<String>, StoreError> {
    let Some(commits) = CommitFile::examine(path) else { return Ok(None) };
    match commits.find_loss(connection) {
        Ok(loss) => Ok(loss.map(|loss| loss.describe())),
        // The damage is reported by the checks that look for it.
        Err(error) if is_fault(&error) => Ok(None),
        Err(error) => Err(StoreError::failed("counting commits", error)),
    }
}

/// True if a file exists and a table of it has rows; a damaged file counts as one with rows. Changes nothing.
pub(crate) fn has_rows(path: &Path, table: &str) -> Result<bool, StoreError> {
    let rows = look(path, |connection| {
        let known = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)";
        let there: bool = connection.query_row(known, [table], |row| row.get(0))?;
        let rows = format!("SELECT EXISTS (SELECT 1 FROM {table})");
        Ok(there && connection.query_row(&rows, [], |row| row.get(0))?)
    })?;
    Ok(rows == FileState::Damaged || rows == FileState::Found(true))
}

/// What a file records of its schema; `None` if it does not exist or has none yet.
pub(crate) fn schema_state(path: &Path) -> Result<Option<SchemaState>, StoreError> {
    match look(path, migrate::state)? {
        FileState::Missing => Ok(None),
        FileState::Damaged => Err(StoreError::cannot_open(path.display(), "it cannot be read".to_owned())),
        FileState::Found(state) => Ok(Some(state).filter(|state| state.required > 0)),
    }
}

/// True if a file does not exist or has no schema yet.
pub(crate) fn is_blank(path: &Path) -> Result<bool, StoreError> {
    let version = look(path, |c| c.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)))?;
    Ok(version == FileState::Missing || version == FileState::Found(0))
}

/// The result of querying a file.
#[derive(PartialEq, Eq)]
enum FileState<T> {
    /// The file does not exist.
    Missing,
    /// It cannot be read; opening it gives the reason.
    Damaged,
    Found(T),
}

/// Runs a query on a file without changing it.
fn look<T>(
    path: &Path,
    ask: impl Fn(&Connection) -> rusqlite::Result<T>,
) -> Result<FileState<T>, StoreError> {
    if !path.exists() {
        return Ok(FileState::Missing);
    }
    let answer = patiently(|| {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        ask(&connection)
    });
    match answer {
        Ok(answer) => Ok(FileState::Found(answer)),
        Err(error) if is_fault(&error) => Ok(FileState::Damaged),
        Err(error) => Err(StoreError::cannot_open(path.display(), error.to_string())),
    }
}

/// Retries while another process keeps the file busy. Changing the journal mode of a new file does not wait
/// for the busy timeout by itself.
fn patiently<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let give_up = Instant::now() + BUSY_TIMEOUT;
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && Instant::now() < give_up => {
                std::thread::sleep(Duration::from_millis(5));
            }
            ended => return ended,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
}

/// Caches prepared statements, and plans them regardless of the values bound to them: otherwise SQLite
/// compiles some of them anew for every new value.
fn prepare_once(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

fn set_pragmas(connection: &Connection, durability: Durability) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let synchronous = match durability {
        Durability::Full if Defect::CommitNotSynced.is_planted() => "OFF",
        Durability::Full => "FULL",
        Durability::Off => "OFF",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    // The writer runs checkpoints itself, and judges their result.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // The writer uses the same pages of many indexes repeatedly; with a smaller cache they are read again and
    // again.
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    // What is erased does not stay readable in the file: freed bytes and pages are overwritten.
    connection.pragma_update(None, "secure_delete", true)?;
    // The log is truncated to this size at a checkpoint, so that a burst does not leave a huge file.
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)
}

/// The actual durability settings of the writing connection, read back from it.
#[derive(Debug, Clone)]
pub(crate) struct DurabilitySettings {
    journal_mode: String,
    synchronous: i64,
}

impl DurabilitySettings {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            journal_mode: connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?,
            synchronous: connection.pragma_query_value(None, "synchronous", |row| row.get(0))?,
        })
    }

    fn weakness(&self) -> Option<String> {
        const FULL: i64 = 2;
        if self.journal_mode != "wal" {
            return Some(format!("its journal mode is {}, it must be wal", self.journal_mode));
        }
        (self.synchronous < FULL)
            .then(|| format!("synchronous is {}, it must be FULL ({FULL})", self.synchronous))
    }
}

/// Read connections. One is taken for a read and put back; the number in use is bounded by the threads
/// that can read at once.
#[derive(Debug)]
struct Readers {
    path: PathBuf,
    faults: Arc<FaultStop>,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    fn query(&self, sql: &Sql, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        let taken = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match taken {
            Some(connection) => connection,
            None => self.open().map_err(|error| self.judge("opening a read connection", error))?,
        };
        let rows = query(&connection, sql, params).map_err(|error| self.judge("a read", error));
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE_READERS {
            idle.push(connection);
        }
        rows
    }

    fn judge(&self, doing: &'static str, error: rusqlite::Error) -> StoreError {
        self.faults.judge(doing, &error);
        if is_fault(&error) {
            return StoreError::Damaged(error.to_string());
        }
        StoreError::failed(doing, error)
    }

    fn open(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        prepare_once(&connection)?;
        Ok(connection)
    }
}

fn query(connection: &Connection, sql: &Sql, params: &[Value]) -> rusqlite::Result<Vec<Row>> {
    let mut statement = connection.prepare_cached(sql.sqlite())?;
    let width = statement.column_count();
    let mut rows = statement.query(rusqlite::params_from_iter(params))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let mut values = Vec::with_capacity(width);
        for column in 0..width {
            values.push(read_value(row.get_ref(column)?));
        }
        found.push(Row::new(values));
    }
    Ok(found)
}

fn read_value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        // A value that no version of this program writes makes only its own row unreadable, not the rows
        // beside it.
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => Value::Bytes(bytes.to_owned()),
        },
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_owned()),
        ValueRef::Real(number) => Value::Text(number.to_string()),
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => rusqlite::types::Null.into(),
            Self::Int(number) => (*number).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Bytes(bytes) => bytes.as_slice().into(),
            Self::Bool(yes) => (*yes).into(),
        })
    }
}
