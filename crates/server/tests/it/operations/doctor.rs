//! `till doctor`: every check passes on a healthy installation, and each is seen to fail when its subject is
//! wrong. Each message says what to do.

use crate::support::{MASTER_KEY, OTHER_KEY, Server, Till, entry, write_secret};
use serde_json::Value;
use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    net::TcpListener,
    path::Path,
    time::Duration,
};
use till_domain::vendor::SettingsChange;

const DAY: Duration = Duration::from_secs(86_400);

#[test]
fn a_healthy_installation_passes_every_check() {
    let mut till = Till::new();
    till.set("TILL_BASE_URL", "https://pay.example").set("TILL_TRUSTED_PROXIES", "127.0.0.1").vendor();
    let diagnosis = diagnose(&till, &[]);
    let names: Vec<&str> = checks(&diagnosis).iter().map(|check| field(check, "name")).collect();
    let expected = [
        "settings",
        "data folder",
        "disk space",
        "open files",
        "listen",
        "base URL",
        "TLS",
        "dangers",
        "master key",
        "permissions",
        "mail",
        "durability",
        "store",
        "master key",
        "clock",
        "queues",
        "yookassa",
        "tbank",
        "stripe",
        "evm",
        "providers",
    ];
    assert_eq!((names.as_slice(), &diagnosis["ok"]), (expected.as_slice(), &Value::Bool(true)));
    for check in checks(&diagnosis).iter().filter(|check| check["name"] != "providers") {
        assert_eq!(check["verdict"], "ok", "{check}");
    }
    // A provider must be configured for live payments; here it is the simulator.
    check(till.set("TILL_SIMULATOR", "on"), "providers", "ok", "live payments: card,sbp,crypto");
}

#[test]
fn a_limit_of_open_files_that_connections_could_exceed_is_reported() {
    let limited = ["sh", "-c", "ulimit -n 4096; exec \"$@\"", "sh"].map(str::to_owned);
    let mut till = Till::new();
    till.through(limited.to_vec());
    check(&till, "open files", "warning", "at most 4096 files can be open, 13072 may be needed");
    check(till.set("TILL_MAX_CONNECTIONS", "1000"), "open files", "ok", "the limit is sufficient");
}

#[test]
fn a_bad_setting_is_reported() {
    check(Till::new().set("TILL_LISTEN", "here"), "settings", "failed", "TILL_LISTEN is \"here\": use");
    let warning = "did you mean TILL_LISTEN?";
    check(Till::new().set("TILL_LISTN", "127.0.0.1:0"), "settings", "warning", warning);
}

/// Not by permissions: the tests may run as root, which may write anywhere.
#[test]
fn a_data_folder_that_cannot_be_written_is_reported() {
    for folder in ["file", "file/data", "file/a/b"] {
        let mut till = Till::new();
        fs::write(till.file("file"), "no folder").expect("written");
        let path = till.file(folder).display().to_string();
        check(till.set("TILL_DATA_DIR", &path), "data folder", "failed", "/file: ");
    }
}

#[test]
fn too_little_disk_space_is_reported() {
    let till = Till::new();
    let diagnosis = diagnose(&till, &["--min-free", &u64::MAX.to_string()]);
    assert_check(&diagnosis, "disk space", "failed", "MiB are free, less than 18446744073709551615");
    assert_check(&diagnose(&till, &["--min-free", "0"]), "disk space", "ok", "sufficient");
}

#[test]
fn a_port_that_somebody_else_uses_is_reported() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let told = format!("cannot listen on {address}");
    check(Till::new().set("TILL_LISTEN", &address), "listen", "failed", &told);
    // An address of no interface of this machine: reserved for documentation.
    check(Till::new().set("TILL_LISTEN", "192.0.2.1:8080"), "listen", "failed", "set TILL_LISTEN");
}

#[test]
fn a_public_address_without_https_is_reported() {
    check(&Till::new(), "base URL", "warning", "TILL_BASE_URL is not set");
    let mut till = Till::new();
    let told = "http://pay.example is not https";
    check(till.set("TILL_BASE_URL", "http://pay.example"), "base URL", "warning", told);
    check(till.set("TILL_CHECKOUT_URL", "http://pay.example"), "checkout URL", "warning", told);
    let told = "TILL_TRUSTED_PROXIES is not set";
    check(till.set("TILL_BASE_URL", "https://pay.example"), "base URL", "warning", told);
}

