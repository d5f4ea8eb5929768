//! Notices (webhooks) as the fake signs them: they name a payment, and T-Bank is asked about it.

use super::*;
use till_providers::{Notice, NoticeSubject, Proof};

#[tokio::test]
async fn f17_its_notices_name_the_payment_and_nothing_else_is_believed() {
    let world = World::new();
    world.does("notify", json!({ "url": "http://127.0.0.1:9/", "mode": "held" })).await;
    let attempt = world.open(Method::Sbp).await;
    world.pay(&attempt).await;
    let waiting = world.look("notices").await["waiting"].clone();
    let statuses: Vec<_> = waiting.as_array().expect("notices").iter().map(|n| n["Status"].clone()).collect();
    assert_eq!(statuses, ["AUTHORIZED", "CONFIRMED"], "both at once");
    let read = |body: &str| world.tbank.read_notice(&Notice { signature: None, body: body.as_bytes() });
    let reference = attempt.reference.clone().expect("a payment");
    let payment = Some(NoticeSubject::Payment { reference, attempt: Some(attempt.id) });
    for notice in waiting.as_array().expect("notices") {
        let body = notice.to_string();
        assert_eq!(read(&body), payment);
        assert_eq!(read(&body.replace("CONFIRMED", "REJECTED").replace("AUTHORIZED", "REJECTED")), None);
        assert_eq!(read(&body.replace(r#""Success":true"#, r#""Success":false"#)), None);
    }
    assert_eq!((world.tbank.proof(), world.tbank.acknowledgement()), (Proof::Body, Some("OK")));
}
