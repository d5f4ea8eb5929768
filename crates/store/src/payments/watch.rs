//! Metrics for operators: the lengths of queues, the open payments of each provider, the size of the store.

use crate::{
    engine::{
        error::StoreError,
        size::StoreSize,
        sql::{Sql, statements},
    },
    payments::Payments,
};
use till_domain::time::Timestamp;

/// The lengths of an environment's queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Queues {
    /// Sessions that are pending.
    pub sessions: u64,
    /// Those of them that are due.
    pub sessions_due: u64,
    /// Callbacks to be delivered.
    pub callbacks: u64,
    /// Those of them that are due.
    pub callbacks_due: u64,
    /// Attempts that are due for a check.
    pub attempts_due: u64,
}

statements! {
    static QUEUES = Sql::new(
        "SELECT (SELECT COUNT(*) FROM sessions WHERE due_at IS NOT NULL),
            (SELECT COUNT(*) FROM sessions WHERE due_at <= $1),
            (SELECT COUNT(*) FROM callbacks WHERE due_at IS NOT NULL),
            (SELECT COUNT(*) FROM callbacks WHERE due_at <= $1),
            (SELECT COUNT(*) FROM payment_attempts WHERE check_at <= $1)",
    );
    static OPEN_AT_PROVIDERS = Sql::new(
        "SELECT provider, COUNT(*) FROM payment_attempts
         WHERE state IN ('intended', 'open', 'in_flight') GROUP BY provider ORDER BY provider",
    );
    // Ids rise with time, so only the newest are read, however many there are.
    static LAST_MONEY = Sql::new(
        "SELECT provider, MAX(created_at) FROM
            (SELECT provider, created_at FROM transactions ORDER BY id DESC LIMIT 1000) AS newest
         GROUP BY provider ORDER BY provider",
    );
}

impl Payments {
    /// The lengths of the queues, and how much of each is due by now.
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

    /// The number of open payments of each provider.
    pub async fn open_at_providers(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let rows = self.engine.browse(&OPEN_AT_PROVIDERS, vec![]).await?;
        let read =
            |mut row: crate::engine::sql::Row| Ok((row.text()?, u64::try_from(row.int()?).unwrap_or(0)));
        rows.into_iter().map(read).collect()
    }

    /// When each provider last reported money, among the newest thousand transactions.
    pub async fn last_money(&self) -> Result<Vec<(String, Timestamp)>, StoreError> {
        let rows = self.engine.browse(&LAST_MONEY, vec![]).await?;
        rows.into_iter().map(|mut row| Ok((row.text()?, row.time()?))).collect()
    }

    pub async fn size(&self) -> Result<StoreSize, StoreError> {
        self.engine.size().await
    }
}
