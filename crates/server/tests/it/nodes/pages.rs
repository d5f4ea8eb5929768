//! A page that is open on one node soon shows what was committed on another, without polling.

use crate::support::Nodes;
use serde_json::json;
use std::time::{Duration, Instant};

/// The next word of an event stream.
async fn next_word(stream: &mut reqwest::Response, read: &mut String) -> String {
    loop {
        if let Some((line, rest)) = read.split_once('\n') {
            let word = line.strip_prefix("data: ").map(str::to_owned);
            *read = rest.to_owned();
            match word {
                Some(word) => return word,
                None => continue,
            }
        }
        let bytes = stream.chunk().await.expect("a stream").expect("more of it");
        read.push_str(std::str::from_utf8(&bytes).expect("text"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_a_page_on_one_node_is_notified_within_a_second_of_what_another_committed() {
    let nodes = Nodes::start(&[]);
    let shops = nodes.shops("sandbox").await;
    let http = reqwest::Client::new();
    let mut worst = Duration::ZERO;
    for round in 0..10 {
        let (here, there) = (round % 2, (round + 1) % 2);
        let id = shops[here].order(&format!("A-{round}")).await;
        let events = format!("{}/sandbox/session/{id}/events", nodes.services[here].url);
        let mut stream = http.get(events).send().await.expect("an answer");
        assert_eq!(stream.headers()["content-type"], "text/event-stream");
        let mut read = String::new();
        assert_eq!(next_word(&mut stream, &mut read).await, "methods.cardr");
        let committed = Instant::now();
        assert_eq!(shops[there].simulate(&id, &json!({ "outcome": "paid" })).await.text("status"), "paid");
        let word = tokio::time::timeout(Duration::from_secs(1), next_word(&mut stream, &mut read)).await;
        assert_eq!(word.expect("it is told within a second"), "paid");
        worst = worst.max(committed.elapsed());
        assert!(stream.chunk().await.expect("an end").is_none(), "there is nothing more to tell");
    }
    crate::support::note(&format!("a page on another node was told within {worst:?}"));
}
