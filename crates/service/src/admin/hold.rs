//! Holding the service after a restore, and releasing it.

use super::entry;
use crate::{
    environment::EnvironmentStore,
    status::{self, QueueState},
};
use till_domain::audit::{Actor, AuditEvent};
use till_store::{Accounts, HoldReason, StoreError, StoredHold};

/// Puts the service on hold: nothing leaves and nothing expires until it is released. What was given out after a backup,
/// such as addresses on chains, is not given out again, also if the service is on hold already, when this returns false.
pub async fn place_hold(
    accounts: &Accounts,
    stores: [&EnvironmentStore; 2],
    actor: &Actor,
    reason: HoldReason,
) -> Result<bool, StoreError> {
    // Before the hold: if this is interrupted, it is done once more.
    for store in stores {
        store.prepare_after_restore().await?;
    }
    let line = entry(accounts, actor, AuditEvent::HoldPlaced).saying(reason.as_str().to_owned());
    accounts.place_hold(reason, &line.actor.name, &line).await
}

/// What a hold keeps back: the queues that have something waiting.
#[derive(Debug)]
pub struct ReleaseForecast {
    pub hold: StoredHold,
    pub queues: Vec<QueueState>,
}

impl ReleaseForecast {
    /// None if the service is not on hold.
    pub async fn read(
        accounts: &Accounts,
        stores: [&EnvironmentStore; 2],
    ) -> Result<Option<Self>, StoreError> {
        let Some(hold) = accounts.hold().await? else { return Ok(None) };
        let (mut queues, _) = status::queues(accounts, stores).await?;
        queues.retain(|queue| queue.kept_back() > 0);
        Ok(Some(Self { hold, queues }))
    }

    /// The forecast in one line, for the audit log.
    fn detail(&self) -> String {
        let of = |queue: &QueueState| {
            let place = queue.environment.map_or_else(String::new, |name| format!("{name} "));
            format!("{} {place}{}", queue.kept_back(), queue.word)
        };
        let all: Vec<String> = self.queues.iter().map(of).collect();
        if all.is_empty() { "nothing was waiting".to_owned() } else { all.join(", ") }
    }
}

/// Releases the hold; false if there is none.
pub async fn release_hold(
    accounts: &Accounts,
    actor: &Actor,
    forecast: &ReleaseForecast,
) -> Result<bool, StoreError> {
    let line = entry(accounts, actor, AuditEvent::HoldReleased).saying(forecast.detail());
    accounts.release_hold(&line).await
}
