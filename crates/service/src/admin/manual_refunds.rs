//! Refunds that an operator ends: records the transaction that sent one by hand, gives one up, or confirms one that its
//! provider leaves open.

use super::{AdminError, entry};
use crate::{
    cashier::RefundStage,
    environment::{EnvironmentStore, Retries},
};
use std::time::Duration;
use till_domain::{
    audit::{Actor, AuditEvent},
    chain::TxHash,
    id::RefundId,
    refund::{self, Refund, RefundDecision, RefundFacts, RefundSeen, RefundState},
};
use till_providers::Refunds;
use till_store::{Accounts, Committed, Payments, StoreError};

/// Timeout of the question whether a transaction may still arrive.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// The result of an operator's decision about a refund.
#[derive(Debug)]
pub enum ManualRefundOutcome {
    /// It is stored.
    Done(Refund),
    /// The refund's state does not allow it; nothing was changed.
    Unfit(Refund),
    /// The transaction is recorded for another refund; nothing was changed.
    Taken(Refund),
    /// The transaction that the operator named before may still arrive, or the provider has the refund after all; nothing was
    /// changed.
    MayArrive(Refund),
    /// The provider gave no answer about the transaction that the operator named before; nothing was changed.
    Silent(Refund),
    /// There is no such refund.
    Missing,
}

async fn found(live: &Payments, id: RefundId) -> Result<Option<Refund>, StoreError> {
    live.refunds().refund(id).await
}

/// Returns true if the transaction of this refund is recorded for another refund.
async fn taken(live: &Payments, sent: &Refund) -> Result<bool, StoreError> {
    let Some(transaction) = &sent.reference else { return Ok(false) };
    let same = live.refunds().called(&sent.provider, transaction).await?;
    Ok(same.is_some_and(|same| same.id != sent.id))
}

/// Records the transaction by which the operator sent a refund. The service checks it next.
pub async fn sent_by_hand(
    accounts: &Accounts,
    live: &EnvironmentStore,
    actor: &Actor,
    id: RefundId,
    transaction: TxHash,
) -> Result<ManualRefundOutcome, AdminError> {
    let Some(refund) = found(live, id).await? else { return Ok(ManualRefundOutcome::Missing) };
    let Some((sent, change)) = refund::sent(&refund, transaction, live.now()) else {
        return Ok(ManualRefundOutcome::Unfit(refund));
    };
    if taken(live, &sent).await? {
        return Ok(ManualRefundOutcome::Taken(refund));
    }
    match live.commit(&[change]).await {
        Ok(Committed::Done) => {}
        Ok(Committed::Lost(_)) => {
            let now = found(live, id).await?;
            return Ok(now.map_or(ManualRefundOutcome::Missing, ManualRefundOutcome::Unfit));
        }
        // A concurrent request recorded it for another refund.
        Err(_) if taken(live, &sent).await? => return Ok(ManualRefundOutcome::Taken(refund)),
        Err(error) => return Err(error.into()),
    }
    let detail = format!("{} of session {}, {transaction}", sent.amount, sent.session);
    record(accounts, actor, AuditEvent::RefundSent, &sent, detail).await?;
    Ok(ManualRefundOutcome::Done(sent))
}

/// Gives up a refund that the operator cannot send: it fails, and its money returns to where it came from.
/// Refused while a transaction that the operator named may still arrive: the money would be paid twice.
pub async fn give_up_refund(
    accounts: &Accounts,
    live: &EnvironmentStore,
    actor: &Actor,
    (id, reason): (RefundId, &str),
    provider: Option<&dyn Refunds>,
) -> Result<ManualRefundOutcome, AdminError> {
    let mut retries = Retries::default();
    let handed = loop {
        let Some(refund) = found(live, id).await? else { return Ok(ManualRefundOutcome::Missing) };
        if let Some(provider) = provider.filter(|_| refund.state == RefundState::Sent) {
            match may_arrive(provider, &refund).await {
                Some(false) => {}
                Some(true) => return Ok(ManualRefundOutcome::MayArrive(refund)),
                None => return Ok(ManualRefundOutcome::Silent(refund)),
            }
        }
        let ended = try_to_end(accounts, live, refund, |facts| refund::give_up(facts, reason)).await?;
        if let Some(handed) = ended {
            break handed;
        }
        retries.lost()?;
    };
    if let ManualRefundOutcome::Done(refund) = &handed {
        let detail = format!("{} of session {}", refund.amount, refund.session);
        record(accounts, actor, AuditEvent::RefundGivenUp, refund, detail).await?;
    }
    Ok(handed)
}

/// Whether the money of a refund may still arrive: by the transaction that the operator named, or because its provider, which was
/// silent about it, has it after all. `None` if no node can tell whether the transaction arrives.
async fn may_arrive(provider: &dyn Refunds, refund: &Refund) -> Option<bool> {
    if refund.manual.is_some() {
        let answer = tokio::time::timeout(ANSWER_WITHIN, provider.may_arrive(refund)).await;
        return answer.ok()?.ok();
    }
    let answer = tokio::time::timeout(ANSWER_WITHIN, provider.check(refund)).await;
    Some(match answer {
        Ok(Ok(RefundSeen::Succeeded { .. })) => true,
        Ok(Ok(RefundSeen::Accepted { .. })) => refund.reference.is_none(),
        // It leaves that open: the operator has looked in its account.
        _ => false,
    })
}

/// Ends a refund as made that its provider leaves open, because the operator has seen it in the provider's account.
pub async fn confirm_refund(
    accounts: &Accounts,
    live: &EnvironmentStore,
    actor: &Actor,
    id: RefundId,
) -> Result<ManualRefundOutcome, AdminError> {
    let mut retries = Retries::default();
    let handed = loop {
        let Some(refund) = found(live, id).await? else { return Ok(ManualRefundOutcome::Missing) };
        if let Some(handed) = try_to_end(accounts, live, refund, refund::confirm).await? {
            break handed;
        }
        retries.lost()?;
    };
    if let ManualRefundOutcome::Done(refund) = &handed {
        let detail = format!("{} of session {}", refund.amount, refund.session);
        record(accounts, actor, AuditEvent::RefundConfirmed, refund, detail).await?;
    }
    Ok(handed)
}

/// None if another commit moved money of the same vendor.
async fn try_to_end(
    accounts: &Accounts,
    live: &EnvironmentStore,
    refund: Refund,
    decide: impl FnOnce(&RefundFacts<'_>) -> Option<RefundDecision>,
) -> Result<Option<ManualRefundOutcome>, AdminError> {
    let vendor = accounts.vendor(refund.vendor).await?;
    let settings = vendor.map(|vendor| vendor.settings).unwrap_or_default();
    let stage = RefundStage::read(live, settings, &refund).await?;
    let rules = live.rules();
    let decision = stage.decide(live, &rules, &refund, decide).await?;
    let Some(ended) = decision else { return Ok(Some(ManualRefundOutcome::Unfit(refund))) };
    match live.commit(&ended.changes).await? {
        // It is decided about again: a worker may have checked it, or another operator has ended it.
        Committed::Lost(_) => Ok(None),
        Committed::Done => Ok(Some(ManualRefundOutcome::Done(ended.refund))),
    }
}

/// The refund records its own outcome, so the audit log, which is in another database, may be written after
/// it.
async fn record(
    accounts: &Accounts,
    actor: &Actor,
    event: AuditEvent,
    refund: &Refund,
    detail: String,
) -> Result<(), StoreError> {
    accounts.record(&entry(accounts, actor, event).about(refund.vendor).saying(detail)).await
}
