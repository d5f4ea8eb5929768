//! One callback, from the claim to the recorded result.

use super::Subject;
use crate::support::Receiver;
use futures_util::future::join_all;
use std::collections::HashSet;
use till_store::FailPoint;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f28_f14_a_callback_survives_a_crash_at_each_of_its_steps() {
    let points = [FailPoint::CallbackClaimed, FailPoint::CallbackSent, FailPoint::CallbackRecorded];
    join_all(points.map(deliver_although)).await;
}

async fn deliver_although(point: FailPoint) {
    let (mut subject, receiver) = (Subject::new(&[]), Receiver::start().await);
    subject.start(Some(point));
    let session = subject.create("A-1", Some(&receiver.url("/callbacks"))).await;
    subject.pay(&session, "").await;
    subject.wait_for_crash().await;
    let delivered = "SELECT count(*) FROM callbacks WHERE state = 'delivered'";
    subject.repeat("the end", async |_| (!receiver.at("/callbacks").is_empty()).then_some(())).await;
    let file = subject.till.file("live.db");
    subject
        .repeat("the record", async |_| {
            let database = rusqlite::Connection::open(&file).expect("a database");
            database.query_row(delivered, [], |row| row.get::<_, i64>(0)).ok().filter(|count| *count == 1)
        })
        .await;
    subject.finish();
    let received = receiver.at("/callbacks");
    let sent_before = usize::from(point == FailPoint::CallbackSent);
    assert_eq!(received.len(), 1 + sent_before, "{point:?}: again only where the result was lost");
    let different: HashSet<_> =
        received.iter().map(|one| (one.body.clone(), one.header("webhook-id"))).collect();
    assert_eq!(different.len(), 1, "{point:?}: the same event and the same bytes");
}
