//! The embedded store on a failing disk, with the real binary: it ends with exit code 70 instead of
//! acknowledging a write that may be lost, and after a restart everything acknowledged is there.

use crate::support::{Credentials, Process, Shop, Till};
use reqwest::Method;
use serde_json::Value;
use std::{
    fs,
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The exit code of the process.
const FAILED: i32 = 70;

/// Sessions that have to be acknowledged before the power loss.
const ENOUGH: usize = 500;

/// A disk whose syncs can fail; see tests/disk/platter.c.
struct Disk {
    library: PathBuf,
    platter: TempDir,
    folder: PathBuf,
}

impl Disk {
    /// A disk under the files of a closed store: their contents are on it.
    fn under(till: &Till) -> Self {
        let platter = tempfile::tempdir().expect("a folder");
        let folder = fs::canonicalize(till.folder()).expect("a folder");
        copy_databases(&folder, platter.path());
        Self { library: library(), platter, folder }
    }

    /// A command on this disk, with one failing sync if `fail` says so.
    fn attach(&self, mut command: Command, fail: Option<&str>) -> Command {
        command.env("LD_PRELOAD", &self.library).env("TILL_DISK_FOLDER", &self.folder);
        command.env("TILL_DISK_PLATTER", self.platter.path());
        command.envs(fail.map(|fail| ("TILL_DISK_FAIL", fail)));
        command
    }

    /// A power loss: everything that was not synced is gone. The count of commits is not synced; here it is
    /// kept all the same, so that a start refuses if anything is missing.
    fn lose_power(&self) {
        for file in fs::read_dir(&self.folder).expect("a folder") {
            let path = file.expect("a file").path();
            if path.extension().is_some_and(|end| ["db", "db-wal", "db-shm"].iter().any(|name| end == *name))
            {
                fs::remove_file(path).expect("removed");
            }
        }
        copy_databases(self.platter.path(), &self.folder);
    }
}

/// Compiles the library once for all tests of this process.
fn library() -> PathBuf {
    static BUILT: OnceLock<TempDir> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/disk/platter.c");
        let mut cc = Command::new("cc");
        cc.args(["-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-o"]).arg(folder.path().join("platter.so"));
        let built = cc.arg(source).args(["-ldl", "-lpthread"]).status().expect("cc starts");
        assert!(built.success(), "the library can be compiled");
        folder
    });
    folder.path().join("platter.so")
}

fn copy_databases(from: &Path, to: &Path) {
    for file in fs::read_dir(from).expect("a folder") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|end| end == "db" || end == "db-wal") {
            fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("a copy");
        }
    }
}

/// A store with a vendor, for heavy traffic.
fn prepared() -> (Till, Value) {
    let mut till = Till::new();
    till.set("TILL_RATE_LIMITS", "off").set("TILL_SIMULATOR", "on");
    let vendor = till.vendor();
    (till, vendor)
}

/// 24 clients create and 8 read created sessions, until enough are acknowledged or the service stops
/// answering.
async fn load(shop: &Shop, acknowledged: &Arc<Mutex<Vec<String>>>, enough: usize) {
    let over = Arc::new(AtomicBool::new(false));
    let give_up = Instant::now() + Duration::from_secs(60);
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..32 {
        let (shop, acknowledged, over) = (shop.clone(), Arc::clone(acknowledged), Arc::clone(&over));
        let bearer = format!("Bearer {}", shop.token);
        let body = Shop::book(&format!("A-{client}")).to_string().into_bytes();
        clients.spawn(async move {
            let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
            while !over.load(Ordering::Relaxed) && Instant::now() < give_up {
                let known = acknowledged.lock().expect("not poisoned").last().cloned();
                let call = match known {
                    Some(id) if client % 4 == 3 => {
                        let url = format!("{}/{id}", shop.sessions());
                        shop.try_send(Method::GET, &url, &headers, vec![]).await
                    }
                    _ => shop.try_send(Method::POST, &shop.sessions(), &headers, body.clone()).await,
                };
                let Ok(answer) = call else { break };
                let mut acknowledged = acknowledged.lock().expect("not poisoned");
                if answer.status == 201 {
                    acknowledged.push(answer.text("session_id"));
                }
                over.fetch_or(acknowledged.len() >= enough, Ordering::Relaxed);
            }
        });
    }
    clients.join_all().await;
}

async fn logged_in(service: &Process, environment: &str, vendor: &Value) -> Shop {
    let mut shop = service.shop(environment, vendor);
    shop.log_in().await;
    shop
}

