//! Final statuses and their callbacks: only the first commit wins, with everything that belongs to it.

use crate::fixture::{
    Backend, Kind, Shop, commit, event_id, history, minutes, on_both_engines, read, session_id, start, url,
};
use std::sync::Arc;
use till_domain::{
    callback::CallbackEvent,
    change::{Change, Guard},
    method::Method,
    session::{self, FailureReason, Outcome, Plan, Session},
    vendor::Settings,
};
use till_store::{Callback, Committed, Payments};
use tokio::{sync::Barrier, task::JoinSet};

fn outcomes() -> Vec<Outcome> {
    let failures = FailureReason::ALL.map(Outcome::Failed);
    [Outcome::Paid, Outcome::Expired].into_iter().chain(failures).collect()
}

fn queued(changes: &[Change]) -> &CallbackEvent {
    let event =
        changes.iter().find_map(|c| if let Change::QueueCallback(event) = c { Some(event) } else { None });
    event.expect("a final status has an event")
}

async fn callback(payments: &Payments, number: u64) -> Option<Callback> {
    payments.callback(session_id(number)).await.expect("a read")
}

async fn every_final_status_reads_back_with_its_callback(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    for (number, outcome) in (1..).zip(outcomes()) {
        let session = shop.store(live, number, start()).await;
        assert_eq!(callback(live, number).await, None, "nothing is told while it is pending");
        let (finished, changes) = shop.finish(&session, outcome, number);
        commit(live, &changes).await;
        assert_eq!(read(live, number).await, Some(finished));
        let event = queued(&changes);
        let expected = Callback {
            id: event.id,
            event: event.kind.as_str().to_owned(),
            target: event.target.clone(),
            body: event.body.clone(),
            state: "queued".to_owned(),
            attempts: 0,
        };
        assert_eq!(callback(live, number).await, Some(expected), "{outcome:?}");
    }
}

async fn i2_a_second_outcome_finds_the_session_final_and_leaves_nothing(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let mut number = 0;
    for first in outcomes() {
        for second in outcomes() {
            number += 1;
            let session = shop.store(live, number, start()).await;
            let (finished, changes) = shop.finish(&session, first, number);
            commit(live, &changes).await;
            let before = (callback(live, number).await, live.history(session.id).await.expect("a read"));
            let (_, late) = shop.finish(&session, second, 1_000 + number);
            let committed = live.commit(&late).await.expect("an answer");
            assert_eq!(committed, Committed::Lost(Guard::NotPending), "{first:?}, then {second:?}");
            assert_eq!(read(live, number).await, Some(finished));
            let after = (callback(live, number).await, live.history(session.id).await.expect("a read"));
            assert_eq!(after, before);
        }
    }
}

async fn i2_a_final_session_takes_no_plan_and_no_other_method(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let session = shop.store(live, 1, start()).await;
    let (finished, changes) = shop.finish(&session, Outcome::Paid, 1);
    commit(live, &changes).await;
    let due_at = start().plus(minutes(5));
    let plan = Plan { outcome: Outcome::Expired, at: due_at };
    let clocks = session.methods.clocks;
    for late in [
        vec![Change::PlanOutcome { id: session.id, plan, due_at, was_due_at: session.due_at() }],
        vec![Change::ChooseMethod {
            id: session.id,
            method: Method::Card,
            clocks,
            held_until: None,
            due_at,
            was_due_at: session.due_at(),
        }],
        session::choose_method(&session, Method::Sbp, &shop.rules, start()).expect("it was pending").1,
    ] {
        let committed = live.commit(&late).await.expect("an answer");
        assert_eq!(committed, Committed::Lost(Guard::NotPending), "{late:?}");
        assert_eq!(read(live, 1).await, Some(finished.clone()));
        assert_eq!(history(live, 1).await, Vec::<String>::new());
    }
}

async fn an_outcome_for_a_session_that_does_not_exist_is_lost(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let (unknown, _) = shop.order(1);
    let (_, changes) = shop.finish(&unknown, Outcome::Paid, 1);
    let committed = live.commit(&changes).await.expect("an answer");
    assert_eq!(committed, Committed::Lost(Guard::NotPending));
    assert_eq!(callback(live, 1).await, None);
}

