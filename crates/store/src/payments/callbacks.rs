//! Callback events (webhooks): which are due, the state of their delivery, and their order in the feed from
//! which a vendor may fetch them. They are changed only through [`Payments::commit`]; the positions in a feed
//! are the exception, since they say nothing about a payment.

use crate::{
    engine::{
        WriteOutcome,
        due::{Key, Queue, QueueName, Unreadable, single},
        error::StoreError,
        sql::{Row, Sql, Statement, Value, statements},
    },
    payments::{
        Payments,
        lists::{Bounds, Span, Turn},
    },
};
use std::{collections::BTreeMap, time::Duration};
use till_domain::{
    delivery::{DeliveryState, DueEvent, ReceiverResponse, Requester},
    id::{EventId, SessionId, VendorId},
    method::Method,
    time::Timestamp,
    weburl::WebUrl,
};

/// The maximum number of hosts that a search for due events can leave out.
pub const MAX_BUSY_HOSTS: usize = 16;

/// How far a search looks past events for hosts that it leaves out. Events behind that many wait for them:
/// they belong to the same vendor.
const MAX_PASSED_OVER: i64 = 1024;

/// How often filling a page is tried before it is returned as it is.
const PLACE_TRIES: u32 = 3;

/// A vendor with events to be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingVendor {
    pub vendor: VendorId,
    /// When the first of them is due.
    pub due_at: Timestamp,
}

/// A callback event as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    pub id: EventId,
    pub session: SessionId,
    pub vendor: VendorId,
    /// `session.paid`, `session.failed` or `session.expired`; `refund.succeeded` or `refund.failed`.
    pub event: String,
    pub target: Option<WebUrl>,
    /// The frozen body.
    pub body: Vec<u8>,
    /// When the status took effect.
    pub created_at: Timestamp,
    pub state: DeliveryState,
    /// The number of the last attempt.
    pub attempts: u32,
    /// When the next attempt is due, or when the lease of the attempt under way ends.
    pub due_at: Option<Timestamp>,
    /// When the vendor first received it.
    pub delivered_at: Option<Timestamp>,
    /// Its position in the vendor's feed, once it was fetched.
    pub position: Option<i64>,
    /// The method by which its session was paid, or was to be.
    pub method: Method,
}

/// A delivery attempt as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAttempt {
    pub number: u32,
    pub started_at: Timestamp,
    /// How long it took, if that is known.
    pub took: Option<Duration>,
    /// Its result, in one word.
    pub result: String,
    /// The HTTP status of the answer, if there was one.
    pub status: Option<u16>,
    /// Who asked for it, if it is a manual one and was asked for since that is recorded.
    pub requested_by: Option<Requester>,
}

/// The responses to an event's failed attempts that are still kept, by the number of the attempt.
pub type KeptResponses = BTreeMap<u32, ReceiverResponse>;

/// A selection of events that could not be delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Undelivered {
    /// Only events of this vendor.
    pub vendor: Option<VendorId>,
    /// Only events created since then.
    pub since: Option<Timestamp>,
}

/// A filter of events.
#[derive(Debug, Clone, Copy, Default)]
pub struct EventFilter {
    /// Only events of this vendor.
    pub vendor: Option<VendorId>,
    /// Only events with this state of delivery.
    pub standing: Option<DeliveryFilter>,
    /// Only events of sessions with this method.
    pub method: Option<Method>,
    /// Only events created in this span.
    pub span: Span,
}

impl EventFilter {
    /// The word of its standing, or an empty text.
    pub(crate) fn word(&self) -> &'static str {
        self.standing.map_or("", DeliveryFilter::word)
    }
}

/// A state of delivery to filter by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryFilter {
    /// Queued or being sent.
    OnItsWay,
    Is(DeliveryState),
}

impl DeliveryFilter {
    fn word(self) -> &'static str {
        match self {
            Self::OnItsWay => "on_its_way",
            Self::Is(state) => state.as_str(),
        }
    }

    /// True if such events have a time for their next attempt.
    fn is_due(self) -> bool {
        matches!(self, Self::OnItsWay | Self::Is(DeliveryState::Queued | DeliveryState::Sending))
    }
}

