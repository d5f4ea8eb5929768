//! `till demo`, started with nothing but the binary.

use crate::support::{Credentials, Shop};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

pub fn demo(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
    command.env_clear().env("TMPDIR", home).current_dir(home).arg("demo").args(arguments);
    command
}

/// A running demo, and the facts that it prints about itself.
pub struct Demo {
    child: Child,
    pub facts: Value,
}

impl Demo {
    /// Starts a demo on a free port.
    pub fn start(home: &Path, arguments: &[&str]) -> Self {
        Self::start_with(home, &[arguments, &["--port", "0", "--json"]].concat())
    }

    /// Starts a demo with these arguments, among which is `--json`.
    pub fn start_with(home: &Path, arguments: &[&str]) -> Self {
        let mut command = demo(home, arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("an output"));
        out.read_line(&mut line).expect("a line");
        let facts = serde_json::from_str(&line).unwrap_or_else(|_| panic!("one JSON object: {line:?}"));
        Self { child, facts }
    }

    pub fn url(&self) -> &str {
        self.facts["base_url"].as_str().expect("an address")
    }

    pub async fn shop(&self, environment: &str) -> Shop {
        let credentials = Credentials::of(&self.facts["vendor"], environment);
        let mut shop = Shop::new(self.url(), environment, credentials);
        shop.log_in().await;
        shop
    }

    pub fn stop(self) {
        self.stop_by(Signal::INT);
    }

    fn stop_by(mut self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
        assert!(self.child.wait().expect("it ended").success());
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn run(home: &Path, arguments: &[&str]) -> Output {
    demo(home, arguments).output().expect("it runs")
}

pub fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, |entries| entries.count())
}

#[tokio::test]
async fn a_demo_takes_payments_in_both_environments_and_keeps_its_data() {
    let home = TempDir::new().expect("a folder");
    let first = Demo::start(home.path(), &["--no-history"]);
    let (live, sandbox) = (first.shop("live").await, first.shop("sandbox").await);
    let test = sandbox.order("A-1").await;
    assert_eq!(sandbox.simulate(&test, &json!({ "outcome": "paid" })).await.text("status"), "paid");
    let order = live.order("A-1").await;
    let page = reqwest::get(format!("{}/session/{order}", first.url())).await.expect("an answer");
    assert_eq!(page.status(), 200);
    let vendor = first.facts["vendor"].clone();
    first.stop();

    let second = Demo::start(home.path(), &[]);
    assert_eq!(second.facts["vendor"], vendor, "the same vendor, the same secrets");
    assert_eq!(second.shop("sandbox").await.status(&test).await.text("status"), "paid");
    second.stop();

    let anew = Demo::start(home.path(), &["--reset", "--no-history"]);
    assert_ne!(anew.facts["vendor"]["vendor_id"], vendor["vendor_id"]);
    assert_eq!(anew.shop("sandbox").await.status(&test).await.problem(), "404 session_not_found");
}

#[tokio::test]
async fn an_ephemeral_demo_leaves_nothing_behind() {
    let home = TempDir::new().expect("a folder");
    let demo = Demo::start(home.path(), &["--ephemeral"]);
    let sandbox = demo.shop("sandbox").await;
    let test = sandbox.order("A-1").await;
    assert_eq!(sandbox.simulate(&test, &json!({ "outcome": "failed" })).await.text("status"), "failed");
    assert!(demo.facts["shop_url"].is_null(), "it is for programs, which buy nothing");
    let shop = reqwest::get(format!("{}/shop", demo.url())).await.expect("an answer");
    assert_eq!(shop.status(), 404);
    assert_eq!(files(home.path()), 1, "one temporary folder");
    demo.stop();
    assert_eq!(files(home.path()), 0);
    let in_a_terminal = Demo::start(home.path(), &["--ephemeral"]);
    in_a_terminal.stop_by(Signal::HUP);
    assert_eq!(files(home.path()), 0, "the terminal was closed");
}

#[test]
fn a_demo_says_what_is_in_its_way_and_removes_only_its_own() {
    let home = TempDir::new().expect("a folder");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let refused = run(home.path(), &["--listen", &address]);
    let told = String::from_utf8(refused.stderr).expect("text");
    assert!(!refused.status.success());
    assert!(told.contains("is already in use") && told.contains("till demo --listen 127.0.0.1:"), "{told}");

    let own = home.path().join("own");
    std::fs::create_dir(&own).expect("a folder");
    std::fs::write(own.join("live.db"), "precious").expect("a file");
    let refused = run(home.path(), &["--reset", "--data-dir", "own"]);
    let told = String::from_utf8(refused.stderr).expect("text");
    assert!(!refused.status.success() && told.contains("was not created by a demo"), "{told}");
    assert_eq!(std::fs::read_to_string(own.join("live.db")).expect("still there"), "precious");
    // Nor does it use that folder, or leave a mark that would let it.
    let refused = run(home.path(), &["--port", "0", "--data-dir", "own"]);
    let told = String::from_utf8(refused.stderr).expect("text");
    assert!(!refused.status.success() && told.contains("does not belong to a demo"), "{told}");
    assert_eq!(files(&own), 1);
}

