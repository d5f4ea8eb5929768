//! Gives sessions the status that time has made due, whether or not anybody asks for them.

use crate::{environment::Environment, telemetry::Complaints};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_store::StoreError;

/// Sessions settled in one pass.
const AT_ONCE: u32 = 500;

/// The longest pause: a session that becomes due earlier than any other waits no longer than this.
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// The shortest pause while nothing is due yet.
const MIN_PAUSE: Duration = Duration::from_millis(5);

/// The expiry of one environment.
#[derive(Debug)]
pub struct Expiry {
    environment: Arc<Environment>,
    complaints: Complaints,
}

impl Expiry {
    /// Expiry that has not run yet.
    pub fn new(environment: Arc<Environment>) -> Self {
        Self { environment, complaints: Complaints::new() }
    }

    /// Settles what is due, and says how long nothing will be.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        let swept = self.environment.settle_due(AT_ONCE).await?;
        if let Some(first) = swept.unreadable.first() {
            self.complain(swept.unreadable.len(), first);
        }
        if swept.settled > 0 {
            return Ok(Duration::ZERO);
        }
        if !swept.unreadable.is_empty() {
            return Ok(MAX_PAUSE);
        }
        let next = self.environment.store.next_due().await?;
        let pause = next.map_or(MAX_PAUSE, |due| due.since(self.environment.now()));
        Ok(pause.clamp(MIN_PAUSE, MAX_PAUSE))
    }

    fn complain(&self, count: usize, first: &str) {
        if self.complaints.tell(first, Instant::now()).is_some() {
            let environment = self.environment.name;
            tracing::error!(%environment, error = first, "{count} due sessions cannot be read; see till doctor");
        }
    }
}
