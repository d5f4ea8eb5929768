//! Parsing of request bodies: one JSON object.
//!
//! Numbers keep their digits. Duplicate keys, depth over [`MAX_DEPTH`], and anything after the object are
//! refused. The parsing itself is `serde_json`'s; this module walks the raw values, so that no number becomes
//! a float.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use till_domain::request::FieldValue;

/// Maximum nesting of arrays and objects.
pub const MAX_DEPTH: usize = 16;

/// A JSON value that keeps its numbers as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    /// An object, in the order it was written.
    Object(Vec<(String, Json)>),
}

/// Parses one JSON object. The error is a sentence for the caller.
pub fn parse(body: &[u8]) -> Result<Json, String> {
    let text = std::str::from_utf8(body).map_err(|_| "the body is not UTF-8".to_owned())?;
    let text = text.trim_matches([' ', '\t', '\n', '\r']);
    if text.starts_with('{') {
        return read(text, 1);
    }
    serde_json::from_str::<&RawValue>(text).map_err(|e| format!("the body is not JSON: {e}"))?;
    Err("the body must be a JSON object".to_owned())
}

/// Reads an object, or a value that is known to be JSON.
fn read(text: &str, depth: usize) -> Result<Json, String> {
    let wrong = |e: serde_json::Error| format!("the body is not JSON: {e}");
    let nested = matches!(text.as_bytes().first(), Some(b'{' | b'['));
    if nested && depth > MAX_DEPTH {
        return Err(format!("the body is nested deeper than {MAX_DEPTH} levels"));
    }
    Ok(match text.as_bytes().first() {
        Some(b'{') => {
            let fields: Fields<'_> = serde_json::from_str(text).map_err(wrong)?;
            let read = |(name, raw): (String, &RawValue)| Ok((name, read(raw.get(), depth + 1)?));
            Json::Object(fields.0.into_iter().map(read).collect::<Result<_, String>>()?)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(wrong)?;
            let read = |raw: &RawValue| read(raw.get(), depth + 1);
            Json::List(items.into_iter().map(read).collect::<Result<_, String>>()?)
        }
        Some(b'"') => Json::Text(serde_json::from_str(text).map_err(wrong)?),
        Some(b't') => Json::Bool(true),
        Some(b'f') => Json::Bool(false),
        Some(b'n') => Json::Null,
        _ => Json::Number(text.to_owned()),
    })
}

/// The fields of an object, each name once.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;

        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields: Vec<(String, &RawValue)> = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                let mut names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                names.sort_unstable();
                match names.windows(2).find(|pair| pair[0] == pair[1]) {
                    Some([name, _]) => Err(Error::custom(format!("the key {name:?} appears twice"))),
                    _ => Ok(Fields(fields)),
                }
            }
        }

        deserializer.deserialize_map(FieldsVisitor)
    }
}

impl Json {
    /// Takes a field out of an object, in the form that the domain's rules read.
    pub fn take(&mut self, name: &str) -> FieldValue {
        let Self::Object(fields) = self else { return FieldValue::Absent };
        let found = fields.iter_mut().find(|(field, _)| field == name);
        found.map_or(FieldValue::Absent, |(_, value)| std::mem::replace(value, Self::Null).into())
    }

    /// The names of an object's members that were not taken; null counts as absent.
    pub fn rest(&self) -> Vec<String> {
        let Self::Object(fields) = self else { return Vec::new() };
        let rest = fields.iter().filter(|(_, value)| !matches!(value, Self::Null));
        rest.map(|(name, _)| name.clone()).collect()
    }
}

