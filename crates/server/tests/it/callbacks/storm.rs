//! Many outcomes while the service is killed: each event reaches its receiver, with the same bytes each time,
//! and never twice at once.

use super::{SETTINGS, list, till};
use crate::support::{Nodes, Received, Receiver, Reply, Shop, Till, note, signature};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use till_testing::cluster::Cluster;
use tokio::{sync::watch, task::JoinSet, time::sleep};

const CLIENTS: usize = 32;

const SESSIONS: usize = 2_000;

const QUICK: [(&str, &str); 3] =
    [("TILL_CALLBACK_RETRIES", "1s,2s,3s"), ("TILL_LEASE", "1s"), ("TILL_CALLBACK_TIMEOUT", "500ms")];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p5_i13_i14_f14_every_event_arrives_although_the_service_is_killed() {
    storm(&till(&QUICK), "SQLite").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_p5_i13_i14_f14_every_event_arrives_although_the_service_is_killed() {
    let cluster = Cluster::start();
    storm(&Nodes::till(&cluster.url(), &[&SETTINGS[..], &QUICK].concat()), "PostgreSQL").await;
}

/// Gives every session its outcome, and kills the service after a third and after two thirds of them.
async fn storm(till: &Till, engine: &str) {
    let (vendor, receiver, total) = (till.vendor(), Receiver::start().await, SESSIONS);
    let mut service = till.serve();
    let mut shop = service.shop("sandbox", &vendor);
    shop.log_in().await;
    let ids = create(&shop, &receiver, total).await;
    let began = Instant::now();
    let (address, at) = watch::channel(service.url.clone());
    let (next, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (shop, at, ids) = (shop.clone(), at.clone(), Arc::clone(&ids));
        let (next, done) = (Arc::clone(&next), Arc::clone(&done));
        clients.spawn(async move {
            while let Some(id) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
                finish(&shop, &at, id).await;
                done.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    for kill in 1..=2 {
        while done.load(Ordering::Relaxed) < total * kill / 3 {
            sleep(Duration::from_millis(2)).await;
        }
        service.kill();
        service = till.serve();
        address.send_replace(service.url.clone());
    }
    clients.join_all().await;
    let give_up = Instant::now() + Duration::from_secs(60);
    let on_their_way = |state| !list(till, &["--state", state, "--limit", "1"]).is_empty();
    while on_their_way("queued") || on_their_way("sending") {
        assert!(Instant::now() < give_up, "some are still on their way: {}", service.log());
        sleep(Duration::from_millis(250)).await;
    }
    let (took, requests) = (began.elapsed(), receiver.requests());
    let duplicates = requests.len().saturating_sub(total);
    note(&format!(
        "{engine}: {total} events, {} requests, {duplicates} of them again, in {took:?}",
        requests.len()
    ));
    let events = list(till, &["--limit", "10000"]);
    assert_stored(&ids, &events);
    let secret = vendor["sandbox"]["client_secret"].as_str().expect("a secret");
    assert_received(&events, requests, secret);
    assert!(duplicates >= total / 10, "the flaky receivers alone make for more than {duplicates}");
}

/// Creates sessions with a receiver path each; every tenth fails at first, and all answer after a moment.
async fn create(shop: &Shop, receiver: &Receiver, total: usize) -> Arc<Vec<String>> {
    let (next, mut clients) = (Arc::new(AtomicUsize::new(0)), JoinSet::new());
    for _ in 0..CLIENTS {
        let (shop, receiver, next) = (shop.clone(), receiver.clone(), Arc::clone(&next));
        clients.spawn(async move {
            let mut ids = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= total {
                    return ids;
                }
                let (path, fine) = (format!("/{index}"), Reply::After(Duration::from_millis(30), 204));
                match index % 10 {
                    0 => receiver.answer(&path, &[Reply::Status(500), fine]),
                    _ => receiver.answer(&path, &[fine]),
                }
                ids.push(super::create(&shop, Some(&receiver.url(&path))).await);
            }
        });
    }
    Arc::new(clients.join_all().await.into_iter().flatten().collect())
}

/// Finishes a session, retrying for as long as the service is down.
async fn finish(shop: &Shop, at: &watch::Receiver<String>, id: &str) {
    let body = match id.as_bytes().last() {
        Some(b'0'..=b'7') => json!({ "outcome": "paid" }),
        _ => json!({ "outcome": "failed", "failure_reason": "insufficient_funds" }),
    };
    loop {
        let shop = shop.at(&at.borrow().clone());
        let bearer = format!("Bearer {}", shop.token);
        let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        let url = format!("{}/{id}/simulate", shop.sessions());
        let answer = shop.try_send(reqwest::Method::POST, &url, &headers, body.to_string().into()).await;
        match answer.map(|answer| answer.outcome()).as_deref() {
            // The second answer means that the outcome was stored before the first answer was lost.
            Ok("200" | "409 session_not_pending") => return,
            Ok(other) => panic!("{id}: {other}"),
            Err(_) => sleep(Duration::from_millis(20)).await,
        }
    }
}

/// Checks that every session has one event, and that it was delivered.
fn assert_stored(ids: &[String], events: &[Value]) {
    let mut of_session: HashMap<&str, usize> = HashMap::new();
    for event in events {
        assert_eq!(event["state"], "delivered", "{event}");
        *of_session.entry(event["session_id"].as_str().expect("an id")).or_default() += 1;
    }
    assert!(ids.iter().all(|id| of_session.get(id.as_str()) == Some(&1)), "one event for each session");
    assert_eq!(events.len(), ids.len());
}

/// Checks that every event arrived, with the same signed bytes each time, one attempt after the other.
fn assert_received(events: &[Value], requests: Vec<Received>, secret: &str) {
    let mut of_event: BTreeMap<String, Vec<Received>> = BTreeMap::new();
    for request in requests {
        assert_eq!(request.header("x-signature"), signature(secret, &request.body));
        of_event.entry(request.event()).or_default().push(request);
    }
    assert_eq!(of_event.len(), events.len(), "every event arrived, and nothing else did");
    for event in events {
        let id = event["event_id"].as_str().expect("an id");
        let requests = of_event.get(id).unwrap_or_else(|| panic!("{id} never arrived"));
        for pair in requests.windows(2) {
            let [before, after] = pair else { unreachable!("two") };
            assert_eq!((&before.path, &before.body), (&after.path, &after.body), "{id}: the same bytes");
            assert!(before.attempt() < after.attempt(), "{id}: the attempts rise");
            assert!(before.end.is_some_and(|end| end <= after.start), "{id}: twice at once");
        }
        let last = requests.last().map(Received::attempt);
        assert_eq!(last.map(u64::from), event["attempts"].as_u64(), "{id}: the last one is stored");
    }
}
