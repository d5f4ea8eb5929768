//! Secrets of setups: which values are secret, what is shown in their place, and how they are kept while a
//! form or document is edited. A stored or entered secret is never shown again; a hint tells which one it is.

use super::{FieldKind, FormField, FormValues, Rule, SetupProblem};
use crate::web::host_of;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};
use toml::{
    Value,
    de::{DeTable, DeValue},
};

/// A secret that an empty field stands for.
#[derive(Clone, PartialEq, Eq)]
pub enum KeptSecret {
    /// The value of this name in the stored document.
    Stored(String),
    /// A value that was entered before, and is not stored yet.
    Entered(String),
}

/// A form whose secrets are filled in, its rows numbered without gaps.
#[derive(Clone, Default)]
pub struct FilledForm {
    /// All values, secrets included.
    pub values: FormValues,
    /// The source of each secret, by name.
    pub kept: BTreeMap<String, KeptSecret>,
}

impl FilledForm {
    /// The form of a stored document, in which every secret is kept.
    #[must_use]
    pub fn stored(fields: &[FormField], document: &str) -> Self {
        let values = FormValues::read(fields, document);
        let names = values.iter().map(|(name, _)| name.to_owned());
        let secret = names.filter(|name| kind_of(fields, name).is_some_and(FieldKind::is_secret));
        let kept = secret.map(|name| (name.clone(), KeptSecret::Stored(name))).collect();
        Self { values, kept }
    }
}

/// The kind of the value with this name; `None` if the form has none.
#[must_use]
pub fn kind_of(fields: &[FormField], name: &str) -> Option<FieldKind> {
    fields.iter().find_map(|field| {
        let rest = name.strip_prefix(&field.name(""))?;
        match (field.kind, rest.strip_prefix('-')) {
            (kind, None) => rest.is_empty().then_some(kind),
            (FieldKind::Rows(inside), Some(rest)) => kind_of(inside, rest.split_once('-')?.1),
            (FieldKind::List(kind, _), Some(number)) => number.parse::<usize>().ok().map(|_| *kind),
            _ => None,
        }
    })
}

/// What was sent of a form, and what its empty secrets stand for.
struct Filling<'a> {
    typed: &'a FormValues,
    /// The names of rows, items and secrets to leave out.
    removed: &'a BTreeSet<String>,
    /// The form as it was shown.
    shown: &'a FilledForm,
}

/// Fills the secrets of a form that was sent: an empty one stays as it was when the form was shown, unless it
/// is removed. Removed and empty rows are left out, and the others numbered again.
#[must_use]
pub fn fill(
    fields: &[FormField],
    typed: &FormValues,
    removed: &BTreeSet<String>,
    shown: &FilledForm,
) -> FilledForm {
    let mut filled = FilledForm::default();
    Filling { typed, removed, shown }.copy(fields, ("", ""), &mut filled);
    filled
}

impl Filling<'_> {
    fn copy(&self, fields: &[FormField], (from, to): (&str, &str), filled: &mut FilledForm) {
        for field in fields {
            let (name, new) = (field.name(from), field.name(to));
            match field.kind {
                FieldKind::Rows(inside) => {
                    for (row, number) in self.items(&name).into_iter().zip(1..) {
                        self.copy(inside, (&format!("{row}-"), &format!("{new}-{number}-")), filled);
                    }
                }
                FieldKind::List(..) => {
                    for (item, number) in self.items(&name).into_iter().zip(1..) {
                        self.copy_secret(&item, format!("{new}-{number}"), filled);
                    }
                }
                kind if kind.is_secret() => self.copy_secret(&name, new, filled),
                _ => filled.values.set(new, self.typed.get(&name)),
            }
        }
    }

    /// The rows or items of a list that stay.
    fn items(&self, list: &str) -> Vec<String> {
        let mut kept = FormValues::default();
        for name in self.shown.kept.keys().filter(|name| !self.is_removed(name)) {
            kept.set(name.clone(), "kept");
        }
        let numbers: BTreeSet<usize> = self.typed.numbers(list).union(&kept.numbers(list)).copied().collect();
        let names = numbers.into_iter().map(|number| format!("{list}-{number}"));
        names.filter(|name| !self.is_removed(name)).collect()
    }

    fn is_removed(&self, name: &str) -> bool {
        self.removed.contains(name)
    }

    fn copy_secret(&self, name: &str, new: String, filled: &mut FilledForm) {
        let kept = match self.typed.get(name) {
            "" if self.is_removed(name) => return,
            "" => self.shown.kept.get(name).cloned(),
            typed => Some(KeptSecret::Entered(typed.to_owned())),
        };
        let Some(kept) = kept else { return };
        let value = match &kept {
            KeptSecret::Stored(_) => self.shown.values.get(name).to_owned(),
            KeptSecret::Entered(value) => value.clone(),
        };
        filled.values.set(new.clone(), value);
        filled.kept.insert(new, kept);
    }
}

