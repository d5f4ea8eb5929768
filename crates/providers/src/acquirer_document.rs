//! Reads the set-up document of an acquirer for cards and SBP. All problems are reported at once, and none
//! repeats anything that may be a secret.

use crate::{
    document::{is_loopback, requests_per_second},
    form::{Rule, SetupProblem},
};
use till_domain::{
    method::Method,
    money::{Currency, Price},
    text::quoted_key,
};
use toml::{Table, Value};
use url::Url;

/// The document while it is parsed, and the problems found so far.
pub(crate) struct DocumentReader<'a> {
    pub(crate) table: &'a Table,
    pub(crate) problems: Vec<SetupProblem>,
}

impl<'a> DocumentReader<'a> {
    /// A reader of a document with these keys.
    pub(crate) fn new(table: &'a Table, keys: &[&str]) -> Self {
        let mut reader = Self { table, problems: Vec::new() };
        reader.keys(keys);
        reader
    }

    /// Adds a problem.
    pub(crate) fn problem(&mut self, field: &str, rule: Rule, text: impl Into<String>) {
        self.problems.push(SetupProblem::new(field, rule, text));
    }

    /// Checks that every key is one of these.
    fn keys(&mut self, known: &[&str]) {
        let unknown: Vec<_> =
            self.table.keys().filter(|key| !known.contains(&key.as_str())).cloned().collect();
        for key in unknown {
            self.problem(
                "",
                Rule::Known,
                format!("{} is not a setting: there are {}.", quoted_key(&key), known.join(", ")),
            );
        }
        let most = self.table.get("most").and_then(Value::as_table);
        if most.is_some_and(|most| most.keys().any(|key| key != "card" && key != "sbp")) {
            self.problem("", Rule::Known, "`most` may contain card and sbp.");
        }
    }

    /// The text of a key that must be there.
    pub(crate) fn text(&mut self, key: &str) -> String {
        match self.table.get(key) {
            Some(Value::String(text)) if !text.trim().is_empty() => text.trim().to_owned(),
            // A number without quotes.
            Some(Value::Integer(number)) => number.to_string(),
            _ => {
                self.problem(key, Rule::Missing, format!("`{key}` is missing."));
                String::new()
            }
        }
    }

    /// The strings of a list; `otherwise` if the key is missing.
    pub(crate) fn words(&mut self, key: &str, otherwise: &[&str]) -> Vec<String> {
        let listed = match self.table.get(key) {
            None => Some(otherwise.iter().map(|&word| word.to_owned()).collect()),
            Some(Value::Array(items)) if !items.is_empty() => {
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
            }
            Some(_) => None,
        };
        listed.unwrap_or_else(|| {
            let text =
                format!("`{key}` must be a list of words: {key} = [\"{}\"].", otherwise.join("\", \""));
            let rule = match key {
                "methods" => Rule::Methods,
                "receipt_contacts" => Rule::ReceiptContacts,
                _ => Rule::Missing,
            };
            self.problem(key, rule, text);
            Vec::new()
        })
    }

    /// The payment methods: cards, SBP or both.
    pub(crate) fn methods(&mut self) -> Vec<Method> {
        let mut methods = Vec::new();
        for word in self.words("methods", &["card", "sbp"]) {
            match Method::parse(&word).filter(|method| *method != Method::Crypto) {
                Some(method) if methods.contains(&method) => {
                    let text = format!("`methods` lists {word} twice.");
                    self.problems.push(SetupProblem::new("methods", Rule::Once, text).with("name", word));
                }
                Some(method) => methods.push(method),
                None => self.problem("methods", Rule::Methods, "`methods` may contain card and sbp."),
            }
        }
        methods
    }

    /// The largest payment by a method, in kopecks.
    pub(crate) fn most(&mut self, method: &str, otherwise: i64) -> i64 {
        let table = match self.table.get("most") {
            None => return otherwise,
            Some(Value::Table(table)) => table,
            Some(_) => {
                self.problem("", Rule::Known, "`most` must be a section: [most].");
                return otherwise;
            }
        };
        let Some(value) = table.get(method) else { return otherwise };
        let roubles = Currency::parse("RUB");
        let price = value.as_str().zip(roubles).and_then(|(text, rub)| Price::from_text(text, rub).ok());
        price.map_or_else(
            || {
                let text = format!("`most.{method}` must be an amount in quotes: \"350000.00\".");
                self.problem(&format!("most-{method}"), Rule::Amount, text);
                otherwise
            },
            |price| price.money().minor,
        )
    }

    pub(crate) fn requests_per_second(&mut self, otherwise: u32) -> u32 {
        requests_per_second(self.table, otherwise).unwrap_or_else(|problem| {
            self.problems.push(problem);
            otherwise
        })
    }

    /// The base URL of the API, without a slash at the end.
    pub(crate) fn api(&mut self, usual: &str) -> String {
        let Some(value) = self.table.get("api") else { return usual.to_owned() };
        let url = value.as_str().and_then(|text| Url::parse(text).ok());
        let plain = |url: &Url| {
            let secure = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url));
            let clean = url.username().is_empty() && url.password().is_none();
            secure && clean && url.query().is_none() && url.fragment().is_none()
        };
        match url.filter(plain) {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => {
                self.problem(
                    "api",
                    Rule::Address,
                    format!("`api` must be an https address, such as {usual}."),
                );
                usual.to_owned()
            }
        }
    }

    /// A list of host names.
    pub(crate) fn hosts(&mut self, key: &str, otherwise: &[&str]) -> Vec<String> {
        let hosts = self.words(key, otherwise);
        let plain = |host: &String| {
            let known = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.' || b == b'-';
            !host.is_empty() && host.bytes().all(known)
        };
        if !hosts.iter().all(plain) {
            self.problem(
                key,
                Rule::Hosts,
                format!("`{key}` must list host names, such as {}.", otherwise[0]),
            );
        }
        hosts
    }
}
