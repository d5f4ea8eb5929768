//! Credential pairs of client id and secret: their vendor, their rotation, and their first use.

use crate::{
    accounts::{add_vendor, new_vendor, pair},
    fixture::{Backend, Kind, entry, minutes, on_both_engines, start, vendor_id},
};
use std::{sync::Arc, time::Duration};
use till_domain::{credential::Credential, environment::EnvironmentName, time::Timestamp};
use till_store::Accounts;
use tokio::{sync::Barrier, task::JoinSet};

const HOUR: Duration = Duration::from_secs(3600);

/// A vendor's credential pairs in one environment: number, and the milliseconds after the start at which they
/// end.
async fn ends(accounts: &Accounts, vendor: u64, environment: EnvironmentName) -> Vec<(u32, Option<u128>)> {
    let vendor = accounts.vendor(vendor_id(vendor)).await.expect("a read").expect("a vendor");
    let after_start = |end: Timestamp| end.since(start()).as_millis();
    let pairs = vendor.credentials.into_iter().filter(|c| c.environment == environment);
    pairs.map(|c| (c.number, c.ends_at.map(after_start))).collect()
}

/// Rotates the live credential pair of the first vendor.
async fn rotate(accounts: &Accounts, number: u32, old_ends_at: Timestamp) -> bool {
    let new = pair(EnvironmentName::Live, number, &format!("live_1_{number}"));
    accounts.rotate(vendor_id(1), new, old_ends_at, &entry()).await.expect("an answer")
}

async fn pairs_read_back_with_their_sealed_secrets(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    let now = backend.later(minutes(1));
    add_vendor(accounts, 1).await;
    let sealed = accounts.credentials(vendor_id(1)).await.expect("a read");
    assert_eq!(sealed.len(), 2);
    for (found, added) in sealed.iter().zip(new_vendor(1).credentials) {
        let expected = Credential {
            number: 1,
            environment: added.environment,
            client_id: added.client_id,
            secret_check: added.secret_check,
            created_at: now,
            ends_at: None,
            first_used_at: None,
        };
        assert_eq!((&found.credential, &found.secret_sealed), (&expected, &added.secret_sealed));
    }
    let vendor = accounts.vendor(vendor_id(1)).await.expect("a read").expect("a vendor");
    assert!(vendor.credentials.iter().eq(sealed.iter().map(|s| &s.credential)));
    assert!(accounts.credentials(vendor_id(2)).await.expect("a read").is_empty());
}

async fn a_client_id_leads_to_its_vendor(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for number in [1, 2] {
        add_vendor(accounts, number).await;
    }
    assert!(rotate(accounts, 2, start()).await);
    for (client_id, owner) in [
        ("live_1_1", Some(1)),
        ("live_1_2", Some(1)),
        ("sandbox_1_1", Some(1)),
        ("live_2_1", Some(2)),
        ("LIVE_1_1", None),
        ("live_1_", None),
        ("", None),
    ] {
        let found = accounts.vendor_of_client(client_id).await.expect("a read").map(|vendor| vendor.id);
        assert_eq!(found, owner.map(vendor_id), "{client_id:?}");
    }
}

async fn a_rotation_without_overlap_ends_the_old_pair_at_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for number in [1, 2] {
        add_vendor(accounts, number).await;
    }
    let now = backend.later(minutes(1));
    assert!(rotate(accounts, 2, now).await);
    assert_eq!(ends(accounts, 1, EnvironmentName::Live).await, [(1, Some(60_000)), (2, None)]);
    let vendor = accounts.vendor(vendor_id(1)).await.expect("a read").expect("a vendor");
    let works = |number| vendor.credentials.iter().any(|c| c.client_id == number && c.works_at(now));
    assert!(!works("live_1_1") && works("live_1_2") && works("sandbox_1_1"));
    assert_eq!(vendor.credentials[1].created_at, now);
    assert_eq!(
        ends(accounts, 1, EnvironmentName::Sandbox).await,
        [(1, None)],
        "the other environment's pair"
    );
    assert_eq!(ends(accounts, 2, EnvironmentName::Live).await, [(1, None)], "the other vendor's pair");
}

async fn a_rotation_with_overlap_lets_both_pairs_work_until_the_end(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add_vendor(accounts, 1).await;
    let end = start().plus(HOUR);
    assert!(rotate(accounts, 2, end).await);
    let vendor = accounts.vendor(vendor_id(1)).await.expect("a read").expect("a vendor");
    let working = |at| {
        let live = vendor.credentials.iter().filter(|c| c.environment == EnvironmentName::Live);
        live.filter(|c| c.works_at(at)).map(|c| c.number).collect::<Vec<_>>()
    };
    assert_eq!(working(end.minus(Duration::from_millis(1))), [1, 2]);
    assert_eq!(working(end), [2]);
}

