//! Customers, deadlines and faults at the same time. Whatever happens, the service's record of the money is
//! what the adapter reported.

use super::*;
use std::sync::Arc;
use till_domain::refund::RefundSeen;

/// A small random number generator, so that a run can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// The result that we believe about an attempt in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Belief {
    Paid,
    Late,
    Nothing,
}

/// Handles an attempt as the cashier does: starts it, checks it, closes it at the deadline, and watches one
/// that cannot be closed. An error is no answer.
async fn cashier(world: Arc<World>, method: Method, mut dice: Dice) -> (Attempt, Belief) {
    let mut attempt = attempt(method);
    let deadline = 3 + dice.roll(12);
    let mut looks = 0;
    let belief = loop {
        looks += 1;
        attempt.version += 1;
        tokio::time::sleep(Duration::from_millis(dice.roll(30))).await;
        let over = looks > deadline;
        let answer = match attempt.state {
            AttemptState::Intended if !over => {
                match world.start(&attempt).await {
                    // Only now does the customer have a link.
                    Ok(started) => {
                        let dice = Dice(dice.roll(1 << 40) + 1);
                        tokio::spawn(customer(Arc::clone(&world), started.reference.clone(), dice));
                        attempt = opened(attempt, started);
                    }
                    Err(ProviderError::Definite(text) | ProviderError::Denied(text)) => panic!("{text}"),
                    Err(_) => {}
                }
                continue;
            }
            AttemptState::Watched => world.shop.check(&attempt).await,
            // A notice triggers another check at the same moment.
            AttemptState::Open | AttemptState::InFlight if !over && dice.roll(3) == 0 => {
                let (one, _) = tokio::join!(world.shop.check(&attempt), world.shop.check(&attempt));
                one
            }
            _ if !over => world.shop.check(&attempt).await,
            // A check that began just before the deadline is still running when the attempt is closed.
            _ if dice.roll(2) == 0 => {
                let before = Attempt { version: attempt.version - 1, ..attempt.clone() };
                let (closed, taken) = tokio::join!(world.shop.close(&attempt), world.shop.check(&before));
                if matches!(taken, Ok(Observation::Paid { .. })) { taken } else { closed }
            }
            _ => world.shop.close(&attempt).await,
        };
        let watched = attempt.state == AttemptState::Watched;
        match answer {
            Ok(Observation::Paid { received, reference }) => {
                assert_eq!((&received, Some(&reference)), (&attempt.charge, attempt.reference.as_ref()));
                break if watched { Belief::Late } else { Belief::Paid };
            }
            Ok(Observation::CannotBeClosed) => attempt.state = AttemptState::Watched,
            Ok(Observation::InFlight) if !watched => attempt.state = AttemptState::InFlight,
            Ok(Observation::Declined(_) | Observation::Closed | Observation::TimedOut) => {
                break Belief::Nothing;
            }
            Ok(Observation::NeverStarted) if over => break Belief::Nothing,
            _ if watched && looks > 200 => panic!("it never ends: {answer:?}"),
            _ => {}
        }
    };
    (attempt, belief)
}

/// A customer who pays, is declined, or leaves, at some moment.
async fn customer(world: Arc<World>, payment: String, mut dice: Dice) {
    let wait = if dice.roll(3) == 0 { 500 + dice.roll(800) } else { dice.roll(300) };
    tokio::time::sleep(Duration::from_millis(wait)).await;
    let command = ["pay", "pay", "pay", "decline", "expire"][usize::try_from(dice.roll(5)).expect("small")];
    // It may be too late.
    world.happens(command, json!({ "payment": payment })).await;
}

