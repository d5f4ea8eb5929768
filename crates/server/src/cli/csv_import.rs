//! CSV import from the command line: shows progress while rows are stored, and reports every bad row. Good
//! rows are imported, bad ones are not.

use super::{output::print, progress::Progress};
use anyhow::Context as _;
use serde::Serialize;
use std::{path::Path, process::ExitCode};
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

/// The progress of an import.
pub struct ImportProgress {
    done: usize,
    total: usize,
    progress: Progress,
}

impl ImportProgress {
    /// Progress over this many rows.
    pub fn new(total: usize) -> Self {
        Self { done: 0, total, progress: Progress::new() }
    }

    /// Adds this many stored rows.
    pub fn add(&mut self, rows: usize) {
        self.done += rows;
        let (done, total) = (self.done, self.total);
        let count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
        self.progress.show(count(done), count(total), || format!("imported {done} of {total} rows"));
    }
}