/// What may be shown of a secret: the host of an address, the last four characters of a long key.
#[must_use]
pub fn hint_of(secret: &str) -> String {
    const LONG: usize = 20;
    if secret.contains("://") {
        return host_of(secret);
    }
    let end: Vec<char> = secret.chars().rev().take(4).collect();
    if secret.chars().count() < LONG {
        String::new()
    } else {
        format!("…{}", end.iter().rev().collect::<String>())
    }
}

/// A document to show, in which placeholders stand for secrets.
#[derive(Clone, Default)]
pub struct MaskedDocument {
    pub text: String,
    /// The secrets that were replaced, in the order of their numbers.
    pub secrets: Vec<String>,
}

/// Replaces each secret of a document by a placeholder, `<stored:1 …cdef>`, with this word and numbers from
/// `first`. Placeholders that are there already stay. Of a text that is not TOML each line is judged by itself.
#[must_use]
pub fn mask(fields: &[FormField], text: &str, word: &str, first: usize) -> MaskedDocument {
    let mut masked = MaskedDocument::default();
    match DeTable::parse(text) {
        Ok(table) => {
            let mut found = Vec::new();
            secrets_in(fields, table.get_ref(), &mut found);
            masked.replace(text, found, (word, first));
        }
        Err(_) => {
            for (number, line) in text.lines().enumerate() {
                if number > 0 {
                    masked.text.push('\n');
                }
                masked.add_line(fields, line, (word, first));
            }
        }
    }
    masked.text = masked.text.split('\n').map(without_secret_comment).collect::<Vec<_>>().join("\n");
    masked
}

impl MaskedDocument {
    /// Adds a text with these secrets replaced.
    fn replace(&mut self, text: &str, mut found: Vec<(Range<usize>, String)>, (word, first): (&str, usize)) {
        found.sort_by_key(|(span, _)| span.start);
        let mut done = 0;
        for (span, secret) in
            found.into_iter().filter(|(_, secret)| !secret.is_empty() && !is_placeholder(secret))
        {
            let number = first + self.secrets.len();
            let hint = hint_of(&secret);
            let placeholder = format!("<{word}:{number}{}{hint}>", if hint.is_empty() { "" } else { " " });
            self.text.push_str(text.get(done..span.start).unwrap_or(""));
            self.text.push_str(&Value::String(placeholder).to_string());
            done = span.end;
            self.secrets.push(secret);
        }
        self.text.push_str(text.get(done..).unwrap_or(""));
    }

    /// Adds a line of a text that is not TOML. A line that is TOML by itself, or an item of a list, has its secrets
    /// replaced; of any other only the key stays.
    fn add_line(&mut self, fields: &[FormField], line: &str, names: (&str, usize)) {
        let start = line.trim();
        let (key, value) = start.split_once('=').unwrap_or((start, ""));
        let key = key.trim();
        let is_key = start.contains('=') && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        let is_header = start.starts_with('[') && start.ends_with(']') && !start.contains(['"', '\'', ',']);
        if start.is_empty() || start.starts_with('#') || is_header {
            self.text.push_str(line);
        } else if is_key && let Ok(table) = DeTable::parse(line) {
            let (open, mut found) = (open_keys(fields), Vec::new());
            for (key, value) in table.get_ref().iter() {
                let is_open = open.contains(&key.get_ref().as_ref());
                let mut strings = Vec::new();
                strings_in(value.span(), value.get_ref(), &mut strings);
                found.extend(strings.into_iter().filter(|(_, text)| !is_open || looks_secret(text)));
            }
            self.replace(line, found, names);
        } else if let Some(items) = list_items(line) {
            self.replace(line, items, names);
        } else if start.chars().all(|c| "[]{},".contains(c)) {
            self.text.push_str(line);
        } else {
            let is_open = open_keys(fields).contains(&key) && !value.split(is_word_end).any(may_be_secret);
            self.text.push_str(&match is_key {
                true if is_open || value.trim() == "[" => line.to_owned(),
                true => format!("{key} = \"\""),
                false => "#".to_owned(),
            });
        }
    }
}