async fn i2_of_64_that_finish_a_session_at_once_exactly_one_does(kind: Kind) {
    const FINISHERS: u64 = 64;
    let backend = Backend::new(kind).await;
    let shop = Shop::live();
    let session = shop.store(&backend.stores.live, 1, start()).await;
    let together = Arc::new(Barrier::new(64));
    let mut tasks = JoinSet::new();
    for (event, outcome) in (0..FINISHERS).zip(outcomes().into_iter().cycle()) {
        let (finished, changes) = shop.finish(&session, outcome, event);
        let (stores, together) = (Arc::clone(&backend.stores), Arc::clone(&together));
        tasks.spawn(async move {
            together.wait().await;
            (stores.live.commit(&changes).await.expect("an answer"), finished, queued(&changes).clone())
        });
    }
    let answers = tasks.join_all().await;
    let winners: Vec<_> = answers.iter().filter(|(committed, ..)| *committed == Committed::Done).collect();
    let lost = answers.iter().filter(|(c, ..)| *c == Committed::Lost(Guard::NotPending)).count();
    assert_eq!((winners.len(), lost), (1, 63));
    let (_, finished, event) = winners[0];
    assert_eq!(read(&backend.stores.live, 1).await.as_ref(), Some(finished));
    let stored = callback(&backend.stores.live, 1).await.expect("an event");
    assert_eq!((stored.id, &stored.body), (event.id, &event.body));
}

async fn i2_outcomes_of_many_sessions_at_once_go_to_the_right_ones(kind: Kind) {
    race_outcomes(kind, false).await;
}

async fn i2_outcomes_beside_plans_go_to_the_right_sessions(kind: Kind) {
    race_outcomes(kind, true).await;
}

/// Two concurrent outcomes for each of many sessions; with plans, also a plan for each and an outcome for an
/// unknown session.
async fn race_outcomes(kind: Kind, with_plans: bool) {
    const SESSIONS: u64 = 40;
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let mut tasks = JoinSet::new();
    let together = Arc::new(Barrier::new(4 * 40));
    for number in 1..=SESSIONS {
        let session = shop.store(live, number, start()).await;
        let plan = Plan { outcome: Outcome::Expired, at: start().plus(minutes(number)) };
        let plan =
            Change::PlanOutcome { id: session.id, plan, due_at: plan.at, was_due_at: session.due_at() };
        let mut wanted = vec![if with_plans { vec![plan] } else { Vec::new() }];
        for (round, outcome) in (0..).zip([Outcome::Paid, Outcome::Expired]) {
            wanted.push(shop.finish(&session, outcome, number + round * SESSIONS).1);
        }
        // Only with plans: in a batch with an unknown session the constraints would notice and hide a mix-up.
        let unknown = shop.finish(&shop.order(SESSIONS + number).0, Outcome::Paid, 3 * SESSIONS + number).1;
        wanted.push(if with_plans { unknown } else { Vec::new() });
        for (which, changes) in wanted.into_iter().enumerate() {
            let (stores, together) = (Arc::clone(&backend.stores), Arc::clone(&together));
            tasks.spawn(async move {
                together.wait().await;
                (number, which, stores.live.commit(&changes).await.expect("an answer"))
            });
        }
    }
    let answers = tasks.join_all().await;
    for number in 1..=SESSIONS {
        let won = |which| answers.contains(&(number, which, Committed::Done));
        assert!(won(1) != won(2), "session {number} has one outcome");
        assert_eq!(won(3), !with_plans, "there is no such session");
        let expected = if won(1) { Outcome::Paid } else { Outcome::Expired };
        let stored = read(live, number).await.expect("a session");
        assert_eq!((stored.state, stored.plan), (expected.into(), None));
        assert_eq!(
            callback(live, number).await.expect("an event").event,
            queued(&shop.finish(&shop.order(number).0, expected, 1).1).kind.as_str()
        );
        assert_eq!(callback(live, SESSIONS + number).await, None);
    }
}

