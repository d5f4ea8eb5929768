//! T-Bank's JSON objects, as far as they are read. The same member comes as text from one call and as a number
//! from another, so both are read everywhere.

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;

/// Reads text, a number or a boolean as text; null as an empty one.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    match Value::deserialize(from)? {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(yes) => Ok(yes.to_string()),
        Value::Null => Ok(String::new()),
        Value::Array(_) | Value::Object(_) => Err(serde::de::Error::custom("neither text nor a number")),
    }
}

/// Reads a boolean, or its name.
fn yes<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    match text(from)?.as_str() {
        "true" => Ok(true),
        "false" | "" => Ok(false),
        _ => Err(serde::de::Error::custom("neither true nor false")),
    }
}

/// Reads kopecks: a whole number, or its digits.
fn kopecks<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    let text = text(from)?;
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    Ok(digits.then(|| text.parse().ok()).flatten())
}

/// What every answer has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(super) struct Envelope {
    #[serde(deserialize_with = "yes")]
    pub(super) success: bool,
    #[serde(deserialize_with = "text")]
    pub(super) error_code: String,
    #[serde(deserialize_with = "text")]
    pub(super) status: String,
    #[serde(deserialize_with = "text")]
    pub(super) message: String,
    #[serde(deserialize_with = "text")]
    pub(super) details: String,
}

/// A new payment.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct NewPayment {
    #[serde(default, deserialize_with = "text")]
    pub(super) terminal_key: String,
    #[serde(deserialize_with = "text")]
    pub(super) payment_id: String,
    #[serde(deserialize_with = "text")]
    pub(super) order_id: String,
    #[serde(default, deserialize_with = "kopecks")]
    pub(super) amount: Option<i64>,
    #[serde(default, rename = "PaymentURL", deserialize_with = "text")]
    pub(super) payment_url: String,
}

/// The state of a payment.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct PaymentState {
    #[serde(deserialize_with = "text")]
    pub(super) status: String,
    #[serde(deserialize_with = "text")]
    pub(super) payment_id: String,
    #[serde(default, deserialize_with = "text")]
    pub(super) order_id: String,
    #[serde(default, deserialize_with = "kopecks")]
    pub(super) amount: Option<i64>,
    #[serde(default, deserialize_with = "text")]
    pub(super) error_code: String,
}

/// The payments of an order.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct OrderPayments {
    #[serde(default)]
    pub(super) payments: Vec<PaymentState>,
}

/// The content of a QR code.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct QrCode {
    #[serde(deserialize_with = "text")]
    pub(super) data: String,
    #[serde(default, deserialize_with = "text")]
    pub(super) payment_id: String,
}

/// The answer to a cancellation or refund.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Cancelled {
    #[serde(deserialize_with = "text")]
    pub(super) status: String,
    #[serde(deserialize_with = "text")]
    pub(super) payment_id: String,
    /// What was left of the payment before.
    #[serde(default, deserialize_with = "kopecks")]
    pub(super) original_amount: Option<i64>,
    /// What is left of it.
    #[serde(default, deserialize_with = "kopecks")]
    pub(super) new_amount: Option<i64>,
}

/// The state of a refund by SBP.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(super) struct QrState {
    #[serde(deserialize_with = "text")]
    pub(super) qr_cancel_code: String,
    #[serde(deserialize_with = "text")]
    pub(super) qr_cancel_message: String,
}

/// Parses an object; `None` if it does not have this shape.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}

/// True if this can be a payment's id.
pub(super) fn is_id(text: &str) -> bool {
    (1..=20).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_read_as_text_or_numbers() {
        for (body, id, amount) in [
            (
                r#"{"Status":"NEW","PaymentId":"3093639567","OrderId":"1","Amount":149000}"#,
                "3093639567",
                Some(149_000),
            ),
            (
                r#"{"Status":"NEW","PaymentId":3093639567,"OrderId":1,"Amount":"149000"}"#,
                "3093639567",
                Some(149_000),
            ),
            (r#"{"Status":"NEW","PaymentId":7,"Amount":null,"ErrorCode":null}"#, "7", None),
            (r#"{"Status":"NEW","PaymentId":7,"Amount":1490.5}"#, "7", None),
            (r#"{"Status":"NEW","PaymentId":7,"Amount":"-1"}"#, "7", None),
        ] {
            let state: PaymentState = read(body.as_bytes()).expect(body);
            assert_eq!((state.payment_id.as_str(), state.amount), (id, amount), "{body}");
        }
        for wrong in
            [r#"{"Status":"NEW"}"#, r#"{"Status":"NEW","PaymentId":[]}"#, r#"{"PaymentId":1}"#, "[]", ""]
        {
            assert!(read::<PaymentState>(wrong.as_bytes()).is_none(), "{wrong}");
        }
        let envelope = |body: &str| read::<Envelope>(body.as_bytes()).expect("an envelope");
        assert!(envelope(r#"{"Success":"true","ErrorCode":0}"#).success);
        assert!(!envelope(r#"{"Success":false,"ErrorCode":"204"}"#).success && !envelope("{}").success);
        assert_eq!(envelope(r#"{"ErrorCode":204}"#).error_code, "204");
    }

    #[test]
    fn an_id_has_digits_only() {
        for (text, right) in [("1", true), ("12345678901234567890", true), ("123456789012345678901", false)] {
            assert_eq!(is_id(text), right, "{text}");
        }
        for wrong in ["", "1PARTIAL_", "-1", "1 ", "../1", "١"] {
            assert!(!is_id(wrong), "{wrong}");
        }
    }
}
