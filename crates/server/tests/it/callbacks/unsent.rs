//! An attempt that was claimed and could not be sent.

use super::{pay, serve, show_once};
use crate::support::{Receiver, Reply};
use std::time::Duration;
use tokio::time::sleep;

/// Another program locks the file while the second attempt is due, for over half of the lease (6 s). An
/// attempt claimed that late is not sent, since another node might be about to take it over.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn l7_i13_an_attempt_that_was_taken_too_late_to_be_sent_does_not_count() {
    let settings = [("TILL_CALLBACK_RETRIES", "2s"), ("TILL_LEASE", "1s"), ("TILL_CALLBACK_TIMEOUT", "1s")];
    let (till, _service, _, shop) = serve(&settings).await;
    let receiver = Receiver::start().await;
    receiver.answer("/", &[Reply::Status(500), Reply::Status(204)]);
    let session = pay(&shop, Some(&receiver.url("/"))).await;
    receiver.wait("/", 1).await;
    show_once(&till, &session, "queued").await;
    let file = rusqlite::Connection::open(till.file("sandbox.db")).expect("the file opens");
    file.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    // Until the attempt is due, and half of its lease; less than the service waits for the lock.
    sleep(Duration::from_millis(2_000 + 3_500)).await;
    file.execute_batch("ROLLBACK").expect("the lock is given back");
    let requests = receiver.wait("/", 2).await;
    assert_eq!(requests[1].attempt(), 2, "the second and last attempt was made");
    show_once(&till, &session, "delivered").await;
}