async fn a_rotation_shortens_what_an_earlier_one_left_and_never_lengthens_it(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add_vendor(accounts, 1).await;
    let live = async || ends(accounts, 1, EnvironmentName::Live).await;
    assert!(rotate(accounts, 2, start().plus(Duration::from_millis(10))).await);
    assert!(rotate(accounts, 3, start().plus(Duration::from_millis(30))).await);
    assert_eq!(live().await, [(1, Some(10)), (2, Some(30)), (3, None)]);
    assert!(rotate(accounts, 4, start().plus(Duration::from_millis(20))).await);
    assert_eq!(live().await, [(1, Some(10)), (2, Some(20)), (3, Some(20)), (4, None)]);
}

async fn a_rotation_with_a_stale_number_does_nothing(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    add_vendor(accounts, 1).await;
    assert!(rotate(accounts, 2, start().plus(HOUR)).await);
    for stale in [1, 2, 4] {
        let new = pair(EnvironmentName::Live, stale, "live_stale");
        let rotated = accounts.rotate(vendor_id(1), new, start(), &entry()).await.expect("an answer");
        assert!(!rotated, "number {stale}");
        let hour = Some(HOUR.as_millis());
        assert_eq!(ends(accounts, 1, EnvironmentName::Live).await, [(1, hour), (2, None)]);
        assert!(accounts.vendor_of_client("live_stale").await.expect("a read").is_none());
    }
}

async fn a_rotation_to_a_client_id_that_is_taken_ends_nothing(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for number in [1, 2] {
        add_vendor(accounts, number).await;
    }
    let new = pair(EnvironmentName::Live, 2, "live_2_1");
    accounts.rotate(vendor_id(1), new, start(), &entry()).await.expect_err("the client id is taken");
    assert_eq!(ends(accounts, 1, EnvironmentName::Live).await, [(1, None)]);
}

async fn of_8_rotations_at_once_exactly_one_happens(kind: Kind) {
    let backend = Backend::new(kind).await;
    add_vendor(&backend.stores.accounts, 1).await;
    let together = Arc::new(Barrier::new(8));
    let mut tasks = JoinSet::new();
    for attempt in 0..8_u64 {
        let (stores, together) = (Arc::clone(&backend.stores), Arc::clone(&together));
        tasks.spawn(async move {
            let client_id = format!("live_attempt_{attempt}");
            let new = pair(EnvironmentName::Live, 2, &client_id);
            let old_ends_at = start().plus(Duration::from_millis(attempt));
            together.wait().await;
            let rotated =
                stores.accounts.rotate(vendor_id(1), new, old_ends_at, &entry()).await.expect("an answer");
            (rotated, attempt, client_id)
        });
    }
    let answers = tasks.join_all().await;
    let winners: Vec<_> = answers.iter().filter(|(rotated, ..)| *rotated).collect();
    assert_eq!(winners.len(), 1);
    let (_, winner, _) = winners[0];
    let accounts = &backend.stores.accounts;
    let expected = [(1, Some(u128::from(*winner))), (2, None)];
    assert_eq!(ends(accounts, 1, EnvironmentName::Live).await, expected);
    for (rotated, _, client_id) in &answers {
        let owner = accounts.vendor_of_client(client_id).await.expect("a read").map(|vendor| vendor.id);
        assert_eq!(owner.is_some(), *rotated, "{client_id}");
    }
}

async fn only_the_first_use_of_a_pair_is_noted(kind: Kind) {
    let backend = Backend::new(kind).await;
    let accounts = &backend.stores.accounts;
    for number in [1, 2] {
        add_vendor(accounts, number).await;
    }
    assert!(rotate(accounts, 2, start().plus(HOUR)).await);
    let note = async |number| {
        let noted = accounts.note_first_use(vendor_id(1), EnvironmentName::Live, number).await;
        noted.expect("a pair that does not exist is no trouble either");
    };
    let first = backend.later(minutes(1));
    note(2).await;
    backend.later(minutes(1));
    note(2).await;
    note(3).await;
    for vendor in [1, 2] {
        for sealed in accounts.credentials(vendor_id(vendor)).await.expect("a read") {
            let used = sealed.credential.client_id == "live_1_2";
            assert_eq!(sealed.credential.first_used_at, used.then_some(first));
        }
    }
}

on_both_engines!(
    pairs_read_back_with_their_sealed_secrets,
    a_client_id_leads_to_its_vendor,
    a_rotation_without_overlap_ends_the_old_pair_at_once,
    a_rotation_with_overlap_lets_both_pairs_work_until_the_end,
    a_rotation_shortens_what_an_earlier_one_left_and_never_lengthens_it,
    a_rotation_with_a_stale_number_does_nothing,
    a_rotation_to_a_client_id_that_is_taken_ends_nothing,
    of_8_rotations_at_once_exactly_one_happens,
    only_the_first_use_of_a_pair_is_noted,
);
