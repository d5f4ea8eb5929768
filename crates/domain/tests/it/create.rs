//! Creating a session: every field's rule (decisions §2 and §10), in both environments. The two method
//! fields have their own tests in `methods`.

use crate::fixture::{Shop, after, check};
use till_domain::{
    change::Change,
    method::Method,
    session::{self, State},
};

/// Sends one field with each of these JSON values, in both environments. An empty code means accepted.
fn check_field(field: &str, cases: &[(&str, &str)]) {
    for shop in Shop::both() {
        for (value, code) in cases {
            let expected = match *code {
                "" => "ok".to_owned(),
                "private_address" => format!("private_address: {field} private_address"),
                code => format!("invalid_request: {field} {code}"),
            };
            check(&shop, &format!(r#"{{"{field}":{value}}}"#), &expected);
        }
    }
}

#[test]
fn a_new_session_is_pending_and_knows_the_request_that_made_it() {
    for shop in Shop::both() {
        let (session, changes) = shop.create("{}").expect("a good request");
        assert_eq!(session.state, State::Pending);
        assert_eq!((session.created_at, session.updated_at), (after(0), after(0)));
        assert_eq!((session.vendor, session.plan), (shop.vendor.id, None));
        assert_eq!((&session.callback_url, &session.return_url), (&None, &None));
        let [Change::InsertSession(inserted)] = changes.as_slice() else {
            panic!("nothing but the session: {changes:?}");
        };
        assert_eq!(**inserted, session);
        assert_eq!(session.request_id, "req-1");
    }
}

#[test]
fn every_missing_or_wrong_field_is_reported_at_once() {
    for shop in Shop::both() {
        check(
            &shop,
            r#"{"product_name":null,"price":null,"currency":null,"order_id":null}"#,
            "invalid_request: product_name required, price required, currency required, order_id required",
        );
        check(
            &shop,
            r#"{"product_name":" ","price":0,"currency":"ABC","order_id":"","callback_url":"x",
                "return_url":"y","defaultPaymentMethod":1,"availablePaymentMethods":"card"}"#,
            "invalid_request: product_name empty, price not_positive, currency unknown_currency, \
             order_id empty, callback_url invalid_url, return_url invalid_url, \
             defaultPaymentMethod wrong_type, availablePaymentMethods wrong_type",
        );
    }
}

#[test]
fn a_null_counts_as_absent() {
    for shop in Shop::both() {
        let nulls = r#"{"callback_url":null,"return_url":null,"defaultPaymentMethod":null,
            "availablePaymentMethods":null,"product_id":null,"category_id":null}"#;
        assert_eq!(shop.session(nulls), shop.session("{}"));
    }
}

