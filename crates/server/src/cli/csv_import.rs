//! Reading a CSV file row by row, with progress and a report of every bad row. Good rows are imported,
//! bad ones are not, and nothing is lost silently.

use super::output::{complain, print};
use anyhow::{Context as _, bail};
use csv::{ReaderBuilder, StringRecord};
use serde::Serialize;
use std::{
    collections::{HashMap, HashSet},
    io::IsTerminal,
    path::Path,
    process::ExitCode,
    time::Instant,
};
use till_domain::rejection::FieldError;

/// Rows written in one transaction.
pub const AT_ONCE: usize = 500;

/// A column of the file.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its head.
    pub name: &'static str,
    /// Whether every file must have it.
    pub required: bool,
}

/// The rows of a file, by the heads of its columns.
pub struct Rows {
    /// The rows, each with the number of its line.
    records: Vec<(u64, Result<StringRecord, String>)>,
    positions: HashMap<&'static str, usize>,
}

impl Rows {
    /// Reads a file whose first line names its columns.
    pub fn read(path: &Path, columns: &[Column]) -> anyhow::Result<Self> {
        let file = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut reader = ReaderBuilder::new().flexible(true).from_reader(file.as_slice());
        let heads = reader.headers().context("the first line must name the columns, in UTF-8")?.clone();
        let mut positions = HashMap::new();
        for (position, head) in heads.iter().enumerate() {
            let head = head.trim().trim_start_matches('\u{feff}');
            let Some(column) = columns.iter().find(|column| column.name == head) else {
                bail!("column {head:?} is not known; the columns are {}", names(columns));
            };
            if positions.insert(column.name, position).is_some() {
                bail!("column {head:?} appears twice");
            }
        }
        if let Some(missing) = columns.iter().find(|c| c.required && !positions.contains_key(c.name)) {
            bail!("column {:?} is missing; the columns are {}", missing.name, names(columns));
        }
        let mut records = Vec::new();
        let mut record = StringRecord::new();
        loop {
            let line = line_after(&file, reader.position());
            match reader.read_record(&mut record) {
                Ok(false) => break,
                Ok(true) if record.len() == heads.len() => records.push((line, Ok(record.clone()))),
                Ok(true) => {
                    let (found, wanted) = (record.len(), heads.len());
                    let problem = format!("has {found} fields instead of {wanted}; is a quote left open?");
                    records.push((line, Err(problem)));
                }
                Err(error) if matches!(error.kind(), csv::ErrorKind::Utf8 { .. }) => {
                    records.push((line, Err("is not UTF-8".to_owned())));
                }
                Err(error) => return Err(error).context("the file cannot be read"),
            }
        }
        Ok(Self { records, positions })
    }

    /// Each row's line, with a way to its fields, or what is wrong with it as a whole.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Result<Fields<'_>, &str>)> {
        self.records.iter().map(|(line, record)| match record {
            Ok(record) => (*line, Ok(Fields { record, positions: &self.positions })),
            Err(problem) => (*line, Err(problem.as_str())),
        })
    }
}

/// The line on which the next row starts. The reader stops before line ends that it has yet to skip.
fn line_after(file: &[u8], position: &csv::Position) -> u64 {
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let ahead = file.get(start..).unwrap_or_default();
    let skipped = ahead.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() + skipped.filter(|byte| **byte == b'\n').count() as u64
}

fn names(columns: &[Column]) -> String {
    let name = |column: &Column| match column.required {
        true => column.name.to_owned(),
        false => format!("{} (optional)", column.name),
    };
    columns.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The fields of one row.
pub struct Fields<'a> {
    record: &'a StringRecord,
    positions: &'a HashMap<&'static str, usize>,
}

impl<'a> Fields<'a> {
    /// A field, trimmed; empty if its column is not there.
    pub fn get(&self, name: &str) -> &'a str {
        let position = self.positions.get(name);
        position.and_then(|position| self.record.get(*position)).unwrap_or("").trim()
    }
}

/// Sorts the rows of a file into good ones, each id once, and bad ones. `id_column` is only for messages.
pub fn judge<T>(
    rows: &Rows,
    id_column: &str,
    existing: &HashSet<String>,
    parse: impl Fn(&Fields<'_>) -> Result<T, Vec<FieldError>>,
    id_of: impl Fn(&T) -> &str,
) -> (Vec<T>, Report) {
    let mut report = Report::default();
    let mut seen: HashMap<String, u64> = HashMap::new();
    let mut good = Vec::new();
    for (line, fields) in rows.iter() {
        let item = match fields.map(|fields| parse(&fields)) {
            Err(problem) => {
                report.bad_row(line, "bad_row", format!("the row {problem}"));
                continue;
            }
            Ok(Err(errors)) => {
                report.bad_fields(line, &errors);
                continue;
            }
            Ok(Ok(item)) => item,
        };
        let id = id_of(&item);
        if let Some(first) = seen.get(id) {
            report.bad_row(line, "repeated", format!("{id_column} {id} is already on line {first}"));
            continue;
        }
        seen.insert(id.to_owned(), line);
        let count = if existing.contains(id) { &mut report.updated } else { &mut report.created };
        *count += 1;
        good.push(item);
    }
    (good, report)
}

/// What became of an import.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// New rows.
    pub created: usize,
    /// Rows that replaced what was there.
    pub updated: usize,
    /// Rows that were left out.
    pub bad: Vec<BadRow>,
    /// Whether nothing was changed.
    pub dry_run: bool,
}

/// A row that was left out.
#[derive(Debug, Serialize)]
pub struct BadRow {
    line: u64,
    errors: Vec<BadField>,
}

#[derive(Debug, Serialize)]
struct BadField {
    field: &'static str,
    code: &'static str,
    message: String,
}

impl Report {
    /// Notes a row whose fields are wrong.
    fn bad_fields(&mut self, line: u64, errors: &[FieldError]) {
        let field =
            |e: &FieldError| BadField { field: e.field, code: e.problem.code(), message: e.message() };
        self.bad.push(BadRow { line, errors: errors.iter().map(field).collect() });
    }

    /// Notes a row that is wrong as a whole.
    fn bad_row(&mut self, line: u64, code: &'static str, message: String) {
        self.bad.push(BadRow { line, errors: vec![BadField { field: "", code, message }] });
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
        let Self { created, updated, bad, .. } = self;
        text.push_str(&format!(
            "{created} {done}created, {updated} {done}updated, {} bad rows left out",
            bad.len()
        ));
        text
    }
}

/// Says how far an import is: on a terminal in one line that is written over, elsewhere now and then.
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

    /// Says that so many more rows are stored.
    pub fn add(&mut self, rows: usize) {
        self.done += rows;
        let pause = if self.terminal { 100 } else { 2_000 };
        if self.done < self.total && self.last.elapsed().as_millis() < pause {
            return;
        }
        self.last = Instant::now();
        let line = format!("imported {} of {} rows", self.done, self.total);
        // One up and clear, so that the next line takes this one's place.
        let over = if self.terminal { "\x1b[1A\x1b[2K" } else { "" };
        complain(&format!("{}{line}", if self.shown { over } else { "" }));
        self.shown = true;
    }
}
