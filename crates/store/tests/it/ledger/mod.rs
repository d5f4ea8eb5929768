//! The ledger: only balanced entries are stored, balances are sums of postings, concurrent takers never
//! overdraw, and history is sealed. [`shell`] tests what a database shell cannot change about it, [`walk`]
//! the invariants under random steps.

mod shell;
mod walk;

use crate::fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, start, vendor_id};
use std::{sync::Arc, time::Duration};
use till_domain::{
    change::{Change, Guard},
    hash_chain::{NOTHING, Seal},
    id::{EntryId, SessionId},
    ledger::{self, Account, Cause, Entry, EntryKind, Heading, Posting, Settlement, follow, seal_all},
    money::{Currency, Money},
    time::Timestamp,
};
use till_store::{Committed, Ledger, Stores};
use tokio::{sync::Barrier, task::JoinSet};

fn rub() -> Currency {
    Currency::parse("RUB").expect("a currency")
}

fn entry_id(number: u64) -> EntryId {
    EntryId::from(event_id(number))
}

fn bank() -> Account {
    Account::Clearing("bank".to_owned())
}

/// The entry with this number, of this vendor, with these postings.
fn entry(number: u64, vendor: u64, kind: EntryKind, postings: &[(Account, i64)]) -> Entry {
    let heading = Heading {
        id: entry_id(number),
        vendor: vendor_id(vendor),
        kind,
        cause: Cause::from_bytes(*event_id(number).as_bytes()),
        session: None,
        currency: rub(),
        at: start().plus(Duration::from_millis(number)),
    };
    Entry::new(heading, postings.iter().map(|(account, amount)| Posting::new(account.clone(), *amount)))
}

/// A payment with this number, of which the operator takes 10.
fn payment(number: u64, vendor: u64, amount: i64) -> Entry {
    let postings = [(bank(), -amount), (Account::Available, amount - 10), (Account::Fees, 10)];
    entry(number, vendor, EntryKind::Payment, &postings)
}

fn post(entry: Entry) -> Change {
    Change::PostEntry(Box::new(entry))
}

pub(crate) fn books(stores: &Stores) -> Ledger<'_> {
    stores.live.ledger().expect("live keeps books")
}

/// The balances of a vendor's accounts as text.
async fn balances(ledger: Ledger<'_>, vendor: u64) -> Vec<String> {
    let balances = ledger.balances(vendor_id(vendor)).await.expect("balances");
    balances.iter().map(|balance| format!("{} {}", balance.account, balance.amount)).collect()
}

/// Seals up to this many entries.
pub(crate) async fn seal(stores: &Stores, limit: u32) -> usize {
    let ledger = books(stores);
    let (last, entries) =
        (ledger.last_seal().await.expect("a read"), ledger.unsealed(limit).await.expect("a read").0);
    commit(&stores.live, &seal_all(last, &entries)).await;
    entries.len()
}

async fn an_entry_reads_back_as_it_was_given(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, ledger) = (&backend.stores.live, books(&backend.stores));
    let session = Shop::live().store(live, 1, start()).await.id;
    let huge = entry(1, 1, EntryKind::Suspense, &[(bank(), -i64::MAX), (Account::Suspense, i64::MAX)]);
    let of_session = |number, kind| {
        let heading = Heading { session: Some(session), ..entry(number, 1, kind, &pair()).heading().clone() };
        Entry::new(heading, pair().map(|(account, amount)| Posting::new(account, amount)))
    };
    let (first, second) = (of_session(2, EntryKind::Payment), of_session(3, EntryKind::Refund));
    commit(live, &[post(huge.clone()), post(first.clone()), post(second.clone())]).await;
    let found = ledger.entry(entry_id(1)).await.expect("a read").expect("an entry");
    assert_eq!((found.entry, found.seal), (huge.clone(), None));
    let found = ledger.entry_of(EntryKind::Suspense, huge.heading().cause).await.expect("a read");
    assert_eq!(found.map(|stored| stored.entry), Some(huge.clone()));
    assert_eq!(ledger.entry_of(EntryKind::Payment, huge.heading().cause).await.expect("a read"), None);
    let of = ledger.entries_of(session).await.expect("a read");
    assert_eq!(of.into_iter().map(|stored| stored.entry).collect::<Vec<_>>(), [first, second]);
    let nobody = SessionId::from_bytes(*event_id(9).as_bytes());
    assert_eq!(ledger.entries_of(nobody).await.expect("a read"), []);
    assert_eq!(ledger.entry(entry_id(9)).await.expect("a read"), None);
}

