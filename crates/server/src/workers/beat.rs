//! Says from time to time that this process is there.

use crate::environment::Directory;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use till_domain::time::Timestamp;
use till_store::{NodeId, StoreError};

pub const EVERY: Duration = Duration::from_secs(10);

/// How often it is looked whether the clock has jumped: a process that starts has to know that at once.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// This process, as the others see it.
#[derive(Debug)]
pub struct Heart {
    /// Where it is written down.
    pub directory: Arc<Directory>,
    pub node: NodeId,
    pub listens: String,
    pub started_at: Timestamp,
    /// When it last said so, and whether the clock's jump was being judged.
    pub last: Mutex<Option<(Instant, bool)>>,
}

impl Heart {
    /// Says that the process is there, if it is time to or the clock has jumped, and when to look again. A process that
    /// was stopped for a while sets its time first.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        self.directory.accounts().compare_clock(self.node).await?;
        let holds = self.directory.accounts().clock().holds_expiry();
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|(at, held)| at.elapsed() >= EVERY || held != holds) {
            let what = (env!("CARGO_PKG_VERSION"), self.listens.as_str());
            self.directory.accounts().beat(self.node, what, self.started_at).await?;
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), holds));
        }
        Ok(LOOK_EVERY)
    }

    /// Says that the process stops.
    pub async fn stop(&self) -> Result<(), StoreError> {
        self.directory.accounts().stop_node(self.node).await
    }
}
