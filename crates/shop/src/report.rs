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
    /// The total of all refunds so far, in exact digits; only in a callback about a refund.
    pub refunded_total: Option<String>,
}

impl PaymentReport {
    /// Parses a report about a session or its money. An event about something else gives `None`.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let about_it = |report: &Self| {
            let family = report.event.as_deref().map(|event| event.split('.').next().unwrap_or_default());
            family.is_none_or(|family| ["session", "refund", "payment", "dispute"].contains(&family))
        };
        let report: Option<Self> = serde_json::from_slice(body).ok();
        report.filter(|report| report.status != Status::New && about_it(report))
    }

    /// True if it is about a refund. It has the session's status too, but goods must not be shipped because
    /// of it.
    pub fn is_refund(&self) -> bool {
        self.event.as_ref().is_some_and(|event| event.starts_with("refund."))
    }

    /// True if it is about money that the session does not cover, or about a dispute. The session's status stays, and
    /// a person at the shop looks at it.
    pub fn is_for_a_person(&self) -> bool {
        let event = self.event.as_deref().unwrap_or_default();
        event.starts_with("payment.") || event.starts_with("dispute.")
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
    fn events_of_other_kinds_are_not_reports() {
        let body = include_str!("../../../docs/callbacks/example.json");
        let refund = PaymentReport::parse(body.replace("session.paid", "refund.succeeded").as_bytes());
        assert!(refund.expect("a report").is_refund());
        for event in ["dispute.opened", "payment.late", "payment.resolved"] {
            let report = PaymentReport::parse(body.replace("session.paid", event).as_bytes());
            assert!(report.expect("a report").is_for_a_person(), "{event}");
        }
        assert!(PaymentReport::parse(body.replace("session.paid", "payout.sent").as_bytes()).is_none());
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
