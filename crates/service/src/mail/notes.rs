//! The text of mails about payments: receipts, and undelivered callbacks. Each is written twice, as text and
//! as HTML, with the same words. Every value is escaped in the HTML, and on one line in the text.

use crate::web::{language::Language, words::Words};
use askama::Template;
use secrecy::SecretString;
use till_domain::{receipt::ReceiptKind, session::Status};

/// The content of a mail.
#[derive(Debug)]
pub struct MailContent {
    pub subject: String,
    pub text: SecretString,
    pub html: String,
}

/// The texts of a receipt.
#[derive(Debug)]
pub struct ReceiptText {
    /// The heading: the shop that was paid, or that paid back.
    pub heading: String,
    /// The amount as text.
    pub amount: String,
    /// The explanation of the receipt.
    pub text: String,
    /// The details: labels and values.
    pub lines: Vec<(String, String)>,
}

/// The mail with a receipt.
#[derive(Debug)]
pub struct ReceiptNote<'a> {
    pub text: &'a ReceiptText,
    /// A receipt of a payment or of a refund.
    pub kind: ReceiptKind,
    pub shop: &'a str,
    /// The address of the receipt.
    pub link: &'a str,
    /// True if the payment is simulated and no money moves.
    pub simulated: bool,
}

/// An undelivered callback.
#[derive(Debug)]
pub struct LostCallback {
    pub order_id: String,
    /// The status that it would have reported.
    pub status: Status,
    pub at: String,
}

/// The mail about undelivered callbacks.
#[derive(Debug)]
pub struct AlarmNote<'a> {
    pub shop: &'a str,
    pub count: u64,
    /// The newest undelivered callbacks.
    pub newest: Vec<LostCallback>,
    pub link: &'a str,
}

/// The text form of every mail; [`NotePage`] is the HTML form.
#[derive(Template)]
#[template(path = "mail/note.txt", escape = "none")]
struct NoteText<'a>(Sheet<'a>);

#[derive(Template)]
#[template(path = "mail/note.html")]
struct NotePage<'a>(Sheet<'a>);

/// The content of both forms.
#[derive(Clone)]
struct Sheet<'a> {
    language: Language,
    /// A warning on top.
    warning: Option<String>,
    heading: String,
    /// The amount on top, if there is one.
    figure: Option<&'a str>,
    text: String,
    lines: Vec<(String, String)>,
    link: &'a str,
    /// The text of the link.
    button: String,
    /// The reason why the reader gets the mail.
    foot: String,
}

impl ReceiptNote<'_> {
    pub fn write(&self, language: Language) -> MailContent {
        let t = Words { language };
        let shop = one_line(self.shop);
        let subject = match self.kind {
            ReceiptKind::Paid => "mail-receipt-subject",
            ReceiptKind::Refunded => "mail-refund-subject",
        };
        let subject = t.with_two(subject, ("shop", &shop), ("amount", &self.text.amount));
        Sheet {
            language,
            warning: self
                .simulated
                .then(|| format!("{} {}", t.text("tape-simulated-name"), t.text("tape-simulated"))),
            heading: self.text.heading.clone(),
            figure: Some(&self.text.amount),
            text: self.text.text.clone(),
            lines: self.text.lines.clone(),
            link: self.link,
            button: t.text("receipt-open"),
            foot: t.with("mail-receipt-foot", "shop", &shop),
        }
        .write(subject)
    }
}

impl AlarmNote<'_> {
    pub fn write(&self, language: Language) -> MailContent {
        let t = Words { language };
        let line = |lost: &LostCallback| {
            let status = t.text(&format!("status-{}", lost.status));
            (lost.at.clone(), format!("{} ({status})", lost.order_id))
        };
        let heading = t.count("mail-undelivered-heading", &self.count);
        let subject = format!("{}: {heading}", one_line(self.shop));
        Sheet {
            language,
            warning: None,
            heading,
            figure: None,
            text: t.text("mail-undelivered-text"),
            lines: self.newest.iter().map(line).collect(),
            link: self.link,
            button: t.text("mail-undelivered-open"),
            foot: t.text("mail-undelivered-foot"),
        }
        .write(subject)
    }
}

impl Sheet<'_> {
    fn write(mut self, subject: String) -> MailContent {
        for (name, value) in &mut self.lines {
            (*name, *value) = (one_line(name), one_line(value));
        }
        (self.heading, self.text) = (one_line(&self.heading), one_line(&self.text));
        let written = |text: askama::Result<String>| {
            text.unwrap_or_else(|_| unreachable!("writing to a string does not fail"))
        };
        let html = written(NotePage(self.clone()).render());
        let text = written(NoteText(self).render()).into();
        MailContent { subject: one_line(&subject), text, html }
    }
}

/// A text of a user without control characters and line breaks, so that it cannot look like another line or
/// header.
pub fn one_line(text: &str) -> String {
    let breaks = |c: char| matches!(c, '\u{2028}' | '\u{2029}');
    text.chars().filter(|c| !c.is_control() && !breaks(*c)).collect()
}

#[cfg(test)]
mod tests;
