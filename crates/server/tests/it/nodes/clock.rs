//! A node whose clock is wrong: the database's clock counts. And a database whose clock is wrong after a
//! failover (F7).

use crate::{
    clock::preload,
    support::{Nodes, Shop, until},
};
use reqwest::Method;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::sleep;

/// The variables that make a program see a wrong wall clock.
fn wrong_by(offset: &str) -> Vec<(String, String)> {
    let mut variables = preload();
    variables.push(("FAKETIME".to_owned(), offset.to_owned()));
    variables
}

/// A node with the right time, and one that is wrong by an hour, as its log proves.
fn start(offset: &str, settings: &[(&str, &str)]) -> Nodes {
    let wrong = wrong_by(offset);
    let wrong: Vec<(&str, &str)> =
        wrong.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let nodes = Nodes::with(settings, &[&[], &wrong]);
    let hours = |service: usize| -> i64 {
        let log = nodes.services[service].log();
        let line = log.lines().find(|line| line.contains(" serves ")).expect("it says so");
        // 2026-11-15T09:30:00Z, of which the day and the hour matter.
        let digits = |from: usize| line[from..from + 2].parse::<i64>().expect("digits");
        digits(8) * 24 + digits(11)
    };
    let apart = hours(1) - hours(0);
    let expected = if offset.starts_with('+') { 1..=2 } else { -2..=-1 };
    // At the turn of a month the days say nothing.
    assert!(expected.contains(&apart) || apart.abs() > 600, "the second node's clock is {apart} hours off");
    nodes
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_millis()).expect("a time")
}

