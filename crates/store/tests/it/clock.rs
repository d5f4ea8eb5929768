//! A clock step forward moves the deadlines of open sessions with it, and a store's time never goes back.

use crate::fixture::{Backend, Kind, Shop, commit, event_id, minutes, on_both_engines, read, start};
use std::time::Duration;
use till_domain::{
    session::{self, Outcome, Plan, Session},
    time::Timestamp,
};
use till_store::{Clock, ClockStep, NodeId, Payments};

const HOUR: Duration = Duration::from_secs(3_600);
const ONE: NodeId = NodeId([1; 16]);
const OTHER: NodeId = NodeId([2; 16]);

/// Makes the reference clock jump an hour ahead, and waits until the step may be taken.
fn confirm_an_hour(clock: &Clock) {
    clock.advance(Duration::from_secs(1));
    clock.jump(3_600);
    clock.advance(Duration::from_secs(1));
    assert!(clock.holds_expiry() && clock.planned_step().is_none());
    clock.advance(Duration::from_secs(60));
    assert!(clock.planned_step().is_some());
}

async fn move_all(backend: &Backend, step: ClockStep) {
    for payments in [&backend.stores.live, &backend.stores.sandbox] {
        payments.move_deadlines(step).await.expect("it moves them");
    }
}

async fn stored(payments: &Payments, number: u64) -> Session {
    read(payments, number).await.expect("it is stored")
}

/// The time in milliseconds that a session has left at a moment.
fn left(session: &Session, now: Timestamp) -> i64 {
    session.due_at().as_ms() - now.as_ms()
}

async fn t35_open_sessions_keep_the_time_that_they_had_left(kind: Kind) {
    let backend = Backend::with(kind, Clock::by_hand(start())).await;
    let (live, sandbox, clock) = (&backend.stores.live, &backend.stores.sandbox, &backend.clock);
    // More than are moved in one transaction.
    for number in 1..=520 {
        Shop::live().store(live, number, start()).await;
    }
    let planned = Shop::sandbox().store(sandbox, 1, start()).await;
    let plan = Plan { outcome: Outcome::Paid, at: start().plus(minutes(5)) };
    let due = Session { plan: Some(plan), ..planned.clone() };
    let change = till_domain::change::Change::PlanOutcome {
        id: planned.id,
        plan,
        due_at: due.due_at(),
        was_due_at: planned.due_at(),
    };
    commit(sandbox, &[change]).await;
    let final_one = Shop::sandbox().store(sandbox, 2, start()).await;
    commit(sandbox, &Shop::sandbox().finish(&final_one, Outcome::Paid, 1).1).await;
    let final_one = stored(sandbox, 2).await;
    confirm_an_hour(clock);

    let before = left(&stored(live, 1).await, clock.now());
    let step = clock.step().expect("it is confirmed");
    assert!(clock.now() > start().plus(HOUR));
    move_all(&backend, step).await;
    assert!((left(&stored(live, 520).await, clock.now()) - before).abs() < 100, "all of them at once");
    move_all(&backend, step).await;
    for number in [1, 520] {
        let session = stored(live, number).await;
        assert!((left(&session, clock.now()) - before).abs() < 100, "{number} has what it had");
        assert_eq!(session::due(&session, clock.now()), None);
    }
    let moved = stored(sandbox, 1).await;
    assert_eq!(moved.plan.map(|plan| plan.at), Some(moved.due_at()));
    assert!((left(&moved, clock.now()) - 238_000).abs() < 100, "5 minutes without 62 seconds");
    assert_eq!(stored(sandbox, 2).await, final_one);

    // One session stamped with the time before the step but committed after it, and one stamped since.
    Shop::live().store(live, 600, start().plus(minutes(1))).await;
    let new = Shop::live().store(live, 601, clock.now()).await;
    clock.advance(Duration::from_secs(30));
    let settled = clock.settled_step().expect("30 seconds have passed");
    assert_eq!(settled, step);
    move_all(&backend, settled).await;
    clock.end_settling();
    assert!(!clock.holds_expiry());
    assert_eq!(session::due(&stored(live, 600).await, clock.now()), None);
    assert_eq!(stored(live, 601).await, new);
    assert!((left(&stored(live, 1).await, clock.now()) - before + 30_000).abs() < 100, "it was moved once");

    // A second step moves all of them again.
    confirm_an_hour(clock);
    let step = clock.step().expect("it is confirmed");
    move_all(&backend, step).await;
    let left = left(&stored(live, 1).await, clock.now()) - before + 92_000;
    assert!(left.abs() < 200, "{left}");
    let expired = session::settle(
        &stored(live, 1).await,
        clock.now().plus(minutes(15)),
        &Shop::live().vendor.settings,
        event_id(9),
    );
    commit(live, &expired.expect("its time has come").1).await;
}

