//! Events about money beside a session's own payment: late, partial and excess money, the decision about it, and disputes;
//! in live as they happen, in the sandbox as a tester asks for them.

use crate::{
    money::decisions::Operator,
    support::{Answer, Server, Shop, Vendor, until},
};
use serde_json::{Value, json};
use std::time::Duration;
use till_domain::user::Role;

const MINUTE: Duration = Duration::from_secs(60);

async fn start(environment: &str) -> (Server, Vendor, Shop) {
    let server = Server::with(&[("TILL_SETTLEMENT_DELAY", "0s")]).await;
    let vendor = server.vendor().await;
    let shop = server.shop(environment, &vendor).await;
    (server, vendor, shop)
}

/// The bodies of a session's events, oldest first.
pub(crate) async fn events(shop: &Shop, id: &str) -> Vec<Value> {
    // The clock may have moved past the end of the token.
    let mut shop = shop.clone();
    shop.log_in().await;
    let fed = shop.feed("limit=100").await.json();
    let all = fed["callbacks"].as_array().expect("a list").iter();
    let bodies = all.map(|one| serde_json::from_str(one["body"].as_str().expect("a body")).expect("JSON"));
    bodies.filter(|body: &Value| body["sessionId"] == json!(id)).collect()
}

async fn names(shop: &Shop, id: &str) -> Vec<String> {
    let all = events(shop, id).await;
    all.iter().map(|body| body["event"].as_str().expect("a name").to_owned()).collect()
}

/// Ends a sandbox session with an outcome.
async fn ended(shop: &Shop, outcome: &str) -> String {
    let id = shop.order("A-1").await;
    assert_eq!(shop.simulate(&id, &json!({ "outcome": outcome })).await.text("status"), outcome);
    id
}

pub(crate) async fn tell(server: &Server, shop: &Shop, id: &str, event: &str) -> Answer {
    // Events of one millisecond have no order.
    server.later(Duration::from_millis(2));
    shop.simulate(id, &json!({ "event": event })).await
}

/// A live session whose customer was given an address on a chain, and its attempt.
pub(crate) async fn with_address(server: &Server, shop: &Shop) -> (String, String) {
    let id = shop.order("A-1").await;
    assert_eq!(server.customer().pay(&id, "crypto").await.status, 303);
    let attempt = server.attempts(&id).await[0].id.to_string();
    (id, attempt)
}

