//! A real mail server in a process of its own, which keeps the mails it gets.

use serde_json::Value;
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

/// A running mail server. It ends when this is dropped.
pub struct MailServer {
    child: Child,
    folder: TempDir,
    /// Its port on 127.0.0.1.
    pub port: u16,
}

impl MailServer {
    /// A server on a free port.
    pub fn start(options: &[&str]) -> Self {
        Self::start_at(0, options)
    }

    /// A server on this port.
    pub fn start_at(port: u16, options: &[&str]) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let python = root.join(".tools/smtp/bin/python");
        assert!(python.exists(), "the mail server is not installed: run tests/smtp/install, or ./test");
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(python);
        command.arg(root.join("tests/smtp/server.py")).args(["--port", &port.to_string()]).args(options);
        command.arg("--kept").arg(kept(&folder)).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the mail server starts");
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        output.read_line(&mut line).expect("its port");
        let port = line.trim().parse().unwrap_or_else(|_| panic!("no port: {line:?}"));
        Self { child, folder, port }
    }

    /// The mails it got so far.
    pub fn kept(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(kept(&self.folder)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// The value of the setting for this server, without TLS.
    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}?tls=none", self.port)
    }
}

fn kept(folder: &TempDir) -> PathBuf {
    folder.path().join("kept")
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
