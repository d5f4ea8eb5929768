//! Starts and drives the fake of T-Bank (`fake.py`), for tests of the adapter and of the whole service. It
//! is a separate program with its own record of the money; `control.py` documents its control port.

use crate::command;
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};
use till_providers::web::Web;

/// A terminal at a running fake. It ends with the test.
#[derive(Debug)]
pub struct Fake {
    process: Child,
    /// The URL of its control port.
    pub control: String,
    /// The URL of its API.
    pub api: String,
    /// The HTTP client by which the tests reach it.
    pub web: Web,
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Fake {
    /// The terminal's key, where no money moves.
    pub const TERMINAL: &str = "1234567890123DEMO";
    /// The terminal's password.
    pub const PASSWORD: &str = "fake-password";

    /// A terminal on free ports.
    pub fn start() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/providers/tbank/fake.py");
        let mut process = Command::new("python3")
            .arg("-B")
            .arg(program)
            .args(["--terminal", Self::TERMINAL, "--password", Self::PASSWORD])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 runs the fake");
        let mut line = String::new();
        let said = process.stdout.take().expect("its output");
        BufReader::new(said).read_line(&mut line).expect("it says where it listens");
        let ports: Value = serde_json::from_str(&line).expect("ports");
        let address = |name: &str| format!("http://127.0.0.1:{}", ports[name]);
        let (api, control) = (address("api"), address("control"));
        Self { process, control, api, web: Web::trusting([]) }
    }

    pub fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// A set-up document for the terminal, with more lines.
    pub fn document(&self, more: &str) -> String {
        let (terminal, password, api) = (Self::TERMINAL, Self::PASSWORD, &self.api);
        format!(
            "terminal_key = \"{terminal}\"\npassword = \"{password}\"\napi = \"{api}\"\n\
             requests_per_second = 1000\n{more}"
        )
    }

    /// Sends a command to the control port; returns the status of the answer.
    pub async fn happens(&self, command: &str, arguments: Value) -> u16 {
        let url = format!("{}/{command}", self.control);
        command::post(&self.web, &url, &arguments).await.status
    }

    /// Sends a command that must succeed.
    pub async fn does(&self, command: &str, arguments: Value) {
        assert_eq!(self.happens(command, arguments.clone()).await, 200, "{command} {arguments}");
    }

    /// Sets a fault for this many calls.
    pub async fn fault(&self, on: &str, kind: &str, times: u32) {
        self.does("fault", json!({ "on": on, "kind": kind, "times": times, "seconds": 4 })).await;
    }

    /// Reads a record of the control port.
    pub async fn look(&self, what: &str) -> Value {
        let answer = self.web.get(&format!("{}/{what}", self.control), 1 << 26).await.expect("an answer");
        serde_json::from_slice(&answer.body).expect("JSON")
    }

    /// Its record of the money: the number of payments, and the sums held, taken and refunded.
    pub async fn truth(&self) -> (usize, i64, i64, i64) {
        let truth = self.look("truth").await;
        let sum = |name: &str| truth[name].as_i64().expect("a sum");
        let payments = truth["payments"].as_array().expect("payments").len();
        (payments, sum("held"), sum("taken"), sum("returned"))
    }

    /// The bodies of the calls of a method that it got.
    pub async fn calls(&self, method: &str) -> Vec<Value> {
        let log = self.look("log").await;
        let of = |entry: &&Value| entry["call"] == method;
        let body =
            |entry: &Value| serde_json::from_str(entry["body"].as_str().unwrap_or("")).unwrap_or(Value::Null);
        log.as_array().expect("a log").iter().filter(of).map(body).collect()
    }

    /// Its record of one payment.
    pub async fn payment(&self, id: &str) -> Value {
        let truth = self.look("truth").await;
        let payments = truth["payments"].as_array().expect("payments");
        payments.iter().find(|payment| payment["id"] == id).expect("a payment").clone()
    }
}
