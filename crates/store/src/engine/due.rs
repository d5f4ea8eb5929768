//! Reads work queues so that an unreadable row does not block the rows behind it.
//!
//! Every worker reads its queue through here. A queue is read by keyset pagination: each page starts behind
//! the key of the last row of the page before it. A row that cannot be read is skipped and reported, and
//! reading continues behind it until the limit is reached or the queue ends. Nothing is remembered between
//! two reads, and no row is changed: a row that was repaired is served by the next read. `inspect.rs` reads
//! whole queues the same way, for operators.

use crate::engine::{
    Engine,
    error::StoreError,
    sql::{Row, Sql, Value},
};
use std::fmt;

/// The size of a page that is read behind unreadable rows.
const PAGE: u32 = 1_024;

/// The maximum number of pages per read, so that it ends even if the database is full of unreadable rows.
const MAX_PAGES: usize = 1_000;

/// The number of unreadable rows that are named; the others are only counted.
const NAMED: usize = 20;

/// The queues that workers serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueueName {
    /// Sessions that have expired.
    Sessions,
    /// Payment attempts to check, start or close.
    Attempts,
    Callbacks,
    /// Refunds to send or to check.
    Refunds,
    /// Fiscal receipts whose registration is checked.
    FiscalReceipts,
    /// Pending funds that become available (settlement).
    Settlements,
    /// Ledger entries that are not sealed yet.
    Seals,
    Dispatches,
    /// Mails to users of the panel.
    Mails,
    /// Addresses on chains at which payments are expected.
    Deposits,
    /// Unexpected transfers of coins, which are reported to a person.
    Strays,
}

impl QueueName {
    /// Its name in metrics and messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Attempts => "attempts",
            Self::Callbacks => "callbacks",
            Self::Refunds => "refunds",
            Self::FiscalReceipts => "fiscal_receipts",
            Self::Settlements => "settlements",
            Self::Seals => "seals",
            Self::Dispatches => "dispatches",
            Self::Mails => "mails",
            Self::Deposits => "deposits",
            Self::Strays => "strays",
        }
    }
}

impl fmt::Display for QueueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A row that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableRow {
    /// The values that identify it in its table.
    pub id: String,
    /// The reason why it cannot be read.
    pub problem: String,
}

/// The rows of a queue that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    pub queue: QueueName,
    pub count: u64,
    /// The first of them.
    pub first: Vec<UnreadableRow>,
}

impl Unreadable {
    pub(crate) fn none(queue: QueueName) -> Self {
        Self { queue, count: 0, first: Vec::new() }
    }

    /// True if every row could be read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn add(&mut self, id: String, problem: String) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(UnreadableRow { id, problem });
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: Vec<_> = self.first.iter().map(|row| format!("{}: {}", row.id, row.problem)).collect();
        f.write_str(&named.join("; "))?;
        let unnamed = self.count.saturating_sub(u64::try_from(named.len()).unwrap_or(0));
        if unnamed > 0 { write!(f, "; and {unnamed} more") } else { Ok(()) }
    }
}

/// A part of a queue's key.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key {
    /// A time or a block number. It orders the queue and does not identify a row.
    Number,
    Bytes,
    /// An id, in descending order: the newest comes first.
    Newest,
    Text,
}

impl Key {
    /// A value that sorts before every value of the queue.
    fn start(self) -> Value {
        match self {
            Self::Number => Value::Int(i64::MIN),
            Self::Bytes => Value::Bytes(Vec::new()),
            Self::Newest => Value::Bytes(vec![0xff; 17]),
            Self::Text => Value::Text(String::new()),
        }
    }
}

/// The definition of a queue. The query returns rows in the order of the key. The key columns come first, and
/// once more where they are values; rows with the same key form one item. The last parameters are the key
/// behind which the page starts, and the number of keys per page.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) name: QueueName,
    pub(crate) sql: &'static Sql,
    pub(crate) key: &'static [Key],
}

/// The reader: a worker, or an operator who must not delay workers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reader {
    Worker,
    Operator,
}

impl Queue {
    /// The first `limit` items of the queue that can be read, and the rows before them that cannot.
    pub(crate) async fn read<T>(
        &self,
        engine: &Engine,
        params: Vec<Value>,
        limit: u32,
        read: impl Fn(Vec<Row>) -> Result<T, StoreError>,
    ) -> Result<(Vec<T>, Unreadable), StoreError> {
        let mut found = Vec::new();
        let unreadable =
            self.walk(engine, Reader::Worker, params, limit, |rows| read(rows).map(|item| found.push(item)));
        let unreadable = unreadable.await?;
        Ok((found, unreadable))
    }

