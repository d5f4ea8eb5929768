//! Faults of callbacks: chosen, planned, played and answered in the sandbox; live stores none.

use crate::fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, session_id, start, vendor_id};
use std::time::Duration;
use till_domain::{
    change::{Change, Guard},
    delivery::{self, AttemptResult, DeliveryState, DueEvent, Schedule},
    method::Method,
    misdelivery::{self, ChosenFor, DeliveryChoice, Fault, PlannedFault},
    session::{self, FailureReason, Outcome},
    time::Timestamp,
};
use till_store::{Committed, IntegrationSigns, Payments};

const LEASE: Duration = Duration::from_secs(30);

fn schedule() -> Schedule {
    Schedule::new([30, 120, 300].map(Duration::from_secs).to_vec()).expect("it rises")
}

fn choice(fault: Fault) -> DeliveryChoice {
    DeliveryChoice::new(Some(fault), None)
}

fn planned(fault: Fault) -> PlannedFault {
    PlannedFault { fault, delay: choice(fault).delay }
}

/// Stores a paid session; its event has the same number.
async fn finish(payments: &Payments, shop: &Shop, number: u64) {
    let session = shop.store(payments, number, start()).await;
    commit(payments, &shop.finish(&session, Outcome::Paid, number).1).await;
}

async fn due(payments: &Payments, now: Timestamp) -> DueEvent {
    let vendor = payments.pending_vendors().await.expect("a read")[0].vendor;
    payments.due_callbacks(vendor, now, 10, &[]).await.expect("a read").0.remove(0)
}

async fn a_choice_comes_before_the_default_and_counts_until_it_is_played(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (sandbox, faults) = (&backend.stores.sandbox, &backend.stores.faults);
    let shop = Shop::sandbox();
    let vendor = shop.vendor.id;
    let session = shop.store(sandbox, 1, start()).await;
    assert_eq!(faults.default_of(vendor).await.expect("a read"), DeliveryChoice::default());
    faults.set_default(vendor, choice(Fault::Slow)).await.expect("a write");
    faults.set_default(vendor, choice(Fault::Delay)).await.expect("a write");
    assert_eq!(faults.default_of(vendor).await.expect("a read"), choice(Fault::Delay));
    assert_eq!(faults.default_of(vendor_id(9)).await.expect("a read"), DeliveryChoice::default());
    // The choice is there before the event.
    commit(sandbox, &[session::choose_delivery(&session, choice(Fault::Drop))]).await;
    assert_eq!(faults.planned(event_id(1)).await.expect("a read"), None, "there is no event yet");
    commit(sandbox, &shop.finish(&session, Outcome::Paid, 1).1).await;
    assert_eq!(faults.planned(event_id(1)).await.expect("a read"), Some(planned(Fault::Drop)));
    commit(sandbox, &[session::choose_delivery(&session, DeliveryChoice::default())]).await;
    assert_eq!(faults.planned(event_id(1)).await.expect("a read"), None, "none is a choice too");
    let other = ChosenFor::Event(session.id, event_id(7));
    commit(sandbox, &[Change::ChooseDelivery { chosen_for: other, choice: choice(Fault::Truncated) }]).await;
    assert_eq!(faults.planned(event_id(1)).await.expect("a read"), None, "another event's");
    // Without a choice, the default.
    finish(sandbox, &shop, 2).await;
    assert_eq!(faults.planned(event_id(2)).await.expect("a read"), Some(planned(Fault::Delay)));
    faults.set_default(vendor, DeliveryChoice::default()).await.expect("a write");
    assert_eq!(faults.planned(event_id(2)).await.expect("a read"), None);
}

