//! Users who can log in: their passwords, second factors, recovery codes and one-time links.

use crate::{
    accounts::{
        Accounts, audit, forms,
        mails::{self, NewMail},
    },
    engine::{
        WriteOutcome,
        error::StoreError,
        sql::{Row, Sql, Statement, Value, statements},
    },
};
use till_domain::{
    audit::AuditEntry,
    id::{UserId, VendorId},
    time::{TimeZone, Timestamp},
    user::{LinkPurpose, Role, User},
};

statements! {
    static INSERT_USER = Sql::new(
        "INSERT INTO users (id, email, role, vendor_id, password, disabled, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
    );
    static USER = Sql::new(
        "SELECT id, email, role, vendor_id, disabled, created_at, seen_at, password, factor_sealed, factor_pending,
            factor_step, time_zone
         FROM users WHERE id = $1",
    );
    static USER_BY_EMAIL = Sql::new(
        "SELECT id, email, role, vendor_id, disabled, created_at, seen_at, password, factor_sealed, factor_pending,
            factor_step, time_zone
         FROM users WHERE email = $1",
    );
    static USERS = Sql::new(
        "SELECT id, email, role, vendor_id, disabled, created_at, seen_at, password, factor_sealed, factor_pending,
            factor_step, time_zone
         FROM users
         WHERE id < $1 AND (CAST($2 AS BYTEA) IS NULL OR vendor_id = $2)
            AND (CAST($3 AS TEXT) IS NULL OR role = $3) AND email LIKE $4 ESCAPE '\\'
         ORDER BY id DESC LIMIT $5",
    );
    // Changes nothing, but locks the rows of all operators: a concurrent change of them is waited for, so
    // that the next statement sees its effect.
    static HOLD_OPERATORS =
        Sql::new("UPDATE users SET disabled = disabled WHERE id = $1 OR role = 'operator'");
    // Guard: the last operator who can log in stays enabled. Disabling a disabled user again, by another
    // actor, counts and is recorded.
    static SET_USER_DISABLED = Sql::new(
        "UPDATE users SET disabled = $2 WHERE id = $1 AND (disabled <> $2 OR $2)
            AND (disabled OR role <> 'operator' OR password IS NULL OR EXISTS (
                SELECT 1 FROM users o
                WHERE o.id <> $1 AND o.role = 'operator' AND NOT o.disabled AND o.password IS NOT NULL))",
    );
    static RENEW_HASH = Sql::new("UPDATE users SET password = $3 WHERE id = $1 AND password = $2");
    static SET_PASSWORD = Sql::new("UPDATE users SET password = $2 WHERE id = $1 AND NOT disabled");
    static SET_ZONE = Sql::new("UPDATE users SET time_zone = $2 WHERE id = $1");
    static SET_PENDING = Sql::new("UPDATE users SET factor_pending = $2 WHERE id = $1");
    static CONFIRM_FACTOR = Sql::new(
        "UPDATE users SET factor_sealed = factor_pending, factor_pending = NULL, factor_step = $2
         WHERE id = $1 AND factor_pending = $3",
    );
    static DROP_FACTOR = Sql::new(
        "UPDATE users SET factor_sealed = NULL, factor_pending = NULL, factor_step = NULL
         WHERE id = $1 AND factor_sealed IS NOT NULL",
    );
    static USE_STEP = Sql::new(
        "UPDATE users SET factor_step = $2
         WHERE id = $1 AND factor_sealed IS NOT NULL AND (factor_step IS NULL OR factor_step < $2)",
    );
    // Changes nothing; a guard that holds only while there is a second factor.
    static HAS_FACTOR =
        Sql::new("UPDATE users SET factor_step = factor_step WHERE id = $1 AND factor_sealed IS NOT NULL");
    static DROP_CODES = Sql::new("DELETE FROM recovery_codes WHERE user_id = $1");
    static INSERT_CODE = Sql::new("INSERT INTO recovery_codes (user_id, code_check) VALUES ($1, $2)");
    static USE_CODE = Sql::new("DELETE FROM recovery_codes WHERE user_id = $1 AND code_check = $2");
    static CODES_LEFT = Sql::new("SELECT COUNT(*) FROM recovery_codes WHERE user_id = $1");
    static INSERT_LINK = Sql::new(
        "INSERT INTO links (link_check, user_id, purpose, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
    );
    static LINK = Sql::new("SELECT user_id, purpose, expires_at, used_at FROM links WHERE link_check = $1");
    static LINKS_SINCE = Sql::new("SELECT COUNT(*) FROM links WHERE user_id = $1 AND created_at > $2");
    static USE_LINK =
        Sql::new("UPDATE links SET used_at = $2 WHERE link_check = $1 AND used_at IS NULL AND expires_at > $2");
    // A new link or a new password ends the older links.
    static END_LINKS = Sql::new("UPDATE links SET used_at = $2 WHERE user_id = $1 AND used_at IS NULL");
}

