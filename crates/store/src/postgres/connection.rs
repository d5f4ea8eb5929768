//! One connection to the server, with its prepared statements.

use super::url::DatabaseUrl;
use crate::{
    error::StoreError,
    migrate::Role,
    sql::{Row, Sql, Value},
};
use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{task::AbortHandle, time::timeout};
use tokio_postgres::{
    Client, Config, Error, Statement,
    types::{IsNull, ToSql, Type, private::BytesMut},
};

/// How long a host may take from the first packet to a session that is ready, so that one that hangs does
/// not keep us from the next.
const READY_WITHIN: Duration = Duration::from_secs(4);

/// Makes connections for one database.
#[derive(Debug)]
pub(crate) struct Connector {
    url: DatabaseUrl,
    role: Option<Role>,
    /// What the connections are for, as the server's administrator sees it.
    purpose: &'static str,
    /// More settings of the session.
    options: &'static str,
    /// The host that was right the last time.
    last_good: AtomicUsize,
}

impl Connector {
    pub(crate) fn new(
        url: &DatabaseUrl,
        role: Option<Role>,
        purpose: &'static str,
        options: &'static str,
    ) -> Self {
        Self { url: url.clone(), role, purpose, options, last_good: AtomicUsize::new(0) }
    }

    pub(super) fn url(&self) -> &DatabaseUrl {
        &self.url
    }

    /// Connects to the first host that can be written, beginning with the one that was right before.
    pub(crate) async fn connect(&self) -> Result<Connection, StoreError> {
        let hosts = self.url.hosts();
        let first = self.last_good.load(Ordering::Relaxed);
        let mut reasons = Vec::new();
        for index in (0..hosts.len()).map(|step| (first + step) % hosts.len()) {
            let Some(host) = hosts.get(index) else { continue };
            match timeout(READY_WITHIN, self.connect_to(host)).await {
                Ok(Ok(connection)) => {
                    self.last_good.store(index, Ordering::Relaxed);
                    return Ok(connection);
                }
                Ok(Err(error)) => reasons.push(describe(&error)),
                Err(_) => reasons.push(format!("no answer within {READY_WITHIN:?}")),
            }
        }
        reasons.dedup();
        Err(StoreError::cannot_open(&self.url, reasons.join("; ")))
    }

    async fn connect_to(&self, host: &Config) -> Result<Connection, Error> {
        let mut config = host.clone();
        let given = host.get_options().unwrap_or("");
        let path = self.role.map_or_else(String::new, |role| format!(" -c search_path={}", role.name()));
        config.options(format!("{given}{path} {}", self.options));
        let role = self.role.map_or("", Role::name);
        config.application_name(format!("till {role} {}", self.purpose));
        let (client, driver) = config.connect(self.url.tls()).await?;
        let driver = tokio::spawn(async move {
            if let Err(error) = driver.await {
                tracing::debug!(error = describe(&error), "a connection to the database ended");
            }
        });
        Ok(Connection { client, statements: Mutex::default(), driver: driver.abort_handle() })
    }
}

/// What went wrong, in the server's own words where it has any.
pub(super) fn describe(error: &Error) -> String {
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
    driver: AbortHandle,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // A server that hangs would keep it alive.
        self.driver.abort();
    }
}

/// A text as it was prepared: where it is in memory, and whether it takes arrays.
type Prepared = (usize, bool);

impl Connection {
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Runs texts that return nothing.
    pub(super) async fn run(&self, text: &str) -> Result<(), Error> {
        self.client.batch_execute(text).await
    }

    /// Asks for one text, such as a setting.
    pub(super) async fn ask(&self, text: &str) -> Result<Option<String>, Error> {
        let row = self.client.query_opt(text, &[]).await?;
        row.map_or(Ok(None), |row| row.try_get(0))
    }

    /// Asks for one number.
    pub(super) async fn ask_number(&self, text: &str) -> Result<Option<i64>, Error> {
        let row = self.client.query_opt(text, &[]).await?;
        row.map_or(Ok(None), |row| row.try_get(0))
    }

    /// Reads rows.
    pub(super) async fn query(&self, sql: &'static Sql, params: &[Value]) -> Result<Vec<Row>, Error> {
        let statement = self.prepare(sql).await?;
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|value| value as _).collect();
        let rows = self.client.query(&statement, &params).await?;
        rows.iter().map(read_row).collect()
    }

    /// Runs a prepared statement, and gives how many rows it changed. It is sent at the first poll, so that
    /// statements polled in order are sent in order without waiting for each other.
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

    /// Prepares a text, unless that was done before.
    pub(crate) async fn prepare(&self, sql: &'static Sql) -> Result<Statement, Error> {
        let key = (sql.postgres().as_ptr().addr(), false);
        if let Some(statement) = self.prepared(key) {
            return Ok(statement);
        }
        let statement = self.client.prepare(sql.postgres()).await?;
        Ok(self.keep(key, statement))
    }

    /// Prepares the form of a hot insert that takes arrays.
    pub(crate) async fn prepare_arrays(&self, sql: &'static Sql) -> Result<Statement, Error> {
        let key = (sql.postgres().as_ptr().addr(), true);
        if let Some(statement) = self.prepared(key) {
            return Ok(statement);
        }
        let single = self.prepare(sql).await?;
        let types: Vec<&str> = single.params().iter().map(Type::name).collect();
        let statement = self.client.prepare(&sql.postgres_arrays(&types)).await?;
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

    // Each value says itself whether it fits.
    fn accepts(_: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}
