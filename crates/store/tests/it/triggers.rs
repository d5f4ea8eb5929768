//! What the schema refuses to whoever tries, here a person with a database shell: a session leaves
//! `pending` once and for good, and what was recorded stays as it was recorded.

use crate::{
    accounts::add_vendor,
    fixture::{Backend, Shop, commit, session_id, start},
};
use rusqlite::{Connection, types::Value};
use till_domain::session::{FailureReason, Outcome};

const PENDING: u64 = 1;
const FINAL: [(u64, Outcome); 3] =
    [(2, Outcome::Paid), (3, Outcome::Failed(FailureReason::CardDeclined)), (4, Outcome::Expired)];

/// Every status with the columns that go with it, so that no other rule refuses it first.
const STATUSES: [&str; 4] = [
    "status = 'pending', failure_reason = NULL, due_at = 1",
    "status = 'paid', failure_reason = NULL, due_at = NULL",
    "status = 'failed', failure_reason = 'card_declined', due_at = NULL",
    "status = 'expired', failure_reason = NULL, due_at = NULL",
];

const IS_FINAL: &str = "a session with a final status cannot be changed";
const IS_FACT: &str = "what a session is for cannot be changed";
const IS_BORN_PENDING: &str = "a session starts as pending";
const NEVER_DELETED: &str = "never deleted";
const IS_FROZEN: &str = "a callback event is frozen when it is made";
/// Several rules stand against it; which of them speaks first does not matter.
const SOME_RULE: &str = "";

/// A store with a pending session and one of each final status, and a shell on it.
struct Scene {
    shell: Connection,
    _backend: Backend,
}

impl Scene {
    async fn new() -> Self {
        let backend = Backend::new();
        let (live, shop) = (&backend.stores.live, Shop::live());
        shop.store(live, PENDING, start()).await;
        for (number, outcome) in FINAL {
            let session = shop.store(live, number, start()).await;
            commit(live, &shop.finish(&session, outcome, number).1).await;
        }
        Self { shell: backend.shell("live.db"), _backend: backend }
    }

    /// Everything that is stored.
    fn rows(&self) -> Vec<Vec<Value>> {
        let tables = ["sessions", "history", "callbacks"];
        tables.iter().flat_map(|table| rows(&self.shell, table)).collect()
    }

    /// Tries a statement, and expects that it fails for this reason and changes nothing.
    fn check_refused(&self, statement: &str, because: &str) {
        let before = self.rows();
        match self.shell.execute(statement, []) {
            Ok(changed) => panic!("{changed} rows changed by: {statement}"),
            Err(error) => assert!(error.to_string().contains(because), "{error}, by: {statement}"),
        }
        assert_eq!(self.rows(), before, "{statement}");
    }

    /// As [`Scene::check_refused`], for an update of one session.
    fn check_update_refused(&self, number: u64, set: &str, because: &str) {
        self.check_refused(&format!("UPDATE sessions SET {set} WHERE id = {}", id(number)), because);
    }

    /// An insert of what a row holds, but with other values in some columns: `column = value, …`.
    fn copy(&self, insert: &str, table: &str, row: &str, other: &str) -> String {
        let other: Vec<_> = other.split(", ").filter_map(|pair| pair.split_once(" = ")).collect();
        let columns = self.columns(table);
        let value = |column: &String| {
            let other = other.iter().find(|(name, _)| name == column);
            other.map_or_else(|| column.clone(), |(_, value)| (*value).to_owned())
        };
        let values: Vec<_> = columns.iter().map(value).collect();
        let (columns, values) = (columns.join(", "), values.join(", "));
        format!("{insert} INTO {table} ({columns}) SELECT {values} FROM {table} WHERE {row}")
    }

    fn columns(&self, table: &str) -> Vec<String> {
        let statement = self.shell.prepare(&format!("SELECT * FROM {table}")).expect("a statement");
        statement.column_names().map(str::to_owned).collect()
    }
}

fn rows(shell: &Connection, table: &str) -> Vec<Vec<Value>> {
    let mut statement = shell.prepare(&format!("SELECT * FROM {table}")).expect("a statement");
    let width = statement.column_count();
    let rows = statement.query_map([], |row| (0..width).map(|column| row.get(column)).collect());
    rows.expect("a query").collect::<Result<_, _>>().expect("rows")
}

/// A session's id as a literal.
fn id(number: u64) -> String {
    let hex: String = session_id(number).as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("x'{hex}'")
}