/// A user to add.
#[derive(Debug)]
pub struct NewUser {
    pub id: UserId,
    /// The email address, as [`till_domain::user::email`] gives it.
    pub email: String,
    pub role: Role,
    /// The vendor they work for.
    pub vendor: Option<VendorId>,
    /// A hash of their password, if they have one already.
    pub password: Option<String>,
}

/// A one-time link to add, identified by its hash.
#[derive(Debug)]
pub struct NewLink {
    /// A hash of the link's secret part.
    pub check: [u8; 32],
    /// The user whose password it sets.
    pub user: UserId,
    pub purpose: LinkPurpose,
    pub expires_at: Timestamp,
    /// The mail that delivers it, if it is mailed.
    pub mail: Option<NewMail>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The user whose password it sets.
    pub user: UserId,
    pub purpose: LinkPurpose,
    pub expires_at: Timestamp,
    /// When it was used, or replaced by a newer one.
    pub used_at: Option<Timestamp>,
}

/// A user with the secrets that are checked at log-in.
#[derive(Debug, Clone)]
pub struct KnownUser {
    pub user: User,
    /// The hash of the password.
    pub password: Option<String>,
    /// The secret of the second factor, encrypted.
    pub factor: Option<Vec<u8>>,
    /// The secret of a second factor that is not confirmed yet, encrypted.
    pub factor_pending: Option<Vec<u8>>,
    /// The time step of the last code that was used; no code of this or an earlier step is accepted (replay).
    pub factor_step: Option<i64>,
}

/// A filter of users, newest first.
#[derive(Debug, Clone, Default)]
pub struct UserFilter {
    /// Only users of this vendor.
    pub vendor: Option<VendorId>,
    /// Only users with this role.
    pub role: Option<Role>,
    /// Only users with this text in their email address.
    pub email_has: String,
    /// Keyset cursor: only users older than this one.
    pub before: Option<UserId>,
    pub limit: u32,
}

/// A second factor that was just confirmed.
#[derive(Debug)]
pub struct ConfirmedFactor<'a> {
    /// The pending secret that the code was checked with, as it was read.
    pub pending: &'a [u8],
    /// The time step of the code.
    pub step: i64,
    /// Hashes of the recovery codes.
    pub codes: &'a [[u8; 32]],
    /// The log-in that stays; all others of the user end.
    pub keep: Option<till_domain::id::LoginId>,
}

impl Accounts {
    /// Adds a user, and a link for them if they have no password. False if the address is taken or the form
    /// was sent before.
    pub async fn add_user(
        &self,
        new: NewUser,
        link: Option<NewLink>,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = vec![
            new.id.as_bytes().into(),
            new.email.into(),
            new.role.as_str().into(),
            new.vendor.as_ref().map(VendorId::as_bytes).into(),
            new.password.into(),
            false.into(),
            self.now().into(),
        ];
        let mut unit: Vec<_> = forms::once(entry, self.now()).into_iter().collect();
        unit.push(guarded(&INSERT_USER, params));
        unit.extend(link.into_iter().flat_map(|link| insert_link(link, self.now())));
        unit.push(audit::line(entry));
        self.done(unit).await
    }

    pub async fn user(&self, id: UserId) -> Result<Option<KnownUser>, StoreError> {
        let rows = self.engine.read(&USER, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_user).transpose()
    }

    /// The user with this address, as [`till_domain::user::email`] gives it.
    pub async fn user_by_email(&self, email: &str) -> Result<Option<KnownUser>, StoreError> {
        let rows = self.engine.read(&USER_BY_EMAIL, vec![email.into()]).await?;
        rows.into_iter().next().map(read_user).transpose()
    }

    pub async fn users(&self, filter: &UserFilter) -> Result<Vec<User>, StoreError> {
        let before = filter.before.map_or([0xff; 16], |id| *id.as_bytes());
        let params = vec![
            (&before).into(),
            filter.vendor.as_ref().map(VendorId::as_bytes).into(),
            filter.role.map(Role::as_str).into(),
            containing(&filter.email_has.to_lowercase()).into(),
            i64::from(filter.limit).into(),
        ];
        let rows = self.engine.read(&USERS, params).await?;
        rows.into_iter().map(|row| read_user(row).map(|known| known.user)).collect()
    }

