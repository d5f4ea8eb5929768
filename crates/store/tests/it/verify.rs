//! Changes that a database superuser made to rows are found; changes to a payout without those rights are
//! refused.

use crate::{
    attempts::{observe, opened, paid},
    fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, session_id, start, vendor_id},
    ledger::{books, seal},
    refunds,
    shell::{Shell, bytes},
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    change::Change,
    id::{EntryId, PayoutId},
    ledger::{Account, Cause, Entry, EntryKind, Heading, Posting},
    money::{Currency, Money},
    payout::{Payout, PayoutState, PayoutStep},
    refund::RefundSeen,
    session::Outcome,
};
use till_store::{Committed, Stores};
use tokio::task::JoinSet;

/// Sessions of every kind, one payment that is available and one that is pending, and a payout.
async fn scene(kind: Kind) -> Backend {
    let backend = Backend::new(kind).await;
    let (live, mut shop) = (&backend.stores.live, Shop::live());
    let (session, attempt) = opened(live, &shop, 1).await;
    commit(live, &observe(&shop, &session, &attempt, paid(&attempt), 11).changes).await;
    opened(live, &shop, 2).await;
    let expired = shop.store(live, 3, start()).await;
    commit(live, &shop.finish(&expired, Outcome::Expired, 13).1).await;
    shop.vendor.terms.settlement_delay = Some(Duration::from_secs(3600));
    let (session, attempt) = opened(live, &shop, 4).await;
    commit(live, &observe(&shop, &session, &attempt, paid(&attempt), 14).changes).await;
    assert_eq!(ask(&backend.stores, 1, 100).await, Some(Committed::Done));
    assert_eq!(seal(&backend.stores, 100).await, 3);
    backend
}

fn rub(minor: i64) -> Money {
    Money { minor, currency: Currency::parse("RUB").expect("a currency") }
}

fn payout(number: u64, minor: i64) -> Payout {
    Payout {
        id: PayoutId::from_bytes(*event_id(1_000 + number).as_bytes()),
        vendor: vendor_id(1),
        amount: rub(minor),
        destination: "a bank".to_owned(),
        at: start(),
        by: "ada".to_owned(),
    }
}

/// Requests a payout; none if the balance is too small.
async fn ask(stores: &Stores, number: u64, minor: i64) -> Option<Committed> {
    let payout = payout(number, minor);
    let wallet = books(stores).wallet(payout.vendor, payout.amount.currency).await.expect("a wallet");
    let entry = EntryId::from_bytes(*event_id(2_000 + number).as_bytes());
    let changes = payout.ask(wallet.version, wallet.available, entry).ok()?;
    Some(stores.live.commit(&changes).await.expect("an answer"))
}

/// The names of the violated checks, in live and in the sandbox.
pub async fn wrong(stores: &Stores) -> Vec<String> {
    let mut wrong = Vec::new();
    for payments in [&stores.live, &stores.sandbox] {
        let checked = payments.verify(&mut |_, _| ()).await.expect("it can be read");
        assert_eq!(checked.len(), payments.checks());
        wrong.extend(checked.into_iter().filter(|check| check.wrong > 0).map(|check| check.name.to_owned()));
    }
    wrong
}

/// Removes everything that keeps a superuser from changing rows.
pub async fn take_all_rights(shell: &Shell) {
    drop_triggers(shell).await;
    shell.run("DROP INDEX payment_attempts_active").await.expect("dropped");
}

/// Disables all triggers.
pub async fn drop_triggers(shell: &Shell) {
    match shell {
        Shell::Postgres(client) => {
            client.batch_execute("SET session_replication_role = replica").await.expect("a superuser");
        }
        Shell::Embedded(connection) => {
            let mut triggers = connection
                .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
                .expect("a statement");
            let names = triggers.query_map([], |row| row.get::<_, String>(0)).expect("a query");
            for name in names.collect::<Result<Vec<_>, _>>().expect("names") {
                connection.execute_batch(&format!("DROP TRIGGER {name}")).expect("dropped");
            }
            connection.execute_batch("PRAGMA foreign_keys = OFF").expect("a setting");
        }
    }
}

