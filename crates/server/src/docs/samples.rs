//! The programming languages of code samples, and a reader's choice of one: by the query, then by the cookie that keeps
//! it from page to page.

use axum::http::{HeaderMap, HeaderValue, header};
use url::form_urlencoded;

/// A language that samples are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleLanguage {
    Shell,
    Python,
    JavaScript,
    Php,
    Go,
    Ruby,
    Rust,
}

/// The parameter that chooses a language, and the cookie that keeps it.
const PARAMETER: &str = "code";
const COOKIE: &str = "docs_code";

impl SampleLanguage {
    pub const ALL: [Self; 7] =
        [Self::Shell, Self::Python, Self::JavaScript, Self::Php, Self::Go, Self::Ruby, Self::Rust];

    /// Its word in Markdown and in addresses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Shell => "sh",
            Self::Python => "python",
            Self::JavaScript => "js",
            Self::Php => "php",
            Self::Go => "go",
            Self::Ruby => "ruby",
            Self::Rust => "rust",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Shell => "Shell",
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::Php => "PHP",
            Self::Go => "Go",
            Self::Ruby => "Ruby",
            Self::Rust => "Rust",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.word() == word)
    }

    /// The address on a page that chooses this language.
    pub fn href(self, fragment: &str) -> String {
        format!("?{PARAMETER}={}#{fragment}", self.word())
    }
}

/// A reader's choice.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LanguageChoice {
    pub language: Option<SampleLanguage>,
    /// True if the address names it, so that the cookie has to be set.
    pub is_new: bool,
}

impl LanguageChoice {
    pub fn read(query: Option<&str>, headers: &HeaderMap) -> Self {
        let mut parameters = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        let asked = parameters.find(|(name, _)| name == PARAMETER);
        match asked.and_then(|(_, word)| SampleLanguage::from_word(&word)) {
            Some(language) => Self { language: Some(language), is_new: true },
            None => Self { language: kept(headers), is_new: false },
        }
    }

    /// The cookie that keeps a new choice for a year.
    pub fn cookie(&self, secure: bool) -> Option<HeaderValue> {
        let language = self.language.filter(|_| self.is_new)?;
        let secure = if secure { "; Secure" } else { "" };
        let cookie = format!(
            "{COOKIE}={}; Path=/docs; Max-Age=31536000; HttpOnly; SameSite=Lax{secure}",
            language.word()
        );
        HeaderValue::from_str(&cookie).ok()
    }
}

fn kept(headers: &HeaderMap) -> Option<SampleLanguage> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies =
        values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    cookies.find(|(name, _)| *name == COOKIE).and_then(|(_, word)| SampleLanguage::from_word(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(query: Option<&str>, cookie: &'static str) -> LanguageChoice {
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, HeaderValue::from_static(cookie));
        LanguageChoice::read(query, &headers)
    }

    #[test]
    fn the_address_chooses_and_the_cookie_keeps_it() {
        let (php, js) = (Some(SampleLanguage::Php), Some(SampleLanguage::JavaScript));
        let asked = choice(Some("x=1&code=php"), "docs_code=js");
        assert_eq!(asked, LanguageChoice { language: php, is_new: true });
        let cookie = asked.cookie(true).expect("a cookie");
        assert!(cookie.to_str().expect("text").starts_with("docs_code=php; Path=/docs;"));
        assert!(cookie.to_str().expect("text").ends_with("; Secure"));
        let kept = choice(None, "a=b; docs_code=js");
        assert_eq!(kept, LanguageChoice { language: js, is_new: false });
        assert_eq!(kept.cookie(true), None);
    }

    #[test]
    fn an_unknown_language_changes_nothing() {
        for query in ["code=", "code=cobol", "code=%ff%0d%0aSet-Cookie:x", "code", "&&&=", "code=PHP;"] {
            assert_eq!(choice(Some(query), "docs_code=<script>"), LanguageChoice::default(), "{query}");
        }
    }
}
