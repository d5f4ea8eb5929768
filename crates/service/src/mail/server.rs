//! Parsing of the settings for the mail server.

use lettre::message::Mailbox;
use secrecy::SecretString;
use std::{net::IpAddr, path::PathBuf};
use till_domain::{
    address::{Reach, reach},
    text::email,
};
use url::Url;

/// The settings of outgoing mail.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// The SMTP server that accepts the mails.
    pub server: SmtpServer,
    /// The sender.
    pub from: Mailbox,
    /// Root certificates to trust beside the machine's.
    pub roots: Option<PathBuf>,
}

#[derive(Debug, Clone)]
pub struct SmtpServer {
    /// Its name or address.
    pub host: String,
    pub port: u16,
    pub security: Security,
    /// User and password, if it asks for them.
    pub login: Option<(String, SecretString)>,
}

/// The encryption of a connection to a mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// TLS from the first byte.
    Implicit,
    /// TLS before anything else is sent, or no connection.
    StartTls,
    /// In clear, within one machine or private network.
    None,
}

const WRITE: &str = "use smtp://USER:PASSWORD@HOST:587 (STARTTLS) or smtps://USER:PASSWORD@HOST:465";

impl SmtpServer {
    /// Parses `smtp://user:password@host:587` or `smtps://…`. Errors never repeat the text: it holds a
    /// password.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("{what}: {WRITE}, with %40 for an @ in the password");
        let url = Url::parse(text.trim()).map_err(|_| wrong("is not a URL"))?;
        let port = match url.scheme() {
            "smtp" => 587,
            "smtps" => 465,
            _ => return Err(wrong("does not start with smtp:// or smtps://")),
        };
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '_');
        if host.is_empty() || !host.chars().all(name) {
            return Err(wrong("does not name a host"));
        }
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err(wrong("has unexpected text after the host"));
        }
        let security = match (url.scheme(), url.query()) {
            ("smtps", None) => Security::Implicit,
            (_, None) => Security::StartTls,
            ("smtp", Some("tls=none")) if is_near(&host) => Security::None,
            ("smtp", Some("tls=none")) => {
                let why = "emails with one-time links would cross the network unencrypted";
                return Err(format!(
                    "has tls=none, but {host} is not on this machine or in a private network, and {why}: \
                     {WRITE}"
                ));
            }
            _ => return Err(wrong("has unexpected text after the host")),
        };
        let decoded = |text: &str| decode(text).ok_or_else(|| wrong("has an invalid % escape"));
        let login = match (url.username(), url.password()) {
            ("", None) => None,
            ("", Some(_)) | (_, None) => return Err(wrong("has a user or a password, but not both")),
            (user, Some(password)) => Some((decoded(user)?, decoded(password)?.into())),
        };
        Ok(Self { host, port: url.port().unwrap_or(port), security, login })
    }
}

/// True if a host is near: this machine, a private address, or a name without a dot, which only the local
/// network can resolve.
fn is_near(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(address) => reach(address) == Reach::Private,
        Err(_) => !host.contains('.'),
    }
}

/// Decodes percent escapes such as `%40`.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let (byte, tail) = match (first, tail) {
            (b'%', [high, low, tail @ ..]) => (hex::decode([*high, *low]).ok()?[0], tail),
            (b'%', _) => return None,
            _ => (*first, tail),
        };
        bytes.push(byte);
        rest = tail;
    }
    String::from_utf8(bytes).ok().filter(|text| !text.chars().any(char::is_control))
}

/// Parses `till@example.com` or `Till <till@example.com>`.
pub fn parse_sender(text: &str) -> Result<Mailbox, String> {
    let wrong = || format!("is {text:?}: use an address such as till@example.com or Till <till@example.com>");
    if text.chars().any(char::is_control) {
        return Err(wrong());
    }
    let sender: Mailbox = text.trim().parse().map_err(|_| wrong())?;
    email(sender.email.as_ref()).map_err(|_| wrong())?;
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    #[test]
    fn a_server_is_named_by_a_url() {
        let check = |text: &str, host: &str, port: u16, security: Security, login: Option<(&str, &str)>| {
            let server = SmtpServer::parse(text).unwrap_or_else(|problem| panic!("{text} {problem}"));
            assert_eq!(
                (server.host.as_str(), server.port, server.security),
                (host, port, security),
                "{text}"
            );
            let parsed =
                server.login.as_ref().map(|(user, password)| (user.as_str(), password.expose_secret()));
            assert_eq!(parsed, login, "{text}");
        };
        check("smtp://mail.example", "mail.example", 587, Security::StartTls, None);
        check("smtps://mail.example/", "mail.example", 465, Security::Implicit, None);
        let login = Some(("till@shop.example", "p:a/s%"));
        check(
            "smtp://till%40shop.example:p%3Aa%2Fs%25@mail.example:25",
            "mail.example",
            25,
            Security::StartTls,
            login,
        );
        check("smtp://localhost:1025?tls=none", "localhost", 1025, Security::None, None);
        check("smtp://mailpit:1025?tls=none", "mailpit", 1025, Security::None, None);
        check("smtp://10.0.0.5?tls=none", "10.0.0.5", 587, Security::None, None);
        check("smtp://[::1]:25?tls=none", "::1", 25, Security::None, None);
    }

    #[test]
    fn what_names_no_server_is_refused_without_showing_the_password() {
        for (text, remedy) in [
            ("mail.example", "not a URL"),
            ("http://u:secret@mail.example", "smtp://"),
            ("smtp://", "a host"),
            ("smtp://u:secret@", "smtp://"),
            ("smtp://u:secret@mail.example/path", "after the host"),
            ("smtp://u:secret@mail.example?tls=off", "after the host"),
            ("smtps://u:secret@mail.example?tls=none", "after the host"),
            ("smtp://u:secret@mail.example?tls=none", "unencrypted"),
            ("smtp://u:secret@93.184.216.34?tls=none", "unencrypted"),
            ("smtp://u@mail.example", "not both"),
            ("smtp://:secret@mail.example", "not both"),
            ("smtp://u:secret%zz@mail.example", "invalid % escape"),
            ("smtp://u:secret%0d%0aQUIT@mail.example", "invalid % escape"),
        ] {
            let problem = SmtpServer::parse(text).expect_err(text);
            assert!(problem.contains(remedy) && !problem.contains("secret"), "{text}: {problem}");
        }
        let server = SmtpServer::parse("smtp://u:hidden@mail.example").expect("a server");
        assert!(!format!("{server:?}").contains("hidden"));
    }

    #[test]
    fn a_sender_is_an_address_with_or_without_a_name() {
        assert_eq!(parse_sender("till@shop.example").expect("an address").to_string(), "till@shop.example");
        let named = parse_sender("Касса <till@shop.example>").expect("an address");
        assert_eq!((named.name.as_deref(), named.email.domain()), (Some("Касса"), "shop.example"));
        for wrong in ["", "till", "till@", "Till", "a@b.c, d@e.f", "a@b.c\r\nBcc: x@y.z", "Till <till@host>"]
        {
            assert!(parse_sender(wrong).is_err(), "{wrong:?}");
        }
    }
}
