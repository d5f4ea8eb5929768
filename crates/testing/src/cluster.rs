//! A PostgreSQL server for one test: made with `initdb`, reached by a socket in its own folder, removed with
//! the test.
//!
//! `initdb` runs once per build and its result is copied after that. PostgreSQL does not run as root, so a
//! test that runs as root starts the server as the unprivileged user 65534.

use std::{
    fs::{self, File},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The user and group of the server when the test runs as root.
const NOBODY: u32 = 65534;

pub struct Cluster {
    folder: TempDir,
    process: Option<Child>,
    options: Vec<String>,
    variables: Vec<(String, String)>,
}

impl Cluster {
    /// A server that listens on a socket only.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// The same, with more configuration settings.
    pub fn with(settings: &[(&str, &str)]) -> Self {
        Self::with_files(settings, &[])
    }

    /// The same, with more files in its data folder.
    pub fn with_files(settings: &[(&str, &str)], files: &[(&str, &str)]) -> Self {
        let folder = new_folder();
        let data = folder.path().join("data");
        run(Command::new("cp").arg("-r").arg(template()).arg(&data));
        for (name, text) in files {
            fs::write(data.join(name), text).expect("a file");
        }
        let mut cluster = Self { folder, process: None, options: Vec::new(), variables: Vec::new() };
        cluster.own(&data);
        cluster.configure(settings);
        cluster.launch();
        cluster
    }

    /// A standby that replicates from another server, and can be promoted.
    pub fn following(primary: &Self, settings: &[(&str, &str)]) -> Self {
        let folder = new_folder();
        let data = folder.path().join("data");
        let mut copy = as_server(program("pg_basebackup"));
        copy.args(["--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf", "--no-sync"]);
        copy.args(["--user=till", "--pgdata"]).arg(&data).arg("--host").arg(primary.folder.path());
        run(&mut copy);
        let mut cluster = Self { folder, process: None, options: Vec::new(), variables: Vec::new() };
        cluster.configure(settings);
        cluster.launch();
        cluster
    }

    /// Gives the files to the server's user.
    fn own(&self, path: &Path) {
        if is_root() {
            run(Command::new("chown").args(["-R", &format!("{NOBODY}:{NOBODY}")]).arg(path));
        }
        run(Command::new("chmod").args(["-R", "u=rwX,go="]).arg(path));
    }

    /// Replaces the settings; they apply from the next start.
    pub fn configure(&mut self, settings: &[(&str, &str)]) {
        let socket = self.folder.path().display().to_string();
        let base = [
            ("unix_socket_directories", socket.as_str()),
            ("listen_addresses", ""),
            ("shared_buffers", "32MB"),
            ("max_connections", "200"),
            ("log_min_messages", "error"),
        ];
        let all = base.iter().chain(settings);
        self.options = all.flat_map(|(name, value)| ["-c".to_owned(), format!("{name}={value}")]).collect();
    }

    /// Sets environment variables of the server from the next start on.
    pub fn set_variables(&mut self, variables: &[(String, String)]) {
        self.variables = variables.to_vec();
    }

    /// Starts the server, and waits until it accepts connections.
    pub fn launch(&mut self) {
        let log = File::options().create(true).append(true).open(self.log_file()).expect("a log");
        let mut command = as_server(program("postgres"));
        command.arg("-D").arg(self.data()).args(&self.options);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("a log")).stderr(log);
        self.process = Some(command.spawn().expect("the server starts"));
        let pid_file = self.data().join("postmaster.pid");
        let give_up = Instant::now() + Duration::from_secs(60);
        // The last line of the file is the server's status.
        while !fs::read_to_string(&pid_file).is_ok_and(|text| {
            text.lines().nth(7).is_some_and(|line| line.starts_with("ready") || line.starts_with("standby"))
        }) {
            let ended = self.process.as_mut().and_then(|process| process.try_wait().expect("a child"));
            assert!(ended.is_none() && Instant::now() < give_up, "no server: {}", self.log());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills the server as a crash would, but without leaving processes behind.
    pub fn crash(&mut self) {
        self.end(rustix::process::Signal::QUIT);
    }

    fn end(&mut self, signal: rustix::process::Signal) {
        if let Some(mut process) = self.process.take() {
            self.signal_to(&process, signal);
            process.wait().expect("it ended");
        }
    }

    fn signal_to(&self, process: &Child, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_child(process);
        rustix::process::kill_process(id, signal).expect("it was running");
    }

    /// Suspends every process of the server: its connections stay open and nothing is answered.
    pub fn freeze(&self) {
        self.signal_all(rustix::process::Signal::STOP);
    }

    /// Resumes a suspended server.
    pub fn thaw(&self) {
        self.signal_all(rustix::process::Signal::CONT);
    }

    /// Signals the postmaster first, so that it starts no process meanwhile, and then its children.
    fn signal_all(&self, signal: rustix::process::Signal) {
        let Some(postmaster) = &self.process else { return };
        self.signal_to(postmaster, signal);
        let id = postmaster.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
            // A child that has just ended needs no signal.
            let _ = rustix::process::Pid::from_raw(child)
                .map(|child| rustix::process::kill_process(child, signal));
        }
    }

    /// Promotes a standby to primary.
    pub fn promote(&self) {
        let mut command = as_server(program("pg_ctl"));
        run(command.args(["promote", "--wait", "--silent", "--pgdata"]).arg(self.data()));
    }

    /// The URL of the database that every server has.
    pub fn url(&self) -> String {
        format!("postgres://till@{}/postgres", self.host())
    }

    /// The host as it is written in a URL.
    pub fn host(&self) -> String {
        self.folder.path().display().to_string().replace('/', "%2F")
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log_file(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// The server's log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_file()).unwrap_or_default()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // A suspended server does not react to any other signal.
        self.thaw();
        self.end(rustix::process::Signal::QUIT);
    }
}

/// A folder that the server's user can use.
fn new_folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    if is_root() {
        std::os::unix::fs::chown(folder.path(), Some(NOBODY), Some(NOBODY)).expect("root may");
    }
    folder
}

/// A data folder fresh from `initdb`, made once and kept beside the build.
fn template() -> PathBuf {
    let binary = std::env::current_exe().expect("this test's binary");
    let kept = binary.ancestors().nth(3).expect("the folder of the build").join("tmp");
    fs::create_dir_all(&kept).expect("a folder");
    let lock = File::create(kept.join("postgres.lock")).expect("a lock");
    lock.lock().expect("the lock");
    let template = kept.join("postgres-template");
    if !template.join("PG_VERSION").exists() {
        let folder = new_folder();
        let data = folder.path().join("data");
        let mut initdb = as_server(program("initdb"));
        initdb.args(["--no-sync", "--auth=trust", "--username=till", "--encoding=UTF8", "--locale=C.UTF-8"]);
        run(initdb.arg("--wal-segsize=1").arg("--pgdata").arg(&data));
        let half = kept.join("postgres-template.new");
        let _ = fs::remove_dir_all(&half);
        run(Command::new("cp").arg("-r").arg(&data).arg(&half));
        fs::rename(&half, &template).expect("a template");
    }
    template
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The path of a PostgreSQL program, wherever the distribution keeps it.
pub fn program(name: &str) -> PathBuf {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> = std::env::split_paths(&search).collect();
    if let Ok(versions) = fs::read_dir("/usr/lib/postgresql") {
        let mut versions: Vec<PathBuf> = versions.flatten().map(|entry| entry.path().join("bin")).collect();
        versions.sort();
        places.extend(versions.into_iter().rev());
    }
    let found = places.into_iter().map(|place| place.join(name)).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("{name} is missing: ./test installs PostgreSQL"))
}

fn as_server(program: PathBuf) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/").env("LC_ALL", "C");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
