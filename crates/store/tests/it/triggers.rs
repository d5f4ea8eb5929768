//! What the schema refuses to every client, here a database shell: a session leaves `pending` once and for
//! good, and recorded rows stay as they are.

use crate::{
    accounts::add_vendor,
    fixture::{Backend, Kind, Shop, commit, on_both_engines, session_id, start},
    shell::{Shell, bytes},
};
use till_domain::{
    method::Method,
    session::{self, FailureReason, Outcome},
};

const PENDING: u64 = 1;
const FINAL: [(u64, Outcome); 3] =
    [(2, Outcome::Paid), (3, Outcome::Failed(FailureReason::CardDeclined)), (4, Outcome::Expired)];

/// Every status with the columns that belong to it, so that no other rule refuses it first.
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
/// Several rules refuse it; which one comes first does not matter.
const SOME_RULE: &str = "";

/// A store with a pending session and one of each final status, and a shell on it.
struct Scene {
    shell: Shell,
    _backend: Backend,
}

impl Scene {
    async fn new(kind: Kind) -> Self {
        let backend = Backend::new(kind).await;
        let (live, shop) = (&backend.stores.live, Shop::live());
        shop.store(live, PENDING, start()).await;
        for (number, outcome) in FINAL {
            let session = shop.store(live, number, start()).await;
            let chosen = session::choose_method(&session, Method::Card, &shop.rules, start());
            let (session, choice) = chosen.expect("it is offered");
            commit(live, &choice).await;
            commit(live, &shop.finish(&session, outcome, number).1).await;
        }
        Self { shell: backend.shell("live").await, _backend: backend }
    }

    async fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        for table in ["sessions", "history", "callbacks"] {
            rows.extend(self.shell.rows(table).await);
        }
        rows
    }

    /// Runs a statement, and expects that it fails for this reason and changes nothing.
    async fn check_refused(&self, statement: &str, because: &str) {
        let before = self.rows().await;
        match self.shell.run(statement).await {
            Ok(changed) => panic!("{changed} rows changed by: {statement}"),
            Err(error) => {
                assert!(error.to_lowercase().contains(&because.to_lowercase()), "{error}, by: {statement}")
            }
        }
        assert_eq!(self.rows().await, before, "{statement}");
    }

    /// Like [`Scene::check_refused`], for an update of one session.
    async fn check_update_refused(&self, number: u64, set: &str, because: &str) {
        self.check_refused(&format!("UPDATE sessions SET {set} WHERE id = {}", id(number)), because).await;
    }

    /// The forms of a statement that the engine supports.
    fn ways<'a>(&self, ways: &[&'a str]) -> Vec<&'a str> {
        let known = |way: &&&str| self.shell.is_embedded() || !(way.contains(" OR ") || **way == "REPLACE");
        ways.iter().filter(known).copied().collect()
    }

    /// A statement that inserts a copy of a row with other values in some columns: `column = value, …`.
    async fn copy(&self, insert: &str, table: &str, row: &str, other: &str) -> String {
        let other: Vec<_> = other.split(", ").filter_map(|pair| pair.split_once(" = ")).collect();
        let columns = self.shell.columns(table).await;
        let value = |column: &String| {
            let other = other.iter().find(|(name, _)| name == column);
            other.map_or_else(|| column.clone(), |(_, value)| (*value).to_owned())
        };
        let values: Vec<_> = columns.iter().map(value).collect();
        let (columns, values) = (columns.join(", "), values.join(", "));
        format!("{insert} INTO {table} ({columns}) SELECT {values} FROM {table} WHERE {row}")
    }
}

/// A session's id as a literal.
fn id(number: u64) -> String {
    bytes(session_id(number).as_bytes())
}

async fn i1_no_final_status_can_be_left(kind: Kind) {
    let scene = Scene::new(kind).await;
    for (number, _) in FINAL {
        for status in STATUSES {
            for update in scene.ways(&["UPDATE", "UPDATE OR IGNORE", "UPDATE OR REPLACE"]) {
                let statement = format!("{update} sessions SET {status} WHERE id = {}", id(number));
                scene.check_refused(&statement, IS_FINAL).await;
            }
        }
    }
    let all_at_once = format!("UPDATE sessions SET {}", STATUSES[0]);
    scene.check_refused(&all_at_once, IS_FINAL).await;
}

