//! The texts of all pages: Fluent messages, compiled in. Checkout and panel have one file each per language;
//! their keys are one namespace, so shared messages are written once, in the checkout's file.

mod amounts;
mod phrases;

pub use amounts::{Amount, Coins};

use super::language::Language;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use std::sync::LazyLock;

type Bundle = FluentBundle<FluentResource>;

static ENGLISH: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::English));
static RUSSIAN: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::Russian));

/// The language's files: names and contents.
fn sources(language: Language) -> [(&'static str, &'static str); 2] {
    match language {
        Language::English => [
            ("en.ftl", include_str!("../../../locales/en.ftl")),
            ("panel.en.ftl", include_str!("../../../locales/panel.en.ftl")),
        ],
        Language::Russian => [
            ("ru.ftl", include_str!("../../../locales/ru.ftl")),
            ("panel.ru.ftl", include_str!("../../../locales/panel.ru.ftl")),
        ],
    }
}

fn bundle(language: Language) -> Bundle {
    let mut bundle = Bundle::new_concurrent(vec![language.identifier()]);
    // Both languages are written from left to right; isolation marks would only get into copied text.
    bundle.set_use_isolating(false);
    for (name, text) in sources(language) {
        let resource = FluentResource::try_new(text.to_owned());
        let resource = resource.unwrap_or_else(|(_, errors)| unreachable!("{name}: {errors:?}"));
        let added = bundle.add_resource(resource);
        added.unwrap_or_else(|errors| unreachable!("{name}: {errors:?}"));
    }
    bundle
}

/// The messages of one language.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    pub language: Language,
}

impl Words {
    /// The message with this key.
    pub fn text(&self, key: &str) -> String {
        self.format(key, None)
    }

    /// A message with one variable.
    pub fn with(&self, key: &str, name: &'static str, value: &str) -> String {
        self.fill(key, [(name, value.into())])
    }

    /// A message with two variables.
    pub fn with_two(&self, key: &str, one: (&'static str, &str), two: (&'static str, &str)) -> String {
        self.fill(key, [(one.0, one.1.into()), (two.0, two.1.into())])
    }

    /// A message with a count.
    pub fn count(&self, key: &str, count: &u64) -> String {
        self.fill(key, [("count", (*count).into())])
    }

    /// A message with these variables.
    pub fn fill<const N: usize>(&self, key: &str, values: [(&'static str, FluentValue<'_>); N]) -> String {
        self.format(key, Some(&values.into_iter().collect()))
    }

    fn format(&self, key: &str, values: Option<&FluentArgs<'_>>) -> String {
        let bundle = match self.language {
            Language::English => &ENGLISH,
            Language::Russian => &RUSSIAN,
        };
        let Some(pattern) = bundle.get_message(key).and_then(|message| message.value()) else {
            debug_assert!(false, "no {key} in {}", self.language.word());
            return key.to_owned();
        };
        let mut errors = Vec::new();
        let text = bundle.format_pattern(pattern, values, &mut errors).into_owned();
        debug_assert!(errors.is_empty(), "{key} in {}: {errors:?}", self.language.word());
        text
    }
}

#[cfg(test)]
mod tests {
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
    const FOLDERS: [&str; 10] = [
        "server/templates/checkout",
        "panel/templates/panel",
        "panel/templates/operator",
        "service/templates/mail",
        "service/templates/shared",
        "server/src/checkout/pages",
        "panel/src",
        "service/src/callbacks/signature_check",
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
            let entries =
                fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
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
        let kinds = [
            "not-found",
            "no-receipt",
            "no-page",
            "sandbox-off",
            "error",
            "forbidden",
            "leave-unpaid",
            "leave-under-way",
        ]
        .map(|kind| [format!("{kind}-heading"), format!("{kind}-stay")])
        .concat();
        // These are made from the name of a list and the words in it.
        let lists =
            ["fiscal-policy-", "fiscal-tax-system-", "fiscal-vat-", "fiscal-subject-", "fiscal-mode-"];
        for key in keys(Language::English).keys() {
            let listed = lists.iter().any(|list| key.starts_with(list));
            let used = kinds.contains(key) || listed || literals.iter().any(|literal| names(literal, key));
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
}