fn pair() -> [(Account, i64); 2] {
    [(bank(), -100), (Account::Available, 100)]
}

async fn a_cause_is_booked_once_and_the_rest_of_its_list_with_it(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    commit(live, &[post(payment(1, 1, 500))]).await;
    let heading = Heading { id: entry_id(2), ..payment(1, 1, 500).heading().clone() };
    let again = Entry::new(heading, payment(1, 1, 500).postings().to_vec());
    let (session, mut changes) = shop.order(5);
    changes.push(post(again));
    assert!(live.commit(&changes).await.is_err(), "the same cause again");
    let kept = live.session(session.id, session.vendor).await.expect("a read");
    assert_eq!(kept, None, "nothing of the list is done");
    assert_eq!(balances(books(&backend.stores), 1).await.len(), 3);
    let other = Cause::from_bytes([9; 16]);
    let heading = Heading { id: entry_id(2), cause: other, ..payment(1, 1, 500).heading().clone() };
    commit(live, &[post(Entry::new(heading, payment(1, 1, 500).postings().to_vec()))]).await;
}

async fn balances_are_the_same_before_and_after_history_is_sealed(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, ledger) = (&backend.stores.live, books(&backend.stores));
    for number in 1..=7 {
        commit(live, &[post(payment(number, 1 + number % 2, 100 * i64::try_from(number).expect("small")))])
            .await;
    }
    let (one, two) =
        (["available 11.70 RUB", "clearing:bank -12.00 RUB", "fees 0.30 RUB"], ["available 15.60 RUB"]);
    for _ in 0..4 {
        assert_eq!(balances(ledger, 1).await, one);
        assert_eq!(balances(ledger, 2).await[..1], two);
        assert_eq!(balances(ledger, 3).await, [""; 0]);
        seal(&backend.stores, 2).await;
    }
    assert_eq!((ledger.unsealed_count().await.expect("a read"), seal(&backend.stores, 9).await), (0, 0));
    let history = ledger.sealed_after(0, 100).await.expect("a read");
    let history: Vec<(Entry, Seal)> =
        history.into_iter().map(|stored| (stored.entry, stored.seal.expect("sealed"))).collect();
    assert_eq!(
        history.iter().map(|(entry, _)| entry.id()).collect::<Vec<_>>(),
        (1..=7).map(entry_id).collect::<Vec<_>>()
    );
    let last = follow(NOTHING, history.iter().map(|(entry, seal)| (entry, seal)));
    assert_eq!(last, Ok(ledger.last_seal().await.expect("a read")));
    let mut carried = ledger.carried(None, 4).await.expect("a read");
    carried.extend(ledger.carried(carried.last(), 4).await.expect("a read"));
    assert_eq!(carried.len(), 6);
    for account in carried {
        assert_eq!(ledger.sealed_sum(&account).await.expect("a read"), account.amount, "{account:?}");
    }
}

async fn i6_history_has_one_end_and_no_gaps(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, ledger) = (&backend.stores.live, books(&backend.stores));
    commit(live, &[post(payment(1, 1, 100)), post(payment(2, 1, 100)), post(payment(3, 1, 100))]).await;
    let (last, all) =
        (ledger.last_seal().await.expect("a read"), ledger.unsealed(9).await.expect("a read").0);
    // Two nodes seal from the same end: only one succeeds.
    let (one, other) = (seal_all(last, &all[..2]), seal_all(last, &all[1..]));
    let (one, other) = tokio::join!(live.commit(&one), live.commit(&other));
    assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1, "{one:?} {other:?}");
    let end = ledger.last_seal().await.expect("a read");
    assert_eq!(end.seq, 2);
    let left = ledger.unsealed(9).await.expect("a read").0;
    let gap = seal_all(Seal { seq: 5, ..end }, &left);
    assert!(live.commit(&gap).await.is_err(), "a number is left out");
    let sealed = ledger.sealed_after(0, 1).await.expect("a read").remove(0).entry;
    assert!(live.commit(&seal_all(end, &[sealed])).await.is_err(), "it has a place already");
    assert_eq!(ledger.last_seal().await.expect("a read"), end);
    let sum: i64 = ledger.carried(None, 9).await.expect("a read").iter().map(|carried| carried.amount).sum();
    assert_eq!(sum, 0, "nothing was carried by those who were refused");
    assert_eq!(seal(&backend.stores, 9).await, 1);
}

