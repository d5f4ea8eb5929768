//! Tests that every page finds its translations, and that Russian pages are in Russian.

use crate::pages::tests::fixture::{Maker, text};
use crate::pages::{FlashMessage, Language};
use scraper::Html;
use till_providers::form::{FieldKind, FormField, Rule};
use till_service::{registry::ProviderKind, web::words::Words};

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
    let known = [
        "Halden",
        "Press",
        "Meridian",
        "Bikes",
        "Oddfellow",
        "Tea",
        "Quarry",
        "Sound",
        "Bramble",
        "Garden",
        "Supply",
        "Kassa",
        "Stripe",
        "simulator",
        "Till",
    ];
    for (name, page) in Maker::usual(Language::Russian).pages() {
        let heading = text(&Html::parse_document(&page.render()), "main h1").expect("a heading");
        let words = heading.split_whitespace().filter(|word| !word.contains('@'));
        let words = words.flat_map(|word| word.split(|c: char| !c.is_ascii_alphabetic()));
        for word in words.filter(|word| word.len() > 2) {
            assert!(known.contains(&word), "{name}: {word}");
        }
    }
}

#[test]
fn the_word_of_a_redirect_is_read_back() {
    for notice in FlashMessage::ALL.iter().copied() {
        assert_eq!(FlashMessage::parse(notice.word()), Some(notice));
    }
    assert_eq!(FlashMessage::parse("<b>"), None);
}

/// The words of a table of fields: its labels, help, headings and rows.
fn words_of(fields: &[FormField], word: &str, keys: &mut Vec<String>) {
    for field in fields {
        let word = format!("{word}-{}", field.key.replace('.', "-"));
        match field.kind {
            FieldKind::Rows(inside) => {
                keys.extend(
                    ["list-", "list-about-", "row-", "row-new-"].map(|start| format!("{start}{word}")),
                );
                words_of(inside, &word, keys);
            }
            _ => keys.extend(["field-", "about-"].map(|start| format!("{start}{word}"))),
        }
    }
}

#[test]
fn every_field_of_a_provider_and_every_rule_has_its_words() {
    let mut keys: Vec<String> = Rule::ALL.iter().map(|rule| format!("rule-{}", rule.word())).collect();
    for kind in ProviderKind::ALL {
        words_of(kind.fields(), kind.name(), &mut keys);
        keys.extend([format!("guide-{}", kind.name()), format!("guide-about-{}", kind.name())]);
    }
    for language in Language::ALL {
        let t = Words { language };
        for key in &keys {
            let variables = ["number", "name", "list", "least", "most"].map(|name| (name, "1".into()));
            let text = t.fill(key, variables);
            assert!(!text.is_empty() && text != *key, "{key} {language:?}");
        }
    }
}
