//! The hold: a store that was restored, or whose history was reset, sends nothing and expires nothing until an operator
//! releases it.

use crate::{
    accounts::{Accounts, audit, guarded},
    engine::{
        error::StoreError,
        sql::{Sql, statements},
    },
};
use till_domain::{audit::AuditEntry, time::Timestamp};

statements! {
    static HOLD = Sql::new("SELECT since, reason, placed_by FROM holds");
    pub(crate) static PLACE = Sql::new(
        "INSERT INTO holds (one, since, reason, placed_by) VALUES (1, $1, $2, $3) ON CONFLICT (one) DO NOTHING",
    );
    static RELEASE = Sql::new("DELETE FROM holds WHERE one = 1");
}

/// Why a store is on hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldReason {
    /// It was restored from a backup.
    Restored,
    /// An operator placed the hold.
    Operator,
}

impl HoldReason {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Restored => "restored",
            Self::Operator => "operator",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Restored, Self::Operator].into_iter().find(|reason| reason.as_str() == word)
    }
}

/// A hold that is in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredHold {
    pub since: Timestamp,
    pub reason: HoldReason,
    /// The name of the person who placed it.
    pub placed_by: String,
}

impl Accounts {
    /// The hold that is in effect.
    pub async fn hold(&self) -> Result<Option<StoredHold>, StoreError> {
        let Some(mut row) = self.engine.read(&HOLD, vec![]).await?.into_iter().next() else {
            return Ok(None);
        };
        let (since, word) = (row.time()?, row.text()?);
        let reason = HoldReason::parse(&word)
            .ok_or_else(|| StoreError::Corrupt(format!("a hold has the reason {word:?}")))?;
        Ok(Some(StoredHold { since, reason, placed_by: row.text()? }))
    }

    /// Places a hold; false if there is one.
    pub async fn place_hold(
        &self,
        reason: HoldReason,
        by: &str,
        line: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = vec![self.now().into(), reason.as_str().into(), by.into()];
        self.done(vec![guarded(&PLACE, params), audit::line(line)]).await
    }

    /// Releases the hold; false if there is none.
    pub async fn release_hold(&self, line: &AuditEntry) -> Result<bool, StoreError> {
        self.done(vec![guarded(&RELEASE, vec![]), audit::line(line)]).await
    }
}
