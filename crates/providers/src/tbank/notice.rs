//! Notices (webhooks) of T-Bank. Their signature can be shifted between members, so nothing in them is
//! believed: a notice names a payment and our attempt, and T-Bank is asked about that. The one exception is the registration of a
//! fiscal receipt, about which T-Bank cannot be asked: it moves no money.

use super::{
    setup::TbankSetup,
    shapes::{is_id, read as read_json},
    token,
};
use crate::{Notice, NoticeSubject, ReceiptNews};
use ipnet::IpNet;
use serde_json::{Map, Value};
use std::{net::IpAddr, sync::LazyLock};

/// The largest notice, in bytes.
const MAX_NOTICE: usize = 256 * 1024;

/// The most characters of a fiscal document's name that are kept.
const MAX_DOCUMENT: usize = 64;

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
    // A linked card or account names no payment.
    if members.contains_key("NotificationType") {
        return Some(NoticeSubject::Other);
    }
    let payment = word("PaymentId").filter(|id| is_id(id))?;
    if word("Status").as_deref() == Some("RECEIPT") {
        return Some(receipt(payment, &word).map_or(NoticeSubject::Other, NoticeSubject::Receipt));
    }
    Some(NoticeSubject::payment(payment, word("OrderId").as_deref()))
}

/// What became of a receipt; `None` for a kind that Till does not send. A till that is not connected makes no document, and
/// T-Bank says so without an error.
fn receipt(payment: String, word: &impl Fn(&str) -> Option<String>) -> Option<ReceiptNews> {
    let of_refund = match word("Type")?.as_str() {
        "Income" => false,
        "IncomeReturn" => true,
        _ => return None,
    };
    let filled = |name: &str| word(name).filter(|text| !text.trim().is_empty());
    let code = word("ErrorCode").unwrap_or_default();
    let document = filled("FnNumber").zip(filled("FiscalDocumentNumber"));
    let failure = if !matches!(code.as_str(), "" | "0") {
        let message = word("ErrorMessage").unwrap_or_default();
        Some(format!("the till reports an error ({code}): {message}"))
    } else if document.is_some() {
        None
    } else {
        Some("the till has made no fiscal document: it may not be connected to the terminal".to_owned())
    };
    let total = word("Amount").and_then(|text| text.parse().ok());
    let document = document.filter(|_| failure.is_none());
    let document =
        document.map(|(drive, number)| format!("{drive}/{number}").chars().take(MAX_DOCUMENT).collect());
    Some(ReceiptNews { payment, of_refund, total, document, failure })
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
        let payment = Some(NoticeSubject::payment("13660".to_owned(), None));
        assert_eq!(subject(signed(confirmed()).as_bytes()), payment);
        let mut text = confirmed();
        text["PaymentId"] = json!("13660");
        assert_eq!(subject(signed(text).as_bytes()), payment);
        let mut linked = confirmed();
        linked["NotificationType"] = json!("LINKCARD");
        assert_eq!(subject(signed(linked).as_bytes()), Some(NoticeSubject::Other));
    }

    /// A notice as a till behind a real terminal sent it, apart from its ids.
    fn registered() -> Value {
        json!({ "OrderId": "636", "Status": "RECEIPT", "Type": "IncomeReturn", "FiscalDocumentAttribute": 173_423_614,
            "Success": true, "ReceiptDatetime": "2018-06-18T12:27:00+03:00", "FiscalNumber": 2,
            "Receipt": { "Items": [{ "Tax": "vat10", "Price": 4_000, "Amount": 4_000, "Name": "One", "Quantity": 1 }],
                "Taxation": "osn", "Email": "ann@mail.example" },
            "FiscalDocumentNumber": 118, "FnNumber": "8710000101855975", "ErrorCode": "0", "Amount": 4_000,
            "TerminalKey": TERMINAL, "PaymentId": 23_735_099, "EcrRegNumber": "0001785103056432", "ShiftNumber": 56 })
    }

    #[test]
    fn a_notice_says_what_became_of_a_receipt() {
        let news = |changes: &[(&str, Value)]| {
            let mut notice = registered();
            for (name, value) in changes {
                notice[*name] = value.clone();
            }
            match subject(signed(notice).as_bytes()) {
                Some(NoticeSubject::Receipt(news)) => Some(news),
                Some(NoticeSubject::Other) | None => None,
                Some(other) => panic!("{other:?}"),
            }
        };
        let good = ReceiptNews {
            payment: "23735099".to_owned(),
            of_refund: true,
            total: Some(4_000),
            document: Some("8710000101855975/118".to_owned()),
            failure: None,
        };
        assert_eq!(news(&[]), Some(good.clone()));
        let paid = ReceiptNews { of_refund: false, ..good.clone() };
        assert_eq!(news(&[("Type", json!("Income")), ("ErrorCode", json!(0))]), Some(paid));
        for other in ["Outcome", "OutcomeReturn", "", "income"] {
            assert_eq!(news(&[("Type", json!(other))]), None, "{other}");
        }
        let failed = [("ErrorCode", json!("12")), ("ErrorMessage", json!("Закончилась бумага"))];
        let failure = |news: Option<ReceiptNews>| news.expect("news").failure.expect("a failure");
        assert_eq!(failure(news(&failed)), "the till reports an error (12): Закончилась бумага");
        assert_eq!(news(&failed).expect("news").document, None, "nothing was made");
        // A till that is set up and not connected: T-Bank sends the lines alone.
        for missing in ["FnNumber", "FiscalDocumentNumber"] {
            for nothing in [json!(""), json!(null)] {
                assert!(failure(news(&[(missing, nothing)])).contains("no fiscal document"), "{missing}");
            }
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
        let seeds = [signed(confirmed()), signed(registered())];
        let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
        let words = ["\"Token\":", "null", "{", "}", "../", "\"PaymentId\":", "\\u0000", "[", "\"\"", "1e9"];
        bytes_target(&seeds, &words, |body| match subject(body) {
            Some(NoticeSubject::Payment { reference, .. }) => assert!(is_id(&reference), "{reference}"),
            Some(NoticeSubject::Receipt(news)) => assert!(is_id(&news.payment), "{news:?}"),
            Some(NoticeSubject::Other) | None => {}
            Some(other) => panic!("{other:?}"),
        });
    }
}
