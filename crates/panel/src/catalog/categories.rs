//! The pages of categories: the list, a new category, and one category.

use crate::{
    Access, Panel, Route,
    catalog::{
        LiveCatalog, PLACE, can_change, catalog_editor, redirect_with_message,
        view::{Categories, CategoryLine, CategoryPage, ItemProblem},
        wrong,
    },
    does, drafts,
    pages::{FlashMessage, Question},
    shows,
    visit::{Answer, Fields, Refused, Visit},
};
use axum::{extract::State, response::Response};
use std::sync::Arc;
use till_domain::catalog::{Category, CategoryDraft, CategoryId};

const PATH: &str = "/panel/categories";
const ITEM: &str = "/panel/categories/item";

pub(super) fn routes(see: Access, run: Access) -> Vec<Route> {
    vec![
        shows(PATH, see, list),
        does(PATH, run, create),
        shows("/panel/categories/new", run, show_new),
        shows(ITEM, run, show),
        does(ITEM, run, save),
        shows("/panel/categories/archive", run, ask),
        does("/panel/categories/archive", run, archive),
        does("/panel/categories/restore", run, restore),
    ]
}

async fn list(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    let accounts = &panel.admin.accounts;
    let counts = accounts.count_products(visit.vendor_id(), false).await?;
    let line = |category: Category| CategoryLine {
        products: counts.get(&Some(category.id.clone())).copied().unwrap_or_default(),
        id: category.id.to_string(),
        name: category.name,
        archived: category.archived,
    };
    let mut rows: Vec<_> = accounts.categories(visit.vendor_id()).await?.into_iter().map(line).collect();
    rows.sort_by_key(|row| (row.archived, row.name.to_lowercase()));
    let page = Categories { rows, can_change: can_change(&visit) };
    Ok(visit.page(&panel, PLACE, page))
}

async fn show_new(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Response {
    let kept = drafts::typed(&panel, &visit).unwrap_or_default();
    form_page(&panel, &visit, typed(&kept, None, Vec::new()))
}

fn form_page(panel: &Panel, visit: &Visit, page: CategoryPage) -> Response {
    let wrong = !page.problems.is_empty();
    if wrong { visit.again(panel, PLACE, page) } else { visit.page(panel, PLACE, page) }
}

fn typed(form: &Fields, known: Option<Category>, problems: Vec<ItemProblem>) -> CategoryPage {
    CategoryPage {
        id: form.get("category_id").trim().to_owned(),
        name: form.get("name").trim().to_owned(),
        archived: known.as_ref().is_some_and(|category| category.archived),
        heading: known.map(|category| category.name),
        problems,
    }
}

async fn create(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    let (id, name) = (visit.form.get("category_id").trim(), visit.form.get("name"));
    match catalog_editor(&panel, &visit, &visit.actor()).add_category(CategoryDraft { id, name }).await {
        Ok(_) => Ok(redirect_with_message(PATH, None, FlashMessage::Saved)),
        Err(error) => {
            wrong(error).map(|problems| form_page(&panel, &visit, typed(&visit.form, None, problems)))
        }
    }
}

async fn known(panel: &Panel, visit: &Visit, id: &str) -> Result<Category, Refused> {
    let id = CategoryId::parse(id).ok_or(Refused::NotFound)?;
    panel.admin.accounts.category(visit.vendor_id(), &id).await?.ok_or(Refused::NotFound)
}

async fn show(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    let category = known(&panel, &visit, visit.query.get("id")).await?;
    let page = CategoryPage {
        id: category.id.to_string(),
        name: category.name.clone(),
        archived: category.archived,
        heading: Some(category.name),
        problems: Vec::new(),
    };
    Ok(form_page(&panel, &visit, page))
}

async fn save(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    let (id, name) = (visit.form.get("category_id"), visit.form.get("name"));
    match catalog_editor(&panel, &visit, &visit.actor()).change_category(CategoryDraft { id, name }).await {
        Ok(_) => Ok(redirect_with_message(PATH, None, FlashMessage::Saved)),
        Err(error) => {
            let problems = wrong(error)?;
            let category = known(&panel, &visit, id).await?;
            Ok(form_page(&panel, &visit, typed(&visit.form, Some(category), problems)))
        }
    }
}

async fn ask(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    let category = known(&panel, &visit, visit.query.get("id")).await?;
    let question = Question::ArchiveCategory { id: category.id.to_string(), name: category.name };
    Ok(visit.page(&panel, PLACE, question))
}

async fn archive(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    set_archived(&panel, &visit, true).await
}

async fn restore(State(panel): State<Arc<Panel>>, LiveCatalog(visit): LiveCatalog) -> Answer {
    set_archived(&panel, &visit, false).await
}

async fn set_archived(panel: &Panel, visit: &Visit, archived: bool) -> Answer {
    let result =
        catalog_editor(panel, visit, &visit.actor()).archive_category(visit.form.get("id"), archived).await;
    match result {
        Ok(_) => Ok(redirect_with_message(
            PATH,
            None,
            if archived { FlashMessage::Archived } else { FlashMessage::Restored },
        )),
        Err(error) => wrong(error).and(Err(Refused::NotFound)),
    }
}
