//! The pages of products: the list, a new product, and one product with the API call that sells it.

use crate::{
    Access, Panel, Route,
    catalog::{
        LiveCatalog, PLACE, can_change, catalog_editor, redirect_with_message,
        view::{CategoryChoice, CategoryTab, ProductForm, ProductLine, ProductPage, Products},
        wrong,
    },
    does, drafts,
    pages::{FlashMessage, Question},
    shows,
    visit::{Answer, Fields, Refused, Visit},
};
use axum::extract::State;
use std::{collections::HashMap, sync::Arc};
use till_domain::{
    catalog::{Category, CategoryId, Product, ProductDraft, ProductId},
    id::VendorId,
};
use till_store::{Accounts, ProductFilter, StoreError};

const PATH: &str = "/panel/products";
const ITEM: &str = "/panel/products/item";

/// Lines per page.
const LINES: usize = 50;

/// Products read per query.
const PART: u32 = 500;

/// Queries for one page: a search that finds little stops there until the user asks for more.
const PARTS: usize = 20;

/// The value of "in no category" in the address. No category id contains this character.
const NONE: &str = "~";

pub(super) fn routes(see: Access, run: Access) -> Vec<Route> {
    vec![
        shows(PATH, see, list),
        does(PATH, run, create),
        shows("/panel/products/new", run, show_new),
        shows(ITEM, see, show),
        does(ITEM, run, save),
        shows("/panel/products/archive", run, ask),
        does("/panel/products/archive", run, archive),
        does("/panel/products/restore", run, restore),
    ]
}

async fn list(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    let accounts = &panel.admin.accounts;
    let (vendor, query) = (visit.vendor_id(), &visit.query);
    let wanted = ProductQuery {
        q: query.get("q").trim(),
        category: query.get("category"),
        archived: query.get("state") == "archived",
    };
    let after = query.get("after");
    let categories = accounts.categories(vendor).await?;
    let counts = accounts.count_products(vendor, wanted.archived).await?;
    let FoundProducts { products, next, unfinished } =
        find(accounts, vendor, wanted.filter(after), wanted.q).await?;
    let names: HashMap<&CategoryId, &str> =
        categories.iter().map(|category| (&category.id, category.name.as_str())).collect();
    let page = Products {
        q: wanted.q.to_owned(),
        category: wanted.category.to_owned(),
        archived: wanted.archived,
        tabs: tabs(&wanted, &categories, &counts),
        first: (!after.is_empty()).then(|| wanted.href(&[])),
        next: next.map(|id| wanted.href(&[("after", id.as_str())])),
        unfinished,
        can_change: can_change(&visit),
        rows: products.iter().map(|product| line(product, &names)).collect(),
    };
    Ok(visit.page(&panel, PLACE, page))
}

/// The filter given in the address.
struct ProductQuery<'a> {
    q: &'a str,
    category: &'a str,
    archived: bool,
}

impl ProductQuery<'_> {
    fn href(&self, more: &[(&str, &str)]) -> String {
        let state = if self.archived { "archived" } else { "" };
        let fields = [("q", self.q), ("category", self.category), ("state", state)];
        let pairs = fields.iter().chain(more).filter(|(_, value)| !value.is_empty());
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        if query.is_empty() { PATH.to_owned() } else { format!("{PATH}?{query}") }
    }

    fn filter(&self, after: &str) -> ProductFilter {
        let category = match self.category {
            "" => None,
            NONE => Some(None),
            // An invalid category id has no products, like an unknown one.
            text => Some(CategoryId::parse(text)),
        };
        ProductFilter { archived: self.archived, category, after: ProductId::parse(after), limit: PART }
    }
}

#[derive(Debug)]
struct FoundProducts {
    products: Vec<Product>,
    /// The last product shown; the next page begins after it.
    next: Option<ProductId>,
    /// True if the search stopped before the end of the catalog.
    unfinished: bool,
}

/// Reads a page of products (keyset pagination). Names are compared here, because the database engines fold
/// the case of Latin letters only.
async fn find(
    accounts: &Accounts,
    vendor: VendorId,
    mut filter: ProductFilter,
    q: &str,
) -> Result<FoundProducts, StoreError> {
    let needle = q.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&needle);
    let (mut products, mut unfinished): (Vec<Product>, bool) = (Vec::new(), true);
    for _ in 0..PARTS {
        let part = accounts.some_products(vendor, &filter).await?;
        unfinished = u32::try_from(part.len()).is_ok_and(|length| length >= filter.limit);
        filter.after = part.last().map(|product| product.id.clone());
        products.extend(part.into_iter().filter(|product| has(&product.name) || has(product.id.as_str())));
        if !unfinished || products.len() > LINES {
            break;
        }
    }
    if products.len() > LINES {
        products.truncate(LINES);
        let next = products.last().map(|product| product.id.clone());
        return Ok(FoundProducts { products, next, unfinished: false });
    }
    Ok(FoundProducts { products, next: filter.after.filter(|_| unfinished), unfinished })
}

/// The tabs of the categories that have products, each with its number of products.
fn tabs(
    wanted: &ProductQuery<'_>,
    categories: &[Category],
    counts: &HashMap<Option<CategoryId>, u64>,
) -> Vec<CategoryTab> {
    let tab = |value: &str, name: Option<&str>, count: u64| CategoryTab {
        value: value.to_owned(),
        href: ProductQuery { category: value, q: "", ..*wanted }.href(&[]),
        name: name.map(str::to_owned),
        count,
        current: wanted.category == value,
    };
    let all = tab("", None, counts.values().sum());
    let named = categories.iter().filter_map(|category| {
        let count = counts.get(&Some(category.id.clone())).copied()?;
        Some(tab(category.id.as_str(), Some(&category.name), count))
    });
    let none = counts.get(&None).map(|count| tab(NONE, None, *count));
    std::iter::once(all).chain(named).chain(none).collect()
}

