//! Receipts, their lookup, and the queue of mails about payments (dispatches). Only live has any.

use crate::{
    engine::{
        due::{Key, Queue, QueueName, Unreadable, single},
        error::StoreError,
        sql::{Row, Sql, Value, statements},
    },
    payments::Payments,
};
use till_domain::{
    dispatch::{Dispatch, DispatchKind, DispatchState, DueDispatch, QUIET},
    id::{ReceiptId, SessionId, VendorId},
    money::{Currency, Money},
    receipt::{Receipt, ReceiptKind, ReceiptLink},
    time::Timestamp,
};

macro_rules! select_receipt {
    ($rest:literal) => {
        Sql::new(concat!(
            "SELECT id, session_id, vendor_id, kind, link, amount_minor, currency, email, language, created_at
             FROM receipts ",
            $rest
        ))
    };
}

macro_rules! dispatch_columns {
    () => {
        "about, kind, vendor_id, session_id, recipient, created_at, attempts, fence, state, due_at, ended_at,
            last_error"
    };
}

macro_rules! select_dispatch {
    ($rest:literal) => {
        Sql::new(concat!("SELECT ", dispatch_columns!(), " FROM dispatches ", $rest))
    };
}

pub(crate) static DUE: Queue =
    Queue { name: QueueName::Dispatches, sql: &DUE_DISPATCHES, key: &[Key::Number, Key::Bytes, Key::Text] };

statements! {
    pub(crate) static QUEUE_RECEIPT = Sql::insert(
        "INSERT INTO receipts (id, session_id, vendor_id, kind, link, amount_minor, currency, email, language, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    );
    pub(crate) static QUEUE = Sql::insert(
        "INSERT INTO dispatches (about, kind, vendor_id, session_id, recipient, created_at, state, attempts, due_at, fence)
         VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, $6, 0)",
    );
    // An alarm that was not attempted yet covers everything up to its sending, so no second one is queued.
    // After one was attempted, the next waits for [`QUIET`].
    pub(crate) static QUEUE_ALARM = Sql::new(
        "INSERT INTO dispatches (about, kind, vendor_id, recipient, created_at, state, attempts, due_at, fence)
         SELECT $1, 'undelivered', $2, $3, $4, 'queued', 0, CASE WHEN told.at > CAST($4 AS BIGINT) - CAST($5 AS BIGINT)
            THEN told.at + CAST($5 AS BIGINT) ELSE CAST($4 AS BIGINT) END, 0
         FROM (SELECT MAX(COALESCE(ended_at, created_at)) AS at FROM dispatches
            WHERE kind = 'undelivered' AND vendor_id = $2 AND attempts > 0) AS told
         WHERE NOT EXISTS (SELECT 1 FROM dispatches WHERE kind = 'undelivered' AND vendor_id = $2 AND attempts = 0)
            AND NOT EXISTS (SELECT 1 FROM dispatches WHERE kind = 'undelivered' AND about = $1)",
    );
    // Compare-and-set of the fencing token: of two nodes that try at once, one takes the mail.
    pub(crate) static TAKE = Sql::new(
        "UPDATE dispatches SET fence = fence + 1, attempts = attempts + 1, due_at = $4
         WHERE about = $1 AND kind = $2 AND fence = $3 AND state = 'queued'",
    );
    pub(crate) static END = Sql::new(
        "UPDATE dispatches SET state = $4, due_at = $5, ended_at = $6, last_error = $7
         WHERE about = $1 AND kind = $2 AND fence = $3 AND state = 'queued'",
    );
    // The trigger lets the recipient of an ended mail be cleared, and nothing else.
    pub(crate) static CLEAR_RECIPIENTS = Sql::new(
        "UPDATE dispatches SET recipient = '' WHERE state <> 'queued' AND recipient <> '' AND (about, kind) IN
            (SELECT about, kind FROM dispatches WHERE ended_at < $1 AND recipient <> '' ORDER BY ended_at LIMIT $2
             FOR UPDATE SKIP LOCKED)",
    );
    static RECEIPT = select_receipt!("WHERE id = $1");
    static BY_LINK = select_receipt!("WHERE link = $1");
    static OF_SESSION = select_receipt!("WHERE session_id = $1 ORDER BY created_at, id");
    static DUE_DISPATCHES = Sql::new(concat!(
        "SELECT due_at, about, kind, ",
        dispatch_columns!(),
        " FROM dispatches WHERE due_at <= $1 AND (due_at, about, kind) > ($2, $3, $4)
         ORDER BY due_at, about, kind LIMIT $5"
    ));
    static MAILS_OF_SESSION = select_dispatch!("WHERE session_id = $1 ORDER BY created_at, about, kind");
    static MAILS_OF_VENDOR =
        select_dispatch!("WHERE kind = 'undelivered' AND vendor_id = $1 ORDER BY created_at, about");
    static FAILED = select_dispatch!("WHERE state = 'failed' ORDER BY ended_at DESC LIMIT $1");
    static COUNT = Sql::new(
        "SELECT (SELECT COUNT(*) FROM dispatches WHERE due_at IS NOT NULL),
            (SELECT COUNT(*) FROM dispatches WHERE state = 'failed' AND ended_at >= $1)",
    );
    static OLDEST_DUE = Sql::new("SELECT MIN(due_at) FROM dispatches WHERE due_at IS NOT NULL");
}

