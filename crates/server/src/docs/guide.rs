//! The guides: documents of this repository as pages beside the reference.

use super::{
    blocks::{Block, Document, ListKind, Piece, Sample},
    frame::{self, DocsFrame},
    library::{Audience, DocsPage, PageSource, target},
    markdown,
    samples::SampleLanguage,
    settings,
};
use askama::Template;
use till_service::web::assets;

/// The base URL in the documents, which every page replaces with the service's own.
const WRITTEN_BASE_URL: &str = "http://127.0.0.1:8080";

/// The document of a page, with links as they are there; `None` for the reference.
pub fn document(page: &DocsPage) -> Option<Document> {
    match &page.source {
        PageSource::OpenApi => None,
        PageSource::Settings => Some(settings::document()),
        PageSource::Markdown(source) => Some(markdown::parse(source.text, &|href| target(source.file, href))),
    }
}

/// Renders the page of a document, with its samples in the chosen language if they are written in it.
pub fn render(
    page: &DocsPage,
    document: &Document,
    chosen: Option<SampleLanguage>,
    base_url: &str,
) -> String {
    let page = GuidePage {
        frame: DocsFrame::new(page.path, frame::contents(document)),
        audience: page.audience,
        document,
        chosen,
        base_url,
        version: env!("CARGO_PKG_VERSION"),
    };
    page.render().unwrap_or_else(|_| unreachable!("writing to a string does not fail"))
}

/// A text with this service's base URL.
pub fn with_base_url(text: &str, base_url: &str) -> String {
    text.replace(WRITTEN_BASE_URL, base_url)
}

#[derive(Template)]
#[template(path = "docs/guide.html")]
struct GuidePage<'a> {
    frame: DocsFrame<'a>,
    audience: Audience,
    document: &'a Document,
    /// The language in which the reader wants samples.
    chosen: Option<SampleLanguage>,
    base_url: &'a str,
    version: &'a str,
}

impl GuidePage<'_> {
    fn here(&self, text: &str) -> String {
        with_base_url(text, self.base_url)
    }

    /// A piece's text in parts, between which a long address may wrap.
    fn parts(&self, piece: &Piece) -> Vec<String> {
        let text = self.here(&piece.text);
        if piece.is_short() { vec![text] } else { text.split_inclusive('/').map(str::to_owned).collect() }
    }

    /// The address of a link: a heading within a sample is only there if its language is chosen.
    fn href(&self, link: &str) -> String {
        let headings = || self.document.sections.iter().flat_map(|section| section.headings());
        let found = link.strip_prefix('#').and_then(|id| headings().find(|heading| heading.id == id));
        found.map_or_else(|| link.to_owned(), |heading| heading.href())
    }

    /// The sample that is shown: that in the chosen language, or the first.
    fn shown<'s>(&self, samples: &'s [Sample]) -> Option<&'s Sample> {
        let chosen = samples.iter().find(|sample| Some(sample.language) == self.chosen);
        chosen.or_else(|| samples.first())
    }

    /// The languages of samples in a section.
    fn switch(&self, samples: &[Sample], section: &str) -> Vec<SampleLink> {
        let shown = self.shown(samples).map(|sample| sample.language);
        let link = |sample: &Sample| {
            let heading = sample.headings().next().map(|heading| heading.id.to_owned());
            let current = Some(sample.language) == shown;
            SampleLink {
                name: sample.language.name(),
                href: sample.language.href(heading.as_deref().unwrap_or(&format!("{section}-samples"))),
                current,
                anchor: heading.filter(|_| !current),
            }
        };
        samples.iter().map(link).collect()
    }
}

