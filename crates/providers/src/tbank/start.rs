//! Starts a payment: by card on T-Bank's page, by SBP with a QR code on ours.
//!
//! `Init` has no idempotency key. A start that was not answered is found by its order. The customer has no link
//! to such a payment, so it cannot be paid: by SBP it is used, because its code can be asked for again; by card
//! it is closed, because the link to its page was lost.

use super::{
    Tbank,
    api::CallFailure,
    codes::CodeKind,
    object, order_of,
    outcome::PaymentStatus,
    payment,
    shapes::{NewPayment, PaymentState, QrCode, is_id},
};
use crate::{Order, ProviderError, link};
use serde_json::{Map, Value, json};
use std::time::Duration;
use till_domain::{
    attempt::{Attempt, Instructions, Observation, Started},
    fiscal::FiscalReceipt,
    method::Method,
    money::Money,
    time::Timestamp,
};

/// The shortest life of a payment that T-Bank accepts.
pub(super) const LEAST_TIME: Duration = Duration::from_secs(60);

/// The longest description that T-Bank accepts, in characters.
const MAX_DESCRIPTION: usize = 140;

/// The offset of Moscow's time, in which T-Bank's examples are written.
const MOSCOW: Duration = Duration::from_secs(3 * 60 * 60);

impl Tbank {
    /// Starts a payment, with its fiscal receipt if there is one.
    pub(super) async fn begin(
        &self,
        order: &Order<'_>,
        receipt: Option<&FiscalReceipt>,
    ) -> Result<Started, ProviderError> {
        let attempt = order.attempt;
        self.fits(attempt.method, order.amount)?;
        if let (Some(reference), Some(instructions)) = (&attempt.reference, &attempt.instructions) {
            let (reference, instructions) = (reference.clone(), instructions.clone());
            return Ok(Started { reference, instructions, charge: attempt.charge.clone() });
        }
        // An earlier start may have gone unanswered.
        if attempt.version > 1
            && let Some(found) = self.search(attempt).await?
        {
            return self.resume(order, found).await;
        }
        let due = whole_second(order.deadline);
        if due.since((self.clock)()) < LEAST_TIME {
            return Err(ProviderError::Definite("less than a minute is left for the payment".to_owned()));
        }
        let mut members = self.request(order, due);
        self.add_receipt(&mut members, receipt)?;
        match self.api.call("Init", members).await {
            Ok(made) => self.give_out(order, made).await,
            Err(trouble) if trouble.is(CodeKind::Repeated) => self.repeated(order, &trouble).await,
            Err(trouble) => Err(not_started(trouble)),
        }
    }

    /// Checks that the terminal accepts this method, currency and amount.
    pub(super) fn fits(&self, method: Method, price: Money) -> Result<(), ProviderError> {
        let definite = |text: String| Err(ProviderError::Definite(text));
        if !self.setup.methods.contains(&method) || price.currency.code() != "RUB" {
            return definite(format!("T-Bank does not accept {} by {method} here", price.currency));
        }
        let (least, most) = self.setup.limits(method);
        if !(least..=most).contains(&price.minor) {
            let money = |minor| Money { minor, ..price };
            return definite(format!("T-Bank accepts {} to {} by {method}", money(least), money(most)));
        }
        Ok(())
    }

    /// The order was used by an earlier start, or by one at the same moment.
    async fn repeated(&self, order: &Order<'_>, trouble: &CallFailure) -> Result<Started, ProviderError> {
        let Some(found) = self.search(order.attempt).await? else {
            return Err(ProviderError::Definite(trouble.to_string()));
        };
        // Another node may be giving its page to the customer at this moment: it is closed by a later start.
        if order.attempt.method == Method::Card && order.attempt.version == 1 {
            return Err(ProviderError::Unclear("the payment is being started".to_owned()));
        }
        self.resume(order, found).await
    }

    /// Continues the payment of a start that was not answered.
    async fn resume(&self, order: &Order<'_>, found: PaymentState) -> Result<Started, ProviderError> {
        let attempt = order.attempt;
        let state = self.state(&found.payment_id).await?;
        if state.order_id != order_of(attempt) || state.amount != Some(order.amount.minor) {
            return Err(ProviderError::Unclear(
                "T-Bank's payment of this order is not the one requested".to_owned(),
            ));
        }
        let started = |instructions| Started {
            reference: state.payment_id.clone(),
            instructions,
            charge: order.amount.into(),
        };
        match PaymentStatus::parse(&state.status) {
            PaymentStatus::Open if attempt.method == Method::Sbp => {
                Ok(started(self.code(&state.payment_id).await.map_err(not_started)?))
            }
            PaymentStatus::Open => self.close_unseen(&state, attempt).await,
            PaymentStatus::Rejected
            | PaymentStatus::TooManyTries
            | PaymentStatus::TryFailed
            | PaymentStatus::Expired
            | PaymentStatus::Closed
            | PaymentStatus::GoneBack => {
                Err(ProviderError::Definite("T-Bank has ended the payment of this order".to_owned()))
            }
            // A check follows at once, and says what became of it.
            _ => Ok(started(Instructions::Nothing)),
        }
    }

