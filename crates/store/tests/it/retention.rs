//! Retention: visits, recipients of mails, and sandbox sessions are pruned. Live sessions cannot be deleted.

use crate::{
    attempts::{observe, opened, paid},
    fixture::{
        Backend, Kind, Shop, commit, event_id, minutes, on_both_engines, read, session_id, start, vendor_id,
    },
    shell::{Shell, bytes},
    verify::wrong,
};
use std::time::Duration;
use till_domain::{
    change::{Change, Guard, VisitKind},
    delivery::ReceiverResponse,
    dispatch::{self, Dispatch, DispatchKind, Sending},
    session::{Outcome, Session},
    visit,
};
use till_store::{Committed, Payments, SimulatedPayment};

const DAY: Duration = Duration::from_secs(86_400);

/// Every table that a session of the sandbox has rows in.
const TABLES: [&str; 10] = [
    "sessions",
    "history",
    "visits",
    "callbacks",
    "callback_attempts",
    "callback_responses",
    "callback_resends",
    "payment_attempts",
    "transactions",
    "simulated_payments",
];

async fn counts(shell: &Shell) -> Vec<usize> {
    let mut counts = Vec::new();
    for table in TABLES {
        counts.push(shell.rows(table).await.len());
    }
    counts
}

#[test]
fn m11_no_visit_is_noted_later_than_an_hour_after_the_end() {
    let shop = Shop::live();
    let (pending, _) = shop.order(1);
    let noted = |session: &Session, at| visit::note(session, VisitKind::Opened, at).is_some();
    assert!(noted(&pending, start().plus(minutes(10_000))));
    for outcome in [Outcome::Paid, Outcome::Expired] {
        let (over, _) = shop.finish(&pending, outcome, 1);
        let last = over.updated_at.plus(minutes(60));
        assert!(noted(&over, last));
        assert!(!noted(&over, last.plus(Duration::from_millis(1))));
    }
}

async fn m11_a_session_has_at_most_a_hundred_visits(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let session = shop.store(live, 1, start()).await;
    let other = shop.store(live, 2, start()).await;
    for minute in 0..120 {
        let at = start().plus(minutes(minute));
        commit(live, &[visit::note(&session, VisitKind::Opened, at).expect("it is pending")]).await;
    }
    commit(live, &[visit::note(&other, VisitKind::Opened, start()).expect("it is pending")]).await;
    let shell = backend.shell("live").await;
    assert_eq!(shell.rows("visits").await.len(), 101);
    assert_eq!(live.visits(session.id).await.expect("a read").len(), 100);
    assert_eq!(live.visits(other.id).await.expect("a read").len(), 1, "each session counts for itself");
}

async fn m11_old_visits_are_deleted_in_steps(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let session = shop.store(live, 1, start()).await;
    for minute in 0..5 {
        let at = start().plus(minutes(minute));
        commit(live, &[visit::note(&session, VisitKind::Opened, at).expect("it is pending")]).await;
    }
    let forget = |minute| Change::ForgetVisits { before: start().plus(minutes(minute)), limit: 2 };
    let left = async || live.visits(session.id).await.expect("a read").len();
    commit(live, &[forget(3)]).await;
    assert_eq!(left().await, 3, "two at a time");
    commit(live, &[forget(3)]).await;
    assert_eq!(left().await, 2, "those before the moment");
    let nothing = live.commit(&[forget(3)]).await.expect("an answer");
    assert_eq!((nothing, left().await), (Committed::Lost(Guard::NothingToForget), 2));
}

async fn m11_recipients_of_ended_mails_are_cleared(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    Shop::live().store(live, 1, start()).await;
    let kinds = [DispatchKind::Receipt, DispatchKind::ReceiptCopy];
    for kind in kinds {
        let mail = Dispatch {
            about: *event_id(1).as_bytes(),
            kind,
            vendor: vendor_id(1),
            session: Some(session_id(1)),
            recipient: "ann@mail.example".to_owned(),
            at: start(),
        };
        commit(live, &[Change::QueueDispatch(Box::new(mail))]).await;
    }
    // One is sent, the other waits.
    let (due, _) = live.due_dispatches(start(), 1).await.expect("a read");
    let (taken, take) = dispatch::take(&due[0], start(), minutes(1));
    commit(live, &[take]).await;
    commit(live, &[dispatch::end(&taken, Sending::Accepted, start(), &[])]).await;
    let before = live.dispatches_of(session_id(1)).await.expect("a read");
    let clear = |at| Change::ClearRecipients { before: at, limit: 1_000 };
    let early = live.commit(&[clear(start())]).await.expect("an answer");
    assert_eq!(early, Committed::Lost(Guard::NothingToForget), "it ended at that moment");
    commit(live, &[clear(start().plus(minutes(1)))]).await;
    let after = live.dispatches_of(session_id(1)).await.expect("a read");
    for (mut was, is) in before.into_iter().zip(after) {
        if was.ended_at.is_some() {
            was.due.dispatch.recipient = String::new();
        }
        assert_eq!(was, is, "nothing else changes");
    }
    let again = live.commit(&[clear(start().plus(minutes(1)))]).await.expect("an answer");
    assert_eq!(again, Committed::Lost(Guard::NothingToForget));
    check_mails_are_closed(&backend.shell("live").await).await;
}

