//! Notices (webhooks) of T-Bank, and forged ones.

use super::*;
use crate::support::Answer;

/// Posts a body to the notice URL.
async fn post(world: &World, body: String, from: Option<&str>) -> Answer {
    let client = world.server.customer();
    let request = client.client.post(format!("{}/notices/tbank/terminal", world.server.local)).body(body);
    let request = request.header("content-type", "application/json");
    let request = match from {
        Some(from) => request.header("x-forwarded-for", from),
        None => request,
    };
    let response = request.send().await.expect("an answer");
    let (status, headers) = (response.status(), response.headers().clone());
    Answer { status, headers, body: response.text().await.expect("a body") }
}

/// The notices that the fake keeps back.
async fn kept(world: &World) -> Vec<String> {
    let waiting = world.fake.look("notices").await["waiting"].clone();
    waiting.as_array().expect("notices").iter().map(Value::to_string).collect()
}

async fn questions(world: &World) -> usize {
    world.fake.calls("GetState").await.len()
}

on_both_engines! {
    notices_that_come_twice_late_and_in_another_order_change_nothing
}

async fn notices_that_come_twice_late_and_in_another_order_change_nothing(engine: Engine) {
    let world = World::on(engine, &[]).await;
    world.fake.does("notify", json!({ "mode": "held" })).await;
    let (card, one) = world.paying("A-1", "card").await;
    let (sbp, other) = world.paying("A-2", "sbp").await;
    for payment in [&one, &other] {
        world.fake.does("pay", json!({ "payment": payment })).await;
    }
    world.fake.does("release", json!({ "order": "reversed", "copies": 3 })).await;
    world.reaches(&card, State::Paid).await;
    world.reaches(&sbp, State::Paid).await;
    world.fake.does("release", json!({ "order": "reversed", "copies": 5 })).await;
    world.fake.does("notify", json!({ "mode": "now", "copies": 8 })).await;
    let (third, payment) = world.paying("A-3", "card").await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&third, State::Paid).await;
    for id in [&card, &sbp, &third] {
        assert_eq!(world.money(id).await.len(), 1);
    }
    let told = world.fake.look("notices").await;
    let told = told["told"].as_array().expect("a list");
    assert!(told.iter().all(|told| told["status"] == 200 && told["answer"] == "OK"), "{told:?}");
    assert_eq!(world.fake.truth().await, (3, 0, 3 * PRICE, 0));
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notice_with_a_wrong_token_is_not_heard_and_costs_nothing() {
    let world = World::new().await;
    world.fake.does("notify", json!({ "mode": "held" })).await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    let (asked, notices) = (questions(&world).await, kept(&world).await);
    let notice = &notices[1];
    for wrong in [
        notice.replace("499000", "499001"),
        notice.replace("DEMO", "DEMP"),
        notice.replace("\"Token\":\"", "\"Token\":\"0"),
        String::new(),
        "{}".to_owned(),
        "null".to_owned(),
    ] {
        assert_eq!(post(&world, wrong.clone(), None).await.problem(), "404 not_found", "{wrong}");
    }
    assert_eq!((questions(&world).await, world.state(&id).await), (asked, State::Pending));
    let right = post(&world, notice.clone(), None).await;
    assert_eq!((right.status.as_u16(), right.body.as_str()), (200, "OK"));
    world.reaches(&id, State::Paid).await;
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_never_happened_is_asked_about_and_not_believed() {
    let world = World::new().await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    let number: i64 = payment.parse().expect("a number");
    for status in ["CONFIRMED", "REJECTED", "REFUNDED"] {
        let members = json!({ "PaymentId": number, "Status": status, "Success": true, "Amount": PRICE });
        world.fake.does("forge", json!({ "members": members })).await;
    }
    assert!(questions(&world).await >= 3);
    let asked = questions(&world).await;
    for members in [
        json!({ "PaymentId": 1, "Status": "CONFIRMED" }),
        json!({ "Status": "RECEIPT", "PaymentId": number }),
    ] {
        world.fake.does("forge", json!({ "members": members })).await;
    }
    assert_eq!(questions(&world).await, asked, "nobody's payment, and a receipt");
    assert_eq!((world.state(&id).await, world.money(&id).await.len()), (State::Pending, 0));
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_the_true_address_is_known_a_notice_must_come_from_t_bank() {
    let world = World::with(&[("TILL_TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    world.fake.does("notify", json!({ "mode": "held" })).await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    let (asked, notice) = (questions(&world).await, kept(&world).await.remove(1));
    for foreign in ["203.0.113.7", "91.194.226.1, 203.0.113.7", "2001:db8::1", "91.194.228.1"] {
        let answer = post(&world, notice.clone(), Some(foreign)).await;
        assert_eq!(answer.problem(), "404 not_found", "{foreign}");
    }
    assert_eq!((questions(&world).await, world.state(&id).await), (asked, State::Pending));
    assert_eq!(post(&world, notice, Some("203.0.113.7, 91.194.226.1")).await.status, 200);
    world.reaches(&id, State::Paid).await;
    world.agrees().await;
}
