//! Seals ledger entries: gives them their numbers and hashes, and updates the balances. One node at a time
//! does it; the store refuses a number that is not the next.

use std::time::Duration;
use till_domain::{change::Change, ledger};
use till_service::{environment::Environment, telemetry::report_unreadable};
use till_store::{Committed, StoreError};

/// Entries of one pass.
const AT_ONCE: u32 = 256;

/// The pause when all entries are sealed.
const PAUSE: Duration = Duration::from_secs(1);

/// Seals some entries, and returns the pause until the next pass.
pub async fn pass(environment: &Environment) -> Result<Duration, StoreError> {
    let Some(books) = environment.store.ledger() else { return Ok(PAUSE) };
    let (next, unreadable) = books.unsealed(1).await?;
    // An entry that cannot be read stays unsealed, and the others are sealed.
    report_unreadable(environment.name.as_str(), &unreadable);
    if next.is_empty() {
        return Ok(PAUSE);
    }
    let Some(lease) = environment.claim("seal the ledger").await? else { return Ok(environment.lease / 3) };
    let last = books.last_seal().await?;
    let (entries, _) = books.unsealed(AT_ONCE).await?;
    let mut changes = vec![Change::HoldLease { name: lease.name, fence: lease.fence }];
    changes.extend(ledger::seal_all(last, &entries));
    let committed = environment.store.commit(&changes).await?;
    let full = u32::try_from(entries.len()).is_ok_and(|count| count == AT_ONCE);
    Ok(if full && committed == Committed::Done { Duration::ZERO } else { PAUSE })
}
