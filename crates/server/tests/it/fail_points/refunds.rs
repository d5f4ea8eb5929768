//! A refund, from the request to the money that is back.

use super::Subject;
use futures_util::future::join_all;
use serde_json::json;
use till_store::FailPoint;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f28_a_refund_survives_a_crash_at_each_of_its_steps() {
    let points = [
        FailPoint::RefundRequested,
        FailPoint::RefundClaimed,
        FailPoint::RefundAnswered,
        FailPoint::RefundConcluded,
    ];
    join_all(points.map(refund_although)).await;
}

async fn refund_although(point: FailPoint) {
    let mut subject = Subject::new(&[]);
    subject.start(None);
    let session = subject.create("A-1", None).await;
    subject.pay(&session, "").await;
    subject.start(Some(point));
    let path = format!("/api/product/session/{session}/refunds");
    let body = json!({ "amount": "10.00", "reason": "torn" });
    let refund = subject.call("the refund", &path, &body, "R-1").await;
    let id = refund["refundId"].as_str().expect("an id").to_owned();
    let succeeded = |refunds: &serde_json::Value| {
        let all = refunds["refunds"].as_array().cloned().unwrap_or_default();
        all.iter().any(|one| one["refundId"] == id && one["status"] == "succeeded")
    };
    let refunds = subject.read_until(&path, succeeded).await;
    subject.wait_for_crash().await;
    subject.finish();
    assert_eq!(refunds["refunds"].as_array().map(Vec::len), Some(1), "{point:?}: {refunds}");
    let sent = "SELECT count(*) FROM simulated_refunds WHERE acted_at IS NOT NULL";
    assert_eq!(subject.number("live.db", sent), 1, "{point:?}: the bank sent the money back once");
}
