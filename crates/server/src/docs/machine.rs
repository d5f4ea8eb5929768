//! The documents for programs that read them: every page as Markdown beside its HTML, and `/llms.txt`, which lists them.

use super::{
    blocks::{Block, Document, ListKind, Piece, Sample, Table},
    errors::ERRORS,
    library::{Audience, DocsPage, PAGES},
    operations::{Endpoint, Operation},
    prose::Span,
    schema::{self, Field},
};
use std::fmt::Write as _;

/// The path of the list of documents.
pub const LIST: &str = "/llms.txt";

/// The address of a page as Markdown.
pub fn markdown_path(page_path: &str) -> String {
    format!("{page_path}.md")
}

/// The list of all documents, in the format of llms.txt.
pub fn list(base_url: &str) -> String {
    let mut out = "# Till\n\n> A hosted payment checkout that a company runs itself. A vendor's server gets a token, creates a \
        payment session and sends the customer to its checkout page; Till takes the payment by card, SBP or crypto, \
        reports the outcome in a signed callback and answers status requests. The sandbox has the same API; there the \
        tester chooses the outcome.\n"
        .to_owned();
    for audience in Audience::ALL {
        let _ = write!(out, "\n## {}\n\n", audience.heading());
        for page in audience.pages() {
            let path = markdown_path(page.path);
            let _ = writeln!(out, "- [{}]({base_url}{path}): {}", page.name, page.about);
        }
    }
    let _ = write!(
        out,
        "\n## Optional\n\n- [OpenAPI]({base_url}/openapi.json): The API as an OpenAPI 3.1 document\n"
    );
    out
}

/// A document as Markdown.
pub fn document(document: &Document) -> String {
    let mut out = format!("# {}\n\n", document.title);
    write_blocks(&mut out, &document.lead, 2);
    for section in &document.sections {
        let _ = write!(out, "## {}\n\n", section.title);
        write_blocks(&mut out, &section.blocks, 3);
    }
    finished(out)
}

/// The reference as Markdown.
pub fn reference(page: &DocsPage, operations: &[Operation], base_url: &str) -> String {
    let mut out = format!("# {}\n\n{}. The base URL is {base_url}.\n\n", page.name, page.about);
    for operation in operations {
        write_operation(&mut out, operation);
    }
    out.push_str("## Error codes\n\n| code | status | when | what to do |\n|---|---|---|---|\n");
    for error in ERRORS {
        let cells =
            [format!("`{}`", error.code), error.status.to_string(), cell(error.when), cell(error.remedy)];
        write_row(&mut out, &cells);
    }
    finished(out)
}

fn finished(text: String) -> String {
    format!("{}\n", text.trim_end())
}

fn write_blocks(out: &mut String, blocks: &[Block], level: usize) {
    for block in blocks {
        match block {
            Block::Heading(_, title) => {
                let _ = write!(out, "{} {title}\n\n", "#".repeat(level));
            }
            Block::Paragraph(words) => {
                let _ = write!(out, "{}\n\n", line(words));
            }
            Block::Note(words) => {
                let _ = write!(out, "> {}\n\n", line(words));
            }
            Block::Listing(listing) => write_listing(out, &listing.language, &listing.text),
            Block::List(kind, items) => write_list(out, *kind, items, level),
            Block::Table(table) => write_table(out, table),
            Block::Samples(samples) => samples.iter().for_each(|sample| write_sample(out, sample, level)),
        }
    }
}

fn write_sample(out: &mut String, sample: &Sample, level: usize) {
    let _ = write!(out, "**{}**\n\n", sample.language.name());
    write_blocks(out, &sample.blocks, level);
}

fn write_listing(out: &mut String, language: &str, text: &str) {
    let _ = write!(out, "```{language}\n{}\n```\n\n", text.trim_end_matches('\n'));
}

fn write_list(out: &mut String, kind: ListKind, items: &[Vec<Block>], level: usize) {
    for (index, item) in items.iter().enumerate() {
        let mark = match kind {
            ListKind::Points => "-".to_owned(),
            ListKind::Numbers => format!("{}.", index + 1),
            ListKind::Boxes => "- [ ]".to_owned(),
        };
        let mut inner = String::new();
        write_blocks(&mut inner, item, level);
        // What follows in an item begins below its first word.
        let width = if kind == ListKind::Numbers { mark.len() + 1 } else { 2 };
        let indented = inner.trim_end().replace('\n', &format!("\n{}", " ".repeat(width)));
        let _ = writeln!(out, "{mark} {indented}");
    }
    out.push('\n');
}

fn write_table(out: &mut String, table: &Table) {
    write_row(out, &table.head);
    write_row(out, &vec!["---".to_owned(); table.head.len()]);
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|words| cell(&line(words))).collect();
        write_row(out, &cells);
    }
    out.push('\n');
}

fn write_row(out: &mut String, cells: &[String]) {
    let _ = writeln!(out, "| {} |", cells.join(" | "));
}

