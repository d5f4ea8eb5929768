//! Creating sessions over HTTP. The domain's tests cover the values of each field; these cover what the wire
//! adds.

use crate::support::{Server, Shop};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_create_answers_exactly_four_fields() {
    let server = Server::with(&[("TILL_CHECKOUT_URL", "https://checkout.example/")]).await;
    let vendor = server.vendor().await;
    for (environment, path) in [("live", "session"), ("sandbox", "sandbox/session")] {
        let shop = server.shop(environment, &vendor).await;
        let answer = shop.create(&Shop::book("Ä-17 \"quoted\"")).await;
        assert_eq!(answer.status, 201);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let id = answer.text("session_id");
        let expected = json!({
            "status": "pending",
            "order_id": "Ä-17 \"quoted\"",
            "session_id": id,
            "session_url": format!("https://checkout.example/{path}/{id}"),
        });
        assert_eq!(answer.json(), expected);
        assert_eq!((id.len(), id.as_bytes()[14]), (36, b'7'), "a UUIDv7");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t24_i23_a_price_comes_back_digit_for_digit() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        for (sent, currency, expected) in [
            ("100", "USD", "100"),
            ("\"49.90\"", "USD", "49.90"),
            ("49.90", "USD", "49.90"),
            ("49.9", "usd", "49.9"),
            ("1e2", "JPY", "100"),
            ("4.990e1", "RUB", "49.90"),
            ("0.1", "EUR", "0.1"),
            ("999999999999.99", "EUR", "999999999999.99"),
            ("1.001", "KWD", "1.001"),
        ] {
            let body =
                format!(r#"{{"product_name":"x","price":{sent},"currency":"{currency}","order_id":"1"}}"#);
            let answer = shop.create_raw(&body, &[]).await;
            assert_eq!(answer.status, 201, "{body}: {}", answer.body);
            let status = shop.status(&answer.text("session_id")).await;
            assert_eq!(status.text("price"), expected);
            assert_eq!(status.text("currency"), currency.to_ascii_uppercase());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_wrong_field_is_reported_at_once_and_nothing_is_stored() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let body = json!({
        "product_name": " ",
        "price": "1.999",
        "currency": "USD",
        "order_id": "",
        "callback_url": "http://127.0.0.1/",
        "return_url": "javascript:alert(1)",
        "availablePaymentMethods": "card",
    });
    let common = [
        "product_name:empty",
        "price:too_many_decimals",
        "order_id:empty",
        "callback_url:private_address",
        "return_url:invalid_url",
        "availablePaymentMethods:wrong_type",
    ];
    for environment in ["live", "sandbox"] {
        let answer = server.shop(environment, &vendor).await.create(&body).await;
        assert_eq!(answer.problem(), "422 invalid_request");
        assert_eq!(answer.fields(), common, "{environment}");
        assert_eq!(server.environment(environment).store.newest().await.expect("a read"), None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_single_wrong_thing_gives_its_specific_code() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let (live, sandbox) = (server.shop("live", &vendor).await, server.shop("sandbox", &vendor).await);
    let with = |field: &str, value: serde_json::Value| {
        let mut body = Shop::book("1");
        body[field] = value;
        body
    };
    for (shop, body, expected) in [
        (&live, with("callback_url", json!("http://10.0.0.1/")), "422 private_address"),
        (&sandbox, with("callback_url", json!("http://localhost:8000/")), "422 private_address"),
        (&sandbox, with("product_id", json!("prd_1")), "422 field_not_allowed_in_sandbox"),
        (&sandbox, with("category_id", json!("cat_1")), "422 field_not_allowed_in_sandbox"),
        (&sandbox, json!({ "product_id": "prd_1", "order_id": "1" }), "422 field_not_allowed_in_sandbox"),
        (&live, with("product_id", json!("prd_1")), "422 conflicting_item"),
        (&live, json!({ "product_id": "prd_1", "order_id": "1" }), "422 unknown_product"),
        (&live, with("category_id", json!("cat_1")), "422 unknown_category"),
        (&live, with("currency", json!("XXX")), "422 invalid_request"),
        (&live, with("availablePaymentMethods", json!(["sbp"])), "201"),
    ] {
        let answer = shop.create(&body).await;
        let got = if answer.status == 201 { "201".to_owned() } else { answer.problem() };
        assert_eq!(got, expected, "{body}");
    }
    let dollars = json!({ "product_name": "x", "price": 1, "currency": "USD", "order_id": "1",
        "availablePaymentMethods": ["sbp"] });
    assert_eq!(live.create(&dollars).await.problem(), "422 no_payment_method");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t28_unknown_fields_change_nothing() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let mut body = Shop::book("1");
    for (name, value) in [
        ("status", json!("paid")),
        ("vendor_id", json!("x")),
        ("session_id", json!("01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2")),
        ("createdAt", json!("1999-01-01T00:00:00.000Z")),
        ("expires_at", json!(0)),
        ("nested", json!({ "a": [1, 2, { "b": null }] })),
        ("callback_url", json!(null)),
    ] {
        body[name] = value;
    }
    let answer = shop.create(&body).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let id = answer.text("session_id");
    assert_ne!(id, "01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2");
    assert_eq!(shop.status(&id).await.text("status"), "pending");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_without_any_provider_says_so() {
    let server = Server::with(&[("TILL_SIMULATOR", "off")]).await;
    let vendor = server.vendor().await;
    let answer = server.shop("live", &vendor).await.create(&Shop::book("1")).await;
    assert_eq!(answer.problem(), "422 no_payment_method");
    assert_eq!(server.shop("sandbox", &vendor).await.create(&Shop::book("1")).await.status, 201);
}
