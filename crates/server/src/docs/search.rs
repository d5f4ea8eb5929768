//! The index of all documents: finds the sections that contain the words of a query, the best first.
//!
//! A word of a query matches the words that start with it, in any case and in singular or plural.

use std::collections::{BTreeMap, HashMap};

/// The longest query, in characters; the rest is ignored.
pub const MAX_QUERY: usize = 200;
/// The most words of a query; the rest is ignored.
const MAX_WORDS: usize = 12;
/// A shorter word only matches itself.
const MIN_PREFIX: usize = 3;
/// The length of an excerpt, and how much of it comes before the first match, in bytes.
const EXCERPT: usize = 260;
const BEFORE: usize = 60;
/// Words that say nothing about the subject.
const COMMON: [&str; 21] = [
    "a", "an", "and", "are", "can", "do", "does", "for", "how", "i", "in", "is", "it", "my", "of", "on",
    "or", "the", "to", "what", "with",
];

/// A section of a document, as it is indexed.
#[derive(Debug)]
pub struct Passage {
    /// The name of its page.
    pub page: &'static str,
    pub href: String,
    pub title: String,
    pub text: String,
}

/// A section that matches.
#[derive(Debug)]
pub struct Hit<'a> {
    pub page: &'static str,
    pub href: &'a str,
    pub title: &'a str,
    pub excerpt: Vec<ExcerptPart<'a>>,
}

/// A part of an excerpt.
#[derive(Debug, PartialEq, Eq)]
pub struct ExcerptPart<'a> {
    pub text: &'a str,
    /// True if it matches a word of the query.
    pub marked: bool,
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Found<'a> {
    /// The best sections, the best first.
    pub hits: Vec<Hit<'a>>,
    /// How many sections match.
    pub total: usize,
    /// True if no section has all the words, so that these have only some of them.
    pub partly: bool,
}

/// Where a word occurs.
#[derive(Debug, Default)]
struct Occurrence {
    in_title: bool,
    in_page: bool,
    in_text: u32,
}

/// A section with its words, to compare them with those of a query.
#[derive(Debug)]
struct IndexedPassage {
    passage: Passage,
    title: String,
    text: String,
}

/// An inverted index.
#[derive(Debug)]
pub struct SearchIndex {
    passages: Vec<IndexedPassage>,
    words: BTreeMap<String, HashMap<usize, Occurrence>>,
}

impl SearchIndex {
    pub fn new(mut passages: Vec<Passage>) -> Self {
        let mut words: BTreeMap<String, HashMap<usize, Occurrence>> = BTreeMap::new();
        for (number, passage) in passages.iter_mut().enumerate() {
            passage.text = passage.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let mut note = |text: &str, add: &dyn Fn(&mut Occurrence)| {
                for (_, word) in split(text) {
                    add(words.entry(stem(word)).or_default().entry(number).or_default());
                }
            };
            note(&passage.title, &|occurrence| occurrence.in_title = true);
            note(passage.page, &|occurrence| occurrence.in_page = true);
            note(&passage.text, &|occurrence| occurrence.in_text += 1);
        }
        let indexed = |passage: Passage| IndexedPassage {
            title: in_words(&passage.title),
            text: in_words(&passage.text),
            passage,
        };
        Self { passages: passages.into_iter().map(indexed).collect(), words }
    }