#[test]
fn files_that_other_users_can_read_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    let till = served_once();
    check(&till, "permissions", "ok", "no other user");
    fs::set_permissions(till.file("live.db"), fs::Permissions::from_mode(0o644)).expect("changed");
    check(&till, "permissions", "warning", "other users can read live.db");
    fs::set_permissions(till.folder(), fs::Permissions::from_mode(0o777)).expect("changed");
    check(&till, "permissions", "warning", "other users can write to ");
}

#[test]
fn rows_that_cannot_be_read_are_reported() {
    let till = served_once();
    let shell = |file: &str, sql: &str| {
        let connection = rusqlite::Connection::open(till.file(file)).expect("a shell");
        connection.execute_batch(sql).expect("a shell may");
    };
    shell("accounts.db", "UPDATE vendors SET methods = 'cash'");
    check(&till, "vendors", "failed", "cannot read a vendor");
    shell("accounts.db", "UPDATE vendors SET methods = NULL");
    let row = "INSERT INTO sessions (id, vendor_id, order_id, product_name, price, amount_minor, currency, status,
        request_id, created_at, updated_at, methods, method, card_ends_at, due_at) VALUES (zeroblob(16), zeroblob(16),
        'A', 'B', '1', 1, 'ZZZ', 'pending', 'r', 0, 0, 'card', 'card', 0, 0)";
    shell("sandbox.db", row);
    let named = "1 rows of sessions in sandbox.db are unreadable and are skipped \
        (00000000-0000-0000-0000-000000000000: currency \"ZZZ\")";
    check(&till, "queues", "failed", named);
}

#[test]
fn each_danger_is_told() {
    for (name, value, words) in [
        ("TILL_SIMULATOR", "on", "TILL_SIMULATOR is on"),
        ("TILL_RATE_LIMITS", "off", "TILL_RATE_LIMITS is off"),
        ("TILL_ALLOW_PRIVATE_CALLBACKS", "true", "TILL_ALLOW_PRIVATE_CALLBACKS is on"),
    ] {
        let mut till = Till::new();
        check(&till, "dangers", "ok", "no development setting");
        let diagnosis = check(till.set(name, value), "dangers", "warning", words);
        assert_eq!(checks(&diagnosis).iter().filter(|check| check["name"] == "dangers").count(), 1);
    }
}

#[test]
fn a_master_key_that_is_not_the_stores_is_reported() {
    let mut till = Till::new();
    check(till.set("TILL_MASTER_KEY", ""), "master key", "failed", "openssl rand -hex 32");
    check(till.set("TILL_MASTER_KEY", "7777"), "settings", "failed", "TILL_MASTER_KEY must be 64 hex digits");
    write_secret(&till.file("master.key"), "7777");
    check(till.set("TILL_MASTER_KEY", ""), "master key", "failed", "does not contain 64 hex digits");

    let mut till = Till::new();
    till.vendor();
    till.set("TILL_MASTER_KEY", OTHER_KEY);
    check(&till, "master key", "failed", "not the key that this store is sealed with");
}

#[test]
fn a_damaged_store_is_reported_with_its_file() {
    for file in ["accounts.db", "live.db", "sandbox.db"] {
        let till = served_once();
        check(&till, "store", "ok", "are not damaged");
        damage(&till.file(file));
        let diagnosis = check(&till, "store", "failed", "; stop the service and restore a backup");
        assert_check(&diagnosis, "store", "failed", file);
        fs::write(till.file(file), "this is no database, whatever its name says").expect("written");
        check(&till, "store", "failed", &format!("{file}: file is not a database"));
    }
}

/// "A read failed" is not enough: the doctor must name the cause.
#[test]
fn a_store_that_cannot_be_read_is_reported_with_the_cause() {
    let till = served_once();
    // The second page is part of the schema.
    patch(&till.file("live.db"), PAGE, &[0xA5; PAGE as usize]);
    let diagnosis = check(&till, "store", "failed", "live.db");
    for failed in checks(&diagnosis).iter().filter(|check| check["verdict"] == "failed") {
        assert!(field(failed, "message").contains("malformed"), "no cause: {failed}");
    }
}

