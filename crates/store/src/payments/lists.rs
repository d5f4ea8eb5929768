//! A vendor's sessions, newest first, as the panel shows and exports them.
//!
//! A filter is a few ranges of an index that has the ids in order: the cost of a page depends neither on the
//! number of sessions nor on how many of them match. Pages follow each other by id (keyset pagination), and
//! ids begin with their time, so a span of time is a span of ids. Pending sessions have an index of their
//! own.

use crate::{
    engine::{
        error::StoreError,
        sql::{Sql, Value, statements},
    },
    payments::{Payments, read_session, session_columns},
};
use till_domain::{
    id::{SessionId, VendorId},
    method::Method,
    session::{Session, Status},
    time::Timestamp,
};

/// A span of time; an end that is `None` is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The start: at this time or later.
    pub since: Option<Timestamp>,
    /// The end: before this time.
    pub until: Option<Timestamp>,
}

/// A page of a list (keyset pagination).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn<Id> {
    Newest,
    /// The page of rows older than this one.
    Older(Id),
    /// The page of rows newer than this one.
    Newer(Id),
}

/// A filter of sessions.
#[derive(Debug, Clone, Copy)]
pub struct SessionFilter {
    pub vendor: VendorId,
    /// Only sessions with this status.
    pub status: Option<Status>,
    /// Only sessions with this method.
    pub method: Option<Method>,
    /// Only sessions created in this span.
    pub span: Span,
}

/// The ids between which the rows of a page are, and from which end they are taken.
#[derive(Debug)]
pub(crate) struct Bounds {
    pub(crate) above: [u8; 16],
    pub(crate) below: [u8; 16],
    pub(crate) rising: bool,
}

impl Bounds {
    pub(crate) fn new<Id: Copy + Into<[u8; 16]>>(span: Span, turn: Turn<Id>) -> Self {
        let above = span.since.map_or([0; 16], first_of);
        let below = span.until.map_or([0xff; 16], first_of);
        match turn {
            Turn::Newest => Self { above, below, rising: false },
            Turn::Older(id) => Self { above, below: below.min(id.into()), rising: false },
            Turn::Newer(id) => Self { above: above.max(id.into()), below, rising: true },
        }
    }
}

/// A value below every id that was made at this time or later, and above all earlier ones.
pub(crate) fn first_of(moment: Timestamp) -> [u8; 16] {
    let mut id = [0; 16];
    let [_, _, ms @ ..] = u64::try_from(moment.as_ms()).unwrap_or(0).to_be_bytes();
    for (to, from) in id.iter_mut().zip(ms) {
        *to = from;
    }
    id
}

/// The sessions of one status and one method, as a part of a union. Parameters: `$1` vendor, `$2` above, `$3`
/// below, `$4` status or empty, `$5` method or empty, `$6` limit.
macro_rules! ended {
    ($status:literal, $method:literal, $order:literal) => {
        concat!(
            "SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND status = '",
            $status,
            "' AND method = '",
            $method,
            "' AND $4 IN ('', '",
            $status,
            "') AND $5 IN ('', '",
            $method,
            "') AND id > $2 AND id < $3 ORDER BY id ",
            $order,
            " LIMIT $6) AS ",
            $status,
            "_",
            $method,
            " UNION ALL "
        )
    };
    ($status:literal, $order:literal) => {
        concat!(
            ended!($status, "card", $order),
            ended!($status, "sbp", $order),
            ended!($status, "crypto", $order)
        )
    };
}

/// The pending sessions of one method, as a part of a union with the same parameters.
macro_rules! pending {
    ($method:literal, $order:literal) => {
        concat!(
            "SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 AND method = '",
            $method,
            "' AND $4 IN ('', 'pending') AND $5 IN ('', '",
            $method,
            "') AND id > $2 AND id < $3 ORDER BY id ",
            $order,
            " LIMIT $6) AS pending_",
            $method
        )
    };
    ($order:literal) => {
        concat!(
            pending!("card", $order),
            " UNION ALL ",
            pending!("sbp", $order),
            " UNION ALL ",
            pending!("crypto", $order)
        )
    };
}

macro_rules! list {
    ($order:literal) => {
        Sql::new(concat!(
            "SELECT ",
            session_columns!(),
            " FROM sessions WHERE id IN (SELECT id FROM (",
            ended!("paid", $order),
            ended!("failed", $order),
            ended!("expired", $order),
            pending!($order),
            ") AS matching
             ORDER BY id ",
            $order,
            " LIMIT $6)
             ORDER BY id DESC"
        ))
    };
}

