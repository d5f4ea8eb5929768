//! How many refunds of a session have ended. Only the sandbox counts them: there is no wallet there whose version would
//! guard the total that a refund's callback states.

use crate::{
    engine::{
        error::StoreError,
        sql::{Sql, statements},
    },
    payments::refunds::Refunds,
};
use till_domain::id::SessionId;

statements! {
    // The guard (compare-and-set): a count that has risen changes no row.
    pub(crate) static COUNT = Sql::new(
        "INSERT INTO refund_counts (session_id, ended) VALUES ($1, $3)
         ON CONFLICT (session_id) DO UPDATE SET ended = excluded.ended WHERE refund_counts.ended = $2",
    );
    static ENDED = Sql::new("SELECT ended FROM refund_counts WHERE session_id = $1");
}

impl Refunds<'_> {
    /// The number of a session's refunds that have ended.
    pub async fn ended(&self, session: SessionId) -> Result<i64, StoreError> {
        let rows = self.payments.engine.read(&ENDED, vec![session.as_bytes().into()]).await?;
        rows.into_iter().next().map_or(Ok(0), |mut row| row.int())
    }
}
