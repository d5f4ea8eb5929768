//! A vendor's products and categories. Live only: the sandbox has no catalog and shows a page that says so.

pub mod categories;
pub mod import;
pub mod products;
pub mod view;

use crate::{
    Access, Panel, Route,
    catalog::view::{ItemProblem, NoCatalog},
    pages::NavItem,
    visit::{Refused, Visit, go, live},
};
use axum::{extract::FromRequestParts, http::request::Parts, response::Response};
use std::sync::Arc;
use till_domain::{audit::Actor, user::Right};
use till_service::admin::catalog::{CatalogEditor, CatalogError};

const PLACE: Option<NavItem> = Some(NavItem::Products);

pub(super) fn routes() -> Vec<Route> {
    let (see, run) = (Access::May(Right::SeeVendor), Access::May(Right::RunVendor));
    let parts = [products::routes(see, run), categories::routes(see, run), import::routes(run)];
    parts.into_iter().flatten().collect()
}

/// A visit to the catalog of a vendor in live mode. Every handler here takes this instead of a [`Visit`], so
/// that none can forget to exclude the sandbox.
struct LiveCatalog(Visit);

impl FromRequestParts<Arc<Panel>> for LiveCatalog {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, panel: &Arc<Panel>) -> Result<Self, Response> {
        live(parts, panel, NoCatalog).map(Self).map_err(|answer| *answer)
    }
}

fn can_change(visit: &Visit) -> bool {
    visit.user().role.may(Right::RunVendor) && !visit.vendor().disabled
}

fn catalog_editor<'a>(panel: &'a Panel, visit: &Visit, actor: &'a Actor) -> CatalogEditor<'a> {
    CatalogEditor { accounts: &panel.admin.accounts, vendor: visit.vendor_id(), actor }
}

/// The problems to show in the form; an error if the form cannot be shown again.
fn wrong(error: CatalogError) -> Result<Vec<ItemProblem>, Refused> {
    match error {
        CatalogError::Fields(fields) => Ok(fields.into_iter().map(ItemProblem::Field).collect()),
        CatalogError::Taken(_) => Ok(vec![ItemProblem::Taken]),
        CatalogError::Repeated => Err(Refused::Repeated),
        CatalogError::Missing => Err(Refused::NotFound),
        CatalogError::Store(error) => Err(error.into()),
    }
}

/// Redirects to a list or to one of its items, with a notice of the change.
fn redirect_with_message(path: &str, id: Option<&str>, notice: crate::pages::FlashMessage) -> Response {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(id.map(|id| ("id", id)));
    go(&format!("{path}?{}", query.append_pair("done", notice.word()).finish()))
}
