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
mod tests {
    use super::*;
    use scraper::Html;
    use secrecy::ExposeSecret as _;
    use till_testing::hostile::{HOSTILE, elements};

    fn receipt_text(shop: &str) -> ReceiptText {
        ReceiptText {
            heading: format!("Paid to {shop}"),
            amount: "4,990.00 RUB".to_owned(),
            text: "Keep it.".to_owned(),
            lines: vec![("Item".to_owned(), shop.to_owned()), ("Order".to_owned(), shop.to_owned())],
        }
    }

    fn receipt(language: Language, shop: &str) -> MailContent {
        let link = "https://pay.example/receipt/0a";
        let text = &receipt_text(shop);
        ReceiptNote { text, kind: ReceiptKind::Paid, shop, link, simulated: false }.write(language)
    }

    fn alarm(language: Language, count: u64, text: &str) -> MailContent {
        let newest =
            vec![LostCallback { order_id: text.to_owned(), status: Status::Paid, at: "now".to_owned() }];
        AlarmNote { shop: text, count, newest, link: "https://pay.example/panel/callbacks" }.write(language)
    }

    #[test]
    fn both_forms_say_the_same_in_both_languages() {
        for (language, subject, open) in [
            (Language::English, "Receipt from Halden Press: 4,990.00 RUB", "Open receipt"),
            (Language::Russian, "Квитанция об оплате: Halden Press, 4,990.00 RUB", "Открыть квитанцию"),
        ] {
            let note = receipt(language, "Halden Press");
            assert_eq!(note.subject, subject);
            for form in [note.text.expose_secret(), &note.html] {
                for part in
                    ["Paid to Halden Press", "4,990.00 RUB", "Item", open, "https://pay.example/receipt/0a"]
                {
                    assert!(form.contains(part), "{part}: {form}");
                }
            }
            let lines: Vec<_> = note.text.expose_secret().lines().collect();
            assert!(lines.contains(&"https://pay.example/receipt/0a"), "a line of its own: {lines:?}");
            assert!(lines.contains(&"Order: Halden Press"), "{lines:?}");
        }
        for (count, english, russian) in [
            (1, "1 callback was not delivered", "Не доставлен 1 колбэк"),
            (3, "3 callbacks were not delivered", "Не доставлено 3 колбэка"),
            (25, "25 callbacks were not delivered", "Не доставлено 25 колбэков"),
        ] {
            assert_eq!(alarm(Language::English, count, "A").subject, format!("A: {english}"));
            assert_eq!(alarm(Language::Russian, count, "A").subject, format!("A: {russian}"));
        }
    }

    #[test]
    fn a_simulated_payment_says_so_first() {
        let (text, link) = (&receipt_text("A"), "https://pay.example/receipt/0a");
        let note = ReceiptNote { text, kind: ReceiptKind::Refunded, shop: "A", link, simulated: true };
        let note = note.write(Language::English);
        assert_eq!(note.subject, "Refund from A: 4,990.00 RUB");
        assert!(note.text.expose_secret().starts_with("Simulated payments. No money moves."));
    }

    #[test]
    fn t6_hostile_text_adds_no_element_to_a_mail() {
        for language in Language::ALL {
            let harmless = [receipt(language, "harmless"), alarm(language, 1, "harmless")]
                .map(|n| elements(&Html::parse_document(&n.html)));
            for text in HOSTILE {
                let notes = [receipt(language, text), alarm(language, 1, text)]
                    .map(|note| elements(&Html::parse_document(&note.html)));
                assert_eq!(notes, harmless, "{text}");
            }
        }
    }

    #[test]
    fn t33_nobodys_words_are_a_line_or_a_header_of_their_own() {
        for text in ["Eve\r\nBcc: x@evil.example", "Eve\n\n<b>hi", "Eve\u{2028}Bcc: x", "Eve\0\u{85}Bcc: x"] {
            for note in [receipt(Language::English, text), alarm(Language::Russian, 1, text)] {
                assert!(!note.subject.chars().any(char::is_control), "{:?}", note.subject);
                let lines = note.text.expose_secret().lines();
                assert!(!lines.clone().any(|line| line.starts_with("Bcc") || line.starts_with("<b>")));
            }
        }
    }
}
