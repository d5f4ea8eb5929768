//! Drives the fake of Stripe (`fake.py`) from tests: started on free ports, and killed with the test.
//! `fake.py` documents its control port.

use crate::command;
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};
use till_providers::web::Web;

/// The secret key of its account.
pub const KEY: &str = "sk_test_adapter";

/// The key that browsers send.
pub const PUBLISHABLE_KEY: &str = "pk_test_adapter";

/// Test cards with different outcomes.
pub const GOOD: &str = "4242424242424242";
pub const POOR: &str = "4000000000009995";
pub const DECLINED: &str = "4000000000000002";
pub const ASKS: &str = "4000002760003184";
pub const ASKS_AND_IS_POOR: &str = "4000008260003178";

/// A running fake.
#[derive(Debug)]
pub struct Fake {
    process: Child,
    /// The address of its control port.
    pub control: String,
    web: Web,
    /// The URL of its API.
    pub api: String,
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Fake {
    /// Starts a fake without payments.
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

    /// Its set-up document, with this line for the webhook secrets.
    pub fn document(&self, secrets: &str) -> String {
        let api = &self.api;
        format!(
            "secret_key = \"{KEY}\"\npublishable_key = \"{PUBLISHABLE_KEY}\"\n{secrets}\n\
             currencies = [\"USD\", \"JPY\", \"KWD\", \"MGA\"]\nrequests_per_second = 1000\napi = \"{api}\"\nscript = \"{api}/endive/stripe.js\""
        )
    }

    /// Sends a command to its control port.
    pub async fn control(&self, path: &str, command: Value) -> Value {
        let url = format!("http://{}{path}", self.control);
        let answer = command::post(&self.web, &url, &command).await;
        let read = serde_json::from_slice(&answer.body).expect("the fake's answer");
        assert_eq!(answer.status, 200, "{path} {command}: {read}");
        read
    }

    /// Its whole record: intents, charges, refunds, disputes, totals and calls.
    pub async fn truth(&self) -> Value {
        self.control("/truth", json!({})).await
    }

    /// Sets a fault for the next call to a path. A conflict lasts for as many calls as a client tries.
    pub async fn fault(&self, path: &str, kind: &str) {
        let times = if kind == "conflict" { 4 } else { 1 };
        self.fault_with(json!({ "path": path, "kind": kind, "times": times })).await;
    }

    /// Sets a fault with all its fields.
    pub async fn fault_with(&self, command: Value) {
        self.control("/fault", command).await;
    }

    /// The customer pays in the form with this card.
    pub async fn pays(&self, intent: &str, card: &str) {
        self.control("/customer", json!({ "intent": intent, "card": card })).await;
    }

    /// The customer answers the 3-D Secure challenge: `confirm` or `refuse`.
    pub async fn answers_bank(&self, intent: &str, word: &str) {
        self.control("/customer", json!({ "intent": intent, "three_ds": word })).await;
    }

    /// The number of calls of a kind that it got.
    pub async fn calls(&self, method: &str, path: &str) -> usize {
        let truth = self.truth().await;
        let calls = truth["calls"].as_array().expect("calls");
        let is = |call: &&Value| {
            call["method"] == method && call["path"].as_str().is_some_and(|p| p.contains(path))
        };
        calls.iter().filter(is).count()
    }
}