#[test]
fn a_store_of_a_newer_version_is_reported() {
    for file in ["accounts.db", "live.db", "sandbox.db"] {
        let till = served_once();
        pretend_newer_schema(&till.file(file));
        check(&till, "store", "failed", &format!("{file} has schema version 99, this version supports"));
    }
}

/// Durability is a property of a connection, never of a file, so it cannot be broken from outside: the
/// command's own unit test shows that a store that does not sync fails the check. This test shows that the
/// doctor checks it, and that even a file in SQLite's other journal mode is opened in the durable one.
#[test]
fn the_durability_of_an_existing_store_is_checked() {
    let till = Till::new();
    let none = diagnose(&till, &[]);
    assert!(checks(&none).iter().all(|check| check["name"] != "durability"), "there is no store yet: {none}");
    let till = served_once();
    check(&till, "durability", "ok", "acknowledged writes are synced");
    patch(&till.file("live.db"), 18, &[1, 1]);
    check(&till, "durability", "ok", "acknowledged writes are synced");
    assert_eq!(fs::read(till.file("live.db")).expect("a file")[18..20], [2, 2], "write-ahead log again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_behind_the_newest_session_is_reported() {
    for environment in ["live", "sandbox"] {
        let server = Server::start().await;
        let till = beside(&server);
        check(&till, "clock", "ok", "not behind");
        server.later(1_000 * DAY);
        let vendor = server.vendor().await;
        server.shop(environment, &vendor).await.order("A-1").await;
        check(&till, "clock", "failed", "but a session was created at 2029-08-11T09:30:00.000Z");
    }
}

/// The simulator, the only provider configured here, serves all three methods, so no command can leave the
/// vendor without one; the vendor is restricted to no method directly in the store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vendor_that_can_take_no_live_payment_is_reported() {
    check(&Till::new(), "providers", "warning", "no provider is set up");
    let server = Server::start().await;
    let mut till = beside(&server);
    check(&till, "providers", "warning", "no provider is set up");
    till.set("TILL_SIMULATOR", "on");
    let vendor = server.vendor().await;
    let narrowed = SettingsChange { methods: Some(Some(Vec::new())), ..SettingsChange::default() };
    assert!(server.accounts.set_settings(vendor.id, &narrowed, &entry()).await.expect("stored"));
    check(&till, "providers", "failed", "Halden Press cannot take live payments");
    assert!(server.accounts.set_disabled(vendor.id, true, &entry()).await.expect("stored"));
    check(&till, "providers", "ok", "card,sbp,crypto");
}

#[test]
fn the_doctor_makes_no_store() {
    let mut till = Till::new();
    check(&till, "store", "ok", "none yet");
    assert_eq!(fs::read_dir(till.folder()).expect("a folder").count(), 0, "nothing is left behind");
    let missing = till.file("not/yet");
    check(till.set("TILL_DATA_DIR", &missing.display().to_string()), "data folder", "ok", "writable");
    assert!(!till.file("not").exists());
}

/// Otherwise a lost file would be reported as intact.
#[test]
fn the_doctor_makes_no_file_of_a_store_that_is_not_there() {
    let till = served_once();
    fs::remove_file(till.file("live.db")).expect("there was one");
    diagnose(&till, &[]);
    assert!(!till.file("live.db").exists());
}

#[test]
fn the_doctor_passes_and_says_so_while_the_service_runs() {
    let mut till = Till::new();
    till.vendor();
    let service = till.serve();
    let address = service.url.strip_prefix("http://").expect("an address").to_owned();
    let told = "till serve is running on this folder";
    let diagnosis = check(till.set("TILL_LISTEN", &address), "listen", "ok", told);
    assert_eq!(diagnosis["ok"], true, "{diagnosis}");
    assert!(!service.log().contains("ERROR"), "{}", service.log());
}

