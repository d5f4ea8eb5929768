//! What the panel's search finds: orders and products by their beginning, and sessions of a product, an amount or a
//! customer.
//!
//! A text is first turned into the exact values that begin with it, one step of an index for each, and at most
//! as many as the caller asks for. The sessions with a value are then a few ranges of an index, as in
//! [`super::lists`], newest first. Of pending sessions all of the vendor's are looked at.

use crate::{
    engine::{
        error::StoreError,
        sql::{Sql, Value, statements},
    },
    payments::{
        Payments,
        lists::{Bounds, SessionFilter, Turn},
        read_session, session_columns,
    },
};
use std::collections::BTreeSet;
use till_domain::{
    id::{SessionId, VendorId},
    money::{Currency, Money},
    session::Session,
};

/// What sessions are searched by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionKey {
    /// The vendor's own order id.
    Order(String),
    /// The name of the product.
    Product(String),
    /// The product's id in the vendor's catalog.
    ProductId(String),
    /// The price.
    Amount(Money),
    /// The customer's e-mail address, given by the vendor or typed at checkout, in any case.
    Email(String),
    /// A key and a value of the vendor's own data.
    Metadata([String; 2]),
    /// The first and the last id of a range.
    Ids([SessionId; 2]),
}

/// A column that is searched by its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchColumn {
    Order,
    Product,
    ProductId,
}

/// The next value of a column in its order. Parameters: `$1` vendor, `$2` from, `$3` below.
macro_rules! next {
    ($column:literal) => {
        Sql::new(concat!(
            "SELECT ",
            $column,
            " FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND ",
            $column,
            " IS NOT NULL AND ",
            $column,
            " COLLATE \"C\" >= $2 AND ",
            $column,
            " COLLATE \"C\" < $3
             ORDER BY ",
            $column,
            " COLLATE \"C\" LIMIT 1"
        ))
    };
}

/// The values of pending sessions, in order. Parameters: those of `next!`, and `$4` limit.
macro_rules! open {
    ($column:literal) => {
        Sql::new(concat!(
            "SELECT DISTINCT ",
            $column,
            " COLLATE \"C\" AS found FROM sessions
             WHERE due_at IS NOT NULL AND vendor_id = $1 AND ",
            $column,
            " COLLATE \"C\" >= $2 AND ",
            $column,
            " COLLATE \"C\" < $3 ORDER BY found LIMIT $4"
        ))
    };
}

