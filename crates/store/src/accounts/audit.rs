//! The audit log of privileged actions. An entry about accounts is committed in the same transaction as the
//! change that it records. Payments are in another database, so an entry about them is written separately.

use crate::{
    accounts::{Accounts, forms},
    engine::{
        error::StoreError,
        sql::{Row, Sql, Statement, statements},
    },
};
use std::sync::PoisonError;
use till_domain::{
    audit::{Actor, AuditEntry, AuditEvent},
    id::{AuditId, Entropy, UserId, VendorId},
};

/// The newest entries that match. The first condition names the index to be read. Parameters: `$1` before, `$2` vendor or
/// null, `$3` actor or null, `$4` event or null, `$5` limit.
macro_rules! audit {
    ($condition:literal) => {
        Sql::new(concat!(
            "SELECT id, at, actor_id, actor, address, deed, vendor_id, user_id, detail FROM audit WHERE ",
            $condition,
            "id < $1 AND (CAST($2 AS BYTEA) IS NULL OR vendor_id = $2)
                AND (CAST($3 AS TEXT) IS NULL OR actor = $3) AND (CAST($4 AS TEXT) IS NULL OR deed = $4)
             ORDER BY id DESC LIMIT $5"
        ))
    };
}

statements! {
    static INSERT_AUDIT = Sql::new(
        "INSERT INTO audit (id, at, actor_id, actor, address, deed, vendor_id, user_id, detail)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    );
    static AUDIT = audit!("");
    static AUDIT_OF_VENDOR = audit!("vendor_id = $2 AND vendor_id IS NOT NULL AND ");
    static AUDIT_OF_ACTOR = audit!("actor = $3 AND ");
    static AUDIT_OF_EVENT = audit!("deed = $4 AND ");
}

/// A filter of audit entries, newest first.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Only entries about this vendor.
    pub vendor: Option<VendorId>,
    /// Only entries of the actor with this name.
    pub actor: Option<String>,
    /// Only entries of this kind of action.
    pub event: Option<AuditEvent>,
    /// Keyset cursor: only entries older than this one.
    pub before: Option<AuditId>,
    pub limit: u32,
}

/// The INSERT of an audit entry, for the transaction that makes the recorded change.
pub(crate) fn line(entry: &AuditEntry) -> Statement {
    let AuditEntry { id, at, actor, event, vendor, user, detail } = entry;
    let params = vec![
        id.as_bytes().into(),
        (*at).into(),
        actor.user.as_ref().map(UserId::as_bytes).into(),
        actor.name.as_str().into(),
        actor.address.clone().into(),
        event.as_str().into(),
        vendor.as_ref().map(VendorId::as_bytes).into(),
        user.as_ref().map(UserId::as_bytes).into(),
        detail.clone().into(),
    ];
    Statement { sql: &INSERT_AUDIT, params, guarded: false }
}

impl Accounts {
    /// Draws the id of a new entry. Each id is higher than the last, also within one millisecond and when the
    /// clock went back, so that entries are read in the order in which they were written.
    #[must_use]
    pub fn next_audit_id(&self, entropy: &Entropy) -> AuditId {
        let fresh = u128::from_be_bytes(*AuditId::new(self.now(), entropy).as_bytes());
        let mut last = self.last_audit_id.lock().unwrap_or_else(PoisonError::into_inner);
        *last = fresh.max(last.saturating_add(1));
        AuditId::from_bytes(last.to_be_bytes())
    }

    /// The newest audit entry of a vendor for this kind of action.
    pub async fn last_event(
        &self,
        vendor: VendorId,
        event: AuditEvent,
    ) -> Result<Option<AuditEntry>, StoreError> {
        let filter =
            AuditFilter { vendor: Some(vendor), event: Some(event), limit: 1, ..AuditFilter::default() };
        Ok(self.audit(&filter).await?.into_iter().next())
    }

    /// Writes an audit entry on its own, for an action that changes nothing else in this database.
    pub async fn record(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.engine.write(vec![line(entry)]).await.map(drop)
    }

    /// Writes an audit entry for an action that a form performs once. False if the form was sent before.
    pub async fn record_once(&self, entry: &AuditEntry) -> Result<bool, StoreError> {
        let mut unit: Vec<_> = forms::once(entry, self.now()).into_iter().collect();
        unit.push(line(entry));
        self.done(unit).await
    }

    /// Marks the form of an action as used, for an action that is recorded once it is done. False if the form
    /// was sent before.
    pub async fn use_form(&self, entry: &AuditEntry) -> Result<bool, StoreError> {
        match forms::once(entry, self.now()) {
            Some(once) => self.done(vec![once]).await,
            None => Ok(true),
        }
    }

    /// Audit entries, newest first.
    pub async fn audit(&self, filter: &AuditFilter) -> Result<Vec<AuditEntry>, StoreError> {
        let before = filter.before.map_or([0xff; 16], |id| *id.as_bytes());
        let params = vec![
            (&before).into(),
            filter.vendor.as_ref().map(VendorId::as_bytes).into(),
            filter.actor.clone().into(),
            filter.event.map(AuditEvent::as_str).into(),
            i64::from(filter.limit).into(),
        ];
        let sql = match filter {
            AuditFilter { vendor: Some(_), .. } => &AUDIT_OF_VENDOR,
            AuditFilter { actor: Some(_), .. } => &AUDIT_OF_ACTOR,
            AuditFilter { event: Some(_), .. } => &AUDIT_OF_EVENT,
            _ => &AUDIT,
        };
        self.engine.read(sql, params).await?.into_iter().map(|mut row| read_entry(&mut row)).collect()
    }
}

pub(crate) fn read_entry(row: &mut Row) -> Result<AuditEntry, StoreError> {
    let (id, at) = (AuditId::from_bytes(row.array()?), row.time()?);
    let user = row.opt_array()?.map(UserId::from_bytes);
    let actor = Actor { user, name: row.text()?, address: row.opt_text()?, form: None };
    let word = row.text()?;
    let event = AuditEvent::parse(&word).ok_or_else(|| StoreError::Corrupt(format!("deed {word:?}")))?;
    Ok(AuditEntry {
        id,
        at,
        actor,
        event,
        vendor: row.opt_array()?.map(VendorId::from_bytes),
        user: row.opt_array()?.map(UserId::from_bytes),
        detail: row.opt_text()?,
    })
}
