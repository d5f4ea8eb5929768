//! The endpoint check against real receivers: one that does everything right, and others with one mistake each.

use crate::{
    panel::detail::{attribute, texts},
    support::{
        Answer, Authority, Receiver, Reply, START_MS, Server, Shop, Vendor, acceptor, signature, until,
    },
};
use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
    serve::Listener,
};
use reqwest::Method;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tempfile::TempDir;
use till_domain::{endpoint_check::CheckStep, user::Role};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// The one mistake of a shop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    None,
    /// It takes everything.
    TakesAll,
    /// It refuses everything.
    RefusesAll,
    /// It compares only the form of a signature.
    AnySecret,
    /// It does not look at the age of a request.
    AnyAge,
    /// It fails if it knows the event.
    Once,
    KnownEventsOnly,
    KnownFieldsOnly,
    /// It refuses an event that is older than the last one of the order.
    NewestOnly,
    /// It knows only paid sessions.
    PaidOnly,
    ShortNames,
    AsciiOnly,
}

/// A vendor's shop that takes callbacks.
struct ShopServer {
    mistake: Mistake,
    secret: String,
    /// The seconds of the service's clock.
    now: i64,
    seen: Mutex<BTreeSet<String>>,
    newest: Mutex<String>,
}

impl ShopServer {
    /// Starts it; the URL of its callbacks.
    async fn start(mistake: Mistake, secret: &str) -> String {
        let now = START_MS / 1000;
        let (seen, newest) = (Mutex::default(), Mutex::default());
        let shop = Arc::new(Self { mistake, secret: secret.to_owned(), now, seen, newest });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/callback", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, Self::router(shop)).await });
        url
    }

    /// Starts one that does everything right, with TLS and this certificate.
    async fn start_tls(secret: &str, identity: &(String, String)) -> String {
        let (seen, newest) = (Mutex::default(), Mutex::default());
        let shop =
            Self { mistake: Mistake::None, secret: secret.to_owned(), now: START_MS / 1000, seen, newest };
        let tcp = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("https://{}/callback", tcp.local_addr().expect("an address"));
        let listener = TlsListener { tcp, acceptor: acceptor(identity) };
        tokio::spawn(async move { axum::serve(listener, Self::router(Arc::new(shop))).await });
        url
    }

    fn router(shop: Arc<Self>) -> Router {
        Router::new().route("/callback", post(receive)).with_state(shop)
    }

    fn take(&self, headers: &HeaderMap, body: &[u8]) -> Result<(), StatusCode> {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match self.mistake {
            Mistake::TakesAll => return Ok(()),
            Mistake::RefusesAll => return Err(StatusCode::UNAUTHORIZED),
            _ => {}
        }
        let right = match self.mistake {
            Mistake::AnySecret => header("x-signature").len() == 64,
            _ => header("x-signature") == signature(&self.secret, body),
        };
        if !right {
            return Err(StatusCode::UNAUTHORIZED);
        }
        let sent_at: i64 = header("webhook-timestamp").parse().map_err(|_| StatusCode::BAD_REQUEST)?;
        if (sent_at - self.now).abs() > 3600 && self.mistake != Mistake::AnyAge {
            return Err(StatusCode::UNAUTHORIZED);
        }
        self.handle(&serde_json::from_slice(body).map_err(|_| StatusCode::BAD_REQUEST)?)
    }

    fn handle(&self, event: &Value) -> Result<(), StatusCode> {
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let first = self.seen.lock().expect("a lock").insert(text("eventId"));
        let mut newest = self.newest.lock().expect("a lock");
        let older = text("occurredAt") < *newest;
        *newest = text("occurredAt").max(newest.clone());
        let name = text("productName");
        let refused = match self.mistake {
            Mistake::Once => !first,
            Mistake::KnownEventsOnly => {
                !["session.paid", "session.failed", "session.expired"].contains(&text("event").as_str())
            }
            Mistake::KnownFieldsOnly => event.as_object().is_some_and(|fields| fields.len() > 13),
            Mistake::NewestOnly => older,
            Mistake::PaidOnly => text("status") != "paid",
            Mistake::ShortNames => name.chars().count() > 100,
            Mistake::AsciiOnly => !name.is_ascii(),
            _ => false,
        };
        if refused { Err(StatusCode::INTERNAL_SERVER_ERROR) } else { Ok(()) }
    }
}

