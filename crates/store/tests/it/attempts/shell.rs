//! Changes to attempts, transactions and actions that a database shell cannot make (invariant I6).

use super::{attempt_id, intent, late_money, observe, opened, reference, resolve};
use crate::{
    fixture::{Backend, Kind, Shop, commit, on_both_engines, read, session_id},
    shell::{Shell, bytes},
};
use till_domain::{attempt::Observation, method::Method, transaction::Resolution};

/// Runs a statement, and expects that it fails for this reason or affects no row, and changes nothing.
async fn check_refused(shell: &Shell, statement: &str, because: Option<&str>) {
    let mut before = Vec::new();
    for table in ["payment_attempts", "transactions", "actions"] {
        before.push(shell.rows(table).await);
    }
    match (shell.run(statement).await, because) {
        (Ok(0), None) => {}
        (Ok(changed), _) => panic!("{changed} rows changed by: {statement}"),
        (Err(error), because) => {
            assert!(error.contains(because.unwrap_or_default()), "{error}, by: {statement}");
        }
    }
    let mut after = Vec::new();
    for table in ["payment_attempts", "transactions", "actions"] {
        after.push(shell.rows(table).await);
    }
    assert_eq!(after, before, "{statement}");
}

async fn i6_money_is_never_changed_deleted_or_replaced(kind: Kind) {
    let backend = Backend::new(kind).await;
    late_money(&backend.stores.live, &Shop::live()).await;
    let shell = backend.shell("live").await;
    for column in shell.columns("transactions").await {
        let set = format!("UPDATE transactions SET {column} = {column}");
        check_refused(&shell, &set, Some("transactions are never changed")).await;
    }
    let never = Some("transactions are never deleted");
    check_refused(&shell, "DELETE FROM transactions", never).await;
    if !shell.is_embedded() {
        check_refused(&shell, "TRUNCATE transactions CASCADE", Some("never deleted")).await;
        return;
    }
    check_refused(&shell, "UPDATE OR REPLACE transactions SET amount_minor = 1", Some("never changed")).await;
    for insert in ["INSERT OR REPLACE", "REPLACE"] {
        let columns = shell.columns("transactions").await.join(", ");
        let other = columns.replace("amount_minor", "1");
        let statement = format!("{insert} INTO transactions ({columns}) SELECT {other} FROM transactions");
        check_refused(&shell, &statement, Some("transactions are never replaced")).await;
    }
}

async fn i6_what_is_to_be_decided_stays_and_is_decided_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    late_money(live, &Shop::live()).await;
    let shell = backend.shell("live").await;
    let stays = Some("what was decided stays decided");
    for set in [
        "id = x'00000000000000000000000000000001'",
        "kind = 'partial'",
        "vendor_id = x'00000000000000000000000000000002'",
        "transaction_id = NULL",
        "created_at = 1",
    ] {
        check_refused(&shell, &format!("UPDATE actions SET {set}"), stays).await;
    }
    check_refused(&shell, "UPDATE actions SET resolution = 'accept'", Some("")).await;
    check_refused(
        &shell,
        "UPDATE actions SET resolution = 'burn', resolved_at = 1, resolved_by = 'ann'",
        Some(""),
    )
    .await;
    commit(live, &[resolve(1, Resolution::Refund)]).await;
    for set in [
        "resolution = 'accept'",
        "resolved_by = 'ann'",
        "resolution = NULL, resolved_at = NULL, resolved_by = NULL",
    ] {
        check_refused(&shell, &format!("UPDATE actions SET {set}"), stays).await;
    }
    check_refused(&shell, "DELETE FROM actions", Some("never deleted")).await;
    if shell.is_embedded() {
        let columns = shell.columns("actions").await.join(", ");
        let other = columns.replace("resolved_by", "'ann'");
        let statement = format!("REPLACE INTO actions ({columns}) SELECT {other} FROM actions");
        check_refused(&shell, &statement, Some("never replaced")).await;
    } else {
        check_refused(&shell, "TRUNCATE actions CASCADE", Some("never deleted")).await;
    }
}

