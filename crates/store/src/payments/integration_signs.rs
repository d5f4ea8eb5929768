//! What was seen of a vendor's integration in the sandbox, for the list of its first steps.

use super::faults::Faults;
use crate::engine::{
    error::StoreError,
    sql::{Sql, Value, statements},
};
use till_domain::id::VendorId;

/// The newest callbacks of one payment method that a vendor accepted, as the index has them.
macro_rules! accepted_by {
    ($method:literal) => {
        concat!(
            "SELECT event, session_id, about FROM (SELECT event, session_id, about FROM callbacks
                WHERE due_at IS NULL AND vendor_id = $1 AND state = 'delivered' AND method = '",
            $method,
            "' ORDER BY id DESC LIMIT $2) AS ",
            $method
        )
    };
}

statements! {
    static SIGNS = Sql::new(concat!(
        "SELECT COUNT(*), COUNT(CASE WHEN event = 'session.failed' THEN 1 END),
            COUNT(CASE WHEN event = 'session.expired' THEN 1 END),
            COUNT(CASE WHEN EXISTS (SELECT 1 FROM callback_faults AS f WHERE f.session_id = newest.session_id
                AND f.about = newest.about AND f.fault IN ('bad_signature', 'wrong_secret', 'changed_body')
                AND f.status >= 400 AND f.status < 500) THEN 1 END)
         FROM (",
        accepted_by!("card"),
        " UNION ALL ",
        accepted_by!("sbp"),
        " UNION ALL ",
        accepted_by!("crypto"),
        ") AS newest"
    ));
    static HAS_SESSION = Sql::new(
        "SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE vendor_id = $1 AND order_id NOT LIKE 'till-check-%' LIMIT 1)
         AS own",
    );
}

/// How many of a vendor's newest events of each method are looked at: a vendor that has many has seen all of this.
const LOOKED_AT: i64 = 500;

/// What was seen of a vendor's integration in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IntegrationSigns {
    /// It created a session.
    pub session: bool,
    /// It accepted a callback.
    pub accepted: bool,
    /// It accepted the callback of a failed session.
    pub failed: bool,
    /// It accepted the callback of an expired session.
    pub expired: bool,
    /// It refused a forged request.
    pub forgery_refused: bool,
}

impl Faults {
    /// What was seen of a vendor's integration.
    pub async fn signs(&self, vendor: VendorId) -> Result<IntegrationSigns, StoreError> {
        let id = || Value::from(vendor.as_bytes());
        let mut sessions = self.engine.read(&HAS_SESSION, vec![id()]).await?;
        let mut events = self.engine.read(&SIGNS, vec![id(), LOOKED_AT.into()]).await?;
        let (Some(mut sessions), Some(mut events)) = (sessions.pop(), events.pop()) else {
            return Ok(IntegrationSigns::default());
        };
        Ok(IntegrationSigns {
            session: sessions.int()? > 0,
            accepted: events.int()? > 0,
            failed: events.int()? > 0,
            expired: events.int()? > 0,
            forgery_refused: events.int()? > 0,
        })
    }
}
