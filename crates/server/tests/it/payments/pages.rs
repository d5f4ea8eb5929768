//! The answers of the checkout pages apart from their looks: languages, refusals, headers, the return to the
//! vendor, and the event stream of an open page.

use crate::support::{Customer, Receiver, Reply, Server, Shop, entry, until};
use serde_json::json;
use std::time::{Duration, Instant};
use till::workers::retention::{self, Retention};
use till_domain::{id::SessionId, session::State, vendor::SettingsChange, weburl::WebUrl};

async fn order(server: &Server) -> String {
    let vendor = server.vendor().await;
    server.shop("live", &vendor).await.order("A-1").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_speaks_the_browsers_language_until_another_is_chosen() {
    let server = Server::start().await;
    let path = format!("/session/{}", order(&server).await);
    let customer = server.customer();
    let language = async |path: &str, headers: &[(&str, &str)]| {
        let answer = customer.get(path, headers).await;
        assert_eq!(answer.status, 200);
        let language = answer.header("content-language").expect("a language").to_owned();
        assert!(answer.body.contains(&format!("lang=\"{language}\"")));
        language
    };
    assert_eq!(language(&path, &[]).await, "en");
    assert_eq!(language(&path, &[("accept-language", "ru-RU,ru;q=0.9,en;q=0.8")]).await, "ru");
    assert_eq!(language(&path, &[("accept-language", "de,en;q=0.5,ru;q=0.4")]).await, "en");
    let chosen = customer.get(&format!("{path}?lang=ru"), &[("accept-language", "en")]).await;
    assert_eq!((chosen.status.as_u16(), chosen.header("location")), (303, Some(path.as_str())));
    let cookie = chosen.header("set-cookie").expect("a cookie").to_owned();
    assert!(cookie.starts_with("lang=ru;") && cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"));
    assert_eq!(language(&path, &[("accept-language", "en"), ("cookie", "lang=ru")]).await, "ru");
    assert_eq!(language(&path, &[("accept-language", "ru"), ("cookie", "lang=xx")]).await, "ru");
    let other = customer.get(&format!("{path}?lang=xx"), &[]).await;
    assert_eq!((other.status.as_u16(), other.header("set-cookie")), (200, None), "there is no such language");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t_every_page_has_its_headers() {
    let server = Server::start().await;
    let id = order(&server).await;
    let customer = server.customer();
    let unknown = "/session/01963f2a-7b1c-7def-8123-456789abcdef";
    for (path, status) in [
        (format!("/session/{id}"), 200),
        (format!("/session/{id}/pay"), 303),
        (format!("/session/{id}/return"), 303),
        (unknown.to_owned(), 404),
        ("/session/none".to_owned(), 404),
        (format!("{unknown}/return"), 404),
        (format!("/sandbox/session/{id}"), 404),
        ("/bank/none".to_owned(), 404),
    ] {
        let answer = customer.get(&path, &[]).await;
        assert_eq!(answer.status, status, "{path}");
        let header = |name: &str| answer.header(name).unwrap_or_else(|| panic!("no {name} on {path}"));
        let policy = header("content-security-policy");
        for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(header("x-content-type-options"), "nosniff");
        // A redirect has no page that could send a form.
        let is_page = status != 303;
        assert_eq!(header("referrer-policy"), if is_page { "same-origin" } else { "no-referrer" }, "{path}");
        assert_eq!(answer.header("cross-origin-opener-policy"), is_page.then_some("same-origin"), "{path}");
        assert_eq!(header("cache-control"), "no-store", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_from_elsewhere_is_refused() {
    let server = Server::start().await;
    let id = order(&server).await;
    let customer = server.customer();
    let form = [("method", "card")];
    for site in ["cross-site", "same-site"] {
        for path in [format!("/session/{id}/pay"), format!("/session/{id}/check")] {
            let answer = customer.post(&path, &form, &[("sec-fetch-site", site)]).await;
            assert_eq!(answer.status, 403, "{path} {site}");
        }
    }
    assert_eq!(server.attempts(&id).await, []);
    let own = customer.post(&format!("/session/{id}/pay"), &form, &[("sec-fetch-site", "same-origin")]).await;
    let bank = own.header("location").expect("the bank's page").replace(&server.url, "");
    let form = [("decision", "approve")];
    assert_eq!(customer.post(&bank, &form, &[("sec-fetch-site", "cross-site")]).await.status, 403);
    assert_eq!(server.session(&id).await.state, State::Pending);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sandbox_that_is_off_and_an_order_that_is_paid_say_so() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let (one, other) = (shop.order("A-1").await, shop.order("A-1").await);
    let customer = server.customer();
    let page = |id: &str| format!("/sandbox/session/{id}");
    let form = [("method", "card"), ("outcome", "paid")];
    let answer = customer.post(&format!("{}/pay", page(&one)), &form, &[]).await;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (303, Some(page(&one).as_str())));
    assert_eq!(shop.status(&one).await.text("status"), "paid");
    assert_eq!(words(&customer, &page(&other), 1).await, ["already-paid"]);
    let live = server.shop("live", &vendor).await;
    let (first, second) = (live.order("A-1").await, live.order("A-1").await);
    let begun = customer.post(&format!("/session/{first}/pay"), &[("method", "card")], &[]).await;
    let bank = begun.header("location").expect("the bank's page").replace(&server.url, "");
    customer.post(&bank, &[("decision", "approve")], &[]).await;
    assert_eq!(words(&customer, &format!("/session/{second}"), 1).await, ["already-paid"]);
    customer.post(&format!("/session/{second}/pay"), &[("method", "card")], &[]).await;
    assert_eq!(server.attempts(&second).await, [], "no second charge is begun");
    server.accounts.set_sandbox(vendor.id, false, &entry()).await.expect("stored");
    until("it is off", async || customer.get(&page(&other), &[]).await.status == 403).await;
    let refused = customer.post(&format!("{}/pay", page(&other)), &form, &[]).await;
    assert_eq!(refused.status, 403);
}

/// Pays a session at the simulated bank.
async fn pay(server: &Server, shop: &Shop, customer: &Customer, id: &str) {
    assert_eq!(customer.pay(id, "card").await.status, 303);
    let attempts = server.attempts(id).await;
    customer.decide(&attempts.last().expect("an attempt").id.to_string(), "approve").await;
    until("paid", async || shop.status(id).await.text("status") == "paid").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t21_a_paid_order_is_paid_again_only_after_a_confirmation() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let customer = server.customer();
    for (environment, prefix) in [("live", ""), ("sandbox", "/sandbox")] {
        let shop = server.shop(environment, &vendor).await;
        let (first, second, third) =
            (shop.order("A-1").await, shop.order("A-1").await, shop.order("A-1").await);
        let page = |id: &str| format!("{prefix}/session/{id}");
        let form = [("method", "card"), ("outcome", "paid")];
        let finish = async |id: &str| {
            if environment == "live" {
                return pay(&server, &shop, &customer, id).await;
            }
            customer.post(&format!("{}/pay", page(id)), &form, &[]).await;
            assert_eq!(shop.status(id).await.text("status"), "paid");
        };
        finish(&first).await;
        assert_eq!(words(&customer, &page(&second), 1).await, ["already-paid"], "{environment}");
        let shown = customer.get(&page(&second), &[]).await.body;
        assert!(shown.contains("data-testid=\"pay-again\"") && shown.contains("charged"), "{shown}");
        customer.post(&format!("{}/pay", page(&second)), &form, &[]).await;
        assert_eq!(shop.status(&second).await.text("status"), "pending", "nothing without a confirmation");
        let foreign = customer
            .post(&format!("{}/pay-again", page(&second)), &[], &[("sec-fetch-site", "cross-site")])
            .await;
        assert_eq!(foreign.status, 403);
        assert_eq!(words(&customer, &page(&second), 1).await, ["already-paid"], "no other site confirms");
        let confirmed = customer.post(&format!("{}/pay-again", page(&second)), &[], &[]).await;
        assert_eq!(
            (confirmed.status.as_u16(), confirmed.header("location")),
            (303, Some(page(&second).as_str()))
        );
        assert!(words(&customer, &page(&second), 1).await[0].starts_with("methods"), "{environment}");
        // A payment made after the confirmation causes a new warning.
        assert_eq!(words(&customer, &page(&third), 1).await, ["already-paid"], "nobody confirmed this one");
        customer.post(&format!("{}/pay-again", page(&third)), &[], &[]).await;
        server.later(Duration::from_millis(10));
        finish(&third).await;
        assert_eq!(words(&customer, &page(&second), 1).await, ["already-paid"], "{environment}");
        customer.post(&format!("{}/pay-again", page(&second)), &[], &[]).await;
        finish(&second).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t21_an_order_that_was_refunded_in_full_or_costs_something_else_is_paid_without_a_warning() {
    let server = Server::with(&[("TILL_SETTLEMENT_DELAY", "0s")]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let customer = server.customer();
    let first = shop.order("A-1").await;
    pay(&server, &shop, &customer, &first).await;
    let mut dearer = Shop::book("A-1");
    dearer["price"] = json!("4990.01");
    let dearer = shop.create(&dearer).await.text("session_id");
    pay(&server, &shop, &customer, &dearer).await;
    let again = shop.order("A-1").await;
    let warned = async || words(&customer, &format!("/session/{again}"), 1).await == ["already-paid"];
    let refund = async |amount: &str| {
        let asked = shop.refund(&first, &json!({ "amount": amount }), &[]).await;
        let id = asked.text("refundId");
        until("refunded", async || {
            server.later(Duration::from_millis(500));
            shop.ask_refund(&first, &id).await.text("status") == "succeeded"
        })
        .await;
    };
    refund("990.00").await;
    assert!(warned().await, "a part of it is still paid");
    refund("4000.00").await;
    assert!(!warned().await, "all of it went back");
    pay(&server, &shop, &customer, &again).await;
}

/// The first words of a page's event stream; fewer if it ends.
async fn words(customer: &Customer, page: &str, count: usize) -> Vec<String> {
    let mut stream = Stream::open(customer, page).await;
    let mut words = Vec::new();
    while words.len() < count {
        match stream.next().await {
            Some(word) => words.push(word),
            None => break,
        }
    }
    words
}

/// The event stream of an open page.
struct Stream {
    response: reqwest::Response,
    text: String,
}

impl Stream {
    async fn open(customer: &Customer, page: &str) -> Self {
        let response = customer.client.get(format!("{}{page}/events", customer.url)).send().await;
        let response = response.expect("an answer");
        assert_eq!(response.status(), 200);
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        assert_eq!(kind, Some("text/event-stream"));
        Self { response, text: String::new() }
    }

    /// The next word, or the end; neither takes longer than a few seconds here.
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let word = event.lines().find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
                self.text = rest.to_owned();
                match word {
                    Some(word) => return Some(word),
                    None => continue,
                }
            }
            let chunk = tokio::time::timeout(Duration::from_secs(10), self.response.chunk()).await;
            let chunk = chunk.expect("a word or the end in time").expect("a good connection")?;
            self.text.push_str(std::str::from_utf8(&chunk).expect("text"));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_page_is_notified_of_every_change_until_the_end() {
    let server = Server::start().await;
    let id = order(&server).await;
    let (customer, page) = (server.customer(), format!("/session/{id}"));
    let mut stream = Stream::open(&customer, &page).await;
    let first = stream.next().await.expect("a word at once");
    assert!(first.starts_with("methods"), "{first}");
    customer.pay(&id, "card").await;
    let mut told = Vec::new();
    while told.last().map(String::as_str) != Some("bank.card") {
        told.push(stream.next().await.expect("a word"));
    }
    let attempt = server.attempts(&id).await[0].id.to_string();
    customer.decide(&attempt, "approve").await;
    assert_eq!(stream.next().await.as_deref(), Some("paid"));
    assert_eq!(stream.next().await, None, "nothing can follow");
    assert_eq!(words(&customer, &page, 5).await, ["paid"], "a page that was late is told at once, too");
    let unknown = "/session/01963f2a-7b1c-7def-8123-456789abcdef/events";
    assert_eq!(customer.get(unknown, &[]).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_pages_stream_ends_when_the_service_stops() {
    let server = Server::start().await;
    let id = order(&server).await;
    let mut stream = Stream::open(&server.customer(), &format!("/session/{id}")).await;
    assert!(stream.next().await.is_some());
    let asked = Instant::now();
    let stopping = tokio::spawn(server.restart());
    assert_eq!(stream.next().await, None);
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    stopping.await.expect("it starts again");
}

/// A server whose clock runs by itself from now on.
async fn ticking() -> Server {
    let server = Server::with(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "on")]).await;
    let clock = server.clock.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            clock.advance(Duration::from_millis(20));
        }
    });
    server
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_way_back_waits_for_the_first_callback_but_not_long() {
    let server = ticking().await;
    let vendor = server.vendor().await;
    let receiver = Receiver::start().await;
    receiver.answer("/soon", &[Reply::After(Duration::from_millis(700), 204)]);
    receiver.answer("/never", &[Reply::Hang]);
    let shop = server.shop("live", &vendor).await;
    let customer = server.customer();
    for (path, least, most) in [("/soon", 500, 2_500), ("/never", 2_000, 6_000)] {
        let mut body = Shop::book("A/1 &?");
        body["order_id"] = json!(format!("A/1 &?{path}"));
        body["callback_url"] = json!(receiver.url(path));
        body["return_url"] = json!("https://shop.example/thanks?o={ORDER_ID}&s={SESSION_ID}#x");
        let id = shop.create(&body).await.text("session_id");
        customer.pay(&id, "card").await;
        customer.decide(&server.attempts(&id).await[0].id.to_string(), "approve").await;
        let asked = Instant::now();
        let back = customer.get(&format!("/session/{id}/return"), &[]).await;
        let took = asked.elapsed();
        let order = format!("A%2F1%20%26%3F%2F{}", &path[1..]);
        let expected = format!("https://shop.example/thanks?o={order}&s={id}#x");
        assert_eq!((back.status.as_u16(), back.header("location")), (303, Some(expected.as_str())));
        let range = Duration::from_millis(least)..Duration::from_millis(most);
        assert!(range.contains(&took), "{path}: {took:?}");
        // Later the return does not wait any more.
        server.later(Duration::from_secs(4));
        let asked = Instant::now();
        customer.get(&format!("/session/{id}/return"), &[]).await;
        assert!(asked.elapsed() < Duration::from_millis(500), "{:?}", asked.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t8_s13_the_way_back_asks_before_it_leads_away_from_a_session_that_is_open() {
    let server = Server::start().await;
    let (vendor, customer) = (server.vendor().await, server.customer());
    let url = WebUrl::parse("https://vendor.example/?s={SESSION_ID}").expect("a URL");
    let change = SettingsChange { return_url: Some(Some(url)), ..SettingsChange::default() };
    server.accounts.set_settings(vendor.id, &change, &entry()).await.expect("stored");
    for (environment, prefix) in [("live", ""), ("sandbox", "/sandbox")] {
        let shop = server.shop(environment, &vendor).await;
        let (id, other) = (shop.order("A-1").await, shop.order("A-2").await);
        let back = format!("{prefix}/session/{id}/return");
        let target = format!("https://vendor.example/?s={id}");
        until("it is known", async || customer.get(&back, &[]).await.status == 200).await;
        let asked = customer.get(&back, &[]).await;
        assert!(
            asked.header("location").is_none() && asked.body.contains("Leave without paying?"),
            "{}",
            asked.body
        );
        assert!(asked.body.contains("vendor.example") && !asked.body.contains(&target), "{}", asked.body);
        let russian = customer.get(&back, &[("accept-language", "ru")]).await;
        assert!(russian.body.contains("Уйти без оплаты?"), "{}", russian.body);
        let foreign = customer.post(&back, &[], &[("sec-fetch-site", "cross-site")]).await;
        assert_eq!(foreign.status, 403, "no other site sends customers there");
        let left = customer.post(&back, &[], &[]).await;
        assert_eq!((left.status.as_u16(), left.header("location")), (303, Some(target.as_str())));
        assert_eq!(shop.status(&id).await.text("status"), "pending");
        // The page of an ended session redirects there at once.
        if environment == "sandbox" {
            assert_eq!(shop.simulate(&other, &json!({ "outcome": "paid" })).await.status, 200);
        } else {
            pay(&server, &shop, &customer, &other).await;
        }
        let gone = customer.get(&format!("{prefix}/session/{other}/return"), &[]).await;
        assert_eq!(gone.status, 303, "{}", gone.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s12_t18_a_form_from_elsewhere_is_refused_also_by_its_origin() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    let (customer, path) = (server.customer(), format!("/session/{id}/pay"));
    let form = [("method", "card"), ("email", "a@evil.example")];
    for headers in [&[("origin", "https://evil.example")][..], &[("origin", "null")], &[]] {
        assert_eq!(customer.post_as_is(&path, &form, headers).await.status, 403, "{headers:?}");
    }
    assert_eq!(server.attempts(&id).await, []);
    let own = customer.post_as_is(&path, &form, &[("origin", &server.url)]).await;
    assert_eq!(own.status, 303, "{}", own.body);
    let attempt = server.attempts(&id).await.remove(0).id;
    let bank = format!("/bank/{attempt}");
    let decided =
        customer.post_as_is(&bank, &[("decision", "approve")], &[("origin", "https://evil.example")]).await;
    assert_eq!(decided.status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_way_back_leads_to_the_page_where_the_vendor_has_no_address() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    let path = format!("/session/{id}");
    let customer = server.customer();
    for answer in [
        customer.get(&format!("{path}/return"), &[]).await,
        customer.post(&format!("{path}/return"), &[], &[]).await,
    ] {
        assert_eq!(answer.header("location"), Some(path.as_str()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p12_a_bank_that_does_not_answer_is_not_offered_for_a_while_and_nothing_is_lost() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let mut ids = Vec::new();
    for number in 0..6 {
        ids.push(shop.order(&format!("A-{number}")).await);
    }
    let shell = rusqlite::Connection::open(server.folder().join("live.db")).expect("a database");
    shell.execute_batch("ALTER TABLE simulated_payments RENAME TO elsewhere").expect("renamed");
    let customer = server.customer();
    for id in &ids[..5] {
        customer.pay(id, "card").await;
        assert_eq!(server.attempts(id).await.len(), 1, "the intent stays");
    }
    let sixth = format!("/session/{}", ids[5]);
    assert_eq!(customer.pay(&ids[5], "card").await.status, 503);
    assert_eq!(server.attempts(&ids[5]).await, [], "nobody is sent there");
    let word = words(&customer, &sixth, 1).await.remove(0);
    assert_eq!(word, "methods.cardd.sbpd.cryptod", "they are marked");
    // It answers again: payments that were begun are started, and customers are sent there.
    shell.execute_batch("ALTER TABLE elsewhere RENAME TO simulated_payments").expect("renamed");
    server.later(Duration::from_secs(60));
    for id in &ids[..5] {
        until("it is started", async || server.attempts(id).await[0].reference.is_some()).await;
    }
    let answer = customer.pay(&ids[5], "card").await;
    assert!(answer.header("location").is_some_and(|to| to.contains("/bank/")), "{:?}", answer.status);
    let id = SessionId::parse(&ids[0]).expect("an id");
    assert_eq!(server.live.store.transactions_of(id).await.expect("a read"), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_says_so_has_its_card_form_in_our_page() {
    let server = Server::with(&[("TILL_SIMULATOR_CARD", "embedded")]).await;
    let id = order(&server).await;
    let (customer, path) = (server.customer(), format!("/session/{id}"));
    let begun = customer.pay(&id, "card").await;
    assert_eq!((begun.status.as_u16(), begun.header("location")), (303, Some(path.as_str())));
    let page = customer.get(&path, &[]).await;
    let attempt = server.attempts(&id).await.remove(0).id.to_string();
    assert!(page.body.contains("data-element") && page.body.contains(&attempt), "{}", page.body);
    assert!(page.body.contains("<script src=\"/elements/simulator\""), "{}", page.body);
    let script = customer.get("/elements/simulator", &[]).await;
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert!(script.body.contains("data-element"));
    assert_eq!(customer.get("/elements/nobody", &[]).await.status, 404);
    assert_eq!(customer.get("/sandbox/elements/simulator", &[]).await.status, 404, "the sandbox has no form");
    // Another method can be chosen instead, and during the bank's 3-D Secure challenge the form stays.
    assert!(customer.get(&format!("{path}?methods"), &[]).await.body.contains("data-kind=\"methods\""));
    customer.decide(&attempt, "three_ds").await;
    let asked = customer.get(&path, &[]).await;
    assert!(asked.body.contains("data-in-flight"), "{}", asked.body);
    customer.decide(&attempt, "confirm").await;
    assert_eq!(server.session(&id).await.state, State::Paid);
}

/// Requests of one page; the long run is for machines with enough time.
fn requests() -> usize {
    if till_testing::is_long() { 10_000 } else { 500 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn m11_a_page_of_an_ended_session_adds_no_row_however_often_it_is_requested() {
    let server = Server::start().await;
    let id = order(&server).await;
    let (path, session) = (format!("/session/{id}"), SessionId::parse(&id).expect("an id"));
    let customer = server.customer();
    let visits = async || server.live.store.visits(session).await.expect("a read").len();
    assert_eq!(customer.get(&path, &[]).await.status, 200);
    until("the visit is noted", async || visits().await == 1).await;
    server.later(Duration::from_secs(15 * 60));
    assert_eq!(server.live.settle_due(10).await.expect("a sweep").settled, 1);
    server.later(Duration::from_secs(3_601));
    let before = server.live.store.stats().units;
    for _ in 0..requests() {
        assert_eq!(customer.get(&path, &[]).await.status, 200);
    }
    assert_eq!(visits().await, 1, "the one from before its end");
    let written = server.live.store.stats().units - before;
    assert!(written < 100, "pages write nothing: {written} units");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn m11_what_is_kept_for_a_while_is_deleted_and_live_sessions_stay() {
    const DAY: Duration = Duration::from_secs(86_400);
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let mut ids = Vec::new();
    for environment in ["live", "sandbox"] {
        let id = server.shop(environment, &vendor).await.order("A-1").await;
        let prefix = if environment == "live" { "" } else { "/sandbox" };
        assert_eq!(server.customer().get(&format!("{prefix}/session/{id}"), &[]).await.status, 200);
        let session = SessionId::parse(&id).expect("an id");
        let store = &server.environment(environment).store;
        until("the visit is noted", async || store.visits(session).await.expect("a read").len() == 1).await;
        ids.push((environment, id, session));
    }
    server.later(Duration::from_secs(3_600));
    for (environment, ..) in &ids {
        server.environment(environment).settle_due(10).await.expect("a sweep");
    }
    let pass = async || {
        for (environment, ..) in &ids {
            let sessions = (*environment == "sandbox").then_some(90 * DAY);
            let retention = Retention { sessions, ..Retention::default() };
            let environment = server.environment(environment);
            for _ in 0..5 {
                retention::pass(environment, retention).await.expect("a pass");
            }
        }
    };
    server.later(89 * DAY);
    pass().await;
    for (environment, id, session) in &ids {
        let store = &server.environment(environment).store;
        assert_eq!(store.visits(*session).await.expect("a read").len(), 1, "{environment} {id}");
    }
    server.later(2 * DAY);
    pass().await;
    for (environment, id, session) in &ids {
        let store = &server.environment(environment).store;
        assert_eq!(store.visits(*session).await.expect("a read").len(), 0, "{environment} {id}");
        let shop = server.shop(environment, &vendor).await;
        let expected = if *environment == "live" { 200 } else { 404 };
        assert_eq!(shop.status(id).await.status, expected, "{environment}");
    }
}
