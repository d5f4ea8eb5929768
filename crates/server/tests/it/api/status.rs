//! The status of a session by the API.

use crate::support::{Server, Shop};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_status_has_exactly_eight_fields() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    for environment in ["live", "sandbox"] {
        let shop = server.shop(environment, &vendor).await;
        let id = shop.create(&Shop::book("A-1042")).await.text("session_id");
        let answer = shop.status(&id).await;
        assert_eq!(answer.status, 200);
        let expected = json!({
            "sessionId": id,
            "status": "pending",
            "productName": "Atlas",
            "price": "4990.00",
            "currency": "RUB",
            "createdAt": "2026-11-15T09:30:00.000Z",
            "updatedAt": "2026-11-15T09:30:00.000Z",
            "orderId": "A-1042",
        });
        assert_eq!(answer.json(), expected);
        assert_eq!(shop.status(&id.to_uppercase()).await.json(), expected, "a UUID has no case");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_the_plain_id_is_not_found() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let id = shop.order("1").await;
    let simple = id.replace('-', "");
    for other in [&simple, &format!("%7B{id}%7D"), &format!("urn:uuid:{id}"), &format!("{id}0"), "%00", "%FF"]
    {
        let answer = shop.status(other).await;
        assert!(answer.status == 404 || answer.status == 400, "{other}: {}", answer.body);
        assert_eq!(answer.problem(), "404 session_not_found", "{other}");
    }
}
