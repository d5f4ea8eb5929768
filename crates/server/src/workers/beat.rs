//! Says from time to time that this process is there.

use crate::directory::Directory;
use std::{sync::Arc, time::Duration};
use till_domain::time::Timestamp;
use till_store::{NodeId, StoreError};

/// How often.
pub const EVERY: Duration = Duration::from_secs(10);

/// This process, as the others see it.
#[derive(Debug)]
pub struct Heart {
    /// Where it is written down.
    pub directory: Arc<Directory>,
    /// Its id.
    pub node: NodeId,
    /// Where it listens.
    pub listens: String,
    /// When it started.
    pub started_at: Timestamp,
}

impl Heart {
    /// Says that the process is there, and when to say it again.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        let what = (env!("CARGO_PKG_VERSION"), self.listens.as_str());
        self.directory.accounts().beat(self.node, what, self.started_at).await?;
        Ok(EVERY)
    }

    /// Says that the process stops.
    pub async fn stop(&self) -> Result<(), StoreError> {
        self.directory.accounts().stop_node(self.node).await
    }
}
