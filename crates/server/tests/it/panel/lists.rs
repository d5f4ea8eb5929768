//! A vendor's lists and its overview: their contents, filters, pages and search.

use super::detail::{attribute, switch, texts};
use crate::support::{Answer, Person, Server, Shop, Vendor, entry};
use serde_json::json;
use std::{cell::RefCell, time::Duration};
use till_domain::{id::SessionId, time::TimeZone, user::Role, vendor::SettingsChange};

/// A vendor with its sandbox on, and a user who looks at its pages.
pub struct Scene {
    pub server: Server,
    pub vendor: Vendor,
    pub shop: Shop,
    pub ada: Person,
}

pub async fn scene() -> Scene {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    Scene { server, vendor, shop, ada }
}

impl Scene {
    /// This many sessions of orders `A-0` and on, one second apart.
    pub async fn orders(&self, count: usize) -> Vec<String> {
        let mut ids = Vec::new();
        for number in 0..count {
            ids.push(self.shop.order(&format!("A-{number}")).await);
            self.server.later(Duration::from_secs(1));
        }
        ids
    }

    pub async fn end(&self, id: &str, outcome: &str) {
        assert_eq!(self.shop.simulate(id, &json!({ "outcome": outcome })).await.status, 200);
    }

    async fn get(&self, path: &str) -> Answer {
        let answer = self.ada.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer
    }

