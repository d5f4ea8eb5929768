//! SQL statements and the five kinds of value that pass through them.
//!
//! A statement is written once, with `$1` parameters, and means the same on every engine.

use crate::engine::error::StoreError;
use std::sync::OnceLock;

/// A SQL text, written once with `$1`, `$2` …
#[derive(Debug)]
pub(crate) struct Sql {
    text: &'static str,
    kind: SqlKind,
    sqlite: OnceLock<String>,
}

/// Whether PostgreSQL may be given many of a statement at once, as arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SqlKind {
    Single,
    Insert,
    InsertUnless,
    Update,
}

/// Lets several nodes take different rows. SQLite has one writer and does not know this clause.
const SKIP_LOCKED: &str = " FOR UPDATE SKIP LOCKED";

/// Compares texts byte by byte whatever the database's language is. SQLite always does, and does not know this
/// clause.
const BY_BYTES: &str = " COLLATE \"C\"";

impl Sql {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self::of(text, SqlKind::Single)
    }

    const fn of(text: &'static str, kind: SqlKind) -> Self {
        Self { text, kind, sqlite: OnceLock::new() }
    }

    /// A hot `INSERT … VALUES (…)` or `INSERT … SELECT $1, … WHERE …`: PostgreSQL gets all rows of a batch in one statement.
    pub(crate) const fn insert(text: &'static str) -> Self {
        Self::of(text, SqlKind::Insert)
    }

    /// A hot `INSERT … (id, …) VALUES ($1, …) ON CONFLICT … DO NOTHING`: PostgreSQL gets all rows of a batch in one statement,
    /// and returns the ids of those that it inserted.
    pub(crate) const fn insert_unless(text: &'static str) -> Self {
        Self::of(text, SqlKind::InsertUnless)
    }

    /// A hot `UPDATE … WHERE id = $1 AND …`: PostgreSQL gets all of a batch in one statement, and returns
    /// which of them found their row.
    pub(crate) const fn update(text: &'static str) -> Self {
        Self::of(text, SqlKind::Update)
    }

    /// The text for SQLite, with `?1` parameters: there `$2 … $1` would be names numbered by their first
    /// appearance.
    pub(crate) fn sqlite(&self) -> &str {
        let written = || self.text.replace('$', "?").replace(SKIP_LOCKED, "").replace(BY_BYTES, "");
        self.sqlite.get_or_init(written)
    }

    /// The text for PostgreSQL.
    pub(crate) fn postgres(&self) -> &'static str {
        self.text
    }

    pub(crate) fn is_bulk(&self) -> bool {
        self.kind != SqlKind::Single
    }

    /// True if it inserts a row whatever others there are.
    pub(crate) fn is_plain_insert(&self) -> bool {
        self.kind == SqlKind::Insert && !self.text.contains("SELECT")
    }

    /// True if the form with arrays returns which rows it changed: a place for each, or the id.
    pub(crate) fn returns_places(&self) -> bool {
        self.kind == SqlKind::Update
    }

    pub(crate) fn returns_ids(&self) -> bool {
        self.kind == SqlKind::InsertUnless
    }

    /// The table that an UPDATE changes.
    pub(crate) fn updates(&self) -> Option<&'static str> {
        self.text.strip_prefix("UPDATE ")?.split_whitespace().next()
    }

    /// True if it changes one row, whose id is its first parameter.
    pub(crate) fn is_by_id(&self) -> bool {
        self.text.contains("WHERE id = $1")
    }

    /// Locks rows of the table that an UPDATE changes by their ids, always in the same order.
    pub(crate) fn postgres_lock(&self) -> String {
        let table = self.updates().unwrap_or_default();
        format!("SELECT id FROM {table} WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE")
    }

    /// The form of a hot statement with an array for each parameter, each of this type. It is generated from the text. An
    /// update returns the positions in the arrays that found a row, an insert that may insert nothing the ids that it inserted.
    pub(crate) fn postgres_arrays(&self, types: &[&str]) -> String {
        let numbered = |form: fn(usize, &str) -> String| {
            let list: Vec<String> = types.iter().enumerate().map(|(i, name)| form(i + 1, name)).collect();
            list.join(", ")
        };
        let arrays = numbered(|number, name| format!("CAST(${number} AS {name}[])"));
        let names = numbered(|number, _| format!("p{number}"));
        let source = format!("UNNEST({arrays}) WITH ORDINALITY AS given ({names}, place)");
        let text = self.text.replace('$', "given.p");
        if self.updates().is_some() {
            let (update, conditions) = text.split_once("WHERE ").unwrap_or((&text, "FALSE"));
            // Rows are found by their ids. The planner may not use an index for the rest: while few sessions are pending, it would
            // prefer to walk over all of them, and keep that plan when there are many.
            let conditions = match conditions.split_once(" AND ") {
                Some((id, rest)) => format!("{id} AND ({rest}) IS TRUE"),
                None => conditions.to_owned(),
            };
            format!("{update}FROM {source} WHERE {conditions} RETURNING given.place")
        } else if let Some((insert, conditions)) =
            text.split_once("WHERE ").filter(|_| !text.contains("VALUES ("))
        {
            format!("{insert}FROM {source} WHERE {conditions}")
        } else {
            let (insert, values) = text.split_once("VALUES (").unwrap_or((&text, ""));
            let (values, unless) = values.split_at(values.find("ON CONFLICT").unwrap_or(values.len()));
            let values = values.trim_end();
            let values = values.strip_suffix(')').unwrap_or(values);
            let returned = if self.returns_ids() { " RETURNING id" } else { "" };
            format!("{insert}SELECT {values} FROM {source} {unless}{returned}")
        }
    }
}

