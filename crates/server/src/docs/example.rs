//! Makes the examples: JSON from the examples of the schemas, and the request that sends it, as a curl command and as
//! a program in each other language ([`super::programs`]).

use super::{
    programs::{self, ExampleCall},
    samples::SampleLanguage,
    schema::{self, ITEM, types},
};
use serde_json::Value;

/// Maximum nesting of examples; a schema may refer to itself.
const MAX_DEPTH: usize = 8;

/// The example of an answer, with all its fields.
pub fn answer(document: &Value, schema: &Value) -> String {
    value(document, schema, MAX_DEPTH)
}

/// A request as an example sends it.
#[derive(Debug)]
pub struct Request<'a> {
    /// The HTTP method, in capitals.
    pub method: &'a str,
    pub base_url: &'a str,
    /// The path, with parameters in braces.
    pub path: &'a str,
    /// True if it needs a token.
    pub bearer: bool,
    /// The schema of its body.
    pub body: Option<&'a Value>,
}

impl Request<'_> {
    /// The curl command. Values that the caller must supply are read from shell variables: `TOKEN`, one for
    /// each path parameter, and one for each credential, named as in the integration guide.
    pub fn curl(&self, document: &Value) -> String {
        let method = if self.method == "GET" { String::new() } else { format!("-X {} ", self.method) };
        let mut parts = vec![format!("curl {method}\"{}{}\"", self.base_url, with_variables(self.path))];
        if self.bearer {
            parts.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
        }
        if let Some(body) = self.body {
            parts.push("-H \"Content-Type: application/json\"".to_owned());
            parts.push(data(document, body));
        }
        parts.join(" \\\n  ")
    }

    /// The same request in every language that has samples; the curl command comes first.
    pub fn samples(&self, document: &Value) -> Vec<(SampleLanguage, String)> {
        let fields = self.body.map(|schema| body_fields(document, schema)).unwrap_or_default();
        let call = ExampleCall {
            method: self.method,
            base_url: self.base_url,
            path: self.path,
            bearer: self.bearer,
            fields: &fields,
        };
        let mut samples = vec![(SampleLanguage::Shell, self.curl(document))];
        samples.extend(programs::write(&call));
        samples
    }
}

/// The value of a field in an example.
#[derive(Debug, PartialEq, Eq)]
pub enum ExampleValue {
    /// JSON.
    Literal(String),
    /// An environment variable.
    Variable(String),
}

/// The command with a last line that saves a text field of its response in a shell variable.
pub fn saving(curl: &str, field: &str, variable: &str) -> String {
    let file = "response.json";
    let curl = curl.replacen("curl ", "curl -s ", 1);
    let curl = match curl.split_once("<<BODY\n") {
        Some((head, body)) => format!("{head}<<BODY | tee {file}\n{body}"),
        None => format!("{curl} | tee {file}"),
    };
    format!(
        r#"{curl}
{variable}=$(sed 's/.*"{field}":"\([^"]*\)".*/\1/' {file})"#
    )
}

/// `/session/{session_id}` as `/session/$SESSION_ID`.
fn with_variables(path: &str) -> String {
    let parts = path.split('/').map(|part| match part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
        Some(name) => format!("${}", variable_name(name)),
        None => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}

/// The environment variable of a parameter.
pub fn variable_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    name.chars().map(plain).collect()
}

/// The fields of the body: the required ones, of several alternatives those of the first, and the item. Other optional
/// fields are left out, so that the example
/// works in both environments and for every vendor. Credentials are not written into an example.
fn body_fields<'a>(document: &'a Value, schema: &'a Value) -> Vec<(&'a str, ExampleValue)> {
    let object = schema::resolve(document, schema);
    let is_required =
        |name: &str| schema::is_required(object, name) || schema::is_required(&object["anyOf"][0], name);
    let is_listed = |name: &str| is_required(name) || ITEM.contains(&name);
    let secret = is_secret(object);
    let fields = schema::properties(object).into_iter().filter(|(name, _)| is_listed(name));
    fields
        .map(|(name, field)| match secret {
            true => (name, ExampleValue::Variable(variable_name(&format!("till_{name}")))),
            false => (name, ExampleValue::Literal(value(document, field, MAX_DEPTH))),
        })
        .collect()
}

