//! T-Bank fails before or after it has acted: nothing happens twice, nothing is lost.

use super::*;
use till_domain::transaction::ActionKind;

const UNCLEAR: [&str; 7] = [
    "500_before",
    "500_after",
    "hang_up_before",
    "hang_up_after",
    "timeout_after",
    "code_999_after",
    "429_before",
];

/// A call fails once; one without an answer stays silent for longer than the client's timeout.
async fn fault(world: &World, on: &str, kind: &str) {
    world.fake.does("fault", json!({ "on": on, "kind": kind, "times": 1, "seconds": 8 })).await;
}

/// Starts a payment whose first start has this fault. By card the customer may have to choose again.
async fn start(world: &World, id: &str, method: &str, kind: &str) {
    fault(world, "Init", kind).await;
    let second = Duration::from_secs(1);
    let (customer, open) =
        (world.server.customer(), async || world.attempt(id).await.state == AttemptState::Open);
    assert_eq!(customer.pay(id, method).await.status, 303, "{kind}");
    let decided = async || world.attempt(id).await.state != AttemptState::Intended;
    world.later_until("the start is decided", second, decided).await;
    if !open().await {
        assert_eq!(world.attempt(id).await.state, AttemptState::Closed, "{kind}");
        assert!(method == "card" && kind.ends_with("after"), "only a lost link is closed: {method} {kind}");
        assert_eq!(customer.pay(id, method).await.status, 303, "{kind}");
    }
    assert!(open().await, "{method} {kind}");
}

/// A payment and a refund, with the same fault at every step.
async fn through(world: &World, method: &str, kind: &str) {
    let (order, second) = (format!("{method}-{kind}"), Duration::from_secs(1));
    let id = world.order(&order).await;
    start(world, &id, method, kind).await;
    for call in ["GetState", "Confirm"] {
        fault(world, call, kind).await;
    }
    let payment = world.attempt(&id).await.reference.expect("a payment");
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.later_until("it is paid", second, async || world.state(&id).await == State::Paid).await;
    world.fake.does("heal", json!({})).await;
    fault(world, "Cancel", kind).await;
    let asked = world.shop.refund(&id, &json!({ "amount": "90.00" }), &[]).await;
    assert_eq!(asked.status, 201, "{}", asked.body);
    let sent = async || {
        // By SBP it takes some seconds, in which T-Bank shows it under way.
        if world.refunds().await[0].reference.is_some() {
            world.fake.happens("refunded", json!({ "payment": payment })).await;
        }
        world.refunds().await[0].state == RefundState::Succeeded
    };
    world.later_until("it went back", second, sent).await;
    world.fake.does("heal", json!({})).await;
    world.agrees().await;
}

on_both_engines! {
    f16_trouble_at_every_step_moves_money_once
}

async fn f16_trouble_at_every_step_moves_money_once(engine: Engine) {
    let world = World::on(engine, &[]).await;
    for (kind, method) in UNCLEAR.into_iter().zip(["card", "sbp"].into_iter().cycle()) {
        through(&world, method, kind).await;
    }
    let count = i64::try_from(UNCLEAR.len()).expect("small");
    let (_, held, taken, returned) = world.fake.truth().await;
    assert_eq!((held, taken, returned), (0, count * PRICE, count * 9_000));
    assert!(world.actions().await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_whose_answer_is_lost_by_sbp_is_used_and_by_card_closed() {
    let world = World::new().await;
    for method in ["sbp", "card"] {
        let id = world.order(method).await;
        start(&world, &id, method, "timeout_after").await;
        let truth = world.fake.look("truth").await;
        let all = truth["payments"].as_array().expect("payments");
        let statuses: Vec<_> =
            all.iter().map(|payment| payment["status"].as_str().expect("a word")).collect();
        let expected = if method == "sbp" { &["FORM_SHOWED"][..] } else { &["CONFIRMED", "CANCELED", "NEW"] };
        assert_eq!(statuses, expected);
        let payment = world.attempt(&id).await.reference.expect("a payment");
        world.fake.does("pay", json!({ "payment": payment })).await;
        world.reaches(&id, State::Paid).await;
    }
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f18_money_that_comes_while_nobody_answers_is_found_afterwards() {
    let world = World::new().await;
    let (id, payment) = world.paying("A-1", "sbp").await;
    world.fake.does("fault", json!({ "on": "any", "kind": "500_before", "times": 100_000 })).await;
    world.fake.does("pay", json!({ "payment": payment })).await;
    // Ten minutes, and five more for a provider that does not answer.
    world.later(10 * MINUTE).await;
    world.later_until("it expires", MINUTE, async || world.state(&id).await == State::Expired).await;
    let kinds = async || world.actions().await.iter().map(|a| a.action.kind).collect::<Vec<_>>();
    until("an action is open", async || kinds().await == [ActionKind::Unreachable]).await;
    world.fake.does("heal", json!({})).await;
    world.later_until("it is found", MINUTE, async || world.money(&id).await.len() == 1).await;
    assert_eq!(kinds().await, [ActionKind::Late, ActionKind::Unreachable]);
    assert_eq!(world.balance(Account::Suspense).await, PRICE);
    world.agrees().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_t_bank_refuses_to_start_can_be_chosen_again() {
    let world = World::new().await;
    let id = world.order("A-1").await;
    world.fake.does("settings", json!({ "sbp": false })).await;
    assert_eq!(world.server.customer().pay(&id, "sbp").await.status, 502);
    assert_eq!(world.server.customer().pay(&id, "card").await.status, 303);
    let payment = world.attempt(&id).await.reference.expect("a payment");
    world.fake.does("pay", json!({ "payment": payment })).await;
    world.reaches(&id, State::Paid).await;
    world.agrees().await;
}
