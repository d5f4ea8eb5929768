//! Checks that both languages have the same messages, that every used key exists, and that every message is
//! used.

use super::{super::language::Language, sources};
use fluent_syntax::{
    ast::{Entry, Expression, InlineExpression, Pattern, PatternElement},
    parser::parse,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The folders whose files use messages.
const FOLDERS: [&str; 9] = [
    "server/templates/checkout",
    "panel/templates/panel",
    "panel/templates/operator",
    "service/templates/mail",
    "service/templates/shared",
    "server/src/checkout/pages",
    "panel/src",
    "service/src/mail",
    "service/src/web/words",
];

/// The variables of every key.
fn keys(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let mut keys = BTreeMap::new();
    let files = sources(language).map(|(_, text)| parse(text).expect("Fluent"));
    for entry in files.into_iter().flat_map(|resource| resource.body) {
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
    let mut files = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let (inside, found): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
        folders.extend(inside.into_iter().filter(|path| !path.ends_with("tests")));
        files.extend(found.into_iter().filter(|path| says_words(path)));
    }
    files
}

/// True if a file uses messages: of the panel only views and shared pages, no handlers.
fn says_words(path: &Path) -> bool {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let inside = path.strip_prefix(crates).expect("a file of a crate");
    let has = |part: &str| inside.iter().any(|name| name == part);
    let is_view = ["view.rs", "detail.rs"].iter().any(|name| path.ends_with(name));
    let is_test = path.ends_with("words/tests.rs");
    (!inside.starts_with("panel/src") || has("pages") || is_view) && !is_test
}

/// Everything in quotes in templates and code: keys are literals, or made by `format!` around one word.
fn literals() -> Vec<String> {
    let files = FOLDERS.map(folder).concat();
    let texts = files.iter().map(|path| fs::read_to_string(path).expect("text"));
    texts.flat_map(|text| text.split('"').map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// True if a literal names a key, with `{…}` for any word.
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
    // These keys are made from the kind of the page.
    let kinds =
        ["not-found", "no-receipt", "sandbox-off", "error", "forbidden", "leave-unpaid", "leave-under-way"]
            .map(|kind| [format!("{kind}-heading"), format!("{kind}-stay")])
            .concat();
    for key in keys(Language::English).keys() {
        let used = kinds.contains(key) || literals.iter().any(|literal| names(literal, key));
        assert!(used, "nothing says {key}");
    }
}

#[test]
fn every_key_that_is_used_exists() {
    let keys = keys(Language::English);
    let files = FOLDERS.map(folder).concat();
    for path in files {
        let text = fs::read_to_string(&path).expect("text");
        for call in ["t.text(\"", "t.with(\"", "t.with_two(\"", "t.count(\"", "t.fill(\""] {
            for key in text.split(call).skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(keys.contains_key(key), "{}: {key}", path.display());
            }
        }
    }
}