#[tokio::test]
async fn i1_no_final_status_can_be_left() {
    let scene = Scene::new().await;
    for (number, _) in FINAL {
        for status in STATUSES {
            for update in ["UPDATE", "UPDATE OR IGNORE", "UPDATE OR REPLACE"] {
                let statement = format!("{update} sessions SET {status} WHERE id = {}", id(number));
                scene.check_refused(&statement, IS_FINAL);
            }
        }
    }
    let all_at_once = format!("UPDATE sessions SET {}", STATUSES[0]);
    scene.check_refused(&all_at_once, IS_FINAL);
}

#[tokio::test]
async fn i1_there_is_no_fifth_status() {
    let scene = Scene::new().await;
    for status in ["refunded", "PAID", "", "paid "] {
        scene.check_update_refused(
            PENDING,
            &format!("status = '{status}', due_at = NULL"),
            "CHECK constraint",
        );
    }
    scene.check_update_refused(PENDING, "status = NULL, due_at = NULL", "NOT NULL constraint");
}

#[tokio::test]
async fn i1_a_status_has_its_reason_and_its_timer_or_none() {
    let scene = Scene::new().await;
    for set in [
        "status = 'failed', due_at = NULL",
        "status = 'paid', due_at = NULL, failure_reason = 'card_declined'",
        "failure_reason = 'card_declined'",
        "status = 'paid'",
        "due_at = NULL",
        "plan_status = 'paid'",
        "plan_at = 1",
    ] {
        scene.check_update_refused(PENDING, set, "CHECK constraint");
    }
}

#[tokio::test]
async fn i1_a_session_cannot_be_born_final() {
    let scene = Scene::new().await;
    for status in &STATUSES[1..] {
        let other = format!("id = {}, {status}", id(9));
        let pending = format!("id = {}", id(PENDING));
        for insert in ["INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE"] {
            scene.check_refused(&scene.copy(insert, "sessions", &pending, &other), IS_BORN_PENDING);
        }
    }
}

#[tokio::test]
async fn i1_sessions_are_never_deleted() {
    let scene = Scene::new().await;
    for number in [PENDING, 2, 3, 4] {
        scene.check_refused(&format!("DELETE FROM sessions WHERE id = {}", id(number)), NEVER_DELETED);
    }
    scene.check_refused("DELETE FROM sessions", NEVER_DELETED);
    // Even if the shell does not care about links between tables.
    scene.shell.execute_batch("PRAGMA foreign_keys = OFF").expect("a setting");
    scene.check_refused("DELETE FROM sessions", NEVER_DELETED);
}

#[tokio::test]
async fn i1_a_session_cannot_be_replaced_by_a_new_one() {
    let scene = Scene::new().await;
    for number in [2, 3, 4, PENDING] {
        let row = format!("id = {}", id(number));
        let other = format!("{}, price = '0.01', amount_minor = 1", STATUSES[0]);
        for insert in ["INSERT OR REPLACE", "REPLACE", "INSERT"] {
            scene.check_refused(&scene.copy(insert, "sessions", &row, &other), SOME_RULE);
        }
    }
}

#[tokio::test]
async fn i1_an_upsert_is_no_way_around() {
    let scene = Scene::new().await;
    for (number, _) in FINAL {
        let row = format!("id = {}", id(number));
        let insert = scene.copy("INSERT", "sessions", &row, STATUSES[0]);
        scene.check_refused(&format!("{insert} ON CONFLICT (id) DO UPDATE SET {}", STATUSES[0]), SOME_RULE);
    }
}

#[tokio::test]
async fn i2_a_final_session_cannot_be_touched_at_all() {
    let scene = Scene::new().await;
    for (number, _) in FINAL {
        for set in [
            "updated_at = updated_at + 1",
            "request_id = 'req-2'",
            "created_at = created_at + 1",
            "failure_reason = 'provider_error'",
            "method = 'crypto'",
            "card_ends_at = 1",
            "due_at = 1",
            "plan_status = 'paid', plan_at = 1",
            "price = '0.01', amount_minor = 1",
            "status = status",
        ] {
            scene.check_update_refused(number, set, "cannot be changed");
        }
    }
}

