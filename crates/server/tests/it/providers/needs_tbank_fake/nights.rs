//! The reconciliation with T-Bank, payment by payment: by the running service in the night, and by command.

use super::*;
use crate::support::MASTER_KEY;
use std::process::{Command, Output};
use till_domain::{
    reconciliation::{RunState, next_night},
    transaction::ActionKind,
};

on_both_engines! {
    the_books_are_compared_in_the_night_and_by_command
}

/// Runs `till reconcile` for one day while the service runs.
fn reconcile(world: &World, day: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
    command.env_clear().env("TILL_DATA_DIR", world.server.folder()).env("TILL_MASTER_KEY", MASTER_KEY);
    command.env("TILL_TBANK_FILE", world.folder.path().join("tbank.toml"));
    if let Some(cluster) = &world.cluster {
        command.env("TILL_DATABASE_URL", cluster.url());
    }
    command.args(["reconcile", "--provider", "tbank", "--from", day, "--to", day]);
    command.output().expect("the binary runs")
}

async fn the_books_are_compared_in_the_night_and_by_command(engine: Engine) {
    let world = World::on(engine, &[]).await;
    let mut payments = Vec::new();
    for method in ["card", "sbp"] {
        let (id, payment) = world.paying(method, method).await;
        world.fake.does("pay", json!({ "payment": payment })).await;
        world.reaches(&id, State::Paid).await;
        payments.push((id, payment));
    }
    // T-Bank does not say how much of the first one went back.
    assert_eq!(world.shop.refund(&payments[0].0, &json!({ "amount": "90.00" }), &[]).await.status, 201);
    until("it went back", async || world.refunds().await[0].state == RefundState::Succeeded).await;
    let now = world.server.clock.now();
    let night = next_night(Duration::from_secs(2 * 60 * 60), now);
    world.later(night.since(now)).await;
    let runs = world.server.live.store.reconciliations().expect("live has them");
    let made = async || runs.last_night("tbank", None).await.expect("a read");
    until("the night's run", async || made().await.is_some_and(|run| run.result.state.is_final())).await;
    let run = made().await.expect("a run");
    assert_eq!((run.result.state, run.result.counts.compared), (RunState::Matched, 2), "{run:?}");

    let day: String = now.to_string().chars().take(10).collect();
    let said = |output: &Output| {
        String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
    };
    // Whether the amount of a payment of which a part went back is what was paid or what is left, no document says.
    for amount in ["whole", "left"] {
        world.fake.does("settings", json!({ "amount_after": amount })).await;
        let matched = reconcile(&world, &day);
        assert_eq!(
            (matched.status.code(), said(&matched).contains("2 payments compared")),
            (Some(0), true),
            "{amount}: {}",
            said(&matched)
        );
    }
    assert!(world.actions().await.is_empty());
    // A refund that was made in the cabinet.
    world.fake.does("status", json!({ "payment": payments[1].1, "status": "REFUNDED" })).await;
    let differs = reconcile(&world, &day);
    assert_eq!(differs.status.code(), Some(1), "{}", said(&differs));
    let [found] = world.actions().await.try_into().expect("one action");
    let note = found.action.finding.expect("a finding").note;
    assert_eq!(found.action.kind, ActionKind::Difference);
    assert!(note.contains("the provider refunded 4990.00 RUB"), "{note}");
}
