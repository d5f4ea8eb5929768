//! One-time links that set a password: mailed, or shown once to the user who invites.

use crate::{Panel, pages::Language};
use till_domain::{audit::Actor, id::UserId, time::Timestamp, user::LinkPurpose};
use till_service::{
    admin::{AdminError, MadeLink, UserDraft},
    mail::Message,
};
use till_store::NewMail;

/// A link that was made.
#[derive(Debug)]
pub(super) struct SentLink {
    /// The link, unless it was mailed.
    pub(super) url: Option<String>,
    /// The time when it expires.
    pub(super) until: Timestamp,
}

impl Panel {
    /// Adds a user, who chooses a password by a link. `None` if the e-mail address is taken.
    pub(super) async fn invite(
        &self,
        actor: &Actor,
        who: UserDraft<'_>,
        language: Language,
    ) -> Result<Option<(UserId, SentLink)>, AdminError> {
        let write_mail = |path: &str, until| {
            self.link_mail(actor, who.email, (path, until), LinkPurpose::Invitation, language)
        };
        let made = self.admin.invite(actor, who, &write_mail).await?;
        Ok(made.map(|(id, link)| (id, self.sent(&link))))
    }

    /// Makes a link for an existing user, and mails it if possible.
    pub(super) async fn send_link(
        &self,
        actor: &Actor,
        (user, email): (UserId, &str),
        purpose: LinkPurpose,
        language: Language,
    ) -> Result<SentLink, AdminError> {
        let write_mail = |path: &str, until| self.link_mail(actor, email, (path, until), purpose, language);
        let link = self.admin.make_link(actor, user, purpose, &write_mail).await?;
        Ok(self.sent(&link))
    }

    /// Mails a link to a user who forgot the password, unless one was made just now.
    pub(super) async fn mail_reset(
        &self,
        actor: &Actor,
        (user, email): (UserId, &str),
        language: Language,
    ) -> Result<(), AdminError> {
        let write_mail =
            |path: &str, until| self.link_mail(actor, email, (path, until), LinkPurpose::Reset, language);
        self.admin.make_reset_link(actor, user, &write_mail).await.map(drop)
    }

    fn sent(&self, link: &MadeLink) -> SentLink {
        let url = (!link.mailed).then(|| format!("{}{}", self.base_url, link.path));
        SentLink { url, until: link.until }
    }

    /// The mail with a link, if this service sends mail and the message can be composed.
    fn link_mail(
        &self,
        actor: &Actor,
        email: &str,
        (path, valid_until): (&str, Timestamp),
        purpose: LinkPurpose,
        language: Language,
    ) -> Option<NewMail> {
        if !self.mail {
            return None;
        }
        let link = &format!("{}{path}", self.base_url);
        let message = match purpose {
            LinkPurpose::Invitation => Message::Invitation { link, invited_by: &actor.name, valid_until },
            LinkPurpose::Reset => Message::PasswordReset { link, valid_until },
        };
        message.compose(&self.admin.vault, self.now(), email, language).ok()
    }
}
