//! `/openapi.json`; `/docs`, a readable reference made from that same document; and beside it the documents of this
//! repository as pages, with a search over all of them. Every page is there as Markdown too, for programs that read.
//!
//! Pages are rendered when they are first asked for, and kept.

mod blocks;
mod errors;
mod example;
mod frame;
mod guide;
mod library;
mod machine;
mod markdown;
mod operations;
mod page;
mod passages;
mod programs;
mod prose;
mod results;
mod samples;
mod schema;
mod search;
mod settings;

use crate::api::openapi;
use axum::{
    Router,
    extract::RawQuery,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use blocks::Document;
use library::{DocsPage, FILES, PAGES};
use samples::{LanguageChoice, SampleLanguage};
use search::SearchIndex;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use till_service::web::assets::{Shared, pack};
use url::form_urlencoded;

const HTML: &str = "text/html; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// Everything under `/docs`, and the OpenAPI document.
pub fn router(base_url: &str) -> Router {
    let docs = Arc::new(Docs::new(base_url));
    let document = Shared::new("application/json", docs.document.to_string());
    let mut router =
        Router::new().route("/openapi.json", get(async move |headers: HeaderMap| document.answer(&headers)));
    for file in &FILES {
        let file_path = file.path;
        let file = Shared::new(file.content_type(), file.text);
        router = router.route(file_path, get(async move |headers: HeaderMap| file.answer(&headers)));
    }
    for (number, page) in PAGES.iter().enumerate() {
        let docs = Arc::clone(&docs);
        let answer = async move |RawQuery(query): RawQuery, headers: HeaderMap| {
            docs.page(number, query.as_deref(), &headers)
        };
        router = router.route(page.path, get(answer));
    }
    router = router.merge(machine_router(&docs));
    router.route(
        results::SEARCH,
        get(async move |RawQuery(query): RawQuery, headers: HeaderMap| {
            docs.search(query.as_deref().unwrap_or_default(), &headers)
        }),
    )
}

/// The same documents for programs that read.
fn machine_router(docs: &Arc<Docs>) -> Router {
    let list = Shared::new("text/plain; charset=utf-8", machine::list(&docs.base_url));
    let mut router =
        Router::new().route(machine::LIST, get(async move |headers: HeaderMap| list.answer(&headers)));
    for (number, page) in PAGES.iter().enumerate() {
        let docs = Arc::clone(docs);
        let answer = async move |headers: HeaderMap| docs.markdown(number).answer(&headers);
        router = router.route(&machine::markdown_path(page.path), get(answer));
    }
    router
}

/// All pages of this service.
#[derive(Debug)]
struct Docs {
    base_url: String,
    document: Value,
    pages: [RenderedPage; PAGES.len()],
    index: OnceLock<SearchIndex>,
}

/// A page, made when it is first needed.
#[derive(Debug, Default)]
struct RenderedPage {
    document: OnceLock<Option<Document>>,
    markdown: OnceLock<Shared>,
    /// For each language of samples, and for none.
    answers: [OnceLock<Shared>; SampleLanguage::ALL.len() + 1],
}

impl Docs {
    fn new(base_url: &str) -> Self {
        Self {
            base_url: base_url.to_owned(),
            document: openapi::document(base_url),
            pages: Default::default(),
            index: OnceLock::new(),
        }
    }

    /// The document of a page.
    fn text(&self, number: usize) -> Option<&Document> {
        self.pages[number].document.get_or_init(|| guide::document(&PAGES[number])).as_ref()
    }

    fn page(&self, number: usize, query: Option<&str>, headers: &HeaderMap) -> Response {
        let choice = LanguageChoice::read(query, headers);
        let position = choice
            .language
            .and_then(|language| SampleLanguage::ALL.iter().position(|known| *known == language))
            .map_or(0, |position| position + 1);
        let shared = self.pages[number].answers[position].get_or_init(|| {
            Shared::new(HTML, self.render(&PAGES[number], self.text(number), choice.language))
        });
        let mut response = shared.answer(headers);
        response.headers_mut().append(header::VARY, HeaderValue::from_static("cookie"));
        if let Some(cookie) = choice.cookie(self.base_url.starts_with("https://")) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        response
    }

    fn render(&self, page: &DocsPage, text: Option<&Document>, chosen: Option<SampleLanguage>) -> String {
        match text {
            Some(text) => guide::render(page, text, chosen, &self.base_url),
            None => page::render(&self.document, chosen, &self.base_url),
        }
    }

    /// A page as Markdown.
    fn markdown(&self, number: usize) -> &Shared {
        self.pages[number].markdown.get_or_init(|| {
            let text = match self.text(number) {
                Some(text) => machine::document(text),
                None => {
                    let operations = operations::read(&self.document, &self.base_url);
                    machine::reference(&PAGES[number], &operations, &self.base_url)
                }
            };
            Shared::new(MARKDOWN, text)
        })
    }

    fn search(&self, query: &str, headers: &HeaderMap) -> Response {
        let asked = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "q");
        let asked = asked.map(|(_, value)| value).unwrap_or_default();
        let (body, encoding) = pack(results::render(self.index(), &asked), headers);
        let mut response = body.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(HTML));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(encoding) = encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    }

    /// The index of all pages.
    fn index(&self) -> &SearchIndex {
        self.index.get_or_init(|| {
            let passages = PAGES.iter().enumerate().flat_map(|(number, page)| match self.text(number) {
                Some(text) => passages::of_document(page, text, &self.base_url),
                None => passages::of_reference(page, &operations::read(&self.document, &self.base_url)),
            });
            SearchIndex::new(passages.collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_found_by_its_title() {
        let docs = Docs::new("https://pay.example.com");
        let mut sections = 0;
        for (number, page) in PAGES.iter().enumerate() {
            let Some(text) = docs.text(number) else { continue };
            for passage in passages::of_document(page, text, &docs.base_url) {
                let found = docs.index().find(&passage.title, 20);
                let hrefs: Vec<&str> = found.hits.iter().map(|hit| hit.href).collect();
                assert!(hrefs.contains(&passage.href.as_str()), "{}: {hrefs:?}", passage.title);
                sections += 1;
            }
        }
        assert!(sections > 150, "{sections}");
    }
}
