//! Counts of what needs a vendor's attention.

use crate::{
    engine::{
        error::StoreError,
        sql::{Sql, Value, statements},
    },
    payments::{
        Payments,
        lists::{Bounds, Span, Turn},
    },
};
use till_domain::{
    id::{EventId, VendorId},
    time::Timestamp,
};

statements! {
    static UNDELIVERED = Sql::new(
        "SELECT COUNT(*) FROM (
            SELECT 1 FROM callbacks
            WHERE due_at IS NULL AND vendor_id = $1 AND state = 'undelivered' AND method IN ('card', 'sbp', 'crypto') AND id > $2
            LIMIT $3) AS undelivered",
    );
    // An action without a transaction is not counted: there is no known money at which a vendor could look.
    static TO_DECIDE = Sql::new(
        "SELECT COUNT(DISTINCT transaction_id) FROM actions WHERE resolution IS NULL AND vendor_id = $1",
    );
    static ANY_SESSION = Sql::new(
        "SELECT EXISTS (SELECT 1 FROM sessions WHERE due_at IS NULL AND vendor_id = $1)
            OR EXISTS (SELECT 1 FROM sessions WHERE due_at IS NOT NULL AND vendor_id = $1)",
    );
}

impl Payments {
    /// The number of a vendor's callbacks that could not be delivered, of those created since then.
    pub async fn undelivered(&self, vendor: VendorId, since: Option<Timestamp>) -> Result<u64, StoreError> {
        let bounds = Bounds::new::<EventId>(Span { since, until: None }, Turn::Newest);
        let params = vec![vendor.as_bytes().into(), (&bounds.above).into(), i64::MAX.into()];
        self.counted(&UNDELIVERED, params).await
    }

    /// The number of a vendor's callbacks that could not be delivered; no more than `most` are counted.
    pub async fn undelivered_up_to(&self, vendor: VendorId, most: u32) -> Result<u64, StoreError> {
        let params = vec![vendor.as_bytes().into(), (&[0; 16]).into(), i64::from(most).into()];
        self.counted(&UNDELIVERED, params).await
    }

    /// The number of a vendor's transactions that need a manual decision.
    pub async fn to_decide(&self, vendor: VendorId) -> Result<u64, StoreError> {
        self.counted(&TO_DECIDE, vec![vendor.as_bytes().into()]).await
    }

    /// True if a vendor has ever had a session.
    pub async fn has_sessions(&self, vendor: VendorId) -> Result<bool, StoreError> {
        let rows = self.engine.read(&ANY_SESSION, vec![vendor.as_bytes().into()]).await?;
        rows.into_iter().next().map_or(Ok(false), |mut row| row.bool())
    }

    async fn counted(&self, sql: &'static Sql, params: Vec<Value>) -> Result<u64, StoreError> {
        let rows = self.engine.browse(sql, params).await?;
        let count = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        Ok(u64::try_from(count).unwrap_or(0))
    }
}
