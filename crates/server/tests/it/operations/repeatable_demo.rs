//! A demo for automated tests: the same in every run with a seed, and with a clock that stands still until it is moved.

use super::demo::{Demo, demo as demo_with, run};
use crate::support::Answer;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::{
    collections::{HashSet, VecDeque},
    io::{Read as _, Write as _},
    mem,
    net::{TcpListener, TcpStream},
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
    thread,
};
use tempfile::TempDir;
use till_domain::time::Timestamp;

const MINUTE_MS: u64 = 60_000;
const SESSIONS: &str = "/api/sandbox/vendor/checkout-session";

/// Reads one request or response with a `Content-Length`.
fn read_message(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().expect("a number")) {
                return text;
            }
        }
        let count = stream.read(&mut piece).expect("bytes");
        assert!(count > 0, "the message ended early: {text}");
        bytes.extend_from_slice(&piece[..count]);
    }
}

/// A vendor's receiver, which keeps every callback byte by byte.
#[derive(Clone)]
struct RawReceiver {
    url: String,
    received: Arc<Mutex<Vec<String>>>,
    /// The next statuses that it answers with; 200 after them.
    statuses: Arc<Mutex<VecDeque<u16>>>,
}

impl RawReceiver {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/callbacks", listener.local_addr().expect("an address"));
        let receiver = Self { url, received: Arc::default(), statuses: Arc::default() };
        let kept = receiver.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                kept.serve(stream.expect("a connection"));
            }
        });
        receiver
    }

    fn serve(&self, mut stream: TcpStream) {
        let callback = read_message(&mut stream);
        self.received.lock().expect("no panic").push(callback);
        let status = self.statuses.lock().expect("no panic").pop_front().unwrap_or(200);
        let response = format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        let _ = stream.write_all(response.as_bytes());
    }

    fn answer(&self, statuses: &[u16]) {
        self.statuses.lock().expect("no panic").extend(statuses);
    }

    /// What it has received since it was last asked.
    fn take(&self) -> Vec<String> {
        mem::take(&mut *self.received.lock().expect("no panic"))
    }
}

/// A vendor's test, and all that it receives.
struct Script {
    demo: Demo,
    address: String,
    token: String,
    responses: Vec<String>,
}

impl Script {
    fn new(demo: Demo) -> Self {
        let address = demo.url().strip_prefix("http://").expect("an address").to_owned();
        let mut script = Self { demo, address, token: String::new(), responses: Vec::new() };
        script.get_token();
        script
    }

    fn get_token(&mut self) {
        let pair = &self.demo.facts["vendor"]["sandbox"];
        let body = json!({ "client_id": pair["client_id"], "client_secret": pair["client_secret"] });
        let token = self.call("POST", "/api/sandbox/vendor/tokens", &body);
        self.token = token["access_token"].as_str().expect("a token").to_owned();
    }

    fn call(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let (address, token, body) = (&self.address, &self.token, body.to_string());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("it is sent");
        let response = read_message(&mut stream);
        let body = response.split_once("\r\n\r\n").expect("a body").1;
        let value = serde_json::from_str(body).expect("JSON");
        self.responses.push(response);
        value
    }

    fn create(&mut self, order: &str, callback_url: &str) -> String {
        let body = json!({
            "product_name": "Atlas", "price": "49.90", "currency": "EUR", "order_id": order, "callback_url": callback_url,
        });
        self.call("POST", SESSIONS, &body)["session_id"].as_str().expect("an id").to_owned()
    }

    fn advance(&mut self, ms: u64) -> String {
        let now = self.call("POST", "/sandbox/clock", &json!({ "advance_ms": ms }));
        now["now"].as_str().expect("a time").to_owned()
    }

    /// Queries the status without keeping the responses.
    fn poll(&mut self, session: &str, times: usize) {
        let kept = self.responses.len();
        for _ in 0..times {
            self.status(session);
        }
        self.responses.truncate(kept);
    }

    fn status(&mut self, session: &str) -> Value {
        self.call("GET", &format!("{SESSIONS}/{session}"), &json!({}))
    }
}

