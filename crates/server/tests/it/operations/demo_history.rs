//! The month of sample payments that a demo begins with.

use super::demo::{Demo, files};
use crate::support::until;
use rusqlite::{Connection, Row};
use serde_json::Value;
use std::{
    path::Path,
    process::{Command, Output},
    time::{SystemTime, UNIX_EPOCH},
};
use tempfile::TempDir;

/// A demo that was started once with these arguments and stopped.
fn started_once(arguments: &[&str]) -> TempDir {
    let home = TempDir::new().expect("a folder");
    Demo::start(home.path(), arguments).stop();
    home
}

/// Rows of a database of the demo, each of its columns as text.
fn rows(home: &Path, file: &str, sql: &str) -> Vec<String> {
    let connection = Connection::open(home.join("till-demo").join(file)).expect("a database");
    let mut statement = connection.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let columns = statement.column_count();
    let read = |row: &Row<'_>| {
        let cell = |column| {
            row.get::<_, rusqlite::types::Value>(column).map(|value| match value {
                rusqlite::types::Value::Null => "-".to_owned(),
                rusqlite::types::Value::Integer(number) => number.to_string(),
                rusqlite::types::Value::Text(text) => text,
                other => format!("{other:?}"),
            })
        };
        Ok((0..columns).map(cell).collect::<Result<Vec<_>, _>>()?.join(" "))
    };
    statement.query_map([], read).expect("rows").map(|row| row.expect("a row")).collect()
}

fn count(home: &Path, file: &str, what: &str) -> u64 {
    rows(home, file, &format!("SELECT COUNT(*) FROM {what}"))[0].parse().expect("a number")
}

/// An operator's command on the folder of the demo.
fn till(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
    command.env_clear().env("TILL_SIMULATOR", "on").current_dir(home);
    command.args(["--data-dir", "till-demo", "--json"]).args(arguments).output().expect("it runs")
}

fn json(output: &Output) -> Value {
    let told = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"))
}

/// What a payment is, without its time and its ids.
const ORDERS: &str =
    "SELECT order_id, product_name, price, currency, method, status, failure_reason FROM sessions
    ORDER BY created_at, order_id";

#[test]
fn a_first_start_writes_a_month_of_payments_that_hold_every_invariant() {
    let home = started_once(&[]);
    check_sessions(home.path());
    check_what_followed(home.path());
    check_nothing_is_due(home.path());
    let verified = till(home.path(), &["verify"]);
    assert!(verified.status.success(), "{}", json(&verified));
}

fn check_sessions(home: &Path) {
    let by_status = "SELECT status, COUNT(*) FROM sessions GROUP BY status ORDER BY status";
    assert_eq!(rows(home, "live.db", by_status), ["expired 48", "failed 25", "paid 250", "pending 3"]);
    assert_eq!(rows(home, "sandbox.db", by_status), ["expired 4", "failed 15", "paid 36", "pending 1"]);
    let reasons =
        "SELECT failure_reason FROM sessions WHERE status = 'failed' GROUP BY failure_reason ORDER BY 1";
    let all =
        ["canceled_by_customer", "card_declined", "card_expired", "insufficient_funds", "three_ds_failed"];
    assert_eq!(rows(home, "live.db", reasons), all);
    let methods = "SELECT method FROM sessions WHERE status = 'paid' GROUP BY method ORDER BY method";
    assert_eq!(rows(home, "live.db", methods), ["card", "crypto", "sbp"]);
    let days = "SELECT COUNT(DISTINCT created_at / 86400000) >= 29, COUNT(DISTINCT vendor_id) FROM sessions";
    assert_eq!(rows(home, "live.db", days), ["1 1"]);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_millis();
    let ago = |order: &str| -> u128 {
        let at = rows(home, "live.db", &format!("SELECT {order}(created_at) FROM sessions"));
        (now - at[0].parse::<u128>().expect("a time")) / 60_000
    };
    assert_eq!((ago("MIN") / 60 / 24, ago("MAX") < 10), (28, true), "a month that ends now");
}