    /// Finds at most `limit` sections.
    pub fn find(&self, query: &str, limit: usize) -> Found<'_> {
        let asked = query_words(query);
        let mut scores: HashMap<usize, Score> = HashMap::new();
        for word in &asked {
            for (number, points) in self.points(word) {
                let score = scores.entry(number).or_default();
                score.words += 1;
                score.points += points;
            }
        }
        let best = scores.values().map(|score| score.words).max().unwrap_or_default();
        let phrase = in_words(clip(query));
        let mut ranked: Vec<(usize, u64)> = scores
            .into_iter()
            .filter(|(_, score)| score.words == best)
            .map(|(number, score)| (number, score.points + self.phrase_points(number, &phrase)))
            .collect();
        ranked.sort_unstable_by_key(|(number, points)| (std::cmp::Reverse(*points), *number));
        let hits = ranked.iter().take(limit).map(|(number, _)| self.hit(*number, &asked)).collect();
        Found { hits, total: ranked.len(), partly: best < asked.len() }
    }

    /// The sections that a word matches, with their points for it.
    fn points(&self, word: &str) -> HashMap<usize, u64> {
        let mut points: HashMap<usize, u64> = HashMap::new();
        let known = self.words.range(word.to_owned()..).take_while(|(known, _)| known.starts_with(word));
        for (known, occurrences) in known.filter(|(known, _)| matches(known, word)) {
            let rarity = u64::from((self.passages.len() * 8 / occurrences.len().max(1)).max(1).ilog2()) + 1;
            let closeness = if known == word { 3 } else { 1 };
            for (number, occurrence) in occurrences {
                let title = if occurrence.in_title { 12 } else { 0 };
                let page = if occurrence.in_page { 3 } else { 0 };
                let found = (title + page + u64::from(occurrence.in_text.min(4))) * rarity * closeness;
                let most = points.entry(*number).or_default();
                *most = (*most).max(found);
            }
        }
        points
    }

    /// The points of a section that has the query as it was written.
    fn phrase_points(&self, number: usize, phrase: &str) -> u64 {
        let Some(indexed) = self.passages.get(number) else { return 0 };
        // The id of an operation or of an error is its anchor.
        let anchor = indexed.passage.href.rsplit_once('#').map_or("", |(_, anchor)| anchor);
        if indexed.title == phrase || anchor.eq_ignore_ascii_case(phrase.trim()) {
            600
        } else if indexed.title.contains(phrase) {
            400
        } else if indexed.text.contains(phrase) {
            120
        } else {
            0
        }
    }

    fn hit(&self, number: usize, asked: &[String]) -> Hit<'_> {
        let passage = &self.passages[number].passage;
        Hit {
            page: passage.page,
            href: &passage.href,
            title: &passage.title,
            excerpt: excerpt(&passage.text, asked),
        }
    }
}

/// The result of one section.
#[derive(Debug, Default)]
struct Score {
    /// How many words of the query it has.
    words: usize,
    points: u64,
}

/// The words of a query, each once. Common words only count if there are no others.
fn query_words(query: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (_, word) in split(clip(query)) {
        let word = stem(word);
        if words.len() < MAX_WORDS && !words.contains(&word) {
            words.push(word);
        }
    }
    let is_common = |word: &String| COMMON.contains(&word.as_str());
    if !words.iter().all(is_common) {
        words.retain(|word| !is_common(word));
    }
    words
}

/// The part of a query that counts.
pub fn clip(query: &str) -> &str {
    query.char_indices().nth(MAX_QUERY).map_or(query, |(end, _)| &query[..end])
}

/// The words of a text with their positions. Parts of a name such as `base_url` are words of their own.
fn split(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut position = 0;
    std::iter::from_fn(move || {
        let start = position + text[position..].find(char::is_alphanumeric)?;
        let end = text[start..].find(|c: char| !c.is_alphanumeric());
        position = end.map_or(text.len(), |length| start + length);
        Some((start, &text[start..position]))
    })
}

/// The words of a text in lower case, with a space around each.
fn in_words(text: &str) -> String {
    let words: String = split(text).map(|(_, word)| format!("{} ", word.to_lowercase())).collect();
    format!(" {words}")
}

/// A word in lower case and in singular, as far as its letters tell.
fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    let cut = match word.strip_suffix("ies") {
        Some(rest) if rest.len() > 1 => return format!("{rest}y"),
        _ => word.strip_suffix('s'),
    };
    match cut {
        Some(rest) if rest.len() > 2 && !rest.ends_with(['s', 'u', 'i']) => rest.to_owned(),
        _ => word,
    }
}

fn matches(known: &str, asked: &str) -> bool {
    known == asked || asked.chars().count() >= MIN_PREFIX && known.starts_with(asked)
}

/// The part of a text with the most words of the query, or its beginning.
fn excerpt<'a>(text: &'a str, asked: &[String]) -> Vec<ExcerptPart<'a>> {
    let mut found: Vec<(usize, &str, usize)> = Vec::new();
    for (start, word) in split(text) {
        let stemmed = stem(word);
        if let Some(which) = asked.iter().position(|asked| matches(&stemmed, asked)) {
            found.push((start, word, which));
        }
    }
    let different = |from: usize| {
        let near = found.iter().filter(|(start, ..)| (from..from + EXCERPT - BEFORE).contains(start));
        let mut words: Vec<usize> = near.map(|(.., which)| *which).collect();
        words.sort_unstable();
        words.dedup();
        words.len()
    };
    let first =
        found.iter().map(|(start, ..)| *start).max_by_key(|start| (different(*start), text.len() - start));
    let from = first.map_or(0, |first| boundary(text, first.saturating_sub(BEFORE)).min(first));
    let to = boundary(text, from + EXCERPT);
    let mut parts = Vec::new();
    let mut push = |text: &'a str, marked| {
        if !text.is_empty() {
            parts.push(ExcerptPart { text, marked });
        }
    };
    push(if from > 0 { "… " } else { "" }, false);
    let mut position = from;
    for (start, word, _) in found.iter().filter(|(start, word, _)| *start >= from && start + word.len() <= to)
    {
        push(&text[position..*start], false);
        push(word, true);
        position = start + word.len();
    }
    push(&text[position..to], false);
    push(if to < text.len() { " …" } else { "" }, false);
    parts
}