/// A database shell can clear the recipient of an ended mail, and change nothing else about it.
async fn check_mails_are_closed(shell: &Shell) {
    let before = shell.rows("dispatches").await;
    for (set, which) in [
        ("recipient = ''", "state = 'queued'"),
        ("recipient = 'eve@mail.example'", "state = 'queued'"),
        ("recipient = 'eve@mail.example'", "state = 'sent'"),
        ("recipient = '', last_error = 'x'", "state = 'sent'"),
        ("recipient = '', ended_at = 5", "state = 'sent'"),
        ("recipient = '', attempts = attempts + 1", "state = 'sent'"),
        ("last_error = 'x'", "state = 'sent'"),
    ] {
        let update = format!("UPDATE dispatches SET {set} WHERE {which}");
        assert!(shell.run(&update).await.is_err(), "{update}");
    }
    assert_eq!(shell.rows("dispatches").await, before);
}

/// A session of each kind with all related rows: one that is paid, one that has expired, one that is pending.
async fn fill(payments: &Payments, shop: &Shop) {
    let (session, attempt) = opened(payments, shop, 1).await;
    let bank = SimulatedPayment {
        id: attempt.id,
        session: session.id,
        method: attempt.method,
        amount: session.item.price.money(),
        opened_at: start(),
        decision: None,
        closed_at: None,
        revision: 1,
    };
    payments.open_simulated(&bank).await.expect("written");
    commit(payments, &[visit::note(&session, VisitKind::Opened, start()).expect("it is pending")]).await;
    commit(payments, &observe(shop, &session, &attempt, paid(&attempt), 11).changes).await;
    let response = ReceiverResponse { content_type: None, body: b"no".to_vec() };
    let keep = Change::KeepResponse { event: event_id(11), number: 1, at: start(), response };
    commit(payments, &[keep]).await;
    let expired = shop.store(payments, 2, start()).await;
    commit(payments, &shop.finish(&expired, Outcome::Expired, 12).1).await;
    shop.store(payments, 3, start()).await;
}

async fn m11_the_sandbox_lets_go_of_sessions_that_have_ended(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (sandbox, mut shop) = (&backend.stores.sandbox, Shop::sandbox());
    shop.vendor.settings.callback_url = None;
    fill(sandbox, &shop).await;
    let shell = backend.shell("sandbox").await;
    let resend = "INSERT INTO callback_resends SELECT id, 5, 0, 'olga', 0 FROM callbacks";
    shell.run(resend).await.expect("a manual resend of each callback");
    let now = backend.later(90 * DAY);
    assert_eq!(sandbox.deletable_sessions(start(), 10).await.expect("a read"), [], "they ended later");
    let old = sandbox.deletable_sessions(now, 10).await.expect("a read");
    assert_eq!(old, [session_id(1), session_id(2)]);
    assert_eq!(sandbox.deletable_sessions(now, 1).await.expect("a read"), [session_id(1)]);
    commit(
        sandbox,
        &[Change::DeleteSession { id: session_id(1) }, Change::DeleteSession { id: session_id(2) }],
    )
    .await;
    assert_eq!(sandbox.deletable_sessions(now, 10).await.expect("a read"), []);
    assert_eq!(counts(&shell).await, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0], "{TABLES:?}");
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
    // A pending one is kept, by the schema if need be.
    commit(sandbox, &[Change::DeleteSession { id: session_id(3) }]).await;
    assert!(read(sandbox, 3).await.is_some());
    assert!(shell.run("DELETE FROM sessions").await.is_err());
}

async fn m11_a_session_with_a_callback_on_its_way_waits(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (sandbox, shop) = (&backend.stores.sandbox, Shop::sandbox());
    let session = shop.store(sandbox, 1, start()).await;
    commit(sandbox, &shop.finish(&session, Outcome::Expired, 1).1).await;
    let now = backend.later(90 * DAY);
    assert_eq!(sandbox.deletable_sessions(now, 10).await.expect("a read"), []);
    let delete = [Change::DeleteSession { id: session_id(1) }];
    assert!(sandbox.commit(&delete).await.is_err(), "the schema refuses it, too");
    assert!(read(sandbox, 1).await.is_some());
}

async fn m11_live_keeps_every_session_whoever_deletes_it(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, mut shop) = (&backend.stores.live, Shop::live());
    shop.vendor.settings.callback_url = None;
    fill(live, &shop).await;
    let shell = backend.shell("live").await;
    let before = counts(&shell).await;
    let now = backend.later(9_000 * DAY);
    assert_eq!(live.deletable_sessions(now, 10).await.expect("a read"), []);
    for number in 1..=2 {
        let delete = [Change::DeleteSession { id: session_id(number) }];
        assert!(live.commit(&delete).await.is_err(), "{number}");
    }
    commit(live, &[Change::DeleteSession { id: session_id(3) }]).await;
    let prunable =
        ["visits", "simulated_payments", "callback_attempts", "callback_responses", "callback_resends"];
    for table in TABLES.iter().filter(|table| !prunable.contains(table)) {
        let refused = shell.run(&format!("DELETE FROM {table}")).await;
        assert!(refused.is_err(), "{table}");
    }
    let one = bytes(session_id(1).as_bytes());
    assert!(shell.run(&format!("DELETE FROM sessions WHERE id = {one}")).await.is_err());
    assert_eq!(counts(&shell).await, before);
}

on_both_engines!(
    m11_a_session_has_at_most_a_hundred_visits,
    m11_old_visits_are_deleted_in_steps,
    m11_recipients_of_ended_mails_are_cleared,
    m11_the_sandbox_lets_go_of_sessions_that_have_ended,
    m11_a_session_with_a_callback_on_its_way_waits,
    m11_live_keeps_every_session_whoever_deletes_it,
);
