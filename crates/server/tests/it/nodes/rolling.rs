//! F3b, F30: three nodes behind a load balancer are restarted one by one under load, with the same version, with the next
//! one, and with the one before.

use crate::support::{Answer, Credentials, Customer, Nodes, Process, Receiver, Shell, Shop, Till, until};
use reqwest::Method;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tempfile::TempDir;
use till_testing::cluster::Cluster;
use tokio::task::JoinSet;

const NODES: usize = 3;

/// A real load balancer in front of the nodes. It takes a node out when its `/readyz` fails.
struct LoadBalancer {
    child: Child,
    url: String,
    _folder: TempDir,
}

impl LoadBalancer {
    fn start(nodes: &[u16]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let port = free_ports(1)[0];
        let servers: Vec<String> = nodes
            .iter()
            .map(|port| format!("    server n{port} 127.0.0.1:{port} check inter 200ms rise 1 fall 1"))
            .collect();
        let text = format!(
            "global\n    log stderr format raw local0 emerg\n\
             defaults\n    mode http\n    timeout connect 2s\n    timeout check 5s\n    timeout client 30s\n    timeout server 30s\n    \
             option redispatch 1\n    retries 3\n\
             frontend till\n    bind 127.0.0.1:{port}\n    default_backend nodes\n\
             backend nodes\n    balance roundrobin\n    option httpchk GET /readyz\n{}\n",
            servers.join("\n")
        );
        let file = folder.path().join("haproxy.cfg");
        fs::write(&file, text).expect("a file");
        let child = Command::new("haproxy")
            .env("PATH", format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default()))
            .args(["-db", "-f", file.to_str().expect("text")])
            .stdout(Stdio::null())
            .spawn()
            .expect("haproxy is installed: tests/install");
        Self { child, url: format!("http://127.0.0.1:{port}"), _folder: folder }
    }
}

impl Drop for LoadBalancer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ports that nothing listens on.
fn free_ports(count: usize) -> Vec<u16> {
    let bound: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    bound.iter().map(|listener| listener.local_addr().expect("an address").port()).collect()
}