/// Takes money while there is enough, and returns how often it did.
async fn take(stores: Arc<Stores>, taker: u64, together: Arc<Barrier>) -> u64 {
    together.wait().await;
    let ledger = books(&stores);
    let mut taken = 0;
    for number in 0.. {
        let wallet = ledger.wallet(vendor_id(1), rub()).await.expect("a wallet");
        if wallet.available.minor < 30 {
            break;
        }
        let postings = [(Account::Available, -30), (Account::Payouts, 30)];
        let payout = entry(1_000 * (taker + 1) + number, 1, EntryKind::Payout, &postings);
        let guard = Change::TakeFromWallet { vendor: vendor_id(1), currency: rub(), was: wallet.version };
        match stores.live.commit(&[guard, post(payout)]).await.expect("an answer") {
            Committed::Done => taken += 1,
            Committed::Lost(guard) => assert_eq!(guard, Guard::WalletMoved),
        }
    }
    taken
}

async fn i7_in_a_crowd_nobody_takes_what_somebody_else_took(kind: Kind) {
    let backend = Backend::new(kind).await;
    for number in 1..=10 {
        commit(&backend.stores.live, &[post(payment(number, 1, 110))]).await;
    }
    seal(&backend.stores, 5).await;
    // As on two nodes: each has its own connection to the same data.
    let nodes = [Arc::clone(&backend.stores), Arc::new(backend.again().await)];
    let together = Arc::new(Barrier::new(12));
    let mut tasks = JoinSet::new();
    for taker in 0..12_u64 {
        let node = if taker % 2 == 0 { &nodes[0] } else { &nodes[1] };
        tasks.spawn(take(Arc::clone(node), taker, Arc::clone(&together)));
    }
    let taken: u64 = tasks.join_all().await.iter().sum();
    assert_eq!(taken, 33, "1000 is enough for 33 times 30");
    let ledger = books(&backend.stores);
    let wallet = ledger.wallet(vendor_id(1), rub()).await.expect("a wallet");
    assert_eq!((wallet.version, wallet.available.minor, wallet.pending.minor), (33, 10, 0));
    let stale = Change::TakeFromWallet { vendor: vendor_id(1), currency: rub(), was: 32 };
    let lost = backend.stores.live.commit(&[stale]).await.expect("an answer");
    assert_eq!(lost, Committed::Lost(Guard::WalletMoved));
    let other = ledger.wallet(vendor_id(2), rub()).await.expect("a wallet");
    assert_eq!((other.version, other.available.minor), (0, 0));
}

fn due(number: u64, at: Timestamp) -> Settlement {
    let amount = Money { minor: 90, currency: rub() };
    Settlement { entry: entry_id(number), vendor: vendor_id(1), session: None, amount, due_at: at }
}

