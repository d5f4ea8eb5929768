//! Notices (webhooks) of T-Bank. Their signature can be shifted between members, so nothing in them is
//! believed: a notice names a payment, and T-Bank is asked about that.

use super::{
    setup::TbankSetup,
    shapes::{is_id, read as read_json},
    token,
};
use crate::{Notice, NoticeSubject};
use ipnet::IpNet;
use serde_json::{Map, Value};
use std::{net::IpAddr, sync::LazyLock};

/// The largest notice, in bytes.
const MAX_NOTICE: usize = 256 * 1024;

/// The networks from which T-Bank says that it sends its notices.
pub const NETWORKS: [&str; 10] = [
    "91.194.226.0/23",
    "91.218.132.0/24",
    "91.218.133.0/24",
    "91.218.134.0/24",
    "91.218.135.0/24",
    "212.49.24.0/24",
    "212.233.80.0/24",
    "212.233.81.0/24",
    "212.233.82.0/24",
    "212.233.83.0/24",
];

static PARSED: LazyLock<Vec<IpNet>> =
    LazyLock::new(|| NETWORKS.iter().filter_map(|network| network.parse().ok()).collect());

/// Returns true if a notice from this address can be T-Bank's. Meaningful only where the address is the true
/// one.
#[must_use]
pub fn is_own_address(address: IpAddr) -> bool {
    let address = address.to_canonical();
    PARSED.iter().any(|network| network.contains(&address))
}

/// The subject of a notice with a right token, about our terminal.
pub(super) fn read(notice: &Notice<'_>, setup: &TbankSetup) -> Option<NoticeSubject> {
    if notice.body.len() > MAX_NOTICE || !token::is_right(notice.body, &setup.password) {
        return None;
    }
    let members: Map<String, Value> = read_json(notice.body)?;
    let word = |name: &str| match members.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    if word("TerminalKey")? != setup.terminal_key {
        return None;
    }
    // A linked card or account names no payment, and a receipt changes none.
    if members.contains_key("NotificationType") || word("Status").as_deref() == Some("RECEIPT") {
        return Some(NoticeSubject::Other);
    }
    word("PaymentId").filter(|id| is_id(id)).map(NoticeSubject::Payment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use till_testing::fuzz::bytes_target;

    const TERMINAL: &str = "1234567890DEMO";

    fn setup() -> TbankSetup {
        let document = format!("terminal_key = \"{TERMINAL}\"\npassword = \"secret-word\"\n");
        TbankSetup::parse(&document).expect("a set-up")
    }

    fn subject(body: &[u8]) -> Option<NoticeSubject> {
        read(&Notice { signature: None, body }, &setup())
    }

    fn signed(members: Value) -> String {
        let mut members = members;
        let token = token::sign(members.as_object().expect("an object"), "secret-word");
        members["Token"] = json!(token);
        members.to_string()
    }

    fn confirmed() -> Value {
        json!({ "TerminalKey": TERMINAL, "OrderId": "o", "Success": true, "Status": "CONFIRMED",
            "PaymentId": 13_660, "ErrorCode": "0", "Amount": 100_000, "Data": { "Source": "cards" } })
    }

    #[test]
    fn a_notice_names_a_payment() {
        let payment = Some(NoticeSubject::Payment("13660".to_owned()));
        assert_eq!(subject(signed(confirmed()).as_bytes()), payment);
        let mut text = confirmed();
        text["PaymentId"] = json!("13660");
        assert_eq!(subject(signed(text).as_bytes()), payment);
        for (name, value) in [("Status", json!("RECEIPT")), ("NotificationType", json!("LINKCARD"))] {
            let mut other = confirmed();
            other[name] = value;
            assert_eq!(subject(signed(other).as_bytes()), Some(NoticeSubject::Other), "{name}");
        }
    }

    #[test]
    fn a_notice_without_the_right_token_is_not_heard() {
        let right = signed(confirmed());
        assert_eq!(subject(right.replace("100000", "100001").as_bytes()), None);
        assert_eq!(subject(confirmed().to_string().as_bytes()), None, "no token");
        let mut foreign = confirmed();
        foreign["TerminalKey"] = json!("1234567890");
        assert_eq!(subject(signed(foreign).as_bytes()), None, "another terminal");
        for id in [json!("1PARTIAL_"), json!(-5), json!(null), json!("../1"), json!([1])] {
            let mut moved = confirmed();
            moved["PaymentId"] = id.clone();
            assert_eq!(subject(signed(moved).as_bytes()), None, "{id}");
        }
        let mut long = confirmed();
        long["Details"] = json!("x".repeat(MAX_NOTICE));
        assert_eq!(subject(signed(long).as_bytes()), None);
    }

    #[test]
    fn its_own_addresses_are_known() {
        assert_eq!(PARSED.len(), NETWORKS.len());
        for (address, own) in [
            ("91.194.226.1", true),
            ("91.194.227.255", true),
            ("91.194.228.1", false),
            ("91.218.131.255", false),
            ("91.218.132.1", true),
            ("91.218.135.255", true),
            ("::ffff:212.49.24.9", true),
            ("212.233.83.1", true),
            ("212.233.84.1", false),
            ("127.0.0.1", false),
            ("2001:db8::1", false),
        ] {
            assert_eq!(is_own_address(address.parse().expect("an address")), own, "{address}");
        }
    }

    #[test]
    fn f26_tbank_notice() {
        let seeds = [signed(confirmed())];
        let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
        let words = ["\"Token\":", "null", "{", "}", "../", "\"PaymentId\":", "\\u0000", "[", "\"\"", "1e9"];
        bytes_target(&seeds, &words, |body| match subject(body) {
            Some(NoticeSubject::Payment(id)) => assert!(is_id(&id), "{id}"),
            Some(NoticeSubject::Other) | None => {}
            Some(other) => panic!("{other:?}"),
        });
    }
}
