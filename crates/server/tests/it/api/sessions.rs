//! The list of sessions by the API.

use crate::support::{Nodes, Server, Shop};
use reqwest::Method;
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

fn ids(page: &Value) -> Vec<String> {
    let sessions = page["sessions"].as_array().expect("a list").iter();
    sessions.map(|session| session["sessionId"].as_str().expect("an id").to_owned()).collect()
}

/// All pages of a query.
async fn walk(shop: &Shop, query: &str) -> Vec<String> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = shop.list(&format!("{query}{cursor}")).await;
        assert_eq!(page.status, 200, "{}", page.body);
        let page = page.json();
        all.extend(ids(&page));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_are_listed_newest_first_by_every_filter() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let other = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        server.shop(environment, &other).await.order("A-1").await;
        let empty = shop.list("").await;
        assert_eq!(empty.json(), json!({ "sessions": [], "next_cursor": null }));
        let mut made = Vec::new();
        for number in 0..7 {
            made.push(shop.order(["A-1", "A 2&x=+"][number % 2]).await);
            server.later(Duration::from_secs(1));
        }
        made.reverse();
        let page = shop.list("limit=3").await.json();
        assert_eq!(ids(&page), made[..3]);
        assert_eq!(page["sessions"][0], shop.status(&made[0]).await.json(), "the status object");
        for limit in [1, 2, 3, 7, 100] {
            assert_eq!(walk(&shop, &format!("limit={limit}")).await, made);
        }
        let of_order: Vec<String> = made.iter().skip(1).step_by(2).cloned().collect();
        assert_eq!(walk(&shop, "order_id=A+2%26x%3D%2B&limit=2").await, of_order);
        assert!(walk(&shop, "order_id=A").await.is_empty(), "the whole order");
        // The third and fourth newest; the start counts, the end does not.
        let created = |index: usize| {
            let (shop, id) = (shop.clone(), made[index].clone());
            async move { shop.status(&id).await.text("createdAt") }
        };
        let span = format!("created_from={}&created_to={}", created(3).await, created(1).await);
        assert_eq!(walk(&shop, &span).await, made[2..=3]);
        assert_eq!(walk(&shop, "created_from=2026-11-15&created_to=2026-11-16").await, made);
        assert!(walk(&shop, "created_to=2026-11-15").await.is_empty());
        assert_eq!(walk(&shop, "status=pending").await, made);
        if environment == "sandbox" {
            shop.simulate(&made[4], &json!({ "outcome": "paid" })).await;
            assert_eq!(walk(&shop, "status=paid").await, [made[4].clone()]);
            assert_eq!(walk(&shop, "status=paid&order_id=A-1").await, [made[4].clone()]);
            assert_eq!(walk(&shop, "status=pending&limit=2").await.len(), 6);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_never_says_pending_after_the_deadline() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        let id = shop.order("A-1").await;
        server.later(Duration::from_secs(15 * 60));
        assert_eq!(walk(&shop, "status=expired").await, [id], "nothing had asked for it before");
        assert!(walk(&shop, "status=pending").await.is_empty());
        shop.order("A-2").await;
        server.later(Duration::from_secs(15 * 60));
        let page = shop.list("order_id=A-2").await.json();
        assert_eq!(page["sessions"][0]["status"], "expired", "{page}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_wrong_parameter_is_named_and_a_cursor_belongs_to_its_filters() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        for (query, expected) in [
            ("staus=paid", "staus:unknown_parameter"),
            ("limit=0", "limit:out_of_range"),
            ("limit=101", "limit:out_of_range"),
            ("status=Paid", "status:unknown_value"),
            ("status=paid&status=paid", "status:repeated"),
            ("order_id=", "order_id:empty"),
            ("order_id=%00", "order_id:invalid_character"),
            ("created_from=yesterday", "created_from:invalid_time"),
            ("created_to=2026-11-15T09:30:00", "created_to:invalid_time"),
            ("created_from=2026-11-15&created_to=2026-11-15T00:00:00Z", "created_to:invalid_time"),
        ] {
            let answer = shop.list(query).await;
            assert_eq!(answer.problem(), "422 invalid_request", "{query}");
            assert_eq!(answer.fields(), [expected], "{query}");
        }
        let all = shop.list("limit=x&created_to=x&what=1").await;
        assert_eq!(all.fields(), ["created_to:invalid_time", "limit:out_of_range", "what:unknown_parameter"]);
        for _ in 0..3 {
            shop.order("A-1").await;
        }
        let cursor = shop.list("order_id=A-1&limit=1").await.text("next_cursor");
        let next = shop.list(&format!("order_id=A-1&limit=2&cursor={cursor}")).await;
        assert_eq!(ids(&next.json()).len(), 2, "the limit may change");
        let stranger = server.shop(environment, &server.vendor().await).await;
        for (reader, query) in [
            (&shop, format!("cursor={cursor}")),
            (&shop, format!("order_id=A-1&status=pending&cursor={cursor}")),
            (&shop, format!("order_id=A-1&created_from=2026-11-15&cursor={cursor}")),
            (&shop, format!("order_id=A-1&cursor={}", &cursor[1..])),
            (&shop, "cursor=".to_owned()),
            (&stranger, format!("order_id=A-1&cursor={cursor}")),
        ] {
            let answer = reader.list(&query).await;
            assert_eq!(answer.problem(), "422 invalid_cursor", "{query}");
            assert_eq!(answer.fields(), ["cursor:invalid_cursor"], "{query}");
        }
    }
    let live = server.shop("live", &vendor).await;
    let cursor = live.list("limit=1").await.text("next_cursor");
    let sandbox = server.shop("sandbox", &vendor).await;
    assert_eq!(sandbox.list(&format!("limit=1&cursor={cursor}")).await.problem(), "422 invalid_cursor");
    let no_token = sandbox.send(Method::GET, &sandbox.sessions(), &[], Vec::new()).await;
    assert_eq!(no_token.problem(), "401 invalid_token");
}

/// Two clients create at full speed while a third walks; each session that was there before is met once.
async fn walk_among_creates(shops: [Shop; 2]) {
    let mut before = BTreeSet::new();
    for number in 0..250 {
        before.insert(shops[number % 2].order(&format!("B-{number}")).await);
    }
    let creators = shops.clone().map(|shop| {
        tokio::spawn(async move {
            for number in 0.. {
                shop.order(&format!("N-{number}")).await;
            }
        })
    });
    for (limit, shop) in [1, 7, 100].into_iter().zip(shops.iter().cycle()) {
        let walked = walk(shop, &format!("limit={limit}")).await;
        let met: BTreeSet<String> = walked.iter().cloned().collect();
        assert_eq!(met.len(), walked.len(), "none is met twice");
        assert!(before.is_subset(&met), "none is missed");
    }
    for creator in creators {
        creator.abort();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_250_sessions_are_walked_exactly_once_while_others_are_created() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    walk_among_creates([shop.clone(), shop]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn needs_postgres_all_250_sessions_are_walked_exactly_once_while_others_are_created_on_two_nodes() {
    let nodes = Nodes::start(&[]);
    let shops = nodes.shops("live").await.try_into().expect("two nodes");
    walk_among_creates(shops).await;
}
