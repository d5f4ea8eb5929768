//! Closing receipts: a vendor says that what was paid before has been handed over.

use super::refunds::of_refunds;
use crate::{environment::EnvironmentStore, random};
use till_domain::{
    fiscal::{self, ClosingFacts, FiscalKind, FiscalReceipt, FiscalSettings},
    id::SessionId,
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
    if let Some(closing) = existing(store, session.id).await? {
        fiscal::check_body(request)?;
        return Ok((closing, false));
    }
    let all = store.fiscal_receipts_of(session.id).await?;
    let refunds = store.refunds().of_session(session.id).await?;
    let (now, rules) = (store.now(), store.rules());
    let facts = ClosingFacts {
        rules: &rules,
        session,
        settings,
        paid: all.iter().find(|receipt| receipt.kind == FiscalKind::Payment),
        refunded: &of_refunds(&all, &refunds),
        now,
        id: random::id_for(now, &[session.id.as_bytes(), b"closing"]),
    };
    let (receipt, changes) = fiscal::close(request, &facts)?;
    match store.commit(&changes).await? {
        Committed::Done => Ok((receipt, true)),
        // Another request was faster.
        Committed::Lost(_) => match existing(store, session.id).await? {
            Some(closing) => Ok((closing, false)),
            None => Err(StoreError::Corrupt("a closing receipt disappeared".to_owned()).into()),
        },
    }
}

async fn existing(store: &EnvironmentStore, id: SessionId) -> Result<Option<FiscalReceipt>, StoreError> {
    let all = store.fiscal_receipts_of(id).await?;
    Ok(all.into_iter().find(|receipt| receipt.kind == FiscalKind::Closing))
}
