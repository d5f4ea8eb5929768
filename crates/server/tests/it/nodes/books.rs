//! The vendors' money on two processes at once: payments, refunds, payouts and decisions in a pseudo-random
//! order from a fixed seed, by the API, the panel and the command line of both. Whatever wins, the books are
//! right.

use crate::support::{Answer, Customer, Nodes, Person, Shell, Shop, Till, until};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

/// The number of concurrent workers, and the number of steps of each.
const WORKERS: usize = 6;
const TURNS: usize = 22;

/// A pseudo-random number generator with the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("it fits") % sides
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.roll(from.len())].clone())
    }
}

struct Market {
    shops: Vec<Shop>,
    customers: Vec<Customer>,
    /// The vendor's admin, at each node.
    ada: Vec<Person>,
    till: Till,
    shell: Shell,
    paid: Mutex<Vec<String>>,
    orders: AtomicUsize,
    refunded: AtomicUsize,
    asked: AtomicUsize,
}

impl Market {
    async fn open(nodes: &Nodes) -> Self {
        let vendor = nodes.vendor["vendor_id"].as_str().expect("an id");
        nodes.till.json(&["vendor", "sandbox", "off", vendor]);
        let percent = ["vendor", "fee", vendor, "--method", "card", "--percent", "2.5", "--currency", "RUB"];
        nodes.till.json(&[&percent[..], &["--fixed", "1.00", "--returned"]].concat());
        let email = "ada@shop.example";
        let user = ["user", "create", "--email", email, "--role", "vendor_admin", "--vendor", vendor];
        let user = nodes.till.json(&user);
        let password = user["password"].as_str().expect("a password");
        let id = till_domain::id::UserId::parse(user["user_id"].as_str().expect("an id")).expect("an id");
        let browser = Customer::new(&nodes.services[0].url);
        let mut ada = Person { browser, id, email: email.to_owned(), cookies: String::new() };
        assert_eq!(ada.log_in(password).await.status, 303);
        let at = |url: &String| Person { browser: Customer::new(url), ..ada.clone() };
        let urls: Vec<String> = nodes.services.iter().map(|service| service.url.clone()).collect();
        Self {
            shops: nodes.shops("live").await,
            customers: urls.iter().map(|url| Customer::new(url)).collect(),
            ada: urls.iter().map(at).collect(),
            till: Nodes::till(&nodes.cluster.url(), &[]),
            shell: nodes.shell().await,
            paid: Mutex::default(),
            orders: AtomicUsize::new(0),
            refunded: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
        }
    }

    /// A customer pays the price, more or less of it, or not at all.
    async fn pay(&self, dice: &mut Dice) {
        let (here, there) = (dice.roll(2), dice.roll(2));
        let order = self.orders.fetch_add(1, Relaxed);
        let price = format!("{}.{:02}", 10 + dice.roll(90), dice.roll(100));
        let body = json!({ "product_name": "Atlas", "price": price, "currency": "RUB",
            "order_id": format!("A-{order}") });
        let id = self.shops[here].create(&body).await.text("session_id");
        let (method, decision) = [
            ("card", "approve"),
            ("card", "approve"),
            ("card", "approve"),
            ("sbp", "confirm"),
            ("crypto", "pay_exact"),
            ("crypto", "pay_over"),
            ("crypto", "pay_over"),
            ("card", "decline"),
        ][dice.roll(8)];
        assert_eq!(self.customers[there].pay(&id, method).await.status, 303);
        let hex = id.replace('-', "");
        let query = format!(
            "SELECT encode(id, 'hex') FROM live.payment_attempts WHERE session_id = decode('{hex}', 'hex')"
        );
        let attempt = dashed(&self.shell.row(&query).await[0]);
        let answer = self.customers[here].decide(&attempt, decision).await;
        assert!(answer.status.is_redirection(), "{decision}: {}", answer.status);
        self.paid.lock().expect("whole").push(id);
    }

    /// Refunds a payment or a part of it, perhaps one that cannot be refunded, or one that the bank will
    /// refuse.
    async fn refund(&self, dice: &mut Dice) {
        let paid = self.paid.lock().expect("whole").clone();
        let Some(id) = dice.pick(&paid) else { return };
        let amount = format!("{}.{:02}", 1 + dice.roll(50), dice.roll(100));
        let reason = ["wrong size", "wrong size", "simulate fail"][dice.roll(3)];
        let node = dice.roll(2);
        let made = match dice.roll(4) {
            0 => {
                let arguments =
                    ["refund", "create", id.as_str(), "--amount", &amount, "--reason", reason, "--json"];
                let mut command = self.till.command(&arguments);
                let run = tokio::task::spawn_blocking(move || command.output().expect("the binary runs"));
                run.await.expect("no panic").status.success()
            }
            1 => {
                let path = format!("/panel/sessions/{id}/refund");
                let form = [("amount", amount.as_str()), ("reason", reason), ("sure", "on")];
                self.ada[node].post(&path, &form).await.status == 303
            }
            all => {
                let body = if all == 2 {
                    json!({ "reason": reason })
                } else {
                    json!({ "amount": amount, "reason": reason })
                };
                let answer = self.shops[node].refund(&id, &body, &[]).await;
                expect_refusal(&answer);
                answer.status == 201
            }
        };
        self.refunded.fetch_add(usize::from(made), Relaxed);
    }

    /// The vendor requests a payout of some of its money, or of more than it has.
    async fn ask_payout(&self, dice: &mut Dice) {
        let amount = format!("{}.{:02}", 1 + dice.roll(120), dice.roll(100));
        let form =
            [("currency", "RUB"), ("amount", amount.as_str()), ("destination", "an account"), ("sure", "on")];
        let answer = self.ada[dice.roll(2)].post("/panel/wallet/payout", &form).await;
        assert!([303, 422].contains(&answer.status.as_u16()), "{}: {}", answer.status, answer.body);
        self.asked.fetch_add(usize::from(answer.status == 303), Relaxed);
    }

