//! `till move`: an embedded store on PostgreSQL, with everything that it had.

use crate::support::{Customer, Shell, Shop, Till, until};
use serde_json::{Value, json};
use std::process::Stdio;
use till_domain::id::{AttemptId, SessionId};
use till_testing::cluster::Cluster;
use tokio::task::JoinSet;

/// The number of sandbox sessions to move; more of them in `./test long`.
fn sessions() -> usize {
    if std::env::var_os("TILL_TEST_LONG").is_some() { 200_000 } else { 1_000 }
}

/// Sells on the embedded store: sandbox sessions, and live payments with their entries in the ledger.
async fn sell(till: &Till, vendor: &Value) -> Vec<String> {
    let service = till.serve();
    let mut shop = service.shop("sandbox", vendor);
    shop.log_in().await;
    let mut crowd = JoinSet::new();
    for client in 0..8 {
        let shop = shop.clone();
        crowd.spawn(async move {
            for number in 0..sessions() / 8 {
                let mut order = Shop::book(&format!("M-{client}-{number}"));
                // What COPY has to escape.
                order["metadata"] = json!({ "note": "tab\there\nline \\ back\\slash, \u{44f}" });
                assert_eq!(shop.create(&order).await.status, 201);
            }
        });
    }
    crowd.join_all().await;
    let mut live = service.shop("live", vendor);
    live.log_in().await;
    let customer = Customer::new(&service.url);
    let mut paid = Vec::new();
    for number in 0..5 {
        let id = live.create(&Shop::book(&format!("L-{number}"))).await.text("session_id");
        assert_eq!(customer.pay(&id, "card").await.status, 303);
        customer.decide(&attempt_of(till, &id), "approve").await;
        paid.push(id);
    }
    for id in &paid {
        until("it is paid", async || live.status(id).await.text("status") == "paid").await;
    }
    assert!(service.terminate().0.success());
    paid
}

/// The attempt of a live session.
fn attempt_of(till: &Till, session: &str) -> String {
    let shell = rusqlite::Connection::open(till.file("live.db")).expect("a shell");
    let session = SessionId::parse(session).expect("an id").as_bytes().to_vec();
    let id: [u8; 16] = shell
        .query_row("SELECT id FROM payment_attempts WHERE session_id = ?1", [session], |row| row.get(0))
        .expect("an attempt");
    AttemptId::from_bytes(id).to_string()
}

fn rows(shell: &rusqlite::Connection, table: &str) -> u64 {
    let count = format!("SELECT COUNT(*) FROM {table}");
    let count: i64 = shell.query_row(&count, [], |row| row.get(0)).expect("a count");
    u64::try_from(count).expect("a number of rows")
}

fn prepare(till: &mut Till) {
    till.set("TILL_SIMULATOR", "on")
        .set("TILL_RATE_LIMITS", "off")
        .set("TILL_CHECKOUT_URL", "https://pay.example");
}

