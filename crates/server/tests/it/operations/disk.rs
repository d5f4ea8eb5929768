//! A full disk: clear refusals, reads that continue, a log that does not grow with every request, and a
//! recovery without help.

use crate::support::{Answer, Process, Shop, Till, note};
use reqwest::Method;
use serde_json::json;
use std::{
    fs::{self, File},
    io::{BufRead, BufReader, ErrorKind, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// The delay of the planned outcome. The disk is full by then.
const DUE_AFTER: Duration = Duration::from_secs(3);

/// A small disk mounted on a folder, in a mount namespace of its holder; only the holder and processes that
/// enter its namespace see it. It is unmounted when this is dropped, and also if this process dies, because
/// the holder then reads the end of its input.
struct Disk {
    holder: Child,
    folder: PathBuf,
}

impl Disk {
    /// `None`, and a note in the output, where mounting is not permitted.
    fn mount(folder: &Path) -> Option<Self> {
        let script = r#"mount -t tmpfs -o size=16m till "$1" && echo mounted && exec cat"#;
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private", "sh", "-c", script, "sh"]).arg(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut holder = match command.spawn() {
            Ok(holder) => holder,
            Err(error) => {
                note(&format!("skipped: unshare does not start: {error}"));
                return None;
            }
        };
        let mut line = String::new();
        BufReader::new(holder.stdout.take().expect("its output")).read_line(&mut line).expect("text");
        let disk = Self { holder, folder: folder.to_owned() };
        if line.trim() != "mounted" {
            note("skipped: mounting a disk is not permitted here; it needs root");
            return None;
        }
        Some(disk)
    }

    /// The command prefix that runs a program in the namespace of this disk.
    fn enter(&self) -> Vec<String> {
        vec!["nsenter".to_owned(), format!("--mount=/proc/{}/ns/mnt", self.holder.id()), "--".to_owned()]
    }

    /// The path by which this process sees a file of the disk.
    fn file(&self, name: &str) -> PathBuf {
        let inside = self.folder.strip_prefix("/").expect("an absolute path");
        Path::new("/proc").join(self.holder.id().to_string()).join("root").join(inside).join(name)
    }

    /// Takes whatever room is left.
    fn fill(&self) {
        let mut ballast =
            File::options().create(true).append(true).open(self.file("ballast")).expect("a file");
        // In ever smaller pieces, until not a byte fits.
        for size in [65_536, 4_096, 1] {
            let piece = vec![7; size];
            let full = loop {
                if let Err(error) = ballast.write_all(&piece) {
                    break error;
                }
            };
            assert_eq!(full.kind(), ErrorKind::StorageFull, "{full}");
        }
    }

    fn clear(&self) {
        fs::remove_file(self.file("ballast")).expect("the ballast was there");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// The results of creates.
#[derive(Default)]
struct Creates {
    acknowledged: Vec<String>,
    refused: usize,
}

impl Creates {
    /// Counts an answer, which must be 201 or 503 with `Retry-After`.
    fn note(&mut self, answer: &Answer) {
        if answer.status == 201 {
            self.acknowledged.push(answer.text("session_id"));
            return;
        }
        assert_eq!(answer.problem(), "503 unavailable", "{}", answer.body);
        let wait: u64 = answer.header("retry-after").expect("a wait").parse().expect("seconds");
        assert!((1..=60).contains(&wait), "{wait}");
        self.refused += 1;
    }

    /// 16 clients create at once until it is time to stop.
    async fn hammer(&mut self, shop: &Shop, stop: impl Fn(&Answer) -> bool + Copy + Send + 'static) {
        let mut clients = tokio::task::JoinSet::new();
        for _ in 0..16 {
            let shop = shop.clone();
            clients.spawn(async move {
                let mut answers = Vec::new();
                while !answers.last().is_some_and(stop) {
                    answers.push(shop.create(&Shop::book("A-1")).await);
                    assert!(answers.len() < 5_000, "it never stops");
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                answers
            });
        }
        clients.join_all().await.iter().flatten().for_each(|answer| self.note(answer));
    }
}

/// Lines of the log above the level `info`.
fn troubles(service: &Process) -> Vec<String> {
    let log = service.log();
    log.lines().filter(|line| line.contains("ERROR") || line.contains("WARN")).map(str::to_owned).collect()
}

async fn readiness(shop: &Shop, service: &Process) -> u16 {
    let ready = shop.send(Method::GET, &format!("{}/readyz", service.url), &[], vec![]).await;
    let said = ready.text("status");
    assert!(ready.status == 200 || said.contains("disk is full"), "it says what is wrong: {said}");
    ready.status.as_u16()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_root_f4_d8_a_full_disk_refuses_honestly_and_recovers_by_itself() {
    let mut till = Till::new();
    let Some(disk) = Disk::mount(till.folder()) else { return };
    till.through(disk.enter()).set("TILL_RATE_LIMITS", "off");
    let vendor = till.vendor();
    let service = till.serve();
    let mut shop = service.shop("sandbox", &vendor);
    shop.log_in().await;
    let mut creates = Creates::default();
    let soon = Instant::now() + Duration::from_secs(1);
    creates.hammer(&shop, move |_| Instant::now() > soon).await;
    let before = creates.acknowledged[0].clone();
    let due = creates.acknowledged[1].clone();
    let plan = json!({ "outcome": "paid", "after_ms": DUE_AFTER.as_millis() });
    assert_eq!(shop.simulate(&due, &plan).await.text("status"), "pending");
    let due_at = Instant::now() + DUE_AFTER;
    let said_before = troubles(&service).len();

    disk.fill();
    // Writes that still fit into the write-ahead log are stored.
    creates.hammer(&shop, |answer| answer.status != 201).await;
    assert!(Instant::now() < due_at, "the disk was not full in time for what comes next");
    let keyed = Shop::book("A-2");
    creates.note(&shop.create_once("k", &keyed).await);
    // Long enough for the expiry worker to fail a few times as well.
    let until = due_at + Duration::from_secs(4);
    let ((), (reads, not_ready)) =
        tokio::join!(creates.hammer(&shop, move |_| Instant::now() > until), async {
            let (mut slowest, mut not_ready) = (Duration::ZERO, false);
            while Instant::now() < until {
                let asked = Instant::now();
                let status = shop.status(&before).await;
                assert_eq!((status.status.as_u16(), status.text("status").as_str()), (200, "pending"));
                let health = shop.send(Method::GET, &format!("{}/healthz", service.url), &[], vec![]).await;
                assert_eq!((health.status.as_u16(), health.text("status").as_str()), (200, "ok"));
                slowest = slowest.max(asked.elapsed());
                not_ready = readiness(&shop, &service).await == 503;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            (slowest, not_ready)
        });
    assert!(not_ready, "readiness writes, so it says that nothing can be written (D8)");
    assert!(reads < Duration::from_secs(3), "reads go on: {reads:?}");
    assert!(creates.refused >= 200, "{}", creates.refused);
    let late = shop.status(&due).await;
    assert_eq!(late.problem(), "503 unavailable", "paid by now, but that cannot be stored");
    let said = troubles(&service).split_off(said_before);
    let text = said.join("\n");
    assert!(text.contains("disk is full"), "the log says why:\n{text}");
    // A write can fail at one of two steps, and each is logged once.
    for who in ["the store fails requests", "the expiry worker failed"] {
        let lines = said.iter().filter(|line| line.contains(who)).count();
        assert!((1..=2).contains(&lines), "{who}, {} times refused:\n{text}", creates.refused);
    }
    assert!(said.len() <= 4, "{text}");

    disk.clear();
    let cleared = Instant::now();
    while shop.create(&Shop::book("A-3")).await.status != 201 {
        assert!(cleared.elapsed() < Duration::from_secs(5), "it does not recover by itself");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    while readiness(&shop, &service).await != 200 {
        assert!(cleared.elapsed() < Duration::from_secs(10), "it is ready by itself");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(shop.create_once("k", &keyed).await.status, 201, "a retry with its key finds the truth");
    assert_eq!(shop.status(&due).await.text("status"), "paid");
    for id in &creates.acknowledged {
        assert_eq!(shop.status(id).await.status, 200, "{id} was acknowledged");
    }
    let (status, _) = service.terminate();
    assert_eq!(status.code(), Some(0), "it was never down");
    let healthy = till.json(&["doctor", "--min-free", "0"]);
    assert_eq!(healthy["ok"], true, "{healthy}");
    note(&format!(
        "full disk: {} acknowledged, {} refused, {} lines in the log",
        creates.acknowledged.len(),
        creates.refused,
        said.len()
    ));
}
