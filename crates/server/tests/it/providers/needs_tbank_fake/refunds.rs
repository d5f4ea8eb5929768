//! Refunds of payments at T-Bank.

use super::*;
use crate::support::MASTER_KEY;
use std::process::{Command, Output};
use till_domain::user::Role;

/// A session that was paid by this method, and its payment.
async fn paid(world: &World, order: &str, method: &str) -> (String, String) {
    let (id, payment) = world.paying(order, method).await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    (id, payment)
}

async fn ask(world: &World, id: &str, body: Value) {
    let asked = world.shop.refund(id, &body, &[]).await;
    assert_eq!(asked.status, 201, "{}", asked.body);
}

/// Waits until this many refunds have this state, while SBP ends those that are on their way.
async fn ended(world: &World, count: usize, state: &str, done: bool, payments: &[&String]) {
    let reached = async || {
        for payment in payments {
            world.fake.happens("refunded", json!({ "payment": payment, "done": done })).await;
        }
        world.refunds().await.iter().filter(|r| r.state.as_str() == state).count() == count
    };
    world.later_until(state, Duration::from_secs(1), reached).await;
}

on_both_engines! {
    payments_go_back_in_parts_and_whole
    an_operator_decides_about_a_refund_of_which_t_bank_does_not_tell
}

/// Runs `till refund` beside the service.
fn refund_command(world: &World, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
    command.env_clear().env("TILL_DATA_DIR", world.server.folder()).env("TILL_MASTER_KEY", MASTER_KEY);
    if let Some(cluster) = &world.cluster {
        command.env("TILL_DATABASE_URL", cluster.url());
    }
    command.arg("refund").args(arguments).output().expect("the binary runs")
}

/// After an earlier refund, one was made and its answer lost, and another never reached T-Bank. The state is the same.
async fn an_operator_decides_about_a_refund_of_which_t_bank_does_not_tell(engine: Engine) {
    let world = World::on(engine, &[("TILL_OPERATOR_TOTP", "off")]).await;
    world.fake.does("settings", json!({ "sbp_refunds": "now" })).await;
    let (id, _) = paid(&world, "A-1", "sbp").await;
    ask(&world, &id, json!({ "amount": "50.00" })).await;
    ended(&world, 1, "succeeded", true, &[]).await;
    for (kind, amount, command) in
        [("hang_up_after", "100.00", "confirm"), ("429_before", "70.00", "give-up")]
    {
        world.fake.fault("Cancel", kind, 1).await;
        // A day passes with each, and a token lives for an hour.
        let shop = world.server.shop("live", &world.vendor).await;
        assert_eq!(shop.refund(&id, &json!({ "amount": amount }), &[]).await.status, 201);
        let open = async || world.refunds().await.first().is_some_and(|newest| newest.silent_since.is_some());
        world.later_until("it is not answered", Duration::from_secs(1), open).await;
        let refund = world.refunds().await.remove(0).id.to_string();
        let arguments = match command {
            "confirm" => vec!["confirm", refund.as_str()],
            _ => vec!["give-up", refund.as_str(), "--reason", "not in the cabinet"],
        };
        let early = refund_command(&world, &arguments);
        let said = String::from_utf8_lossy(&early.stderr).into_owned();
        assert!(!early.status.success() && said.contains("is with its provider"), "{said}");
        let path = format!("/operator/refunds/{refund}");
        let olga = world.server.person(&format!("olga-{kind}"), Role::Operator, None).await;
        assert_eq!(olga.get(&format!("{path}/{command}")).await.status, 404, "nobody has to decide yet");
        let reported = async || world.actions().await.iter().any(|action| action.decided.is_none());
        world.later_until("it is reported", 30 * MINUTE, reported).await;
        let olga = world.server.person(&format!("oleg-{kind}"), Role::Operator, None).await;
        let list = olga.get("/operator/actions").await.body;
        assert!(list.contains(&format!("{path}/{command}")), "the action leads there: {list}");
        assert_eq!(olga.get(&format!("{path}/sent")).await.status, 404, "a provider sends it");
        if engine == Engine::Embedded {
            let done = refund_command(&world, &arguments);
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        } else {
            let form = if command == "confirm" { vec![] } else { vec![("reason", "not in the cabinet")] };
            let asked = olga.get(&format!("{path}/{command}")).await;
            assert!(asked.status == 200 && asked.body.contains("data-testid=\"confirm\""), "{}", asked.body);
            assert_eq!(olga.post(&format!("{path}/{command}"), &form).await.status, 303);
            let again = olga.post(&format!("{path}/{command}"), &form).await;
            assert!(again.status == 409 && again.body.contains("data-testid=\"unfit\""), "{}", again.body);
        }
        assert!(
            world.actions().await.iter().all(|action| action.decided.is_some()),
            "nothing is left to decide"
        );
    }
    // The callback of what a command ended is due at the command's time, which is the machine's.
    let apart = real_now() - world.server.clock.now().as_ms();
    world.later(Duration::from_millis(u64::try_from(apart).unwrap_or_default())).await;
    let received = || world.received("A-1", "refund.failed");
    world.later_until("the vendor hears of it", Duration::from_secs(1), async || received().is_some()).await;
    assert_eq!(received().expect("it is there")["refundAmount"], "70.00");
    assert_eq!(world.fake.truth().await.3, 15_000);
    assert_eq!(world.balance(Account::Available).await, PRICE - 15_000);
    world.agrees().await;
}

