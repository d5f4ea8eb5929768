//! A service that ends at a fail point, and is started again without it.

use crate::support::{Customer, Process, Shop, Till};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use std::{
    os::unix::process::ExitStatusExt as _,
    process::Output,
    time::{Duration, Instant},
};
use till_store::FailPoint;

/// The signal of `abort`.
const ABORTED: i32 = 6;

/// The longest until a step succeeds: the lease of the process that ended has to end.
const WITHIN: Duration = Duration::from_secs(90);

pub struct Subject {
    pub till: Till,
    pub vendor: Value,
    service: Option<Process>,
    point: Option<FailPoint>,
    crashed: bool,
}

impl Subject {
    /// A store with a vendor, on which nothing runs.
    pub fn new(settings: &[(&str, &str)]) -> Self {
        let mut till = Till::new();
        let usual = [
            ("TILL_SIMULATOR", "on"),
            ("TILL_RATE_LIMITS", "off"),
            ("TILL_ALLOW_PRIVATE_CALLBACKS", "true"),
            ("TILL_CALLBACK_TIMEOUT", "1s"),
            ("TILL_LEASE", "5s"),
            ("TILL_OPERATOR_TOTP", "off"),
        ];
        for (name, value) in usual.iter().chain(settings) {
            till.set(name, value);
        }
        let vendor = till.vendor();
        Self { till, vendor, service: None, point: None, crashed: false }
    }

    /// Starts the service, which ends at this point; any process that runs is stopped.
    pub fn start(&mut self, point: Option<FailPoint>) {
        if let Some(service) = self.service.take() {
            service.terminate();
        }
        self.point = point;
        self.till.set("FAIL_POINT", point.map_or("", FailPoint::name));
        self.service = Some(self.till.serve());
    }

