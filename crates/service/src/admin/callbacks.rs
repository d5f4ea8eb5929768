//! Callbacks that a vendor or an operator has sent again. The body is always the same bytes.

use super::{AdminError, entry};
use crate::environment::EnvironmentStore;
use futures_util::future::join_all;
use till_domain::{
    audit::{Actor, AuditEvent},
    delivery::{self, DeliveryState, Requester, Schedule},
    id::{EventId, VendorId},
    time::Timestamp,
};
use till_store::{
    Accounts, Committed, DeliveryFilter, EventFilter, Span, StoreError, StoredEvent, Turn, Undelivered,
};

/// Callbacks that are requeued concurrently. They share transactions, and leave room in the store's queue.
const AT_ONCE: u32 = 250;

/// Sends callbacks of one environment again, on behalf of one actor.
#[derive(Debug, Clone, Copy)]
pub struct Resender<'a> {
    /// The store of the audit log.
    pub accounts: &'a Accounts,
    pub store: &'a EnvironmentStore,
    /// The schedule of the automatic attempts.
    pub schedule: &'a Schedule,
    pub actor: &'a Actor,
    /// True if the actor is an operator, false for a user of the vendor.
    pub by_operator: bool,
}

/// The result of a request to send a callback again.
#[derive(Debug)]
pub enum ResendOutcome {
    /// It is queued, and due now.
    Done(StoredEvent),
    /// There was no callback address when it was made.
    NoTarget,
    /// It is still being delivered, and retried automatically.
    OnItsWay,
    /// There is no such callback.
    Missing,
}

impl Resender<'_> {
    /// Sends one callback again.
    pub async fn one(&self, id: EventId) -> Result<ResendOutcome, AdminError> {
        let Some(event) = self.store.event(id).await? else { return Ok(ResendOutcome::Missing) };
        if event.state == DeliveryState::NoTarget {
            return Ok(ResendOutcome::NoTarget);
        }
        if event.due_at.is_some() {
            return Ok(ResendOutcome::OnItsWay);
        }
        // The audit log is in another database: it is written first, so that no act is missing from it.
        let detail = format!("{} callback {id}", self.store.name);
        self.log(AuditEvent::CallbackResent, Some(event.vendor), detail).await?;
        Ok(if self.ask(id).await? { ResendOutcome::Done(event) } else { ResendOutcome::OnItsWay })
    }

    /// Makes the next attempt of a queued callback due at once. False if no attempt is due to come.
    pub async fn now(&self, event: &StoredEvent) -> Result<bool, AdminError> {
        if event.state != DeliveryState::Queued {
            return Ok(false);
        }
        let detail = format!("{} callback {}", self.store.name, event.id);
        self.log(AuditEvent::CallbackHastened, Some(event.vendor), detail).await?;
        let hasten = delivery::hasten(event.id, self.store.now());
        Ok(self.store.commit(&[hasten]).await? == Committed::Done)
    }

    /// Sends all undelivered callbacks again, and returns how many were queued.
    pub async fn all(&self, which: Undelivered) -> Result<u64, AdminError> {
        let Undelivered { vendor, since } = which;
        let (standing, span) =
            (Some(DeliveryFilter::Is(DeliveryState::Undelivered)), Span { since, until: None });
        let filter = EventFilter { vendor, standing, method: None, span };
        let (mut turn, mut resent) = (Turn::Newest, 0);
        loop {
            let page = self.store.events(&filter, turn, AT_ONCE).await?;
            let Some(last) = page.last() else { break };
            turn = Turn::Older(last.id);
            let count = page.len();
            let since_text = since.map_or_else(String::new, |since: Timestamp| format!(" since {since}"));
            let detail = format!("{count} undelivered {} callbacks{since_text}", self.store.name);
            self.log(AuditEvent::CallbackResent, vendor, detail).await?;
            for queued in join_all(page.iter().map(|event| self.ask(event.id))).await {
                resent += u64::from(queued?);
            }
        }
        Ok(resent)
    }

    async fn ask(&self, id: EventId) -> Result<bool, StoreError> {
        let by = Requester { name: self.actor.name.clone(), is_operator: self.by_operator };
        let again = delivery::resend(id, self.store.now(), self.schedule, by);
        Ok(self.store.commit(&[again]).await? == Committed::Done)
    }

    async fn log(
        &self,
        event: AuditEvent,
        vendor: Option<VendorId>,
        detail: String,
    ) -> Result<(), StoreError> {
        let line = entry(self.accounts, self.actor, event).saying(detail);
        let line = vendor.into_iter().fold(line, |line, vendor| line.about(vendor));
        self.accounts.record(&line).await
    }
}
