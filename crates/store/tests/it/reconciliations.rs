//! Runs of the reconciliation: one for each night and request, ended by the process that started them last, in
//! pages, and pruned.

use crate::fixture::{Backend, Kind, on_both_engines, start};
use std::time::Duration;
use till_domain::{
    id::ReconciliationId,
    reconciliation::{Period, RunOrigin, RunState},
    time::Timestamp,
};
use till_store::{NodeId, ReconciliationRun, Reconciliations, RunCounts, RunResult};

const DAY: Duration = Duration::from_secs(86_400);

/// A run that was requested so many days after the start.
fn run(provider: &str, origin: RunOrigin, day: u32) -> ReconciliationRun {
    let at = start().plus(DAY * day);
    let automatic = matches!(origin, RunOrigin::Nightly | RunOrigin::Weekly);
    let entropy = [u8::try_from(provider.len()).expect("a short name"); 10];
    ReconciliationRun {
        id: ReconciliationId::new(at, &entropy),
        provider: provider.to_owned(),
        chain: None,
        period: Period { from: at.minus(DAY * 3), to: at },
        origin,
        requested_by: (!automatic).then(|| "olga@till.example".to_owned()),
        night: automatic.then_some(at),
        requested_at: at,
        due_at: at,
        started_at: None,
        finished_at: None,
        tries: 0,
        result: RunResult::none(RunState::Waiting),
    }
}

fn differed() -> RunResult {
    let counts = RunCounts { compared: 9, under_way: 2, without_till: 1, differences: 3, entered: 3 };
    RunResult { state: RunState::Differed, counts, sums: "[{\"currency\":\"USD\"}]".to_owned(), error: None }
}

async fn stored(runs: Reconciliations<'_>, id: ReconciliationId) -> Option<ReconciliationRun> {
    runs.page(None, None, 50).await.expect("a read").into_iter().find(|run| run.id == id)
}

async fn a_run_is_ended_by_the_process_that_started_it_last(kind: Kind) {
    let backend = Backend::new(kind).await;
    let runs = backend.stores.live.reconciliations().expect("live has them");
    assert!(backend.stores.sandbox.reconciliations().is_none());
    let run = run("stripe", RunOrigin::Nightly, 0);
    assert!(runs.add(&run).await.expect("a write"));
    assert_eq!(stored(runs, run.id).await, Some(run.clone()), "it is read as it was written");
    let now = start();
    let first = runs.start(&run, now).await.expect("a write").expect("it waits");
    assert_eq!(runs.start(&run, now).await.expect("a write"), None, "another process was first");
    // The first process is thought dead, and another takes the run over.
    let left = runs.open("stripe", 5).await.expect("a read").remove(0);
    assert_eq!((left.result.state, left.tries, left.started_at), (RunState::Running, first, Some(now)));
    let second = runs.start(&left, now).await.expect("a write").expect("it was left");
    assert!(
        !runs.finish((run.id, first), (now, &differed()), now).await.expect("a write"),
        "it was replaced"
    );
    assert!(!runs.postpone((run.id, first), now, "too late").await.expect("a write"));
    assert!(runs.postpone((run.id, second), now.plus(DAY), "no answer").await.expect("a write"));
    let waits = stored(runs, run.id).await.expect("it is stored");
    assert_eq!((waits.result.state, waits.due_at), (RunState::Waiting, now.plus(DAY)));
    assert_eq!(waits.result.error.as_deref(), Some("no answer"));
    let third = runs.start(&waits, now).await.expect("a write").expect("it waits");
    let to = run.period.from.plus(DAY);
    assert!(runs.finish((run.id, third), (to, &differed()), now.plus(DAY)).await.expect("a write"));
    let ended = stored(runs, run.id).await.expect("it is stored");
    assert_eq!((ended.result.clone(), ended.finished_at), (differed(), Some(now.plus(DAY))));
    assert_eq!(ended.period, Period { to, ..run.period }, "what was compared");
    assert!(
        !runs.finish((run.id, third), (to, &RunResult::failed("x")), now).await.expect("a write"),
        "once"
    );
    assert_eq!(runs.start(&ended, now).await.expect("a write"), None, "it has ended");
    assert_eq!(runs.open("stripe", 5).await.expect("a read"), []);
}

async fn a_night_has_one_run_and_the_console_one_request(kind: Kind) {
    let backend = Backend::new(kind).await;
    let runs = backend.stores.live.reconciliations().expect("live has them");
    let night = run("stripe", RunOrigin::Nightly, 0);
    assert!(runs.add(&night).await.expect("a write"));
    let again = ReconciliationRun { id: ReconciliationId::from_bytes([7; 16]), ..night.clone() };
    assert!(!runs.add(&again).await.expect("a write"), "another node planned it");
    assert!(runs.add(&run("yookassa", RunOrigin::Nightly, 0)).await.expect("a write"));
    let asked = run("stripe", RunOrigin::Panel, 1);
    assert!(runs.add(&asked).await.expect("a write"), "a request does not wait for the night's");
    assert!(!runs.add(&run("stripe", RunOrigin::Panel, 2)).await.expect("a write"), "one at a time");
    assert!(
        runs.finish((asked.id, 0), (start(), &RunResult::failed("off")), start()).await.expect("a write")
    );
    assert!(runs.add(&run("stripe", RunOrigin::Panel, 2)).await.expect("a write"));
    let open = runs.open("stripe", 5).await.expect("a read");
    assert_eq!(open.iter().map(|run| run.origin).collect::<Vec<_>>(), [RunOrigin::Nightly, RunOrigin::Panel]);
}