/// A text that a cell of a table can hold.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// The pieces of a line. Neighbours that are strong are one strong span.
fn line(words: &[Piece]) -> String {
    let mut out = String::new();
    let mut is_strong = false;
    for piece in words {
        if piece.strong != is_strong {
            out.push_str("**");
        }
        is_strong = piece.strong;
        let text = if piece.code { code(&piece.text) } else { escape(&piece.text) };
        match &piece.link {
            Some(link) => {
                let _ = write!(out, "[{text}]({})", markdown_link(link));
            }
            None => out.push_str(&text),
        }
    }
    if is_strong {
        out.push_str("**");
    }
    out
}

/// A text whose characters have no meaning in Markdown.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '*' | '<' | '[' | ']' | '`') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// A link to a page leads to its Markdown.
fn markdown_link(link: &str) -> String {
    let (path, fragment) = link.split_once('#').map_or((link, None), |(path, rest)| (path, Some(rest)));
    let path = match PAGES.iter().find(|page| page.path == path) {
        Some(page) => markdown_path(page.path),
        None => path.to_owned(),
    };
    fragment.map_or(path.clone(), |fragment| format!("{path}#{fragment}"))
}

fn write_operation(out: &mut String, operation: &Operation) {
    let _ = write!(out, "## {}\n\n{}\n\n", operation.title, prose(&operation.description));
    for Endpoint { environment, method, path, .. } in &operation.endpoints {
        let _ = writeln!(out, "- {environment}: `{method} {path}`");
    }
    match &operation.auth {
        Some(auth) => {
            let _ = writeln!(out, "- authentication: {}. {}", auth.name, prose(&auth.description));
        }
        None => out.push_str("- authentication: none\n"),
    }
    out.push('\n');
    if !operation.parameters.is_empty() {
        out.push_str("Parameters:\n\n");
        for parameter in &operation.parameters {
            write_field(out, &parameter.field, &format!("{}, ", parameter.place));
        }
        out.push('\n');
    }
    write_tables(out, "Body", &operation.body);
    for answer in &operation.answers {
        let _ = write!(out, "Response {}: {}\n\n", answer.status, prose(&answer.description));
        write_tables(out, "Fields", &answer.tables);
        write_listing(out, "json", &answer.example);
    }
    if let Some(endpoint) = operation.endpoints.last() {
        write_listing(out, "sh", endpoint.curl());
    }
    out.push_str("Errors:\n\n");
    for problem in &operation.problems {
        let _ = writeln!(out, "- {}: {}", problem.status, prose(&problem.description));
    }
    out.push('\n');
}

fn write_tables(out: &mut String, title: &str, tables: &[schema::Table]) {
    for table in tables {
        let name = if table.name.is_empty() { String::new() } else { format!(" of {}", table.name) };
        let _ = write!(out, "{title}{name}:{}\n\n", after(" ", &table.description));
        for field in &table.fields {
            write_field(out, field, "");
        }
        out.push('\n');
    }
}

fn write_field(out: &mut String, field: &Field, place: &str) {
    let needed = if field.required { ", required" } else { "" };
    let _ = write!(out, "- `{}` ({place}{}{needed}): {}", field.name, field.kind, prose(&field.description));
    if !field.limits.is_empty() {
        let _ = write!(out, " ({})", prose(&field.limits));
    }
    out.push('\n');
}

/// A sentence after something else, if there is one.
fn after(before: &str, spans: &[Span]) -> String {
    if spans.is_empty() { String::new() } else { format!("{before}{}", prose(spans)) }
}

fn prose(spans: &[Span]) -> String {
    let text = |span: &Span| match span {
        Span::Text(text) => text.clone(),
        Span::Code(text) | Span::Problem(text) => code(text),
    };
    spans.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::{guide, markdown};

    #[test]
    fn a_document_reads_the_same_after_it_was_written() {
        for page in &PAGES {
            let Some(first) = guide::document(page) else { continue };
            let text = document(&first);
            // Links lead to the Markdown of pages here.
            let target = |href: &str| Some(href.replace(".md", ""));
            let second = markdown::parse(&text, &target);
            assert_eq!(first.title, second.title);
            let titles = |document: &Document| -> Vec<String> {
                document.sections.iter().map(|section| section.title.clone()).collect()
            };
            assert_eq!(titles(&first), titles(&second), "{}", page.path);
            for (one, other) in first.sections.iter().zip(&second.sections) {
                let words = |blocks: &[Block]| -> Vec<String> {
                    let text: Vec<String> = blocks
                        .iter()
                        .filter(|block| !matches!(block, Block::Samples(_)))
                        .map(Block::to_text)
                        .collect();
                    text.join("\n").split_whitespace().map(str::to_owned).collect()
                };
                let has_samples = one.blocks.iter().any(|block| matches!(block, Block::Samples(_)));
                let (one, other) = (words(&one.blocks), words(&other.blocks));
                let differs = one.iter().zip(&other).find(|(one, other)| one != other);
                assert!(has_samples || differs.is_none(), "{}: {differs:?}", page.path);
                assert!(has_samples || one.len() == other.len(), "{}", page.path);
            }
        }
    }
}
