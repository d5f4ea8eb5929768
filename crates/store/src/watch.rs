//! What an operator watches: how much waits in each queue, whom open payments depend on, how large the store is.

use crate::{accounts::Accounts, error::StoreError, payments::Payments, sql::Sql};
use till_domain::time::Timestamp;

/// What waits in an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Queues {
    /// Sessions that are pending.
    pub sessions: u64,
    /// Those of them whose time has come.
    pub sessions_due: u64,
    /// Callbacks on their way.
    pub callbacks: u64,
    /// Those of them whose time has come.
    pub callbacks_due: u64,
    /// Attempts that somebody has to look at by now.
    pub attempts_due: u64,
}

/// How large a database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreSize {
    /// Its bytes.
    pub bytes: u64,
    /// Its large tables.
    pub tables: Vec<TableSize>,
}

/// How many rows a table has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: Rows,
}

/// A number of rows, as far as it is known without counting them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// So many.
    Exactly(u64),
    /// Roughly so many.
    About(u64),
    /// More than so many.
    MoreThan(u64),
    /// The server has not looked yet.
    Unknown,
}

/// The tables that grow with use.
pub(crate) const LARGE: [&str; 18] = [
    "sessions",
    "history",
    "payment_attempts",
    "transactions",
    "entries",
    "postings",
    "callbacks",
    "callback_attempts",
    "receipts",
    "dispatches",
    "refunds",
    "payouts",
    "chain_deposits",
    "chain_transfers",
    "visits",
    "audit",
    "logins",
    "mails",
];

static QUEUES: Sql = Sql::new(
    "SELECT (SELECT COUNT(*) FROM sessions WHERE due_at IS NOT NULL),
        (SELECT COUNT(*) FROM sessions WHERE due_at <= $1),
        (SELECT COUNT(*) FROM callbacks WHERE due_at IS NOT NULL),
        (SELECT COUNT(*) FROM callbacks WHERE due_at <= $1),
        (SELECT COUNT(*) FROM payment_attempts WHERE check_at <= $1)",
);
static OPEN_AT_PROVIDERS: Sql = Sql::new(
    "SELECT provider, COUNT(*) FROM payment_attempts
     WHERE state IN ('intended', 'open', 'in_flight') GROUP BY provider ORDER BY provider",
);

// Ids rise with time, so that only the newest are read, however many there are.
static LAST_MONEY: Sql = Sql::new(
    "SELECT provider, MAX(created_at) FROM
        (SELECT provider, created_at FROM transactions ORDER BY id DESC LIMIT 1000) AS newest
     GROUP BY provider ORDER BY provider",
);

/// Every text of this file, for the test that prepares them all.
#[cfg(test)]
pub(crate) static ALL: &[&Sql] = &[&QUEUES, &OPEN_AT_PROVIDERS, &LAST_MONEY];

impl Payments {
    /// What waits, and whose time has come by now.
    pub async fn queues(&self, now: Timestamp) -> Result<Queues, StoreError> {
        let rows = self.engine.browse(&QUEUES, vec![now.into()]).await?;
        let Some(mut row) = rows.into_iter().next() else { return Ok(Queues::default()) };
        let mut next = || row.int().map(|count| u64::try_from(count).unwrap_or(0));
        Ok(Queues {
            sessions: next()?,
            sessions_due: next()?,
            callbacks: next()?,
            callbacks_due: next()?,
            attempts_due: next()?,
        })
    }

    /// How many open payments each provider has.
    pub async fn open_at_providers(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let rows = self.engine.browse(&OPEN_AT_PROVIDERS, vec![]).await?;
        let read = |mut row: crate::sql::Row| Ok((row.text()?, u64::try_from(row.int()?).unwrap_or(0)));
        rows.into_iter().map(read).collect()
    }

    /// When each provider last told of money, among the newest thousand.
    pub async fn last_money(&self) -> Result<Vec<(String, Timestamp)>, StoreError> {
        let rows = self.engine.browse(&LAST_MONEY, vec![]).await?;
        rows.into_iter().map(|mut row| Ok((row.text()?, row.time()?))).collect()
    }

    /// How large the database is.
    pub async fn size(&self) -> Result<StoreSize, StoreError> {
        self.engine.size().await
    }
}

impl Accounts {
    /// How large the database is.
    pub async fn size(&self) -> Result<StoreSize, StoreError> {
        self.engine.size().await
    }
}
