//! The calls to providers by quarter of an hour, and the last error and notices of each provider.
//!
//! Every process writes the totals of its own calls under its own id, so that a repeated write changes nothing and no
//! write needs to read first. Readers add up the processes.

use crate::{
    engine::{
        error::StoreError,
        node::NodeId,
        sql::{Row, Sql, Statement, statements},
    },
    payments::Payments,
};
use till_domain::{
    activity::{CallCounts, LastEvent, ProviderEvent},
    time::Timestamp,
};

/// The calls of one process to a provider in a quarter of an hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderCalls {
    pub provider: String,
    /// The start of the quarter.
    pub quarter: Timestamp,
    /// The process.
    pub node: NodeId,
    pub counts: CallCounts,
}

/// The last event of a kind at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderNews {
    pub provider: String,
    pub kind: ProviderEvent,
    pub event: LastEvent,
}

statements! {
    // The totals of a process only grow; an older write that comes late changes nothing.
    static WRITE_CALLS = Sql::new(
        "INSERT INTO provider_calls (quarter, provider, node, calls, failures, latency) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (quarter, provider, node) DO UPDATE
         SET calls = excluded.calls, failures = excluded.failures, latency = excluded.latency
         WHERE provider_calls.calls < excluded.calls",
    );
    // The event of another process may be the later one.
    static WRITE_EVENT = Sql::new(
        "INSERT INTO provider_events (provider, kind, at, note) VALUES ($1, $2, $3, $4)
         ON CONFLICT (provider, kind) DO UPDATE SET at = excluded.at, note = excluded.note
         WHERE provider_events.at < excluded.at",
    );
    static CALLS = Sql::new(
        "SELECT provider, quarter, node, calls, failures, latency FROM provider_calls WHERE quarter >= $1",
    );
    static EVENTS = Sql::new("SELECT provider, kind, at, note FROM provider_events");
    pub(crate) static FORGET_CALLS = Sql::new(
        "DELETE FROM provider_calls WHERE (quarter, provider, node) IN
            (SELECT quarter, provider, node FROM provider_calls WHERE quarter < $1 ORDER BY quarter LIMIT $2
             FOR UPDATE SKIP LOCKED)",
    );
}

impl Payments {
    /// Writes the totals of a process's calls, and the last events that it knows, in one commit.
    pub async fn write_provider_activity(
        &self,
        calls: &[ProviderCalls],
        events: &[ProviderNews],
    ) -> Result<(), StoreError> {
        let calls = calls.iter().map(|calls| Statement {
            sql: &WRITE_CALLS,
            params: vec![
                calls.quarter.into(),
                calls.provider.as_str().into(),
                (&calls.node.0).into(),
                number(calls.counts.calls).into(),
                number(calls.counts.failures()).into(),
                calls.counts.latency_text().as_str().into(),
            ],
            guarded: false,
        });
        let events = events.iter().map(|news| Statement {
            sql: &WRITE_EVENT,
            params: vec![
                news.provider.as_str().into(),
                news.kind.as_str().into(),
                news.event.at.into(),
                news.event.note.as_str().into(),
            ],
            guarded: false,
        });
        let unit: Vec<_> = calls.chain(events).collect();
        if unit.is_empty() {
            return Ok(());
        }
        self.engine.write(unit).await.map(drop)
    }

    /// The calls of every process to every provider, from a quarter of an hour on. A row that cannot be read is left out.
    pub async fn provider_calls(&self, since: Timestamp) -> Result<Vec<ProviderCalls>, StoreError> {
        let rows = self.engine.browse(&CALLS, vec![since.into()]).await?;
        let read = |row| read_calls(row).inspect_err(|error| tracing::warn!(%error, "calls are unreadable"));
        Ok(rows.into_iter().filter_map(|row| read(row).ok()).collect())
    }

    /// The last events of every provider. Kinds that a newer version writes are left out.
    pub async fn provider_events(&self) -> Result<Vec<ProviderNews>, StoreError> {
        let rows = self.engine.read(&EVENTS, vec![]).await?;
        rows.into_iter().filter_map(|row| read_event(row).transpose()).collect()
    }
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn read_calls(mut row: Row) -> Result<ProviderCalls, StoreError> {
    let (provider, quarter, node) = (row.text()?, row.time()?, NodeId(row.array()?));
    let (calls, failures, latency) = (row.int()?, row.int()?, row.text()?);
    let count = |number: i64| u64::try_from(number).unwrap_or(0);
    let counts = CallCounts::from_stored(count(calls), count(failures), &latency);
    let counts = counts.ok_or_else(|| StoreError::Corrupt(format!("latency {latency:?}")))?;
    Ok(ProviderCalls { provider, quarter, node, counts })
}

fn read_event(mut row: Row) -> Result<Option<ProviderNews>, StoreError> {
    let (provider, kind) = (row.text()?, row.text()?);
    let event = LastEvent { at: row.time()?, note: row.text()? };
    Ok(ProviderEvent::parse(&kind).map(|kind| ProviderNews { provider, kind, event }))
}
