//! Payments, fees, settlement, refunds, late, short and surplus money, decisions, payouts and sealing in
//! random order: each currency always sums to zero, nothing that can be paid out is negative, and balances
//! equal the sums of the postings. Every step is decided by the domain, on rows that the store has.

mod money;

use super::{books, seal};
use crate::fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, start, vendor_id};
use std::{collections::BTreeMap, time::Duration};
use till_domain::{
    attempt::Attempt,
    change::Change,
    hash_chain::NOTHING,
    id::VendorId,
    ledger::{self, Fee, Terms, follow},
    method::Method,
    money::Currency,
    payout::{Payout, PayoutState},
    refund::Refund,
    session::Session,
    time::Timestamp,
    transaction::Action,
};

/// A pseudo-random number generator with the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    /// Removes and returns a random item, or none if there is none.
    fn draw<T>(&mut self, from: &mut Vec<T>) -> Option<T> {
        let count = u64::try_from(from.len()).expect("small");
        (count > 0).then(|| from.swap_remove(usize::try_from(self.roll(count)).expect("small")))
    }
}

/// The sums of all postings, computed independently of the store.
#[derive(Default)]
struct Sums(BTreeMap<(VendorId, String, String), i64>);

impl Sums {
    fn add(&mut self, changes: &[Change]) {
        for change in changes {
            let Change::PostEntry(entry) = change else { continue };
            let heading = entry.heading();
            for posting in entry.postings() {
                let key = (heading.vendor, heading.currency.code().to_owned(), posting.account.to_string());
                *self.0.entry(key).or_default() += posting.amount;
            }
        }
    }

    fn check(&self) {
        let mut currencies: BTreeMap<&str, i64> = BTreeMap::new();
        for ((_, currency, account), sum) in &self.0 {
            *currencies.entry(currency).or_default() += sum;
            assert!(account.starts_with("clearing:") || *sum >= 0, "{account} {sum}");
        }
        assert!(currencies.values().all(|sum| *sum == 0), "{currencies:?}");
    }
}

struct Walk {
    dice: Dice,
    number: u64,
    now: Timestamp,
    sums: Sums,
    /// Two vendors with their own terms.
    shops: [Shop; 2],
    /// Sessions that received a part of their price.
    short: Vec<(usize, Session, Attempt)>,
    /// Sessions that are paid.
    paid: Vec<(usize, Session)>,
    /// Refunds that are in progress.
    refunds: Vec<(usize, Session, Refund)>,
    /// Actions that wait for the operator.
    actions: Vec<(usize, Session, Action)>,
    /// Payouts that wait for the operator.
    payouts: Vec<(Payout, PayoutState)>,
    /// How often each kind of step happened.
    done: BTreeMap<&'static str, usize>,
}

