//! How large a database is, for operators.

/// How large a database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreSize {
    /// Its bytes.
    pub bytes: u64,
    /// Its large tables.
    pub tables: Vec<TableSize>,
}

/// How many rows a table has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: Rows,
}

/// A number of rows, as far as it is known without counting them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// So many.
    Exactly(u64),
    /// Roughly so many.
    About(u64),
    /// More than so many.
    MoreThan(u64),
    /// The server has not looked yet.
    Unknown,
}

/// The tables that grow with use.
pub(crate) const LARGE: [&str; 18] = [
    "sessions",
    "history",
    "payment_attempts",
    "transactions",
    "entries",
    "postings",
    "callbacks",
    "callback_attempts",
    "receipts",
    "dispatches",
    "refunds",
    "payouts",
    "chain_deposits",
    "chain_transfers",
    "visits",
    "audit",
    "logins",
    "mails",
];
