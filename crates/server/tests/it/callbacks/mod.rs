//! Callbacks through the whole service: the real binary sends, a real listener receives.

mod classes;
mod endpoint_check;
mod fairness;
mod freeze;
mod misdelivery;
pub(crate) mod money;
mod schedule;
mod signature_check;
mod stop;
mod storm;
mod target;
mod unsent;

use crate::support::{Process, Shop, Till};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Settings of a service whose callbacks may go to this machine.
const SETTINGS: [(&str, &str); 3] =
    [("TILL_ALLOW_PRIVATE_CALLBACKS", "true"), ("TILL_SIMULATOR", "on"), ("TILL_RATE_LIMITS", "off")];

/// A folder with those settings and more.
fn till(settings: &[(&str, &str)]) -> Till {
    let mut till = Till::new();
    for (name, value) in [&SETTINGS, settings].concat() {
        till.set(name, value);
    }
    till
}

/// A service, its vendor, and the vendor's sandbox client.
async fn serve(settings: &[(&str, &str)]) -> (Till, Process, Value, Shop) {
    let till = till(settings);
    let vendor = till.vendor();
    let service = till.serve();
    let mut shop = service.shop("sandbox", &vendor);
    shop.log_in().await;
    (till, service, vendor, shop)
}

/// Creates a session, with a callback URL if there is one, and returns its id.
async fn create(shop: &Shop, callback_url: Option<&str>) -> String {
    let mut body = Shop::book("A-1");
    if let Some(url) = callback_url {
        body["callback_url"] = json!(url);
    }
    let answer = shop.create(&body).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.text("session_id")
}

/// Creates such a session and pays it.
async fn pay(shop: &Shop, callback_url: Option<&str>) -> String {
    let id = create(shop, callback_url).await;
    let answer = shop.simulate(&id, &json!({ "outcome": "paid" })).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    id
}

/// The sandbox callbacks, as the operator sees them.
fn list(till: &Till, options: &[&str]) -> Vec<Value> {
    let list = till.json(&[&["callback", "list", "--env", "sandbox"], options].concat());
    list.as_array().expect("a list").clone()
}

/// The callback of a session, with its attempts, as the operator sees it.
fn show(till: &Till, session: &str) -> Value {
    let all = list(till, &["--limit", "10000"]);
    let line = all.iter().find(|line| line["session_id"] == session).expect("a callback");
    till.json(&["callback", "show", "--env", "sandbox", line["event_id"].as_str().expect("an id")])
}

/// The same, once it is in this state.
async fn show_once(till: &Till, session: &str, state: &str) -> Value {
    let give_up = Instant::now() + Duration::from_secs(30);
    loop {
        let shown = show(till, session);
        if shown["state"] == state {
            return shown;
        }
        assert!(Instant::now() < give_up, "not {state}: {shown}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// The results of a callback's attempts, such as `1 status 500`.
fn results(shown: &Value) -> Vec<String> {
    let made = shown["made"].as_array().expect("a list").iter();
    made.map(|made| {
        let status = made["status"].as_u64().map(|status| format!(" {status}")).unwrap_or_default();
        format!("{} {}{status}", made["attempt"], made["result"].as_str().expect("a word"))
    })
    .collect()
}