#[test]
fn output_without_json_is_one_line_for_each_check() {
    let mut till = Till::new();
    till.vendor();
    for (key, code) in [(MASTER_KEY, 0), (OTHER_KEY, 1)] {
        till.set("TILL_MASTER_KEY", key);
        let output = till.run(&["doctor"]);
        assert_eq!((output.status.code(), output.stderr.is_empty()), (Some(code), true));
        let told = String::from_utf8(output.stdout).expect("text");
        let diagnosis = diagnose(&till, &[]);
        let lines: Vec<String> = checks(&diagnosis).iter().map(line).collect();
        assert_eq!(told.lines().collect::<Vec<_>>(), lines);
    }
}

#[test]
fn damage_is_reported_in_one_line_too() {
    let till = served_once();
    damage(&till.file("live.db"));
    let told = String::from_utf8(till.run(&["doctor"]).stdout).expect("text");
    let marks = ["ok     ", "warning", "FAILED "];
    assert!(told.lines().all(|line| marks.iter().any(|mark| line.starts_with(mark))), "{told}");
}

/// A check as it is printed for people.
fn line(check: &Value) -> String {
    let mark = match field(check, "verdict") {
        "ok" => "ok     ",
        "warning" => "warning",
        _ => "FAILED ",
    };
    format!("{mark}  {:14}{}", field(check, "name"), field(check, "message"))
}

/// Runs the doctor and asserts the verdict and the message of one check.
pub fn check(till: &Till, name: &str, verdict: &str, words: &str) -> Value {
    let diagnosis = diagnose(till, &[]);
    assert_check(&diagnosis, name, verdict, words);
    diagnosis
}

fn assert_check(diagnosis: &Value, name: &str, verdict: &str, words: &str) {
    let found = checks(diagnosis).iter().any(|check| {
        check["name"] == name && check["verdict"] == verdict && field(check, "message").contains(words)
    });
    assert!(found, "no {verdict} {name} with {words:?} in {diagnosis:#}");
}

/// Runs the doctor. Its overall result must agree with its checks and its exit code.
fn diagnose(till: &Till, arguments: &[&str]) -> Value {
    let output = till.run(&[&["doctor", "--json"], arguments].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    let diagnosis: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {told}"));
    let ok = checks(&diagnosis).iter().all(|check| check["verdict"] != "failed");
    assert_eq!(diagnosis["ok"], ok, "{diagnosis}");
    assert_eq!((output.status.code(), told.as_ref()), (Some(i32::from(!ok)), ""), "{diagnosis}");
    diagnosis
}

fn checks(diagnosis: &Value) -> &[Value] {
    diagnosis["checks"].as_array().expect("a list of checks")
}

fn field<'a>(check: &'a Value, name: &str) -> &'a str {
    check[name].as_str().expect("a text")
}

/// A folder whose three databases exist and are closed.
fn served_once() -> Till {
    let till = Till::new();
    till.vendor();
    let (status, _) = till.serve().terminate();
    assert!(status.success());
    till
}

/// Commands on the folder of a service in this process.
fn beside(server: &Server) -> Till {
    let mut till = Till::new();
    till.set("TILL_DATA_DIR", server.folder().to_str().expect("a path of text"));
    till
}

/// Makes a closed database look as if a newer version of till had written it.
pub fn pretend_newer_schema(file: &Path) {
    // SQLite keeps `user_version` at this offset of the file header.
    patch(file, 60, &99_u32.to_be_bytes());
}

const PAGE: u64 = 4096;

/// Writes garbage over a page in the middle of a closed database.
fn damage(file: &Path) {
    let shell = rusqlite::Connection::open(file).expect("a database");
    let newest = "SELECT MAX(rootpage) FROM sqlite_schema";
    let page: u32 = shell.query_row(newest, [], |row| row.get(0)).expect("a page");
    drop(shell);
    patch(file, u64::from(page - 1) * PAGE, &[0xA5; PAGE as usize]);
}

fn patch(file: &Path, at: u64, bytes: &[u8]) {
    let log = file.with_extension("db-wal");
    assert!(fs::metadata(&log).map_or(0, |log| log.len()) == 0, "{} was closed cleanly", file.display());
    let mut file = fs::File::options().write(true).open(file).expect("a file");
    file.seek(SeekFrom::Start(at)).expect("a place in it");
    file.write_all(bytes).expect("written");
}
