//! The size of a database, for operators.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreSize {
    pub bytes: u64,
    pub tables: Vec<TableSize>,
}

/// The number of rows of a table.
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
    /// More than this number.
    MoreThan(u64),
    /// The server has no estimate yet.
    Unknown,
}

/// Gives a macro the names of the tables that grow with use.
macro_rules! large_tables {
    ($macro:ident) => {
        $macro![
            "sessions",
            "history",
            "payment_attempts",
            "transactions",
            "entries",
            "postings",
            "callbacks",
            "callback_attempts",
            "callback_responses",
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
        ]
    };
}
pub(crate) use large_tables;

macro_rules! names {
    ($($table:literal,)*) => { [$($table),*] };
}

pub(crate) const LARGE: [&str; 19] = large_tables!(names);
