//! Parses the Markdown of this repository's own documents, as much of it as they use: headings, paragraphs,
//! lists, tables, listings; code, strong words and links within a line.
//!
//! Any other markup stays text. It makes no HTML: the template escapes.

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
    /// True if it has headings of the third level.
    pub fn has_headings(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Heading(..)))
    }
}

/// A part of a section.
#[derive(Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading of the third level, with its anchor.
    Heading(String, String),
    Paragraph(Words),
    /// A listing: its language and its text.
    Listing(String, String),
    List(Kind, Vec<Words>),
    /// A table: its head and its rows.
    Table(Vec<String>, Vec<Vec<Words>>),
}

/// The marks of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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
    /// True if it fits on one line even in a narrow window.
    pub fn is_short(&self) -> bool {
        self.text.len() < 28
    }
}

/// Parses a document. `target` maps a link to its address on the page; if it returns `None` the link becomes
/// text.
pub fn parse(text: &str, target: &dyn Fn(&str) -> Option<String>) -> Document {
    let mut document = Document { title: String::new(), lead: Vec::new(), sections: Vec::new() };
    let mut lines: &[&str] = &text.lines().collect::<Vec<_>>();
    while let Some((line, rest)) = lines.split_first() {
        if let Some(title) = line.strip_prefix("# ") {
            title.clone_into(&mut document.title);
            lines = rest;
        } else if let Some(title) = line.strip_prefix("## ") {
            document.sections.push(Section { id: anchor(title), title: plain(title), blocks: Vec::new() });
            lines = rest;
        } else if line.trim().is_empty() {
            lines = rest;
        } else {
            let (block, rest) = block(lines, target);
            let last = document.sections.last_mut();
            last.map_or(&mut document.lead, |section| &mut section.blocks).push(block);
            lines = rest;
        }
    }
    document
}

/// The block that the first line begins, and the lines after it.
fn block<'a, 't>(lines: &'a [&'t str], target: &dyn Fn(&str) -> Option<String>) -> (Block, &'a [&'t str]) {
    let first = lines.first().copied().unwrap_or_default();
    if let Some(title) = first.strip_prefix("### ") {
        (Block::Heading(anchor(title), plain(title)), &lines[1..])
    } else if let Some(language) = first.strip_prefix("```") {
        let (inside, rest) = split(&lines[1..], |line| line == "```");
        (Block::Listing(language.to_owned(), inside.join("\n")), rest.get(1..).unwrap_or_default())
    } else if first.starts_with('|') {
        let (rows, rest) = split(lines, |line| !line.starts_with('|'));
        (table(rows, target), rest)
    } else if let Some((kind, _)) = item(first) {
        let (inside, rest) = split(lines, |line| line.is_empty() || is_other(line));
        (list(kind, inside, target), rest)
    } else {
        let (inside, rest) =
            split(&lines[1..], |line| line.is_empty() || is_other(line) || item(line).is_some());
        let text = [&lines[..1], inside].concat().join(" ");
        (Block::Paragraph(words(&text, target)), rest)
    }
}

fn split<'a, 't>(lines: &'a [&'t str], ends: impl Fn(&str) -> bool) -> (&'a [&'t str], &'a [&'t str]) {
    lines.split_at(lines.iter().position(|line| ends(line)).unwrap_or(lines.len()))
}

/// True if a line ends a paragraph or list without a blank line.
fn is_other(line: &str) -> bool {
    ["#", "```", "|"].iter().any(|mark| line.starts_with(mark))
}

/// The kind and text of a list item.
fn item(line: &str) -> Option<(Kind, &str)> {
    if let Some(text) = line.strip_prefix("- [ ] ") {
        return Some((Kind::Boxes, text));
    }
    if let Some(text) = line.strip_prefix("- ") {
        return Some((Kind::Points, text));
    }
    let (number, text) = line.split_once(". ")?;
    number.parse::<u8>().ok().map(|_| (Kind::Numbers, text))
}

fn list(kind: Kind, lines: &[&str], target: &dyn Fn(&str) -> Option<String>) -> Block {
    let mut items: Vec<String> = Vec::new();
    for line in lines {
        match (item(line), items.last_mut()) {
            (None, Some(last)) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            (found, _) => items.push(found.map_or(*line, |(_, text)| text).to_owned()),
        }
    }
    Block::List(kind, items.iter().map(|item| words(item, target)).collect())
}

fn table(rows: &[&str], target: &dyn Fn(&str) -> Option<String>) -> Block {
    let cells = |row: &str| -> Vec<String> {
        row.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let head =
        rows.first().map(|row| cells(row)).unwrap_or_default().iter().map(|cell| plain(cell)).collect();
    // The second row is only a separator.
    let body = rows.iter().skip(2).map(|row| cells(row).iter().map(|cell| words(cell, target)).collect());
    Block::Table(head, body.collect())
}

/// The pieces of a line. An unpaired mark is an ordinary character.
fn words(line: &str, target: &dyn Fn(&str) -> Option<String>) -> Words {
    let mut pieces: Words = Vec::new();
    let (mut plain, mut strong, mut rest) = (String::new(), false, line);
    while let Some(first) = rest.chars().next() {
        let flush = |plain: &mut String, pieces: &mut Words| {
            if !plain.is_empty() {
                pieces.push(Piece { text: std::mem::take(plain), strong, ..Piece::default() });
            }
        };
        if let Some((text, after)) = rest.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
            flush(&mut plain, &mut pieces);
            pieces.push(Piece { text: text.to_owned(), code: true, strong, link: None });
            rest = after;
        } else if let Some((text, href, after)) = link(rest) {
            flush(&mut plain, &mut pieces);
            let code = text.len() > 1 && text.starts_with('`') && text.ends_with('`');
            let text = text.trim_matches('`').to_owned();
            pieces.push(Piece { text, code, strong, link: target(href) });
            rest = after;
        } else if let Some(after) = rest.strip_prefix("**").filter(|after| strong || after.contains("**")) {
            flush(&mut plain, &mut pieces);
            strong = !strong;
            rest = after;
        } else {
            plain.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece { text: plain, strong, ..Piece::default() });
    }
    pieces
}

