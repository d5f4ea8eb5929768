//! Forgets log-ins, one-time links and sent forms that are long over. They no longer count anyway; this keeps
//! the tables small. Every node does it: what one has deleted the next does not find.

use std::time::Duration;
use till_store::{Accounts, StoreError};

/// How long they are kept: far longer than any of them works.
pub const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How often is looked for old ones.
const PAUSE: Duration = Duration::from_secs(60 * 60);

/// Forgets some, and says when to look again: at once while there are more.
pub async fn pass(accounts: &Accounts) -> Result<Duration, StoreError> {
    let more = accounts.prune_doors(accounts.now().minus(KEPT_FOR)).await?;
    Ok(if more { Duration::ZERO } else { PAUSE })
}
