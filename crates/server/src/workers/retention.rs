//! Prunes data with a limited retention: visits, responses to callbacks, figures of calls to providers, runs of the
//! reconciliation, the recipients of mails about payments, customers' personal data if a retention is set, and in the sandbox
//! whole sessions if one is set. Erases personal data whose erasure was requested. One node does it for all, in bounded
//! steps.

use std::time::Duration;
use till_domain::{activity, change::Change, defect::Defect, delivery, dispatch, reconciliation, visit};
use till_service::environment::Environment;
use till_store::{Committed, Lease, StoreError};

/// Rows of one step.
const AT_ONCE: u32 = 1_000;

/// Sessions of one step: each has rows in many tables.
const SESSIONS_AT_ONCE: u32 = 50;

/// The pause between two steps, so that payments come first.
const BETWEEN: Duration = Duration::from_millis(50);

/// The pause while there is nothing to delete.
const PAUSE: Duration = Duration::from_secs(60);

/// How long data is kept that is kept for ever by default.
#[derive(Debug, Clone, Copy, Default)]
pub struct Retention {
    /// Sessions of the sandbox, with everything that belongs to them.
    pub sessions: Option<Duration>,
    /// The personal data of customers.
    pub personal_data: Option<Duration>,
}

/// Deletes some old rows, and returns the pause until the next pass.
pub async fn pass(environment: &Environment, retention: Retention) -> Result<Duration, StoreError> {
    let Some(lease) = environment.claim("delete old rows").await? else { return Ok(PAUSE) };
    let mut more = forget_visits(environment, &lease).await?;
    more |= forget_responses(environment, &lease).await?;
    more |= forget_calls(environment, &lease).await?;
    if environment.rules().receipts {
        more |= clear_recipients(environment, &lease).await?;
    }
    if let Some(runs) = environment.store.reconciliations() {
        more |= runs.prune(environment.now().minus(reconciliation::KEPT_FOR), AT_ONCE).await?;
    }
    if let Some(retention) = retention.sessions {
        more |= delete_sessions(environment, &lease, retention).await?;
    }
    if let Some(retention) = retention.personal_data {
        let before = environment.now().minus(retention);
        more |= environment.store.request_old_erasures(before, AT_ONCE).await?;
    }
    more |= erase(environment).await?;
    Ok(if more { BETWEEN } else { PAUSE })
}

async fn forget_visits(environment: &Environment, lease: &Lease) -> Result<bool, StoreError> {
    let before = environment.now().minus(visit::KEPT_FOR);
    commit(environment, lease, vec![Change::ForgetVisits { before, limit: AT_ONCE }]).await
}

async fn forget_responses(environment: &Environment, lease: &Lease) -> Result<bool, StoreError> {
    let before = environment.now().minus(delivery::RESPONSE_KEPT_FOR);
    commit(environment, lease, vec![Change::ForgetResponses { before, limit: AT_ONCE }]).await
}

async fn forget_calls(environment: &Environment, lease: &Lease) -> Result<bool, StoreError> {
    let before = environment.now().minus(activity::CALLS_KEPT_FOR);
    commit(environment, lease, vec![Change::ForgetCalls { before, limit: AT_ONCE }]).await
}

async fn clear_recipients(environment: &Environment, lease: &Lease) -> Result<bool, StoreError> {
    let before = environment.now().minus(dispatch::RECIPIENT_KEPT_FOR);
    commit(environment, lease, vec![Change::ClearRecipients { before, limit: AT_ONCE }]).await
}

/// Erases the personal data of some sessions whose erasure was requested; true if there are more. One that cannot be erased is
/// logged and does not delay the others.
async fn erase(environment: &Environment) -> Result<bool, StoreError> {
    let (mut after, mut erased) = (None, 0);
    loop {
        let sessions = environment.store.erasable_sessions(after, SESSIONS_AT_ONCE).await?;
        for session in &sessions {
            match environment.store.erase(*session).await {
                Ok(done) => erased += u32::from(done),
                Err(error @ StoreError::Corrupt(_)) => {
                    tracing::error!(session.id = %session, %error, "personal data cannot be erased");
                }
                Err(error) => return Err(error),
            }
        }
        after = sessions.last().copied();
        let is_last = sessions.len() < usize::try_from(SESSIONS_AT_ONCE).unwrap_or(usize::MAX);
        if is_last || erased > 0 {
            if erased > 0 {
                tracing::info!(environment = %environment.name, sessions = erased, "erased personal data");
            }
            return Ok(!is_last);
        }
    }
}

async fn delete_sessions(
    environment: &Environment,
    lease: &Lease,
    retention: Duration,
) -> Result<bool, StoreError> {
    let age = if Defect::RetentionTooEager.is_planted() { Duration::ZERO } else { retention };
    let before = environment.now().minus(age);
    let old = environment.store.deletable_sessions(before, SESSIONS_AT_ONCE).await?;
    if old.is_empty() {
        return Ok(false);
    }
    commit(environment, lease, old.into_iter().map(|id| Change::DeleteSession { id }).collect()).await
}

/// Commits under the lease; true if anything was deleted.
async fn commit(environment: &Environment, lease: &Lease, changes: Vec<Change>) -> Result<bool, StoreError> {
    let mut all = vec![Change::HoldLease { name: lease.name, fence: lease.fence }];
    all.extend(changes);
    Ok(environment.store.commit(&all).await? == Committed::Done)
}
