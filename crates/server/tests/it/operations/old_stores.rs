//! F30: stores that earlier versions made are opened, brought up to date and used. They are in `tests/stores`, a folder for
//! each version: the embedded store, a dump of PostgreSQL, and what the store had to say when it was made.
//!
//! Before a release, and before a migration that changes existing rows, a store of the version of that day is added:
//! `TILL_FIXTURE=NAME cargo test --test it -- --ignored make_a_store`.

use crate::support::{Customer, Process, Shop, Till, until};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use till_testing::cluster::{Cluster, program};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/stores")
}

/// Leaves out lines of a dump that other releases of PostgreSQL do not know.
const PORTABLE: &str = r"grep -v -e '^\\\(un\)\?restrict' -e '^SET transaction_timeout'";

fn run(command: &mut Command) {
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn settings(till: &mut Till) {
    till.set("TILL_SIMULATOR", "on").set("TILL_CHECKOUT_URL", "https://pay.example");
}

/// Pays a live session at the simulated bank.
async fn pay(service: &Process, shop: &Shop, order: &Value) -> String {
    let customer = Customer::new(&service.url);
    let id = shop.create(order).await.text("session_id");
    let bank = customer.try_post(&format!("/session/{id}/pay"), &[("method", "card")]).await.expect("a page");
    let attempt = bank.rsplit('/').next().expect("an id");
    customer.decide(attempt, "approve").await;
    until("it is paid", async || shop.status(&id).await.text("status") == "paid").await;
    id
}

/// A little of everything that a store has.
async fn trade(till: &Till) -> Value {
    let vendor = till.vendor();
    let service = till.serve();
    let mut sandbox = service.shop("sandbox", &vendor);
    sandbox.log_in().await;
    for outcome in ["paid", "failed", "expired", "pending"] {
        let mut order = Shop::book(&format!("S-{outcome}"));
        order["metadata"] = json!({ "cart": outcome });
        order["customer_email"] = json!("ann@mail.example");
        let id = sandbox.create(&order).await.text("session_id");
        if outcome != "pending" {
            assert_eq!(sandbox.simulate(&id, &json!({ "outcome": outcome })).await.status, 200);
        }
    }
    let mut live = service.shop("live", &vendor);
    live.log_in().await;
    for number in 0..3 {
        pay(&service, &live, &Shop::book(&format!("L-{number}"))).await;
    }
    let mut order = Shop::book("L-refunded");
    order["customer_email"] = json!("ann@mail.example");
    let refunded = pay(&service, &live, &order).await;
    till.json(&["refund", "create", &refunded, "--amount", "10", "--reason", "too many"]);
    let refund = || till.json(&["refund", "list"])[0]["status"].clone();
    until("it is refunded", async || refund() == "succeeded").await;
    live.create(&Shop::book("L-pending")).await;
    let id = vendor["vendor_id"].as_str().expect("an id");
    let product = ["--vendor", id, "--name", "Atlas", "--price", "10", "--currency", "USD"];
    till.json(&[&["product", "create"], &product[..]].concat());
    till.json(&["user", "create", "--email", "olga@till.example", "--role", "operator"]);
    assert!(service.terminate().0.success());
    vendor
}

/// What a version says of a store, without what time changes.
fn testimony(till: &Till) -> Value {
    let ended = |environment: &str| {
        let list = till.json(&["session", "list", "--env", environment, "--limit", "0"]);
        let rows = list.as_array().expect("a list").clone();
        let fields = |row: &Value| json!([row["session_id"], row["order_id"], row["amount"], row["status"]]);
        let ended = rows.iter().filter(|row| row["status"] != "pending");
        ended.map(fields).collect::<Vec<Value>>()
    };
    let money = till.json(&["transaction", "list", "--limit", "0"]);
    let fields = |row: &Value| json!([row["transaction_id"], row["amount"]]);
    let money: Vec<Value> = money.as_array().expect("a list").iter().map(fields).collect();
    json!({ "live": ended("live"), "sandbox": ended("sandbox"), "transactions": money })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "makes a store for the test below"]
async fn make_a_store() {
    let into = folder().join(std::env::var("TILL_FIXTURE").expect("TILL_FIXTURE: the name of the folder"));
    fs::create_dir_all(&into).expect("a folder");
    let version = std::env::var_os("TILL_PREVIOUS_BINARY");
    let cluster = Cluster::start();
    for engine in ["embedded", "postgres"] {
        let mut till = Till::new();
        settings(&mut till);
        if let Some(version) = &version {
            till.version(Path::new(version));
        }
        if engine == "postgres" {
            till.set("TILL_DATABASE_URL", &cluster.url());
        }
        let vendor = trade(&till).await;
        let expected = json!({ "vendor": vendor, "says": testimony(&till) });
        // Compressed, because it has credentials, which people and programs look for.
        let says = into.join(format!("{engine}.json"));
        fs::write(&says, format!("{expected:#}\n")).expect("written");
        run(Command::new("gzip").arg("-9nf").arg(says));
        let file = into.join(format!("{engine}.gz"));
        let file = file.to_str().expect("text");
        if engine == "embedded" {
            let names = "accounts.db live.db sandbox.db";
            let from = till.folder().to_str().expect("text");
            run(Command::new("sh")
                .args(["-c", &format!("cd {from} && tar --numeric-owner -c {names} | gzip -9n >{file}")]));
        } else {
            let dump = program("pg_dump").display().to_string();
            let options = "--no-owner --no-privileges -n accounts -n live -n sandbox";
            run(Command::new("sh").args([
                "-c",
                &format!("{dump} {options} -d '{}' | {PORTABLE} | gzip -9n >{file}", cluster.url()),
            ]));
        }
    }
}

/// Opens the store of an earlier version: it says the same, its books are right, and it takes payments.
async fn check(mut till: Till, expected: &Path) {
    settings(&mut till);
    let says = Command::new("gzip").arg("-dc").arg(expected).output().expect("gzip runs");
    let expected: Value = serde_json::from_slice(&says.stdout).expect("JSON");
    till.json(&["migrate"]);
    assert_eq!(testimony(&till), expected["says"]);
    let service = till.serve();
    for environment in ["live", "sandbox"] {
        let mut shop = service.shop(environment, &expected["vendor"]);
        shop.log_in().await;
        for row in expected["says"][environment].as_array().expect("a list") {
            let status = shop.status(row[0].as_str().expect("an id")).await;
            assert_eq!(json!(status.text("status")), row[3], "{}", status.body);
        }
        if environment == "live" {
            pay(&service, &shop, &Shop::book("after the upgrade")).await;
        }
    }
    assert!(service.terminate().0.success());
    let verified = till.run(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

fn versions() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut versions: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    versions.sort();
    assert!(versions.len() >= 2, "{versions:?}");
    versions
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f30_embedded_stores_of_earlier_versions_are_opened_and_used() {
    for version in versions() {
        let till = Till::new();
        let into = till.folder().to_str().expect("text");
        run(Command::new("tar").arg("-xzf").arg(version.join("embedded.gz")).args(["-C", into]));
        check(till, &version.join("embedded.json.gz")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_f30_databases_of_earlier_versions_are_opened_and_used() {
    for version in versions() {
        let (cluster, mut till) = (Cluster::start(), Till::new());
        let psql = program("psql").display().to_string();
        let file = version.join("postgres.gz").display().to_string();
        let load = format!("gzip -dc {file} | {psql} -q -v ON_ERROR_STOP=1 -d '{}'", cluster.url());
        run(Command::new("sh").args(["-c", &load]));
        till.set("TILL_DATABASE_URL", &cluster.url());
        check(till, &version.join("postgres.json.gz")).await;
    }
}
