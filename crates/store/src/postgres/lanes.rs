//! Connections for reading. Each is shared: requests follow one another on it without waiting for answers.
//!
//! A lane connects when it is first needed and again when its connection is gone, so that a server that was
//! restarted is found again without anybody's help.

use super::connection::{Connection, Connector};
use crate::{
    error::StoreError,
    sql::{Row, Sql, Value},
};
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::time::timeout;

/// How long an answer may take before the connection counts as dead.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// A few connections for one kind of read.
#[derive(Debug)]
pub(super) struct Lanes {
    connector: Connector,
    lanes: Vec<Lane>,
}

#[derive(Debug, Default)]
struct Lane {
    open: Mutex<Option<Arc<Connection>>>,
    /// Held by whoever connects; holds when and why that last failed.
    connecting: tokio::sync::Mutex<Option<(Instant, String)>>,
    in_flight: AtomicUsize,
}

impl Lanes {
    pub(super) fn new(connector: Connector, count: usize) -> Self {
        Self { connector, lanes: (0..count).map(|_| Lane::default()).collect() }
    }

    /// Reads rows; once more if the connection turns out to be gone, since reading twice does no harm.
    pub(super) async fn query(&self, sql: &'static Sql, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.with(|connection| async move { connection.query(sql, params).await }).await
    }

    /// Asks something on one of the connections.
    pub(super) async fn with<T, Asked>(&self, ask: impl Fn(Arc<Connection>) -> Asked) -> Result<T, StoreError>
    where
        Asked: Future<Output = Result<T, tokio_postgres::Error>>,
    {
        let lane = self.quietest();
        lane.in_flight.fetch_add(1, Ordering::Relaxed);
        let _leave = Leave(lane);
        let mut again = true;
        loop {
            let connection = lane.connection(&self.connector).await?;
            match timeout(ANSWER_WITHIN, ask(Arc::clone(&connection))).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) => {
                    if again && connection.is_closed() {
                        again = false;
                        continue;
                    }
                    return Err(StoreError::failed("a read", error));
                }
                Err(_) => {
                    lane.forget(&connection);
                    return Err(StoreError::failed("a read", "the database gave no answer in time"));
                }
            }
        }
    }

    fn quietest(&self) -> &Lane {
        let lane = self.lanes.iter().min_by_key(|lane| lane.in_flight.load(Ordering::Relaxed));
        lane.unwrap_or_else(|| unreachable!("there is at least one lane"))
    }
}

/// Notes that a request is done, however it ended.
struct Leave<'a>(&'a Lane);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lane {
    fn current(&self) -> Option<Arc<Connection>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.as_ref().filter(|connection| !connection.is_closed()).cloned()
    }

    /// The lane's connection; one of those who find none makes it, and the others share what comes of it.
    async fn connection(&self, connector: &Connector) -> Result<Arc<Connection>, StoreError> {
        if let Some(connection) = self.current() {
            return Ok(connection);
        }
        let asked = Instant::now();
        let mut failure = self.connecting.lock().await;
        if let Some(connection) = self.current() {
            return Ok(connection);
        }
        if let Some((at, why)) = &*failure
            && *at > asked
        {
            return Err(StoreError::failed("connecting", why.clone()));
        }
        match connector.connect().await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(error) => {
                *failure = Some((Instant::now(), error.to_string()));
                Err(error)
            }
        }
    }

    /// Lets go of a connection that gives no answers.
    fn forget(&self, dead: &Arc<Connection>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_some_and(|connection| Arc::ptr_eq(connection, dead)) {
            *open = None;
        }
    }
}