async fn a_played_fault_is_kept_with_its_answer(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (sandbox, faults) = (&backend.stores.sandbox, &backend.stores.faults);
    let shop = Shop::sandbox();
    finish(sandbox, &shop, 1).await;
    let now = backend.later(Duration::from_secs(1));
    let found = due(sandbox, now).await;
    let wrong = planned(Fault::WrongSecret);
    let (changes, attempt) = misdelivery::begin(&found, wrong, now, &schedule(), LEASE);
    assert_eq!(attempt.expect("an attempt").number, 1);
    commit(sandbox, &changes).await;
    let again = sandbox.commit(&changes).await.expect("an answer");
    assert_eq!(again, Committed::Lost(Guard::LeaseLost), "another node plays it");
    let played = faults.played(session_id(1)).await.expect("a read");
    assert_eq!((played.len(), played[0].event, played[0].planned), (1, event_id(1), wrong));
    assert_eq!((played[0].at, &played[0].result), (now, &None));
    commit(sandbox, &[Change::EndFault { event: event_id(1), result: AttemptResult::Status(401) }]).await;
    let played = faults.played(session_id(1)).await.expect("a read");
    assert_eq!((played[0].result.as_deref(), played[0].status), (Some("status"), Some(401)));
    // It is played once, whatever is chosen later.
    let later = ChosenFor::Outcome(session_id(1));
    commit(sandbox, &[Change::ChooseDelivery { chosen_for: later, choice: choice(Fault::Drop) }]).await;
    assert_eq!(faults.planned(event_id(1)).await.expect("a read"), None);
    assert_eq!(faults.played(session_id(1)).await.expect("a read")[0].planned, wrong);
}

async fn a_dropped_attempt_counts_and_a_delayed_event_waits(kind: Kind) {
    let backend = Backend::new(kind).await;
    let sandbox = &backend.stores.sandbox;
    let shop = Shop::sandbox();
    finish(sandbox, &shop, 1).await;
    let now = backend.later(Duration::from_secs(1));
    let (changes, attempt) =
        misdelivery::begin(&due(sandbox, now).await, planned(Fault::Drop), now, &schedule(), LEASE);
    assert_eq!(attempt, None);
    commit(sandbox, &changes).await;
    let stored = sandbox.event(event_id(1)).await.expect("a read").expect("an event");
    assert_eq!(
        (stored.state, stored.attempts, stored.due_at),
        (DeliveryState::Queued, 1, Some(now.plus(Duration::from_secs(30))))
    );
    let attempts = sandbox.attempts(event_id(1)).await.expect("a read");
    assert_eq!((attempts.len(), attempts[0].result.as_str()), (1, "dropped"));

    finish(sandbox, &shop, 2).await;
    let waiting = sandbox.due_callbacks(shop.vendor.id, now, 10, &[]).await.expect("a read").0.remove(0);
    let delay = PlannedFault { fault: Fault::Delay, delay: Duration::from_secs(7) };
    let (changes, attempt) = misdelivery::begin(&waiting, delay, now, &schedule(), LEASE);
    assert_eq!(attempt, None);
    commit(sandbox, &changes).await;
    assert_eq!(sandbox.commit(&changes).await.expect("an answer"), Committed::Lost(Guard::LeaseLost));
    let stored = sandbox.event(event_id(2)).await.expect("a read").expect("an event");
    assert_eq!(
        (stored.state, stored.attempts, stored.due_at),
        (DeliveryState::Queued, 0, Some(now.plus(Duration::from_secs(7))))
    );
    assert_eq!(backend.stores.faults.planned(event_id(2)).await.expect("a read"), None, "once");
}

async fn the_older_event_of_an_order_is_found_among_its_sessions(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (sandbox, faults) = (&backend.stores.sandbox, &backend.stores.faults);
    let shop = Shop::sandbox();
    let vendor = shop.vendor.id;
    for number in 1..=3 {
        finish(sandbox, &shop, number).await;
    }
    let older = async |number| faults.older_of_order(vendor, event_id(number)).await.expect("a read");
    assert_eq!(older(1).await, None);
    let (id, body) = older(3).await.expect("an older one");
    let stored = sandbox.event(event_id(2)).await.expect("a read").expect("an event");
    assert_eq!((id, body), (event_id(2), stored.body));
    assert_eq!(faults.older_of_order(vendor_id(9), event_id(3)).await.expect("a read"), None);
}