    /// Reads until `limit` items could be read, and returns the rows that could not. `read` keeps what it
    /// reads.
    pub(crate) async fn walk(
        &self,
        engine: &Engine,
        reader: Reader,
        params: Vec<Value>,
        limit: u32,
        mut read: impl FnMut(Vec<Row>) -> Result<(), StoreError>,
    ) -> Result<Unreadable, StoreError> {
        let mut unreadable = Unreadable::none(self.name);
        let mut after: Vec<Value> = self.key.iter().map(|part| part.start()).collect();
        let mut wanted = limit;
        for _ in 0..MAX_PAGES {
            let size = match reader {
                Reader::Worker if unreadable.is_empty() => wanted,
                Reader::Worker | Reader::Operator => PAGE,
            };
            let page = self.page(engine, reader, &params, after.clone(), size).await?;
            let full = u32::try_from(page.len()).is_ok_and(|count| count >= size);
            for (key, rows) in page {
                if wanted == 0 {
                    return Ok(unreadable);
                }
                match read(rows) {
                    Ok(()) => wanted -= 1,
                    Err(StoreError::Corrupt(problem)) => unreadable.add(self.id_of(&key), problem),
                    Err(error) => return Err(error),
                }
                after = key;
            }
            if !full || wanted == 0 {
                break;
            }
        }
        Ok(unreadable)
    }

    async fn page(
        &self,
        engine: &Engine,
        reader: Reader,
        params: &[Value],
        after: Vec<Value>,
        size: u32,
    ) -> Result<Vec<(Vec<Value>, Vec<Row>)>, StoreError> {
        let params = [params, &after, &[i64::from(size).into()]].concat();
        let rows = match reader {
            Reader::Worker => engine.scan(self.sql, params).await?,
            Reader::Operator => engine.browse(self.sql, params).await?,
        };
        Ok(by_key(rows, self.key.len()))
    }

    fn id_of(&self, key: &[Value]) -> String {
        let names = self.key.iter().zip(key).filter(|(part, _)| !matches!(part, Key::Number));
        names.map(|(_, value)| name(value)).collect::<Vec<_>>().join(" ")
    }
}

/// Sorts rows that were read by one query, not in pages, into items and unreadable rows. The first `width`
/// columns are the key.
pub(crate) fn sort_out<T>(
    queue: QueueName,
    rows: Vec<Row>,
    width: usize,
    read: impl Fn(Vec<Row>) -> Result<T, StoreError>,
) -> Result<(Vec<T>, Unreadable), StoreError> {
    let (mut found, mut unreadable) = (Vec::new(), Unreadable::none(queue));
    for (key, rows) in by_key(rows, width) {
        match read(rows) {
            Ok(item) => found.push(item),
            Err(StoreError::Corrupt(problem)) => {
                unreadable.add(key.iter().map(name).collect::<Vec<_>>().join(" "), problem);
            }
            Err(error) => return Err(error),
        }
    }
    Ok((found, unreadable))
}

/// Adapts a function that reads one row, for items of one row each.
pub(crate) fn single<T>(
    read: impl Fn(Row) -> Result<T, StoreError>,
) -> impl Fn(Vec<Row>) -> Result<T, StoreError> {
    move |rows| match rows.into_iter().next() {
        Some(row) => read(row),
        None => unreachable!("a key comes with its row"),
    }
}

/// Splits the key off each row, and groups rows with the same key.
fn by_key(rows: Vec<Row>, width: usize) -> Vec<(Vec<Value>, Vec<Row>)> {
    let mut groups: Vec<(Vec<Value>, Vec<Row>)> = Vec::new();
    for mut row in rows {
        let key = row.take(width);
        match groups.last_mut() {
            Some((last, rows)) if *last == key => rows.push(row),
            _ => groups.push((key, vec![row])),
        }
    }
    groups
}

/// A key value in readable form. Ids are written as everywhere else.
fn name(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Bool(yes) => yes.to_string(),
        Value::Text(text) => text.clone(),
        Value::Bytes(bytes) => match <[u8; 16]>::try_from(bytes.as_slice()) {
            Ok(id) => till_domain::id::EntryId::from_bytes(id).to_string(),
            Err(_) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        },
    }
}
