//! The query of a call: each parameter at most once, and in lists no unknown ones.

use std::borrow::Cow;
use till_domain::{
    rejection::{FieldProblem, Problems},
    time::{TimeZone, Timestamp},
};
use till_store::Span;
use url::form_urlencoded;

/// Characters of an unknown parameter's name that an error repeats.
const SHOWN: usize = 64;

/// The most unknown parameters that an error names.
const MOST_NAMED: usize = 20;

/// The parsed value of a parameter, if it is present; it may be given once.
pub(super) fn read_one<T>(
    query: &str,
    name: &str,
    read: impl FnOnce(&str) -> Result<T, FieldProblem>,
) -> Result<Option<T>, FieldProblem> {
    let mut values = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == name);
    let Some((_, value)) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(FieldProblem::GivenTwice);
    }
    read(&value).map(Some)
}

/// Notes every parameter that the call does not have, so that a typing error does not list everything.
pub(super) fn refuse_unknown(query: &str, known: &[&str], problems: &mut Problems) {
    let mut unknown: Vec<Cow<'_, str>> = form_urlencoded::parse(query.as_bytes())
        .map(|(name, _)| name)
        .filter(|name| !known.contains(&name.as_ref()))
        .collect();
    unknown.sort_unstable();
    unknown.dedup();
    for name in unknown.into_iter().take(MOST_NAMED) {
        let shown: String = name.chars().take(SHOWN).collect();
        problems.add(shown, FieldProblem::UnknownParameter(known.join(", ")));
    }
}

/// The number of rows on a page.
pub(super) fn read_limit(text: &str, most: u32) -> Result<u32, FieldProblem> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let limit = text.parse().ok().filter(|limit| digits && (1..=most).contains(limit));
    limit.ok_or(FieldProblem::OutOfRange { least: 1, most })
}

/// The span of `created_from` and `created_to`.
pub(super) fn read_span(query: &str, problems: &mut Problems) -> Span {
    let since = problems.take("created_from", read_one(query, "created_from", read_time)).flatten();
    let until = problems.take("created_to", read_one(query, "created_to", read_time)).flatten();
    if since.zip(until).is_some_and(|(since, until)| until <= since) {
        problems.add("created_to", FieldProblem::NotAfterStart("created_from"));
    }
    Span { since, until }
}

/// A moment as a part of a cursor's scope.
pub(super) fn moment_bytes(moment: Option<Timestamp>) -> Vec<u8> {
    moment.map_or_else(Vec::new, |moment| moment.as_ms().to_be_bytes().to_vec())
}

/// A moment: RFC 3339 with at most milliseconds, or a date, which is its midnight in UTC.
pub(super) fn read_time(text: &str) -> Result<Timestamp, FieldProblem> {
    // A plus sign that was not percent-encoded arrives as a blank.
    let text = text.replace(' ', "+");
    let moment = if text.len() == "2026-11-15".len() {
        TimeZone::utc().day_start(&text)
    } else {
        Timestamp::parse(&text).filter(|_| is_exact(&text))
    };
    moment.filter(|moment| moment.as_ms() >= 0).ok_or(FieldProblem::NotATime)
}

/// True if a time has seconds, at most three decimals of them, and an offset.
fn is_exact(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked("2026-11-15T09:30:00".len()) else { return false };
    let shape = date.bytes().zip(b"0000-00-00T00:00:00").all(|(byte, like)| match like {
        b'0' => byte.is_ascii_digit(),
        like => byte.eq_ignore_ascii_case(like),
    });
    let offset = rest.strip_prefix('.').map_or(Some(rest), |decimals| {
        let digits = decimals.bytes().take_while(u8::is_ascii_digit).count();
        (1..=3).contains(&digits).then(|| &decimals[digits..])
    });
    let zone = |offset: &str| match offset.as_bytes() {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', hours @ .., b':', _, _] => hours.len() == 2,
        _ => false,
    };
    shape && offset.is_some_and(zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_an_offset_and_at_most_milliseconds() {
        let ms = |text: &str| read_time(text).map(Timestamp::as_ms);
        for (text, expected) in [
            ("2026-11-15T09:30:00Z", 1_794_735_000_000),
            ("2026-11-15T12:30:00+03:00", 1_794_735_000_000),
            ("2026-11-15T12:30:00 03:00", 1_794_735_000_000),
            ("2026-11-15T09:30:00.5Z", 1_794_735_000_500),
            ("2026-11-15T09:30:00.123z", 1_794_735_000_123),
            ("2026-11-15", 1_794_700_800_000),
        ] {
            assert_eq!(ms(text), Ok(expected), "{text}");
        }
        for text in [
            "",
            "x",
            "2026-11-15T09:30:00",
            "2026-11-15T09:30Z",
            "2026-11-15T09:30:00.1234Z",
            "2026-11-15T09:30:00.Z",
            "2026-02-30",
            "2026-11-15T25:00:00Z",
            "2026-11-15 09:30:00Z",
            "1969-12-31",
            "20261115T093000Z",
            "2026-11-1é",
            "2026-11-15T09:30:00+03",
            "2026-11-15T09:30:00Z[UTC]",
            "1794735000",
        ] {
            assert_eq!(ms(text), Err(FieldProblem::NotATime), "{text}");
        }
    }

    #[test]
    fn every_unknown_parameter_is_named_once() {
        let mut problems = Problems::default();
        refuse_unknown("limit=1&Limit=2&staus=paid&staus=x&%00=1", &["limit", "status"], &mut problems);
        let rejection = problems.finish().expect_err("three are unknown");
        let names: Vec<_> = rejection.fields().iter().map(|error| error.field.as_ref()).collect();
        assert_eq!(names, ["\0", "Limit", "staus"]);
    }
}
