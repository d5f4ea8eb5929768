//! Closing receipts: a vendor says that what was paid before has been handed over.

use super::refunds::of_refunds;
use crate::{
    environment::{EnvironmentStore, Retries},
    random,
};
use till_domain::{
    fiscal::{self, ClosingFacts, FiscalKind, FiscalReceipt, FiscalSettings},
    rejection::Rejection,
    request::ReceiptRequest,
    session::Session,
};
use till_store::{Committed, StoreError};

/// The reason why there is no closing receipt.
#[derive(Debug, thiserror::Error)]
pub enum ClosingError {
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes the closing receipt of a session, or finds the one that it has. True if it was made now.
pub async fn close(
    store: &EnvironmentStore,
    session: &Session,
    settings: &FiscalSettings,
    request: &ReceiptRequest,
) -> Result<(FiscalReceipt, bool), ClosingError> {
    let mut retries = Retries::default();
    loop {
        if let Some(closed) = try_to_close(store, session, settings, request).await? {
            return Ok(closed);
        }
        retries.lost()?;
    }
}

/// None if another request closed or refunded the payment meanwhile.
async fn try_to_close(
    store: &EnvironmentStore,
    session: &Session,
    settings: &FiscalSettings,
    request: &ReceiptRequest,
) -> Result<Option<(FiscalReceipt, bool)>, ClosingError> {
    // The receipts first: the commit is lost if a refund begins after this read.
    let all = store.fiscal_receipts_of(session.id).await?;
    if let Some(closing) = all.iter().find(|receipt| receipt.kind == FiscalKind::Closing) {
        fiscal::check_body(request)?;
        return Ok(Some((closing.clone(), false)));
    }
    let refunds = store.refunds().of_session(session.id).await?;
    let (now, rules) = (store.now(), store.rules());
    let facts = ClosingFacts {
        rules: &rules,
        session,
        settings,
        paid: all.iter().find(|receipt| receipt.is_of_session()),
        refunded: &of_refunds(&all, &refunds),
        is_refunding: refunds.iter().any(|refund| refund.is_of_payment() && !refund.state.is_final()),
        now,
        id: random::id_for(now, &[session.id.as_bytes(), b"closing"]),
    };
    let (receipt, changes) = fiscal::close(request, &facts)?;
    let committed = store.commit(&changes).await?;
    Ok((committed == Committed::Done).then_some((receipt, true)))
}
