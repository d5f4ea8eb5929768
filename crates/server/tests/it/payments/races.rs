//! Payment against deadline and against the vendor's `expire`, many times: each session has one end, and no captured
//! money is without a row (P12). A thousand of each in the normal run, ten thousand in the long one.

use crate::support::{Customer, Nodes, Server, Shop, alone, note};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{task::JoinSet, time::sleep};

/// The number of sessions whose customers pay around their deadline. The vendor ends every third one at that time.
fn races() -> usize {
    if till_testing::is_long() { 10_000 } else { 1_000 }
}

/// True if the vendor ends this session.
fn is_ended_by_vendor(number: usize) -> bool {
    number.is_multiple_of(3)
}

/// Ends a session, again if the service was busy, and compares the answer with the status.
async fn expire(shop: &Shop, id: &str) {
    loop {
        let answer = shop.expire(id, "").await;
        match answer.outcome().as_str() {
            "200" => return assert_eq!(shop.status(id).await.text("status"), "expired"),
            "409 session_not_pending" => return assert_eq!(shop.status(id).await.text("status"), "paid"),
            other => assert_eq!(other, "503 unavailable", "{}", answer.body),
        }
        sleep(Duration::from_millis(50)).await;
    }
}

/// Runs a task for each of this many numbers, 32 at a time.
async fn each<F: Future<Output = ()> + Send + 'static>(
    count: usize,
    work: impl Fn(usize) -> F + Send + Sync + 'static,
) {
    let (next, work) = (Arc::new(AtomicUsize::new(0)), Arc::new(work));
    let mut clients = JoinSet::new();
    for _ in 0..32 {
        let (next, work) = (Arc::clone(&next), Arc::clone(&work));
        clients.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    break;
                }
                work(number).await;
            }
        });
    }
    clients.join_all().await;
}

/// Approves at the bank, again if that was busy, and returns how often it was.
async fn approve(customer: &Customer, attempt: &str) -> usize {
    let mut busy = 0;
    loop {
        match customer.decide(attempt, "approve").await.status.as_u16() {
            303 => return busy,
            status => assert_eq!(status, 503),
        }
        busy += 1;
        sleep(Duration::from_millis(50)).await;
    }
}

