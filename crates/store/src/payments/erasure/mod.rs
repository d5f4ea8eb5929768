//! Erasure of personal data: what identifies the customer of a session is removed, while its rows stay.
//!
//! An erasure is requested first, by a person or by the retention, and done once the session has ended and has no open work:
//! a callback that waits carries the vendor's data, and a refund in progress has a receipt to send. The triggers allow
//! exactly these changes.

pub(crate) mod by_age;
pub(crate) mod live;
pub(crate) mod mentions;

use crate::{
    engine::{
        WriteOutcome,
        error::StoreError,
        sql::{Row, Sql, Statement, Value, statements},
    },
    payments::{Payments, fiscal, retention},
};
use till_domain::{
    callback,
    id::{EventId, SessionId},
    time::Timestamp,
    transaction::ActionNote,
};

/// The condition that the session of a row of `erasures` has ended and has no open work, in an environment.
macro_rules! closed {
    (sandbox) => {
        "EXISTS (SELECT 1 FROM sessions WHERE id = erasures.session_id AND due_at IS NULL)
            AND NOT EXISTS (SELECT 1 FROM callbacks AS c WHERE c.session_id = erasures.session_id AND c.due_at IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM payment_attempts AS p WHERE p.session_id = erasures.session_id
                AND p.state IN ('intended', 'open', 'in_flight'))
            AND NOT EXISTS (SELECT 1 FROM refunds AS r WHERE r.session_id = erasures.session_id
                AND r.state NOT IN ('succeeded', 'failed'))
            AND NOT EXISTS (SELECT 1 FROM actions AS a WHERE a.session_id = erasures.session_id AND a.resolution IS NULL)
            AND NOT EXISTS (SELECT 1 FROM fiscal_receipts AS f WHERE f.session_id = erasures.session_id
                AND f.check_at IS NOT NULL)"
    };
    (live) => {
        concat!(
            closed!(sandbox),
            " AND NOT EXISTS (SELECT 1 FROM dispatches AS d WHERE d.session_id = erasures.session_id AND d.state = 'queued')"
        )
    };
}

macro_rules! erasable {
    ($environment:ident) => {
        Sql::new(concat!(
            "SELECT session_id FROM erasures WHERE erased_at IS NULL AND ",
            closed!($environment),
            " AND session_id > $2 ORDER BY session_id LIMIT $1"
        ))
    };
}

macro_rules! erase {
    ($environment:ident) => {
        Sql::new(concat!(
            "UPDATE erasures SET erased_at = $2 WHERE session_id = $1 AND erased_at IS NULL
                AND (SELECT COUNT(*) FROM callbacks AS b WHERE b.session_id = erasures.session_id) = $3 AND ",
            closed!($environment)
        ))
    };
}
pub(crate) use {closed, erasable, erase};

