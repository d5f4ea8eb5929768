//! A table to import, and what it would change.

use crate::{
    office::{
        catalog::BadRow,
        sheet::{RowProblem, SheetProblem},
    },
    panel::{
        catalog::{import::view as import, view::of_field},
        pages::{
            form::Complaint,
            view::{Crumb, View, template},
        },
    },
    web::words::Words,
};
use till_domain::money::Money;

/// Lines of a preview; the rest is counted.
const MOST_LINES: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goods {
    Products,
    Categories,
}

impl Goods {
    /// The word of its addresses.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Products => "products",
            Self::Categories => "categories",
        }
    }

    /// Where the list is.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Products => "/panel/products",
            Self::Categories => "/panel/categories",
        }
    }

    /// The key of the list's name.
    pub fn list(self) -> &'static str {
        match self {
            Self::Products => "nav-products",
            Self::Categories => "categories",
        }
    }

    /// A small table, to show how one looks.
    pub fn example(self) -> &'static str {
        match self {
            Self::Products => {
                "product_id,name,price,currency,category_id\nATLAS-2,Atlas of Northern Light,4990.00,RUB,books"
            }
            Self::Categories => "category_id,name\nbooks,Books",
        }
    }
}

/// A table to import.
#[derive(Debug, Clone)]
pub struct Import {
    pub goods: Goods,
    pub text: String,
    /// Why it cannot be read.
    pub problem: Option<ImportProblem>,
    /// The largest table, in kilobytes.
    pub max_kb: usize,
    pub max_rows: usize,
}

/// Why a table cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportProblem {
    /// No file and no text.
    Nothing,
    /// Only a first line.
    NoRows,
    TooLarge,
    TooManyRows {
        /// How many there are.
        rows: usize,
    },
    /// Not a table of these.
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

/// What a table would change.
#[derive(Debug, Clone)]
pub struct Preview {
    pub goods: Goods,
    pub added: Vec<PreviewLine>,
    /// What would be another.
    pub changed: Vec<PreviewLine>,
    /// How many are there just like that.
    pub same: usize,
    /// Rows that are left out.
    pub bad: Vec<BadRow>,
    /// The same as a table.
    pub bad_text: String,
    /// The good rows as a table, which comes back when it is confirmed.
    pub rows: String,
    /// The table as it came, to change it and try again.
    pub text: String,
    /// Whether the rows were good a moment ago.
    pub overtaken: bool,
}

/// Something that would be stored.
#[derive(Debug, Clone)]
pub struct PreviewLine {
    pub id: String,
    pub name: String,
    pub price: Option<Money>,
    /// The id of its category.
    pub category: Option<String>,
    /// Its name now, if that is another.
    pub was_name: Option<String>,
    /// Its price now, if that is another.
    pub was_price: Option<Money>,
    /// Whether it comes back.
    pub was_archived: bool,
}

impl Preview {
    pub fn good(&self) -> u64 {
        u64::try_from(self.added.len() + self.changed.len()).unwrap_or(u64::MAX)
    }

    /// What would be stored, in the order of the tables of the page, each with its word.
    pub fn parts(&self) -> Vec<(&'static str, &[PreviewLine], u64)> {
        [("added", self.added.as_slice()), ("changed", self.changed.as_slice())]
            .into_iter()
            .filter(|(_, lines)| !lines.is_empty())
            .map(|(word, lines)| {
                let shown = lines.get(..MOST_LINES).unwrap_or(lines);
                (word, shown, u64::try_from(lines.len() - shown.len()).unwrap_or_default())
            })
            .collect()
    }
}

/// What is wrong with a row.
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
        t.text(&format!("import-{}", self.goods.word()))
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new(self.goods.path(), t.text(self.goods.list()))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let told = self.problem.as_ref().map(|problem| match problem {
            ImportProblem::Nothing => t.text("import-nothing"),
            ImportProblem::NoRows => t.text("import-no-rows"),
            ImportProblem::TooLarge => t.with("import-too-large", "size", &self.max_kb.to_string()),
            ImportProblem::TooManyRows { rows } => {
                let (rows, most) = (rows.to_string(), self.max_rows.to_string());
                t.with_two("import-too-many-rows", ("rows", &rows), ("most", &most))
            }
            ImportProblem::Sheet(problem) => of_sheet(problem, t),
        });
        told.map(|text| Complaint::about("text", text)).into_iter().collect()
    }

    template!(write, view: Import, "panel/import.html");
}

impl View for Preview {
    fn kind(&self) -> &'static str {
        "preview"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(&format!("import-{}", self.goods.word()))
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![
            Crumb::new(self.goods.path(), t.text(self.goods.list())),
            Crumb::new(&format!("{}/import", self.goods.path()), t.text("import-file-crumb")),
        ]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let overtaken = self.overtaken.then(|| Complaint::general(t.text("import-overtaken")));
        overtaken.into_iter().collect()
    }

    template!(write, view: Preview, "panel/preview.html");
}