async fn i6_what_an_attempt_is_for_stays(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    late_money(live, &shop).await;
    opened(live, &shop, 4).await;
    opened(live, &shop, 5).await;
    let shell = backend.shell("live").await;
    let facts = [
        "id = x'00000000000000000000000000000001'",
        &format!("session_id = {}", bytes(session_id(5).as_bytes())),
        "vendor_id = x'00000000000000000000000000000002'",
        "method = 'crypto'",
        "provider = 'another'",
        "choice = 'paid'",
        "email = 'a@example.org'",
        "language = 'ru'",
        "started_at = 1",
    ];
    let which = format!("WHERE id = {}", bytes(attempt_id(1).as_bytes()));
    for fact in facts {
        let statement = format!("UPDATE payment_attempts SET version = version + 1, {fact} {which}");
        check_refused(&shell, &statement, Some("what an attempt is for cannot be changed")).await;
    }
    for version in ["version", "version - 1", "0"] {
        let statement = format!("UPDATE payment_attempts SET version = {version}");
        check_refused(&shell, &statement, Some("its version only rises")).await;
    }
    // The columns that are not listed here may be changed by a commit: a new column must be added to one of
    // the lists.
    let fact = |name: &String| facts.iter().any(|fact| fact.starts_with(&format!("{name} =")));
    let columns = shell.columns("payment_attempts").await;
    let mut rest: Vec<_> = columns.iter().filter(|name| !fact(name)).map(String::as_str).collect();
    rest.sort_unstable();
    let changing = "charge_atoms charge_decimals charge_unit check_at checks confirming in_flight_since needed \
        reason received recorded reference seen shown state updated_at version";
    assert_eq!(rest.join(" "), changing);
    check_refused(&shell, "DELETE FROM payment_attempts", Some("attempts are never deleted")).await;
    for set in ["state = 'refunded'", "state = 'declined'", "reason = 'card_declined'", "check_at = NULL"] {
        let open = format!("WHERE id = {}", bytes(attempt_id(4).as_bytes()));
        let statement = format!("UPDATE payment_attempts SET version = version + 1, {set} {open}");
        check_refused(&shell, &statement, Some("")).await;
    }
    if !shell.is_embedded() {
        check_refused(&shell, "TRUNCATE payment_attempts CASCADE", Some("never deleted")).await;
    }
}

async fn i6_no_attempt_takes_the_place_of_another(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    opened(live, &shop, 1).await;
    let (session, attempt) = opened(live, &shop, 2).await;
    commit(live, &observe(&shop, &session, &attempt, Observation::Closed, 2).changes).await;
    let session = read(live, 2).await.expect("a session");
    commit(live, &intent(&shop, &session, Method::Sbp, 3).1).await;
    let shell = backend.shell("live").await;
    let columns = shell.columns("payment_attempts").await.join(", ");
    let copy = |insert: &str, number: u64, other: &[(&str, &str)]| {
        let value = |column: &str| {
            let other = other.iter().find(|(name, _)| *name == column);
            other.map_or_else(|| column.to_owned(), |(_, value)| (*value).to_owned())
        };
        let values: Vec<_> = columns.split(", ").map(value).collect();
        format!(
            "{insert} INTO payment_attempts ({columns}) SELECT {} FROM payment_attempts WHERE id = {}",
            values.join(", "),
            bytes(attempt_id(number).as_bytes())
        )
    };
    let new = ("id", "x'00000000000000000000000000000001'");
    let ways: &[&str] =
        if shell.is_embedded() { &["INSERT", "INSERT OR REPLACE", "REPLACE"] } else { &["INSERT"] };
    for insert in ways {
        // The same row; another attempt with its reference; another active attempt of its session.
        check_refused(&shell, &copy(insert, 1, &[("email", "'ann'")]), None).await;
        check_refused(&shell, &copy(insert, 1, &[new, ("state", "'closed'")]), None).await;
        check_refused(&shell, &copy(insert, 1, &[new, ("reference", "NULL")]), None).await;
    }
    let updates: &[&str] = if shell.is_embedded() { &["UPDATE", "UPDATE OR REPLACE"] } else { &["UPDATE"] };
    for update in updates {
        let which = format!("WHERE id = {}", bytes(attempt_id(2).as_bytes()));
        for set in
            ["state = 'open', check_at = 1".to_owned(), format!("reference = '{}'", reference(attempt_id(1)))]
        {
            let statement = format!("{update} payment_attempts SET version = version + 1, {set} {which}");
            check_refused(&shell, &statement, None).await;
        }
    }
}

on_both_engines!(
    i6_money_is_never_changed_deleted_or_replaced,
    i6_what_is_to_be_decided_stays_and_is_decided_once,
    i6_what_an_attempt_is_for_stays,
    i6_no_attempt_takes_the_place_of_another,
);
