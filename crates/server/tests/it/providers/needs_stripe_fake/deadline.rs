//! Payments against their deadline.

use super::{Payment, World};
use crate::{money::decisions::Operator, support::note};
use futures_util::future::join_all;
use serde_json::json;
use std::time::Duration;
use till_domain::session::State;
use till_testing::stripe::{ASKS, GOOD};

const SECOND: Duration = Duration::from_secs(1);

/// Payments that race their deadline.
const RACES: u64 = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_the_deadline_the_payment_is_cancelled_there_and_expires_here() {
    let world = World::new().await;
    let (open, asked) = (world.begin("A-1").await, world.begin("A-2").await);
    world.wait_until(60 * SECOND, &open).await;
    world.reaches_nothing(&open).await;
    world.wait_until(Duration::ZERO, &open).await;
    world.reaches(&open, State::Expired).await;
    assert_eq!(world.status_there(&open).await, "canceled");
    world.fake.pays(&open.intent, GOOD).await;
    // One whose customer never answers the 3-D Secure challenge has a little longer, and no more.
    world.reaches(&asked, State::Expired).await;
    assert_eq!(world.told(2).await[0]["event"], json!("session.expired"));
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_of_the_bank_is_waited_for_a_little_and_then_cancelled() {
    let world = World::new().await;
    let (late, never) = (world.begin("A-1").await, world.begin("A-2").await);
    for payment in [&late, &never] {
        world.fake.pays(&payment.intent, ASKS).await;
    }
    world.wait_until(10 * SECOND, &late).await;
    tokio::time::sleep(SECOND).await;
    world.wait_until(Duration::ZERO, &late).await;
    world.later(5 * SECOND).await;
    assert_eq!(world.session(&late).await.state, State::Pending);
    world.fake.answers_bank(&late.intent, "confirm").await;
    world.reaches(&late, State::Paid).await;
    world.later(5 * 60 * SECOND).await;
    world.reaches(&never, State::Expired).await;
    assert_eq!(world.status_there(&never).await, "canceled");
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payment_that_succeeds_while_it_is_cancelled_counts() {
    let world = World::new().await;
    let payment = world.begin("A-1").await;
    let pays = json!({ "intent": payment.intent, "card": GOOD });
    world.fake.control("/fault", json!({ "path": "/cancel", "kind": "meanwhile", "customer": pays })).await;
    world.wait_until(Duration::ZERO, &payment).await;
    world.reaches(&payment, State::Paid).await;
    assert_eq!(world.fake.calls("POST", "/cancel").await, 1);
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stripe_still_processes_is_waited_for_and_late_money_is_reported_to_an_operator() {
    let world = World::new().await;
    let (soon, late) = (world.begin("A-1").await, world.begin("A-2").await);
    for payment in [&soon, &late] {
        world.fake.control("/plan", json!({ "intent": payment.intent, "confirm": "processing" })).await;
        world.fake.pays(&payment.intent, GOOD).await;
    }
    world.wait_until(10 * SECOND, &soon).await;
    tokio::time::sleep(SECOND).await;
    world.wait_until(Duration::ZERO, &soon).await;
    world.later(30 * SECOND).await;
    let settled = |payment: &Payment| json!({ "intent": payment.intent, "outcome": "succeed" });
    world.fake.control("/settle", settled(&soon)).await;
    world.reaches(&soon, State::Paid).await;
    world.later(6 * 60 * SECOND).await;
    world.reaches(&late, State::Expired).await;
    world.fake.control("/settle", settled(&late)).await;
    // The operator was told that the state was unknown, and is told that money came.
    let told = |kind: &str| {
        Operator(&world.server).list(&["action", "list"]).iter().any(|action| action["kind"] == json!(kind))
    };
    assert!(told("unreachable"));
    for _ in 0..100 {
        if told("late") {
            break;
        }
        world.later(30 * SECOND).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(told("late"));
    assert_eq!(world.session(&late).await.state, State::Expired, "what was said stays said");
    world.compare().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p12_forty_customers_pay_in_the_moment_of_their_deadline() {
    let world = World::new().await;
    world.hears().await;
    let mut all = Vec::new();
    for number in 0..RACES {
        all.push(world.begin(&format!("A-{number}")).await);
    }
    world.wait_until(SECOND, &all[0]).await;
    // The first is certainly in time and the last certainly not, however fast this machine is.
    world.fake.pays(&all[0].intent, GOOD).await;
    let customers = join_all(all.iter().zip(0..).skip(1).map(|(payment, number): (_, u64)| {
        let world = &world;
        async move {
            tokio::time::sleep(Duration::from_millis(number * 40)).await;
            if number + 1 == RACES {
                world.reaches(payment, State::Expired).await;
            }
            world.fake.pays(&payment.intent, GOOD).await;
        }
    }));
    let clock = async {
        for _ in 0..40 {
            tokio::time::sleep(Duration::from_millis(40)).await;
            world.later(Duration::from_millis(50)).await;
        }
    };
    tokio::join!(customers, clock);
    world.later(10 * SECOND).await;
    let mut paid = 0;
    for payment in &all {
        let mut tries = 0;
        while world.session(payment).await.state == State::Pending {
            tries += 1;
            assert!(tries < 300, "{payment:?} does not end");
            world.later(Duration::from_millis(250)).await;
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        paid += u64::from(world.session(payment).await.state == State::Paid);
    }
    note(&format!("{paid} of {RACES} were paid in the moment of their deadline, the others have expired"));
    assert!(paid > 0 && paid < RACES, "it was no race: {paid}");
    assert_eq!(world.told(usize::try_from(RACES).expect("few")).await.len(), 40, "one callback each");
    world.compare().await;
}

impl World {
    /// Checks that a payment stays open for a while.
    async fn reaches_nothing(&self, payment: &Payment) {
        tokio::time::sleep(SECOND).await;
        assert_eq!(self.session(payment).await.state, State::Pending);
        assert_eq!(self.status_there(payment).await, "requires_payment_method");
    }
}
