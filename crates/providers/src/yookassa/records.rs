//! YooKassa's own records of payments, for reconciliation with ours.

use super::{
    Yookassa,
    api::{CallFailure, path},
    shapes::{Payment, PaymentStatus},
};
use crate::{Books, ProviderError, Record};
use futures_util::future::BoxFuture;
use serde_json::Value;
use till_domain::{id::AttemptId, time::Timestamp};

/// The most pages of a hundred for one query.
const PAGES: usize = 100;

impl Yookassa {
    async fn taken(&self, from: Timestamp, to: Timestamp) -> Result<Option<Vec<Record>>, ProviderError> {
        let (from, to) = (from.to_string(), to.to_string());
        let filters = [("captured_at.gte", from.as_str()), ("captured_at.lt", &to), ("status", "succeeded")];
        let found = self.api.list("/payments", &filters, PAGES).await.map_err(CallFailure::unknown)?;
        found.map(|all| all.into_iter().map(record).collect()).transpose()
    }

    /// A payment by its id. One that YooKassa refuses to show, although our credentials are accepted, is none
    /// of its payments.
    async fn taken_by(&self, payment: &str) -> Result<Option<Record>, ProviderError> {
        let Ok(path) = path("payments", payment, "") else { return Ok(None) };
        let found: Value = match self.api.get(&path).await {
            Ok(found) => found,
            Err(CallFailure::Refused(_)) => return Ok(None),
            Err(trouble) => return Err(trouble.unknown()),
        };
        let taken = found.get("status").and_then(Value::as_str) == Some("succeeded");
        taken.then(|| record(found)).transpose()
    }
}

impl Books for Yookassa {
    fn records<'a>(
        &'a self,
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Vec<Record>>, ProviderError>> {
        Box::pin(self.taken(from, to))
    }

    fn record<'a>(&'a self, payment: &'a str) -> BoxFuture<'a, Result<Option<Record>, ProviderError>> {
        Box::pin(self.taken_by(payment))
    }
}

fn record(thing: Value) -> Result<Record, ProviderError> {
    let unclear = || ProviderError::Unknown("a payment in YooKassa's records is invalid".to_owned());
    let payment: Payment = serde_json::from_value(thing).map_err(|_| unclear())?;
    let taken = payment.amount.quantity().filter(|_| payment.status == PaymentStatus::Succeeded);
    let taken = taken.ok_or_else(unclear)?;
    let returned = match &payment.refunded_amount {
        Some(amount) => amount.quantity().ok_or_else(unclear)?,
        None => taken.with(0),
    };
    let at = payment.captured_at.as_deref().and_then(Timestamp::parse).ok_or_else(unclear)?;
    let attempt = payment.metadata.get("attempt").and_then(Value::as_str).and_then(AttemptId::parse);
    Ok(Record { payment: payment.id, attempt, taken, returned: Some(returned), disputed: false, at })
}
