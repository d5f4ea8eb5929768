//! The facts that the end of a refund depends on, read together; the same for a provider's answer and for an
//! operator's.

use crate::random;
use till_domain::{
    id::EventId,
    receipt::{Receipt, ReceiptKind, ReceiptLink},
    refund::{Origin, Refund, RefundFacts, SilenceAction},
    rules::Rules,
    session::Session,
    transaction::Action,
    vendor::Settings,
};
use till_store::{Payments, StoreError};

/// The facts that the end of a refund depends on and does not change.
#[derive(Debug)]
pub struct RefundStage {
    session: Session,
    settings: Settings,
    action: Option<Action>,
    silence_action: Option<SilenceAction>,
    receipt: Option<Receipt>,
}

impl RefundStage {
    pub async fn read(live: &Payments, settings: Settings, refund: &Refund) -> Result<Self, StoreError> {
        let id = refund.session;
        let session = live.session(id, refund.vendor).await?;
        let session = session.ok_or_else(|| StoreError::Corrupt(format!("session {id} disappeared")))?;
        let action = match refund.origin {
            Origin::Suspense { action } => live.action(action).await?.map(|stored| stored.action),
            Origin::Payment { .. } => None,
        };
        let silence_action = live.action_about(&refund.silence_subject()).await?;
        let silence_action = silence_action
            .map(|stored| SilenceAction { action: stored.action.id, open: stored.decided.is_none() });
        let receipts = live.receipts_of(id).await?;
        let receipt = receipts.into_iter().find(|receipt| receipt.kind == ReceiptKind::Paid);
        Ok(Self { session, settings, action, silence_action, receipt })
    }

    /// Decides about a refund, with the current state of its money. `None` where no ledger is kept.
    pub async fn decide<T>(
        &self,
        live: &Payments,
        rules: &Rules,
        refund: &Refund,
        decide: impl FnOnce(&RefundFacts<'_>) -> T,
    ) -> Result<Option<T>, StoreError> {
        let (Some(ledger), Some(refunds)) = (live.ledger(), live.refunds()) else { return Ok(None) };
        // The version first: the commit is lost if another one takes money after this read.
        let wallet = ledger.wallet(refund.vendor, refund.amount.currency).await?;
        let all = refunds.of_session(refund.session).await?;
        let paid = match refund.pending {
            Some(_) => refunds.paid_with(refund.session, &all).await?,
            None => None,
        };
        let now = live.now();
        Ok(Some(decide(&RefundFacts {
            refund,
            refunds: &all,
            session: &self.session,
            settings: &self.settings,
            action: self.action.as_ref(),
            silence_action: self.silence_action,
            pending: paid.as_ref().and_then(|paid| paid.pending.as_ref()),
            wallet: wallet.version,
            receipt: self.receipt.as_ref(),
            rules,
            now,
            event_id: EventId::new(now, &random::entropy()),
            link: ReceiptLink::new(random::bytes()),
        })))
    }
}
