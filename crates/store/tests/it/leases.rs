//! Leases: one holder at a time, and a fencing token that detects a holder that was replaced.

use crate::fixture::{Backend, Kind, Shop, on_both_engines, read, start};
use std::{sync::Arc, time::Duration};
use till_domain::change::{Change, Guard};
use till_store::{Committed, Lease, NodeId, Payments};

const LENGTH: Duration = Duration::from_secs(30);
const ONE: NodeId = NodeId([1; 16]);
const OTHER: NodeId = NodeId([2; 16]);

async fn claim(payments: &Payments, node: NodeId) -> Option<Lease> {
    payments.claim("work", node, LENGTH).await.expect("an answer")
}

async fn p6_a_lease_has_one_holder_until_it_ends(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let first = Lease { name: "work", fence: 1, ends_at: start().plus(LENGTH) };
    assert_eq!(claim(live, ONE).await, Some(first));
    assert_eq!(claim(live, OTHER).await, None);
    let later = backend.later(Duration::from_secs(29));
    assert_eq!(claim(live, OTHER).await, None);
    let extended = Lease { name: "work", fence: 1, ends_at: later.plus(LENGTH) };
    assert_eq!(claim(live, ONE).await, Some(extended), "its holder extends it");
    backend.later(Duration::from_secs(29));
    assert_eq!(claim(live, OTHER).await, None, "from then on");
    let ended = backend.later(Duration::from_secs(1));
    let taken = Lease { name: "work", fence: 2, ends_at: ended.plus(LENGTH) };
    assert_eq!(claim(live, OTHER).await, Some(taken), "to the millisecond");
    assert_eq!(claim(live, ONE).await, None);
    let elsewhere = live.claim("other work", ONE, LENGTH).await.expect("an answer");
    assert_eq!(elsewhere.map(|lease| lease.fence), Some(1), "each work has its own");
    assert_eq!(claim(&backend.stores.sandbox, ONE).await.map(|lease| lease.fence), Some(1));
}

async fn f6b_what_a_replaced_holder_commits_is_refused(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let under = |lease: &Lease, number| {
        let hold = Change::HoldLease { name: lease.name, fence: lease.fence };
        [vec![hold], Shop::live().order(number).1].concat()
    };
    let frozen = claim(live, ONE).await.expect("it is free");
    assert_eq!(live.commit(&under(&frozen, 1)).await.expect("an answer"), Committed::Done);
    backend.later(LENGTH);
    assert_eq!(live.commit(&under(&frozen, 2)).await.expect("an answer"), Committed::Done, "nobody took it");
    let replaced = claim(live, OTHER).await.expect("it has ended");
    let late = live.commit(&under(&frozen, 3)).await.expect("an answer");
    assert_eq!(late, Committed::Lost(Guard::LeaseLost));
    assert_eq!(read(live, 3).await, None);
    assert_eq!(live.commit(&under(&replaced, 4)).await.expect("an answer"), Committed::Done);
    backend.later(LENGTH);
    let again = claim(live, ONE).await.expect("it has ended");
    assert_eq!(again.fence, 3, "a fence never comes back");
    assert_eq!(live.commit(&under(&frozen, 5)).await.expect("an answer"), Committed::Lost(Guard::LeaseLost));
}

async fn a_node_that_stops_gives_its_leases_back(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    claim(live, ONE).await.expect("it is free");
    live.claim("other work", OTHER, LENGTH).await.expect("an answer").expect("it is free");
    live.release(ONE).await.expect("a write");
    assert_eq!(claim(live, OTHER).await.map(|lease| lease.fence), Some(2));
    let others = live.claim("other work", ONE, LENGTH).await.expect("an answer");
    assert_eq!(others, None, "only its own");
}

async fn p6_of_16_that_claim_at_once_one_gets_it(kind: Kind) {
    const NODES: u8 = 16;
    let backend = Backend::new(kind).await;
    for round in 1..=3 {
        let mut claims = tokio::task::JoinSet::new();
        for number in 0..NODES {
            let stores = Arc::clone(&backend.stores);
            claims.spawn(async move { claim(&stores.live, NodeId([number; 16])).await });
        }
        let won: Vec<Lease> = claims.join_all().await.into_iter().flatten().collect();
        assert_eq!(won.iter().map(|lease| lease.fence).collect::<Vec<_>>(), [round]);
        backend.later(LENGTH);
    }
}

async fn a_fence_cannot_be_lowered_by_whoever_tries(kind: Kind) {
    let backend = Backend::new(kind).await;
    let shell = backend.shell("live").await;
    claim(&backend.stores.live, ONE).await.expect("it is free");
    let before = shell.rows("leases").await;
    for statement in [
        "UPDATE leases SET fence = 0",
        "UPDATE leases SET holder = x'02020202020202020202020202020202'",
        "DELETE FROM leases",
    ] {
        assert!(shell.run(statement).await.is_err(), "{statement}");
    }
    if shell.is_embedded() {
        let replace = "REPLACE INTO leases VALUES ('work', x'02020202020202020202020202020202', 0, 0)";
        assert_eq!(shell.run(replace).await, Ok(0));
    }
    assert_eq!(shell.rows("leases").await, before);
}

on_both_engines!(
    p6_a_lease_has_one_holder_until_it_ends,
    f6b_what_a_replaced_holder_commits_is_refused,
    a_node_that_stops_gives_its_leases_back,
    p6_of_16_that_claim_at_once_one_gets_it,
    a_fence_cannot_be_lowered_by_whoever_tries,
);
