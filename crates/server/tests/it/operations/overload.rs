//! Overload: excess requests are refused at once and told when to retry, and the rest is served as before.

use crate::support::{Answer, Process, Shop, Till, alone, note, open_files};
use reqwest::Method;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// The number of units that the writer's queue takes.
const QUEUE: u64 = 4_096;

/// How long the writer waits for a lock that another connection holds.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// An answer, and how long it took.
type Timed = (Answer, Duration);

async fn create(shop: Shop) -> Timed {
    let asked = Instant::now();
    (shop.create(&Shop::book("A-1")).await, asked.elapsed())
}

/// True if a session was created; if not, the answer must say when to retry.
fn is_created(answer: &Answer) -> bool {
    if answer.status == 201 {
        return true;
    }
    let problem = answer.problem();
    assert!(["503 unavailable", "429 rate_limited"].contains(&problem.as_str()), "{}", answer.body);
    let wait: u64 = answer.header("retry-after").expect("a wait").parse().expect("seconds");
    assert!(wait >= 1, "{wait}");
    false
}

fn is_busy(answer: &Answer) -> bool {
    !is_created(answer) && answer.text("detail").contains("the service is busy")
}

/// The number of units that wait for the sandbox's writer.
async fn waiting(service: &Process, shop: &Shop) -> u64 {
    let log = service.log();
    let url = log.lines().find_map(|line| line.split_once("metrics are at ")).expect("it says where").1;
    let text = shop.send(Method::GET, url.trim(), &[], vec![]).await.body;
    let line = text.lines().find_map(|l| l.strip_prefix(r#"till_store_waiting{store="sandbox"} "#));
    line.expect("a line about it").parse().expect("a number")
}

/// Sends creates until the queue is full. They are answered once the writer can write.
async fn fill_queue(service: &Process, shop: &Shop) -> JoinSet<Timed> {
    let mut sent = JoinSet::new();
    while waiting(service, shop).await < QUEUE {
        assert!(sent.len() < 12_000, "the queue does not fill up");
        // More at once than the listener's backlog of 128 would have to connect again a second later.
        for _ in 0..64 {
            sent.spawn(create(shop.clone()));
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    sent
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p3_i27_a_full_queue_refuses_at_once_and_what_it_holds_is_done() {
    let files = open_files();
    if files < 13_000 {
        note(&format!("skipped: {files} open files are too few to fill the queue"));
        return;
    }
    let _turn = alone().await;
    let mut till = Till::new();
    till.set("TILL_RATE_LIMITS", "off").set("TILL_METRICS_LISTEN", "127.0.0.1:0");
    till.set("TILL_MAX_CONNECTIONS", "20000").set("TILL_MAX_CONNECTIONS_PER_ADDRESS", "20000");
    let vendor = till.vendor();
    let service = till.serve();
    let mut shop = service.shop("sandbox", &vendor);
    shop.log_in().await;
    let before = shop.order("A-0").await;

    let file = rusqlite::Connection::open(till.file("sandbox.db")).expect("the file opens");
    file.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    let held_since = Instant::now();
    let queued = fill_queue(&service, &shop).await;
    let mut slowest_read = Duration::ZERO;
    for _ in 0..50 {
        let (refused, took) = create(shop.clone()).await;
        assert!(is_busy(&refused) || held_since.elapsed() >= LOCK_WAIT, "{}", refused.body);
        assert!(took < Duration::from_secs(2), "a refusal comes at once, not after {took:?}");
        let asked = Instant::now();
        assert_eq!(shop.status(&before).await.text("status"), "pending", "reads go on");
        slowest_read = slowest_read.max(asked.elapsed());
    }
    assert!(slowest_read < Duration::from_secs(2), "{slowest_read:?}");
    file.execute_batch("ROLLBACK").expect("the lock is given back");
    let (held, released) = (held_since.elapsed(), Instant::now());

    let answers = queued.join_all().await;
    assert!(released.elapsed() < Duration::from_secs(10), "{:?}", released.elapsed());
    let (mut created, mut busy, mut given_up) = (0_u64, 0_u64, 0_u64);
    for (answer, _) in &answers {
        match is_created(answer) {
            true => created += 1,
            false if is_busy(answer) => busy += 1,
            false => given_up += 1,
        }
    }
    assert!(created + given_up >= QUEUE, "{created} and {given_up}");
    assert!(given_up == 0 || held >= LOCK_WAIT, "the queue is worked off: {given_up} of {created} were not");
    shop.order("A-2").await;
    let stored: u32 = file.query_row("SELECT COUNT(*) FROM sessions", [], |row| row.get(0)).expect("a count");
    assert!(u64::from(stored) >= created + 2, "{stored}");
    assert!(
        given_up > 0 || u64::from(stored) == created + 2,
        "what was refused left nothing behind: {stored}"
    );
    note(&format!(
        "full queue: held {held:?}, {created} created, {busy} refused, slowest read {slowest_read:?}"
    ));
}

/// The results of many creates.
#[derive(Default)]
struct Tally {
    created: u64,
    refused: u64,
}

/// This many clients create without a pause for this time.
async fn hammer(shop: &Shop, clients: usize, time: Duration) -> Tally {
    let until = Instant::now() + time;
    let mut running = JoinSet::new();
    for _ in 0..clients {
        let shop = shop.clone();
        running.spawn(async move {
            let mut tally = Tally::default();
            while Instant::now() < until {
                match is_created(&shop.create(&Shop::book("A-1")).await) {
                    true => tally.created += 1,
                    false => tally.refused += 1,
                }
            }
            tally
        });
    }
    let tallies = running.join_all().await;
    tallies.iter().fold(Tally::default(), |sum, tally| Tally {
        created: sum.created + tally.created,
        refused: sum.refused + tally.refused,
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f23_far_more_clients_than_it_can_serve_at_once_do_not_slow_the_service_down() {
    open_files();
    let _turn = alone().await;
    let mut till = Till::new();
    till.set("TILL_RATE_LIMITS", "off");
    let vendor = till.vendor();
    let service = till.serve();
    let mut shop = service.shop("sandbox", &vendor);
    shop.log_in().await;
    let mut tries = Vec::new();
    // Other tests run on the same machine: a second try, if the first one was disturbed.
    for _ in 0..2 {
        let few = hammer(&shop, 32, Duration::from_secs(2)).await.created;
        let many = hammer(&shop, 512, Duration::from_secs(3)).await.created;
        assert!(few > 0);
        // In sessions per 6 seconds, so that whole numbers can be compared.
        tries.push((few * 3, many * 2));
        if many * 2 * 2 >= few * 3 {
            break;
        }
    }
    note(&format!("sessions per 6 s with 32 and with 512 clients: {tries:?}"));
    assert!(tries.iter().any(|(few, many)| many * 2 >= *few), "goodput collapses: {tries:?}");
    shop.order("A-2").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t30_a_vendor_that_calls_too_often_is_refused_and_another_one_is_served() {
    let mut till = Till::new();
    till.set("TILL_RATE_LIMIT_CREATE", "50/s burst 50");
    let vendors = [till.vendor(), till.vendor()];
    let service = till.serve();
    let [mut greedy, mut modest] = vendors.map(|vendor| service.shop("sandbox", &vendor));
    greedy.log_in().await;
    modest.log_in().await;
    let began = Instant::now();
    let (Tally { created, refused }, slowest) =
        tokio::join!(hammer(&greedy, 32, Duration::from_secs(2)), async {
            let mut slowest = Duration::ZERO;
            for _ in 0..30 {
                let (answer, took) = create(modest.clone()).await;
                assert_eq!(answer.status, 201, "{}", answer.body);
                slowest = slowest.max(took);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            slowest
        });
    let allowed = 51 + u64::try_from(began.elapsed().as_millis()).expect("small") * 50 / 1_000;
    assert!((50..=allowed).contains(&created), "{created} of {allowed}");
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    assert!(refused > 0);
}
