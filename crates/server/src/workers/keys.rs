//! Forgets idempotency keys that are past their day. They no longer count anyway; this keeps the table
//! small. One node does it for all.

use crate::environment::Environment;
use std::time::Duration;
use till_domain::{change::Change, request::KEY_REMEMBERED_FOR};
use till_store::{Committed, StoreError};

/// Keys forgotten in one pass.
const AT_ONCE: u32 = 1_000;

/// Forgets some old keys, and says when to look again.
pub async fn pass(environment: &Environment) -> Result<Duration, StoreError> {
    // Often enough that whoever has the work keeps it, and somebody has it soon after that node is gone.
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
