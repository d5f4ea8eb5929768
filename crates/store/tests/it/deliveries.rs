//! Delivery of callback events: claimed once, recorded once, and kept in order for a vendor that fetches
//! them.

use crate::{
    fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, start, vendor_id},
    shell::bytes,
    verify::take_all_rights,
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    change::{Change, Guard},
    delivery::{
        self, AttemptResult, DeliveryAttempt, DeliveryState, DueEvent, ReceiverResponse, Requester, Schedule,
    },
    id::VendorId,
    session::Outcome,
    time::Timestamp,
    vendor::Vendor,
};
use till_store::{Committed, DeliveryFilter, EventFilter, Payments, Span, StoredEvent, Turn};

const LEASE: Duration = Duration::from_secs(30);

fn schedule() -> Schedule {
    Schedule::new([30, 120, 300].map(Duration::from_secs).to_vec()).expect("it rises")
}

/// Stores a paid session of a vendor; its event has the same number.
async fn finish(payments: &Payments, vendor: u64, number: u64, target: Option<&str>) {
    let mut shop = Shop::live();
    shop.vendor = Vendor { id: vendor_id(vendor), ..shop.vendor };
    shop.vendor.settings.callback_url = target.map(crate::fixture::url);
    let session = shop.store(payments, number, start()).await;
    commit(payments, &shop.finish(&session, Outcome::Paid, number).1).await;
}

/// The due events of all vendors.
async fn due(payments: &Payments, now: Timestamp) -> Vec<DueEvent> {
    let mut due = Vec::new();
    for pending in payments.pending_vendors().await.expect("a read") {
        due.extend(of_vendor(payments, pending.vendor, now, 100, &[]).await);
    }
    due
}

/// The due events of a vendor, all of them readable.
async fn of_vendor(
    payments: &Payments,
    vendor: VendorId,
    now: Timestamp,
    limit: usize,
    hosts: &[String],
) -> Vec<DueEvent> {
    let (due, unreadable) = payments.due_callbacks(vendor, now, limit, hosts).await.expect("a read");
    assert!(unreadable.is_empty(), "{unreadable}");
    due
}

async fn event(payments: &Payments, number: u64) -> StoredEvent {
    payments.event(event_id(number)).await.expect("a read").expect("an event")
}

/// Claims an event, and returns the attempt unless another worker was faster.
async fn take(payments: &Payments, event: &DueEvent, now: Timestamp) -> Option<DeliveryAttempt> {
    let (changes, attempt) = delivery::begin(event, now, &schedule(), LEASE);
    match payments.commit(&changes).await.expect("an answer") {
        Committed::Done => attempt,
        Committed::Lost(guard) => {
            assert_eq!(guard, Guard::LeaseLost);
            None
        }
    }
}

fn ended(attempt: &DeliveryAttempt, result: AttemptResult, now: Timestamp) -> Vec<Change> {
    delivery::end(attempt, result, Duration::from_millis(70), now, &schedule())
}

const SHOP: Option<&str> = Some("https://Shop.example/hook?x=1");

async fn an_event_is_due_at_once_and_taken_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    finish(live, 1, 1, SHOP).await;
    finish(live, 1, 2, None).await;
    let now = backend.later(Duration::from_secs(5));
    let found = due(live, now).await;
    assert_eq!(found.len(), 1, "without an address there is nothing to send");
    assert_eq!((found[0].host.as_str(), found[0].attempts, found[0].sending), ("shop.example", 0, false));
    assert_eq!(event(live, 2).await.state, DeliveryState::NoTarget);
    let attempt = take(live, &found[0], now).await.expect("it is free");
    assert_eq!(take(live, &found[0], now).await, None, "somebody has it");
    assert_eq!(due(live, now).await, []);
    assert_eq!(live.next_callback_due().await.expect("a read"), Some(now.plus(LEASE)));
    commit(live, &ended(&attempt, AttemptResult::Delivered(204), now)).await;
    let stored = event(live, 1).await;
    assert_eq!(
        (stored.state, stored.attempts, stored.delivered_at),
        (DeliveryState::Delivered, 1, Some(now))
    );
    assert_eq!(live.next_callback_due().await.expect("a read"), None);
    let attempts = live.attempts(event_id(1)).await.expect("a read");
    assert_eq!(
        (attempts.len(), attempts[0].result.as_str(), attempts[0].status),
        (1, "delivered", Some(204))
    );
    assert_eq!(attempts[0].took, Some(Duration::from_millis(70)));
}

