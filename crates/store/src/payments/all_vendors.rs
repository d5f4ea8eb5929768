//! The sessions and transactions of all vendors, newest first, as the operator's console shows and exports them.
//!
//! A page is a few ranges of an index that has the ids in order, as in [`super::lists`].
//!
//! These filters have no vendor. A vendor's own lists have filters of their own, so that none can leave it out.

use crate::{
    engine::{
        error::StoreError,
        sql::{Sql, Value, statements},
    },
    payments::{
        Payments,
        lists::{Bounds, Span, Turn},
        money::{MoneyKind, read_transaction, transaction_columns},
        read_session, session_columns,
    },
};
use std::cmp::Reverse;
use till_domain::{
    id::{SessionId, TransactionId},
    method::Method,
    session::{Session, Status},
    transaction::{Mark, Transaction},
};

/// A filter of the sessions of all vendors.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllSessions {
    /// Only sessions with this status.
    pub status: Option<Status>,
    /// Only sessions with this method.
    pub method: Option<Method>,
    /// Only sessions created in this span.
    pub span: Span,
}

/// A filter of the transactions of all vendors.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllTransactions {
    /// Only transactions of this kind.
    pub kind: Option<MoneyKind>,
    /// Only transactions of this method.
    pub method: Option<Method>,
    /// Only transactions seen in this span.
    pub span: Span,
}

/// The sessions of one status and method, as a part of a union. Parameters: `$1` above, `$2` below, `$3` limit, `$4`
/// status or empty, `$5` method or empty.
macro_rules! part {
    ($status:literal, $method:literal, $order:literal) => {
        concat!(
            "SELECT id FROM (SELECT id FROM sessions WHERE status = '",
            $status,
            "' AND method = '",
            $method,
            "' AND $4 IN ('', '",
            $status,
            "') AND $5 IN ('', '",
            $method,
            "') AND id > $1 AND id < $2 ORDER BY id ",
            $order,
            " LIMIT $3) AS ",
            $status,
            "_",
            $method
        )
    };
    ($status:literal, $order:literal) => {
        concat!(
            part!($status, "card", $order),
            " UNION ALL ",
            part!($status, "sbp", $order),
            " UNION ALL ",
            part!($status, "crypto", $order)
        )
    };
}

/// A page of the sessions whose ids a query returns.
macro_rules! sessions {
    ($($ids:expr),*) => {
        Sql::new(concat!(
            "SELECT ", session_columns!(), " FROM sessions WHERE id IN (", $($ids),*, ") ORDER BY id DESC"
        ))
    };
}

macro_rules! filtered {
    ($order:literal) => {
        sessions!(
            "SELECT id FROM (",
            part!("paid", $order),
            " UNION ALL ",
            part!("failed", $order),
            " UNION ALL ",
            part!("expired", $order),
            " UNION ALL ",
            part!("pending", $order),
            ") AS matching ORDER BY id ",
            $order,
            " LIMIT $3"
        )
    };
}

macro_rules! all {
    ($order:literal) => {
        sessions!("SELECT id FROM sessions WHERE id > $1 AND id < $2 ORDER BY id ", $order, " LIMIT $3")
    };
}

/// A page of transactions. Parameters: `$1` above, `$2` below, `$3` limit, then those of the condition.
macro_rules! transactions {
    ($condition:literal, $order:literal) => {
        Sql::new(concat!(
            "SELECT ",
            transaction_columns!(),
            " FROM transactions WHERE id IN (SELECT id FROM transactions WHERE ",
            $condition,
            " AND id > $1 AND id < $2 ORDER BY id ",
            $order,
            " LIMIT $3) ORDER BY id DESC"
        ))
    };
}

/// The unusual transactions. Parameters: those of `transactions!`, `$4` kind, `$5` method or empty.
macro_rules! unusual {
    ($order:literal) => {
        transactions!(
            "(late OR partial OR over OR reversed)
                AND ($4 = 'late' AND late OR $4 = 'partial' AND partial OR $4 = 'over' AND over
                    OR $4 = 'reversed' AND reversed) AND $5 IN ('', method)",
            $order
        )
    };
}

