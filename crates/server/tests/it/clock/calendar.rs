//! The wall clock of a machine with an embedded store jumps while the service runs, or while it is stopped.
//! libfaketime reads the machine's offset from a file.

use super::preload;
use crate::support::{Process, Receiver, Reply, Shop, Till};
use reqwest::Method;
use serde_json::{Value, json};
use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::time::sleep;

/// A machine whose wall clock can be set while the service runs.
struct Machine {
    till: Till,
    offset: PathBuf,
    vendor: Value,
}

impl Machine {
    /// A machine with the right time, and a vendor.
    fn new() -> Self {
        let mut till = Till::new();
        let offset = till.file("calendar-offset");
        for (name, value) in preload() {
            till.set(&name, &value);
        }
        till.set("FAKETIME_TIMESTAMP_FILE", offset.to_str().expect("text")).set("FAKETIME_NO_CACHE", "1");
        till.set("TILL_SIMULATOR", "on").set("TILL_RATE_LIMITS", "off");
        till.set("TILL_ALLOW_PRIVATE_CALLBACKS", "true").set("TILL_CALLBACK_RETRIES", "6s,12s,18s");
        till.set("TILL_METRICS_LISTEN", "127.0.0.1:0");
        fs::write(&offset, "+0s\n").expect("a file");
        let vendor = till.vendor();
        Self { till, offset, vendor }
    }

    /// Sets the wall clock to the right time plus this many seconds.
    fn set(&self, seconds: i64) {
        let new = self.offset.with_extension("new");
        fs::write(&new, format!("{seconds:+}s\n")).expect("a file");
        fs::rename(new, &self.offset).expect("one file system");
    }

    async fn shop(&self, service: &Process, environment: &str) -> Shop {
        let mut shop = service.shop(environment, &self.vendor);
        shop.log_in().await;
        shop
    }

    /// A paid sandbox session whose callback was answered with 500 once.
    async fn refused_callback(&self, shop: &Shop, receiver: &Receiver) -> String {
        receiver.answer("/hook", &[Reply::Status(500), Reply::Status(204)]);
        let mut order = Shop::book("A-1");
        order["callback_url"] = json!(receiver.url("/hook"));
        let id = shop.create(&order).await.text("session_id");
        assert_eq!(shop.simulate(&id, &json!({ "outcome": "paid" })).await.text("status"), "paid");
        receiver.wait("/hook", 1).await;
        sleep(Duration::from_secs(1)).await;
        id
    }
}

fn real_seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_secs()).expect("a time")
}

async fn metrics(shop: &Shop, service: &Process) -> String {
    let log = service.log();
    let url = log.lines().find_map(|line| line.split_once("metrics are at ")).expect("it says where").1;
    shop.send(Method::GET, url.trim(), &[], vec![]).await.body
}

/// The value of a metric without labels.
fn value(text: &str, name: &str) -> i64 {
    let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    found.unwrap_or_else(|| panic!("no {name} in\n{text}")).parse().expect("a number")
}

/// Checks that readiness, metrics and the log report a jump of the clock.
async fn is_told(shop: &Shop, service: &Process, seconds: i64) {
    let ready = shop.send(Method::GET, &format!("{}/readyz", service.url), &[], vec![]).await;
    assert_eq!(ready.status, 200);
    let told = ready.json()["warnings"].to_string();
    let text = metrics(shop, service).await;
    let offset = value(&text, "till_clock_offset_milliseconds");
    assert!((offset + seconds * 1_000).abs() < 4_000, "{offset}");
    let held = seconds.abs() > 60;
    assert_eq!(value(&text, "till_clock_holds_expiry"), i64::from(held));
    assert!(told.contains("clock"), "{}", ready.body);
    assert_eq!(told.contains("expiry is on hold"), held, "{told}");
    assert!(service.log().contains("the machine's clock jumped"), "{}", service.log());
}

/// Sets the wall clock of a running service, and checks that nothing expires, no token ends, a retry comes on
/// time with the right timestamp, and later outcomes have timestamps in order.
async fn keeps_time(seconds: i64) {
    let machine = Machine::new();
    let service = machine.till.serve();
    let (live, sandbox) = (machine.shop(&service, "live").await, machine.shop(&service, "sandbox").await);
    let (open, test) = (live.order("A-2").await, sandbox.order("A-3").await);
    let receiver = Receiver::start().await;
    machine.refused_callback(&sandbox, &receiver).await;
    machine.set(seconds);
    // The workers run twice a second.
    sleep(Duration::from_secs(3)).await;
    assert_eq!(live.status(&open).await.text("status"), "pending", "the token works, and nothing expired");
    assert_eq!(sandbox.status(&test).await.text("status"), "pending");
    is_told(&live, &service, seconds).await;
    let again = receiver.wait("/hook", 2).await;
    let stamp: i64 = again[1].header("webhook-timestamp").parse().expect("a number");
    assert!((stamp - real_seconds()).abs() < 60, "a receiver would refuse {stamp}");
    let ended = sandbox.simulate(&test, &json!({ "outcome": "failed" })).await;
    assert_eq!(ended.text("status"), "failed");
    assert!(ended.text("updatedAt") >= ended.text("createdAt"), "{}", ended.body);
    service.terminate();
    machine.set(0);
    let checked = machine.till.run(&["verify"]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_faketime_f7_a_calendar_that_jumps_an_hour_ahead_expires_nothing() {
    keeps_time(3_600).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_faketime_f7_a_calendar_that_jumps_an_hour_back_delays_nothing() {
    keeps_time(-3_600).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_faketime_f7_a_calendar_that_jumps_five_seconds_back_leaves_everything_in_order() {
    keeps_time(-5).await;
}

/// Otherwise the lease of the dead process would end in an hour, and so would the pause before the retry.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_faketime_d4_after_a_restart_with_the_calendar_an_hour_back_work_goes_on_at_once() {
    let machine = Machine::new();
    let service = machine.till.serve();
    let sandbox = machine.shop(&service, "sandbox").await;
    let receiver = Receiver::start().await;
    let paid = machine.refused_callback(&sandbox, &receiver).await;
    service.kill();
    machine.set(-3_600);
    let service = machine.till.serve();
    let sandbox = machine.shop(&service, "sandbox").await;
    let again = receiver.wait("/hook", 2).await;
    let stamp: i64 = again[1].header("webhook-timestamp").parse().expect("a number");
    assert!((stamp + 3_600 - real_seconds()).abs() < 60, "{stamp} is not the machine's time");
    let paid = sandbox.status(&paid).await;
    let later = sandbox.create(&Shop::book("A-4")).await.text("session_id");
    let later = sandbox.status(&later).await;
    assert!(later.text("createdAt") > paid.text("updatedAt"), "time never goes backwards in the store");
    let doctor = machine.till.json(&["doctor"]).to_string();
    assert!(doctor.contains("ahead of the machine's clock"), "{doctor}");
    assert!(service.log().contains("ahead of the machine's clock"), "{}", service.log());
}