impl From<Json> for FieldValue {
    fn from(value: Json) -> Self {
        match value {
            Json::Null => Self::Absent,
            Json::Text(text) => Self::Text(text),
            Json::Number(text) => Self::Number(text),
            Json::List(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Json::Object(fields) => {
                Self::Object(fields.into_iter().map(|(name, value)| (name, value.into())).collect())
            }
            Json::Bool(_) => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use till_testing::fuzz::bytes_target;

    fn error(body: &str) -> String {
        parse(body.as_bytes()).expect_err(body)
    }

    #[test]
    fn numbers_keep_their_digits() {
        let mut body =
            parse(br#"{"a": 49.90, "b": 1E2, "c": "x", "d": null, "e": [1.0, "y"]}"#).expect("JSON");
        assert_eq!(body.take("a"), FieldValue::Number("49.90".to_owned()));
        assert_eq!(body.take("b"), FieldValue::Number("1E2".to_owned()));
        assert_eq!(body.take("d"), FieldValue::Absent);
        let items = vec![FieldValue::Number("1.0".to_owned()), FieldValue::Text("y".to_owned())];
        assert_eq!(body.take("e"), FieldValue::List(items));
        assert_eq!(body.take("z"), FieldValue::Absent);
    }

    #[test]
    fn t29_what_is_not_one_plain_object_is_refused() {
        for body in
            ["", " ", "{", "[]", "1", "\"a\"", "null", "{} {}", "{}x", "{\"a\":01}", "{\"a\":NaN}", "{'a':1}"]
        {
            error(body);
        }
        for body in ["{\"a\":\"\\ud800\"}", "{\"a\":{\"b\":\"\u{1}\"}}", "{\"a\":1,}", "\u{feff}{}"] {
            error(body);
        }
        assert!(parse(b"{\"a\":\"\xff\"}").is_err());
        assert!(error(r#"{"a":1,"a":2}"#).contains("appears twice"));
        assert!(error(r#"{"x":{"a":1,"\u0061":2}}"#).contains("appears twice"));
    }

    #[test]
    fn depth_is_bounded() {
        let nest = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
        assert!(parse(nest(MAX_DEPTH).as_bytes()).is_ok());
        assert!(error(&nest(MAX_DEPTH + 1)).contains("nested deeper"));
        error(&nest(10_000));
    }

    /// Checks that another parser reads the same value.
    fn agrees(ours: &Json, other: &Value, depth: usize) -> bool {
        assert!(depth <= MAX_DEPTH + 1, "nested too deep");
        match (ours, other) {
            (Json::Null, Value::Null) => true,
            (Json::Bool(a), Value::Bool(b)) => a == b,
            (Json::Text(a), Value::String(b)) => a == b,
            (Json::Number(a), Value::Number(b)) => {
                let whole = a.parse::<i64>().ok().filter(|_| a != "-0");
                a.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b))
                    && whole.is_none_or(|whole| b.as_i64() == Some(whole))
            }
            (Json::List(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agrees(a, b, depth + 1))
            }
            (Json::Object(a), Value::Object(b)) => {
                let same = |(name, value): &(String, Json)| {
                    b.get(name).is_some_and(|other| agrees(value, other, depth + 1))
                };
                a.len() == b.len() && a.iter().all(same)
            }
            _ => false,
        }
    }

    #[test]
    fn f26_json_body() {
        let seeds = [
            r#"{"price": "49.90", "currency": "EUR", "order_id": "A-1", "methods": ["card", "sbp"], "x": null}"#,
            r#"{"a": -0.5e+10, "b": [[[{"c": "\u00e9\ud83d\ude00\n"}]]], "d": true, "e": false}"#,
            "{}",
        ];
        let words = ["{\"a\":", "[", "]", "}", "\"a\":1,", "\\u", "\\ud800", "1e999", "null", "\u{feff}"];
        bytes_target(&seeds, &words, |body| match (parse(body), serde_json::from_slice::<Value>(body)) {
            (Ok(ours), Ok(other)) => assert!(agrees(&ours, &other, 1), "{ours:?} is not {other:?}"),
            // The other parser reads numbers as floats.
            (Ok(_), Err(error)) => assert!(error.to_string().contains("out of range"), "{error}"),
            (Err(problem), Ok(_)) => {
                let own = ["appears twice", "nested deeper", "must be a JSON object"];
                assert!(own.iter().any(|own| problem.contains(own)), "{problem}");
            }
            (Err(problem), Err(_)) => assert!(!problem.contains('\n'), "{problem}"),
        });
    }
}
