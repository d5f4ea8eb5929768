//! The seam between what is stored and the database that stores it: a few reads and one write.
//!
//! Another engine is another variant here; nothing above this file knows which one runs.

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

/// How hard the store tries to keep what it acknowledges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Synced before the answer. The only one that the service starts with.
    Full,
    /// Not synced: for proving that the tests notice, and for nothing else.
    Off,
}

/// One database: a file of the embedded store, or a schema on a server.
#[derive(Debug)]
pub(crate) enum Engine {
    Sqlite(Sqlite),
    Postgres(Box<Postgres>),
}

/// What became of a unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// All of it is durable.
    Done,
    /// The guard of the statement with this index found nothing to change; nothing was done.
    Stopped(usize),
}

/// What a database counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreStats {
    /// Units of work that were written.
    pub units: u64,
    /// Transactions that they shared.
    pub batches: u64,
    /// Units that found the queue full.
    pub refused: u64,
    /// Microseconds spent in transactions.
    pub write_us: u64,
    /// Units that wait now.
    pub waiting: usize,
    /// The part of an embedded database's log that is in use, in bytes.
    pub log_bytes: Option<u64>,
}

impl Engine {
    /// What was counted so far.
    pub(crate) fn stats(&self) -> StoreStats {
        match self {
            Self::Sqlite(sqlite) => sqlite.stats(),
            Self::Postgres(postgres) => postgres.stats(),
        }
    }

    /// A short read: a few rows by key.
    pub(crate) async fn read(&self, sql: &'static Sql, params: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.read(sql, &params),
            Self::Postgres(postgres) => postgres.read(sql, &params).await,
        }
    }

    /// A worker's read, which may take long and must not hold up short ones.
    pub(crate) async fn scan(&self, sql: &'static Sql, params: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.scan(sql, params).await,
            Self::Postgres(postgres) => postgres.scan(sql, &params).await,
        }
    }

    /// A read of `till verify`, which may take as long as it takes.
    pub(crate) async fn study(&self, sql: &'static Sql, params: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.scan(sql, params).await,
            Self::Postgres(postgres) => postgres.study(sql, &params).await,
        }
    }

    /// A read that a person waits for and that may take long: it must hold up neither short ones nor workers.
    pub(crate) async fn browse(&self, sql: &'static Sql, params: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.scan(sql, params).await,
            Self::Postgres(postgres) => postgres.browse(sql, &params).await,
        }
    }

    /// Makes a unit of work durable, all of it or nothing.
    pub(crate) async fn write(&self, unit: Vec<Statement>) -> Result<Written, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.write(unit).await,
            Self::Postgres(postgres) => postgres.write(unit).await,
        }
    }

    /// Whether a write gets through.
    pub(crate) async fn probe(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.probe().await,
            Self::Postgres(postgres) => postgres.probe().await,
        }
    }

    /// What nodes tell each other; nothing where there is only one.
    pub(crate) fn news(&self, node: [u8; 4]) -> Option<News> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(postgres) => Some(postgres.news(node)),
        }
    }

    /// Checks that what is acknowledged is kept.
    pub(crate) async fn assert_durable(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.assert_durable(),
            Self::Postgres(postgres) => postgres.assert_durable().await,
        }
    }

    /// Reads the whole database for damage; empty if there is none.
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

    /// How large the database is.
    pub(crate) async fn size(&self) -> Result<StoreSize, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.size().await,
            Self::Postgres(postgres) => postgres.size().await,
        }
    }

    /// What about the database is allowed but should be known.
    pub(crate) async fn warnings(&self) -> Result<Vec<String>, StoreError> {
        match self {
            Self::Sqlite(_) => Ok(Vec::new()),
            Self::Postgres(postgres) => postgres.warnings().await,
        }
    }
}
