//! Notices (webhooks) of YooKassa, and forged ones.

use super::*;
use crate::support::Answer;

/// Posts a body to a notice URL.
async fn post(world: &World, path: &str, body: String, from: Option<&str>) -> Answer {
    let client = world.server.customer();
    let request = client.client.post(format!("{}{path}", world.server.local)).body(body);
    let request = request.header("content-type", "application/json");
    let request = match from {
        Some(from) => request.header("x-forwarded-for", from),
        None => request,
    };
    let response = request.send().await.expect("an answer");
    let (status, headers) = (response.status(), response.headers().clone());
    Answer { status, headers, body: response.text().await.expect("a body") }
}

fn notice(event: &str, payment: &str, more: usize) -> String {
    let object = json!({ "id": payment, "status": "succeeded", "paid": true, "description": "x".repeat(more),
        "amount": { "value": "4990.00", "currency": "RUB" } });
    json!({ "type": "notification", "event": event, "object": object }).to_string()
}

/// The number of requests to the fake about a payment.
async fn questions(world: &World) -> usize {
    world.fake.keys("payment").await.len()
}

fn own() -> String {
    format!("/notices/yookassa/{TOKEN}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_does_not_know_the_secret_is_not_heard_and_costs_nothing() {
    let world = World::new().await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    let (asked, body) = (questions(&world).await, notice("payment.succeeded", &payment, 0));
    for path in [
        "/notices/yookassa/guess".to_owned(),
        format!("/notices/yookassa/{}", TOKEN.to_uppercase()),
        format!("/notices/nobody/{TOKEN}"),
        format!("/notices/evm/{TOKEN}"),
        format!("/notices/yookassa/{TOKEN}/more"),
        "/notices/yookassa/".to_owned(),
    ] {
        assert_eq!(post(&world, &path, body.clone(), None).await.problem(), "404 not_found", "{path}");
    }
    for body in ["", "{", "null", "{}", r#"{"type":"notification","event":"payment.succeeded","object":{}}"#]
    {
        assert_eq!(post(&world, &own(), body.to_owned(), None).await.problem(), "404 not_found", "{body}");
    }
    let get = world.server.customer().get(&own(), &[]).await;
    assert_eq!(get.status, 405);
    assert_eq!(questions(&world).await, asked, "nobody was asked");
    assert_eq!(world.state(&id).await, State::Pending);
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_never_happened_is_asked_about_and_not_believed() {
    let world = World::new().await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    for event in ["payment.succeeded", "payment.canceled", "payment.waiting_for_capture"] {
        let object = json!({ "id": payment, "status": "succeeded", "paid": true });
        world.fake.does("forge", json!({ "event": event, "object": object })).await;
    }
    assert!(questions(&world).await >= 3);
    // A notice about an unknown payment triggers no request.
    let asked = questions(&world).await;
    let unknown = notice("payment.succeeded", "23d93cac-000f-5000-8000-126628f15141", 0);
    assert_eq!(post(&world, &own(), unknown, None).await.status, 200);
    assert_eq!(questions(&world).await, asked);
    assert_eq!((world.state(&id).await, world.money(&id).await.len()), (State::Pending, 0));
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notices_that_come_twice_late_and_in_another_order_change_nothing() {
    let world = World::new().await;
    world.fake.does("notify", json!({ "mode": "held" })).await;
    let (card, one) = world.paying("A-1", "card").await;
    let (sbp, other) = world.paying("A-2", "sbp").await;
    world.fake.does("pay", json!({ "payment": one })).await;
    world.fake.does("pay", json!({ "payment": other })).await;
    world.fake.does("release", json!({ "order": "reversed", "copies": 3 })).await;
    world.reaches(&card, State::Paid).await;
    world.reaches(&sbp, State::Paid).await;
    // The notices of the capture come now, and the others again.
    world.fake.does("release", json!({ "order": "reversed", "copies": 5 })).await;
    world.fake.does("notify", json!({ "mode": "now", "copies": 8 })).await;
    let (third, payment) = world.paying("A-3", "card").await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&third, State::Paid).await;
    for id in [&card, &sbp, &third] {
        assert_eq!(world.money(id).await.len(), 1);
    }
    let told = world.fake.look("notices").await;
    assert!(told["told"].as_array().expect("a list").iter().all(|told| told["status"] == 200), "{told}");
    assert_eq!(world.fake.truth().await, (3, 0, 3 * PRICE, 0));
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notice_may_be_large_but_not_endless() {
    let world = World::new().await;
    world.fake.does("notify", json!({ "mode": "off" })).await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    let large = |more| notice("payment.succeeded", &payment, more);
    assert_eq!(post(&world, &own(), large(256 * 1024), None).await.problem(), "404 not_found");
    assert_eq!(world.state(&id).await, State::Pending);
    assert_eq!(post(&world, &own(), large(255 * 1024), None).await.status, 200);
    world.reaches(&id, State::Paid).await;
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_the_true_address_is_known_a_notice_must_come_from_yookassa() {
    let world = World::with(&[("TILL_TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    world.fake.does("notify", json!({ "mode": "off" })).await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    let (asked, body) = (questions(&world).await, notice("payment.succeeded", &payment, 0));
    for foreign in ["203.0.113.7", "185.71.76.1, 203.0.113.7", "2001:db8::1", "185.71.76.32"] {
        let answer = post(&world, &own(), body.clone(), Some(foreign)).await;
        assert_eq!(answer.problem(), "404 not_found", "{foreign}");
    }
    assert_eq!((questions(&world).await, world.state(&id).await), (asked, State::Pending));
    assert_eq!(post(&world, &own(), body.clone(), Some("203.0.113.7, 185.71.76.1")).await.status, 200);
    world.reaches(&id, State::Paid).await;
    assert_eq!(post(&world, &own(), body, None).await.status, 200, "the proxy does not say who it was");
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_trusted_proxies_no_address_is_judged() {
    let world = World::new().await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    let body = notice("payment.succeeded", &payment, 0);
    assert_eq!(post(&world, &own(), body, Some("203.0.113.7")).await.status, 200);
    assert_eq!(world.state(&id).await, State::Pending);
    world.agrees().await;
}