static DUE: Queue =
    Queue { name: QueueName::Callbacks, sql: &DUE_CALLBACKS, key: &[Key::Number, Key::Bytes] };
pub(crate) static DUE_OF_ALL: Queue =
    Queue { name: QueueName::Callbacks, sql: &ALL_DUE, key: &[Key::Bytes, Key::Number, Key::Bytes] };
macro_rules! event_columns {
    () => {
        "id, session_id, vendor_id, event, target, body, created_at, state, attempts, due_at, delivered_at,
            position, method"
    };
}
pub(crate) use event_columns;

macro_rules! select_event {
    ($($rest:expr),*) => {
        Sql::new(concat!("SELECT ", event_columns!(), " FROM callbacks ", $($rest),*))
    };
}

/// A vendor's events of one state and one method, as a part of a union. Parameters: `$1` vendor, `$2` above,
/// `$3` below, `$4` standing or empty, `$5` method or empty, `$6` limit.
macro_rules! ended {
    ($state:literal, $method:literal, $order:literal) => {
        concat!(
            "SELECT id FROM (SELECT id FROM callbacks WHERE due_at IS NULL AND vendor_id = $1 AND state = '",
            $state,
            "' AND method = '",
            $method,
            "' AND $4 IN ('', '",
            $state,
            "') AND $5 IN ('', '",
            $method,
            "') AND id > $2 AND id < $3 ORDER BY id ",
            $order,
            " LIMIT $6) AS ",
            $state,
            "_",
            $method,
            " UNION ALL "
        )
    };
    ($state:literal, $order:literal) => {
        concat!(
            ended!($state, "card", $order),
            ended!($state, "sbp", $order),
            ended!($state, "crypto", $order)
        )
    };
}

// As with sessions, a filter is a few ranges of an index. Events on their way are read from the index of due
// events.
macro_rules! of_vendor {
    ($order:literal) => {
        select_event!(
            "WHERE id IN (SELECT id FROM (",
            ended!("delivered", $order),
            ended!("undelivered", $order),
            ended!("no_target", $order),
            "SELECT id FROM (SELECT id FROM callbacks WHERE vendor_id = $1 AND due_at > 0
                AND $4 IN ('', 'on_its_way', state) AND $5 IN ('', method)
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3
                ORDER BY COALESCE(id, id) ",
            $order,
            " LIMIT $6) AS on_its_way) AS matching
             ORDER BY id ",
            $order,
            " LIMIT $6)
             ORDER BY id DESC"
        )
    };
}
macro_rules! of_all {
    ($condition:literal, $order:literal) => {
        select_event!(
            "WHERE id IN (SELECT id FROM callbacks WHERE ",
            $condition,
            " AND $4 IN ('', method) AND id > $1
                AND id < $2 ORDER BY id ",
            $order,
            " LIMIT $5)
             ORDER BY id DESC"
        )
    };
}