async fn payments_go_back_in_parts_and_whole(engine: Engine) {
    let world = World::on(engine, &[]).await;
    let (card, _) = paid(&world, "A-1", "card").await;
    let (sbp, payment) = paid(&world, "A-2", "sbp").await;
    ask(&world, &card, json!({ "amount": "990.00" })).await;
    // Of one payment two are asked for at once: they are sent one after the other.
    ask(&world, &sbp, json!({ "amount": "1000.00" })).await;
    ask(&world, &sbp, json!({ "amount": "500.00" })).await;
    ended(&world, 3, "succeeded", true, &[&payment]).await;
    assert_eq!(world.fake.truth().await, (2, 0, 2 * PRICE, 99_000 + 150_000));
    assert_eq!(world.told("A-1", "refund.succeeded").await["refundAmount"], "990.00");
    ask(&world, &card, json!({})).await;
    ask(&world, &sbp, json!({})).await;
    ended(&world, 5, "succeeded", true, &[&payment]).await;
    assert_eq!(world.fake.truth().await.3, 2 * PRICE);
    assert_eq!(world.balance(Account::Available).await, 0);
    assert!(world.actions().await.is_empty());
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_sbp_refund_that_is_undone_gives_the_vendor_its_money_again() {
    let world = World::new().await;
    let (id, payment) = paid(&world, "A-1", "sbp").await;
    ask(&world, &id, json!({ "amount": "100.00" })).await;
    let accepted = async || world.refunds().await[0].reference.is_some();
    until("it is accepted", accepted).await;
    world.fake.does("refunded", json!({ "payment": payment, "done": false })).await;
    let failed = async || world.refunds().await[0].state.as_str() == "failed";
    world.later_until("it has failed", MINUTE, failed).await;
    assert_eq!(world.balance(Account::Available).await, PRICE);
    ask(&world, &id, json!({ "amount": "100.00" })).await;
    ended(&world, 1, "succeeded", true, &[&payment]).await;
    assert_eq!(world.fake.truth().await, (1, 0, PRICE, 10_000));
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_refund_gives_the_vendor_its_money_again() {
    let world = World::new().await;
    world.fake.does("settings", json!({ "card_refunds": "3002" })).await;
    let (id, _) = paid(&world, "A-1", "card").await;
    ask(&world, &id, json!({})).await;
    ended(&world, 1, "failed", true, &[]).await;
    assert_eq!(world.balance(Account::Available).await, PRICE);
    world.agrees().await;
}