async fn expires_nothing_early(offset: &str) {
    let nodes = start(offset, &[]);
    let shell = nodes.shell().await;
    for environment in ["live", "sandbox"] {
        let shops = nodes.shops(environment).await;
        let mut ids = Vec::new();
        for shop in &shops {
            let before = now_ms();
            let id = shop.order("A-1").await;
            let after = now_ms();
            let columns = "created_at, due_at - created_at";
            let hex = id.replace('-', "");
            let row = shell
                .row(&format!("SELECT {columns} FROM {environment}.sessions WHERE id = '\\x{hex}'"))
                .await;
            let created: i64 = row[0].parse().expect("a number");
            assert!(
                (before - 1_000..=after + 1_000).contains(&created),
                "{created} is not {before} to {after}"
            );
            assert_eq!(row[1], "900000", "15 minutes by the database's clock");
            ids.push(id);
        }
        // The workers of both nodes run twice a second.
        sleep(Duration::from_millis(1_500)).await;
        for (shop, id) in shops.iter().flat_map(|shop| ids.iter().map(move |id| (shop, id))) {
            assert_eq!(shop.status(id).await.text("status"), "pending");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_needs_faketime_f7_a_node_an_hour_ahead_expires_nothing_early() {
    expires_nothing_early("+1h").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_needs_faketime_f7_a_node_an_hour_behind_expires_nothing_early() {
    expires_nothing_early("-1h").await;
}

/// A session created with the right clock, left to a node with a wrong one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_needs_faketime_f7_a_node_an_hour_behind_expires_on_time_what_another_has_left() {
    let lifetimes =
        [("TILL_LIFETIME_CARD", "2s"), ("TILL_LIFETIME_SBP", "2s"), ("TILL_LIFETIME_CRYPTO", "3s")];
    let mut nodes = start("-1h", &lifetimes);
    let shell = nodes.shell().await;
    let id = nodes.shops("sandbox").await[0].order("A-1").await;
    nodes.services.remove(0).kill();
    let hex = id.replace('-', "");
    let query = format!("SELECT status, updated_at - created_at FROM sandbox.sessions WHERE id = '\\x{hex}'");
    sleep(Duration::from_millis(1_000)).await;
    assert_eq!(shell.row(&query).await[0], "pending");
    // No request reaches the node: its worker expires the session.
    for _ in 0..100 {
        sleep(Duration::from_millis(50)).await;
        if shell.row(&query).await[0] != "pending" {
            break;
        }
    }
    assert_eq!(shell.row(&query).await, ["expired", "2000"]);
}

async fn tokens_live_by_the_databases_clock(offset: &str) {
    let nodes = start(offset, &[("TILL_TOKEN_LIFETIME", "2s")]);
    let mut issuers = nodes.shops("sandbox").await;
    let test = issuers[0].order("A-1").await;
    for issuer in &mut issuers {
        // Both nodes accept a token of either.
        issuer.log_in().await;
        let everywhere: Vec<Shop> = nodes.services.iter().map(|service| issuer.at(&service.url)).collect();
        for shop in &everywhere {
            assert_eq!(shop.status(&test).await.outcome(), "200", "it is new");
        }
        sleep(Duration::from_millis(2_200)).await;
        for shop in &everywhere {
            assert_eq!(shop.status(&test).await.outcome(), "401 invalid_token", "it has ended");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_needs_faketime_f7_tokens_of_and_on_a_node_an_hour_ahead_live_their_time() {
    tokens_live_by_the_databases_clock("+1h").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_needs_faketime_f7_tokens_of_and_on_a_node_an_hour_behind_live_their_time() {
    tokens_live_by_the_databases_clock("-1h").await;
}

/// The server is replaced by one whose clock is wrong by an hour. The test does not wait for the minute after
/// which the server's time would be accepted.
async fn keeps_time_after_a_failover(offset: &str) {
    let mut nodes = Nodes::start(&[]);
    let shops = nodes.shops("sandbox").await;
    let mut ids = Vec::new();
    for shop in &shops {
        ids.push(shop.order("A-1").await);
    }
    nodes.cluster.crash();
    nodes.cluster.set_variables(&wrong_by(offset));
    nodes.cluster.launch();
    let shell = nodes.shell().await;
    let server_ms = shell.number("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)").await;
    assert!((server_ms - now_ms()).abs() > 3_000_000, "the server's clock is wrong");
    let noticed =
        |service: usize| nodes.services[service].log().contains("the database server's clock jumped by");
    // Each node measures every five seconds.
    until("both nodes notice", async || noticed(0) && noticed(1)).await;
    // The workers run twice a second.
    sleep(Duration::from_millis(1_500)).await;
    for (shop, id) in shops.iter().flat_map(|shop| ids.iter().map(move |id| (shop, id))) {
        assert_eq!(shop.status(id).await.text("status"), "pending", "the token works, and nothing expired");
    }
    let told = "SELECT COUNT(*) FROM accounts.nodes WHERE clock_ahead_ms < -3000000";
    until("both nodes have said so", async || shell.number(told).await == 2).await;
    // A node that starts now has the time of the others, and creates sessions that they do not expire.
    nodes.services.push(nodes.till.serve());
    let added = shops[0].at(&nodes.services[2].url);
    let before = now_ms();
    let id = added.order("A-2").await;
    let hex = id.replace('-', "");
    let created = format!("SELECT created_at FROM sandbox.sessions WHERE id = '\\x{hex}'");
    assert!((shell.number(&created).await - before).abs() < 60_000, "it has the time of the others");
    sleep(Duration::from_millis(1_500)).await;
    assert_eq!(shops[1].status(&id).await.text("status"), "pending");
    for service in &nodes.services {
        let ready = shops[0].send(Method::GET, &format!("{}/readyz", service.url), &[], vec![]).await;
        assert_eq!(ready.status, 200);
        assert!(ready.body.contains("expiry is on hold"), "{}", ready.body);
    }
    let doctor = nodes.till.json(&["doctor"]).to_string();
    assert!(doctor.contains("the database server's clock jumped"), "{doctor}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_needs_faketime_f7_after_a_failover_to_a_server_an_hour_ahead_nothing_expires() {
    keeps_time_after_a_failover("+1h").await;
}