async fn i1_there_is_no_fifth_status(kind: Kind) {
    let scene = Scene::new(kind).await;
    for status in ["refunded", "PAID", "", "paid "] {
        scene
            .check_update_refused(PENDING, &format!("status = '{status}', due_at = NULL"), "check constraint")
            .await;
    }
    scene.check_update_refused(PENDING, "status = NULL, due_at = NULL", "constraint").await;
}

async fn i1_a_status_has_its_reason_and_its_timer_or_none(kind: Kind) {
    let scene = Scene::new(kind).await;
    for set in [
        "status = 'failed', due_at = NULL",
        "status = 'paid', due_at = NULL, failure_reason = 'card_declined'",
        "failure_reason = 'card_declined'",
        "status = 'paid'",
        "due_at = NULL",
        "plan_status = 'paid'",
        "plan_at = 1",
    ] {
        scene.check_update_refused(PENDING, set, "check constraint").await;
    }
}

async fn i1_a_session_cannot_be_born_final(kind: Kind) {
    let scene = Scene::new(kind).await;
    for status in &STATUSES[1..] {
        let other = format!("id = {}, {status}", id(9));
        let pending = format!("id = {}", id(PENDING));
        for insert in scene.ways(&["INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE"]) {
            scene
                .check_refused(&scene.copy(insert, "sessions", &pending, &other).await, IS_BORN_PENDING)
                .await;
        }
    }
}

async fn i1_sessions_are_never_deleted(kind: Kind) {
    let scene = Scene::new(kind).await;
    for number in [PENDING, 2, 3, 4] {
        scene.check_refused(&format!("DELETE FROM sessions WHERE id = {}", id(number)), NEVER_DELETED).await;
    }
    scene.check_refused("DELETE FROM sessions", NEVER_DELETED).await;
    // Even if the shell does not enforce foreign keys.
    if scene.shell.is_embedded() {
        scene.shell.run("PRAGMA foreign_keys = OFF").await.expect("a setting");
    } else {
        scene.check_refused("TRUNCATE sessions CASCADE", NEVER_DELETED).await;
    }
    scene.check_refused("DELETE FROM sessions", NEVER_DELETED).await;
}

async fn i1_a_session_cannot_be_replaced_by_a_new_one(kind: Kind) {
    let scene = Scene::new(kind).await;
    for number in [2, 3, 4, PENDING] {
        let row = format!("id = {}", id(number));
        let other = format!("{}, price = '0.01', amount_minor = 1", STATUSES[0]);
        for insert in scene.ways(&["INSERT OR REPLACE", "REPLACE", "INSERT"]) {
            scene.check_refused(&scene.copy(insert, "sessions", &row, &other).await, SOME_RULE).await;
        }
    }
}

async fn i1_an_upsert_is_no_way_around(kind: Kind) {
    let scene = Scene::new(kind).await;
    for (number, _) in FINAL {
        let row = format!("id = {}", id(number));
        let insert = scene.copy("INSERT", "sessions", &row, STATUSES[0]).await;
        scene
            .check_refused(&format!("{insert} ON CONFLICT (id) DO UPDATE SET {}", STATUSES[0]), SOME_RULE)
            .await;
    }
}

async fn i2_a_final_session_cannot_be_touched_at_all(kind: Kind) {
    let scene = Scene::new(kind).await;
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
            scene.check_update_refused(number, set, "cannot be changed").await;
        }
    }
}

async fn t27_i2_what_a_pending_session_is_for_cannot_be_changed(kind: Kind) {
    let scene = Scene::new(kind).await;
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
        "metadata = '{\"a\":\"b\"}'",
        "customer_email = 'eve@mail.example'",
        "locale = 'en'",
        "closes_at = 1",
    ];
    for fact in facts {
        scene.check_update_refused(PENDING, fact, IS_FACT).await;
        for status in &STATUSES[1..] {
            scene.check_update_refused(PENDING, &format!("{status}, {fact}"), IS_FACT).await;
        }
    }
    // The columns that are not listed here may be changed by a commit: a new column must be added to one of
    // the lists.
    let fact = |name: &String| facts.iter().any(|fact| fact.starts_with(&format!("{name} =")));
    let rest: Vec<_> = scene.shell.columns("sessions").await.into_iter().filter(|name| !fact(name)).collect();
    let changing = "status failure_reason updated_at method card_ends_at sbp_ends_at crypto_ends_at \
        plan_status plan_reason plan_at due_at held_until moved_at";
    assert_eq!(rest.join(" "), changing);
}

