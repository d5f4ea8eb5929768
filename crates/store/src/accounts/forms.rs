//! Single-use forms. A form that is sent a second time, for example by reloading the page that answered it,
//! changes nothing: its id is marked as used in the commit of the change that it made.

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

/// The guard that marks an action's form as used; `None` if the action was not sent by a form.
pub(crate) fn once(entry: &AuditEntry, now: Timestamp) -> Option<Statement> {
    let form = entry.actor.form?;
    Some(guarded(&USE_FORM, vec![form.as_bytes().into(), now.into()]))
}

impl Accounts {
    /// True if a form was sent before.
    pub async fn form_used(&self, form: FormId) -> Result<bool, StoreError> {
        let rows = self.engine.read(&FORM_USED, vec![form.as_bytes().into()]).await?;
        rows.into_iter().next().map_or(Ok(false), |mut row| Ok(row.int()? > 0))
    }
}
