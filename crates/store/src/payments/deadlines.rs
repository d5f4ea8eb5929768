//! Moves the deadlines of open sessions when the clock is set forward, so that each keeps the time it had
//! left.

use crate::{
    engine::{
        WriteOutcome,
        clock::ClockStep,
        error::StoreError,
        sql::{Sql, Statement, statements},
    },
    payments::Payments,
};

/// Sessions moved per transaction.
const AT_ONCE: i64 = 500;

statements! {
    // A session is moved once for each step: then its `moved_at` is later than the middle of the step. Rows
    // that another node has locked are left for the next pass. Ordered by an index that has open sessions
    // only.
    static MOVE_DEADLINES = Sql::new(
        "UPDATE sessions SET due_at = due_at + $1, card_ends_at = card_ends_at + $1, sbp_ends_at = sbp_ends_at + $1,
            crypto_ends_at = crypto_ends_at + $1, plan_at = plan_at + $1, held_until = held_until + $1, moved_at = $2
         WHERE due_at IS NOT NULL AND (moved_at IS NULL OR moved_at < $3) AND id IN
            (SELECT id FROM sessions WHERE due_at IS NOT NULL AND created_at < $3
                AND (moved_at IS NULL OR moved_at < $3) ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED)",
    );
}

impl Payments {
    /// Moves the deadlines of open sessions that were stamped with the time before a step. It may be
    /// repeated, and run by several nodes: each session is moved once.
    pub async fn move_deadlines(&self, step: ClockStep) -> Result<(), StoreError> {
        loop {
            let params =
                vec![step.by_ms().into(), step.after().into(), step.stamped_before().into(), AT_ONCE.into()];
            let unit = vec![Statement { sql: &MOVE_DEADLINES, params, guarded: true }];
            if self.engine.write(unit).await? != WriteOutcome::Done {
                return Ok(());
            }
        }
    }
}
