//! Adds up how sessions ended, so that an overview need not read every one of them.

use crate::environment::Environment;
use std::time::Duration;
use till_store::StoreError;

/// How long to wait when nothing is left to count.
const PAUSE: Duration = Duration::from_secs(30);

/// How long to wait between two lots: what people pay with comes first.
const BETWEEN: Duration = Duration::from_millis(250);

/// Counts some events, and says when to count again.
pub async fn pass(environment: &Environment) -> Result<Duration, StoreError> {
    let more = environment.store.count_events().await?;
    Ok(if more { BETWEEN } else { PAUSE })
}
