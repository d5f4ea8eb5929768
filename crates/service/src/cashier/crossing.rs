//! A cancellation that crosses a payment. Some providers return the money of a payment that was made a moment before it is
//! cancelled. If another commit has recorded that payment meanwhile, its money is gone although its session is paid: an
//! operator gets an action, the same that the nightly reconciliation would make.

use super::{Cashier, checks::ANSWER_WITHIN, findings};
use till_domain::{
    attempt::{Attempt, AttemptState},
    finding,
};
use till_providers::{ProviderError, Record};
use till_store::{Committed, StoreError};

impl Cashier {
    /// Looks whether a payment that another commit recorded while this one closed it was returned by the provider.
    pub(super) async fn find_returned(&self, closed: &Attempt) -> Result<(), StoreError> {
        let store = &self.environment.store;
        let Some(attempt) = store.attempt(closed.id).await? else { return Ok(()) };
        // A refund of ours explains what went back.
        if attempt.state != AttemptState::Paid
            || !store.refunds().of_session(attempt.session).await?.is_empty()
        {
            return Ok(());
        }
        let record = match self.record_of(&attempt).await {
            Ok(record) => record,
            Err(error) => {
                let id = attempt.id;
                tracing::warn!(attempt.id = %id, %error, "a payment was made while it was cancelled, and the provider did \
                    not say whether it returned the money: the nightly reconciliation asks again");
                return Ok(());
            }
        };
        let Some(Record { payment, taken, returned, .. }) = record else { return Ok(()) };
        // A cancellation returns everything.
        let returned = returned.unwrap_or_else(|| taken.clone());
        if returned.atoms == 0 {
            return Ok(());
        }
        let note = format!(
            "the customer paid while Till cancelled the payment, so the provider returned {returned}; Till had recorded it as \
             paid. Tell the vendor not to deliver, or ask the customer to pay again"
        );
        let detail = findings::returned_detail(&returned, 0);
        let found = findings::difference(&attempt.provider, &payment, &detail, &note);
        let (now, event) = findings::moment(store);
        let changes = finding::differs(found, Some((attempt.session, attempt.vendor)), now, event);
        if self.environment.commit(&changes).await? == Committed::Done {
            tracing::warn!(session.id = %attempt.session, "a cancelled payment was returned after it had been recorded as paid: \
                see till action list");
        }
        Ok(())
    }

    /// The provider's own record of an attempt's payment.
    async fn record_of(&self, attempt: &Attempt) -> Result<Option<Record>, ProviderError> {
        let (Some(handle), Some(reference)) = (self.handle_of(&attempt.provider), &attempt.reference) else {
            return Ok(None);
        };
        let Some(books) = handle.provider.books() else { return Ok(None) };
        self.known(&attempt.provider).pacer().spend(1, self.uptime());
        let answer = tokio::time::timeout(ANSWER_WITHIN, books.record(reference)).await;
        answer.unwrap_or_else(|_| Err(ProviderError::Unknown("no response in time".to_owned())))
    }
}
