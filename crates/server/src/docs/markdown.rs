//! Parses the Markdown of this repository's own documents into the blocks that the template shows: headings, paragraphs,
//! notes, lists, tables, listings; code, strong words and links within a line.
//!
//! Samples in several languages stand between comments: `<!-- sample: php -->` before each, `<!-- end of samples -->`
//! after the last. Other markup becomes text. It makes no HTML: the template escapes.

use super::{
    blocks::{Block, Document, ListKind, Listing, Piece, Sample, Section, Table, Words, plain},
    samples::SampleLanguage,
};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Parses a document. `target` maps a link to its address on the page; if it returns `None` the link becomes
/// text.
pub fn parse(text: &str, target: &dyn Fn(&str) -> Option<String>) -> Document {
    let mut reader = MarkdownReader::new(target);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS) {
        reader.take(event);
    }
    reader.document
}

/// Collects the events of the parser into blocks.
struct MarkdownReader<'a> {
    target: &'a dyn Fn(&str) -> Option<String>,
    document: Document,
    /// The pieces of the current line.
    words: Words,
    /// How many strong spans are open.
    strong: u32,
    /// The address of the open link.
    link: Option<String>,
    listing: Option<(String, String)>,
    /// The samples that are being read.
    samples: Option<Vec<Sample>>,
    /// True within a quotation.
    quoted: bool,
    /// How many listings and tables the section has.
    numbered: usize,
    list: Option<(ListKind, Vec<Vec<Block>>)>,
    /// The blocks of the current item.
    item: Vec<Block>,
    /// How many lists are open. An inner list continues the outer one.
    depth: u32,
    head: Vec<String>,
    row: Vec<Words>,
    rows: Vec<Vec<Words>>,
}

