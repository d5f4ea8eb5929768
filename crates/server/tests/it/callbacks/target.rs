//! The URL of a callback, and the secret that signs it.

use super::{create, pay, serve, show_once};
use crate::support::{Receiver, signature};
use serde_json::json;
use std::time::Duration;
use tokio::time::sleep;

/// The time after which every part of a service has an operator's change.
const KNOWN: Duration = Duration::from_millis(2_100);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_address_is_the_sessions_or_else_the_vendors_at_the_time_of_the_event() {
    let (till, _service, vendor, shop) = serve(&[]).await;
    let id = vendor["vendor_id"].as_str().expect("an id");
    let receiver = Receiver::start().await;
    let nowhere = pay(&shop, None).await;
    assert!(show_once(&till, &nowhere, "no_target").await["target"].is_null());
    let before = create(&shop, None).await;
    till.json(&["vendor", "set", id, "--callback-url", &receiver.url("/vendor")]);
    sleep(KNOWN).await;
    assert_eq!(shop.simulate(&before, &json!({ "outcome": "paid" })).await.status, 200);
    receiver.wait("/vendor", 1).await;
    pay(&shop, Some(&receiver.url("/session"))).await;
    receiver.wait("/session", 1).await;
    till.json(&["vendor", "set", id, "--callback-url", &receiver.url("/moved")]);
    sleep(KNOWN).await;
    pay(&shop, None).await;
    receiver.wait("/moved", 1).await;
    assert_eq!(receiver.requests().len(), 3, "and nobody else was told");
    assert_eq!(show_once(&till, &nowhere, "no_target").await["attempts"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_a_rotation_overlaps_the_old_secret_comes_first_until_the_new_pair_is_used() {
    let (till, service, vendor, shop) = serve(&[]).await;
    let id = vendor["vendor_id"].as_str().expect("an id");
    let receiver = Receiver::start().await;
    let url = receiver.url("/");
    let old = shop.credentials.client_secret.clone();
    pay(&shop, Some(&url)).await;
    let rotated = till.json(&["vendor", "rotate", id, "--env", "sandbox", "--overlap", "1h"]);
    let text = |name: &str| {
        let pair = if rotated["sandbox"].is_object() { &rotated["sandbox"] } else { &rotated };
        pair[name].as_str().unwrap_or_else(|| panic!("{name} in {rotated}")).to_owned()
    };
    let new = text("client_secret");
    sleep(KNOWN).await;
    pay(&shop, Some(&url)).await;
    receiver.wait("/", 2).await;
    let mut renewed = service.shop("sandbox", &vendor);
    renewed.credentials.client_id = text("client_id");
    renewed.credentials.client_secret = new.clone();
    renewed.log_in().await;
    sleep(KNOWN).await;
    pay(&renewed, Some(&url)).await;
    let requests = receiver.wait("/", 3).await;
    for (index, first, other) in [(0, &old, None), (1, &old, Some(&new)), (2, &new, Some(&old))] {
        let request = &requests[index];
        assert_eq!(request.header("x-signature"), signature(first, &request.body), "callback {index}");
        let alternate = other.map(|secret| signature(secret, &request.body));
        assert_eq!(request.headers.get("x-signature-alternate"), alternate.as_ref());
        let count = request.header("webhook-signature").split(' ').count();
        assert_eq!(count, 1 + usize::from(other.is_some()), "one for each secret");
    }
}
