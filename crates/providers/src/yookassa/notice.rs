//! Notices (webhooks) of YooKassa. It signs nothing, so nothing is trusted: a notice names an object, and
//! YooKassa is asked about that. A notice without the secret of its address is not read.

use super::shapes::{is_id, or_nothing};
use crate::{Notice, NoticeSubject};
use ipnet::IpNet;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{net::IpAddr, sync::LazyLock};
use subtle::ConstantTimeEq as _;
use till_domain::id::RefundId;

/// The largest notice, in bytes: one object with its metadata.
const MAX_NOTICE: usize = 256 * 1024;

/// The networks from which YooKassa says that it sends its notices.
pub const NETWORKS: [&str; 7] = [
    "185.71.76.0/27",
    "185.71.77.0/27",
    "77.75.153.0/25",
    "77.75.154.128/25",
    "77.75.156.11/32",
    "77.75.156.35/32",
    "2a02:5180::/32",
];

static PARSED: LazyLock<Vec<IpNet>> =
    LazyLock::new(|| NETWORKS.iter().filter_map(|network| network.parse().ok()).collect());

/// Returns true if a notice from this address can be YooKassa's. Meaningful only where the address is the
/// true one.
#[must_use]
pub fn is_own_address(address: IpAddr) -> bool {
    let address = address.to_canonical();
    PARSED.iter().any(|network| network.contains(&address))
}

#[derive(Deserialize)]
struct Body {
    #[serde(rename = "type")]
    kind: String,
    event: String,
    object: Object,
}

#[derive(Deserialize)]
struct Object {
    id: String,
    payment_id: Option<String>,
    #[serde(default, deserialize_with = "or_nothing")]
    metadata: Map<String, Value>,
}

