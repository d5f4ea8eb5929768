//! The real binary: as a command that ends, and as a service that runs.

use super::{Credentials, Shop};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The key of every test store.
pub const MASTER_KEY: &str = "7b0f2c9e51d3a86477e0c3a1f8f9be3c7745d3a4f0c1c5f79a40d5f0b9b20f5a";

/// A key that is not the store's.
pub const OTHER_KEY: &str = "8c1e3d0f62e4b97588f1d4b2a90acf4d8856e4b501d2d6a8ab51e6a1cac31a6b";

/// Writes a file that only its owner can read.
pub fn write_secret(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("a mode");
}

/// A folder with a store, and the binary to use on it.
pub struct Till {
    folder: TempDir,
    variables: Vec<(String, String)>,
    through: Vec<String>,
    binary: PathBuf,
}

impl Till {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            variables: Vec::new(),
            through: Vec::new(),
            binary: env!("CARGO_BIN_EXE_till").into(),
        }
    }

    /// Adds a setting for every command that follows; a later one replaces an earlier one.
    pub fn set(&mut self, name: &str, value: &str) -> &mut Self {
        self.variables.retain(|(other, _)| other != name);
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Starts every command that follows through another program that executes it.
    pub fn through(&mut self, program: Vec<String>) -> &mut Self {
        self.through = program;
        self
    }

    /// Uses the binary of another version for every command that follows.
    pub fn version(&mut self, binary: &Path) -> &mut Self {
        binary.clone_into(&mut self.binary);
        self
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A file in the data folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The binary with arguments, in a clean environment with this folder's settings.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let binary = self.binary.to_str().expect("text");
        let mut words = self.through.iter().map(String::as_str).chain([binary]);
        let mut command = Command::new(words.next().unwrap_or(binary));
        self.prepare(&mut command);
        command.args(words).args(arguments);
        command
    }

    /// Gives a command this folder's settings.
    pub fn prepare(&self, command: &mut Command) {
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TILL_DATA_DIR", self.folder()).env("TILL_MASTER_KEY", MASTER_KEY);
        command.env("TILL_LISTEN", "127.0.0.1:0");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// Runs a command to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    /// Runs a command that must succeed, and parses its JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        serde_json::from_slice(&output.stdout).expect("JSON on standard output")
    }

    /// Runs a command that must fail, and returns its error message.
    pub fn error(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?} should fail");
        String::from_utf8(output.stderr).expect("text")
    }

    /// Starts a service that must refuse to start, and returns its error message. One that serves after all
    /// is ended.
    pub fn refusal(&self) -> String {
        let mut command = self.command(&["serve"]);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary runs");
        let give_up = Instant::now() + Duration::from_secs(30);
        let ended = loop {
            match child.try_wait().expect("a child") {
                Some(status) => break Some(status),
                None if Instant::now() > give_up => break None,
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let _ = child.kill();
        let output = child.wait_with_output().expect("it ended");
        let told = String::from_utf8(output.stderr).expect("text");
        assert!(ended.is_some_and(|status| !status.success()), "it should not serve: {told}");
        told
    }

    /// Creates a vendor with its sandbox on.
    pub fn vendor(&self) -> Value {
        self.json(&["vendor", "create", "--name", "Halden Press", "--sandbox"])
    }

    /// Starts the service and waits until it serves.
    pub fn serve(&self) -> Process {
        Process::start(self.command(&["serve"]))
    }
}

/// A service in a process of its own. It is killed when this is dropped.
pub struct Process {
    child: Child,
    log: Arc<Mutex<String>>,
    pub url: String,
}

impl Process {
    /// Starts a command that serves, and waits until its log says where.
    pub fn start(mut command: Command) -> Self {
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the service starts");
        let log = Arc::new(Mutex::new(String::new()));
        let (send, receive) = std::sync::mpsc::channel();
        let mut lines = BufReader::new(child.stderr.take().expect("a log")).lines();
        let kept = Arc::clone(&log);
        std::thread::spawn(move || {
            while let Some(Ok(line)) = lines.next() {
                let url = line.split_once(" serves ").and_then(|(_, rest)| rest.split_whitespace().next());
                let mut kept = kept.lock().expect("not poisoned");
                kept.push_str(&line);
                kept.push('\n');
                // Sent only after the line is in the log, so that the receiver finds it there.
                if let Some(url) = url {
                    let _ = send.send(url.to_owned());
                }
            }
        });
        let url = receive.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| {
            panic!("the service did not start:\n{}", log.lock().expect("not poisoned"));
        });
        Self { child, log, url }
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("not poisoned").clone()
    }

    /// Its metrics, as its metrics listener returns them.
    pub async fn metrics(&self) -> String {
        let log = self.log();
        let url = log.lines().find_map(|line| line.split_once("metrics are at ")).expect("it says where").1;
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        client.get(url.trim()).send().await.expect("an answer").text().await.expect("a text")
    }

    /// A file of its folder below `/proc`.
    pub fn proc(&self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).expect("it runs")
    }

    /// Its resident memory now, in KiB.
    pub fn memory(&self) -> u64 {
        let text = self.proc("status");
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line about memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// A vendor's client of this service.
    pub fn shop(&self, environment: &str, vendor: &Value) -> Shop {
        Shop::new(&self.url, environment, Credentials::of(vendor, environment))
    }

    /// Waits for it to end by itself, and returns its exit status.
    pub fn ended(&mut self, within: Duration) -> Option<std::process::ExitStatus> {
        let give_up = Instant::now() + within;
        loop {
            match self.child.try_wait().expect("a child") {
                None if Instant::now() < give_up => std::thread::sleep(Duration::from_millis(10)),
                ended => return ended,
            }
        }
    }

    /// Kills it.
    pub fn kill(mut self) {
        self.child.kill().expect("it was running");
        self.child.wait().expect("it ended");
    }

    /// Sends it the signal to stop.
    pub fn signal(&self) {
        self.send(Signal::TERM);
    }

    /// Suspends it, as a machine that hangs would.
    pub fn freeze(&self) {
        self.send(Signal::STOP);
    }

    /// Resumes a suspended one.
    pub fn thaw(&self) {
        self.send(Signal::CONT);
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it was running");
    }

    /// Asks it to stop, and returns its exit status and how long that took.
    pub fn terminate(mut self) -> (std::process::ExitStatus, Duration) {
        let asked = Instant::now();
        self.signal();
        (self.child.wait().expect("it ended"), asked.elapsed())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(mut rest) = self.child.stderr.take() {
            let _ = rest.read_to_end(&mut Vec::new());
        }
    }
}
