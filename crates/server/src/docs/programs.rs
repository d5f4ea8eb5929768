//! Writes a request as a program in each language but the shell. The programs need nothing but the language, read what
//! the caller must supply from environment variables, as the curl commands do, and print the response.

use super::{
    example::{ExampleValue, variable_name},
    samples::SampleLanguage,
};
use serde_json::Value;

/// A request.
#[derive(Debug)]
pub struct ExampleCall<'a> {
    /// The HTTP method, in capitals.
    pub method: &'a str,
    pub base_url: &'a str,
    /// The path, with parameters in braces.
    pub path: &'a str,
    /// True if it needs a token.
    pub bearer: bool,
    /// The fields of its body.
    pub fields: &'a [(&'a str, ExampleValue)],
}

/// The request in each language.
pub fn write(call: &ExampleCall<'_>) -> [(SampleLanguage, String); 3] {
    [
        (SampleLanguage::Python, python(call)),
        (SampleLanguage::JavaScript, javascript(call)),
        (SampleLanguage::Php, php(call)),
    ]
}

/// A part of an address.
enum AddressPart {
    Text(String),
    /// An environment variable.
    Variable(String),
}

impl ExampleCall<'_> {
    fn address(&self) -> Vec<AddressPart> {
        let whole = format!("{}{}", self.base_url, self.path);
        let mut parts = Vec::new();
        for (number, piece) in whole.split('{').enumerate() {
            match piece.split_once('}') {
                Some((name, after)) if number > 0 => {
                    parts.push(AddressPart::Variable(variable_name(name)));
                    parts.push(AddressPart::Text(after.to_owned()));
                }
                _ => parts.push(AddressPart::Text(piece.to_owned())),
            }
        }
        parts.retain(|part| !matches!(part, AddressPart::Text(text) if text.is_empty()));
        parts
    }

    fn has_body(&self) -> bool {
        !self.fields.is_empty()
    }
}

/// A line for each field of the body.
fn lines(call: &ExampleCall<'_>, indent: &str, line: impl Fn(&str, &ExampleValue) -> String) -> String {
    call.fields.iter().map(|(name, value)| format!("{indent}{},\n", line(name, value))).collect()
}

fn python(call: &ExampleCall<'_>) -> String {
    let has_variable = call.address().iter().any(|part| matches!(part, AddressPart::Variable(_)));
    let parts = call.address().into_iter().map(|part| match part {
        AddressPart::Text(text) => text,
        AddressPart::Variable(name) => format!("{{os.environ['{name}']}}"),
    });
    let (address, prefix) = (parts.collect::<String>(), if has_variable { "f" } else { "" });
    let mut headers = Vec::new();
    if call.bearer {
        headers.push("\"Authorization\": \"Bearer \" + os.environ[\"TOKEN\"]");
    }
    let mut body = String::new();
    if call.has_body() {
        headers.push("\"Content-Type\": \"application/json\"");
        let fields = lines(call, "        ", |name, value| format!("\"{name}\": {}", python_value(value)));
        body = format!("    data=json.dumps({{\n{fields}    }}).encode(),\n");
    }
    format!(
        "{}\nrequest = urllib.request.Request(\n    {prefix}\"{address}\",\n    method=\"{}\",\n{body}    \
         headers={{{}}},\n)\nwith urllib.request.urlopen(request, timeout=40) as response:\n    \
         print(response.read().decode())",
        python_imports(call, has_variable),
        call.method,
        headers.join(", ")
    )
}

fn python_imports(call: &ExampleCall<'_>, has_variable: bool) -> String {
    let reads = call.bearer || has_variable || is_secret(call);
    let imports = [("json", call.has_body()), ("os", reads), ("urllib.request", true)];
    imports.iter().filter(|(_, used)| *used).map(|(name, _)| format!("import {name}\n")).collect()
}

fn python_value(value: &ExampleValue) -> String {
    match value {
        ExampleValue::Variable(name) => format!("os.environ[\"{name}\"]"),
        ExampleValue::Literal(json) => match json.as_str() {
            "true" => "True".to_owned(),
            "false" => "False".to_owned(),
            "null" => "None".to_owned(),
            json => json.to_owned(),
        },
    }
}