async fn what_is_pending_settles_once_when_its_time_has_come(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, ledger) = (&backend.stores.live, books(&backend.stores));
    let at = |minutes: u64| start().plus(Duration::from_secs(60 * minutes));
    assert_eq!(ledger.next_settlement().await.expect("a read"), None);
    for number in 1..=3 {
        let postings = [(bank(), -100), (Account::Pending, 90), (Account::Fees, 10)];
        let brought = post(entry(number, 1, EntryKind::Payment, &postings));
        commit(live, &[brought, Change::ScheduleSettlement(due(number, at(number)))]).await;
    }
    assert_eq!(ledger.next_settlement().await.expect("a read"), Some(at(1)));
    assert_eq!(ledger.due_settlements(start(), 9).await.expect("a read").0, []);
    let found = ledger.due_settlements(at(2), 9).await.expect("a read").0;
    assert_eq!(found, [due(1, at(1)), due(2, at(2))]);
    assert_eq!(ledger.due_settlements(at(9), 1).await.expect("a read").0.len(), 1);
    assert_eq!(ledger.settlement(entry_id(3)).await.expect("a read"), Some(due(3, at(3))));

    let together = Arc::new(Barrier::new(8));
    let mut tasks = JoinSet::new();
    for number in 0..8_u64 {
        let (stores, together) = (Arc::clone(&backend.stores), Arc::clone(&together));
        let settle = ledger::settle(&found[0], entry_id(100 + number), at(2));
        tasks.spawn(async move {
            together.wait().await;
            stores.live.commit(&settle).await.expect("an answer")
        });
    }
    let answers = tasks.join_all().await;
    let done = answers.iter().filter(|answer| **answer == Committed::Done).count();
    let lost = answers.iter().filter(|answer| **answer == Committed::Lost(Guard::Settled)).count();
    assert_eq!((done, lost), (1, 7));
    let wallet = ledger.wallet(vendor_id(1), rub()).await.expect("a wallet");
    assert_eq!((wallet.available.minor, wallet.pending.minor), (90, 180));
    assert_eq!(ledger.settlement(entry_id(1)).await.expect("a read"), None);
    let settled = ledger.entry_of(EntryKind::Settlement, entry_id(1).into()).await.expect("a read");
    assert!(settled.is_some());
}

async fn an_account_is_read_from_its_end_with_what_it_held(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, ledger) = (&backend.stores.live, books(&backend.stores));
    for number in 1..=9 {
        commit(live, &[post(payment(number, 1, 100 + i64::try_from(number).expect("small")))]).await;
    }
    commit(live, &[post(payment(10, 2, 999))]).await;
    for sealed in [0, 4, 9] {
        seal(&backend.stores, sealed).await;
        let page = |before| ledger.lines(vendor_id(1), rub(), &Account::Available, before, 4);
        let (mut lines, mut before) = (Vec::new(), None);
        loop {
            let read = page(before).await.expect("lines");
            let Some(last) = read.last() else { break };
            before = Some(last.heading.id);
            lines.extend(read);
        }
        let told: Vec<_> = lines.iter().map(|line| (line.heading.id, line.amount, line.balance)).collect();
        let expected = (1..=9).rev().map(|number: i64| {
            let held = (1..=number).map(|number| 90 + number).sum();
            (entry_id(u64::try_from(number).expect("small")), 90 + number, held)
        });
        assert_eq!(told, expected.collect::<Vec<_>>(), "after {sealed} more were sealed");
    }
    let nothing = ledger.lines(vendor_id(1), rub(), &Account::Payouts, None, 4).await.expect("lines");
    assert_eq!(nothing, []);
}

async fn i19_a_sandbox_has_no_money(kind: Kind) {
    let backend = Backend::new(kind).await;
    assert!(backend.stores.sandbox.ledger().is_none());
    let refused = backend.stores.sandbox.commit(&[post(payment(1, 1, 100))]).await;
    assert!(refused.is_err(), "{refused:?}");
    let (sandbox, live) = (backend.shell("sandbox").await, backend.shell("live").await);
    for table in ["entries", "postings", "settlements", "wallets", "balances"] {
        assert_eq!(live.run(&format!("DELETE FROM {table}")).await, Ok(0), "live has {table}");
        let missing = sandbox.run(&format!("DELETE FROM {table}")).await.expect_err("there is no such table");
        let words = ["no such table", "does not exist"];
        assert!(words.iter().any(|word| missing.contains(word)), "{missing}");
    }
}

on_both_engines!(
    an_entry_reads_back_as_it_was_given,
    a_cause_is_booked_once_and_the_rest_of_its_list_with_it,
    balances_are_the_same_before_and_after_history_is_sealed,
    i6_history_has_one_end_and_no_gaps,
    i7_in_a_crowd_nobody_takes_what_somebody_else_took,
    what_is_pending_settles_once_when_its_time_has_come,
    an_account_is_read_from_its_end_with_what_it_held,
    i19_a_sandbox_has_no_money,
);