async fn i16_no_lease_of_another_node_is_taken_while_a_step_settles(kind: Kind) {
    let backend = Backend::with(kind, Clock::by_hand(start())).await;
    let (live, clock) = (&backend.stores.live, &backend.clock);
    let claim = async |node| live.claim("work", node, Duration::from_secs(30)).await.expect("an answer");
    confirm_an_hour(clock);
    assert!(claim(ONE).await.is_some());
    let _ = clock.step().expect("it is confirmed");
    assert_eq!(claim(OTHER).await, None, "it only seems to have ended");
    assert!(claim(ONE).await.is_some(), "its holder goes on");
    clock.advance(Duration::from_secs(31));
    clock.end_settling();
    assert!(claim(OTHER).await.is_some());
}

/// A process died an hour ahead of the calendar: the next one continues from its time, so that leases end
/// when they should.
async fn d4_a_process_that_starts_goes_on_from_the_time_of_the_store(kind: Kind) {
    let ahead = Clock::manual(Clock::System.now().plus(HOUR));
    let backend = Backend::with(kind, ahead.clone()).await;
    backend
        .stores
        .accounts
        .record_heartbeat(ONE, ("0.1.0", "here"), ahead.now(), &[])
        .await
        .expect("it beats");
    let stores = backend.with_own_clock().await;
    assert!(stores.live.now() >= ahead.now(), "time does not go back");
    assert!(stores.live.clock().calendar() < ahead.now().minus(minutes(30)), "others are told the calendar");
    let told = stores.live.clock().status().warning().expect("a warning");
    assert!(told.contains("ahead of the"), "{told}");
    assert!(!stores.live.clock().holds_expiry());

    // Another process takes over its time, and the amount by which that is ahead.
    stores.accounts.record_heartbeat(OTHER, ("0.1.0", "there"), ahead.now(), &[]).await.expect("it beats");
    let beside = backend.with_own_clock().await;
    let apart = beside.live.now().as_ms() - stores.live.now().as_ms();
    assert!(apart.abs() < 5_000, "{apart}");
}

/// Another process wrote a time that is ahead of this one's and agrees with the reference: this process was
/// suspended.
async fn f7_a_process_that_was_stopped_takes_the_time_of_the_others(kind: Kind) {
    let backend = Backend::with(kind, Clock::by_hand(start())).await;
    let (accounts, clock) = (&backend.stores.accounts, &backend.clock);
    for node in [ONE, OTHER] {
        accounts.record_heartbeat(node, ("0.1.0", "here"), start(), &[]).await.expect("it beats");
    }
    // The reference alone is not enough: it may have jumped.
    clock.advance(Duration::from_secs(1));
    clock.jump(40);
    clock.advance(Duration::from_secs(1));
    accounts.compare_clock(ONE).await.expect("it compares");
    assert!(clock.now() < start().plus(Duration::from_secs(3)));
    let shell = backend.shell("accounts").await;
    for (ahead, taken) in [(-40_000, false), (0, true)] {
        let set = format!("seen_at = {}, clock_ahead_ms = {ahead}", start().as_ms() + 41_500);
        let other = format!("UPDATE nodes SET {set} WHERE id = x'{}'", "02".repeat(16));
        assert_eq!(shell.run(&other).await, Ok(1));
        accounts.compare_clock(ONE).await.expect("it compares");
        assert_eq!(clock.now() >= start().plus(Duration::from_secs(42)), taken, "{ahead}");
    }
    assert_eq!(clock.status().warning(), None);
}

on_both_engines!(
    f7_a_process_that_was_stopped_takes_the_time_of_the_others,
    t35_open_sessions_keep_the_time_that_they_had_left,
    i16_no_lease_of_another_node_is_taken_while_a_step_settles,
    d4_a_process_that_starts_goes_on_from_the_time_of_the_store,
);