async fn a_chain_that_answers_after_all_replaces_the_failure_of_its_night(kind: Kind) {
    let backend = Backend::new(kind).await;
    let runs = backend.stores.live.reconciliations().expect("live has them");
    let ended = |chain: &str, result: RunResult, number: u8| ReconciliationRun {
        id: ReconciliationId::from_bytes([number; 16]),
        chain: Some(chain.to_owned()),
        finished_at: Some(start()),
        tries: 1,
        result,
        ..run("evm", RunOrigin::Nightly, 0)
    };
    assert!(runs.record_night(&ended("Base", RunResult::failed("no answer"), 1)).await.expect("a write"));
    assert!(runs.record_night(&ended("Ethereum", differed(), 2)).await.expect("a write"), "each chain");
    assert!(runs.record_night(&ended("Base", differed(), 3)).await.expect("a write"));
    assert!(!runs.record_night(&ended("Base", RunResult::failed("late"), 4)).await.expect("a write"));
    let last = runs.last_night("evm", Some("Base")).await.expect("a read").expect("a run");
    assert_eq!((last.id, last.result), (ReconciliationId::from_bytes([1; 16]), differed()));
    assert_eq!(
        runs.last("evm", Some("Ethereum")).await.expect("a read").map(|run| run.chain).as_ref(),
        Some(&Some("Ethereum".to_owned()))
    );
    assert_eq!(runs.last_night("evm", None).await.expect("a read"), None);
    let past = runs.past_nights("evm", Some("Base")).await.expect("a read");
    assert_eq!((past.first, past.last, past.weekly), (Some(start()), Some(start()), None));
    assert_eq!(past.compared_to, Some(start()));
}

async fn runs_are_listed_newest_first_and_old_ones_are_pruned(kind: Kind) {
    let backend = Backend::new(kind).await;
    let runs = backend.stores.live.reconciliations().expect("live has them");
    for day in 0..5 {
        for (provider, origin) in [("stripe", RunOrigin::Weekly), ("yookassa", RunOrigin::Command)] {
            let run = ReconciliationRun {
                finished_at: Some(start()),
                result: if day < 4 { differed() } else { RunResult::failed("no answer") },
                ..run(provider, origin, day)
            };
            assert!(runs.add(&run).await.expect("a write"));
        }
    }
    let days =
        |page: &[ReconciliationRun]| -> Vec<Timestamp> { page.iter().map(|run| run.requested_at).collect() };
    let at = |day: u32| start().plus(DAY * day);
    let page = runs.page(Some("stripe"), None, 3).await.expect("a read");
    assert_eq!(days(&page), [at(4), at(3), at(2)]);
    let page = runs.page(Some("stripe"), page.last().map(|run| run.id), 3).await.expect("a read");
    assert_eq!(days(&page), [at(1), at(0)]);
    assert_eq!(runs.page(None, None, 50).await.expect("a read").len(), 10);
    let past = runs.past_nights("stripe", None).await.expect("a read");
    assert_eq!((past.first, past.last), (Some(at(0)), Some(at(4))));
    assert_eq!(past.from, Some(at(0).minus(DAY * 3)));
    assert_eq!((past.compared_to, past.weekly), (Some(at(3)), Some(at(3))), "the last one failed");
    assert_eq!(runs.last("yookassa", None).await.expect("a read").map(|run| run.requested_at), Some(at(4)));
    assert!(runs.prune(at(3), 4).await.expect("a write"));
    assert!(runs.prune(at(3), 4).await.expect("a write"));
    assert!(!runs.prune(at(3), 4).await.expect("a write"), "nothing is left");
    assert_eq!(days(&runs.page(Some("stripe"), None, 9).await.expect("a read")), [at(4), at(3)]);
}

async fn a_lease_that_is_given_back_is_free(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, one, other) = (&backend.stores.live, NodeId([1; 16]), NodeId([2; 16]));
    let lease = live.claim("work", one, DAY).await.expect("an answer").expect("it is free");
    live.give_back(&lease).await.expect("a write");
    let taken = live.claim("work", other, DAY).await.expect("an answer").expect("it was given back");
    live.give_back(&lease).await.expect("a write");
    assert!(live.claim("work", one, DAY).await.expect("an answer").is_none(), "not the other's: {taken:?}");
}

on_both_engines!(
    a_run_is_ended_by_the_process_that_started_it_last,
    a_night_has_one_run_and_the_console_one_request,
    a_chain_that_answers_after_all_replaces_the_failure_of_its_night,
    runs_are_listed_newest_first_and_old_ones_are_pruned,
    a_lease_that_is_given_back_is_free,
);
