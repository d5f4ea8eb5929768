//! A vendor's products and categories, and the import of many.

use super::{
    form::{Complaint, Input},
    products,
    view::{Action, Crumb, View, template},
};
use crate::{
    office::{
        catalog::BadRow,
        sheet::{RowProblem, SheetProblem},
    },
    web::words::Words,
};
use till_domain::{
    money::{Money, PriceProblem},
    rejection::{FieldError, FieldProblem},
};

/// With more categories than this they are a list to choose from, not tabs.
const MOST_TABS: usize = 8;

/// Lines of a preview; the rest is counted.
const MOST_LINES: usize = 100;

/// The list of products.
#[derive(Debug, Clone)]
pub struct Products {
    /// What was searched for.
    pub q: String,
    /// The category that is shown, as its address says it; empty for all.
    pub category: String,
    /// Whether those off sale are shown.
    pub archived: bool,
    /// All, each category that has products, and none.
    pub tabs: Vec<CategoryTab>,
    /// The products of this page.
    pub rows: Vec<ProductLine>,
    /// Where the first page is, if this is another.
    pub first: Option<String>,
    /// Where the next page is.
    pub next: Option<String>,
    /// Whether the rest was not looked through.
    pub unfinished: bool,
    /// Whether the user may change them.
    pub can_change: bool,
}

impl Products {
    pub(super) fn has_tabs(&self) -> bool {
        (2..=MOST_TABS + 1).contains(&self.tabs.len())
    }

    pub(super) fn has_select(&self) -> bool {
        self.tabs.len() > MOST_TABS + 1
    }

    /// Whether the list is empty because of what was asked for.
    pub(super) fn is_narrowed(&self) -> bool {
        !self.q.is_empty() || !self.category.is_empty() || self.archived
    }
}

/// A category above the list.
#[derive(Debug, Clone)]
pub struct CategoryTab {
    /// What a form says for it.
    pub value: String,
    /// Where it is: a path of ours.
    pub href: String,
    /// Its name; "all" and "none" have none.
    pub name: Option<String>,
    /// How many products it has.
    pub count: u64,
    /// Whether it is shown.
    pub current: bool,
}

impl CategoryTab {
    pub(super) fn text(&self, t: &Words) -> String {
        match &self.name {
            Some(name) => name.clone(),
            None if self.value.is_empty() => t.text("all-products"),
            None => t.text("no-category"),
        }
    }
}

/// A product in the list.
#[derive(Debug, Clone)]
pub struct ProductLine {
    /// Its id.
    pub id: String,
    /// What the customer reads.
    pub name: String,
    /// The name of its category.
    pub category: Option<String>,
    /// What it costs.
    pub price: Money,
    /// Whether it is off sale.
    pub archived: bool,
}

/// Something to choose.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The value in the form.
    pub value: String,
    /// What people read.
    pub name: String,
}

/// What the form of a product holds, as text.
#[derive(Debug, Clone, Default)]
pub struct ProductForm {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its price.
    pub price: String,
    /// The currency of that.
    pub currency: String,
    /// The id of its category.
    pub category: String,
}

/// A product that is new, or one that is there.
#[derive(Debug, Clone)]
pub struct ProductPage {
    /// Its name as it is stored; nothing for a new one.
    pub heading: Option<String>,
    /// What the form holds.
    pub form: ProductForm,
    /// Categories to choose from.
    pub categories: Vec<Choice>,
    /// What is wrong with what was typed.
    pub problems: Vec<ItemProblem>,
    /// Whether the user may change it.
    pub can_change: bool,
    /// Whether it is off sale.
    pub archived: bool,
    /// The call that sells it.
    pub snippet: Option<String>,
}

/// What is wrong with a product or category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemProblem {
    /// A field.
    Field(FieldError),
    /// The id is taken.
    Taken,
}

/// What is wrong with a field, and what to do.
fn of_field(problem: &FieldProblem, t: &Words) -> String {
    if let FieldProblem::Price(PriceProblem::TooPrecise { allowed, currency, .. }) = problem {
        let allowed = allowed.to_string();
        return t.with_two("wrong-too-many-decimals", ("allowed", &allowed), ("currency", currency.code()));
    }
    match problem.code() {
        code @ ("empty" | "too_long" | "invalid_character" | "invalid_number" | "not_positive"
        | "too_large" | "unknown_currency" | "invalid_id" | "unknown_category") => {
            t.text(&format!("wrong-{}", code.replace('_', "-")))
        }
        // No rule of a catalog gives another.
        _ => problem.to_string(),
    }
}

fn complaints(problems: &[ItemProblem], id_field: &'static str, t: &Words) -> Vec<Complaint> {
    let told = problems.iter().map(|problem| match problem {
        ItemProblem::Field(error) => Complaint::about(error.field, of_field(&error.problem, t)),
        ItemProblem::Taken => Complaint::about(id_field, t.text("id-taken")),
    });
    told.collect()
}

impl ProductPage {
    /// A field of the form, in its place.
    pub(super) fn input(&self, name: &'static str, t: &Words) -> Input {
        let form = &self.form;
        let label = t.text(&format!("product-{}", name.trim_start_matches("product_")));
        let input = Input::new(name, label);
        let input = match name {
            "product_id" => input.value(&form.id).hint(t.text("product-id-hint")).max(64),
            "name" => input.value(&form.name).hint(t.text("product-name-hint")).required().max(255),
            "price" => input.value(&form.price).hint(t.text("product-price-hint")).required().max(20),
            _ => input.value(&form.currency).hint(t.text("product-currency-hint")).required().max(3),
        };
        input.fixed(!self.can_change).marked(&self.complaints(t))
    }

