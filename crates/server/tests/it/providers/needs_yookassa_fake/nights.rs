//! The reconciliation with YooKassa: by the running service in the night, and by command.

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
fn reconcile(world: &World, day: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
    command.env_clear().env("TILL_DATA_DIR", world.server.folder()).env("TILL_MASTER_KEY", MASTER_KEY);
    command.env("TILL_YOOKASSA_FILE", world.folder.path().join("yookassa.toml"));
    if let Some(cluster) = &world.cluster {
        command.env("TILL_DATABASE_URL", cluster.url());
    }
    command.args(["reconcile", "--provider", "yookassa", "--from", day, "--to", day]);
    let Output { status, stdout, stderr } = command.output().expect("the binary runs");
    (status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

async fn the_books_are_compared_in_the_night_and_by_command(engine: Engine) {
    let world = World::on(engine, &[]).await;
    let mut payments = Vec::new();
    for order in ["A-1", "A-2"] {
        let (id, payment) = world.paying(order, "card").await;
        world.fake.does("pay", json!({ "payment": payment })).await;
        world.reaches(&id, State::Paid).await;
        payments.push((id, payment));
    }
    assert_eq!(world.shop.refund(&payments[0].0, &json!({ "amount": "90.00" }), &[]).await.status, 201);
    until("it went back", async || world.refunds().await[0].state == RefundState::Succeeded).await;
    let runs = world.server.live.store.reconciliations().expect("live has them");
    assert_eq!(runs.page(None, None, 9).await.expect("a read"), [], "the night has not come");
    let now = world.server.clock.now();
    let night = next_night(Duration::from_secs(2 * 60 * 60), now);
    world.later(night.since(now)).await;
    let made = async || runs.last_night("yookassa", None).await.expect("a read");
    until("the night's run", async || made().await.is_some_and(|run| run.result.state.is_final())).await;
    let run = made().await.expect("a run");
    assert_eq!((run.result.state, run.result.counts.compared), (RunState::Matched, 2), "{run:?}");

    let day: String = now.to_string().chars().take(10).collect();
    let (code, said) = reconcile(&world, &day);
    assert_eq!((code, said.contains("2 payments compared")), (Some(0), true), "{said}");
    assert_eq!(world.actions().await, []);
    // A refund that was made in the shop's account.
    let refund = json!({ "payment_id": payments[1].1, "amount": { "value": "120.00", "currency": "RUB" } });
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let asked = client.post(format!("{}/refunds", world.fake.api)).basic_auth(Fake::SHOP, Some(KEY));
    let asked = asked.header("idempotence-key", "account").json(&refund).send().await.expect("an answer");
    assert_eq!(asked.status(), 200);
    let (code, said) = reconcile(&world, &day);
    assert_eq!(code, Some(1), "{said}");
    let [found] = world.actions().await.try_into().expect("one action");
    let note = found.action.finding.expect("a finding").note;
    assert_eq!(found.action.kind, ActionKind::Difference);
    assert!(note.contains("the provider refunded 120.00 RUB, Till recorded 0.00 RUB"), "{note}");
}
