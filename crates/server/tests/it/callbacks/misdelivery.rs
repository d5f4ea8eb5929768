//! Misdelivery on purpose: each fault reaches a real receiver, and the true event follows with its own bytes.

use crate::{
    panel::detail::{attribute, texts},
    support::{Answer, Person, Received, Receiver, Reply, Server, Shop, Vendor, signature, until},
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use till_domain::{misdelivery::Fault, user::Role};

struct Lab {
    server: Server,
    vendor: Vendor,
    shop: Shop,
    receiver: Receiver,
    /// An administrator of the vendor.
    ada: Person,
}

impl Lab {
    async fn open() -> Self {
        let server = Server::with(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
        let vendor = server.vendor().await;
        let shop = server.shop("sandbox", &vendor).await;
        let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
        Self { shop, vendor, server, receiver: Receiver::start().await, ada }
    }

    /// Creates a session whose callbacks go to a path of its own, named like its order.
    async fn session(&self, order: &str) -> String {
        let mut body = Shop::book(order);
        body["callback_url"] = json!(self.receiver.url(&format!("/{order}")));
        self.shop.create(&body).await.text("session_id")
    }

    async fn pay(&self, order: &str, callback: Value) -> String {
        let id = self.session(order).await;
        let answer = self.shop.simulate(&id, &json!({ "outcome": "paid", "callback": callback })).await;
        assert_eq!(answer.text("status"), "paid", "{}", answer.body);
        id
    }

    fn is_signed(&self, request: &Received) -> bool {
        request.header("x-signature") == signature(&self.vendor.sandbox.client_secret, &request.body)
    }

    /// The bytes of a session's events, as the feed has them.
    async fn frozen(&self, id: &str) -> Vec<String> {
        let fed = self.shop.feed("limit=100").await.json();
        let all = fed["callbacks"].as_array().expect("a list").iter();
        let bodies = all.map(|one| one["body"].as_str().expect("a body").to_owned());
        bodies.filter(|body| body.contains(id)).collect()
    }

    /// True if the request is the first attempt of the true event.
    async fn is_true_event(&self, request: &Received, id: &str, attempt: u32) -> bool {
        let body = String::from_utf8(request.body.clone()).expect("text");
        self.is_signed(request)
            && request.attempt() == attempt
            && request.header("x-environment") == "sandbox"
            && self.frozen(id).await.contains(&body)
    }

    /// The lines of a session's timeline in the panel that speak of a fault.
    async fn lines(&self, id: &str) -> Vec<String> {
        let page = self.ada.get(&format!("/panel/sessions/{id}")).await;
        let lines = texts(&page.body, "[data-testid=timeline] li");
        lines.into_iter().filter(|line| line.contains("on purpose:")).collect()
    }
}

fn json_of(request: &Received) -> Value {
    serde_json::from_slice(&request.body).expect("JSON")
}

/// True if one of the signatures of Standard Webhooks is right for this secret.
fn is_standard(request: &Received, secret: &str) -> bool {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    let content = [
        request.header("webhook-id").as_bytes(),
        request.header("webhook-timestamp").as_bytes(),
        &request.body,
    ];
    let digest = hex::decode(signature(secret, &content.join(&b'.'))).expect("hex");
    request.header("webhook-signature") == format!("v1,{}", BASE64_STANDARD.encode(digest))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_request_comes_first_and_the_true_event_follows_whatever_the_answer() {
    let lab = Lab::open().await;
    let secret = lab.vendor.sandbox.client_secret.clone();
    for (number, fault) in [
        "bad_signature",
        "wrong_secret",
        "old_timestamp",
        "changed_body",
        "truncated",
        "wrong_environment",
        "unknown_event",
        "unknown_field",
    ]
    .into_iter()
    .enumerate()
    {
        // Accepted, refused, redirected: the true event follows.
        let elsewhere = Reply::Redirect(lab.receiver.url("/elsewhere"));
        let first = [Reply::Status(200), Reply::Status(400), elsewhere][number % 3].clone();
        lab.receiver.answer(&format!("/{fault}"), &[first, Reply::Status(204)]);
        let id = lab.pay(fault, json!({ "fault": fault })).await;
        let requests = lab.receiver.wait(&format!("/{fault}"), 2).await;
        let (wrong, right) = (&requests[0], &requests[1]);
        assert!(lab.is_true_event(right, &id, 1).await, "{fault}: {right:?}");
        assert!(is_standard(right, &secret), "{fault}");
        match fault {
            "bad_signature" => {
                assert_eq!(wrong.body, right.body);
                assert!(!lab.is_signed(wrong) && !is_standard(wrong, &secret));
                let (spoiled, x) = (wrong.header("x-signature"), right.header("x-signature"));
                assert_eq!(spoiled.len(), x.len(), "still 64 digits");
                assert_eq!(spoiled.chars().zip(x.chars()).filter(|(a, b)| a != b).count(), 1);
            }
            "wrong_secret" => {
                assert_eq!(wrong.body, right.body);
                assert!(!lab.is_signed(wrong) && !is_standard(wrong, &secret));
                let live = &lab.vendor.live.client_secret;
                assert_ne!(wrong.header("x-signature"), signature(live, &wrong.body), "never a live secret");
            }
            "old_timestamp" => {
                assert!(lab.is_signed(wrong) && is_standard(wrong, &secret), "rightly signed");
                let seconds = |request: &Received| request.header("webhook-timestamp").parse::<i64>();
                let age = seconds(right).expect("a number") - seconds(wrong).expect("a number");
                assert!(age >= 24 * 60 * 60, "{age}");
            }
            "changed_body" => {
                assert_ne!(json_of(wrong)["price"], json_of(right)["price"]);
                assert_eq!(wrong.header("x-signature"), right.header("x-signature"));
            }
            "truncated" => {
                assert!(right.body.starts_with(&wrong.body) && wrong.body.len() < right.body.len());
                assert!(serde_json::from_slice::<Value>(&wrong.body).is_err(), "not JSON");
                assert_eq!(wrong.header("x-signature"), right.header("x-signature"));
            }
            "wrong_environment" => {
                assert_eq!(wrong.header("x-environment"), "live");
                assert!(lab.is_signed(wrong), "with the sandbox's secret");
            }
            "unknown_event" => {
                assert!(lab.is_signed(wrong) && is_standard(wrong, &secret));
                assert_eq!(json_of(wrong)["event"], "session.till_test_unknown_event");
                assert_ne!(wrong.event(), right.event(), "an event of its own");
            }
            _ => {
                assert!(lab.is_signed(wrong) && is_standard(wrong, &secret));
                assert_eq!(wrong.event(), right.event());
                assert!(json_of(wrong)["tillTestUnknownField"]["nested"].is_array());
            }
        }
        let lines = lab.lines(&id).await;
        assert_eq!(lines.len(), 1, "{fault}: {lines:?}");
        assert!(
            lines[0].contains("receiver") && lines[0].contains("responds"),
            "what is right: {}",
            lines[0]
        );
        let answer = ["request: 200", "request: 400", "request: 301"][number % 3];
        assert!(lines[0].contains("Your server’s response to this request"), "{}", lines[0]);
        assert!(lines[0].contains(answer), "{answer}: {}", lines[0]);
        assert_eq!(lab.receiver.at(&format!("/{fault}")).len(), 2, "and nothing more");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_attempt_is_recorded_and_the_second_arrives_at_its_time() {
    let lab = Lab::open().await;
    let id = lab.pay("drop", json!({ "fault": "drop" })).await;
    until("it was played", async || !lab.lines(&id).await.is_empty()).await;
    assert!(lab.receiver.requests().is_empty(), "never sent");
    lab.server.later(Duration::from_secs(29));
    lab.server.later(Duration::from_secs(1));
    let requests = lab.receiver.wait("/drop", 1).await;
    assert!(lab.is_true_event(&requests[0], &id, 2).await, "the schedule continues with the second");
    let lines = lab.lines(&id).await;
    assert!(lines[0].contains("First attempt lost"), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delayed_callback_is_sent_when_its_time_has_come() {
    let lab = Lab::open().await;
    let id = lab.pay("delay", json!({ "fault": "delay", "delay_ms": 20_000 })).await;
    until("it was postponed", async || !lab.lines(&id).await.is_empty()).await;
    lab.server.later(Duration::from_millis(19_900));
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert!(lab.receiver.requests().is_empty(), "not before");
    lab.server.later(Duration::from_millis(100));
    let requests = lab.receiver.wait("/delay", 1).await;
    assert!(lab.is_true_event(&requests[0], &id, 1).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_duplicate_is_the_same_attempt_twice() {
    let lab = Lab::open().await;
    lab.receiver.answer("/duplicate", &[Reply::Status(204), Reply::Status(500)]);
    let id = lab.pay("duplicate", json!({ "fault": "duplicate" })).await;
    let requests = lab.receiver.wait("/duplicate", 2).await;
    for request in &requests {
        assert!(lab.is_true_event(request, &id, 1).await);
    }
    until("the answer is stored", async || lab.lines(&id).await[0].contains("request: 500")).await;
    // The first answer counts: it is delivered.
    lab.server.later(Duration::from_secs(600));
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(lab.receiver.at("/duplicate").len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_event_of_the_order_comes_after() {
    let lab = Lab::open().await;
    // Without an older one, it is made up.
    let id = lab.pay("reorder", json!({ "fault": "reorder" })).await;
    let requests = lab.receiver.wait("/reorder", 2).await;
    assert!(lab.is_true_event(&requests[0], &id, 1).await);
    let older = json_of(&requests[1]);
    assert!(lab.is_signed(&requests[1]));
    assert_eq!(requests[1].header("webhook-id"), older["eventId"].as_str().expect("an id"));
    assert_eq!((&older["event"], &older["status"]), (&json!("session.expired"), &json!("expired")));
    assert_eq!(older["orderId"], "reorder");
    assert_ne!(older["sessionId"], id.as_str());
    let first = json_of(&requests[0]);
    for field in ["occurredAt", "eventId", "sessionId"] {
        assert!(older[field].as_str() < first[field].as_str(), "{field} is older");
    }
    // With one, its own bytes come again.
    lab.server.later(Duration::from_secs(1));
    let second = lab.pay("reorder", json!({ "fault": "reorder" })).await;
    let requests = lab.receiver.wait("/reorder", 4).await;
    assert!(lab.is_true_event(&requests[2], &second, 1).await);
    assert_eq!(requests[3].body, requests[0].body);
    assert_eq!(requests[3].event(), requests[0].event());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_callback_trickles_and_is_the_first_attempt_itself() {
    let lab = Lab::open().await;
    let began = Instant::now();
    let id = lab.pay("slow", json!({ "fault": "slow", "delay_ms": 700 })).await;
    let requests = lab.receiver.wait("/slow", 1).await;
    assert!(requests[0].start - began >= Duration::from_millis(600), "the whole body came late");
    assert!(lab.is_true_event(&requests[0], &id, 1).await);
    assert_eq!(lab.lines(&id).await.len(), 1);
    assert_eq!(lab.receiver.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_choice_is_kept_for_an_outcome_that_comes_later_and_for_events_about_money() {
    let lab = Lab::open().await;
    let id = lab.session("later").await;
    let asked = json!({ "outcome": "failed", "after_ms": 60_000, "callback": { "fault": "bad_signature" } });
    assert_eq!(lab.shop.simulate(&id, &asked).await.text("status"), "pending");
    lab.server.later(Duration::from_secs(60));
    let requests = lab.receiver.wait("/later", 2).await;
    assert!(!lab.is_signed(&requests[0]) && lab.is_signed(&requests[1]));
    // The next event of the session is delivered as usual, unless the tester chooses again.
    lab.server.later(Duration::from_secs(1));
    let late = |callback: Value| json!({ "event": "payment.late", "callback": callback });
    assert_eq!(lab.shop.simulate(&id, &late(Value::Null)).await.status, 200);
    let requests = lab.receiver.wait("/later", 3).await;
    assert_eq!(json_of(&requests[2])["event"], "payment.late");
    assert!(lab.is_signed(&requests[2]));
    lab.server.later(Duration::from_secs(1));
    assert_eq!(lab.shop.simulate(&id, &late(json!({ "fault": "unknown_field" }))).await.status, 200);
    let requests = lab.receiver.wait("/later", 5).await;
    assert!(json_of(&requests[3])["tillTestUnknownFlag"].is_boolean());
    assert_eq!(json_of(&requests[4])["event"], "payment.late");
    let lines = lab.lines(&id).await;
    assert!(lines.len() == 2 && lines[1].contains("payment.late:"), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_input_is_refused_with_the_field_and_nothing_happens() {
    let lab = Lab::open().await;
    let id = lab.session("bad").await;
    for (callback, fields) in [
        (json!("drop"), vec!["callback"]),
        (json!({}), vec!["callback.fault"]),
        (json!({ "fault": "explode" }), vec!["callback.fault"]),
        (json!({ "fault": 7, "delay_ms": 0 }), vec!["callback.fault", "callback.delay_ms"]),
        (json!({ "fault": "delay", "delay_ms": 60_001 }), vec!["callback.delay_ms"]),
        (json!({ "fault": "slow", "delay_ms": "5" }), vec!["callback.delay_ms"]),
        (json!({ "fault": "drop", "delay_ms": 5 }), vec!["callback.delay_ms"]),
    ] {
        let answer: Answer =
            lab.shop.simulate(&id, &json!({ "outcome": "paid", "callback": callback })).await;
        assert_eq!(answer.status, 422, "{callback}: {}", answer.body);
        let named = answer.fields().join(" ");
        for field in fields {
            assert!(named.contains(field), "{callback}: {named}");
        }
    }
    assert_eq!(lab.shop.status(&id).await.text("status"), "pending");
    // None is a choice too, and absent is none.
    for callback in [json!({ "fault": "none" }), Value::Null] {
        let id = lab.session("fine").await;
        let answer = lab.shop.simulate(&id, &json!({ "outcome": "paid", "callback": callback })).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
}

/// The delivery that the page of a session has selected.
fn selected(page: &Answer) -> String {
    attribute(&page.body, "[data-testid=fault] option[selected]", "value")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_and_the_panel_offer_the_same_faults_as_the_api() {
    let lab = Lab::open().await;
    let (ada, customer) = (&lab.ada, lab.server.customer());
    let id = lab.session("page").await;
    let page = customer.get(&format!("/sandbox/session/{id}"), &[]).await;
    let panel = ada.get("/panel/settings/delivery").await;
    assert!(page.body.contains("How should the callback be delivered?"));
    assert!(page.body.contains("As set in the panel: Correctly"), "{}", page.body);
    assert!(!ada.get("/panel/settings").await.body.contains("data-testid=\"delivery-active\""));
    for fault in Fault::ALL.map(Fault::as_str) {
        assert!(page.body.contains(&format!("<option value=\"{fault}\">")), "{fault}");
        assert!(panel.body.contains(&format!("data-testid=\"fault-{fault}\"")), "{fault}");
    }

    // The vendor's default counts where the tester chooses nothing.
    let saved = ada.post("/panel/settings/delivery", &[("fault", "duplicate"), ("delay_ms", "")]).await;
    assert_eq!(saved.status, 303, "{}", saved.body);
    let chosen = ada.get("/panel/settings/delivery").await;
    assert!(chosen.body.contains("value=\"duplicate\" checked"), "{}", chosen.body);
    let page = customer.get(&format!("/sandbox/session/{id}"), &[]).await;
    assert!(page.body.contains("As set in the panel: Sent twice"), "{}", page.body);
    let note = texts(&ada.get("/panel/settings").await.body, "[data-testid=delivery-active]");
    assert_eq!(note, ["Every new sandbox callback is misdelivered on purpose: Sent twice"]);
    let fields = |fault| [("method", "card"), ("outcome", "paid"), ("fault", fault)];
    assert_eq!(customer.post(&format!("/sandbox/session/{id}/pay"), &fields(""), &[]).await.status, 303);
    let requests = lab.receiver.wait("/page", 2).await;
    assert_eq!(requests[0].body, requests[1].body);

    // A choice on the page comes before it, also that for a right delivery.
    let second = lab.session("second").await;
    let answer = customer.post(&format!("/sandbox/session/{second}/pay"), &fields("truncated"), &[]).await;
    assert_eq!(answer.status, 303);
    let requests = lab.receiver.wait("/second", 2).await;
    assert!(requests[0].body.len() < requests[1].body.len());
    let third = lab.session("third").await;
    let answer = customer.post(&format!("/sandbox/session/{third}/pay"), &fields("none"), &[]).await;
    assert_eq!(answer.status, 303);
    lab.receiver.wait("/third", 1).await;
    // A choice that was made and left again counts no longer.
    let left = lab.session("left").await;
    let challenge = [("method", "card"), ("outcome", "three_ds"), ("fault", "bad_signature")];
    assert_eq!(customer.post(&format!("/sandbox/session/{left}/pay"), &challenge, &[]).await.status, 303);
    let shown = customer.get(&format!("/sandbox/session/{left}?methods"), &[]).await;
    assert_eq!(selected(&shown), "bad_signature", "the choice is there when the tester comes back");
    let wrong = [&fields("truncated")[..], &[("email", "nobody")]].concat();
    let refused = customer.post(&format!("/sandbox/session/{left}/pay"), &wrong, &[]).await;
    assert_eq!((refused.status.as_u16(), selected(&refused)), (422, "truncated".to_owned()));
    assert_eq!(ada.post("/panel/settings/delivery", &[("fault", "none")]).await.status, 303);
    assert_eq!(customer.post(&format!("/sandbox/session/{left}/pay"), &fields(""), &[]).await.status, 303);
    let requests = lab.receiver.wait("/left", 1).await;
    assert!(lab.is_signed(&requests[0]), "the vendor's default counts again");
    // A refund on the page has an event of its own.
    lab.server.later(Duration::from_secs(1));
    let page = customer.get(&format!("/sandbox/session/{third}/simulate"), &[]).await;
    assert!(page.body.contains("As set in the panel: Correctly"), "{}", page.body);
    let choice = [("decision", "refund"), ("fault", "wrong_environment")];
    assert_eq!(customer.post(&format!("/sandbox/session/{third}/simulate"), &choice, &[]).await.status, 303);
    let requests = lab.receiver.wait("/third", 3).await;
    assert_eq!(json_of(&requests[1])["event"], "refund.succeeded");
    assert_eq!(requests[1].header("x-environment"), "live");
    assert_eq!(requests[2].header("x-environment"), "sandbox");
    assert_eq!(lab.lines(&third).await.len(), 1, "the right delivery leaves no line");

    // Bad input says what is wrong and keeps what was typed.
    let bad = ada.post("/panel/settings/delivery", &[("fault", "slow"), ("delay_ms", "soon")]).await;
    assert_eq!(bad.status, 422);
    assert!(
        bad.body.contains("value=\"soon\"") && bad.body.contains("value=\"slow\" checked"),
        "{}",
        bad.body
    );
    let back = ada.post("/panel/settings/delivery", &[("fault", "none"), ("delay_ms", "5000")]).await;
    assert_eq!(back.status, 303);
    let fourth = lab.pay("fourth", Value::Null).await;
    lab.receiver.wait("/fourth", 1).await;
    assert!(lab.lines(&fourth).await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_offers_no_fault_anywhere() {
    let lab = Lab::open().await;
    let live = lab.server.shop("live", &lab.vendor).await;
    let id = live.order("A-1").await;
    let asked = json!({ "outcome": "paid", "callback": { "fault": "drop" } });
    assert_eq!(live.simulate(&id, &asked).await.status, 404);
    let customer = lab.server.customer();
    let page = customer.get(&format!("/session/{id}"), &[]).await;
    assert!(page.status == 200 && !page.body.contains("name=\"fault\""));
    // A default of the sandbox is none of live.
    let saved =
        lab.ada.post("/panel/settings/delivery", &[("fault", "bad_signature"), ("delay_ms", "")]).await;
    assert_eq!(saved.status, 303);
    let mut body = Shop::book("live");
    body["callback_url"] = json!(lab.receiver.url("/live"));
    let id = live.create(&body).await.text("session_id");
    assert_eq!(live.expire(&id, "").await.text("status"), "expired");
    let requests = lab.receiver.wait("/live", 1).await;
    assert_eq!(
        requests[0].header("x-signature"),
        signature(&lab.vendor.live.client_secret, &requests[0].body)
    );
    assert_eq!(requests[0].header("x-environment"), "live");
}