/// A demo says nothing about what it chose itself, and everything about what its user chose.
#[test]
fn a_demo_warns_only_of_what_its_user_chose() {
    for (variable, warning) in [
        (None, None),
        (Some(("TILL_RATE_LIMITS", "off")), Some("TILL_RATE_LIMITS is off")),
        (Some(("TILL_CHECKOUT_URL", "http://pay.example")), Some("TILL_CHECKOUT_URL is http://pay.example")),
    ] {
        let home = TempDir::new().expect("a folder");
        let mut command = demo(home.path(), &["--port", "0", "--no-history", "--json"]);
        command.envs(variable).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("an output")).read_line(&mut line).expect("a line");
        kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
        let mut told = String::new();
        child.stderr.take().expect("an output").read_to_string(&mut told).expect("text");
        assert!(child.wait().expect("it ended").success(), "{told}");
        let warned: Vec<_> = told.lines().filter(|line| line.contains("WARN")).collect();
        let right = warning.map_or(warned.is_empty(), |words| warned.len() == 1 && warned[0].contains(words));
        assert!(right, "{variable:?}: {told}");
    }
}

#[tokio::test]
async fn a_running_demo_keeps_its_data_and_lost_log_ins_come_back() {
    let home = TempDir::new().expect("a folder");
    let first = Demo::start(home.path(), &["--no-history"]);
    let refused = run(home.path(), &["--port", "0", "--reset"]);
    let told = String::from_utf8(refused.stderr).expect("text");
    assert!(!refused.status.success() && told.contains("stop it first"), "{told}");
    let id = first.shop("sandbox").await.order("A-1").await;
    let logins = first.facts["logins"].clone();
    assert_eq!(logins.as_array().map(Vec::len), Some(4));
    first.stop();
    let second = Demo::start(home.path(), &[]);
    assert_eq!(second.facts["logins"], logins);
    assert_eq!(second.shop("sandbox").await.status(&id).await.text("status"), "pending");
    second.stop();
    std::fs::remove_file(home.path().join("till-demo/logins.json")).expect("a file");
    let third = Demo::start(home.path(), &[]);
    let login = &third.facts["logins"][0];
    assert_ne!(login["password"], logins[0]["password"]);
    let browser = crate::support::Customer::new(third.url());
    let word = |name: &str| login[name].as_str().expect("text").to_owned();
    let (email, password) = (word("email"), word("password"));
    let form = [("email", email.as_str()), ("password", password.as_str())];
    let answer = browser.post("/panel/login", &form, &[("origin", third.url())]).await;
    assert_eq!(answer.header("location"), Some("/operator"));
}

/// What a visitor buys in the shop is in a panel that the visitor can open.
#[tokio::test]
async fn h2_one_log_in_shows_live_payments_and_the_shops_products_another_the_sandbox() {
    let home = TempDir::new().expect("a folder");
    let demo = Demo::start(home.path(), &[]);
    let (sandbox, live) = (&demo.facts["vendor"], &demo.facts["live_vendor"]);
    assert_ne!(sandbox["vendor_id"], live["vendor_id"]);
    for (email, sees_products) in [("live@demo.example", true), ("vendor@demo.example", false)] {
        let logins = demo.facts["logins"].as_array().expect("log-ins").clone();
        let login = logins.into_iter().find(|login| login["email"] == email).expect("the log-in");
        let form = [("email", email), ("password", login["password"].as_str().expect("text"))];
        let browser = crate::support::Customer::new(demo.url());
        let entered = browser.post("/panel/login", &form, &[("origin", demo.url())]).await;
        assert_eq!(entered.header("location"), Some("/panel"), "{email}");
        let cookie =
            entered.header("set-cookie").and_then(|cookie| cookie.split(';').next()).expect("a cookie");
        let products = browser.get("/panel/products", &[("cookie", cookie)]).await.body;
        assert_eq!(products.contains("Atlas of Northern Light"), sees_products, "{email}");
        assert_eq!(
            products.contains("data-testid=\"sandbox-tape\"") || products.contains("[Sandbox]"),
            !sees_products
        );
    }
}
