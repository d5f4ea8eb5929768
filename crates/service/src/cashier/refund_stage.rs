//! The facts that the end of a refund depends on, read together; the same for a provider's answer and for an
//! operator's.

use crate::random;
use till_domain::{
    receipt::{Receipt, ReceiptKind, ReceiptLink},
    refund::{Origin, Refund, RefundFacts, SilenceAction, TotalVersion},
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
    returns_other_lines: bool,
}

impl RefundStage {
    pub async fn read(store: &Payments, settings: Settings, refund: &Refund) -> Result<Self, StoreError> {
        let id = refund.session;
        let session = store.session(id, refund.vendor).await?;
        let session = session.ok_or_else(|| StoreError::Corrupt(format!("session {id} disappeared")))?;
        let action = match refund.origin {
            Origin::Suspense { action } => store.action(action).await?.map(|stored| stored.action),
            Origin::Payment { .. } => None,
        };
        let silence_action = store.action_about(&refund.silence_subject()).await?;
        let silence_action = silence_action
            .map(|stored| SilenceAction { action: stored.action.id, open: stored.decided.is_none() });
        let receipts = if store.ledger().is_some() { store.receipts_of(id).await? } else { Vec::new() };
        let receipt = receipts.into_iter().find(|receipt| receipt.kind == ReceiptKind::Paid);
        Ok(Self { session, settings, action, silence_action, receipt, returns_other_lines: false })
    }

    /// Of a refund whose till returns the payment's lines, though its receipt has others.
    #[must_use]
    pub fn returning_other_lines(self, returns_other_lines: bool) -> Self {
        Self { returns_other_lines, ..self }
    }

    /// Decides about a refund, with the current state of its money.
    pub async fn decide<T>(
        &self,
        store: &Payments,
        rules: &Rules,
        refund: &Refund,
        decide: impl FnOnce(&RefundFacts<'_>) -> T,
    ) -> Result<T, StoreError> {
        let refunds = store.refunds();
        // The version first: the commit is lost if another one takes or refunds money after this read.
        let version = match store.ledger() {
            Some(ledger) => {
                TotalVersion::Wallet(ledger.wallet(refund.vendor, refund.amount.currency).await?.version)
            }
            None => TotalVersion::Ended(refunds.ended(refund.session).await?),
        };
        let all = refunds.of_session(refund.session).await?;
        let paid = match refund.pending {
            Some(_) => refunds.paid_with(refund.session, &all).await?,
            None => None,
        };
        let now = store.now();
        Ok(decide(&RefundFacts {
            refund,
            refunds: &all,
            session: &self.session,
            settings: &self.settings,
            action: self.action.as_ref(),
            silence_action: self.silence_action,
            pending: paid.as_ref().and_then(|paid| paid.pending.as_ref()),
            version,
            receipt: self.receipt.as_ref(),
            returns_other_lines: self.returns_other_lines,
            rules,
            now,
            event_id: random::following_id_for(now, &[refund.id.as_bytes()]),
            link: ReceiptLink::new(random::draw_for("receipt link", &[refund.id.as_bytes()])),
        }))
    }
}
