//! Refunds late money automatically, if the operator wants that. It is decided as a person would decide it,
//! by an actor of its own, and once: money that cannot be sent back waits for a person. Every node does it;
//! the compare-and-set of a decision lets only one of them.

use std::{sync::Arc, time::Duration};
use till_domain::{audit::Actor, id::ActionId, transaction::Resolution};
use till_service::{
    admin::{self, AdminError, Decision, DecisionOutcome, SentBy},
    cashier::Cashier,
};
use till_store::StoreError;

/// Decisions of one pass per provider.
const AT_ONCE: u32 = 64;

/// The pause when there is nothing to decide.
const PAUSE: Duration = Duration::from_secs(1);

/// Decides about late money, and returns the pause until the next pass.
pub async fn pass(cashier: &Arc<Cashier>) -> Result<Duration, StoreError> {
    let refunds = cashier.environment().store.refunds();
    let mut done = 0;
    for provider in cashier.send_back_by_themselves() {
        for action in refunds.late(provider, AT_ONCE).await? {
            done += usize::from(send_back(cashier, action).await?);
        }
    }
    Ok(if done > 0 { Duration::ZERO } else { PAUSE })
}

/// Decides that money goes back, as a person would. True if this call made the decision.
async fn send_back(cashier: &Cashier, action: ActionId) -> Result<bool, StoreError> {
    let (environment, actor) = (cashier.environment(), Actor::system());
    let by = &actor.name;
    let decision = Decision { action, resolution: Resolution::Refund, by, sent_by: SentBy::Service };
    let accounts = environment.directory.accounts();
    match admin::resolve(accounts, &environment.store, &actor, decision).await {
        Ok(DecisionOutcome::Done(stored)) => {
            tracing::info!(action.id = %stored.action.id, "refunding a late payment automatically");
            Ok(true)
        }
        // Another decision was faster, or this one is not possible: then a person decides.
        Ok(_) => Ok(false),
        // One that cannot be read does not stop the others.
        Err(AdminError::Store(error)) if !matches!(error, StoreError::Corrupt(_)) => Err(error),
        Err(error) => {
            tracing::error!(action.id = %action, %error, "cannot refund a late payment automatically");
            Ok(false)
        }
    }
}
