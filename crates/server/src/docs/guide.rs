//! The guides: documents of this repository as pages beside the reference, rendered once at start-up.

use super::{
    PAGES,
    markdown::{self, Block, Document, ListKind, Piece},
};
use askama::Template;
use till_service::web::assets;

/// A document that has a page.
#[derive(Debug)]
pub struct Guide {
    /// The path of its page.
    pub path: &'static str,
    /// Its file in the `docs` folder.
    file: &'static str,
    text: &'static str,
}

pub const GUIDES: [Guide; 2] = [
    Guide {
        path: "/docs/integration",
        file: "integration.md",
        text: include_str!("../../../../docs/integration.md"),
    },
    Guide {
        path: "/docs/callbacks",
        file: "callbacks.md",
        text: include_str!("../../../../docs/callbacks.md"),
    },
];

/// The base URL in the documents, which every page replaces with the service's own.
const WRITTEN_BASE_URL: &str = "http://127.0.0.1:8080";

impl Guide {
    #[must_use]
    pub fn render(&self, base_url: &str) -> String {
        render(self.path, markdown::parse(self.text, &target), base_url)
    }
}

fn render(path: &str, document: Document, base_url: &str) -> String {
    let page = GuidePage { path, document, base_url, version: env!("CARGO_PKG_VERSION") };
    page.render().unwrap_or_else(|_| unreachable!("writing to a string does not fail"))
}

/// The target of a link on the page; `None` for files that have no page.
fn target(href: &str) -> Option<String> {
    if href.starts_with('#') || href.starts_with("https://") {
        return Some(href.to_owned());
    }
    let (file, fragment) = href.split_once('#').unwrap_or((href, ""));
    if file == "api.md" {
        return Some("/docs".to_owned());
    }
    let guide = GUIDES.iter().find(|guide| guide.file == file)?;
    Some(if fragment.is_empty() { guide.path.to_owned() } else { format!("{}#{fragment}", guide.path) })
}

#[derive(Template)]
#[template(path = "docs/guide.html")]
struct GuidePage<'a> {
    path: &'a str,
    document: Document,
    base_url: &'a str,
    version: &'a str,
}

impl GuidePage<'_> {
    /// A text with this service's base URL.
    fn here(&self, text: &str) -> String {
        text.replace(WRITTEN_BASE_URL, self.base_url)
    }

    /// A piece's text in parts, between which a long address may wrap.
    fn parts(&self, piece: &Piece) -> Vec<String> {
        let text = self.here(&piece.text);
        if piece.is_short() { vec![text] } else { text.split_inclusive('/').map(str::to_owned).collect() }
    }
}

/// The name of a listing, unique on the page.
fn label(section: &str, number: usize, language: &str) -> String {
    format!("{section}: {}, listing {number}", word(language))
}

/// The name of a table's column.
fn column(head: &[String], index: usize) -> &str {
    head.get(index).map_or("", String::as_str)
}

