//! The vendors in which the operator's search finds something: orders and products that begin with a text, or amounts.
//!
//! The indexes of the search begin with the vendor. A query goes from one vendor to the next (a loose index scan) and
//! looks once into each one's range: the cost grows with the number of vendors, not of sessions. It ends as soon as
//! enough vendors are found. All pending sessions are looked at.

use crate::{
    engine::{
        error::StoreError,
        sql::{Sql, Value, statements},
    },
    payments::{Payments, search::SearchColumn},
};
use till_domain::id::VendorId;

/// The most spellings of a text that are searched for at once.
pub const MAX_SPELLINGS: usize = 4;

/// The vendors with ended sessions for which one of the conditions holds, and those with pending sessions. A condition
/// of ended sessions is a subquery of one row: as a join, PostgreSQL would read the sessions of all vendors.
macro_rules! vendors {
    ($ended:expr, $pending:expr, $limit:literal) => {
        Sql::new(concat!(
            "WITH RECURSIVE vendors (id) AS (
                SELECT (SELECT vendor_id FROM sessions WHERE due_at IS NULL ORDER BY vendor_id LIMIT 1)
                UNION ALL
                SELECT (SELECT next.vendor_id FROM sessions AS next
                        WHERE next.due_at IS NULL AND next.vendor_id > vendors.id ORDER BY next.vendor_id LIMIT 1)
                FROM vendors WHERE vendors.id IS NOT NULL
             )
             SELECT id FROM (SELECT vendors.id FROM vendors WHERE vendors.id IS NOT NULL AND (",
            $ended,
            ") LIMIT ",
            $limit,
            ") AS ended UNION
             SELECT vendor_id FROM (SELECT DISTINCT vendor_id FROM sessions WHERE due_at IS NOT NULL AND (",
            $pending,
            ") LIMIT ",
            $limit,
            ") AS pending"
        ))
    };
}

/// The condition that a vendor has an ended session whose column is in a range.
macro_rules! ended {
    ($column:literal, $low:literal, $high:literal) => {
        concat!(
            "(SELECT ",
            $column,
            " FROM sessions WHERE due_at IS NULL AND vendor_id = vendors.id AND ",
            $column,
            " IS NOT NULL AND ",
            $column,
            " COLLATE \"C\" >= ",
            $low,
            " AND ",
            $column,
            " COLLATE \"C\" < ",
            $high,
            " ORDER BY ",
            $column,
            " COLLATE \"C\" LIMIT 1) IS NOT NULL"
        )
    };
}

macro_rules! pending {
    ($column:literal, $low:literal, $high:literal) => {
        concat!($column, " COLLATE \"C\" >= ", $low, " AND ", $column, " COLLATE \"C\" < ", $high)
    };
}

/// The vendors with a session whose column begins with one of four texts. Parameters: `$1` to `$8` the first text of
/// each range and the first one after it, `$9` limit.
macro_rules! beginning {
    ($column:literal) => {
        vendors!(
            concat!(
                ended!($column, "$1", "$2"),
                " OR ",
                ended!($column, "$3", "$4"),
                " OR ",
                ended!($column, "$5", "$6"),
                " OR ",
                ended!($column, "$7", "$8")
            ),
            concat!(
                pending!($column, "$1", "$2"),
                " OR ",
                pending!($column, "$3", "$4"),
                " OR ",
                pending!($column, "$5", "$6"),
                " OR ",
                pending!($column, "$7", "$8")
            ),
            "$9"
        )
    };
}

statements! {
    static ORDERS = beginning!("order_id");
    static PRODUCTS = beginning!("product_name");
    static PRODUCT_IDS = beginning!("product_id");
    static AMOUNTS = vendors!(
        "(SELECT amount_minor FROM sessions WHERE due_at IS NULL AND vendor_id = vendors.id AND amount_minor = $1
            ORDER BY currency LIMIT 1) IS NOT NULL",
        "amount_minor = $1",
        "$2"
    );
}

impl Payments {
    /// Vendors with a session whose column begins with one of these texts, at most [`MAX_SPELLINGS`]. Up to twice the
    /// limit are returned.
    pub async fn vendors_beginning(
        &self,
        column: SearchColumn,
        texts: &[String],
        limit: u32,
    ) -> Result<Vec<VendorId>, StoreError> {
        let sql = match column {
            SearchColumn::Order => &ORDERS,
            SearchColumn::Product => &PRODUCTS,
            SearchColumn::ProductId => &PRODUCT_IDS,
        };
        let ranges = texts.iter().map(|text| (text.as_str(), format!("{text}{}", char::MAX)));
        self.vendors_found(sql, in_ranges(ranges, limit)).await
    }

    /// Vendors with a session of this order. Up to twice the limit are returned.
    pub async fn vendors_of_order(&self, order_id: &str, limit: u32) -> Result<Vec<VendorId>, StoreError> {
        // No text has a character below this one.
        let only = [(order_id, format!("{order_id}\u{1}"))];
        self.vendors_found(&ORDERS, in_ranges(only, limit)).await
    }

    /// Vendors with a session of so many minor units, in any currency. Up to twice the limit are returned.
    pub async fn vendors_of_amount(&self, minor: i64, limit: u32) -> Result<Vec<VendorId>, StoreError> {
        self.vendors_found(&AMOUNTS, vec![minor.into(), i64::from(limit).into()]).await
    }

    async fn vendors_found(
        &self,
        sql: &'static Sql,
        params: Vec<Value>,
    ) -> Result<Vec<VendorId>, StoreError> {
        let rows = self.engine.browse(sql, params).await?;
        rows.into_iter().map(|mut row| Ok(VendorId::from_bytes(row.array()?))).collect()
    }
}

/// The parameters of [`beginning!`].
fn in_ranges<'a>(ranges: impl IntoIterator<Item = (&'a str, String)>, limit: u32) -> Vec<Value> {
    let mut ranges = ranges.into_iter().filter(|(low, _)| !low.is_empty() && !low.contains('\0'));
    let mut params: Vec<Value> = Vec::new();
    for _ in 0..MAX_SPELLINGS {
        // An empty range stands for a spelling that is not given.
        let (low, high) = ranges.next().unwrap_or_default();
        params.extend([low.into(), high.into()]);
    }
    params.push(i64::from(limit).into());
    params
}