/// The sessions of one value, status and method, as a part of a union. The value, status, method and id are
/// compared as one row: with a condition for each, SQLite takes the index of all ended sessions instead.
/// Parameters: `$1` vendor, `$2` above, `$3` below, `$4` status or empty, `$5` method or empty, `$6` limit, then
/// those of the value.
macro_rules! ended {
    ($also:literal, $columns:literal, $value:literal, $sort:literal, $order:literal, $status:literal, $method:literal) => {
        concat!(
            "SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL",
            $also,
            " AND vendor_id = $1
                AND (",
            $columns,
            ", status, method, id) > (",
            $value,
            ", '",
            $status,
            "', '",
            $method,
            "', $2)
                AND (",
            $columns,
            ", status, method, id) < (",
            $value,
            ", '",
            $status,
            "', '",
            $method,
            "', $3)
                AND $4 IN ('', '",
            $status,
            "') AND $5 IN ('', '",
            $method,
            "')
                ORDER BY ",
            $sort,
            ", status ",
            $order,
            ", method ",
            $order,
            ", id ",
            $order,
            " LIMIT $6) AS ",
            $status,
            "_",
            $method,
            " UNION ALL "
        )
    };
    ($also:literal, $columns:literal, $value:literal, $sort:literal, $order:literal, $status:literal) => {
        concat!(
            ended!($also, $columns, $value, $sort, $order, $status, "card"),
            ended!($also, $columns, $value, $sort, $order, $status, "sbp"),
            ended!($also, $columns, $value, $sort, $order, $status, "crypto")
        )
    };
}

/// The pending sessions of one value and method, as a part of a union with the same parameters.
macro_rules! pending {
    ($also:literal, $columns:literal, $value:literal, $order:literal, $method:literal) => {
        concat!(
            "SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1",
            $also,
            "
                AND method = '",
            $method,
            "' AND (",
            $columns,
            ") = (",
            $value,
            ")
                AND $4 IN ('', 'pending') AND $5 IN ('', '",
            $method,
            "') AND id > $2 AND id < $3
                ORDER BY id ",
            $order,
            " LIMIT $6) AS pending_",
            $method
        )
    };
}

/// A page of the sessions with one value. `also` is a condition of the index, and `sort` orders the columns of the
/// value, all of them one way.
macro_rules! list {
    ($also:literal, $columns:literal, $value:literal, $sort:literal, $order:literal) => {
        Sql::new(concat!(
            "SELECT ",
            session_columns!(),
            " FROM sessions WHERE id IN (SELECT id FROM (",
            ended!($also, $columns, $value, $sort, $order, "paid"),
            ended!($also, $columns, $value, $sort, $order, "failed"),
            ended!($also, $columns, $value, $sort, $order, "expired"),
            pending!($also, $columns, $value, $order, "card"),
            " UNION ALL ",
            pending!($also, $columns, $value, $order, "sbp"),
            " UNION ALL ",
            pending!($also, $columns, $value, $order, "crypto"),
            ") AS matching ORDER BY id ",
            $order,
            " LIMIT $6) ORDER BY id DESC"
        ))
    };
}

/// The sessions of one customer: the vendor gave the address, or it was typed at checkout. Parameters: `$1` vendor, `$2`
/// above, `$3` below, `$4` status or empty, `$5` method or empty, `$6` limit, `$7` the e-mail address in lower case.
macro_rules! of_customer {
    ($order:literal) => {
        Sql::new(concat!(
            "SELECT ",
            session_columns!(),
            " FROM sessions WHERE id IN (SELECT id FROM (
                SELECT id FROM (
                    SELECT payment_attempts.session_id AS id FROM payment_attempts
                    JOIN sessions AS paid ON paid.id = payment_attempts.session_id
                    WHERE lower(payment_attempts.email COLLATE \"C\") = $7 AND payment_attempts.email IS NOT NULL
                        AND payment_attempts.vendor_id = $1
                        AND payment_attempts.session_id > $2 AND payment_attempts.session_id < $3
                        AND $4 IN ('', paid.status) AND $5 IN ('', paid.method)
                    GROUP BY payment_attempts.session_id
                    ORDER BY payment_attempts.session_id ",
            $order,
            " LIMIT $6) AS typed
                UNION
                SELECT id FROM (
                    SELECT id FROM sessions WHERE lower(customer_email COLLATE \"C\") = $7 AND customer_email IS NOT NULL
                        AND vendor_id = $1 AND id > $2 AND id < $3 AND $4 IN ('', status) AND $5 IN ('', method)
                    ORDER BY id ",
            $order,
            " LIMIT $6) AS given) AS found
                ORDER BY id ",
            $order,
            " LIMIT $6)
             ORDER BY id DESC"
        ))
    };
}

/// The sessions with one value of the vendor's own data. Parameters: those of `of_customer!` up to `$6`, `$7` key, `$8`
/// value.
macro_rules! of_metadata {
    ($order:literal) => {
        Sql::new(concat!(
            "SELECT ",
            session_columns!(),
            " FROM sessions WHERE id IN (
                SELECT session_metadata.session_id FROM session_metadata
                JOIN sessions AS own ON own.id = session_metadata.session_id
                WHERE session_metadata.vendor_id = $1 AND session_metadata.key = $7 AND session_metadata.value = $8
                    AND session_metadata.session_id > $2 AND session_metadata.session_id < $3
                    AND $4 IN ('', own.status) AND $5 IN ('', own.method)
                ORDER BY session_metadata.session_id ",
            $order,
            " LIMIT $6)
             ORDER BY id DESC"
        ))
    };
}

statements! {
    static OLDER_OF_CUSTOMER = of_customer!("DESC");
    static NEWER_OF_CUSTOMER = of_customer!("ASC");
    static OLDER_OF_METADATA = of_metadata!("DESC");
    static NEWER_OF_METADATA = of_metadata!("ASC");
    static OF_CUSTOMER = Sql::new(concat!(
        "SELECT ",
        session_columns!(),
        " FROM sessions WHERE id IN (SELECT id FROM (
            SELECT id FROM (
                SELECT session_id AS id FROM payment_attempts WHERE lower(email COLLATE \"C\") = $1 AND email IS NOT NULL
                GROUP BY vendor_id, session_id ORDER BY vendor_id DESC, session_id DESC LIMIT $2) AS typed
            UNION
            SELECT id FROM (
                SELECT id FROM sessions WHERE lower(customer_email COLLATE \"C\") = $1 AND customer_email IS NOT NULL
                ORDER BY vendor_id DESC, id DESC LIMIT $2) AS given) AS found ORDER BY id DESC LIMIT $2)
         ORDER BY id DESC"
    ));
    static NEXT_ORDER = next!("order_id");
    static NEXT_PRODUCT = next!("product_name");
    static NEXT_PRODUCT_ID = next!("product_id");
    static OPEN_ORDERS = open!("order_id");
    static OPEN_PRODUCTS = open!("product_name");
    static OPEN_PRODUCT_IDS = open!("product_id");
    static NEXT_CURRENCY = Sql::new(
        "SELECT currency FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND amount_minor = $2 AND currency > $3
         ORDER BY currency LIMIT 1",
    );
    static OPEN_CURRENCIES = Sql::new(
        "SELECT DISTINCT currency FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND amount_minor = $2",
    );
    static OLDER_OF_PRODUCT = list!("", "product_name COLLATE \"C\"", "$7", "product_name COLLATE \"C\" DESC", "DESC");
    static NEWER_OF_PRODUCT = list!("", "product_name COLLATE \"C\"", "$7", "product_name COLLATE \"C\" ASC", "ASC");
    static OLDER_OF_PRODUCT_ID = list!(" AND product_id IS NOT NULL", "product_id COLLATE \"C\"", "$7", "product_id COLLATE \"C\" DESC", "DESC");
    static NEWER_OF_PRODUCT_ID = list!(" AND product_id IS NOT NULL", "product_id COLLATE \"C\"", "$7", "product_id COLLATE \"C\" ASC", "ASC");
    static OLDER_OF_AMOUNT = list!(" AND amount_minor = $7", "currency", "$8", "currency DESC", "DESC");
    static NEWER_OF_AMOUNT = list!(" AND amount_minor = $7", "currency", "$8", "currency ASC", "ASC");
}

impl Payments {
    /// The first values of a vendor's sessions that begin with a text.
    pub async fn values_beginning(
        &self,
        vendor: VendorId,
        column: SearchColumn,
        text: &str,
        limit: u32,
    ) -> Result<Vec<String>, StoreError> {
        let (next, open) = match column {
            SearchColumn::Order => (&NEXT_ORDER, &OPEN_ORDERS),
            SearchColumn::Product => (&NEXT_PRODUCT, &OPEN_PRODUCTS),
            SearchColumn::ProductId => (&NEXT_PRODUCT_ID, &OPEN_PRODUCT_IDS),
        };
        if text.contains('\0') {
            return Ok(Vec::new());
        }
        let below = format!("{text}{}", char::MAX);
        let params = |from: &str| vec![vendor.as_bytes().into(), from.into(), below.as_str().into()];
        let mut pending: Vec<Value> = params(text);
        pending.push(i64::from(limit).into());
        let rows = self.engine.browse(open, pending).await?;
        let mut found = rows.into_iter().map(|mut row| row.text()).collect::<Result<BTreeSet<_>, _>>()?;
        let mut from = text.to_owned();
        for _ in 0..limit {
            let Some(mut row) = self.engine.browse(next, params(&from)).await?.into_iter().next() else {
                break;
            };
            let value = row.text()?;
            // The least text above it: no text has a character below this one.
            from = format!("{value}\u{1}");
            found.insert(value);
        }
        Ok(found.into_iter().take(usize::try_from(limit).unwrap_or(usize::MAX)).collect())
    }

    /// The currencies in which a vendor has sessions of so many minor units.
    pub async fn currencies_of(&self, vendor: VendorId, minor: i64) -> Result<Vec<Currency>, StoreError> {
        let of_it = || vec![vendor.as_bytes().into(), minor.into()];
        let rows = self.engine.browse(&OPEN_CURRENCIES, of_it()).await?;
        let mut found = rows.into_iter().map(|mut row| row.text()).collect::<Result<BTreeSet<_>, _>>()?;
        let mut last = String::new();
        loop {
            let mut params: Vec<Value> = of_it();
            params.push(last.as_str().into());
            let Some(mut row) = self.engine.browse(&NEXT_CURRENCY, params).await?.into_iter().next() else {
                break;
            };
            last = row.text()?;
            found.insert(last.clone());
        }
        Ok(found.iter().filter_map(|code| Currency::from_stored(code)).collect())
    }

    /// A page of a vendor's sessions with this key, newest first in either direction.
    pub async fn sessions_with(
        &self,
        key: &SessionKey,
        filter: &SessionFilter,
        turn: Turn<SessionId>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let (both_ways, condition): (_, Vec<Value>) = match key {
            SessionKey::Order(order) => return self.order_sessions(order, filter, turn, limit).await,
            SessionKey::Ids(ids) => return self.sessions_between(*ids, filter, turn, limit).await,
            SessionKey::Product(name) => ([&OLDER_OF_PRODUCT, &NEWER_OF_PRODUCT], vec![name.as_str().into()]),
            SessionKey::ProductId(id) => {
                ([&OLDER_OF_PRODUCT_ID, &NEWER_OF_PRODUCT_ID], vec![id.as_str().into()])
            }
            SessionKey::Amount(money) => {
                let amount = vec![money.minor.into(), money.currency.code().into()];
                ([&OLDER_OF_AMOUNT, &NEWER_OF_AMOUNT], amount)
            }
            SessionKey::Metadata([key, value]) => {
                ([&OLDER_OF_METADATA, &NEWER_OF_METADATA], vec![key.as_str().into(), value.as_str().into()])
            }
            SessionKey::Email(email) => {
                ([&OLDER_OF_CUSTOMER, &NEWER_OF_CUSTOMER], vec![email.to_ascii_lowercase().into()])
            }
        };
        self.list(both_ways, filter, &Bounds::new(filter.span, turn), limit, condition).await
    }

    /// Sessions of every vendor whose customer has this e-mail address, newest first. If there are more than the limit,
    /// they are not the newest ones.
    pub async fn sessions_of_customer(&self, email: &str, limit: u32) -> Result<Vec<Session>, StoreError> {
        let params: Vec<Value> = vec![email.to_ascii_lowercase().into(), i64::from(limit).into()];
        self.engine.browse(&OF_CUSTOMER, params).await?.into_iter().map(read_session).collect()
    }
}
