//! The languages of the shop.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English, also the fallback for other languages.
    English,
    Russian,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::Russian];

    /// Its code in the page, the query and the cookie.
    pub fn word(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Russian => "ru",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.word() == word)
    }

    /// The language just chosen, else the one in the cookie, else the browser's.
    pub fn choose(chosen: Option<Self>, cookies: Option<&str>, accept: Option<&str>) -> Self {
        let kept = || cookies.and_then(Self::from_cookies);
        chosen.or_else(kept).or_else(|| accept.and_then(Self::from_accept)).unwrap_or(Self::English)
    }

    fn from_cookies(header: &str) -> Option<Self> {
        let pairs = header.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(name, _)| *name == "lang").find_map(|(_, value)| Self::parse(value))
    }

    /// The supported language with the highest weight in an `Accept-Language` header; of equals the first.
    fn from_accept(header: &str) -> Option<Self> {
        let mut best = None;
        for range in header.split(',') {
            let (name, weight) = range.split_once(';').unwrap_or((range, "q=1"));
            let name = name.trim().split('-').next().unwrap_or_default().to_ascii_lowercase();
            let weight = thousandths(weight.trim().trim_start_matches("q="));
            let better = best.is_none_or(|(_, known)| weight > known);
            if let Some(language) = Self::parse(&name).filter(|_| better && weight > 0) {
                best = Some((language, weight));
            }
        }
        best.map(|(language, _)| language)
    }
}

/// A weight such as `0.8`, in thousandths. One above 1 is invalid, and counts as 0.
fn thousandths(weight: &str) -> u32 {
    let (whole, fraction) = weight.split_once('.').unwrap_or((weight, ""));
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    let whole = whole.parse::<u32>().unwrap_or(0).saturating_mul(1000);
    Some(whole.saturating_add(digits.parse().unwrap_or(0))).filter(|weight| *weight <= 1000).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_choice_counts_then_the_browser() {
        use Language::{English, Russian};
        for (chosen, cookies, accept, language) in [
            (None, None, None, English),
            (None, None, Some("ru-RU,ru;q=0.9,en;q=0.8"), Russian),
            (None, None, Some("en;q=0.5, ru;q=0.75"), Russian),
            (None, None, Some("de, fr;q=0.5"), English),
            (None, None, Some("ru;q=0, en"), English),
            (None, None, Some("ru;q=9999999.999"), English),
            (None, None, Some("ru;q=1.001, en;q=0.1"), English),
            (None, None, Some("en;q=0.999, ru;q=1.000"), Russian),
            (None, Some("a=b; lang=en"), Some("ru"), English),
            (Some(Russian), Some("lang=en"), Some("en"), Russian),
        ] {
            assert_eq!(Language::choose(chosen, cookies, accept), language, "{accept:?}");
        }
    }
}
