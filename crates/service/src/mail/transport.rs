//! Hands mails to the operator's SMTP server.

use super::server::{MailSettings, Security};
use crate::outbound::roots;
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    address::Address,
    message::{
        Mailbox, MultiPart,
        header::{ContentType, Header, HeaderName, HeaderValue, MIME_VERSION_1_0},
    },
    transport::smtp::{
        Error,
        authentication::Credentials,
        client::{Certificate, CertificateStore, Tls, TlsParameters},
        extension::ClientId,
    },
};
use secrecy::{ExposeSecret, SecretString};
use std::{
    error::Error as _,
    time::{Duration, Instant, UNIX_EPOCH},
};
use till_domain::time::Timestamp;

/// The timeout of one step of the SMTP conversation.
const STEP_WITHIN: Duration = Duration::from_secs(10);

/// SMTP codes of a failed log-in, which the operator can fix.
const LOGIN_TROUBLE: [u16; 4] = [530, 534, 535, 538];

/// Settings with which no mail can be sent.
#[derive(Debug, thiserror::Error)]
#[error("{name} {problem}")]
pub struct MailTransportError {
    name: &'static str,
    problem: String,
}

/// A mail to be handed over.
#[derive(Debug)]
pub struct OutgoingMail<'a> {
    /// Its id, by which a second copy can be recognised: letters, digits, hyphens and points.
    pub id: String,
    /// The shop in whose name it is sent; without it the operator's name is used.
    pub sender: Option<&'a str>,
    pub reply_to: Option<&'a str>,
    pub recipient: &'a str,
    pub subject: &'a str,
    pub body: &'a SecretString,
    /// The HTML form, if there is one.
    pub html: Option<&'a str>,
    /// The time of sending.
    pub now: Timestamp,
}

/// The reason why a mail was not accepted: a word of ours, never a server's text, which may hold anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailFailure {
    pub class: &'static str,
    /// True if a retry would fail too.
    pub lasting: bool,
}

/// The header that asks programs not to answer (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

#[derive(Debug)]
pub struct MailTransport {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    #[cfg(feature = "simulation")]
    server: Option<std::sync::Arc<dyn SimulatedMailServer>>,
}

/// Takes mails in the place of a mail server, in a simulation.
#[cfg(feature = "simulation")]
pub trait SimulatedMailServer: std::fmt::Debug + Send + Sync {
    fn take<'a>(
        &'a self,
        mail: &'a OutgoingMail<'a>,
    ) -> futures_util::future::BoxFuture<'a, Result<(), MailFailure>>;
}