/// The strings of a line that has items of a list and nothing else.
fn list_items(line: &str) -> Option<Vec<(Range<usize>, String)>> {
    const BEFORE: &str = "items = [";
    let list = format!("{BEFORE}{line}\n]");
    let table = DeTable::parse(&list).ok()?;
    let mut found = Vec::new();
    for (_, value) in table.get_ref().iter() {
        strings_in(value.span(), value.get_ref(), &mut found);
    }
    let back = |at: usize| at.saturating_sub(BEFORE.len());
    Some(found.into_iter().map(|(span, text)| (back(span.start)..back(span.end), text)).collect())
}

/// A line whose comment, if it has one, has no word that may be a secret.
fn without_secret_comment(line: &str) -> String {
    let Some((before, comment)) = comment_of(line).and_then(|start| line.split_at_checked(start)) else {
        return line.to_owned();
    };
    let word = |part: &str| {
        let word = part.trim_end_matches(is_word_end);
        let kept = part.get(word.len()..).unwrap_or("");
        if may_be_secret(word) { format!("…{kept}") } else { part.to_owned() }
    };
    format!("{before}{}", comment.split_inclusive(is_word_end).map(word).collect::<String>())
}

fn is_word_end(c: char) -> bool {
    c.is_whitespace() || ['"', '\'', ',', '=', '[', ']', '(', ')', '`'].contains(&c)
}

/// True for a word of a comment that may be a key, a token or an address with one.
fn may_be_secret(word: &str) -> bool {
    const LONG: usize = 20;
    let is_token = || word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    let is_address = || word.contains("://") && !word.contains('<');
    looks_secret(word) || is_address() || word.len() >= LONG && is_token()
}

/// The place where the comment of a line begins.
fn comment_of(line: &str) -> Option<usize> {
    let (mut quote, mut escaped) = (None, false);
    for (place, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') => return Some(place),
            (None, '"' | '\'') => quote = Some(c),
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), c) if c == open && !escaped => quote = None,
            _ => {}
        }
        escaped = false;
    }
    None
}

/// Replaces the placeholders of a document by their secrets: those of the stored document, and those entered
/// before. A placeholder without a secret is a problem.
pub fn unmask(
    fields: &[FormField],
    text: &str,
    stored: &[String],
    entered: &[String],
) -> Result<String, Vec<SetupProblem>> {
    // What is wrong with the TOML is said by the provider's parser.
    let Ok(table) = DeTable::parse(text) else { return Ok(text.to_owned()) };
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    secrets_in(fields, table.get_ref(), &mut found);
    found.sort_by_key(|(span, _)| span.start);
    let (mut document, mut done) = (String::new(), 0);
    let mut secret_spans = Vec::new();
    secret_settings_in(fields, table.get_ref(), &mut secret_spans);
    for (span, written) in found.into_iter().filter(|(_, written)| is_placeholder(written)) {
        // In any other setting the secret would be shown.
        if !secret_spans.contains(&span) {
            let sentence = format!("{written} may stand only where a secret is expected.");
            problems.push(SetupProblem::new("", Rule::Missing, sentence));
            continue;
        }
        let secret = placeholder(&written).and_then(|(word, number)| {
            let secrets = if word == "stored" { stored } else { entered };
            secrets.get(number.checked_sub(1)?)
        });
        let Some(secret) = secret else {
            let sentence = format!("{written} stands for no secret that is stored: enter the secret itself.");
            problems.push(SetupProblem::new("", Rule::Missing, sentence));
            continue;
        };
        document.push_str(text.get(done..span.start).unwrap_or(""));
        document.push_str(&Value::String(secret.clone()).to_string());
        done = span.end;
    }
    document.push_str(text.get(done..).unwrap_or(""));
    if problems.is_empty() { Ok(document) } else { Err(problems) }
}