/// The next start of a word at or after a position, or the end.
fn boundary(text: &str, position: usize) -> usize {
    if position == 0 || position >= text.len() {
        return position.min(text.len());
    }
    let spaces = text.bytes().enumerate().skip(position - 1);
    spaces.filter(|(_, byte)| *byte == b' ').map(|(at, _)| at + 1).next().unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::fuzz::text_target;

    fn passage(page: &'static str, title: &str, text: &str) -> Passage {
        let href = format!("/docs/{page}#{title}");
        Passage { page, href, title: title.to_owned(), text: text.to_owned() }
    }

    fn index() -> SearchIndex {
        SearchIndex::new(vec![
            passage(
                "Operations",
                "Settings",
                "Every setting is a key. Set TILL_BASE_URL to the public address.\n",
            ),
            passage("Operations", "Refunds", "A refund goes back to the customer. Retries are listed below."),
            passage(
                "Callbacks",
                "Attempts",
                "Till sends a callback again; the refund is sent as an event too.",
            ),
            passage("Callbacks", "Größe", "Straße, naïve, Ünïcode İstanbul and 漢字."),
        ])
    }

    fn titles(query: &str) -> Vec<String> {
        index().find(query, 10).hits.iter().map(|hit| hit.title.to_owned()).collect()
    }

    #[test]
    fn the_section_about_a_word_comes_before_those_that_mention_it() {
        assert_eq!(titles("refund"), ["Refunds", "Attempts"]);
        assert_eq!(titles("REFUNDS"), ["Refunds", "Attempts"]);
        assert_eq!(titles("retry"), ["Refunds"]);
        assert_eq!(titles("sett"), ["Settings"]);
        assert_eq!(titles("till_base_url"), ["Settings"]);
        assert_eq!(titles("how to set the base url"), ["Settings"]);
        assert_eq!(titles("größe"), ["Größe"]);
        assert_eq!(titles("refund callbacks"), ["Attempts"]);
    }

    #[test]
    fn the_section_that_is_named_so_comes_first() {
        let index = SearchIndex::new(vec![
            passage(
                "Settings",
                "master_key_file",
                "A file that has the master key. The master key, the master key.",
            ),
            passage("Settings", "master_key", "64 digits."),
            passage("Security", "Keys", "The master key, and others."),
        ]);
        let found = index.find("Master key", 10);
        let titles: Vec<&str> = found.hits.iter().map(|hit| hit.title).collect();
        assert_eq!(titles, ["master_key", "master_key_file", "Keys"]);
    }

    #[test]
    fn sections_with_some_of_the_words_are_better_than_none() {
        let index = index();
        let found = index.find("refund zeppelin", 10);
        assert!(found.partly && found.total == 2, "{found:?}");
        let found = index.find("zeppelin", 10);
        assert!(found.hits.is_empty() && found.total == 0, "{found:?}");
        assert_eq!(index.find("refund", 1).total, 2);
        for nothing in ["", "   ", "?!*", "\0", "<>"] {
            assert_eq!(index.find(nothing, 10).total, 0, "{nothing:?}");
        }
    }

    #[test]
    fn an_excerpt_shows_the_match_in_its_surroundings() {
        let text = format!("{} the refund of a session {}", "before ".repeat(40), "after ".repeat(80));
        let parts = excerpt(&text, &query_words("refunds"));
        let marked: Vec<&str> = parts.iter().filter(|part| part.marked).map(|part| part.text).collect();
        assert_eq!(marked, ["refund"]);
        let whole: String = parts.iter().map(|part| part.text).collect();
        assert!(whole.starts_with("… before") && whole.ends_with("after  …"), "{whole}");
        assert!(whole.len() < EXCERPT + 40 && whole.contains(" the refund of a session "), "{whole}");
    }

    #[test]
    fn f26_search() {
        let index = index();
        let seeds = ["refund callback", "TILL_BASE_URL", "how to set", "naïve İstanbul 漢字"];
        let words =
            [" ", "_", "\u{0}", "s", "İ", "ß", "<script>", "'\"", "%00", "\u{202e}", "aaaaaaaa", "漢"];
        text_target(&seeds, &words, |query| {
            for hit in index.find(query, 10).hits {
                let whole: String = hit.excerpt.iter().map(|part| part.text).collect();
                assert!(whole.len() < EXCERPT + 100, "{whole}");
            }
        });
    }
}
