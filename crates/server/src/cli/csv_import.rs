//! CSV import from the command line: shows progress while rows are stored, and reports every bad row. Good
//! rows are imported, bad ones are not.

use super::output::{complain, print};
use anyhow::Context as _;
use serde::Serialize;
use std::{io::IsTerminal, path::Path, process::ExitCode, time::Instant};
use till_service::admin::{
    catalog::{BadRow, ImportPlan},
    csv_sheet::RowProblem,
};

/// Reads a whole file.
pub fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The result of an import.
#[derive(Debug, Default, Serialize)]
pub struct ImportReport {
    created: usize,
    /// Rows that replaced existing items.
    updated: usize,
    /// Rows that equal existing items.
    unchanged: usize,
    /// Rows that were left out.
    bad: Vec<BadLine>,
    /// True if the file was only checked.
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct BadLine {
    line: u64,
    errors: Vec<BadField>,
}

#[derive(Debug, Serialize)]
struct BadField {
    field: String,
    code: &'static str,
    message: String,
}

impl From<&BadRow> for BadLine {
    fn from(row: &BadRow) -> Self {
        let field = |problem: &RowProblem| BadField {
            field: problem.column().to_owned(),
            code: problem.code(),
            message: problem.to_string(),
        };
        Self { line: row.line, errors: row.problems.iter().map(field).collect() }
    }
}

impl ImportReport {
    /// The changes that a file makes, or would make.
    pub fn of<T>(judged: &ImportPlan<T>, dry_run: bool) -> Self {
        Self {
            created: judged.added.len(),
            updated: judged.changed.len(),
            unchanged: judged.same,
            bad: judged.bad.iter().map(BadLine::from).collect(),
            dry_run,
        }
    }

    /// Prints the report. A bad row makes the command fail.
    pub fn finish(self, json: bool) -> anyhow::Result<ExitCode> {
        print(json, &self, Self::text)?;
        Ok(if self.bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for row in &self.bad {
            for error in &row.errors {
                text.push_str(&format!("line {}: {}\n", row.line, error.message));
            }
        }
        let done = if self.dry_run { "would be " } else { "" };
        let Self { created, updated, unchanged, bad, .. } = self;
        text.push_str(&format!(
            "{created} {done}created, {updated} {done}updated, {unchanged} unchanged, {} invalid rows \
             skipped",
            bad.len()
        ));
        text
    }
}

/// Shows the progress of an import: on a terminal in one line that is overwritten, elsewhere at intervals.
pub struct Progress {
    done: usize,
    total: usize,
    last: Instant,
    terminal: bool,
    shown: bool,
}

impl Progress {
    /// Progress over this many rows.
    pub fn new(total: usize) -> Self {
        Self { done: 0, total, last: Instant::now(), terminal: std::io::stderr().is_terminal(), shown: false }
    }

    /// Adds this many stored rows.
    pub fn add(&mut self, rows: usize) {
        self.done += rows;
        let pause = if self.terminal { 100 } else { 2_000 };
        if self.done < self.total && self.last.elapsed().as_millis() < pause {
            return;
        }
        self.last = Instant::now();
        let line = format!("imported {} of {} rows", self.done, self.total);
        // Moves one line up and clears it, so that the next line replaces this one.
        let over = if self.terminal { "\x1b[1A\x1b[2K" } else { "" };
        complain(&format!("{}{line}", if self.shown { over } else { "" }));
        self.shown = true;
    }
}
