//! Acknowledged sessions survive: kill -9 in the middle of creates, and an audit of system calls that shows
//! the sync before each reply. A kill alone proves little, because the page cache outlives a process; the
//! audit shows that a power cut would lose nothing either.

use crate::support::{Credentials, MASTER_KEY, Process, Shop, Till};
use serde_json::Value;
use std::{
    collections::HashMap,
    fs,
    io::Write,
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
    time::Duration,
};
use till::app::{App, AppOptions};
use till_service::settings::Settings;
use till_store::Durability;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f1_p2_no_acknowledged_session_is_lost_by_20_kills() {
    let mut till = Till::new();
    till.set("TILL_RATE_LIMITS", "off").set("TILL_SIMULATOR", "on");
    let vendor = till.vendor();
    let environment = |round: u64| ["live", "sandbox"][usize::try_from(round % 2).expect("small")];
    let mut acknowledged: Vec<(&str, String)> = Vec::new();
    for round in 0..20 {
        let service = till.serve();
        let ids = create_until_killed(service, environment(round), &vendor, 40 + 17 * round).await;
        assert!(!ids.is_empty(), "round {round} created something before the kill");
        acknowledged.extend(ids.into_iter().map(|id| (environment(round), id)));
    }
    let service = till.serve();
    let mut shops = HashMap::new();
    for name in ["live", "sandbox"] {
        let mut shop = service.shop(name, &vendor);
        shop.log_in().await;
        shops.insert(name, shop);
    }
    for (environment, id) in &acknowledged {
        assert_eq!(shops[environment].status(id).await.status, 200, "{environment} {id} was acknowledged");
    }
    service.terminate();
    let healthy = till.json(&["doctor", "--min-free", "0"]);
    assert_eq!(healthy["ok"], true, "{healthy}");
}