/// The display name of a language.
fn word(language: &str) -> &str {
    match language {
        "sh" => "Shell",
        "python" => "Python",
        "js" => "JavaScript",
        "php" => "PHP",
        "rust" => "Rust",
        "json" => "JSON",
        "text" => "Output",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scraper::{Html, Selector};

    const BASE_URL: &str = "https://pay.example.com";

    fn pages() -> impl Iterator<Item = (&'static Guide, String)> {
        GUIDES.iter().map(|guide| (guide, guide.render(BASE_URL)))
    }

    fn all(page: &str, selector: &str, attribute: &str) -> Vec<String> {
        let page = Html::parse_document(page);
        let selector = Selector::parse(selector).expect("a selector");
        page.select(&selector).filter_map(|element| element.attr(attribute)).map(str::to_owned).collect()
    }

    #[test]
    fn every_listing_is_shown_to_the_letter_with_this_services_address() {
        for (guide, page) in pages() {
            let document = Html::parse_document(&page);
            let selector = Selector::parse("pre code").expect("a selector");
            let listings: Vec<String> =
                document.select(&selector).map(|code| code.text().collect()).collect();
            let mut written: Vec<String> =
                guide.text.split("\n```").skip(1).step_by(2).map(str::to_owned).collect();
            for listing in &mut written {
                *listing = listing
                    .split_once('\n')
                    .map(|(_, text)| text.replace(WRITTEN_BASE_URL, BASE_URL))
                    .expect("lines");
            }
            assert_eq!(listings, written, "{}", guide.path);
            assert!(!page.contains(WRITTEN_BASE_URL), "{}", guide.path);
        }
        let page = GUIDES[0].render(BASE_URL);
        assert!(page.contains("https://pay.example.com/api/sandbox/vendor/checkout-session"));
    }

    #[test]
    fn no_mark_is_left_in_the_text() {
        for (guide, page) in pages() {
            let page = Html::parse_document(&page);
            let selector = Selector::parse("p, li, td, th, h1, h2, h3").expect("a selector");
            for element in page.select(&selector) {
                let own: String =
                    element.children().filter_map(|child| child.value().as_text().map(|t| &**t)).collect();
                for mark in ["**", "](", "`", "[ ]", "|---"] {
                    assert!(!own.contains(mark), "{}: {own}", guide.path);
                }
            }
        }
    }

    #[test]
    fn every_id_is_there_once_and_every_link_leads_somewhere() {
        let ids: Vec<(&str, Vec<String>)> =
            pages().map(|(guide, page)| (guide.path, all(&page, "[id]", "id"))).collect();
        for (path, ids) in &ids {
            let mut once = ids.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), ids.len(), "{path}");
        }
        for (guide, page) in pages() {
            for href in all(&page, "a", "href") {
                let (path, fragment) = href.split_once('#').unwrap_or((&href, ""));
                let path = if path.is_empty() { guide.path } else { path };
                let known = ids.iter().find(|(known, _)| *known == path);
                let right = match known {
                    Some((_, ids)) => fragment.is_empty() || ids.iter().any(|id| id == fragment),
                    None => path == "/docs" || path == "/openapi.json" || path.starts_with("https://"),
                };
                assert!(right, "{} links to {href}", guide.path);
            }
        }
    }

    #[test]
    fn the_contents_name_every_section_and_language() {
        let page = GUIDES[0].render(BASE_URL);
        let contents = all(&page, "nav a", "href");
        for id in [
            "#start",
            "#1-get-a-token",
            "#python",
            "#php",
            "#javascript-on-node",
            "#go-live",
            "#common-mistakes",
        ] {
            assert!(contents.iter().any(|href| href == id), "{id}");
        }
    }

    #[test]
    fn listings_have_names_of_their_own() {
        for (guide, page) in pages() {
            let mut names = all(&page, "pre", "aria-label");
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert!(names.len() == all && all > 5, "{}: {names:?}", guide.path);
        }
    }

    #[test]
    fn nothing_is_inline() {
        for (guide, page) in pages() {
            assert!(all(&page, "[style]", "style").is_empty(), "{}", guide.path);
            let scripts = all(&page, "script", "src");
            assert!(scripts.len() == 1 && scripts[0].starts_with("/assets/"), "{}: {scripts:?}", guide.path);
            assert_eq!(page.matches("<script").count(), 1, "{}", guide.path);
        }
    }

    #[test]
    fn hostile_text_comes_out_escaped() {
        const HOSTILE: &str = "<script>alert(1)</script>\"><img onload='x'>";
        let text = format!(
            "# {HOSTILE}\n{HOSTILE} [{HOSTILE}](https://{HOSTILE})\n## {HOSTILE}\n### {HOSTILE}\n- `{HOSTILE}`\n\n\
             | {HOSTILE} |\n|---|\n| {HOSTILE} |\n\n```{HOSTILE}\n{HOSTILE} {WRITTEN_BASE_URL}\n```\n"
        );
        let page = render("/docs/integration", markdown::parse(&text, &target), HOSTILE);
        assert!(page.contains("&#60;script&#62;alert(1)"));
        for raw in ["<script>", "<img", "alert(1)</", "\"&#62;", "javascript:"] {
            assert!(!page.contains(raw), "{raw}");
        }
        assert_eq!(target("javascript:alert(1)"), None);
    }
}
