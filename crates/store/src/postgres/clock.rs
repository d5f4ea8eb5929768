//! Keeps this node's idea of the server's time.

use super::{
    connection::{Connection, Connector, Setup},
    lanes::Lanes,
    url::DatabaseUrl,
};
use crate::{
    clock::{Clock, ServerClock},
    error::StoreError,
};
use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

/// How often the server is asked. Two machines drift apart by less than a millisecond in this time.
const EVERY: Duration = Duration::from_secs(5);

/// Of so many answers the one that came quickest counts.
const TRIES: usize = 3;

/// An answer that took longer says too little about the time; the clock goes on without it.
const TOO_SLOW: Duration = Duration::from_millis(500);

/// A move of the clock that somebody should know about.
const JUMP_MS: i64 = 1_000;

const NOW: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

/// A clock that shows the server's time, for as long as somebody holds it.
pub(crate) async fn server_clock(url: &DatabaseUrl) -> Result<Clock, StoreError> {
    let lane = Lanes::new(Connector::new(url, None, "clock", Setup::Plain), 1);
    let clock = Arc::new(ServerClock::new());
    measure(&lane, &clock).await?;
    tokio::spawn(keep(lane, Arc::downgrade(&clock)));
    Ok(Clock::Server(clock))
}

/// Asks again and again. While the server does not answer, the clock goes on by itself.
async fn keep(lane: Lanes, clock: Weak<ServerClock>) {
    loop {
        tokio::time::sleep(EVERY).await;
        let Some(clock) = clock.upgrade() else { return };
        match measure(&lane, &clock).await {
            Ok(moved) if moved.abs() >= JUMP_MS => {
                tracing::warn!("the database's clock jumped by {moved} ms; deadlines and tokens follow it");
            }
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "the database did not tell its time"),
        }
    }
}

/// Sets the clock, and gives by how much that moved it.
async fn measure(lane: &Lanes, clock: &ServerClock) -> Result<i64, StoreError> {
    lane.with(|connection| async move {
        let mut best = ask(&connection).await?;
        for _ in 1..TRIES {
            let next = ask(&connection).await?;
            if next.2 - next.1 < best.2 - best.1 {
                best = next;
            }
        }
        let too_slow = best.2 - best.1 > TOO_SLOW;
        Ok(if too_slow && clock.is_set() { 0 } else { clock.set(best.0, best.1, best.2) })
    })
    .await
}

/// What the server says, and when it was asked and when it answered.
async fn ask(connection: &Connection) -> Result<(i64, Instant, Instant), tokio_postgres::Error> {
    let asked = Instant::now();
    let told = connection.ask_number(NOW).await?.unwrap_or_default();
    Ok((told, asked, Instant::now()))
}
