//! The pages of a vendor's products and categories.

use crate::pages::{
    form::{Complaint, Input},
    view::{Action, Crumb, View, template},
};
use till_domain::{
    money::{Money, PriceProblem},
    rejection::{FieldError, FieldProblem},
};
use till_service::web::words::Words;

/// With more categories than this, the page shows a select field instead of tabs.
const MOST_TABS: usize = 8;

#[derive(Debug, Clone)]
pub struct Products {
    /// The search text.
    pub q: String,
    /// The category filter as in the address; empty for all.
    pub category: String,
    /// True if the archived products (off sale) are shown.
    pub archived: bool,
    /// Tabs for all products, for each category that has products, and for products without one.
    pub tabs: Vec<CategoryTab>,
    pub rows: Vec<ProductLine>,
    /// The link to the first page, unless this is it.
    pub first: Option<String>,
    /// The link to the next page.
    pub next: Option<String>,
    /// True if the search stopped before the end of the catalog.
    pub unfinished: bool,
    /// True if the user may change products.
    pub can_change: bool,
}

impl Products {
    pub fn has_tabs(&self) -> bool {
        (2..=MOST_TABS + 1).contains(&self.tabs.len())
    }

    pub fn has_select(&self) -> bool {
        self.tabs.len() > MOST_TABS + 1
    }

    /// True if a filter may be the reason that the list is empty.
    pub fn is_narrowed(&self) -> bool {
        !self.q.is_empty() || !self.category.is_empty() || self.archived
    }
}

/// A category filter above the list.
#[derive(Debug, Clone)]
pub struct CategoryTab {
    /// Its value in the filter form.
    pub value: String,
    /// Its path.
    pub href: String,
    /// Its name; `None` for "all" and for "no category".
    pub name: Option<String>,
    pub count: u64,
    /// True if this filter is active.
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

#[derive(Debug, Clone)]
pub struct ProductLine {
    pub id: String,
    /// The name that the customer sees.
    pub name: String,
    pub category: Option<String>,
    pub price: Money,
    /// True if it is off sale.
    pub archived: bool,
}

#[derive(Debug, Clone)]
pub struct CategoryChoice {
    pub value: String,
    pub name: String,
}

/// The fields of the product form, as text.
#[derive(Debug, Clone, Default)]
pub struct ProductForm {
    pub id: String,
    pub name: String,
    pub price: String,
    pub currency: String,
    pub category: String,
}

/// The page of a new or an existing product.
#[derive(Debug, Clone)]
pub struct ProductPage {
    /// The stored name; `None` for a new product.
    pub heading: Option<String>,
    pub form: ProductForm,
    /// Categories to choose from.
    pub categories: Vec<CategoryChoice>,
    /// Problems with the submitted form.
    pub problems: Vec<ItemProblem>,
    /// True if the user may change the product.
    pub can_change: bool,
    /// True if it is off sale.
    pub archived: bool,
    /// The API call that sells it.
    pub snippet: Option<String>,
}

/// A problem with a submitted product or category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemProblem {
    Field(FieldError),
    /// Another item has this id.
    Taken,
}

/// The error message of a field, with how to correct it.
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
        // No rule of the catalog produces another code.
        _ => problem.to_string(),
    }
}

fn complaints(problems: &[ItemProblem], id_field: &'static str, t: &Words) -> Vec<Complaint> {
    let complaints = problems.iter().map(|problem| match problem {
        ItemProblem::Field(error) => Complaint::about(error.field.clone(), of_field(&error.problem, t)),
        ItemProblem::Taken => Complaint::about(id_field, t.text("id-taken")),
    });
    complaints.collect()
}

impl ProductPage {
    /// The form field of this name.
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
        complaints.into_iter().find(|complaint| complaint.is_about("category_id")).map(|c| c.text)
    }
}

#[derive(Debug, Clone)]
pub struct Categories {
    /// All categories, those in use first.
    pub rows: Vec<CategoryLine>,
    /// True if the user may change categories.
    pub can_change: bool,
}

#[derive(Debug, Clone)]
pub struct CategoryLine {
    pub id: String,
    pub name: String,
    /// The number of its products on sale.
    pub products: u64,
    /// True if it is archived.
    pub archived: bool,
}

/// The page of a new or an existing category.
#[derive(Debug, Clone, Default)]
pub struct CategoryPage {
    /// The stored name; `None` for a new category.
    pub heading: Option<String>,
    pub id: String,
    /// The name as typed.
    pub name: String,
    /// True if it is archived.
    pub archived: bool,
    /// Problems with the submitted form.
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

/// The page shown in the sandbox, which has no catalog.
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