async fn t27_i6_history_is_never_changed_or_deleted(kind: Kind) {
    let scene = Scene::new(kind).await;
    for set in ["at = 1", "kind = 'paid'", "detail = NULL", "seq = 7", "kind = kind"] {
        scene.check_refused(&format!("UPDATE history SET {set}"), "history is never changed").await;
    }
    let moved = format!("UPDATE history SET session_id = {}, seq = 9", id(PENDING));
    scene.check_refused(&moved, "history is never changed").await;
    scene.check_refused("DELETE FROM history", NEVER_DELETED).await;
    let one = format!("DELETE FROM history WHERE session_id = {} AND seq = 1", id(2));
    scene.check_refused(&one, NEVER_DELETED).await;
}

async fn i6_a_line_of_history_cannot_be_replaced(kind: Kind) {
    let scene = Scene::new(kind).await;
    for insert in scene.ways(&["INSERT OR REPLACE", "REPLACE", "INSERT"]) {
        let row = format!("session_id = {} AND seq = 1", id(2));
        let statement = scene.copy(insert, "history", &row, "kind = 'expired', at = 1").await;
        scene.check_refused(&statement, SOME_RULE).await;
    }
}

async fn i6_a_callback_event_is_frozen_and_kept(kind: Kind) {
    let scene = Scene::new(kind).await;
    for set in [
        "body = x'7b7d'",
        "body = x'7b7d20'",
        "event = 'session.refunded'",
        "target = 'https://evil.example/'",
        "target = NULL, state = 'no_target'",
        "id = x'00000000000000000000000000000001'",
        "vendor_id = x'00000000000000000000000000000002'",
        "created_at = 1",
        &format!("session_id = {}", id(PENDING)),
    ] {
        let statement = format!("UPDATE callbacks SET {set} WHERE session_id = {}", id(2));
        scene.check_refused(&statement, IS_FROZEN).await;
    }
    scene.check_refused("DELETE FROM callbacks", NEVER_DELETED).await;
    scene.check_refused(&format!("DELETE FROM callbacks WHERE session_id = {}", id(2)), NEVER_DELETED).await;
}

async fn i6_a_callback_event_cannot_be_replaced(kind: Kind) {
    let scene = Scene::new(kind).await;
    let row = format!("session_id = {}", id(2));
    for other in ["body = x'7b7d'", "id = x'00000000000000000000000000000001', body = x'7b7d'"] {
        for insert in scene.ways(&["INSERT OR REPLACE", "REPLACE", "INSERT"]) {
            scene.check_refused(&scene.copy(insert, "callbacks", &row, other).await, SOME_RULE).await;
        }
    }
}

async fn vendors_and_credentials_are_never_deleted(kind: Kind) {
    let backend = Backend::new(kind).await;
    add_vendor(&backend.stores.accounts, 1).await;
    let shell = backend.shell("accounts").await;
    for table in ["credentials", "vendors"] {
        let before = shell.rows(table).await;
        let error = shell.run(&format!("DELETE FROM {table}")).await.expect_err("it is kept");
        assert!(error.contains(NEVER_DELETED), "{error}");
        assert_eq!(shell.rows(table).await, before);
    }
}

on_both_engines!(
    i1_no_final_status_can_be_left,
    i1_there_is_no_fifth_status,
    i1_a_status_has_its_reason_and_its_timer_or_none,
    i1_a_session_cannot_be_born_final,
    i1_sessions_are_never_deleted,
    i1_a_session_cannot_be_replaced_by_a_new_one,
    i1_an_upsert_is_no_way_around,
    i2_a_final_session_cannot_be_touched_at_all,
    t27_i2_what_a_pending_session_is_for_cannot_be_changed,
    t27_i6_history_is_never_changed_or_deleted,
    i6_a_line_of_history_cannot_be_replaced,
    i6_a_callback_event_is_frozen_and_kept,
    i6_a_callback_event_cannot_be_replaced,
    vendors_and_credentials_are_never_deleted,
);