#[test]
fn a_product_name_is_readable_text() {
    check_field(
        "product_name",
        &[
            (r#""Ж""#, ""),
            (&format!(r#""  {}  ""#, "ж".repeat(255)), ""),
            (&format!(r#""{}""#, "ж".repeat(256)), "too_long"),
            (r#"" \t ""#, "empty"),
            (r#""a\u0000b""#, "invalid_character"),
            (r#""a\u007fb""#, "invalid_character"),
            (r#""a\u202eb""#, "invalid_character"),
            (r#""a\u2066b""#, "invalid_character"),
            ("7", "wrong_type"),
            ("true", "wrong_type"),
            (r#"["Atlas"]"#, "wrong_type"),
            ("{}", "wrong_type"),
        ],
    );
}

#[test]
fn an_order_id_is_kept_as_it_is() {
    check_field(
        "order_id",
        &[
            (r#"" ""#, ""),
            (r#""a\u202eb""#, ""),
            (&format!(r#""{}""#, "🧾".repeat(255)), ""),
            (&format!(r#""{}""#, "🧾".repeat(256)), "too_long"),
            (r#""""#, "empty"),
            (r#""a\u0000b""#, "invalid_character"),
            (r#""a\n""#, "invalid_character"),
            ("17", "wrong_type"),
            ("null", "required"),
        ],
    );
}

#[test]
fn a_price_is_an_exact_decimal_of_its_currency() {
    check_field(
        "price",
        &[
            ("1", ""),
            ("0.01", ""),
            (r#""999999999999.99""#, ""),
            (r#""1000000000000""#, "too_large"),
            ("1e12", "too_large"),
            (r#""1.005""#, "too_many_decimals"),
            ("1e-3", "too_many_decimals"),
            (r#""0.00""#, "not_positive"),
            ("-1", "not_positive"),
            (r#""-1""#, "invalid_number"),
            (r#""01""#, "invalid_number"),
            (r#""1e2""#, "invalid_number"),
            (r#""""#, "invalid_number"),
            ("true", "wrong_type"),
            ("[1]", "wrong_type"),
            ("null", "required"),
        ],
    );
}

#[test]
fn decimals_are_counted_as_written_and_by_currency() {
    for shop in Shop::both() {
        check(&shop, r#"{"price":"1.00","currency":"JPY"}"#, "invalid_request: price too_many_decimals");
        check(&shop, r#"{"price":"1.234","currency":"KWD"}"#, "ok");
        // Without a currency the number of decimals cannot be checked.
        check(
            &shop,
            r#"{"price":"1.234567","currency":"XXX"}"#,
            "invalid_request: currency unknown_currency",
        );
    }
}

#[test]
fn a_currency_is_an_active_code() {
    let wrong = ["\"XXX\"", "\"XAU\"", "\"CLF\"", "\"HRK\"", "\"US\"", "\"\"", "\" USD\"", "\"840\""];
    check_field("currency", &wrong.map(|value| (value, "unknown_currency")));
    check_field("currency", &[(r#""eUr""#, ""), ("643", "wrong_type"), ("null", "required")]);
}

#[test]
fn urls_are_absolute_http_without_userinfo() {
    for field in ["callback_url", "return_url"] {
        let fits = format!(r#""https://shop.example/{}""#, "a".repeat(2048 - 21));
        let over = fits.replacen("/a", "/aa", 1);
        check_field(field, &[(&fits, ""), (&over, "too_long"), ("5", "wrong_type"), ("[]", "wrong_type")]);
        check_field(
            field,
            &[(r#""http://shop:9000/cb?x={ORDER_ID}""#, ""), (r#""HTTPS://SHOP.example""#, "")],
        );
        let wrong = [
            "",
            "shop.example",
            "//shop.example",
            "ftp://shop.example",
            "http://",
            "https://u:p@shop.example",
        ];
        for url in wrong {
            check_field(field, &[(&format!("{url:?}"), "invalid_url")]);
        }
    }
}

#[test]
fn a_callback_to_a_private_literal_is_refused_and_a_return_is_not() {
    let mut open = Shop::live();
    open.rules.private_callbacks = true;
    for (host, when_open) in [
        ("localhost", "ok"),
        ("127.1:9000", "ok"),
        ("10.0.0.1", "ok"),
        ("[::1]", "ok"),
        ("100.64.0.1", "private_address: callback_url private_address"),
        ("169.254.169.254", "private_address: callback_url private_address"),
    ] {
        check_field("callback_url", &[(&format!(r#""http://{host}/""#), "private_address")]);
        check_field("return_url", &[(&format!(r#""http://{host}/""#), "")]);
        check(&open, &format!(r#"{{"callback_url":"http://{host}/"}}"#), when_open);
    }
}

#[test]
fn metadata_is_an_object_of_strings() {
    let many = |count: usize| {
        let members: Vec<String> = (0..count).map(|n| format!(r#""k{n}":"v""#)).collect();
        format!("{{{}}}", members.join(","))
    };
    check_field(
        "metadata",
        &[
            ("null", ""),
            ("{}", ""),
            (r#"{"cart.id-1_A":"7\n\t","b":""}"#, ""),
            (&many(20), ""),
            (&many(21), "too_many_keys"),
            ("[]", "wrong_type"),
            (r#""a""#, "wrong_type"),
            (r#"{"a":1}"#, "wrong_type"),
            (r#"{"a":null}"#, "wrong_type"),
            (r#"{"a":{}}"#, "wrong_type"),
            (r#"{"a b":"c"}"#, "invalid_key"),
            (r#"{"":"c"}"#, "invalid_key"),
            (r#"{"a":"\r"}"#, "invalid_character"),
            (&format!(r#"{{"a":"{}"}}"#, "x".repeat(501)), "too_long"),
        ],
    );
    let session = Shop::live().session(r#"{"metadata":{"b":"2","a":"1"}}"#);
    assert_eq!(session.metadata.iter().collect::<Vec<_>>(), [("a", "1"), ("b", "2")]);
}

#[test]
fn a_customer_has_an_address_and_a_language() {
    check_field(
        "customer_email",
        &[
            (r#""ann@mail.example""#, ""),
            (r#""ann""#, "invalid_email"),
            (r#""a@b.c\n""#, "invalid_character"),
            (r#""""#, "empty"),
            ("1", "wrong_type"),
            (&format!(r#""{}@mail.example""#, "a".repeat(241)), ""),
            (&format!(r#""{}@mail.example""#, "a".repeat(242)), "invalid_email"),
        ],
    );
    check_field(
        "locale",
        &[
            (r#""ru""#, ""),
            (r#""en-GB""#, ""),
            (r#""fi""#, ""),
            (r#""""#, "invalid_locale"),
            (r#""en_GB""#, "invalid_locale"),
            ("1", "wrong_type"),
        ],
    );
}

#[test]
fn the_time_to_pay_is_shortened_and_never_lengthened() {
    check_field(
        "expires_in",
        &[
            ("60", ""),
            ("60.0", ""),
            ("3600", ""),
            ("59", "out_of_range"),
            ("3601", "out_of_range"),
            ("60.5", "out_of_range"),
            ("-60", "out_of_range"),
            ("6e1", "out_of_range"),
            (r#""60""#, "wrong_type"),
            ("true", "wrong_type"),
        ],
    );
    for shop in Shop::both() {
        let ends = |fields: &str| shop.session(fields).deadline();
        assert_eq!(ends("{}"), after(900_000), "a card has 15 minutes");
        assert_eq!(ends(r#"{"expires_in":60}"#), after(60_000));
        assert_eq!(ends(r#"{"expires_in":3600}"#), after(900_000));
    }
    // The clock of a method that is chosen later ends no later either.
    let shop = Shop::live();
    let session = shop.session(r#"{"expires_in":700}"#);
    let (moved, _) =
        session::choose_method(&session, Method::Sbp, &shop.rules, after(200_000)).expect("offered");
    assert_eq!(moved.deadline(), after(700_000), "not 800 s, the 10 minutes of SBP");
}

#[test]
fn what_was_sent_is_stored_as_sent() {
    for shop in Shop::both() {
        for (price, digits) in [
            ("100", "100"),
            (r#""49.90""#, "49.90"),
            ("49.90", "49.90"),
            (r#""0.5""#, "0.5"),
            ("1e2", "100"),
            ("4.990E+1", "49.90"),
        ] {
            let fields = format!(
                r#"{{"product_name":"  Atlas ","price":{price},"currency":"usd","order_id":" Ж/1 ",
                "callback_url":"HTTP://Shop.Example/cb","return_url":"https://shop.example?{{SESSION_ID}}"}}"#
            );
            let session = shop.session(&fields);
            assert_eq!(session.item.price.digits(), digits);
            assert_eq!(session.item.price.currency().code(), "USD");
            assert_eq!((session.item.name.as_str(), session.order_id.as_str()), ("Atlas", " Ж/1 "));
            assert_eq!((session.item.product, session.item.category), (None, None));
            assert_eq!(session.callback_url.expect("sent").as_str(), "HTTP://Shop.Example/cb");
            assert_eq!(session.return_url.expect("sent").as_str(), "https://shop.example?{SESSION_ID}");
        }
    }
}

#[test]
fn the_sandbox_refuses_the_catalog() {
    let shop = Shop::sandbox();
    for field in ["product_id", "category_id"] {
        for value in [r#""globe""#, r#""""#, "7", "{}"] {
            let expected = format!("field_not_allowed_in_sandbox: {field} field_not_allowed_in_sandbox");
            check(&shop, &format!(r#"{{"{field}":{value}}}"#), &expected);
        }
    }
    // A live request with a product gets the one error to correct, not errors about missing fields.
    let live = r#"{"product_id":"globe","product_name":null,"price":null,"currency":null}"#;
    check(&shop, live, "field_not_allowed_in_sandbox: product_id field_not_allowed_in_sandbox");
}

#[test]
fn the_code_is_specific_only_when_one_thing_is_wrong() {
    let both = r#"{"product_id":"globe","category_id":"maps"}"#;
    let refused = "field_not_allowed_in_sandbox";
    check(&Shop::sandbox(), both, &format!("invalid_request: product_id {refused}, category_id {refused}"));
    for (fields, wrong) in [
        (
            r#"{"callback_url":"http://10.1.1.1/","order_id":""}"#,
            "order_id empty, callback_url private_address",
        ),
        (r#"{"product_id":"globe","return_url":1}"#, "product_id conflicting_item, return_url wrong_type"),
        (r#"{"category_id":"x","order_id":null}"#, "category_id unknown_category, order_id required"),
    ] {
        check(&Shop::live(), fields, &format!("invalid_request: {wrong}"));
    }
}

/// A live request that names a product instead of describing the item.
fn by_product(more: &str) -> String {
    format!(r#"{{"product_name":null,"price":null,"currency":null,{more}}}"#)
}

#[test]
fn a_product_is_copied_from_the_catalog() {
    let item = |fields: &str| {
        let item = Shop::live().session(&by_product(fields)).item;
        let category = item.category.map_or("none".to_owned(), |c| c.to_string());
        let product = item.product.map_or("none".to_owned(), |p| p.to_string());
        format!("{} {} {} {product} {category}", item.name, item.price.digits(), item.price.currency())
    };
    assert_eq!(item(r#""product_id":"globe""#), "Globe 120.50 EUR globe maps");
    assert_eq!(item(r#""product_id":"globe","category_id":"maps""#), "Globe 120.50 EUR globe maps");
    assert_eq!(item(r#""product_id":"loose""#), "Globe 7 JPY loose none");
}

#[test]
fn a_category_only_tags_a_described_item() {
    let item = Shop::live().session(r#"{"category_id":"maps"}"#).item;
    assert_eq!((item.name.as_str(), item.price.digits(), item.product), ("Atlas", "49.90", None));
    assert_eq!(item.category.expect("tagged").as_str(), "maps");
}

#[test]
fn a_wrong_product_or_category_says_which_rule() {
    for (fields, expected) in [
        (r#""product_id":"nothing""#, "unknown_product: product_id unknown_product"),
        (r#""product_id":"""#, "unknown_product: product_id unknown_product"),
        (r#""product_id":"old-globe""#, "unknown_product: product_id unknown_product"),
        (r#""product_id":7"#, "invalid_request: product_id wrong_type"),
        (r#""product_id":"globe","product_name":"Atlas""#, "conflicting_item: product_id conflicting_item"),
        (r#""product_id":"globe","price":1"#, "conflicting_item: product_id conflicting_item"),
        (r#""product_id":"globe","currency":"EUR""#, "conflicting_item: product_id conflicting_item"),
        (r#""product_id":"globe","category_id":"books""#, "category_mismatch: category_id category_mismatch"),
        (r#""product_id":"loose","category_id":"maps""#, "category_mismatch: category_id category_mismatch"),
        (r#""product_id":"globe","category_id":"x""#, "unknown_category: category_id unknown_category"),
        (
            r#""product_id":"globe","category_id":"old-shelf""#,
            "unknown_category: category_id unknown_category",
        ),
        (r#""product_id":"globe","category_id":[]"#, "invalid_request: category_id wrong_type"),
    ] {
        check(&Shop::live(), &by_product(fields), expected);
    }
    check(&Shop::live(), r#"{"category_id":"x"}"#, "unknown_category: category_id unknown_category");
}
