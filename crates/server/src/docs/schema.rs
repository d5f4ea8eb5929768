//! Reads the schemas of the document: their fields, with types and limits in words.

use super::prose::{self, Span};
use serde_json::Value;

/// The fields of one object.
#[derive(Debug)]
pub struct Table {
    /// The schema's name; empty if it has none.
    pub name: String,
    pub description: Vec<Span>,
    /// Its fields, in the order of [`properties`].
    pub fields: Vec<Field>,
}

/// One field or parameter.
#[derive(Debug)]
pub struct Field {
    pub name: String,
    /// Its type in words.
    pub kind: String,
    /// True if it is required.
    pub required: bool,
    pub description: Vec<Span>,
    /// The constraints on its value.
    pub limits: Vec<Span>,
    /// Example values in JSON.
    pub examples: Vec<String>,
}

impl Field {
    pub fn new(name: &str, schema: &Value, required: bool) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind(schema),
            required,
            description: prose::parse(text(&schema["description"])),
            limits: prose::parse(&limits(schema).join("; ")),
            examples: examples(schema).iter().map(|example| example.to_string()).collect(),
        }
    }
}

/// The table of a schema, then one for each schema that its fields refer to.
pub fn tables(document: &Value, schema: &Value) -> Vec<Table> {
    let mut tables = Vec::new();
    collect(document, schema, &mut tables);
    tables
}

fn collect(document: &Value, schema: &Value, tables: &mut Vec<Table>) {
    let name = reference_name(schema).unwrap_or_default();
    if tables.iter().any(|table| table.name == name) {
        return;
    }
    let object = resolve(document, schema);
    let properties = properties(object);
    if properties.is_empty() {
        return;
    }
    let fields =
        properties.iter().map(|(name, field)| Field::new(name, field, is_required(object, name))).collect();
    let description = prose::parse(text(&object["description"]));
    tables.push(Table { name: name.to_owned(), description, fields });
    for (_, field) in properties {
        for inner in [field, &field["items"]] {
            if reference_name(inner).is_some() {
                collect(document, inner, tables);
            }
        }
    }
}

/// The optional fields that describe an item; they are needed where no product of a catalog is named.
pub const ITEM: [&str; 3] = ["product_name", "price", "currency"];

/// The properties of an object in reading order: the required ones as listed, then those of the item, then
/// the rest.
pub fn properties(object: &Value) -> Vec<(&str, &Value)> {
    let properties = object["properties"].as_object().into_iter().flatten();
    let mut properties: Vec<(&str, &Value)> =
        properties.map(|(name, field)| (name.as_str(), field)).collect();
    let required: Vec<&str> = required(object).collect();
    properties.sort_by_key(|(name, _)| {
        let mut leading = required.iter().chain(&ITEM);
        leading.position(|leading| leading == name).unwrap_or(usize::MAX)
    });
    properties
}

/// True if a property of an object is required.
pub fn is_required(object: &Value, name: &str) -> bool {
    required(object).any(|required| required == name)
}

fn required(object: &Value) -> impl Iterator<Item = &str> {
    object["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The schema itself, or the one it refers to. A dangling reference is an empty schema.
pub fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match reference_name(schema) {
        Some(name) => &document["components"]["schemas"][name],
        None => schema,
    }
}

/// The examples of a schema, if it has any.
pub fn examples(schema: &Value) -> Vec<&Value> {
    match (schema["examples"].as_array(), schema.get("example")) {
        (Some(examples), _) => examples.iter().collect(),
        (None, one) => one.into_iter().collect(),
    }
}

/// A value's text; empty if it is not a string.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn reference_name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

fn kind(schema: &Value) -> String {
    if let Some(name) = reference_name(schema) {
        return name.to_owned();
    }
    let words: Vec<String> = types(schema).into_iter().map(|name| kind_of(name, schema)).collect();
    if words.is_empty() { "any".to_owned() } else { either(&words) }
}

/// The names of a schema's types; there may be one or a list of them.
pub fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn kind_of(name: &str, schema: &Value) -> String {
    match (name, schema["format"].as_str()) {
        ("array", _) => format!("array of {}", kind(&schema["items"])),
        // The format of a number only says how many bits we use.
        ("string", Some(format)) => format!("string ({format})"),
        _ => name.to_owned(),
    }
}

fn limits(schema: &Value) -> Vec<String> {
    let limits = [
        values(schema),
        range(schema, "minLength", "maxLength", " characters"),
        range(schema, "minItems", "maxItems", " entries"),
        range(schema, "minimum", "maximum", ""),
        number(schema, "exclusiveMinimum").map(|least| format!("greater than {least}")),
        number(schema, "exclusiveMaximum").map(|most| format!("less than {most}")),
        schema["pattern"].as_str().map(pattern),
    ];
    limits.into_iter().flatten().collect()
}

fn values(schema: &Value) -> Option<String> {
    let values = schema["enum"].as_array()?.iter().filter(|value| !value.is_null());
    let words: Vec<String> = values.map(|value| format!("`{}`", plain(value))).collect();
    Some(format!("one of {}", either(&words)))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn range(schema: &Value, least: &str, most: &str, unit: &str) -> Option<String> {
    match (number(schema, least), number(schema, most)) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}{unit}")),
        (Some(least), None) => Some(format!("at least {least}{unit}")),
        (None, Some(most)) => Some(format!("at most {most}{unit}")),
        (None, None) => None,
    }
}

