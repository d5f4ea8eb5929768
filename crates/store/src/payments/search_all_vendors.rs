//! The sessions of all vendors that the operator's search finds: by an order, its beginning, or an amount.
//!
//! A search is a range of an index and ends as soon as enough sessions are found: its cost grows neither with the
//! sessions nor with the vendors. Pending sessions are in no index of amounts, which every create would pay for: the
//! newest of them are looked at.

use crate::{
    engine::{
        error::StoreError,
        sql::{Sql, Value, statements},
    },
    payments::{Payments, read_session, session_columns},
};
use till_domain::{money::Currency, session::Session};

/// The pending sessions of one method with an amount, among the newest 1,000. Parameters: `$1` amount, `$2` limit, `$3`
/// currency or empty.
macro_rules! pending {
    ($method:literal) => {
        concat!(
            "SELECT id FROM (SELECT id FROM (SELECT id, amount_minor, currency FROM sessions WHERE status = 'pending' AND method = '",
            $method,
            "' ORDER BY id DESC LIMIT 1000) AS pending_",
            $method,
            " WHERE amount_minor = $1 AND $3 IN ('', currency) LIMIT $2) AS of_",
            $method,
            " UNION ALL "
        )
    };
}

statements! {
    static OF_ORDER = Sql::new(concat!(
        "SELECT ",
        session_columns!(),
        " FROM sessions WHERE id IN (SELECT id FROM sessions WHERE order_id COLLATE \"C\" = $1 LIMIT $2) ORDER BY id DESC"
    ));
    static BEGINNING = Sql::new(concat!(
        "SELECT ",
        session_columns!(),
        " FROM sessions WHERE order_id COLLATE \"C\" >= $1 AND order_id COLLATE \"C\" < $2
         ORDER BY order_id COLLATE \"C\" LIMIT $3"
    ));
    static OF_AMOUNT = Sql::new(concat!(
        "SELECT ",
        session_columns!(),
        " FROM sessions WHERE id IN (SELECT id FROM (",
        pending!("card"),
        pending!("sbp"),
        pending!("crypto"),
        "SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND amount_minor = $1 AND $3 IN ('', currency)
            ORDER BY amount_minor, vendor_id, currency, status, method, id LIMIT $2) AS ended) AS found)
         ORDER BY id DESC"
    ));
}

impl Payments {
    /// Sessions of every vendor with this order, newest first. If there are more than the limit, they are not the newest
    /// ones.
    pub async fn all_sessions_of_order(
        &self,
        order_id: &str,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        if order_id.contains('\0') {
            return Ok(Vec::new());
        }
        self.searched(&OF_ORDER, vec![order_id.into(), i64::from(limit).into()]).await
    }

    /// Sessions of every vendor whose order begins with a text, by their orders.
    pub async fn all_sessions_beginning(&self, text: &str, limit: u32) -> Result<Vec<Session>, StoreError> {
        if text.is_empty() || text.contains('\0') {
            return Ok(Vec::new());
        }
        let below = format!("{text}{}", char::MAX);
        self.searched(&BEGINNING, vec![text.into(), below.into(), i64::from(limit).into()]).await
    }

    /// Sessions of every vendor with so many minor units, of one currency or of any, newest first: at most the limit of
    /// those that have ended, and of those that are pending by each method. If more have ended than the limit, they are
    /// not the newest ones.
    pub async fn all_sessions_of_amount(
        &self,
        minor: i64,
        currency: Option<Currency>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let currency = currency.map_or("", |currency| currency.code());
        self.searched(&OF_AMOUNT, vec![minor.into(), i64::from(limit).into(), currency.into()]).await
    }

    async fn searched(&self, sql: &'static Sql, params: Vec<Value>) -> Result<Vec<Session>, StoreError> {
        self.engine.browse(sql, params).await?.into_iter().map(read_session).collect()
    }
}
