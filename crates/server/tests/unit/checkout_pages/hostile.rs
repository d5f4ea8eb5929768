//! Injection attempts. Whatever a vendor, a customer or a provider sends, a page keeps the elements and
//! attributes that it has with harmless words, and links keep to the allowed schemes.

use super::fixture::{Maker, Texts};
use crate::checkout::pages::Language;
use scraper::Html;
use till_service::web::links::{self, Contact};
use till_testing::hostile::{HOSTILE, elements, hrefs};

fn pages(language: Language, text: &str) -> Vec<(&'static str, String)> {
    let maker = Maker { language, texts: Texts::all(text) };
    maker.pages().into_iter().map(|(name, page)| (name, page.render())).collect()
}

#[test]
fn t6_hostile_text_adds_no_element_and_no_attribute() {
    // The markup is the same in both languages; a few texts in Russian are enough to check that.
    for (language, step) in [(Language::English, 1), (Language::Russian, 7)] {
        let harmless: Vec<_> = pages(language, "harmless words")
            .iter()
            .map(|(_, html)| elements(&Html::parse_document(html)))
            .collect();
        for text in HOSTILE.into_iter().step_by(step) {
            for ((name, html), expected) in pages(language, text).iter().zip(&harmless) {
                assert_eq!(elements(&Html::parse_document(html)), *expected, "{name}: {text}");
            }
        }
    }
}

#[test]
fn t6_hostile_text_is_shown_as_it_is() {
    for text in HOSTILE {
        let (_, html) = pages(Language::English, text).into_iter().next().expect("a page");
        let document = Html::parse_document(&html);
        let item = super::fixture::text(&document, ".stub .med").expect("an item");
        assert_eq!(item, text);
    }
}

#[test]
fn t6_t7_no_link_has_a_scheme_that_runs_or_reads_anything() {
    let mut texts = HOSTILE.map(str::to_owned).to_vec();
    texts.extend(
        ["help@shop.example", "https://shop.example/\"onclick=x", "http://shop.example"].map(str::to_owned),
    );
    for text in texts {
        let usual = Texts::all(&text);
        let links =
            Texts { app_url: text.clone(), wallet_url: text.clone(), bank_url: text.clone(), ..usual };
        let maker = Maker { language: Language::English, texts: links };
        for (name, page) in maker.pages() {
            for href in hrefs(&Html::parse_document(&page.render())) {
                let allowed = ["/", "#", "?", "https://", "http://", "mailto:"];
                assert!(allowed.iter().any(|start| href.starts_with(start)), "{name}: {href}");
                assert!(!href.starts_with("//"), "{name}: {href}");
            }
        }
    }
}

#[test]
fn a_contact_is_a_link_only_if_it_is_an_address() {
    for (text, href) in [
        ("help@shop.example", Some("mailto:help@shop.example")),
        (" help@shop.example ", Some("mailto:help@shop.example")),
        ("https://shop.example/help", Some("https://shop.example/help")),
        ("call us", None),
        ("javascript:alert(1)", None),
        ("a@b?subject=x", None),
        ("a@b@c", None),
        ("https://shop.example/ x", None),
        ("", None),
    ] {
        assert_eq!(Contact::new(text).href.as_deref(), href, "{text}");
    }
}

#[test]
fn apps_open_by_known_schemes_only() {
    for (url, allowed) in [
        ("https://qr.nspk.ru/AD1", true),
        ("bank100000000111://qr.nspk.ru/AD1", true),
        ("ethereum:0xa0b8@1/transfer?address=0x7e57&uint256=1", true),
        ("bank://x", false),
        ("bankjavascript:alert(1)", false),
        ("javascript:alert(1)", false),
        ("intent://x#Intent;end", false),
        ("file:///etc/passwd", false),
        ("/path", false),
    ] {
        assert_eq!(links::app(url).is_some(), allowed, "{url}");
    }
    for (url, allowed) in [
        ("/bank/1", true),
        ("//evil.example", false),
        ("/\\evil.example", false),
        ("https://bank.example", true),
    ] {
        assert_eq!(links::page(url).is_some(), allowed, "{url}");
    }
}
