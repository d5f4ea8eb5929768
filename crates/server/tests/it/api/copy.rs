//! The sandbox is a true copy: one table of every operation and every event with its place in live and in the sandbox,
//! made from the route table and from the kinds of events, so that a new one cannot forget the sandbox.

use crate::{
    callbacks::money::{events, tell, told, with_address},
    money::decisions::Operator,
    support::{Server, Shop, until},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};
use till::api::{ENDPOINTS, Operation};
use till_domain::{callback::EventKind, environment::EnvironmentName};

#[test]
fn every_operation_is_in_both_environments_except_tests_and_the_wallet() {
    for endpoint in ENDPOINTS {
        let places = EnvironmentName::ALL.map(|name| endpoint.path(name).is_some());
        let expected = match endpoint.operation {
            // A tester chooses what happens; in live it happens.
            Operation::Simulate => [false, true],
            // A part of the vendor's tests.
            Operation::CheckSignature | Operation::CheckEndpoint | Operation::GetEndpointCheck => {
                [false, true]
            }
            // The sandbox moves no money.
            Operation::GetWallet => [true, false],
            _ => [true, true],
        };
        assert_eq!(places, expected, "{:?}", endpoint.operation);
    }
}

/// A session of 4990.00 in the sandbox with this outcome.
async fn ended(shop: &Shop, outcome: &str) -> String {
    let id = shop.order("A-1").await;
    assert_eq!(shop.simulate(&id, &json!({ "outcome": outcome })).await.text("status"), outcome);
    id
}

/// Makes an event happen in the sandbox; returns its session.
async fn in_sandbox(server: &Server, shop: &Shop, kind: EventKind) -> String {
    let story = async |outcome: &str, before: &[&str]| {
        let id = ended(shop, outcome).await;
        for event in before.iter().chain([&kind.as_str()]) {
            assert_eq!(tell(server, shop, &id, event).await.status, 200, "{event}");
        }
        id
    };
    match kind {
        EventKind::SessionPaid => ended(shop, "paid").await,
        EventKind::SessionFailed => ended(shop, "failed").await,
        EventKind::SessionExpired => ended(shop, "expired").await,
        EventKind::RefundSucceeded | EventKind::RefundFailed => {
            let id = ended(shop, "paid").await;
            refund(shop, &id, kind).await;
            id
        }
        EventKind::PaymentLate | EventKind::PaymentPartial => story("expired", &[]).await,
        EventKind::PaymentOver | EventKind::DisputeOpened => story("paid", &[]).await,
        EventKind::DisputeWon | EventKind::DisputeLost => story("paid", &["dispute.opened"]).await,
        EventKind::PaymentResolved => {
            let id = ended(shop, "expired").await;
            tell(server, shop, &id, "payment.late").await;
            let body = json!({ "event": kind.as_str(), "resolution": "accepted" });
            assert_eq!(shop.simulate(&id, &body).await.status, 200);
            id
        }
    }
}

async fn refund(shop: &Shop, id: &str, kind: EventKind) {
    let fails = kind == EventKind::RefundFailed;
    let reason = if fails { "simulate fail" } else { "wrong size" };
    let refund = shop.refund(id, &json!({ "amount": "1.00", "reason": reason }), &[]).await;
    assert_eq!(refund.status, 201, "{}", refund.body);
}

/// A live session that was paid by card, with its attempt.
async fn paid_by_card(server: &Server, shop: &Shop, decision: &str) -> (String, String) {
    let id = shop.order("A-1").await;
    let paid = server.customer().pay(&id, "card").await;
    if paid.status != 303 {
        // The order was paid before.
        panic!("{}", paid.body);
    }
    let attempt = server.attempts(&id).await[0].id.to_string();
    server.customer().decide(&attempt, decision).await;
    until("it ends", async || shop.status(&id).await.text("status") != "pending").await;
    (id, attempt)
}

/// Makes an event happen in live; returns its session.
async fn in_live(server: &Server, shop: &Shop, kind: EventKind) -> String {
    let resolve = async |id: &str, event: &str, resolution: &str| {
        told(server, shop, id, event).await;
        let operator = Operator(server);
        let mut actions = operator.list(&["action", "list"]);
        actions.retain(|action| action["session_id"] == json!(id));
        let action = actions[0]["action_id"].as_str().expect("an id").to_owned();
        operator.run(&["action", "resolve", &action, resolution]).expect("it is decided");
    };
    match kind {
        EventKind::SessionPaid => paid_by_card(server, shop, "approve").await.0,
        EventKind::SessionFailed => paid_by_card(server, shop, "decline").await.0,
        EventKind::SessionExpired => {
            let id = shop.order("A-1").await;
            assert_eq!(shop.expire(&id, "").await.status, 200);
            id
        }
        EventKind::RefundSucceeded | EventKind::RefundFailed => {
            let (id, _) = paid_by_card(server, shop, "approve").await;
            refund(shop, &id, kind).await;
            id
        }
        EventKind::PaymentLate | EventKind::PaymentResolved => {
            let (id, attempt) = with_address(server, shop).await;
            assert_eq!(shop.expire(&id, "").await.status, 200);
            server.customer().decide(&attempt, "pay_exact").await;
            if kind == EventKind::PaymentResolved {
                resolve(&id, "payment.late", "accept").await;
            }
            id
        }
        EventKind::PaymentPartial | EventKind::PaymentOver => {
            let (id, attempt) = with_address(server, shop).await;
            let word = if kind == EventKind::PaymentOver { "pay_over" } else { "pay_short" };
            server.customer().decide(&attempt, word).await;
            id
        }
        EventKind::DisputeOpened | EventKind::DisputeWon | EventKind::DisputeLost => {
            let (id, attempt) = paid_by_card(server, shop, "approve").await;
            server.customer().decide(&attempt, "dispute").await;
            match kind {
                EventKind::DisputeWon => resolve(&id, "dispute.opened", "dismiss").await,
                EventKind::DisputeLost => resolve(&id, "dispute.opened", "charge").await,
                _ => {}
            }
            id
        }
    }
}

/// The names of an event's fields. Coins are named in live alone: the sandbox is paid by card.
fn fields(body: &Value) -> BTreeSet<&str> {
    let names = body.as_object().expect("an object").keys().map(String::as_str);
    names.filter(|name| !["coin", "coinAmount"].contains(name)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_happens_in_both_environments_with_the_same_fields() {
    for kind in EventKind::ALL {
        let server = Server::with(&[("TILL_SETTLEMENT_DELAY", "0s")]).await;
        let vendor = server.vendor().await;
        let (live, sandbox) = (server.shop("live", &vendor).await, server.shop("sandbox", &vendor).await);
        let id = in_sandbox(&server, &sandbox, *kind).await;
        let in_sandbox = told(&server, &sandbox, &id, kind.as_str()).await;
        let id = in_live(&server, &live, *kind).await;
        let in_live = told(&server, &live, &id, kind.as_str()).await;
        assert_eq!(fields(&in_live), fields(&in_sandbox), "{}", kind.as_str());
        assert_eq!(in_live["status"], in_sandbox["status"], "{}", kind.as_str());
        // Each once.
        server.later(Duration::from_secs(60));
        let again = events(&live, &id).await.iter().filter(|body| body["event"] == kind.as_str()).count();
        assert_eq!(again, 1, "{}", kind.as_str());
    }
}