statements! {
    // A loose index scan from one vendor to the next: the cost grows with the number of vendors, not of
    // events.
    static PENDING_VENDORS = Sql::new(
        "WITH RECURSIVE pending (vendor_id) AS (
            SELECT (SELECT vendor_id FROM callbacks WHERE due_at IS NOT NULL ORDER BY vendor_id, due_at LIMIT 1)
            UNION ALL
            SELECT (SELECT c.vendor_id FROM callbacks c WHERE c.due_at IS NOT NULL AND c.vendor_id > pending.vendor_id
                    ORDER BY c.vendor_id, c.due_at LIMIT 1)
            FROM pending WHERE pending.vendor_id IS NOT NULL
         )
         SELECT vendor_id, (SELECT c.due_at FROM callbacks c WHERE c.due_at IS NOT NULL AND c.vendor_id = pending.vendor_id
                            ORDER BY c.vendor_id, c.due_at LIMIT 1)
         FROM pending WHERE vendor_id IS NOT NULL",
    );
    static DUE_CALLBACKS = Sql::new(
        "SELECT due_at, id, id, vendor_id, target, host, state, attempts, started_at, delivered_at, fence, body
         FROM (SELECT id, vendor_id, target, host, body, state, attempts, started_at, delivered_at, fence, due_at
               FROM callbacks WHERE vendor_id = $1 AND due_at <= $2 AND (due_at, id) > ($20, $21)
               ORDER BY vendor_id, due_at, id LIMIT CAST($22 AS BIGINT) + CAST($3 AS BIGINT)) oldest
         WHERE host IS NULL OR host NOT IN ($4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
         ORDER BY due_at, id LIMIT CAST($22 AS BIGINT)",
    );
    // Of all vendors and without bodies: an operator may inspect very many.
    static ALL_DUE = Sql::new(
        "SELECT vendor_id, due_at, id, id, vendor_id, target, host, state, attempts, started_at, delivered_at, fence
         FROM callbacks WHERE due_at <= $1 AND (vendor_id, due_at, id) > ($2, $3, $4)
         ORDER BY vendor_id, due_at, id LIMIT $5",
    );
    static EVENT = select_event!("WHERE id = $1");
    static OLDER_OF_VENDOR = of_vendor!("DESC");
    static NEWER_OF_VENDOR = of_vendor!("ASC");
    static OLDER = of_all!("$3 IN ('', state)", "DESC");
    static NEWER = of_all!("$3 IN ('', state)", "ASC");
    static OLDER_UNDELIVERED = of_all!("state = 'undelivered' AND $3 <> ''", "DESC");
    static NEWER_UNDELIVERED = of_all!("state = 'undelivered' AND $3 <> ''", "ASC");
    static COUNT_UNDELIVERED =
        Sql::new("SELECT COUNT(*) FROM callbacks WHERE state = 'undelivered' AND id > $1");
    static FEED = select_event!(
        "WHERE vendor_id = $1 AND position IS NOT NULL AND position > $2 ORDER BY position LIMIT $3"
    );
    static FEED_PAGE_END = Sql::new(
        "SELECT MAX(position) FROM (
            SELECT position FROM callbacks WHERE vendor_id = $1 AND position IS NOT NULL AND position > $2
            ORDER BY position LIMIT $3) AS page",
    );
    static UNFETCHED =
        Sql::new("SELECT id FROM callbacks WHERE vendor_id = $1 AND position IS NULL ORDER BY id LIMIT $2");
    static FEED_LAST = Sql::new("SELECT last FROM feeds WHERE vendor_id = $1");
    static OPEN_FEED =
        Sql::new("INSERT INTO feeds (vendor_id, last) VALUES ($1, 0) ON CONFLICT (vendor_id) DO NOTHING");
    // Compare-and-set of the last position: two concurrent fetches cannot give out the same ones.
    static EXTEND_FEED = Sql::new("UPDATE feeds SET last = $3 WHERE vendor_id = $1 AND last = $2");
    // It follows a guard, so it must not wait for a row lock: the holder may be waiting for our guards
    // (deadlock). An event that is being changed at the moment gets a later position.
    static PLACE = Sql::new(
        "UPDATE callbacks SET position = $2
         WHERE id = (SELECT id FROM callbacks WHERE id = $1 AND position IS NULL FOR UPDATE SKIP LOCKED)",
    );
    static ATTEMPTS = Sql::new(
        "SELECT a.number, a.started_at, a.took_ms, a.result, a.status, r.requested_by, r.by_operator
         FROM callback_attempts AS a
         LEFT JOIN callback_resends AS r ON r.callback_id = a.callback_id AND r.number = a.number
         WHERE a.callback_id = $1 ORDER BY a.number",
    );
    static RESPONSES = Sql::new(
        "SELECT number, content_type, body FROM callback_responses WHERE callback_id = $1 ORDER BY number",
    );
    static OF_SESSION = select_event!("WHERE session_id = $1 ORDER BY id");
}

