//! What an attempt came to, as the operator sees it.

use super::{pay, results, serve, show_once};
use crate::support::{Receiver, Reply};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_way_to_fail_has_its_word_and_the_body_of_a_good_answer_does_not_matter() {
    let settings = [("TILL_CALLBACK_RETRIES", "30m,1h,2h"), ("TILL_CALLBACK_TIMEOUT", "1s")];
    let (till, _service, _, shop) = serve(&settings).await;
    let (receiver, elsewhere) = (Receiver::start().await, Receiver::start().await);
    let mut sessions = Vec::new();
    for (path, reply, state, result) in [
        ("/404", Reply::Status(404), "queued", "1 status 404"),
        ("/301", Reply::Redirect(elsewhere.url("/")), "queued", "1 status 301"),
        ("/hang", Reply::Hang, "queued", "1 timeout"),
        ("/close", Reply::Close, "queued", "1 closed"),
        ("/garbage", Reply::Garbage, "queued", "1 protocol"),
        ("/trickle", Reply::Trickle, "delivered", "1 delivered 200"),
    ] {
        receiver.answer(path, &[reply]);
        sessions.push((path, pay(&shop, Some(&receiver.url(path))).await, state, result));
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    for (path, session, state, result) in sessions {
        let shown = show_once(&till, &session, state).await;
        assert_eq!(results(&shown), [result], "{path}");
        assert_eq!(receiver.at(path).len(), 1, "{path}");
    }
    assert!(elsewhere.requests().is_empty(), "a redirect is not followed");
}
