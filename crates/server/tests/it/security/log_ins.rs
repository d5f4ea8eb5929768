//! Log-ins while attackers flood the panel with wrong ones.

use crate::support::{Customer, Process, Till, until};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

/// Concurrent log-ins during the flood.
const CONNECTIONS: u32 = 45;

struct Flood {
    stop: Arc<AtomicBool>,
    sent: Arc<AtomicU32>,
    tasks: tokio::task::JoinSet<()>,
}

/// Endless wrong log-ins from this many addresses, each for another made-up user, so that the throttle per
/// account does not slow them down.
fn flood(service: &Process, addresses: u32) -> Flood {
    let (stop, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (stop, sent, browser) = (Arc::clone(&stop), Arc::clone(&sent), Customer::new(&service.url));
        tasks.spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let number = sent.fetch_add(1, Ordering::Relaxed);
                let from = format!("198.51.{}.7", number % addresses);
                let form = [("email", &*format!("{number}@shop.example")), ("password", "a wrong password")];
                let answer = browser.post("/panel/login", &form, &[("x-forwarded-for", &from)]).await;
                assert!([401, 429].contains(&answer.status.as_u16()), "{}", answer.status);
            }
        });
    }
    Flood { stop, sent, tasks }
}

/// This many right log-ins from a known device, and as many from new ones, during a flood.
async fn right_log_ins_during_a_flood(addresses: u32, count: u32) {
    let mut till = Till::new();
    till.set("TILL_RATE_LIMITS", "on").set("TILL_TRUSTED_PROXIES", "127.0.0.0/8");
    till.set("TILL_METRICS_LISTEN", "127.0.0.1:0").set("TILL_OPERATOR_TOTP", "off");
    let owner = till.json(&["user", "create", "--email", "olga@shop.example", "--role", "operator"]);
    let password = owner["password"].as_str().expect("a password");
    let service = till.serve();
    let browser = Customer::new(&service.url);
    let log_in = async |from: &str, cookie: &str| {
        let form = [("email", "olga@shop.example"), ("password", password)];
        browser.post("/panel/login", &form, &[("x-forwarded-for", from), ("cookie", cookie)]).await
    };
    let first = log_in("203.0.113.1", "").await;
    assert_eq!(first.status, 303);
    let cookies = first.headers.get_all("set-cookie").iter().map(|line| line.to_str().expect("text"));
    let known = cookies.filter_map(|line| line.split(';').next()).find(|pair| pair.contains("till-known"));
    let known = known.expect("the browser is known from now on").to_owned();

    let flood = flood(&service, addresses);
    until("the flood is there", async || flood.sent.load(Ordering::Relaxed) > 4 * CONNECTIONS).await;
    for number in 0..count {
        let answer = log_in("203.0.113.1", &known).await;
        assert_eq!(answer.status, 303, "{number}: a known device");
    }
    let mut new = 0;
    for number in 0..count {
        new += u32::from(log_in(&format!("203.0.{number}.2"), "").await.status == 303);
    }
    assert!(new + count.div_ceil(10) >= count, "{new} of {count} new devices got in, {addresses} addresses");
    flood.stop.store(true, Ordering::Relaxed);
    flood.tasks.join_all().await;

    let metrics = service.metrics().await;
    let waited = |device: &str, within: &str| {
        let labels = format!(r#"le="{within}",device="{device}",result="right""#);
        let line = format!("till_log_in_waited_hashes_bucket{{{labels}}} ");
        let found = metrics.lines().find_map(|text| text.strip_prefix(&line));
        found.unwrap_or_else(|| panic!("no {line}in\n{metrics}")).parse::<u32>().expect("a number")
    };
    assert_eq!((waited("known", "+Inf"), waited("known", "5.0")), (count, count), "{metrics}");
    let all = waited("new", "+Inf");
    assert!(all > new, "{metrics}");
    assert_eq!(waited("new", "20.0"), all, "{metrics}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s5_t16_a_flood_of_log_ins_keeps_no_one_out() {
    if !till_testing::is_long() {
        return right_log_ins_during_a_flood(30, 8).await;
    }
    for addresses in [8, 30, 200] {
        right_log_ins_during_a_flood(addresses, 20).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s9_s10_t34_an_attack_is_written_down_and_who_edits_the_log_is_found() {
    let mut till = Till::new();
    till.set("TILL_TRUSTED_PROXIES", "127.0.0.0/8");
    let owner = till.json(&["user", "create", "--email", "olga@shop.example", "--role", "operator"]);
    let service = till.serve();
    let browser = Customer::new(&service.url);
    for email in ["olga@shop.example", "nobody@shop.example"] {
        for number in 0..8 {
            let from = format!("198.51.100.{number}");
            let form = [("email", email), ("password", "a guess")];
            browser.post("/panel/login", &form, &[("x-forwarded-for", &from)]).await;
        }
    }
    let shell = rusqlite::Connection::open(till.file("accounts.db")).expect("a shell");
    shell.busy_timeout(std::time::Duration::from_secs(10)).expect("a timeout");
    let count = |condition: &str| {
        let query = format!("SELECT COUNT(*) FROM audit WHERE {condition}");
        shell.query_row(&query, [], |row| row.get::<_, i64>(0)).expect("a count")
    };
    // One line about the user, and four for all networks that named an unknown user.
    until("the lines are there", async || count("deed = 'login_failed'") == 5).await;
    // The log is written beside the answers.
    let is_warning = |line: &&str| line.contains("login_failed");
    until("nine warnings", async || service.log().lines().filter(is_warning).count() >= 9).await;
    let log = service.log();
    let warnings: Vec<_> = log.lines().filter(is_warning).collect();
    assert_eq!(warnings.len(), 9, "{log}");
    let user = owner["user_id"].as_str().expect("an id");
    assert!(warnings.iter().any(|line| line.contains("WARN") && line.contains(user)), "{log}");
    assert!(!log.contains("@shop.example"), "no e-mail addresses in the log: {log}");
    until("the log is sealed", async || count("seq IS NULL") == 0).await;
    assert!(till.run(&["verify"]).status.success());
    service.terminate();
    let edit = |statement: &str| {
        shell
            .execute_batch("DROP TRIGGER IF EXISTS audit_unchanged; DROP TRIGGER IF EXISTS audit_kept")
            .expect("dropped");
        shell.execute_batch(statement).expect("a person with a shell may");
        let report = till.run(&["verify", "--json"]);
        (report.status.code(), String::from_utf8(report.stdout).expect("text"))
    };
    let (code, told) = edit("UPDATE audit SET detail = 'nothing' WHERE seq = 2");
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("line 2 ("), "{told}");
    let (code, told) = edit("DELETE FROM audit WHERE seq = (SELECT MAX(seq) FROM audit)");
    assert!(code == Some(1) && told.contains("the log ended with line"), "{told}");
}
