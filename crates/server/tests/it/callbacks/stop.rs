//! A service that is asked to stop while receivers hang.

use super::{pay, serve, show_once};
use crate::support::{Receiver, Reply, note};
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

/// Calls a service again and again, each time by a new connection, and returns the moment of its last answer.
fn ask_until_it_ends(url: &str) -> Instant {
    let (address, mut last) = (url.strip_prefix("http://").expect("a URL").to_owned(), Instant::now());
    let ask = || -> std::io::Result<usize> {
        let mut stream = TcpStream::connect(&address)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")?;
        stream.read_to_end(&mut Vec::new())
    };
    while ask().is_ok_and(|bytes| bytes > 0) {
        last = Instant::now();
        std::thread::sleep(Duration::from_millis(5));
    }
    last
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f3_a_receiver_that_hangs_costs_a_restart_no_time_without_service() {
    let (_till, service, _, shop) = serve(&[("TILL_CALLBACK_TIMEOUT", "20s")]).await;
    let receiver = Receiver::start().await;
    receiver.answer("/", &[Reply::Hang]);
    pay(&shop, Some(&receiver.url("/"))).await;
    receiver.wait("/", 1).await;
    let url = service.url.clone();
    let asking = tokio::task::spawn_blocking(move || ask_until_it_ends(&url));
    let ending = tokio::task::spawn_blocking(move || (service.terminate(), Instant::now()));
    let ((status, took), ended) = ending.await.expect("no panic");
    let served = asking.await.expect("no panic");
    assert!(status.success(), "{status}");
    assert!(took >= Duration::from_secs(2), "callbacks under way get two seconds: {took:?}");
    let without = ended.saturating_duration_since(served);
    note(&format!("ended {took:?} after the signal, the last {without:?} without service"));
    assert!(without < Duration::from_secs(3), "{without:?} of {took:?} without service");
}

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
