//! The one writer of a schema on this node: concurrent units share one transaction.
//!
//! A task takes what waits, runs all of it in one transaction and answers everybody after the commit. It is
//! never cancelled: a caller that gives up waiting does not touch a commit under way. When the connection
//! is gone, the next batch makes a new one.

use super::{
    batch,
    connection::{Connection, Connector},
    durability,
};
use crate::{
    error::StoreError,
    queue::{Answer, Jobs, Queue},
    sql::Statement,
    stores::Durability,
};
use std::time::Duration;
use tokio::time::timeout;

/// How long a transaction may take before its connection counts as dead, and its outcome as unknown.
const ANSWER_WITHIN: Duration = Duration::from_secs(15);

/// A node that is frozen in the middle must not keep the others waiting: the server ends its transaction.
/// And one that waits for another node's row gives up before its callers do.
pub(super) const SESSION: &str = "-c idle_in_transaction_session_timeout=5s -c lock_timeout=1s";

/// Starts the writer of a database. It ends when the queue is dropped.
pub(super) fn start(connector: Connector, durability: Durability) -> Queue {
    let (queue, jobs) = Queue::new();
    tokio::spawn(run(Writer { connector, durability, connection: None }, jobs));
    queue
}

struct Writer {
    connector: Connector,
    durability: Durability,
    connection: Option<Connection>,
}

async fn run(mut writer: Writer, mut jobs: Jobs) {
    while let Some(batch) = jobs.batch().await {
        let answers = writer.write(&batch.units()).await;
        batch.answer(answers);
    }
}

impl Writer {
    async fn write(&mut self, units: &[&[Statement]]) -> Vec<Answer> {
        if units.is_empty() {
            return Vec::new();
        }
        let connection = match self.take().await {
            Ok(connection) => connection,
            Err(error) => {
                let reason = error.to_string();
                return units.iter().map(|_| Err(StoreError::failed("a write", reason.as_str()))).collect();
            }
        };
        let Ok(ran) = timeout(ANSWER_WITHIN, batch::run(&connection, units)).await else {
            let answer = || batch::unknown("the database gave no answer in time");
            return units.iter().map(|_| Err(answer())).collect();
        };
        self.connection = ran.keep.then_some(connection);
        ran.answers
    }

    /// The connection, or a new one if there is none that works.
    async fn take(&mut self) -> Result<Connection, StoreError> {
        if let Some(connection) = self.connection.take().filter(|connection| !connection.is_closed()) {
            return Ok(connection);
        }
        let connection = self.connector.connect().await?;
        if self.durability == Durability::Full {
            durability::check(&connection, self.connector.url()).await?;
        }
        Ok(connection)
    }
}
