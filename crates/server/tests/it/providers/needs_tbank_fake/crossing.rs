//! A cancellation that crosses a payment: T-Bank returns money of which the vendor was told that it is paid.

use super::*;
use till_domain::transaction::ActionKind;

on_both_engines! {
    t22_a_payment_that_is_made_while_it_is_cancelled_is_reported
}

async fn t22_a_payment_that_is_made_while_it_is_cancelled_is_reported(engine: Engine) {
    let world = World::on(engine, &[]).await;
    for (count, method) in ["sbp", "card"].into_iter().enumerate() {
        let (id, payment) = world.paying(method, method).await;
        // The state before the payment arrives after it.
        world.fake.does("fault", json!({ "on": "GetState", "kind": "slow", "seconds": 2.0 })).await;
        let customer = async {
            let asked =
                async || world.fake.calls("GetState").await.iter().any(|call| call["PaymentId"] == payment);
            until("it is being cancelled", asked).await;
            world.fake.does("pay", json!({ "payment": payment })).await;
            world.reaches(&id, State::Paid).await;
        };
        let (ended, ()) = tokio::join!(world.shop.expire(&id, ""), customer);
        assert_eq!(ended.status, 409, "{}", ended.body);
        assert_eq!(world.told(method, "session.paid").await["status"], "paid");
        let going = world.fake.payment(&payment).await["status"] == "ASYNC_REFUNDING";
        assert_eq!(going, method == "sbp");
        let reported = async || world.actions().await.len() == count + 1;
        until("it is reported", reported).await;
        let newest = world.actions().await.remove(0).action;
        let finding = newest.finding.expect("a finding");
        assert_eq!(
            (newest.kind, newest.session.map(|id| id.to_string())),
            (ActionKind::Difference, Some(id))
        );
        assert!(finding.note.contains("returned 4990.00 RUB"), "{}", finding.note);
        assert_eq!(
            finding.subject,
            format!("tbank:{payment}:returned:499000/0"),
            "as the nightly comparison calls it"
        );
    }
}
