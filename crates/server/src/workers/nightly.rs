//! Compares the chains with what was read of them, every night. One node does it, by a lease that lasts until the night is
//! over.

use crate::{
    reconcile,
    registry::{Kind, Registry},
    telemetry::explain,
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use till_domain::time::Timestamp;
use till_store::StoreError;

/// When it runs: two hours after midnight in UTC, when few people pay.
const AT: Duration = Duration::from_secs(2 * 60 * 60);

/// What is compared: the last day, and a little more so that no block is left out.
const PERIOD: Duration = Duration::from_secs(25 * 60 * 60);

/// How long the node that does it keeps others from doing it again.
const LEASE: Duration = Duration::from_secs(12 * 60 * 60);

/// How long after it could not be done it is tried again.
const AFTER_ERROR: Duration = Duration::from_secs(10 * 60);

/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(60);

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// What compares the chains of a node.
#[derive(Debug)]
pub struct Nightly {
    registry: Arc<Registry>,
    next: Mutex<Option<Timestamp>>,
}

/// The next time it runs after a moment.
fn next_run(after: Timestamp) -> Timestamp {
    let at = i64::try_from(AT.as_millis()).unwrap_or(0);
    let days = (after.as_ms() - at).div_euclid(DAY_MS) + 1;
    Timestamp::from_ms(days * DAY_MS + at)
}

impl Nightly {
    /// Compares the chains of this registry.
    #[must_use]
    pub fn new(registry: Arc<Registry>) -> Self {
        Self { registry, next: Mutex::default() }
    }

    /// Compares if it is time, and says when to look again.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        let now = self.registry.cashier().environment().now();
        let due =
            *self.next.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| next_run(now));
        if now < due {
            return Ok(due.since(now).min(MAX_PAUSE));
        }
        let plan = |next| *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some(next);
        // Also if the store fails: every address is asked about again.
        plan(now.plus(AFTER_ERROR));
        let done = self.compare_last_day().await?;
        let next = if done { next_run(now) } else { now.plus(AFTER_ERROR) };
        plan(next);
        Ok(next.since(now).min(MAX_PAUSE))
    }

    /// Compares the last day, unless another node does; whether there is nothing more to do tonight.
    pub async fn compare_last_day(&self) -> Result<bool, StoreError> {
        let environment = self.registry.cashier().environment();
        let current = self.registry.current(Kind::Evm);
        let Some(chains) = current.chains() else { return Ok(true) };
        let store = &environment.store;
        if store.claim("compare chains", environment.node, LEASE).await?.is_none() {
            return Ok(true);
        }
        let now = environment.now();
        let report = reconcile::compare_chains(store, &chains.watchers, (now.minus(PERIOD), now)).await;
        let report = match report {
            Ok(report) => report,
            Err(reconcile::Trouble::Store(error)) => return Err(error),
            Err(error) => {
                tracing::warn!(error = explain(&error), "chains could not be compared; it is tried again");
                return Ok(false);
            }
        };
        let entered = reconcile::enter(store, &report).await?;
        let (compared, differences) = (report.compared, report.unsettled());
        if differences > 0 {
            tracing::error!(
                compared,
                differences,
                entered,
                "chains have money that was not read: see till action list"
            );
        } else {
            tracing::info!(compared, "chains and what was read of them are the same");
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l11_it_runs_two_hours_after_midnight() {
        let at = |text: &str| Timestamp::parse(text).expect("a moment");
        for (after, expected) in [
            ("2026-11-14T00:00:00Z", "2026-11-14T02:00:00Z"),
            ("2026-11-14T01:59:59Z", "2026-11-14T02:00:00Z"),
            ("2026-11-14T02:00:00Z", "2026-11-15T02:00:00Z"),
            ("2026-12-31T23:00:00Z", "2027-01-01T02:00:00Z"),
        ] {
            assert_eq!(next_run(at(after)), at(expected), "{after}");
        }
    }
}