/// The body as an option of curl.
fn data(document: &Value, schema: &Value) -> String {
    let mut has_variables = false;
    let body = written(body_fields(document, schema).into_iter().map(|(name, value)| match value {
        ExampleValue::Literal(json) => (name, json),
        ExampleValue::Variable(variable) => {
            has_variables = true;
            (name, Value::from(format!("${variable}")).to_string())
        }
    }));
    if has_variables {
        // The shell expands variables in a here document, not in single quotes.
        return format!("-d @- <<BODY\n{body}\nBODY");
    }
    format!("-d '{}'", indented(&body.replace('\'', r"'\''")))
}

/// True if the body has a secret: credentials should not be typed into a command.
fn is_secret(object: &Value) -> bool {
    schema::properties(object).iter().any(|(_, field)| field["writeOnly"] == true)
}

/// The JSON of a value that the schema describes: its own example if it has one.
fn value(document: &Value, schema: &Value, depth: usize) -> String {
    let schema = schema::resolve(document, schema);
    let values = schema["enum"].as_array().into_iter().flatten();
    if let Some(known) = schema::examples(schema).into_iter().chain(values).next() {
        return format!("{known:#}");
    }
    let inner = |schema| if depth == 0 { "null".to_owned() } else { value(document, schema, depth - 1) };
    match types(schema).first().copied().unwrap_or_default() {
        "object" => written(schema::properties(schema).into_iter().map(|(name, field)| (name, inner(field)))),
        "array" => format!("[\n  {}\n]", indented(&inner(&schema["items"]))),
        "string" => "\"…\"".to_owned(),
        "integer" | "number" => schema.get("minimum").map_or_else(|| "0".to_owned(), Value::to_string),
        "boolean" => "true".to_owned(),
        _ => "null".to_owned(),
    }
}

/// An object on several lines. A map of values would reorder the fields.
fn written<'a>(fields: impl Iterator<Item = (&'a str, String)>) -> String {
    let lines: Vec<String> =
        fields.map(|(name, value)| format!("  {}: {}", Value::from(name), indented(&value))).collect();
    if lines.is_empty() { "{}".to_owned() } else { format!("{{\n{}\n}}", lines.join(",\n")) }
}

/// Indents all lines but the first. JSON strings contain no line breaks.
fn indented(text: &str) -> String {
    text.replace('\n', "\n  ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn curl(method: &str, path: &str, body: Option<&Value>) -> String {
        let request = Request { method, base_url: "https://pay.example", path, bearer: true, body };
        request.curl(&json!({}))
    }

    #[test]
    fn path_parameters_are_shell_variables() {
        let expected =
            "curl \"https://pay.example/s/$SESSION_ID/x\" \\\n  -H \"Authorization: Bearer $TOKEN\"";
        assert_eq!(curl("GET", "/s/{session_id}/x", None), expected);
    }

    #[test]
    fn a_body_has_what_is_required_and_cannot_leave_its_quotes() {
        let body = json!({ "required": ["a"], "properties": {
            "a": { "type": "string", "examples": ["it's"] },
            "b": { "type": "string", "examples": ["left out"] },
            "price": { "type": "string", "examples": ["1.00"] },
        } });
        let command = curl("POST", "/s", Some(&body));
        assert!(command.contains(r#"-d '{"#) && command.contains(r#""a": "it'\''s""#), "{command}");
        assert!(command.contains(r#""price": "1.00""#) && !command.contains("left out"), "{command}");
    }

    #[test]
    fn credentials_come_from_shell_variables() {
        let body = json!({ "required": ["id", "key"], "properties": {
            "id": { "type": "string", "examples": ["sandbox_1"] },
            "key": { "type": "string", "writeOnly": true },
        } });
        let command = curl("POST", "/tokens", Some(&body));
        assert!(command.contains(r#""id": "$TILL_ID""#), "{command}");
        assert!(command.contains(r#""key": "$TILL_KEY""#), "{command}");
        assert!(!command.contains("sandbox_1"), "{command}");
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let document = json!({ "components": { "schemas": { "A": {
            "type": "object", "properties": { "a": { "$ref": "#/components/schemas/A" } },
        } } } });
        assert!(answer(&document, &json!({ "$ref": "#/components/schemas/A" })).contains("null"));
    }
}
