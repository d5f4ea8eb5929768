//! JSON as other programs write it again: the order of the members stays, spaces and escapes change.

use serde_json::Value;
use std::fmt::Write as _;

/// Spaces between the parts of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spaces {
    None,
    /// One space after each comma and colon.
    Single,
    /// A line for each member, with this indentation.
    Lines(&'static str),
}

/// How a program writes JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) spaces: Spaces,
    pub(super) is_sorted: bool,
    /// `\/` instead of `/`.
    pub(super) escapes_slashes: bool,
    /// `\u0448` instead of the letter.
    pub(super) escapes_non_ascii: bool,
}

/// A document as a program with this style writes it.
pub(super) fn write(document: &Value, style: Style) -> String {
    let mut out = String::new();
    write_value(&mut out, document, style, 0);
    out
}

fn write_value(out: &mut String, value: &Value, style: Style, depth: usize) {
    match value {
        Value::String(text) => write_text(out, text, style),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| (None, item)).collect();
            write_members(out, ['[', ']'], &items, style, depth);
        }
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(name, value)| (Some(name.as_str()), value)).collect();
            if style.is_sorted {
                members.sort_by_key(|(name, _)| *name);
            }
            write_members(out, ['{', '}'], &members, style, depth);
        }
        plain => out.push_str(&plain.to_string()),
    }
}

fn write_members(
    out: &mut String,
    [open, close]: [char; 2],
    members: &[(Option<&str>, &Value)],
    style: Style,
    depth: usize,
) {
    out.push(open);
    for (index, (name, value)) in members.iter().enumerate() {
        if index > 0 {
            out.push_str(if style.spaces == Spaces::Single { ", " } else { "," });
        }
        new_line(out, style, depth + 1);
        if let Some(name) = name {
            write_text(out, name, style);
            out.push_str(if style.spaces == Spaces::None { ":" } else { ": " });
        }
        write_value(out, value, style, depth + 1);
    }
    if !members.is_empty() {
        new_line(out, style, depth);
    }
    out.push(close);
}

fn new_line(out: &mut String, style: Style, depth: usize) {
    if let Spaces::Lines(indentation) = style.spaces {
        out.push('\n');
        out.push_str(&indentation.repeat(depth));
    }
}

fn write_text(out: &mut String, text: &str, style: Style) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '/' if style.escapes_slashes => out.push_str("\\/"),
            c if c < ' ' || !c.is_ascii() && style.escapes_non_ascii => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
