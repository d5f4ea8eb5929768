//! Idempotency keys: one key, one session, for a day.

use crate::fixture::{
    Backend, Kind, Shop, commit, minutes, on_both_engines, read, session_id, start, vendor_id,
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    change::{Change, Guard, RememberedKey},
    time::Timestamp,
};
use till_store::{Committed, Payments, StoredKey};
use tokio::{sync::Barrier, task::JoinSet};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MS: Duration = Duration::from_millis(1);

/// The changes of a create with an idempotency key: the key first, then the session with this number.
fn create_with_key(number: u64, key: &str, at: Timestamp) -> Vec<Change> {
    let remembered = RememberedKey {
        vendor: vendor_id(1),
        key: key.to_owned(),
        fingerprint: fingerprint(number),
        made: session_id(number).into(),
        at,
        forget_before: at.minus(DAY),
    };
    let mut changes = vec![Change::RememberKey(remembered)];
    changes.extend(Shop::live().order(number).1);
    changes
}

fn fingerprint(number: u64) -> [u8; 32] {
    let mut fingerprint = [0xf0; 32];
    fingerprint[..8].copy_from_slice(&number.to_be_bytes());
    fingerprint
}

fn remembered(number: u64) -> Option<StoredKey> {
    Some(StoredKey { fingerprint: fingerprint(number), made: session_id(number).into() })
}

async fn key(payments: &Payments, key: &str, since: Timestamp) -> Option<StoredKey> {
    payments.key(vendor_id(1), key, since).await.expect("a read")
}

async fn a_key_is_remembered_with_its_session_and_fingerprint(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    for (number, word) in (1..).zip(["a", "A", "8e0c8f1e-3c7e-4b1c-9a53-0d2f8b1c7d11", "ключ 🧾", " "])
    {
        commit(live, &create_with_key(number, word, start())).await;
        assert_eq!(key(live, word, start().minus(DAY)).await, remembered(number), "{word:?}");
        assert!(read(live, number).await.is_some());
    }
    assert_eq!(key(live, "b", start().minus(DAY)).await, None);
    let other = live.key(vendor_id(2), "a", start().minus(DAY)).await.expect("a read");
    assert_eq!(other, None, "another vendor has its own keys");
}

async fn a_taken_key_keeps_its_session_and_the_second_one_is_not_stored(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    commit(live, &create_with_key(1, "k", start())).await;
    let last = start().plus(DAY).minus(MS);
    for (number, at) in [(2, start()), (3, start().plus(minutes(1))), (4, last)] {
        let committed = live.commit(&create_with_key(number, "k", at)).await.expect("an answer");
        assert_eq!(committed, Committed::Lost(Guard::KeyTaken));
        assert_eq!(read(live, number).await, None);
        assert!(live.history(session_id(number)).await.expect("a read").is_empty());
        assert_eq!(key(live, "k", at.minus(DAY)).await, remembered(1));
    }
}

async fn a_key_past_its_day_is_replaced(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    commit(live, &create_with_key(1, "k", start())).await;
    let next_day = start().plus(DAY);
    commit(live, &create_with_key(2, "k", next_day)).await;
    assert_eq!(key(live, "k", start()).await, remembered(2));
    assert!(read(live, 1).await.is_some() && read(live, 2).await.is_some());
    let committed = live.commit(&create_with_key(3, "k", next_day.plus(minutes(1)))).await;
    assert_eq!(committed.expect("an answer"), Committed::Lost(Guard::KeyTaken), "its day begins anew");
}

async fn a_key_is_found_only_if_it_was_remembered_after_the_given_moment(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    commit(live, &create_with_key(1, "k", start())).await;
    assert_eq!(key(live, "k", start().minus(MS)).await, remembered(1));
    assert_eq!(key(live, "k", start()).await, None);
    assert_eq!(key(live, "k", start().plus(MS)).await, None);
}

async fn a_create_that_fails_leaves_its_key_free(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    commit(live, &Shop::live().order(1).1).await;
    live.commit(&create_with_key(1, "k", start())).await.expect_err("the session's id is taken");
    assert_eq!(key(live, "k", start().minus(DAY)).await, None);
    commit(live, &create_with_key(2, "k", start())).await;
    assert_eq!(key(live, "k", start().minus(DAY)).await, remembered(2));
}

async fn old_keys_are_forgotten_oldest_first_and_no_more_than_asked(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    // Remembered at minutes 4, 1, 3, 0, 2: the letters are not in the order of age.
    for (number, (word, minute)) in (1..).zip([("a", 4), ("b", 1), ("c", 3), ("d", 0), ("e", 2)]) {
        commit(live, &create_with_key(number, word, start().plus(minutes(minute)))).await;
    }
    let forget = async |minute, limit| {
        let forget = Change::ForgetKeys { before: start().plus(minutes(minute)), limit };
        live.commit(&[forget]).await.expect("an answer")
    };
    let left = async || {
        let mut left = String::new();
        for word in ["a", "b", "c", "d", "e"] {
            if key(live, word, start().minus(DAY)).await.is_some() {
                left.push_str(word);
            }
        }
        left
    };
    for (minute, limit, committed, expected) in [
        (3, 0, Committed::Lost(Guard::NothingToForget), "abcde"),
        (3, 1, Committed::Done, "abce"),
        (3, 2, Committed::Done, "ac"),
        (3, 2, Committed::Done, "a"),
        (3, 2, Committed::Lost(Guard::NothingToForget), "a"),
        (4, 2, Committed::Done, ""),
        (4, 2, Committed::Lost(Guard::NothingToForget), ""),
    ] {
        assert_eq!(forget(minute, limit).await, committed);
        assert_eq!(left().await, expected);
    }
    for number in 1..=5 {
        assert!(read(live, number).await.is_some(), "the sessions stay");
    }
}

async fn of_32_creates_with_one_key_at_once_exactly_one_makes_a_session(kind: Kind) {
    const CREATES: u64 = 32;
    let backend = Backend::new(kind).await;
    let together = Arc::new(Barrier::new(32));
    let mut tasks = JoinSet::new();
    for number in 0..CREATES {
        let (stores, together) = (Arc::clone(&backend.stores), Arc::clone(&together));
        let changes = create_with_key(number, "k", start());
        tasks.spawn(async move {
            together.wait().await;
            (number, stores.live.commit(&changes).await.expect("an answer"))
        });
    }
    let answers = tasks.join_all().await;
    let done: Vec<_> = answers.iter().filter(|(_, c)| *c == Committed::Done).map(|(n, _)| *n).collect();
    let lost = answers.iter().filter(|(_, c)| *c == Committed::Lost(Guard::KeyTaken)).count();
    assert_eq!((done.len(), lost), (1, 31));
    let live = &backend.stores.live;
    assert_eq!(key(live, "k", start().minus(DAY)).await, remembered(done[0]));
    for number in 0..CREATES {
        assert_eq!(read(live, number).await.is_some(), number == done[0]);
    }
}

on_both_engines!(
    a_key_is_remembered_with_its_session_and_fingerprint,
    a_taken_key_keeps_its_session_and_the_second_one_is_not_stored,
    a_key_past_its_day_is_replaced,
    a_key_is_found_only_if_it_was_remembered_after_the_given_moment,
    a_create_that_fails_leaves_its_key_free,
    old_keys_are_forgotten_oldest_first_and_no_more_than_asked,
    of_32_creates_with_one_key_at_once_exactly_one_makes_a_session,
);