/// Faults that come and go.
async fn weather(world: Arc<World>, mut dice: Dice) {
    let kinds = [
        "500_before",
        "500_after",
        "hang_up_before",
        "hang_up_after",
        "202_after",
        "malformed_after",
        "429_before",
    ];
    let calls = ["create", "payment", "capture", "cancel", "payments", "any"];
    loop {
        let pick = |of: &[&'static str], dice: &mut Dice| {
            of[usize::try_from(dice.roll(of.len() as u64)).expect("small")]
        };
        let (on, kind) = (pick(&calls, &mut dice), pick(&kinds, &mut dice));
        world.fault(on, kind, 2).await;
        tokio::time::sleep(Duration::from_millis(dice.roll(40))).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn payments_against_deadlines_end_as_the_service_says() {
    let world = Arc::new(World::new());
    let seed = now().as_ms().unsigned_abs();
    let mut dice = Dice(seed);
    let storm = tokio::spawn(weather(Arc::clone(&world), Dice(dice.roll(1 << 40) + 1)));
    let mut beliefs = Vec::new();
    for _ in 0..6 {
        let round: Vec<_> = (0..25_u64)
            .map(|number| {
                let method = if number % 3 == 0 { Method::Sbp } else { Method::Card };
                tokio::spawn(cashier(Arc::clone(&world), method, Dice(dice.roll(1 << 40) + 1)))
            })
            .collect();
        // After a while an hour passes, for the attempts that are still undecided.
        let ticker = tokio::spawn({
            let world = Arc::clone(&world);
            async move {
                tokio::time::sleep(Duration::from_millis(1_500)).await;
                world.does("advance", json!({ "seconds": 3_700 })).await;
            }
        });
        for one in round {
            beliefs.push(one.await.expect("a belief"));
        }
        ticker.await.expect("time passes");
    }
    storm.abort();
    let _ = storm.await;
    world.does("heal", json!({})).await;
    agree(&world, &beliefs, seed).await;
}

/// Compares our results with the service's record, payment by payment, and refunds late money.
async fn agree(world: &World, beliefs: &[(Attempt, Belief)], seed: u64) {
    let truth = world.look("truth").await;
    let payments = truth["payments"].as_array().expect("payments");
    let (mut paid, mut late) = (0, 0);
    for (attempt, belief) in beliefs {
        let own = |payment: &&Value| payment["metadata"]["attempt"] == attempt.id.to_string().as_str();
        let own: Vec<&Value> = payments.iter().filter(own).collect();
        assert!(own.len() <= 1, "one payment for one attempt: {own:?}");
        let taken: i64 = own.iter().map(|payment| payment["taken"].as_i64().expect("a sum")).sum();
        let held: i64 = own.iter().map(|payment| payment["held"].as_i64().expect("a sum")).sum();
        let expected = if *belief == Belief::Nothing { 0 } else { 149_000 };
        assert_eq!((taken, held), (expected, 0), "seed {seed}: {belief:?} {own:?}");
        paid += usize::from(*belief == Belief::Paid);
        if *belief == Belief::Late {
            let back = refund(attempt, 149_000);
            let seen = world.shop.refunds().expect("refunds").refund(&back).await.expect("it goes back");
            assert!(matches!(seen, RefundSeen::Succeeded { .. }));
            late += 1;
        }
    }
    assert!(paid > 10 && late > 0, "of {} attempts {paid} paid, {late} late", beliefs.len());
    let (_, held, taken, returned) = world.truth().await;
    let sum = |count: usize| i64::try_from(count).expect("small") * 149_000;
    assert_eq!((held, taken, returned), (0, sum(paid + late), sum(late)));
}

#[tokio::test]
async fn of_taking_and_letting_go_at_the_deadline_one_happens_and_both_say_so() {
    let world = World::new();
    let (mut taken, mut closed) = (0, 0);
    for number in 0..40 {
        let attempt = world.open(Method::Card).await;
        world.pay(&attempt).await;
        let slow = async |wait: u64| tokio::time::sleep(Duration::from_millis(wait)).await;
        let (one, other) = tokio::join!(
            async {
                slow(number % 5).await;
                world.check(&attempt).await
            },
            async {
                slow(number % 2).await;
                world.close(&attempt).await
            },
        );
        assert_eq!(one, other, "both tell what happened");
        if one == Observation::Closed {
            closed += 1
        } else {
            taken += 1
        }
        assert!(one == Observation::Closed || one == paid(&attempt), "{one:?}");
    }
    assert_eq!((taken + closed, world.truth().await), (40, (40, 0, taken * 149_000, 0)));
}
