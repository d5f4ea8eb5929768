//! Users and the links that set their passwords.

use super::{Office, OfficeError};
use crate::random;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use secrecy::SecretString;
use till_domain::{
    audit::{Actor, Deed},
    id::{UserId, VendorId},
    time::Timestamp,
    user::{LinkPurpose, Role},
};
use till_store::{NewLink, NewUser};

/// A link that sets a password, once.
#[derive(Debug)]
pub struct MadeLink {
    /// The path with its secret part.
    pub path: String,
    /// Until when it works.
    pub until: Timestamp,
}

impl Office {
    /// Adds a user, with a hash of their password or without one. Nothing if the address is taken. The address
    /// is one that [`till_domain::user::email`] gave.
    pub async fn create_user(
        &self,
        actor: &Actor,
        email: &str,
        role: Role,
        vendor: Option<VendorId>,
        password: Option<String>,
    ) -> Result<Option<UserId>, OfficeError> {
        let id = UserId::new(self.accounts.now(), &random::entropy());
        let entry = self.entry(actor, Deed::UserCreated).with(id).saying(role.as_str());
        let entry = vendor.into_iter().fold(entry, |entry, vendor| entry.about(vendor));
        let new = NewUser { id, email: email.to_owned(), role, vendor, password };
        Ok(self.accounts.add_user(new, None, &entry).await?.then_some(id))
    }

    /// Makes a link that sets a user's password; older ones stop working.
    pub async fn make_link(
        &self,
        actor: &Actor,
        user: UserId,
        purpose: LinkPurpose,
    ) -> Result<MadeLink, OfficeError> {
        let token = new_token();
        let until = self.accounts.now().plus(purpose.lasts());
        let link = NewLink { check: self.link_check(&token), user, purpose, expires_at: until };
        let entry = self.entry(actor, Deed::LinkMade).with(user).saying(purpose.as_str());
        self.accounts.add_link(&link, &entry).await?;
        Ok(MadeLink { path: format!("/panel/link/{token}"), until })
    }

    /// What is stored of a link.
    #[must_use]
    pub fn link_check(&self, token: &str) -> [u8; 32] {
        self.vault.door_check("link", token.as_bytes())
    }
}

/// A secret for one browser or one link: 256 random bits.
#[must_use]
pub fn new_token() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(random::bytes::<32>())
}

/// A password that somebody is given: 120 random bits.
#[must_use]
pub fn new_password() -> SecretString {
    BASE64_URL_SAFE_NO_PAD.encode(random::bytes::<15>()).into()
}
