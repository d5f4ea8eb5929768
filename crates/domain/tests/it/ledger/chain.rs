//! The hash chain of the ledger.

use super::{LedgerTable, play};
use crate::fixture::{Shop, after};
use till_domain::{
    hash_chain::{NOTHING, Seal},
    id::{EntryId, SessionId, VendorId},
    ledger::{Account, Cause, Entry, EntryKind, Heading, Posting, canonical_bytes, follow, seal, sum_up},
    money::Currency,
    time::Timestamp,
};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn entry(session: Option<SessionId>) -> Entry {
    let heading = Heading {
        id: EntryId::from_bytes([0x11; 16]),
        vendor: VendorId::from_bytes([0x22; 16]),
        kind: EntryKind::Payment,
        cause: Cause::from_bytes([0x33; 16]),
        session,
        currency: Currency::parse("RUB").expect("a currency"),
        at: Timestamp::from_ms(1_763_164_800_000),
    };
    let postings = [
        Posting::new(Account::Clearing("bank".to_owned()), -4_990),
        Posting::new(Account::Available, 4_865),
        Posting::new(Account::Fees, 125),
    ];
    Entry::new(heading, postings)
}

/// Every seal that exists was computed from these bytes: if this fails, no stored history verifies any more.
#[test]
fn i6_the_bytes_that_are_hashed_never_change() {
    let first = entry(Some(SessionId::from_bytes([0x44; 16])));
    let expected = [
        &"00".repeat(32),
        "0000000000000001",
        &"11".repeat(16),
        &"22".repeat(16),
        "077061796d656e74",
        &"33".repeat(16),
        "01",
        &"44".repeat(16),
        "03525542",
        "0000019a84cfc400",
        "03",
        "0d636c656172696e673a62616e6b",
        "ffffffffffffec82",
        "09617661696c61626c65",
        "0000000000001301",
        "0466656573",
        "000000000000007d",
    ];
    assert_eq!(hex(&canonical_bytes(&first, &NOTHING)), expected.concat());
    let sealed = seal(&first, &NOTHING);
    assert_eq!(
        (sealed.seq, hex(&sealed.hash).as_str()),
        (1, "370f7e5214b47e1bc822a705c66a3c5b058641d876c10eac4803961edd3e817c")
    );
    let second = seal(&entry(None), &sealed);
    assert_eq!(
        (second.seq, hex(&second.hash).as_str()),
        (2, "982690d623f68e5a17d624d2906539823da80fd7d1885ff76d0847e13cc73bb6")
    );
}

/// Entries of a few payments, with their seals.
fn history() -> Vec<(Entry, Seal)> {
    let mut table = LedgerTable::new(Shop::live());
    for _ in 0..5 {
        table.run("fee card RUB 2.5 0");
        table.run("order card 49.90 RUB");
        table.run("paid 4990");
    }
    let mut last = NOTHING;
    let sealed = table.entries.into_iter().map(|entry| {
        last = seal(&entry, &last);
        (entry, last)
    });
    sealed.collect()
}

fn check(history: &[(Entry, Seal)]) -> Result<Seal, EntryId> {
    follow(NOTHING, history.iter().map(|(entry, seal)| (entry, seal)))
}

#[test]
fn i6_whoever_changes_history_breaks_it() {
    let good = history();
    assert_eq!(check(&good), Ok(good[4].1));
    for place in 0..4 {
        let mut missing = good.clone();
        missing.remove(place);
        assert_eq!(check(&missing), Err(good[place + 1].0.id()), "one is missing");
        let mut swapped = good.clone();
        swapped.swap(place, place + 1);
        assert_eq!(check(&swapped), Err(good[place + 1].0.id()), "two are swapped");
        let mut richer = good.clone();
        let heading = richer[place].0.heading().clone();
        let postings = [("bank", -9_990), ("available", 9_990)];
        let postings = postings.map(|(name, amount)| {
            Posting::new(Account::parse(name).unwrap_or(Account::Clearing(name.to_owned())), amount)
        });
        richer[place].0 = Entry::new(heading, postings);
        assert_eq!(check(&richer), Err(good[place].0.id()), "one has other postings");
        let mut later = good.clone();
        let heading = Heading { at: after(1), ..later[place].0.heading().clone() };
        later[place].0 = Entry::new(heading, later[place].0.postings().to_vec());
        assert_eq!(check(&later), Err(good[place].0.id()), "one has another time");
    }
    assert_eq!(check(&good[..4]), Ok(good[3].1), "only the end can be cut off unseen");
}

#[test]
fn what_is_carried_is_the_sum_of_what_was_sealed() {
    let history = history();
    let carried = sum_up(history.iter().map(|(entry, seal)| (entry, seal)));
    let told: Vec<_> = carried.iter().map(|c| (c.account.to_string(), c.amount, c.seq)).collect();
    let expected = [("available", 5 * 4_865, 5), ("clearing:bank", -5 * 4_990, 5), ("fees", 5 * 125, 5)];
    assert_eq!(told, expected.map(|(name, amount, seq)| (name.to_owned(), amount, seq)));
    assert!(sum_up([]).is_empty());
    assert_eq!(play("", Shop::live), "\n");
}
