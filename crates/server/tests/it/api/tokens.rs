//! Tokens: how they are issued, their form, and what ends them.

use crate::support::{Credentials, Server, Shop};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_right_pair_buys_a_token_that_is_never_cached() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for (environment, pair) in [("live", &vendor.live), ("sandbox", &vendor.sandbox)] {
        let shop = Shop::new(&server.url, environment, pair.clone());
        let answer = shop.ask_token(&pair.body()).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let body = answer.json();
        let names: Vec<_> = body.as_object().expect("an object").keys().cloned().collect();
        assert_eq!(names, ["access_token", "token_type", "expires_in"]);
        assert_eq!((&body["token_type"], &body["expires_in"]), (&json!("Bearer"), &json!(3600)));
        assert!(answer.text("access_token").len() < 128, "compact");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t15_every_wrong_pair_gets_the_same_answer() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = Shop::new(&server.url, "sandbox", vendor.sandbox.clone());
    let pair =
        |id: &str, secret: &str| Credentials { client_id: id.to_owned(), client_secret: secret.to_owned() };
    let almost = format!("{}x", &vendor.sandbox.client_secret[..vendor.sandbox.client_secret.len() - 1]);
    let wrong = [
        pair("sandbox_unknown", &vendor.sandbox.client_secret),
        pair(&vendor.sandbox.client_id, "wrong"),
        pair(&vendor.sandbox.client_id, &almost),
        pair(&vendor.sandbox.client_id, ""),
        pair("", ""),
        pair("a\u{0}b", "x"),
        pair(&"x".repeat(10_000), "x"),
        pair(&vendor.live.client_id, &vendor.sandbox.client_secret),
        vendor.live.clone(),
    ];
    let mut details = Vec::new();
    for pair in &wrong {
        let answer = shop.ask_token(&pair.body()).await;
        assert_eq!(answer.problem(), "401 invalid_client", "{pair:?}");
        assert_eq!(
            answer.header("www-authenticate"),
            Some("Bearer realm=\"till\", error=\"invalid_client\"")
        );
        details.push((answer.text("detail"), answer.json()["errors"].clone()));
    }
    details.dedup();
    assert_eq!(details.len(), 1, "one identical answer");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_wrong_field_is_named() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = Shop::new(&server.url, "live", vendor.live.clone());
    for (body, fields) in [
        (json!({}), vec!["client_id:required", "client_secret:required"]),
        (
            json!({ "client_id": null, "client_secret": 5 }),
            vec!["client_id:required", "client_secret:wrong_type"],
        ),
        (json!({ "client_id": ["a"], "client_secret": "x" }), vec!["client_id:wrong_type"]),
    ] {
        let answer = shop.ask_token(&body).await;
        assert_eq!(answer.problem(), "422 invalid_request");
        assert_eq!(answer.fields(), fields, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i24_a_token_ends_after_its_hour_to_the_millisecond() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let mut shop = server.shop(environment, &vendor).await;
        let id = shop.order("A-1").await;
        server.later(Duration::from_millis(3_599_999));
        assert_eq!(shop.status(&id).await.status, 200);
        server.later(Duration::from_millis(1));
        let answer = shop.status(&id).await;
        assert_eq!(answer.problem(), "401 invalid_token");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"till\", error=\"invalid_token\""));
        shop.log_in().await;
        assert_eq!(shop.status(&id).await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t14_what_is_not_a_bearer_token_is_refused_everywhere() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let other = server.shop("sandbox", &vendor).await;
    let id = shop.order("A-1").await;
    let url = format!("{}/{id}", shop.sessions());
    let bearer = format!("Bearer {}", shop.token);
    for good in [bearer.clone(), bearer.replace("Bearer", "bearer"), bearer.replace("Bearer", "BEARER")] {
        assert_eq!(
            shop.send(Method::GET, &url, &[("authorization", &good)], vec![]).await.status,
            200,
            "{good}"
        );
    }
    let sandbox = format!("Bearer {}", other.token);
    let basic = format!("Basic {}", shop.token);
    for bad in
        [shop.token.as_str(), &basic, "Bearer", "Bearer ", "Bearer x", &bearer[..bearer.len() - 1], &sandbox]
    {
        let answer = shop.send(Method::GET, &url, &[("authorization", bad)], vec![]).await;
        assert_eq!(answer.problem(), "401 invalid_token", "{bad}");
    }
    let nothing = shop.send(Method::GET, &url, &[], vec![]).await;
    assert_eq!(nothing.problem(), "401 invalid_token");
    assert_eq!(nothing.header("www-authenticate"), Some("Bearer realm=\"till\""));
    let in_query = format!("{url}?access_token={}", shop.token);
    assert_eq!(shop.send(Method::GET, &in_query, &[], vec![]).await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_survives_a_restart() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let id = shop.order("A-1").await;
    let token = shop.token.clone();
    let server = server.restart().await;
    let mut shop = Shop::new(&server.url, "sandbox", vendor.sandbox.clone());
    shop.token = token;
    assert_eq!(shop.status(&id).await.text("status"), "pending");
}
