//! One environment's payment data: sessions, their history, their callbacks, and idempotency keys.

pub(crate) mod actions;
pub(crate) mod after_restore;
pub(crate) mod all_vendors;
pub(crate) mod attempts;
pub(crate) mod attention;
pub(crate) mod callbacks;
pub(crate) mod chain_rows;
pub(crate) mod chains;
pub(crate) mod change;
pub(crate) mod deadlines;
pub(crate) mod endpoint_checks;
pub(crate) mod erasure;
pub(crate) mod faults;
pub(crate) mod figures;
pub(crate) mod fiscal;
pub(crate) mod inspect;
pub(crate) mod integration_signs;
pub(crate) mod leases;
pub(crate) mod ledger;
pub(crate) mod lists;
pub(crate) mod money;
pub(crate) mod money_list;
pub(crate) mod orders;
pub(crate) mod payouts;
#[cfg(feature = "simulation")]
mod planted;
pub(crate) mod provider_activity;
pub(crate) mod receipts;
pub(crate) mod reconciliations;
pub(crate) mod refund_counts;
pub(crate) mod refunds;
pub(crate) mod retention;
pub(crate) mod sealed_forms;
pub(crate) mod search;
pub(crate) mod search_all_vendors;
pub(crate) mod simulated;
pub(crate) mod verify;
pub(crate) mod verify_prices;
pub(crate) mod wallets;
pub(crate) mod watch;

use crate::{
    engine::{
        Engine, StoreStats, WriteOutcome,
        clock::Clock,
        due::{Key, Queue, QueueName, Unreadable, single},
        error::StoreError,
        news::News,
        node::NodeId,
        sql::{Row, Sql, Value, statements},
    },
    payments::{
        change::requested_methods_from_text,
        lists::{Bounds, Span, Turn},
    },
};
use std::sync::Arc;
use till_domain::{
    catalog::{CategoryId, ProductId},
    change::{Change, Guard, VisitKind},
    id::{EventId, RefundId, SessionId, VendorId},
    metadata::Metadata,
    method::{Clocks, Method},
    money::{Currency, Price},
    session::{Customer, Item, Methods, Outcome, Plan, Session, State, Status},
    time::Timestamp,
    weburl::WebUrl,
};

/// The store of one environment. It cannot reach the other's rows: they are in another database.
#[derive(Debug)]
pub struct Payments {
    pub(crate) engine: Arc<Engine>,
    clock: Clock,
    /// Whether it has the ledger of the vendors' money, which only live has.
    pub(crate) keeps_books: bool,
}

/// The outcome of a list of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Committed {
    /// All of them are durable.
    Done,
    /// This guard did not hold, because another commit was first; nothing was done.
    Lost(Guard),
}

/// The stored result of an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    /// A hash of the request's JSON value.
    pub fingerprint: [u8; 32],
    /// The id of the session or refund that was created.
    pub made: [u8; 16],
}

/// A callback event as it was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    pub id: EventId,
    /// `session.paid`, `session.failed` or `session.expired`; `refund.succeeded` or `refund.failed`.
    pub event: String,
    pub target: Option<WebUrl>,
    /// The frozen body.
    pub body: Vec<u8>,
    /// The stored word of its delivery state.
    pub state: String,
    /// Delivery attempts that were started.
    pub attempts: u32,
}

impl Callback {
    /// True if the first attempt to deliver it has ended, or there is no target.
    #[must_use]
    pub fn tried(&self) -> bool {
        match self.state.as_str() {
            "queued" => self.attempts > 0,
            "sending" => self.attempts > 1,
            _ => true,
        }
    }
}

/// The columns that [`read_session`] reads.
macro_rules! session_columns {
    () => {
        concat!(
            "id, vendor_id, order_id, product_name, price, currency, product_id, category_id, status,
            failure_reason, request_id, created_at, updated_at, callback_url, return_url, methods, method,
            card_ends_at, sbp_ends_at, crypto_ends_at, asked_methods, plan_status, plan_reason, plan_at,
            held_until, metadata, customer_email, locale, closes_at, ",
            crate::payments::fiscal::fiscal_summary!()
        )
    };
}
pub(crate) use session_columns;

macro_rules! select_session {
    ($rest:literal) => {
        Sql::new(concat!("SELECT ", session_columns!(), " FROM sessions ", $rest))
    };
}

pub(crate) static DUE: Queue =
    Queue { name: QueueName::Sessions, sql: &DUE_SESSIONS, key: &[Key::Number, Key::Bytes] };

