//! Everything about one order: its sessions, their transactions and their callbacks, page by page.
//!
//! An order may be tried again and again. Its sessions are ranges of an index, by status; their transactions
//! and their callbacks are found through them, so only rows of the order are read for those.

use crate::{
    engine::{
        error::StoreError,
        sql::{Row, Sql, Value, statements},
    },
    payments::{
        Payments,
        callbacks::{EventFilter, StoredEvent, event_columns, read_event},
        lists::{Bounds, SessionFilter, Span, Turn},
        money::{TransactionFilter, read_transaction, transaction_columns},
        read_session, session_columns,
    },
};
use till_domain::{
    id::{EventId, SessionId, TransactionId, VendorId},
    method::Method,
    session::{Session, Status},
    transaction::Transaction,
};

/// The sessions of one status, as a part of a union. Parameters: `$1` vendor, `$2` above, `$3` below, `$4`
/// status or empty, `$5` method or empty, `$6` limit, `$7` order.
macro_rules! ended {
    ($status:literal, $order:literal) => {
        concat!(
            "SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $7
                AND status = '",
            $status,
            "' AND $4 IN ('', '",
            $status,
            "') AND $5 IN ('', method) AND id > $2 AND id < $3 ORDER BY id ",
            $order,
            " LIMIT $6) AS ",
            $status,
            " UNION ALL "
        )
    };
}

macro_rules! sessions {
    ($order:literal) => {
        Sql::new(concat!(
            "SELECT ",
            session_columns!(),
            " FROM sessions WHERE id IN (SELECT id FROM (",
            ended!("paid", $order),
            ended!("failed", $order),
            ended!("expired", $order),
            "SELECT id FROM (SELECT id FROM sessions WHERE order_id COLLATE \"C\" = $7 AND vendor_id = $1
                AND status = 'pending' AND $4 IN ('', 'pending') AND $5 IN ('', method) AND id > $2 AND id < $3
                ORDER BY id ",
            $order,
            " LIMIT $6) AS pending) AS matching
             ORDER BY id ",
            $order,
            " LIMIT $6)
             ORDER BY id DESC"
        ))
    };
}

/// The ids of all sessions of an order.
macro_rules! all_of_it {
    ($order:literal) => {
        concat!(
            "SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = ",
            $order,
            " AND status IN ('paid', 'failed', 'expired')
             UNION ALL
             SELECT id FROM sessions WHERE order_id COLLATE \"C\" = ",
            $order,
            " AND vendor_id = $1 AND status = 'pending'"
        )
    };
}
pub(crate) use all_of_it;

/// The rows that belong to the sessions of an order. A plain `id` instead of COALESCE would invite the
/// planner to scan the whole table.
macro_rules! belonging {
    ($columns:expr, $table:literal, $condition:expr, $order:literal) => {
        Sql::new(concat!(
            "SELECT ",
            $columns,
            " FROM ",
            $table,
            " WHERE id IN (SELECT id FROM ",
            $table,
            " WHERE session_id IN (",
            all_of_it!("$7"),
            ") AND $5 IN ('', method) AND (",
            $condition,
            ")
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3
                ORDER BY COALESCE(id, id) ",
            $order,
            " LIMIT $6)
             ORDER BY id DESC"
        ))
    };
}

macro_rules! money {
    ($order:literal) => {
        belonging!(
            transaction_columns!(),
            "transactions",
            "$4 = '' OR $4 = 'plain' AND NOT (late OR partial OR over OR reversed) OR $4 = 'late' AND late
                OR $4 = 'partial' AND partial OR $4 = 'over' AND over OR $4 = 'reversed' AND reversed
                OR $4 = 'to_decide' AND id IN (
                    SELECT transaction_id FROM actions WHERE resolution IS NULL AND vendor_id = $1)",
            $order
        )
    };
}

macro_rules! events {
    ($order:literal) => {
        belonging!(
            event_columns!(),
            "callbacks",
            "$4 IN ('', state) OR $4 = 'on_its_way' AND due_at > 0",
            $order
        )
    };
}

statements! {
    static OLDER = sessions!("DESC");
    static NEWER = sessions!("ASC");
    static OLDER_MONEY = money!("DESC");
    static NEWER_MONEY = money!("ASC");
    static OLDER_EVENTS = events!("DESC");
    static NEWER_EVENTS = events!("ASC");
}

/// The parameters that all these lists share.
struct OrderQuery<'a> {
    vendor: VendorId,
    order_id: &'a str,
    word: &'static str,
    method: Option<Method>,
    span: Span,
    limit: u32,
}

impl Payments {
    /// A page of the sessions of a vendor's order, newest first in either direction.
    pub async fn order_sessions(
        &self,
        order_id: &str,
        filter: &SessionFilter,
        turn: Turn<SessionId>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let SessionFilter { vendor, status, method, span } = *filter;
        let word = status.map_or("", Status::as_str);
        let query = OrderQuery { vendor, order_id, word, method, span, limit };
        self.of_order([&OLDER, &NEWER], &query, turn, read_session).await
    }

    /// A page of the transactions of a vendor's order, newest first in either direction.
    pub async fn order_transactions(
        &self,
        order_id: &str,
        filter: &TransactionFilter,
        turn: Turn<TransactionId>,
        limit: u32,
    ) -> Result<Vec<Transaction>, StoreError> {
        let TransactionFilter { vendor, method, span, .. } = *filter;
        let query = OrderQuery { vendor, order_id, word: filter.word(), method, span, limit };
        self.of_order([&OLDER_MONEY, &NEWER_MONEY], &query, turn, read_transaction).await
    }

    /// A page of the callbacks of a vendor's order, newest first in either direction.
    pub async fn order_events(
        &self,
        vendor: VendorId,
        order_id: &str,
        filter: &EventFilter,
        turn: Turn<EventId>,
        limit: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let EventFilter { method, span, .. } = *filter;
        let query = OrderQuery { vendor, order_id, word: filter.word(), method, span, limit };
        self.of_order([&OLDER_EVENTS, &NEWER_EVENTS], &query, turn, read_event).await
    }

    async fn of_order<Id: Copy + Into<[u8; 16]>, T>(
        &self,
        [older, newer]: [&'static Sql; 2],
        query: &OrderQuery<'_>,
        turn: Turn<Id>,
        read: impl Fn(Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let bounds = Bounds::new(query.span, turn);
        let params: Vec<Value> = vec![
            query.vendor.as_bytes().into(),
            (&bounds.above).into(),
            (&bounds.below).into(),
            query.word.into(),
            query.method.map_or("", Method::as_str).into(),
            i64::from(query.limit).into(),
            query.order_id.into(),
        ];
        let sql = if bounds.rising { newer } else { older };
        self.engine.browse(sql, params).await?.into_iter().map(read).collect()
    }
}