    pub(super) fn category_error(&self, t: &Words) -> Option<String> {
        let complaints = self.complaints(t);
        complaints.into_iter().find(|complaint| complaint.field == Some("category_id")).map(|c| c.text)
    }
}

/// The list of categories.
#[derive(Debug, Clone)]
pub struct Categories {
    /// All of them, those in use first.
    pub rows: Vec<CategoryLine>,
    /// Whether the user may change them.
    pub can_change: bool,
}

/// A category in the list.
#[derive(Debug, Clone)]
pub struct CategoryLine {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How many of its products are on sale.
    pub products: u64,
    /// Whether it is out of use.
    pub archived: bool,
}

/// A category that is new, or one that is there.
#[derive(Debug, Clone, Default)]
pub struct CategoryPage {
    /// Its name as it is stored; nothing for a new one.
    pub heading: Option<String>,
    /// Its id.
    pub id: String,
    /// Its name, as it was typed.
    pub name: String,
    /// Whether it is out of use.
    pub archived: bool,
    /// What is wrong with what was typed.
    pub problems: Vec<ItemProblem>,
}

impl CategoryPage {
    pub(super) fn inputs(&self, t: &Words) -> Vec<Input> {
        let name = Input::new("name", t.text("category-name")).value(&self.name).required().max(255);
        let id = Input::new("category_id", t.text("category-id")).hint(t.text("category-id-hint")).max(64);
        let new = self.heading.is_none().then(|| id.value(&self.id));
        let complaints = self.complaints(t);
        std::iter::once(name).chain(new).map(|input| input.marked(&complaints)).collect()
    }
}

/// What is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goods {
    /// Products.
    Products,
    /// Categories.
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
    pub(super) fn list(self) -> &'static str {
        match self {
            Self::Products => "nav-products",
            Self::Categories => "categories",
        }
    }

    /// A small table, to show how one looks.
    pub(super) fn example(self) -> &'static str {
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
    /// Of what.
    pub goods: Goods,
    /// What was pasted.
    pub text: String,
    /// Why it cannot be read.
    pub problem: Option<ImportProblem>,
    /// The largest table, in kilobytes.
    pub max_kb: usize,
    /// The most rows.
    pub max_rows: usize,
}

/// Why a table cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportProblem {
    /// No file and no text.
    Nothing,
    /// Only a first line.
    NoRows,
    /// Too many bytes.
    TooLarge,
    /// Too many rows.
    TooManyRows {
        /// How many there are.
        rows: usize,
    },
    /// Not a table of these.
    Sheet(SheetProblem),
}

impl Import {
    pub(super) fn error(&self, t: &Words) -> Option<String> {
        self.complaints(t).into_iter().next().map(|complaint| complaint.text)
    }

    pub(super) fn limits(&self, t: &Words) -> String {
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
    /// Of what.
    pub goods: Goods,
    /// What is new.
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
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it costs.
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
    pub(super) fn good(&self) -> u64 {
        u64::try_from(self.added.len() + self.changed.len()).unwrap_or(u64::MAX)
    }

    /// What would be stored, in the order of the tables of the page, each with its word.
    pub(super) fn parts(&self) -> Vec<(&'static str, &[PreviewLine], u64)> {
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
pub(super) fn of_row(problem: &RowProblem, t: &Words) -> String {
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

impl View for Products {
    fn kind(&self) -> &'static str {
        "products"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-products")
    }

    fn actions(&self) -> Vec<Action> {
        let categories = Action::other("/panel/categories", "categories");
        if !self.can_change {
            return vec![categories];
        }
        let import = Action::other("/panel/products/import", "import");
        vec![categories, import, Action::key("/panel/products/new", "new-product")]
    }

    template!(write, view: Products, "panel/products.html");
}

impl View for ProductPage {
    fn kind(&self) -> &'static str {
        "product"
    }

    fn heading(&self, t: &Words) -> String {
        self.heading.clone().unwrap_or_else(|| t.text("new-product"))
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/products", t.text("nav-products"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        complaints(&self.problems, "product_id", t)
    }

    template!(write, view: ProductPage, "panel/product.html");
}

impl View for Categories {
    fn kind(&self) -> &'static str {
        "categories"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("categories")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/products", t.text("nav-products"))]
    }

    fn actions(&self) -> Vec<Action> {
        if !self.can_change {
            return Vec::new();
        }
        let import = Action::other("/panel/categories/import", "import");
        vec![import, Action::key("/panel/categories/new", "new-category")]
    }

    template!(write, view: Categories, "panel/categories.html");
}

impl View for CategoryPage {
    fn kind(&self) -> &'static str {
        "category"
    }

    fn heading(&self, t: &Words) -> String {
        self.heading.clone().unwrap_or_else(|| t.text("new-category"))
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![
            Crumb::new("/panel/products", t.text("nav-products")),
            Crumb::new("/panel/categories", t.text("categories")),
        ]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        complaints(&self.problems, "category_id", t)
    }

    template!(write, view: CategoryPage, "panel/category.html");
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

/// The sandbox has no catalog.
#[derive(Debug, Clone, Copy)]
pub struct NoCatalog;

impl View for NoCatalog {
    fn kind(&self) -> &'static str {
        "no-catalog"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-products")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/products", t.text("nav-products"))]
    }

    template!(write, view: NoCatalog, "panel/no-catalog.html");
}