impl Payments {
    /// The vendors with events to be delivered, whether due or not. Events whose vendor cannot be read are
    /// left out.
    pub async fn pending_vendors(&self) -> Result<Vec<PendingVendor>, StoreError> {
        let read = |mut row: Row| {
            Ok(PendingVendor { vendor: VendorId::from_bytes(row.array()?), due_at: row.time()? })
        };
        let rows = self.engine.scan(&PENDING_VENDORS, vec![]).await?;
        Ok(rows.into_iter().map(read).filter_map(Result::<_, StoreError>::ok).collect())
    }

    /// A vendor's events that are due, the longest overdue first, without those to hosts that have enough
    /// requests under way; and the rows before them that cannot be read.
    pub async fn due_callbacks(
        &self,
        vendor: VendorId,
        now: Timestamp,
        limit: usize,
        busy_hosts: &[String],
    ) -> Result<(Vec<DueEvent>, Unreadable), StoreError> {
        let further = if busy_hosts.is_empty() { 0 } else { MAX_PASSED_OVER };
        let mut params: Vec<Value> = vec![vendor.as_bytes().into(), now.into(), further.into()];
        for index in 0..MAX_BUSY_HOSTS {
            params.push(busy_hosts.get(index).map_or("", String::as_str).into());
        }
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        DUE.read(&self.engine, params, limit, single(read_due)).await
    }

