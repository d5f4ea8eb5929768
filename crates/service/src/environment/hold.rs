//! The hold as this node knows it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use till_store::{Accounts, StoreError};

/// Whether the store is on hold: it was restored or its history was reset, and nothing leaves or expires until an
/// operator releases it. Shared by both environments.
#[derive(Debug, Clone, Default)]
pub struct Hold {
    held: Arc<AtomicBool>,
}

impl Hold {
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held.load(Ordering::Relaxed)
    }

    /// An error while the store is on hold.
    pub fn check(&self) -> Result<(), StoreError> {
        if self.is_held() { Err(StoreError::Held) } else { Ok(()) }
    }

    /// Reads whether the store is on hold now. If the store cannot be read, what was known stays true.
    pub async fn refresh(&self, accounts: &Accounts) -> Result<(), StoreError> {
        let hold = accounts.hold().await?;
        let was = self.held.swap(hold.is_some(), Ordering::Relaxed);
        match hold {
            Some(hold) if !was => tracing::warn!(
                since = %hold.since,
                reason = hold.reason.as_str(),
                "the store is on hold: nothing is sent and nothing expires until `till release`"
            ),
            None if was => tracing::info!("the hold was released"),
            _ => {}
        }
        Ok(())
    }
}
