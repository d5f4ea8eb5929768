//! YooKassa's JSON objects, as far as they are read. What is not documented is ignored; what is, must be
//! there.

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use till_domain::{
    attempt::Quantity,
    money::{Currency, Money},
};

/// Reads `null` as an empty value.
pub(super) fn or_nothing<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    from: D,
) -> Result<T, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}

/// An amount: decimal digits, and the currency's code.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Amount {
    value: String,
    currency: String,
}

impl Amount {
    /// The amount, in minor units where the currency is known; `None` if it is malformed.
    pub(super) fn quantity(&self) -> Option<Quantity> {
        let (whole, fraction) = self.value.split_once('.').unwrap_or((&self.value, ""));
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let named = self.currency.len() == 3 && self.currency.bytes().all(|b| b.is_ascii_uppercase());
        if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > 8 || !named {
            return None;
        }
        let places = Currency::from_stored(&self.currency).map_or(2, Currency::exponent).max(fraction.len());
        let atoms = format!("{whole}{fraction:0<places$}").parse().ok()?;
        Some(Quantity { atoms, decimals: u8::try_from(places).ok()?, unit: self.currency.clone() })
    }
}

/// Money in YooKassa's format: always with all decimal places of the currency.
pub(super) fn amount(money: Money) -> Value {
    json!({ "value": money.digits(), "currency": money.currency.code() })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PaymentStatus {
    Pending,
    WaitingForCapture,
    Succeeded,
    Canceled,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Payment {
    pub(super) id: String,
    pub(super) status: PaymentStatus,
    pub(super) paid: bool,
    pub(super) amount: Amount,
    #[serde(default)]
    pub(super) test: bool,
    #[serde(default, deserialize_with = "or_nothing")]
    pub(super) metadata: Map<String, Value>,
    pub(super) confirmation: Option<Confirmation>,
    pub(super) cancellation_details: Option<Cancellation>,
    pub(super) refunded_amount: Option<Amount>,
    pub(super) captured_at: Option<String>,
    pub(super) receipt_registration: Option<ReceiptRegistration>,
}

/// How the customer confirms a payment.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Confirmation {
    pub(super) confirmation_url: Option<String>,
    /// The content of the SBP QR code.
    pub(super) confirmation_data: Option<String>,
}

/// Why something was cancelled. Both words may be unknown to us.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Cancellation {
    #[serde(default)]
    pub(super) party: String,
    #[serde(default)]
    pub(super) reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RefundStatus {
    Pending,
    Succeeded,
    Canceled,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct RefundObject {
    pub(super) id: String,
    pub(super) payment_id: String,
    pub(super) status: RefundStatus,
    pub(super) amount: Amount,
    pub(super) cancellation_details: Option<Cancellation>,
    pub(super) receipt_registration: Option<ReceiptRegistration>,
}

/// The registration of a fiscal receipt; the status of one that was made after its payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReceiptRegistration {
    Pending,
    Succeeded,
    Canceled,
    /// A state that is not documented: it is asked for again.
    #[serde(other)]
    Unknown,
}

/// A fiscal receipt that was made after its payment.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ReceiptObject {
    pub(super) id: String,
    pub(super) status: ReceiptRegistration,
}

/// A page of a list. An item is parsed only once it is known to be wanted.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ListPage {
    pub(super) items: Vec<Value>,
    pub(super) next_cursor: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Account {
    pub(super) account_id: Value,
    pub(super) status: String,
    pub(super) test: bool,
    #[serde(default)]
    pub(super) fiscalization_enabled: bool,
    pub(super) fiscalization: Option<Fiscalization>,
    pub(super) payment_methods: Option<Vec<String>>,
}

/// Whether the shop sends receipts to the tax office.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Fiscalization {
    #[serde(default)]
    pub(super) enabled: bool,
}

/// An error; also sent instead of an answer that takes long.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct ErrorObject {
    #[serde(default)]
    pub(super) code: String,
    #[serde(default)]
    pub(super) description: String,
    pub(super) parameter: Option<String>,
    pub(super) retry_after: Option<u64>,
}

/// Parses an object; `None` if it does not have this shape.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}

/// A value of an object's metadata.
pub(super) fn word<'a>(thing: &'a Value, name: &str) -> Option<&'a str> {
    thing.get("metadata")?.get(name)?.as_str()
}

/// True if this can be an id of YooKassa: it becomes a part of URL paths.
pub(super) fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact() {
        let quantity = |value: &str, currency: &str| {
            let amount = Amount { value: value.to_owned(), currency: currency.to_owned() };
            amount.quantity().map(|quantity| (quantity.atoms, quantity.decimals))
        };
        assert_eq!(quantity("1490.00", "RUB"), Some((149_000, 2)));
        assert_eq!(quantity("1490.5", "RUB"), Some((149_050, 2)));
        assert_eq!(quantity("1490", "RUB"), Some((149_000, 2)));
        assert_eq!(quantity("0.015", "RUB"), Some((15, 3)), "what has more places is not the same unit");
        for (value, currency) in [
            ("1 490.00", "RUB"),
            ("1,00", "RUB"),
            ("-1.00", "RUB"),
            ("1e3", "RUB"),
            (".5", "RUB"),
            ("1.00", "rub"),
        ] {
            assert_eq!(quantity(value, currency), None, "{value} {currency}");
        }
    }
}