async fn a_callback_goes_to_the_session_first_then_the_vendor_then_nowhere(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let vendors = Some(url("https://vendor.example/cb"));
    let sessions = Some(url("https://session.example/cb"));
    let table = [
        (sessions.clone(), vendors.clone(), &sessions, "queued"),
        (sessions.clone(), None, &sessions, "queued"),
        (None, vendors.clone(), &vendors, "queued"),
        (None, None, &None, "no_target"),
    ];
    for (number, (own, settings, target, state)) in (1..).zip(table) {
        let session = Session { callback_url: own, ..shop.store(live, number, start()).await };
        let settings = Settings { callback_url: settings, ..Settings::default() };
        let (_, changes) =
            session::finish(&session, Outcome::Paid, start(), &settings, event_id(number)).expect("pending");
        commit(live, &changes).await;
        let stored = callback(live, number).await.expect("an event");
        assert_eq!((&stored.target, stored.state.as_str()), (target, state));
    }
}

async fn a_callback_keeps_its_body_byte_by_byte(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    for (number, body) in (1..).zip([every_byte, "{\"a\":\"🧾\\u0000\"}\n ".into(), Vec::new()]) {
        let session = shop.store(live, number, start()).await;
        let (_, mut changes) = shop.finish(&session, Outcome::Paid, number);
        let event = CallbackEvent { body: body.clone(), ..queued(&changes).clone() };
        changes[1] = Change::QueueCallback(Box::new(event));
        commit(live, &changes).await;
        assert_eq!(callback(live, number).await.expect("an event").body, body);
    }
}

async fn a_session_has_one_callback_event_ever(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let session = shop.store(live, 1, start()).await;
    let (_, changes) = shop.finish(&session, Outcome::Paid, 1);
    commit(live, &changes).await;
    let (_, more) = shop.finish(&session, Outcome::Paid, 2);
    live.commit(&more[1..]).await.expect_err("a second event");
    assert_eq!(callback(live, 1).await.expect("an event").id, event_id(1));
    let money = live.transactions_of(session.id).await.expect("a read");
    assert_eq!(money.len(), 1, "what came with the event is not stored either");
}

async fn i12_time_loses_to_whoever_moved_the_moment_it_acts_at(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let settings = Settings::default();
    // A worker reads the session when it is due, and is slow to commit.
    let session = shop.store(live, 1, start()).await;
    let due = session.deadline();
    let (_, stale) = session::settle(&session, due, &settings, event_id(1)).expect("it is due");
    // Meanwhile the customer chooses another method, a moment before the deadline.
    let before = due.minus(std::time::Duration::from_millis(1));
    let (_, choice) =
        session::choose_method(&session, Method::Crypto, &shop.rules, before).expect("it is offered");
    commit(live, &choice).await;
    assert_eq!(live.commit(&stale).await.expect("an answer"), Committed::Lost(Guard::NotPending));
    let moved = read(live, 1).await.expect("a session");
    assert!(session::settle(&moved, due, &settings, event_id(2)).is_none(), "it has its new clock");
    assert_eq!(history(live, 1).await.last().map(String::as_str), Some("method_chosen"));
    // At its new deadline it expires as usual.
    let (_, late) = session::settle(&moved, moved.deadline(), &settings, event_id(3)).expect("it is due");
    commit(live, &late).await;
}

on_both_engines!(
    every_final_status_reads_back_with_its_callback,
    i2_a_second_outcome_finds_the_session_final_and_leaves_nothing,
    i2_a_final_session_takes_no_plan_and_no_other_method,
    an_outcome_for_a_session_that_does_not_exist_is_lost,
    i2_of_64_that_finish_a_session_at_once_exactly_one_does,
    i2_outcomes_of_many_sessions_at_once_go_to_the_right_ones,
    i2_outcomes_beside_plans_go_to_the_right_sessions,
    a_callback_goes_to_the_session_first_then_the_vendor_then_nowhere,
    a_callback_keeps_its_body_byte_by_byte,
    a_session_has_one_callback_event_ever,
    i12_time_loses_to_whoever_moved_the_moment_it_acts_at,
);
