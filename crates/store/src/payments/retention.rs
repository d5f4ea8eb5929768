//! Retention: visits and the responses to callbacks are deleted after a while, and in the sandbox whole sessions. `receipts.rs` clears the
//! recipients of mails.
//!
//! All of it is done by [`Payments::commit`], in bounded steps. The live schema has triggers that refuse to
//! delete a session or anything of it; the sandbox's schema allows deleting sessions that have ended.

use crate::{
    engine::{
        error::StoreError,
        sql::{Sql, Statement, Value, statements},
    },
    payments::{Payments, fiscal},
};
use till_domain::{id::SessionId, time::Timestamp};

statements! {
    pub(crate) static FORGET_VISITS = Sql::new(
        "DELETE FROM visits WHERE (session_id, at, kind) IN
            (SELECT session_id, at, kind FROM visits WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED)",
    );
    pub(crate) static FORGET_RESPONSES = Sql::new(
        "DELETE FROM callback_responses WHERE (callback_id, number) IN
            (SELECT callback_id, number FROM callback_responses WHERE kept_at < $1 ORDER BY kept_at LIMIT $2
             FOR UPDATE SKIP LOCKED)",
    );
    // Ids rise with time, so only the oldest sessions are read.
    static DELETABLE = Sql::new(
        "SELECT s.id FROM sessions AS s WHERE s.id < $1 AND s.due_at IS NULL AND s.updated_at < $2
            AND NOT EXISTS (SELECT 1 FROM callbacks AS c WHERE c.session_id = s.id AND c.due_at IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM refunds AS r WHERE r.session_id = s.id AND r.check_at IS NOT NULL)
         ORDER BY s.id LIMIT $3",
    );
    pub(crate) static DELETE_VISITS = Sql::new("DELETE FROM visits WHERE session_id = $1");
    pub(crate) static DELETE_METADATA = Sql::new("DELETE FROM session_metadata WHERE session_id = $1");
    static DELETE_HISTORY = Sql::new("DELETE FROM history WHERE session_id = $1");
    static DELETE_DELIVERIES = Sql::new(
        "DELETE FROM callback_attempts WHERE callback_id IN (SELECT id FROM callbacks WHERE session_id = $1)",
    );
    pub(crate) static DELETE_RESPONSES = Sql::new(
        "DELETE FROM callback_responses WHERE callback_id IN (SELECT id FROM callbacks WHERE session_id = $1)",
    );
    static DELETE_RESENDS = Sql::new(
        "DELETE FROM callback_resends WHERE callback_id IN (SELECT id FROM callbacks WHERE session_id = $1)",
    );
    static DELETE_CALLBACKS = Sql::new("DELETE FROM callbacks WHERE session_id = $1");
    static DELETE_REFUNDS = Sql::new("DELETE FROM refunds WHERE session_id = $1");
    static DELETE_ACTIONS = Sql::new("DELETE FROM actions WHERE session_id = $1");
    static DELETE_TRANSACTIONS = Sql::new("DELETE FROM transactions WHERE session_id = $1");
    static DELETE_SIMULATED_REFUNDS = Sql::new(
        "DELETE FROM simulated_refunds WHERE payment_id IN (SELECT id FROM payment_attempts WHERE session_id = $1)",
    );
    static DELETE_SIMULATED_PAYMENTS = Sql::new(
        "DELETE FROM simulated_payments WHERE id IN (SELECT id FROM payment_attempts WHERE session_id = $1)",
    );
    static DELETE_ATTEMPTS = Sql::new("DELETE FROM payment_attempts WHERE session_id = $1");
    pub(crate) static DELETE_SESSION =
        Sql::new("DELETE FROM sessions WHERE id = $1 AND status <> 'pending'");
}

/// The statements that delete what belongs to a session, referencing rows before the rows to which they
/// point.
static BELONGINGS: [&Sql; 14] = [
    &DELETE_VISITS,
    &DELETE_METADATA,
    &fiscal::DELETE,
    &DELETE_HISTORY,
    &DELETE_RESPONSES,
    &DELETE_RESENDS,
    &DELETE_DELIVERIES,
    &DELETE_CALLBACKS,
    &DELETE_REFUNDS,
    &DELETE_ACTIONS,
    &DELETE_TRANSACTIONS,
    &DELETE_SIMULATED_REFUNDS,
    &DELETE_SIMULATED_PAYMENTS,
    &DELETE_ATTEMPTS,
];

/// The statements that delete what belongs to a session.
pub(crate) fn belongings(session: SessionId) -> impl Iterator<Item = Statement> {
    let params = move || vec![Value::from(session.as_bytes())];
    BELONGINGS.into_iter().map(move |sql| Statement { sql, params: params(), guarded: false })
}

/// The values of a statement that deletes at most `limit` rows from before a time.
pub(crate) fn old(before: Timestamp, limit: u32) -> Vec<Value> {
    vec![before.into(), i64::from(limit).into()]
}

impl Payments {
    /// Sessions that ended before this time and may be deleted, oldest first: those without a callback to be
    /// delivered and without a refund in progress. None in live.
    pub async fn deletable_sessions(
        &self,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<SessionId>, StoreError> {
        if self.keeps_books {
            return Ok(Vec::new());
        }
        let newest = SessionId::new(before, &[0; 10]);
        let params = vec![newest.as_bytes().into(), before.into(), i64::from(limit).into()];
        let rows = self.engine.scan(&DELETABLE, params).await?;
        rows.into_iter().map(|mut row| Ok(SessionId::from_bytes(row.array()?))).collect()
    }
}
