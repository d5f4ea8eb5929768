//! The interface between the store and its database engine: a few kinds of reads and one write.
//!
//! Another engine is another variant of [`Engine`]; nothing above this file knows which one runs.

pub(crate) mod checked;
pub(crate) mod clock;
pub(crate) mod due;
pub(crate) mod error;
pub(crate) mod inspect;
pub(crate) mod migrate;
pub(crate) mod news;
pub(crate) mod node;
pub(crate) mod postgres;
pub(crate) mod queue;
pub(crate) mod size;
pub(crate) mod sql;
pub(crate) mod sqlite;

use crate::engine::{
    error::StoreError,
    news::News,
    postgres::Postgres,
    size::StoreSize,
    sql::{Row, Sql, Statement, Value},
    sqlite::Sqlite,
};

/// Whether acknowledged writes are synced to disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Synced before a write is acknowledged. The only setting with which the service starts.
    Full,
    /// Not synced: only for proving that the tests notice lost writes.
    Off,
}

/// One database: a file of the embedded store, or a schema on a server.
#[derive(Debug)]
pub(crate) enum Engine {
    Sqlite(Sqlite),
    Postgres(Box<Postgres>),
}

/// The outcome of a unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    /// All of it is durable.
    Done,
    /// The guard with this index in the unit changed no row; nothing was written.
    Stopped(usize),
}

/// The write counters of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreStats {
    /// Units of work that were written.
    pub units: u64,
    /// Transactions that they shared (batches).
    pub batches: u64,
    /// Units refused because the queue was full.
    pub refused: u64,
    /// Microseconds spent in transactions.
    pub write_us: u64,
    /// Units waiting now.
    pub waiting: usize,
    /// The part of an embedded database's write-ahead log that is in use, in bytes.
    pub log_bytes: Option<u64>,
}

impl Engine {
    pub(crate) fn stats(&self) -> StoreStats {
        match self {
            Self::Sqlite(sqlite) => sqlite.stats(),
            Self::Postgres(postgres) => postgres.stats(),
        }
    }

    /// A short read: a few rows by key.
    pub(crate) async fn read(&self, sql: &'static Sql, params: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => {
                let rows = sqlite.read(sql, &params);
                #[cfg(feature = "simulation")]
                crate::simulation::wait().await;
                rows
            }
            Self::Postgres(postgres) => postgres.read(sql, &params).await,
        }
    }

    /// A worker's read, which may take long and must not delay short ones.
    pub(crate) async fn scan(&self, sql: &'static Sql, params: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.scan(sql, params).await,
            Self::Postgres(postgres) => postgres.scan(sql, &params).await,
        }
    }

    /// A read of `till verify`, which may take very long.
    pub(crate) async fn study(&self, sql: &'static Sql, params: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.scan(sql, params).await,
            Self::Postgres(postgres) => postgres.study(sql, &params).await,
        }
    }

    /// A read for which a user waits and which may take long: it must delay neither short reads nor workers.
    pub(crate) async fn browse(&self, sql: &'static Sql, params: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.scan(sql, params).await,
            Self::Postgres(postgres) => postgres.browse(sql, &params).await,
        }
    }

    /// Makes a unit of work durable, all of it or nothing.
    pub(crate) async fn write(&self, unit: Vec<Statement>) -> Result<WriteOutcome, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.write(unit).await,
            Self::Postgres(postgres) => postgres.write(unit).await,
        }
    }

    /// Checks that a write succeeds.
    pub(crate) async fn probe(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.probe().await,
            Self::Postgres(postgres) => postgres.probe().await,
        }
    }

    /// The announcements of changed sessions between nodes; `None` for the embedded store, which has one
    /// node.
    pub(crate) fn news(&self, node: [u8; 4]) -> Option<News> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(postgres) => Some(postgres.news(node)),
        }
    }

    /// Checks that the database keeps what it acknowledges.
    pub(crate) async fn assert_durable(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.assert_durable(),
            Self::Postgres(postgres) => postgres.assert_durable().await,
        }
    }

    /// Reads the whole database and returns the damage found; empty if there is none.
    pub(crate) async fn find_damage(&self) -> Result<Vec<String>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.find_damage().await,
            Self::Postgres(postgres) => postgres.find_damage().await,
        }
    }

    /// The names of its tables.
    pub(crate) async fn tables(&self) -> Result<Vec<String>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.tables().await,
            Self::Postgres(postgres) => postgres.tables().await,
        }
    }

    pub(crate) async fn size(&self) -> Result<StoreSize, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.size().await,
            Self::Postgres(postgres) => postgres.size().await,
        }
    }

    /// Conditions of the database that are allowed but that the operator should know about.
    pub(crate) async fn warnings(&self) -> Result<Vec<String>, StoreError> {
        match self {
            Self::Sqlite(_) => Ok(Vec::new()),
            Self::Postgres(postgres) => postgres.warnings().await,
        }
    }
}