impl MailTransport {
    /// A postman for this server. It does not connect yet.
    pub fn new(settings: &MailSettings) -> Result<Self, MailTransportError> {
        let server = &settings.server;
        let tls = match server.security {
            Security::None => Tls::None,
            Security::StartTls => Tls::Required(tls(settings)?),
            Security::Implicit => Tls::Wrapper(tls(settings)?),
        };
        let name = ClientId::Domain(settings.from.email.domain().to_owned());
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&server.host)
            .port(server.port)
            .tls(tls)
            .hello_name(name)
            .timeout(Some(STEP_WITHIN));
        if let Some((user, password)) = &server.login {
            builder =
                builder.credentials(Credentials::new(user.clone(), password.expose_secret().to_owned()));
        }
        Ok(Self {
            transport: builder.build(),
            from: settings.from.clone(),
            #[cfg(feature = "simulation")]
            server: None,
        })
    }

    /// The same with a mail server of a simulation.
    #[cfg(feature = "simulation")]
    #[must_use]
    pub fn over(self, server: std::sync::Arc<dyn SimulatedMailServer>) -> Self {
        Self { server: Some(server), ..self }
    }

    /// Hands a mail over before `latest`. Once the server has accepted it, the server is responsible for it.
    pub async fn send(&self, letter: &OutgoingMail<'_>, latest: Instant) -> Result<(), MailFailure> {
        // The address was checked when the mail was queued, so the row was changed since.
        let unsound = MailFailure { class: "unsound", lasting: true };
        let message = self.write(letter).ok_or(unsound)?;
        #[cfg(feature = "simulation")]
        if let Some(server) = &self.server {
            return server.take(letter).await;
        }
        match tokio::time::timeout_at(latest.into(), self.transport.send(message)).await {
            Ok(sent) => sent.map(drop).map_err(|error| classify(&error)),
            Err(_) => Err(MailFailure { class: "timeout", lasting: false }),
        }
    }

    /// Connects and logs in, as for a mail, and returns the problem if that fails.
    pub async fn probe(&self) -> Result<(), String> {
        let answer = self.transport.test_connection().await;
        match answer {
            Ok(true) => Ok(()),
            Ok(false) => Err("the server accepts no commands".to_owned()),
            Err(error) => Err(format!("{} ({})", crate::telemetry::explain(&error), classify(&error).class)),
        }
    }

    fn write(&self, letter: &OutgoingMail<'_>) -> Option<Message> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        let controls = |text: &str| text.chars().any(char::is_control);
        let wild = controls(letter.subject) || letter.sender.is_some_and(controls);
        if wild || !letter.id.chars().all(plain) {
            return None;
        }
        // Exactly one recipient, and only characters that an address may have.
        let recipient: Address = letter.recipient.parse().ok()?;
        // A shop's name alone, with the operator's address, would let a shop impersonate any sender.
        let operator = self.from.name.as_deref().unwrap_or(self.from.email.domain());
        let name =
            letter.sender.map(|shop| format!("{shop} via {operator}")).or_else(|| self.from.name.clone());
        let sent_at = UNIX_EPOCH + Duration::from_millis(u64::try_from(letter.now.as_ms()).ok()?);
        let message_id = format!("<{}@{}>", letter.id, self.from.email.domain());
        let mut builder = Message::builder()
            .from(Mailbox::new(name, self.from.email.clone()))
            .to(Mailbox::new(None, recipient))
            .subject(letter.subject)
            .message_id(Some(message_id))
            .date(sent_at)
            .header(AutoSubmitted);
        // An address that cannot be parsed is left out.
        if let Some(reply_to) = letter.reply_to.and_then(|text| text.parse::<Address>().ok()) {
            builder = builder.reply_to(Mailbox::new(None, reply_to));
        }
        let text = letter.body.expose_secret().to_owned();
        match letter.html {
            Some(html) => builder.multipart(MultiPart::alternative_plain_html(text, html.to_owned())).ok(),
            None => builder.header(MIME_VERSION_1_0).header(ContentType::TEXT_PLAIN).body(text).ok(),
        }
    }
}

/// The trust store: the machine's root certificates, and those of the file.
fn tls(settings: &MailSettings) -> Result<TlsParameters, MailTransportError> {
    let unusable = |problem: String| MailTransportError { name: "TILL_SMTP_ROOTS", problem };
    let mut builder =
        TlsParameters::builder(settings.server.host.clone()).certificate_store(CertificateStore::None);
    let trusted = roots::certificates(settings.roots.as_deref());
    for certificate in trusted.map_err(|error| unusable(format!("cannot be used: {error}")))? {
        // A root certificate of the machine that cannot be parsed is ignored.
        if let Ok(certificate) = Certificate::from_der(certificate.to_vec()) {
            builder = builder.add_root_certificate(certificate);
        }
    }
    let unready = |error: Error| MailTransportError { name: "TILL_SMTP_URL", problem: error.to_string() };
    builder.build_rustls().map_err(unready)
}

fn classify(error: &Error) -> MailFailure {
    let trouble = |class| MailFailure { class, lasting: false };
    if let Some(status) = error.status() {
        let code = u16::from(status);
        return match error.is_permanent() {
            true if LOGIN_TROUBLE.contains(&code) => trouble("login"),
            true => MailFailure { class: "refused", lasting: true },
            false => trouble("deferred"),
        };
    }
    if is_tls(error) {
        trouble("tls")
    } else if error.is_timeout() {
        trouble("timeout")
    } else if error.is_client() || error.is_response() {
        trouble("protocol")
    } else {
        trouble("connect")
    }
}

/// True if the TLS connection failed, such as by a wrong certificate.
fn is_tls(error: &Error) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        let inner = cause.downcast_ref::<std::io::Error>().and_then(|io| io.get_ref());
        if cause.is::<rustls::Error>() || inner.is_some_and(|inner| inner.is::<rustls::Error>()) {
            return true;
        }
        source = cause.source();
    }
    error.is_tls()
}
