//! Closing receipts: a vendor says that what was paid before has been handed over.

use crate::{environment::EnvironmentStore, random};
use till_domain::{
    fiscal::{self, ClosingFacts, FiscalKind, FiscalReceipt},
    refund::Refund,
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
    request: &ReceiptRequest,
) -> Result<(FiscalReceipt, bool), ClosingError> {
    let all = store.fiscal_receipts_of(session.id).await?;
    let of = |kind| all.iter().find(move |receipt| receipt.kind == kind);
    if let Some(closing) = of(FiscalKind::Closing) {
        fiscal::check_kind(request)?;
        return Ok((closing.clone(), false));
    }
    let refunds = store.refunds().of_session(session.id).await?;
    let (now, rules) = (store.now(), store.rules());
    let facts = ClosingFacts {
        rules: &rules,
        session,
        paid: of(FiscalKind::Payment),
        refunded: refunds
            .iter()
            .filter(|refund| refund.counts())
            .map(|refund: &Refund| refund.amount.minor)
            .sum(),
        now,
        id: random::id_for(now, &[session.id.as_bytes(), b"closing"]),
    };
    let (receipt, changes) = fiscal::close(request, &facts)?;
    match store.commit(&changes).await? {
        Committed::Done => Ok((receipt, true)),
        // Another request was faster.
        Committed::Lost(_) => {
            let all = store.fiscal_receipts_of(session.id).await?;
            let closing = all.into_iter().find(|receipt| receipt.kind == FiscalKind::Closing);
            let closing =
                closing.ok_or_else(|| StoreError::Corrupt("a closing receipt disappeared".to_owned()))?;
            Ok((closing, false))
        }
    }
}
