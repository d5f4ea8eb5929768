//! What the service has in its books, to compare with ours.

use super::{
    Yookassa,
    shapes::{Payment, PaymentStatus},
};
use crate::ProviderError;
use serde_json::Value;
use till_domain::{attempt::Quantity, id::AttemptId, time::Timestamp};

/// Pages of a hundred that one question about the books may take.
const PAGES: usize = 100;

/// A payment as YooKassa has it in its books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The reference of the payment.
    pub payment: String,
    /// The attempt, as YooKassa was told; nothing if somebody took it without Till.
    pub attempt: Option<AttemptId>,
    /// What was taken.
    pub taken: Quantity,
    /// What of it has gone back.
    pub returned: Quantity,
    /// When it was taken.
    pub at: Timestamp,
}

impl Yookassa {
    /// What was taken between two moments, the first included: to compare with our own books.
    pub async fn records(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Record>, ProviderError> {
        let (from, to) = (from.to_string(), to.to_string());
        let filters = [("captured_at.gte", from.as_str()), ("captured_at.lt", &to), ("status", "succeeded")];
        let found = self.api.list("/payments", &filters, PAGES, |_| true).await;
        let found = found.map_err(|trouble| ProviderError::Unknown(trouble.to_string()))?;
        found.into_iter().map(record).collect()
    }
}

fn record(thing: Value) -> Result<Record, ProviderError> {
    let unclear = || ProviderError::Unknown("a payment in YooKassa's books cannot be read".to_owned());
    let payment: Payment = serde_json::from_value(thing).map_err(|_| unclear())?;
    let taken = payment.amount.quantity().filter(|_| payment.status == PaymentStatus::Succeeded);
    let taken = taken.ok_or_else(unclear)?;
    let returned = match &payment.refunded_amount {
        Some(amount) => amount.quantity().ok_or_else(unclear)?,
        None => taken.with(0),
    };
    let at = payment.captured_at.as_deref().and_then(Timestamp::parse).ok_or_else(unclear)?;
    let attempt = payment.metadata.get("attempt").and_then(Value::as_str).and_then(AttemptId::parse);
    Ok(Record { payment: payment.id, attempt, taken, returned, at })
}