/// A server that changes a row once it is written.
const CHANGING_SERVER: &str = "
    CREATE FUNCTION change_a_row() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT 1 FROM pg_event_trigger_ddl_commands() WHERE object_identity = 'accounts.vendors') THEN
            UPDATE accounts.vendors SET name = name || ' and Sons';
        END IF;
    END $$;
    CREATE EVENT TRIGGER change_a_row ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION change_a_row()";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_a_table_that_differs_on_the_server_is_not_moved() {
    let (cluster, old, mut new) = (Cluster::start(), Till::new(), Till::new());
    old.vendor();
    new.set("TILL_DATABASE_URL", &cluster.url());
    let shell = Shell::connect(&cluster.url()).await;
    shell.run(CHANGING_SERVER).await;
    let from = old.folder().to_str().expect("text").to_owned();
    let arguments = ["move", "--from", from.as_str()];
    let refused = new.error(&arguments);
    let wanted =
        "the rows of accounts.vendors are not the same on the server: 1 rows in the file, 1 on the server";
    assert!(refused.contains("nothing was moved"), "{refused}");
    assert!(refused.contains(wanted), "{refused}");
    // The old store stays in use, and a second try succeeds.
    assert!(!String::from_utf8(old.run(&["status"]).stdout).expect("text").contains("on hold"));
    shell.run("DROP EVENT TRIGGER change_a_row").await;
    let moved = new.run(&arguments);
    assert!(moved.status.success());
    let progress = String::from_utf8(moved.stderr).expect("text");
    assert!(progress.ends_with("100 %  checking foreign keys\n"), "{progress}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_a_store_is_moved_with_everything_that_it_has() {
    let (cluster, mut old, mut new) = (Cluster::start(), Till::new(), Till::new());
    prepare(&mut old);
    prepare(&mut new);
    let vendor = old.vendor();
    let paid = sell(&old, &vendor).await;
    let from = old.folder().to_str().expect("text").to_owned();
    let arguments = ["move", "--from", from.as_str()];
    assert!(new.error(&arguments).contains("set TILL_DATABASE_URL"));
    new.set("TILL_DATABASE_URL", &cluster.url());
    assert!(new.error(&["move", "--from", "/nowhere"]).contains("has no store"));
    let serving = old.serve();
    let refused = new.error(&arguments);
    assert!(refused.contains("nothing was moved"), "{refused}");
    assert!(serving.terminate().0.success());

    // Killed in the middle: nothing is left behind, and it is run again.
    let shell = Shell::connect(&cluster.url()).await;
    let mut child = new.command(&arguments).stderr(Stdio::null()).spawn().expect("it runs");
    let works =
        "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'till%' AND xact_start IS NOT NULL";
    until("it writes", async || !shell.rows(works).await.is_empty()).await;
    assert!(child.try_wait().expect("a child").is_none(), "it is killed before its end");
    child.kill().expect("it runs");
    child.wait().expect("it ended");
    let schemas = "SELECT nspname FROM pg_namespace WHERE nspname IN ('accounts', 'live', 'sandbox')";
    assert_eq!(shell.rows(schemas).await, Vec::<Vec<String>>::new());
    assert!(!String::from_utf8(old.run(&["status"]).stdout).expect("text").contains("on hold"));
    let report = tokio::task::block_in_place(|| new.json(&arguments));
    let moved = |name: &str| {
        let tables = report["tables"].as_array().expect("tables");
        let table = tables.iter().find(|table| table["table"] == json!(name)).expect("it was moved");
        table["rows"].as_u64().expect("a number")
    };
    assert_eq!(moved("sandbox.sessions"), sessions() as u64 / 8 * 8);
    let live = rusqlite::Connection::open(old.file("live.db")).expect("a shell");
    for table in ["sessions", "entries", "postings", "transactions", "history", "payment_attempts"] {
        assert_eq!(moved(&format!("live.{table}")), rows(&live, table), "{table}");
    }
    assert!(moved("live.entries") >= 5, "the ledger was moved");
    assert!(new.error(&arguments).contains("choose an empty database"));
    // Triggers and foreign keys are those of a database that Till created itself.
    let fresh = Cluster::start();
    let mut other = Till::new();
    other.set("TILL_DATABASE_URL", &fresh.url());
    other.vendor();
    let made = Shell::connect(&fresh.url()).await;
    for rules in [
        "SELECT concat_ws(' ', tgrelid::regclass, tgname, tgenabled) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1",
        "SELECT concat_ws(' ', conrelid::regclass, conname, convalidated, pg_get_constraintdef(oid))
         FROM pg_constraint WHERE contype IN ('f', 'c', 'p') AND connamespace::regnamespace::text
            IN ('accounts', 'live', 'sandbox') ORDER BY 1",
    ] {
        let (here, there) = (shell.rows(rules).await, made.rows(rules).await);
        assert!(here.len() > 20, "{here:?}");
        assert_eq!(here, there);
    }
    let verified = new.run(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    let status = String::from_utf8(old.run(&["status"]).stdout).expect("text");
    assert!(status.contains("on hold"), "{status}");

    let service = new.serve();
    let mut shop = service.shop("live", &vendor);
    shop.log_in().await;
    for id in &paid {
        assert_eq!(shop.status(id).await.text("status"), "paid");
    }
    assert_eq!(shop.create(&Shop::book("N-1")).await.status, 201);
    assert_eq!(shop.refund(&paid[0], &json!({}), &[]).await.status, 201, "the vendor's balance was moved");
    let mut sandbox = service.shop("sandbox", &vendor);
    sandbox.log_in().await;
    let first = sandbox.list("order_id=M-0-0").await.json();
    assert_eq!(
        first["sessions"][0]["metadata"]["note"],
        json!("tab\there\nline \\ back\\slash, \u{44f}"),
        "{first}"
    );
    assert_eq!(sandbox.create(&Shop::book("N-2")).await.status, 201);
}