/// All bytes that a vendor sees of a demo in which payments are paid, expire and are refunded; those of `polls` further
/// status queries are left out.
fn traffic(
    home: &Path,
    (seed, polls): (&str, usize),
    port: &str,
    receiver: &RawReceiver,
) -> (Value, Vec<String>, Vec<String>) {
    let arguments = ["--ephemeral", "--json", "--clock", "manual", "--seed", seed, "--port", port];
    let mut script = Script::new(Demo::start_with(home, &arguments));
    // The second callback is refused once.
    receiver.answer(&[200, 500]);
    let [paid, first, second] = ["A-1", "A-2", "A-3"].map(|order| script.create(order, &receiver.url));
    script.poll(&paid, polls);
    script.call("POST", &format!("{SESSIONS}/{paid}/simulate"), &json!({ "outcome": "paid" }));
    script.poll(&paid, polls);
    assert_eq!(receiver.received.lock().expect("no panic").len(), 0, "nothing happens between the calls");
    script.advance(0);
    // Both sessions expire at the same moment.
    script.advance(20 * MINUTE_MS);
    for session in [&first, &second] {
        assert_eq!(script.status(session)["status"], "expired");
    }
    script.call(
        "POST",
        &format!("{SESSIONS}/{paid}/refunds"),
        &json!({ "amount": "10.00", "reason": "torn" }),
    );
    script.advance(2 * 60 * MINUTE_MS);
    script.get_token();
    script.call("GET", &format!("{SESSIONS}/{paid}/refunds"), &json!({}));
    script.call("GET", SESSIONS, &json!({}));
    let facts = script.demo.facts.clone();
    let responses = mem::take(&mut script.responses);
    script.demo.stop();
    (facts, responses, receiver.take())
}

fn free_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port().to_string()
}

#[test]
fn two_runs_with_one_seed_have_the_same_bytes_and_another_seed_has_other_ids() {
    let (home, receiver, port) = (TempDir::new().expect("a folder"), RawReceiver::start(), free_port());
    let [one, same, other] =
        [("7", 0), ("7", 50), ("8", 0)].map(|run| traffic(home.path(), run, &port, &receiver));
    assert_eq!(one.2.len(), 5, "paid, two expired, one of them twice, the refund");
    assert_eq!(one, same);
    for name in ["vendor", "live_vendor", "logins"] {
        assert_ne!(one.0[name], other.0[name], "{name}");
    }
    let ids = |responses: &[String]| -> HashSet<String> {
        let session = |response: &String| Some(response.split_once("\"session_id\":\"")?.1[..36].to_owned());
        responses.iter().filter_map(session).collect()
    };
    let (ids_of_one, ids_of_other) = (ids(&one.1), ids(&other.1));
    assert_eq!((ids_of_one.len(), ids_of_other.len()), (3, 3));
    assert!(ids_of_one.is_disjoint(&ids_of_other));
}

/// The callbacks of sessions that expire together, and of others that are paid and refunded at one moment.
fn callbacks_of_one_moment(home: &Path, port: &str, receiver: &RawReceiver) -> Vec<String> {
    let arguments = ["--ephemeral", "--json", "--clock", "manual", "--seed", "7", "--port", port];
    let mut script = Script::new(Demo::start_with(home, &arguments));
    for round in 0..4 {
        for number in 0..5 {
            script.create(&format!("E-{round}-{number}"), &receiver.url);
            let paid = script.create(&format!("P-{round}-{number}"), &receiver.url);
            script.call("POST", &format!("{SESSIONS}/{paid}/simulate"), &json!({ "outcome": "paid" }));
            script.call("POST", &format!("{SESSIONS}/{paid}/refunds"), &json!({ "amount": "10.00" }));
        }
        script.advance(15 * MINUTE_MS);
    }
    script.demo.stop();
    receiver.take()
}

