//! The OpenAPI document: it describes what is served, and both environments alike.

use crate::support::{Server, Shop};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use till_domain::{
    fiscal::{FiscalPolicy, FiscalSettings},
    request::{
        CreateRequest, EndpointCheckRequest, FieldValue, ReceiptRequest, RefundRequest, SignatureRequest,
        SimulateRequest,
    },
};

fn document() -> Value {
    till::api::openapi::document("https://pay.example.com")
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().expect("an object").keys().cloned().collect()
}

#[test]
fn p16_the_two_environments_are_described_alike_but_for_their_paths() {
    let document = document();
    let paths = document["paths"].as_object().expect("paths");
    let halves = |sandbox: bool| -> Vec<Value> {
        let half = paths.iter().filter(|(path, _)| path.starts_with("/api/sandbox") == sandbox);
        // Paths of one environment alone: the vendor's tests in the sandbox, the wallet in live.
        let own = ["/simulate", "/signature-checks", "/endpoint-checks", "/{check_id}", "/api/wallet"];
        let half = half.filter(|(path, _)| !own.iter().any(|end| path.ends_with(end)));
        let mut operations: Vec<_> = half.map(|(_, item)| neutral(item.clone())).collect();
        operations.sort_by_key(Value::to_string);
        operations
    };
    assert_eq!(halves(false).len(), 9);
    assert_eq!(halves(false), halves(true));
}

/// An operation without its environment's name: neither in its tags nor at the end of operation ids.
fn neutral(mut item: Value) -> Value {
    for operation in item.as_object_mut().expect("an object").values_mut() {
        operation.as_object_mut().expect("an object").remove("tags");
    }
    serde_json::from_str(&item.to_string().replace("Sandbox\"", "\"")).expect("JSON")
}

#[test]
fn the_described_fields_are_the_ones_that_are_read() {
    let schemas = &document()["components"]["schemas"];
    let mut create = BTreeSet::new();
    CreateRequest::from_fields(|name| {
        create.insert(name.to_owned());
        FieldValue::Absent
    });
    assert_eq!(keys(&schemas["CreateSession"]["properties"]), create);
    let mut simulate = BTreeSet::new();
    SimulateRequest::from_fields(|name| {
        simulate.insert(name.to_owned());
        FieldValue::Absent
    });
    assert_eq!(keys(&schemas["Simulate"]["properties"]), simulate);
    let mut signature = BTreeSet::new();
    SignatureRequest::from_fields(|name| {
        signature.insert(name.to_owned());
        FieldValue::Absent
    });
    assert_eq!(keys(&schemas["CheckSignature"]["properties"]), signature);
    let mut endpoint = BTreeSet::new();
    EndpointCheckRequest::from_fields(|name| {
        endpoint.insert(name.to_owned());
        FieldValue::Absent
    });
    assert_eq!(keys(&schemas["CheckEndpoint"]["properties"]), endpoint);
    let mut refund = BTreeSet::new();
    RefundRequest::from_fields(|name| {
        refund.insert(name.to_owned());
        FieldValue::Absent
    });
    assert_eq!(keys(&schemas["CreateRefund"]["properties"]), refund);
    let mut receipt = BTreeSet::new();
    ReceiptRequest::from_fields(|name| {
        receipt.insert(name.to_owned());
        FieldValue::Absent
    });
    assert_eq!(keys(&schemas["CreateReceipt"]["properties"]), receipt);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p16_the_described_paths_are_served_and_their_answers_have_the_described_fields() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let fiscal = FiscalSettings { policy: FiscalPolicy::Accept, ..FiscalSettings::default() };
    server.set_fiscal(&vendor, fiscal).await;
    let shop = server.shop("sandbox", &vendor).await;
    let get = |path: String| {
        let (shop, url) = (shop.clone(), format!("{}{path}", server.url));
        async move { shop.send(Method::GET, &url, &[], vec![]).await }
    };
    let served = get("/openapi.json".to_owned()).await;
    assert_eq!((served.status.as_u16(), served.header("content-type")), (200, Some("application/json")));
    let served = served.json();
    assert_eq!(served["openapi"], "3.1.0");
    assert_eq!(served["servers"][0]["url"].as_str(), Some(server.url.as_str()));
    for path in keys(&served["paths"]) {
        let answer = get(path.replace("{session_id}", "x")).await;
        assert_ne!(answer.problem(), "404 not_found", "{path}");
    }
    let schemas = &served["components"]["schemas"];
    let mut book = Shop::book("1");
    book["metadata"] = json!({ "cart": "7f31" });
    book["receipt"] = json!({ "items": [{ "name": "Atlas", "price": "4990.00", "vat": "none" }] });
    let created = shop.create(&book).await;
    assert_eq!(keys(&created.json()), keys(&schemas["SessionCreated"]["properties"]));
    let status = shop.status(&created.text("session_id")).await;
    assert_eq!(keys(&status.json()), keys(&schemas["SessionStatus"]["properties"]));
    let plain = shop.status(&shop.order("2").await).await.json();
    let required = schemas["SessionStatus"]["required"].as_array().expect("a list");
    assert!(required.iter().all(|name| plain.get(name.as_str().expect("a name")).is_some()), "{required:?}");
    shop.simulate(&created.text("session_id"), &json!({ "outcome": "paid" })).await;
    let page = shop.feed("").await.json();
    assert_eq!(keys(&page), keys(&schemas["CallbackPage"]["properties"]));
    assert_eq!(keys(&page["callbacks"][0]), keys(&schemas["FetchedCallback"]["properties"]));
    let problem = shop.create(&json!({})).await;
    assert_eq!(keys(&problem.json()), keys(&schemas["Problem"]["properties"]));
    assert_eq!(keys(&problem.json()["errors"][0]), keys(&schemas["FieldError"]["properties"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_problem_links_to_its_description() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let page = shop.send(Method::GET, &format!("{}/docs", server.url), &[], vec![]).await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    for problem in [shop.create(&json!({})).await, shop.status("x").await, shop.ask_token(&json!([])).await] {
        let link = problem.text("type");
        let anchor = link.strip_prefix(&format!("{}/docs#", server.url)).expect("a link into the docs");
        assert!(page.body.contains(&format!("id=\"{anchor}\"")), "{anchor}");
    }
}
