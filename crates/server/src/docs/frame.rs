//! What every page has around its content: the navigation with the contents of the page, and the search.

use super::{
    blocks::{Document, Section},
    library::PAGES,
    machine,
};

/// The surroundings of a page.
#[derive(Debug)]
pub struct DocsFrame<'a> {
    /// The path of the page.
    pub path: &'a str,
    pub contents: Vec<ContentsEntry>,
    /// What was searched for.
    pub query: &'a str,
}

impl<'a> DocsFrame<'a> {
    pub fn new(path: &'a str, contents: Vec<ContentsEntry>) -> Self {
        Self { path, contents, query: "" }
    }

    /// The address of the page as Markdown.
    pub fn markdown(&self) -> Option<String> {
        let page = PAGES.iter().find(|page| page.path == self.path)?;
        Some(machine::markdown_path(page.path))
    }
}

/// A section in the contents of a page.
#[derive(Debug)]
pub struct ContentsEntry {
    pub href: String,
    pub title: String,
    pub inner: Vec<Self>,
}

impl ContentsEntry {
    pub fn new(id: &str, title: &str) -> Self {
        Self { href: format!("#{id}"), title: title.to_owned(), inner: Vec::new() }
    }
}

/// The contents of a document.
pub fn contents(document: &Document) -> Vec<ContentsEntry> {
    let entry = |section: &Section| {
        let inner = section.headings().into_iter().map(|heading| ContentsEntry {
            href: heading.href(),
            title: heading.title.to_owned(),
            inner: Vec::new(),
        });
        ContentsEntry { inner: inner.collect(), ..ContentsEntry::new(&section.id, &section.title) }
    };
    document.sections.iter().map(entry).collect()
}
