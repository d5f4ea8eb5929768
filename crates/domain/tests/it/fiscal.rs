//! Fiscal receipts on create (decisions §13 and §17): every field's rule with its place, sums, the vendor's policy and defaults, and
//! what the sandbox plays.

use crate::fixture::{Shop, after, check, event_id, shown, simulation};
use till_domain::{
    change::Change,
    fiscal::{
        Contact, FiscalPolicy, FiscalReceipt, FiscalSettings, PaymentMode, ReceiptStatus, Subject, TaxSystem,
        Vat,
    },
    session::{self, Session},
};

/// Both shops with these settings.
fn shops(fiscal: FiscalSettings) -> [Shop; 2] {
    Shop::both().map(|mut shop| {
        shop.vendor.settings.fiscal = fiscal;
        shop
    })
}

fn accepting() -> FiscalSettings {
    FiscalSettings { policy: FiscalPolicy::Accept, ..FiscalSettings::default() }
}

/// A create with this receipt.
fn with(receipt: &str) -> String {
    format!(r#"{{"receipt":{receipt}}}"#)
}

/// A line of the price of all good requests, in which these fields are different.
fn item(different: &str) -> String {
    let mut fields = serde_json::json!({"name": "Atlas", "price": "49.90", "vat": "22"});
    let different: serde_json::Value = serde_json::from_str(different).expect("an object");
    for (name, value) in different.as_object().expect("an object") {
        fields[name] = value.clone();
    }
    fields.to_string()
}

/// Sends one line with each of these fields, in both environments. An empty code means accepted.
fn check_item(field: &str, cases: &[(&str, &str)]) {
    for shop in shops(accepting()) {
        for (value, code) in cases {
            let expected = match *code {
                "" => "ok".to_owned(),
                code => format!("invalid_request: receipt.items[0].{field} {code}"),
            };
            // The text is put in by hand, since numbers have to keep their digits.
            let line = item("{}").replacen('{', &format!(r#"{{"{field}":{value},"#), 1);
            let line = match field {
                "name" | "price" | "vat" => {
                    let rest: Vec<_> = [("name", r#""Atlas""#), ("price", r#""49.90""#), ("vat", r#""22""#)]
                        .iter()
                        .map(|(name, good)| {
                            format!(r#""{name}":{}"#, if *name == field { value } else { good })
                        })
                        .collect();
                    format!("{{{}}}", rest.join(","))
                }
                _ => line,
            };
            check(&shop, &with(&format!(r#"{{"items":[{line}]}}"#)), &expected);
        }
    }
}

fn receipt(changes: &[Change]) -> &FiscalReceipt {
    let found = changes.iter().find_map(|change| match change {
        Change::InsertFiscalReceipt(receipt) => Some(receipt),
        _ => None,
    });
    found.expect("a receipt")
}

#[test]
fn a_receipt_is_stored_with_its_session() {
    for shop in shops(accepting()) {
        let body = r#"{"price":"1490.00","receipt":{
            "customer":{"email":"a@example.com","phone":"+79000000000","full_name":" Анна ","inn":"771234567890"},
            "tax_system":"osn",
            "items":[
                {"name":" Футболка, M ","quantity":"2","price":"545.00","amount":1090,"vat":"22/122","subject":"commodity",
                 "mode":"full_prepayment","measure":"piece"},
                {"name":"Доставка","price":"400.00","vat":22,"subject":"service"}]}}"#;
        let (session, changes) = shop.create(body).expect("a good request");
        let [Change::InsertSession(_), Change::InsertFiscalReceipt(stored)] = changes.as_slice() else {
            panic!("the session and its receipt: {changes:?}");
        };
        assert_eq!(session.fiscal, Some(stored.summary()));
        assert_eq!((stored.session, stored.id), (session.id, session.id.into()));
        assert_eq!(
            (stored.status, stored.is_made, stored.total),
            (ReceiptStatus::None, false, session.item.price.money())
        );
        let buyer = &stored.content.buyer;
        assert_eq!(buyer.phone.as_deref(), Some("79000000000"), "in digits");
        assert_eq!((buyer.full_name.as_deref(), buyer.inn.as_deref()), (Some("Анна"), Some("771234567890")));
        let [first, second] = stored.content.items.as_slice() else { panic!("two lines") };
        assert_eq!(
            (first.name.as_str(), first.total(), first.vat),
            ("Футболка, M", 109_000, Vat::TwentyTwoOf122)
        );
        assert_eq!(
            (second.total(), second.vat, second.mode),
            (40_000, Vat::TwentyTwo, PaymentMode::FullPayment)
        );
        assert_eq!(stored.content.tax_system, Some(TaxSystem::Osn));
    }
}

#[test]
fn lines_are_exact_and_add_up_to_the_price() {
    for shop in shops(accepting()) {
        let lines =
            |price: &str, items: &str| format!(r#"{{"price":"{price}","receipt":{{"items":[{items}]}}}}"#);
        // 100 kopecks x 0.285 is 28.5: half up. A float gives 28.
        check(&shop, &lines("0.29", r#"{"name":"a","price":"1.00","quantity":"0.285","vat":"none"}"#), "ok");
        check(
            &shop,
            &lines("0.28", r#"{"name":"a","price":"1.00","quantity":0.285,"vat":"none"}"#),
            "invalid_request: receipt.items total_mismatch",
        );
        let three = r#"{"name":"a","price":"33.33","vat":"10"},{"name":"b","price":"33.33","vat":"10"},
            {"name":"c","price":"33.34","vat":"10"}"#;
        check(&shop, &lines("100", three), "ok");
        check(&shop, &lines("99.99", three), "invalid_request: receipt.items total_mismatch");
        let rejection = shop.create(&lines("99.99", three)).expect_err("a wrong sum");
        let message = rejection.fields()[0].message();
        assert_eq!(message, "receipt.items must add up to 99.99 RUB, but add up to 100.00 RUB");
        // As large as a line can be.
        let large = r#"{"name":"a","price":"999999999999.99","quantity":99999.999,"vat":"10"}"#;
        check(&shop, &lines("1", large), "invalid_request: receipt.items total_mismatch");
    }
}

#[test]
fn every_field_of_a_line_has_its_rule() {
    check_item(
        "name",
        &[
            (&format!(r#""{}""#, "ж".repeat(128)), ""),
            (&format!(r#""{}""#, "ж".repeat(129)), "too_long"),
            (r#""  ""#, "empty"),
            (r#""a\u0007b""#, "invalid_character"),
            ("null", "required"),
            ("5", "wrong_type"),
        ],
    );
    check_item(
        "quantity",
        &[
            ("1", ""),
            (r#""1.000""#, ""),
            ("1e0", ""),
            ("null", ""),
            (r#""1.0001""#, "invalid_quantity"),
            ("0", "invalid_quantity"),
            ("-1", "invalid_quantity"),
            ("100000", "invalid_quantity"),
            (r#""many""#, "invalid_quantity"),
            ("true", "wrong_type"),
        ],
    );
    check_item(
        "price",
        &[
            ("49.90", ""),
            (r#""49.9""#, ""),
            ("0", "invalid_price"),
            ("-49.90", "invalid_price"),
            (r#""49.900""#, "invalid_price"),
            (r#""49,90""#, "invalid_price"),
            ("null", "required"),
            ("{}", "wrong_type"),
        ],
    );
    check_item(
        "amount",
        &[
            ("49.9", ""),
            (r#""49.90""#, ""),
            ("null", ""),
            ("49.91", "line_mismatch"),
            (r#""x""#, "invalid_price"),
        ],
    );
    check_item(
        "vat",
        &[
            (r#""none""#, ""),
            (r#""0""#, ""),
            ("0", ""),
            ("5", ""),
            ("7", ""),
            (r#""10/110""#, ""),
            // What was sold before 2026 has this rate in its refund.
            (r#""20""#, ""),
            ("22", ""),
            ("21", "unknown_value"),
            (r#""22%""#, "unknown_value"),
            ("null", "required"),
            ("[]", "wrong_type"),
        ],
    );
    check_item(
        "subject",
        &[
            (r#""service""#, ""),
            (r#""marked""#, "not_supported"),
            (r#""property_right""#, "not_supported"),
            (r#""composite""#, "not_supported"),
            (r#""thing""#, "unknown_value"),
            ("1", "wrong_type"),
        ],
    );
    check_item("mode", &[(r#""advance""#, ""), (r#""prepayment""#, "unknown_value"), ("4", "wrong_type")]);
    check_item("measure", &[(r#""kilogram""#, ""), (r#""pcs""#, "unknown_value")]);
    check_item("markup", &[(r#""x""#, "unknown_field"), ("null", "")]);
}

#[test]
fn the_customer_has_a_contact_of_the_right_form() {
    let long = format!("{}@example.com", "a".repeat(53));
    for (customer, expected) in [
        ("{}".to_owned(), ""),
        ("null".to_owned(), ""),
        (r#"{"email":"a@example.com"}"#.to_owned(), ""),
        (format!(r#"{{"email":"{}"}}"#, &long[1..]), ""),
        (format!(r#"{{"email":"{long}"}}"#), "receipt.customer.email invalid_contact"),
        (r#"{"email":"a@b@example.com"}"#.to_owned(), "receipt.customer.email invalid_contact"),
        (r#"{"email":7}"#.to_owned(), "receipt.customer.email wrong_type"),
        (r#"{"phone":"+79000000000"}"#.to_owned(), ""),
        (r#"{"phone":"79000000000"}"#.to_owned(), "receipt.customer.phone invalid_contact"),
        (r#"{"phone":"+7 (900) 000-00-00"}"#.to_owned(), "receipt.customer.phone invalid_contact"),
        (r#"{"inn":"7712345678"}"#.to_owned(), ""),
        (r#"{"inn":"77123456789"}"#.to_owned(), "receipt.customer.inn invalid_inn"),
        (format!(r#"{{"full_name":"{}"}}"#, "ж".repeat(256)), ""),
        (format!(r#"{{"full_name":"{}"}}"#, "ж".repeat(257)), "receipt.customer.full_name too_long"),
        (r#"{"mail":"a@example.com"}"#.to_owned(), "receipt.customer.mail unknown_field"),
        (r#""a@example.com""#.to_owned(), "receipt.customer wrong_type"),
    ] {
        let expected =
            if expected.is_empty() { "ok".to_owned() } else { format!("invalid_request: {expected}") };
        for shop in shops(accepting()) {
            check(&shop, &with(&format!(r#"{{"customer":{customer},"items":[{}]}}"#, item("{}"))), &expected);
        }
    }
}

#[test]
fn the_customers_address_of_the_session_is_the_contact_of_a_receipt_without_one() {
    let [live, _] = shops(accepting());
    let email = |customer: &str| {
        let body = format!(
            r#"{{"customer_email":"b@example.com","receipt":{{"customer":{customer},"items":[{}]}}}}"#,
            item("{}")
        );
        let (session, changes) = live.create(&body).expect("a good request");
        assert_eq!(session.fiscal.expect("a receipt").contact, Contact::Email);
        receipt(&changes).content.buyer.email.clone()
    };
    assert_eq!(email("null").as_deref(), Some("b@example.com"));
    assert_eq!(email(r#"{"email":"a@example.com"}"#).as_deref(), Some("a@example.com"));
    let session = live.session(&with(&format!(r#"{{"items":[{}]}}"#, item("{}"))));
    assert_eq!(session.fiscal.expect("a receipt").contact, Contact::Unknown, "the page asks for it");
}

#[test]
fn an_address_of_the_session_that_is_too_long_for_a_receipt_is_no_contact_of_it() {
    for shop in shops(accepting()) {
        for (letters, contact) in [(52, Contact::Email), (53, Contact::Unknown)] {
            let address = format!("{}@example.com", "ж".repeat(letters));
            let body = |customer: &str| {
                let line = item("{}");
                format!(
                    r#"{{"customer_email":"{address}","receipt":{{"customer":{customer},"items":[{line}]}}}}"#
                )
            };
            let (session, changes) = shop.create(&body("null")).expect("a good request");
            assert_eq!(session.customer.email.as_deref(), Some(address.as_str()));
            assert_eq!(session.fiscal.expect("a receipt").contact, contact);
            assert_eq!(receipt(&changes).content.buyer.email.is_some(), contact == Contact::Email);
            let (session, _) = shop.create(&body(r#"{"phone":"+79000000000"}"#)).expect("a good request");
            assert_eq!(session.fiscal.expect("a receipt").contact, contact.max(Contact::Phone));
        }
    }
}

#[test]
fn all_mistakes_are_reported_at_once_with_their_places() {
    for shop in shops(accepting()) {
        check(
            &shop,
            r#"{"order_id":"","receipt":{"tax_sistem":"osn","tax_system":"envd","customer":{"phone":"1"},"items":[
                {"name":"a","price":"1","vat":"none"},
                {"name":"","quantity":0,"price":"0","vat":"18","mode":"later","measure":"x","subject":"y","colour":"red"},
                7]}}"#,
            "invalid_request: order_id empty, receipt.tax_sistem unknown_field, receipt.customer.phone invalid_contact, \
             receipt.tax_system unknown_value, receipt.items[1].colour unknown_field, receipt.items[1].name empty, \
             receipt.items[1].quantity invalid_quantity, receipt.items[1].price invalid_price, \
             receipt.items[1].vat unknown_value, receipt.items[1].subject unknown_value, receipt.items[1].mode unknown_value, \
             receipt.items[1].measure unknown_value, receipt.items[2] wrong_type",
        );
        // What else is wrong with a line, or with the rest of the request, does not hide a wrong sum.
        check(
            &shop,
            r#"{"product_name":"","receipt":{"items":[{"name":"a","price":"1","vat":"18"},{"name":"b","price":"2","amount":"3","vat":22}]}}"#,
            "invalid_request: product_name empty, receipt.items[0].vat unknown_value, receipt.items[1].amount line_mismatch, \
             receipt.items total_mismatch",
        );
        check(
            &shop,
            r#"{"product_name":"","currency":"EUR","receipt":{"items":[{"name":"a","price":"1","vat":22}]}}"#,
            "invalid_request: product_name empty, currency currency_not_supported",
        );
        check(&shop, &with("{}"), "invalid_request: receipt.items required");
        check(&shop, &with(r#"{"items":[]}"#), "invalid_request: receipt.items empty");
        check(&shop, &with(r#"{"items":{}}"#), "invalid_request: receipt.items wrong_type");
        check(&shop, &with("[]"), "invalid_request: receipt wrong_type");
        check(
            &shop,
            &format!(r#"{{"currency":"EUR","receipt":{{"items":[{}]}}}}"#, item("{}")),
            "invalid_request: currency currency_not_supported",
        );
    }
}

#[test]
fn the_number_of_reported_mistakes_is_bounded() {
    let [live, _] = shops(accepting());
    let lines = |count: usize| vec!["{}"; count].join(",");
    check(
        &live,
        &with(&format!(r#"{{"items":[{}]}}"#, lines(101))),
        "invalid_request: receipt.items too_many_items",
    );
    let unknown: Vec<_> = (0..5_000).map(|number| format!(r#""x{number}":1"#)).collect();
    let refused = live.create(&with(&format!("{{{}}}", unknown.join(",")))).expect_err("unknown fields");
    assert_eq!(refused.fields().len(), 21, "20 of them, and the missing items");
    let [strict, _] = shops(FiscalSettings { max_items: 1, ..accepting() });
    check(
        &strict,
        &with(&format!(r#"{{"items":[{}]}}"#, lines(2))),
        "invalid_request: receipt.items too_many_items",
    );
}

#[test]
fn a_line_that_costs_nothing_is_refused() {
    let [live, _] = shops(accepting());
    let line = r#"{"name":"a","price":"0.01","quantity":"0.001","vat":"none"}"#;
    check(
        &live,
        &with(&format!(r#"{{"items":[{line}]}}"#)),
        "invalid_request: receipt.items[0].price invalid_price",
    );
}

#[test]
fn the_policy_decides_who_may_and_must_send_a_receipt() {
    let good = with(&format!(r#"{{"items":[{}]}}"#, item("{}")));
    let policy = |policy| shops(FiscalSettings { policy, ..FiscalSettings::default() });
    for shop in policy(FiscalPolicy::Off) {
        check(&shop, &good, "receipt_not_enabled: receipt receipt_not_enabled");
        check(&shop, r#"{"receipt":null}"#, "ok");
    }
    for shop in policy(FiscalPolicy::Accept) {
        check(&shop, &good, "ok");
        check(&shop, "{}", "ok");
        assert_eq!(shop.session("{}").fiscal, None);
    }
    for shop in policy(FiscalPolicy::Required) {
        check(&shop, &good, "ok");
        check(&shop, "{}", "receipt_required: receipt receipt_required");
        check(&shop, r#"{"order_id":""}"#, "invalid_request: order_id empty, receipt receipt_required");
        check(&shop, r#"{"currency":"EUR"}"#, "ok");
        for (body, problem) in [
            (r#"{"product_name":""}"#, "product_name empty"),
            (r#"{"price":"0"}"#, "price not_positive"),
            (r#"{"currency":"RUBLES"}"#, "currency unknown_currency"),
            (r#"{"currency":null}"#, "currency required"),
        ] {
            check(&shop, body, &format!("invalid_request: {problem}, receipt receipt_required"));
        }
        check(&shop, r#"{"product_name":"","currency":"EUR"}"#, "invalid_request: product_name empty");
    }
}

#[test]
fn the_defaults_make_a_receipt_of_one_line() {
    let settings = FiscalSettings {
        policy: FiscalPolicy::Required,
        tax_system: Some(TaxSystem::UsnIncome),
        vat: Some(Vat::None),
        subject: Some(Subject::Service),
        mode: Some(PaymentMode::Advance),
        ..FiscalSettings::default()
    };
    for shop in shops(settings) {
        let name = "ж".repeat(200);
        let body = format!(r#"{{"product_name":"{name}","customer_email":"a@example.com"}}"#);
        let (session, changes) = shop.create(&body).expect("a good request");
        let made = receipt(&changes);
        assert!(made.is_made && session.fiscal.is_some_and(|fiscal| fiscal.contact == Contact::Email));
        assert_eq!(made.content.tax_system, Some(TaxSystem::UsnIncome));
        let [line] = made.content.items.as_slice() else { panic!("one line") };
        assert_eq!((line.name.chars().count(), line.total()), (128, session.item.price.money().minor));
        assert_eq!((line.vat, line.subject, line.mode), (Vat::None, Subject::Service, PaymentMode::Advance));
        // What is sent counts more than the defaults, but for what it leaves out.
        let sent = with(&format!(r#"{{"items":[{}]}}"#, item(r#"{"mode":"full_payment"}"#)));
        let (_, changes) = shop.create(&sent).expect("a good request");
        let line = &receipt(&changes).content.items[0];
        assert_eq!(
            (line.vat, line.subject, line.mode),
            (Vat::TwentyTwo, Subject::Service, PaymentMode::FullPayment)
        );
    }
}

fn sandbox_session() -> Session {
    let [_, sandbox] = shops(accepting());
    sandbox.session(&with(&format!(r#"{{"items":[{}]}}"#, item("{}"))))
}

/// The status of the receipt after a request to `simulate`, or how it was refused.
fn simulated(session: &Session, json: &str) -> String {
    let settings = Shop::sandbox().vendor.settings;
    let answer = session::simulate(session, &simulation(json), after(1_000), &settings, event_id());
    match answer {
        Err(rejection) => shown(&rejection),
        Ok((session, _)) => session.fiscal.map_or("none at all", |fiscal| fiscal.status.as_str()).to_owned(),
    }
}

#[test]
fn the_sandbox_registers_the_receipt_of_a_payment_at_once_or_as_the_tester_wants() {
    let session = sandbox_session();
    for (json, expected) in [
        (r#"{"outcome":"paid"}"#, "registered"),
        (r#"{"outcome":"paid","receipt":"pending"}"#, "pending"),
        (r#"{"outcome":"paid","receipt":"failed"}"#, "failed"),
        (r#"{"outcome":"paid","receipt":"failed","after_ms":1000}"#, "none"),
        (r#"{"outcome":"failed"}"#, "none"),
        (r#"{"outcome":"paid","receipt":"none"}"#, "invalid_request: receipt unknown_value"),
        (r#"{"outcome":"paid","receipt":1}"#, "invalid_request: receipt wrong_type"),
    ] {
        assert_eq!(simulated(&session, json), expected, "{json}");
    }
    let without = Shop::sandbox().session("{}");
    assert_eq!(simulated(&without, r#"{"outcome":"paid"}"#), "none at all");
    assert_eq!(simulated(&without, r#"{"outcome":"paid","receipt":"failed"}"#), "not_possible_now");
}
