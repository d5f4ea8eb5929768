//! Log-ins: the browsers in which users are logged in.

use crate::{
    accounts::{
        Accounts, audit,
        users::{KnownUser, guarded, plain},
    },
    engine::{
        error::StoreError,
        sql::{Row, Sql, Statement, statements},
    },
};
use till_domain::{
    audit::AuditEntry,
    id::{LoginId, UserId},
    time::Timestamp,
    user::{IDLE, LONGEST},
};

statements! {
    static INSERT_LOGIN = Sql::new(
        "INSERT INTO logins (id, cookie_check, user_id, address, agent, created_at, seen_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6)",
    );
    static LOGIN = Sql::new(
        "SELECT id, user_id, address, agent, created_at, seen_at FROM logins
         WHERE cookie_check = $1 AND ended_at IS NULL",
    );
    static LOGINS = Sql::new(
        "SELECT id, user_id, address, agent, created_at, seen_at FROM logins
         WHERE user_id = $1 AND ended_at IS NULL AND created_at > $2 AND seen_at > $3 ORDER BY seen_at DESC, id LIMIT 100",
    );
    static TOUCH =
        Sql::new("UPDATE logins SET seen_at = $2 WHERE id = $1 AND ended_at IS NULL AND seen_at < $2");
    static SEEN = Sql::new("UPDATE users SET seen_at = $2 WHERE id = $1");
    // Refuses the log-in if the user has changed since the password was checked.
    static LET_IN = Sql::new(
        "UPDATE users SET seen_at = $2
         WHERE id = $1 AND NOT disabled AND COALESCE(password, '') = $3 AND (factor_sealed IS NOT NULL) = $4",
    );
    static END_LOGIN =
        Sql::new("UPDATE logins SET ended_at = $3 WHERE id = $1 AND user_id = $2 AND ended_at IS NULL");
    static END_LOGINS = Sql::new(
        "UPDATE logins SET ended_at = $2
         WHERE user_id = $1 AND ended_at IS NULL AND (CAST($3 AS BYTEA) IS NULL OR id <> $3)",
    );
}

/// A browser in which a user is logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    pub id: LoginId,
    pub user: UserId,
    pub address: String,
    /// The User-Agent header of the browser, shortened.
    pub agent: String,
    pub created_at: Timestamp,
    /// When the browser was last seen.
    pub seen_at: Timestamp,
}

impl Accounts {
    /// Records a log-in, identified by a hash of the browser's cookie. False if the user is no longer as in
    /// `seen`: disabled, with another password, or with a second factor added or removed.
    pub async fn open_login(
        &self,
        login: &Login,
        cookie_check: &[u8; 32],
        seen: &KnownUser,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = vec![
            login.id.as_bytes().into(),
            cookie_check.into(),
            login.user.as_bytes().into(),
            login.address.as_str().into(),
            login.agent.as_str().into(),
            login.created_at.into(),
        ];
        let still = vec![
            login.user.as_bytes().into(),
            login.created_at.into(),
            seen.password.clone().unwrap_or_default().into(),
            seen.factor.is_some().into(),
        ];
        self.done(vec![guarded(&LET_IN, still), plain(&INSERT_LOGIN, params), audit::line(entry)]).await
    }

    /// The log-in of the browser with this cookie, unless it was ended.
    pub async fn login(&self, cookie_check: &[u8; 32]) -> Result<Option<Login>, StoreError> {
        let rows = self.engine.read(&LOGIN, vec![cookie_check.into()]).await?;
        rows.into_iter().next().map(read_login).transpose()
    }

    /// A user's log-ins that have neither ended nor expired, the most recently seen first, at most 100.
    pub async fn logins(&self, user: UserId) -> Result<Vec<Login>, StoreError> {
        let (since, seen) = (self.now().minus(LONGEST), self.now().minus(IDLE));
        let params = vec![user.as_bytes().into(), since.into(), seen.into()];
        let rows = self.engine.read(&LOGINS, params).await?;
        rows.into_iter().map(read_login).collect()
    }

    /// Records that a browser was seen now.
    pub async fn touch_login(&self, login: &Login) -> Result<(), StoreError> {
        let now = self.now();
        let unit = vec![
            plain(&TOUCH, vec![login.id.as_bytes().into(), now.into()]),
            plain(&SEEN, vec![login.user.as_bytes().into(), now.into()]),
        ];
        self.engine.write(unit).await.map(drop)
    }

    /// Ends one log-in of a user. False if there is none.
    pub async fn end_login(
        &self,
        id: LoginId,
        user: UserId,
        entry: Option<&AuditEntry>,
    ) -> Result<bool, StoreError> {
        let end = guarded(&END_LOGIN, vec![id.as_bytes().into(), user.as_bytes().into(), self.now().into()]);
        let mut unit = vec![end];
        unit.extend(entry.map(audit::line));
        self.done(unit).await
    }

    /// Ends all log-ins of a user, except `keep`.
    pub async fn end_logins(
        &self,
        user: UserId,
        keep: Option<LoginId>,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        self.engine.write(vec![self.end_logins_of(user, keep), audit::line(entry)]).await.map(drop)
    }

    pub(crate) fn end_logins_of(&self, user: UserId, keep: Option<LoginId>) -> Statement {
        let keep = keep.as_ref().map(LoginId::as_bytes);
        plain(&END_LOGINS, vec![user.as_bytes().into(), self.now().into(), keep.into()])
    }
}

fn read_login(mut row: Row) -> Result<Login, StoreError> {
    Ok(Login {
        id: LoginId::from_bytes(row.array()?),
        user: UserId::from_bytes(row.array()?),
        address: row.text()?,
        agent: row.text()?,
        created_at: row.time()?,
        seen_at: row.time()?,
    })
}