/// Accepts connections over TLS, and no others.
struct TlsListener {
    tcp: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = self.tcp.accept().await.expect("a connection");
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.tcp.local_addr()
    }
}

async fn receive(State(shop): State<Arc<ShopServer>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    shop.take(&headers, &body).err().unwrap_or(StatusCode::NO_CONTENT)
}

async fn lab(settings: &[(&str, &str)]) -> (Server, Vendor, Shop) {
    let always = [("TILL_ALLOW_PRIVATE_CALLBACKS", "true"), ("TILL_OPERATOR_TOTP", "false")];
    let server = Server::with(&[&always, settings].concat()).await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    (server, vendor, shop)
}

async fn start(server: &Server, shop: &Shop, body: &Value) -> Answer {
    let url = format!("{}/api/sandbox/vendor/endpoint-checks", server.url);
    let headers = [
        ("authorization", &*shop.bearer()),
        ("content-type", "application/json"),
        ("user-agent", "python-requests/2.32"),
    ];
    shop.send(Method::POST, &url, &headers, body.to_string().into_bytes()).await
}

/// A check of an endpoint, once it is done.
async fn check(server: &Server, shop: &Shop, url: &str) -> Value {
    let started = start(server, shop, &json!({ "callback_url": url })).await;
    assert_eq!(started.status, 202, "{}", started.body);
    let id = started.text("check_id");
    let path = format!("/api/sandbox/vendor/endpoint-checks/{id}");
    until("the check is done", async || shop.get(&path).await.json()["state"] == "done").await;
    shop.get(&path).await.json()
}