/// A language that can be chosen for a sample.
struct SampleLink {
    name: &'static str,
    href: String,
    current: bool,
    /// The anchor of its heading, while that is not shown.
    anchor: Option<String>,
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
        "json" => "JSON",
        "text" => "Output",
        "toml" => "TOML",
        "yaml" => "YAML",
        "" => "Text",
        other => SampleLanguage::from_word(other).map_or(other, |known| known.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::library::PAGES;
    use scraper::{Html, Selector};

    const BASE_URL: &str = "https://pay.example.com";

    /// Every page in every language of its samples: its path, its source and its HTML.
    fn pages() -> Vec<(&'static str, &'static str, String)> {
        let mut pages = Vec::new();
        for page in &PAGES {
            let Some(document) = document(page) else { continue };
            let text = if let PageSource::Markdown(source) = &page.source { source.text } else { "" };
            for chosen in [None].into_iter().chain(SampleLanguage::ALL.map(Some)) {
                pages.push((page.path, text, render(page, &document, chosen, BASE_URL)));
            }
        }
        pages
    }

    fn page(path: &str, chosen: Option<SampleLanguage>) -> String {
        let page = PAGES.iter().find(|page| page.path == path).expect("a page");
        render(page, &document(page).expect("a document"), chosen, BASE_URL)
    }

    fn all(page: &str, selector: &str, attribute: &str) -> Vec<String> {
        let page = Html::parse_document(page);
        let selector = Selector::parse(selector).expect("a selector");
        page.select(&selector).filter_map(|element| element.attr(attribute)).map(str::to_owned).collect()
    }

    fn texts(page: &str, selector: &str) -> Vec<String> {
        let page = Html::parse_document(page);
        let selector = Selector::parse(selector).expect("a selector");
        page.select(&selector).map(|element| element.text().collect()).collect()
    }

    /// The listings of a document that its page shows: outside samples, and those of one sample in each group.
    fn listings(text: &str, chosen: Option<SampleLanguage>) -> Vec<String> {
        let shown = |part: &str| -> String {
            let Some((before, group)) = part.split_once("<!-- sample: ") else { return part.to_owned() };
            let samples: Vec<&str> = group.split("<!-- sample: ").collect();
            let wanted = chosen.and_then(|chosen| {
                samples.iter().find(|sample| sample.split(' ').next() == Some(chosen.word()))
            });
            format!("{before}{}", wanted.unwrap_or(&samples[0]))
        };
        let text: String = text.split("<!-- end of samples -->").map(shown).collect();
        let mut listings: Vec<String> = Vec::new();
        let mut indent = None;
        for line in text.lines() {
            match (line.trim_start().starts_with("```"), indent) {
                (true, None) => {
                    indent = line.find('`');
                    listings.push(String::new());
                }
                (true, Some(_)) => indent = None,
                (false, Some(indent)) => {
                    let last = listings.last_mut().expect("a listing");
                    last.push_str(line.get(indent..).unwrap_or_default());
                    last.push('\n');
                }
                (false, None) => {}
            }
        }
        listings.iter().map(|text| text.trim_end().replace(WRITTEN_BASE_URL, BASE_URL)).collect()
    }

    #[test]
    fn every_listing_is_shown_to_the_letter_with_this_services_address() {
        for page in &PAGES {
            let PageSource::Markdown(source) = &page.source else { continue };
            let document = document(page).expect("a document");
            for chosen in [None].into_iter().chain(SampleLanguage::ALL.map(Some)) {
                let html = render(page, &document, chosen, BASE_URL);
                assert_eq!(
                    texts(&html, "pre code"),
                    listings(source.text, chosen),
                    "{} {chosen:?}",
                    page.path
                );
                assert!(!html.contains(WRITTEN_BASE_URL), "{}", page.path);
            }
        }
        let page = page("/docs/integration", None);
        assert!(page.contains("https://pay.example.com/api/sandbox/vendor/checkout-session"));
    }

    #[test]
    fn samples_are_in_the_chosen_language() {
        for path in ["/docs/integration", "/docs/callbacks"] {
            let php = page(path, Some(SampleLanguage::Php));
            let current = texts(&php, ".langs [aria-current]");
            assert!(!current.is_empty() && current.iter().all(|name| name == "PHP"), "{path}: {current:?}");
            let names: Vec<String> = texts(&php, ".samples figcaption > span:first-child");
            assert!(
                names.iter().all(|name| ["PHP", "Shell", "Output"].contains(&&**name)),
                "{path}: {names:?}"
            );
        }
        let rust = page("/docs/integration", Some(SampleLanguage::Rust));
        let first = texts(&rust, ".langs [aria-current]");
        assert!(first.iter().all(|name| name == "Shell"), "the first, as there is none in Rust: {first:?}");
        let python = page("/docs/integration", Some(SampleLanguage::Python));
        assert_eq!(all(&python, "h3#python", "id").len(), 1);
        assert!(all(&python, "header.lead a", "href").contains(&"?code=php#php".to_owned()));
    }

    /// Nothing of a document is lost: nested lists, listings in lists, images and the like would be.
    #[test]
    fn a_page_shows_every_word_of_its_document_in_its_order() {
        use pulldown_cmark::{Event, Options, Parser};
        for page in &PAGES {
            let PageSource::Markdown(source) = &page.source else { continue };
            let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
            let written: String = Parser::new_ext(source.text, options)
                .filter_map(|event| match event {
                    Event::Text(text) | Event::Code(text) => Some(text.into_string()),
                    _ => None,
                })
                .collect();
            let document = document(page).expect("a document");
            let mut read = document.title.clone();
            document.lead.iter().for_each(|block| read.push_str(&block.to_text()));
            for section in &document.sections {
                read.push_str(&section.title);
                section.blocks.iter().for_each(|block| read.push_str(&block.to_text()));
            }
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(letters(&read), letters(&written), "{}", page.path);
        }
    }

    #[test]
    fn no_mark_is_left_in_the_text() {
        for (path, _, page) in pages() {
            let page = Html::parse_document(&page);
            let selector = Selector::parse("p, li, td, th, h1, h2, h3").expect("a selector");
            for element in page.select(&selector) {
                let own: String =
                    element.children().filter_map(|child| child.value().as_text().map(|t| &**t)).collect();
                for mark in ["**", "](", "`", "[ ]", "|---", "<!--"] {
                    assert!(!own.contains(mark), "{path}: {own}");
                }
            }
        }
    }

    #[test]
    fn every_id_is_there_once() {
        for (path, _, page) in pages() {
            let mut ids = all(&page, "[id]", "id");
            let all = ids.len();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), all, "{path}");
        }
    }

    #[test]
    fn the_contents_name_every_section_and_language() {
        let page = page("/docs/integration", None);
        for contents in [".beside nav", ".menu nav"] {
            let contents = all(&page, &format!("{contents} .here a"), "href");
            for href in [
                "#start",
                "#1-get-a-token",
                "?code=python#python",
                "?code=php#php",
                "?code=js#javascript-on-node",
                "#go-live",
                "#common-mistakes",
            ] {
                assert!(contents.iter().any(|found| found == href), "{href}");
            }
        }
    }

    #[test]
    fn listings_and_tables_have_names_of_their_own() {
        for (path, _, page) in pages() {
            let mut names = all(&page, "pre, table", "aria-label");
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all, "{path}: {names:?}");
        }
    }

    #[test]
    fn nothing_is_inline() {
        for (path, _, page) in pages() {
            assert!(all(&page, "[style]", "style").is_empty(), "{path}");
            let scripts = all(&page, "script", "src");
            assert!(scripts.len() == 1 && scripts[0].starts_with("/assets/"), "{path}: {scripts:?}");
            assert_eq!(page.matches("<script").count(), 1, "{path}");
        }
    }

    #[test]
    fn hostile_text_comes_out_escaped() {
        const HOSTILE: &str = "<script>alert(1)</script>\"><img onload='x'>";
        let text = format!(
            "# {HOSTILE}\n{HOSTILE} [{HOSTILE}](https://{HOSTILE})\n## {HOSTILE}\n### {HOSTILE}\n- `{HOSTILE}`\n\n\
             > {HOSTILE}\n\n<!-- sample: sh -->\n\n### {HOSTILE}\n\n{HOSTILE}\n\n<!-- end of samples -->\n\n\
             | {HOSTILE} |\n|---|\n| {HOSTILE} |\n\n```{HOSTILE}\n{HOSTILE} {WRITTEN_BASE_URL}\n```\n"
        );
        let document = markdown::parse(&text, &|href| target("integration.md", href));
        let page = render(&PAGES[1], &document, None, HOSTILE);
        assert!(page.contains("&#60;script&#62;alert(1)"));
        for raw in ["<script>", "<img", "alert(1)</", "\"&#62;", "javascript:"] {
            assert!(!page.contains(raw), "{raw}");
        }
    }
}
