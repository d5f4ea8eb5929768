//! Asking for refunds, by the API, a page or a command: one way for all of them.

use crate::{environment::COMMIT_TIMEOUT, random};
use till_domain::{
    change::{Change, Guard, RememberedKey},
    id::RefundId,
    ledger::Terms,
    refund::{self, Payment, Refund, Situation},
    rejection::Rejection,
    request::{KEY_REMEMBERED_FOR, RefundRequest},
    rules::Rules,
    session::Session,
};
use till_store::{Committed, PaidWith, Payments, StoreError};

/// How often a refund is decided anew because somebody else changed what it depends on.
const TRIES: usize = 64;

/// Who asks for what.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    pub session: &'a Session,
    /// What its vendor and the operator agreed on.
    pub terms: &'a Terms,
    /// What is asked for.
    pub request: &'a RefundRequest,
    /// By whom, in the words that stay with it.
    pub by: &'a str,
    /// The key that makes it count once, with the fingerprint of what it stands for.
    pub key: Option<(&'a str, [u8; 32])>,
}

/// Why a refund was not made.
#[derive(Debug, thiserror::Error)]
pub enum RefundError {
    /// It cannot be.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// Its key is in use.
    #[error("the key was used before")]
    KeyTaken,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whoever refunds, in one environment.
#[derive(Debug, Clone, Copy)]
pub struct Refunder<'a> {
    /// Where the money is.
    pub payments: &'a Payments,
    pub rules: &'a Rules,
}

/// A payment as whoever decides about it needs it.
pub fn payment(paid: &PaidWith) -> Payment<'_> {
    let PaidWith { money, accepted, fee, pending, taken_back } = paid;
    let (accepted, fee, taken_back) = (*accepted, *fee, *taken_back);
    Payment { money, accepted, fee, pending: pending.as_ref(), taken_back }
}

impl Refunder<'_> {
    /// Makes a refund and takes its money, in one commit. The provider hears of it later.
    pub async fn request(&self, asking: &Asking<'_>) -> Result<Refund, RefundError> {
        for _ in 0..TRIES {
            let decided = match self.decide(asking).await {
                // Money that was moved between the reads of it is in neither place: it is looked for once more.
                Err(RefundError::Rejected(Rejection::InsufficientBalance { .. })) => {
                    self.decide(asking).await?
                }
                decided => decided?,
            };
            let (refund, mut changes) = decided;
            if let Some((key, fingerprint)) = asking.key {
                let at = refund.created_at;
                let remember = RememberedKey {
                    vendor: refund.vendor,
                    key: key.to_owned(),
                    fingerprint,
                    made: refund.id.into(),
                    at,
                    forget_before: at.minus(KEY_REMEMBERED_FOR),
                };
                // After the guards of the money, which every list that moves some begins with: nodes that wait for each
                // other's rows wait in one order.
                let guards = changes.iter().take_while(|change| change.guard().is_some()).count();
                changes.insert(guards, Change::RememberKey(remember));
            }
            let commit = tokio::time::timeout(COMMIT_TIMEOUT, self.payments.commit(&changes)).await;
            match commit.unwrap_or_else(|_| Err(StoreError::unknown("no answer in time")))? {
                Committed::Done => return Ok(refund),
                Committed::Lost(Guard::KeyTaken) => return Err(RefundError::KeyTaken),
                // Somebody else refunded, took or settled some of the same money: count again.
                Committed::Lost(_) => {}
            }
        }
        Err(StoreError::Busy { waiting: TRIES }.into())
    }

    /// What the refund would be, and what it would take.
    pub async fn decide(&self, asking: &Asking<'_>) -> Result<(Refund, Vec<Change>), RefundError> {
        let Asking { session, terms, request, by, .. } = *asking;
        let (Some(ledger), Some(all)) = (self.payments.ledger(), self.payments.refunds()) else {
            return Err(Rejection::RefundNotSupported.into());
        };
        // The version first: whoever takes money later than this is noticed.
        let wallet = ledger.wallet(session.vendor, session.item.price.currency()).await?;
        let refunds = all.of_session(session.id).await?;
        let paid = all.paid_with(session.id, &refunds).await?;
        let payment = paid.as_ref().map(payment);
        let now = self.payments.now();
        let situation = Situation {
            rules: self.rules,
            session,
            payment,
            refunds: &refunds,
            terms,
            wallet: wallet.version,
            available: wallet.available,
            by,
            now,
            id: RefundId::new(now, &random::entropy()),
        };
        Ok(refund::request(request, &situation)?)
    }
}
