//! The TOML documents by which operators set providers up.

use toml::Table;

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
