//! One connection to the server, with its prepared statements.

use super::{durability, hosts::Hosts, probe::Probe, timeline, url::DatabaseUrl};
use crate::engine::{
    error::StoreError,
    migrate::Role,
    sql::{Row, Sql, Value},
};
use std::{
    collections::{HashMap, HashSet},
    future::poll_fn,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{mpsc, watch},
    task::AbortHandle,
    time::timeout,
};
use tokio_postgres::{
    AsyncMessage, Client, Error, Socket, Statement,
    error::{DbError, Severity},
    tls::TlsStream,
    types::{IsNull, ToSql, Type, private::BytesMut},
};

/// How long it may take to find the host in use and to establish a session that is ready.
const READY_WITHIN: Duration = Duration::from_secs(4);

/// Makes connections for one database.
#[derive(Debug)]
pub(crate) struct Connector {
    url: DatabaseUrl,
    role: Option<Role>,
    /// The purpose of the connections, as the server's administrator sees it.
    purpose: &'static str,
    setup: SessionSetup,
    /// The receiver of the server's notifications, if there is one.
    notifications: Option<mpsc::UnboundedSender<String>>,
    /// Keeps the hosts being probed while connections may be made.
    _probe: Option<Arc<Probe>>,
}

/// The preparation of a new session before it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionSetup {
    Plain,
    /// It serves the reads of the service, through indexes.
    Reader,
    /// It writes, and only between `BEGIN READ WRITE` and COMMIT: a statement whose BEGIN failed must fail
    /// too, instead of being committed on its own.
    Writer {
        /// Whether it must be checked that the server keeps what it acknowledges.
        durable: bool,
    },
}

impl SessionSetup {
    /// Settings of the session. A node that is frozen in the middle of a transaction must not keep the others
    /// waiting: the server ends its transaction. A node that waits for a row lock of another node gives up
    /// before its callers do. Rows are looked up one by one in the order of the arrays, whatever the
    /// statistics say. Every read uses its index, too: a table that grew since the statistics were made, or
    /// has none yet, is not scanned sequentially. Statements are planned once: a list has a part for each status and method,
    /// and planning it anew, which the server prefers on large tables, costs more than all its rows.
    fn options(self) -> &'static str {
        match self {
            Self::Plain => "",
            // The planner rates a query without an index as so expensive that it would compile the statement
            // (JIT).
            Self::Reader => {
                "-c enable_seqscan=off -c max_parallel_workers_per_gather=0 -c jit=off \
                 -c plan_cache_mode=force_generic_plan"
            }
            Self::Writer { .. } => {
                "-c idle_in_transaction_session_timeout=5s -c lock_timeout=1s \
                 -c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off"
            }
        }
    }

    async fn apply(self, connection: &Connection) -> Result<(), String> {
        let Self::Writer { durable } = self else { return Ok(()) };
        let failed = |error: Error| describe(&error);
        if durable && let Some(weakness) = durability::find_weakness(connection).await.map_err(failed)? {
            return Err(format!("it is not durable: {weakness}"));
        }
        connection.run("SET default_transaction_read_only = on").await.map_err(failed)
    }
}

impl Connector {
    pub(crate) fn new(
        url: &DatabaseUrl,
        role: Option<Role>,
        purpose: &'static str,
        setup: SessionSetup,
    ) -> Self {
        let probe = url.hosts().watch();
        Self { url: url.clone(), role, purpose, setup, notifications: None, _probe: probe }
    }

    /// Forwards the server's notifications.
    pub(super) fn forward_notifications(&mut self, to: mpsc::UnboundedSender<String>) {
        self.notifications = Some(to);
    }

    /// Connects to the host in use, and to the next one if that is left meanwhile.
    pub(crate) async fn connect(&self) -> Result<Connection, StoreError> {
        let hosts = self.url.hosts();
        let connecting = async {
            loop {
                let index = hosts.chosen().await?;
                tokio::select! {
                    connected = self.connect_to(index) => {
                        let connected = connected.map_err(|reason| hosts.reasons(index, reason))?;
                        if !matches!(self.setup, SessionSetup::Writer { .. }) {
                            return Ok(connected);
                        }
                        // The session is ready before the first write is allowed.
                        hosts.settled().await;
                        if !connected.is_closed() {
                            return Ok(connected);
                        }
                    }
                    () = hosts.left(index) => {}
                }
            }
        };
        let connected = timeout(READY_WITHIN, connecting).await;
        connected
            .unwrap_or_else(|_| Err(format!("no response within {READY_WITHIN:?}")))
            .map_err(|reason| StoreError::cannot_open(&self.url, reason))
    }

