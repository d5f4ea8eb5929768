//! Both languages say the same things, everything that is said exists, and nothing is left over.

use super::fixture::Maker;
use crate::checkout::pages::{Language, words::source};
use fluent_syntax::{
    ast::{Entry, Expression, InlineExpression, Pattern, PatternElement},
    parser::parse,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The variables of every key.
fn keys(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let resource = parse(source(language)).expect("Fluent");
    let mut keys = BTreeMap::new();
    for entry in resource.body {
        let Entry::Message(message) = entry else { continue };
        let mut variables = BTreeSet::new();
        read_pattern(&message.value.expect("a value"), &mut variables);
        let before = keys.insert(message.id.name.to_owned(), variables);
        assert!(before.is_none(), "{} is there twice", message.id.name);
    }
    keys
}

fn read_pattern(pattern: &Pattern<&str>, variables: &mut BTreeSet<String>) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else { continue };
        match expression {
            Expression::Inline(inline) => read_inline(inline, variables),
            Expression::Select { selector, variants } => {
                read_inline(selector, variables);
                variants.iter().for_each(|variant| read_pattern(&variant.value, variables));
            }
        }
    }
}

fn read_inline(inline: &InlineExpression<&str>, variables: &mut BTreeSet<String>) {
    if let InlineExpression::VariableReference { id } = inline {
        variables.insert(id.name.to_owned());
    }
}

fn folder(path: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.is_file()).collect()
}

/// Everything in quotes in templates and code: keys are literals, or made by `format!` around one word.
fn literals() -> Vec<String> {
    let files = ["templates/checkout", "src/checkout/pages"].map(folder).concat();
    let texts = files.iter().map(|path| fs::read_to_string(path).expect("text"));
    texts.flat_map(|text| text.split('"').map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Whether a literal names a key, with `{…}` for any word.
fn names(literal: &str, key: &str) -> bool {
    match literal.split_once('{') {
        None => literal == key,
        Some((before, rest)) => {
            let after = rest.split_once('}').map_or("", |(_, after)| after);
            let fits = key.len() > before.len() + after.len();
            fits && !before.is_empty() && key.starts_with(before) && key.ends_with(after)
        }
    }
}

#[test]
fn both_languages_have_the_same_keys_and_variables() {
    assert_eq!(keys(Language::English), keys(Language::Russian));
}

#[test]
fn every_key_is_used() {
    let literals = literals();
    // These are found by the kind of the notice.
    let kinds = ["not-found", "sandbox-off", "error", "forbidden"].map(|kind| format!("{kind}-heading"));
    for key in keys(Language::English).keys() {
        let used = kinds.contains(key) || literals.iter().any(|literal| names(literal, key));
        assert!(used, "nothing says {key}");
    }
}

#[test]
fn every_key_that_is_used_exists() {
    let keys = keys(Language::English);
    let files = ["templates/checkout", "src/checkout/pages"].map(folder).concat();
    for path in files {
        let text = fs::read_to_string(&path).expect("text");
        for call in ["t.text(\"", "t.with(\"", "t.with_two(\"", "t.count(\"", "t.fill(\""] {
            for key in text.split(call).skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(keys.contains_key(key), "{}: {key}", path.display());
            }
        }
    }
}

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

#[test]
fn the_language_is_what_the_customer_said_last() {
    use Language::{English, Russian};
    for (query, cookies, accept, expected) in [
        (None, None, None, English),
        (None, None, Some("ru"), Russian),
        (None, None, Some("ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7"), Russian),
        (None, None, Some("en-GB,en;q=0.9,ru;q=0.8"), English),
        (None, None, Some("de-DE,de;q=0.9,ru;q=0.8,en;q=0.7"), Russian),
        (None, None, Some("fr, de"), English),
        (None, None, Some("*"), English),
        (None, None, Some(";;,,q=\u{1}\u{2}ru"), English),
        (None, Some("a=b; lang=ru; c=d"), Some("en"), Russian),
        (None, Some("lang=xx; lang=en"), Some("ru"), English),
        (None, Some("notlang=ru"), None, English),
        (Some("en"), Some("lang=ru"), Some("ru"), English),
        (Some("ru"), None, None, Russian),
        (Some("<script>"), Some("lang=ru"), None, Russian),
    ] {
        assert_eq!(Language::choose(query, cookies, accept), expected, "{query:?} {cookies:?} {accept:?}");
    }
}
