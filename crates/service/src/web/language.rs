//! The languages of the pages, and their negotiation with browsers.

use fluent_langneg::{NegotiationStrategy, negotiate_languages, parse_accepted_languages};
use unic_langid::LanguageIdentifier;

/// A language of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English, also the fallback for other languages.
    English,
    Russian,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::Russian];

    /// The name of the query parameter and of the cookie that hold the choice.
    pub const NAME: &str = "lang";

    /// Its code in the page, the query and the cookie.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Russian => "ru",
        }
    }

    /// The language with this code.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.word() == word)
    }

    /// The nearest language for a language tag such as `ru-RU`, by its first part.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        Self::parse(&tag.split('-').next()?.to_ascii_lowercase())
    }

    /// The choice in a `Cookie` header.
    #[must_use]
    pub fn from_cookies(header: &str) -> Option<Self> {
        let pairs = header.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(name, _)| *name == Self::NAME).find_map(|(_, value)| Self::parse(value))
    }

    /// The best match for an `Accept-Language` header.
    #[must_use]
    pub fn from_accept(header: &str) -> Option<Self> {
        let wanted = parse_accepted_languages(header);
        let ours = Self::ALL.map(|language| language.identifier());
        let best = negotiate_languages(&wanted, &ours, None, NegotiationStrategy::Filtering);
        best.first().and_then(|found| Self::parse(found.language.as_str()))
    }

    /// The visitor's own choice: the query parameter, else the `Cookie` header.
    #[must_use]
    pub fn chosen(query: Option<&str>, cookies: Option<&str>) -> Option<Self> {
        query.and_then(Self::parse).or_else(|| cookies.and_then(Self::from_cookies))
    }

    /// The visitor's own choice, else what the `Accept-Language` header asks for, else English.
    #[must_use]
    pub fn choose(query: Option<&str>, cookies: Option<&str>, accept: Option<&str>) -> Self {
        let chosen = Self::chosen(query, cookies);
        chosen.or_else(|| accept.and_then(Self::from_accept)).unwrap_or(Self::English)
    }

    pub fn identifier(self) -> LanguageIdentifier {
        self.word().parse().unwrap_or_else(|_| unreachable!("two letters are a language"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_what_the_visitor_said_last() {
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
            assert_eq!(
                Language::choose(query, cookies, accept),
                expected,
                "{query:?} {cookies:?} {accept:?}"
            );
        }
    }
}
