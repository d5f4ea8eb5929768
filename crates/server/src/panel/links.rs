//! One-time links that set a password: mailed, or shown once to the operator.

use super::{Panel, pages::Language};
use crate::office::OfficeError;
use till_domain::{audit::Actor, id::UserId, time::Timestamp, user::LinkPurpose};

/// A link that was made.
#[derive(Debug)]
pub(super) struct SentLink {
    /// The link, unless it was mailed.
    pub(super) shown: Option<String>,
    /// Until when it works.
    pub(super) until: Timestamp,
}

impl Panel {
    /// Makes a link for somebody, and mails it if that is possible.
    pub(super) async fn send_link(
        &self,
        actor: &Actor,
        (user, _email): (UserId, &str),
        purpose: LinkPurpose,
        _language: Language,
    ) -> Result<SentLink, OfficeError> {
        let link = self.office.make_link(actor, user, purpose).await?;
        Ok(SentLink { shown: Some(format!("{}{}", self.base_url, link.path)), until: link.until })
    }
}