fn line(product: &Product, names: &HashMap<&CategoryId, &str>) -> ProductLine {
    let category = product.category.as_ref();
    ProductLine {
        id: product.id.to_string(),
        name: product.name.clone(),
        category: category.and_then(|id| names.get(id)).map(|name| (*name).to_owned()),
        price: product.price.money(),
        archived: product.archived,
    }
}

/// The categories that a form offers: those in use, and the one already chosen.
async fn choices(panel: &Panel, vendor: VendorId, chosen: &str) -> Result<Vec<CategoryChoice>, StoreError> {
    let all = panel.admin.accounts.categories(vendor).await?;
    let offered = all.into_iter().filter(|category| !category.archived || category.id.as_str() == chosen);
    let choice = |category: Category| CategoryChoice { value: category.id.to_string(), name: category.name };
    Ok(offered.map(choice).collect())
}

fn typed(form: &Fields) -> ProductForm {
    let text = |name| form.get(name).trim().to_owned();
    ProductForm {
        id: text("product_id"),
        name: text("name"),
        price: text("price"),
        currency: text("currency"),
        category: text("category_id"),
    }
}

fn draft(form: &ProductForm) -> ProductDraft<'_> {
    let ProductForm { id, name, price, currency, category } = form;
    ProductDraft { id, name, price, currency, category }
}

async fn show_new(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    let form = match drafts::typed(&panel, &visit) {
        Some(kept) => typed(&kept),
        None => ProductForm { category: visit.query.get("category").to_owned(), ..ProductForm::default() },
    };
    form_page(&panel, &visit, form, None, Vec::new()).await
}

/// The form of a new or an existing product.
async fn form_page(
    panel: &Panel,
    visit: &Visit,
    form: ProductForm,
    known: Option<Product>,
    problems: Vec<crate::catalog::view::ItemProblem>,
) -> Answer {
    let wrong = !problems.is_empty();
    let body = ProductPage {
        categories: choices(panel, visit.vendor_id(), &form.category).await?,
        snippet: known.as_ref().map(|product| snippet(&panel.base_url, &product.id)),
        archived: known.as_ref().is_some_and(|product| product.archived),
        heading: known.map(|product| product.name),
        can_change: can_change(visit),
        form,
        problems,
    };
    Ok(if wrong { visit.again(panel, PLACE, body) } else { visit.page(panel, PLACE, body) })
}

/// The API call that sells a product. An id has no character that is special in a shell or in JSON.
fn snippet(base_url: &str, id: &ProductId) -> String {
    format!(
        "curl '{base_url}/api/product/session' \\\n  -H 'Authorization: Bearer YOUR_TOKEN' \\\n  \
         -H 'Content-Type: application/json' \\\n  -H 'Idempotency-Key: order-1001' \\\n  \
         -d '{{\"product_id\": \"{id}\", \"order_id\": \"order-1001\"}}'"
    )
}

async fn create(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    let form = typed(&visit.form);
    let added = catalog_editor(&panel, &visit, &visit.actor()).add_product(draft(&form)).await;
    match added {
        Ok(product) => Ok(redirect_with_message(ITEM, Some(product.id.as_str()), FlashMessage::Saved)),
        Err(error) => form_page(&panel, &visit, form, None, wrong(error)?).await,
    }
}

async fn known(panel: &Panel, visit: &Visit, id: &str) -> Result<Product, Refused> {
    let id = ProductId::parse(id).ok_or(Refused::NotFound)?;
    panel.admin.accounts.product(visit.vendor_id(), &id).await?.ok_or(Refused::NotFound)
}

async fn show(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    let product = known(&panel, &visit, visit.query.get("id")).await?;
    let form = ProductForm {
        id: product.id.to_string(),
        name: product.name.clone(),
        price: product.price.digits().to_owned(),
        currency: product.price.currency().code().to_owned(),
        category: product.category.as_ref().map(ToString::to_string).unwrap_or_default(),
    };
    form_page(&panel, &visit, form, Some(product), Vec::new()).await
}

async fn save(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    let form = typed(&visit.form);
    let changed = catalog_editor(&panel, &visit, &visit.actor()).change_product(draft(&form)).await;
    match changed {
        Ok(product) => Ok(redirect_with_message(ITEM, Some(product.id.as_str()), FlashMessage::Saved)),
        Err(error) => {
            let problems = wrong(error)?;
            let product = known(&panel, &visit, &form.id).await?;
            form_page(&panel, &visit, form, Some(product), problems).await
        }
    }
}

async fn ask(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    let product = known(&panel, &visit, visit.query.get("id")).await?;
    let question = Question::ArchiveProduct { id: product.id.to_string(), name: product.name };
    Ok(visit.page(&panel, PLACE, question))
}

async fn archive(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    set_archived(&panel, &visit, true).await
}

async fn restore(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    set_archived(&panel, &visit, false).await
}

async fn set_archived(panel: &Panel, visit: &Visit, archived: bool) -> Answer {
    let id = visit.form.get("id");
    match catalog_editor(panel, visit, &visit.actor()).archive_product(id, archived).await {
        Ok(_) => Ok(redirect_with_message(
            ITEM,
            Some(id),
            if archived { FlashMessage::Archived } else { FlashMessage::Restored },
        )),
        Err(error) => wrong(error).and(Err(Refused::NotFound)),
    }
}
