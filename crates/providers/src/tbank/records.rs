//! T-Bank's own records of payments, for reconciliation with ours. Its API has no list: each payment of ours is
//! asked about by itself, and one that was taken without Till is not seen.

use super::{
    Tbank,
    api::CallFailure,
    codes::CodeKind,
    outcome::{PaymentStatus, roubles},
    payment,
    shapes::PaymentState,
};
use crate::{Books, ProviderError, Record};
use futures_util::future::BoxFuture;
use till_domain::{id::AttemptId, time::Timestamp};

impl Tbank {
    async fn taken_by(&self, reference: &str) -> Result<Option<Record>, ProviderError> {
        let Ok(members) = payment(reference) else { return Ok(None) };
        let state: PaymentState = match self.api.call("GetState", members).await {
            Ok(state) => state,
            Err(CallFailure::Refused { kind: CodeKind::NotFound | CodeKind::State, .. }) => return Ok(None),
            Err(trouble) => return Err(trouble.unknown()),
        };
        self.record(&state)
    }

    fn record(&self, state: &PaymentState) -> Result<Option<Record>, ProviderError> {
        let unclear = || ProviderError::Unknown("T-Bank reports a payment without its amount".to_owned());
        let amount = || state.amount.and_then(roubles).ok_or_else(unclear);
        let (taken, returned) = match PaymentStatus::parse(&state.status) {
            PaymentStatus::Confirmed => (amount()?, Some(amount()?.with(0))),
            // The amount may be that of the payment, or what is left of it.
            PaymentStatus::GoneBack if amount()?.atoms > 0 => (amount()?, Some(amount()?)),
            PaymentStatus::GoneBack | PaymentStatus::GoingBack | PaymentStatus::GoneBackInPart => {
                (amount()?, None)
            }
            _ => return Ok(None),
        };
        let attempt = AttemptId::parse(&state.order_id);
        Ok(Some(Record {
            payment: state.payment_id.clone(),
            attempt,
            taken,
            returned,
            disputed: false,
            at: (self.clock)(),
        }))
    }
}

impl Books for Tbank {
    /// None: T-Bank cannot be asked for a list.
    fn records<'a>(
        &'a self,
        _from: Timestamp,
        _to: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Vec<Record>>, ProviderError>> {
        Box::pin(std::future::ready(Ok(Some(Vec::new()))))
    }

    fn has_list(&self) -> bool {
        false
    }

    fn record<'a>(&'a self, payment: &'a str) -> BoxFuture<'a, Result<Option<Record>, ProviderError>> {
        Box::pin(self.taken_by(payment))
    }
}
