//! The master key: the value by which it is recognised, and its rotations.

use crate::{
    accounts::{Accounts, audit, guarded},
    engine::{
        error::StoreError,
        sql::{Row, Sql, Statement, statements},
    },
};
use till_domain::{audit::AuditEntry, time::Timestamp};

statements! {
    static KEY_CHECK = Sql::new("SELECT sealed FROM key_check WHERE id = 1");
    static INSERT_KEY_CHECK =
        Sql::new("INSERT INTO key_check (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO NOTHING");
    // The guard (compare-and-set): of two commands that rotate at once, one starts.
    static REPLACE_KEY_CHECK = Sql::new("UPDATE key_check SET sealed = $2 WHERE id = 1 AND sealed = $1");
    static START = Sql::new(
        "INSERT INTO key_rotations (number, key_from, key_to, started_at, started_by)
         SELECT COALESCE(MAX(number), 0) + 1, CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS TEXT)
         FROM key_rotations",
    );
    static COMPLETE =
        Sql::new("UPDATE key_rotations SET completed_at = $2 WHERE number = $1 AND completed_at IS NULL");
    static LAST = Sql::new(
        "SELECT number, key_from, key_to, started_at, completed_at FROM key_rotations ORDER BY number DESC LIMIT 1",
    );
}

/// A rotation of the master key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRotation {
    pub number: i64,
    /// The name of the key that was replaced.
    pub from: String,
    /// The name of the key that is in use since.
    pub to: String,
    pub started_at: Timestamp,
    /// When every sealed row had been sealed with the new key.
    pub completed_at: Option<Timestamp>,
}

impl Accounts {
    /// The check value sealed with the master key to which this store belongs; `sealed` is stored as such if
    /// there is none yet.
    pub async fn key_check(&self, sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
        if let Some(existing) = self.stored_key_check().await? {
            return Ok(existing);
        }
        let insert = Statement { sql: &INSERT_KEY_CHECK, params: vec![sealed.into()], guarded: false };
        self.engine.write(vec![insert]).await?;
        let stored = self.stored_key_check().await?;
        stored.ok_or_else(|| StoreError::Corrupt("the key check is missing".to_owned()))
    }

    /// The check value sealed with the master key to which this store belongs, if there is one yet.
    pub async fn stored_key_check(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let rows = self.engine.read(&KEY_CHECK, vec![]).await?;
        rows.into_iter().next().map(|mut row| row.bytes()).transpose()
    }

    /// Puts another master key in use: replaces the check value, and records that a rotation has started. False if the
    /// check value is no longer `was`.
    pub async fn start_rotation(
        &self,
        (was, sealed): (&[u8], &[u8]),
        (from, to): (&str, &str),
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let by = entry.actor.name.as_str();
        let start = vec![from.into(), to.into(), self.now().into(), by.into()];
        self.done(vec![
            guarded(&REPLACE_KEY_CHECK, vec![was.into(), sealed.into()]),
            guarded(&START, start),
            audit::line(entry),
        ])
        .await
    }

    /// Records that a rotation is completed; false if it was before.
    pub async fn complete_rotation(&self, number: i64, entry: &AuditEntry) -> Result<bool, StoreError> {
        let params = vec![number.into(), self.now().into()];
        self.done(vec![guarded(&COMPLETE, params), audit::line(entry)]).await
    }

    /// The last rotation of the master key.
    pub async fn last_rotation(&self) -> Result<Option<StoredRotation>, StoreError> {
        self.engine.read(&LAST, vec![]).await?.into_iter().next().map(read).transpose()
    }
}

fn read(mut row: Row) -> Result<StoredRotation, StoreError> {
    Ok(StoredRotation {
        number: row.int()?,
        from: row.text()?,
        to: row.text()?,
        started_at: row.time()?,
        completed_at: row.opt_time()?,
    })
}
