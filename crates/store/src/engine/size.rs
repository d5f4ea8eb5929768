//! How large a database is, for operators.

/// How large a database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreSize {
    pub bytes: u64,
    pub tables: Vec<TableSize>,
}

/// How many rows a table has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    pub name: String,
    pub rows: Rows,
}

/// A number of rows, as far as it is known without counting them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    Exactly(u64),
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
