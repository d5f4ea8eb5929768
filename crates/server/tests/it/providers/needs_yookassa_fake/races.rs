//! Customers who pay around the deadline, while calls fail: each session ends once, and every kopeck is where
//! our books say. Late money is refunded automatically.

use super::*;
use crate::support::note;
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};
use till_domain::method::Method;

const SESSIONS: usize = 48;

/// A pseudo-random number generator with the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// Makes calls fail now and then, while `on` is set.
async fn weather(world: Arc<World>, on: Arc<AtomicBool>) {
    let mut dice = Dice(77);
    let kinds = ["500_before", "500_after", "hang_up_after", "429_before"];
    let calls = ["payment", "capture", "cancel"];
    while on.load(Relaxed) {
        let pick = |of: &[&'static str], dice: &mut Dice| {
            of[usize::try_from(dice.roll(of.len() as u64)).expect("small")]
        };
        let (call, kind) = (pick(&calls, &mut dice), pick(&kinds, &mut dice));
        world.fake.fault(call, kind, 1).await;
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
}

/// Sessions by both methods with the same deadline, and their payments.
async fn open(world: &World) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for number in 0..SESSIONS / 2 {
        all.push(world.paying(&format!("card-{number}"), "card").await);
    }
    world.later(5 * MINUTE).await;
    for number in 0..SESSIONS / 2 {
        let id = world.order(&format!("sbp-{number}")).await;
        assert_eq!(world.server.customer().pay(&id, "sbp").await.status, 303);
        let payment = world.attempt(&id).await.reference.expect("a payment");
        all.push((id, payment));
    }
    all
}

/// True if a session has ended and no attempt of it is active or watched.
async fn is_over(world: &World, id: &str) -> bool {
    let waits = |attempt: &Attempt| attempt.state.is_active() || attempt.state == AttemptState::Watched;
    world.state(id).await != State::Pending && !world.server.attempts(id).await.iter().any(waits)
}

on_both_engines! {
    t22_f8_p12_payments_in_the_moment_of_the_deadline_end_once_and_lose_no_money
}

async fn t22_f8_p12_payments_in_the_moment_of_the_deadline_end_once_and_lose_no_money(engine: Engine) {
    let world = Arc::new(World::on(engine, &[("TILL_REFUND_LATE", "on")]).await);
    let sessions = open(&world).await;
    world.later(10 * MINUTE - Duration::from_secs(2)).await;
    let raging = Arc::new(AtomicBool::new(true));
    let storm = tokio::spawn(weather(Arc::clone(&world), Arc::clone(&raging)));
    let mut customers = tokio::task::JoinSet::new();
    let mut dice = Dice(4_711);
    for (_, payment) in &sessions {
        let (world, payment, wait) = (Arc::clone(&world), payment.clone(), dice.roll(4_000));
        customers.spawn(async move {
            tokio::time::sleep(Duration::from_millis(wait)).await;
            // A customer who comes after the payment has ended is refused by the fake.
            world.fake.happens("pay", json!({ "payment": payment })).await;
        });
    }
    // The deadline comes while they are paying.
    for _ in 0..40 {
        world.server.later(Duration::from_millis(100));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    customers.join_all().await;
    raging.store(false, Relaxed);
    storm.await.expect("it ends");
    world.fake.does("heal", json!({})).await;
    for (id, _) in &sessions {
        world.later_until("it is over", MINUTE, async || is_over(&world, id).await).await;
    }
    let settled = async || world.refunds().await.iter().all(|refund| refund.state == RefundState::Succeeded);
    let (mut paid, mut expired, mut late) = (0, 0, 0);
    for (id, _) in &sessions {
        let money = world.money(id).await;
        match (world.state(id).await, &money[..]) {
            (State::Paid, [one]) if !one.marks.late => paid += 1,
            (State::Expired, []) => expired += 1,
            // Late money by card was only authorised, and the authorisation was cancelled.
            (State::Expired, [one]) if one.marks.late && one.method == Method::Sbp => {
                (expired, late) = (expired + 1, late + 1);
            }
            wrong => panic!("{wrong:?}"),
        }
    }
    world
        .later_until("it went back", Duration::from_secs(2), async || {
            world.refunds().await.len() == late && settled().await
        })
        .await;
    for prefix in ["card", "sbp"] {
        for number in 0..SESSIONS / 2 {
            let path = format!("/{prefix}-{number}");
            let got = world.receiver.wait(&path, 1).await;
            let ends = got.iter().filter(|one| one.body.starts_with(b"{\"event\":\"session."));
            let events: BTreeSet<String> = ends.map(crate::support::Received::event).collect();
            assert_eq!(events.len(), 1, "{path}: one end");
        }
    }
    note(&format!(
        "{SESSIONS} payments against deadlines at YooKassa: {paid} paid, {expired} expired, {late} late"
    ));
    assert!(
        paid > 0 && expired > 0 && late > 0,
        "it was a race: {paid} paid, {expired} expired, {late} late"
    );
    world.agrees().await;
}