impl Walk {
    fn new(seed: u64) -> Self {
        let dice = Dice(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let shop = |vendor: u64, delay: u64| {
            let mut shop = crate::refunds::shop();
            shop.vendor.id = vendor_id(vendor);
            shop.vendor.terms = terms(vendor == 1, Duration::from_secs(delay));
            shop
        };
        Self {
            dice,
            number: 0,
            now: start(),
            sums: Sums::default(),
            shops: [shop(1, 0), shop(2, 90)],
            short: Vec::new(),
            paid: Vec::new(),
            refunds: Vec::new(),
            actions: Vec::new(),
            payouts: Vec::new(),
            done: BTreeMap::new(),
        }
    }

    fn next(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// Commits changes, and adds their postings to the sums.
    async fn commit(&mut self, backend: &Backend, what: &'static str, changes: &[Change]) {
        commit(&backend.stores.live, changes).await;
        self.sums.add(changes);
        *self.done.entry(what).or_default() += 1;
    }
}

/// Fees that one vendor gets back with a refund, and the other does not.
fn terms(returned: bool, delay: Duration) -> Terms {
    let rub = Currency::parse("RUB");
    let fee = |method, currency, millionths, fixed| Fee { method, currency, millionths, fixed, returned };
    let fees = vec![
        fee(Method::Card, rub, 25_000, 1_000),
        fee(Method::Card, None, 33_333, 0),
        fee(Method::Sbp, rub, 7_000, 0),
    ];
    Terms { fees, settlement_delay: Some(delay) }
}

async fn step(walk: &mut Walk, backend: &Backend) {
    match walk.dice.roll(20) {
        0..=5 => walk.take_money(backend).await,
        6 => walk.take_rest(backend).await,
        7..=9 => walk.ask_refund(backend).await,
        10..=11 => walk.end_refund(backend).await,
        12..=13 => walk.decide(backend).await,
        14 => walk.ask_payout(backend).await,
        15 => walk.step_payout(backend).await,
        16..=17 => {
            walk.now = walk.now.plus(Duration::from_secs(30));
            let due = books(&backend.stores).due_settlements(walk.now, 1).await.expect("a read").0;
            if let Some(due) = due.first() {
                let settle = ledger::settle(due, event_id(walk.next()).into(), walk.now);
                walk.commit(backend, "settled", &settle).await;
            }
        }
        _ => {
            let limit = u32::try_from(1 + walk.dice.roll(9)).expect("small");
            seal(&backend.stores, limit).await;
        }
    }
}

async fn check_balances(walk: &Walk, backend: &Backend) {
    let mut told = BTreeMap::new();
    for vendor in [1, 2] {
        for balance in books(&backend.stores).balances(vendor_id(vendor)).await.expect("balances") {
            let key =
                (vendor_id(vendor), balance.amount.currency.code().to_owned(), balance.account.to_string());
            told.insert(key, balance.amount.minor);
        }
    }
    assert_eq!(told, walk.sums.0);
}

async fn p15_i5_i7_f27_whatever_happens_the_books_are_right(kind: Kind) {
    let mut done = BTreeMap::new();
    for seed in 1..=2 {
        let backend = Backend::new(kind).await;
        let mut walk = Walk::new(seed);
        for turn in 0..400 {
            step(&mut walk, &backend).await;
            walk.sums.check();
            if turn % 20 == 0 {
                check_balances(&walk, &backend).await;
            }
        }
        while seal(&backend.stores, 50).await > 0 {}
        check_balances(&walk, &backend).await;
        check_history(&backend).await;
        check_rows(&backend).await;
        done.extend(walk.done);
    }
    for what in HAPPENS {
        assert!(done.contains_key(what), "no {what} among {done:?}");
    }
}

/// The steps that the walks must include.
const HAPPENS: [&str; 18] = [
    "paid",
    "paid too much",
    "paid in part",
    "the rest paid",
    "paid late",
    "settled",
    "refund asked",
    "refund refused",
    "refund succeeded",
    "refund failed",
    "money accepted",
    "money given back",
    "money given back by hand",
    "payout asked",
    "payout approved",
    "payout refused",
    "payout sent",
    "payout failed",
];

async fn check_history(backend: &Backend) {
    let ledger = books(&backend.stores);
    let history = ledger.sealed_after(0, 10_000).await.expect("history");
    let history: Vec<_> = history.into_iter().map(|s| (s.entry, s.seal.expect("sealed"))).collect();
    assert!(follow(NOTHING, history.iter().map(|(entry, seal)| (entry, seal))).is_ok());
    assert!(history.len() > 100, "{}", history.len());
    for carried in ledger.carried(None, 1_000).await.expect("carried") {
        assert_eq!(ledger.sealed_sum(&carried).await.expect("a sum"), carried.amount, "{carried:?}");
    }
}

/// Runs the checks of `till verify`, and expects no violation.
async fn check_rows(backend: &Backend) {
    for checked in backend.stores.live.verify(&mut |_, _| {}).await.expect("a look") {
        assert_eq!((checked.wrong, &checked.first), (0, &Vec::new()), "{}", checked.name);
    }
}

on_both_engines!(p15_i5_i7_f27_whatever_happens_the_books_are_right);
