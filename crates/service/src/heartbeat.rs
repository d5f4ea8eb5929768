//! The heartbeat of this process.

use crate::environment::Directory;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use till_domain::time::Timestamp;
use till_store::{NodeId, StoreError};

pub const EVERY: Duration = Duration::from_secs(10);

/// Interval at which the clock is checked for a jump: a process that starts has to know that at once.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// This process, as the other nodes see it.
#[derive(Debug)]
pub struct Heartbeat {
    /// The directory of the accounts, in which it is recorded.
    pub directory: Arc<Directory>,
    pub node: NodeId,
    pub listens: String,
    pub started_at: Timestamp,
    /// The time of the last heartbeat, and whether expiry was held then because of a jump of the clock.
    pub last: Mutex<Option<(Instant, bool)>>,
}

impl Heartbeat {
    /// Records a heartbeat, if it is due or the clock has jumped, and returns the pause until the next pass.
    /// A process that was suspended for a while sets its time first.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        self.directory.accounts().compare_clock(self.node).await?;
        let holds = self.directory.accounts().clock().holds_expiry();
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|(at, held)| at.elapsed() >= EVERY || held != holds) {
            let what = (env!("CARGO_PKG_VERSION"), self.listens.as_str());
            self.directory.accounts().record_heartbeat(self.node, what, self.started_at).await?;
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), holds));
        }
        Ok(LOOK_EVERY)
    }

    /// Records that the process stops.
    pub async fn stop(&self) -> Result<(), StoreError> {
        self.directory.accounts().stop_node(self.node).await
    }
}
