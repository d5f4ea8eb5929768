//! A database that was restored, or reset to an earlier state: what was given out after the backup is passed over, and what
//! may have been done after it is checked before it is done.

use crate::{
    engine::{
        error::StoreError,
        sql::{Sql, Statement, statements},
    },
    payments::Payments,
};
use till_domain::time::Timestamp;

/// At least so many address indexes, and positions of each vendor's feed, are passed over. There are two thousand million
/// indexes.
pub(crate) const PASSED_OVER: i64 = 1_000_000;

/// Address indexes that pass with each minute since [`FIRST_MINUTE`]: a backup that is restored twice does not give out the
/// same addresses twice.
const INDEXES_PER_MINUTE: i64 = 100;

/// The start of 2026, in minutes since 1970.
const FIRST_MINUTE: i64 = 29_453_760;

statements! {
    pub(crate) static RAISE_FLOOR = Sql::new(
        "INSERT INTO chain_floor (one, place)
         SELECT 1, MAX(place) FROM (
            SELECT COALESCE(MAX(place), -1) + 1 + $1 AS place FROM chain_deposits
            UNION ALL SELECT place + $1 FROM chain_floor
            UNION ALL SELECT CAST($2 AS BIGINT)
         ) AS free WHERE TRUE
         ON CONFLICT (one) DO UPDATE SET place = excluded.place",
    );
    // A cursor that a vendor got after the backup stays one, and no later event has a position before it.
    pub(crate) static PASS_FEEDS = Sql::new("UPDATE feeds SET last = last + $1");
    // It may have been sent after the backup: the provider is asked first.
    pub(crate) static CHECK_REFUNDS =
        Sql::new("UPDATE refunds SET state = 'sent', version = version + 1 WHERE state = 'requested'");
}

/// The least address index at a time.
pub(crate) fn least_index(now: Timestamp) -> i64 {
    (now.as_ms() / 60_000 - FIRST_MINUTE).max(0) * INDEXES_PER_MINUTE
}

impl Payments {
    /// Prepares a database that was restored for further use.
    pub async fn prepare_after_restore(&self) -> Result<(), StoreError> {
        let statement = |sql, params| Statement { sql, params, guarded: false };
        let mut unit =
            vec![statement(&PASS_FEEDS, vec![PASSED_OVER.into()]), statement(&CHECK_REFUNDS, vec![])];
        if self.chains().is_some() {
            let least = least_index(self.now());
            unit.push(statement(&RAISE_FLOOR, vec![PASSED_OVER.into(), least.into()]));
        }
        self.engine.write(unit).await.map(drop)
    }
}