async fn i1_to_i14_a_row_that_was_edited_is_found(kind: Kind) {
    let backend = scene(kind).await;
    let stores = &backend.stores;
    assert_eq!(wrong(stores).await, [""; 0]);
    let shell = backend.shell("live").await;
    take_all_rights(&shell).await;
    let (one, two) = (bytes(session_id(1).as_bytes()), bytes(session_id(2).as_bytes()));
    let nowhere = bytes(&[0xfe; 16]);
    let of_one = format!("WHERE session_id = {one}");
    let first = "(SELECT id FROM entries WHERE seq = 1)";
    let callback = format!("(SELECT id FROM callbacks {of_one})");
    let edits: &[(String, String, &str)] = &[
        (
            format!("UPDATE sessions SET updated_at = updated_at - 5000 WHERE id = {one}"),
            format!("UPDATE sessions SET updated_at = updated_at + 5000 WHERE id = {one}"),
            "(I1, I2)",
        ),
        (
            format!("UPDATE callbacks SET event = 'session.failed' {of_one}"),
            format!("UPDATE callbacks SET event = 'session.paid' {of_one}"),
            "(I3)",
        ),
        (
            format!("UPDATE callbacks SET session_id = {two} {of_one}"),
            format!("UPDATE callbacks SET session_id = {one} WHERE session_id = {two}"),
            "(I3)",
        ),
        (
            format!("UPDATE payment_attempts SET session_id = {two}, state = 'open', check_at = 1 {of_one}"),
            format!(
                "UPDATE payment_attempts SET session_id = {one}, state = 'paid', check_at = NULL WHERE check_at = 1"
            ),
            "(I10)",
        ),
        (
            format!("UPDATE transactions SET amount_minor = amount_minor - 1 {of_one}"),
            format!("UPDATE transactions SET amount_minor = amount_minor + 1 {of_one}"),
            "(I11)",
        ),
        (
            format!("UPDATE transactions SET amount_minor = amount_minor + 1 {of_one}"),
            format!("UPDATE transactions SET amount_minor = amount_minor - 1 {of_one}"),
            "(I11)",
        ),
        (
            format!(
                "INSERT INTO callback_attempts (callback_id, number, started_at, result) VALUES ({callback}, 9, 1, 'z')"
            ),
            "DELETE FROM callback_attempts WHERE number = 9".to_owned(),
            "(I13, I14)",
        ),
        (
            format!("UPDATE entries SET kind = 'accepted' {of_one}"),
            format!("UPDATE entries SET kind = 'payment' {of_one}"),
            "(I4)",
        ),
        (
            format!("UPDATE receipts SET kind = 'refunded' {of_one}"),
            format!("UPDATE receipts SET kind = 'paid' {of_one}"),
            "has its receipt",
        ),
        (
            format!("UPDATE transactions SET provider = 'other' {of_one}"),
            format!("UPDATE transactions SET provider = 'bank' {of_one}"),
            "(I8)",
        ),
        (
            format!("UPDATE postings SET amount = amount + 1 WHERE line = 1 AND entry_id = {first}"),
            format!("UPDATE postings SET amount = amount - 1 WHERE line = 1 AND entry_id = {first}"),
            "zero in one currency (I5)",
        ),
        (
            format!("UPDATE postings SET currency = 'EUR' WHERE line = 1 AND entry_id = {first}"),
            format!("UPDATE postings SET currency = 'RUB' WHERE line = 1 AND entry_id = {first}"),
            "zero in one currency (I5)",
        ),
        (
            format!("UPDATE postings SET entry_id = {nowhere} WHERE entry_id = {first}"),
            format!("UPDATE postings SET entry_id = {first} WHERE entry_id = {nowhere}"),
            "belongs to an entry (I5)",
        ),
        (
            "UPDATE entries SET at = at + 1 WHERE seq = 1".to_owned(),
            "UPDATE entries SET at = at - 1 WHERE seq = 1".to_owned(),
            "(I6)",
        ),
        (
            "UPDATE entries SET seq = 100 WHERE seq = 2".to_owned(),
            "UPDATE entries SET seq = 2 WHERE seq = 100".to_owned(),
            "(I6)",
        ),
        (
            "UPDATE balances SET balance = balance + 1 WHERE account = 'available'".to_owned(),
            "UPDATE balances SET balance = balance - 1 WHERE account = 'available'".to_owned(),
            "the sum of the entries (I7)",
        ),
        (
            "UPDATE settlements SET amount = amount + 1".to_owned(),
            "UPDATE settlements SET amount = amount - 1".to_owned(),
            "amounts are scheduled (I7)",
        ),
        (
            "UPDATE payouts SET amount = amount + 1".to_owned(),
            "UPDATE payouts SET amount = amount - 1".to_owned(),
            "payout bookings match",
        ),
    ];
    for (edit, repair, name) in edits {
        assert!(shell.run(edit).await.expect(edit) > 0, "{edit}");
        let found = wrong(stores).await;
        assert!(found.iter().any(|check| check.contains(name)), "{edit}: {found:?}");
        shell.run(repair).await.expect(repair);
        assert_eq!(wrong(stores).await, [""; 0], "after {repair}");
    }
}

