//! The batching writer of a schema on this node: concurrent units share one transaction.
//!
//! A task takes the waiting units, runs all of them in one transaction and answers their callers after the
//! commit. It is never cancelled: a caller that gives up waiting does not affect a commit under way. When the
//! connection is gone, the next batch makes a new one.

use super::{
    batch,
    connection::{Connection, Connector},
};
use crate::engine::{
    error::StoreError,
    queue::{Answer, Jobs, Queue},
    sql::Statement,
};
use futures_util::FutureExt as _;
use std::{panic::AssertUnwindSafe, time::Duration};
use tokio::time::timeout;

/// How long a transaction may take before its connection counts as dead, and its outcome as unknown.
const PATIENCE: Duration = Duration::from_secs(15);

/// The upper limit of the timeout, which doubles after each batch without an answer (exponential backoff): a
/// server that only hangs still holds the transactions that were abandoned on it.
const MAX_PATIENCE: Duration = Duration::from_secs(600);

/// The number of batches after which the first plans are dropped.
const FIRST_PLANS: u64 = 16;

/// Starts the writer of a database. It ends when the queue is dropped.
pub(super) fn start(connector: Connector) -> Queue {
    let (queue, jobs) = Queue::new(None);
    tokio::spawn(run(Writer { connector, connection: None, batches: 0, patience: PATIENCE }, jobs));
    queue
}

struct Writer {
    connector: Connector,
    connection: Option<Connection>,
    /// Batches that were written with the connection.
    batches: u64,
    patience: Duration,
}

async fn run(mut writer: Writer, mut jobs: Jobs) {
    while let Some(batch) = jobs.batch().await {
        let units = batch.units();
        // No error and no panic ends the writer.
        let written = AssertUnwindSafe(writer.write(&units)).catch_unwind().await;
        let answers = written.unwrap_or_else(|_| all_unknown(&units, "the writer panicked"));
        batch.answer(answers);
    }
}

impl Writer {
    async fn write(&mut self, units: &[&[Statement]]) -> Vec<Answer> {
        let connection = match self.take().await {
            Ok(connection) => connection,
            Err(error) => {
                let reason = error.to_string();
                return units.iter().map(|_| Err(StoreError::failed("a write", reason.as_str()))).collect();
            }
        };
        let running = async {
            let ran = batch::run(&connection, units).await;
            let counts = !ran.answers.iter().any(Result::is_ok) || connection.confirm().await;
            (ran, counts)
        };
        let Ok((ran, counts)) = timeout(self.patience, running).await else {
            self.patience = MAX_PATIENCE.min(self.patience * 2);
            connection.distrust();
            return all_unknown(units, "the database did not respond in time");
        };
        self.patience = PATIENCE;
        if !counts {
            return all_unknown(units, "the database has a new primary, which may not have it");
        }
        if ran.answers.iter().any(|answer| matches!(answer, Err(StoreError::Unknown(_)))) {
            connection.distrust();
        }
        self.batches += 1;
        let keep = ran.keep && !connection.is_closed() && self.renew_plans(&connection).await;
        self.connection = keep.then_some(connection);
        ran.answers
    }

    /// Lets the server plan the statements anew after 16 batches, 32, 64 and so on: a plan that was made for empty tables walks
    /// over them, and the server keeps it until its statistics follow, a minute later. False if the connection failed.
    async fn renew_plans(&self, connection: &Connection) -> bool {
        let is_time = self.batches >= FIRST_PLANS && self.batches.is_power_of_two();
        !is_time || matches!(timeout(self.patience, connection.run("DISCARD PLANS")).await, Ok(Ok(())))
    }

    /// The existing connection, or a new one if there is none that works.
    async fn take(&mut self) -> Result<Connection, StoreError> {
        match self.connection.take().filter(|connection| !connection.is_closed()) {
            Some(connection) => Ok(connection),
            None => {
                self.batches = 0;
                self.connector.connect().await
            }
        }
    }
}

fn all_unknown(units: &[&[Statement]], reason: &str) -> Vec<Answer> {
    units.iter().map(|_| Err(StoreError::unknown(reason))).collect()
}
