//! The heartbeat of this process.

use crate::{environment::Directory, vault::Vault};
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
    /// The vault, for the names of the master keys that are known here.
    pub vault: Arc<Vault>,
    pub last: Mutex<Option<LastHeartbeat>>,
}

/// The last heartbeat of this process.
#[derive(Debug)]
pub struct LastHeartbeat {
    at: Instant,
    /// True if expiry was held then because of a jump of the clock.
    holds: bool,
    /// True if the current master key was in use.
    uses_current_key: bool,
}

impl Heartbeat {
    /// Records a heartbeat, if it is due, the clock has jumped or another master key is in use, and returns the pause until the next pass.
    /// A process that was suspended for a while sets its time first.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        self.directory.accounts().compare_clock(self.node).await?;
        let holds = self.directory.accounts().clock().holds_expiry();
        let keys = self.vault.key_names();
        let uses_current_key = self.vault.uses_current();
        if self.is_due(holds, uses_current_key) {
            let what = (env!("CARGO_PKG_VERSION"), self.listens.as_str());
            self.directory.accounts().record_heartbeat(self.node, what, self.started_at, &keys).await?;
            let last = LastHeartbeat { at: Instant::now(), holds, uses_current_key };
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
        }
        Ok(LOOK_EVERY)
    }

    fn is_due(&self, holds: bool, uses_current_key: bool) -> bool {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().is_none_or(|last| {
            let same = (last.holds, last.uses_current_key) == (holds, uses_current_key);
            !same || last.at.elapsed() >= EVERY
        })
    }

    /// Records that the process stops.
    pub async fn stop(&self) -> Result<(), StoreError> {
        self.directory.accounts().stop_node(self.node).await
    }
}
