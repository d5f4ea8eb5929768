//! Rate limits from the vendor's side.

use crate::support::{Answer, Credentials, Server, Shop, Till};
use serde_json::json;

fn left(answer: &Answer) -> (Option<&str>, Option<&str>) {
    (answer.header("ratelimit-limit"), answer.header("ratelimit-remaining"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t30_each_kind_of_call_has_its_own_bucket_per_vendor_and_environment() {
    let server = Server::with(&[
        ("TILL_RATE_LIMITS", "on"),
        ("TILL_RATE_LIMIT_CREATE", "1/h burst 2"),
        ("TILL_RATE_LIMIT_STATUS", "1/h burst 3"),
        ("TILL_RATE_LIMIT_TOKEN", "1/h burst 5"),
    ])
    .await;
    let (one, two) = (server.vendor().await, server.vendor().await);
    for vendor in [&one, &two] {
        for environment in ["live", "sandbox"] {
            let shop = server.shop(environment, vendor).await;
            let first = shop.create(&Shop::book("1")).await;
            assert_eq!(left(&first), (Some("2"), Some("1")));
            let id = first.text("session_id");
            let wrong = shop.create(&json!({})).await;
            assert_eq!(
                (wrong.status.as_u16(), left(&wrong)),
                (422, (Some("2"), Some("0"))),
                "an error counts too"
            );
            let refused = shop.create(&Shop::book("1")).await;
            assert_eq!(
                (refused.problem().as_str(), left(&refused)),
                ("429 rate_limited", (Some("2"), Some("0")))
            );
            let wait: u64 = refused.header("retry-after").expect("a wait").parse().expect("seconds");
            assert!((3500..=3600).contains(&wait), "{wait}");
            let reset: u64 = refused.header("ratelimit-reset").expect("a reset").parse().expect("seconds");
            assert!(reset >= wait);
            for remaining in ["2", "1"] {
                assert_eq!(left(&shop.status(&id).await), (Some("3"), Some(remaining)));
            }
            assert_eq!(left(&shop.list("").await), (Some("3"), Some("0")), "a list counts as a status");
            assert_eq!(shop.status(&id).await.problem(), "429 rate_limited");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t16_guessing_is_slowed_down_and_the_owner_elsewhere_is_not() {
    let server = Server::with(&[
        ("TILL_RATE_LIMITS", "on"),
        ("TILL_RATE_LIMIT_FAILED_TRIES", "1/h burst 3"),
        ("TILL_TRUSTED_PROXIES", "127.0.0.0/8"),
    ])
    .await;
    let vendor = server.vendor().await;
    let shop = Shop::new(&server.url, "live", vendor.live.clone());
    let ask = |from: &'static str, pair: Credentials| {
        let shop = shop.clone();
        async move {
            let headers = [("content-type", "application/json"), ("x-forwarded-for", from)];
            let body = pair.body().to_string().into_bytes();
            shop.send(reqwest::Method::POST, &shop.tokens(), &headers, body).await
        }
    };
    let wrong = Credentials { client_secret: "guess".to_owned(), ..vendor.live.clone() };
    for _ in 0..3 {
        assert_eq!(ask("198.51.100.1", wrong.clone()).await.problem(), "401 invalid_client");
    }
    let slowed = ask("198.51.100.1", wrong.clone()).await;
    assert_eq!(slowed.problem(), "429 rate_limited");
    assert!(slowed.header("retry-after").is_some());
    assert_eq!(ask("198.51.100.1", vendor.live.clone()).await.problem(), "429 rate_limited");
    for _ in 0..100 {
        assert_eq!(ask("198.51.100.1", wrong.clone()).await.problem(), "429 rate_limited");
    }
    assert_eq!(ask("198.51.100.2", vendor.live.clone()).await.status, 200, "the owner, from elsewhere");
    assert_eq!(ask("198.51.100.1", vendor.sandbox.clone()).await.problem(), "401 invalid_client");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_guesses_ids_is_slowed_down_too() {
    let server =
        Server::with(&[("TILL_RATE_LIMITS", "on"), ("TILL_RATE_LIMIT_FAILED_TRIES_ADDRESS", "1/h burst 5")])
            .await;
    let shop = Shop::new(&server.url, "live", server.vendor().await.live);
    let guess = |n: u32| json!({ "client_id": format!("live_{n}"), "client_secret": "x" });
    for n in 0..5 {
        assert_eq!(shop.ask_token(&guess(n)).await.problem(), "401 invalid_client");
    }
    assert_eq!(shop.ask_token(&guess(6)).await.problem(), "429 rate_limited");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_at_once_never_get_more_than_the_burst() {
    let rates = [("TILL_RATE_LIMITS", "on"), ("TILL_RATE_LIMIT_STATUS", "1/h burst 50")];
    let server = Server::with(&rates).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let id = shop.order("A-1").await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let (shop, id) = (shop.clone(), id.clone());
        calls.spawn(async move { shop.status(&id).await });
    }
    let answers = calls.join_all().await;
    let served = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(served, 50);
    for answer in answers {
        assert!(answer.status == 200 || answer.problem() == "429 rate_limited");
        let remaining: u32 =
            answer.header("ratelimit-remaining").expect("a header").parse().expect("a number");
        assert!(remaining < 50);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn off_limits_nothing_and_says_nothing() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let wrong = json!({ "client_id": vendor.live.client_id, "client_secret": "x" });
    for _ in 0..40 {
        assert_eq!(shop.ask_token(&wrong).await.problem(), "401 invalid_client");
    }
    for _ in 0..250 {
        let answer = shop.create(&Shop::book("1")).await;
        assert_eq!((answer.status.as_u16(), left(&answer)), (201, (None, None)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s4_t16_wrong_secrets_from_many_addresses_take_nothing_from_the_owners_bucket() {
    let mut till = Till::new();
    till.set("TILL_RATE_LIMITS", "on").set("TILL_TRUSTED_PROXIES", "127.0.0.0/8");
    till.set("TILL_RATE_LIMIT_TOKEN", "1/h burst 25");
    let vendor = till.vendor();
    let service = till.serve();
    let shop = service.shop("live", &vendor);
    let right = Credentials::of(&vendor, "live").body();
    let mut wrong = right.clone();
    wrong["client_secret"] = json!("wrong");
    let ask = async |from: String, body: &serde_json::Value| {
        let headers = [("content-type", "application/json"), ("x-forwarded-for", from.as_str())];
        shop.send(reqwest::Method::POST, &shop.tokens(), &headers, body.to_string().into_bytes()).await
    };
    for number in 0..25 {
        for guess in 0..8 {
            let from = format!("198.51.{number}.{guess}");
            assert_eq!(ask(from, &wrong).await.problem(), "401 invalid_client");
        }
        let answer = ask("203.0.113.1".to_owned(), &right).await;
        assert_eq!(answer.status, 200, "{number}: {}", answer.body);
    }
    assert_eq!(
        ask("203.0.113.1".to_owned(), &right).await.problem(),
        "429 rate_limited",
        "its own tries count"
    );
    // A whole /64 counts as one client, however many addresses it uses.
    let from = |number: u32| format!("2001:db8::{number:x}");
    let mut answers = Vec::new();
    for number in 0..100 {
        answers.push(ask(from(number), &wrong).await.problem());
    }
    assert!(answers.contains(&"429 rate_limited".to_owned()), "{answers:?}");
}
