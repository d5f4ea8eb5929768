//! Receipts and the mails about payments: one receipt for each movement of money, found by its link; one node
//! at a time sends a mail; and changes to them that a database shell cannot make.

use crate::{
    fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, session_id, start, vendor_id},
    shell::Shell,
};
use std::time::Duration;
use till_domain::{
    change::{Change, Guard},
    dispatch::{self, Dispatch, DispatchKind, DispatchState, DueDispatch, QUIET, Sending},
    id::{ReceiptId, VendorId},
    money::{Currency, Money},
    receipt::{Receipt, ReceiptKind, ReceiptLink},
    time::Timestamp,
};
use till_store::{Committed, Payments, StoredDispatch};

const LEASE: Duration = Duration::from_secs(30);
const MINUTE: Duration = Duration::from_secs(60);

fn receipt(number: u64) -> Receipt {
    let mut link = [0x5a; 16];
    link[8..].copy_from_slice(&number.to_be_bytes());
    Receipt {
        id: ReceiptId::from_bytes(*event_id(number).as_bytes()),
        session: session_id(1),
        vendor: vendor_id(1),
        kind: if number == 1 { ReceiptKind::Paid } else { ReceiptKind::Refunded },
        link: ReceiptLink::new(link),
        amount: Money { minor: 499_000, currency: Currency::parse("RUB").expect("a currency") },
        email: (number == 1).then(|| "ann@mail.example".to_owned()),
        language: (number == 1).then(|| "ru".to_owned()),
        at: start().plus(MINUTE),
    }
}

fn mail(kind: DispatchKind, number: u64, at: Timestamp) -> Dispatch {
    Dispatch {
        about: *event_id(number).as_bytes(),
        kind,
        vendor: vendor_id(1),
        session: (kind != DispatchKind::Undelivered).then(|| session_id(1)),
        recipient: "ann@mail.example".to_owned(),
        at,
    }
}

async fn queue(live: &Payments, mail: Dispatch) {
    commit(live, &[Change::QueueDispatch(Box::new(mail))]).await;
}

/// A store with a session, its receipt and the mail that brings it.
async fn scene(kind: Kind) -> Backend {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    Shop::live().store(live, 1, start()).await;
    let queued = Change::QueueReceipt(Box::new(receipt(1)));
    let mail = mail(DispatchKind::Receipt, 1, start());
    commit(live, &[queued, Change::QueueDispatch(Box::new(mail))]).await;
    backend
}

async fn due(live: &Payments, at: Timestamp) -> Vec<DueDispatch> {
    let (due, unreadable) = live.due_dispatches(at, 10).await.expect("a read");
    assert!(unreadable.is_empty(), "{unreadable}");
    due
}

async fn take(live: &Payments, due: &DueDispatch, at: Timestamp) -> DueDispatch {
    let (taken, change) = dispatch::take(due, at, LEASE);
    commit(live, &[change]).await;
    taken
}

async fn only(live: &Payments) -> StoredDispatch {
    live.dispatches_of(session_id(1)).await.expect("a read").remove(0)
}

async fn a_receipt_is_kept_as_it_was_given_and_found_by_its_link(kind: Kind) {
    let backend = scene(kind).await;
    let live = &backend.stores.live;
    let refund = receipt(2);
    commit(live, &[Change::QueueReceipt(Box::new(refund.clone()))]).await;
    for expected in [receipt(1), refund] {
        let read = live.receipt(expected.id).await.expect("a read");
        assert_eq!(read.as_ref(), Some(&expected));
        assert_eq!(live.receipt_by_link(expected.link).await.expect("a read"), read);
    }
    assert_eq!(live.receipt_by_link(ReceiptLink::new([0; 16])).await.expect("a read"), None);
    let all = live.receipts_of(session_id(1)).await.expect("a read");
    assert_eq!(all, [receipt(1), receipt(2)]);
    assert_eq!(live.receipts_of(session_id(2)).await.expect("a read"), []);
}

async fn money_has_one_receipt_and_a_link_leads_to_one(kind: Kind) {
    let backend = scene(kind).await;
    let live = &backend.stores.live;
    let twice = [
        receipt(1),
        Receipt { link: ReceiptLink::new([1; 16]), ..receipt(1) },
        Receipt { link: receipt(1).link, ..receipt(2) },
    ];
    for again in twice {
        assert!(live.commit(&[Change::QueueReceipt(Box::new(again.clone()))]).await.is_err(), "{again:?}");
    }
    let again = mail(DispatchKind::Receipt, 1, start());
    assert!(live.commit(&[Change::QueueDispatch(Box::new(again))]).await.is_err(), "mailed once");
    queue(live, mail(DispatchKind::ReceiptCopy, 1, start())).await;
    assert_eq!(live.receipts_of(session_id(1)).await.expect("a read").len(), 1);
    assert_eq!(live.dispatches_of(session_id(1)).await.expect("a read").len(), 2);
}