/// The number of acknowledged sessions that the service does not have.
async fn missing(shop: &Shop, acknowledged: &[String]) -> usize {
    let mut missing = 0;
    for id in acknowledged {
        missing += usize::from(shop.status(id).await.status != 200);
    }
    missing
}

/// One sync fails under load; the service ends, starts again and continues until the power loss.
async fn check_failed_sync(environment: &str, file: &str, nth: u32) {
    let (till, vendor) = prepared();
    let disk = Disk::under(&till);
    let acknowledged = Arc::default();
    let fail = format!("{file}:{nth}");
    let mut service = Process::start(disk.attach(till.command(&["serve"]), Some(&fail)));
    let shop = logged_in(&service, environment, &vendor).await;
    load(&shop, &acknowledged, 20_000).await;
    let status = service.ended(Duration::from_secs(20));
    let before = acknowledged.lock().expect("not poisoned").len();
    assert_eq!(status.and_then(|s| s.code()), Some(FAILED), "{fail}, after {before}: {}", service.log());
    let log = service.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("stopped with exit code 70")).collect();
    assert!(lines.len() == 1 && lines[0].contains(&format!("{environment}.db")), "{fail}: {log}");
    drop(service);

    let service = Process::start(disk.attach(till.command(&["serve"]), None));
    let shop = logged_in(&service, environment, &vendor).await;
    let known = acknowledged.lock().expect("not poisoned").clone();
    assert_eq!(missing(&shop, &known).await, 0, "{fail}: restart");
    load(&shop, &acknowledged, ENOUGH.max(before + 100)).await;
    service.kill();
    disk.lose_power();

    let service = till.serve();
    let shop = logged_in(&service, environment, &vendor).await;
    let acknowledged = acknowledged.lock().expect("not poisoned").clone();
    assert!(acknowledged.len() >= ENOUGH, "{fail}: {}", acknowledged.len());
    assert_eq!(missing(&shop, &acknowledged).await, 0, "{fail}: of {} acknowledged", acknowledged.len());
    service.terminate();
    assert_eq!(till.json(&["doctor", "--min-free", "0"])["ok"], true, "{fail}");
    assert_eq!(till.json(&["verify"])["ok"], true, "{fail}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f4b_a_failed_sync_of_the_live_database_loses_nothing() {
    check_failed_sync("live", "live.db", 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f4b_a_failed_sync_of_the_live_log_loses_nothing() {
    check_failed_sync("live", "live.db-wal", 30).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f4b_a_failed_sync_of_the_sandbox_database_loses_nothing() {
    check_failed_sync("sandbox", "sandbox.db", 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f4b_a_failed_sync_of_the_sandbox_log_loses_nothing() {
    check_failed_sync("sandbox", "sandbox.db-wal", 12).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f4b_the_power_loss_of_these_tests_takes_what_was_not_synced() {
    let (till, vendor) = prepared();
    let disk = Disk::under(&till);
    let this = std::env::current_exe().expect("this test binary");
    let mut command = Command::new(this);
    till.prepare(&mut command);
    command.args(["operations::crash::serve_without_sync", "--ignored", "--exact", "--nocapture"]);
    let service = Process::start(disk.attach(command, None));
    let mut shop = Shop::new(&service.url, "sandbox", Credentials::of(&vendor, "sandbox"));
    shop.log_in().await;
    let acknowledged = Arc::default();
    load(&shop, &acknowledged, 100).await;
    service.kill();
    disk.lose_power();
    assert!(till.refusal().contains("acknowledged commits are missing"));
    for file in ["accounts.db-commits", "live.db-commits", "sandbox.db-commits"] {
        fs::remove_file(till.file(file)).expect("the loss is accepted");
    }
    let service = till.serve();
    let shop = logged_in(&service, "sandbox", &vendor).await;
    let acknowledged = acknowledged.lock().expect("not poisoned").clone();
    assert_eq!(missing(&shop, &acknowledged).await, acknowledged.len(), "nothing of it was on the disk");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d6_a_database_that_was_taken_away_ends_the_process() {
    type Take = fn(&Path);
    let takes: [(&str, &str, Take); 3] = [
        ("deleted", "live.db", |path| fs::remove_file(path).expect("removed")),
        ("renamed", "live.db-wal", |path| fs::rename(path, path.with_extension("aside")).expect("renamed")),
        ("replaced", "live.db", |path| {
            let copy = path.with_extension("copy");
            fs::copy(path, &copy).expect("a copy");
            fs::rename(copy, path).expect("renamed");
        }),
    ];
    for (how, file, take) in takes {
        let (till, vendor) = prepared();
        let mut service = till.serve();
        let shop = logged_in(&service, "live", &vendor).await;
        assert_eq!(shop.create(&Shop::book("A-1")).await.status, 201);
        take(&till.file(file));
        let acknowledged = Arc::default();
        load(&shop, &acknowledged, 1).await;
        assert_eq!(acknowledged.lock().expect("not poisoned").len(), 0, "{how}: nothing is acknowledged");
        let status = service.ended(Duration::from_secs(20));
        assert_eq!(status.and_then(|s| s.code()), Some(FAILED), "{how}: {}", service.log());
        assert!(service.log().contains(file) && service.log().contains(how), "{how}: {}", service.log());
    }
}

/// Overwrites bytes of a file.
fn damage(path: &Path, at: u64, length: usize) {
    let mut file = fs::File::options().read(true).write(true).open(path).expect("a file");
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(at)).expect("a place");
    file.read_exact(&mut bytes).expect("bytes");
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
    file.seek(SeekFrom::Start(at)).expect("a place");
    file.write_all(&bytes).expect("written");
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).expect("a file").len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f4b_a_log_that_was_damaged_in_its_middle_is_reported_at_the_start() {
    let (till, vendor) = prepared();
    let service = till.serve();
    let shop = logged_in(&service, "sandbox", &vendor).await;
    for _ in 0..40 {
        assert_eq!(shop.create(&Shop::book("A-1")).await.status, 201);
    }
    service.kill();
    let log = till.file("sandbox.db-wal");
    damage(&log, length(&log) / 2, 1);
    let before = fs::read(&log).expect("a file");
    let told = till.refusal();
    assert!(told.contains("sandbox.db") && told.contains("acknowledged commits are missing"), "{told}");
    let verify = till.run(&["verify"]);
    let table = String::from_utf8(verify.stdout).expect("text");
    assert_eq!(verify.status.code(), Some(1), "{table}");
    assert!(table.contains("acknowledged commits are missing"), "{table}");
    let doctor = till.run(&["doctor", "--min-free", "0"]);
    let table = String::from_utf8(doctor.stdout).expect("text");
    assert!(doctor.status.code() == Some(1) && table.contains("acknowledged commits are missing"), "{table}");
    assert!(fs::read(&log).expect("a file") == before, "nobody touched the log");
    fs::remove_file(till.file("sandbox.db-commits")).expect("the loss is accepted");
    let service = till.serve();
    let shop = logged_in(&service, "sandbox", &vendor).await;
    assert_eq!(shop.create(&Shop::book("A-2")).await.status, 201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d12_a_damaged_file_ends_the_service_and_verify_tells_what_is_damaged() {
    let (till, vendor) = prepared();
    let service = till.serve();
    let shop = logged_in(&service, "sandbox", &vendor).await;
    let id = shop.order("A-1").await;
    for _ in 0..200 {
        shop.order("A-1").await;
    }
    service.terminate();
    let path = till.file("sandbox.db");
    let root: u32 = rusqlite::Connection::open(&path)
        .expect("a database")
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'sessions'", [], |row| row.get(0))
        .expect("a page");
    damage(&path, u64::from(root - 1) * 4096, 64);
    let verify = till.run(&["verify"]);
    let table = String::from_utf8(verify.stdout).expect("text");
    assert_eq!(verify.status.code(), Some(1), "{table}");
    assert!(table.contains("malformed") && table.contains("WRONG"), "{table}");
    assert!(
        table.lines().filter(|line| line.starts_with("live ") && line.contains(" ok")).count() > 10,
        "{table}"
    );
    let mut service = till.serve();
    let shop = logged_in(&service, "sandbox", &vendor).await;
    // The service ends as soon as this request or a worker reads the page.
    let (url, bearer) = (format!("{}/{id}", shop.sessions()), format!("Bearer {}", shop.token));
    let _ = shop.try_send(Method::GET, &url, &[("authorization", &bearer)], vec![]).await;
    let status = service.ended(Duration::from_secs(20));
    assert_eq!(status.and_then(|s| s.code()), Some(FAILED), "{}", service.log());
    assert!(service.log().contains("malformed"), "{}", service.log());
}
