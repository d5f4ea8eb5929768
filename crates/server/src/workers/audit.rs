//! Seals the lines of the audit log: gives them their places in its hash chain. Every node does it; the store
//! lets one of them continue the chain.

use std::time::{Duration, Instant};
use till_service::telemetry::Complaints;
use till_store::{Accounts, StoreError};

/// The pause when all lines are sealed.
const PAUSE: Duration = Duration::from_secs(1);

/// Seals some lines, and returns the pause until the next pass.
pub async fn pass(accounts: &Accounts) -> Result<Duration, StoreError> {
    static UNREADABLE: Complaints = Complaints::new();
    let sealing = accounts.seal_audit().await?;
    if sealing.unreadable > 0 && UNREADABLE.tell("audit", Instant::now()).is_some() {
        let count = sealing.unreadable;
        tracing::error!(count, "{count} lines of the audit log are unreadable and not in its hash chain");
    }
    Ok(if sealing.more { Duration::ZERO } else { PAUSE })
}
