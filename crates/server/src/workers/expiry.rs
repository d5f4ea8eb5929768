//! Gives sessions the status that time has made due, whether or not anybody asks for them.

use crate::{environment::Environment, telemetry::report_unreadable};
use std::{sync::Arc, time::Duration};
use till_store::StoreError;

/// Sessions settled in one pass.
const AT_ONCE: u32 = 500;

/// The longest pause: a session that becomes due earlier than any other waits no longer than this.
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// The shortest pause while nothing is due yet.
const MIN_PAUSE: Duration = Duration::from_millis(5);

/// Settles what is due, and says how long nothing will be. While the clock's jump is judged, nothing is settled.
pub async fn pass(environment: &Arc<Environment>) -> Result<Duration, StoreError> {
    if environment.store.clock().holds_expiry() {
        return Ok(MAX_PAUSE);
    }
    let swept = environment.settle_due(AT_ONCE).await?;
    report_unreadable(environment.name.as_str(), &swept.unreadable);
    if swept.settled > 0 {
        return Ok(Duration::ZERO);
    }
    // What cannot be read stays due, and must not be read without a pause.
    if !swept.unreadable.is_empty() {
        return Ok(MAX_PAUSE);
    }
    let next = environment.store.next_due().await?;
    let pause = next.map_or(MAX_PAUSE, |due| due.since(environment.now()));
    Ok(pause.clamp(MIN_PAUSE, MAX_PAUSE))
}