statements! {
    static SESSION = select_session!("WHERE id = $1 AND vendor_id = $2");
    static PAGE_SESSION = select_session!("WHERE id = $1");
    // Scans the rows near a time, in id order: there is no index of request ids, because every create would
    // pay for it.
    static OF_REQUEST = select_session!("WHERE id > $1 AND id < $2 AND request_id = $3 ORDER BY id LIMIT 1");
    static PAID_OF_ORDER = select_session!(
        "WHERE due_at IS NULL AND vendor_id = $1 AND order_id = $2 AND status = 'paid' AND updated_at >= $3
         ORDER BY id DESC LIMIT 100"
    );
    static PENDING_OF_ORDER = select_session!(
        "WHERE id IN (SELECT id FROM sessions WHERE order_id COLLATE \"C\" = $2 AND vendor_id = $1
            AND status = 'pending' ORDER BY id DESC LIMIT 20)"
    );
    static DUE_SESSIONS = Sql::new(concat!(
        "SELECT due_at, id, ",
        session_columns!(),
        " FROM sessions WHERE due_at <= $1 AND (due_at, id) > ($2, $3) ORDER BY due_at, id LIMIT $4"
    ));
    static NEXT_DUE = Sql::new("SELECT MIN(due_at) FROM sessions WHERE due_at IS NOT NULL");
    static KEY = Sql::new(
        "SELECT fingerprint, session_id FROM idempotency_keys
         WHERE vendor_id = $1 AND key = $2 AND created_at > $3",
    );
    static CALLBACK = Sql::new(
        "SELECT id, event, target, body, state, attempts FROM callbacks WHERE session_id = $1 AND about = $2",
    );
    static HISTORY = Sql::new("SELECT at, kind, detail FROM history WHERE session_id = $1 ORDER BY seq");
    static VISITS =
        Sql::new("SELECT at, kind FROM visits WHERE session_id = $1 ORDER BY kind DESC, at LIMIT 100");
    static NEWEST = Sql::new("SELECT created_at FROM sessions ORDER BY id DESC LIMIT 1");
    static PING = Sql::new("SELECT COUNT(*) FROM sessions WHERE id = $1");
}

impl Payments {
    pub(crate) fn new(engine: Arc<Engine>, clock: Clock, keeps_books: bool) -> Self {
        Self { engine, clock, keeps_books }
    }

    /// The time by the clock that decides deadlines.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Makes a list of changes durable, all of it or nothing.
    pub async fn commit(&self, changes: &[Change]) -> Result<Committed, StoreError> {
        let guards_first = changes.is_sorted_by_key(|change| change.guard().is_none());
        assert!(guards_first, "guarded changes come first in their list, or a lost race would leave traces");
        let mut unit = Vec::with_capacity(changes.len());
        for change in changes {
            change::add(&mut unit, change);
        }
        // A guarded change is one statement, and comes before all changes of several: the index is that of
        // its change.
        match self.engine.write(unit).await? {
            WriteOutcome::Done => {
                #[cfg(feature = "simulation")]
                crate::simulation::note(changes);
                Ok(Committed::Done)
            }
            WriteOutcome::Stopped(index) => match changes.get(index).and_then(Change::guard) {
                Some(guard) => Ok(Committed::Lost(guard)),
                None => unreachable!("only a guarded change stops a list"),
            },
        }
    }

    pub async fn session(&self, id: SessionId, vendor: VendorId) -> Result<Option<Session>, StoreError> {
        let params = vec![id.as_bytes().into(), vendor.as_bytes().into()];
        self.engine.read(&SESSION, params).await?.into_iter().next().map(read_session).transpose()
    }

    /// A session by its id alone, as on a checkout page.
    pub async fn page_session(&self, id: SessionId) -> Result<Option<Session>, StoreError> {
        let rows = self.engine.read(&PAGE_SESSION, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_session).transpose()
    }

    /// The session that a request created, if that was in this span. Reads every session created in the span.
    pub async fn session_of_request(
        &self,
        request_id: &str,
        span: Span,
    ) -> Result<Option<Session>, StoreError> {
        let bounds = Bounds::new::<SessionId>(span, Turn::Newest);
        let params = vec![(&bounds.above).into(), (&bounds.below).into(), request_id.into()];
        self.engine.browse(&OF_REQUEST, params).await?.into_iter().next().map(read_session).transpose()
    }

    /// The sessions of a vendor's order that were paid since then, the newest 100. A row that cannot be read
    /// is left out: it must not keep other sessions from being paid.
    pub async fn paid_sessions_of_order(
        &self,
        vendor: VendorId,
        order_id: &str,
        since: Timestamp,
    ) -> Result<Vec<Session>, StoreError> {
        let params = vec![vendor.as_bytes().into(), order_id.into(), since.into()];
        Ok(readable(self.engine.read(&PAID_OF_ORDER, params).await?))
    }