/// A number of the schema, with thousands separators.
fn number(schema: &Value, name: &str) -> Option<String> {
    let digits = schema.get(name)?.as_number()?.to_string();
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Some(digits);
    }
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    Some(grouped)
}

/// Patterns with a description in words. Any other is shown as it is.
const PATTERNS: &[(&str, &str)] = &[
    ("^[Hh][Tt][Tt][Pp][Ss]?://", "starts with `http://` or `https://`"),
    ("^[A-Za-z]{3}$", "three letters"),
    ("^[A-Z]{3}$", "three capital letters"),
    ("^(0|[1-9][0-9]*)$", "digits without leading zeros"),
    (
        "^(([0-9]|[12][0-9]|30)s|([0-9]{1,4}|[12][0-9]{4}|30000)ms)$",
        "seconds or milliseconds with their unit",
    ),
    (r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,4})?$", "digits without leading zeros, then at most 4 after a point"),
    ("^[!-~]([ -~]*[!-~])?$", "printable ASCII, no space at either end"),
];

fn pattern(pattern: &str) -> String {
    if let Some((_, words)) = PATTERNS.iter().find(|(known, _)| *known == pattern) {
        return (*words).to_owned();
    }
    match alternatives(pattern) {
        Some(words) => format!("one of {}", either(&words)),
        None => format!("matches `{pattern}`"),
    }
}

/// The alternatives of a pattern like `^(one|two)$`.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let words = pattern.strip_prefix("^(")?.strip_suffix(")$")?;
    let simple = words.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '|'));
    simple.then(|| words.split('|').map(|word| format!("`{word}`")).collect())
}

/// `a, b or c`
fn either(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(schema: Value, expected_kind: &str, expected_limits: &str) {
        assert_eq!(kind(&schema), expected_kind, "{schema}");
        assert_eq!(limits(&schema).join("; "), expected_limits, "{schema}");
    }

    #[test]
    fn types_and_limits_are_said_in_words() {
        check(json!({ "type": "string", "format": "uuid" }), "string (uuid)", "");
        check(
            json!({ "type": ["string", "null"], "minLength": 1, "maxLength": 2048 }),
            "string or null",
            "1 to 2,048 characters",
        );
        check(
            json!({ "type": ["string", "number", "null"], "exclusiveMinimum": 0, "exclusiveMaximum": 1000 }),
            "string, number or null",
            "greater than 0; less than 1,000",
        );
        check(json!({ "type": "integer", "format": "int64", "minimum": 1 }), "integer", "at least 1");
        check(json!({ "type": "array", "items": { "type": "string" } }), "array of string", "");
        check(json!({ "$ref": "#/components/schemas/Problem" }), "Problem", "");
        check(
            json!({ "type": ["string", "null"], "enum": ["paid", "failed", null] }),
            "string or null",
            "one of `paid` or `failed`",
        );
        check(json!({ "type": "string", "pattern": "^(a|b|c)$" }), "string", "one of `a`, `b` or `c`");
        check(json!({ "type": "string", "pattern": "^x+$" }), "string", "matches `^x+$`");
        check(json!({}), "any", "");
    }

    #[test]
    fn a_table_is_followed_by_those_it_refers_to_once() {
        let to = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
        let document = json!({ "components": { "schemas": {
            "A": { "properties": { "b": to("B"), "y": {}, "z": {} }, "required": ["z", "y"] },
            "B": { "properties": { "list": { "type": "array", "items": to("A") } } },
        } } });
        let tables = tables(&document, &to("A"));
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        let fields: Vec<(&str, bool)> =
            tables[0].fields.iter().map(|f| (f.name.as_str(), f.required)).collect();
        assert_eq!(fields, [("z", true), ("y", true), ("b", false)]);
    }
}
