//! Mails: how they are worded, and how they leave the house.
//!
//! [`Message::compose`] makes a row for the outbox, to be committed with what the mail is about;
//! `workers/mail.rs` takes it from there and gives it to the [`Postman`]. Mails about payments wait in live's own
//! outbox and are [`notes`] when they are sent, by `workers/dispatch.rs`. Nothing else sends a mail.

mod letter;
pub(crate) mod notes;
mod postman;
mod server;

pub use letter::Message;
pub use postman::{Failure, Letter, Postman, PostmanError};
pub use server::{MailSettings, Security, SmtpServer, parse_sender};

use std::time::Duration;
use till_domain::text::{self, TextProblem};

/// How long an ended mail is kept, without its text.
pub const KEPT_FOR: Duration = Duration::from_secs(30 * 86_400);

/// Reads an address that a mail can be sent to: one recipient, and nothing else.
pub fn address(text: &str) -> Result<String, TextProblem> {
    let address = text::email(text)?;
    // What `text` takes for an address and a mail server would not.
    match address.parse::<lettre::Address>() {
        Ok(_) => Ok(address),
        Err(_) => Err(TextProblem::NotAnEmail),
    }
}
