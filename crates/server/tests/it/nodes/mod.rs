//! Two nodes on one PostgreSQL answer as one: idempotency keys, tokens, the operator's changes, outcomes. The
//! modules below cover clocks, faults and the command line.

mod books;
mod clock;
mod due;
mod failover;
mod freeze;
mod load;
mod operator;
mod outage;
mod pages;
mod rolling;
mod standby;
mod watch;

use crate::support::{Credentials, Nodes, Shop};
use serde_json::json;
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_i21_of_32_creates_with_one_key_on_two_nodes_one_is_done() {
    let nodes = Nodes::start(&[]);
    for environment in ["live", "sandbox"] {
        let shops = nodes.shops(environment).await;
        for round in 0..10 {
            let mut calls = tokio::task::JoinSet::new();
            for call in 0..32 {
                let shop = shops[call % 2].clone();
                let key = format!("order-{round}");
                calls.spawn(async move { shop.create_once(&key, &Shop::book("A-1")).await });
            }
            let answers = calls.join_all().await;
            assert!(answers.iter().all(|answer| answer.status == 201), "{answers:?}");
            let bodies: HashSet<_> = answers.iter().map(|answer| answer.body.as_str()).collect();
            assert_eq!(bodies.len(), 1, "32 equal answers: {bodies:?}");
            let replayed = answers.iter().filter(|a| a.header("idempotent-replayed") == Some("true")).count();
            assert_eq!(replayed, 31);
        }
        let shell = nodes.shell().await;
        assert_eq!(shell.number(&format!("SELECT COUNT(*) FROM {environment}.sessions")).await, 10);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_i21_a_key_used_on_one_node_is_replayed_and_guarded_on_the_other() {
    let nodes = Nodes::start(&[]);
    let shops = nodes.shops("sandbox").await;
    let first = shops[0].create_once("k", &Shop::book("1")).await;
    let again = shops[1].create_once("k", &Shop::book("1")).await;
    assert_eq!((again.header("idempotent-replayed"), &again.body), (Some("true"), &first.body));
    let other = shops[1].create_once("k", &Shop::book("2")).await;
    assert_eq!(other.problem(), "422 idempotency_key_reused");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_a_token_and_a_session_of_one_node_are_good_on_the_other() {
    let nodes = Nodes::start(&[]);
    for environment in ["live", "sandbox"] {
        // One token, from the first node.
        let shops = nodes.shops(environment).await;
        let id = shops[1].order("A-1").await;
        let (here, there) = (shops[0].status(&id).await, shops[1].status(&id).await);
        assert_eq!((here.status.as_u16(), &here.body), (200, &there.body));
    }
}

/// Waits until every node answers with this outcome, which must be within two seconds of the command.
async fn everywhere_within_2s(expected: &str, shops: &[Shop], sessions: &[String]) {
    let since = Instant::now();
    loop {
        let asked = since.elapsed();
        let mut given = Vec::new();
        for (shop, session) in shops.iter().zip(sessions) {
            given.push(shop.status(session).await.outcome());
        }
        if given.iter().all(|given| given == expected) {
            return;
        }
        assert!(asked < Duration::from_secs(2), "still {given:?} instead of {expected}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_the_operators_changes_are_in_force_on_every_node_within_two_seconds() {
    let nodes = Nodes::start(&[]);
    let (live, sandbox) = (nodes.shops("live").await, nodes.shops("sandbox").await);
    let (mut orders, mut tests) = (Vec::new(), Vec::new());
    // Every node has the vendor in its cache before each change.
    for (live, sandbox) in live.iter().zip(&sandbox) {
        orders.push(live.order("A-1").await);
        tests.push(sandbox.order("A-1").await);
    }
    for (command, expected, token) in [
        (&["sandbox", "off"] as &[&str], "401 invalid_token", "403 sandbox_disabled"),
        (&["sandbox", "on", "--asked-by", "ada", "--why", "a try"], "200", "200"),
        (&["disable"], "401 invalid_token", "403 vendor_disabled"),
        (&["enable"], "200", "200"),
    ] {
        nodes.operator(command);
        everywhere_within_2s(expected, &sandbox, &tests).await;
        for shop in &sandbox {
            assert_eq!(shop.ask_token(&shop.credentials.body()).await.outcome(), token, "{command:?}");
        }
        let switched = command[0] == "sandbox";
        everywhere_within_2s(if switched { "200" } else { expected }, &live, &orders).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_a_rotation_without_overlap_ends_the_old_pair_on_every_node_within_two_seconds() {
    let nodes = Nodes::start(&[]);
    let mut shops = nodes.shops("sandbox").await;
    let mut tests = Vec::new();
    for shop in &shops {
        tests.push(shop.order("A-1").await);
    }
    let pair = nodes.operator(&["rotate", "--env", "sandbox"]);
    everywhere_within_2s("401 invalid_token", &shops, &tests).await;
    for (shop, test) in shops.iter_mut().zip(&tests) {
        assert_eq!(shop.ask_token(&shop.credentials.body()).await.outcome(), "401 invalid_client");
        shop.credentials = Credentials::of(&json!({ "sandbox": pair }), "sandbox");
        shop.log_in().await;
        assert_eq!(shop.status(test).await.outcome(), "200", "the new pair works at once");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_an_outcome_chosen_on_one_node_is_seen_at_once_on_the_other() {
    let nodes = Nodes::start(&[]);
    let shops = nodes.shops("sandbox").await;
    for round in 0..30 {
        let (here, there) = (&shops[round % 2], &shops[(round + 1) % 2]);
        let outcome = ["paid", "failed", "expired"][round % 3];
        let id = here.order("A-1").await;
        assert_eq!(there.simulate(&id, &json!({ "outcome": outcome })).await.text("status"), outcome);
        assert_eq!(here.status(&id).await.text("status"), outcome);
        let late = here.simulate(&id, &json!({ "outcome": "paid" })).await;
        assert_eq!(late.problem(), "409 session_not_pending");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_of_many_outcomes_on_two_nodes_at_once_exactly_one_wins() {
    let nodes = Nodes::start(&[]);
    let shops = nodes.shops("sandbox").await;
    for _ in 0..10 {
        let id = shops[0].order("A-1").await;
        let mut calls = tokio::task::JoinSet::new();
        for call in 0..16 {
            let (shop, id) = (shops[call % 2].clone(), id.clone());
            let outcome = ["paid", "failed", "expired"][call % 3];
            calls.spawn(async move { (outcome, shop.simulate(&id, &json!({ "outcome": outcome })).await) });
        }
        let answers = calls.join_all().await;
        let winners: Vec<_> = answers.iter().filter(|(_, answer)| answer.status == 200).collect();
        assert_eq!(winners.len(), 1, "{answers:?}");
        assert!(answers.iter().all(|(_, a)| a.status == 200 || a.problem() == "409 session_not_pending"));
        for shop in &shops {
            assert_eq!(shop.status(&id).await.text("status"), winners[0].0);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_a_plan_of_a_node_that_was_killed_is_carried_out_by_another_on_time() {
    let mut nodes = Nodes::start(&[]);
    let shops = nodes.shops("sandbox").await;
    let id = shops[0].order("A-1").await;
    let plan = json!({ "outcome": "paid", "after_ms": 3_000 });
    let planned = Instant::now();
    assert_eq!(shops[0].simulate(&id, &plan).await.text("status"), "pending");
    nodes.services.remove(0).kill();
    assert_eq!(shops[1].status(&id).await.text("status"), "pending");
    // No request triggers it: the other node's worker does it. Only the database shell watches.
    let shell = nodes.shell().await;
    let hex = id.replace('-', "");
    let query = format!("SELECT status, updated_at FROM sandbox.sessions WHERE id = '\\x{hex}'");
    let planned_at = shell.row(&format!("SELECT plan_at FROM sandbox.sessions WHERE id = '\\x{hex}'")).await;
    while shell.row(&query).await[0] == "pending" {
        assert!(planned.elapsed() < Duration::from_secs(8), "nobody carries it out");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(planned.elapsed() >= Duration::from_secs(3), "not early: {:?}", planned.elapsed());
    assert_eq!(shell.row(&query).await, ["paid", planned_at[0].as_str()]);
    assert!(nodes.services[0].log().contains(&format!("session {id} is paid")));
}