async fn the_response_to_a_failed_attempt_is_kept_until_it_is_old(kind: Kind) {
    let backend = Backend::new(kind).await;
    for payments in [&backend.stores.live, &backend.stores.sandbox] {
        finish(payments, 1, 1, SHOP).await;
        let now = backend.later(Duration::from_secs(5));
        let attempt = take(payments, &due(payments, now).await[0], now).await.expect("it is free");
        let response =
            ReceiverResponse { content_type: Some("text/plain".to_owned()), body: b"no\0 database".to_vec() };
        let mut changes = ended(&attempt, AttemptResult::Status(500), now);
        changes.push(delivery::keep_response(&attempt, response.clone(), now));
        commit(payments, &changes).await;
        let kept = payments.responses(event_id(1)).await.expect("a read");
        assert_eq!(kept, [(1, response)].into());
        let forget = |before| Change::ForgetResponses { before, limit: 10 };
        let nothing = payments.commit(&[forget(now)]).await.expect("an answer");
        assert_eq!(nothing, Committed::Lost(Guard::NothingToForget), "it is not older than that");
        commit(payments, &[forget(now.plus(Duration::from_millis(1)))]).await;
        assert!(payments.responses(event_id(1)).await.expect("a read").is_empty());
        assert_eq!(payments.attempts(event_id(1)).await.expect("a read").len(), 1, "the attempt stays");
    }
}

async fn i15_f6b_a_sender_that_was_replaced_records_nothing(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    finish(live, 1, 1, SHOP).await;
    let now = backend.later(Duration::from_secs(5));
    let frozen = take(live, &due(live, now).await[0], now).await.expect("it is free");
    let later = backend.later(LEASE);
    let taken_over = due(live, later).await;
    assert!(taken_over[0].sending && taken_over[0].attempts == 1);
    let second = take(live, &taken_over[0], later).await.expect("the lease has ended");
    assert_eq!(second.number, 2);
    let late = live.commit(&ended(&frozen, AttemptResult::Delivered(200), later)).await.expect("an answer");
    assert_eq!(late, Committed::Lost(Guard::LeaseLost));
    assert_eq!(event(live, 1).await.state, DeliveryState::Sending);
    commit(live, &ended(&second, AttemptResult::Status(500), later)).await;
    let again = live.commit(&ended(&second, AttemptResult::Status(500), later)).await.expect("an answer");
    assert_eq!(again, Committed::Lost(Guard::LeaseLost), "a result is recorded once");
    let words: Vec<String> =
        live.attempts(event_id(1)).await.expect("a read").into_iter().map(|attempt| attempt.result).collect();
    assert_eq!(words, ["interrupted", "status"]);
}

async fn l7_i13_an_attempt_that_was_surely_not_sent_does_not_count(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    finish(live, 1, 1, SHOP).await;
    for number in 1..=4 {
        let now = backend.later(Duration::from_secs(400));
        let found = due(live, now).await.remove(0);
        let unsent = take(live, &found, now).await.expect("it is free");
        commit(live, &[delivery::give_back(&found, &unsent, now)]).await;
        let stored = event(live, 1).await;
        assert_eq!((stored.state, stored.attempts), (DeliveryState::Queued, number - 1), "as it was before");
        let again = live.commit(&[delivery::give_back(&found, &unsent, now)]).await.expect("an answer");
        assert_eq!(again, Committed::Lost(Guard::LeaseLost), "an attempt is given back once");
        let sent = take(live, &due(live, now).await[0], now).await.expect("it is due at once");
        assert_eq!(sent.number, number, "under the same number");
        commit(live, &ended(&sent, AttemptResult::Timeout, now)).await;
    }
    assert_eq!(event(live, 1).await.state, DeliveryState::Undelivered);
    assert_eq!(live.attempts(event_id(1)).await.expect("a read").len(), 4, "all four were sent");
}

