//! The page of a table to import, and the preview of its changes.

use crate::{
    catalog::{import::view as import, view::of_field},
    pages::{
        form::Complaint,
        view::{Crumb, View, template},
    },
};
use till_domain::money::Money;
use till_service::{
    admin::{
        catalog::BadRow,
        csv_sheet::{RowProblem, SheetProblem},
    },
    web::words::Words,
};

/// The most lines shown in a preview; the rest is only counted.
const MOST_LINES: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    Products,
    Categories,
}

impl ImportKind {
    /// The word used in its addresses and translation keys.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Products => "products",
            Self::Categories => "categories",
        }
    }

    /// The path of the list.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Products => "/panel/products",
            Self::Categories => "/panel/categories",
        }
    }

    /// The translation key of the list's name.
    pub fn list(self) -> &'static str {
        match self {
            Self::Products => "nav-products",
            Self::Categories => "categories",
        }
    }

    /// A small example table.
    pub fn example(self) -> &'static str {
        match self {
            Self::Products => {
                "product_id,name,price,currency,category_id\nATLAS-2,Atlas of Northern Light,4990.00,RUB,books"
            }
            Self::Categories => "category_id,name\nbooks,Books",
        }
    }
}

/// The form for a table to import.
#[derive(Debug, Clone)]
pub struct Import {
    pub kind: ImportKind,
    pub text: String,
    /// The reason why it cannot be read.
    pub problem: Option<ImportProblem>,
    /// The largest table, in kilobytes.
    pub max_kb: usize,
    pub max_rows: usize,
}

/// The reason why a table cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportProblem {
    /// Neither a file nor text was given.
    Nothing,
    /// Only a header line.
    NoRows,
    TooLarge,
    TooManyRows {
        /// The number of rows found.
        rows: usize,
    },
    /// The table has no valid header or encoding.
    Sheet(SheetProblem),
}

impl Import {
    pub fn error(&self, t: &Words) -> Option<String> {
        self.complaints(t).into_iter().next().map(|complaint| complaint.text)
    }

    pub fn limits(&self, t: &Words) -> String {
        let (size, rows) = (self.max_kb.to_string(), self.max_rows.to_string());
        t.with_two("import-limits", ("size", &size), ("rows", &rows))
    }
}

fn of_sheet(problem: &SheetProblem, t: &Words) -> String {
    match problem {
        SheetProblem::NotUtf8 => t.text("import-not-utf8"),
        SheetProblem::UnknownColumn { name, known } => {
            t.with_two("import-unknown-column", ("name", name), ("known", known))
        }
        SheetProblem::RepeatedColumn(name) => t.with("import-repeated-column", "name", name),
        SheetProblem::MissingColumn { name, known } => {
            t.with_two("import-missing-column", ("name", name), ("known", known))
        }
    }
}

/// The changes that a table would make.
#[derive(Debug, Clone)]
pub struct Preview {
    pub kind: ImportKind,
    pub added: Vec<PreviewLine>,
    /// Items that exist and would change.
    pub changed: Vec<PreviewLine>,
    /// The number of rows that equal the stored item.
    pub same: usize,
    /// Rows with errors, which are left out.
    pub bad: Vec<BadRow>,
    /// The bad rows as a table.
    pub bad_text: String,
    /// The good rows as CSV, sent back on confirmation.
    pub rows: String,
    /// The table as it was sent, for correcting it and trying again.
    pub text: String,
    /// True if the rows were good in the preview, but the catalog changed before the confirmation.
    pub overtaken: bool,
}

/// An item that would be stored.
#[derive(Debug, Clone)]
pub struct PreviewLine {
    pub id: String,
    pub name: String,
    pub price: Option<Money>,
    pub category: Option<String>,
    /// The stored name, if it would change.
    pub was_name: Option<String>,
    /// The stored price, if it would change.
    pub was_price: Option<Money>,
    /// True if the item is archived now and would be restored.
    pub was_archived: bool,
}

impl Preview {
    pub fn good(&self) -> u64 {
        u64::try_from(self.added.len() + self.changed.len()).unwrap_or(u64::MAX)
    }

    /// The items that would be stored, per table of the page: its word, the lines shown, and how many are
    /// left out.
    pub fn parts(&self) -> Vec<(&'static str, &[PreviewLine], u64)> {
        [("added", self.added.as_slice()), ("changed", self.changed.as_slice())]
            .into_iter()
            .filter(|(_, lines)| !lines.is_empty())
            .map(|(word, lines)| {
                let listed = lines.get(..MOST_LINES).unwrap_or(lines);
                (word, listed, u64::try_from(lines.len() - listed.len()).unwrap_or_default())
            })
            .collect()
    }
}

/// The error message of a row.
pub fn of_row(problem: &RowProblem, t: &Words) -> String {
    match problem {
        RowProblem::FieldCount { found, wanted } => {
            t.with_two("row-fields", ("found", &found.to_string()), ("wanted", &wanted.to_string()))
        }
        RowProblem::NotUtf8 => t.text("row-not-utf8"),
        RowProblem::Repeated { id, first, .. } => {
            t.with_two("row-repeated", ("id", id), ("line", &first.to_string()))
        }
        RowProblem::Field(error) => of_field(&error.problem, t),
    }
}

impl View for Import {
    fn kind(&self) -> &'static str {
        "import"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(&format!("import-{}", self.kind.word()))
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new(self.kind.path(), t.text(self.kind.list()))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let message = self.problem.as_ref().map(|problem| match problem {
            ImportProblem::Nothing => t.text("import-nothing"),
            ImportProblem::NoRows => t.text("import-no-rows"),
            ImportProblem::TooLarge => t.with("import-too-large", "size", &self.max_kb.to_string()),
            ImportProblem::TooManyRows { rows } => {
                let (rows, most) = (rows.to_string(), self.max_rows.to_string());
                t.with_two("import-too-many-rows", ("rows", &rows), ("most", &most))
            }
            ImportProblem::Sheet(problem) => of_sheet(problem, t),
        });
        message.map(|text| Complaint::about("text", text)).into_iter().collect()
    }

    template!(write, view: Import, "panel/import.html");
}

impl View for Preview {
    fn kind(&self) -> &'static str {
        "preview"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(&format!("import-{}", self.kind.word()))
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![
            Crumb::new(self.kind.path(), t.text(self.kind.list())),
            Crumb::new(&format!("{}/import", self.kind.path()), t.text("import-file-crumb")),
        ]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let overtaken = self.overtaken.then(|| Complaint::general(t.text("import-overtaken")));
        overtaken.into_iter().collect()
    }

    template!(write, view: Preview, "panel/preview.html");
}