/// A superuser's change to the price of a session is found, even if several columns still agree.
async fn i11_a_changed_price_amount_or_currency_is_found(kind: Kind) {
    let backend = scene(kind).await;
    let (stores, shop) = (&backend.stores, Shop::sandbox());
    for (number, outcome) in [(1, Some(Outcome::Paid)), (2, Some(Outcome::Expired)), (3, None)] {
        let session = shop.store(&stores.sandbox, number, start()).await;
        if let Some(outcome) = outcome {
            commit(&stores.sandbox, &shop.finish(&session, outcome, 20 + number).1).await;
        }
    }
    assert_eq!(wrong(stores).await, [""; 0]);
    let told = "a session's price is the one its vendor received (I11)";
    let edits = [
        ("price = '49.91'", "price = '49.90'"),
        ("amount_minor = 4989", "amount_minor = 4990"),
        ("price = '49.80', amount_minor = 4980", "price = '49.90', amount_minor = 4990"),
        ("currency = 'USD'", "currency = 'RUB'"),
        ("currency = 'XYZ'", "currency = 'RUB'"),
    ];
    for database in ["live", "sandbox"] {
        let shell = backend.shell(database).await;
        take_all_rights(&shell).await;
        // Number 1 is paid; number 3 of live and number 2 of the sandbox expired.
        for number in [1, if database == "live" { 3 } else { 2 }] {
            let id = bytes(session_id(number).as_bytes());
            for (edit, repair) in edits {
                let change = |set: &str| format!("UPDATE sessions SET {set} WHERE id = {id}");
                assert_eq!(shell.run(&change(edit)).await.expect(edit), 1, "{edit}");
                let found = wrong(stores).await;
                assert!(found.iter().any(|check| check == told), "{database} {number} {edit}: {found:?}");
                shell.run(&change(repair)).await.expect(repair);
            }
        }
        let event = format!(
            "UPDATE callbacks SET body = {{}} WHERE session_id = {}",
            bytes(session_id(1).as_bytes())
        );
        shell.run(&event.replace("{}", &bytes(b"{}"))).await.expect("edited");
        assert!(wrong(stores).await.iter().any(|check| check == told), "an event that names no price");
    }
}