#[test]
fn callbacks_of_one_moment_are_sent_in_the_same_order_in_every_run() {
    let (home, receiver, port) = (TempDir::new().expect("a folder"), RawReceiver::start(), free_port());
    let [one, same] = [(); 2].map(|()| callbacks_of_one_moment(home.path(), &port, &receiver));
    assert_eq!(one.len(), 4 * 5 * 3);
    assert_eq!(one, same);
    for order in (0..4).flat_map(|round| (0..5).map(move |number| format!("\"P-{round}-{number}\""))) {
        let events: Vec<&String> = one.iter().filter(|callback| callback.contains(&order)).collect();
        assert!(events[0].contains("session.paid") && events[1].contains("refund.succeeded"), "{events:?}");
    }
}

#[test]
fn everything_happens_at_its_own_time_however_far_the_clock_is_moved() {
    let (home, receiver) = (TempDir::new().expect("a folder"), RawReceiver::start());
    let start = "2026-03-01T12:00:00Z";
    let demo = Demo::start(home.path(), &["--ephemeral", "--clock", "manual", "--clock-start", start]);
    let mut script = Script::new(demo);
    receiver.answer(&[500, 500, 500]);
    let session = script.create("A-1", &receiver.url);
    assert_eq!(script.advance(24 * 60 * MINUTE_MS), "2026-03-02T12:00:00.000Z");
    let times: Vec<i64> =
        receiver.take().iter().map(|callback| header(callback, "webhook-timestamp")).collect();
    let expired = Timestamp::parse("2026-03-01T12:15:00Z").expect("a time").as_ms() / 1_000;
    let after: Vec<i64> = times.iter().map(|time| time - expired).collect();
    assert_eq!(after, [0, 30, 120, 300], "the schedule of callbacks");
    script.get_token();
    assert_eq!(script.status(&session)["updatedAt"], "2026-03-01T12:15:00.000Z");
}

fn header(message: &str, name: &str) -> i64 {
    let found = message.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    found.unwrap_or_else(|| panic!("no {name}: {message}")).parse().expect("a number")
}

