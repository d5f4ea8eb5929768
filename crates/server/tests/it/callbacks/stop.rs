//! A service that is asked to stop while receivers hang.

use super::{pay, serve, show_once};
use crate::support::{Receiver, Reply};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_stops_within_10_s_although_receivers_hang_and_the_next_one_delivers() {
    let settings =
        [("TILL_CALLBACK_RETRIES", "1s,2s,3s"), ("TILL_LEASE", "1s"), ("TILL_CALLBACK_TIMEOUT", "12s")];
    let (mut till, service, _, shop) = serve(&settings).await;
    let receiver = Receiver::start().await;
    receiver.answer("/", &vec![Reply::Hang; 50]);
    let mut sessions = Vec::new();
    for _ in 0..50 {
        sessions.push(pay(&shop, Some(&receiver.url("/"))).await);
    }
    receiver.wait("/", 50).await;
    receiver.answer("/", &[Reply::Status(204)]);
    let (status, took) = service.terminate();
    assert!(status.success() && took < Duration::from_secs(10), "{status} after {took:?}");
    let _service = till.set("TILL_CALLBACK_TIMEOUT", "1s").serve();
    let requests = receiver.wait("/", 100).await;
    assert!(requests[50..].iter().all(|request| request.attempt() == 2));
    for session in &sessions {
        show_once(&till, session, "delivered").await;
    }
    assert_eq!(receiver.requests().len(), 100);
}