async fn i8_a_refund_that_was_edited_is_found(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (stores, shop) = (&backend.stores, refunds::shop());
    let session = refunds::paid(&stores.live, &shop, 1).await;
    let ends = [
        Some(RefundSeen::Succeeded { reference: "r-1".to_owned() }),
        Some(RefundSeen::Failed { reason: "no".to_owned() }),
        None,
    ];
    for (number, end) in (31..).zip(ends) {
        let asked = refunds::ask(&stores.live, &shop, &session, "20.00", number).await;
        let (refund, changes) = asked.expect("it can be refunded");
        commit(&stores.live, &changes).await;
        if let Some(seen) = end {
            refunds::end(&stores.live, &shop, &session, &refund, seen).await;
        }
    }
    assert_eq!(wrong(stores).await, [""; 0], "one gone, one failed, one on its way");
    let shell = backend.shell("live").await;
    take_all_rights(&shell).await;
    for (edit, repair) in [
        ("SET amount = amount + 1 WHERE number = 1", "SET amount = amount - 1 WHERE number = 1"),
        ("SET amount = amount + 1 WHERE number = 2", "SET amount = amount - 1 WHERE number = 2"),
        (
            "SET state = 'sent', check_at = 1 WHERE number = 1",
            "SET state = 'succeeded', check_at = NULL WHERE number = 1",
        ),
        (
            "SET state = 'sent', failure = NULL, check_at = 1 WHERE number = 2",
            "SET state = 'failed', failure = 'no', check_at = NULL WHERE number = 2",
        ),
    ] {
        shell.run(&format!("UPDATE refunds {edit}")).await.expect(edit);
        let found = wrong(stores).await;
        assert_eq!(
            found,
            ["refund bookings match their states and do not exceed the payment (I8)"],
            "{edit}"
        );
        shell.run(&format!("UPDATE refunds {repair}")).await.expect(repair);
        assert_eq!(wrong(stores).await, [""; 0], "after {repair}");
    }
}

async fn i7_i19_less_than_nothing_and_books_of_a_sandbox_are_found(kind: Kind) {
    let backend = scene(kind).await;
    let sandbox = backend.shell("sandbox").await;
    for table in ["entries", "chain_comparisons"] {
        sandbox.run(&format!("CREATE TABLE {table} (id BIGINT)")).await.expect("made");
        assert_eq!(wrong(&backend.stores).await, ["the sandbox has no ledger (I19)"], "{table}");
        sandbox.run(&format!("DROP TABLE {table}")).await.expect("dropped");
    }
    let heading = Heading {
        id: EntryId::from_bytes(*event_id(77).as_bytes()),
        vendor: vendor_id(1),
        kind: EntryKind::Refund,
        cause: Cause::from_bytes([7; 16]),
        session: None,
        currency: Currency::parse("RUB").expect("a currency"),
        at: start(),
    };
    let much = 1_000_000_000;
    let postings = [Posting::new(Account::Available, -much), Posting::new(Account::Refunds, much)];
    let entry = Entry::new(heading, postings);
    commit(&backend.stores.live, &[Change::PostEntry(Box::new(entry))]).await;
    let found = wrong(&backend.stores).await;
    assert_eq!(
        found,
        [
            "money on its way back belongs to a refund (I8)",
            "no balance is negative; pending amounts are scheduled (I7)"
        ]
    );
}

async fn what_was_paid_before_the_books_were_begun_is_only_noted(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let old = shop.store(live, 1, start()).await;
    commit(live, &shop.finish(&old, Outcome::Paid, 11).1).await;
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
    let before =
        |checked: Vec<till_store::CheckResult>| checked.iter().map(|check| check.before).sum::<u64>();
    assert_eq!(
        before(live.verify(&mut |_, _| ()).await.expect("checked")),
        3,
        "its session, its money and its receipt"
    );
}

