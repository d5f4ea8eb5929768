//! The result classes of a delivery attempt, as the operator sees them.

use super::{list, pay, results, serve, show_once};
use crate::support::{Receiver, Reply, Sink, note};
use std::time::{Duration, Instant};
use tokio::{io::AsyncWriteExt, time::sleep};

const QUICK: [(&str, &str); 2] =
    [("TILL_CALLBACK_RETRIES", "800ms,1600ms,2400ms"), ("TILL_CALLBACK_TIMEOUT", "500ms")];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f10_f13_i13_each_way_to_fail_has_its_word_and_four_attempts() {
    let (till, _service, _, shop) = serve(&QUICK).await;
    let (receiver, elsewhere) = (Receiver::start().await, Receiver::start().await);
    let mut sessions = Vec::new();
    for (path, reply, word) in [
        ("/500", Reply::Status(500), "status 500"),
        ("/404", Reply::Status(404), "status 404"),
        ("/301", Reply::Redirect(elsewhere.url("/")), "status 301"),
        ("/hang", Reply::Hang, "timeout"),
        ("/head", Reply::TrickleHead, "timeout"),
        ("/close", Reply::Close, "closed"),
        ("/reset", Reply::Reset, "closed"),
        ("/garbage", Reply::Garbage, "protocol"),
    ] {
        receiver.answer(path, &[reply]);
        sessions.push((path, pay(&shop, Some(&receiver.url(path))).await, word));
    }
    let garbage = Sink::new(|mut stream| async move {
        let _ = stream.write_all(b"\x16\x03\x01\x7f\x7f\x7f, but no TLS").await;
        let _ = stream.shutdown().await;
        sleep(Duration::from_secs(1)).await;
    });
    let encrypted = pay(&shop, Some(&garbage.url("https", "/"))).await;
    for (path, session, word) in &sessions {
        let shown = show_once(&till, session, "undelivered").await;
        assert_eq!(results(&shown), [1, 2, 3, 4].map(|number| format!("{number} {word}")), "{path}");
        let requests = receiver.at(path);
        assert_eq!(requests.iter().map(|request| request.attempt()).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert!(requests.iter().all(|request| request.body == requests[0].body), "{path}");
    }
    let shown = show_once(&till, &encrypted, "undelivered").await;
    assert_eq!(results(&shown), ["1 tls", "2 tls", "3 tls", "4 tls"]);
    assert_eq!(garbage.accepted(), 4);
    assert!(elsewhere.requests().is_empty(), "a redirect is not followed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_good_answer_is_enough_whatever_its_body_does() {
    const EACH: usize = 60;
    let settings = [("TILL_CALLBACK_RETRIES", "1s,2s,3s"), ("TILL_CALLBACK_TIMEOUT", "2s")];
    let (till, service, _, shop) = serve(&settings).await;
    let receiver = Receiver::start().await;
    receiver.answer("/warm", &[Reply::Status(204)]);
    for _ in 0..EACH {
        pay(&shop, Some(&receiver.url("/warm"))).await;
    }
    receiver.wait("/warm", EACH).await;
    let (before, mut most) = (service.memory(), 0);
    for (path, reply) in [("/trickle", Reply::Trickle), ("/flood", Reply::Flood)] {
        receiver.answer(path, &[reply]);
        for _ in 0..EACH {
            pay(&shop, Some(&receiver.url(path))).await;
            most = most.max(service.memory());
        }
    }
    // Until a second attempt would have come.
    let end = Instant::now() + Duration::from_secs(4);
    while Instant::now() < end {
        most = most.max(service.memory());
        sleep(Duration::from_millis(20)).await;
    }
    for path in ["/trickle", "/flood"] {
        assert_eq!(receiver.at(path).len(), EACH, "{path}: each came once");
    }
    let delivered = list(&till, &["--state", "delivered", "--limit", "1000"]);
    assert_eq!(delivered.len(), 3 * EACH);
    assert!(delivered.iter().all(|line| line["attempts"] == 1), "{delivered:?}");
    note(&format!("beside {EACH} floods: {before} KiB before, {most} KiB at most"));
    assert!(most < before + 24 * 1024, "{before} KiB before, {most} KiB at most");
}
