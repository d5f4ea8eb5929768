//! `till serve`: what prevents its start, its warnings, its settings, and its end.

use crate::{
    operations::doctor::pretend_newer_schema,
    support::{MASTER_KEY, OTHER_KEY, Process, Till, write_secret},
};
use serde_json::Value;
use std::{
    net::TcpListener,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

#[test]
fn serve_refuses_to_start_without_a_master_key_and_says_how_to_make_one() {
    let line = one_line(&refusal(Till::new().set("TILL_MASTER_KEY", "")));
    assert!(line.starts_with("till: TILL_MASTER_KEY is not set") && line.contains("openssl rand"), "{line}");
}

#[test]
fn serve_refuses_bad_settings_in_one_line_that_names_the_setting() {
    for (name, value, repair) in [
        ("TILL_LISTEN", "here", "127.0.0.1:8080"),
        ("TILL_BASE_URL", "shop.example", "https://"),
        ("TILL_LIFETIME_CRYPTO", "15m", "longer than TILL_LIFETIME_CARD"),
        ("TILL_RATE_LIMIT_CREATE", "fast", "100/s burst 200"),
        ("TILL_MASTER_KEY", "7777", "openssl rand -hex 32"),
        (
            "TILL_MASTER_KEY",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "can be guessed",
        ),
        ("TILL_MASTER_KEY_FILE", "/nowhere/key", "/nowhere/key"),
        ("TILL_CONFIG", "/nowhere/till.toml", "/nowhere/till.toml"),
        ("TILL_DATABASE_URL", "mysql://db/till", "postgres://USER:PASSWORD@HOST"),
        ("TILL_DATABASE_URL", "postgres://till@127.0.0.1:1/till", "Connection refused"),
        ("TILL_DATA_DIR", "/proc/nowhere", "choose a folder that can be made and written"),
    ] {
        let mut till = Till::new();
        // Set to avoid warnings about other settings.
        till.set("TILL_BASE_URL", "https://pay.example").set(name, value);
        if name == "TILL_MASTER_KEY_FILE" {
            till.set("TILL_MASTER_KEY", "");
        }
        let line = one_line(&refusal(&till));
        let named = if name == "TILL_CONFIG" { "the configuration file" } else { name };
        assert!(line.starts_with(&format!("till: {named} ")) && line.contains(repair), "{line}");
    }
}

#[test]
fn f4b_the_soft_limit_of_open_files_is_raised_to_the_hard_one() {
    let mut till = Till::new();
    till.through(
        ["sh", "-c", "ulimit -Sn 256; ulimit -Hn 4000; exec \"$@\"", "sh"].map(str::to_owned).to_vec(),
    );
    let limits = till.serve().proc("limits");
    let line = limits.lines().find(|line| line.starts_with("Max open files")).expect("a limit");
    let numbers: Vec<&str> = line.split_whitespace().skip(3).take(2).collect();
    assert_eq!(numbers, ["4000", "4000"], "{line}");
}

#[test]
fn serve_refuses_a_port_or_a_folder_that_is_in_use() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let line = one_line(&refusal(Till::new().set("TILL_LISTEN", &address)));
    assert!(line.starts_with(&format!("till: TILL_LISTEN is {address}")), "{line}");
    let till = Till::new();
    let _service = till.serve();
    let line = one_line(&refusal(&till));
    assert!(line.contains("another till serve runs") && line.contains("TILL_DATA_DIR"), "{line}");
}

#[test]
fn serve_refuses_a_store_that_it_cannot_read() {
    let mut till = Till::new();
    till.vendor();
    let told = refusal(till.set("TILL_MASTER_KEY", OTHER_KEY));
    let last = told.lines().last().unwrap_or_default();
    assert!(last.starts_with("till: TILL_MASTER_KEY is not the key"), "{told}");
    till.set("TILL_MASTER_KEY", MASTER_KEY);
    pretend_newer_schema(&till.file("accounts.db"));
    let line = one_line(&refusal(&till));
    assert!(line.contains("accounts.db has schema version 99") && line.contains("newer version"), "{line}");
}

#[test]
fn serve_needs_nothing_but_a_master_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
    // The port is set only because the default one may be taken on the machine that runs the tests.
    command.env_clear().env("TILL_MASTER_KEY", MASTER_KEY).env("TILL_LISTEN", "127.0.0.1:0");
    command.arg("serve").current_dir(folder.path());
    let service = Process::start(command);
    assert!(folder.path().join("till-data/live.db").exists(), "{}", service.log());
    // The key may be in a file: the default one, or one that is named.
    for (file, named) in [("master.key", ""), ("key.txt", "key.txt")] {
        let mut till = Till::new();
        write_secret(&till.file(file), &format!("{MASTER_KEY}\n"));
        let path = if named.is_empty() { String::new() } else { till.file(named).display().to_string() };
        till.set("TILL_MASTER_KEY", "").set("TILL_MASTER_KEY_FILE", &path).serve();
    }
}

