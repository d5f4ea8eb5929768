//! Prunes log-ins, one-time links and submitted forms that are long over. They no longer count anyway; this
//! keeps the tables small. Every node does it: rows that one has deleted are not found by the next.

use std::time::Duration;
use till_store::{Accounts, StoreError};

/// The retention: far longer than any of them is valid.
pub const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The pause when nothing is left to prune.
const PAUSE: Duration = Duration::from_secs(60 * 60);

/// Prunes some rows, and returns the pause until the next pass: none while there are more.
pub async fn pass(accounts: &Accounts) -> Result<Duration, StoreError> {
    let more = accounts.prune_logins(accounts.now().minus(KEPT_FOR)).await?;
    Ok(if more { Duration::ZERO } else { PAUSE })
}
