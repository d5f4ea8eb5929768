//! The TOML documents by which operators set providers up.

use toml::Table;
use url::Url;

/// The tables of a document, or what is wrong with the TOML itself. The library's own words would show the line, and what
/// is secret in it.
pub(crate) fn tables(text: &str) -> Result<Table, Vec<String>> {
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let words = error.message().trim_end_matches('.').replace('\n', ", ");
        vec![format!("Line {line} is not TOML: {words}.")]
    })
}

/// Whether an address leads to this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"))
}

/// What is wrong with an address of a provider that moves real money. Only test keys may be sent to another address than
/// the provider's own, and only its own scripts may run beside a card number: a changed address would receive both. An
/// address of this machine is for tests.
pub(crate) fn wrong_live_address(key: &str, given: &str, real: &str) -> Option<String> {
    let local = Url::parse(given).is_ok_and(|url| is_loopback(&url));
    (given != real && !local).then(|| {
        format!("`{key}` can be changed only with test keys, or to an address of this machine: leave it out.")
    })
}

/// How many requests a second a document allows, or what is wrong with that. What it leaves out is `otherwise`.
pub(crate) fn requests_per_second(table: &Table, otherwise: u32) -> Result<u32, String> {
    let Some(given) = table.get("requests_per_second") else { return Ok(otherwise) };
    let rate = given.as_integer().and_then(|rate| u32::try_from(rate).ok());
    rate.filter(|rate| (1..=1_000).contains(rate)).ok_or_else(|| {
        format!("`requests_per_second` must be a number from 1 to 1000: requests_per_second = {otherwise}")
    })
}
