//! Importing a CSV table: first a preview of the changes, then, after confirmation, the changes.
//!
//! Nothing is stored between the two steps. The preview page carries the good rows with their ids, and they
//! are validated again when they come back: changes that other users made meanwhile are seen, and a form that
//! is sent twice adds nothing twice.

pub mod view;

use crate::{
    Access, Panel, Route,
    catalog::{
        LiveCatalog, PLACE, catalog_editor,
        import::view::{Import, ImportKind, ImportProblem, Preview, PreviewLine},
        redirect_with_message,
    },
    does,
    pages::FlashMessage,
    shows,
    visit::{Answer, Refused, Visit},
};
use axum::{extract::State, http::StatusCode, response::Response};
use std::sync::Arc;
use till_domain::catalog::{Category, Product};
use till_service::{
    admin::{
        catalog::{ImportPlan, read_categories, read_products},
        csv_sheet::{Sheet, SheetProblem},
    },
    web::MAX_UPLOAD,
};

/// The largest table, in bytes. A confirmed table comes back larger (an id in each row, other line ends), so
/// that limit is the size of the form that carries it, `MAX_UPLOAD`.
const MAX_BYTES: usize = MAX_UPLOAD / 2;

/// The most rows of one table.
const MAX_ROWS: usize = 2_000;

pub(super) fn routes(run: Access) -> Vec<Route> {
    let [products, categories] = [ImportKind::Products, ImportKind::Categories];
    vec![
        shows("/panel/products/import", run, async move |at, live| show(at, live, products)),
        does("/panel/products/import", run, async move |at, live| check(at, live, products).await),
        does("/panel/products/import/take", run, async move |at, live| take(at, live, products).await),
        shows("/panel/categories/import", run, async move |at, live| show(at, live, categories)),
        does("/panel/categories/import", run, async move |at, live| check(at, live, categories).await),
        does("/panel/categories/import/take", run, async move |at, live| take(at, live, categories).await),
    ]
}

fn show(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog, kind: ImportKind) -> Response {
    page(&panel, &visit, kind, String::new(), None)
}

