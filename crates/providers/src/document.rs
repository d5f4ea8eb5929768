//! Helpers for reading the TOML documents with which operators configure providers.

use crate::form::{Rule, SetupProblem};
use toml::Table;
use url::Url;

/// Parses the TOML of a setup document, or returns its syntax error in one line. The parser's full error text
/// is not used: it quotes the offending line, which may hold a secret.
pub(crate) fn tables(text: &str) -> Result<Table, Vec<SetupProblem>> {
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let words = error.message().trim_end_matches('.').replace('\n', ", ");
        let sentence = format!("Line {line} is not TOML: {words}.");
        vec![SetupProblem::new("", Rule::Toml, sentence)]
    })
}

/// True if the URL's host is this machine: 127.0.0.1, localhost or [::1].
pub(crate) fn is_loopback(url: &Url) -> bool {
    matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"))
}

/// The problem with a changed provider address while live keys are in use, if there is one. Live keys may be
/// sent only to the provider's own address, and only its own scripts may run beside a card number: a changed
/// address would receive both. A loopback address is allowed, for tests.
pub(crate) fn wrong_live_address(key: &str, address: &str, real: &str) -> Option<SetupProblem> {
    let local = Url::parse(address).is_ok_and(|url| is_loopback(&url));
    (address != real && !local).then(|| {
        let sentence = format!(
            "`{key}` can be changed only with test keys, or to an address of this machine: leave it out."
        );
        SetupProblem::new(key, Rule::LiveAddress, sentence)
    })
}

/// Reads `requests_per_second` (1 to 1000), the rate limit of a provider; `otherwise` if the key is missing.
pub(crate) fn requests_per_second(table: &Table, otherwise: u32) -> Result<u32, SetupProblem> {
    let Some(value) = table.get("requests_per_second") else { return Ok(otherwise) };
    let rate = value.as_integer().and_then(|rate| u32::try_from(rate).ok());
    rate.filter(|rate| (1..=1_000).contains(rate)).ok_or_else(|| {
        let sentence = format!(
            "`requests_per_second` must be a number from 1 to 1000: requests_per_second = {otherwise}"
        );
        number_problem("requests_per_second", (1, 1_000), sentence)
    })
}

/// The problem with a number that is none, or out of its range.
pub(crate) fn number_problem(field: &str, (least, most): (u64, u64), sentence: String) -> SetupProblem {
    SetupProblem::new(field, Rule::Number, sentence).with("least", least).with("most", most)
}
