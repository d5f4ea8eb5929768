//! Till's report about a session: the body of a callback, or the answer to a status query.

use crate::order::Status;
use serde::Deserialize;

/// A report. Fields that the shop does not know are ignored.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentReport {
    /// The type of a callback's event; a status answer has none.
    pub event: Option<String>,
    /// The id of a callback's event; a status answer has none.
    pub event_id: Option<String>,
    pub session_id: String,
    /// The shop's own order number.
    pub order_id: String,
    pub status: Status,
    /// The amount, in exact digits.
    pub price: String,
    /// ISO 4217.
    pub currency: String,
    /// Why it failed; only in a callback.
    pub failure_reason: Option<String>,
    /// The payment method; only in a callback.
    pub payment_method: Option<String>,
}

impl PaymentReport {
    /// Parses a report about a session. An event about something else, such as a refund, gives `None`
    /// although it has the session's status too: goods must not be shipped because of it.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let about_it =
            |report: &Self| report.event.as_ref().is_none_or(|event| event.starts_with("session."));
        let report: Option<Self> = serde_json::from_slice(body).ok();
        report.filter(|report| report.status != Status::New && about_it(report))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_callback_is_read() {
        let report =
            PaymentReport::parse(include_bytes!("../../../docs/callbacks/example.json")).expect("a report");
        assert_eq!((report.order_id.as_str(), report.status), ("A-1001", Status::Paid));
        assert_eq!(report.payment_method.as_deref(), Some("card"));
    }

    #[test]
    fn a_refund_is_no_report_that_something_was_paid() {
        let body = include_str!("../../../docs/callbacks/example.json");
        let refund = body.replace("session.paid", "refund.succeeded");
        assert_ne!(body, refund);
        assert!(PaymentReport::parse(refund.as_bytes()).is_none());
    }

    #[test]
    fn other_things_are_not_reports() {
        for body in
            ["", "{}", "[]", r#"{"sessionId":"s","orderId":"o","status":"new","price":"1","currency":"RUB"}"#]
        {
            assert!(PaymentReport::parse(body.as_bytes()).is_none(), "{body}");
        }
    }
}
