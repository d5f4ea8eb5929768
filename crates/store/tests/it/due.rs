//! Timers: which sessions are due, and when the next one is.

use crate::fixture::{
    Backend, Kind, Shop, commit, event_id, minutes, on_both_engines, read, session_id, start, text,
};
use crate::shell::bytes;
use std::time::Duration;
use till_domain::{
    change::Change,
    id::SessionId,
    method::Method,
    request::{FieldValue, SimulateRequest},
    session::{self, FailureReason, Outcome, Plan, Session},
    time::Timestamp,
};
use till_store::Payments;

const MS: Duration = Duration::from_millis(1);

async fn due(payments: &Payments, now: Timestamp, limit: u32) -> Vec<SessionId> {
    let (sessions, unreadable) = payments.due_sessions(now, limit).await.expect("a read");
    assert!(unreadable.is_empty(), "{unreadable}");
    sessions.into_iter().map(|session| session.id).collect()
}

async fn next_due(payments: &Payments) -> Option<Timestamp> {
    payments.next_due().await.expect("a read")
}

/// Expects the session to be due at this moment and not a millisecond before.
async fn check_due_at(payments: &Payments, session: &Session, at: Timestamp) {
    assert_eq!(next_due(payments).await, Some(at));
    assert_eq!(due(payments, at.minus(MS), 10).await, []);
    assert_eq!(due(payments, at, 10).await, [session.id]);
}

/// The request of a tester for this outcome.
fn simulation(outcome: &str, after_ms: &str) -> SimulateRequest {
    let after_ms = FieldValue::Number(after_ms.to_owned());
    SimulateRequest { outcome: text(outcome), after_ms, ..SimulateRequest::default() }
}

async fn an_empty_store_has_nothing_due(kind: Kind) {
    let backend = Backend::new(kind).await;
    assert_eq!(next_due(&backend.stores.live).await, None);
    assert_eq!(due(&backend.stores.live, start(), 10).await, []);
}

async fn due_sessions_come_longest_overdue_first_and_no_more_than_asked(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    for (number, created) in [(1, 3), (2, 1), (3, 4), (4, 2), (5, 0)] {
        shop.store(live, number, start().plus(minutes(created))).await;
    }
    let expected = [5, 2, 4, 1, 3].map(session_id);
    assert_eq!(next_due(live).await, Some(start().plus(minutes(15))));
    assert_eq!(due(live, start().plus(minutes(14)), 10).await, []);
    for count in 1..=5_u32 {
        let listed = &expected[..count as usize];
        let now = start().plus(minutes(14 + u64::from(count)));
        assert_eq!(due(live, now, 10).await, listed, "{count} are overdue");
        assert_eq!(due(live, start().plus(minutes(60)), count).await, listed, "{count} are asked for");
    }
    assert_eq!(due(live, start().plus(minutes(60)), 0).await, []);
}

async fn due_sessions_come_whole(kind: Kind) {
    let backend = Backend::new(kind).await;
    let session = Shop::live().store(&backend.stores.live, 1, start()).await;
    let listed = backend.stores.live.due_sessions(session.deadline(), 10).await.expect("a read");
    assert_eq!(listed.0, [session]);
    assert!(listed.1.is_empty());
}

async fn a_final_session_is_never_due(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let outcomes = [Outcome::Paid, Outcome::Failed(FailureReason::CardDeclined), Outcome::Expired];
    for (number, outcome) in (1..).zip(outcomes) {
        let session = shop.store(live, number, start().plus(minutes(number))).await;
        assert_eq!(next_due(live).await, Some(session.deadline()));
        commit(live, &shop.finish(&session, outcome, number).1).await;
        assert_eq!(next_due(live).await, None, "{outcome:?}");
        assert_eq!(due(live, Timestamp::from_ms(i64::MAX), 10).await, []);
    }
}

async fn a_choice_of_method_moves_the_moment_at_which_a_session_is_due(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let mut session = shop.store(live, 1, start()).await;
    check_due_at(live, &session, start().plus(minutes(15))).await;
    for (method, after, due_after) in [(Method::Crypto, 1, 61), (Method::Sbp, 2, 12), (Method::Card, 3, 15)] {
        let now = start().plus(minutes(after));
        let (chosen, changes) = session::choose_method(&session, method, &shop.rules, now).expect("offered");
        commit(live, &changes).await;
        check_due_at(live, &chosen, start().plus(minutes(due_after))).await;
        session = chosen;
    }
}

async fn a_plan_makes_a_session_due_unless_its_deadline_is_earlier(kind: Kind) {
    for (after_ms, due_after_ms) in [("30000", 30_000), ("1", 1), ("600000", 480_000), ("480001", 480_000)] {
        let backend = Backend::new(kind).await;
        let (sandbox, shop) = (&backend.stores.sandbox, Shop::sandbox());
        let session = shop.store(sandbox, 1, start()).await;
        // Eight minutes before its deadline.
        let now = start().plus(minutes(7));
        let request = simulation("paid", after_ms);
        let (planned, changes) =
            session::simulate(&session, &request, now, &shop.vendor.settings, event_id(1))
                .expect("a good request");
        commit(sandbox, &changes).await;
        check_due_at(sandbox, &planned, now.plus(MS * due_after_ms)).await;
        let (listed, _) = sandbox.due_sessions(session.deadline(), 1).await.expect("a read");
        assert_eq!(listed, [planned], "the plan is listed with the session");
    }
}

async fn a_carried_out_plan_is_gone_with_its_timer(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (sandbox, shop) = (&backend.stores.sandbox, Shop::sandbox());
    let session = shop.store(sandbox, 1, start()).await;
    let plan = Plan { outcome: Outcome::Paid, at: start().plus(minutes(1)) };
    commit(
        sandbox,
        &[Change::PlanOutcome { id: session.id, plan, due_at: plan.at, was_due_at: session.due_at() }],
    )
    .await;
    let planned = Session { plan: Some(plan), ..session };
    let (outcome, at) = session::due(&planned, plan.at).expect("it is time");
    let event = event_id(1);
    let (finished, changes) =
        session::finish(&planned, outcome, at, &shop.vendor.settings, event).expect("pending");
    commit(sandbox, &changes).await;
    assert_eq!(read(sandbox, 1).await, Some(finished));
    assert_eq!(next_due(sandbox).await, None);
}

async fn a_row_that_makes_no_sense_does_not_hide_the_others(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let broken = shop.store(live, 1, start()).await;
    let good = shop.store(live, 2, start()).await;
    let shell = backend.shell("live").await;
    let on_table = if shell.is_embedded() { "" } else { "ON sessions" };
    shell.run(&format!("DROP TRIGGER sessions_facts {on_table}")).await.expect("a shell may");
    let wrong = format!("UPDATE sessions SET currency = 'ZZZ' WHERE id = {}", bytes(broken.id.as_bytes()));
    assert_eq!(shell.run(&wrong).await, Ok(1));
    let (due, unreadable) = live.due_sessions(good.deadline(), 10).await.expect("a read");
    assert_eq!(due, [good]);
    assert!(unreadable.count == 1 && unreadable.to_string().contains("ZZZ"), "{unreadable}");
}

on_both_engines!(
    an_empty_store_has_nothing_due,
    due_sessions_come_longest_overdue_first_and_no_more_than_asked,
    due_sessions_come_whole,
    a_final_session_is_never_due,
    a_choice_of_method_moves_the_moment_at_which_a_session_is_due,
    a_plan_makes_a_session_due_unless_its_deadline_is_earlier,
    a_carried_out_plan_is_gone_with_its_timer,
    a_row_that_makes_no_sense_does_not_hide_the_others,
);
