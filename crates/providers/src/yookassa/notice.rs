//! What the service tells us. It signs nothing, so nothing is believed: a notice names an object, and that is asked about.
//! Whoever does not know the secret in the address is not even listened to.

use super::shapes::{is_id, or_nothing};
use crate::Notice;
use ipnet::IpNet;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{net::IpAddr, sync::LazyLock};
use subtle::ConstantTimeEq as _;
use till_domain::id::RefundId;

/// The longest notice: one object, with what we and the service know of it.
const MAX_NOTICE: usize = 256 * 1024;

/// Where the service says that its notices come from.
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

/// Whether a notice from this address can be the service's. It says something only where the address is the true one.
#[must_use]
pub fn is_own_address(address: IpAddr) -> bool {
    let address = address.to_canonical();
    PARSED.iter().any(|network| network.contains(&address))
}

#[derive(Deserialize)]
struct Told {
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

/// Whom a notice is about: a payment as the service calls it, or a refund as we do. The secret of the address comes in
/// the place of a signature.
pub(super) fn read(notice: &Notice<'_>, token: &str) -> Option<String> {
    let given = notice.signature?.as_bytes();
    if !bool::from(given.ct_eq(token.as_bytes())) || notice.body.len() > MAX_NOTICE {
        return None;
    }
    let told: Told = serde_json::from_slice(notice.body).ok()?;
    if told.kind != "notification" {
        return None;
    }
    let about = if told.event.starts_with("refund.") {
        let ours = told.object.metadata.get("refund").and_then(Value::as_str);
        // What was refunded in the merchant profile has no id of ours.
        ours.filter(|id| RefundId::parse(id).is_some()).map(str::to_owned).or(told.object.payment_id)?
    } else {
        told.object.id
    };
    is_id(&about).then_some(about)
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::fuzz::bytes_target;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn about(token: Option<&str>, body: &str) -> Option<String> {
        read(&Notice { signature: token, body: body.as_bytes() }, TOKEN)
    }

    #[test]
    fn a_notice_is_only_heard_with_the_secret_of_its_address() {
        let body =
            r#"{"type":"notification","event":"payment.succeeded","object":{"id":"23d93cac-000f-5000"}}"#;
        assert_eq!(about(Some(TOKEN), body).as_deref(), Some("23d93cac-000f-5000"));
        assert_eq!(about(None, body), None);
        assert_eq!(about(Some(""), body), None);
        assert_eq!(about(Some(&TOKEN[1..]), body), None);
        assert_eq!(about(Some(&TOKEN.to_uppercase()), body), None);
    }

    #[test]
    fn a_notice_names_a_payment_or_our_refund() {
        let refund = "018f4e0a-7b1c-7000-8000-000000000001";
        let told = |event: &str, object: &str| {
            about(Some(TOKEN), &format!(r#"{{"type":"notification","event":"{event}","object":{object}}}"#))
        };
        let ours = format!(r#"{{"id":"r-1","payment_id":"p-1","metadata":{{"refund":"{refund}"}}}}"#);
        assert_eq!(told("refund.succeeded", &ours).as_deref(), Some(refund));
        let theirs = r#"{"id":"r-1","payment_id":"p-1","metadata":{"refund":"../x"}}"#;
        assert_eq!(told("refund.succeeded", theirs).as_deref(), Some("p-1"), "the payment is looked at");
        assert_eq!(told("refund.succeeded", r#"{"id":"r-1"}"#), None);
        assert_eq!(
            told("deal.closed", r#"{"id":"dl-1"}"#).as_deref(),
            Some("dl-1"),
            "nobody knows it, and it ends"
        );
        for wrong in ["{}", "[]", r#"{"id":5}"#, r#"{"id":"../refunds"}"#, r#"{"id":""}"#] {
            assert_eq!(told("payment.succeeded", wrong), None, "{wrong}");
        }
        for wrong in ["", "null", "{", r#"{"type":"error","event":"payment.succeeded","object":{"id":"p"}}"#]
        {
            assert_eq!(about(Some(TOKEN), wrong), None, "{wrong}");
        }
        let long = format!(r#"{{"id":"p","x":"{}"}}"#, "x".repeat(MAX_NOTICE));
        assert_eq!(told("payment.succeeded", &long), None);
    }

    #[test]
    fn l8_metadata_may_be_null() {
        let body = |event: &str, object: &str| {
            format!(r#"{{"type":"notification","event":"{event}","object":{object}}}"#)
        };
        let paid = body("payment.succeeded", r#"{"id":"p-1","metadata":null}"#);
        assert_eq!(about(Some(TOKEN), &paid).as_deref(), Some("p-1"));
        let refunded = body("refund.succeeded", r#"{"id":"r-1","payment_id":"p-1","metadata":null}"#);
        assert_eq!(about(Some(TOKEN), &refunded).as_deref(), Some("p-1"));
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
            let plain =
                |id: String| !id.is_empty() && !id.contains(['/', '.', '?', '#', '%', '\\', ' ', '\0']);
            assert!(about.is_none_or(plain), "only an id may become a part of an address");
            let text = String::from_utf8_lossy(body);
            assert_eq!(read(&Notice { signature: Some(&text), body }, TOKEN), None, "the secret is another");
        });
    }
}
