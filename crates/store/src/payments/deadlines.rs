//! Moves the deadlines of open sessions when the clock is set forward, so that each keeps the time that it had left.

use crate::{
    engine::{
        Written,
        clock::ClockStep,
        error::StoreError,
        sql::{Sql, Statement, statements},
    },
    payments::Payments,
};

/// Sessions moved in one transaction.
const AT_ONCE: i64 = 500;

statements! {
    // A session is moved once for each step: then its mark is later than the middle of the step. Rows that another node
    // holds are left to the next time. In the order of an index that has open sessions only.
    static MOVE_DEADLINES = Sql::new(
        "UPDATE sessions SET due_at = due_at + $1, card_ends_at = card_ends_at + $1, sbp_ends_at = sbp_ends_at + $1,
            crypto_ends_at = crypto_ends_at + $1, plan_at = plan_at + $1, held_until = held_until + $1, moved_at = $2
         WHERE due_at IS NOT NULL AND (moved_at IS NULL OR moved_at < $3) AND id IN
            (SELECT id FROM sessions WHERE due_at IS NOT NULL AND created_at < $3
                AND (moved_at IS NULL OR moved_at < $3) ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED)",
    );
}

impl Payments {
    /// Moves the deadlines of sessions that are open and were stamped with the time before a step. It may be repeated,
    /// and be done by several nodes: each session is moved once.
    pub async fn move_deadlines(&self, step: ClockStep) -> Result<(), StoreError> {
        loop {
            let params =
                vec![step.by_ms().into(), step.after().into(), step.stamped_before().into(), AT_ONCE.into()];
            let unit = vec![Statement { sql: &MOVE_DEADLINES, params, guarded: true }];
            if self.engine.write(unit).await? != Written::Done {
                return Ok(());
            }
        }
    }
}