    /// The newest pending sessions of a vendor's order, at most 20. A row that cannot be read is left out.
    pub async fn pending_sessions_of_order(
        &self,
        vendor: VendorId,
        order_id: &str,
    ) -> Result<Vec<Session>, StoreError> {
        let params = vec![vendor.as_bytes().into(), order_id.into()];
        Ok(readable(self.engine.read(&PENDING_OF_ORDER, params).await?))
    }

    /// Sessions that are due to change by the passing of time, the longest overdue first, and the rows before
    /// them that cannot be read.
    pub async fn due_sessions(
        &self,
        now: Timestamp,
        limit: u32,
    ) -> Result<(Vec<Session>, Unreadable), StoreError> {
        DUE.read(&self.engine, vec![now.into()], limit, single(read_session)).await
    }

    /// When a session is next due.
    pub async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.engine.read(&NEXT_DUE, vec![]).await?;
        rows.into_iter().next().map_or(Ok(None), |mut row| row.opt_time())
    }

    /// The stored result of an idempotency key, if it was stored after `since`.
    pub async fn key(
        &self,
        vendor: VendorId,
        key: &str,
        since: Timestamp,
    ) -> Result<Option<StoredKey>, StoreError> {
        let params = vec![vendor.as_bytes().into(), key.into(), since.into()];
        let row = self.engine.read(&KEY, params).await?.into_iter().next();
        row.map(|mut row| Ok(StoredKey { fingerprint: row.array()?, made: row.array()? })).transpose()
    }

    /// The callback event of a session's own status, once it is final.
    pub async fn callback(&self, session: SessionId) -> Result<Option<Callback>, StoreError> {
        self.callback_about(session, &change::OWN_STATUS).await
    }

    /// The callback event of a refund, once it has ended.
    pub async fn refund_callback(
        &self,
        session: SessionId,
        refund: RefundId,
    ) -> Result<Option<Callback>, StoreError> {
        self.callback_about(session, refund.as_bytes()).await
    }

    async fn callback_about(
        &self,
        session: SessionId,
        about: &[u8; 16],
    ) -> Result<Option<Callback>, StoreError> {
        let rows = self.engine.read(&CALLBACK, vec![session.as_bytes().into(), about.into()]).await?;
        rows.into_iter().next().map(read_callback).transpose()
    }

    /// A session's history, oldest first: time, kind and detail.
    pub async fn history(
        &self,
        session: SessionId,
    ) -> Result<Vec<(Timestamp, String, Option<String>)>, StoreError> {
        let rows = self.engine.read(&HISTORY, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(|mut row| Ok((row.time()?, row.text()?, row.opt_text()?))).collect()
    }

    /// The times at which a customer left a session's page for the shop, and at which they viewed it; at most
    /// 100.
    pub async fn visits(&self, session: SessionId) -> Result<Vec<(Timestamp, VisitKind)>, StoreError> {
        let rows = self.engine.read(&VISITS, vec![session.as_bytes().into()]).await?;
        let read = |mut row: Row| {
            let (at, word) = (row.time()?, row.text()?);
            let kind = VisitKind::parse(&word).ok_or_else(|| corrupt("visit", &word))?;
            Ok((at, kind))
        };
        rows.into_iter().map(read).collect()
    }

    /// When the newest session was created.
    pub async fn newest(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.engine.read(&NEWEST, vec![]).await?;
        rows.into_iter().next().map(|mut row| row.time()).transpose()
    }

    /// The announcements between nodes about sessions; `None` where there is only one node.
    #[must_use]
    pub fn news(&self, node: NodeId) -> Option<News> {
        let [a, b, c, d, ..] = node.0;
        self.engine.news([a, b, c, d])
    }

    /// The write counters of this database.
    #[must_use]
    pub fn stats(&self) -> StoreStats {
        self.engine.stats()
    }

    /// Checks that the store can be read and written.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.engine.read(&PING, vec![Value::from(&[0; 16])]).await?;
        self.engine.probe().await
    }

    /// Checks that the store keeps what it acknowledges.
    pub async fn assert_durable(&self) -> Result<(), StoreError> {
        self.engine.assert_durable().await
    }

    /// Conditions of the database that are allowed but that the operator should know about.
    pub async fn warnings(&self) -> Result<Vec<String>, StoreError> {
        self.engine.warnings().await
    }

    /// Reads the whole database and returns the damage found; empty if there is none.
    pub async fn find_damage(&self) -> Result<Vec<String>, StoreError> {
        self.engine.find_damage().await
    }
}

