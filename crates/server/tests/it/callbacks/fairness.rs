//! A vendor whose receivers hang delays no other vendor's callbacks.

use super::{SETTINGS, create, pay, serve, till};
use crate::support::{Nodes, Process, Receiver, Reply, Shop, Till, note};
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::{task::JoinSet, time::sleep};

const LIMIT: usize = 16;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f11_p11_receivers_that_hang_keep_no_other_vendor_waiting_and_the_limit_of_a_host_holds() {
    let limit = LIMIT.to_string();
    let settings = [
        ("TILL_CALLBACK_TIMEOUT", "3s"),
        ("TILL_CALLBACK_LIMIT", "64"),
        ("TILL_CALLBACK_LIMIT_VENDOR", "32"),
        ("TILL_CALLBACK_LIMIT_HOST", &limit),
    ];
    let (till, service, _, slow) = serve(&settings).await;
    let vendor = till.vendor();
    let mut quick = service.shop("sandbox", &vendor);
    quick.log_in().await;
    let (hanging, fine) = (Receiver::on("127.0.0.2").await, Receiver::start().await);
    hanging.answer("/", &[Reply::Hang]);
    pay_many(&slow, &hanging.url("/"), 1_000).await;
    assert!(hanging.requests().len() >= LIMIT, "they are being sent");
    let mut waits = Vec::new();
    for number in 0..40 {
        let path = format!("/{number}");
        let id = create(&quick, Some(&fine.url(&path))).await;
        let committed = Instant::now();
        assert_eq!(quick.simulate(&id, &json!({ "outcome": "paid" })).await.status, 200);
        waits.push(fine.wait(&path, 1).await[0].start.saturating_duration_since(committed));
        sleep(Duration::from_millis(50)).await;
    }
    waits.sort();
    let requests = hanging.requests();
    let at_once =
        |at: Instant| requests.iter().filter(|r| r.start <= at && r.end.is_none_or(|end| end > at)).count();
    let most = requests.iter().map(|request| at_once(request.start)).max().unwrap_or(0);
    let (median, max) = (waits[waits.len() / 2], waits[waits.len() - 1]);
    note(&format!(
        "beside a host that hangs: median {median:?}, at most {max:?}; {} requests at the hanging host, at \
         most {most} at once",
        requests.len()
    ));
    assert_prompt(&waits);
    assert!(most <= LIMIT, "{most} at once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p11_150_hanging_receivers_of_one_vendor_delay_no_other_vendor_on_the_same_host() {
    let (till, service, _, slow) = serve(&[]).await;
    let quick = shop(&till, &service).await;
    let receiver = Receiver::start().await;
    receiver.answer("/hanging", &[Reply::Hang]);
    pay_many(&slow, &receiver.url("/hanging"), 150).await;
    receiver.wait("/hanging", 64).await;
    let waits = few(&quick, &receiver, 10).await;
    note(&format!("beside 150 hanging callbacks to the same host: {waits:?}"));
    assert_prompt(&waits);
    let hanging = receiver.requests().iter().filter(|request| request.path == "/hanging").count();
    assert_eq!(hanging, 64, "the limit per vendor and host holds");
}

/// A callback that waited for those of others would wait for seconds, until they time out. On a busy machine
/// a single one can be late.
fn assert_prompt(sorted: &[Duration]) {
    assert!(sorted[sorted.len() / 2] < Duration::from_secs(1), "{sorted:?}");
    assert!(sorted[sorted.len() - 1] < Duration::from_secs(10), "{sorted:?}");
}

/// A service on one of the engines that sends at most 64 callbacks at once.
fn small(postgres: bool, vendor_limit: &str) -> (Option<Nodes>, Till, Process) {
    let limits = [
        ("TILL_CALLBACK_LIMIT", "64"),
        ("TILL_CALLBACK_LIMIT_VENDOR", vendor_limit),
        ("TILL_CALLBACK_LIMIT_HOST", "64"),
        ("TILL_CALLBACK_TIMEOUT", "15s"),
    ];
    if !postgres {
        let till = till(&limits);
        let service = till.serve();
        return (None, till, service);
    }
    let mut nodes = Nodes::with(&[&SETTINGS[..], &limits].concat(), &[&[]]);
    let till = Nodes::till(&nodes.cluster.url(), &[]);
    let service = nodes.services.remove(0);
    (Some(nodes), till, service)
}

async fn shop(till: &Till, service: &Process) -> Shop {
    let mut shop = service.shop("sandbox", &till.vendor());
    shop.log_in().await;
    shop
}

/// The delays of a few callbacks of a vendor, sent one after the other.
async fn few(shop: &Shop, receiver: &Receiver, count: usize) -> Vec<Duration> {
    let mut waits = Vec::new();
    for number in 0..count {
        let path = format!("/{number}");
        let id = create(shop, Some(&receiver.url(&path))).await;
        let committed = Instant::now();
        assert_eq!(shop.simulate(&id, &json!({ "outcome": "paid" })).await.status, 200);
        waits.push(receiver.wait(&path, 1).await[0].start.saturating_duration_since(committed));
    }
    waits.sort();
    waits
}

/// A vendor with many older events and a slow receiver; its limit is as high as that of all vendors together.
async fn check_backlog(postgres: bool) {
    let (_nodes, till, service) = small(postgres, "64");
    let (busy, quick) = (shop(&till, &service).await, shop(&till, &service).await);
    let (slow, fine) = (Receiver::start().await, Receiver::start().await);
    slow.answer("/", &[Reply::After(Duration::from_millis(1_000), 204)]);
    pay_many(&busy, &slow.url("/"), 800).await;
    let waits = few(&quick, &fine, 10).await;
    let left = 800 - slow.requests().len();
    note(&format!("beside {left} older events of another vendor: {waits:?}"));
    assert!(left > 300, "there was a backlog all the time: {left}");
    assert_prompt(&waits);
}

/// Several vendors with hanging receivers, enough to use up the limit of all vendors.
async fn check_full(postgres: bool) {
    let (_nodes, till, service) = small(postgres, "16");
    let quick = shop(&till, &service).await;
    let (hanging, fine) = (Receiver::start().await, Receiver::start().await);
    let mut dead = Vec::new();
    for number in 0..6 {
        let path = format!("/{number}");
        hanging.answer(&path, &[Reply::Hang]);
        let shop = shop(&till, &service).await;
        pay_many(&shop, &hanging.url(&path), 30).await;
        dead.push(shop);
    }
    let waits = few(&quick, &fine, 10).await;
    let sent = hanging.requests().len();
    note(&format!("beside {sent} requests that hang: {waits:?}"));
    assert!((48..64).contains(&sent), "most of the room is used, and not all: {sent}");
    assert_prompt(&waits);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p11_a_backlog_of_older_events_keeps_no_other_vendor_waiting() {
    check_backlog(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_p11_a_backlog_of_older_events_keeps_no_other_vendor_waiting() {
    check_backlog(true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p11_however_many_vendors_hang_there_is_room_for_another() {
    check_full(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_p11_however_many_vendors_hang_there_is_room_for_another() {
    check_full(true).await;
}

/// Pays this many sessions through 32 clients.
async fn pay_many(shop: &Shop, url: &str, count: usize) {
    let mut clients = JoinSet::new();
    for client in 0..32 {
        let (shop, url) = (shop.clone(), url.to_owned());
        clients.spawn(async move {
            for _ in (client..count).step_by(32) {
                pay(&shop, Some(&url)).await;
            }
        });
    }
    clients.join_all().await;
}