    /// The operator takes a step of a payout, which another worker may be taking at the same moment.
    async fn step_payout(&self, dice: &mut Dice) {
        let open = self.till.json(&["payout", "list"]);
        let open: Vec<Value> = open.as_array().expect("a list").clone();
        let Some(payout) = dice.pick(&open) else { return };
        let id = payout["payout_id"].as_str().expect("an id");
        let arguments: Vec<&str> = match (payout["state"].as_str(), dice.roll(3)) {
            (Some("asked"), 0) => vec!["payout", "refuse", id, "--reason", "no"],
            (Some("asked"), _) => vec!["payout", "approve", id],
            (_, 0) => vec!["payout", "failed", id, "--reason", "no"],
            _ => vec!["payout", "sent", id, "--reference", "B-1"],
        };
        let mut command = self.till.command(&arguments);
        // Of two concurrent steps one is too late, and is refused.
        let run = tokio::task::spawn_blocking(move || command.output().expect("the binary runs"));
        run.await.expect("no panic");
    }

    /// The operator decides about short or surplus money.
    async fn decide(&self, dice: &mut Dice) {
        let query = "SELECT encode(id, 'hex') FROM live.actions WHERE resolution IS NULL AND transaction_id IS NOT NULL";
        let open: Vec<String> = self.shell.rows(query).await.concat();
        let Some(action) = dice.pick(&open) else { return };
        let id = dashed(&action);
        let word = ["accept", "refund"][dice.roll(2)];
        let mut command = self.till.command(&["action", "resolve", &id, word]);
        let run = tokio::task::spawn_blocking(move || command.output().expect("the binary runs"));
        run.await.expect("no panic");
    }

    async fn work(&self, worker: usize) {
        let seed = u64::try_from(worker + 1).expect("small");
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        for turn in 0..TURNS {
            match dice.roll(10) {
                _ if turn < 3 => self.pay(&mut dice).await,
                0 | 1 => self.pay(&mut dice).await,
                2..=5 => self.refund(&mut dice).await,
                6 | 7 => self.ask_payout(&mut dice).await,
                8 => self.step_payout(&mut dice).await,
                _ => self.decide(&mut dice).await,
            }
        }
    }
}

fn dashed(hex: &str) -> String {
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// A refund is accepted, or refused for one of these reasons.
fn expect_refusal(answer: &Answer) {
    let known = [
        "201",
        "409 session_not_paid",
        "422 amount_too_large",
        "422 nothing_to_refund",
        "422 insufficient_balance",
    ];
    let outcome = answer.outcome();
    assert!(known.contains(&outcome.as_str()), "{outcome}: {}", answer.body);
}

/// Checks the postings by plain SQL, and everything by `till verify`.
async fn check(nodes: &Nodes, shell: &Shell) {
    let uneven = "SELECT currency, SUM(amount) FROM live.postings GROUP BY currency HAVING SUM(amount) <> 0";
    assert_eq!(shell.rows(uneven).await, Vec::<Vec<String>>::new());
    let below = "SELECT account, SUM(amount) FROM live.postings WHERE account NOT LIKE 'clearing:%'
         GROUP BY vendor_id, currency, account HAVING SUM(amount) < 0";
    assert_eq!(shell.rows(below).await, Vec::<Vec<String>>::new());
    let verified = nodes.till.run(&["verify"]);
    let told = String::from_utf8_lossy(&verified.stdout);
    assert_eq!(verified.status.code(), Some(0), "{told}\n{}", String::from_utf8_lossy(&verified.stderr));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_i5_i7_two_nodes_keep_the_books_right_whatever_happens_at_once() {
    let nodes = Nodes::start(&[("TILL_SETTLEMENT_DELAY", "400ms")]);
    let market = Arc::new(Market::open(&nodes).await);
    let mut workers = tokio::task::JoinSet::new();
    for worker in 0..WORKERS {
        let market = Arc::clone(&market);
        workers.spawn(async move { market.work(worker).await });
    }
    // While they work, no reader sees a wrong state.
    while let Some(done) = workers.join_next().await {
        done.expect("no panic");
        check(&nodes, &market.shell).await;
    }
    let (shell, seen) = (&market.shell, async |query: &str| market.shell.number(query).await);
    until("what was too much has come", async || {
        seen("SELECT COUNT(*) FROM live.payment_attempts WHERE state = 'in_flight'").await == 0
    })
    .await;
    let mut dice = Dice(7);
    while seen("SELECT COUNT(*) FROM live.actions WHERE resolution IS NULL").await > 0 {
        market.decide(&mut dice).await;
    }
    until("every refund has ended", async || {
        seen("SELECT COUNT(*) FROM live.refunds WHERE check_at IS NOT NULL").await == 0
    })
    .await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    check(&nodes, shell).await;
    // On a fast machine all turns are over before much has settled.
    for _ in 0..40 {
        market.ask_payout(&mut dice).await;
    }
    check(&nodes, shell).await;
    let (refunded, asked) = (market.refunded.load(Relaxed), market.asked.load(Relaxed));
    assert!(refunded > 3 && asked > 3, "{refunded} refunds and {asked} payouts are too few to tell");
    let kinds = shell.rows("SELECT DISTINCT kind FROM live.entries ORDER BY 1").await.concat();
    for kind in ["payment", "settlement", "suspense", "refund", "refund_sent", "refund_failed", "payout"] {
        assert!(kinds.iter().any(|known| known == kind), "no {kind} among {kinds:?}");
    }
}