async fn a_payout_is_refused_by_the_database_whatever_is_tried(kind: Kind) {
    let backend = scene(kind).await;
    let (live, shell) = (&backend.stores.live, backend.shell("live").await);
    let step = |state| {
        let step = PayoutStep { state, at: start(), by: "op".to_owned(), note: Some("x".to_owned()) };
        payout(1, 100).step(&step, EntryId::from_bytes(*event_id(88).as_bytes()))
    };
    let refused = async |statement: &str| {
        let before = shell.rows("payouts").await;
        assert!(shell.run(statement).await.is_err(), "{statement}");
        assert_eq!(shell.rows("payouts").await, before, "{statement}");
    };
    let insert =
        "INSERT INTO payouts (id, vendor_id, currency, amount, destination, state, asked_at, asked_by)";
    let id = bytes(&[9; 16]);
    for statement in [
        "UPDATE payouts SET amount = 1",
        "UPDATE payouts SET destination = 'mine', state = 'approved', decided_at = 1, decided_by = 'z'",
        "UPDATE payouts SET vendor_id = id, state = 'approved', decided_at = 1, decided_by = 'z'",
        "UPDATE payouts SET state = 'sent', decided_at = 1, decided_by = 'z', ended_at = 1, ended_by = 'z', note = 'z'",
        "UPDATE payouts SET state = 'refused', decided_at = 1, decided_by = 'z'",
        "UPDATE payouts SET state = 'asked'",
        "UPDATE payouts SET state = 'gone'",
        "DELETE FROM payouts",
        &format!("{insert} VALUES ({id}, {id}, 'RUB', 0, 'z', 'asked', 1, 'z')"),
        &format!("{insert} VALUES ({id}, {id}, 'RUB', 1, '', 'asked', 1, 'z')"),
        &format!("{insert} VALUES ({id}, {id}, 'RUB', 1, 'z', 'approved', 1, 'z')"),
        &format!("{insert} SELECT id, vendor_id, currency, 1, 'z', 'asked', 1, 'z' FROM payouts"),
    ] {
        refused(statement).await;
    }
    if shell.is_embedded() {
        refused("INSERT OR REPLACE INTO payouts (id, vendor_id, currency, amount, destination, state, asked_at, asked_by)
            SELECT id, vendor_id, currency, 1, 'z', 'asked', 1, 'z' FROM payouts").await;
    } else {
        refused("TRUNCATE payouts").await;
    }
    commit(live, &step(PayoutState::Approved)).await;
    refused(
        "UPDATE payouts SET state = 'failed', decided_by = 'y', ended_at = 1, ended_by = 'z', note = 'z'",
    )
    .await;
    commit(live, &step(PayoutState::Sent)).await;
    for state in ["asked", "approved", "refused", "sent", "failed"] {
        refused(&format!("UPDATE payouts SET state = '{state}'")).await;
    }
    let lost = live.commit(&step(PayoutState::Failed)).await.expect("an answer");
    assert!(matches!(lost, Committed::Lost(_)), "{lost:?}");
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
}

async fn i7_of_payouts_of_two_nodes_at_once_only_those_get_through_that_there_is_money_for(kind: Kind) {
    let backend = scene(kind).await;
    let other = Arc::new(backend.again().await);
    let available = async || {
        let wallet = books(&backend.stores).wallet(vendor_id(1), rub(0).currency).await;
        wallet.expect("a wallet").available
    };
    let part = available().await.minor / 4 + 1;
    let mut tries = JoinSet::new();
    for number in 0..12_u64 {
        let stores = Arc::clone(if number % 2 == 0 { &backend.stores } else { &other });
        tries.spawn(async move {
            for _ in 0..1_000 {
                match ask(&stores, 10 + number, part).await {
                    Some(Committed::Lost(_)) => tokio::task::yield_now().await,
                    done => return done.is_some(),
                }
            }
            panic!("never decided")
        });
    }
    let asked = tries.join_all().await;
    assert_eq!(asked.into_iter().filter(|done| *done).count(), 3);
    let left = available().await.minor;
    assert!((0..part).contains(&left), "{left}");
    assert_eq!(wrong(&backend.stores).await, [""; 0]);
}

on_both_engines!(
    i1_to_i14_a_row_that_was_edited_is_found,
    i11_a_changed_price_amount_or_currency_is_found,
    i8_a_refund_that_was_edited_is_found,
    i7_i19_less_than_nothing_and_books_of_a_sandbox_are_found,
    what_was_paid_before_the_books_were_begun_is_only_noted,
    a_payout_is_refused_by_the_database_whatever_is_tried,
    i7_of_payouts_of_two_nodes_at_once_only_those_get_through_that_there_is_money_for,
);
