//! The bodies over which a signature may have been computed.

use super::{
    Mistake,
    json::{self, Spaces, Style},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use percent_encoding::percent_decode;
use serde_json::Value;
use till_domain::time::Timestamp;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Deeper documents are not written again: with indentation they would become large, and callbacks have two levels.
const MAX_DEPTH: usize = 4;

/// A body to try.
#[derive(Debug)]
pub(super) struct BodyGuess {
    pub(super) bytes: Vec<u8>,
    /// What was done to it before it was signed.
    pub(super) mistakes: Vec<Mistake>,
}

/// The event that a body reports.
pub(super) struct ReportedEvent {
    pub(super) id: String,
    /// In seconds.
    pub(super) occurred_at: i64,
}

pub(super) fn event(body: &[u8]) -> Option<ReportedEvent> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let occurred_at = Timestamp::parse(body["occurredAt"].as_str()?)?.as_ms().div_euclid(1000);
    Some(ReportedEvent { id: body["eventId"].as_str()?.to_owned(), occurred_at })
}

/// The body as it is, and then with one change, or several of those that JSON libraries make together.
pub(super) fn guesses(body: &[u8], sent: Option<&[u8]>) -> Vec<BodyGuess> {
    let is_sent = sent.is_none_or(|sent| sent == body);
    let mistakes = if is_sent { Vec::new() } else { vec![Mistake::BodyNotSent] };
    let mut guesses = vec![BodyGuess { bytes: body.to_vec(), mistakes }];
    let mut add = |bytes: Vec<u8>, mistakes: Vec<Mistake>| {
        if !guesses.iter().any(|known| known.bytes == bytes) {
            guesses.push(BodyGuess { bytes, mistakes });
        }
    };
    if let Some(sent) = sent {
        add(sent.to_vec(), vec![Mistake::BodyChanged]);
    }
    for (mistake, bytes) in changed(body) {
        add(bytes, vec![mistake]);
    }
    if let Ok(document) = serde_json::from_slice(body)
        && depth(&document) <= MAX_DEPTH
    {
        for (style, mistakes) in styles() {
            add(json::write(&document, style).into_bytes(), mistakes);
        }
    }
    guesses
}

fn depth(document: &Value) -> usize {
    let inner = |values: &mut dyn Iterator<Item = &Value>| values.map(depth).max().unwrap_or(0) + 1;
    match document {
        Value::Array(items) => inner(&mut items.iter()),
        Value::Object(members) => inner(&mut members.values()),
        _ => 0,
    }
}

/// Changes of bytes that have nothing to do with JSON.
fn changed(body: &[u8]) -> Vec<(Mistake, Vec<u8>)> {
    let mut changes = vec![
        (Mistake::EmptyBody, Vec::new()),
        (Mistake::ByteOrderMark, [BOM, body].concat()),
        (Mistake::TrailingNewline, [body, b"\n"].concat()),
        (Mistake::TrailingNewline, [body, b"\r\n"].concat()),
        (Mistake::TrailingNewline, body.trim_ascii_end().to_vec()),
        (Mistake::LineEndings, replace_line_endings(body, b"\r\n")),
        (Mistake::LineEndings, replace_line_endings(body, b"\n")),
        (Mistake::UrlDecoded, percent_decode(body).collect()),
        (Mistake::BodyEncoded, BASE64_STANDARD.encode(body).into_bytes()),
        (Mistake::BodyEncoded, hex::encode(body).into_bytes()),
    ];
    changes.extend(body.strip_prefix(BOM).map(|rest| (Mistake::ByteOrderMark, rest.to_vec())));
    if let Ok(text) = str::from_utf8(body) {
        let spaced = percent_decode(text.replace('+', " ").as_bytes()).collect();
        changes.push((Mistake::UrlDecoded, spaced));
        // A JSON text that contains the document.
        changes.extend(serde_json::to_vec(text).ok().map(|twice| (Mistake::SerializedTwice, twice)));
    }
    changes
}

fn replace_line_endings(body: &[u8], ending: &[u8]) -> Vec<u8> {
    let lines = body.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.collect::<Vec<_>>().join(ending)
}

/// The styles of JSON libraries, those with the fewest changes first.
fn styles() -> Vec<(Style, Vec<Mistake>)> {
    let spaces =
        [Spaces::None, Spaces::Single, Spaces::Lines("  "), Spaces::Lines("    "), Spaces::Lines("\t")];
    let mut styles = Vec::new();
    for spaces in spaces {
        for is_sorted in [false, true] {
            for escapes_slashes in [false, true] {
                for escapes_non_ascii in [false, true] {
                    let style = Style { spaces, is_sorted, escapes_slashes, escapes_non_ascii };
                    styles.push((style, mistakes_of(style)));
                }
            }
        }
    }
    styles.sort_by_key(|(_, mistakes)| mistakes.len());
    styles
}

fn mistakes_of(style: Style) -> Vec<Mistake> {
    let changes = [
        (style.is_sorted, Mistake::KeyOrder),
        (style.escapes_slashes, Mistake::EscapedSlashes),
        (style.escapes_non_ascii, Mistake::EscapedNonAscii),
    ];
    let mut mistakes: Vec<Mistake> =
        changes.into_iter().filter_map(|(is_made, mistake)| is_made.then_some(mistake)).collect();
    // Till writes no spaces: a body that has some differs by them from a style that writes none.
    if style.spaces != Spaces::None || mistakes.is_empty() {
        mistakes.insert(0, Mistake::Spaces);
    }
    mistakes
}
