//! The calls to providers by quarter of an hour, written by several processes, and the last events of each provider.

use crate::fixture::{Backend, Kind, minutes, on_both_engines, start};
use std::{slice, time::Duration};
use till_domain::{
    activity::{CallCounts, LastEvent, ProviderEvent, quarter_of},
    change::{Change, Guard},
    time::Timestamp,
};
use till_store::{Committed, NodeId, Payments, ProviderCalls, ProviderNews};

fn counts(answered: u64, failed: u64) -> CallCounts {
    let mut counts = CallCounts::default();
    (0..answered).for_each(|_| counts.note(true, Duration::from_millis(18)));
    (0..failed).for_each(|_| counts.note(false, Duration::ZERO));
    counts
}

fn calls(node: u8, minute: u64, counts: CallCounts) -> ProviderCalls {
    let quarter = quarter_of(start().plus(minutes(minute)));
    ProviderCalls { provider: "simulator".to_owned(), quarter, node: NodeId([node; 16]), counts }
}

fn news(kind: ProviderEvent, minute: u64, note: &str) -> ProviderNews {
    let event = LastEvent { at: start().plus(minutes(minute)), note: note.to_owned() };
    ProviderNews { provider: "simulator".to_owned(), kind, event }
}

async fn write(store: &Payments, calls: &[ProviderCalls], events: &[ProviderNews]) {
    store.write_provider_activity(calls, events).await.expect("a write");
}

/// The number of calls and failures since a moment, and of the rows.
async fn sum(store: &Payments, since: Timestamp) -> (u64, u64, usize) {
    let rows = store.provider_calls(since).await.expect("a read");
    let mut sum = CallCounts::default();
    rows.iter().for_each(|row| sum.add(&row.counts));
    (sum.calls, sum.failures(), rows.len())
}

async fn the_calls_of_all_processes_add_up_and_a_repeated_write_adds_nothing(kind: Kind) {
    let backend = Backend::new(kind).await;
    let always = Timestamp::from_ms(0);
    for store in [&backend.stores.live, &backend.stores.sandbox] {
        let (one, two) = (calls(1, 0, counts(95, 5)), calls(2, 0, counts(3, 1)));
        write(store, &[one.clone(), two.clone()], &[]).await;
        assert_eq!(sum(store, always).await, (104, 6, 2), "two processes");
        write(store, slice::from_ref(&one), &[]).await;
        assert_eq!(sum(store, always).await, (104, 6, 2), "the same totals again");
        write(store, &[calls(1, 0, counts(96, 6)), calls(1, 15, counts(1, 0))], &[]).await;
        assert_eq!(sum(store, always).await, (107, 7, 3), "new totals take the place of the old ones");
        write(store, &[one], &[]).await;
        assert_eq!(sum(store, always).await, (107, 7, 3), "an older write that comes late");
        assert_eq!(sum(store, start().plus(minutes(15))).await, (1, 0, 1));
        let rows = store.provider_calls(always).await.expect("a read");
        assert!(rows.contains(&two), "it is read as it was written: {rows:?}");
    }
}

async fn the_last_event_of_any_process_stays(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let (accepted, refused) = (ProviderEvent::NoticeAccepted, ProviderEvent::NoticeRefused);
    write(live, &[], &[news(ProviderEvent::Error, 2, "no answer in time"), news(accepted, 1, "")]).await;
    write(
        live,
        &[],
        &[news(ProviderEvent::Error, 1, "earlier"), news(accepted, 3, ""), news(refused, 1, "unsigned")],
    )
    .await;
    let mut events = live.provider_events().await.expect("a read");
    events.sort_by_key(|news| news.kind);
    assert_eq!(
        events,
        [
            news(ProviderEvent::Error, 2, "no answer in time"),
            news(accepted, 3, ""),
            news(refused, 1, "unsigned")
        ]
    );
    assert!(backend.stores.sandbox.provider_events().await.expect("a read").is_empty(), "each has its own");
}

async fn old_calls_are_deleted_in_steps(kind: Kind) {
    let backend = Backend::new(kind).await;
    for store in [&backend.stores.live, &backend.stores.sandbox] {
        let rows: Vec<_> = (0..5).map(|quarter| calls(1, 15 * quarter, counts(1, 0))).collect();
        write(store, &rows, &[news(ProviderEvent::Error, 0, "old")]).await;
        let forget = [Change::ForgetCalls { before: start().plus(minutes(45)), limit: 2 }];
        let always = Timestamp::from_ms(0);
        assert_eq!(store.commit(&forget).await.expect("an answer"), Committed::Done);
        assert_eq!(sum(store, always).await.0, 3, "two at a time");
        assert_eq!(store.commit(&forget).await.expect("an answer"), Committed::Done);
        assert_eq!(sum(store, always).await.0, 2, "those before the moment");
        let nothing = store.commit(&forget).await.expect("an answer");
        assert_eq!((nothing, sum(store, always).await.0), (Committed::Lost(Guard::NothingToForget), 2));
        assert_eq!(
            store.provider_events().await.expect("a read").len(),
            1,
            "the last event is never too old"
        );
    }
}

on_both_engines!(
    the_calls_of_all_processes_add_up_and_a_repeated_write_adds_nothing,
    the_last_event_of_any_process_stays,
    old_calls_are_deleted_in_steps,
);
