//! T37 and F31: a backup under load, a restore, and nothing that leaves before an operator releases it.

use crate::support::{Process, Receiver, Shop, Till, until};
use serde_json::{Value, json};
use std::{path::Path, process::Command, time::Duration};
use till_testing::cluster::{Cluster, program};
use tokio::task::JoinSet;

/// The path of a vendor's callbacks, which fails before the restore.
const DEAD: &str = "/dead";

fn prepare(till: &mut Till) {
    for (name, value) in [
        ("TILL_ALLOW_PRIVATE_CALLBACKS", "on"),
        ("TILL_RATE_LIMITS", "off"),
        ("TILL_SIMULATOR", "on"),
        ("TILL_CALLBACK_RETRIES", "3s,4s,5s"),
        ("TILL_LIFETIME_CARD", "3s"),
        ("TILL_LIFETIME_SBP", "3s"),
        ("TILL_LIFETIME_CRYPTO", "4s"),
    ] {
        till.set(name, value);
    }
}

/// What was acknowledged before the backup.
struct Known {
    paid: String,
    pending: String,
}

/// Serves, sells under load, and runs `back_up` meanwhile.
async fn sell(till: &Till, vendor: &Value, receiver: &Receiver, back_up: impl FnOnce() + Send) -> Known {
    let service = till.serve();
    let mut shop = service.shop("sandbox", vendor);
    shop.log_in().await;
    let order = async |number: &str| {
        let mut body = Shop::book(number);
        body["callback_url"] = json!(receiver.url(DEAD));
        shop.create(&body).await.text("session_id")
    };
    let known = Known { paid: order("A-paid").await, pending: order("A-pending").await };
    assert_eq!(shop.simulate(&known.paid, &json!({ "outcome": "paid" })).await.status, 200);
    until("the first attempt was made", async || receiver.at(DEAD).len() == 1).await;
    let mut crowd = JoinSet::new();
    for client in 0..8 {
        let shop = shop.clone();
        crowd.spawn(async move {
            for number in 0..50 {
                assert_eq!(shop.create(&Shop::book(&format!("B-{client}-{number}"))).await.status, 201);
            }
        });
    }
    tokio::task::block_in_place(back_up);
    crowd.join_all().await;
    service.kill();
    known
}

