//! Connections for reading. Each is shared: requests are pipelined on it, without waiting for answers.
//!
//! A lane connects when it is first needed and again when its connection is gone, so that a server that was
//! restarted is found again without intervention.

use super::connection::{Connection, Connector, describe};
use crate::engine::{
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
use tokio::time::timeout_at;

/// How long an answer may take, including a new connection if there is none, before the connection counts as
/// dead.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// The time limit of reads of whole tables, for which neither a user nor a worker waits.
const STUDY_WITHIN: Duration = Duration::from_secs(60 * 60);

/// A few connections for one kind of read.
#[derive(Debug)]
pub(super) struct Lanes {
    connector: Arc<Connector>,
    lanes: Vec<Arc<Lane>>,
}

#[derive(Debug, Default)]
struct Lane {
    open: Mutex<Option<Arc<Connection>>>,
    /// Locked by the task that connects; holds when and why connecting last failed.
    connecting: tokio::sync::Mutex<Option<(Instant, String)>>,
    in_flight: AtomicUsize,
}

impl Lanes {
    pub(super) fn new(connector: Connector, count: usize) -> Self {
        Self { connector: Arc::new(connector), lanes: (0..count).map(|_| Arc::default()).collect() }
    }

    /// Reads rows. Tries once more if the connection turns out to be gone, since a read is safe to repeat.
    pub(super) async fn query(&self, sql: &'static Sql, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.with(|connection| async move { connection.query(sql, params).await }).await
    }

    /// As [`Lanes::query`], with the time limit [`STUDY_WITHIN`].
    pub(super) async fn study(&self, sql: &'static Sql, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        let ask = |connection: Arc<Connection>| async move { connection.query(sql, params).await };
        self.within(STUDY_WITHIN, ask).await
    }

    /// Runs a query on one of the connections.
    pub(super) async fn with<T, Asked>(&self, ask: impl Fn(Arc<Connection>) -> Asked) -> Result<T, StoreError>
    where
        Asked: Future<Output = Result<T, tokio_postgres::Error>>,
    {
        self.within(ANSWER_WITHIN, ask).await
    }

    async fn within<T, Asked>(
        &self,
        limit: Duration,
        ask: impl Fn(Arc<Connection>) -> Asked,
    ) -> Result<T, StoreError>
    where
        Asked: Future<Output = Result<T, tokio_postgres::Error>>,
    {
        let until = Instant::now() + limit;
        let lane = self.quietest();
        lane.in_flight.fetch_add(1, Ordering::Relaxed);
        let _leave = InFlightGuard(lane);
        let mut again = true;
        loop {
            let connecting = timeout_at(until.into(), lane.connection(&self.connector)).await;
            let connection = connecting.unwrap_or_else(|_| Err(too_late()))?;
            let asking = async {
                let answer = ask(Arc::clone(&connection)).await;
                let counts = answer.is_err() || connection.confirm().await;
                (answer, counts)
            };
            match timeout_at(until.into(), asking).await {
                Ok((Ok(answer), true)) => return Ok(answer),
                // A newer primary may have newer data.
                Ok((Ok(_), false)) => lane.forget(&connection),
                Ok((Err(error), _)) => {
                    if !again || !(connection.is_closed() || is_of_server(&error)) {
                        return Err(StoreError::failed("a read", describe(&error)));
                    }
                    again = false;
                    lane.forget(&connection);
                }
                Err(_) => {
                    lane.forget(&connection);
                    connection.distrust();
                    return Err(too_late());
                }
            }
        }
    }

    fn quietest(&self) -> &Arc<Lane> {
        let lane = self.lanes.iter().min_by_key(|lane| lane.in_flight.load(Ordering::Relaxed));
        lane.unwrap_or_else(|| unreachable!("there is at least one lane"))
    }
}

fn too_late() -> StoreError {
    StoreError::failed("a read", "the database did not respond in time")
}

/// True if an error is caused by the server and not by the query: the server stops, or the connection is
/// gone.
fn is_of_server(error: &tokio_postgres::Error) -> bool {
    error.code().is_none_or(|code| code.code().starts_with("57P") || code.code().starts_with("08"))
}

/// Counts a request as finished, however it ended.
struct InFlightGuard<'a>(&'a Lane);

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lane {
    fn current(&self) -> Option<Arc<Connection>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.as_ref().filter(|connection| !connection.is_closed()).cloned()
    }

    /// The lane's connection. If there is none, a task of its own makes one: a caller that gives up waiting
    /// does not cancel what the next one needs.
    async fn connection(self: &Arc<Self>, connector: &Arc<Connector>) -> Result<Arc<Connection>, StoreError> {
        if let Some(connection) = self.current() {
            return Ok(connection);
        }
        let (lane, connector) = (Arc::clone(self), Arc::clone(connector));
        let connecting = tokio::spawn(async move { lane.connect(&connector, Instant::now()).await });
        connecting.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Connects, unless another task has done so meanwhile, or has failed to.
    async fn connect(
        &self,
        connector: &Connector,
        requested_at: Instant,
    ) -> Result<Arc<Connection>, StoreError> {
        let mut failure = self.connecting.lock().await;
        if let Some(connection) = self.current() {
            return Ok(connection);
        }
        if let Some((at, why)) = &*failure
            && *at > requested_at
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

    /// Drops a connection that must not be used again.
    fn forget(&self, dead: &Arc<Connection>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_some_and(|connection| Arc::ptr_eq(connection, dead)) {
            *open = None;
        }
    }
}
