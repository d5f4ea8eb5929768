//! Prunes log-ins, one-time links and used forms of long ago.

use crate::{
    accounts::{Accounts, users::plain},
    engine::{
        error::StoreError,
        sql::{Sql, statements},
    },
};
use till_domain::time::Timestamp;

statements! {
    static PRUNE_LOGINS = Sql::new(
        "DELETE FROM logins WHERE id IN (SELECT id FROM logins WHERE created_at < $1 ORDER BY created_at LIMIT 1000)",
    );
    static PRUNE_LINKS = Sql::new(
        "DELETE FROM links
         WHERE link_check IN (SELECT link_check FROM links WHERE expires_at < $1 ORDER BY expires_at LIMIT 1000)",
    );
    static PRUNE_FORMS = Sql::new(
        "DELETE FROM used_forms WHERE id IN (SELECT id FROM used_forms WHERE used_at < $1 ORDER BY used_at LIMIT 1000)",
    );
    // Looks for at most one row of each table.
    static MORE = Sql::new(
        "SELECT COUNT(*) FROM (
            SELECT 1 AS one FROM (SELECT id FROM logins WHERE created_at < $1 LIMIT 1) AS old_login
            UNION ALL SELECT 1 AS one FROM (SELECT link_check FROM links WHERE expires_at < $1 LIMIT 1) AS old_link
            UNION ALL SELECT 1 AS one FROM (SELECT id FROM used_forms WHERE used_at < $1 LIMIT 1) AS old_form
         ) AS old",
    );
}

impl Accounts {
    /// Deletes log-ins that began, links that ended and forms that were sent before this time, at most 1,000
    /// of each. Returns true if there are more. The time must be so long ago that none of them is valid.
    pub async fn prune_logins(&self, before: Timestamp) -> Result<bool, StoreError> {
        let texts = [&PRUNE_LOGINS, &PRUNE_LINKS, &PRUNE_FORMS];
        let unit = texts.into_iter().map(|sql| plain(sql, vec![before.into()])).collect();
        self.engine.write(unit).await?;
        let rows = self.engine.scan(&MORE, vec![before.into()]).await?;
        rows.into_iter().next().map_or(Ok(false), |mut row| Ok(row.int()? > 0))
    }
}
