//! A node that hangs in the middle of a send: another one takes over, and the late result of the first is
//! refused by the fencing token.

use super::{SETTINGS, pay, results, show, show_once};
use crate::support::{Nodes, Receiver, Reply};
use std::time::{Duration, Instant};
use tokio::time::sleep;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_p7_i16_f14_a_frozen_node_is_taken_over_and_its_late_result_is_refused() {
    let quick =
        [("TILL_CALLBACK_RETRIES", "1s,2s,3s"), ("TILL_LEASE", "1s"), ("TILL_CALLBACK_TIMEOUT", "2s")];
    // The first node alone at first, so that it is the one that sends.
    let mut nodes = Nodes::with(&[&SETTINGS[..], &quick].concat(), &[&[]]);
    let shops = nodes.shops("sandbox").await;
    let receiver = Receiver::start().await;
    receiver.answer("/", &[Reply::Hang, Reply::Status(204)]);
    let session = pay(&shops[0], Some(&receiver.url("/"))).await;
    receiver.wait("/", 1).await;
    nodes.services[0].freeze();
    nodes.services.push(nodes.till.serve());
    let requests = receiver.wait("/", 2).await;
    let attempts: Vec<u32> = requests.iter().map(|request| request.attempt()).collect();
    assert_eq!(attempts, [1, 2]);
    assert_eq!(requests[0].body, requests[1].body);
    let waited = requests[1].start - requests[0].start;
    assert!(waited > Duration::from_secs(6), "the lease is the timeout and 5 s: {waited:?}");
    let taken_over = ["1 interrupted", "2 delivered 204"];
    assert_eq!(results(&show_once(&nodes.till, &session, "delivered").await), taken_over);
    nodes.services[0].thaw();
    let give_up = Instant::now() + Duration::from_secs(15);
    while !nodes.services[0].log().contains("came too late: another node took it over") {
        assert!(Instant::now() < give_up, "{}", nodes.services[0].log());
        sleep(Duration::from_millis(50)).await;
    }
    sleep(Duration::from_secs(1)).await;
    let shown = show(&nodes.till, &session);
    assert_eq!(
        (shown["state"].as_str(), results(&shown)),
        (Some("delivered"), taken_over.map(String::from).to_vec())
    );
    assert_eq!(receiver.requests().len(), 2, "nobody sent it again");
}