/// A restored service while it is on hold.
async fn check_held(service: &Process, vendor: &Value, known: &Known, receiver: &Receiver) {
    let before = receiver.requests().len();
    let mut shop = service.shop("sandbox", vendor);
    shop.log_in().await;
    let ready = shop.get("/readyz").await;
    assert_eq!((ready.status.as_u16(), &ready.json()["held"]), (200, &json!(true)));
    let created = shop.create(&Shop::book("C-1")).await;
    assert_eq!(created.problem(), "503 unavailable");
    assert!(created.headers.contains_key("retry-after"));
    assert_eq!(shop.status(&known.paid).await.text("status"), "paid");
    until("its deadline has passed", async || shop.status(&known.pending).await.status == 503).await;
    let listed = shop.list("order_id=A-pending").await.json();
    assert_eq!((&listed["sessions"], &listed["held"]), (&json!([]), &json!(true)));
    let listed = shop.list("status=paid").await.json();
    assert_eq!(listed["sessions"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        shop.simulate(&known.pending, &json!({ "outcome": "paid" })).await.problem(),
        "503 unavailable"
    );
    assert_eq!(shop.refund(&known.paid, &json!({}), &[]).await.problem(), "503 unavailable");
    for id in [&known.paid, &known.pending] {
        assert_eq!(shop.get(&format!("/sandbox/session/{id}")).await.status, 200, "the page of {id}");
    }
    // Longer than a worker pauses.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(receiver.requests().len(), before, "nothing leaves");
}

async fn check_release(till: &Till, service: &Process, vendor: &Value, known: &Known, receiver: &Receiver) {
    assert!(till.error(&["release"]).contains("--yes"));
    let status = String::from_utf8(till.run(&["status"]).stdout).expect("text");
    assert!(status.contains("on hold since"), "{status}");
    let released = till.json(&["release", "--yes"]);
    let kept_back = |queue: &str, count: &str| {
        let rows = released["queues"].as_array().expect("a list");
        let row =
            rows.iter().find(|row| row["queue"] == json!(queue) && row["environment"] == json!("sandbox"));
        row.map_or(0, |row| row[count].as_u64().expect("a number"))
    };
    assert!(kept_back("callbacks", "waiting") >= 1 && kept_back("sessions", "due") >= 1, "{released}");
    let mut shop = service.shop("sandbox", vendor);
    shop.log_in().await;
    let told = |id: &str| {
        let sent = receiver.at(DEAD);
        let bodies = sent.iter().map(|request| serde_json::from_slice(&request.body).expect("JSON"));
        bodies.filter(|event: &Value| event["sessionId"] == json!(id)).count()
    };
    until("both are reported", async || told(&known.pending) > 0 && told(&known.paid) > 1).await;
    assert_eq!(shop.status(&known.pending).await.text("status"), "expired");
    assert_eq!(shop.create(&Shop::book("C-2")).await.status, 201);
    assert!(shop.get("/readyz").await.json()["held"].is_null());
    assert!(till.error(&["release", "--yes"]).contains("not on hold"));
    let verified = till.run(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t37_f31_a_backup_of_files_under_load_is_restored_on_hold() {
    let (mut till, mut restored) = (Till::new(), Till::new());
    prepare(&mut till);
    prepare(&mut restored);
    let receiver = Receiver::start().await;
    receiver.answer(DEAD, &[crate::support::Reply::Status(500)]);
    let vendor = till.vendor();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("till.tar");
    let path = file.to_str().expect("text");
    let known = sell(&till, &vendor, &receiver, || {
        let made = till.json(&["backup", path]);
        assert!(made["bytes"].as_u64() > Some(100_000), "{made}");
    })
    .await;
    assert!(till.error(&["backup", path]).contains("exists already"));
    let into = restored.folder().to_str().expect("text").to_owned();
    restored.json(&["restore", path, "--into", &into]);
    assert!(restored.error(&["restore", path, "--into", &into]).contains("not empty"));
    let service = restored.serve();
    check_held(&service, &vendor, &known, &receiver).await;
    check_release(&restored, &service, &vendor, &known, &receiver).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_postgres_t37_f31_a_dump_under_load_is_restored_on_hold() {
    let (first, second) = (Cluster::start(), Cluster::start());
    let (mut till, mut restored) = (Till::new(), Till::new());
    prepare(&mut till);
    prepare(&mut restored);
    till.set("TILL_DATABASE_URL", &first.url());
    restored.set("TILL_DATABASE_URL", &second.url());
    let receiver = Receiver::start().await;
    receiver.answer(DEAD, &[crate::support::Reply::Status(500)]);
    let vendor = till.vendor();
    assert!(till.error(&["backup", "any"]).contains("pg_dump"));
    assert!(till.error(&["restore", "any", "--into", "any"]).contains("till hold"));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("till.dump");
    let run = |name: &str, arguments: &[&str], file: &Path| {
        let status = Command::new(program(name)).args(arguments).arg(file).status().expect("it runs");
        assert!(status.success(), "{name}");
    };
    let known = sell(&till, &vendor, &receiver, || {
        run("pg_dump", &["--format=custom", "--dbname", &first.url(), "--file"], &file);
    })
    .await;
    run("pg_restore", &["--dbname", &second.url()], &file);
    assert!(restored.error(&["hold"]).contains("--yes"));
    restored.json(&["hold", "--yes"]);
    assert!(restored.error(&["hold", "--yes"]).contains("on hold since"));
    let service = restored.serve();
    check_held(&service, &vendor, &known, &receiver).await;
    check_release(&restored, &service, &vendor, &known, &receiver).await;
}

/// A running service notices a hold that is placed and released by a command.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_service_is_put_on_hold_and_released() {
    let mut till = Till::new();
    prepare(&mut till);
    till.set("TILL_METRICS_LISTEN", "127.0.0.1:0");
    let vendor = till.vendor();
    let service = till.serve();
    let mut shop = service.shop("live", &vendor);
    shop.log_in().await;
    assert_eq!(shop.create(&Shop::book("A-1")).await.status, 201);
    till.json(&["hold", "--yes"]);
    until("it is on hold", async || shop.create(&Shop::book("A-2")).await.status == 503).await;
    assert!(service.metrics().await.contains("\ntill_held 1\n"));
    till.json(&["release", "--yes"]);
    until("it is released", async || shop.create(&Shop::book("A-3")).await.status == 201).await;
    assert!(service.metrics().await.contains("\ntill_held 0\n"));
    let log = till.json(&["audit", "list"]).to_string();
    assert!(log.contains("hold_placed") && log.contains("hold_released"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_or_incomplete_backup_is_refused_and_leaves_nothing() {
    let till = Till::new();
    till.vendor();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("till.tar");
    till.json(&["backup", file.to_str().expect("text")]);
    let whole = std::fs::read(&file).expect("a file");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "no scratch files");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let cut = whole[..whole.len() / 2].to_vec();
    let without_manifest = whole[..whole.len() - 4096].to_vec();
    for (what, bytes, said) in [
        ("flipped", flipped, "checksum"),
        ("cut", cut, "cannot be restored"),
        ("without manifest", without_manifest, "cannot be restored"),
        ("text", b"not a backup".to_vec(), "cannot be restored"),
    ] {
        std::fs::write(&file, bytes).expect("a file");
        let into = folder.path().join("into");
        let into = into.to_str().expect("text");
        let error = till.error(&["restore", file.to_str().expect("text"), "--into", into]);
        assert!(error.contains(said), "{what}: {error}");
        assert!(!Path::new(into).exists(), "{what}: nothing is left");
    }
}

#[test]
fn f30_the_check_says_what_a_start_would_change_and_changes_nothing() {
    let till = Till::new();
    let check = || {
        let output = till.run(&["migrate", "--check", "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), report["databases"].clone())
    };
    assert_eq!(check().0, Some(1), "there is no store yet");
    assert!(!till.file("live.db").exists());
    till.vendor();
    assert_eq!(check(), (Some(0), json!([])));
    // As the version before left it.
    let shell = rusqlite::Connection::open(till.file("accounts.db")).expect("a shell");
    shell.execute_batch("DROP TABLE holds; DROP TABLE key_rotations; ALTER TABLE nodes DROP COLUMN keys; DROP TABLE till_steps").expect("dropped");
    for column in
        ["fiscal", "fiscal_tax_system", "fiscal_vat", "fiscal_subject", "fiscal_mode", "fiscal_max_items"]
    {
        shell.execute_batch(&format!("ALTER TABLE vendors DROP COLUMN {column}")).expect("dropped");
    }
    let wanted = json!([{ "database": "accounts", "from": 15, "to": 18, "version_before_works": true }]);
    assert_eq!(check(), (Some(1), wanted.clone()));
    assert_eq!(check(), (Some(1), wanted.clone()), "nothing was changed");
    assert_eq!(till.json(&["migrate"])["databases"], wanted);
    assert_eq!(check(), (Some(0), json!([])));
}