async fn the_signs_of_an_integration_are_what_its_receiver_did(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (sandbox, faults) = (&backend.stores.sandbox, &backend.stores.faults);
    let shop = Shop::sandbox();
    let vendor = shop.vendor.id;
    assert_eq!(faults.signs(vendor).await.expect("a read"), IntegrationSigns::default());
    let outcomes = [Outcome::Paid, Outcome::Failed(FailureReason::CardDeclined), Outcome::Expired];
    for ((number, outcome), method) in (1..).zip(outcomes).zip(Method::ALL) {
        let mut session = shop.store(sandbox, number, start()).await;
        session.methods.chosen = method;
        commit(sandbox, &shop.finish(&session, outcome, number).1).await;
        let now = backend.later(Duration::from_secs(1));
        let found = sandbox.due_callbacks(vendor, now, 10, &[]).await.expect("a read").0.remove(0);
        let wrong = planned(Fault::WrongSecret);
        let (changes, attempt) = misdelivery::begin(&found, wrong, now, &schedule(), LEASE);
        commit(sandbox, &changes).await;
        let before = faults.signs(vendor).await.expect("a read");
        assert!(before.session && !before.forgery_refused, "{before:?}");
        let answer = if number == 3 { AttemptResult::Status(403) } else { AttemptResult::Status(500) };
        let mut changes = delivery::end(
            &attempt.expect("an attempt"),
            AttemptResult::Delivered(200),
            Duration::ZERO,
            now,
            &schedule(),
        );
        changes.push(Change::EndFault { event: found.id, result: answer });
        commit(sandbox, &changes).await;
        let signs = faults.signs(vendor).await.expect("a read");
        let seen = (signs.accepted, signs.failed, signs.expired, signs.forgery_refused);
        assert_eq!(seen, (true, number >= 2, number >= 3, number == 3));
    }
    assert_eq!(faults.signs(vendor_id(9)).await.expect("a read"), IntegrationSigns::default());
}

async fn faults_go_with_their_session(kind: Kind) {
    let backend = Backend::new(kind).await;
    let sandbox = &backend.stores.sandbox;
    let mut shop = Shop::sandbox();
    shop.vendor.settings.callback_url = None;
    let session = shop.store(sandbox, 1, start()).await;
    commit(sandbox, &[session::choose_delivery(&session, choice(Fault::Drop))]).await;
    commit(sandbox, &shop.finish(&session, Outcome::Paid, 1).1).await;
    let shell = backend.shell("sandbox").await;
    assert_eq!(shell.rows("callback_faults").await.len(), 1);
    commit(sandbox, &[Change::DeleteSession { id: session_id(1) }]).await;
    assert!(shell.rows("callback_faults").await.is_empty());
}

async fn live_stores_no_fault(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let shop = Shop::live();
    let session = shop.store(live, 1, start()).await;
    let chosen = session::choose_delivery(&session, choice(Fault::Drop));
    assert!(live.commit(&[chosen]).await.is_err());
    commit(live, &shop.finish(&session, Outcome::Paid, 1).1).await;
    let now = backend.later(Duration::from_secs(1));
    let found = due(live, now).await;
    for fault in Fault::ALL {
        let (changes, _) = misdelivery::begin(&found, planned(fault), now, &schedule(), LEASE);
        assert!(live.commit(&changes).await.is_err(), "{fault:?}");
        // Not even with the tables' rows left out.
        let without: Vec<_> =
            changes.into_iter().filter(|change| !matches!(change, Change::PlayFault { .. })).collect();
        if fault == Fault::Drop {
            assert!(live.commit(&without).await.is_err(), "an attempt that was left out");
        }
    }
    let stored = live.event(event_id(1)).await.expect("a read").expect("an event");
    assert_eq!((stored.state, stored.attempts), (DeliveryState::Queued, 0), "nothing was done");
    let shell = backend.shell("live").await;
    let attempt = "INSERT INTO callback_attempts (callback_id, number, started_at, result)
        SELECT id, 1, 0, 'dropped' FROM callbacks";
    assert!(shell.run(attempt).await.is_err());
}

on_both_engines!(
    a_choice_comes_before_the_default_and_counts_until_it_is_played,
    a_played_fault_is_kept_with_its_answer,
    a_dropped_attempt_counts_and_a_delayed_event_waits,
    the_older_event_of_an_order_is_found_among_its_sessions,
    the_signs_of_an_integration_are_what_its_receiver_did,
    faults_go_with_their_session,
    live_stores_no_fault,
);
