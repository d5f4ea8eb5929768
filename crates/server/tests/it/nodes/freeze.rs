//! A node that hangs in the middle of a transaction: the database ends the transaction, so that the other
//! nodes wait for a few seconds at most.

use super::load::{Load, assert_kept};
use crate::support::{Nodes, Process, Shell, note};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Freezes a node while its writer has a transaction open, which holds keys that the other node wants.
async fn freeze_in_a_transaction(service: &Process, shell: &Shell) -> Instant {
    let stuck = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'till sandbox write'
        AND state = 'idle in transaction' AND clock_timestamp() - state_change > INTERVAL '50 ms'";
    let waits = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'till sandbox write'
        AND wait_event_type = 'Lock'";
    for _ in 0..600 {
        let frozen = Instant::now();
        service.freeze();
        sleep(Duration::from_millis(100)).await;
        if shell.number(stuck).await == 1 && shell.number(waits).await == 1 {
            return frozen;
        }
        service.thaw();
        sleep(Duration::from_millis(7)).await;
    }
    panic!("the node was never in the middle of a transaction");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_a_frozen_node_holds_the_other_up_for_seconds_at_most_and_goes_on_when_it_can() {
    let nodes = Nodes::start(&[]);
    let shops = nodes.shops("sandbox").await;
    let shell = nodes.shell().await;
    let load = Load::start(&shops, 32, 4);
    load.more(200).await;
    let frozen = freeze_in_a_transaction(&nodes.services[0], &shell).await;
    sleep(Duration::from_secs(8).saturating_sub(frozen.elapsed())).await;
    nodes.services[0].thaw();
    let thawed = Instant::now();
    sleep(Duration::from_secs(3)).await;
    load.more(200).await;
    let acknowledged = load.end().await;
    let silence = acknowledged.longest_silence(1, frozen, thawed);
    let later = acknowledged.longest_silence(1, frozen + Duration::from_millis(6_200), thawed);
    let back = acknowledged.first_after(0, thawed).expect("the frozen node goes on");
    note(&format!(
        "a node frozen for {:?}: the other was silent for at most {silence:?} and then {later:?}, the \
         frozen one was back after {back:?}; {} acknowledged, {} repeated",
        thawed - frozen,
        acknowledged.sessions.len(),
        acknowledged.repeated
    ));
    assert_kept(&nodes, &acknowledged).await;
    assert!(silence > Duration::from_millis(500), "the other was not held up at all: {silence:?}");
    assert!(silence < Duration::from_millis(7_500), "{silence:?}");
    // It is delayed only once: the database has ended the frozen transaction.
    assert!(later < Duration::from_millis(1_500), "{later:?}");
    assert!(back < Duration::from_secs(5), "{back:?}");
}