impl<'a> MarkdownReader<'a> {
    fn new(target: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self {
            target,
            document: Document { title: String::new(), lead: Vec::new(), sections: Vec::new() },
            words: Vec::new(),
            strong: 0,
            link: None,
            listing: None,
            samples: None,
            quoted: false,
            numbered: 0,
            list: None,
            item: Vec::new(),
            depth: 0,
            head: Vec::new(),
            row: Vec::new(),
            rows: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Code(text) => self.push(&text, true),
            Event::SoftBreak | Event::HardBreak => self.push(" ", false),
            Event::TaskListMarker(_) => {
                if let Some((kind, _)) = &mut self.list {
                    *kind = ListKind::Boxes;
                }
            }
            Event::Html(text) if self.mark(&text) => {}
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => match &mut self.listing {
                Some((_, code)) => code.push_str(&text),
                None => self.push(&text, false),
            },
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Strong => self.strong += 1,
            Tag::BlockQuote(_) => self.quoted = true,
            Tag::Link { dest_url, .. } => self.link = (self.target)(&dest_url),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.listing = Some((language, String::new()));
            }
            Tag::List(first) => {
                let kind = if first.is_some() { ListKind::Numbers } else { ListKind::Points };
                self.end_item();
                self.list.get_or_insert((kind, Vec::new()));
                self.depth += 1;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Link => self.link = None,
            TagEnd::Heading(level) => self.end_heading(level),
            TagEnd::Paragraph => self.end_paragraph(),
            TagEnd::BlockQuote(_) => self.quoted = false,
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.listing.take() {
                    self.end_paragraph();
                    let (text, number) = (code.trim_end_matches('\n').to_owned(), self.next_number());
                    self.add(Block::Listing(Listing { language, text, number }));
                }
            }
            TagEnd::Item => self.end_item(),
            TagEnd::List(_) => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0
                    && let Some((kind, items)) = self.list.take()
                {
                    self.add(Block::List(kind, items));
                }
            }
            TagEnd::TableCell => self.row.push(std::mem::take(&mut self.words)),
            TagEnd::TableHead => {
                self.head = std::mem::take(&mut self.row).iter().map(|words| plain(words)).collect();
            }
            TagEnd::TableRow => self.rows.push(std::mem::take(&mut self.row)),
            TagEnd::Table => {
                let (head, rows) = (std::mem::take(&mut self.head), std::mem::take(&mut self.rows));
                let number = self.next_number();
                self.add(Block::Table(Table { head, rows, anchors: false, number }));
            }
            _ => {}
        }
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let title = plain(&std::mem::take(&mut self.words));
        match level {
            HeadingLevel::H1 => self.document.title = title,
            HeadingLevel::H2 => {
                self.numbered = 0;
                self.document.sections.push(Section { id: anchor(&title), title, blocks: Vec::new() });
            }
            _ => self.add(Block::Heading(anchor(&title), title)),
        }
    }

    fn end_paragraph(&mut self) {
        if !self.words.is_empty() {
            let words = std::mem::take(&mut self.words);
            self.add(if self.quoted { Block::Note(words) } else { Block::Paragraph(words) });
        }
    }

    fn end_item(&mut self) {
        self.end_paragraph();
        if let Some((_, items)) = self.list.as_mut().filter(|_| !self.item.is_empty()) {
            items.push(std::mem::take(&mut self.item));
        }
    }

    /// Adds text to the line; it continues the last piece if that has the same style.
    fn push(&mut self, text: &str, code: bool) {
        let (strong, link) = (self.strong > 0, self.link.clone());
        match self.words.last_mut() {
            Some(last) if (last.code, last.strong, &last.link) == (code, strong, &link) && !code => {
                last.text.push_str(text);
            }
            _ => self.words.push(Piece { text: text.to_owned(), code, strong, link }),
        }
    }

    fn next_number(&mut self) -> usize {
        self.numbered += 1;
        self.numbered
    }

    /// Reads a comment that starts or ends samples; false for every other text.
    fn mark(&mut self, html: &str) -> bool {
        let comment = html.trim().strip_prefix("<!-- ").and_then(|text| text.strip_suffix(" -->"));
        match comment {
            Some("end of samples") => {
                if let Some(samples) = self.samples.take() {
                    self.add(Block::Samples(samples));
                }
                true
            }
            Some(text) => {
                let Some(language) = text.strip_prefix("sample: ").and_then(SampleLanguage::from_word) else {
                    return false;
                };
                self.samples.get_or_insert_default().push(Sample { language, blocks: Vec::new() });
                true
            }
            None => false,
        }
    }

    fn add(&mut self, block: Block) {
        if self.depth > 0 {
            self.item.push(block);
            return;
        }
        if let Some(sample) = self.samples.as_mut().and_then(|samples| samples.last_mut()) {
            sample.blocks.push(block);
            return;
        }
        let section = self.document.sections.last_mut();
        section.map_or(&mut self.document.lead, |section| &mut section.blocks).push(block);
    }
}

