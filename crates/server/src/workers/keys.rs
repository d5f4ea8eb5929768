//! Forgets idempotency keys that are past their day. They no longer count anyway; this keeps the table
//! small. One node does it for all.

use crate::{environment::Environment, idempotency::REMEMBERED_FOR};
use std::time::Duration;
use till_domain::change::Change;
use till_store::{Committed, StoreError};

/// Keys forgotten in one pass.
const AT_ONCE: u32 = 1_000;

/// The pause once there is nothing to forget.
const PAUSE: Duration = Duration::from_secs(60);

/// Forgets some old keys, and says when to look again.
pub async fn pass(environment: &Environment) -> Result<Duration, StoreError> {
    if environment.claim("forget idempotency keys").await?.is_none() {
        return Ok(PAUSE);
    }
    let before = environment.now().minus(REMEMBERED_FOR);
    let forget = Change::ForgetKeys { before, limit: AT_ONCE };
    match environment.store.commit(&[forget]).await? {
        Committed::Done => Ok(Duration::ZERO),
        Committed::Lost(_) => Ok(PAUSE),
    }
}
