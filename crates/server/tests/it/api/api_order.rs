//! The order of checks of API calls, and the headers of every answer.

use crate::support::{Server, Shop, entry};
use reqwest::Method;
use serde_json::json;
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn session_calls_are_checked_in_the_promised_order() {
    // One token in the bucket: the second call of this vendor exceeds the limit.
    let limited =
        Server::with(&[("TILL_RATE_LIMITS", "on"), ("TILL_RATE_LIMIT_CREATE", "1/h burst 1")]).await;
    let free = Server::start().await;
    let (limited_vendor, vendor) = (limited.vendor().await, free.vendor().await);
    for environment in ["live", "sandbox"] {
        let exhausted = limited.shop(environment, &limited_vendor).await;
        exhausted.order("A-1").await;
        let shop = free.shop(environment, &vendor).await;
        let large = vec![b'x'; 128 * 1024 + 1];
        let bearer = |shop: &Shop| format!("Bearer {}", shop.token);
        let (no_more, good) = (bearer(&exhausted), bearer(&shop));
        let url = shop.sessions();
        // Each request fails its own check and all later ones.
        for (method, shop, url, headers, body, expected) in [
            (Method::PUT, &shop, format!("{url}/x/y/z"), vec![], large.clone(), "404 not_found"),
            (Method::PUT, &shop, url.clone(), vec![], large.clone(), "405 method_not_allowed"),
            (Method::POST, &shop, url.clone(), vec![], large.clone(), "401 invalid_token"),
            (
                Method::POST,
                &exhausted,
                exhausted.sessions(),
                vec![("authorization", no_more.as_str())],
                large.clone(),
                "429 rate_limited",
            ),
            (
                Method::POST,
                &shop,
                url.clone(),
                vec![("authorization", good.as_str())],
                large,
                "413 payload_too_large",
            ),
            (
                Method::POST,
                &shop,
                url.clone(),
                vec![("authorization", good.as_str())],
                b"{".to_vec(),
                "415 unsupported_media_type",
            ),
            (
                Method::POST,
                &shop,
                url.clone(),
                vec![("authorization", good.as_str()), JSON],
                b"{".to_vec(),
                "400 invalid_json",
            ),
            (
                Method::POST,
                &shop,
                url.clone(),
                vec![("authorization", good.as_str()), JSON],
                b"{}".to_vec(),
                "422 invalid_request",
            ),
        ] {
            let answer = shop.send(method, &url, &headers, body).await;
            assert_eq!(answer.problem(), expected, "{environment}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn token_calls_are_checked_in_the_promised_order() {
    let server = Server::with(&[("TILL_RATE_LIMITS", "on"), ("TILL_RATE_LIMIT_TOKEN", "1/h burst 1")]).await;
    let vendor = server.vendor().await;
    server.accounts.set_sandbox(vendor.id, false, &entry()).await.expect("stored");
    let shop = Shop::new(&server.url, "sandbox", vendor.sandbox.clone());
    let (url, large) = (shop.tokens(), vec![b'x'; 32 * 1024 + 1]);
    for (method, headers, body, expected) in [
        (Method::GET, vec![], large.clone(), "405 method_not_allowed"),
        (Method::POST, vec![], large, "413 payload_too_large"),
        (Method::POST, vec![], b"{".to_vec(), "415 unsupported_media_type"),
        (Method::POST, vec![JSON], b"{".to_vec(), "400 invalid_json"),
        (Method::POST, vec![JSON], b"{}".to_vec(), "422 invalid_request"),
        (
            Method::POST,
            vec![JSON],
            json!({ "client_id": "x", "client_secret": "y" }).to_string().into(),
            "401 invalid_client",
        ),
        (
            Method::POST,
            vec![JSON],
            json!({ "client_id": vendor.sandbox.client_id, "client_secret": "y" }).to_string().into(),
            "401 invalid_client",
        ),
        // Wrong secrets took no token from the owner's bucket.
        (Method::POST, vec![JSON], vendor.sandbox.body().to_string().into(), "403 sandbox_disabled"),
        (Method::POST, vec![JSON], vendor.sandbox.body().to_string().into(), "429 rate_limited"),
    ] {
        assert_eq!(shop.send(method, &url, &headers, body).await.problem(), expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn content_types_and_bodies_at_the_edge() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let bearer = format!("Bearer {}", shop.token);
    let send = |content_type: &'static str, body: Vec<u8>| {
        let (shop, bearer) = (shop.clone(), bearer.clone());
        async move {
            let headers = [("authorization", bearer.as_str()), ("content-type", content_type)];
            shop.send(Method::POST, &shop.sessions(), &headers, body).await
        }
    };
    let book = || Shop::book("1").to_string().into_bytes();
    for good in ["application/json", "application/json; charset=utf-8", "Application/JSON;x=y"] {
        assert_eq!(send(good, book()).await.status, 201, "{good}");
    }
    for bad in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/problem+json",
        "application/jsonx",
        "",
    ] {
        assert_eq!(send(bad, book()).await.problem(), "415 unsupported_media_type", "{bad}");
    }
    let mut body = book();
    body.resize(128 * 1024, b' ');
    assert_eq!(send("application/json", body.clone()).await.status, 201, "128 KiB are accepted");
    body.push(b' ');
    assert_eq!(send("application/json", body).await.problem(), "413 payload_too_large");
    for bad in [
        "",
        "[]",
        "null",
        "\"x\"",
        "{} {}",
        r#"{"order_id":"1","order_id":"2"}"#,
        &format!("{{\"a\":{}{}}}", "[".repeat(16), "]".repeat(16)),
    ] {
        assert_eq!(
            send("application/json", bad.as_bytes().to_vec()).await.problem(),
            "400 invalid_json",
            "{bad}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t19_every_answer_has_the_security_headers_and_a_request_id() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let paths = [
        "/docs",
        "/docs/integration",
        "/docs/callbacks",
        "/openapi.json",
        "/healthz",
        "/readyz",
        "/api/tokens",
        "/api/product/session",
        "/nowhere",
        till_service::web::assets::DOCS_CSS.url(),
    ];
    for path in paths {
        let answer = shop.send(Method::GET, &format!("{}{path}", server.url), &[], vec![]).await;
        let policy = answer.header("content-security-policy").expect("a policy");
        for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert!(answer.header("x-request-id").is_some_and(|id| !id.is_empty()), "{path}");
    }
    let url = format!("{}/healthz", server.url);
    for (sent, kept) in [
        ("abc-1.2_Z", true),
        (&"a".repeat(128), true),
        (&"a".repeat(129), false),
        ("a b", false),
        ("", false),
        ("é", false),
    ] {
        let answer = shop.send(Method::GET, &url, &[("x-request-id", sent)], vec![]).await;
        assert_eq!(answer.header("x-request-id") == Some(sent), kept, "{sent}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_method_is_told_what_is_allowed() {
    let server = Server::start().await;
    let shop = Shop::new(&server.url, "live", server.vendor().await.live);
    for (method, path, allow) in [
        (Method::GET, "/api/tokens", "POST"),
        (Method::DELETE, "/api/product/session", "POST,GET,HEAD"),
        (Method::POST, "/api/product/session/x", "GET,HEAD"),
        (Method::POST, "/api/callbacks", "GET,HEAD"),
        (Method::POST, "/api/wallet", "GET,HEAD"),
        (Method::PATCH, "/api/sandbox/vendor/checkout-session/x/simulate", "POST"),
    ] {
        let answer = shop.send(method, &format!("{}{path}", server.url), &[], vec![]).await;
        assert_eq!(
            (answer.problem().as_str(), answer.header("allow")),
            ("405 method_not_allowed", Some(allow))
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f24_malformed_http_is_refused_and_harms_nobody() {
    let server = Server::start().await;
    let address = server.url.strip_prefix("http://").expect("a URL").to_owned();
    let corpus: Vec<Vec<u8>> = vec![
        b"GARBAGE\r\n\r\n".to_vec(),
        b"POST /api/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".to_vec(),
        b"POST /api/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n".to_vec(),
        b"POST /api/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx".to_vec(),
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nA\0: b\r\n\r\n".to_vec(),
        [b"GET /healthz HTTP/1.1\r\nHost: x\r\nA: ".to_vec(), vec![b'a'; 600 * 1024], b"\r\n\r\n".to_vec()].concat(),
        [b"GET /".to_vec(), vec![b'a'; 100 * 1024], b" HTTP/1.1\r\nHost: x\r\n\r\n".to_vec()].concat(),
        b"POST /api/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n".to_vec(),
        b"GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n".to_vec(),
    ];
    for request in corpus {
        let start = String::from_utf8_lossy(&request[..request.len().min(60)]).into_owned();
        let address = address.clone();
        let answer = tokio::task::spawn_blocking(move || {
            let mut stream = TcpStream::connect(address).expect("it listens");
            stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
            // The service may close the connection before all of it is written.
            let _ = stream.write_all(&request).and_then(|()| stream.shutdown(std::net::Shutdown::Write));
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            String::from_utf8_lossy(&answer).into_owned()
        });
        let answer = answer.await.expect("no panic");
        assert!(!answer.starts_with("HTTP/1.1 5") && !answer.contains("HTTP/1.1 2"), "{start}: {answer}");
    }
    let shop = Shop::new(&server.url, "live", server.vendor().await.live);
    assert_eq!(shop.send(Method::GET, &format!("{}/healthz", server.url), &[], vec![]).await.status, 200);
}

#[tokio::test]
async fn a_token_of_the_other_environment_is_named_as_such() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for (environment, other) in [("live", "sandbox"), ("sandbox", "live")] {
        let mut shop = server.shop(environment, &vendor).await;
        shop.token = server.shop(other, &vendor).await.token;
        let answer = shop.feed("").await;
        assert_eq!(answer.problem(), "401 invalid_token");
        assert!(
            answer.text("detail").contains(&format!("belongs to the {other} environment")),
            "{}",
            answer.body
        );
    }
}