/// 64 clients create without a pause; the service is killed meanwhile. Returns the acknowledged ids.
async fn create_until_killed(
    service: Process,
    environment: &str,
    vendor: &Value,
    after_ms: u64,
) -> Vec<String> {
    let mut shop = service.shop(environment, vendor);
    shop.log_in().await;
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..64 {
        let (shop, acknowledged) = (shop.clone(), Arc::clone(&acknowledged));
        let bearer = format!("Bearer {}", shop.token);
        let body = Shop::book(&format!("A-{client}")).to_string().into_bytes();
        clients.spawn(async move {
            let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
            while let Ok(answer) =
                shop.try_send(reqwest::Method::POST, &shop.sessions(), &headers, body.clone()).await
            {
                assert_eq!(answer.status, 201, "{}", answer.body);
                acknowledged.lock().expect("not poisoned").push(answer.text("session_id"));
            }
        });
    }
    while acknowledged.lock().expect("not poisoned").len() < 64 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(after_ms)).await;
    service.kill();
    clients.join_all().await;
    Arc::into_inner(acknowledged).expect("the clients are done").into_inner().expect("not poisoned")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_strace_f2_every_reply_leaves_after_the_sync_of_its_row() {
    let till = prepared();
    let binary = [env!("CARGO_BIN_EXE_till"), "serve"];
    let audit = audit(&till, &binary).await;
    assert_eq!((audit.replies, audit.written, audit.unsynced), (200, 200, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_strace_f2_the_audit_notices_a_store_that_does_not_sync() {
    let till = prepared();
    let this = std::env::current_exe().expect("this test binary");
    let this = this.to_str().expect("a path of text");
    let binary = [this, "operations::crash::serve_without_sync", "--ignored", "--exact", "--nocapture"];
    let audit = audit(&till, &binary).await;
    assert_eq!((audit.replies, audit.written, audit.unsynced), (200, 200, 200));
}

#[test]
#[ignore = "not a test: the service that the audit above must find wanting"]
fn serve_without_sync() {
    let settings = Settings::load(None, std::env::vars()).expect("good settings");
    let options = AppOptions { durability: Durability::Off, refuse_weak: false, ..AppOptions::default() };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let app = App::start(settings, options).await.expect("it starts");
        writeln!(std::io::stderr(), " serves {}", app.base_url()).expect("a reader");
        let (_stop, stopped) = tokio::sync::watch::channel(false);
        app.run(stopped).await;
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i26_a_store_that_does_not_sync_is_refused_at_start_up() {
    let till = Till::new();
    let variables = [
        ("TILL_DATA_DIR", till.folder().to_str().expect("a path of text")),
        ("TILL_LISTEN", "127.0.0.1:0"),
        ("TILL_MASTER_KEY", MASTER_KEY),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let settings = Settings::load(None, variables).expect("good settings");
    let weak = AppOptions { durability: Durability::Off, ..AppOptions::default() };
    let error = App::start(settings, weak).await.expect_err("refused").to_string();
    assert!(error.contains("is not durable") && error.contains("FULL"), "{error}");
}

fn prepared() -> Till {
    let mut till = Till::new();
    till.set("TILL_RATE_LIMITS", "off");
    till
}

/// The result of an audit.
#[derive(Debug)]
struct Audit {
    /// Replies to a create.
    replies: usize,
    /// Rows whose write to the write-ahead log was seen.
    written: usize,
    /// Replies that left before their row was synced.
    unsynced: usize,
}

/// Serves under strace, creates 200 sessions, 8 at a time, and reads the trace.
async fn audit(till: &Till, binary: &[&str]) -> Audit {
    let vendor = till.vendor();
    let trace = till.file("trace.txt");
    let mut command = Command::new("strace");
    till.prepare(&mut command);
    command.args(["-D", "-f", "-y", "-xx", "-s", "9000", "-o"]).arg(&trace);
    command.args(["-e", "trace=fdatasync,fsync,pwrite64,write,writev,sendto,sendmsg", "--"]).args(binary);
    let service = Process::start(command);
    let mut shop = Shop::new(&service.url, "sandbox", Credentials::of(&vendor, "sandbox"));
    shop.log_in().await;
    let mut ids = Vec::new();
    for _ in 0..25 {
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let shop = shop.clone();
            calls.spawn(async move { shop.order("A-1").await });
        }
        ids.extend(calls.join_all().await);
    }
    service.kill();
    read_trace(&trace, &ids)
}

/// Bytes as strace shows them.
fn shown(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect()
}

/// Checks for each session that its row was written to the log, and that a sync of that file began after that
/// and ended before the reply began.
fn read_trace(path: &Path, ids: &[String]) -> Audit {
    let text = fs::read_to_string(path).expect("a trace");
    let lines: Vec<&str> = text.lines().collect();
    let syncs = find_syncs(&lines);
    let mut audit = Audit { replies: 0, written: 0, unsynced: 0 };
    for id in ids {
        let row = shown(&hex::decode(id.replace('-', "")).expect("hex digits"));
        let written = lines.iter().position(|l| l.contains("pwrite64(") && is_log(l) && l.contains(&row));
        let text = shown(id.as_bytes());
        let created = shown(b"HTTP/1.1 201");
        let replied = lines.iter().position(|l| l.contains(&created) && l.contains(&text));
        let replied = replied.unwrap_or_else(|| panic!("no reply for {id} in the trace"));
        let synced = written
            .is_some_and(|written| syncs.iter().any(|(began, ended)| *began > written && *ended < replied));
        audit.replies += 1;
        audit.written += usize::from(written.is_some());
        audit.unsynced += usize::from(!synced);
    }
    audit
}

/// True if a call is about the sandbox's write-ahead log; its path is shown like all bytes.
fn is_log(line: &str) -> bool {
    line.contains(&shown(b"sandbox.db-wal"))
}

/// The begin and end of each sync of a log file, as positions in the trace.
fn find_syncs(lines: &[&str]) -> Vec<(usize, usize)> {
    let mut running: HashMap<&str, usize> = HashMap::new();
    let mut syncs = Vec::new();
    for (position, line) in lines.iter().enumerate() {
        let process = line.split_whitespace().next().unwrap_or("");
        let begins = line.contains("sync(") && is_log(line);
        if begins && line.contains("<unfinished") {
            running.insert(process, position);
        } else if begins && line.ends_with("= 0") {
            syncs.push((position, position));
        } else if line.contains("sync resumed>")
            && line.ends_with("= 0")
            && let Some(began) = running.remove(process)
        {
            syncs.push((began, position));
        }
    }
    syncs
}