/// A mail about a payment, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDispatch {
    /// The mail, with its number of attempts.
    pub due: DueDispatch,
    pub state: DispatchState,
    /// When it is tried next, or when the lease of the node that took it ends.
    pub due_at: Option<Timestamp>,
    /// When it was sent or given up.
    pub ended_at: Option<Timestamp>,
    pub last_error: Option<String>,
}

/// The numbers of mails about payments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DispatchCounts {
    /// Mails that are neither sent nor given up.
    pub queued: i64,
    /// Mails that were given up lately.
    pub failed: i64,
}

/// The statement that queues a mail, and its values.
pub(crate) fn queue(dispatch: &Dispatch) -> (&'static Sql, Vec<Value>) {
    let (about, vendor) = ((&dispatch.about).into(), dispatch.vendor.as_bytes().into());
    let (recipient, at) = (dispatch.recipient.as_str().into(), dispatch.at.into());
    if dispatch.kind == DispatchKind::Undelivered {
        let quiet = i64::try_from(QUIET.as_millis()).unwrap_or(i64::MAX);
        return (&QUEUE_ALARM, vec![about, vendor, recipient, at, quiet.into()]);
    }
    let session = dispatch.session.map(|session| Value::from(session.as_bytes())).into();
    (&QUEUE, vec![about, dispatch.kind.as_str().into(), vendor, session, recipient, at])
}

/// The values of [`QUEUE_RECEIPT`].
pub(crate) fn receipt(receipt: &Receipt) -> Vec<Value> {
    vec![
        receipt.id.as_bytes().into(),
        receipt.session.as_bytes().into(),
        receipt.vendor.as_bytes().into(),
        receipt.kind.as_str().into(),
        receipt.link.as_bytes().into(),
        receipt.amount.minor.into(),
        receipt.amount.currency.code().into(),
        receipt.email.as_deref().into(),
        receipt.language.as_deref().into(),
        receipt.at.into(),
    ]
}

impl Payments {
    pub async fn receipt(&self, id: ReceiptId) -> Result<Option<Receipt>, StoreError> {
        let rows = self.engine.read(&RECEIPT, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_receipt).transpose()
    }