/// The transactions that need a decision, of which there are few. Parameters: those of `transactions!`, `$4` method
/// or empty.
macro_rules! undecided {
    ($order:literal) => {
        Sql::new(concat!(
            "SELECT ",
            transaction_columns!(),
            " FROM transactions WHERE id IN (SELECT transaction_id FROM actions WHERE resolution IS NULL
                AND transaction_id > $1 AND transaction_id < $2) AND $4 IN ('', method)
             ORDER BY COALESCE(id, id) ",
            $order,
            " LIMIT $3"
        ))
    };
}

statements! {
    static OLDER = all!("DESC");
    static NEWER = all!("ASC");
    static OLDER_FILTERED = filtered!("DESC");
    static NEWER_FILTERED = filtered!("ASC");
    static OLDER_MONEY = transactions!("($4 = '' OR NOT (late OR partial OR over OR reversed))", "DESC");
    static NEWER_MONEY = transactions!("($4 = '' OR NOT (late OR partial OR over OR reversed))", "ASC");
    static OLDER_OF_METHOD =
        transactions!("method = $5 AND ($4 = '' OR NOT (late OR partial OR over OR reversed))", "DESC");
    static NEWER_OF_METHOD =
        transactions!("method = $5 AND ($4 = '' OR NOT (late OR partial OR over OR reversed))", "ASC");
    static OLDER_UNUSUAL = unusual!("DESC");
    static NEWER_UNUSUAL = unusual!("ASC");
    static OLDER_UNDECIDED = undecided!("DESC");
    static NEWER_UNDECIDED = undecided!("ASC");
}

/// The parameters of a page.
fn page(bounds: &Bounds, limit: u32) -> Vec<Value> {
    vec![(&bounds.above).into(), (&bounds.below).into(), i64::from(limit).into()]
}

impl Payments {
    /// A page of the sessions of all vendors, newest first in either direction.
    pub async fn all_sessions(
        &self,
        filter: &AllSessions,
        turn: Turn<SessionId>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let bounds = Bounds::new(filter.span, turn);
        let mut params = page(&bounds, limit);
        let [older, newer] = if filter.status.is_none() && filter.method.is_none() {
            [&OLDER, &NEWER]
        } else {
            params.push(filter.status.map_or("", Status::as_str).into());
            params.push(filter.method.map_or("", Method::as_str).into());
            [&OLDER_FILTERED, &NEWER_FILTERED]
        };
        let sql = if bounds.rising { newer } else { older };
        self.engine.browse(sql, params).await?.into_iter().map(read_session).collect()
    }

    /// The newest sessions of all vendors whose ids are the first or the last one or between them.
    pub async fn all_sessions_between(
        &self,
        [first, last]: [SessionId; 2],
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let number = |id: SessionId| u128::from_be_bytes(id.into());
        let above = number(first).saturating_sub(1).to_be_bytes();
        let below = number(last).saturating_add(1).to_be_bytes();
        let params = page(&Bounds { above, below, rising: false }, limit);
        self.engine.browse(&OLDER, params).await?.into_iter().map(read_session).collect()
    }

    /// A page of the transactions of all vendors, newest first in either direction.
    pub async fn all_transactions(
        &self,
        filter: &AllTransactions,
        turn: Turn<TransactionId>,
        limit: u32,
    ) -> Result<Vec<Transaction>, StoreError> {
        let bounds = Bounds::new(filter.span, turn);
        let mut params = page(&bounds, limit);
        let method = filter.method.map_or("", Method::as_str);
        let [older, newer] = match filter.kind {
            Some(MoneyKind::ToDecide) => {
                params.push(method.into());
                [&OLDER_UNDECIDED, &NEWER_UNDECIDED]
            }
            Some(MoneyKind::Is(mark)) if mark != Mark::Plain => {
                params.extend([mark.as_str().into(), method.into()]);
                [&OLDER_UNUSUAL, &NEWER_UNUSUAL]
            }
            plain => {
                params.push(plain.map_or("", |_| Mark::Plain.as_str()).into());
                if method.is_empty() {
                    [&OLDER_MONEY, &NEWER_MONEY]
                } else {
                    params.push(method.into());
                    [&OLDER_OF_METHOD, &NEWER_OF_METHOD]
                }
            }
        };
        let sql = if bounds.rising { newer } else { older };
        let rows = self.engine.browse(sql, params).await?;
        let mut found: Vec<Transaction> = rows.into_iter().map(read_transaction).collect::<Result<_, _>>()?;
        found.sort_by_key(|money| Reverse(money.id));
        Ok(found)
    }
}