/// Advances time until a session has an event of this name; returns its body.
pub(crate) async fn told(server: &Server, shop: &Shop, id: &str, name: &str) -> Value {
    until(name, async || {
        server.later(MINUTE);
        names(shop, id).await.iter().any(|one| one == name)
    })
    .await;
    let all = events(shop, id).await;
    all.into_iter().find(|body| body["event"] == json!(name)).expect("the event")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn late_and_excess_coins_and_the_decision_about_them_are_reported() {
    let (server, _, shop) = start("live").await;
    let (id, attempt) = with_address(&server, &shop).await;
    assert_eq!(shop.expire(&id, "").await.text("status"), "expired");
    server.customer().decide(&attempt, "pay_exact").await;
    let late = told(&server, &shop, &id, "payment.late").await;
    assert_eq!((&late["status"], &late["amount"]), (&json!("expired"), &json!("4990.00")), "{late}");
    assert_eq!((&late["currency"], &late["orderId"]), (&json!("RUB"), &json!("A-1")));
    assert!(late["coin"].is_string() && late["coinAmount"].is_string(), "{late}");
    let operator = Operator(&server);
    let action = operator.list(&["action", "list"]).remove(0);
    let action = action["action_id"].as_str().expect("an id").to_owned();
    operator.run(&["action", "resolve", &action, "accept"]).expect("it is decided");
    let resolved = told(&server, &shop, &id, "payment.resolved").await;
    assert_eq!(
        (&resolved["resolution"], &resolved["transactionId"], &resolved["amount"]),
        (&json!("accepted"), &late["transactionId"], &json!("4990.00"))
    );

    let (id, attempt) = with_address(&server, &shop).await;
    server.customer().decide(&attempt, "pay_over").await;
    let over = told(&server, &shop, &id, "payment.over").await;
    assert_eq!(names(&shop, &id).await[0], "session.paid", "first the session's own event");
    assert_eq!(over["status"], json!("paid"));
    let excess: f32 = over["amount"].as_str().expect("an amount").parse().expect("a number");
    assert!(excess > 0.0 && excess < 4_990.0, "the excess alone: {over}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_few_coins_are_reported_when_the_session_expires() {
    let (server, _, shop) = start("live").await;
    let (id, attempt) = with_address(&server, &shop).await;
    server.customer().decide(&attempt, "pay_short").await;
    let partial = told(&server, &shop, &id, "payment.partial").await;
    assert_eq!(names(&shop, &id).await, ["session.expired", "payment.partial"]);
    assert_eq!(partial["status"], json!("expired"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dispute_and_its_end_are_reported() {
    let (server, _, shop) = start("live").await;
    for (resolution, end) in [("charge", "dispute.lost"), ("dismiss", "dispute.won")] {
        let id = shop.order(resolution).await;
        assert_eq!(server.customer().pay(&id, "card").await.status, 303);
        let attempt = server.attempts(&id).await[0].id.to_string();
        server.customer().decide(&attempt, "approve").await;
        until("paid", async || shop.status(&id).await.text("status") == "paid").await;
        server.customer().decide(&attempt, "dispute").await;
        let opened = told(&server, &shop, &id, "dispute.opened").await;
        assert_eq!((&opened["status"], &opened["amount"]), (&json!("paid"), &json!("4990.00")));
        assert!(opened["answerBy"].is_string() && opened["disputeId"].is_string(), "{opened}");
        let operator = Operator(&server);
        let action = opened["disputeId"].as_str().expect("an id");
        operator.run(&["action", "resolve", action, resolution]).expect("it is decided");
        let ended = told(&server, &shop, &id, end).await;
        assert_eq!(
            (&ended["disputeId"], &ended["transactionId"], &ended["amount"]),
            (&opened["disputeId"], &opened["transactionId"], &opened["amount"])
        );
        assert!(ended["answerBy"].is_null(), "{ended}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tester_makes_every_event_happen_where_it_could_in_live() {
    let (server, _, shop) = start("sandbox").await;
    let all = ["payment.late", "payment.partial", "payment.over", "dispute.opened"];
    let pending = shop.order("A-1").await;
    for (id, status, possible) in [
        (pending, "pending", &[][..]),
        (ended(&shop, "paid").await, "paid", &["payment.over", "dispute.opened"]),
        (ended(&shop, "failed").await, "failed", &["payment.late"]),
        (ended(&shop, "expired").await, "expired", &["payment.late", "payment.partial"]),
    ] {
        for event in ["dispute.won", "dispute.lost"] {
            assert_eq!(
                tell(&server, &shop, &id, event).await.problem(),
                "409 not_possible_now",
                "{status} {event}"
            );
        }
        let nothing = json!({ "event": "payment.resolved", "resolution": "accepted" });
        assert_eq!(shop.simulate(&id, &nothing).await.problem(), "409 not_possible_now");
        for event in all {
            let answer = tell(&server, &shop, &id, event).await;
            let expected = if possible.contains(&event) { "200" } else { "409 not_possible_now" };
            assert_eq!(answer.outcome(), expected, "{status} {event}");
        }
        assert_eq!(shop.status(&id).await.text("status"), status, "the status stays");
        let told: Vec<_> =
            names(&shop, &id).await.into_iter().filter(|one| !one.starts_with("session")).collect();
        assert_eq!(told, possible);
        for body in events(&shop, &id).await.iter().filter(|body| body["transactionId"].is_string()) {
            let amount = match body["event"].as_str().expect("a name") {
                "payment.partial" => "2495.00",
                "payment.over" => "499.00",
                _ => "4990.00",
            };
            assert_eq!((&body["amount"], &body["status"]), (&json!(amount), &json!(status)), "{body}");
            assert_eq!(
                body["failureReason"].is_string(),
                status == "failed",
                "the session's own fields: {body}"
            );
        }
    }
    let sandbox = server.sandbox.store.actions(&till_store::ActionFilter::default(), 10).await;
    assert_eq!(sandbox.expect("a read").len(), 5, "each story waits for its end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stories_of_the_sandbox_end() {
    let (server, _, shop) = start("sandbox").await;
    let id = ended(&shop, "paid").await;
    assert_eq!(tell(&server, &shop, &id, "dispute.opened").await.status, 200);
    assert_eq!(
        tell(&server, &shop, &id, "dispute.opened").await.problem(),
        "409 not_possible_now",
        "one at a time"
    );
    assert_eq!(tell(&server, &shop, &id, "dispute.won").await.status, 200);
    server.later(Duration::from_millis(2));
    let part = json!({ "event": "dispute.opened", "amount": "990.00" });
    assert_eq!(shop.simulate(&id, &part).await.status, 200);
    assert_eq!(tell(&server, &shop, &id, "dispute.lost").await.status, 200);
    let too_much = json!({ "event": "dispute.opened", "amount": "4000.01" });
    let refused = shop.simulate(&id, &too_much).await;
    assert_eq!(
        (refused.problem(), refused.fields()),
        ("422 amount_too_large".to_owned(), vec!["amount:amount_too_large".to_owned()])
    );
    assert_eq!(shop.refund(&id, &json!({}), &[]).await.text("amount"), "4000.00", "what was lost is gone");
    for (resolution, amount) in [("accepted", "1.00"), ("refunded", "2.00")] {
        server.later(Duration::from_millis(2));
        let over = json!({ "event": "payment.over", "amount": amount });
        assert_eq!(shop.simulate(&id, &over).await.status, 200);
        server.later(Duration::from_millis(2));
        let resolved = json!({ "event": "payment.resolved", "resolution": resolution });
        assert_eq!(shop.simulate(&id, &resolved).await.status, 200);
        assert_eq!(shop.simulate(&id, &resolved).await.problem(), "409 not_possible_now");
    }
    let all = events(&shop, &id).await;
    let told: Vec<&str> = all.iter().filter_map(|body| body["event"].as_str()).collect();
    assert_eq!(
        told.iter().filter(|one| !one.starts_with("refund")).copied().collect::<Vec<_>>(),
        [
            "session.paid",
            "dispute.opened",
            "dispute.won",
            "dispute.opened",
            "dispute.lost",
            "payment.over",
            "payment.resolved",
            "payment.over",
            "payment.resolved",
        ]
    );
    let resolved: Vec<&Value> =
        all.iter().filter(|body| body["event"] == json!("payment.resolved")).collect();
    assert_eq!((&resolved[0]["resolution"], &resolved[0]["amount"]), (&json!("accepted"), &json!("1.00")));
    assert_eq!((&resolved[1]["resolution"], &resolved[1]["amount"]), (&json!("refunded"), &json!("2.00")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accepted_excess_of_the_sandbox_is_refunded_with_its_payment_as_in_live() {
    let (server, _, shop) = start("sandbox").await;
    let id = ended(&shop, "paid").await;
    let price = shop.status(&id).await.text("price");
    for (resolution, amount) in [("refunded", "2.00"), ("accepted", "1.00")] {
        server.later(Duration::from_millis(2));
        let over = json!({ "event": "payment.over", "amount": amount });
        assert_eq!(shop.simulate(&id, &over).await.status, 200);
        server.later(Duration::from_millis(2));
        // Not decided yet: it is not the vendor's to refund.
        let whole = format!("{}.01", price.split('.').next().unwrap_or_default());
        assert_eq!(
            shop.refund(&id, &json!({ "amount": whole }), &[]).await.problem(),
            "422 amount_too_large"
        );
        let resolved = json!({ "event": "payment.resolved", "resolution": resolution });
        assert_eq!(shop.simulate(&id, &resolved).await.status, 200);
    }
    let left = "4991.00";
    assert_eq!(price, "4990.00");
    let disputed = json!({ "event": "dispute.opened", "amount": "4991.01" });
    assert_eq!(shop.simulate(&id, &disputed).await.problem(), "422 amount_too_large");
    let refund = shop.refund(&id, &json!({}), &[]).await;
    assert_eq!(refund.status, 201);
    assert_eq!(refund.text("amount"), left);
    assert_eq!(told(&server, &shop, &id, "refund.succeeded").await["refundAmount"], json!(left));
    assert_eq!(shop.refund(&id, &json!({}), &[]).await.problem(), "422 nothing_to_refund");
    assert_eq!(tell(&server, &shop, &id, "dispute.opened").await.problem(), "409 not_possible_now");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_refunds_late_money_of_the_sandbox_as_a_tester_does() {
    // The command has the machine's clock.
    let server = Server::at(till_store::Clock::System.now(), &[]).await;
    let shop = server.shop("sandbox", &server.vendor().await).await;
    let operator = Operator(&server);
    let id = ended(&shop, "expired").await;
    assert_eq!(tell(&server, &shop, &id, "payment.late").await.status, 200);
    let open = operator.list(&["action", "list", "--env", "sandbox"]);
    let action = open[0]["action_id"].as_str().expect("an id").to_owned();
    operator.run(&["action", "resolve", &action, "refund", "--env", "sandbox"]).expect("it is decided");
    assert_eq!(told(&server, &shop, &id, "payment.resolved").await["resolution"], json!("refunded"));
    let refunded = || async {
        let listed = shop.transactions(&format!("session_id={id}&type=refund")).await.json();
        listed["transactions"].as_array().map_or(0, Vec::len)
    };
    until("the money went back", async || {
        server.later(Duration::from_secs(1));
        refunded().await == 1
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_requests_name_the_field() {
    let (server, vendor, shop) = start("sandbox").await;
    let id = ended(&shop, "expired").await;
    for (body, field) in [
        (json!({ "event": "session.paid" }), "event:unknown_value"),
        (json!({ "event": "refund.succeeded" }), "event:unknown_value"),
        (json!({ "event": "payment.late", "outcome": "paid" }), "outcome:conflicting_field"),
        (json!({ "event": 7 }), "event:wrong_type"),
        (json!({ "event": "payment.late", "amount": "0" }), "amount:not_positive"),
        (json!({ "event": "payment.late", "amount": "1.001" }), "amount:too_many_decimals"),
        (json!({ "event": "payment.resolved" }), "resolution:required"),
        (json!({ "event": "payment.resolved", "resolution": "kept" }), "resolution:unknown_value"),
    ] {
        let answer = shop.simulate(&id, &body).await;
        assert_eq!(answer.fields(), [field], "{body}: {}", answer.body);
    }
    assert_eq!(names(&shop, &id).await, ["session.expired"], "none of these happened");
    let stranger = server.shop("sandbox", &server.vendor().await).await;
    assert_eq!(tell(&server, &stranger, &id, "payment.late").await.problem(), "404 session_not_found");
    let live = server.shop("live", &vendor).await;
    assert_eq!(tell(&server, &live, &id, "payment.late").await.problem(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_disputes_at_once_one_is_opened() {
    let (server, _, shop) = start("sandbox").await;
    let id = ended(&shop, "paid").await;
    server.later(Duration::from_millis(2));
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let (shop, id) = (shop.clone(), id.clone());
        let body = json!({ "event": "dispute.opened" });
        calls.spawn(async move { shop.simulate(&id, &body).await.outcome() });
    }
    let mut outcomes = calls.join_all().await;
    outcomes.sort();
    assert_eq!((outcomes[0].as_str(), outcomes[1].as_str()), ("200", "409 not_possible_now"), "{outcomes:?}");
    assert_eq!(names(&shop, &id).await, ["session.paid", "dispute.opened"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vendor_switches_off_families_of_events() {
    let (server, vendor, shop) = start("sandbox").await;
    let operator = Operator(&server);
    let vendor = vendor.id.to_string();
    operator.run(&["vendor", "set", &vendor, "--events", "refund"]).expect("it is set");
    assert_eq!(operator.run(&["vendor", "show", &vendor]).expect("a vendor")["events"], json!("refund"));
    let wrong = operator.run(&["vendor", "set", &vendor, "--events", "session"]).expect_err("not a family");
    assert!(wrong.contains("refund, payment, dispute"), "{wrong}");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let id = ended(&shop, "paid").await;
    assert_eq!(tell(&server, &shop, &id, "payment.over").await.status, 200);
    assert_eq!(tell(&server, &shop, &id, "dispute.opened").await.status, 200);
    let refund = shop.refund(&id, &json!({ "amount": "1.00" }), &[]).await;
    crate::money::refunds::ended(&server, &shop, &refund, "succeeded").await;
    assert_eq!(names(&shop, &id).await, ["session.paid", "refund.succeeded"]);
    operator.run(&["vendor", "set", &vendor, "--events", ""]).expect("it is set");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let refund = shop.refund(&id, &json!({ "amount": "1.00" }), &[]).await;
    crate::money::refunds::ended(&server, &shop, &refund, "succeeded").await;
    assert_eq!(names(&shop, &id).await.len(), 2, "the status of a session alone is always reported");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vendors_admin_switches_off_families_on_the_settings_page() {
    let (server, vendor, _) = start("sandbox").await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let sent = async || {
        let stored = server.accounts.vendor(vendor.id).await.expect("a read").expect("a vendor");
        stored.settings.events.list()
    };
    let form = [("display_name", "Halden"), ("time_zone", "UTC")];
    assert_eq!(ada.post("/panel/settings", &form).await.status, 303);
    assert_eq!(sent().await, "refund,payment,dispute", "a form without the boxes switches nothing off");
    let some = [&form[..], &[("events", "on"), ("events_refund", "on")]].concat();
    let unconfirmed = ada.post("/panel/settings", &some).await;
    assert_eq!(unconfirmed.status, 422, "in sandbox mode it also changes live");
    assert_eq!(sent().await, "refund,payment,dispute");
    let confirmed = [&some[..], &[("confirm_shared", "on")]].concat();
    assert_eq!(ada.post("/panel/settings", &confirmed).await.status, 303);
    assert_eq!(sent().await, "refund");
    let page = ada.get("/panel/settings").await.body;
    for (family, on) in [("refund", true), ("payment", false), ("dispute", false)] {
        let field = page.split(&format!("name=\"events_{family}\"")).nth(1).expect("the box");
        assert_eq!(field[..40].contains("checked"), on, "{family}");
    }
}
