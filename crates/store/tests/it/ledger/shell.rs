//! Changes to the vendors' money that a database shell cannot make (invariants I5 and I6).

use super::{due, entry_id, payment, post, seal};
use crate::{
    fixture::{Backend, Kind, commit, on_both_engines, start, vendor_id},
    shell::{Shell, bytes},
};
use till_domain::change::Change;

const TABLES: [&str; 4] = ["entries", "postings", "settlements", "wallets"];

async fn all(shell: &Shell) -> Vec<Vec<Vec<String>>> {
    let mut rows = Vec::new();
    for table in TABLES {
        rows.push(shell.rows(table).await);
    }
    rows
}

/// Runs statements in one transaction, and expects that it fails for this reason and changes nothing.
async fn check_refused(shell: &Shell, statements: &[String], because: &str) {
    let before = all(shell).await;
    let error = shell.transact(statements).await.expect_err(&statements.join("; "));
    assert!(error.contains(because), "{error}, by: {}", statements.join("; "));
    assert_eq!(all(shell).await, before, "{}", statements.join("; "));
}

fn leg(entry: u64, line: u8, account: &str, amount: i64) -> String {
    leg_of(entry, line, account, amount, 1, "RUB")
}

fn leg_of(entry: u64, line: u8, account: &str, amount: i64, vendor: u64, currency: &str) -> String {
    format!(
        "INSERT INTO postings (entry_id, line, vendor_id, account, currency, amount)
         VALUES ({}, {line}, {}, '{account}', '{currency}', {amount})",
        bytes(entry_id(entry).as_bytes()),
        bytes(vendor_id(vendor).as_bytes())
    )
}

fn head(entry: u64) -> String {
    head_of(entry, "payment", entry)
}

fn head_of(entry: u64, kind: &str, cause: u64) -> String {
    format!(
        "INSERT INTO entries (id, vendor_id, kind, cause, currency, at) VALUES ({}, {}, '{kind}', {}, 'RUB', 1)",
        bytes(entry_id(entry).as_bytes()),
        bytes(vendor_id(1).as_bytes()),
        bytes(entry_id(cause).as_bytes())
    )
}

async fn i5_what_does_not_balance_is_not_committed(kind: Kind) {
    let backend = Backend::new(kind).await;
    let shell = backend.shell("live").await;
    let legs = |other: &[String]| -> Vec<String> { other.to_vec() };
    let good = [leg(1, 1, "clearing:bank", -100), leg(1, 2, "available", 100)];
    let sum = "sum to zero";
    check_refused(&shell, &[head(1)], sum).await;
    check_refused(&shell, &[leg(1, 1, "clearing:bank", -100), head(1)], sum).await;
    check_refused(&shell, &[leg(1, 1, "clearing:bank", -100), leg(1, 2, "fees", 99), head(1)], sum).await;
    check_refused(&shell, &[good[0].clone(), leg_of(1, 2, "available", 100, 1, "EUR"), head(1)], sum).await;
    check_refused(&shell, &[good[0].clone(), leg_of(1, 2, "available", 100, 2, "RUB"), head(1)], sum).await;
    // Postings without their entry, and an entry before its postings.
    check_refused(&shell, &legs(&good), "").await;
    check_refused(&shell, &[head(1), good[0].clone(), good[1].clone()], sum).await;
    // Postings of zero, of an unknown account, on a line that is taken.
    check_refused(&shell, &[leg(1, 1, "available", 0)], "").await;
    check_refused(&shell, &[leg(1, 1, "pocket", 5)], "").await;
    check_refused(&shell, &[leg(1, 1, "clearing:", 5)], "").await;
    check_refused(&shell, &[leg(1, 1, "available", 5), leg(1, 1, "available", 5)], "").await;
    check_refused(&shell, &[leg(1, 2, "clearing:bank", -5), leg(1, 3, "available", 5), head(1)], "in order")
        .await;
    let sealed = head(1)
        .replace(", at)", ", at, seq, hash)")
        .replace(", 1)", &format!(", 1, 1, {})", bytes(&[1; 32])));
    check_refused(&shell, &[good[0].clone(), good[1].clone(), sealed], sum).await;
    check_refused(&shell, &[good[0].clone(), good[1].clone(), head_of(1, "gift", 1)], "").await;
    // A balanced entry is accepted, and then closed.
    let whole = [good[0].clone(), good[1].clone(), head(1)];
    assert_eq!(shell.transact(&whole).await, Ok(()));
    let closed = "nothing is added to an entry";
    check_refused(&shell, &[leg(1, 3, "available", 100)], closed).await;
    check_refused(&shell, &[leg(1, 3, "available", 5), leg(1, 4, "fees", -5)], closed).await;
    check_refused(&shell, &[leg(2, 1, "available", 5), leg(2, 2, "fees", -5), head_of(2, "payment", 1)], "")
        .await;
    let both = [leg(2, 1, "available", 5), leg(2, 2, "fees", -5), head_of(2, "refund", 1)];
    assert_eq!(shell.transact(&both).await, Ok(()), "another kind of the same cause");
}

