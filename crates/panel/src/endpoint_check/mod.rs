//! `/panel/settings/endpoint-check`: a vendor has its endpoint checked, and reads the report. The operator reads the same
//! report beside the vendor's sandbox.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::vendors,
    does,
    endpoint_check::view::{CheckLine, CheckPage, CheckProblem, ReportPage},
    pages::NavItem,
    shows,
    visit::{Answer, Refused, Visit, go},
};
use axum::{
    extract::{Path, State},
    http::HeaderValue,
};
use std::sync::Arc;
use till_domain::{
    audit::AuditEvent,
    environment::EnvironmentName,
    id::{CheckId, VendorId},
    rejection::{FieldProblem, Rejection},
    request::FieldValue,
    user::Right,
    vendor::Vendor,
};
use till_service::callbacks::endpoint_check::{BY_API, CheckOrder, CheckRefusal, CodeLanguage};
use till_store::{StoreError, StoredCheck};

const PLACE: Option<NavItem> = Some(NavItem::Settings);
const PATH: &str = "/panel/settings/endpoint-check";

/// Checks in the history.
const LINES: u32 = 20;

/// Seconds after which the page of a check that is running is loaded again.
const RELOAD_AFTER: HeaderValue = HeaderValue::from_static("2");

pub(super) fn routes() -> Vec<Route> {
    let (see, run) = (Access::May(Right::SeeVendor), Access::May(Right::RunVendor));
    vec![
        shows(PATH, see, show),
        does(PATH, run, start),
        shows("/panel/settings/endpoint-check/{id}", see, show_report),
        shows("/operator/vendors/{vendor}/endpoint-checks/{id}", Access::May(Right::Operate), show_operator),
    ]
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let vendor = visit.sandbox_vendor()?;
    let url = vendor.settings.callback_url.as_ref().map(ToString::to_string).unwrap_or_default();
    let page = page(&panel, &visit, url, None).await?;
    Ok(visit.page(&panel, PLACE, page))
}

async fn page(
    panel: &Panel,
    visit: &Visit,
    callback_url: String,
    problem: Option<CheckProblem>,
) -> Result<CheckPage, StoreError> {
    let history = panel.checker.history(visit.vendor_id(), LINES).await?;
    Ok(CheckPage {
        callback_url,
        problem,
        can_run: visit.user().role.may(Right::RunVendor),
        history: history.iter().map(|check| line(panel, check)).collect(),
    })
}

fn line(panel: &Panel, check: &StoredCheck) -> CheckLine {
    CheckLine {
        id: check.id,
        target: check.target.to_string(),
        verdict: check.verdict(panel.now()),
        at: check.started_at,
        by: Some(check.requested_by.clone()).filter(|by| by != BY_API),
    }
}

async fn start(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let vendor = visit.sandbox_vendor()?;
    let typed = visit.form.get("callback_url").trim().to_owned();
    let callback_url = if typed.is_empty() { FieldValue::Absent } else { FieldValue::Text(typed.clone()) };
    let by = &visit.user().email;
    let earlier = panel.checker.history(vendor.id, LINES).await?;
    let known = earlier.iter().find_map(|check| check.code_language.as_deref());
    let code_language = known.and_then(CodeLanguage::parse);
    let order = CheckOrder { vendor, callback_url, by, code_language };
    let problem = match panel.checker.start(&order).await {
        Ok(id) => {
            let entry = panel.admin.entry(&visit.actor(), AuditEvent::EndpointCheckStarted).about(vendor.id);
            let usual = vendor.settings.callback_url.as_ref().map(ToString::to_string);
            let url = if typed.is_empty() { usual.unwrap_or_default() } else { typed };
            panel.admin.accounts.record(&entry.saying(url)).await?;
            return Ok(go(&format!("{PATH}/{id}")));
        }
        Err(CheckRefusal::Store(error)) => return Err(error.into()),
        Err(CheckRefusal::TooMany(_)) => CheckProblem::TooMany,
        Err(CheckRefusal::Rejected(rejection)) => problem(&rejection),
    };
    let page = page(&panel, &visit, typed, Some(problem)).await?;
    Ok(visit.again(&panel, PLACE, page))
}

fn problem(rejection: &Rejection) -> CheckProblem {
    match rejection.fields().first().map(|field| &field.problem) {
        Some(FieldProblem::Url(problem)) => CheckProblem::Url(*problem),
        Some(_) => CheckProblem::NoUrl,
        None => CheckProblem::Running,
    }
}

async fn show_report(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = visit.sandbox_vendor()?;
    let report = report(&panel, vendor.id, &id, None).await?;
    Ok(reloading(&panel, &visit, PLACE, report))
}

async fn show_operator(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path((vendor, id)): Path<(String, String)>,
) -> Answer {
    let vendor = vendors::find(&panel, &vendor).await?;
    let report = report(&panel, vendor.id, &id, Some(vendor.name.clone())).await?;
    Ok(reloading(&panel, &visit, vendors::PLACE, report))
}

/// The page of a report, which is loaded again while the check is running.
fn reloading(
    panel: &Panel,
    visit: &Visit,
    place: Option<NavItem>,
    page: ReportPage,
) -> axum::response::Response {
    let running = page.line.verdict.is_none();
    let mut response = visit.page(panel, place, page);
    if running {
        response.headers_mut().insert("refresh", RELOAD_AFTER);
    }
    response
}

async fn report(
    panel: &Panel,
    vendor: VendorId,
    id: &str,
    vendor_name: Option<String>,
) -> Result<ReportPage, Refused> {
    let id = CheckId::parse(id).ok_or(Refused::NotFound)?;
    let report = panel.checker.report(id, vendor).await?.ok_or(Refused::NotFound)?;
    Ok(ReportPage {
        line: line(panel, &report.check),
        vendor: vendor_name.map(|name| (vendor, name)),
        own_language: report.own_language(),
        steps: report.steps,
    })
}

/// The last check of a vendor that has ended.
pub(super) async fn last(panel: &Panel, vendor: VendorId) -> Result<Option<CheckLine>, StoreError> {
    Ok(panel.checker.last(vendor).await?.map(|check| line(panel, &check)))
}

/// True if the operator does not want the vendor to see its live credentials yet.
pub(super) async fn hides_live(panel: &Panel, vendor: &Vendor) -> Result<bool, StoreError> {
    // A vendor that uses its live credentials has seen them, and must be able to rotate them.
    let in_use = vendor.credentials.iter().any(|credential| {
        credential.environment == EnvironmentName::Live && credential.first_used_at.is_some()
    });
    Ok(panel.require_endpoint_check && !in_use && !panel.checker.is_ready(vendor).await?)
}
