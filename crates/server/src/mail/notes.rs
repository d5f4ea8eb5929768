//! What mails about payments say: receipts, and that callbacks do not arrive. Each is written twice, as text and as
//! a page, with the same words. Every value is escaped in the page, and on one line in the text.

use crate::web::{language::Language, words::Words};
use askama::Template;
use secrecy::SecretString;
use till_domain::{receipt::ReceiptKind, session::Status};

/// A mail in words.
#[derive(Debug)]
pub(crate) struct Note {
    /// What it is about.
    pub subject: String,
    pub text: SecretString,
    pub html: String,
}

/// A receipt in words.
#[derive(Debug)]
pub(crate) struct ReceiptText {
    /// The heading: whom the customer paid, or who paid back.
    pub heading: String,
    /// The amount, in one text.
    pub amount: String,
    /// What it is, and what it is good for.
    pub text: String,
    /// What belongs to it: names and values.
    pub lines: Vec<(String, String)>,
}

/// A receipt to write about.
#[derive(Debug)]
pub(crate) struct ReceiptNote<'a> {
    pub text: &'a ReceiptText,
    /// Whether money came or went back.
    pub kind: ReceiptKind,
    pub shop: &'a str,
    /// Where the receipt is.
    pub link: &'a str,
    /// Whether no money moves.
    pub simulated: bool,
}

/// A callback that did not arrive.
#[derive(Debug)]
pub(crate) struct LostCallback {
    pub order_id: String,
    /// What it would have told.
    pub status: Status,
    pub at: String,
}

/// What does not arrive, to write about.
#[derive(Debug)]
pub(crate) struct AlarmNote<'a> {
    pub shop: &'a str,
    pub count: u64,
    /// The newest of them.
    pub newest: Vec<LostCallback>,
    pub link: &'a str,
}

/// Both forms of every mail.
#[derive(Template)]
#[template(path = "mail/note.txt", escape = "none")]
struct NoteText<'a>(Sheet<'a>);

#[derive(Template)]
#[template(path = "mail/note.html")]
struct NotePage<'a>(Sheet<'a>);

/// What both forms show.
#[derive(Clone)]
struct Sheet<'a> {
    language: Language,
    /// Said before anything else.
    warning: Option<String>,
    heading: String,
    /// What leads the mail, if anything does.
    figure: Option<&'a str>,
    text: String,
    lines: Vec<(String, String)>,
    link: &'a str,
    /// What the link is called.
    button: String,
    /// Why the reader gets it.
    foot: String,
}

impl ReceiptNote<'_> {
    pub fn write(&self, language: Language) -> Note {
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
    pub fn write(&self, language: Language) -> Note {
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
    fn write(mut self, subject: String) -> Note {
        for (name, value) in &mut self.lines {
            (*name, *value) = (one_line(name), one_line(value));
        }
        (self.heading, self.text) = (one_line(&self.heading), one_line(&self.text));
        let written = |text: askama::Result<String>| {
            text.unwrap_or_else(|_| unreachable!("writing to a string does not fail"))
        };
        let html = written(NotePage(self.clone()).render());
        let text = written(NoteText(self).render()).into();
        Note { subject: one_line(&subject), text, html }
    }
}

/// Somebody's words, unable to look like a line or a header of their own.
pub(crate) fn one_line(text: &str) -> String {
    let breaks = |c: char| matches!(c, '\u{2028}' | '\u{2029}');
    text.chars().filter(|c| !c.is_control() && !breaks(*c)).collect()
}

#[cfg(test)]
mod tests;
