//! Validation of names and identifiers that people write: accepted characters and lengths.
//!
//! A character is a Unicode scalar value. Nothing here escapes for HTML or logs; the code that shows a text
//! does.

/// A validation error of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextProblem {
    /// Empty, after trimming where trimming applies.
    #[error("must not be empty")]
    Empty,
    #[error("may have at most {max} characters")]
    TooLong { max: usize },
    /// A control character, or one that changes the direction of the text.
    #[error("must not contain control characters{0}")]
    BadCharacter(&'static str),
    #[error("must be an email address such as name@example.com")]
    NotAnEmail,
}

/// Maximum characters of a name or an order id.
pub const MAX_CHARS: usize = 255;

/// Validates a name that people read: trimmed, 1 to 255 characters, no control characters, no bidi overrides.
pub fn name(text: &str) -> Result<String, TextProblem> {
    let text = text.trim();
    check(text)?;
    if text.chars().any(turns_direction) {
        return Err(TextProblem::BadCharacter(" or bidirectional overrides and isolates"));
    }
    Ok(text.to_owned())
}

/// Validates a line of text that people read, like [`name`], of at most `max` characters.
pub fn line(text: &str, max: usize) -> Result<String, TextProblem> {
    let text = text.trim();
    if text.is_empty() {
        return Err(TextProblem::Empty);
    }
    if text.chars().nth(max).is_some() {
        return Err(TextProblem::TooLong { max });
    }
    if text.chars().any(|c| c.is_control() || turns_direction(c)) {
        return Err(TextProblem::BadCharacter(" or bidirectional overrides and isolates"));
    }
    Ok(text.to_owned())
}

/// Maximum characters of a note.
pub const MAX_NOTE: usize = 1_000;

/// Validates a note of several lines that people read: trimmed, 1 to 1000 characters, no control characters
/// but tabs and line ends, no bidi overrides.
pub fn note(text: &str) -> Result<String, TextProblem> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim();
    if text.is_empty() {
        return Err(TextProblem::Empty);
    }
    if text.chars().nth(MAX_NOTE).is_some() {
        return Err(TextProblem::TooLong { max: MAX_NOTE });
    }
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(TextProblem::BadCharacter(""));
    }
    if text.chars().any(turns_direction) {
        return Err(TextProblem::BadCharacter(" or bidirectional overrides and isolates"));
    }
    Ok(text.to_owned())
}

/// Validates an identifier of the vendor: kept exactly, 1 to 255 characters, no control characters.
pub fn reference(text: &str) -> Result<String, TextProblem> {
    check(text)?;
    Ok(text.to_owned())
}

/// Validates an e-mail address: one `@`, text before it, a host with a dot after it, no blanks, at most 254
/// bytes.
pub fn email(text: &str) -> Result<String, TextProblem> {
    check(text)?;
    let parts: Vec<&str> = text.split('@').collect();
    let whole = matches!(parts.as_slice(), [local, host] if !local.is_empty() && host.contains('.'));
    let fits = text.len() <= 254 && !text.contains(char::is_whitespace);
    if whole && fits { Ok(text.to_owned()) } else { Err(TextProblem::NotAnEmail) }
}

/// The longest language tag that is accepted.
const MAX_LANGUAGE_TAG: usize = 100;