fn page(
    panel: &Panel,
    visit: &Visit,
    kind: ImportKind,
    text: String,
    problem: Option<ImportProblem>,
) -> Response {
    let status = match problem {
        None => StatusCode::OK,
        Some(ImportProblem::TooLarge) => StatusCode::PAYLOAD_TOO_LARGE,
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let body = Import { kind, text, problem, max_kb: MAX_BYTES / 1024, max_rows: MAX_ROWS };
    visit.answer(panel, status, PLACE, body)
}

/// The validated rows of a table, of products or of categories.
enum Plan {
    Products(ImportPlan<Product>),
    Categories(ImportPlan<Category>),
}

/// Parses a table of at most `most` bytes.
fn read(kind: ImportKind, file: &[u8], most: usize) -> Result<Sheet, ImportProblem> {
    if file.len() > most {
        return Err(ImportProblem::TooLarge);
    }
    if file.iter().all(u8::is_ascii_whitespace) {
        return Err(ImportProblem::Nothing);
    }
    let sheet = match kind {
        ImportKind::Products => read_products(file),
        ImportKind::Categories => read_categories(file),
    };
    let sheet = sheet.map_err(|problem: SheetProblem| ImportProblem::Sheet(problem))?;
    match sheet.len() {
        0 => Err(ImportProblem::NoRows),
        rows if rows > MAX_ROWS => Err(ImportProblem::TooManyRows { rows }),
        _ => Ok(sheet),
    }
}

async fn judge(panel: &Panel, visit: &Visit, kind: ImportKind, sheet: &Sheet) -> Result<Plan, Refused> {
    let actor = visit.actor();
    let editor = catalog_editor(panel, visit, &actor);
    Ok(match kind {
        ImportKind::Products => Plan::Products(editor.judge_products(sheet).await?),
        ImportKind::Categories => Plan::Categories(editor.judge_categories(sheet).await?),
    })
}

async fn check(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog, kind: ImportKind) -> Answer {
    let pasted = visit.form.get("text");
    let file = visit.file.as_deref().unwrap_or(pasted.as_bytes());
    let text = String::from_utf8_lossy(file).into_owned();
    match read(kind, file, MAX_BYTES) {
        Ok(sheet) => {
            let plan = judge(&panel, &visit, kind, &sheet).await?;
            let body = preview(kind, &plan, text, false);
            Ok(visit.page(&panel, PLACE, body))
        }
        // A table that is too large to import is also too large to show.
        Err(problem @ ImportProblem::TooLarge) => {
            Ok(page(&panel, &visit, kind, String::new(), Some(problem)))
        }
        Err(problem) => {
            // A file that is not UTF-8 cannot be shown in a text field.
            let text = if std::str::from_utf8(file).is_ok() { text } else { String::new() };
            Ok(page(&panel, &visit, kind, text, Some(problem)))
        }
    }
}

async fn take(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog, kind: ImportKind) -> Answer {
    let text = visit.form.get("rows").to_owned();
    let sheet = match read(kind, text.as_bytes(), MAX_UPLOAD) {
        Ok(sheet) => sheet,
        Err(problem) => return Ok(page(&panel, &visit, kind, text, Some(problem))),
    };
    let plan = judge(&panel, &visit, kind, &sheet).await?;
    if !plan.bad().is_empty() {
        // Another user changed the catalog since these rows were good.
        let body = preview(kind, &plan, text, true);
        return Ok(visit.answer(&panel, StatusCode::CONFLICT, PLACE, body));
    }
    let actor = visit.actor();
    let editor = catalog_editor(&panel, &visit, &actor);
    match &plan {
        Plan::Products(judged) => editor.take_products(judged, |_| ()).await?,
        Plan::Categories(judged) => editor.take_categories(judged, |_| ()).await?,
    }
    Ok(redirect_with_message(kind.path(), None, FlashMessage::Imported))
}

impl Plan {
    fn bad(&self) -> &[till_service::admin::catalog::BadRow] {
        match self {
            Self::Products(judged) => &judged.bad,
            Self::Categories(judged) => &judged.bad,
        }
    }

    fn head(&self) -> &str {
        match self {
            Self::Products(judged) => &judged.head,
            Self::Categories(judged) => &judged.head,
        }
    }

    fn same(&self) -> usize {
        match self {
            Self::Products(judged) => judged.same,
            Self::Categories(judged) => judged.same,
        }
    }

    /// The rows that would be added, and those that would change.
    fn lines(&self) -> (Vec<PreviewLine>, Vec<PreviewLine>) {
        match self {
            Self::Products(judged) => (
                judged.added.iter().map(|product| product_line(product, None)).collect(),
                judged.changed.iter().map(|both| product_line(&both.after, Some(&both.before))).collect(),
            ),
            Self::Categories(judged) => (
                judged.added.iter().map(|category| category_line(category, None)).collect(),
                judged.changed.iter().map(|both| category_line(&both.after, Some(&both.before))).collect(),
            ),
        }
    }

    /// The good rows as CSV, each with its id.
    fn table(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let written = match self {
            Self::Products(judged) => {
                let head = ["product_id", "name", "price", "currency", "category_id"];
                std::iter::once(writer.write_record(head))
                    .chain(judged.after().map(|product| writer.write_record(product_row(product))))
                    .collect::<Result<Vec<()>, _>>()
            }
            Self::Categories(judged) => std::iter::once(writer.write_record(["category_id", "name"]))
                .chain(judged.after().map(|c| writer.write_record([c.id.as_str(), c.name.as_str()])))
                .collect(),
        };
        let bytes = written.ok().and_then(|_| writer.into_inner().ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn product_row(product: &Product) -> [&str; 5] {
    let category = product.category.as_ref().map_or("", |category| category.as_str());
    let price = &product.price;
    [product.id.as_str(), product.name.as_str(), price.digits(), price.currency().code(), category]
}

fn product_line(product: &Product, before: Option<&Product>) -> PreviewLine {
    PreviewLine {
        id: product.id.to_string(),
        name: product.name.clone(),
        price: Some(product.price.money()),
        category: product.category.as_ref().map(ToString::to_string),
        was_name: before.map(|b| b.name.clone()).filter(|name| *name != product.name),
        was_price: before.map(|b| b.price.money()).filter(|price| *price != product.price.money()),
        was_archived: before.is_some_and(|before| before.archived),
    }
}

fn category_line(category: &Category, before: Option<&Category>) -> PreviewLine {
    PreviewLine {
        id: category.id.to_string(),
        name: category.name.clone(),
        price: None,
        category: None,
        was_name: before.map(|b| b.name.clone()).filter(|name| *name != category.name),
        was_price: None,
        was_archived: before.is_some_and(|before| before.archived),
    }
}

fn preview(kind: ImportKind, plan: &Plan, text: String, overtaken: bool) -> Preview {
    let (added, changed) = plan.lines();
    let bad_rows = std::iter::once(plan.head()).chain(plan.bad().iter().map(|row| row.text.as_str()));
    Preview {
        kind,
        added,
        changed,
        same: plan.same(),
        bad_text: bad_rows.collect::<Vec<_>>().join("\n"),
        bad: plan.bad().to_vec(),
        rows: plan.table(),
        text,
        overtaken,
    }
}
