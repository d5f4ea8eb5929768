//! Gives due sessions their final status, whether or not they are requested.

use std::{sync::Arc, time::Duration};
use till_service::{environment::Environment, telemetry::report_unreadable};
use till_store::StoreError;

/// Sessions settled in one pass.
const AT_ONCE: u32 = 500;

/// The longest pause: a session that becomes due before all known ones waits no longer than this.
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// The shortest pause while nothing is due yet.
const MIN_PAUSE: Duration = Duration::from_millis(5);

/// Settles due sessions, and returns the pause until the next pass. While a jump of the clock is being
/// judged, nothing is settled.
pub async fn pass(environment: &Arc<Environment>) -> Result<Duration, StoreError> {
    if environment.store.clock().holds_expiry() {
        return Ok(MAX_PAUSE);
    }
    let swept = environment.settle_due(AT_ONCE).await?;
    report_unreadable(environment.name.as_str(), &swept.unreadable);
    if swept.settled > 0 {
        return Ok(Duration::ZERO);
    }
    // Rows that cannot be read stay due, and must not be read again without a pause.
    if !swept.unreadable.is_empty() {
        return Ok(MAX_PAUSE);
    }
    let next = environment.store.next_due().await?;
    let pause = next.map_or(MAX_PAUSE, |due| due.since(environment.now()));
    Ok(pause.clamp(MIN_PAUSE, MAX_PAUSE))
}
