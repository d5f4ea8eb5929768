//! The stand-in for Stripe as tests drive it: started on free ports, and killed with the test. `fake.py` says what its
//! control understands.

// Each test binary that includes this uses a part of it.
#![allow(dead_code, reason = "shared by test binaries that each use a part")]

use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};
use till_providers::web::Web;

/// The key of its account.
pub const KEY: &str = "sk_test_adapter";

/// What browsers tell it.
pub const PUBLISHABLE_KEY: &str = "pk_test_adapter";

/// Cards, and what becomes of them.
pub const GOOD: &str = "4242424242424242";
pub const POOR: &str = "4000000000009995";
pub const DECLINED: &str = "4000000000000002";
pub const ASKS: &str = "4000002760003184";
pub const ASKS_AND_IS_POOR: &str = "4000008260003178";

/// A running one.
#[derive(Debug)]
pub struct Fake {
    process: Child,
    /// Where its control is.
    pub control: String,
    web: Web,
    /// Where its API is.
    pub api: String,
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Fake {
    /// One that nobody has paid anything yet.
    pub fn start() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut process = Command::new("python3")
            .arg(root.join("tests/providers/stripe/fake.py"))
            .args(["--secret-key", KEY, "--publishable-key", PUBLISHABLE_KEY])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("its output")).read_line(&mut line).expect("its ports");
        let ports: Value = serde_json::from_str(&line).expect("its ports");
        let (control, api) =
            (format!("127.0.0.1:{}", ports["control"]), format!("http://127.0.0.1:{}", ports["api"]));
        Self { process, control, web: Web::trusting([]), api }
    }

    /// The document that sets it up, with a line about the secrets of its events.
    pub fn document(&self, secrets: &str) -> String {
        let api = &self.api;
        format!(
            "secret_key = \"{KEY}\"\npublishable_key = \"{PUBLISHABLE_KEY}\"\n{secrets}\n\
             currencies = [\"USD\", \"JPY\", \"KWD\", \"MGA\"]\nrequests_per_second = 1000\napi = \"{api}\"\nscript = \"{api}/endive/stripe.js\""
        )
    }

    /// Asks for something at its control.
    pub async fn control(&self, path: &str, wish: Value) -> Value {
        let url = format!("http://{}{path}", self.control);
        let answer = self.web.post(&url, wish.to_string(), 64 << 20).await.expect("the fake's control");
        let read = serde_json::from_slice(&answer.body).expect("the fake's answer");
        assert_eq!(answer.status, 200, "{path} {wish}: {read}");
        read
    }

    /// All that it knows.
    pub async fn truth(&self) -> Value {
        self.control("/truth", json!({})).await
    }

    /// What goes wrong with the next call there. A conflict lasts for as long as anybody tries.
    pub async fn fault(&self, path: &str, kind: &str) {
        let times = if kind == "conflict" { 4 } else { 1 };
        self.fault_with(json!({ "path": path, "kind": kind, "times": times })).await;
    }

    /// What goes wrong, in more words.
    pub async fn fault_with(&self, wish: Value) {
        self.control("/fault", wish).await;
    }

    /// The customer pays by the form with this card.
    pub async fn pays(&self, intent: &str, card: &str) {
        self.control("/customer", json!({ "intent": intent, "card": card })).await;
    }

    /// The customer answers the bank: `confirm` or `refuse`.
    pub async fn answers_bank(&self, intent: &str, word: &str) {
        self.control("/customer", json!({ "intent": intent, "three_ds": word })).await;
    }

    /// How many calls of a kind it has got.
    pub async fn calls(&self, method: &str, path: &str) -> usize {
        let truth = self.truth().await;
        let calls = truth["calls"].as_array().expect("calls");
        let is = |call: &&Value| {
            call["method"] == method && call["path"].as_str().is_some_and(|p| p.contains(path))
        };
        calls.iter().filter(is).count()
    }
}
