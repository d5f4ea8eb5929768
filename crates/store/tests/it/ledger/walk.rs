//! Payments, fees, settlement, late money, decisions, payouts and sealing in any order: whatever happens, each currency
//! sums to zero, nothing that can be paid out is below it, and balances are what the postings say.

use super::{books, seal};
use crate::fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, session_id, start, vendor_id};
use std::{collections::BTreeMap, time::Duration};
use till_domain::{
    attempt::Quantity,
    change::Change,
    id::{ActionId, EntryId, TransactionId, VendorId},
    ledger::{self, Account, Books, Entry, EntryKind, Fee, Heading, NOTHING, Posting, Terms, follow},
    method::Method,
    money::{Currency, Money},
    time::Timestamp,
    transaction::{Marks, Resolution, Transaction},
};

/// Numbers that look random, and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// All that was posted, added up by somebody who trusts nobody.
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
            let signed = account.starts_with("clearing:");
            assert!(if signed { *sum <= 0 } else { *sum >= 0 }, "{account} {sum}");
        }
        assert!(currencies.values().all(|sum| *sum == 0), "{currencies:?}");
    }
}

struct Walk {
    dice: Dice,
    number: u64,
    now: Timestamp,
    sums: Sums,
    held: Vec<Entry>,
}

impl Walk {
    fn next(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    fn money(&mut self) -> Transaction {
        let number = self.next();
        let codes = ["RUB", "EUR", "JPY"];
        let code = codes[usize::try_from(self.dice.roll(3)).expect("small")];
        let amount = Money {
            minor: i64::try_from(1 + self.dice.roll(100_000)).expect("small"),
            currency: Currency::parse(code).expect("a currency"),
        };
        Transaction {
            id: TransactionId::from(event_id(number)),
            session: session_id(1),
            vendor: vendor_id(1 + self.dice.roll(2)),
            attempt: None,
            method: Method::ALL[usize::try_from(self.dice.roll(3)).expect("small")],
            provider: ["bank", "chain"][usize::try_from(self.dice.roll(2)).expect("small")].to_owned(),
            reference: "x".to_owned(),
            amount,
            received: Quantity::from(amount),
            marks: Marks::default(),
            at: self.now,
        }
    }

    fn entry_id(&mut self) -> EntryId {
        EntryId::from(event_id(self.next()))
    }
}

fn terms() -> Terms {
    let rub = Currency::parse("RUB");
    let fee =
        |method, currency, millionths, fixed| Fee { method, currency, millionths, fixed, returned: false };
    let fees = vec![
        fee(Method::Card, rub, 25_000, 1_000),
        fee(Method::Card, None, 33_333, 0),
        fee(Method::Sbp, rub, 7_000, 0),
    ];
    Terms { fees, settlement_delay: None }
}

async fn step(walk: &mut Walk, backend: &Backend) -> Vec<Change> {
    let ledger = books(&backend.stores);
    let terms = terms();
    let delay = Duration::from_secs(60 * walk.dice.roll(3));
    let books = Books { terms: &terms, delay };
    match walk.dice.roll(10) {
        0..=3 => {
            let money = walk.money();
            let id = walk.entry_id();
            books.payment(&money, id)
        }
        4 => {
            let money = walk.money();
            let id = walk.entry_id();
            let change = books.suspense(&money, money.amount, id).expect("it is worth something");
            if let Change::PostEntry(entry) = &change {
                walk.held.push((**entry).clone());
            }
            vec![change]
        }
        5 => {
            let Some(held) = walk.held.pop() else { return Vec::new() };
            let resolution =
                [Resolution::Accept, Resolution::Refund][usize::try_from(walk.dice.roll(2)).expect("small")];
            let action = ActionId::from(event_id(walk.next()));
            let id = walk.entry_id();
            let entry = ledger::decide(&held, (resolution, false), action, id, walk.now).expect("it moves");
            vec![Change::PostEntry(Box::new(entry))]
        }
        6 => {
            walk.now = walk.now.plus(Duration::from_secs(30));
            let due = ledger.due_settlements(walk.now, 1).await.expect("a read");
            let id = walk.entry_id();
            due.first().map_or_else(Vec::new, |due| ledger::settle(due, id, walk.now))
        }
        7 => pay_out(walk, backend).await,
        _ => {
            let limit = u32::try_from(1 + walk.dice.roll(9)).expect("small");
            seal(&backend.stores, limit).await;
            Vec::new()
        }
    }
}

/// Takes a part of what a vendor has.
async fn pay_out(walk: &mut Walk, backend: &Backend) -> Vec<Change> {
    let (vendor, currency) = (vendor_id(1 + walk.dice.roll(2)), Currency::parse("RUB").expect("a currency"));
    let wallet = books(&backend.stores).wallet(vendor, currency).await.expect("a wallet");
    let Ok(most @ 1..) = u64::try_from(wallet.available.minor) else { return Vec::new() };
    let amount = i64::try_from(1 + walk.dice.roll(most)).expect("small");
    let (id, cause) = (walk.entry_id(), walk.entry_id());
    let (kind, at) = (EntryKind::Payout, walk.now);
    let heading = Heading { id, vendor, kind, cause: cause.into(), session: None, currency, at };
    let postings = [Posting::new(Account::Available, -amount), Posting::new(Account::Payouts, amount)];
    let guard = Change::TakeFromWallet { vendor, currency, was: wallet.version };
    vec![guard, Change::PostEntry(Box::new(Entry::new(heading, postings)))]
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

async fn i5_i7_whatever_happens_the_books_are_right(kind: Kind) {
    for seed in 1..=2 {
        let backend = Backend::new(kind).await;
        Shop::live().store(&backend.stores.live, 1, start()).await;
        let dice = Dice(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let mut walk = Walk { dice, number: 0, now: start(), sums: Sums::default(), held: Vec::new() };
        for turn in 0..300 {
            let changes = step(&mut walk, &backend).await;
            commit(&backend.stores.live, &changes).await;
            walk.sums.add(&changes);
            walk.sums.check();
            if turn % 10 == 0 {
                check_balances(&walk, &backend).await;
            }
        }
        while seal(&backend.stores, 50).await > 0 {}
        check_balances(&walk, &backend).await;
        check_history(&backend).await;
    }
}

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

on_both_engines!(i5_i7_whatever_happens_the_books_are_right);