    /// Disables a user, which ends their log-ins and links, or enables them again. False if nothing changed:
    /// they are enabled already, or are the last operator who can log in.
    pub async fn set_user_disabled(
        &self,
        id: UserId,
        disabled: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let hold = guarded(&HOLD_OPERATORS, vec![id.as_bytes().into()]);
        let set = guarded(&SET_USER_DISABLED, vec![id.as_bytes().into(), disabled.into()]);
        let mut unit = vec![hold, set, audit::line(entry)];
        if disabled {
            unit.push(self.end_logins_of(id, None));
            unit.push(self.end_links(id));
        }
        self.done(unit).await
    }

    /// Sets the time zone in which a user reads times. False if there is no such user.
    pub async fn set_user_zone(&self, id: UserId, zone: Option<&TimeZone>) -> Result<bool, StoreError> {
        let params = vec![id.as_bytes().into(), zone.map(TimeZone::as_str).into()];
        self.done(vec![guarded(&SET_ZONE, params)]).await
    }

    /// Replaces a password hash by another hash of the same password (compare-and-set). False if it has
    /// changed.
    pub async fn renew_hash(&self, id: UserId, old: &str, new: &str) -> Result<bool, StoreError> {
        self.done(vec![guarded(&RENEW_HASH, vec![id.as_bytes().into(), old.into(), new.into()])]).await
    }

    /// Sets a user's password and ends their links and their log-ins, except `keep`. False if they are
    /// disabled.
    pub async fn set_password(
        &self,
        id: UserId,
        hash: &str,
        keep: Option<till_domain::id::LoginId>,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let unit = self.new_password(id, hash, keep, entry);
        self.done(unit).await
    }

    fn new_password(
        &self,
        id: UserId,
        hash: &str,
        keep: Option<till_domain::id::LoginId>,
        entry: &AuditEntry,
    ) -> Vec<Statement> {
        vec![
            guarded(&SET_PASSWORD, vec![id.as_bytes().into(), hash.into()]),
            self.end_logins_of(id, keep),
            self.end_links(id),
            audit::line(entry),
        ]
    }

    /// Adds a one-time link and ends the older ones. False if the form was sent before: the link that it made
    /// keeps working.
    pub async fn replace_link(&self, link: NewLink, entry: &AuditEntry) -> Result<bool, StoreError> {
        let mut unit: Vec<_> = forms::once(entry, self.now()).into_iter().collect();
        unit.extend([self.end_links(link.user), audit::line(entry)]);
        unit.extend(insert_link(link, self.now()));
        self.done(unit).await
    }

    /// True if a link was made for a user after this time.
    pub async fn has_link_since(&self, user: UserId, since: Timestamp) -> Result<bool, StoreError> {
        let rows = self.engine.read(&LINKS_SINCE, vec![user.as_bytes().into(), since.into()]).await?;
        rows.into_iter().next().map_or(Ok(false), |mut row| Ok(row.int()? > 0))
    }

    /// Adds a one-time link and leaves the existing ones valid.
    pub async fn add_link(&self, link: NewLink, entry: &AuditEntry) -> Result<(), StoreError> {
        let mut unit = vec![audit::line(entry)];
        unit.extend(insert_link(link, self.now()));
        self.engine.write(unit).await.map(drop)
    }

    /// A one-time link by the hash of its secret part.
    pub async fn link(&self, check: &[u8; 32]) -> Result<Option<Link>, StoreError> {
        let rows = self.engine.read(&LINK, vec![check.into()]).await?;
        let Some(mut row) = rows.into_iter().next() else { return Ok(None) };
        let user = UserId::from_bytes(row.array()?);
        let word = row.text()?;
        let purpose =
            LinkPurpose::parse(&word).ok_or_else(|| StoreError::Corrupt(format!("purpose {word:?}")))?;
        Ok(Some(Link { user, purpose, expires_at: row.time()?, used_at: row.opt_time()? }))
    }

    /// Sets a password by a link, once. False if the link was used or has expired, or the user is disabled.
    pub async fn use_link(
        &self,
        check: &[u8; 32],
        user: UserId,
        hash: &str,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut unit = vec![guarded(&USE_LINK, vec![check.into(), self.now().into()])];
        unit.extend(self.new_password(user, hash, None, entry));
        self.done(unit).await
    }

    /// Stores the secret of a second factor until it is confirmed.
    pub async fn set_pending_factor(&self, id: UserId, sealed: &[u8]) -> Result<(), StoreError> {
        let set = guarded(&SET_PENDING, vec![id.as_bytes().into(), sealed.into()]);
        self.done(vec![set]).await.map(drop)
    }

