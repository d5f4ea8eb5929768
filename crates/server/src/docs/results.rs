//! The page of a search.

use super::{
    frame::DocsFrame,
    library::Audience,
    search::{self, Hit, SearchIndex},
};
use askama::Template;
use till_service::web::assets;

/// The path of the page.
pub const SEARCH: &str = "/docs/search";

/// The most sections that are shown.
const MOST_HITS: usize = 20;

/// Renders the results of a query.
pub fn render(index: &SearchIndex, query: &str) -> String {
    let query = search::clip(query.trim());
    let found = index.find(query, MOST_HITS);
    let page = ResultsPage {
        frame: DocsFrame { path: SEARCH, contents: Vec::new(), query },
        query,
        hits: found.hits,
        total: found.total,
        partly: found.partly,
        version: env!("CARGO_PKG_VERSION"),
    };
    page.render().unwrap_or_else(|_| unreachable!("writing to a string does not fail"))
}

#[derive(Template)]
#[template(path = "docs/search.html")]
struct ResultsPage<'a> {
    frame: DocsFrame<'a>,
    query: &'a str,
    hits: Vec<Hit<'a>>,
    total: usize,
    partly: bool,
    version: &'a str,
}

impl ResultsPage<'_> {
    /// The number of results in a sentence.
    fn status(&self) -> String {
        let count = match self.total {
            0 => return "Nothing found. Check the spelling, or try fewer or other words.".to_owned(),
            1 => "1 section".to_owned(),
            count => format!("{count} sections"),
        };
        let first = if self.total > self.hits.len() {
            format!(" Here are the best {}.", self.hits.len())
        } else {
            String::new()
        };
        if self.partly {
            format!("No section has all of these words; {count} with some of them.{first}")
        } else {
            format!("{count} found.{first}")
        }
    }
}
