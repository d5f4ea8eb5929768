//! Ledger entries of each movement of money, as tables in `books.txt` with a line for each posting and each
//! balance; and the hash chain of the ledger.

mod chain;

use crate::fixture::{Shop, after};
use std::collections::BTreeMap;
use std::time::Duration;
use till_domain::{
    attempt::{
        self, Attempt, AttemptDecision, AttemptFacts, Beginning, Instructions, Observation, OtherAttempts,
        Started,
    },
    change::Change,
    id::{AttemptId, EntryId, EventId},
    ledger::{self, Account, Entry, EntryKind, Fee, Settlement, Terms},
    method::Method,
    money::{Currency, Money},
    receipt::ReceiptLink,
    session::{self, Outcome, Session},
    time::Timestamp,
    transaction::{Action, Resolution},
    vendor::Settings,
};

/// A vendor's books, and the commands of a table that change them.
struct LedgerTable {
    shop: Shop,
    terms: Terms,
    now: Timestamp,
    number: u8,
    session: Option<(Session, Attempt)>,
    entries: Vec<Entry>,
    settlements: Vec<Settlement>,
    actions: Vec<Action>,
    decided: usize,
}

impl LedgerTable {
    fn new(shop: Shop) -> Self {
        Self {
            shop,
            terms: Terms::default(),
            now: after(0),
            number: 0,
            session: None,
            entries: Vec::new(),
            settlements: Vec::new(),
            actions: Vec::new(),
            decided: 0,
        }
    }

    fn event(&mut self) -> EventId {
        self.number += 2;
        EventId::new(self.now, &[self.number; 10])
    }

    /// Runs the command of a line, and returns the lines of its result.
    fn run(&mut self, command: &str) -> Vec<String> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let (before, told) = (self.entries.len(), self.actions.len());
        match words[..] {
            ["fee", method, code, percent, fixed] => self.fee(method, code, percent, fixed),
            ["delay", seconds] => {
                self.terms.settlement_delay = Some(Duration::from_secs(seconds.parse().expect("a number")));
            }
            ["order", method, price, code] => self.order(method, price, code),
            ["paid", minor] => self.see(minor, |scene, received, reference| {
                attempt::observe(scene, Observation::Paid { received, reference })
            }),
            ["closed", "with", minor] => self
                .see(minor, |scene, received, _| attempt::closing(scene, Observation::Partial { received })),
            ["mismatch", minor] => self.see(minor, |scene, received, _| {
                attempt::observe(scene, Observation::Paid { received, reference: "another".to_owned() })
            }),
            ["left", minor] => self.see(minor, |scene, received, _| {
                attempt::observe(scene, Observation::TakenBack { received })
            }),
            ["expire"] => self.expire(),
            ["wait", seconds] => self.wait(Duration::from_secs(seconds.parse().expect("a number"))),
            ["decide", word] => self.decide(Resolution::parse(word).expect("a resolution")),
            _ => panic!("{command}"),
        }
        let mut lines = Vec::new();
        for entry in &self.entries[before..] {
            let heading = entry.heading();
            for posting in entry.postings() {
                let amount = Money { minor: posting.amount, currency: heading.currency };
                lines.push(format!("  {} {} {amount}", heading.kind.as_str(), posting.account));
            }
        }
        lines.extend(self.actions[told..].iter().map(|action| format!("  ! {}", action.kind.as_str())));
        lines
    }

    fn fee(&mut self, method: &str, code: &str, percent: &str, fixed: &str) {
        let currency = Currency::parse(code);
        self.terms.fees.push(Fee {
            method: Method::parse(method).expect("a method"),
            currency,
            millionths: Fee::parse_percent(percent).expect("a part"),
            fixed: Fee::parse_fixed(fixed, currency).expect("an amount"),
            returned: false,
        });
    }

    /// Creates a session with an open attempt.
    fn order(&mut self, method: &str, price: &str, code: &str) {
        let fields =
            format!(r#"{{"price":"{price}","currency":"{code}","defaultPaymentMethod":"{method}"}}"#);
        let session = self.shop.session(&fields);
        let method = Method::parse(method).expect("a method");
        let id = AttemptId::from_bytes(self.event().into());
        let beginning = Beginning {
            session: &session,
            method,
            provider: "bank",
            choice: None,
            email: None,
            language: None,
            id,
        };
        let (session, attempt, _) = attempt::begin(beginning, &self.shop.rules, self.now).expect("it begins");
        let (reference, charge) = (id.to_string(), attempt.charge.clone());
        let started = Started { reference, instructions: Instructions::Nothing, charge };
        self.session = Some((session, attempt));
        self.decided(|scene| attempt::started(scene, started));
    }

    fn see(
        &mut self,
        minor: &str,
        decide: impl FnOnce(&AttemptFacts<'_>, attempt::Quantity, String) -> AttemptDecision,
    ) {
        let (_, attempt) = self.session.as_ref().expect("an order");
        let received = attempt.charge.with(minor.parse().expect("a number"));
        let reference = attempt.reference.clone().expect("it was started");
        self.decided(|scene| decide(scene, received, reference));
    }

    fn decided(&mut self, decide: impl FnOnce(&AttemptFacts<'_>) -> AttemptDecision) {
        let event_id = self.event();
        let (session, attempt) = self.session.take().expect("an order");
        let settings = Settings::default();
        let (rules, terms, link) = (&self.shop.rules, &self.terms, ReceiptLink::new([9; 16]));
        let (session, attempt, now) = (&session, &attempt, self.now);
        let observed = decide(&AttemptFacts {
            session,
            attempt,
            beside: OtherAttempts::Nothing,
            settings: &settings,
            terms,
            rules,
            now,
            event_id,
            link,
            pace: attempt::Pace::Polling,
            doubt: attempt::UnreachableActions::default(),
            ends_now: false,
        });
        self.commit(&observed.changes);
        self.session = Some((observed.session, observed.attempt));
    }

    fn expire(&mut self) {
        let event = self.event();
        let (session, attempt) = self.session.take().expect("an order");
        let expired = session::finish(&session, Outcome::Expired, self.now, &Settings::default(), event);
        let (session, changes) = expired.expect("it is pending");
        self.commit(&changes);
        self.session = Some((session, attempt));
    }

    fn wait(&mut self, time: Duration) {
        self.now = self.now.plus(time);
        let now = self.now;
        for due in self.settlements.clone().into_iter().filter(|due| due.due_at <= now) {
            let id = EntryId::from(self.event());
            self.commit(&ledger::settle(&due, id, self.now));
        }
    }

    /// Resolves the oldest open action.
    fn decide(&mut self, resolution: Resolution) {
        let action = self.actions[self.decided].clone();
        self.decided += 1;
        assert!(action.choices().contains(&resolution), "{resolution:?} of {:?}", action.kind);
        let held = action.transaction.and_then(|id| self.find(ledger::held_by(action.kind), id.into()));
        let id = EntryId::from(self.event());
        let moved = held.and_then(|held| ledger::decide(&held, (resolution, false), action.id, id, self.now));
        self.commit(&moved.map(|entry| Change::PostEntry(Box::new(entry))).into_iter().collect::<Vec<_>>());
    }

    fn find(&self, kind: EntryKind, cause: ledger::Cause) -> Option<Entry> {
        let found = |entry: &&Entry| entry.heading().kind == kind && entry.heading().cause == cause;
        self.entries.iter().find(found).cloned()
    }

    fn commit(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::PostEntry(entry) => {
                    assert!(self.entries.iter().all(|other| other.id() != entry.id()), "an id of its own");
                    let heading = entry.heading();
                    assert_eq!(self.find(heading.kind, heading.cause), None, "a cause is booked once");
                    self.entries.push((**entry).clone());
                }
                Change::ScheduleSettlement(settlement) => self.settlements.push(settlement.clone()),
                Change::SettleEntry { entry } => self.settlements.retain(|due| due.entry != *entry),
                Change::NeedAction(action) => self.actions.push((**action).clone()),
                _ => {}
            }
        }
    }

    /// The balance of every account.
    fn balances(&self) -> BTreeMap<(&'static str, Account), Money> {
        let mut balances = BTreeMap::new();
        for entry in &self.entries {
            let currency = entry.heading().currency;
            for posting in entry.postings() {
                let key = (currency.code(), posting.account.clone());
                balances.entry(key).or_insert(Money { minor: 0, currency }).minor += posting.amount;
            }
        }
        balances
    }
}

