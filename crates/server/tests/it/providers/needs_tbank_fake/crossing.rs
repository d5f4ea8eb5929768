//! A cancellation that crosses a payment: T-Bank returns money of which the vendor was told that it is paid.

use super::*;
use till_domain::transaction::ActionKind;

on_both_engines! {
    t22_a_payment_that_is_made_while_it_is_cancelled_is_reported
}

async fn t22_a_payment_that_is_made_while_it_is_cancelled_is_reported(engine: Engine) {
    let world = World::on(engine, &[]).await;
    for method in ["sbp", "card"] {
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
        let own = async || {
            let all = world.actions().await.into_iter().map(|stored| stored.action);
            all.into_iter().find(|action| action.session.is_some_and(|of| of.to_string() == id))
        };
        until("it is reported", async || own().await.is_some()).await;
        let action = own().await.expect("it is there");
        let finding = action.finding.expect("a finding");
        assert_eq!(action.kind, ActionKind::Difference);
        assert!(finding.note.contains("returned 4990.00 RUB"), "{}", finding.note);
        assert_eq!(
            finding.subject,
            format!("tbank:{payment}:returned:499000/0"),
            "as the nightly comparison calls it"
        );
    }
}