async fn receipts_that_are_committed_at_once_are_all_there(kind: Kind) {
    let backend = scene(kind).await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 2..=40 {
        let stores = std::sync::Arc::clone(&backend.stores);
        tasks.spawn(async move {
            let queued = Change::QueueReceipt(Box::new(receipt(number)));
            let mail = mail(DispatchKind::Receipt, number, start());
            let alarm = mail_of(vendor_id(number), number);
            let changes =
                [queued, Change::QueueDispatch(Box::new(mail)), Change::QueueDispatch(Box::new(alarm))];
            commit(&stores.live, &changes).await;
        });
    }
    tasks.join_all().await;
    let live = &backend.stores.live;
    assert_eq!(live.receipts_of(session_id(1)).await.expect("a read").len(), 40);
    assert_eq!(live.dispatches_of(session_id(1)).await.expect("a read").len(), 40);
    assert_eq!(live.count_dispatches(start()).await.expect("a read").queued, 40 + 39);
}

fn mail_of(vendor: VendorId, number: u64) -> Dispatch {
    Dispatch { vendor, ..mail(DispatchKind::Undelivered, number, start()) }
}

async fn one_node_at_a_time_has_a_mail_and_a_replaced_one_changes_nothing(kind: Kind) {
    let backend = scene(kind).await;
    let live = &backend.stores.live;
    let [found] = due(live, start()).await.try_into().expect("one mail");
    assert_eq!((&found.dispatch, found.attempts), (&mail(DispatchKind::Receipt, 1, start()), 0));
    let first = take(live, &found, start()).await;
    let (_, late) = dispatch::take(&found, start(), LEASE);
    assert_eq!(live.commit(&[late]).await.expect("a commit"), Committed::Lost(Guard::LeaseLost));
    assert!(due(live, start()).await.is_empty(), "somebody has it");
    let after = start().plus(LEASE);
    let [again] = due(live, after).await.try_into().expect("what a crash cut off");
    assert_eq!((again.attempts, again.fence), (1, first.fence));
    let second = take(live, &again, after).await;
    let end = dispatch::end(&first, Sending::Refused("refused"), after, &[]);
    assert_eq!(live.commit(&[end]).await.expect("a commit"), Committed::Lost(Guard::LeaseLost));
    commit(live, &[dispatch::end(&second, Sending::Trouble("connect"), after, &[MINUTE, MINUTE])]).await;
    let waiting = only(live).await;
    assert_eq!((waiting.state, waiting.due.attempts), (DispatchState::Queued, 2));
    assert_eq!((waiting.due_at, waiting.last_error.as_deref()), (Some(after.plus(MINUTE)), Some("connect")));
    assert_eq!(live.next_dispatch_due().await.expect("a read"), waiting.due_at);
    let third = take(live, &waiting.due, after.plus(MINUTE)).await;
    commit(live, &[dispatch::end(&third, Sending::Accepted, after.plus(MINUTE), &[])]).await;
    let sent = only(live).await;
    assert_eq!(
        (sent.state, sent.ended_at, sent.due_at),
        (DispatchState::Sent, Some(after.plus(MINUTE)), None)
    );
    assert_eq!(sent.last_error, None);
    assert_eq!(live.next_dispatch_due().await.expect("a read"), None);
}

async fn a_mail_that_is_given_up_is_counted_and_listed(kind: Kind) {
    let backend = scene(kind).await;
    let live = &backend.stores.live;
    let count = async |since: Timestamp| {
        let counts = live.count_dispatches(since).await.expect("a read");
        (counts.queued, counts.failed)
    };
    assert_eq!(count(start()).await, (1, 0));
    let [found] = due(live, start()).await.try_into().expect("one mail");
    let taken = take(live, &found, start()).await;
    commit(live, &[dispatch::end(&taken, Sending::Refused("refused"), start(), &[MINUTE])]).await;
    assert_eq!(count(start()).await, (0, 1));
    assert_eq!(count(start().plus(MINUTE)).await, (0, 0), "it is long ago");
    let [failed] = live.failed_dispatches(10).await.expect("a read").try_into().expect("one");
    assert_eq!((failed.state, failed.last_error.as_deref()), (DispatchState::Failed, Some("refused")));
}