    /// When an event is next due.
    pub async fn next_callback_due(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.pending_vendors().await?.into_iter().map(|pending| pending.due_at).min())
    }

    pub async fn event(&self, id: EventId) -> Result<Option<StoredEvent>, StoreError> {
        let rows = self.engine.read(&EVENT, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_event).transpose()
    }

    /// A page of events, newest first in either direction.
    pub async fn events(
        &self,
        filter: &EventFilter,
        turn: Turn<EventId>,
        limit: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let bounds = Bounds::new(filter.span, turn);
        match (filter.vendor, filter.standing) {
            (Some(vendor), _) => self.events_of(vendor, filter, &bounds, limit).await,
            (None, Some(standing)) if standing.is_due() => {
                self.events_on_their_way(filter, &bounds, limit).await
            }
            (None, standing) => {
                let undelivered = standing == Some(DeliveryFilter::Is(DeliveryState::Undelivered));
                let sql = match (undelivered, bounds.rising) {
                    (true, false) => &OLDER_UNDELIVERED,
                    (true, true) => &NEWER_UNDELIVERED,
                    (false, false) => &OLDER,
                    (false, true) => &NEWER,
                };
                self.list_events(sql, Vec::new(), filter, &bounds, limit).await
            }
        }
    }

    async fn events_of(
        &self,
        vendor: VendorId,
        filter: &EventFilter,
        bounds: &Bounds,
        limit: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let sql = if bounds.rising { &NEWER_OF_VENDOR } else { &OLDER_OF_VENDOR };
        self.list_events(sql, vec![vendor.as_bytes().into()], filter, bounds, limit).await
    }

    /// Due events are indexed by vendor, so they are read vendor by vendor.
    async fn events_on_their_way(
        &self,
        filter: &EventFilter,
        bounds: &Bounds,
        limit: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let mut found = Vec::new();
        for pending in self.pending_vendors().await? {
            found.extend(self.events_of(pending.vendor, filter, bounds, limit).await?);
        }
        let kept = usize::try_from(limit).unwrap_or(usize::MAX);
        found.sort_unstable_by_key(|event| std::cmp::Reverse(event.id));
        if bounds.rising {
            found.drain(..found.len().saturating_sub(kept));
        }
        found.truncate(kept);
        Ok(found)
    }

    async fn list_events(
        &self,
        sql: &'static Sql,
        mut params: Vec<Value>,
        filter: &EventFilter,
        bounds: &Bounds,
        limit: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        params.extend([
            (&bounds.above).into(),
            (&bounds.below).into(),
            filter.word().into(),
            filter.method.map_or("", Method::as_str).into(),
            i64::from(limit).into(),
        ]);
        self.engine.browse(sql, params).await?.into_iter().map(read_event).collect()
    }

    /// The number of events that could not be delivered.
    pub async fn count_undelivered(&self, which: Undelivered) -> Result<u64, StoreError> {
        if let Some(vendor) = which.vendor {
            return self.undelivered(vendor, which.since).await;
        }
        let span = Span { since: which.since, until: None };
        let above = Bounds::new::<EventId>(span, Turn::Newest).above;
        let rows = self.engine.browse(&COUNT_UNDELIVERED, vec![(&above).into()]).await?;
        let count = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// The delivery attempts of an event, oldest first.
    pub async fn attempts(&self, event: EventId) -> Result<Vec<StoredAttempt>, StoreError> {
        let rows = self.engine.read(&ATTEMPTS, vec![event.as_bytes().into()]).await?;
        rows.into_iter().map(read_attempt).collect()
    }

    /// The responses to an event's failed attempts, as far as they are still kept.
    pub async fn responses(&self, event: EventId) -> Result<KeptResponses, StoreError> {
        let rows = self.engine.read(&RESPONSES, vec![event.as_bytes().into()]).await?;
        rows.into_iter().map(read_response).collect()
    }

    /// All events of a session, oldest first: its own status, its refunds.
    pub async fn session_events(&self, session: SessionId) -> Result<Vec<StoredEvent>, StoreError> {
        let rows = self.engine.read(&OF_SESSION, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read_event).collect()
    }

    /// A vendor's events after a position, oldest first; `None` if that position was never given out. Events
    /// that were never fetched get their positions now: an event that is committed late comes later, and none
    /// gets a position before one that was already fetched.
    pub async fn feed(
        &self,
        vendor: VendorId,
        after: i64,
        limit: u32,
    ) -> Result<Option<Vec<StoredEvent>>, StoreError> {
        let (mut tries, mut after) = (0, after);
        loop {
            let params = vec![vendor.as_bytes().into(), after.into(), i64::from(limit).into()];
            let rows = self.engine.read(&FEED, params).await?;
            if rows.is_empty() && after > 0 && after > self.last_position(vendor).await?.unwrap_or(0) {
                return Ok(None);
            }
            let wanted = i64::from(limit) - i64::try_from(rows.len()).unwrap_or(i64::MAX);
            tries += 1;
            if wanted <= 0 || tries > PLACE_TRIES || !self.place(vendor, wanted).await? {
                let count = i64::try_from(rows.len()).unwrap_or(i64::MAX);
                let events: Vec<_> = rows.into_iter().filter_map(readable).collect();
                if !events.is_empty() || count == 0 {
                    return Ok(Some(events));
                }
                // No row of this page can be read: continue with the next page.
                let params = vec![vendor.as_bytes().into(), after.into(), count.into()];
                let end = self.engine.read(&FEED_PAGE_END, params).await?.into_iter().next();
                after = end.map_or(Ok(None), |mut row| row.opt_int())?.unwrap_or(after.saturating_add(count));
            }
        }
    }

    async fn last_position(&self, vendor: VendorId) -> Result<Option<i64>, StoreError> {
        let rows = self.engine.read(&FEED_LAST, vec![vendor.as_bytes().into()]).await?;
        rows.into_iter().next().map(|mut row| row.int()).transpose()
    }

    /// Gives at most `limit` events of a vendor their positions. False if there was none without a position.
    async fn place(&self, vendor: VendorId, limit: i64) -> Result<bool, StoreError> {
        let vendor_id = || Value::from(vendor.as_bytes());
        let unfetched = self.engine.read(&UNFETCHED, vec![vendor_id(), limit.into()]).await?;
        if unfetched.is_empty() {
            return Ok(false);
        }
        let last = match self.last_position(vendor).await? {
            Some(last) => last,
            None => {
                let open = Statement { sql: &OPEN_FEED, params: vec![vendor_id()], guarded: false };
                self.engine.write(vec![open]).await?;
                0
            }
        };
        let count = i64::try_from(unfetched.len()).unwrap_or(0);
        let params = vec![vendor_id(), last.into(), last.saturating_add(count).into()];
        let mut unit = vec![Statement { sql: &EXTEND_FEED, params, guarded: true }];
        for (mut row, position) in unfetched.into_iter().zip(last.saturating_add(1)..) {
            let params = vec![Value::Bytes(row.bytes()?), position.into()];
            unit.push(Statement { sql: &PLACE, params, guarded: false });
        }
        // Another fetch may have been first and placed some, and locked events have no position yet: read
        // again either way.
        let _: WriteOutcome = self.engine.write(unit).await?;
        Ok(true)
    }
}

