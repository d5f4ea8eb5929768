//! The retry schedule of callbacks: retries, giving up, and one more attempt by hand.

use super::{list, pay, results, serve, show_once};
use crate::support::{Receiver, Reply};
use std::time::Duration;

const RETRIES: (&str, &str) = ("TILL_CALLBACK_RETRIES", "300ms,900ms,1500ms");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p8_i13_four_attempts_at_their_times_and_a_fifth_by_hand_with_the_same_bytes() {
    let (till, _service, _, shop) = serve(&[RETRIES]).await;
    let receiver = Receiver::start().await;
    receiver.answer("/", &[Reply::Status(500)]);
    let session = pay(&shop, Some(&receiver.url("/"))).await;
    let shown = show_once(&till, &session, "undelivered").await;
    assert_eq!(results(&shown), ["1 status 500", "2 status 500", "3 status 500", "4 status 500"]);
    let requests = receiver.at("/");
    let attempts: Vec<u32> = requests.iter().map(|request| request.attempt()).collect();
    assert_eq!(attempts, [1, 2, 3, 4]);
    for (request, at) in requests.iter().zip([0_u64, 300, 900, 1_500]) {
        let (came, at) = (request.start - requests[0].start, Duration::from_millis(at));
        let fine = at.saturating_sub(Duration::from_millis(100))..at + Duration::from_millis(500);
        assert!(fine.contains(&came), "attempt {} came after {came:?}, not {at:?}", request.attempt());
    }
    let undelivered = list(&till, &["--state", "undelivered"]);
    assert_eq!((undelivered.len(), &undelivered[0]["attempts"]), (1, &4.into()));
    assert_eq!(undelivered[0]["session_id"], session.as_str());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(receiver.requests().len(), 4, "no more without being asked");

    let id = shown["event_id"].as_str().expect("an id");
    let resend = |options: &[&str]| {
        let resent = till.json(&[&["callback", "resend", "--env", "sandbox"], options].concat());
        resent["resent"].clone()
    };
    assert_eq!(resend(&[id]), 1);
    let requests = receiver.wait("/", 5).await;
    assert_eq!(requests[4].attempt(), 5);
    show_once(&till, &session, "undelivered").await;
    receiver.answer("/", &[Reply::Status(204)]);
    assert_eq!(resend(&["--all", "--since", "2h"]), 1);
    let requests = receiver.wait("/", 6).await;
    assert_eq!(requests[5].attempt(), 6);
    assert!(requests.iter().all(|request| request.body == requests[0].body), "always the same bytes");
    let shown = show_once(&till, &session, "delivered").await;
    assert_eq!(results(&shown)[4..], ["5 status 500", "6 delivered 204"]);
    assert_eq!(resend(&["--all"]), 0, "nothing is undelivered any more");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_callback_on_its_way_or_without_an_address_is_not_sent_by_hand() {
    let (till, _service, _, shop) = serve(&[]).await;
    let receiver = Receiver::start().await;
    receiver.answer("/", &[Reply::Status(500)]);
    for (url, state, sentence) in [
        (Some(receiver.url("/")), "queued", "is still being sent: Till retries it automatically"),
        (None, "no_target", "has no callback URL: none was set when the session ended"),
    ] {
        let session = pay(&shop, url.as_deref()).await;
        let mut shown = show_once(&till, &session, state).await;
        while url.is_some() && results(&shown).is_empty() {
            shown = show_once(&till, &session, state).await;
        }
        let id = shown["event_id"].as_str().expect("an id");
        let error = till.error(&["callback", "resend", "--env", "sandbox", id]);
        assert!(error.contains(sentence), "{error}");
    }
    assert_eq!(receiver.requests().len(), 1);
}
