//! Users and the links that set their passwords.

use super::{Admin, AdminError};
use crate::random;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use secrecy::SecretString;
use std::time::Duration;
use till_domain::{
    audit::{Actor, AuditEntry, AuditEvent},
    id::{UserId, VendorId},
    time::Timestamp,
    user::{LinkPurpose, Role},
};
use till_store::{Member, NewLink, NewMail, NewUser, StoreError};

/// Rate limit of links at the request of an unauthenticated visitor: the pause after one for the same user.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(5 * 60);

/// A link that sets a password, once.
#[derive(Debug)]
pub struct MadeLink {
    /// The path, which contains the secret token.
    pub path: String,
    /// True if it is sent by mail.
    pub mailed: bool,
    /// When it expires.
    pub until: Timestamp,
}

#[derive(Debug, Clone, Copy)]
pub struct UserDraft<'a> {
    /// Their address, as [`till_domain::user::email`] gives it.
    pub email: &'a str,
    pub role: Role,
    /// The vendor they work for.
    pub vendor: Option<VendorId>,
}

/// Makes the mail that carries a link, from the link's path and expiry; `None` if it is not sent by mail.
pub type Bringer<'a> = &'a (dyn Fn(&str, Timestamp) -> Option<NewMail> + Sync);

impl Admin {
    /// Adds a user with a hash of their password. `None` if the address is taken. The address is one that
    /// [`till_domain::user::email`] gave.
    pub async fn create_user(
        &self,
        actor: &Actor,
        who: UserDraft<'_>,
        password: String,
    ) -> Result<Option<UserId>, AdminError> {
        let (new, entry) = self.new_user(actor, who, Some(password));
        let id = new.id;
        Ok(self.accounts.add_user(new, None, &entry).await?.then_some(id))
    }

    /// Adds a user who chooses a password by a link. `None` if the address is taken.
    pub async fn invite(
        &self,
        actor: &Actor,
        who: UserDraft<'_>,
        bring: Bringer<'_>,
    ) -> Result<Option<(UserId, MadeLink)>, AdminError> {
        let (new, entry) = self.new_user(actor, who, None);
        let id = new.id;
        let (link, made) = self.new_link(id, LinkPurpose::Invitation, bring);
        if self.accounts.add_user(new, Some(link), &entry).await? {
            return Ok(Some((id, made)));
        }
        let repeated = match actor.form {
            Some(form) => self.accounts.form_used(form).await?,
            None => false,
        };
        if repeated { Err(AdminError::Repeated) } else { Ok(None) }
    }

    /// Makes a link that sets a user's password, at the request of an unauthenticated visitor. Older links
    /// stay valid. `None` if there was one within `ASK_AGAIN_AFTER` (rate limit).
    pub async fn make_reset_link(
        &self,
        actor: &Actor,
        user: UserId,
        bring: Bringer<'_>,
    ) -> Result<Option<MadeLink>, AdminError> {
        let just_now = self.accounts.now().minus(ASK_AGAIN_AFTER);
        if self.accounts.has_link_since(user, just_now).await? {
            return Ok(None);
        }
        let (link, made) = self.new_link(user, LinkPurpose::Reset, bring);
        let entry = self.entry(actor, AuditEvent::LinkMade).with(user).saying(LinkPurpose::Reset.as_str());
        self.accounts.add_link(link, &entry).await?;
        Ok(Some(made))
    }

    /// Makes a link that sets a user's password; older ones stop working.
    pub async fn make_link(
        &self,
        actor: &Actor,
        user: UserId,
        purpose: LinkPurpose,
        bring: Bringer<'_>,
    ) -> Result<MadeLink, AdminError> {
        let (link, made) = self.new_link(user, purpose, bring);
        let entry = self.entry(actor, AuditEvent::LinkMade).with(user).saying(purpose.as_str());
        if self.accounts.replace_link(link, &entry).await? { Ok(made) } else { Err(AdminError::Repeated) }
    }

    /// Changes the role of a vendor's user. False if no admin who can log in would be left.
    pub async fn set_role(&self, actor: &Actor, who: Member, role: Role) -> Result<bool, StoreError> {
        let entry = self.entry(actor, AuditEvent::RoleChanged).about(who.vendor).with(who.user);
        self.accounts.set_role(who, role, &entry.saying(role.as_str())).await
    }

    /// Disables a vendor's user. False if no admin who can log in would be left.
    pub async fn remove_member(&self, actor: &Actor, who: Member) -> Result<bool, StoreError> {
        let entry = self.entry(actor, AuditEvent::UserDisabled).about(who.vendor).with(who.user);
        self.accounts.remove_member(who, &entry).await
    }

    /// Enables a vendor's user again that a colleague disabled. False if the operator disabled them.
    pub async fn restore_member(&self, actor: &Actor, who: Member) -> Result<bool, StoreError> {
        let entry = self.entry(actor, AuditEvent::UserEnabled).about(who.vendor).with(who.user);
        self.accounts.restore_member(who, &entry).await
    }

    fn new_user(&self, actor: &Actor, who: UserDraft<'_>, password: Option<String>) -> (NewUser, AuditEntry) {
        let id = random::id::<UserId>(self.accounts.now());
        let entry = self.entry(actor, AuditEvent::UserCreated).with(id).saying(who.role.as_str());
        let entry = who.vendor.into_iter().fold(entry, |entry, vendor| entry.about(vendor));
        let email = who.email.to_owned();
        (NewUser { id, email, role: who.role, vendor: who.vendor, password }, entry)
    }

    fn new_link(&self, user: UserId, purpose: LinkPurpose, bring: Bringer<'_>) -> (NewLink, MadeLink) {
        let token = new_token();
        let (path, until) = (format!("/panel/link/{token}"), self.accounts.now().plus(purpose.lasts()));
        let mail = bring(&path, until);
        let made = MadeLink { mailed: mail.is_some(), path, until };
        (
            NewLink {
                check: self.vault.browser_token_check("link", token.as_bytes()),
                user,
                purpose,
                expires_at: until,
                mail,
            },
            made,
        )
    }

    /// The keyed hashes that a link may be stored by: the token itself is not stored.
    pub fn link_checks(&self, token: &str) -> impl Iterator<Item = [u8; 32]> {
        self.vault.keys().map(|keys| keys.browser_token_check("link", token.as_bytes()))
    }
}

/// The place that the secret of a user's second factor is sealed for.
#[must_use]
pub fn factor_place(user: UserId) -> String {
    format!("users/{user}/factor")
}

/// A secret for one browser or one link: 256 random bits.
#[must_use]
pub fn new_token() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(random::draw::<32>("browser token"))
}

/// A generated password for a user: 120 random bits.
#[must_use]
pub fn new_password() -> SecretString {
    BASE64_URL_SAFE_NO_PAD.encode(random::draw::<15>("password")).into()
}
