//! Checks that every page finds its texts, and that Russian pages are Russian.

use super::fixture::Maker;
use crate::checkout::pages::Language;
use std::collections::BTreeSet;

/// Rendering asserts that each key it meets exists and gets its variables.
#[test]
fn every_page_finds_its_words() {
    for language in Language::ALL {
        for (name, page) in Maker::usual(language).pages() {
            let html = page.render();
            assert!(!html.contains("{ $") && !html.contains("{$"), "{name} {language:?}");
        }
    }
}

#[test]
fn russian_pages_are_russian() {
    let english: BTreeSet<&str> = ["Till", "Halden", "Press", "USDC", "Ethereum", "Secure", "UTC"].into();
    for (name, page) in Maker::usual(Language::Russian).pages() {
        let html = scraper::Html::parse_document(&page.render());
        let main = super::fixture::text(&html, "main h1").expect("a heading");
        let words = main.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 2);
        for word in words {
            assert!(english.contains(word), "{name}: {word}");
        }
    }
}