async fn i15_an_attempt_that_another_node_took_over_is_not_given_back(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    finish(live, 1, 1, SHOP).await;
    let now = backend.later(Duration::from_secs(5));
    let found = due(live, now).await.remove(0);
    let give_back = |attempt: &DeliveryAttempt| [delivery::give_back(&found, attempt, now)];
    let (_, never_taken) = delivery::begin(&found, now, &schedule(), LEASE);
    let lost = live.commit(&give_back(&never_taken.expect("the first"))).await.expect("an answer");
    assert_eq!(lost, Committed::Lost(Guard::LeaseLost), "taking it was never committed");
    let frozen = take(live, &found, now).await.expect("it is free");
    let later = backend.later(LEASE);
    take(live, &due(live, later).await[0], later).await.expect("the lease has ended");
    let lost = live.commit(&give_back(&frozen)).await.expect("an answer");
    assert_eq!(lost, Committed::Lost(Guard::LeaseLost));
    assert_eq!((event(live, 1).await.state, event(live, 1).await.attempts), (DeliveryState::Sending, 2));
}

async fn p11_each_vendor_with_something_on_its_way_is_found_however_much_others_have(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let pending = async || {
        let pending = live.pending_vendors().await.expect("a read");
        pending.into_iter().map(|pending| (pending.vendor, pending.due_at)).collect::<Vec<_>>()
    };
    assert_eq!(pending().await, []);
    for number in 1..=30 {
        finish(live, 2, number, SHOP).await;
    }
    finish(live, 3, 31, SHOP).await;
    finish(live, 1, 32, SHOP).await;
    finish(live, 4, 33, None).await;
    let at = start().plus(Duration::from_secs(1));
    assert_eq!(pending().await, [1, 2, 3].map(|vendor| (vendor_id(vendor), at)));
    let now = backend.later(Duration::from_secs(5));
    let of_third = of_vendor(live, vendor_id(3), now, 10, &[]).await;
    let third = take(live, &of_third[0], now).await.expect("it is free");
    assert_eq!(pending().await[2], (vendor_id(3), now.plus(LEASE)), "it may need attention then");
    commit(live, &ended(&third, AttemptResult::Delivered(204), now)).await;
    assert_eq!(pending().await, [1, 2].map(|vendor| (vendor_id(vendor), at)));
    assert_eq!(live.next_callback_due().await.expect("a read"), Some(at));
}

async fn a_row_that_makes_no_sense_keeps_no_other_from_being_sent(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    for number in 1..=3 {
        finish(live, 1, number, SHOP).await;
    }
    let shell = backend.shell("live").await;
    let id = bytes(event_id(1).as_bytes());
    shell
        .run(&format!("UPDATE callbacks SET attempts = 5000000000 WHERE id = {id}"))
        .await
        .expect("a change");
    let now = backend.later(Duration::from_secs(5));
    let (due, unreadable) = live.due_callbacks(vendor_id(1), now, 10, &[]).await.expect("a read");
    assert_eq!(due.into_iter().map(|event| event.id).collect::<Vec<_>>(), [event_id(2), event_id(3)]);
    assert_eq!(unreadable.count, 1);
    assert!(unreadable.to_string().contains("attempt 5000000000"), "{unreadable}");
}

async fn who_has_enough_is_left_out(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    finish(live, 1, 1, Some("https://a.example/")).await;
    finish(live, 1, 2, Some("https://b.example:8443/")).await;
    finish(live, 1, 3, Some("http://c.example/")).await;
    finish(live, 2, 4, Some("http://d.example/")).await;
    let now = backend.later(Duration::from_secs(5));
    let found = async |hosts: &[&str], limit| {
        let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        let due = of_vendor(live, vendor_id(1), now, limit, &hosts).await;
        due.into_iter().map(|event| event.host).collect::<Vec<_>>()
    };
    assert_eq!(found(&[], 10).await.len(), 3, "and nobody else's");
    assert_eq!(found(&[], 2).await.len(), 2);
    assert_eq!(found(&["a.example", "b.example"], 1).await, ["c.example"]);
    let early = of_vendor(live, vendor_id(1), start(), 10, &[]).await;
    assert_eq!(early, [], "none is due yet");
}