/// What the clients were told.
#[derive(Default)]
struct Told {
    /// The final status of each session, by its id and environment.
    ended: BTreeMap<String, (&'static str, String)>,
    /// Requests that had to be sent twice.
    repeated: u32,
    /// Requests that failed twice, or answers that contradict an earlier one.
    failures: Vec<String>,
}

/// A client that repeats a request once, as the guide tells vendors to.
#[derive(Clone)]
struct Client {
    shop: Shop,
    bearer: String,
    told: Arc<Mutex<Told>>,
}

impl Client {
    /// Sends a request, and once more if it got no answer or one of 500 and above.
    async fn send(&self, method: Method, url: &str, key: &str, body: &Value) -> Option<Answer> {
        let own = [
            ("content-type", "application/json"),
            ("authorization", self.bearer.as_str()),
            ("idempotency-key", key),
        ];
        let headers = if key.is_empty() { &own[..2] } else { &own[..] };
        let mut last = String::new();
        for _ in 0..2 {
            let body = if method == Method::GET { Vec::new() } else { body.to_string().into_bytes() };
            match self.shop.try_send(method.clone(), url, headers, body).await {
                Ok(answer) if answer.status.as_u16() < 500 => return Some(answer),
                Ok(answer) => last = format!("{} {}", answer.status, answer.body),
                Err(error) => last = format!("{error:?}"),
            }
            self.told.lock().expect("not poisoned").repeated += 1;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        self.fail(format!("{url}: {last}"));
        None
    }

    fn fail(&self, what: String) {
        self.told.lock().expect("not poisoned").failures.push(what);
    }

    /// Creates a session and gives it an outcome.
    async fn sell(&self, number: u32, callbacks: &str) {
        let mut order = Shop::book(&format!("U-{number}"));
        order["callback_url"] = json!(callbacks);
        order["metadata"] = json!({ "number": number.to_string() });
        let sessions = self.shop.sessions();
        let Some(created) = self.send(Method::POST, &sessions, &format!("key-{number}"), &order).await else {
            return;
        };
        if created.status != 201 {
            return self.fail(format!("{} {}", created.status, created.body));
        }
        let id = created.text("session_id");
        let outcome = if number.is_multiple_of(3) { "failed" } else { "paid" };
        let url = format!("{sessions}/{id}/simulate");
        let Some(chosen) = self.send(Method::POST, &url, "", &json!({ "outcome": outcome })).await else {
            return;
        };
        // The first of two requests may have done it.
        if chosen.status != 200 && chosen.problem() != "409 session_not_pending" {
            return self.fail(format!("{} {}", chosen.status, chosen.body));
        }
        let url = format!("{sessions}/{id}");
        let Some(status) = self.send(Method::GET, &url, "", &Value::Null).await else { return };
        if status.status != 200 || status.text("status") != outcome {
            return self.fail(format!("{id} is {} instead of {outcome}", status.body));
        }
        self.told.lock().expect("not poisoned").ended.insert(id, (outcome, "sandbox".to_owned()));
    }

    /// Creates a live session, and pays it at the simulated bank.
    async fn sell_live(&self, number: u32, callbacks: &str, customer: &Customer) {
        let mut order = Shop::book(&format!("L-{number}"));
        order["callback_url"] = json!(callbacks);
        let sessions = self.shop.sessions();
        let Some(created) = self.send(Method::POST, &sessions, &format!("live-{number}"), &order).await
        else {
            return;
        };
        let id = created.text("session_id");
        for _ in 0..50 {
            let bank = customer.try_post(&format!("/session/{id}/pay"), &[("method", "card")]).await;
            if let Some((_, attempt)) = bank.as_deref().and_then(|url| url.split_once("/bank/")) {
                customer.try_post(&format!("/bank/{attempt}"), &[("decision", "approve")]).await;
            }
            let url = format!("{sessions}/{id}");
            let Some(status) = self.send(Method::GET, &url, "", &Value::Null).await else { return };
            if status.text("status") == "paid" {
                self.told.lock().expect("not poisoned").ended.insert(id, ("paid", "live".to_owned()));
                return;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        self.fail(format!("{id} is not paid after many tries of its customer"));
    }
}

/// The nodes, which listen on the same ports after each restart.
struct Fleet {
    cluster: Cluster,
    ports: Vec<u16>,
    /// A node has its own folder; the service is dropped first.
    nodes: Vec<(Process, Till)>,
}

impl Fleet {
    fn start(version: &Path) -> (Self, Value) {
        let cluster = Cluster::start();
        let ports = free_ports(NODES);
        let mut fleet = Self { cluster, ports, nodes: Vec::new() };
        let vendor = fleet.till(0, version).vendor();
        for number in 0..NODES {
            let node = fleet.node(number, version);
            fleet.nodes.push(node);
        }
        (fleet, vendor)
    }

    fn till(&self, number: usize, version: &Path) -> Till {
        let listen = format!("127.0.0.1:{}", self.ports[number]);
        let settings = [("TILL_LISTEN", listen.as_str()), ("TILL_ALLOW_PRIVATE_CALLBACKS", "true")];
        let mut till = Nodes::till(&self.cluster.url(), &settings);
        till.version(version);
        till
    }

    fn node(&self, number: usize, version: &Path) -> (Process, Till) {
        let till = self.till(number, version);
        (till.serve(), till)
    }

    /// Replaces one node after the other.
    async fn roll(&mut self, version: &Path) {
        for number in 0..NODES {
            let (old, folder) = self.nodes.remove(number);
            let (status, took) = tokio::task::block_in_place(|| old.terminate());
            assert!(status.success(), "{status}");
            assert!(took < Duration::from_secs(20), "{took:?}");
            drop(folder);
            let new = tokio::task::block_in_place(|| self.node(number, version));
            let ready = format!("http://127.0.0.1:{}/readyz", self.ports[number]);
            until("it is ready", async || {
                reqwest::get(&ready).await.is_ok_and(|answer| answer.status() == 200)
            })
            .await;
            self.nodes.insert(number, new);
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }
}

/// Runs clients while the nodes are replaced by each of these versions in turn, and checks that nothing was lost.
async fn roll_under_load(versions: &[PathBuf]) {
    let (mut fleet, vendor) = Fleet::start(&versions[0]);
    let balancer = LoadBalancer::start(&fleet.ports);
    let receiver = Receiver::start().await;
    let ready = format!("{}/readyz", balancer.url);
    until("the load balancer serves", async || {
        reqwest::get(&ready).await.is_ok_and(|answer| answer.status() == 200)
    })
    .await;
    let (told, stop) = (Arc::new(Mutex::new(Told::default())), Arc::new(AtomicBool::new(false)));
    let mut crowd = JoinSet::new();
    for client in 0..5 {
        let environment = if client == 0 { "live" } else { "sandbox" };
        let mut shop = Shop::new(&balancer.url, environment, Credentials::of(&vendor, environment));
        shop.log_in().await;
        let client_of = Client { bearer: shop.bearer(), shop, told: Arc::clone(&told) };
        let (stop, callbacks, url) = (Arc::clone(&stop), receiver.url("/"), balancer.url.clone());
        crowd.spawn(async move {
            let customer = Customer::new(&url);
            let mut number = client * 1_000_000;
            while !stop.load(Ordering::Relaxed) {
                number += 1;
                match environment {
                    "live" => client_of.sell_live(number, &callbacks, &customer).await,
                    _ => client_of.sell(number, &callbacks).await,
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
    }
    for version in &versions[1..] {
        fleet.roll(version).await;
    }
    stop.store(true, Ordering::Relaxed);
    crowd.join_all().await;
    let told = Arc::into_inner(told).expect("the clients have ended").into_inner().expect("not poisoned");
    // For a person who runs it alone.
    let _ = writeln!(std::io::stderr(), "{} sessions, {} requests repeated", told.ended.len(), told.repeated);
    assert_eq!(told.failures, Vec::<String>::new(), "{} requests were repeated", told.repeated);
    // Each session takes three requests or more.
    let requests = told.ended.len() * 3;
    assert!(
        told.repeated as usize * 100 <= requests,
        "{} of {requests} requests were repeated",
        told.repeated
    );
    check(&fleet, &receiver, &told).await;
}

/// Every session is as its client was told, and has one event, delivered.
async fn check(fleet: &Fleet, receiver: &Receiver, told: &Told) {
    assert!(told.ended.len() > 20, "{} sessions", told.ended.len());
    assert!(told.ended.values().any(|(_, environment)| environment == "live"));
    let events = || {
        let mut events: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for request in receiver.requests() {
            let body: Value = serde_json::from_slice(&request.body).expect("JSON");
            let session = body["sessionId"].as_str().expect("an id").to_owned();
            events.entry(session).or_default().insert(request.event());
        }
        events
    };
    until("every callback arrives", async || {
        let events = events();
        told.ended.keys().all(|id| events.contains_key(id))
    })
    .await;
    for (id, events) in events() {
        assert_eq!(events.len(), 1, "{id} has one outcome");
    }
    let shell = Shell::connect(&fleet.cluster.url()).await;
    let mut stored = BTreeMap::new();
    for environment in ["live", "sandbox"] {
        for row in shell.rows(&format!("SELECT id, status FROM {environment}.sessions")).await {
            stored.insert(row[0].trim_start_matches("\\x").to_owned(), row[1].clone());
        }
    }
    for (id, (status, _)) in &told.ended {
        assert_eq!(stored.get(&id.replace('-', "")).map(String::as_str), Some(*status), "{id}");
    }
    let till = &fleet.nodes[0].1;
    let verified = till.run(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

fn this_version() -> PathBuf {
    env!("CARGO_BIN_EXE_till").into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_and_haproxy_f3b_a_rolling_restart_of_three_nodes_fails_no_request() {
    let rounds = if std::env::var_os("TILL_TEST_LONG").is_some() { 5 } else { 1 };
    roll_under_load(&vec![this_version(); rounds + 1]).await;
}

/// `tests/upgrade/run` builds the version before, and starts this test with its path.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_previous_version_f30_nodes_are_upgraded_and_downgraded_one_by_one_under_load() {
    let before =
        std::env::var_os("TILL_PREVIOUS_BINARY").expect("TILL_PREVIOUS_BINARY: run tests/upgrade/run");
    let before = PathBuf::from(before);
    roll_under_load(&[before.clone(), this_version(), before, this_version()]).await;
}