#[tokio::test]
async fn the_clock_is_moved_by_one_call_at_a_time_and_only_forward() {
    let home = TempDir::new().expect("a folder");
    let demo = Demo::start(home.path(), &["--ephemeral", "--clock", "manual"]);
    let url = demo.facts["clock_url"].as_str().expect("an address").to_owned();
    let client = reqwest::Client::new();
    let post = |body: String, kind: &'static str| {
        let request = client.post(&url).header("content-type", kind).body(body);
        Answer::to(request)
    };
    for (body, wrong) in [
        ("{}", "advance_ms:required"),
        (r#"{"advance_ms":-1}"#, "advance_ms:out_of_range"),
        (r#"{"advance_ms":0.5}"#, "advance_ms:out_of_range"),
        (r#"{"advance_ms":2678400001}"#, "advance_ms:out_of_range"),
        (r#"{"advance_ms":"60000"}"#, "advance_ms:wrong_type"),
    ] {
        let answer = post(body.to_owned(), "application/json").await;
        assert_eq!(
            (answer.problem(), answer.fields()),
            ("422 invalid_request".to_owned(), vec![wrong.to_owned()])
        );
    }
    assert_eq!(post("now".to_owned(), "application/json").await.problem(), "400 invalid_json");
    // A page of another site cannot send JSON without being asked first.
    assert_eq!(post("{}".to_owned(), "text/plain").await.problem(), "415 unsupported_media_type");
    let elsewhere = client.post(&url).header("host", "shop.example").json(&json!({ "advance_ms": 60_000 }));
    assert_eq!(Answer::to(elsewhere).await.problem(), "404 not_found", "another name that leads here");
    let moves =
        join_all((0..5).map(|_| post(r#"{"advance_ms":60000}"#.to_owned(), "application/json"))).await;
    assert!(moves.iter().all(|answer| answer.status == 200));
    let now = Answer::to(client.get(&url)).await;
    assert_eq!(now.json(), json!({ "now": "2026-01-01T00:05:00.000Z", "now_ms": 1_767_225_900_000_i64 }));
    assert_eq!(now.header("date"), Some("Thu, 01 Jan 2026 00:05:00 GMT"));
}

#[tokio::test]
async fn a_clock_that_follows_the_machine_cannot_be_moved() {
    let home = TempDir::new().expect("a folder");
    let demo = Demo::start(home.path(), &["--ephemeral", "--seed", "7"]);
    assert!(demo.facts["clock_url"].is_null());
    let url = format!("{}/sandbox/clock", demo.url());
    let answer =
        reqwest::Client::new().post(url).json(&json!({ "advance_ms": 1 })).send().await.expect("an answer");
    assert_eq!(answer.status(), 404);
}

#[test]
fn a_demo_that_can_be_foreseen_is_for_this_machine_and_an_empty_folder() {
    let home = TempDir::new().expect("a folder");
    let refused = |arguments: &[&str]| {
        let output = run(home.path(), arguments);
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).expect("text")
    };
    for arguments in [["--seed", "7"], ["--clock", "manual"]] {
        let all = [&["--ephemeral", "--listen", "0.0.0.0:0"], arguments.as_slice()].concat();
        let why =
            format!("--listen is 0.0.0.0:0: {} needs an address that only this machine", given(arguments));
        assert!(refused(&all).contains(&why), "{}", refused(&all));
    }
    let metrics = demo_with(home.path(), &["--ephemeral", "--port", "0", "--seed", "7"])
        .env("TILL_METRICS_LISTEN", "0.0.0.0:0")
        .output()
        .expect("it runs");
    assert!(String::from_utf8_lossy(&metrics.stderr).contains("TILL_METRICS_LISTEN is 0.0.0.0:0"));
    for name in ["TILL_BASE_URL", "TILL_CHECKOUT_URL"] {
        let mut public = demo_with(home.path(), &["--ephemeral", "--port", "0", "--clock", "manual"]);
        let output = public.env(name, "https://pay.example").output().expect("it runs");
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(why.contains(&format!("{name} is https://pay.example: --clock manual needs a URL")), "{why}");
    }
    let alone = refused(&["--ephemeral", "--port", "0", "--clock-start", "2026-03-01T12:00:00Z"]);
    assert!(alone.contains("add --clock manual"), "{alone}");
    for start in ["noon", "1960-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
        let wrong = refused(&["--ephemeral", "--clock", "manual", "--clock-start", start]);
        let how = "write it like 2026-01-01T00:00:00Z, with a year from 1971 to 9998";
        assert!(wrong.contains(how), "{start}: {wrong}");
    }
    let both = refused(&["--ephemeral", "--listen", "0.0.0.0:0", "--seed", "7", "--clock", "manual"]);
    assert!(both.contains("--seed and --clock manual need an address"), "{both}");

    Demo::start(home.path(), &["--no-history"]).stop();
    for arguments in [["--seed", "7"], ["--clock", "manual"]] {
        let why = refused(&[&["--port", "0"], arguments.as_slice()].concat());
        assert!(why.contains(" needs an empty data folder"), "{why}");
    }
    let anew = Demo::start(home.path(), &["--reset", "--no-history", "--seed", "7", "--clock", "manual"]);
    assert!(anew.facts["clock_url"].is_string());
    anew.stop();
    // Its secrets can be calculated from now on.
    let why = refused(&["--listen", "0.0.0.0:0"]);
    assert!(why.contains("a folder that was filled with --seed needs an address"), "{why}");
    let serve = |setting: (&str, &str)| {
        let mut serve = Command::new(env!("CARGO_BIN_EXE_till"));
        serve.env_clear().current_dir(home.path()).args(["serve", "--data-dir", "till-demo"]);
        let output = serve.env(setting.0, setting.1).output().expect("it runs");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for (setting, url) in [("TILL_LISTEN", "0.0.0.0:0"), ("TILL_BASE_URL", "https://pay.example")] {
        let why = serve((setting, url));
        let expected = format!("{setting} is {url}: a folder that was filled with --seed needs");
        assert!(why.contains(&expected), "{why}");
    }
    Demo::start(home.path(), &[]).stop();
    Demo::start(home.path(), &["--reset", "--no-history"]).stop();
    let mark = std::fs::read_to_string(home.path().join("till-demo/demo")).expect("a mark");
    assert!(!mark.contains("--seed"), "{mark}");
}

fn given(arguments: [&str; 2]) -> String {
    if arguments[0] == "--seed" { "--seed".to_owned() } else { arguments.join(" ") }
}
