//! Splits the document's plain sentences into spans, so that names and codes stand out on the page.
//!
//! It only marks; the template escapes.

use super::errors;

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    Text(String),
    /// A name or value, as it is on the wire.
    Code(String),
    /// An error code, which the page explains.
    Problem(String),
}

/// Parses a sentence. Text in backticks, words with an underscore and header names are code; error codes
/// become links.
pub fn parse(text: &str) -> Vec<Span> {
    spans(text, |word| word.contains('_') && errors::is_code(word))
}

/// Parses a sentence about errors, in which a code without an underscore is a code too.
pub fn parse_problem(text: &str) -> Vec<Span> {
    spans(text, errors::is_code)
}

/// The text of a sentence.
pub fn plain(spans: &[Span]) -> String {
    let text = |span: &Span| match span {
        Span::Text(text) | Span::Code(text) | Span::Problem(text) => text.clone(),
    };
    spans.iter().map(text).collect()
}

fn spans(text: &str, is_problem: impl Fn(&str) -> bool) -> Vec<Span> {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        // An unpaired backtick is an ordinary character.
        return words(text, &is_problem);
    }
    let read = |(index, part): (usize, &&str)| match index % 2 {
        0 => words(part, &is_problem),
        _ => vec![Span::Code((*part).to_owned())],
    };
    parts.iter().enumerate().flat_map(read).collect()
}

fn words(text: &str, is_problem: &impl Fn(&str) -> bool) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let inside = is_word(first);
        let end = rest.find(|c| is_word(c) != inside).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        let span = if is_problem(piece) {
            Span::Problem(piece.to_owned())
        } else if piece.contains('_') || is_header(piece) {
            Span::Code(piece.to_owned())
        } else {
            plain.push_str(piece);
            continue;
        };
        if !plain.is_empty() {
            spans.push(Span::Text(std::mem::take(&mut plain)));
        }
        spans.push(span);
    }
    if !plain.is_empty() {
        spans.push(Span::Text(plain));
    }
    spans
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '…' | '{' | '}')
}

/// True if a word is written like `Idempotency-Key`.
fn is_header(word: &str) -> bool {
    word.contains('-') && word.split('-').all(|part| part.starts_with(|c: char| c.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(spans: &[Span], expected: &str) {
        let show = |span: &Span| match span {
            Span::Text(text) => text.clone(),
            Span::Code(text) => format!("[{text}]"),
            Span::Problem(code) => format!("<{code}>"),
        };
        assert_eq!(spans.iter().map(show).collect::<String>(), expected);
    }

    #[test]
    fn names_values_and_error_codes_are_marked() {
        check(&parse("Always `Bearer`."), "Always [Bearer].");
        check(
            &parse("Send product_id, not both. It is 422 conflicting_item."),
            "Send [product_id], not both. It is 422 <conflicting_item>.",
        );
        check(&parse("live_… or {SESSION_ID}"), "[live_…] or [{SESSION_ID}]");
        check(&parse("Retry-After in UTF-8, well-formed"), "[Retry-After] in UTF-8, well-formed");
        check(&parse("one ` alone"), "one ` alone");
        check(&parse("It is unavailable."), "It is unavailable.");
        check(&parse_problem("Code: unavailable."), "Code: <unavailable>.");
        check(&parse(""), "");
    }
}