    async fn connect_to(&self, index: usize) -> Result<Connection, String> {
        let hosts = self.url.hosts();
        let mut config = hosts.config(index);
        let options = config.get_options().unwrap_or("");
        let path = self.role.map_or_else(String::new, |role| format!(" -c search_path={}", role.name()));
        config.options(format!("{options}{path} {}", self.setup.options()));
        let role = self.role.map_or("", Role::name);
        config.application_name(format!("till {role} {}", self.purpose));
        let connected = config.connect(hosts.tls()).await;
        let (client, driver) = connected.map_err(|error| describe(&error))?;
        let (open, ended) = watch::channel(());
        let unconfirmed = Arc::new(AtomicBool::new(false));
        let driver = drive(driver, self.notifications.clone(), Arc::clone(&unconfirmed), open);
        let mut connection = Connection {
            client,
            statements: Mutex::default(),
            broken: AtomicBool::new(false),
            unconfirmed,
            driver: tokio::spawn(driver).abort_handle(),
            ended,
            hosts: Arc::clone(hosts),
            host: index,
            generation: 0,
        };
        let timeline = timeline::of_writable(&connection.client).await.map_err(|error| describe(&error))?;
        let timeline = timeline.ok_or("it does not accept writes")?;
        connection.generation = hosts.admit(index, timeline, connection.driver.clone())?;
        self.setup.apply(&connection).await?;
        Ok(connection)
    }
}

/// Drives the connection until it ends, and handles the server's asynchronous messages. `_open` is dropped at
/// the end.
async fn drive<Stream: TlsStream + Unpin>(
    mut driver: tokio_postgres::Connection<Socket, Stream>,
    notifications: Option<mpsc::UnboundedSender<String>>,
    unconfirmed: Arc<AtomicBool>,
    _open: watch::Sender<()>,
) {
    loop {
        match poll_fn(|context| driver.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notification(notification))) => {
                if let Some(notifications) = &notifications {
                    let _ = notifications.send(notification.payload().to_owned());
                }
            }
            // The notice comes before the answer to its COMMIT.
            Some(Ok(AsyncMessage::Notice(notice))) if is_cancelled_wait(&notice) => {
                unconfirmed.store(true, Ordering::Release);
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                tracing::debug!(error = describe(&error), "a connection to the database ended");
                return;
            }
            None => return,
        }
    }
}

/// True if the server says that it committed without waiting for its standby, because the wait was cancelled.
/// The text depends on the server's language; the place in its source does not. For a server that hides the
/// place, any warning of this class is taken to mean this.
fn is_cancelled_wait(notice: &DbError) -> bool {
    let warning = notice.parsed_severity().is_none_or(|severity| severity == Severity::Warning);
    let plain = notice.code().code() == "01000";
    warning && notice.file().map_or(plain, |file| file.ends_with("syncrep.c"))
}

/// Describes an error in the server's own words where it has any, but never with the values of a row, which
/// its details would contain.
pub(crate) fn describe(error: &Error) -> String {
    if let Some(db_error) = error.as_db_error() {
        let constraint = db_error.constraint().map(|name| format!(", constraint {name}")).unwrap_or_default();
        return format!(
            "{}: {} ({}{constraint})",
            db_error.severity(),
            db_error.message(),
            db_error.code().code()
        );
    }
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

/// A session with the server.
pub(crate) struct Connection {
    client: Client,
    statements: Mutex<HashMap<Prepared, Statement>>,
    /// Set when it is unknown whether a transaction is open.
    broken: AtomicBool,
    /// Set when the server has committed without waiting for its standby.
    unconfirmed: Arc<AtomicBool>,
    driver: AbortHandle,
    /// Its other end is dropped when the connection ends.
    ended: watch::Receiver<()>,
    hosts: Arc<Hosts>,
    /// The index of its host.
    host: usize,
    /// The connection is ended when a later generation begins.
    generation: u64,
}

/// The durability of a COMMIT that the server answered with success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommitDurability {
    /// Stored wherever it has to be.
    Everywhere,
    /// Stored on the primary; unknown on the standby that has to confirm it.
    Here,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // A server that hangs would keep the connection alive.
        self.driver.abort();
    }
}

/// True if a COMMIT that failed with this error has surely written nothing: a deferred constraint was
/// violated.
pub(super) fn is_definite(error: &Error) -> bool {
    let refused = |error: &DbError| {
        error.code().code().starts_with("23") && error.parsed_severity().is_none_or(|s| s == Severity::Error)
    };
    error.as_db_error().is_some_and(refused)
}

