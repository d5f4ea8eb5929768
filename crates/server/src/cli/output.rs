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