/// A shell on a file has foreign keys off unless they are switched on.
#[tokio::test]
async fn i5_who_checks_nothing_at_the_commit_begins_nothing() {
    let backend = Backend::new(Kind::Embedded).await;
    let shell = backend.shell("live").await;
    shell.run("PRAGMA foreign_keys = OFF").await.expect("switched off");
    let on = "with foreign keys on";
    check_refused(&shell, &[leg(1, 1, "clearing:bank", -100)], on).await;
    check_refused(&shell, &[leg(1, 2, "clearing:bank", -100)], on).await;
    shell.run("PRAGMA foreign_keys = ON").await.expect("switched on");
    let whole = [leg(1, 1, "clearing:bank", -100), leg(1, 2, "available", 100), head(1)];
    assert_eq!(shell.transact(&whole).await, Ok(()));
}

/// A second transaction adds to an entry that another one is writing and that it cannot see yet.
#[tokio::test]
async fn needs_postgres_i5_nobody_adds_to_an_entry_that_is_being_written() {
    let backend = Backend::new(Kind::Postgres).await;
    let (one, other) = (backend.shell("live").await, backend.shell("live").await);
    let whole = [leg(1, 1, "clearing:bank", -100), leg(1, 2, "available", 100), head(1)];
    one.run("BEGIN").await.expect("begun");
    for statement in &whole {
        one.run(statement).await.expect("written");
    }
    // It does not see the uncommitted lines, so line 3 has none to follow; and its line 1 waits for the other
    // commit.
    check_refused(&other, &[leg(1, 3, "available", 7)], "in order").await;
    let (first, last) = (leg(1, 1, "available", 7), leg(1, 3, "available", 7));
    let begin = other.run(&first);
    let commit = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        one.run("COMMIT").await
    };
    let (begun, committed) = tokio::join!(begin, commit);
    committed.expect("committed");
    let refused = begun.expect_err("somebody else has begun");
    assert!(refused.contains("duplicate key"), "{refused}");
    check_refused(&other, &[last], "nothing is added to an entry").await;
    assert_eq!(one.rows("postings").await.len(), 2);
}

async fn i6_money_is_never_changed_deleted_or_replaced(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let guard = Change::TakeFromWallet { vendor: vendor_id(1), currency: super::rub(), was: 0 };
    commit(live, &[guard, post(payment(1, 1, 100)), post(payment(2, 1, 100))]).await;
    commit(live, &[Change::ScheduleSettlement(due(1, start()))]).await;
    seal(&backend.stores, 1).await;
    let shell = backend.shell("live").await;
    let one = |statement: String| [statement];
    for column in shell.columns("postings").await {
        let set = one(format!("UPDATE postings SET {column} = {column}"));
        check_refused(&shell, &set, "postings are never changed").await;
    }
    let never = "an entry is never changed";
    for column in shell.columns("entries").await {
        let set = format!("UPDATE entries SET {column} = {column}");
        check_refused(&shell, &one(format!("{set} WHERE seq IS NOT NULL")), never).await;
    }
    // An unsealed entry gets the next number and a hash; nothing else can change.
    let hash = bytes(&[7; 32]);
    for set in [
        "kind = 'refund'".to_owned(),
        "at = 2".to_owned(),
        format!("seq = 1, hash = {hash}"),
        format!("seq = 3, hash = {hash}"),
        format!("seq = 2, hash = {hash}, at = 2"),
        format!("seq = 2, hash = {hash}, cause = {}", bytes(&[9; 16])),
        format!("seq = 2, hash = {hash}, vendor_id = {}", bytes(vendor_id(2).as_bytes())),
        format!("seq = 2, hash = {hash}, currency = 'EUR'"),
    ] {
        check_refused(&shell, &one(format!("UPDATE entries SET {set} WHERE seq IS NULL")), never).await;
    }
    check_refused(&shell, &one("UPDATE entries SET seq = 2 WHERE seq IS NULL".to_owned()), "").await;
    check_refused(&shell, &one("DELETE FROM entries".to_owned()), "entries are never deleted").await;
    check_refused(&shell, &one("DELETE FROM postings".to_owned()), "postings are never deleted").await;
    check_refused(&shell, &one("UPDATE settlements SET amount = 1".to_owned()), "never changed").await;
    check_refused(&shell, &one("DELETE FROM wallets".to_owned()), "wallets are never deleted").await;
    for set in ["version = 0", "version = 1", "currency = 'EUR', version = 9"] {
        check_refused(&shell, &one(format!("UPDATE wallets SET {set}")), "").await;
    }
    if !shell.is_embedded() {
        for table in ["entries", "postings", "wallets"] {
            let truncate = one(format!("TRUNCATE {table} CASCADE"));
            check_refused(&shell, &truncate, "never deleted").await;
        }
        return;
    }
    for (table, column, value) in
        [("postings", "amount", "1"), ("entries", "at", "1"), ("settlements", "amount", "1")]
    {
        let columns = shell.columns(table).await.join(", ");
        let other = columns.replace(column, value);
        for insert in ["REPLACE", "INSERT OR REPLACE"] {
            let replace = format!("{insert} INTO {table} ({columns}) SELECT {other} FROM {table}");
            check_refused(&shell, &one(replace), "").await;
        }
    }
    let same_cause = format!("{} ", head_of(3, "payment", 1)).replace("INSERT", "REPLACE");
    let group = [leg(3, 1, "available", 5), leg(3, 2, "fees", -5), same_cause];
    check_refused(&shell, &group, "never replaced").await;
    let steal = "UPDATE OR REPLACE entries SET seq = 1, hash = zeroblob(32) WHERE seq IS NULL";
    check_refused(&shell, &one(steal.to_owned()), never).await;
}

on_both_engines!(i5_what_does_not_balance_is_not_committed, i6_money_is_never_changed_deleted_or_replaced,);