fn read_due(mut row: Row) -> Result<DueEvent, StoreError> {
    let event = read_due_without_body(&mut row)?;
    Ok(DueEvent { body: row.bytes()?, ..event })
}

pub(crate) fn read_due_without_body(row: &mut Row) -> Result<DueEvent, StoreError> {
    Ok(DueEvent {
        id: EventId::from_bytes(row.array()?),
        vendor: VendorId::from_bytes(row.array()?),
        target: WebUrl::from_stored(row.text()?),
        host: row.text()?,
        body: Vec::new(),
        sending: read_state(row)? == DeliveryState::Sending,
        attempts: read_number(row)?,
        started_at: row.opt_time()?,
        delivered: row.opt_time()?.is_some(),
        fence: row.int()?,
    })
}

/// An event for the feed, if its row can be read: an unreadable one must not block those behind it.
fn readable(row: Row) -> Option<StoredEvent> {
    read_event(row)
        .inspect_err(|error| tracing::error!(%error, "an event is unreadable; the feed omits it"))
        .ok()
}

pub(crate) fn read_event(mut row: Row) -> Result<StoredEvent, StoreError> {
    Ok(StoredEvent {
        id: EventId::from_bytes(row.array()?),
        session: SessionId::from_bytes(row.array()?),
        vendor: VendorId::from_bytes(row.array()?),
        event: row.text()?,
        target: row.opt_text()?.map(WebUrl::from_stored),
        body: row.bytes()?,
        created_at: row.time()?,
        state: read_state(&mut row)?,
        attempts: read_number(&mut row)?,
        due_at: row.opt_time()?,
        delivered_at: row.opt_time()?,
        position: row.opt_int()?,
        method: read_method(&mut row)?,
    })
}

fn read_state(row: &mut Row) -> Result<DeliveryState, StoreError> {
    let word = row.text()?;
    DeliveryState::parse(&word).ok_or_else(|| StoreError::Corrupt(format!("delivery {word:?}")))
}

fn read_method(row: &mut Row) -> Result<Method, StoreError> {
    let word = row.text()?;
    Method::parse(&word).ok_or_else(|| StoreError::Corrupt(format!("method {word:?}")))
}

fn read_number(row: &mut Row) -> Result<u32, StoreError> {
    let number = row.int()?;
    u32::try_from(number).map_err(|_| StoreError::Corrupt(format!("attempt {number}")))
}

fn read_response(mut row: Row) -> Result<(u32, ReceiverResponse), StoreError> {
    let number = read_number(&mut row)?;
    Ok((number, ReceiverResponse { content_type: row.opt_text()?, body: row.bytes()? }))
}

fn read_attempt(mut row: Row) -> Result<StoredAttempt, StoreError> {
    Ok(StoredAttempt {
        number: read_number(&mut row)?,
        started_at: row.time()?,
        took: row.opt_int()?.map(|ms| Duration::from_millis(u64::try_from(ms).unwrap_or(0))),
        result: row.text()?,
        status: row.opt_int()?.and_then(|status| u16::try_from(status).ok()),
        requested_by: match (row.opt_text()?, row.opt_int()?) {
            (Some(name), Some(operator)) => Some(Requester { name, is_operator: operator != 0 }),
            _ => None,
        },
    })
}