async fn a_vendor_is_notified_once_an_hour_of_callbacks_that_do_not_arrive(kind: Kind) {
    let backend = scene(kind).await;
    let live = &backend.stores.live;
    let alarm = |number, at| mail(DispatchKind::Undelivered, number, at);
    let told = async || live.alarms_of(vendor_id(1)).await.expect("a read");
    queue(live, alarm(1, start())).await;
    queue(live, alarm(2, start().plus(MINUTE))).await;
    let [waiting] = told().await.try_into().expect("the first tells of the second");
    assert_eq!((waiting.due_at, waiting.due.dispatch.session), (Some(start()), None));
    let taken = take(live, &waiting.due, start().plus(MINUTE)).await;
    // The mail is already being sent, so it may not include this one.
    queue(live, alarm(3, start().plus(MINUTE))).await;
    commit(live, &[dispatch::end(&taken, Sending::Accepted, start().plus(MINUTE), &[])]).await;
    queue(live, alarm(4, start().plus(MINUTE * 2))).await;
    let [_, next] = told().await.try_into().expect("one more");
    assert_eq!(next.due.dispatch.about, *event_id(3).as_bytes());
    assert_eq!(next.due_at, Some(start().plus(QUIET)), "not before an hour has passed");
    queue(live, Dispatch { vendor: vendor_id(2), ..alarm(5, start().plus(MINUTE)) }).await;
    let [other] = live.alarms_of(vendor_id(2)).await.expect("a read").try_into().expect("its own");
    assert_eq!(other.due_at, Some(start().plus(MINUTE)), "one vendor's quiet is not another's");
    let taken = take(live, &next.due, start().plus(QUIET)).await;
    commit(live, &[dispatch::end(&taken, Sending::Accepted, start().plus(QUIET), &[])]).await;
    // This one failed again after it was sent by hand: the vendor was told before.
    queue(live, alarm(3, start().plus(QUIET * 3))).await;
    assert_eq!(told().await.len(), 2);
    queue(live, alarm(6, start().plus(QUIET * 3))).await;
    assert_eq!(told().await[2].due_at, Some(start().plus(QUIET * 3)), "long after the last one: at once");
}

async fn refused(shell: &Shell, statement: &str, because: &str) {
    let tables = ["receipts", "dispatches"];
    let mut before = Vec::new();
    for table in tables {
        before.push(shell.rows(table).await);
    }
    let error = shell.run(statement).await.expect_err(statement).to_lowercase();
    assert!(error.contains(because), "{error}, by: {statement}");
    for (table, before) in tables.into_iter().zip(before) {
        assert_eq!(shell.rows(table).await, before, "{statement}");
    }
}

async fn nobody_changes_or_removes_a_receipt_or_its_mail(kind: Kind) {
    let backend = scene(kind).await;
    let live = &backend.stores.live;
    let shell = backend.shell("live").await;
    for set in [
        "amount_minor = 1",
        "email = 'eve@evil.example'",
        "language = NULL",
        "kind = 'refunded'",
        "created_at = 1",
    ] {
        refused(&shell, &format!("UPDATE receipts SET {set}"), "never changed").await;
    }
    for set in ["recipient = 'eve@evil.example'", "created_at = 1", "kind = 'receipt_copy'"] {
        refused(&shell, &format!("UPDATE dispatches SET {set}"), "cannot be changed").await;
    }
    refused(&shell, "UPDATE dispatches SET fence = fence - 1", "none goes back").await;
    for table in ["receipts", "dispatches"] {
        refused(&shell, &format!("DELETE FROM {table}"), "never deleted").await;
        let (empty, because) = match shell.is_embedded() {
            true => (format!("INSERT OR REPLACE INTO {table} SELECT * FROM {table}"), "never replaced"),
            false => (format!("TRUNCATE {table} CASCADE"), "never deleted"),
        };
        refused(&shell, &empty, because).await;
    }
    let [found] = due(live, start()).await.try_into().expect("one mail");
    let taken = take(live, &found, start()).await;
    commit(live, &[dispatch::end(&taken, Sending::Accepted, start(), &[])]).await;
    let again = "UPDATE dispatches SET state = 'queued', due_at = 1, ended_at = NULL";
    refused(&shell, again, "stays so").await;
}

async fn t12_the_sandbox_has_no_place_for_a_receipt_or_a_mail(kind: Kind) {
    let backend = Backend::new(kind).await;
    let sandbox = &backend.stores.sandbox;
    Shop::sandbox().store(sandbox, 1, start()).await;
    let mail = Box::new(mail(DispatchKind::Receipt, 1, start()));
    for change in [Change::QueueReceipt(Box::new(receipt(1))), Change::QueueDispatch(mail)] {
        assert!(sandbox.commit(&[change]).await.is_err());
    }
    let shell = backend.shell("sandbox").await;
    for table in ["receipts", "dispatches"] {
        let error = shell.run(&format!("DELETE FROM {table}")).await.expect_err("there is none");
        assert!(error.contains("no such table") || error.contains("does not exist"), "{error}");
    }
}

on_both_engines!(
    a_receipt_is_kept_as_it_was_given_and_found_by_its_link,
    money_has_one_receipt_and_a_link_leads_to_one,
    receipts_that_are_committed_at_once_are_all_there,
    one_node_at_a_time_has_a_mail_and_a_replaced_one_changes_nothing,
    a_mail_that_is_given_up_is_counted_and_listed,
    a_vendor_is_notified_once_an_hour_of_callbacks_that_do_not_arrive,
    nobody_changes_or_removes_a_receipt_or_its_mail,
    t12_the_sandbox_has_no_place_for_a_receipt_or_a_mail,
);
