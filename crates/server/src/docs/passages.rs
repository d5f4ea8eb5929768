//! Cuts all pages into the sections that the search finds.

use super::{
    blocks::{Block, Document, Sample, Table, plain},
    errors::ERRORS,
    guide::with_base_url,
    library::{DocsPage, PageSource},
    operations::Operation,
    page::RULES,
    prose,
    schema::Table as FieldTable,
    search::Passage,
};

/// The sections of a document: its lead, its sections, and below them those of the third level.
pub fn of_document(page: &'static DocsPage, document: &Document, base_url: &str) -> Vec<Passage> {
    let mut passages = PassageWriter { page, base_url, passages: Vec::new() };
    passages.begin(page.path.to_owned(), &document.title);
    document.lead.iter().for_each(|block| passages.add(block));
    for section in &document.sections {
        passages.begin(format!("{}#{}", page.path, section.id), &section.title);
        section.blocks.iter().for_each(|block| passages.add(block));
    }
    passages.passages
}

struct PassageWriter<'a> {
    page: &'static DocsPage,
    base_url: &'a str,
    passages: Vec<Passage>,
}

impl PassageWriter<'_> {
    fn begin(&mut self, href: String, title: &str) {
        self.passages.push(Passage {
            page: self.page.name,
            href,
            title: title.to_owned(),
            text: String::new(),
        });
    }

    fn add(&mut self, block: &Block) {
        match block {
            Block::Heading(id, title) => self.begin(format!("{}#{id}", self.page.path), title),
            Block::Samples(samples) => samples.iter().for_each(|sample| self.add_sample(sample)),
            Block::Table(table) if table.anchors => self.add_rows(table),
            block => {
                let text = with_base_url(&block.to_text(), self.base_url);
                if let Some(last) = self.passages.last_mut() {
                    last.text.push_str(&text);
                    last.text.push('\n');
                }
            }
        }
    }

    fn add_sample(&mut self, sample: &Sample) {
        for block in &sample.blocks {
            match block {
                Block::Heading(id, title) => {
                    self.begin(format!("{}{}", self.page.path, sample.language.href(id)), title);
                }
                block => self.add(block),
            }
        }
    }

    fn add_rows(&mut self, table: &Table) {
        for row in &table.rows {
            let Some(name) = table.anchor(row) else { continue };
            self.begin(format!("{}#{name}", self.page.path), name);
            if let Some(last) = self.passages.last_mut() {
                last.text = row.iter().map(|cell| plain(cell)).collect::<Vec<_>>().join(". ");
            }
        }
    }
}

/// The sections of the reference: its operations, the rules for every call, and the error codes.
pub fn of_reference(page: &'static DocsPage, operations: &[Operation]) -> Vec<Passage> {
    debug_assert!(matches!(page.source, PageSource::OpenApi), "the reference");
    let passage = |id: &str, title: &str, text: String| Passage {
        page: page.name,
        href: format!("{}#{id}", page.path),
        title: title.to_owned(),
        text,
    };
    let calls = operations
        .iter()
        .map(|operation| passage(&operation.id, &operation.title, operation_text(operation)));
    let rules = RULES.iter().map(|(id, title, about)| passage(id, title, (*about).to_owned()));
    let errors = ERRORS.iter().map(|error| {
        let text = format!("{}: {} {}", error.status, error.when, error.remedy).replace('`', "");
        passage(&format!("problem-{}", error.code), error.code, text)
    });
    calls.chain(rules).chain(errors).collect()
}

fn operation_text(operation: &Operation) -> String {
    let mut text = prose::plain(&operation.description);
    for endpoint in &operation.endpoints {
        text.push_str(&format!("\n{}: {} {}", endpoint.operation_id, endpoint.method, endpoint.path));
    }
    let parameters = operation.parameters.iter().map(|parameter| &parameter.field);
    let answers = operation.answers.iter().flat_map(|answer| &answer.tables);
    let tables: Vec<&FieldTable> = operation.body.iter().chain(answers).collect();
    for field in parameters.chain(tables.iter().flat_map(|table| &table.fields)) {
        text.push_str(&format!("\n{}: {}", field.name, prose::plain(&field.description)));
    }
    text
}