/// The key of a prepared statement: the address of its text in memory, and its form.
type Prepared = (usize, Form);

/// The forms of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    Written,
    /// With an array for each parameter.
    Arrays,
    /// The lock of the rows that it changes.
    Lock,
}

impl Connection {
    /// True if it can no longer be used.
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed() || self.broken.load(Ordering::Relaxed)
    }

    /// The session itself, for work that is not the service's.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Runs SQL that returns nothing, such as BEGIN. After a failure the connection is not used again.
    pub(crate) async fn run(&self, text: &str) -> Result<(), Error> {
        let ran = self.client.batch_execute(text).await;
        if ran.is_err() {
            self.broken.store(true, Ordering::Relaxed);
        }
        ran
    }

    /// Commits. An error for which [`is_definite`] is true leaves the connection usable, with nothing
    /// written.
    pub(super) async fn commit(&self) -> Result<CommitDurability, Error> {
        let ran = self.client.batch_execute("COMMIT").await;
        if ran.as_ref().is_err_and(|error| !is_definite(error)) {
            self.broken.store(true, Ordering::Relaxed);
        }
        ran?;
        let unconfirmed = self.unconfirmed.swap(false, Ordering::AcqRel);
        Ok(if unconfirmed { CommitDurability::Here } else { CommitDurability::Everywhere })
    }

    /// Waits until the connection has ended.
    pub(super) async fn ended(&self) {
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }

    /// True if its answers are still valid: there is no newer primary.
    pub(super) async fn confirm(&self) -> bool {
        self.hosts.confirm(self.generation).await
    }

    /// Records that it failed to answer, so that another host is used if there is one.
    pub(super) fn distrust(&self) {
        self.hosts.distrust(self.host, self.generation);
    }

    /// Sends a notification to the listeners of a channel.
    pub(super) async fn notify(&self, channel: &str, payload: &str) -> Result<(), Error> {
        self.client.execute("SELECT pg_notify($1, $2)", &[&channel, &payload]).await.map(drop)
    }

    /// Queries a single text, such as a setting.
    pub(super) async fn ask(&self, text: &str) -> Result<Option<String>, Error> {
        let row = self.client.query_opt(text, &[]).await?;
        row.map_or(Ok(None), |row| row.try_get(0))
    }

    /// Queries a single number.
    pub(super) async fn ask_number(&self, text: &str) -> Result<Option<i64>, Error> {
        let row = self.client.query_opt(text, &[]).await?;
        row.map_or(Ok(None), |row| row.try_get(0))
    }

    pub(super) async fn query(&self, sql: &'static Sql, params: &[Value]) -> Result<Vec<Row>, Error> {
        let statement = self.prepare(sql).await?;
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|value| value as _).collect();
        let rows = self.client.query(&statement, &params).await?;
        rows.iter().map(read_row).collect()
    }

    /// Runs a prepared statement, and returns the number of rows that it changed. It is sent at the first
    /// poll, so that statements polled in order are sent in order without waiting for each other
    /// (pipelining).
    pub(super) async fn execute(&self, statement: &Statement, params: &[Value]) -> Result<u64, Error> {
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|value| value as _).collect();
        self.client.execute(statement, &params).await
    }

    /// As [`Connection::execute`], with many rows at once.
    pub(super) async fn execute_arrays(
        &self,
        statement: &Statement,
        columns: &[Vec<&Value>],
    ) -> Result<u64, Error> {
        let params: Vec<&(dyn ToSql + Sync)> = columns.iter().map(|column| column as _).collect();
        self.client.execute(statement, &params).await
    }

    /// As [`Connection::execute_arrays`], for updates; returns for each whether it changed a row.
    pub(super) async fn update_each(
        &self,
        statement: &Statement,
        columns: &[Vec<&Value>],
    ) -> Result<Vec<bool>, Error> {
        let params: Vec<&(dyn ToSql + Sync)> = columns.iter().map(|column| column as _).collect();
        let mut changed = vec![false; columns.first().map_or(0, Vec::len)];
        for row in self.client.query(statement, &params).await? {
            // SQL counts from 1.
            let place: i64 = row.try_get(0)?;
            if let Some(it) = usize::try_from(place - 1).ok().and_then(|place| changed.get_mut(place)) {
                *it = true;
            }
        }
        Ok(changed)
    }

    /// As [`Connection::execute_arrays`], for inserts that may insert nothing; returns for each whether it inserted its row. The
    /// first column has the ids.
    pub(super) async fn insert_each(
        &self,
        statement: &Statement,
        columns: &[Vec<&Value>],
    ) -> Result<Vec<bool>, Error> {
        let params: Vec<&(dyn ToSql + Sync)> = columns.iter().map(|column| column as _).collect();
        let rows = self.client.query(statement, &params).await?;
        let ids = rows.iter().map(|row| row.try_get::<_, Vec<u8>>(0).map(Value::Bytes));
        let inserted = ids.collect::<Result<HashSet<Value>, Error>>()?;
        Ok(columns.first().into_iter().flatten().map(|id| inserted.contains(*id)).collect())
    }

    /// Prepares a statement, unless that was done before.
    pub(crate) async fn prepare(&self, sql: &'static Sql) -> Result<Statement, Error> {
        let key = (sql.postgres().as_ptr().addr(), Form::Written);
        if let Some(statement) = self.prepared(key) {
            return Ok(statement);
        }
        let statement = self.client.prepare(sql.postgres()).await?;
        Ok(self.keep(key, statement))
    }

    /// The server's query plan for a statement, whatever its values.
    #[cfg(test)]
    pub(crate) async fn explain(&self, sql: &'static Sql) -> Result<String, Error> {
        let count = self.prepare(sql).await?.params().len();
        self.explain_text(sql.postgres(), count).await
    }

    /// The same for the form of a hot statement that takes arrays.
    #[cfg(test)]
    pub(crate) async fn explain_arrays(&self, sql: &'static Sql) -> Result<String, Error> {
        let arrays = self.arrays(sql).await?;
        let count = self.prepare(sql).await?.params().len();
        self.explain_text(&arrays, count).await
    }

    #[cfg(test)]
    async fn explain_text(&self, text: &str, parameters: usize) -> Result<String, Error> {
        let values = vec!["NULL"; parameters].join(", ");
        let values = if values.is_empty() { values } else { format!("({values})") };
        let text = format!(
            "SET plan_cache_mode = force_generic_plan; PREPARE explained AS {text}; EXPLAIN EXECUTE explained{values};
             DEALLOCATE explained"
        );
        let said = self.client.simple_query(&text).await?;
        let lines = said.iter().filter_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }

    /// Prepares the form of a hot statement that takes arrays.
    pub(crate) async fn prepare_arrays(&self, sql: &'static Sql) -> Result<Statement, Error> {
        let key = (sql.postgres().as_ptr().addr(), Form::Arrays);
        if let Some(statement) = self.prepared(key) {
            return Ok(statement);
        }
        let statement = self.client.prepare(&self.arrays(sql).await?).await?;
        Ok(self.keep(key, statement))
    }

    async fn arrays(&self, sql: &'static Sql) -> Result<String, Error> {
        let single = self.prepare(sql).await?;
        let types: Vec<&str> = single.params().iter().map(Type::name).collect();
        Ok(sql.postgres_arrays(&types))
    }

    /// Prepares the statement that locks rows which an update changes.
    pub(crate) async fn prepare_lock(&self, sql: &'static Sql) -> Result<Statement, Error> {
        let key = (sql.postgres().as_ptr().addr(), Form::Lock);
        if let Some(statement) = self.prepared(key) {
            return Ok(statement);
        }
        let statement = self.client.prepare(&sql.postgres_lock()).await?;
        Ok(self.keep(key, statement))
    }

    fn prepared(&self, key: Prepared) -> Option<Statement> {
        self.statements.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    fn keep(&self, key: Prepared, statement: Statement) -> Statement {
        let mut statements = self.statements.lock().unwrap_or_else(PoisonError::into_inner);
        statements.entry(key).or_insert(statement).clone()
    }
}

fn read_row(row: &tokio_postgres::Row) -> Result<Row, Error> {
    let mut values = Vec::with_capacity(row.len());
    for (index, column) in row.columns().iter().enumerate() {
        let value = match *column.type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(index)?.into(),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(index)?.map_or(Value::Null, Value::Bytes),
            Type::BOOL => row.try_get::<_, Option<bool>>(index)?.into(),
            _ => row.try_get::<_, Option<String>>(index)?.into(),
        };
        values.push(value);
    }
    Ok(Row::new(values))
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql_checked(kind, out),
            Self::Text(text) => text.to_sql_checked(kind, out),
            Self::Bytes(bytes) => bytes.to_sql_checked(kind, out),
            Self::Bool(yes) => yes.to_sql_checked(kind, out),
        }
    }

    // Each value checks itself whether it fits.
    fn accepts(_: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}