async fn an_event_can_be_sent_again_by_hand(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    finish(live, 1, 1, SHOP).await;
    finish(live, 1, 2, None).await;
    let now = backend.later(Duration::from_secs(5));
    let by = Requester { name: "olga@shop.example".to_owned(), is_operator: false };
    let resend = |number| delivery::resend(event_id(number), now, &schedule(), by.clone());
    for number in [1, 2] {
        let refused = live.commit(&[resend(number)]).await.expect("an answer");
        assert_eq!(refused, Committed::Lost(Guard::NotResendable), "on its way, or nowhere to go");
    }
    let first = take(live, &due(live, now).await[0], now).await.expect("it is free");
    commit(live, &ended(&first, AttemptResult::Delivered(200), now)).await;
    commit(live, &[resend(1)]).await;
    let by_hand = take(live, &due(live, now).await[0], now).await.expect("it is free");
    assert_eq!(by_hand.number, 5);
    commit(live, &ended(&by_hand, AttemptResult::Timeout, now)).await;
    let stored = event(live, 1).await;
    assert_eq!((stored.state, stored.attempts, stored.due_at), (DeliveryState::Delivered, 5, None));
    let made = live.attempts(event_id(1)).await.expect("a read");
    let askers: Vec<_> = made.iter().map(|made| (made.number, made.requested_by.clone())).collect();
    assert_eq!(askers, [(1, None), (5, Some(by))], "only the manual attempt was asked for");
}

async fn events_are_listed_newest_first_as_asked(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    for number in 1..=4 {
        finish(live, 1 + number % 2, number, if number == 4 { None } else { SHOP }).await;
    }
    let list = async |filter: EventFilter, limit| {
        let events = live.events(&filter, Turn::Newest, limit).await.expect("a read");
        events.into_iter().map(|event| event.id).collect::<Vec<_>>()
    };
    let ids = |numbers: &[u64]| numbers.iter().map(|number| event_id(*number)).collect::<Vec<_>>();
    assert_eq!(list(EventFilter::default(), 10).await, ids(&[4, 3, 2, 1]));
    assert_eq!(list(EventFilter::default(), 2).await, ids(&[4, 3]));
    let own = EventFilter { vendor: Some(vendor_id(2)), ..EventFilter::default() };
    assert_eq!(list(own, 10).await, ids(&[3, 1]));
    let state =
        EventFilter { standing: Some(DeliveryFilter::Is(DeliveryState::NoTarget)), ..EventFilter::default() };
    assert_eq!(list(state, 10).await, ids(&[4]));
    let span = Span { since: Some(start().plus(Duration::from_secs(60))), until: None };
    let since = EventFilter { span, ..EventFilter::default() };
    assert_eq!(list(since, 10).await, []);
}

async fn a_feed_goes_on_where_it_was_and_misses_nothing(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let feed = async |after, limit| {
        let events = live.feed(vendor_id(1), after, limit).await.expect("a read").expect("a page");
        events.into_iter().map(|event| (event.position.expect("a place"), event.id)).collect::<Vec<_>>()
    };
    assert_eq!(feed(0, 10).await, []);
    finish(live, 1, 5, SHOP).await;
    finish(live, 1, 6, None).await;
    finish(live, 2, 9, SHOP).await;
    assert_eq!(feed(0, 1).await, [(1, event_id(5))]);
    assert_eq!(feed(1, 10).await, [(2, event_id(6))], "also what has no address; and not another's");
    // Its id is older, but it was committed later: it comes later in the feed.
    finish(live, 1, 2, SHOP).await;
    assert_eq!(feed(2, 10).await, [(3, event_id(2))]);
    assert_eq!(feed(0, 10).await, [(1, event_id(5)), (2, event_id(6)), (3, event_id(2))], "and stays there");
}

async fn m8_an_event_that_cannot_be_read_holds_up_no_feed(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    for number in 1..=4 {
        finish(live, 1, number, SHOP).await;
    }
    let feed = async |after, limit| {
        let events = live.feed(vendor_id(1), after, limit).await.expect("a read").expect("a page");
        events.into_iter().map(|event| event.id).collect::<Vec<_>>()
    };
    assert_eq!(feed(0, 10).await.len(), 4);
    let shell = backend.shell("live").await;
    take_all_rights(&shell).await;
    let damage = "UPDATE callbacks SET attempts = 5000000000 WHERE position IN (1, 2)";
    assert_eq!(shell.run(damage).await, Ok(2));
    assert_eq!(feed(0, 10).await, [event_id(3), event_id(4)]);
    assert_eq!(feed(0, 1).await, [event_id(3)], "also where no row of a page can be read");
}

