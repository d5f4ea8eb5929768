//! A vendor's products and categories.

use crate::{
    panel::pages::{
        form::{Complaint, Input},
        view::{Action, Crumb, View, template},
    },
    web::words::Words,
};
use till_domain::{
    money::{Money, PriceProblem},
    rejection::{FieldError, FieldProblem},
};

/// With more categories than this they are a list to choose from, not tabs.
const MOST_TABS: usize = 8;

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
    pub fn has_tabs(&self) -> bool {
        (2..=MOST_TABS + 1).contains(&self.tabs.len())
    }

    pub fn has_select(&self) -> bool {
        self.tabs.len() > MOST_TABS + 1
    }

    /// Whether the list is empty because of what was asked for.
    pub fn is_narrowed(&self) -> bool {
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
    pub fn text(&self, t: &Words) -> String {
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
    pub id: String,
    /// What the customer reads.
    pub name: String,
    /// The name of its category.
    pub category: Option<String>,
    pub price: Money,
    /// Whether it is off sale.
    pub archived: bool,
}

#[derive(Debug, Clone)]
pub struct Choice {
    /// The value in the form.
    pub value: String,
    pub name: String,
}

/// What the form of a product holds, as text.
#[derive(Debug, Clone, Default)]
pub struct ProductForm {
    pub id: String,
    pub name: String,
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
    Field(FieldError),
    /// The id is taken.
    Taken,
}

/// What is wrong with a field, and what to do.
pub fn of_field(problem: &FieldProblem, t: &Words) -> String {
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
    pub fn input(&self, name: &'static str, t: &Words) -> Input {
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

    pub fn category_error(&self, t: &Words) -> Option<String> {
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
    pub id: String,
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
    pub id: String,
    /// Its name, as it was typed.
    pub name: String,
    /// Whether it is out of use.
    pub archived: bool,
    /// What is wrong with what was typed.
    pub problems: Vec<ItemProblem>,
}

impl CategoryPage {
    pub fn inputs(&self, t: &Words) -> Vec<Input> {
        let name = Input::new("name", t.text("category-name")).value(&self.name).required().max(255);
        let id = Input::new("category_id", t.text("category-id")).hint(t.text("category-id-hint")).max(64);
        let new = self.heading.is_none().then(|| id.value(&self.id));
        let complaints = self.complaints(t);
        std::iter::once(name).chain(new).map(|input| input.marked(&complaints)).collect()
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