    /// The receipt to which a link leads.
    pub async fn receipt_by_link(&self, link: ReceiptLink) -> Result<Option<Receipt>, StoreError> {
        let rows = self.engine.read(&BY_LINK, vec![link.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_receipt).transpose()
    }

    /// The receipts of a session, oldest first.
    pub async fn receipts_of(&self, session: SessionId) -> Result<Vec<Receipt>, StoreError> {
        let rows = self.engine.read(&OF_SESSION, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read_receipt).collect()
    }

    /// Mails that are due, the longest overdue first, and the rows before them that cannot be read.
    pub async fn due_dispatches(
        &self,
        now: Timestamp,
        limit: u32,
    ) -> Result<(Vec<DueDispatch>, Unreadable), StoreError> {
        let read = single(|row| read_dispatch(row).map(|stored| stored.due));
        DUE.read(&self.engine, vec![now.into()], limit, read).await
    }

    /// The mails about a session's receipts, oldest first.
    pub async fn dispatches_of(&self, session: SessionId) -> Result<Vec<StoredDispatch>, StoreError> {
        let rows = self.engine.read(&MAILS_OF_SESSION, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read_dispatch).collect()
    }

    /// The mails that warned a vendor of callbacks that do not arrive, oldest first.
    pub async fn alarms_of(&self, vendor: VendorId) -> Result<Vec<StoredDispatch>, StoreError> {
        let rows = self.engine.browse(&MAILS_OF_VENDOR, vec![vendor.as_bytes().into()]).await?;
        rows.into_iter().map(read_dispatch).collect()
    }

    /// Mails that were given up, the most recent first.
    pub async fn failed_dispatches(&self, limit: u32) -> Result<Vec<StoredDispatch>, StoreError> {
        let rows = self.engine.browse(&FAILED, vec![i64::from(limit).into()]).await?;
        rows.into_iter().map(read_dispatch).collect()
    }

    /// The number of mails on their way, and of those given up since then.
    pub async fn count_dispatches(&self, since: Timestamp) -> Result<DispatchCounts, StoreError> {
        let rows = self.engine.scan(&COUNT, vec![since.into()]).await?;
        let Some(mut row) = rows.into_iter().next() else { return Ok(DispatchCounts::default()) };
        Ok(DispatchCounts { queued: row.int()?, failed: row.int()? })
    }

    /// When a mail is next due.
    pub async fn next_dispatch_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.engine.read(&OLDEST_DUE, vec![]).await?;
        rows.into_iter().next().map_or(Ok(None), |mut row| row.opt_time())
    }
}

fn corrupt(what: &str, value: &str) -> StoreError {
    StoreError::Corrupt(format!("the {what} of a receipt or its mail is {value:?}"))
}

/// Reads columns in the order of `select_receipt!`.
fn read_receipt(mut row: Row) -> Result<Receipt, StoreError> {
    let id = ReceiptId::from_bytes(row.array()?);
    let (session, vendor) = (SessionId::from_bytes(row.array()?), VendorId::from_bytes(row.array()?));
    let kind = row.text()?;
    let kind = ReceiptKind::parse(&kind).ok_or_else(|| corrupt("kind", &kind))?;
    let link = ReceiptLink::new(row.array()?);
    let (minor, currency) = (row.int()?, row.text()?);
    let currency = Currency::from_stored(&currency).ok_or_else(|| corrupt("currency", &currency))?;
    let (email, language, at) = (row.opt_text()?, row.opt_text()?, row.time()?);
    Ok(Receipt { id, session, vendor, kind, link, amount: Money { minor, currency }, email, language, at })
}

/// Reads columns in the order of `dispatch_columns!`.
pub(crate) fn read_dispatch(mut row: Row) -> Result<StoredDispatch, StoreError> {
    let about = row.array()?;
    let kind = row.text()?;
    let kind = DispatchKind::parse(&kind).ok_or_else(|| corrupt("kind", &kind))?;
    let vendor = VendorId::from_bytes(row.array()?);
    let session = row.opt_array()?.map(SessionId::from_bytes);
    let (recipient, at) = (row.text()?, row.time()?);
    let attempts = row.int()?;
    let attempts = u32::try_from(attempts).map_err(|_| corrupt("attempts", &attempts.to_string()))?;
    let fence = row.int()?;
    let state = row.text()?;
    let state = DispatchState::parse(&state).ok_or_else(|| corrupt("state", &state))?;
    let dispatch = Dispatch { about, kind, vendor, session, recipient, at };
    Ok(StoredDispatch {
        due: DueDispatch { dispatch, attempts, fence },
        state,
        due_at: row.opt_time()?,
        ended_at: row.opt_time()?,
        last_error: row.opt_text()?,
    })
}
