//! Tests the text of mails about payments, and that it resists injection.

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
    let newest = vec![LostCallback { order_id: text.to_owned(), status: Status::Paid, at: "now".to_owned() }];
    AlarmNote { shop: text, count, newest, link: "https://pay.example/panel/callbacks" }.write(language)
}

#[test]
fn both_forms_say_the_same_in_both_languages() {
    for (language, subject, open) in [
        (Language::English, "Receipt from Halden Press: 4,990.00 RUB", "Open the receipt"),
        (Language::Russian, "Чек: Halden Press, 4,990.00 RUB", "Открыть чек"),
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
        (1, "1 callback could not be delivered", "Не доставлен 1 колбэк"),
        (3, "3 callbacks could not be delivered", "Не доставлены 3 колбэка"),
        (25, "25 callbacks could not be delivered", "Не доставлено 25 колбэков"),
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
