//! The texts of all pages: Fluent messages, compiled in. Checkout and panel have one file each per language;
//! their keys are one namespace, so shared messages are written once, in the checkout's file.

mod amounts;
mod phrases;
#[cfg(test)]
mod tests;

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
