//! Requests for refunds, from the API, a page or a command: all of them use this code.

use super::entry;
use crate::{
    environment::{EnvironmentStore, Retries},
    random,
};
use sha2::{Digest as _, Sha256};
use till_domain::{
    audit::{Actor, AuditEvent},
    change::{Change, Guard, RememberedKey},
    decision::Wallet,
    environment::EnvironmentName,
    fiscal::{FiscalItem, FiscalKind, FiscalReceipt, FiscalSettings, ItemQuantity, PaidReceipts},
    id::VendorId,
    ledger::Terms,
    refund::{self, Payment, Refund, RequestFacts},
    rejection::Rejection,
    request::{KEY_REMEMBERED_FOR, RefundRequest},
    session::Session,
};
use till_store::{Accounts, Committed, FailPoint, PaidWith, StoreError};

/// A request for a refund.
#[derive(Debug, Clone, Copy)]
pub struct RefundOrder<'a> {
    pub session: &'a Session,
    /// The terms that the vendor and the operator agreed on.
    pub terms: &'a Terms,
    /// The vendor's settings for fiscal receipts.
    pub fiscal: &'a FiscalSettings,
    pub request: &'a RefundRequest,
    /// The mark of the fiscal receipt's lines that the requester chose from, if the request names lines by their places: it is
    /// refused if they are others now.
    pub lines: Option<&'a str>,
    /// The requester, as text that stays with the refund.
    pub by: &'a str,
    /// The idempotency key, with the fingerprint of the request that it stands for.
    pub key: Option<(&'a str, [u8; 32])>,
}

/// The reason why a refund was not made.
#[derive(Debug, thiserror::Error)]
pub enum RefundError {
    /// The request is not valid, or the payment cannot be refunded.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The idempotency key was used before.
    #[error("the Idempotency-Key was already used")]
    KeyTaken,
    /// The lines of the fiscal receipt are others than the requester chose from.
    #[error("the items of the receipt have changed")]
    LinesChanged,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes refunds in one environment.
#[derive(Debug, Clone, Copy)]
pub struct Refunder<'a> {
    pub store: &'a EnvironmentStore,
}

/// A payment as the rules of refunds need it.
pub fn payment(paid: &PaidWith) -> Payment<'_> {
    let PaidWith { money, accepted, fee, pending, taken_back } = paid;
    let (accepted, fee, taken_back) = (*accepted, *fee, *taken_back);
    Payment { money, accepted, fee, pending: pending.as_ref(), taken_back }
}

