//! The list of serving processes, as each of them sees it.

use crate::support::Nodes;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_every_process_is_listed_and_one_that_stops_says_so() {
    let mut nodes = Nodes::start(&[]);
    let shell = nodes.shell().await;
    let count = async |condition: &str| {
        shell.number(&format!("SELECT COUNT(*) FROM accounts.nodes WHERE {condition}")).await
    };
    let soon = async |condition: &str, expected: i64| {
        for _ in 0..500 {
            if count(condition).await == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{} are {condition}, not {expected}", count(condition).await);
    };
    soon("stopped_at IS NULL", 2).await;
    soon(&format!("version <> '{}'", env!("CARGO_PKG_VERSION")), 0).await;
    assert_eq!(shell.number("SELECT COUNT(DISTINCT id) FROM accounts.nodes").await, 2);
    assert_eq!(shell.number("SELECT COUNT(DISTINCT listens) FROM accounts.nodes").await, 2);
    let (status, _) = nodes.services.remove(0).terminate();
    assert!(status.success(), "{status}");
    soon("stopped_at IS NOT NULL", 1).await;
    assert_eq!(count("stopped_at IS NULL").await, 1);
    // A killed process cannot mark itself as stopped.
    nodes.services.remove(0).kill();
    assert_eq!(count("stopped_at IS NULL").await, 1, "its last word is that it was there");
}