async fn a_feed_knows_no_position_that_was_never_given_out(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    for number in 1..=3 {
        finish(live, 1, number, SHOP).await;
    }
    let feed = async |after| live.feed(vendor_id(1), after, 2).await.expect("a read").map(|page| page.len());
    assert_eq!(feed(1).await, None, "nothing was fetched yet");
    assert_eq!(feed(0).await, Some(2));
    assert_eq!((feed(3).await, feed(999_999_999_999_999_999).await), (None, None));
    let stored = live.event(event_id(3)).await.expect("a read").expect("an event");
    assert_eq!(stored.position, None, "and such a question places nothing");
    assert_eq!((feed(2).await, feed(3).await, feed(4).await), (Some(1), Some(0), None));
}

async fn a_feed_gives_each_place_once_however_many_fetch(kind: Kind) {
    let backend = Backend::new(kind).await;
    for number in 1..=60 {
        finish(&backend.stores.live, 1, number, SHOP).await;
    }
    let mut readers = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let stores = Arc::clone(&backend.stores);
        readers.spawn(async move {
            stores.live.feed(vendor_id(1), 0, 50).await.expect("a read").expect("a page")
        });
    }
    let mut first = readers.join_all().await;
    let expected: Vec<_> = first.remove(0).into_iter().map(|event| (event.position, event.id)).collect();
    assert_eq!(expected.len(), 50);
    for other in first {
        assert_eq!(other.into_iter().map(|event| (event.position, event.id)).collect::<Vec<_>>(), expected);
    }
    let rest = backend.stores.live.feed(vendor_id(1), 50, 50).await.expect("a read").expect("a page");
    assert_eq!(rest.len(), 10);
}

/// Another node is changing an event, and may wait for a lock that this node holds: to avoid a deadlock, a
/// feed must not wait for that node.
#[tokio::test]
async fn needs_postgres_a_feed_does_not_wait_for_an_event_that_somebody_is_changing() {
    let backend = Backend::new(Kind::Postgres).await;
    let live = &backend.stores.live;
    for number in 1..=3 {
        finish(live, 1, number, SHOP).await;
    }
    let other = backend.shell("live").await;
    other.run("BEGIN").await.expect("a transaction");
    let change =
        format!("UPDATE callbacks SET fence = fence + 1 WHERE id = {}", bytes(event_id(2).as_bytes()));
    other.run(&change).await.expect("a change that is not committed");
    let feed = async || {
        let events = live.feed(vendor_id(1), 0, 10).await.expect("a read").expect("a page");
        events.into_iter().map(|event| event.id).collect::<Vec<_>>()
    };
    assert_eq!(feed().await, [event_id(1), event_id(3)]);
    other.run("COMMIT").await.expect("a commit");
    assert_eq!(feed().await, [event_id(1), event_id(3), event_id(2)], "later, and not lost");
}

on_both_engines!(
    m8_an_event_that_cannot_be_read_holds_up_no_feed,
    an_event_is_due_at_once_and_taken_once,
    the_response_to_a_failed_attempt_is_kept_until_it_is_old,
    i15_f6b_a_sender_that_was_replaced_records_nothing,
    l7_i13_an_attempt_that_was_surely_not_sent_does_not_count,
    i15_an_attempt_that_another_node_took_over_is_not_given_back,
    p11_each_vendor_with_something_on_its_way_is_found_however_much_others_have,
    a_row_that_makes_no_sense_keeps_no_other_from_being_sent,
    who_has_enough_is_left_out,
    an_event_can_be_sent_again_by_hand,
    events_are_listed_newest_first_as_asked,
    a_feed_goes_on_where_it_was_and_misses_nothing,
    a_feed_knows_no_position_that_was_never_given_out,
    a_feed_gives_each_place_once_however_many_fetch,
);
