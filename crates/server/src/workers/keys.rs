//! Prunes idempotency keys older than a day. They no longer count anyway; this keeps the table small. One
//! node does it for all.

use std::time::Duration;
use till_domain::{change::Change, request::KEY_REMEMBERED_FOR};
use till_service::environment::Environment;
use till_store::{Committed, StoreError};

/// Keys pruned in one pass.
const AT_ONCE: u32 = 1_000;

/// Prunes some old keys, and returns the pause until the next pass.
pub async fn pass(environment: &Environment) -> Result<Duration, StoreError> {
    // Short enough that a node renews its lease in time, and that another takes over soon after that node is
    // gone.
    let pause = environment.lease / 3;
    let Some(lease) = environment.claim("forget idempotency keys").await? else { return Ok(pause) };
    let before = environment.now().minus(KEY_REMEMBERED_FOR);
    let forget = Change::ForgetKeys { before, limit: AT_ONCE };
    let hold = Change::HoldLease { name: lease.name, fence: lease.fence };
    match environment.store.commit(&[hold, forget]).await? {
        Committed::Done => Ok(Duration::ZERO),
        Committed::Lost(_) => Ok(pause),
    }
}