/// The text if it has the form of a BCP 47 language tag: a language of 2 to 8 letters, or `x` or `i`, and subtags of 1
/// to 8 letters and digits.
#[must_use]
pub fn language_tag(text: &str) -> Option<&str> {
    let mut subtags = text.split('-');
    let language = subtags.next()?;
    let letters = language.bytes().all(|byte| byte.is_ascii_alphabetic());
    let private = matches!(language, "x" | "X" | "i" | "I") && text.contains('-');
    let language = letters && (private || (2..=8).contains(&language.len()));
    let rest = subtags
        .all(|tag| (1..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    (language && rest && text.len() <= MAX_LANGUAGE_TAG).then_some(text)
}

fn check(text: &str) -> Result<(), TextProblem> {
    if text.is_empty() {
        return Err(TextProblem::Empty);
    }
    if text.chars().nth(MAX_CHARS).is_some() {
        return Err(TextProblem::TooLong { max: MAX_CHARS });
    }
    if text.chars().any(char::is_control) {
        return Err(TextProblem::BadCharacter(""));
    }
    Ok(())
}

/// Bidi overrides, embeddings and isolates: they can make a product name read as something else.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// The name of an unknown key, for an error message. A key that does not look like a name may be a secret
/// that was written on the wrong side of the equals sign, and is not repeated.
#[must_use]
pub fn quoted_key(key: &str) -> String {
    const LONGEST: usize = 24;
    let is_name = key.len() <= LONGEST && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if is_name { format!("`{key}`") } else { "A key that is not shown, as it may be a secret,".to_owned() }
}

/// An e-mail address, masked so that only its owner recognises it: `a•••@mail.example`.
#[must_use]
pub fn masked_email(email: &str) -> String {
    match email.rsplit_once('@') {
        Some((name, host)) => {
            format!("{}•••@{host}", name.chars().next().map(String::from).unwrap_or_default())
        }
        None => "•••".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_order_ids_are_not() {
        assert_eq!(name("  Atlas \t"), Ok("Atlas".to_owned()));
        assert_eq!(reference("  A-1 "), Ok("  A-1 ".to_owned()));
        assert_eq!(name("   "), Err(TextProblem::Empty));
        assert_eq!(reference(" "), Ok(" ".to_owned()));
    }

    #[test]
    fn a_note_has_several_lines_of_plain_text() {
        assert_eq!(note(" one\r\ntwo\tthree\r \n"), Ok("one\ntwo\tthree".to_owned()));
        assert_eq!(note(" \r\n "), Err(TextProblem::Empty));
        assert_eq!(note(&"ж".repeat(MAX_NOTE)).map(|text| text.chars().count()), Ok(MAX_NOTE));
        assert_eq!(note(&"ж".repeat(MAX_NOTE + 1)), Err(TextProblem::TooLong { max: MAX_NOTE }));
        for bad in ["a\u{0}b", "a\u{1b}[31m", "a\u{202e}b"] {
            assert!(matches!(note(bad), Err(TextProblem::BadCharacter(_))), "{bad:?}");
        }
    }

    #[test]
    fn an_email_address_has_one_at_sign_and_a_host() {
        assert!(email("name@example.com").is_ok());
        for bad in
            ["", "name", "@example.com", "name@", "a@b", "a@b@c.d", "na me@example.com", "a@b.c\r\nBcc: x"]
        {
            assert!(email(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_language_tag_is_a_language_and_subtags() {
        for tag in
            ["ru", "en-GB", "zh-Hant-TW", "sl-rozaj-biske", "de-DE-u-co-phonebk", "x-shop", "i-klingon"]
        {
            assert_eq!(language_tag(tag), Some(tag));
        }
        let long = format!("en{}", "-abcdefgh".repeat(11));
        for bad in [
            "",
            "e",
            "x",
            "en_GB",
            "en-",
            "-en",
            "en--GB",
            "1n",
            "ру",
            "abcdefghi",
            "en GB",
            "en-abcdefghi",
            &long,
        ] {
            assert_eq!(language_tag(bad), None, "{bad}");
        }
    }

    #[test]
    fn lengths_count_unicode_characters() {
        assert!(name(&"ж".repeat(255)).is_ok());
        assert_eq!(name(&"ж".repeat(256)), Err(TextProblem::TooLong { max: 255 }));
        assert!(reference(&"🧾".repeat(255)).is_ok());
    }

    #[test]
    fn control_characters_and_bidi_tricks_are_refused() {
        for bad in ["a\u{0}b", "a\nb", "a\u{7f}b", "a\u{85}b"] {
            assert!(name(bad).is_err(), "{bad:?}");
            assert!(reference(bad).is_err(), "{bad:?}");
        }
        for bad in ["a\u{202E}b", "a\u{2066}b", "a\u{2069}b"] {
            assert!(name(bad).is_err(), "{bad:?}");
            assert!(reference(bad).is_ok(), "{bad:?}");
        }
        assert!(name("שלום עולם").is_ok());
    }
}
