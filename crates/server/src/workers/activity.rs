//! Writes what this process has counted of the calls and notices of providers, so that the console shows it for all
//! processes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use till_service::{cashier::Cashier, telemetry::explain};
use till_store::StoreError;

/// The pause between two writes. A process that crashes loses what it has counted in between.
const PAUSE: Duration = Duration::from_secs(60);

/// Writes the activity of one environment's providers.
#[derive(Debug)]
pub struct ActivityWriter {
    cashier: Arc<Cashier>,
    /// True if the last write failed: only the first of several failures is logged.
    failing: AtomicBool,
}

impl ActivityWriter {
    #[must_use]
    pub fn new(cashier: Arc<Cashier>) -> Self {
        Self { cashier, failing: AtomicBool::new(false) }
    }

    /// Writes what is new, and returns the pause until the next pass. What could not be written is written then.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        let written = self.cashier.write_activity().await;
        let failed_before = self.failing.swap(written.is_err(), Ordering::Relaxed);
        if let Err(error) = written
            && !failed_before
        {
            let (environment, error) = (self.cashier.environment().name, explain(&error));
            tracing::warn!(%environment, error, "the activity of providers is not written; retrying every minute");
        }
        Ok(PAUSE)
    }
}