fn read_callback(mut row: Row) -> Result<Callback, StoreError> {
    Ok(Callback {
        id: EventId::from_bytes(row.array()?),
        event: row.text()?,
        target: row.opt_text()?.map(WebUrl::from_stored),
        body: row.bytes()?,
        state: row.text()?,
        attempts: u32::try_from(row.int()?).unwrap_or(u32::MAX),
    })
}

fn corrupt(what: &str, value: &str) -> StoreError {
    StoreError::Corrupt(format!("{what} {value:?}"))
}

/// The sessions of these rows, without those that cannot be read.
fn readable(rows: Vec<Row>) -> Vec<Session> {
    let read = |row| read_session(row).inspect_err(|error| tracing::warn!(%error, "a session is unreadable"));
    rows.into_iter().filter_map(|row| read(row).ok()).collect()
}

/// Reads columns in the order of `session_columns!`.
pub(crate) fn read_session(mut row: Row) -> Result<Session, StoreError> {
    Ok(Session {
        id: SessionId::from_bytes(row.array()?),
        vendor: VendorId::from_bytes(row.array()?),
        order_id: row.text()?,
        item: read_item(&mut row)?,
        state: read_state(&mut row)?,
        request_id: row.text()?,
        created_at: row.time()?,
        updated_at: row.time()?,
        callback_url: row.opt_text()?.map(WebUrl::from_stored),
        return_url: row.opt_text()?.map(WebUrl::from_stored),
        methods: read_methods(&mut row)?,
        plan: read_plan(&mut row)?,
        held_until: row.opt_time()?,
        metadata: read_metadata(&mut row)?,
        customer: Customer { email: row.opt_text()?, locale: row.opt_text()? },
        closes_at: row.opt_time()?,
        fiscal: fiscal::read_summary(&mut row)?,
    })
}

fn read_metadata(row: &mut Row) -> Result<Metadata, StoreError> {
    let Some(json) = row.opt_text()? else { return Ok(Metadata::default()) };
    Metadata::from_json(&json).ok_or_else(|| StoreError::Corrupt("metadata of a session".to_owned()))
}

fn read_item(row: &mut Row) -> Result<Item, StoreError> {
    let name = row.text()?;
    let digits = row.text()?;
    let code = row.text()?;
    let currency = Currency::from_stored(&code).ok_or_else(|| corrupt("currency", &code))?;
    let price = Price::from_text(&digits, currency).map_err(|_| corrupt("price", &digits))?;
    let product = row.opt_text()?;
    let product =
        product.map(|id| ProductId::parse(&id).ok_or_else(|| corrupt("product", &id))).transpose()?;
    let category = row.opt_text()?;
    let category =
        category.map(|id| CategoryId::parse(&id).ok_or_else(|| corrupt("category", &id))).transpose()?;
    Ok(Item { name, price, product, category })
}

fn read_state(row: &mut Row) -> Result<State, StoreError> {
    let (status, reason) = (row.text()?, row.opt_text()?);
    if status == Status::Pending.as_str() {
        return Ok(State::Pending);
    }
    let outcome = Outcome::from_words(&status, reason.as_deref());
    outcome.map(State::from).ok_or_else(|| corrupt("status", &status))
}

fn read_methods(row: &mut Row) -> Result<Methods, StoreError> {
    let offered = row.text()?;
    let offered = Method::parse_list(&offered).map_err(|word| corrupt("method", &word))?;
    let chosen = row.text()?;
    let chosen = Method::parse(&chosen).ok_or_else(|| corrupt("method", &chosen))?;
    let clocks = Clocks { card: row.opt_time()?, sbp: row.opt_time()?, crypto: row.opt_time()? };
    if clocks.of(chosen).is_none() {
        return Err(corrupt("method without a clock", chosen.as_str()));
    }
    let requested = row.opt_text()?;
    let requested =
        requested_methods_from_text(requested.as_deref()).map_err(|_| corrupt("asked methods", ""))?;
    Ok(Methods { offered, chosen, clocks, requested })
}

fn read_plan(row: &mut Row) -> Result<Option<Plan>, StoreError> {
    let (status, reason, at) = (row.opt_text()?, row.opt_text()?, row.opt_time()?);
    let (Some(status), Some(at)) = (status, at) else { return Ok(None) };
    let outcome = Outcome::from_words(&status, reason.as_deref());
    let outcome = outcome.ok_or_else(|| corrupt("plan", &status))?;
    Ok(Some(Plan { outcome, at }))
}
