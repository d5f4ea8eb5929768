//! The rows of a table in a file, in the text format of `COPY`.

use super::{OWN_TABLES, RelocationError};
use crate::engine::migrate::Role;
use rusqlite::{Connection, OpenFlags, types::ValueRef};
use sha2::{Digest as _, Sha256};
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};
use tokio::{sync::mpsc, task::JoinHandle};

/// Bytes that are sent at once.
const CHUNK: usize = 256 * 1024;

/// Chunks that are read ahead.
const AHEAD: usize = 4;

/// The number of rows, and the sum of their checksums, whatever their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) rows: u64,
    sum: u128,
}

impl Tally {
    /// Adds a line, without its end.
    pub(super) fn add(&mut self, line: &[u8]) {
        let hash = Sha256::digest(line);
        let (first, _) = hash.split_first_chunk::<16>().expect("a hash has 32 bytes");
        self.rows += 1;
        self.sum = self.sum.wrapping_add(u128::from_be_bytes(*first));
    }

    pub(super) fn checksum(&self) -> String {
        format!("{:032x}", self.sum)
    }
}

/// A part of a table.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Whole lines.
    pub(super) text: Vec<u8>,
    /// The number of rows up to its end.
    pub(super) rows: u64,
}

/// A column, as the server has it.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    /// A flag is a number in a file and a boolean on a server.
    pub(super) is_flag: bool,
}

/// A table of a file.
#[derive(Debug)]
pub(super) struct TableReader {
    file: PathBuf,
    role: Role,
    table: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: u64,
}

impl TableReader {
    /// Every table of a database that is moved.
    pub(super) fn all_of(folder: &Path, role: Role) -> Result<Vec<Self>, RelocationError> {
        let file = folder.join(role.file());
        let failed = |error: rusqlite::Error| source(role.name(), &error);
        let shell = open(&file).map_err(failed)?;
        let mut names = shell
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
            .map_err(failed)?;
        let names = names.query_map([], |row| row.get::<_, String>(0)).map_err(failed)?;
        let mut readers = Vec::new();
        for table in names {
            let table = table.map_err(failed)?;
            if OWN_TABLES.contains(&table.as_str()) {
                continue;
            }
            let mut columns = shell.prepare("SELECT name FROM pragma_table_info(?1)").map_err(failed)?;
            let columns = columns.query_map([&table], |row| row.get(0)).map_err(failed)?;
            let columns = columns.collect::<Result<Vec<String>, _>>().map_err(failed)?;
            let count = format!("SELECT COUNT(*) FROM {table}");
            let rows: i64 = shell.query_row(&count, [], |row| row.get(0)).map_err(failed)?;
            let rows = u64::try_from(rows).unwrap_or(0);
            readers.push(Self { file: file.clone(), role, table, columns, rows });
        }
        Ok(readers)
    }

    /// The table's name on the server.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.role.name(), self.table)
    }

    /// Reads all rows, and counts them.
    pub(super) fn read(
        &self,
        columns: Vec<Column>,
    ) -> (mpsc::Receiver<Chunk>, JoinHandle<Result<Tally, RelocationError>>) {
        let (send, receive) = mpsc::channel(AHEAD);
        let (file, table, name) = (self.file.clone(), self.table.clone(), self.name());
        let reading = tokio::task::spawn_blocking(move || {
            read(&file, &table, &columns, &send).map_err(|error| source(&name, &error))
        });
        (receive, reading)
    }
}

fn source(table: &str, error: &rusqlite::Error) -> RelocationError {
    RelocationError::Source { table: table.to_owned(), reason: error.to_string() }
}

fn open(file: &Path) -> Result<Connection, rusqlite::Error> {
    Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

fn read(
    file: &Path,
    table: &str,
    columns: &[Column],
    send: &mpsc::Sender<Chunk>,
) -> Result<Tally, rusqlite::Error> {
    let list = columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    let shell = open(file)?;
    let mut statement = shell.prepare(&format!("SELECT {list} FROM {table}"))?;
    let mut rows = statement.query([])?;
    let (mut tally, mut chunk, mut line) = (Tally::default(), Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        line.clear();
        for (place, column) in columns.iter().enumerate() {
            if place > 0 {
                line.push(b'\t');
            }
            write_value(row.get_ref(place)?, column.is_flag, &mut line);
        }
        tally.add(&line);
        chunk.extend_from_slice(&line);
        chunk.push(b'\n');
        // The receiver is gone if the server refused something, which it reports itself.
        if chunk.len() >= CHUNK {
            let text = std::mem::take(&mut chunk);
            if send.blocking_send(Chunk { text, rows: tally.rows }).is_err() {
                return Ok(tally);
            }
        }
    }
    let _ = send.blocking_send(Chunk { text: chunk, rows: tally.rows });
    Ok(tally)
}

/// Writes a value exactly as the server would, so that both texts have one checksum.
fn write_value(value: ValueRef<'_>, is_flag: bool, line: &mut Vec<u8>) {
    match value {
        ValueRef::Null => line.extend_from_slice(b"\\N"),
        ValueRef::Integer(number) if is_flag => line.push(if number == 0 { b'f' } else { b't' }),
        ValueRef::Integer(number) => line.extend_from_slice(number.to_string().as_bytes()),
        // No column of ours has one.
        ValueRef::Real(number) => line.extend_from_slice(number.to_string().as_bytes()),
        ValueRef::Blob(bytes) => {
            let mut text = String::from("\\\\x");
            for byte in bytes {
                let _ = write!(text, "{byte:02x}");
            }
            line.extend_from_slice(text.as_bytes());
        }
        ValueRef::Text(text) => {
            for byte in text {
                match byte {
                    b'\\' => line.extend_from_slice(b"\\\\"),
                    b'\n' => line.extend_from_slice(b"\\n"),
                    b'\r' => line.extend_from_slice(b"\\r"),
                    b'\t' => line.extend_from_slice(b"\\t"),
                    0x08 => line.extend_from_slice(b"\\b"),
                    0x0b => line.extend_from_slice(b"\\v"),
                    0x0c => line.extend_from_slice(b"\\f"),
                    other => line.push(*other),
                }
            }
        }
    }
}
