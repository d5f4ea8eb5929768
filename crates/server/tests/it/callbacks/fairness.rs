//! A vendor whose receivers hang keeps nobody else waiting.

use super::{create, pay, serve};
use crate::support::{Receiver, Reply, Shop, note};
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::{task::JoinSet, time::sleep};

const LIMIT: usize = 16;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p11_receivers_that_hang_keep_no_other_vendor_waiting_and_the_limit_of_a_host_holds() {
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
    let (hanging, fine) = (Receiver::start().await, Receiver::start().await);
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
    assert!(max < Duration::from_secs(2), "{max:?}");
    assert!(most <= LIMIT, "{most} at once");
}

/// Pays so many sessions through 32 clients.
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