/// A value of a parameter or a column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
    Bool(bool),
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Self {
        Self::Bytes(value.to_owned())
    }
}

impl<const N: usize> From<&[u8; N]> for Value {
    fn from(value: &[u8; N]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<till_domain::time::Timestamp> for Value {
    fn from(value: till_domain::time::Timestamp) -> Self {
        Self::Int(value.as_ms())
    }
}

/// One statement of a unit of work.
#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) sql: &'static Sql,
    pub(crate) params: Vec<Value>,
    /// True if the unit ends here, with nothing written, when this statement changes no row.
    pub(crate) guarded: bool,
}

/// A row that was read. Columns are taken in order, each once.
#[derive(Debug)]
pub(crate) struct Row {
    values: std::vec::IntoIter<Value>,
}

impl Row {
    pub(crate) fn new(values: Vec<Value>) -> Self {
        Self { values: values.into_iter() }
    }

    /// The first `count` values, of any kind.
    pub(crate) fn take(&mut self, count: usize) -> Vec<Value> {
        self.values.by_ref().take(count).collect()
    }

    fn next(&mut self) -> Result<Value, StoreError> {
        self.values.next().ok_or_else(|| StoreError::Corrupt("a row is too short".to_owned()))
    }

    pub(crate) fn text(&mut self) -> Result<String, StoreError> {
        self.opt_text()?.ok_or_else(|| unexpected("a text", &Value::Null))
    }

    pub(crate) fn opt_text(&mut self) -> Result<Option<String>, StoreError> {
        match self.next()? {
            Value::Text(text) => Ok(Some(text)),
            Value::Null => Ok(None),
            other => Err(unexpected("a text", &other)),
        }
    }

    pub(crate) fn int(&mut self) -> Result<i64, StoreError> {
        self.opt_int()?.ok_or_else(|| unexpected("a number", &Value::Null))
    }

    pub(crate) fn opt_int(&mut self) -> Result<Option<i64>, StoreError> {
        match self.next()? {
            Value::Int(number) => Ok(Some(number)),
            Value::Null => Ok(None),
            other => Err(unexpected("a number", &other)),
        }
    }

    pub(crate) fn time(&mut self) -> Result<till_domain::time::Timestamp, StoreError> {
        Ok(till_domain::time::Timestamp::from_ms(self.int()?))
    }

    pub(crate) fn opt_time(&mut self) -> Result<Option<till_domain::time::Timestamp>, StoreError> {
        Ok(self.opt_int()?.map(till_domain::time::Timestamp::from_ms))
    }

    pub(crate) fn bool(&mut self) -> Result<bool, StoreError> {
        match self.next()? {
            Value::Bool(yes) => Ok(yes),
            Value::Int(number @ (0 | 1)) => Ok(number == 1),
            other => Err(unexpected("yes or no", &other)),
        }
    }

    pub(crate) fn bytes(&mut self) -> Result<Vec<u8>, StoreError> {
        match self.next()? {
            Value::Bytes(bytes) => Ok(bytes),
            other => Err(unexpected("bytes", &other)),
        }
    }

    pub(crate) fn opt_bytes(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        match self.next()? {
            Value::Bytes(bytes) => Ok(Some(bytes)),
            Value::Null => Ok(None),
            other => Err(unexpected("bytes", &other)),
        }
    }

    /// Bytes of a fixed length, such as an id.
    pub(crate) fn opt_array<const N: usize>(&mut self) -> Result<Option<[u8; N]>, StoreError> {
        let sized = |bytes: Vec<u8>| {
            bytes.try_into().map_err(|_| StoreError::Corrupt(format!("a value does not have {N} bytes")))
        };
        self.opt_bytes()?.map(sized).transpose()
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], StoreError> {
        let bytes = self.bytes()?;
        bytes.try_into().map_err(|_| StoreError::Corrupt(format!("a value does not have {N} bytes")))
    }
}

fn unexpected(expected: &str, found: &Value) -> StoreError {
    let found = match found {
        Value::Null => "nothing",
        Value::Int(_) => "a number",
        Value::Text(_) => "a text",
        Value::Bytes(_) => "bytes",
        Value::Bool(_) => "yes or no",
    };
    StoreError::Corrupt(format!("{found} where {expected} should be"))
}

/// Declares the statements of a file and lists them, for the tests that prepare them all.
macro_rules! statements {
    ($($visibility:vis static $name:ident = $sql:expr;)*) => {
        $($visibility static $name: $crate::engine::sql::Sql = $sql;)*

        #[cfg(test)]
        pub(crate) static ALL: &[&$crate::engine::sql::Sql] = &[$(&$name),*];
    };
}
pub(crate) use statements;
