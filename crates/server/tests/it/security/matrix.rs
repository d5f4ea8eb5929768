//! The 16 combinations of credentials × token endpoint × session endpoint × session id: only the matching
//! ones work.

use crate::support::{Credentials, Server, Shop};
use serde_json::json;

const ENVIRONMENTS: [&str; 2] = ["live", "sandbox"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t12_only_the_diagonal_of_the_16_cells_works() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let pair = |name: &str| if name == "live" { &vendor.live } else { &vendor.sandbox };
    let mut ids = Vec::new();
    for environment in ENVIRONMENTS {
        ids.push(server.shop(environment, &vendor).await.order("A-1").await);
    }
    let mut cells = 0;
    for credentials in ENVIRONMENTS {
        for token_endpoint in ENVIRONMENTS {
            let asked = Shop::new(&server.url, token_endpoint, Credentials::clone(pair(credentials)));
            let answer = asked.ask_token(&asked.credentials.body()).await;
            let token = if credentials == token_endpoint {
                assert_eq!(answer.status, 200, "{credentials} at {token_endpoint}");
                answer.text("access_token")
            } else {
                assert_eq!(answer.problem(), "401 invalid_client", "{credentials} at {token_endpoint}");
                "none".to_owned()
            };
            for session_endpoint in ENVIRONMENTS {
                let mut shop = Shop::new(&server.url, session_endpoint, pair(credentials).clone());
                shop.token = token.clone();
                let token_is_good = credentials == token_endpoint && token_endpoint == session_endpoint;
                let expected = if token_is_good { "200" } else { "401 invalid_token" };
                let feed = shop.feed("").await.outcome();
                assert_eq!(feed, expected, "{credentials} {token_endpoint} {session_endpoint}: the feed");
                for (id_from, id) in ENVIRONMENTS.iter().zip(&ids) {
                    let status = shop.status(id).await.status.as_u16();
                    let expected = match (token_is_good, session_endpoint == *id_from) {
                        (true, true) => 200,
                        (true, false) => 404,
                        (false, _) => 401,
                    };
                    assert_eq!(
                        status, expected,
                        "{credentials} {token_endpoint} {session_endpoint} {id_from}"
                    );
                    cells += 1;
                }
            }
        }
    }
    assert_eq!(cells, 16);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i20_t10_another_vendors_session_does_not_exist() {
    let server = Server::start().await;
    let (one, other) = (server.vendor().await, server.vendor().await);
    for environment in ENVIRONMENTS {
        let id = server.shop(environment, &one).await.order("A-1").await;
        let stranger = server.shop(environment, &other).await;
        let foreign = stranger.status(&id).await;
        let unknown = stranger.status("01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2").await;
        let malformed = stranger.status("not-an-id").await;
        for answer in [&foreign, &unknown, &malformed] {
            assert_eq!(answer.problem(), "404 session_not_found");
            assert_eq!(answer.text("detail"), unknown.text("detail"));
        }
        if environment == "sandbox" {
            let body = serde_json::json!({ "outcome": "paid" });
            assert_eq!(stranger.simulate(&id, &body).await.problem(), "404 session_not_found");
        }
    }
}

/// Every address of the API, from its own document, asked by a stranger: what belongs to another vendor is not there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t10_every_address_of_the_api_hides_what_belongs_to_another_vendor() {
    let server = Server::start().await;
    let (one, other) = (server.vendor().await, server.vendor().await);
    let document = till::api::openapi::document(&server.url);
    let mut asked = 0;
    for environment in ENVIRONMENTS {
        let owner = server.shop(environment, &one).await;
        let stranger = server.shop(environment, &other).await;
        let id = owner.order("A-1").await;
        if environment == "sandbox" {
            owner.simulate(&id, &json!({ "outcome": "paid" })).await;
            assert_eq!(owner.refund(&id, &json!({ "amount": "1.00" }), &[]).await.status, 201);
        }
        for (path, operations) in document["paths"].as_object().expect("paths") {
            if path.contains("/sandbox/") != (environment == "sandbox") || path.ends_with("/tokens") {
                continue;
            }
            for method in operations.as_object().expect("operations").keys() {
                let url = format!(
                    "{}{}",
                    server.url,
                    path.replace("{session_id}", &id).replace("{refund_id}", &id)
                );
                let method = reqwest::Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
                for token in [stranger.token.as_str(), ""] {
                    let bearer = format!("Bearer {token}");
                    let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
                    let answer = stranger.send(method.clone(), &url, &headers, b"{}".to_vec()).await;
                    let what = format!("{method} {path}: {}", answer.body);
                    asked += 1;
                    if token.is_empty() {
                        assert_eq!(answer.problem(), "401 invalid_token", "{what}");
                    } else if path.contains("{session_id}") {
                        assert_eq!(answer.problem(), "404 session_not_found", "{what}");
                    } else {
                        assert!(!answer.body.contains(&id) && !answer.body.contains("A-1"), "{what}");
                    }
                }
            }
        }
    }
    assert!(asked >= 2 * 20, "{asked}");
}