    /// The orders that a page lists.
    async fn listed(&self, path: &str) -> Vec<String> {
        texts(&self.get(path).await.body, "[data-testid=rows] td.id a")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_are_paged_there_and_back_without_a_gap() {
    let scene = scene().await;
    scene.orders(60).await;
    let (mut path, mut seen, mut pages) = ("/panel/sessions".to_owned(), Vec::new(), Vec::new());
    loop {
        let page = scene.get(&path).await.body;
        seen.extend(texts(&page, "[data-testid=rows] td.id a"));
        assert_eq!(texts(&page, "[data-testid=span]").len(), 1);
        pages.push((path, page.clone()));
        if texts(&page, "[data-testid=older]").is_empty() {
            break;
        }
        path = attribute(&page, "[data-testid=older]", "href");
    }
    let expected: Vec<String> = (0..60).rev().map(|number| format!("A-{number}")).collect();
    assert_eq!((pages.len(), seen), (3, expected));
    let newer = attribute(&pages[2].1, "[data-testid=newer]", "href");
    assert_eq!(scene.listed(&newer).await, texts(&pages[1].1, "[data-testid=rows] td.id a"));
    let first = attribute(&pages[1].1, "[data-testid=newer]", "href");
    assert_eq!(scene.listed(&first).await.len(), 25, "the first page is full");
    assert!(texts(&scene.get(&first).await.body, "[data-testid=newer]").is_empty());
    for odd in ["before=x", "after=x", "before=01963f2a-7b1c-7def-8123-456789abcdef", "status=x&method=y"] {
        scene.get(&format!("/panel/sessions?{odd}")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_are_narrowed_by_status_method_and_day() {
    let scene = scene().await;
    let ids = scene.orders(3).await;
    scene.end(&ids[0], "paid").await;
    scene.end(&ids[1], "failed").await;
    for (query, expected) in [
        ("", vec!["A-2", "A-1", "A-0"]),
        ("status=paid", vec!["A-0"]),
        ("status=failed", vec!["A-1"]),
        ("status=pending", vec!["A-2"]),
        ("status=expired", vec![]),
        ("method=card", vec!["A-2", "A-1", "A-0"]),
        ("method=sbp", vec![]),
        ("from=2026-11-15", vec!["A-2", "A-1", "A-0"]),
        ("to=2026-11-14", vec![]),
        ("from=2026-11-15&to=2026-11-15&status=paid", vec!["A-0"]),
        ("from=2026-11-16", vec![]),
    ] {
        let path = format!("/panel/sessions?{query}");
        assert_eq!(scene.listed(&path).await, expected, "{query}");
        let page = scene.get(&path).await.body;
        assert_eq!(texts(&page, "[data-testid=clear]").len(), usize::from(expected.is_empty()), "{query}");
    }
    for (query, marked) in
        [("from=yesterday", 1), ("from=2026-02-30&to=x", 2), ("from=2026-11-15&to=2026-11-14", 1)]
    {
        let answer = scene.ada.get(&format!("/panel/sessions?{query}")).await;
        assert_eq!(answer.status, 422, "{query}");
        assert_eq!(texts(&answer.body, "[aria-invalid=true]").len(), marked, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn days_and_times_are_those_of_the_vendor() {
    let scene = scene().await;
    scene.orders(1).await;
    let change = SettingsChange {
        time_zone: Some(TimeZone::parse("Pacific/Kiritimati")),
        ..SettingsChange::default()
    };
    scene.server.accounts.set_settings(scene.vendor.id, &change, &entry()).await.expect("stored");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    // 09:30 UTC is 23:30 there, 14 hours ahead; half an hour later it is the 16th.
    scene.server.later(Duration::from_secs(1859));
    scene.shop.order("B-1").await;
    assert_eq!(scene.listed("/panel/sessions?from=2026-11-16").await, ["B-1"]);
    assert_eq!(scene.listed("/panel/sessions?to=2026-11-15").await, ["A-0"]);
    let page = scene.get("/panel/sessions").await.body;
    assert_eq!(texts(&page, "[data-testid=rows] tbody time"), ["16 Nov, 00:01", "15 Nov, 23:30"]);
    let title = attribute(&page, "[data-testid=rows] tbody time", "title");
    assert_eq!(title, "16 Nov 2026, 00:01:00 UTC+14", "who points at a time reads all of it");
    assert!(texts(&page, "thead th").contains(&"Created, Pacific/Kiritimati".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_chooses_a_zone_reads_times_in_it() {
    let scene = scene().await;
    scene.orders(1).await;
    let choose = async |person: &Person, zone: &str| {
        person.post("/panel/account/time-zone", &[("time_zone", zone)]).await
    };
    let wrong = choose(&scene.ada, "Mars/Olympus").await;
    assert_eq!((wrong.status.as_u16(), wrong.body.contains("value=\"Mars/Olympus\"")), (422, true));
    assert_eq!(texts(&wrong.body, "#time_zone-error").len(), 1);
    assert_eq!(choose(&scene.ada, " pacific/kiritimati ").await.status, 303);
    // 09:30 UTC is 23:30 there, 14 hours ahead; a colleague still reads the vendor's time.
    let ben = scene.server.person("ben", Role::VendorViewer, Some(scene.vendor.id)).await;
    for (person, head, shown) in [
        (&scene.ada, "Created, Pacific/Kiritimati", "15 Nov, 23:30"),
        (&ben, "Created, UTC", "15 Nov, 09:30"),
    ] {
        let page = person.get("/panel/sessions").await.body;
        assert!(texts(&page, "thead th").contains(&head.to_owned()), "{head}");
        assert_eq!(texts(&page, "[data-testid=rows] tbody time"), [shown]);
    }
    scene.server.later(Duration::from_secs(1859));
    scene.shop.order("B-1").await;
    assert_eq!(scene.listed("/panel/sessions?from=2026-11-16").await, ["B-1"], "days are theirs too");
    let file = scene.get("/panel/sessions.csv").await.body;
    assert!(file.contains("2026-11-16T00:0") && file.contains("+14:00"), "{file}");
    assert!(scene.get("/panel/account").await.body.contains("value=\"Pacific/Kiritimati\" selected"));
    assert_eq!(choose(&scene.ada, "").await.status, 303);
    assert!(texts(&scene.get("/panel/sessions").await.body, "thead th").contains(&"Created, UTC".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_leads_to_what_was_meant() {
    let scene = scene().await;
    let ids = scene.orders(3).await;
    let again = scene.shop.order("A-1").await;
    scene.end(&ids[0], "paid").await;
    let leads =
        async |path: &str| scene.ada.get(path).await.header("location").unwrap_or_default().to_owned();
    let page = format!("/panel/sessions/{}", ids[0]);
    assert_eq!(leads("/panel/sessions?q=A-0").await, page);
    assert_eq!(leads("/panel/sessions?q=%20A-0+").await, page, "spaces around it are nothing");
    assert_eq!(leads(&format!("/panel/sessions?q={}", ids[0])).await, page);
    assert_eq!(leads(&format!("/panel/transactions?q={}", ids[0])).await, page);
    let made = scene.server.sandbox.store.page_session(SessionId::parse(&ids[0]).expect("an id")).await;
    let request = made.expect("a read").expect("a session").request_id;
    assert_eq!(leads(&format!("/panel/sessions?q={request}")).await, page, "by the request that made it");
    assert_eq!(scene.listed("/panel/sessions?q=A-1").await, ["A-1", "A-1"]);
    let body = scene.get("/panel/sessions?q=A-1").await.body;
    assert!(body.contains(&again) && body.contains(&ids[1]));
    assert_eq!(scene.listed("/panel/transactions?q=A-0").await, ["A-0"]);
    assert_eq!(scene.listed("/panel/callbacks?q=A-0").await, ["A-0"]);
    assert!(scene.listed("/panel/callbacks?q=A-0&status=delivered").await.is_empty());
    for nothing in ["nobody", "%25", "'%20OR%201=1--", "01963f2a-7b1c-7def-8123-456789abcdef", "-1"] {
        for list in ["sessions", "transactions", "callbacks"] {
            assert!(scene.listed(&format!("/panel/{list}?q={nothing}")).await.is_empty(), "{list} {nothing}");
        }
    }
    let event = scene.server.sandbox.store.callback(SessionId::parse(&ids[0]).expect("an id")).await;
    let event = event.expect("a read").expect("an event").id;
    assert_eq!(leads(&format!("/panel/callbacks?q={event}")).await, format!("{page}#callback"));
    let other = scene.server.vendor().await;
    let eve = scene.server.person("eve", Role::VendorAdmin, Some(other.id)).await;
    for q in [&ids[0], &ids[0][..18], "A-0", "A-", "Atlas", "4990", &event.to_string(), &request] {
        for list in ["sessions", "transactions", "callbacks"] {
            let answer = eve.get(&format!("/panel/{list}?q={q}")).await;
            assert!(answer.status == 200 && !answer.body.contains("A-0</a>"), "t11 {list} {q}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_finds_beginnings_amounts_and_references() {
    let scene = scene().await;
    let order = async |order: &str, product: &str, price: &str| {
        let mut request = Shop::book(order);
        request["product_name"] = json!(product);
        request["price"] = json!(price);
        let id = scene.shop.create(&request).await.text("session_id");
        scene.server.later(Duration::from_secs(1));
        id
    };
    let first = order("B-3QNC-1", "Atlas of Light", "2490").await;
    let second = order("B-3QNC-2", "Atlas of Light", "2490.00").await;
    let third = order("C-9", "Globe", "2490.50").await;
    scene.end(&first, "paid").await;
    scene.end(&third, "failed").await;
    for (q, orders) in [
        ("B-3QNC", vec!["B-3QNC-2", "B-3QNC-1"]),
        ("b-3qn", vec!["B-3QNC-2", "B-3QNC-1"]),
        ("B-3QNC&status=paid", vec!["B-3QNC-1"]),
        ("atlas", vec!["B-3QNC-2", "B-3QNC-1"]),
        ("Globe", vec!["C-9"]),
        ("2490", vec!["B-3QNC-2", "B-3QNC-1"]),
        ("2%20490,00%20RUB", vec!["B-3QNC-2", "B-3QNC-1"]),
        ("2,490.50", vec!["C-9"]),
        ("2490%20USD", vec![]),
        ("3QNC", vec![]),
    ] {
        let path = format!("/panel/sessions?q={q}");
        let answer = scene.ada.get(&path).await;
        match answer.header("location") {
            // One order or one id that is found leads to its session.
            Some(page) => assert_eq!((page, orders.len()), (&*format!("/panel/sessions/{first}"), 1), "{q}"),
            None => assert_eq!(scene.listed(&path).await, orders, "{q}"),
        }
        let file = scene.get(&format!("/panel/sessions.csv?q={q}")).await.body;
        assert_eq!(file.lines().count(), 1 + orders.len(), "{q}: {file}");
    }
    let leads = scene.ada.get(&format!("/panel/callbacks?q={}", &third[..18])).await;
    assert_eq!(leads.header("location"), Some(&*format!("/panel/sessions/{third}#callback")));
    let shown = scene.get("/panel/sessions?q=3QNC").await.body;
    assert!(texts(&shown, "[data-testid=searched]").concat().contains("begin with “3QNC”"), "{shown}");
    assert_eq!(scene.listed("/panel/transactions?q=B-").await, ["B-3QNC-1"]);
    assert_eq!(scene.listed("/panel/callbacks?q=B-").await, ["B-3QNC-1"]);
    assert!(!shown.contains(&second));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_with_many_results_is_paged_and_says_that_there_are_more() {
    let scene = scene().await;
    scene.orders(40).await;
    let page = scene.get("/panel/sessions?q=A-").await.body;
    assert_eq!(texts(&page, "[data-testid=rows] tbody tr").len(), 25);
    assert_eq!(texts(&page, "[data-testid=more-match]").len(), 1, "40 orders begin with it");
    assert_eq!(
        scene.ada.get("/panel/sessions?q=A-1").await.status,
        303,
        "an order that exists is meant alone"
    );
    // All of them are of one product, which is paged like every list.
    let (mut path, mut seen) = ("/panel/sessions?q=Atlas".to_owned(), Vec::new());
    loop {
        let page = scene.get(&path).await.body;
        seen.extend(texts(&page, "[data-testid=rows] td.id a"));
        if texts(&page, "[data-testid=older]").is_empty() {
            break;
        }
        path = attribute(&page, "[data-testid=older]", "href");
    }
    let all: Vec<String> = (0..40).rev().map(|number| format!("A-{number}")).collect();
    assert_eq!(seen, all);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_that_was_tried_again_and_again_is_paged_and_saved_whole() {
    let scene = scene().await;
    let mut ids = Vec::new();
    for _ in 0..130 {
        ids.push(scene.shop.order("AGAIN").await);
        scene.server.later(Duration::from_secs(1));
    }
    scene.orders(2).await;
    for id in &ids[..60] {
        scene.end(id, "paid").await;
    }
    for (list, count) in [("sessions", 130), ("transactions", 60), ("callbacks", 60)] {
        let (mut path, mut seen) = (format!("/panel/{list}?q=AGAIN"), String::new());
        loop {
            let page = scene.get(&path).await.body;
            seen.push_str(&page);
            if texts(&page, "[data-testid=older]").is_empty() {
                break;
            }
            path = attribute(&page, "[data-testid=older]", "href");
            assert!(path.contains("q=AGAIN"), "{path}");
        }
        let rows =
            texts(&scene.get(&format!("/panel/{list}?q=AGAIN")).await.body, "[data-testid=rows] tbody tr");
        assert_eq!(rows.len(), 25, "{list}");
        let file = scene.get(&format!("/panel/{list}.csv?q=AGAIN")).await.body;
        assert_eq!(file.lines().count(), 1 + count, "{list}");
        let is_listed = |id: &&String| seen.contains(&format!("href=\"/panel/sessions/{id}"));
        assert_eq!(ids.iter().filter(is_listed).count(), count, "{list}");
    }
    let paid = scene.get("/panel/sessions.csv?q=AGAIN&status=paid").await.body;
    assert_eq!(paid.lines().count(), 61);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_rows_are_counted_and_nothing_moves() {
    let scene = scene().await;
    scene.orders(2).await;
    let page = scene.get("/panel/sessions").await.body;
    let news = attribute(&page, "[data-testid=news]", "data-news");
    let count = async |path: &str| {
        let answer = scene.get(path).await;
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        (answer.json()["count"].as_u64(), answer.text("text"))
    };
    assert_eq!(count(&news).await.0, Some(0));
    let ids = scene.orders(3).await;
    assert_eq!(count(&news).await, (Some(3), "3 new sessions. Show".to_owned()));
    scene.end(&ids[0], "paid").await;
    let narrowed = scene.get("/panel/sessions?status=paid").await.body;
    let paid = attribute(&narrowed, "[data-testid=news]", "data-news");
    assert_eq!(count(&paid).await.0, Some(0));
    scene.end(&ids[1], "paid").await;
    assert_eq!(count(&paid).await.0, Some(1), "only what the list would show");
    let older = scene.get("/panel/sessions?q=A-0").await.body;
    assert!(texts(&older, "[data-testid=news]").is_empty(), "a search is not followed");
    // Requests of the page's script do not keep a log-in alive.
    let seen = async || {
        let logins = scene.server.accounts.logins(scene.ada.id).await.expect("a read");
        logins[0].seen_at
    };
    let before = seen().await;
    scene.server.later(Duration::from_secs(120));
    count(&news).await;
    assert_eq!(seen().await, before);
    scene.get("/panel/sessions").await;
    assert!(seen().await > before);
    scene.server.later(Duration::from_secs(13 * 3600));
    let late = scene.ada.get(&news).await;
    assert_eq!(
        (late.status.as_u16(), late.header("set-cookie")),
        (401, None),
        "the browser keeps its cookie"
    );
    let click = scene.ada.get("/panel/sessions").await;
    assert_eq!(click.header("location"), Some("/panel/login?next=%2Fpanel%2Fsessions&ended=1"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_end_later_are_new_in_a_list_of_ended_ones() {
    let scene = scene().await;
    let ids = scene.orders(6).await;
    scene.end(&ids[5], "paid").await;
    let list = "/panel/sessions?status=paid";
    let page = scene.get(list).await.body;
    let path = RefCell::new(attribute(&page, "[data-testid=news]", "data-news"));
    let ask = async || {
        let answer = scene.get(&path.take()).await;
        path.replace(answer.text("next"));
        answer.json()["count"].as_u64().expect("a number")
    };
    assert_eq!(ask().await, 0, "what ended just before is on the page");
    scene.end(&ids[0], "paid").await;
    scene.end(&ids[1], "failed").await;
    for _ in 0..3 {
        assert_eq!(ask().await, 1, "it is older than the newest that was paid, and it is counted once");
        scene.server.later(Duration::from_secs(7));
    }
    scene.end(&ids[2], "paid").await;
    assert_eq!(ask().await, 2);
    scene.server.later(Duration::from_secs(60));
    for _ in 0..3 {
        assert_eq!(ask().await, 2, "however late it is asked");
    }
    assert!(path.borrow().contains("seen=2"), "the count goes on from behind the page: {path:?}");
    let today = "/panel/sessions?status=paid&from=2026-11-16";
    let other = attribute(&scene.get(today).await.body, "[data-testid=news]", "data-news");
    scene.end(&ids[3], "paid").await;
    assert_eq!(scene.get(&other).await.json()["count"].as_u64(), Some(0), "of another day");
    assert_eq!(ask().await, 3);
    for odd in ["after=x&seen=x", "seen=99999999999999999999", "seen=9223372036854775807", ""] {
        let answer = scene.get(&format!("/panel/sessions/news?status=paid&{odd}")).await;
        assert!(answer.json()["count"].as_u64().is_some_and(|count| count <= 100), "{odd}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_sandbox_mode_only_sandbox_rows_are_there() {
    let scene = scene().await;
    let live = scene.server.shop("live", &scene.vendor).await;
    live.order("LIVE-1").await;
    let id = scene.shop.order("TEST-1").await;
    scene.end(&id, "paid").await;
    let paths = [
        "/panel",
        "/panel/sessions",
        "/panel/transactions",
        "/panel/callbacks",
        "/panel/sessions.csv",
        "/panel/transactions.csv",
        "/panel/callbacks.csv",
    ];
    for path in paths {
        let page = scene.get(path).await.body;
        assert!(page.contains("TEST-1") && !page.contains("LIVE-1"), "{path}: {page}");
    }
    switch(&scene.server, scene.vendor.id, false).await;
    for path in paths {
        assert!(!scene.get(path).await.body.contains("TEST-1"), "{path}");
    }
    assert!(scene.get("/panel/sessions").await.body.contains("LIVE-1"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_has_nothing_is_told_how_to_start() {
    let scene = scene().await;
    for path in ["/panel", "/panel/sessions"] {
        let page = scene.get(path).await.body;
        let example = &texts(&page, "[data-testid=example]")[0];
        assert!(example.contains("/api/sandbox/vendor/checkout-session"), "{example}");
        assert!(texts(&page, "[data-testid=start]")[0].starts_with("No sandbox sessions yet"));
    }
    for list in ["transactions", "callbacks"] {
        let page = scene.get(&format!("/panel/{list}")).await.body;
        assert_eq!(texts(&page, "[data-testid=empty]").len(), 1);
    }
    switch(&scene.server, scene.vendor.id, false).await;
    let page = scene.get("/panel").await.body;
    assert!(texts(&page, "[data-testid=start]")[0].starts_with("No payments yet"));
    assert!(texts(&page, "[data-testid=example]")[0].contains("/api/product/session"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_overview_counts_what_became_of_sessions() {
    let scene = scene().await;
    let ids = scene.orders(7).await;
    for (id, outcome) in ids.iter().zip(["paid", "paid", "paid", "failed", "expired", "expired"]) {
        scene.end(id, outcome).await;
    }
    let page = scene.get("/panel").await.body;
    assert_eq!(texts(&page, "[data-testid=rate]"), ["75.0%"]);
    assert_eq!(
        texts(&page, "[data-testid=rate-of]"),
        ["3 of 4 attempts paid. Expired sessions not counted: 2."]
    );
    assert_eq!(texts(&page, "[data-testid=counts] dd"), ["1", "3", "1", "2"]);
    assert_eq!(texts(&page, "[data-testid=reasons] dt"), ["Declined by the bank"]);
    assert_eq!(texts(&page, "[data-testid=rows] tbody tr").len(), 6);
    assert!(!page.contains("RUB</td>") && texts(&page, "[data-testid=volume] .amt").is_empty(), "no volume");
    for days in [7, 30, 90] {
        let page = scene.get(&format!("/panel?days={days}")).await.body;
        assert_eq!(texts(&page, "[data-testid=figures] tbody tr").len(), days);
        let today = |table: &str| texts(&page, &format!("[data-testid={table}] tbody tr:last-child td"));
        assert_eq!(today("figures"), ["3"], "one method has no columns of its own");
        assert_eq!(today("rates"), ["3", "1", "2", "75.0%"], "paid, failed, expired, and the rate");
    }
    scene.get("/panel?days=1000000").await;
    scene.server.later(Duration::from_secs(8 * 24 * 3600));
    let mut ada = scene.ada.clone();
    scene.server.open_browser(&mut ada).await;
    let page = ada.get("/panel?days=7").await.body;
    assert_eq!(texts(&page, "[data-testid=rate]"), ["–"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_live_overview_adds_up_the_volume_by_currency() {
    let scene = scene().await;
    let live = scene.server.shop("live", &scene.vendor).await;
    let customer = scene.server.customer();
    for (price, currency, method, decision) in [
        ("4990.00", "RUB", "card", "approve"),
        ("10.00", "RUB", "sbp", "pay"),
        ("7.50", "EUR", "card", "approve"),
    ] {
        let body =
            json!({ "product_name": "Atlas", "price": price, "currency": currency, "order_id": price });
        let id = live.create(&body).await.text("session_id");
        customer.pay(&id, method).await;
        let attempt = scene.server.attempts(&id).await[0].id.to_string();
        customer.decide(&attempt, decision).await;
        crate::support::until("paid", async || live.status(&id).await.text("status") == "paid").await;
    }
    switch(&scene.server, scene.vendor.id, false).await;
    let page = scene.get("/panel").await.body;
    assert_eq!(texts(&page, "[data-testid=volume] .fig"), ["5,000.00 RUB"]);
    let today = texts(&page, "[data-testid=figures] tbody tr:last-child td");
    assert_eq!(&today[..3], ["4,990.00 RUB", "10.00 RUB", "5,000.00 RUB"], "by method");
    assert_eq!(texts(&page, ".chart rect title").len(), 2, "a part for each method");
    assert_eq!(texts(&page, ".seg [data-testid^=currency]"), ["EUR", "RUB"]);
    let page = scene.get("/panel?currency=EUR&days=7").await.body;
    assert_eq!(texts(&page, "[data-testid=volume] .fig"), ["7.50 EUR"]);
    scene.get("/panel?currency=XXX").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_begins_where_their_work_is() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    for (role, expected) in [(Role::Operator, "/operator"), (Role::SuperVendor, "/panel/profile")] {
        let person = server.person(role.as_str(), role, None).await;
        assert_eq!(person.get("/panel").await.header("location"), Some(expected));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_of_a_search_that_stands_for_too_much_is_refused_instead_of_cut() {
    let scene = scene().await;
    for number in 0..26 {
        scene.shop.order(&format!("MANY-{number:02}")).await;
        scene.server.later(Duration::from_secs(1));
    }
    let cut = scene.ada.get("/panel/sessions.csv?q=MANY-").await;
    assert_eq!(cut.status, 303, "{}", cut.body);
    assert_eq!(cut.header("location"), Some("/panel/sessions?q=MANY-"));
    let whole = scene.get("/panel/sessions.csv?q=MANY-1").await;
    assert_eq!(whole.body.lines().count(), 1 + 10);
}
