//! A document as blocks, as [`super::markdown`] reads it and the template shows it.

use super::samples::SampleLanguage;

/// A document.
#[derive(Debug)]
pub struct Document {
    pub title: String,
    /// The blocks before the first section.
    pub lead: Vec<Block>,
    /// The sections, by headings of the second level.
    pub sections: Vec<Section>,
}

/// A heading of the second level and its blocks.
#[derive(Debug)]
pub struct Section {
    pub id: String,
    pub title: String,
    pub blocks: Vec<Block>,
}

impl Section {
    /// Its headings of the third level.
    pub fn headings(&self) -> Vec<Heading<'_>> {
        let mut headings = Vec::new();
        for block in &self.blocks {
            match block {
                Block::Heading(id, title) => headings.push(Heading { id, title, sample: None }),
                Block::Samples(samples) => headings.extend(samples.iter().flat_map(Sample::headings)),
                _ => {}
            }
        }
        headings
    }
}

/// A heading of the third level.
#[derive(Debug)]
pub struct Heading<'a> {
    pub id: &'a str,
    pub title: &'a str,
    /// The language of the sample that it is in.
    pub sample: Option<SampleLanguage>,
}

impl Heading<'_> {
    /// Its address on its page: a sample is only there if its language is chosen.
    pub fn href(&self) -> String {
        match self.sample {
            Some(language) => language.href(self.id),
            None => format!("#{}", self.id),
        }
    }
}

/// The same in one of several languages.
#[derive(Debug, PartialEq, Eq)]
pub struct Sample {
    pub language: SampleLanguage,
    pub blocks: Vec<Block>,
}

impl Sample {
    pub fn headings(&self) -> impl Iterator<Item = Heading<'_>> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Heading(id, title) => Some(Heading { id, title, sample: Some(self.language) }),
            _ => None,
        })
    }
}

/// A part of a section.
#[derive(Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading of the third level, with its anchor.
    Heading(String, String),
    Paragraph(Words),
    /// A paragraph of a quotation, which stands out.
    Note(Words),
    Listing(Listing),
    /// A list. An item has paragraphs and listings.
    List(ListKind, Vec<Vec<Block>>),
    Table(Table),
    /// The same in several languages, of which one is shown.
    Samples(Vec<Sample>),
}

/// A listing of code or output.
#[derive(Debug, PartialEq, Eq)]
pub struct Listing {
    pub language: String,
    pub text: String,
    /// Its number among the listings and tables of its section.
    pub number: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    pub head: Vec<String>,
    pub rows: Vec<Vec<Words>>,
    /// True if each row has an anchor: the name that its first cell begins with.
    pub anchors: bool,
    /// Its number among the listings and tables of its section.
    pub number: usize,
}

impl Table {
    /// The anchor of a row.
    pub fn anchor<'a>(&self, row: &'a [Words]) -> Option<&'a str> {
        row.first()?.first().filter(|_| self.anchors).map(|piece| piece.text.as_str())
    }
}

impl Block {
    /// Its text without marks, for searching.
    pub fn to_text(&self) -> String {
        match self {
            Self::Heading(_, title) => title.clone(),
            Self::Paragraph(words) | Self::Note(words) => plain(words),
            Self::Listing(listing) => listing.text.clone(),
            Self::List(_, items) => joined(items.iter().flatten().map(Self::to_text)),
            Self::Table(table) => {
                let rows = table.rows.iter().map(|row| joined(row.iter().map(|words| plain(words))));
                joined(std::iter::once(table.head.join(" ")).chain(rows))
            }
            Self::Samples(samples) => {
                joined(samples.iter().flat_map(|sample| &sample.blocks).map(Self::to_text))
            }
        }
    }
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join("\n")
}

/// The marks of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    Points,
    Numbers,
    /// Checkboxes.
    Boxes,
}

/// Pieces of a line.
pub type Words = Vec<Piece>;

/// A piece of a line with one style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    /// True for code: a name or value.
    pub code: bool,
    /// True for strong text.
    pub strong: bool,
    pub link: Option<String>,
}

impl Piece {
    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub fn code(text: &str) -> Self {
        Self { code: true, ..Self::text(text) }
    }

    pub fn link(text: &str, href: &str) -> Self {
        Self { link: Some(href.to_owned()), ..Self::text(text) }
    }

    /// True if it fits on one line even in a narrow window.
    pub fn is_short(&self) -> bool {
        self.text.len() < 28
    }
}

/// The text of a line without its styles.
pub fn plain(words: &[Piece]) -> String {
    words.iter().map(|piece| piece.text.as_str()).collect()
}
