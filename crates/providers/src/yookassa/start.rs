//! Starts a payment: by card on YooKassa's page, by SBP with a QR code on ours, or on YooKassa's page where
//! the shop has no QR codes.

use super::{
    Yookassa,
    api::CallFailure,
    receipt,
    shapes::{Payment, PaymentStatus, amount, is_id},
};
use crate::{Order, ProviderError, link};
use serde_json::{Value, json};
use till_domain::{
    attempt::{Instructions, Quantity, Started},
    fiscal::FiscalReceipt,
    method::Method,
    money::Money,
};

/// The longest description that YooKassa accepts, in characters.
const MAX_DESCRIPTION: usize = 128;

/// Where a customer confirms a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConfirmationPlace {
    /// On YooKassa's page.
    Page,
    /// By a QR code on ours.
    Code,
}

impl Yookassa {
    /// Starts a payment, with its fiscal receipt if there is one.
    pub(super) async fn begin(
        &self,
        order: &Order<'_>,
        receipt: Option<&FiscalReceipt>,
    ) -> Result<Started, ProviderError> {
        self.fits(order.attempt.method, order.amount)?;
        let id = order.attempt.id.to_string();
        if order.attempt.method == Method::Card {
            let body = request(order, ConfirmationPlace::Page, receipt);
            return self.create(order, &body, ConfirmationPlace::Page, &id).await.map_err(not_started);
        }
        let body = request(order, ConfirmationPlace::Code, receipt);
        match self.create(order, &body, ConfirmationPlace::Code, &id).await {
            // Not every shop has QR codes. A refusal is kept under its idempotency key, so this needs another
            // key.
            Err(CallFailure::Refused(_) | CallFailure::Denied(_) | CallFailure::Forbidden(_)) => {
                let key = format!("{id}-redirect");
                let body = request(order, ConfirmationPlace::Page, receipt);
                self.create(order, &body, ConfirmationPlace::Page, &key).await.map_err(not_started)
            }
            started => started.map_err(not_started),
        }
    }

    /// Checks that the shop accepts this method, currency and amount.
    pub(super) fn fits(&self, method: Method, price: Money) -> Result<(), ProviderError> {
        let definite = |text: String| Err(ProviderError::Definite(text));
        let roubles = price.currency.code() == "RUB";
        if !self.setup.methods.contains(&method) || (method == Method::Sbp && !roubles) {
            return definite(format!("YooKassa does not accept {} by {method} here", price.currency));
        }
        if !self.setup.currencies.contains(&price.currency) {
            return definite(format!("YooKassa does not accept {} here", price.currency));
        }
        if let Some((least, most)) = self.setup.limits(method, price.currency)
            && !(least..=most).contains(&price.minor)
        {
            let money = |minor| Money { minor, ..price };
            return definite(format!("YooKassa accepts {} to {} by {method}", money(least), money(most)));
        }
        Ok(())
    }

    async fn create(
        &self,
        order: &Order<'_>,
        body: &Value,
        place: ConfirmationPlace,
        key: &str,
    ) -> Result<Started, CallFailure> {
        let payment: Payment = self.api.post("/payments", key, body).await?;
        let strange = |what: &str| CallFailure::Unknown(format!("YooKassa's new payment has {what}"));
        if !is_id(&payment.id) {
            return Err(strange("no id"));
        }
        if payment.amount.quantity() != Some(Quantity::from(order.amount)) {
            return Err(strange("another amount"));
        }
        let of = payment.metadata.get("attempt").and_then(Value::as_str);
        if of != Some(order.attempt.id.to_string().as_str()) {
            return Err(strange("another attempt's mark"));
        }
        let instructions = match payment.status {
            PaymentStatus::Pending => self.show(&payment, place)?,
            // There is nothing left to confirm.
            _ => Instructions::Nothing,
        };
        Ok(Started { reference: payment.id, instructions, charge: order.amount.into() })
    }

    /// The link or QR code for the customer. One that leads to an unknown host is refused: the customer never
    /// gets it, and so cannot pay by it.
    fn show(&self, payment: &Payment, place: ConfirmationPlace) -> Result<Instructions, CallFailure> {
        let refused =
            || CallFailure::Refused("YooKassa's link points to a host that is not its own".to_owned());
        let confirmation = payment.confirmation.clone();
        match place {
            ConfirmationPlace::Page => {
                let url = confirmation.and_then(|way| way.confirmation_url);
                let url =
                    url.filter(|url| link::is_allowed(url, &self.setup.page_hosts)).ok_or_else(refused)?;
                Ok(Instructions::Redirect { url })
            }
            ConfirmationPlace::Code => {
                let code = confirmation.and_then(|way| way.confirmation_data);
                let code =
                    code.filter(|code| link::is_allowed(code, &self.setup.code_hosts)).ok_or_else(refused)?;
                Ok(Instructions::Qr { payload: code.clone(), app_url: code })
            }
        }
    }
}

/// The error of a failed start. The customer has no link to a refused payment, so nothing will be charged by
/// it either.
fn not_started(trouble: CallFailure) -> ProviderError {
    match trouble {
        CallFailure::Refused(text) | CallFailure::Forbidden(text) => ProviderError::Definite(text),
        CallFailure::Denied(text) => ProviderError::Denied(text),
        trouble => trouble.unknown(),
    }
}

/// The request body: the same for the same order, as its idempotency key requires.
fn request(order: &Order<'_>, place: ConfirmationPlace, receipt: Option<&FiscalReceipt>) -> Value {
    let attempt = order.attempt;
    let russian = attempt.language.as_deref().is_none_or(|language| language.starts_with("ru"));
    let kind = if attempt.method == Method::Sbp { "sbp" } else { "bank_card" };
    let confirmation = if place == ConfirmationPlace::Code { "qr" } else { "redirect" };
    let mut request = json!({
        "amount": amount(order.amount),
        // SBP cannot hold funds.
        "capture": attempt.method == Method::Sbp,
        "payment_method_data": { "type": kind },
        "confirmation": {
            "type": confirmation,
            "return_url": order.back,
            "locale": if russian { "ru_RU" } else { "en_US" },
        },
        "metadata": { "session": attempt.session.to_string(), "attempt": attempt.id.to_string() },
    });
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let item: String = order.item.chars().map(plain).take(MAX_DESCRIPTION).collect();
    if !item.trim().is_empty() {
        request["description"] = Value::String(item);
    }
    if let Some(receipt) = receipt {
        request["receipt"] = receipt::receipt(&receipt.content, receipt.total);
    }
    request
}
