//! Payouts: a vendor asks, the operator approves and says whether the bank took it.

use super::{AdminError, entry};
use crate::{
    environment::{EnvironmentStore, Retries},
    random,
};
use till_domain::{
    audit::{Actor, AuditEvent},
    id::{EntryId, PayoutId, VendorId},
    money::Money,
    payout::{Payout, PayoutProblem, PayoutState, PayoutStep},
};
use till_store::{Accounts, Committed, FailPoint, StoredPayout};

/// A vendor's request for a payout.
#[derive(Debug, Clone)]
pub struct PayoutRequest {
    pub vendor: VendorId,
    pub amount: Money,
    pub destination: String,
}

/// The result of a request for a payout.
#[derive(Debug)]
pub enum PayoutOutcome {
    /// The payout is stored, and its money is taken from the wallet.
    Done(StoredPayout),
    /// The amount is not available, or not positive.
    Wrong(PayoutProblem),
}

/// Requests a payout of at most the available balance. The wallet's version guards against concurrent commits
/// that take from the same wallet (optimistic concurrency).
pub async fn ask_payout(
    accounts: &Accounts,
    live: &EnvironmentStore,
    actor: &Actor,
    wanted: PayoutRequest,
) -> Result<PayoutOutcome, AdminError> {
    let Some(ledger) = live.ledger() else { return Ok(PayoutOutcome::Wrong(PayoutProblem::NotAvailable)) };
    let now = live.now();
    let PayoutRequest { vendor, amount, destination } = wanted;
    let id = random::id::<PayoutId>(now);
    let payout = Payout { id, vendor, amount, destination, at: now, by: actor.name.clone() };
    let line = entry(accounts, actor, AuditEvent::PayoutAsked).about(vendor).saying(detail(&payout));
    let mut used = false;
    let mut retries = Retries::default();
    loop {
        let wallet = ledger.wallet(vendor, amount.currency).await?;
        let entry_id = random::id::<EntryId>(live.now());
        let changes = match payout.ask(wallet.version, wallet.available, entry_id) {
            Ok(changes) => changes,
            Err(problem) => return Ok(PayoutOutcome::Wrong(problem)),
        };
        // A form counts once. That is recorded in another database, so the form is marked as used first.
        if !used && !accounts.use_form(&line).await? {
            return Err(AdminError::Repeated);
        }
        used = true;
        FailPoint::PayoutAnnounced.reach();
        if live.commit(&changes).await? == Committed::Done {
            FailPoint::PayoutRequested.reach();
            // The payout records its author and time itself, so the audit log may be written after it.
            accounts.record(&line).await?;
            return Ok(PayoutOutcome::Done(StoredPayout { payout, steps: Vec::new() }));
        }
        retries.lost()?;
    }
}

/// The result of a step.
#[derive(Debug)]
pub enum PayoutStepOutcome {
    Done(StoredPayout),
    /// The payout's state does not allow it, or another step was faster; nothing was changed.
    Unfit(StoredPayout),
    /// There is no such payout.
    Missing,
}

/// Moves a payout to the given state, once.
pub async fn step_payout(
    accounts: &Accounts,
    live: &EnvironmentStore,
    actor: &Actor,
    id: PayoutId,
    (state, note): (PayoutState, Option<String>),
) -> Result<PayoutStepOutcome, AdminError> {
    let Some(ledger) = live.ledger() else { return Ok(PayoutStepOutcome::Missing) };
    let Some(stored) = ledger.payout(id).await? else { return Ok(PayoutStepOutcome::Missing) };
    if !stored.state().next().contains(&state) {
        return Ok(PayoutStepOutcome::Unfit(stored));
    }
    let now = live.now();
    let step = PayoutStep { state, at: now, by: actor.name.clone(), note };
    let committed = live.commit(&stored.payout.step(&step, random::id::<EntryId>(now))).await?;
    let Some(stored) = ledger.payout(id).await? else { return Ok(PayoutStepOutcome::Missing) };
    if committed != Committed::Done {
        return Ok(PayoutStepOutcome::Unfit(stored));
    }
    FailPoint::PayoutStepped.reach();
    // The payout records its author and time itself, so the audit log, which is in another database, may be
    // written after it.
    let event = match state {
        PayoutState::Asked => AuditEvent::PayoutAsked,
        PayoutState::Approved => AuditEvent::PayoutApproved,
        PayoutState::Refused => AuditEvent::PayoutRefused,
        PayoutState::Sent => AuditEvent::PayoutSent,
        PayoutState::Failed => AuditEvent::PayoutFailed,
    };
    let payout = &stored.payout;
    accounts.record(&entry(accounts, actor, event).about(payout.vendor).saying(detail(payout))).await?;
    Ok(PayoutStepOutcome::Done(stored))
}

/// The text of the audit log entry. It leaves out the destination, which only readers of the payout may see.
fn detail(payout: &Payout) -> String {
    format!("{}, {}", payout.amount, payout.id)
}