impl Refunder<'_> {
    /// Makes a refund and takes its money, in one commit. The provider is called later.
    pub async fn request(&self, asking: &RefundOrder<'_>) -> Result<Refund, RefundError> {
        let mut retries = Retries::default();
        loop {
            if let Some(refund) = self.try_to_request(asking).await? {
                return Ok(refund);
            }
            retries.lost()?;
        }
    }

    /// Makes a refund as an operator or a vendor's admin, with its line in the audit log.
    pub async fn request_by(
        &self,
        accounts: &Accounts,
        actor: &Actor,
        asking: &RefundOrder<'_>,
    ) -> Result<Refund, RefundError> {
        let refund = self.request(asking).await?;
        // The refund records its author and time itself, so the audit log, which is in another database, may
        // be written after it.
        let place = if self.store.name == EnvironmentName::Sandbox { "sandbox " } else { "" };
        let detail = format!("{} of {place}session {}", refund.amount, refund.session);
        let line = entry(accounts, actor, AuditEvent::RefundRequested).about(refund.vendor).saying(detail);
        accounts.record(&line).await?;
        Ok(refund)
    }

    /// None if another commit refunded, took or settled some of the same money.
    async fn try_to_request(&self, asking: &RefundOrder<'_>) -> Result<Option<Refund>, RefundError> {
        let decided = match self.decide(asking).await {
            // Money that moved between the reads is seen in neither place, so they are repeated once.
            Err(RefundError::Rejected(Rejection::InsufficientBalance { .. })) => self.decide(asking).await?,
            decided => decided?,
        };
        let (refund, mut changes) = decided;
        if let Some((key, fingerprint)) = asking.key {
            // After the guards of the money, which every list that moves some begins with: nodes that wait
            // for each other's rows wait in one order, so there is no deadlock.
            let guards = changes.iter().take_while(|change| change.guard().is_some()).count();
            changes.insert(guards, Change::RememberKey(remembered(&refund, key, fingerprint)));
        }
        match self.store.commit(&changes).await? {
            Committed::Done => {
                FailPoint::RefundRequested.reach();
                Ok(Some(refund))
            }
            Committed::Lost(Guard::KeyTaken) => Err(RefundError::KeyTaken),
            Committed::Lost(_) => Ok(None),
        }
    }

    /// True if a refund was made with this idempotency key.
    pub async fn was_made(&self, vendor: VendorId, key: &str) -> Result<bool, StoreError> {
        let since = self.store.now().minus(KEY_REMEMBERED_FOR);
        Ok(self.store.key(vendor, key, since).await?.is_some())
    }

    /// The refund that would be made, with the changes that take its money. Nothing is committed.
    pub async fn decide(&self, asking: &RefundOrder<'_>) -> Result<(Refund, Vec<Change>), RefundError> {
        let RefundOrder { session, terms, fiscal, request, by, .. } = *asking;
        // The version first: the commit is lost if another one takes money after this read.
        let wallet = match self.store.ledger() {
            Some(ledger) => {
                let wallet = ledger.wallet(session.vendor, session.item.price.currency()).await?;
                Some(Wallet { version: wallet.version, available: wallet.available })
            }
            None => None,
        };
        let all = self.store.refunds();
        let refunds = all.of_session(session.id).await?;
        let paid = all.paid_with(session.id, &refunds).await?;
        let payment = paid.as_ref().map(payment);
        let receipts = match session.fiscal {
            Some(_) => self.store.fiscal_receipts_of(session.id).await?,
            None => Vec::new(),
        };
        if asking.lines.is_some_and(|lines| lines != lines_mark(&lines_left(&receipts, &refunds))) {
            return Err(RefundError::LinesChanged);
        }
        let (now, rules) = (self.store.now(), self.store.rules());
        let situation = RequestFacts {
            rules: &rules,
            session,
            payment,
            refunds: &refunds,
            terms,
            wallet,
            fiscal: paid_receipts(&receipts),
            fiscal_settings: fiscal,
            by,
            now,
            id: random::id_for(now, &[session.id.as_bytes()]),
        };
        Ok(refund::request(request, &situation)?)
    }
}

/// The receipts of a session as the rules of refunds need them.
#[must_use]
pub fn paid_receipts(all: &[FiscalReceipt]) -> Option<PaidReceipts<'_>> {
    let closing = all.iter().find(|receipt| receipt.kind == FiscalKind::Closing);
    Some(PaidReceipts { payment: all.iter().find(|receipt| receipt.is_of_session())?, closing })
}

/// The lines that a refund can return, with what is left of each; empty without a receipt.
#[must_use]
pub fn lines_left(all: &[FiscalReceipt], refunds: &[Refund]) -> Vec<(FiscalItem, Option<ItemQuantity>)> {
    paid_receipts(all).map_or_else(Vec::new, |paid| paid.left(&of_refunds(all, refunds)))
}

/// A mark of these lines: the same as long as they are, with the same left of each.
#[must_use]
pub fn lines_mark(lines: &[(FiscalItem, Option<ItemQuantity>)]) -> String {
    let mut hash = Sha256::new();
    for (item, left) in lines {
        let FiscalItem { name, quantity, price, vat, subject, mode, measure } = item;
        let words = [vat.as_str(), subject.as_str(), mode.as_str(), measure.as_str()];
        let left = left.map_or(0, ItemQuantity::thousandths);
        // A name has no control characters.
        hash.update(format!("{name}\n{} {price} {left} {}\n", quantity.thousandths(), words.join(" ")));
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The receipts of the payment's refunds that did not fail.
#[must_use]
pub fn of_refunds<'a>(all: &'a [FiscalReceipt], refunds: &[Refund]) -> Vec<&'a FiscalReceipt> {
    let counts = |receipt: &FiscalReceipt| {
        refunds.iter().any(|refund| {
            refund.is_of_payment() && refund.id.as_bytes() == receipt.id.as_bytes() && refund.counts()
        })
    };
    all.iter().filter(|receipt| receipt.kind == FiscalKind::Refund && counts(receipt)).collect()
}

fn remembered(refund: &Refund, key: &str, fingerprint: [u8; 32]) -> RememberedKey {
    let at = refund.created_at;
    RememberedKey {
        vendor: refund.vendor,
        key: key.to_owned(),
        fingerprint,
        made: refund.id.into(),
        at,
        forget_before: at.minus(KEY_REMEMBERED_FOR),
    }
}
