//! `till listen` and `till trigger`: what a developer uses before there is a public address.

use crate::support::{Receiver, Reply, Shop, Till, read_request, signature, until};
use serde_json::{Value, json};
use std::{
    fs::File,
    net::TcpListener,
    path::PathBuf,
    process::{Child, Command, Stdio},
};
use till_domain::callback::EventKind;
use tokio::io::AsyncWriteExt as _;

/// An address on which nothing listens.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").to_string()
}

/// A developer's machine: it has the vendor's credentials and nothing else of the service.
struct Developer {
    folder: tempfile::TempDir,
    url: String,
    client_id: String,
    secret: String,
}

impl Developer {
    fn new(url: &str, vendor: &Value) -> Self {
        let text = |name: &str| vendor["sandbox"][name].as_str().expect("a text").to_owned();
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            url: url.to_owned(),
            client_id: text("client_id"),
            secret: text("client_secret"),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
        command.args(arguments).current_dir(self.folder.path()).env_clear().stdin(Stdio::null());
        command.env("TILL_URL", &self.url).env("TILL_CLIENT_ID", &self.client_id);
        command.env("TILL_CLIENT_SECRET", &self.secret);
        command
    }

    fn trigger(&self, event: &str, order: &str) -> Value {
        let output =
            self.command(&["trigger", event, "--order-id", order, "--json"]).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// Starts `till listen`.
    fn listen(&self, name: &str, arguments: &[&str]) -> Listening {
        let files = ["out", "err"].map(|end| self.folder.path().join(format!("{name}.{end}")));
        let [out, err] = files.each_ref().map(|path| File::create(path).expect("a file"));
        let arguments = [&["listen", "--json"], arguments].concat();
        let child = self.command(&arguments).stdout(out).stderr(err).spawn().expect("it runs");
        let [out, err] = files;
        Listening { child, out, err }
    }
}

/// A running `till listen`.
struct Listening {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

impl Listening {
    fn said(&self) -> String {
        std::fs::read_to_string(&self.err).expect("a text")
    }

    async fn says(&self, text: &str) {
        until(text, async || self.said().contains(text)).await;
    }

