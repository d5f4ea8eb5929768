//! A database that cannot commit because its synchronous standby is gone: the outcome of a create is unknown,
//! and the callers are told so (I26).

use crate::support::{Answer, Customer, Nodes, Shop, note};
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};

/// Waits until the server no longer acknowledges a commit.
async fn until_commits_hang(nodes: &Nodes) {
    for number in 0..100 {
        let shell = nodes.shell().await;
        let probe = format!("CREATE TABLE IF NOT EXISTS probe_{number} (x BIGINT)");
        if timeout(Duration::from_millis(500), shell.run(&probe)).await.is_err() {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("commits go on without the standby");
}

async fn timed_create(shop: &Shop, key: &str) -> (Answer, Duration) {
    let asked = Instant::now();
    (shop.create_once(key, &Shop::book(key)).await, asked.elapsed())
}

fn is_unknown(answer: &Answer) {
    assert_eq!(answer.problem(), "503 unavailable", "{}", answer.body);
    assert!(answer.text("detail").contains("may or may not have been carried out"), "{}", answer.body);
    assert!(answer.header("retry-after").is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_f5d_i26_while_commits_hang_creates_are_unknown_reads_go_on_and_a_retry_tells() {
    let nodes = Nodes::start(&[]);
    let shops = nodes.shops("sandbox").await;
    let before = shops[0].order("A-1").await;
    let admin = nodes.shell().await;
    admin.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'").await;
    admin.run("SELECT pg_reload_conf()").await;
    until_commits_hang(&nodes).await;

    let hung = Instant::now();
    let read = async {
        let (mut slowest, mut reads) = (Duration::ZERO, 0);
        while hung.elapsed() < Duration::from_secs(9) {
            for shop in &shops {
                let asked = Instant::now();
                assert_eq!(shop.status(&before).await.text("status"), "pending");
                // The credentials were used before, so that a token writes nothing.
                assert_eq!(shop.ask_token(&shop.credentials.body()).await.status, 200);
                slowest = slowest.max(asked.elapsed());
                reads += 1;
            }
            sleep(Duration::from_millis(50)).await;
        }
        (slowest, reads)
    };
    let (one, two, (slowest, reads)) =
        tokio::join!(timed_create(&shops[0], "one"), timed_create(&shops[1], "two"), read);
    for (answer, took) in [&one, &two] {
        is_unknown(answer);
        assert!((9_000..14_000).contains(&took.as_millis()), "{took:?}");
    }
    assert!(slowest < Duration::from_secs(3), "{slowest:?}");
    // A retry on the other node gets the same answer, and creates no second session.
    let (again, took_again) = timed_create(&shops[1], "one").await;
    assert_eq!(again.problem(), "503 unavailable");
    let backends = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let waiting = admin.number(backends).await;
    for service in &nodes.services {
        let ready = Customer::new(&service.url).get("/readyz", &[]).await;
        assert_eq!(ready.status, 503, "D8: readiness commits: {}", ready.body);
    }

    admin.run("ALTER SYSTEM SET synchronous_standby_names = ''").await;
    admin.run("SELECT pg_reload_conf()").await;
    let mended = Instant::now();
    for shop in &shops {
        while shop.create(&Shop::book("A-2")).await.status != 201 {
            assert!(mended.elapsed() < Duration::from_secs(20), "it does not recover by itself");
        }
    }
    let back = mended.elapsed();
    for (shop, key) in [(&shops[1], "one"), (&shops[0], "two")] {
        let (found, _) = timed_create(shop, key).await;
        assert_eq!(found.status, 201, "{}", found.body);
        assert_eq!(found.header("idempotent-replayed"), Some("true"), "it had been committed");
        let count = format!("SELECT COUNT(*) FROM sandbox.sessions WHERE order_id = '{key}'");
        assert_eq!(admin.number(&count).await, 1);
    }
    note(&format!(
        "commits hang: creates answered after {:?} and {:?}, a retry elsewhere after {took_again:?}; {reads} reads, \
         the slowest {slowest:?}; {waiting} backends wait; back after {back:?}",
        one.1, two.1
    ));
    assert!(back < Duration::from_secs(10), "{back:?}");
}
