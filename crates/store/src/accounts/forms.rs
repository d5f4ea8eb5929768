//! Forms that count once. Whoever sends one a second time, by reloading the page that answered it, changes
//! nothing: the id of a form is used up in the commit of what it did.

use crate::{
    accounts::{Accounts, users::guarded},
    engine::{
        error::StoreError,
        sql::{Sql, Statement, statements},
    },
};
use till_domain::{audit::AuditEntry, id::FormId, time::Timestamp};

statements! {
    static USE_FORM =
        Sql::new("INSERT INTO used_forms (id, used_at) VALUES ($1, $2) ON CONFLICT DO NOTHING");
    static FORM_USED = Sql::new("SELECT COUNT(*) FROM used_forms WHERE id = $1");
}

/// The guard of an act that is done by a form: nothing if it is done by other means.
pub(crate) fn once(entry: &AuditEntry, now: Timestamp) -> Option<Statement> {
    let form = entry.actor.form?;
    Some(guarded(&USE_FORM, vec![form.as_bytes().into(), now.into()]))
}

impl Accounts {
    /// Whether a form was sent before.
    pub async fn form_used(&self, form: FormId) -> Result<bool, StoreError> {
        let rows = self.engine.read(&FORM_USED, vec![form.as_bytes().into()]).await?;
        rows.into_iter().next().map_or(Ok(false), |mut row| Ok(row.int()? > 0))
    }
}
