//! Adds up how sessions ended, so that an overview need not read every session.

use std::time::Duration;
use till_service::environment::Environment;
use till_store::StoreError;

/// The pause when nothing is left to count.
const PAUSE: Duration = Duration::from_secs(30);

/// The pause between two batches: payments come first.
const BETWEEN: Duration = Duration::from_millis(250);

/// Counts some events, and returns the pause until the next pass.
pub async fn pass(environment: &Environment) -> Result<Duration, StoreError> {
    let more = environment.store.count_events().await?;
    Ok(if more { BETWEEN } else { PAUSE })
}
