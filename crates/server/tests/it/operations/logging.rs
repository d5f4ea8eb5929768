//! A service whose standard error is not read.

use crate::support::{Credentials, Shop, Till};
use reqwest::Method;
use serde_json::json;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStderr, Stdio},
    time::Duration,
};
use tokio::time::timeout;

/// More lines than the pipe and the buffer hold.
const LINES: usize = 6_000;

/// A service whose log is read until it says where it listens, and no further.
struct Unread {
    child: Child,
    log: Option<BufReader<ChildStderr>>,
    url: String,
    metrics: String,
}

impl Unread {
    fn start(till: &Till) -> Self {
        let mut command = till.command(&["serve"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut log = BufReader::new(child.stderr.take().expect("a log"));
        let mut find = |before: &str| loop {
            let mut line = String::new();
            assert!(log.read_line(&mut line).expect("a line") > 0, "the service ended");
            if let Some((_, rest)) = line.split_once(before) {
                break rest.split_whitespace().next().expect("an address").to_owned();
            }
        };
        let (url, metrics) = (find(" serves "), find("metrics are at "));
        Self { child, log: Some(log), url, metrics }
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a broken request, which makes a log line at the level `debug`.
fn break_off(url: &str) {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").expect("a URL")).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    stream.write_all(b"nonsense\r\n\r\n").expect("sent");
    let answer = stream.read(&mut [0; 64]);
    let waits = answer.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
    assert!(!waits, "nothing waits for the log");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f34_a_log_that_nobody_reads_costs_log_lines_and_nothing_else() {
    let mut till = Till::new();
    till.set("TILL_METRICS_LISTEN", "127.0.0.1:0").set("TILL_LOG", "debug").set("TILL_RATE_LIMITS", "off");
    let vendor = till.vendor();
    let mut service = Unread::start(&till);
    let url = service.url.clone();
    tokio::task::spawn_blocking(move || (0..LINES).for_each(|_| break_off(&url))).await.expect("no panic");
    let mut shop = Shop::new(&service.url, "sandbox", Credentials::of(&vendor, "sandbox"));
    let requests = async {
        shop.log_in().await;
        for _ in 0..50 {
            let id = shop.order("A-1").await;
            assert_eq!(shop.simulate(&id, &json!({ "outcome": "paid" })).await.status, 200);
            assert_eq!(shop.status(&id).await.text("status"), "paid");
        }
        let ready = shop.send(Method::GET, &format!("{}/readyz", service.url), &[], vec![]).await;
        let metrics = shop.send(Method::GET, &service.metrics, &[], vec![]).await.body;
        (ready.status, metrics)
    };
    let (ready, metrics) =
        timeout(Duration::from_secs(60), requests).await.expect("nothing waits for the log");
    assert_eq!(ready, 200);
    let dropped = metrics.lines().find_map(|line| line.strip_prefix("till_log_lines_dropped_total "));
    let dropped: usize = dropped.expect("a counter").parse().expect("a number");
    assert!(dropped > 0, "they are counted");
    // A reader that continues finds the lines that the buffer kept, whole, and new ones.
    let mut log = service.log.take().expect("nobody reads it");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        log.read_to_string(&mut text).expect("text");
        text
    });
    shop.order("A-2").await;
    drop(service);
    let text = reader.join().expect("no panic");
    assert!(text.lines().filter(|line| line.contains("DEBUG")).count() > 100, "{}", text.len());
}