/// The anchor of a heading, in the same form as code hosting sites make it.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::blocks::Heading;
    use till_testing::fuzz::text_target;

    fn keep(href: &str) -> Option<String> {
        (href != "nowhere").then(|| href.to_owned())
    }

    fn to_text(words: &[Piece]) -> String {
        let show = |piece: &Piece| {
            let text = if piece.code { format!("[{}]", piece.text) } else { piece.text.clone() };
            let text = if piece.strong { format!("*{text}*") } else { text };
            piece.link.as_ref().map_or(text.clone(), |link| format!("<{link} {text}>"))
        };
        words.iter().map(show).collect()
    }

    fn check_words(line: &str, expected: &str) {
        let document = parse(line, &keep);
        let [Block::Paragraph(words)] = &document.lead[..] else { panic!("{document:?}") };
        assert_eq!(to_text(words), expected);
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
            matches!(&document.lead[..], [Block::Paragraph(words)] if to_text(words) == "Lead, two lines.")
        );
        let ids: Vec<_> = document.sections.iter().map(|section| (&*section.id, &*section.title)).collect();
        assert_eq!(ids, [("1-one-x", "1. One x"), ("two", "Two")]);
        let [
            Block::List(ListKind::Points, points),
            Block::Listing(listing),
            Block::Heading(id, _),
            numbers,
            table,
        ] = &document.sections[0].blocks[..]
        else {
            panic!("{:?}", document.sections[0].blocks)
        };
        assert_eq!(points.iter().flatten().map(Block::to_text).collect::<Vec<_>>(), ["a more", "b"]);
        assert_eq!((&*listing.language, &*listing.text, &**id), ("sh", "# no heading\n\n| no table", "sub"));
        assert!(matches!(numbers, Block::List(ListKind::Numbers, items) if items.len() == 2));
        let Block::Table(table) = table else { panic!("{table:?}") };
        assert_eq!((&table.head[..], table.number), (&["h".to_owned(), String::new()][..], 2));
        assert_eq!(table.rows[0].iter().map(|words| to_text(words)).collect::<Vec<_>>(), ["a", "[b]"]);
        assert!(matches!(&document.sections[1].blocks[..], [Block::List(ListKind::Boxes, _)]));
    }

    #[test]
    fn a_listing_without_an_end_takes_the_rest() {
        let document = parse("## A\n```sh\nx", &keep);
        let listing = Listing { language: "sh".to_owned(), text: "x".to_owned(), number: 1 };
        assert_eq!(document.sections[0].blocks, [Block::Listing(listing)]);
    }

    #[test]
    fn a_listing_stays_in_its_item() {
        let document = parse("1. one:\n\n   ```sh\n   x\n   ```\n\n   more\n2. two\n", &keep);
        let [Block::List(ListKind::Numbers, items)] = &document.lead[..] else { panic!("{document:?}") };
        let [one, two] = &items[..] else { panic!("{items:?}") };
        assert!(matches!(&one[..], [Block::Paragraph(_), Block::Listing(_), Block::Paragraph(_)]), "{one:?}");
        assert!(matches!(&two[..], [Block::Paragraph(_)]), "{two:?}");
    }

    #[test]
    fn samples_are_kept_together_and_a_quotation_is_a_note() {
        let text = "## A\n> **Note** this\n\n<!-- sample: php -->\n\nIn PHP:\n\n```php\n1\n```\n\n<!-- sample: sh -->\n\n\
                    ### Shell\n\n```sh\n2\n```\n\n<!-- end of samples -->\n\nAfter.\n\n<!-- else -->\n";
        let document = parse(text, &keep);
        let [Block::Note(_), Block::Samples(samples), Block::Paragraph(after), ..] =
            &document.sections[0].blocks[..]
        else {
            panic!("{document:?}")
        };
        let [php, shell] = &samples[..] else { panic!("{samples:?}") };
        assert_eq!((php.language, php.blocks.len()), (SampleLanguage::Php, 2));
        assert_eq!((shell.language, shell.blocks.len()), (SampleLanguage::Shell, 2));
        assert_eq!(to_text(after), "After.");
        let hrefs: Vec<String> = document.sections[0].headings().iter().map(Heading::href).collect();
        assert_eq!(hrefs, ["?code=sh#shell"]);
    }

    #[test]
    fn f26_markdown() {
        let seeds = [
            "# Title\n\nLead with `code` and **strong [link](other.md)** words.\n\n## One\n\n- a\n- [ ] b\n  more\n",
            "## Two\n### Three\n| a | b |\n|---|---|\n| `x` | [y](z) |\n\n```json\n{}\n```\n1. one\n2. two\n",
        ];
        let words = [
            "**",
            "`",
            "```",
            "[",
            "](",
            ")",
            "|",
            "\n- ",
            "\n1. ",
            "\n## ",
            "<script>",
            "\n",
            "\n> ",
            "\n<!-- sample: php -->\n",
            "\n<!-- end of samples -->\n",
        ];
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
            Block::Paragraph(words) | Block::Note(words) => words.iter().collect(),
            Block::List(_, items) => items.iter().flatten().flat_map(pieces).collect(),
            Block::Table(table) => table.rows.iter().flatten().flatten().collect(),
            Block::Samples(samples) => {
                samples.iter().flat_map(|sample| &sample.blocks).flat_map(pieces).collect()
            }
            Block::Heading(..) | Block::Listing(_) => Vec::new(),
        }
    }
}
