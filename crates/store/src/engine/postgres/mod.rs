//! The shared engine: three schemas of one PostgreSQL database, used by any number of nodes.
//!
//! Reads go over a few shared connections, writes through one batching writer per schema and node. Everything
//! goes to the primary, so that every node reads what any of them has acknowledged. `probe` finds out which
//! host of the URL that is, `choice` decides, and `hosts` enforces it.

mod batch;
mod choice;
mod clock;
mod connection;
mod durability;
mod guards;
mod hosts;
mod lanes;
mod migrate;
mod news;
mod probe;
mod size;
mod steps;
mod timeline;
mod tls;
mod url;
mod writer;

pub(crate) use clock::server_clock;
pub(crate) use connection::{Connection, Connector, SessionSetup, describe};
pub(crate) use migrate::{begin_creation, holds_store, migrate, schema_states};
pub use url::DatabaseUrl;

use crate::engine::{
    Durability, StoreStats, WriteOutcome,
    error::StoreError,
    migrate::Role,
    news::News,
    queue::Queue,
    sql::{Row, Sql, Statement, Value},
};
use lanes::Lanes;
use std::sync::Arc;

/// Connections for short reads, each shared by many requests. Only as many as are needed are opened.
const READ_LANES: usize = 4;

/// Connections for reads that users wait for: lists, figures, exports. Workers have one of their own.
const BROWSE_LANES: usize = 2;

/// Writes a record into the server's write-ahead log that concerns no row and no reader.
static PROBE: Sql = Sql::new("SELECT pg_logical_emit_message(true, 'till'::TEXT, 'ready'::TEXT)");

#[derive(Debug)]
pub(crate) struct Postgres {
    url: DatabaseUrl,
    role: Role,
    readers: Lanes,
    scanner: Lanes,
    browser: Lanes,
    writer: Queue,
}

impl Postgres {
    /// Returns at once; connections are made when they are needed.
    pub(crate) fn open(url: &DatabaseUrl, role: Role, durability: Durability) -> Self {
        let connector = |purpose, setup| Connector::new(url, Some(role), purpose, setup);
        let writes = SessionSetup::Writer { durable: durability == Durability::Full };
        Self {
            url: url.clone(),
            role,
            readers: Lanes::new(connector("read", SessionSetup::Reader), READ_LANES),
            scanner: Lanes::new(connector("scan", SessionSetup::Reader), 1),
            browser: Lanes::new(connector("browse", SessionSetup::Reader), BROWSE_LANES),
            writer: writer::start(connector("write", writes)),
        }
    }

    pub(crate) async fn read(&self, sql: &'static Sql, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.readers.query(sql, params).await
    }

    pub(crate) async fn scan(&self, sql: &'static Sql, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.scanner.query(sql, params).await
    }

    pub(crate) async fn study(&self, sql: &'static Sql, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.scanner.study(sql, params).await
    }

    pub(crate) async fn browse(&self, sql: &'static Sql, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.browser.query(sql, params).await
    }

    pub(crate) async fn write(&self, unit: Vec<Statement>) -> Result<WriteOutcome, StoreError> {
        self.writer.write(unit).await
    }

    /// Checks that a commit gets through, to the disk and to the standbys that must have it. A server waits
    /// for them only after a transaction that wrote something; a message in its write-ahead log locks no row.
    pub(crate) async fn probe(&self) -> Result<(), StoreError> {
        self.write(vec![Statement { sql: &PROBE, params: vec![], guarded: false }]).await.map(drop)
    }

    /// The announcements between nodes about this schema.
    pub(crate) fn news(&self, node: [u8; 4]) -> News {
        let connector = Connector::new(&self.url, Some(self.role), "news", SessionSetup::Plain);
        let channel = match self.role {
            Role::Accounts => "till_accounts",
            Role::Live => "till_live",
            Role::Sandbox => "till_sandbox",
        };
        news::start(connector, channel, node)
    }

    pub(crate) fn stats(&self) -> StoreStats {
        self.writer.stats()
    }

    pub(crate) async fn assert_durable(&self) -> Result<(), StoreError> {
        let find = |connection: Arc<Connection>| async move { durability::find_weakness(&connection).await };
        match self.scanner.with(find).await? {
            None => Ok(()),
            Some(reason) => Err(StoreError::NotDurable { place: self.url.to_string(), reason }),
        }
    }

    pub(crate) async fn warnings(&self) -> Result<Vec<String>, StoreError> {
        let ask =
            |connection: Arc<Connection>| async move { durability::warnings(&connection, &self.url).await };
        self.scanner.with(ask).await
    }

    /// Returns the checksum failures that the server has counted, if it checks its pages as it reads them.
    pub(crate) async fn find_damage(&self) -> Result<Vec<String>, StoreError> {
        const FAILURES: &str =
            "SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database()";
        let ask = |connection: Arc<Connection>| async move { connection.ask_number(FAILURES).await };
        let failures = self.scanner.with(ask).await?.unwrap_or(0);
        let problem = format!("{failures} pages failed their checksum");
        Ok(if failures == 0 { Vec::new() } else { vec![problem] })
    }
}