macro_rules! of_order {
    ($status:literal) => {
        concat!(
            "SELECT id FROM (SELECT id FROM sessions WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $2
                AND status = '", $status, "' ORDER BY id DESC LIMIT $3) AS ", $status, " UNION ALL "
        )
    };
}

statements! {
    static OLDER = list!("DESC");
    static NEWER = list!("ASC");
    static OF_ORDER = Sql::new(concat!(
        "SELECT ",
        session_columns!(),
        " FROM sessions WHERE id IN (SELECT id FROM (",
        of_order!("paid"),
        of_order!("failed"),
        of_order!("expired"),
        "SELECT id FROM (SELECT id FROM sessions WHERE order_id COLLATE \"C\" = $2 AND vendor_id = $1
            AND status = 'pending' ORDER BY id DESC LIMIT $3) AS pending) AS matching
         ORDER BY id DESC LIMIT $3)
         ORDER BY id DESC"
    ));
    static PENDING = Sql::new(
        "SELECT COUNT(*) FROM (
            SELECT 1 FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1 LIMIT $2) AS pending",
    );
    static ALL_PENDING = Sql::new(
        "SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE due_at IS NOT NULL LIMIT $1) AS pending",
    );
}

impl Payments {
    /// A page of a vendor's sessions, newest first in either direction.
    pub async fn sessions(
        &self,
        filter: &SessionFilter,
        turn: Turn<SessionId>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let bounds = Bounds::new(filter.span, turn);
        self.list([&OLDER, &NEWER], filter, &bounds, limit, Vec::new()).await
    }

    /// A page of a vendor's sessions whose ids are the first or the last one or between them.
    pub async fn sessions_between(
        &self,
        [first, last]: [SessionId; 2],
        filter: &SessionFilter,
        turn: Turn<SessionId>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let mut bounds = Bounds::new(filter.span, turn);
        let number = |id: SessionId| u128::from_be_bytes(id.into());
        bounds.above = bounds.above.max(number(first).saturating_sub(1).to_be_bytes());
        bounds.below = bounds.below.min(number(last).saturating_add(1).to_be_bytes());
        self.list([&OLDER, &NEWER], filter, &bounds, limit, Vec::new()).await
    }

    /// A page of a list whose condition has these parameters.
    pub(crate) async fn list(
        &self,
        [older, newer]: [&'static Sql; 2],
        filter: &SessionFilter,
        bounds: &Bounds,
        limit: u32,
        condition: Vec<Value>,
    ) -> Result<Vec<Session>, StoreError> {
        let mut params = vec![
            filter.vendor.as_bytes().into(),
            (&bounds.above).into(),
            (&bounds.below).into(),
            filter.status.map_or("", Status::as_str).into(),
            filter.method.map_or("", Method::as_str).into(),
            i64::from(limit).into(),
        ];
        params.extend(condition);
        let sql = if bounds.rising { newer } else { older };
        self.engine.browse(sql, params).await?.into_iter().map(read_session).collect()
    }

    /// The newest sessions of a vendor's order.
    pub async fn sessions_of_order(
        &self,
        vendor: VendorId,
        order_id: &str,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let params: Vec<Value> = vec![vendor.as_bytes().into(), order_id.into(), i64::from(limit).into()];
        self.engine.browse(&OF_ORDER, params).await?.into_iter().map(read_session).collect()
    }

    /// The number of pending sessions, of a vendor or of all; no more than `most` are counted.
    pub async fn pending_sessions(&self, vendor: Option<VendorId>, most: u32) -> Result<u64, StoreError> {
        let most: Value = i64::from(most).into();
        let rows = match vendor {
            Some(vendor) => self.engine.browse(&PENDING, vec![vendor.as_bytes().into(), most]).await?,
            None => self.engine.browse(&ALL_PENDING, vec![most]).await?,
        };
        let count = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        Ok(u64::try_from(count).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::id::EventId;

    #[test]
    fn a_span_of_time_is_a_span_of_ids() {
        let moment = Timestamp::from_ms(1_763_164_800_000);
        let before = EventId::new(Timestamp::from_ms(1_763_164_799_999), &[0xff; 10]);
        let first = EventId::new(moment, &[0; 10]);
        let span = Span { since: Some(moment), until: None };
        let bounds = Bounds::new::<EventId>(span, Turn::Newest);
        assert!(<[u8; 16]>::from(before) < bounds.above && bounds.above < first.into());
        let span = Span { since: None, until: Some(moment) };
        let bounds = Bounds::new(span, Turn::Older(before));
        assert_eq!((bounds.below, bounds.rising), (before.into(), false));
        let bounds = Bounds::new(span, Turn::Newer(before));
        assert_eq!((bounds.above, bounds.rising), (before.into(), true));
        assert!(bounds.below > before.into() && bounds.below < first.into());
    }
}