fn check_what_followed(home: &Path) {
    let refunds = "SELECT state, amount = (SELECT amount_minor FROM transactions AS t WHERE t.id = transaction_id), COUNT(*)
        FROM refunds GROUP BY 1, 2 ORDER BY 1, 2";
    assert_eq!(rows(home, "live.db", refunds), ["failed 1 1", "succeeded 0 6", "succeeded 1 9"]);
    let undelivered = "SELECT state, COUNT(*), MAX(attempts) FROM callbacks GROUP BY state ORDER BY state";
    assert_eq!(rows(home, "live.db", undelivered), ["delivered 339 2", "undelivered 1 4"]);
    let actions = json(&till(home, &["action", "list"]));
    assert_eq!(actions.as_array().map(Vec::len), Some(1), "{actions}");
    assert_eq!(actions[0]["kind"], "surplus");
}

/// The workers of a demo have nothing to repeat, and nothing to ask that the bank does not know.
fn check_nothing_is_due(home: &Path) {
    for (file, due) in [
        ("live.db", "payment_attempts WHERE check_at IS NOT NULL"),
        ("live.db", "refunds WHERE check_at IS NOT NULL"),
        ("live.db", "callbacks WHERE due_at IS NOT NULL"),
        ("live.db", "settlements"),
        ("live.db", "dispatches"),
        ("sandbox.db", "payment_attempts WHERE check_at IS NOT NULL"),
        ("sandbox.db", "callbacks WHERE due_at IS NOT NULL"),
        ("accounts.db", "mails"),
        ("live.db", "payment_attempts WHERE id NOT IN (SELECT id FROM simulated_payments)"),
        ("live.db", "refunds WHERE id NOT IN (SELECT id FROM simulated_refunds)"),
    ] {
        assert_eq!(count(home, file, due), 0, "{due}");
    }
}

#[test]
fn the_sample_payments_are_the_same_each_time_and_written_once() {
    let first = started_once(&[]);
    let [live, sandbox] = ["live.db", "sandbox.db"].map(|file| rows(first.path(), file, ORDERS));
    Demo::start(first.path(), &[]).stop();
    let ids = |home: &TempDir| rows(home.path(), "live.db", "SELECT hex(id) FROM sessions ORDER BY id");
    let written = ids(&first);
    assert_eq!(written.len(), live.len(), "a second start adds none");
    Demo::start(first.path(), &["--reset"]).stop();
    assert_eq!(rows(first.path(), "live.db", ORDERS), live);
    assert_eq!(rows(first.path(), "sandbox.db", ORDERS), sandbox);
    assert!(ids(&first).iter().all(|id| !written.contains(id)), "they are written anew");
}

#[test]
fn a_demo_without_history_has_no_sample_payments() {
    let home = started_once(&["--no-history"]);
    Demo::start(home.path(), &[]).stop();
    for file in ["live.db", "sandbox.db"] {
        assert_eq!(count(home.path(), file, "sessions"), 0, "nor does a later start add any");
    }
    let home = TempDir::new().expect("a folder");
    let demo = Demo::start(home.path(), &["--ephemeral"]);
    let folder =
        std::fs::read_dir(home.path()).expect("a folder").next().expect("one").expect("an entry").path();
    std::os::unix::fs::symlink(&folder, home.path().join("till-demo")).expect("a link");
    assert_eq!(count(home.path(), "live.db", "sessions"), 0, "it is for programs");
    std::fs::remove_file(home.path().join("till-demo")).expect("removed");
    demo.stop();
    assert_eq!(files(home.path()), 0);
}

#[tokio::test]
async fn a_visitor_can_refund_a_sample_payment() {
    let home = TempDir::new().expect("a folder");
    let demo = Demo::start(home.path(), &[]);
    let home = home.path();
    for method in ["card", "sbp", "crypto"] {
        let paid = format!(
            "SELECT lower(hex(id)) FROM sessions WHERE status = 'paid' AND method = '{method}'
             AND id NOT IN (SELECT session_id FROM refunds) ORDER BY id LIMIT 1"
        );
        let hex = rows(home, "live.db", &paid).remove(0);
        let id = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
        let refund = json(&till(home, &["refund", "create", &id]));
        assert_eq!(refund["status"], "pending", "{refund}");
        let state = format!("SELECT state FROM refunds WHERE lower(hex(session_id)) = '{hex}'");
        until("the bank has sent it", async || rows(home, "live.db", &state) == ["succeeded"]).await;
    }
    demo.stop();
    assert!(till(home, &["verify"]).status.success());
}