/// The subject of a notice. The secret of the address takes the place of a signature.
pub(super) fn read(notice: &Notice<'_>, token: &str) -> Option<NoticeSubject> {
    let signature = notice.signature?.as_bytes();
    if !bool::from(signature.ct_eq(token.as_bytes())) || notice.body.len() > MAX_NOTICE {
        return None;
    }
    let Body { kind, event, object } = serde_json::from_slice(notice.body).ok()?;
    if kind != "notification" {
        return None;
    }
    let payment = if event.starts_with("refund.") {
        // A refund that was made in the merchant profile has no id of ours.
        let ours = object.metadata.get("refund").and_then(Value::as_str);
        if let Some(refund) = ours.and_then(RefundId::parse) {
            return Some(NoticeSubject::Refund { refund, failed: false });
        }
        object.payment_id?
    } else {
        object.id
    };
    let attempt = object.metadata.get("attempt").and_then(Value::as_str);
    is_id(&payment).then(|| NoticeSubject::payment(payment, attempt))
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::fuzz::bytes_target;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn about(token: Option<&str>, body: &str) -> Option<NoticeSubject> {
        read(&Notice { signature: token, body: body.as_bytes() }, TOKEN)
    }

    fn payment(reference: &str) -> Option<NoticeSubject> {
        Some(NoticeSubject::payment(reference.to_owned(), None))
    }

    #[test]
    fn a_notice_is_only_heard_with_the_secret_of_its_address() {
        let body =
            r#"{"type":"notification","event":"payment.succeeded","object":{"id":"23d93cac-000f-5000"}}"#;
        assert_eq!(about(Some(TOKEN), body), payment("23d93cac-000f-5000"));
        assert_eq!(about(None, body), None);
        assert_eq!(about(Some(""), body), None);
        assert_eq!(about(Some(&TOKEN[1..]), body), None);
        assert_eq!(about(Some(&TOKEN.to_uppercase()), body), None);
    }

    #[test]
    fn a_notice_names_a_payment_or_our_refund() {
        let refund = "018f4e0a-7b1c-7000-8000-000000000001";
        let refund_subject =
            NoticeSubject::Refund { refund: RefundId::parse(refund).expect("an id"), failed: false };
        let parse = |event: &str, object: &str| {
            about(Some(TOKEN), &format!(r#"{{"type":"notification","event":"{event}","object":{object}}}"#))
        };
        let ours = format!(r#"{{"id":"r-1","payment_id":"p-1","metadata":{{"refund":"{refund}"}}}}"#);
        assert_eq!(parse("refund.succeeded", &ours), Some(refund_subject));
        let theirs = r#"{"id":"r-1","payment_id":"p-1","metadata":{"refund":"../x"}}"#;
        assert_eq!(parse("refund.succeeded", theirs), payment("p-1"), "the payment is looked at");
        assert_eq!(parse("refund.succeeded", r#"{"id":"r-1"}"#), None);
        assert_eq!(parse("deal.closed", r#"{"id":"dl-1"}"#), payment("dl-1"), "nobody knows it, and it ends");
        for wrong in ["{}", "[]", r#"{"id":5}"#, r#"{"id":"../refunds"}"#, r#"{"id":""}"#] {
            assert_eq!(parse("payment.succeeded", wrong), None, "{wrong}");
        }
        for wrong in ["", "null", "{", r#"{"type":"error","event":"payment.succeeded","object":{"id":"p"}}"#]
        {
            assert_eq!(about(Some(TOKEN), wrong), None, "{wrong}");
        }
        let long = format!(r#"{{"id":"p","x":"{}"}}"#, "x".repeat(MAX_NOTICE));
        assert_eq!(parse("payment.succeeded", &long), None);
    }

    #[test]
    fn l8_metadata_may_be_null() {
        let body = |event: &str, object: &str| {
            format!(r#"{{"type":"notification","event":"{event}","object":{object}}}"#)
        };
        let paid = body("payment.succeeded", r#"{"id":"p-1","metadata":null}"#);
        assert_eq!(about(Some(TOKEN), &paid), payment("p-1"));
        let refunded = body("refund.succeeded", r#"{"id":"r-1","payment_id":"p-1","metadata":null}"#);
        assert_eq!(about(Some(TOKEN), &refunded), payment("p-1"));
    }

    #[test]
    fn its_own_addresses_are_known() {
        assert_eq!(PARSED.len(), NETWORKS.len());
        for (address, own) in [
            ("185.71.76.1", true),
            ("185.71.76.32", false),
            ("77.75.153.127", true),
            ("77.75.154.127", false),
            ("77.75.156.11", true),
            ("77.75.156.12", false),
            ("::ffff:77.75.156.35", true),
            ("2a02:5180:0:1509::1", true),
            ("2a02:5181::1", false),
            ("127.0.0.1", false),
        ] {
            assert_eq!(is_own_address(address.parse().expect("an address")), own, "{address}");
        }
    }

    #[test]
    fn f26_yookassa_notice() {
        let seeds = [
            r#"{"type":"notification","event":"payment.succeeded","object":{"id":"23d93cac-000f-5000","metadata":null}}"#,
            r#"{"type":"notification","event":"refund.succeeded","object":{"id":"r-1","payment_id":"p-1","metadata":{"refund":"018f4e0a-7b1c-7000-8000-000000000001"}}}"#,
        ];
        let words = ["refund.", "payment.", "null", "{", "}", "../", "\"id\":", "\\u0000", "[", "\"\""];
        bytes_target(&seeds, &words, |body| {
            let about = read(&Notice { signature: Some(TOKEN), body }, TOKEN);
            let plain = |id: &str| !id.is_empty() && !id.contains(['/', '.', '?', '#', '%', '\\', ' ', '\0']);
            match about {
                Some(NoticeSubject::Payment { reference, .. }) => {
                    assert!(plain(&reference), "only an id may become a part of an address")
                }
                Some(NoticeSubject::Refund { failed: false, .. }) | None => {}
                Some(other) => panic!("{other:?}"),
            }
            let text = String::from_utf8_lossy(body);
            assert_eq!(read(&Notice { signature: Some(&text), body }, TOKEN), None, "the secret is another");
        });
    }
}
