//! The values of a form: read from a document, and written as one.

use super::{FieldKind, FormField};
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// The values of a form by the names of their fields. A missing value is empty.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct FormValues(BTreeMap<String, String>);

/// Leaves out the values, which may be secrets.
impl std::fmt::Debug for FormValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl FormValues {
    /// Reads a document; empty if it is not TOML. Values of a wrong type are empty.
    #[must_use]
    pub fn read(fields: &[FormField], document: &str) -> Self {
        let mut values = Self::default();
        values.read_table(fields, &document.parse().unwrap_or_default(), "");
        values
    }

    fn read_table(&mut self, fields: &[FormField], table: &Table, prefix: &str) {
        for field in fields {
            let (name, value) = (field.name(prefix), at_key(table, field.key));
            match field.kind {
                FieldKind::Rows(inside) => {
                    let tables = value.and_then(Value::as_array).into_iter().flatten();
                    for (number, table) in (1..).zip(tables.filter_map(Value::as_table)) {
                        self.read_table(inside, table, &format!("{name}-{number}-"));
                    }
                }
                FieldKind::List(..) => {
                    for (number, text) in (1..).zip(words(value)) {
                        self.set(format!("{name}-{number}"), text);
                    }
                }
                FieldKind::Words => self.set(name, words(value).join(", ")),
                FieldKind::Choices(_, usual) => {
                    let chosen = value.map_or_else(|| usual.join(" "), |_| words(value).join(" "));
                    self.set(name, chosen);
                }
                _ => self.set(name, value.map(text).unwrap_or_default()),
            }
        }
    }

    /// The value with this name; empty if there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Sets a value, without the spaces around it; an empty one is removed.
    pub fn set(&mut self, name: String, value: impl AsRef<str>) {
        let value = value.as_ref().trim();
        if value.is_empty() {
            self.0.remove(&name);
        } else {
            self.0.insert(name, value.to_owned());
        }
    }

    /// The numbers of the rows or items of a list, in order.
    #[must_use]
    pub fn numbers(&self, list: &str) -> BTreeSet<usize> {
        let inside =
            |name: &String| name.strip_prefix(list)?.strip_prefix('-')?.split('-').next()?.parse().ok();
        self.0.keys().filter_map(inside).collect()
    }

    /// Every name with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Writes the document, its settings in the order of the fields.
    #[must_use]
    pub fn document(&self, fields: &[FormField]) -> String {
        let mut document = String::new();
        self.write_table(fields, ("", ""), &mut document);
        document
    }

    fn write_table(&self, fields: &[FormField], (prefix, path): (&str, &str), document: &mut String) {
        for field in fields {
            if let Some(value) = self.value(field, &field.name(prefix)) {
                document.push_str(&format!("{} = {value}\n", field.key));
            }
        }
        for field in fields {
            let FieldKind::Rows(inside) = field.kind else { continue };
            let (name, path) = (field.name(prefix), format!("{path}{}", field.key));
            for number in self.numbers(&name) {
                document.push_str(&format!("\n[[{path}]]\n"));
                self.write_table(inside, (&format!("{name}-{number}-"), &format!("{path}.")), document);
            }
        }
    }

    /// The value of a field in the document; `None` if it is left out.
    fn value(&self, field: &FormField, name: &str) -> Option<Value> {
        let (text, strings) = (self.get(name), |all: Vec<&str>| {
            Value::Array(all.into_iter().map(|text| Value::String(text.to_owned())).collect())
        });
        match field.kind {
            FieldKind::Rows(_) => None,
            FieldKind::List(..) => {
                let items: Vec<&str> = self
                    .numbers(name)
                    .into_iter()
                    .map(|number| self.get(&format!("{name}-{number}")))
                    .collect();
                (!items.is_empty()).then(|| strings(items))
            }
            FieldKind::Choices(..) => Some(strings(text.split_whitespace().collect())),
            _ if text.is_empty() => None,
            FieldKind::Words => Some(strings(split(text).collect())),
            FieldKind::Number => {
                let number = text.parse().ok().filter(|number: &i64| number.to_string() == text);
                Some(number.map_or_else(|| Value::String(text.to_owned()), Value::Integer))
            }
            _ => Some(Value::String(text.to_owned())),
        }
    }
}

/// The words of a line.
fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|word| !word.is_empty())
}

/// The value at a key, whose point separates a table from a value in it.
fn at_key<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    match key.split_once('.') {
        Some((outer, inner)) => table.get(outer)?.as_table()?.get(inner),
        None => table.get(key),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        _ => String::new(),
    }
}

/// The strings of a list.
fn words(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(|text| text.trim().to_owned()).collect()
}
