//! The retention of personal data: requests the erasure of sessions by their age.
//!
//! Ids rise with time, so it looks at every session once, with a mark, and needs no index that each create would have to write.
//! A refund or a note that comes after that has its session looked at again.

use super::plain;
use crate::{
    engine::{
        error::StoreError,
        sql::{Sql, Value, statements},
    },
    payments::Payments,
};
use std::time::Duration;
use till_domain::{id::SessionId, time::Timestamp};

/// A row may be committed a little later than its id was made.
const COMMITTED_WITHIN: Duration = Duration::from_secs(60 * 60);

statements! {
    static MARK = Sql::new("SELECT last FROM erasure_marks WHERE place = $1");
    static MOVE_MARK = Sql::new(
        "INSERT INTO erasure_marks (place, last) VALUES ($1, $2) ON CONFLICT (place) DO UPDATE SET last = excluded.last",
    );
    static NEXT_SESSIONS = Sql::new("SELECT id FROM sessions WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3");
    // A session that is still pending may get more data.
    static REQUEST_SESSIONS = Sql::new(
        "INSERT INTO erasures (session_id, requested_at) SELECT s.id, $3 FROM sessions AS s WHERE s.id > $1 AND s.id <= $2
            AND (s.due_at IS NOT NULL OR s.metadata IS NOT NULL OR s.customer_email IS NOT NULL
                OR EXISTS (SELECT 1 FROM payment_attempts AS p WHERE p.session_id = s.id AND p.email IS NOT NULL)
                OR EXISTS (SELECT 1 FROM fiscal_receipts AS f WHERE f.session_id = s.id)
                OR EXISTS (SELECT 1 FROM actions AS a WHERE a.session_id = s.id)
                OR EXISTS (SELECT 1 FROM refunds AS r WHERE r.session_id = s.id))
         ON CONFLICT (session_id) DO NOTHING",
    );
    static NEXT_REFUNDS = Sql::new("SELECT id FROM refunds WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3");
    // The receipt of a refund has the id of the refund.
    static REQUEST_REFUNDED = Sql::new(
        "INSERT INTO erasures (session_id, requested_at) SELECT DISTINCT r.session_id, CAST($3 AS BIGINT) FROM refunds AS r
         WHERE r.id > $1 AND r.id <= $2 AND r.session_id <= $4
            AND (r.reason IS NOT NULL OR EXISTS (SELECT 1 FROM fiscal_receipts AS f WHERE f.id = r.id
                AND (f.email IS NOT NULL OR f.phone IS NOT NULL OR f.full_name IS NOT NULL OR f.inn IS NOT NULL)))
         ON CONFLICT (session_id) DO UPDATE SET requested_at = excluded.requested_at, erased_at = NULL",
    );
    static NEXT_NOTES = Sql::new("SELECT id FROM action_notes WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3");
    static REQUEST_NOTED = Sql::new(
        "INSERT INTO erasures (session_id, requested_at) SELECT DISTINCT a.session_id, CAST($3 AS BIGINT)
         FROM action_notes AS n JOIN actions AS a ON a.id = n.action_id
         WHERE n.id > $1 AND n.id <= $2 AND a.session_id <= $4
         ON CONFLICT (session_id) DO UPDATE SET requested_at = excluded.requested_at, erased_at = NULL",
    );
}

impl Payments {
    /// Requests the erasure of the next sessions that were created before this time and have personal data. Returns true if
    /// there may be more.
    pub async fn request_old_erasures(&self, before: Timestamp, limit: u32) -> Result<bool, StoreError> {
        let end = SessionId::new(before, &[0; 10]);
        let mut more = self.look("sessions", (&NEXT_SESSIONS, &REQUEST_SESSIONS), end, None, limit).await?;
        // Later ones are looked at with their sessions.
        let looked_at = self.mark("sessions").await?;
        let end = SessionId::new(self.now().minus(COMMITTED_WITHIN), &[0; 10]);
        let later =
            [("refunds", (&NEXT_REFUNDS, &REQUEST_REFUNDED)), ("notes", (&NEXT_NOTES, &REQUEST_NOTED))];
        for (place, statements) in later {
            more |= self.look(place, statements, end, Some(looked_at), limit).await?;
        }
        Ok(more)
    }

    /// Looks at the next rows of a place, up to an id.
    async fn look(
        &self,
        place: &'static str,
        (next, request): (&'static Sql, &'static Sql),
        end: SessionId,
        looked_at: Option<[u8; 16]>,
        limit: u32,
    ) -> Result<bool, StoreError> {
        let mark = self.mark(place).await?;
        let params = vec![(&mark).into(), end.as_bytes().into(), i64::from(limit).into()];
        let rows = self.engine.scan(next, params).await?;
        let more = rows.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
        let Some(mut last) = rows.into_iter().next_back() else { return Ok(false) };
        let last: [u8; 16] = last.array()?;
        let mut params: Vec<Value> = vec![(&mark).into(), (&last).into(), self.now().into()];
        params.extend(looked_at.as_ref().map(Value::from));
        let moved = plain(&MOVE_MARK, vec![place.into(), (&last).into()]);
        self.engine.write(vec![plain(request, params), moved]).await?;
        Ok(more)
    }

    async fn mark(&self, place: &'static str) -> Result<[u8; 16], StoreError> {
        let rows = self.engine.scan(&MARK, vec![place.into()]).await?;
        rows.into_iter().next().map_or(Ok([0; 16]), |mut row| row.array())
    }
}