/// Parses `[text](address)` at the beginning: text, address, and the rest.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (href, after) = rest.split_once(')')?;
    (!words.contains('[')).then_some((words, href, after))
}

/// A heading without code marks.
fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// The anchor of a heading, in the same form as code hosting sites make it.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_testing::fuzz::text_target;

    fn keep(href: &str) -> Option<String> {
        (href != "nowhere").then(|| href.to_owned())
    }

    fn shown(words: &[Piece]) -> String {
        let show = |piece: &Piece| {
            let text = if piece.code { format!("[{}]", piece.text) } else { piece.text.clone() };
            let text = if piece.strong { format!("*{text}*") } else { text };
            piece.link.as_ref().map_or(text.clone(), |link| format!("<{link} {text}>"))
        };
        words.iter().map(show).collect()
    }

    fn check_words(line: &str, expected: &str) {
        assert_eq!(shown(&words(line, &keep)), expected);
    }

    #[test]
    fn a_line_has_code_strong_words_and_links() {
        check_words("one `two` three", "one [two] three");
        check_words("**Checks `X` first**, then", "*Checks **[X]** first*, then");
        check_words("see [the feed](#feed).", "see <#feed the feed>.");
        check_words("[`a`](b) and [text](nowhere)", "<b [a]> and text");
        check_words("a ` b ** c [d] (e)", "a ` b ** c [d] (e)");
        check_words("`**` and `[a](b)`", "[**] and [[a](b)]");
    }

    #[test]
    fn a_document_has_sections_and_their_blocks() {
        let text = "# Title\n\nLead,\ntwo lines.\n\n## 1. One `x`\n\n- a\n  more\n- b\n\n```sh\n# no heading\n\n| no table\n```\n\
                    ### Sub\n1. first\n2. second\n\n| h | |\n|---|---|\n| a | `b` |\n\n## Two\n- [ ] box\n";
        let document = parse(text, &keep);
        assert_eq!(document.title, "Title");
        assert!(
            matches!(&document.lead[..], [Block::Paragraph(words)] if shown(words) == "Lead, two lines.")
        );
        let ids: Vec<_> = document.sections.iter().map(|section| (&*section.id, &*section.title)).collect();
        assert_eq!(ids, [("1-one-x", "1. One x"), ("two", "Two")]);
        let [
            Block::List(Kind::Points, points),
            Block::Listing(language, code),
            Block::Heading(id, _),
            numbers,
            table,
        ] = &document.sections[0].blocks[..]
        else {
            panic!("{:?}", document.sections[0].blocks)
        };
        assert_eq!(points.iter().map(|words| shown(words)).collect::<Vec<_>>(), ["a more", "b"]);
        assert_eq!((&**language, &**code, &**id), ("sh", "# no heading\n\n| no table", "sub"));
        assert!(matches!(numbers, Block::List(Kind::Numbers, items) if items.len() == 2));
        let Block::Table(head, rows) = table else { panic!("{table:?}") };
        assert_eq!(head, &["h", ""]);
        assert_eq!(rows[0].iter().map(|words| shown(words)).collect::<Vec<_>>(), ["a", "[b]"]);
        assert!(matches!(&document.sections[1].blocks[..], [Block::List(Kind::Boxes, _)]));
    }

    #[test]
    fn a_listing_without_an_end_takes_the_rest() {
        let document = parse("## A\n```sh\nx", &keep);
        assert_eq!(document.sections[0].blocks, [Block::Listing("sh".to_owned(), "x".to_owned())]);
    }

    #[test]
    fn f26_markdown() {
        let seeds = [
            "# Title\n\nLead with `code` and **strong [link](other.md)** words.\n\n## One\n\n- a\n- [ ] b\n  more\n",
            "## Two\n### Three\n| a | b |\n|---|---|\n| `x` | [y](z) |\n\n```json\n{}\n```\n1. one\n2. two\n",
        ];
        let words = ["**", "`", "```", "[", "](", ")", "|", "\n- ", "\n1. ", "\n## ", "<script>", "\n"];
        text_target(&seeds, &words, |text| {
            let document = parse(text, &|href| (href == "other.md").then(|| "/docs/other".to_owned()));
            let blocks =
                document.lead.iter().chain(document.sections.iter().flat_map(|section| &section.blocks));
            for piece in blocks.flat_map(pieces) {
                assert!(piece.link.as_deref().is_none_or(|link| link == "/docs/other"), "{piece:?}");
            }
        });
    }

    fn pieces(block: &Block) -> Vec<&Piece> {
        match block {
            Block::Paragraph(words) => words.iter().collect(),
            Block::List(_, items) => items.iter().flatten().collect(),
            Block::Table(_, rows) => rows.iter().flatten().flatten().collect(),
            Block::Heading(..) | Block::Listing(..) => Vec::new(),
        }
    }
}
