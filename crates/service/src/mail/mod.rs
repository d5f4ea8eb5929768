//! Mails: their text, and their sending.
//!
//! [`Message::compose`] makes a row for the outbox, committed together with the change that the mail is
//! about; `workers/mail.rs` takes it from there and gives it to the [`Postman`]. Mails about payments wait in
//! live's own outbox and are rendered by [`notes`] when they are sent, by `workers/dispatch.rs`. Nothing else
//! sends a mail.

mod letter;
pub mod notes;
mod server;
mod transport;

pub use letter::Message;
pub use server::{MailSettings, Security, SmtpServer, parse_sender};
#[cfg(feature = "simulation")]
pub use transport::SimulatedMailServer;
pub use transport::{MailFailure, MailTransport, MailTransportError, OutgoingMail};

use std::time::Duration;
use till_domain::text::{self, TextProblem};

/// The retention of a finished mail, without its text.
pub const KEPT_FOR: Duration = Duration::from_secs(30 * 86_400);

/// Parses an address that a mail can be sent to: exactly one recipient.
pub fn address(text: &str) -> Result<String, TextProblem> {
    let address = text::email(text)?;
    // `text::email` accepts some addresses that a mail server would not.
    match address.parse::<lettre::Address>() {
        Ok(_) => Ok(address),
        Err(_) => Err(TextProblem::NotAnEmail),
    }
}
