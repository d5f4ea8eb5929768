//! A payment, from the create to the money in the ledger.

use super::Subject;
use crate::support::{Customer, Receiver};
use futures_util::future::join_all;
use std::collections::HashSet;
use till_store::FailPoint;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f28_a_payment_survives_a_crash_at_each_of_its_steps() {
    let points = [
        FailPoint::SessionCreated,
        FailPoint::AttemptIntended,
        FailPoint::AttemptClaimed,
        FailPoint::AttemptAnswered,
        FailPoint::AttemptConcluded,
    ];
    join_all(points.map(pay_although)).await;
}

async fn pay_although(point: FailPoint) {
    let (mut subject, receiver) = (Subject::new(&[]), Receiver::start().await);
    subject.start(Some(point));
    let session = subject.create("A-1", Some(&receiver.url("/callbacks"))).await;
    if point == FailPoint::AttemptClaimed {
        // A worker looks at a payment about which the customer has not decided.
        let page = format!("/session/{session}/pay");
        let start = async |url: &str| Customer::new(url).try_post(&page, &[("method", "card")]).await;
        subject.repeat("the start", start).await;
        subject.wait_for_crash().await;
    }
    subject.pay(&session, "").await;
    let delivered = "SELECT count(*) FROM callbacks WHERE state = 'delivered'";
    subject.repeat("the callback", async |_| (!receiver.at("/callbacks").is_empty()).then_some(())).await;
    let count = |subject: &Subject, sql: &str| subject.number("live.db", sql);
    subject.wait_for_crash().await;
    subject.finish();
    assert_eq!(count(&subject, "SELECT count(*) FROM sessions"), 1, "{point:?}");
    let taken = "SELECT count(*) FROM simulated_payments WHERE decision = 'approve'";
    assert_eq!(count(&subject, taken), 1, "{point:?}: the bank took the money once");
    assert_eq!(count(&subject, "SELECT count(*) FROM transactions"), 1, "{point:?}");
    assert_eq!(count(&subject, delivered), 1, "{point:?}");
    let bodies: HashSet<Vec<u8>> =
        receiver.at("/callbacks").into_iter().map(|callback| callback.body).collect();
    assert_eq!(bodies.len(), 1, "{point:?}: the same bytes each time");
}
