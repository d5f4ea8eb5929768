//! Hostile texts (HTML injection). Any text of a vendor or a user leaves a page with the same elements and
//! attributes as harmless words, and no link gets a scheme that is not allowed.

use crate::pages::Language;
use crate::pages::tests::fixture::{Maker, Pages};
use scraper::{Html, Selector};
use till_testing::hostile::{HOSTILE, elements, hrefs};

fn pages(language: Language, text: &str) -> Pages {
    Maker { language, text: Some(text.to_owned()) }.pages()
}

fn parsed(language: Language, text: &str) -> impl Iterator<Item = (&'static str, Html)> {
    pages(language, text).into_iter().map(|(name, page)| (name, Html::parse_document(&page.render())))
}

fn assert_harmless_links(name: &str, document: &Html) {
    for href in hrefs(document) {
        let allowed = ["/", "#", "https://", "mailto:"];
        assert!(allowed.iter().any(|start| href.starts_with(start)), "{name}: {href}");
        assert!(!href.starts_with("//"), "{name}: {href}");
    }
}

#[test]
fn t6_t7_hostile_text_adds_no_element_no_attribute_and_no_link_that_runs_or_reads_anything() {
    // The markup is the same in both languages; a few texts in Russian show that it stays so.
    for (language, step) in [(Language::English, 1), (Language::Russian, 11)] {
        let harmless: Vec<_> = parsed(language, "harmless words").map(|(_, page)| elements(&page)).collect();
        for text in HOSTILE.into_iter().step_by(step) {
            for ((name, document), expected) in parsed(language, text).zip(&harmless) {
                assert_eq!(elements(&document), *expected, "{name}: {text}");
                assert_harmless_links(name, &document);
            }
        }
    }
    for text in ["help@shop.example", "https://shop.example/\"onclick=x"] {
        for (name, document) in parsed(Language::English, text) {
            assert_harmless_links(name, &document);
        }
    }
}

#[test]
fn t6_hostile_text_comes_back_as_it_was_typed() {
    let field = Selector::parse("#callback_url").expect("a selector");
    for text in HOSTILE {
        let mut pages = pages(Language::English, text).into_iter();
        let (_, page) = pages.find(|(name, _)| *name == "settings-wrong").expect("a page");
        let document = Html::parse_document(&page.render());
        let value = document.select(&field).next().and_then(|input| input.attr("value"));
        assert_eq!(value, Some(text));
    }
}
