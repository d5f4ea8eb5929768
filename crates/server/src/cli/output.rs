//! Printing: results on standard output, everything else on standard error.

use anyhow::Context as _;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Prints a result, as JSON or as text.
pub fn print<T: Serialize>(json: bool, value: &T, text: impl FnOnce(&T) -> String) -> anyhow::Result<()> {
    let line = if json { serde_json::to_string(value)? } else { text(value) };
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{}", line.trim_end()).and_then(|()| out.flush()) {
        // A closed pipe, as in `till vendor list | head`, is no error.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("the command was carried out, but its result could not be printed"),
    }
}

/// The rows of a long list. With `--json` they are printed page by page, so that no list is too long for the memory; as
/// text they are kept, since the columns are as wide as their widest cells.
pub struct RowPrinter<T> {
    json: bool,
    /// The most rows.
    most: usize,
    printed: usize,
    kept: Vec<T>,
}

impl<T: Serialize> RowPrinter<T> {
    /// A list of at most `limit` rows; 0 for all.
    pub fn new(json: bool, limit: u32) -> Self {
        let most = if limit == 0 { usize::MAX } else { usize::try_from(limit).unwrap_or(usize::MAX) };
        Self { json, most, printed: 0, kept: Vec::new() }
    }

    /// How many rows to read next; `None` if there are enough, or if the reader of the output has gone.
    pub fn next(&self, at_once: u32) -> Option<u32> {
        let rest = self.most - self.printed;
        (rest > 0).then(|| u32::try_from(rest).unwrap_or(u32::MAX).min(at_once))
    }

    /// Adds a page.
    pub fn add(&mut self, rows: impl Iterator<Item = T>) -> anyhow::Result<()> {
        for row in rows {
            self.printed += 1;
            if !self.json {
                self.kept.push(row);
                continue;
            }
            let start = if self.printed == 1 { "[" } else { "," };
            if !write_out(&format!("{start}{}", serde_json::to_string(&row)?))? {
                self.most = self.printed;
                break;
            }
        }
        Ok(())
    }

    /// Ends the list.
    pub fn finish(self, text: impl FnOnce(&[T]) -> String) -> anyhow::Result<()> {
        let end = match (self.json, self.printed) {
            (true, 0) => "[]\n".to_owned(),
            (true, _) => "]\n".to_owned(),
            (false, _) => format!("{}\n", text(&self.kept).trim_end()),
        };
        write_out(&end).map(drop)
    }
}

/// Writes to standard output; false if its reader has gone.
fn write_out(text: &str) -> anyhow::Result<bool> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        written => written.map(|()| true).context("the result could not be printed"),
    }
}

/// Prints a line on standard error.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Text in columns, each as wide as its widest cell.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([head[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(head.to_vec())];
    lines.extend(rows.iter().map(|row| line(row.iter().map(String::as_str).collect())));
    lines.join("\n")
}