/// The spans and values of all secret strings: those of secret settings and of settings that do not exist, and
/// those that look like a secret in the wrong place.
fn secrets_in(fields: &[FormField], table: &DeTable<'_>, found: &mut Vec<(Range<usize>, String)>) {
    for (key, value) in table.iter() {
        let key = key.get_ref().as_ref();
        let is_field = |field: &&FormField| field.key.split('.').next() == Some(key);
        let kind = fields.iter().find(is_field).map(|field| field.kind);
        if let (Some(FieldKind::Rows(inside)), Some(rows)) = (kind, value.get_ref().as_array()) {
            for row in rows.iter().filter_map(|row| row.get_ref().as_table()) {
                secrets_in(inside, row, found);
            }
            continue;
        }
        let is_secret = kind.is_none_or(|kind| kind.is_secret() || matches!(kind, FieldKind::List(..)));
        let mut strings = Vec::new();
        strings_in(value.span(), value.get_ref(), &mut strings);
        found.extend(
            strings.into_iter().filter(|(_, text)| is_secret || looks_secret(text) || is_placeholder(text)),
        );
    }
}

/// The spans of the strings of secret settings.
fn secret_settings_in(fields: &[FormField], table: &DeTable<'_>, spans: &mut Vec<Range<usize>>) {
    for (key, value) in table.iter() {
        let key = key.get_ref().as_ref();
        let field = fields.iter().find(|field| field.key.split('.').next() == Some(key));
        match field.map(|field| field.kind) {
            Some(FieldKind::Rows(inside)) => {
                let rows = value.get_ref().as_array().into_iter().flat_map(|rows| rows.iter());
                rows.filter_map(|row| row.get_ref().as_table())
                    .for_each(|row| secret_settings_in(inside, row, spans));
            }
            Some(kind) if kind.is_secret() || matches!(kind, FieldKind::List(..)) => {
                let mut strings = Vec::new();
                strings_in(value.span(), value.get_ref(), &mut strings);
                spans.extend(strings.into_iter().map(|(span, _)| span));
            }
            _ => {}
        }
    }
}

/// The spans and values of all strings in a value.
fn strings_in(span: Range<usize>, value: &DeValue<'_>, found: &mut Vec<(Range<usize>, String)>) {
    match value {
        DeValue::String(text) => found.push((span, text.as_ref().to_owned())),
        DeValue::Array(items) => items.iter().for_each(|item| strings_in(item.span(), item.get_ref(), found)),
        DeValue::Table(table) => {
            table.iter().for_each(|(_, value)| strings_in(value.span(), value.get_ref(), found));
        }
        _ => {}
    }
}

/// True for a text that looks like a secret key, whatever field it is in: it may be in the wrong one.
#[must_use]
pub fn looks_secret(text: &str) -> bool {
    // The start of a key, and how much follows it at least.
    const STARTS: [(&str, usize); 6] =
        [("sk_", 1), ("rk_", 1), ("whsec_", 1), ("live_", 16), ("test_", 16), ("0x", 64)];
    const WORDS: usize = 12;
    let is_key =
        |(start, least): &(&str, usize)| text.strip_prefix(start).is_some_and(|rest| rest.len() >= *least);
    STARTS.iter().any(is_key)
        || text.get(1..4) == Some("prv")
        || text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
        || text.split_whitespace().count() >= WORDS
}

fn is_placeholder(text: &str) -> bool {
    placeholder(text).is_some()
}

/// The word and the number of a placeholder.
fn placeholder(text: &str) -> Option<(&str, usize)> {
    let inside = text.trim().strip_prefix('<')?.strip_suffix('>')?;
    let (word, rest) = inside.split_once(':')?;
    let number = rest.split(' ').next()?.parse().ok()?;
    matches!(word, "stored" | "entered").then_some((word, number))
}

/// The keys whose values are not secret.
fn open_keys(fields: &[FormField]) -> Vec<&'static str> {
    let keys = fields.iter().flat_map(|field| match field.kind {
        FieldKind::Rows(inside) => open_keys(inside),
        FieldKind::List(..) => Vec::new(),
        kind if kind.is_secret() => Vec::new(),
        _ => vec![field.key.rsplit('.').next().unwrap_or(field.key)],
    });
    keys.collect()
}

/// True if a document has comments, which a form does not keep.
#[must_use]
pub fn has_comments(document: &str) -> bool {
    document.lines().any(|line| comment_of(line).is_some())
}
