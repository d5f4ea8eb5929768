//! Follows the database server's clock on this node.

use super::{
    connection::{Connection, Connector, SessionSetup},
    lanes::Lanes,
    url::DatabaseUrl,
};
use crate::engine::{
    clock::{Clock, RecordedTime, SteadyClock, boot_time},
    error::StoreError,
};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};

/// How often the server's clock is read. Two machines drift apart by less than a millisecond in this time.
const EVERY: Duration = Duration::from_secs(5);

/// Readings per measurement; the one with the shortest round trip counts.
const TRIES: usize = 3;

/// A reading that took more microseconds than this is too imprecise; the clock continues without it.
const TOO_SLOW: i64 = 500_000;

const NOW: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";

/// A clock that follows the server's. It is sampled until the last reference to it is dropped.
pub(crate) async fn server_clock(url: &DatabaseUrl, left: Option<RecordedTime>) -> Result<Clock, StoreError> {
    let lane = Lanes::new(Connector::new(url, None, "clock", SessionSetup::Plain), 1);
    let first = measure(&lane).await?;
    let since = boot_time().saturating_sub(first.at());
    let clock = Arc::new(SteadyClock::server(first.server_time.saturating_add(since), left));
    tokio::spawn(keep(lane, Arc::downgrade(&clock)));
    Ok(Clock::Steady(clock))
}

/// Samples the server's clock again and again. While the server does not answer, the clock runs on its own.
async fn keep(lane: Lanes, clock: Weak<SteadyClock>) {
    loop {
        tokio::time::sleep(EVERY).await;
        let Some(clock) = clock.upgrade() else { return };
        match measure(&lane).await {
            Ok(reading) if reading.took() <= TOO_SLOW => clock.note(reading.server_time, reading.at()),
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "the database did not return its time"),
        }
    }
}

/// A reading of the server's clock in microseconds, with the boot clock's times of the question and the
/// answer.
#[derive(Debug, Clone, Copy)]
struct Reading {
    server_time: i64,
    asked_at: i64,
    answered_at: i64,
}

impl Reading {
    fn took(&self) -> i64 {
        self.answered_at - self.asked_at
    }

    /// When the server read its clock, at most half a round trip off.
    fn at(&self) -> i64 {
        self.asked_at + self.took() / 2
    }
}

async fn measure(lane: &Lanes) -> Result<Reading, StoreError> {
    lane.with(|connection| async move {
        let mut best = ask(&connection).await?;
        for _ in 1..TRIES {
            let next = ask(&connection).await?;
            if next.took() < best.took() {
                best = next;
            }
        }
        Ok(best)
    })
    .await
}

async fn ask(connection: &Connection) -> Result<Reading, tokio_postgres::Error> {
    let asked_at = boot_time();
    let server_time = connection.ask_number(NOW).await?.unwrap_or_default();
    Ok(Reading { server_time, asked_at, answered_at: boot_time() })
}
