//! The text of mails to users, in both languages. The words are in `templates/mail/`: a subject, an empty
//! line, the text.

use super::notes::one_line;
use crate::{random, vault::Vault, web::language::Language};
use askama::Template;
use till_domain::{id::MailId, text::TextProblem, time::Timestamp};
use till_store::NewMail;

/// A mail to a user.
#[derive(Debug, Clone, Copy)]
pub enum Message<'a> {
    Invitation {
        /// The one-time link to choose a password.
        link: &'a str,
        invited_by: &'a str,
        /// The expiry of the link.
        valid_until: Timestamp,
    },
    /// A new password was requested.
    PasswordReset {
        /// The one-time link to choose it.
        link: &'a str,
        /// The expiry of the link.
        valid_until: Timestamp,
    },
}

macro_rules! words {
    ($name:ident, $path:literal, $($field:ident),*) => {
        #[derive(Template)]
        #[template(path = $path)]
        struct $name<'a> {
            $($field: &'a str),*
        }
    };
}

words!(InvitationEn, "mail/invitation.en.txt", link, invited_by, valid_until);
words!(InvitationRu, "mail/invitation.ru.txt", link, invited_by, valid_until);
words!(PasswordResetEn, "mail/password_reset.en.txt", link, valid_until);
words!(PasswordResetRu, "mail/password_reset.ru.txt", link, valid_until);

impl Message<'_> {
    /// The row of the outbox for this message. The text is encrypted: it holds a link.
    pub fn compose(
        &self,
        vault: &Vault,
        now: Timestamp,
        recipient: &str,
        language: Language,
    ) -> Result<NewMail, TextProblem> {
        let recipient = super::address(recipient)?;
        let written = self.write(language);
        let (subject, body) = written
            .split_once("\n\n")
            .unwrap_or_else(|| unreachable!("every template has a subject, an empty line and a text"));
        let id = random::id::<MailId>(now);
        let body_sealed = vault.seal_mail(id, &format!("{}\n", body.trim_end()));
        Ok(NewMail { id, recipient, subject: subject.trim().to_owned(), body_sealed, kind: self.kind() })
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Invitation { .. } => "invitation",
            Self::PasswordReset { .. } => "password_reset",
        }
    }

    fn write(&self, language: Language) -> String {
        let written = match (*self, language) {
            (Self::Invitation { link, invited_by, valid_until }, language) => {
                let (invited_by, valid_until) = (&one_line(invited_by), &moment(valid_until));
                match language {
                    Language::English => InvitationEn { link, invited_by, valid_until }.render(),
                    Language::Russian => InvitationRu { link, invited_by, valid_until }.render(),
                }
            }
            (Self::PasswordReset { link, valid_until }, language) => {
                let valid_until = &moment(valid_until);
                match language {
                    Language::English => PasswordResetEn { link, valid_until }.render(),
                    Language::Russian => PasswordResetRu { link, valid_until }.render(),
                }
            }
        };
        written.unwrap_or_else(|_| unreachable!("writing to a string does not fail"))
    }
}

/// A time for people: `2026-11-15 09:30 UTC`.
fn moment(moment: Timestamp) -> String {
    let text = moment.to_string();
    format!("{} {} UTC", &text[..10], &text[11..16])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::MasterKey;
    use secrecy::ExposeSecret;

    const LINK: &str = "https://pay.example/panel/join/abcdefghijklmnop";

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"ab".repeat(32)).expect("a key"))
    }

    fn all() -> [Message<'static>; 2] {
        let valid_until = Timestamp::from_ms(1_794_735_000_000);
        [
            Message::Invitation { link: LINK, invited_by: "Анна & Co", valid_until },
            Message::PasswordReset { link: LINK, valid_until },
        ]
    }

    #[test]
    fn every_mail_is_whole_in_both_languages() {
        let mut texts = Vec::new();
        for message in all() {
            for language in Language::ALL {
                let now = Timestamp::from_ms(5);
                let mail = message.compose(&vault(), now, "user@shop.example", language).expect("a mail");
                let body = vault().open_mail(mail.id, &mail.body_sealed).expect("it opens");
                let body = body.expose_secret();
                assert!(!mail.subject.is_empty() && !mail.subject.contains('\n'), "{}", mail.subject);
                assert!(body.lines().any(|line| line == LINK), "the link has a line of its own: {body}");
                assert!(body.contains("2026-11-15 09:30 UTC") && body.ends_with('\n'), "{body}");
                let invites = matches!(message, Message::Invitation { .. });
                assert_eq!(body.contains("Анна & Co"), invites, "names are not escaped in a text: {body}");
                let russian = body.contains("Если");
                assert_eq!(russian, language == Language::Russian, "{body}");
                texts.push((mail.subject, body.to_owned()));
            }
        }
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), 4);
    }

    #[test]
    fn t26_the_link_is_sealed_and_opens_only_as_this_mail() {
        let [message, _] = all();
        let compose =
            || message.compose(&vault(), Timestamp::from_ms(5), "user@shop.example", Language::English);
        let (mail, other) = (compose().expect("a mail"), compose().expect("a mail"));
        assert!(!mail.body_sealed.windows(10).any(|w| LINK.as_bytes().windows(10).any(|l| l == w)));
        assert!(vault().open_mail(other.id, &mail.body_sealed).is_err());
    }

    #[test]
    fn no_recipient_or_name_can_add_a_line() {
        let valid_until = Timestamp::from_ms(5);
        let message =
            Message::Invitation { link: LINK, invited_by: "Eve\r\n\r\nhttps://evil.example", valid_until };
        assert!(message.write(Language::English).contains("Evehttps://evil.example"));
        for wrong in ["", "user", "a@b.c\r\nBcc: x@y.z", "a b@c.d", "a@b.c,d@e.f", "<a@b.c>", "a@b..c"] {
            let composed = message.compose(&vault(), valid_until, wrong, Language::English);
            assert!(composed.is_err(), "{wrong:?}");
        }
    }
}