statements! {
    static REQUEST = Sql::new(
        "INSERT INTO erasures (session_id, requested_at) SELECT id, $2 FROM sessions WHERE id = $1
         ON CONFLICT (session_id) DO UPDATE SET requested_at = excluded.requested_at, erased_at = NULL",
    );
    static ERASURE = Sql::new("SELECT requested_at, erased_at FROM erasures WHERE session_id = $1");
    static WAITING = Sql::new("SELECT COUNT(*) FROM erasures WHERE erased_at IS NULL");
    static ERASABLE_SANDBOX = erasable!(sandbox);
    static ERASE_SANDBOX = erase!(sandbox);
    static BODIES = Sql::new("SELECT id, body FROM callbacks WHERE session_id = $1");
    // An event that is sent again meanwhile keeps its body, and the erasure waits.
    static ERASE_BODY = Sql::new("UPDATE callbacks SET body = $2 WHERE id = $1 AND due_at IS NULL");
    static ERASE_SESSION = Sql::new(
        "UPDATE sessions SET metadata = NULL, customer_email = NULL
         WHERE id = $1 AND (metadata IS NOT NULL OR customer_email IS NOT NULL)",
    );
    static ERASE_ATTEMPTS = Sql::new(
        "UPDATE payment_attempts SET email = NULL WHERE session_id = $1 AND email IS NOT NULL
            AND state NOT IN ('intended', 'open', 'in_flight')",
    );
    static ERASE_NOTES = Sql::new(
        "UPDATE action_notes SET body = $2 WHERE body <> $2
            AND action_id IN (SELECT id FROM actions WHERE session_id = $1)",
    );
    static ERASE_REFUNDS = Sql::new(
        "UPDATE refunds SET reason = NULL WHERE session_id = $1 AND reason IS NOT NULL AND state IN ('succeeded', 'failed')",
    );
    static OF_CUSTOMER = Sql::new(
        "SELECT id FROM sessions WHERE lower(customer_email COLLATE \"C\") = $1 AND customer_email IS NOT NULL
         UNION SELECT session_id FROM payment_attempts WHERE lower(email COLLATE \"C\") = $1 AND email IS NOT NULL
         UNION SELECT session_id FROM fiscal_receipts WHERE lower(email COLLATE \"C\") = $1 AND email IS NOT NULL",
    );
}

/// The request to erase the personal data of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erasure {
    pub requested_at: Timestamp,
    /// `None` while the session has open work.
    pub erased_at: Option<Timestamp>,
}

impl Payments {
    /// Requests the erasure of sessions, also of those that were erased before.
    pub async fn request_erasure(&self, sessions: &[SessionId]) -> Result<(), StoreError> {
        let now = self.now();
        let statement = |id: &SessionId| plain(&REQUEST, vec![id.as_bytes().into(), now.into()]);
        self.engine.write(sessions.iter().map(statement).collect()).await?;
        Ok(())
    }

    /// The next sessions, by id, whose erasure is requested and can be done.
    pub async fn erasable_sessions(
        &self,
        after: Option<SessionId>,
        limit: u32,
    ) -> Result<Vec<SessionId>, StoreError> {
        let sql = if self.keeps_books { &live::ERASABLE } else { &ERASABLE_SANDBOX };
        let after = after.as_ref().map_or(&[0; 16], SessionId::as_bytes);
        let rows = self.engine.scan(sql, vec![i64::from(limit).into(), after.into()]).await?;
        rows.into_iter().map(|mut row| Ok(SessionId::from_bytes(row.array()?))).collect()
    }

    /// Erases the personal data of a session. False if that is not requested, or the session has open work.
    pub async fn erase(&self, session: SessionId) -> Result<bool, StoreError> {
        let id = || Value::from(session.as_bytes());
        let begin = if self.keeps_books { &live::ERASE } else { &ERASE_SANDBOX };
        // Of a callback that is committed after this read, the guard knows by their number.
        let rows = self.engine.scan(&BODIES, vec![id()]).await?;
        let count = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        let mut unit = vec![guarded(begin, vec![id(), self.now().into(), count.into()])];
        for mut row in rows {
            let event = EventId::from_bytes(row.array()?);
            let body = callback::without_metadata(&row.bytes()?);
            let body =
                body.map_err(|_| StoreError::Corrupt(format!("the body of callback {event} is not JSON")))?;
            if let Some(body) = body {
                unit.push(guarded(&ERASE_BODY, vec![event.as_bytes().into(), body.as_slice().into()]));
            }
        }
        let of_session = [
            &retention::DELETE_RESPONSES,
            &ERASE_SESSION,
            &retention::DELETE_METADATA,
            &ERASE_ATTEMPTS,
            &retention::DELETE_VISITS,
            &ERASE_REFUNDS,
            &fiscal::ERASE,
        ];
        unit.extend(of_session.into_iter().map(|sql| plain(sql, vec![id()])));
        unit.push(plain(&ERASE_NOTES, vec![id(), ActionNote::REMOVED.into()]));
        if self.keeps_books {
            unit.extend(
                [&live::ERASE_RECEIPTS, &live::ERASE_RECIPIENTS]
                    .into_iter()
                    .map(|sql| plain(sql, vec![id()])),
            );
        }
        Ok(self.engine.write(unit).await? == WriteOutcome::Done)
    }

    /// The erasure of a session, if one was requested.
    pub async fn erasure_of(&self, session: SessionId) -> Result<Option<Erasure>, StoreError> {
        let rows = self.engine.browse(&ERASURE, vec![session.as_bytes().into()]).await?;
        let read = |mut row: Row| Ok(Erasure { requested_at: row.time()?, erased_at: row.opt_time()? });
        rows.into_iter().next().map(read).transpose()
    }

    /// The number of sessions whose erasure is requested and not done.
    pub async fn waiting_erasures(&self) -> Result<u64, StoreError> {
        let rows = self.engine.browse(&WAITING, vec![]).await?;
        let count = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// The sessions of a customer: the address, in lower case, was given by the vendor or typed at checkout.
    pub async fn customer_session_ids(&self, email: &str) -> Result<Vec<SessionId>, StoreError> {
        let rows = self.engine.browse(&OF_CUSTOMER, vec![email.into()]).await?;
        rows.into_iter().map(|mut row| Ok(SessionId::from_bytes(row.array()?))).collect()
    }
}

fn plain(sql: &'static Sql, params: Vec<Value>) -> Statement {
    Statement { sql, params, guarded: false }
}

fn guarded(sql: &'static Sql, params: Vec<Value>) -> Statement {
    Statement { sql, params, guarded: true }
}