fn javascript(call: &ExampleCall<'_>) -> String {
    let mut headers = Vec::new();
    if call.bearer {
        headers.push("Authorization: `Bearer ${process.env.TOKEN}`");
    }
    let mut body = String::new();
    if call.has_body() {
        headers.push("\"Content-Type\": \"application/json\"");
        let fields = lines(call, "    ", |name, value| match value {
            ExampleValue::Literal(json) => format!("{name}: {json}"),
            ExampleValue::Variable(variable) => format!("{name}: process.env.{variable}"),
        });
        body = format!("  body: JSON.stringify({{\n{fields}  }}),\n");
    }
    let parts = call.address().into_iter().map(|part| match part {
        AddressPart::Text(text) => text,
        AddressPart::Variable(name) => format!("${{process.env.{name}}}"),
    });
    format!(
        "// In a file with the ending .mjs.\nconst response = await fetch(`{}`, {{\n  method: \"{}\",\n  \
         headers: {{ {} }},\n{body}}});\nconsole.log(await response.text());",
        parts.collect::<String>(),
        call.method,
        headers.join(", ")
    )
}

fn php(call: &ExampleCall<'_>) -> String {
    let mut headers = Vec::new();
    if call.bearer {
        headers.push("'Authorization: Bearer ' . getenv('TOKEN')");
    }
    let mut body = String::new();
    if call.has_body() {
        headers.push("'Content-Type: application/json'");
        let fields = lines(call, "        ", |name, value| match value {
            ExampleValue::Literal(json) => format!("'{name}' => {}", php_literal(json)),
            ExampleValue::Variable(variable) => format!("'{name}' => getenv('{variable}')"),
        });
        body = format!("    'content' => json_encode([\n{fields}    ]),\n");
    }
    let parts = call.address().into_iter().map(|part| match part {
        AddressPart::Text(text) => php_text(&text),
        AddressPart::Variable(name) => format!("getenv('{name}')"),
    });
    format!(
        "<?php\n\n$context = stream_context_create(['http' => [\n    'method' => '{}',\n    'header' => [{}],\n{body}    \
         'ignore_errors' => true,\n]]);\necho file_get_contents({}, false, $context), \"\\n\";",
        call.method,
        headers.join(", "),
        parts.collect::<Vec<_>>().join(" . ")
    )
}

/// A JSON value that is no object or array as PHP writes it.
fn php_literal(json: &str) -> String {
    match serde_json::from_str(json) {
        Ok(Value::String(text)) => php_text(&text),
        _ => json.to_owned(),
    }
}

fn php_text(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
}

fn is_secret(call: &ExampleCall<'_>) -> bool {
    call.fields.iter().any(|(_, value)| matches!(value, ExampleValue::Variable(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(method: &str, path: &str, bearer: bool, fields: &[(&str, ExampleValue)]) -> [String; 3] {
        write(&ExampleCall { method, base_url: "https://pay.example", path, bearer, fields })
            .map(|(_, text)| text)
    }

    #[test]
    fn what_the_caller_must_supply_comes_from_the_environment() {
        let [python, javascript, php] = programs("GET", "/s/{session_id}/x", true, &[]);
        assert!(python.contains(r#"f"https://pay.example/s/{os.environ['SESSION_ID']}/x""#), "{python}");
        assert!(
            python.contains(r#""Bearer " + os.environ["TOKEN"]"#) && !python.contains("json"),
            "{python}"
        );
        assert!(javascript.contains("`https://pay.example/s/${process.env.SESSION_ID}/x`"), "{javascript}");
        assert!(php.contains("'https://pay.example/s/' . getenv('SESSION_ID') . '/x'"), "{php}");
        let secret = [("client_secret", ExampleValue::Variable("TILL_CLIENT_SECRET".to_owned()))];
        for program in programs("POST", "/tokens", false, &secret) {
            assert!(program.contains("TILL_CLIENT_SECRET") && !program.contains("Bearer"), "{program}");
        }
    }

    #[test]
    fn a_value_cannot_leave_its_quotes() {
        let literal = |json: &str| ExampleValue::Literal(json.to_owned());
        let fields = [("a", literal(r#""it's \"x\" \\""#)), ("b", literal("true")), ("c", literal("7"))];
        let [python, javascript, php] = programs("POST", "/s", false, &fields);
        assert!(python.contains(r#""a": "it's \"x\" \\","#) && python.contains(r#""b": True,"#), "{python}");
        assert!(javascript.contains(r#"a: "it's \"x\" \\","#), "{javascript}");
        assert!(php.contains(r#"'a' => 'it\'s "x" \\',"#) && php.contains("'c' => 7,"), "{php}");
    }
}
