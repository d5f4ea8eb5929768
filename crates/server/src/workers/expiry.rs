//! Gives sessions the status that time has made due, whether or not anybody asks for them.

use crate::environment::Environment;
use std::{sync::Arc, time::Duration};
use till_store::StoreError;

/// Sessions settled in one pass.
const AT_ONCE: u32 = 500;

/// The longest pause: a session that becomes due earlier than any other waits no longer than this.
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// The shortest pause while nothing is due yet.
const MIN_PAUSE: Duration = Duration::from_millis(5);

/// How often a row that makes no sense is complained about.
const COMPLAIN_EVERY: Duration = Duration::from_secs(60);

/// The expiry of one environment.
#[derive(Debug)]
pub struct Expiry {
    environment: Arc<Environment>,
    complained_at: Option<Duration>,
}

impl Expiry {
    /// Expiry that has not run yet.
    pub fn new(environment: Arc<Environment>) -> Self {
        Self { environment, complained_at: None }
    }

    /// Settles what is due, and says how long nothing will be.
    pub async fn pass(&mut self) -> Result<Duration, StoreError> {
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

    fn complain(&mut self, count: usize, first: &str) {
        let now = self.environment.uptime();
        if self.complained_at.is_none_or(|before| now - before >= COMPLAIN_EVERY) {
            self.complained_at = Some(now);
            let environment = self.environment.rules.environment;
            tracing::error!(%environment, error = first, "{count} due sessions cannot be read; see till doctor");
        }
    }
}
