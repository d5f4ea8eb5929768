//! Isolation: neither of live and sandbox sees the data of the other.

use crate::fixture::{Backend, Kind, Shop, commit, on_both_engines, read, session_id, start, vendor_id};
use std::time::Duration;
use till_domain::{
    change::{Change, Guard, RememberedKey},
    session::Outcome,
    time::Timestamp,
};
use till_store::{Committed, Payments};

/// Fills one store and expects the other to have none of it.
async fn check_unknown(shop: &Shop, here: &Payments, there: &Payments) {
    let (session, created) = shop.order(1);
    let key = RememberedKey {
        vendor: vendor_id(1),
        key: "k".to_owned(),
        fingerprint: [1; 32],
        made: session.id.into(),
        at: start(),
        forget_before: start().minus(Duration::from_secs(1)),
    };
    let key = Change::RememberKey(key);
    commit(here, &[&[key][..], &created].concat()).await;
    let (finished, finish) = shop.finish(&session, Outcome::Paid, 1);
    let pending = shop.store(here, 2, start()).await;
    let stray = there.commit(&finish).await.expect("an answer");
    assert_eq!(stray, Committed::Lost(Guard::NotPending), "the other store has no such session to finish");
    commit(here, &finish).await;

    assert_eq!(read(here, 1).await, Some(finished));
    assert_eq!(read(here, 2).await, Some(pending));
    for number in [1, 2] {
        assert_eq!(read(there, number).await, None);
        assert!(there.history(session_id(number)).await.expect("a read").is_empty());
        assert_eq!(there.callback(session_id(number)).await.expect("a read"), None);
    }
    let forever = Timestamp::from_ms(i64::MAX);
    assert_eq!(there.due_sessions(forever, 10).await.expect("a read").0, []);
    assert_eq!(there.next_due().await.expect("a read"), None);
    let before = start().minus(Duration::from_secs(1));
    assert_eq!(there.key(vendor_id(1), "k", before).await.expect("a read"), None);
}

async fn what_is_live_is_unknown_in_the_sandbox(kind: Kind) {
    let backend = Backend::new(kind).await;
    check_unknown(&Shop::live(), &backend.stores.live, &backend.stores.sandbox).await;
}

async fn what_is_in_the_sandbox_is_unknown_live(kind: Kind) {
    let backend = Backend::new(kind).await;
    check_unknown(&Shop::sandbox(), &backend.stores.sandbox, &backend.stores.live).await;
}

async fn the_same_id_may_mean_a_session_in_each(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = Shop::live().store(&backend.stores.live, 1, start()).await;
    let sandbox = Shop::sandbox().store(&backend.stores.sandbox, 1, start()).await;
    assert_ne!(live, sandbox);
    let (finished, finish) = Shop::live().finish(&live, Outcome::Expired, 1);
    commit(&backend.stores.live, &finish).await;
    assert_eq!(read(&backend.stores.live, 1).await, Some(finished));
    assert_eq!(read(&backend.stores.sandbox, 1).await, Some(sandbox));
}

on_both_engines!(
    what_is_live_is_unknown_in_the_sandbox,
    what_is_in_the_sandbox_is_unknown_live,
    the_same_id_may_mean_a_session_in_each,
);