    /// Closes a card payment whose page no customer was sent to.
    async fn close_unseen(&self, open: &PaymentState, attempt: &Attempt) -> Result<Started, ProviderError> {
        match self.cancel(open, attempt).await? {
            Observation::Closed | Observation::TimedOut | Observation::Declined(_) => {
                Err(ProviderError::Definite(
                    "T-Bank's answer was lost with the link to its page: the payment was closed".to_owned(),
                ))
            }
            _ => Err(ProviderError::Unclear("the payment whose link was lost is not closed yet".to_owned())),
        }
    }

    async fn give_out(&self, order: &Order<'_>, made: NewPayment) -> Result<Started, ProviderError> {
        let strange = |what: &str| Err(ProviderError::Unclear(format!("T-Bank's new payment has {what}")));
        if !is_id(&made.payment_id) {
            return strange("no id");
        }
        if !made.terminal_key.is_empty() && made.terminal_key != self.setup.terminal_key {
            return strange("another terminal");
        }
        if made.order_id != order_of(order.attempt) {
            return strange("another order");
        }
        if made.amount != Some(order.amount.minor) {
            return strange("another amount");
        }
        let instructions = if order.attempt.method == Method::Sbp {
            self.code(&made.payment_id).await.map_err(not_started)?
        } else if link::is_allowed(&made.payment_url, &self.setup.page_hosts) {
            Instructions::Redirect { url: made.payment_url }
        } else {
            return Err(ProviderError::Definite("T-Bank's page is on a host that is not its own".to_owned()));
        };
        Ok(Started { reference: made.payment_id, instructions, charge: order.amount.into() })
    }

    /// The SBP code of a payment. One that leads to an unknown host is refused: the customer never gets it, and
    /// so cannot pay by it.
    async fn code(&self, reference: &str) -> Result<Instructions, CallFailure> {
        let mut members = payment(reference).map_err(|error| CallFailure::Unknown(error.to_string()))?;
        members.insert("DataType".to_owned(), json!("PAYLOAD"));
        let code: QrCode = self.api.call("GetQr", members).await?;
        if !code.payment_id.is_empty() && code.payment_id != reference {
            return Err(CallFailure::Unknown("T-Bank responded for another payment".to_owned()));
        }
        if !link::is_allowed(&code.data, &self.setup.code_hosts) {
            let text = "T-Bank's QR code leads to a host that is not SBP's".to_owned();
            return Err(CallFailure::Refused { kind: CodeKind::Other, text });
        }
        Ok(Instructions::Qr { payload: code.data.clone(), app_url: code.data })
    }

    /// The members of `Init`.
    fn request(&self, order: &Order<'_>, due: Timestamp) -> Map<String, Value> {
        let attempt = order.attempt;
        let russian = attempt.language.as_deref().is_none_or(|language| language.starts_with("ru"));
        let mut request = object(json!({
            "Amount": order.amount.minor,
            "OrderId": order_of(attempt),
            // SBP cannot hold money.
            "PayType": if attempt.method == Method::Sbp { "O" } else { "T" },
            "Language": if russian { "ru" } else { "en" },
            "RedirectDueDate": in_moscow(due),
            "SuccessURL": order.back,
            "FailURL": order.back,
            "DATA": { "OperationInitiatorType": "0" },
        }));
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let item: String = order.item.chars().map(plain).take(MAX_DESCRIPTION).collect();
        if !item.trim().is_empty() {
            request.insert("Description".to_owned(), Value::String(item));
        }
        request
    }
}

/// The error of a failed start. The customer has no link to a refused payment, so nothing will be charged by it.
fn not_started(trouble: CallFailure) -> ProviderError {
    match trouble {
        CallFailure::Refused { kind: CodeKind::Account, text } => ProviderError::Denied(text),
        CallFailure::Refused { text, .. } => ProviderError::Definite(text),
        trouble => trouble.unknown(),
    }
}

/// The last whole second that is not later.
fn whole_second(at: Timestamp) -> Timestamp {
    Timestamp::from_ms(at.as_ms() / 1_000 * 1_000)
}

/// A moment as T-Bank reads it: `2026-11-16T12:28:00+03:00`.
fn in_moscow(at: Timestamp) -> String {
    let utc = at.plus(MOSCOW).to_string();
    format!("{}+03:00", utc.split('.').next().unwrap_or(&utc))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_due_date_is_the_deadline_in_whole_seconds_rounded_down() {
        for (deadline, due) in [
            ("2026-11-16T09:28:00.000Z", "2026-11-16T12:28:00+03:00"),
            ("2026-11-16T09:28:00.999Z", "2026-11-16T12:28:00+03:00"),
            ("2026-11-16T09:27:59.999Z", "2026-11-16T12:27:59+03:00"),
            ("2026-12-31T23:59:59.500Z", "2027-01-01T02:59:59+03:00"),
        ] {
            let deadline = Timestamp::parse(deadline).expect("a time");
            assert_eq!(in_moscow(whole_second(deadline)), due);
        }
    }
}