    /// Makes the pending second factor the active one. False if it is not pending any more.
    pub async fn confirm_factor(
        &self,
        id: UserId,
        factor: &ConfirmedFactor<'_>,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = vec![id.as_bytes().into(), factor.step.into(), factor.pending.into()];
        let mut unit = vec![guarded(&CONFIRM_FACTOR, params), plain(&DROP_CODES, vec![id.as_bytes().into()])];
        for code in factor.codes {
            unit.push(plain(&INSERT_CODE, vec![id.as_bytes().into(), code.into()]));
        }
        unit.push(self.end_logins_of(id, factor.keep));
        unit.push(audit::line(entry));
        self.done(unit).await
    }

    /// Replaces all recovery codes. False if there is no second factor, or the form was sent before.
    pub async fn replace_recovery_codes(
        &self,
        id: UserId,
        codes: &[[u8; 32]],
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut unit: Vec<_> = forms::once(entry, self.now()).into_iter().collect();
        unit.push(guarded(&HAS_FACTOR, vec![id.as_bytes().into()]));
        unit.push(plain(&DROP_CODES, vec![id.as_bytes().into()]));
        unit.extend(codes.iter().map(|code| plain(&INSERT_CODE, vec![id.as_bytes().into(), code.into()])));
        unit.push(audit::line(entry));
        self.done(unit).await
    }

    /// Removes a second factor and its recovery codes. False if there was none.
    pub async fn drop_factor(&self, id: UserId, entry: &AuditEntry) -> Result<bool, StoreError> {
        let drop_codes = plain(&DROP_CODES, vec![id.as_bytes().into()]);
        let unit = vec![guarded(&DROP_FACTOR, vec![id.as_bytes().into()]), drop_codes, audit::line(entry)];
        self.done(unit).await
    }

    /// Uses a code of this time step, after which no code of it or of an earlier step is accepted (replay).
    /// False if one of this or a later step was used before.
    pub async fn use_factor_step(&self, id: UserId, step: i64) -> Result<bool, StoreError> {
        self.done(vec![guarded(&USE_STEP, vec![id.as_bytes().into(), step.into()])]).await
    }

    /// Uses a recovery code, once. False if there is no such code.
    pub async fn use_recovery_code(
        &self,
        id: UserId,
        check: &[u8; 32],
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let code = guarded(&USE_CODE, vec![id.as_bytes().into(), check.into()]);
        self.done(vec![code, audit::line(entry)]).await
    }

    /// The number of recovery codes that a user has left.
    pub async fn recovery_codes_left(&self, id: UserId) -> Result<i64, StoreError> {
        let rows = self.engine.read(&CODES_LEFT, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map_or(Ok(0), |mut row| row.int())
    }

    pub(crate) fn end_links(&self, user: UserId) -> Statement {
        plain(&END_LINKS, vec![user.as_bytes().into(), self.now().into()])
    }

    pub(crate) async fn done(&self, unit: Vec<Statement>) -> Result<bool, StoreError> {
        Ok(self.engine.write(unit).await? == WriteOutcome::Done)
    }
}

pub(crate) fn guarded(sql: &'static Sql, params: Vec<Value>) -> Statement {
    Statement { sql, params, guarded: true }
}

pub(crate) fn plain(sql: &'static Sql, params: Vec<Value>) -> Statement {
    Statement { sql, params, guarded: false }
}

/// A LIKE pattern for texts that contain this one.
pub(crate) fn containing(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}

/// The statements that add a link and queue the mail that delivers it.
fn insert_link(link: NewLink, now: Timestamp) -> impl Iterator<Item = Statement> {
    let params = vec![
        (&link.check).into(),
        link.user.as_bytes().into(),
        link.purpose.as_str().into(),
        now.into(),
        link.expires_at.into(),
    ];
    let mail = link.mail.map(|mail| mails::queue(mail, now));
    std::iter::once(plain(&INSERT_LINK, params)).chain(mail)
}

pub(crate) fn read_user(mut row: Row) -> Result<KnownUser, StoreError> {
    let (id, email, word) = (UserId::from_bytes(row.array()?), row.text()?, row.text()?);
    let role = Role::parse(&word).ok_or_else(|| StoreError::Corrupt(format!("role {word:?}")))?;
    let mut user = User {
        id,
        email,
        role,
        vendor: row.opt_array()?.map(VendorId::from_bytes),
        disabled: row.bool()?,
        has_password: false,
        has_factor: false,
        created_at: row.time()?,
        seen_at: row.opt_time()?,
        time_zone: None,
    };
    let (password, factor) = (row.opt_text()?, row.opt_bytes()?);
    (user.has_password, user.has_factor) = (password.is_some(), factor.is_some());
    let (factor_pending, factor_step) = (row.opt_bytes()?, row.opt_int()?);
    user.time_zone = row.opt_text()?.and_then(|name| TimeZone::parse(&name));
    Ok(KnownUser { user, password, factor, factor_pending, factor_step })
}
