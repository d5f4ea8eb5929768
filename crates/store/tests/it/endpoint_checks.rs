//! Checks of endpoints: one at a time for each vendor, over nodes; kept with their steps.

use crate::fixture::{Backend, Kind, on_both_engines, start, url, vendor_id};
use std::time::Duration;
use till_domain::{
    delivery::AttemptResult,
    endpoint_check::{CheckStep, CheckVerdict, MadeStep},
    id::{CheckId, VendorId},
    time::Timestamp,
};
use till_store::NewCheck;

const LEASE: Duration = Duration::from_secs(50);

fn check(number: u8, vendor: VendorId, at: Timestamp) -> NewCheck {
    NewCheck {
        id: CheckId::new(at, &[number; 10]),
        vendor,
        target: url("https://shop.example/hook"),
        requested_by: "api".to_owned(),
        code_language: Some("python".to_owned()),
        started_at: at,
    }
}

async fn one_runs_at_a_time_and_its_steps_are_kept(kind: Kind) {
    let backend = Backend::new(kind).await;
    let checks = &backend.stores.endpoint_checks;
    let (mine, other) = (vendor_id(1), vendor_id(2));
    let now = start();
    let first = check(1, mine, now);
    assert!(checks.begin(&first, now.plus(LEASE)).await.expect("a write"));
    let second = check(2, mine, now.plus(Duration::from_secs(1)));
    let again = backend.again().await.endpoint_checks;
    assert!(!again.begin(&second, now.plus(LEASE)).await.expect("a write"), "another node is at it");
    assert!(checks.begin(&check(3, other, now), now.plus(LEASE)).await.expect("a write"));

    let took = Duration::from_millis(48);
    let made = [
        MadeStep::requested(CheckStep::RightCallback, AttemptResult::Delivered(204), took),
        MadeStep::tls(AttemptResult::Delivered(204), true),
        MadeStep::requested(CheckStep::WrongSecret, AttemptResult::Delivered(200), took),
    ];
    for (number, step) in made.iter().enumerate() {
        assert!(checks.add_step(first.id, number, step, now, LEASE).await.expect("a write"));
    }
    let steps = checks.steps(first.id).await.expect("a read");
    let seen: Vec<_> =
        steps.iter().map(|one| (one.step, one.passed, one.result.as_str(), one.status)).collect();
    assert_eq!(
        seen,
        [
            (CheckStep::RightCallback, true, "delivered", Some(204)),
            (CheckStep::ValidTls, true, "tls_valid", None),
            (CheckStep::WrongSecret, false, "delivered", Some(200)),
        ]
    );
    assert_eq!(steps[0].took, took);
    let stored = checks.check(first.id, mine).await.expect("a read").expect("a check");
    assert_eq!((stored.verdict(now), stored.code_language.as_deref()), (None, Some("python")));
    assert!(checks.check(first.id, other).await.expect("a read").is_none(), "another vendor's");
    assert_eq!(checks.last_ended(mine, now).await.expect("a read"), None);

    checks.end(first.id, CheckVerdict::NotReady, now.plus(took)).await.expect("a write");
    checks.end(first.id, CheckVerdict::Ready, now.plus(LEASE)).await.expect("a write");
    let last = checks.last_ended(mine, now).await.expect("a read").expect("a check");
    assert_eq!(
        (last.verdict(now), last.ended_at()),
        (Some(CheckVerdict::NotReady), Some(now.plus(took))),
        "once"
    );
    assert!(!checks.add_step(first.id, 3, &made[0], now, LEASE).await.expect("a write"));
    assert!(checks.begin(&second, now.plus(LEASE)).await.expect("a write"));
    // What passed once counts for its vendor, whatever a later check finds.
    let failed = MadeStep::requested(CheckStep::RightCallback, AttemptResult::Connect, took);
    assert!(checks.add_step(second.id, 0, &failed, now, LEASE).await.expect("a write"));
    let mut passed = checks.passed_steps(mine).await.expect("a read");
    passed.sort_by_key(|step| step.as_str());
    assert_eq!(passed, [CheckStep::RightCallback, CheckStep::ValidTls]);
    assert!(checks.passed_steps(other).await.expect("a read").is_empty());
    let ids: Vec<_> = checks.checks_of(mine, 10).await.expect("a read").iter().map(|one| one.id).collect();
    assert_eq!(ids, [second.id, first.id]);
}

async fn a_check_whose_node_stopped_is_not_ready_and_blocks_no_other(kind: Kind) {
    let backend = Backend::new(kind).await;
    let checks = &backend.stores.endpoint_checks;
    let (mine, now) = (vendor_id(1), start());
    let lost = check(1, mine, now);
    assert!(checks.begin(&lost, now.plus(LEASE)).await.expect("a write"));
    let later = now.plus(LEASE);
    let stored = checks.check(lost.id, mine).await.expect("a read").expect("a check");
    assert_eq!(stored.verdict(later), Some(CheckVerdict::NotReady));
    let late = MadeStep::not_tried(CheckStep::RightCallback);
    assert!(
        !checks.add_step(lost.id, 0, &late, later, LEASE).await.expect("a write"),
        "it does not come back"
    );
    assert!(checks.begin(&check(2, mine, later), later.plus(LEASE)).await.expect("a write"));
    let step = MadeStep::not_tried(CheckStep::RightCallback);
    assert!(!checks.add_step(lost.id, 0, &step, later, LEASE).await.expect("a write"), "it is over");
}

async fn the_last_fifty_are_kept(kind: Kind) {
    let backend = Backend::new(kind).await;
    let checks = &backend.stores.endpoint_checks;
    let (mine, other) = (vendor_id(1), vendor_id(2));
    let mut now = start();
    assert!(checks.begin(&check(0, other, now), now.plus(LEASE)).await.expect("a write"));
    for number in 1..=55 {
        now = now.plus(Duration::from_secs(1));
        let new = check(number, mine, now);
        assert!(checks.begin(&new, now.plus(LEASE)).await.expect("a write"));
        let step = MadeStep::not_tried(CheckStep::RightCallback);
        assert!(checks.add_step(new.id, 0, &step, now, LEASE).await.expect("a write"));
        checks.end(new.id, CheckVerdict::Ready, now).await.expect("a write");
    }
    let kept = checks.checks_of(mine, 100).await.expect("a read");
    assert_eq!((kept.len(), kept[0].started_at), (50, now));
    let shell = backend.shell("sandbox").await;
    assert_eq!(shell.rows("endpoint_check_steps").await.len(), 50, "the steps go with their check");
    assert_eq!(checks.checks_of(other, 100).await.expect("a read").len(), 1);
}

on_both_engines!(
    one_runs_at_a_time_and_its_steps_are_kept,
    a_check_whose_node_stopped_is_not_ready_and_blocks_no_other,
    the_last_fifty_are_kept,
);