/// The names of the steps that did not pass.
fn not_passed(report: &Value) -> Vec<&str> {
    let steps = report["steps"].as_array().expect("a list").iter();
    steps.filter(|step| step["passed"] == false).map(|step| step["name"].as_str().expect("text")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_mistake_of_a_shop_is_found_by_its_step() {
    let (server, vendor, shop) = lab(&[]).await;
    for (mistake, steps) in [
        (Mistake::None, vec![]),
        (Mistake::TakesAll, vec!["wrong_signature", "wrong_secret", "changed_body", "old_timestamp"]),
        (Mistake::AnySecret, vec!["wrong_signature", "wrong_secret", "changed_body"]),
        (
            Mistake::RefusesAll,
            vec![
                "right_callback",
                "same_event_twice",
                "unknown_event",
                "unknown_field",
                "out_of_order",
                "failed_session",
                "expired_session",
                "long_name",
                "non_ascii_text",
            ],
        ),
        (Mistake::AnyAge, vec!["old_timestamp"]),
        (Mistake::Once, vec!["same_event_twice"]),
        (Mistake::KnownEventsOnly, vec!["unknown_event"]),
        (Mistake::KnownFieldsOnly, vec!["unknown_field"]),
        (Mistake::NewestOnly, vec!["out_of_order"]),
        (Mistake::PaidOnly, vec!["out_of_order", "failed_session", "expired_session"]),
        (Mistake::ShortNames, vec!["long_name"]),
        (Mistake::AsciiOnly, vec!["non_ascii_text"]),
    ] {
        let url = ShopServer::start(mistake, &vendor.sandbox.client_secret).await;
        let report = check(&server, &shop, &url).await;
        // A receiver on this machine has no TLS, which is only advice.
        let found: Vec<_> = not_passed(&report).into_iter().filter(|name| *name != "valid_tls").collect();
        assert_eq!(found, steps, "{mistake:?}");
        let ready = matches!(mistake, Mistake::None | Mistake::AnyAge);
        let verdict = if ready { "ready" } else { "not_ready" };
        assert_eq!(report["verdict"], verdict, "{mistake:?}");
        let names: Vec<_> =
            report["steps"].as_array().expect("a list").iter().map(|step| step["name"].as_str()).collect();
        assert_eq!(names, CheckStep::ALL.map(|step| Some(step.as_str())), "all of them, in their order");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_report_says_what_was_wanted_what_came_why_and_how_to_repair_it() {
    let (server, vendor, shop) = lab(&[]).await;
    let url = ShopServer::start(Mistake::TakesAll, &vendor.sandbox.client_secret).await;
    let report = check(&server, &shop, &url).await;
    let step = |name: &str| {
        let steps = report["steps"].as_array().expect("a list").iter();
        steps.into_iter().find(|step| step["name"] == name).expect("a step").clone()
    };
    let forged = step("wrong_signature");
    assert_eq!(forged["level"], "must");
    assert_eq!((&forged["wanted"], &forged["got"]), (&json!("A 4xx response"), &json!("204")));
    assert!(forged["why"].as_str().is_some_and(|why| why.contains("forged")));
    assert!(forged["repair"].as_str().is_some_and(|repair| repair.contains("401")));
    assert!(forged["code"].as_str().is_some_and(|code| code.contains("hmac.compare_digest")), "{forged}");
    assert!(forged["duration_ms"].is_u64());
    let right = step("right_callback");
    assert_eq!(
        (&right["passed"], &right["repair"], &right["code"]),
        (&json!(true), &Value::Null, &Value::Null)
    );
    assert_eq!(
        (&step("old_timestamp")["level"], &step("valid_tls")["level"]),
        (&json!("should"), &json!("should"))
    );
    assert_eq!(step("valid_tls")["got"], "http without TLS");

    // The sessions are real ones, of an order of their own, and nothing else sends their events.
    let order = format!("order_id=till-check-{}", report["check_id"].as_str().expect("an id"));
    let listed = shop.list(&order).await.json();
    let statuses: BTreeSet<_> =
        listed["sessions"].as_array().expect("a list").iter().map(|one| one["status"].to_string()).collect();
    assert_eq!(statuses, ["\"expired\"", "\"failed\"", "\"paid\""].map(str::to_owned).into());

    // The same in the panel, for people, and for the operator beside the vendor.
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let page = ada.get("/panel/settings/endpoint-check").await;
    assert!(page.body.contains("data-state=\"not_ready\"") && page.body.contains("the API"), "{}", page.body);
    let id = report["check_id"].as_str().expect("an id");
    let page = ada.get(&format!("/panel/settings/endpoint-check/{id}")).await;
    assert_eq!(texts(&page.body, "[data-testid=state]"), ["Not ready"]);
    assert_eq!(texts(&page.body, "[data-testid=step][data-passed=false]").len(), 5);
    assert!(texts(&page.body, "[data-testid=code]").iter().all(|code| !code.contains("timingSafeEqual")));
    let olga = server.person("olga", Role::Operator, None).await;
    let page = olga.get(&format!("/operator/vendors/{}", vendor.id)).await;
    let line = texts(&page.body, "[data-testid=endpoint-check]").join("");
    assert!(line.contains("Not ready") && line.contains("Report"), "{}: {line}", page.status);
    let page = olga.get(&format!("/operator/vendors/{}/endpoint-checks/{id}", vendor.id)).await;
    assert_eq!(texts(&page.body, "[data-testid=step]").len(), CheckStep::ALL.len());
    let summary = texts(&page.body, "[data-testid=summary]").join("");
    assert!(summary.starts_with("The vendor’s endpoint isn’t ready"), "{summary}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_of_another_endpoint_takes_no_first_step_back() {
    let (server, vendor, shop) = lab(&[]).await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    for (mistake, verdict) in [(Mistake::None, "ready"), (Mistake::RefusesAll, "not_ready")] {
        let url = ShopServer::start(mistake, &vendor.sandbox.client_secret).await;
        assert_eq!(check(&server, &shop, &url).await["verdict"], verdict, "{mistake:?}");
        let page = ada.get("/panel").await;
        for step in ["callback", "outcomes", "check"] {
            let is_done = attribute(&page.body, &format!("[data-testid=step-{step}]"), "data-done");
            assert_eq!(is_done, "true", "{step} after {mistake:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_cannot_be_reached_is_tried_once() {
    let (server, _, shop) = lab(&[("TILL_CALLBACK_TIMEOUT", "1s")]).await;
    let nobody = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let closed = format!("http://{}/", nobody.local_addr().expect("an address"));
    drop(nobody);
    let receiver = Receiver::start().await;
    receiver.answer("/", &[Reply::Hang]);
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let over_tls = format!("https://{}/", silent.local_addr().expect("an address"));
    let late = "No response in time";
    for (url, got) in [(closed, "No connection"), (receiver.url("/"), late), (over_tls, late)] {
        let report = check(&server, &shop, &url).await;
        let steps = report["steps"].as_array().expect("a list");
        assert_eq!((report["verdict"].as_str(), steps[0]["got"].as_str()), (Some("not_ready"), Some(got)));
        assert!(steps[2..].iter().all(|step| step["got"] == "Not tried"), "{report}");
        assert_eq!(steps[1]["passed"], false, "nothing proves a certificate");
        assert_eq!(steps.len(), CheckStep::ALL.len());
    }
    assert_eq!(receiver.requests().len(), 2, "a second chance, and no more");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_has_to_be_trusted_where_https_is_used() {
    let (authority, folder) = (Authority::new(), TempDir::new().expect("a folder"));
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, authority.root_pem()).expect("written");
    let (server, vendor, shop) = lab(&[("TILL_CALLBACK_ROOTS", roots.to_str().expect("text"))]).await;
    let secret = &vendor.sandbox.client_secret;
    let of_tls = |report: &Value| {
        let step = &report["steps"][1];
        assert_eq!((step["name"].as_str(), step["level"].as_str()), (Some("valid_tls"), Some("must")));
        (step["passed"] == true, step["got"].as_str().expect("text").to_owned())
    };
    let trusted = ShopServer::start_tls(secret, &authority.issue(90)).await;
    // The scheme is kept as it was written.
    for url in [trusted.clone(), trusted.replace("https:", "HTTPS:")] {
        let report = check(&server, &shop, &url).await;
        assert_eq!((report["verdict"].as_str(), not_passed(&report)), (Some("ready"), vec![]), "{url}");
        assert_eq!(of_tls(&report), (true, "A trusted certificate".to_owned()));
    }
    let stranger = Authority::new();
    for identity in [authority.issue(-1), authority.issue_for("shop.example", 90), stranger.issue(90)] {
        let url = ShopServer::start_tls(secret, &identity).await;
        let report = check(&server, &shop, &url).await;
        assert_eq!((report["verdict"].as_str(), of_tls(&report).0), (Some("not_ready"), false));
        let steps = report["steps"].as_array().expect("a list");
        assert!(steps[2..].iter().all(|step| step["got"] == "Not tried"), "{report}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_more_is_sent_once_the_operator_disabled_the_vendor() {
    let (server, vendor, shop) = lab(&[("TILL_CALLBACK_TIMEOUT", "20s")]).await;
    let receiver = Receiver::start().await;
    receiver.answer("/", &[Reply::After(Duration::from_millis(1500), 204)]);
    let started = start(&server, &shop, &json!({ "callback_url": receiver.url("/") })).await;
    assert_eq!(started.status, 202, "{}", started.body);
    receiver.wait("/", 1).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let fields = [("on", "off"), ("asked_by", "Ada"), ("why", "to try it")];
    let answer = olga.post(&format!("/operator/vendors/{}/sandbox", vendor.id), &fields).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let path = format!("/operator/vendors/{}/endpoint-checks/{}", vendor.id, started.text("check_id"));
    until("it is done", async || {
        let page = olga.get(&path).await;
        texts(&page.body, "[data-testid=state]") == ["Not ready"]
    })
    .await;
    let page = olga.get(&path).await;
    let steps = texts(&page.body, "[data-testid=step]");
    assert_eq!(steps.len(), CheckStep::ALL.len());
    let untried = |step: &String| step.contains("Not tried") && !step.contains("Not passed");
    assert!(steps.last().is_some_and(untried), "{steps:?}");
    // The vendor is known for at most a second.
    assert!(receiver.requests().len() <= 2, "{}", receiver.requests().len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_check_runs_at_a_time_and_few_in_an_hour() {
    let limits = [("TILL_RATE_LIMITS", "on"), ("TILL_RATE_LIMIT_ENDPOINT_CHECKS", "2/h burst 2")];
    let (server, vendor, shop) = lab(&[&limits[..], &[("TILL_CALLBACK_TIMEOUT", "5s")]].concat()).await;
    let receiver = Receiver::start().await;
    receiver.answer("/", &[Reply::After(Duration::from_millis(400), 204)]);
    let body = json!({ "callback_url": receiver.url("/") });
    let first = start(&server, &shop, &body).await;
    assert_eq!(first.status, 202, "{}", first.body);
    let again = start(&server, &shop, &body).await;
    assert_eq!(again.problem(), "409 check_running");
    // Another vendor is not concerned, and does not see it.
    let other = server.shop("sandbox", &server.vendor().await).await;
    let path = format!("/api/sandbox/vendor/endpoint-checks/{}", first.text("check_id"));
    assert_eq!(other.get(&path).await.problem(), "404 check_not_found");
    assert_eq!(other.get("/api/sandbox/vendor/endpoint-checks/x").await.problem(), "404 check_not_found");
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let running = ada.get(&format!("/panel/settings/endpoint-check/{}", first.text("check_id"))).await;
    assert_eq!(running.headers["refresh"], "2");
    assert!(running.body.contains("data-testid=\"progress\""), "{}", running.body);
    let refused = ada.post("/panel/settings/endpoint-check", &[("callback_url", &receiver.url("/"))]).await;
    assert!(refused.status == 422 && refused.body.contains("already running"), "{}", refused.body);
    until("the first is done", async || shop.get(&path).await.json()["state"] == "done").await;
    assert_eq!(start(&server, &shop, &body).await.status, 202);
    until("the second is done", async || start(&server, &shop, &body).await.status != 409).await;
    let third = start(&server, &shop, &body).await;
    assert_eq!(third.problem(), "429 rate_limited");
    assert!(third.headers.contains_key("retry-after"));
    let refused = ada.post("/panel/settings/endpoint-check", &[("callback_url", &receiver.url("/"))]).await;
    assert!(refused.body.contains("last hour"), "{}", refused.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_no_scanner_of_networks() {
    // Without the permission for private addresses, as in production.
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let receiver = Receiver::start().await;
    let port = receiver.url("/").rsplit(':').next().expect("a port").to_owned();
    for (url, code) in [
        (receiver.url("/"), "private_address"),
        (format!("http://localhost:{port}"), "private_address"),
        (format!("http://0x7f.1:{port}"), "private_address"),
        ("ftp://127.0.0.1/".to_owned(), "invalid_request"),
        ("nonsense".to_owned(), "invalid_request"),
    ] {
        let answer = start(&server, &shop, &json!({ "callback_url": url })).await;
        assert_eq!(answer.problem(), format!("422 {code}"), "{url}");
    }
    for (body, field) in
        [(json!({}), "callback_url:required"), (json!({ "callback_url": 7 }), "callback_url:wrong_type")]
    {
        let answer = start(&server, &shop, &body).await;
        assert_eq!((answer.status.as_u16(), answer.fields()), (422, vec![field.to_owned()]));
    }
    assert!(receiver.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_credentials_wait_for_the_check_where_the_operator_wants_that() {
    let (server, vendor, shop) = lab(&[("TILL_REQUIRE_ENDPOINT_CHECK", "true")]).await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let switch = async |on: &str| {
        let fields = [("on", on), ("asked_by", "Ada"), ("why", "to try it")];
        let answer = olga.post(&format!("/operator/vendors/{}/sandbox", vendor.id), &fields).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
    };
    let live_id = &vendor.live.client_id;
    switch("off").await;
    until("the cache knows", async || !ada.get("/panel/settings").await.body.contains("sandbox_")).await;
    let page = ada.get("/panel/settings").await;
    assert!(page.body.contains("data-testid=\"live-not-shown\"") && !page.body.contains(live_id));
    let hidden = "data-testid=\"start-live-hidden\"";
    for path in ["/panel", "/panel/sessions"] {
        let page = ada.get(path).await;
        assert!(page.body.contains(hidden) && !page.body.contains("Copy your"), "{path}: {}", page.body);
    }
    let fields = [("overlap", "day"), ("password", crate::support::PASSWORD)];
    for path in ["/panel/settings/reveal", "/panel/settings/rotate"] {
        let answer = ada.post(path, &fields).await;
        assert!(!answer.body.contains("sk_live_"), "{path}: {}", answer.body);
    }
    let known = server.accounts.vendor(vendor.id).await.expect("a read").expect("a vendor");
    assert_eq!(known.credentials.len(), 2, "nothing was rotated");
    switch("on").await;
    let url = ShopServer::start(Mistake::AnyAge, &vendor.sandbox.client_secret).await;
    until("the sandbox is on", async || {
        start(&server, &shop, &json!({ "callback_url": url })).await.status == 202
    })
    .await;
    until("it is ready", async || {
        ada.get("/panel/settings/endpoint-check").await.body.contains("data-state=\"ready\"")
    })
    .await;
    switch("off").await;
    until("live is shown", async || ada.get("/panel/settings").await.body.contains(live_id)).await;
    assert!(!ada.get("/panel").await.body.contains(hidden));
}
