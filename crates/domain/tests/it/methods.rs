//! The methods of a new session, and the deadline that follows from them (decisions §2, §5 and §9).

use crate::fixture::{Shop, after, check, minutes};
use std::time::Duration;
use till_domain::{
    method::{Lifetimes, Method},
    rejection::Rejection,
};

/// Creates with these fields, and compares the methods: `offered,in,order first chosen`.
fn check_methods(shop: &Shop, fields: &str, expected: &str) {
    let methods = shop.session(fields).methods;
    let shown = format!("{} first {}", Method::join(&methods.offered), methods.chosen);
    assert_eq!(shown, expected, "{fields}");
}

/// Live, with a vendor that the operator restricted to these methods.
fn narrowed(methods: &[Method]) -> Shop {
    let mut shop = Shop::live();
    shop.vendor.settings.methods = Some(methods.to_vec());
    shop
}

#[test]
fn live_offers_what_is_configured_for_the_currency() {
    check_methods(&Shop::live(), "{}", "card,sbp,crypto first card");
    check_methods(&Shop::live(), r#"{"currency":"USD"}"#, "card,crypto first card");
    check_methods(&Shop::with_offerings(&[Method::Crypto, Method::Card]), "{}", "card,crypto first card");
    check_methods(&Shop::with_offerings(&[Method::Crypto, Method::Sbp]), "{}", "sbp,crypto first sbp");
    check_methods(&narrowed(&[Method::Crypto, Method::Sbp]), "{}", "sbp,crypto first sbp");
    check_methods(&narrowed(&[Method::Crypto, Method::Sbp]), r#"{"currency":"USD"}"#, "crypto first crypto");
}

#[test]
fn live_offers_the_requests_list_in_its_order() {
    for (fields, expected) in [
        (r#"{"availablePaymentMethods":["crypto","card"]}"#, "crypto,card first card"),
        (r#"{"availablePaymentMethods":["crypto","sbp"]}"#, "crypto,sbp first crypto"),
        (r#"{"availablePaymentMethods":["sbp"]}"#, "sbp first sbp"),
        (r#"{"availablePaymentMethods":["sbp","crypto"],"currency":"USD"}"#, "crypto first crypto"),
        (
            r#"{"availablePaymentMethods":["crypto","sbp","card"],"defaultPaymentMethod":"sbp"}"#,
            "crypto,sbp,card first sbp",
        ),
        (r#"{"defaultPaymentMethod":"crypto"}"#, "card,sbp,crypto first crypto"),
    ] {
        check_methods(&Shop::live(), fields, expected);
    }
}

#[test]
fn live_keeps_the_request_words_beside_what_it_offers() {
    let fields =
        r#"{"availablePaymentMethods":["sbp","card"],"defaultPaymentMethod":"card","currency":"USD"}"#;
    let methods = Shop::live().session(fields).methods;
    assert_eq!(methods.offered, [Method::Card]);
    assert_eq!(methods.requested.default.as_deref(), Some("card"));
    assert_eq!(methods.requested.available, Some(vec!["sbp".to_owned(), "card".to_owned()]));
}

#[test]
fn live_refuses_a_wrong_list_or_default() {
    let list = |rest: &str| format!("invalid_request: availablePaymentMethods {rest}");
    let default = |rest: &str| format!("invalid_request: defaultPaymentMethod {rest}");
    for (fields, expected) in [
        (r#"{"availablePaymentMethods":[]}"#, list("empty")),
        (r#"{"availablePaymentMethods":["card","cash"]}"#, list("unknown_value")),
        (r#"{"availablePaymentMethods":["Card"]}"#, list("unknown_value")),
        (r#"{"availablePaymentMethods":[""]}"#, list("unknown_value")),
        (r#"{"availablePaymentMethods":["card","sbp","card"]}"#, list("repeated")),
        (r#"{"availablePaymentMethods":["card",null]}"#, list("wrong_type")),
        (r#"{"availablePaymentMethods":["card",1]}"#, list("wrong_type")),
        (r#"{"availablePaymentMethods":"card"}"#, list("wrong_type")),
        (r#"{"availablePaymentMethods":{}}"#, list("wrong_type")),
        (r#"{"defaultPaymentMethod":"cash"}"#, default("unknown_value")),
        (r#"{"defaultPaymentMethod":""}"#, default("unknown_value")),
        (r#"{"defaultPaymentMethod":["card"]}"#, default("wrong_type")),
        (r#"{"defaultPaymentMethod":"sbp","currency":"USD"}"#, default("method_not_offered")),
        (
            r#"{"defaultPaymentMethod":"sbp","availablePaymentMethods":["card"]}"#,
            default("method_not_offered"),
        ),
        (
            r#"{"defaultPaymentMethod":"cash","availablePaymentMethods":[]}"#,
            default("unknown_value, availablePaymentMethods empty"),
        ),
    ] {
        check(&Shop::live(), fields, &expected);
    }
    let unset = r#"{"defaultPaymentMethod":"crypto"}"#;
    check(&narrowed(&[Method::Card]), unset, &default("method_not_offered"));
}

#[test]
fn nothing_left_to_offer_is_no_payment_method_with_the_field_to_change() {
    let of_list = "no_payment_method: availablePaymentMethods no_payment_method";
    let dollars = r#"{"availablePaymentMethods":["sbp"],"currency":"USD"}"#;
    check(&Shop::live(), dollars, of_list);
    check(&narrowed(&[Method::Card]), r#"{"availablePaymentMethods":["crypto","sbp"]}"#, of_list);
    let of_currency = "no_payment_method: currency no_payment_method";
    check(&narrowed(&[Method::Sbp]), r#"{"currency":"USD"}"#, of_currency);
}

#[test]
fn a_vendor_without_any_method_is_told_so() {
    let without_provider = Shop::with_offerings(&[]);
    let without_match =
        Shop { rules: Shop::with_offerings(&[Method::Card]).rules, vendor: narrowed(&[Method::Sbp]).vendor };
    for shop in [without_provider, narrowed(&[]), without_match] {
        for fields in ["{}", r#"{"availablePaymentMethods":["card"]}"#, r#"{"currency":"USD"}"#] {
            let rejection = shop.create(fields).expect_err("there is nothing to pay with");
            assert_eq!(rejection, Rejection::NoPaymentMethod, "{fields}");
            assert_eq!((rejection.code(), rejection.fields().len()), ("no_payment_method", 0));
        }
    }
}

#[test]
fn the_sandbox_stores_any_words_and_offers_a_card() {
    let mut shop = Shop::sandbox();
    // In the sandbox neither the vendor's methods nor the currency matter.
    shop.vendor.settings.methods = Some(Vec::new());
    let json = |words: &Option<Vec<String>>| serde_json::to_string(words).expect("strings");
    for (default, available) in [
        (r#""crypto""#, r#"["crypto","sbp"]"#),
        (r#""cash""#, r#"["cash","cash","","СБП"]"#),
        (r#""""#, "[]"),
        ("null", "null"),
    ] {
        let fields = format!(
            r#"{{"currency":"USD","defaultPaymentMethod":{default},"availablePaymentMethods":{available}}}"#
        );
        check_methods(&shop, &fields, "card first card");
        let asked = shop.session(&fields).methods.requested;
        assert_eq!(json(&asked.available), available);
        assert_eq!(serde_json::to_string(&asked.default).expect("a string"), default);
    }
}

#[test]
fn the_sandbox_still_refuses_other_types() {
    for (field, value) in [
        ("defaultPaymentMethod", "1"),
        ("defaultPaymentMethod", r#"["card"]"#),
        ("availablePaymentMethods", r#""card""#),
        ("availablePaymentMethods", "[1]"),
        ("availablePaymentMethods", r#"["card",["sbp"]]"#),
        ("availablePaymentMethods", "false"),
    ] {
        let expected = format!("invalid_request: {field} wrong_type");
        check(&Shop::sandbox(), &format!(r#"{{"{field}":{value}}}"#), &expected);
    }
}

/// Creates with these fields, and compares the lifetime of the session.
fn check_deadline(shop: &Shop, fields: &str, minutes_left: i64) {
    let session = shop.session(fields);
    assert_eq!(session.deadline(), after(minutes(minutes_left)), "{} {fields}", shop.rules.environment);
    assert_eq!(session.due_at(), session.deadline());
    let started: Vec<_> =
        Method::ALL.into_iter().filter(|m| session.methods.clocks.of(*m).is_some()).collect();
    assert_eq!(started, [session.methods.chosen], "only the first method's clock runs");
}

#[test]
fn the_deadline_is_the_default_methods_lifetime_after_creation() {
    let custom = Lifetimes {
        card: Duration::from_secs(2 * 60),
        sbp: Duration::from_secs(60),
        crypto: Duration::from_secs(3 * 60),
    };
    for (lifetimes, [card, sbp, crypto]) in [(Lifetimes::default(), [15, 10, 60]), (custom, [2, 1, 3])] {
        let mut live = Shop::live();
        let mut sandbox = Shop::sandbox();
        live.rules.lifetimes = lifetimes;
        sandbox.rules.lifetimes = lifetimes;
        check_deadline(&live, "{}", card);
        check_deadline(&live, r#"{"defaultPaymentMethod":"card"}"#, card);
        check_deadline(&live, r#"{"defaultPaymentMethod":"sbp"}"#, sbp);
        check_deadline(&live, r#"{"defaultPaymentMethod":"crypto"}"#, crypto);
        check_deadline(&live, r#"{"availablePaymentMethods":["crypto","sbp"]}"#, crypto);
        check_deadline(&sandbox, "{}", card);
        check_deadline(&sandbox, r#"{"defaultPaymentMethod":"crypto"}"#, card);
    }
}