    /// Repeats a step until it succeeds. If the service has ended at its fail point, it is
    /// started again.
    pub async fn repeat<T>(&mut self, what: &str, mut step: impl AsyncFnMut(&str) -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            self.start_again_if_ended();
            let url = self.service.as_ref().expect("it runs").url.clone();
            if let Some(done) = step(&url).await {
                return done;
            }
            assert!(began.elapsed() < WITHIN, "{:?}: not in time: {what}", self.point);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until the service has ended at its fail point, and starts it again.
    pub async fn wait_for_crash(&mut self) {
        let began = Instant::now();
        while !self.crashed {
            self.start_again_if_ended();
            assert!(began.elapsed() < WITHIN, "{:?} was not reached", self.point);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn start_again_if_ended(&mut self) {
        let ended = self.service.as_mut().and_then(|service| service.ended(Duration::ZERO));
        if let Some(status) = ended {
            assert_eq!(status.signal(), Some(ABORTED), "{:?}: {}", self.point, self.log());
            assert!(!self.crashed, "it ended twice");
            self.crashed = true;
            self.till.set("FAIL_POINT", "");
            self.service = Some(self.till.serve());
        }
    }

    fn log(&self) -> String {
        self.service.as_ref().map(Process::log).unwrap_or_default()
    }

    /// Runs a command that ends at a fail point.
    pub fn crash(&mut self, point: FailPoint, arguments: &[&str]) {
        self.point = Some(point);
        self.till.set("FAIL_POINT", point.name());
        let Output { status, stderr, .. } = self.till.run(arguments);
        self.till.set("FAIL_POINT", "");
        assert_eq!(status.signal(), Some(ABORTED), "{point:?}: {}", String::from_utf8_lossy(&stderr));
        self.crashed = true;
    }

    /// Checks that the fail point was reached, stops the service and verifies its books.
    pub fn finish(&mut self) {
        assert!(self.crashed, "{:?} was not reached", self.point);
        if let Some(service) = self.service.take() {
            service.terminate();
        }
        let verified = self.till.json(&["verify"]);
        assert_eq!(verified["ok"], true, "{:?}: {verified}", self.point);
        super::note_figure(&json!({ "survived": self.point.map(FailPoint::name) }));
    }

    /// The first number of a query on one of its databases.
    pub fn number(&self, file: &str, sql: &str) -> i64 {
        self.text(file, sql).parse().unwrap_or_else(|_| panic!("no number for {sql}"))
    }

    /// The first value of a query on one of its databases, as text; empty if there is none.
    pub fn text(&self, file: &str, sql: &str) -> String {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let database = Connection::open_with_flags(self.till.file(file), flags).expect("a database");
        database.busy_timeout(Duration::from_secs(5)).expect("a setting");
        let sql = format!("SELECT CAST(({sql}) AS TEXT)");
        database
            .query_row(&sql, [], |row| row.get::<_, Option<String>>(0))
            .expect("a row")
            .unwrap_or_default()
    }

    /// Creates a live session with an idempotency key. Returns its id.
    pub async fn create(&mut self, order: &str, callback_url: Option<&str>) -> String {
        let mut body = Shop::book(order);
        body["callback_url"] = json!(callback_url);
        self.call("create", "/api/product/session", &body, order).await["session_id"]
            .as_str()
            .expect("an id")
            .to_owned()
    }

    /// Makes a call of the live API with an idempotency key, until it succeeds.
    pub async fn call(&mut self, what: &str, path: &str, body: &Value, key: &str) -> Value {
        let (vendor, client) = (self.vendor["live"].clone(), client());
        self.repeat(what, async |url| {
            let token = token(&client, url, &vendor).await?;
            let request = client.post(format!("{url}{path}")).bearer_auth(token).json(body);
            let answer = request.header("idempotency-key", key).send().await.ok()?;
            let answer = answer.status().is_success().then_some(answer)?;
            answer.json().await.ok()
        })
        .await
    }

    /// Reads from the live API until a condition holds.
    pub async fn read_until(&mut self, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let (vendor, client) = (self.vendor["live"].clone(), client());
        self.repeat(path, async |url| {
            let token = token(&client, url, &vendor).await?;
            let answer = client.get(format!("{url}{path}")).bearer_auth(token).send().await.ok()?;
            let value: Value = answer.json().await.ok()?;
            holds(&value).then_some(value)
        })
        .await
    }

    /// A customer pays a session by card at the simulated bank, and tries again until it is paid.
    pub async fn pay(&mut self, session: &str, email: &str) {
        let (vendor, client) = (self.vendor["live"].clone(), client());
        let (folder, hex) = (self.till.folder().to_owned(), session.replace('-', ""));
        let newest = format!(
            "SELECT lower(hex(id)) FROM payment_attempts WHERE session_id = x'{hex}' ORDER BY id DESC LIMIT 1"
        );
        // After the decision, the customer waits a while before trying again.
        let mut polls_left = 0_u32;
        self.repeat("the payment", async |url| {
            let token = token(&client, url, &vendor).await?;
            let status = client.get(format!("{url}/api/product/session/{session}")).bearer_auth(token);
            let status: Value = status.send().await.ok()?.json().await.ok()?;
            if status["status"] == "paid" {
                return Some(());
            }
            if polls_left > 0 {
                polls_left -= 1;
                return None;
            }
            let customer = Customer::new(url);
            let form = [("method", "card"), ("email", email)];
            customer.try_post(&format!("/session/{session}/pay"), &form).await?;
            let database = Connection::open(folder.join("live.db")).expect("a database");
            let attempt: String = database.query_row(&newest, [], |row| row.get(0)).ok()?;
            let page = format!("/bank/{}", dashed(&attempt));
            let decided = customer.try_post(&page, &[("decision", "approve")]).await;
            polls_left = if decided.is_some() { 100 } else { 0 };
            None
        })
        .await;
    }
}

fn client() -> reqwest::Client {
    let patience = Duration::from_secs(12);
    reqwest::Client::builder()
        .no_proxy()
        .pool_max_idle_per_host(0)
        .timeout(patience)
        .build()
        .expect("a client")
}

async fn token(client: &reqwest::Client, url: &str, pair: &Value) -> Option<String> {
    let body = json!({ "client_id": pair["client_id"], "client_secret": pair["client_secret"] });
    let answer = client.post(format!("{url}/api/tokens")).json(&body).send().await.ok()?;
    let value: Value = answer.json().await.ok()?;
    Some(value["access_token"].as_str()?.to_owned())
}

/// An id with its hyphens.
pub fn dashed(hex: &str) -> String {
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}
