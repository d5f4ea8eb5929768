//! Metrics, as an operator's Prometheus reads them.

use crate::support::{Shop, Till, until};
use reqwest::Method;
use serde_json::json;
use std::fs;
use till_testing::anvil::{Anvil, XPUB};

/// The value of a line such as `till_store_units_total{store="live"} 5`.
fn value(text: &str, line: &str) -> u64 {
    let found = text.lines().find_map(|l| l.strip_prefix(line)?.strip_prefix(' '));
    found.unwrap_or_else(|| panic!("no {line} in\n{text}")).parse().expect("a number")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_batches_queues_and_expiry_are_counted() {
    let mut till = Till::new();
    till.set("TILL_METRICS_LISTEN", "127.0.0.1:0");
    let service = till.serve();
    let vendor = till.vendor();
    let mut shop = service.shop("sandbox", &vendor);
    shop.log_in().await;
    for _ in 0..3 {
        shop.order("A-1").await;
    }
    shop.create(&json!({})).await;
    shop.send(Method::GET, &format!("{}/made/up/{}", service.url, vendor["vendor_id"]), &[], vec![]).await;
    let log = service.log();
    let url = log.lines().find_map(|line| line.split_once("metrics are at ")).expect("it says where").1;
    let answer = shop.send(Method::GET, url.trim(), &[], vec![]).await;
    assert_eq!(answer.status, 200);
    let text = answer.body;
    let route = r#"route="/api/sandbox/vendor/checkout-session""#;
    assert_eq!(value(&text, &format!(r#"till_requests_total{{method="POST",{route},status="201"}}"#)), 3);
    assert_eq!(value(&text, &format!(r#"till_requests_total{{method="POST",{route},status="422"}}"#)), 1);
    assert_eq!(value(&text, r#"till_requests_total{method="GET",route="other",status="404"}"#), 1);
    assert_eq!(value(&text, &format!("till_request_duration_seconds_count{{{route}}}")), 4);
    assert!(value(&text, r#"till_store_units_total{store="sandbox"}"#) >= 3);
    assert!(value(&text, r#"till_store_batches_total{store="sandbox"}"#) >= 1);
    assert!(value(&text, r#"till_store_write_microseconds_total{store="sandbox"}"#) >= 1);
    for store in ["accounts", "live", "sandbox"] {
        assert_eq!(value(&text, &format!(r#"till_store_refused_total{{store="{store}"}}"#)), 0);
        value(&text, &format!(r#"till_store_waiting{{store="{store}"}}"#));
    }
    assert_eq!(value(&text, r#"till_expiry_lag_milliseconds{environment="sandbox"}"#), 0);
    assert_eq!(value(&text, r#"till_callback_lag_milliseconds{environment="sandbox"}"#), 0);
    assert_eq!(value(&text, r#"till_payment_lag_milliseconds{environment="sandbox"}"#), 0);
    assert_eq!(value(&text, r#"till_checkout_pages{environment="sandbox"}"#), 0);
    assert_eq!(value(&text, r#"till_actions{environment="sandbox"}"#), 0);
    for outcome in ["answered", "failed"] {
        let labels = format!(r#"environment="sandbox",provider="simulator",outcome="{outcome}""#);
        assert_eq!(value(&text, &format!("till_provider_calls_total{{{labels}}}")), 0);
    }
    for name in [
        "provider_down",
        "provider_calls_under_way",
        "provider_rate_limited_total",
        "provider_limit_wait_milliseconds_total",
    ] {
        let series = format!(r#"till_{name}{{environment="sandbox",provider="simulator"}}"#);
        assert_eq!(value(&text, &series), 0, "{name}");
    }
    for secret in [&shop.token, &shop.credentials.client_id, vendor["vendor_id"].as_str().expect("an id")] {
        assert!(!text.contains(secret), "{secret}");
    }
    let not_public = shop.send(Method::GET, &format!("{}/metrics", service.url), &[], vec![]).await;
    assert_eq!(not_public.problem(), "404 not_found");
    assert_eq!(Shop::new(&service.url, "live", shop.credentials).status("x").await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn m8_rows_that_no_worker_can_read_are_counted() {
    let mut till = Till::new();
    till.set("TILL_METRICS_LISTEN", "127.0.0.1:0");
    let vendor = till.vendor();
    let service = till.serve();
    let shell = rusqlite::Connection::open(till.file("sandbox.db")).expect("a shell");
    let row = "INSERT INTO sessions (id, vendor_id, order_id, product_name, price, amount_minor, currency, status,
        request_id, created_at, updated_at, methods, method, card_ends_at, due_at) VALUES (zeroblob(16), zeroblob(16),
        'A', 'B', '1', 1, 'ZZZ', 'pending', 'r', 0, 0, 'card', 'card', 0, 0)";
    shell.execute_batch(row).expect("a shell may");
    let log = service.log();
    let url = log.lines().find_map(|line| line.split_once("metrics are at ")).expect("it says where").1;
    let text = service.shop("sandbox", &vendor).send(Method::GET, url.trim(), &[], vec![]).await.body;
    let count = |environment: &str, queue: &str| {
        let labels = format!(r#"environment="{environment}",queue="{queue}""#);
        value(&text, &format!("till_unreadable_rows{{{labels}}}"))
    };
    assert_eq!(count("sandbox", "sessions"), 1);
    for queue in [
        "sessions",
        "attempts",
        "callbacks",
        "refunds",
        "fiscal_receipts",
        "settlements",
        "seals",
        "dispatches",
        "deposits",
    ] {
        assert_eq!(count("live", queue), 0, "{queue}");
    }
    assert_eq!((count("live", "strays"), count("accounts", "mails")), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_anvil_how_far_a_chain_was_read_is_reported() {
    let chain = Anvil::start().await;
    let document = format!(
        "[[chain]]\nid = 31337\nname = \"Anvil\"\nendpoints = [\"{}\"]\nxpub = \"{XPUB}\"\nconfirmations = 2\n\
         poll = \"250ms\"\n[[chain.coin]]\nsymbol = \"ETH\"\ndecimals = 18\n\
         [[price]]\ncoin = \"ETH\"\ncurrency = \"RUB\"\nfixed = \"249500\"\n",
        chain.url()
    );
    let mut till = Till::new();
    till.vendor();
    let file = till.file("evm.toml");
    fs::write(&file, document).expect("a file");
    till.set("TILL_EVM_FILE", file.to_str().expect("a path")).set("TILL_METRICS_LISTEN", "127.0.0.1:0");
    let service = tokio::task::block_in_place(|| till.serve());
    let address = || {
        let log = service.log();
        log.lines().find_map(|line| Some(line.split_once("metrics are at ")?.1.trim().to_owned()))
    };
    until("it says where", async || address().is_some()).await;
    let url = address().expect("an address");
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let text = async || client.get(&url).send().await.expect("an answer").text().await.expect("a text");
    let lag = r#"till_chain_lag_blocks{chain="Anvil"}"#;
    until("the chain is read", async || text().await.contains(lag)).await;
    let text = text().await;
    assert!(value(&text, lag) <= 2, "{text}");
    assert!(value(&text, r#"till_chain_silence_milliseconds{chain="Anvil"}"#) < 15_000, "{text}");
    assert_eq!(value(&text, r#"till_provider_down{environment="live",provider="evm"}"#), 0);
}
