//! Vendors' requests for a sandbox, which the operator grants or dismisses.

use crate::{
    accounts::{Accounts, SET_SANDBOX, audit, users::guarded},
    engine::{
        error::StoreError,
        sql::{Row, Sql, statements},
    },
};
use till_domain::{
    audit::AuditEntry,
    id::{RequestId, UserId, VendorId},
    time::Timestamp,
};

statements! {
    static INSERT_REQUEST = Sql::new(
        "INSERT INTO sandbox_requests (id, vendor_id, user_id, reason, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING",
    );
    static REQUESTS = Sql::new(
        "SELECT r.id, r.vendor_id, v.name, r.user_id, u.email, r.reason, r.created_at
         FROM sandbox_requests r JOIN vendors v ON v.id = r.vendor_id JOIN users u ON u.id = r.user_id
         WHERE r.answer IS NULL AND (CAST($1 AS BYTEA) IS NULL OR r.vendor_id = $1) ORDER BY r.id LIMIT 500",
    );
    static OPEN_REQUESTS = Sql::new("SELECT COUNT(*) FROM sandbox_requests WHERE answer IS NULL");
    static ANSWER_REQUEST = Sql::new(
        "UPDATE sandbox_requests SET answer = $2, note = $3, answered_at = $4 WHERE id = $1 AND answer IS NULL",
    );
    static ANSWER_REQUESTS = Sql::new(
        "UPDATE sandbox_requests SET answer = 'granted', answered_at = $2 WHERE vendor_id = $1 AND answer IS NULL",
    );
}

/// A sandbox request that is not answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSandboxRequest {
    pub id: RequestId,
    pub vendor: VendorId,
    pub vendor_name: String,
    pub user: UserId,
    pub email: String,
    pub reason: String,
    pub created_at: Timestamp,
}

impl Accounts {
    /// Files a sandbox request. False if the vendor has an open one already.
    pub async fn ask_for_sandbox(
        &self,
        id: RequestId,
        (vendor, user): (VendorId, UserId),
        reason: &str,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = vec![
            id.as_bytes().into(),
            vendor.as_bytes().into(),
            user.as_bytes().into(),
            reason.into(),
            self.now().into(),
        ];
        self.done(vec![guarded(&INSERT_REQUEST, params), audit::line(entry)]).await
    }

    /// The open requests of all vendors or of one, oldest first, at most 500.
    pub async fn sandbox_requests(
        &self,
        vendor: Option<VendorId>,
    ) -> Result<Vec<StoredSandboxRequest>, StoreError> {
        let params = vec![vendor.as_ref().map(VendorId::as_bytes).into()];
        self.engine.read(&REQUESTS, params).await?.into_iter().map(read_request).collect()
    }

    /// The number of open requests.
    pub async fn open_sandbox_requests(&self) -> Result<u64, StoreError> {
        let rows = self.engine.read(&OPEN_REQUESTS, vec![]).await?;
        let count = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Grants a request: the vendor's sandbox is on. False if it was answered already.
    pub async fn grant_sandbox(
        &self,
        id: RequestId,
        vendor: VendorId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let answer = vec![id.as_bytes().into(), "granted".into(), None::<String>.into(), self.now().into()];
        let on = guarded(&SET_SANDBOX, vec![vendor.as_bytes().into(), true.into()]);
        self.done(vec![guarded(&ANSWER_REQUEST, answer), on, audit::line(entry)]).await
    }

    /// Dismisses a request. False if it was answered already.
    pub async fn dismiss_sandbox_request(
        &self,
        id: RequestId,
        note: Option<&str>,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let answer = vec![id.as_bytes().into(), "dismissed".into(), note.into(), self.now().into()];
        self.done(vec![guarded(&ANSWER_REQUEST, answer), audit::line(entry)]).await
    }

    /// Marks the open requests of a vendor as granted, when its sandbox is switched on.
    pub(crate) fn grant_sandbox_requests(&self, vendor: VendorId) -> crate::engine::sql::Statement {
        crate::accounts::users::plain(&ANSWER_REQUESTS, vec![vendor.as_bytes().into(), self.now().into()])
    }
}

fn read_request(mut row: Row) -> Result<StoredSandboxRequest, StoreError> {
    Ok(StoredSandboxRequest {
        id: RequestId::from_bytes(row.array()?),
        vendor: VendorId::from_bytes(row.array()?),
        vendor_name: row.text()?,
        user: UserId::from_bytes(row.array()?),
        email: row.text()?,
        reason: row.text()?,
        created_at: row.time()?,
    })
}