    fn rows(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.out).expect("a text");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listen_brings_each_event_once_through_a_restart_of_the_service() {
    let (mut till, receiver) = (Till::new(), Receiver::start().await);
    receiver.answer("/cb", &[Reply::Status(204), Reply::Status(500), Reply::Status(204)]);
    till.set("TILL_LISTEN", &free_address());
    let vendor = till.vendor();
    let service = till.serve();
    let developer = Developer::new(&service.url, &vendor);
    developer.trigger("session.paid", "before");
    let listening = developer.listen("first", &["--forward", &receiver.url("/cb"), "--print"]);
    listening.says("Listening for sandbox events").await;
    assert_eq!(developer.trigger("session.paid", "T-1")["status"], json!("paid"));
    let first = receiver.wait("/cb", 1).await.remove(0);
    assert_eq!(first.header("x-signature"), signature(&developer.secret, &first.body));
    assert_eq!((first.header("x-environment"), first.header("x-attempt")), ("sandbox", "1"));
    assert!(
        !first.headers.contains_key("accept"),
        "the headers are those of a callback: {:?}",
        first.headers
    );

    service.kill();
    listening.says("Trying again").await;
    let service = till.serve();
    developer.trigger("session.failed", "T-2");
    developer.trigger("session.expired", "T-3");
    receiver.wait("/cb", 3).await;
    listening.says("The service answers again").await;
    until("it has printed all", async || listening.rows().len() == 3).await;
    let rows = listening.rows();
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row["event"].as_str(), row["order_id"].as_str(), row["status"].as_u64()))
        .collect();
    assert_eq!(
        told,
        [
            (Some("session.paid"), Some("T-1"), Some(204)),
            (Some("session.failed"), Some("T-2"), Some(500)),
            (Some("session.expired"), Some("T-3"), Some(204)),
        ]
    );
    for (row, request) in rows.iter().zip(receiver.at("/cb")) {
        assert_eq!(row["body"].as_str().map(str::as_bytes), Some(request.body.as_slice()), "the same bytes");
    }
    assert!(service.terminate().0.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listen_waits_for_a_local_server_that_is_down() {
    let till = Till::new();
    let vendor = till.vendor();
    let service = till.serve();
    let developer = Developer::new(&service.url, &vendor);
    developer.trigger("session.paid", "T-1");
    let address = free_address();
    let forward = format!("http://{address}/cb");
    let mut listening = developer.listen("down", &["--forward", &forward, "--from-start", "--once"]);
    listening.says("Trying again").await;
    assert!(listening.rows().is_empty());
    let server = tokio::net::TcpListener::bind(&address).await.expect("the port is free");
    let (mut stream, _) = server.accept().await.expect("a connection");
    let request = read_request(&mut stream).await.expect("a request");
    assert!(request.contains("T-1"), "{request}");
    stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await.expect("sent");
    let ended = listening.child.wait().expect("it ends");
    assert_eq!(ended.code(), Some(1), "--once says that the server did not accept it");
    assert_eq!(listening.rows()[0]["status"], json!(404));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trigger_makes_every_event_that_there_is() {
    let till = Till::new();
    let vendor = till.vendor();
    let service = till.serve();
    let developer = Developer::new(&service.url, &vendor);
    let mut shop: Shop = service.shop("sandbox", &vendor);
    shop.log_in().await;
    for kind in EventKind::ALL {
        let order = format!("T-{}", kind.as_str());
        let made = developer.trigger(kind.as_str(), &order);
        assert_eq!(made["order_id"], json!(order));
        until(kind.as_str(), async || {
            let page = shop.feed("limit=100").await.json();
            page["callbacks"].as_array().expect("a list").iter().any(|callback| {
                let body: Value =
                    serde_json::from_str(callback["body"].as_str().expect("a body")).expect("JSON");
                body["event"] == json!(kind.as_str()) && body["orderId"] == json!(order)
            })
        })
        .await;
    }
}

#[test]
fn trigger_names_the_order_after_the_event() {
    let till = Till::new();
    let vendor = till.vendor();
    let service = till.serve();
    let developer = Developer::new(&service.url, &vendor);
    for _ in 0..2 {
        let output = developer.command(&["trigger", "session.failed", "--json"]).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let made: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(made["order_id"], json!("trigger-session.failed"), "the same in every run");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_said_in_a_sentence() {
    let (till, website) = (Till::new(), Receiver::start().await);
    website.answer("/api/sandbox/vendor/tokens", &[Reply::Status(200)]);
    let vendor = till.vendor();
    let service = till.serve();
    let developer = Developer::new(&service.url, &vendor);
    let run = |command: &mut Command| {
        let output = command.output().expect("it runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    let forward = ["listen", "--forward", "http://127.0.0.1:1/"];
    let live = |name: &str| vendor["live"][name].as_str().expect("a text").to_owned();
    let with_path = format!("{}/api/sandbox/vendor", service.url);
    for (command, code, says) in [
        (
            developer.command(&["trigger", "session.paid"]).env("TILL_CLIENT_SECRET", "wrong"),
            1,
            "401 invalid_client",
        ),
        (developer.command(&forward).env("TILL_CLIENT_SECRET", "wrong"), 1, "401 invalid_client"),
        (
            developer
                .command(&forward)
                .env("TILL_CLIENT_ID", live("client_id"))
                .env("TILL_CLIENT_SECRET", live("client_secret")),
            1,
            "Use your sandbox credentials",
        ),
        (developer.command(&forward).env("TILL_URL", &with_path), 1, "Leave out the path of the address"),
        (
            developer.command(&forward).env("TILL_URL", website.url("/")),
            1,
            "answered 200, but not like Till: check the address",
        ),
        (developer.command(&forward).env_remove("TILL_CLIENT_ID"), 1, "--client-id or TILL_CLIENT_ID"),
        (developer.command(&forward).env_remove("TILL_CLIENT_SECRET"), 1, "set TILL_CLIENT_SECRET"),
        (developer.command(&["listen", "--forward", "my server"]).env("A", "b"), 1, "--forward must be"),
        (
            developer.command(&forward).env("TILL_URL", "pay.example"),
            1,
            "the address of the service, pay.example, must be",
        ),
        (developer.command(&["trigger", "session.lost"]).env("A", "b"), 2, "possible values: session.paid"),
        (developer.command(&["trigger", "session.paid", "--currency", "XXQ"]).env("A", "b"), 1, "422"),
        (
            developer
                .command(&["trigger", "session.paid", "--base-url", &format!("http://{}", free_address())])
                .env("A", "b"),
            1,
            "does not answer: no connection",
        ),
    ] {
        let (ended, said) = run(command);
        assert_eq!(ended, Some(code), "{said}");
        assert!(said.contains(says), "{says}: {said}");
    }
}