/// An id as the API writes it, from hexadecimal digits.
fn uuid(hex: &str) -> String {
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// Counts sessions that break a rule. Money is captured if the bank approved and the payment was not closed.
fn wrong(schema: &str) -> String {
    let captured = format!(
        "(SELECT COUNT(*) FROM {schema}simulated_payments p
          WHERE p.session_id = s.id AND p.decision = 'approve' AND p.closed_at IS NULL)"
    );
    let count = |table: &str, more: &str| {
        format!("(SELECT COUNT(*) FROM {schema}{table} x WHERE x.session_id = s.id{more})")
    };
    format!(
        "SELECT COUNT(*) FROM {schema}sessions s WHERE s.status NOT IN ('paid', 'expired')
            OR {money} <> {captured} OR {callbacks} <> 1
            OR (s.status = 'paid') <> ({in_time} = 1)
            OR (s.status = 'expired' AND {captured} <> {actions})",
        money = count("transactions", ""),
        callbacks = count("callbacks", " AND x.event LIKE 'session.%'"),
        in_time = count("transactions", " AND x.late = FALSE"),
        actions = count("actions", ""),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t22_f8_p12_payments_in_the_moment_of_the_deadline_end_once_and_lose_no_money() {
    let _turn = alone().await;
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let shop = Arc::new(server.shop("live", &vendor).await);
    let customer = server.customer();
    let attempts = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (found, maker, vendor) = (Arc::clone(&attempts), customer.clone(), Arc::clone(&shop));
    each(races(), move |number| {
        let (shop, customer, found) = (Arc::clone(&vendor), maker.clone(), Arc::clone(&found));
        async move {
            let id = shop.order(&format!("A-{number}")).await;
            let answer = customer.pay(&id, "card").await;
            let bank = answer.header("location").expect("the bank's page").to_owned();
            let attempt = bank.rsplit('/').next().expect("an id").to_owned();
            found.lock().expect("not poisoned").push((attempt, id));
        }
    })
    .await;
    // All deadlines are one moment. It comes while the customers are paying.
    server.later(Duration::from_millis(15 * 60_000 - 400));
    let (attempts, payer) = (Arc::clone(&attempts), customer.clone());
    let done = Arc::new(AtomicUsize::new(0));
    let paid = Arc::clone(&done);
    let paying = tokio::spawn(each(races(), move |number| {
        let (attempt, id) = attempts.lock().expect("not poisoned")[number].clone();
        let (customer, paid, shop) = (payer.clone(), Arc::clone(&paid), Arc::clone(&shop));
        async move {
            // Slowly enough that the workers see the deadline before the last have paid.
            sleep(Duration::from_millis(30)).await;
            let ended = async {
                if is_ended_by_vendor(number) {
                    expire(&shop, &id).await;
                }
            };
            tokio::join!(approve(&customer, &attempt), ended);
            paid.fetch_add(1, Ordering::Relaxed);
        }
    }));
    while done.load(Ordering::Relaxed) < races() / 3 {
        sleep(Duration::from_millis(5)).await;
    }
    server.later(Duration::from_millis(400));
    paying.await.expect("all have paid");
    let shell = rusqlite::Connection::open(server.folder().join("live.db")).expect("a database");
    let number = |query: &str| -> i64 { shell.query_row(query, [], |row| row.get(0)).expect("a number") };
    let since = Instant::now();
    while number("SELECT COUNT(*) FROM sessions WHERE status = 'pending'") > 0 {
        assert!(since.elapsed() < Duration::from_secs(120), "some do not end");
        sleep(Duration::from_millis(50)).await;
        server.later(Duration::from_millis(50));
    }
    assert_eq!(number(&wrong("").replace("FALSE", "0")), 0);
    let of = |status: &str| number(&format!("SELECT COUNT(*) FROM sessions WHERE status = '{status}'"));
    note(&format!("{} races: {} paid, {} expired", races(), of("paid"), of("expired")));
    assert_eq!(usize::try_from(of("paid") + of("expired")).expect("small"), races());
    assert!(of("paid") > 0 && of("expired") > 0, "it was a race");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_t22_f8_p12_payments_in_the_moment_of_the_deadline_on_two_nodes_lose_no_money() {
    let _turn = alone().await;
    let nodes = Nodes::start(&[]);
    let shops = Arc::new(nodes.shops("live").await);
    let customers: Arc<Vec<_>> =
        Arc::new(nodes.services.iter().map(|service| Customer::new(&service.url)).collect());
    let found = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (makers, keep, vendors) = (Arc::clone(&customers), Arc::clone(&found), Arc::clone(&shops));
    each(races(), move |number| {
        let (shops, makers, keep) = (Arc::clone(&vendors), Arc::clone(&makers), Arc::clone(&keep));
        async move {
            let id = shops[number % 2].order(&format!("A-{number}")).await;
            let answer = makers[(number + 1) % 2].pay(&id, "card").await;
            let bank = answer.header("location").expect("the bank's page").to_owned();
            keep.lock().expect("not poisoned").push(bank.rsplit('/').next().expect("an id").to_owned());
        }
    })
    .await;
    // Deadlines as the choice of a method would set them, but a little from now and one behind the other.
    let shell = nodes.shell().await;
    let spread = races() * 10;
    shell
        .run(&format!(
            "CREATE TEMP TABLE deadlines AS SELECT a.id AS attempt, a.session_id, a.check_at AS at FROM live.payment_attempts a;
             UPDATE deadlines d SET at = n.at FROM (SELECT attempt,
                CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) + 3000
                + ROW_NUMBER() OVER (ORDER BY attempt) * {spread} / {} AS at FROM deadlines) n WHERE n.attempt = d.attempt;
             UPDATE live.sessions s SET card_ends_at = d.at, held_until = d.at + 300000, due_at = d.at + 86700000
                FROM deadlines d WHERE d.session_id = s.id;
             UPDATE live.payment_attempts a SET check_at = d.at, version = version + 1
                FROM deadlines d WHERE d.attempt = a.id",
            races()
        ))
        .await;
    let rows = shell
        .rows(
            "SELECT encode(attempt, 'hex'), encode(session_id, 'hex'),
                at - CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) FROM deadlines",
        )
        .await;
    let began = Instant::now();
    let mut payments = JoinSet::new();
    for (number, row) in rows.into_iter().enumerate() {
        let (attempt, session) = (uuid(&row[0]), uuid(&row[1]));
        let in_ms: i64 = row[2].parse().expect("a number");
        // A little before, at, or after the deadline.
        let jitter = i64::try_from(number * 7_919 % 120).expect("small") - 60;
        let wait = Duration::from_millis(u64::try_from(in_ms + jitter).unwrap_or(0));
        let (customer, shop) = (customers[number % 2].clone(), shops[(number + 1) % 2].clone());
        payments.spawn(async move {
            sleep(wait.saturating_sub(began.elapsed())).await;
            let ended = async {
                if is_ended_by_vendor(number) {
                    expire(&shop, &session).await;
                }
            };
            tokio::join!(approve(&customer, &attempt), ended).0
        });
    }
    let busy: usize = payments.join_all().await.into_iter().sum();
    let pending = "SELECT COUNT(*) FROM live.sessions WHERE status = 'pending'";
    let since = Instant::now();
    while shell.number(pending).await > 0 {
        assert!(since.elapsed() < Duration::from_secs(120), "{} do not end", shell.number(pending).await);
        sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(shell.number(&wrong("live.")).await, 0);
    let expired = shell.number("SELECT COUNT(*) FROM live.sessions WHERE status = 'expired'").await;
    let late = shell.number("SELECT COUNT(*) FROM live.transactions WHERE late").await;
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    let deadlocks = shell.number(deadlocks).await;
    note(&format!(
        "{} races on two nodes: {expired} expired, {late} late, {deadlocks} deadlocks, {busy} answers of 503",
        races()
    ));
    let moved = "SELECT COUNT(*) FROM live.sessions WHERE status = 'expired' AND updated_at > card_ends_at";
    assert_eq!(shell.number(moved).await, 0, "an open payment moves no deadline");
    assert!(expired > 0 && usize::try_from(expired).expect("small") < races(), "it was a race");
}