#[tokio::test]
async fn i2_what_a_pending_session_is_for_cannot_be_changed() {
    let scene = Scene::new().await;
    let facts = [
        &format!("id = {}", id(9)),
        "vendor_id = x'00000000000000000000000000000002'",
        "order_id = 'A-2'",
        "product_name = 'atlas'",
        "price = '49.9'",
        "amount_minor = 4991",
        "currency = 'USD'",
        "product_id = 'globe'",
        "category_id = 'maps'",
        "request_id = 'req-2'",
        "created_at = created_at + 1",
        "callback_url = 'https://evil.example/'",
        "return_url = 'https://evil.example/'",
        "methods = 'card'",
        "asked_methods = '[\"card\",null]'",
    ];
    for fact in facts {
        scene.check_update_refused(PENDING, fact, IS_FACT);
        for status in &STATUSES[1..] {
            scene.check_update_refused(PENDING, &format!("{status}, {fact}"), IS_FACT);
        }
    }
    // What is not listed here is what a commit may change: a new column must be put on one of the sides.
    let fact = |name: &String| facts.iter().any(|fact| fact.starts_with(&format!("{name} =")));
    let rest: Vec<_> = scene.columns("sessions").into_iter().filter(|name| !fact(name)).collect();
    let changing = "status failure_reason updated_at method card_ends_at sbp_ends_at crypto_ends_at \
        plan_status plan_reason plan_at due_at";
    assert_eq!(rest.join(" "), changing);
}

#[tokio::test]
async fn i6_history_is_never_changed_or_deleted() {
    let scene = Scene::new().await;
    for set in ["at = 1", "kind = 'paid'", "detail = NULL", "seq = 7", "kind = kind"] {
        scene.check_refused(&format!("UPDATE history SET {set}"), "history is never changed");
    }
    let moved = format!("UPDATE history SET session_id = {}, seq = 9", id(PENDING));
    scene.check_refused(&moved, "history is never changed");
    scene.check_refused("DELETE FROM history", NEVER_DELETED);
    let one = format!("DELETE FROM history WHERE session_id = {} AND seq = 1", id(2));
    scene.check_refused(&one, NEVER_DELETED);
}

#[tokio::test]
async fn i6_a_line_of_history_cannot_be_replaced() {
    let scene = Scene::new().await;
    for insert in ["INSERT OR REPLACE", "REPLACE", "INSERT"] {
        let row = format!("session_id = {} AND seq = 1", id(2));
        let statement = scene.copy(insert, "history", &row, "kind = 'expired', at = 1");
        scene.check_refused(&statement, SOME_RULE);
    }
}

#[tokio::test]
async fn i6_a_callback_event_is_frozen_and_kept() {
    let scene = Scene::new().await;
    for set in [
        "body = x'7b7d'",
        "body = CAST(body || ' ' AS BLOB)",
        "event = 'session.refunded'",
        "target = 'https://evil.example/'",
        "target = NULL, state = 'no_target'",
        "id = x'00000000000000000000000000000001'",
        "vendor_id = x'00000000000000000000000000000002'",
        "created_at = 1",
        &format!("session_id = {}", id(PENDING)),
    ] {
        let statement = format!("UPDATE callbacks SET {set} WHERE session_id = {}", id(2));
        scene.check_refused(&statement, IS_FROZEN);
    }
    scene.check_refused("DELETE FROM callbacks", NEVER_DELETED);
    scene.check_refused(&format!("DELETE FROM callbacks WHERE session_id = {}", id(2)), NEVER_DELETED);
}

#[tokio::test]
async fn i6_a_callback_event_cannot_be_replaced() {
    let scene = Scene::new().await;
    let row = format!("session_id = {}", id(2));
    for other in ["body = x'7b7d'", "id = x'00000000000000000000000000000001', body = x'7b7d'"] {
        for insert in ["INSERT OR REPLACE", "REPLACE", "INSERT"] {
            scene.check_refused(&scene.copy(insert, "callbacks", &row, other), SOME_RULE);
        }
    }
}

#[tokio::test]
async fn vendors_and_credentials_are_never_deleted() {
    let backend = Backend::new();
    add_vendor(&backend.stores.accounts, 1).await;
    let shell = backend.shell("accounts.db");
    for table in ["credentials", "vendors"] {
        let before = rows(&shell, table);
        let error = shell.execute(&format!("DELETE FROM {table}"), []).expect_err("it is kept");
        assert!(error.to_string().contains(NEVER_DELETED), "{error}");
        assert_eq!(rows(&shell, table), before);
    }
}