#[test]
fn serve_warns_of_what_is_not_right_for_production() {
    let mut till = Till::new();
    till.set("TILL_BASE_URL", "https://pay.example").set("TILL_TRUSTED_PROXIES", "127.0.0.1");
    let quiet = till.serve().log();
    assert!(!quiet.contains("WARN"), "{quiet}");
    for (name, value, words) in [
        ("TILL_SIMULATOR", "on", "TILL_SIMULATOR is on"),
        ("TILL_RATE_LIMITS", "off", "TILL_RATE_LIMITS is off"),
        ("TILL_ALLOW_PRIVATE_CALLBACKS", "true", "TILL_ALLOW_PRIVATE_CALLBACKS is on"),
        ("TILL_BASE_URL", "http://pay.example", "TILL_BASE_URL is http://pay.example: without https"),
        ("TILL_CHECKOUT_URL", "http://pay.example", "TILL_CHECKOUT_URL is http://pay.example: without https"),
        ("TILL_SIMULATER", "on", "did you mean TILL_SIMULATOR"),
        ("TILL_TRUSTED_PROXIES", "", "TILL_TRUSTED_PROXIES is not set"),
    ] {
        let mut till = Till::new();
        let loud = till.set("TILL_BASE_URL", "https://pay.example").set(name, value).serve().log();
        assert!(loud.lines().any(|line| line.contains("WARN") && line.contains(words)), "{name}: {loud}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_termination_signal_ends_the_service_well_within_ten_seconds() {
    let till = Till::new();
    let service = till.serve();
    let mut shop = service.shop("live", &till.vendor());
    shop.log_in().await; // its connection stays open
    let (status, took) = service.terminate();
    assert!(status.code() == Some(0) && took < Duration::from_secs(10), "{status} after {took:?}");
}

#[test]
fn a_configuration_file_is_read_wherever_it_is_named() {
    let mut till = Till::new();
    let id = text_of(&till.vendor()["vendor_id"]);
    let [good, bad] = ["good.toml", "bad.toml"].map(|name| till.file(name).display().to_string());
    std::fs::write(&good, "allow_private_callbacks = true\nsimulator = true\n").expect("written");
    std::fs::write(&bad, "simulater = true\n").expect("written");
    let set = ["vendor", "set", &id, "--callback-url", "http://localhost/"];
    till.error(&set);
    till.json(&[&set as &[&str], &["--config", &good]].concat());
    let told = till.error(&[&set as &[&str], &["--config", &bad]].concat());
    assert!(told.starts_with("till: `simulater` in ") && told.contains("did you mean simulator?"), "{told}");
    till.set("TILL_CONFIG", &good).json(&set);
    assert!(till.serve().log().contains("TILL_SIMULATOR is on"));
    let by_option = Till::new();
    let service = Process::start(by_option.command(&["serve", "--config", &good]));
    assert!(service.log().contains("TILL_SIMULATOR is on"));
    till.set("TILL_CONFIG", &bad).json(&[&set as &[&str], &["--config", &good]].concat());
}

#[test]
fn logs_for_machines_are_lines_of_json() {
    let mut till = Till::new();
    let log = till.set("TILL_LOG_FORMAT", "json").set("TILL_SIMULATOR", "on").serve().log();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.iter().all(|line| line["level"].is_string() && line["message"].is_string()), "{log}");
    let warned =
        |line: &Value| line["level"] == "WARN" && text_of(&line["message"]).contains("TILL_SIMULATOR");
    assert!(lines.iter().any(warned), "{log}");
}

/// Runs `till serve`, which must refuse to start, and returns its error message.
pub fn refusal(till: &Till) -> String {
    let mut command = till.command(&["serve"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    let deadline = Instant::now() + Duration::from_secs(30);
    while child.try_wait().expect("a child").is_none() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    // A service that started all the same is killed, and has no exit code.
    let _ = child.kill();
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it ended");
    let told = String::from_utf8(stderr).expect("UTF-8");
    assert!(status.code() == Some(1) && stdout.is_empty(), "{status}: {told}");
    told
}

pub fn one_line(told: &str) -> String {
    assert_eq!(told.lines().count(), 1, "one line:\n{told}");
    told.trim_end().to_owned()
}

fn text_of(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_says_whether_the_service_is_ready() {
    let till = Till::new();
    let service = till.serve();
    let address = service.url.trim_start_matches("http://").to_owned();
    let health = || till.run(&["health", "--listen", &address]);
    assert!(health().status.success());
    service.freeze();
    let hung = tokio::task::block_in_place(health);
    assert_eq!(hung.status.code(), Some(1), "a service that hangs is not ready");
    service.thaw();
    service.kill();
    let error = till.error(&["health", "--listen", &address]);
    assert!(error.contains("does not accept connections"), "{error}");
}