/// Runs the commands of a table, and writes the result of each below it and the balances at the end.
fn play(table: &str, shop: fn() -> Shop) -> String {
    let mut text = String::new();
    for case in table.split("\n\n") {
        let mut table = LedgerTable::new(shop());
        for line in case.lines() {
            if line.starts_with('#') {
                text.push_str(&format!("{line}\n"));
            } else if let Some(command) = line.strip_prefix("> ") {
                let lines = table.run(command);
                text.push_str(&format!("> {command}\n"));
                text.extend(lines.iter().map(|line| format!("{line}\n")));
            }
        }
        let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
        for ((code, account), balance) in table.balances() {
            text.push_str(&format!("= {account} {balance}\n"));
            *sums.entry(code).or_default() += balance.minor;
        }
        assert!(sums.values().all(|sum| *sum == 0), "each currency sums to zero: {sums:?}");
        text.push('\n');
    }
    format!("{}\n", text.trim_end())
}

#[test]
fn i5_i8_each_thing_that_happens_to_money_has_its_postings() {
    let expected = include_str!("books.txt");
    let played = play(expected, Shop::live);
    for (line, wanted) in played.lines().zip(expected.lines()) {
        assert_eq!(line, wanted, "{played}");
    }
    assert_eq!(played, expected);
}

#[test]
fn i19_a_sandbox_books_nothing() {
    let commands = "> order card 49.90 RUB\n> paid 5990\n\n> order card 49.90 RUB\n> expire\n> paid 4990";
    let played = play(commands, Shop::sandbox);
    let told = "> order card 49.90 RUB\n> paid 5990\n  ! surplus\n\n\
        > order card 49.90 RUB\n> expire\n> paid 4990\n  ! late\n";
    assert_eq!(played, told);
}
