//! The operator's pages of vendors: the list, a new vendor, and one vendor.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        LINES, newer, older,
        users::view::VendorChoice,
        vendors::view::{
            NewVendor, NewVendorProblem, PairView, SandboxSwitch, SandboxUse, Vendor as VendorPage,
            VendorCreated, VendorLine, Vendors,
        },
    },
    does, drafts, endpoint_check,
    pages::{FlashMessage, NavItem, Question, sandbox_request_form::SandboxRequestForm},
    payments::statistics,
    shows,
    visit::{Answer, Fields, Refused, Visit, done, go},
};
use axum::{
    extract::{Path, State},
    response::Response,
};
use secrecy::ExposeSecret as _;
use std::sync::Arc;
use till_domain::{
    audit::{AuditEvent, SandboxRequest},
    environment::EnvironmentName,
    id::{UserId, VendorId},
    method::Method,
    text::{self, TextProblem},
    user::Role,
    vendor::{SettingsChange, Vendor},
};
use till_service::{admin, mail};
use till_store::{AuditFilter, FoundVendor, StoredSandboxRequest, UserFilter, VendorFilter};

pub(crate) const PLACE: Option<NavItem> = Some(NavItem::Vendors);
const PATH: &str = "/operator/vendors";

/// The longest name of a vendor.
const MAX_NAME: usize = 100;

/// Lines of the audit log on a vendor's page.
const LAST_LINES: u32 = 20;

/// The most super vendors and users to choose from.
const MOST: u32 = 1000;

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows(PATH, operate, list),
        does(PATH, operate, create),
        shows("/operator/vendors/new", operate, show_new),
        shows("/operator/vendors/{id}", operate, show),
        shows("/operator/vendors/{id}/disable", operate, ask_disable),
        does("/operator/vendors/{id}/disable", operate, disable),
        does("/operator/vendors/{id}/enable", operate, enable),
        does("/operator/vendors/{id}/methods", operate, methods),
        does("/operator/vendors/{id}/parent", operate, parent),
    ]
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (q, before) = (visit.query.get("q").trim(), visit.query.get("before"));
    let filter =
        VendorFilter { has: q.to_owned(), parent: None, before: VendorId::parse(before), limit: LINES };
    // A vendor id or a client id leads directly to the vendor's page.
    let accounts = &panel.admin.accounts;
    let known = match VendorId::parse(q) {
        Some(id) => accounts.vendor(id).await?,
        None if q.is_empty() => None,
        None => accounts.vendor_of_client(q).await?,
    };
    if let Some(vendor) = known {
        return Ok(go(&path(vendor.id)));
    }
    let found = panel.admin.accounts.find_vendors(&filter).await?;
    let last = found.last().map(|vendor| vendor.summary.id.to_string());
    let page = Vendors {
        q: q.to_owned(),
        newer: newer(PATH, before, &[("q", q)]),
        older: older(PATH, last, found.len(), &[("q", q)]),
        rows: found.into_iter().map(line).collect(),
    };
    Ok(visit.page(&panel, PLACE, page))
}

fn line(found: FoundVendor) -> VendorLine {
    let sandbox = match (found.summary.sandbox, found.asked_at) {
        (true, _) => SandboxUse::On { since: None },
        (false, Some(at)) => SandboxUse::Requested { at },
        (false, None) => SandboxUse::Off,
    };
    VendorLine {
        id: found.summary.id,
        name: found.summary.name,
        disabled: found.summary.disabled,
        sandbox,
        methods: found.methods,
        parent: found.parent,
        created_at: found.created_at,
    }
}

async fn show_new(State(panel): State<Arc<Panel>>, visit: Visit) -> Response {
    let typed = drafts::typed(&panel, &visit).as_ref().map(typed).unwrap_or_default();
    visit.page(&panel, PLACE, typed)
}

fn typed(fields: &Fields) -> NewVendor {
    NewVendor {
        name: fields.get("name").to_owned(),
        sandbox: fields.ticked("sandbox"),
        contact_email: fields.get("contact_email").trim().to_owned(),
        problems: Vec::new(),
    }
}

async fn create(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let typed = typed(&visit.form);
    let mut problems = Vec::new();
    let name = match text::name(&typed.name) {
        Ok(name) if name.chars().count() <= MAX_NAME => Some(name),
        Err(TextProblem::Empty) => {
            problems.push(NewVendorProblem::NameMissing);
            None
        }
        _ => {
            problems.push(NewVendorProblem::NameTooLong);
            None
        }
    };
    let email = match typed.contact_email.as_str() {
        "" => None,
        email => mail::address(email).map_err(|_| problems.push(NewVendorProblem::ContactEmail)).ok(),
    };
    let Some(name) = name.filter(|_| problems.is_empty()) else {
        return Ok(visit.again(&panel, PLACE, NewVendor { problems, ..typed }));
    };
    let request =
        SandboxRequest { by: visit.user().email.clone(), why: SandboxRequest::FROM_THE_START.to_owned() };
    let sandbox = typed.sandbox.then_some(request);
    let vendor = admin::VendorDraft { name: name.clone(), contact_email: email, sandbox };
    let made = panel.admin.create_vendor(&visit.actor(), vendor).await?;
    let pair = |pair: admin::CredentialPair| PairView {
        client_id: pair.client_id,
        secret: pair.client_secret.expose_secret().to_owned(),
    };
    let body = VendorCreated { id: made.id, name, live: pair(made.live), sandbox: pair(made.sandbox) };
    Ok(visit.page(&panel, PLACE, body))
}

pub(crate) async fn find(panel: &Panel, id: &str) -> Result<Vendor, Refused> {
    let id = VendorId::parse(id).ok_or(Refused::NotFound)?;
    panel.admin.accounts.vendor(id).await?.ok_or(Refused::NotFound)
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = find(&panel, &id).await?;
    page(&panel, &visit, vendor, None).await
}

/// The page of a vendor, with the submitted sandbox form if it had problems.
pub(super) async fn page(
    panel: &Panel,
    visit: &Visit,
    vendor: Vendor,
    typed: Option<SandboxRequestForm>,
) -> Answer {
    let accounts = &panel.admin.accounts;
    let wrong = typed.is_some();
    let request = accounts.sandbox_requests(Some(vendor.id)).await?.into_iter().next();
    let supers = UserFilter { role: Some(Role::SuperVendor), limit: MOST, ..UserFilter::default() };
    let supers = accounts.users(&supers).await?;
    let mine = UserFilter { vendor: Some(vendor.id), limit: MOST, ..UserFilter::default() };
    let users = accounts.users(&mine).await?;
    let log = AuditFilter { vendor: Some(vendor.id), limit: LAST_LINES, ..AuditFilter::default() };
    let log = accounts.audit(&log).await?;
    let client_id = |environment| {
        let newest = vendor.credentials.iter().rfind(|credential| credential.environment == environment);
        newest.map(|credential| credential.client_id.clone()).unwrap_or_default()
    };
    let url = |url: &Option<till_domain::weburl::WebUrl>| url.as_ref().map(ToString::to_string);
    let parent = vendor.parent.and_then(|id| supers.iter().find(|user| user.id == id));
    let event = if vendor.sandbox { AuditEvent::SandboxOn } else { AuditEvent::SandboxOff };
    let switched = accounts.last_event(vendor.id, event).await?.map(|line| SandboxSwitch {
        at: line.at,
        by: line.actor.name,
        request: line.detail.as_deref().and_then(SandboxRequest::parse),
    });
    let sandbox = match (vendor.sandbox, &request) {
        (true, _) => SandboxUse::On { since: switched.as_ref().map(|switched| switched.at) },
        (false, Some(request)) => SandboxUse::Requested { at: request.created_at },
        (false, None) => SandboxUse::Off,
    };
    let environment = panel.vendor_environment(&vendor);
    let path = format!("/operator/vendors/{}", vendor.id);
    let body = VendorPage {
        statistics: statistics::read(visit, environment, Some(vendor.id), &path).await?,
        environment: environment.name,
        line: VendorLine {
            id: vendor.id,
            name: vendor.name.clone(),
            disabled: vendor.disabled,
            sandbox,
            methods: vendor.settings.methods.clone(),
            parent: parent.map(|user| user.email.clone()),
            created_at: vendor.created_at,
        },
        live_client_id: client_id(EnvironmentName::Live),
        sandbox_client_id: client_id(EnvironmentName::Sandbox),
        callback_url: url(&vendor.settings.callback_url),
        return_url: url(&vendor.settings.return_url),
        contact_email: vendor.settings.contact_email.clone(),
        fiscal: vendor.settings.fiscal,
        fiscal_outdated: vendor.settings.fiscal.has_outdated_rate(panel.now()),
        agreed: crate::console::terms::agreed(panel, &vendor.terms),
        switched,
        last_check: endpoint_check::last(panel, vendor.id).await?,
        request_form: typed.or_else(|| request.map(prefilled_form)).unwrap_or_default(),
        parent: vendor.parent.map(|id| id.to_string()),
        supers: supers
            .iter()
            .filter(|user| !user.disabled || Some(user.id) == vendor.parent)
            .map(|user| VendorChoice { id: user.id.to_string(), name: user.email.clone() })
            .collect(),
        users: users
            .into_iter()
            .map(|user| crate::console::users::line(user, Some(vendor.name.clone())))
            .collect(),
        audit: panel.audit_lines(log).await?,
    };
    Ok(if wrong { visit.again(panel, PLACE, body) } else { visit.page(panel, PLACE, body) })
}

fn prefilled_form(request: StoredSandboxRequest) -> SandboxRequestForm {
    SandboxRequestForm { by: request.email, why: request.reason, problems: Vec::new() }
}

pub(super) fn path(id: VendorId) -> String {
    format!("{PATH}/{id}")
}

async fn ask_disable(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = find(&panel, &id).await?;
    let question = Question::DisableVendor { vendor: vendor.id, name: vendor.name };
    Ok(visit.page(&panel, PLACE, question))
}

async fn disable(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    set_disabled(&panel, &visit, &id, true).await
}

async fn enable(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    set_disabled(&panel, &visit, &id, false).await
}

async fn set_disabled(panel: &Panel, visit: &Visit, id: &str, disabled: bool) -> Answer {
    let vendor = find(panel, id).await?;
    let event = if disabled { AuditEvent::VendorDisabled } else { AuditEvent::VendorEnabled };
    let entry = panel.admin.entry(&visit.actor(), event).about(vendor.id);
    panel.admin.accounts.set_disabled(vendor.id, disabled, &entry).await?;
    panel.directory.forget(vendor.id);
    Ok(done(&path(vendor.id), if disabled { FlashMessage::Disabled } else { FlashMessage::Enabled }))
}

async fn methods(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = find(&panel, &id).await?;
    let chosen: Vec<Method> = visit.form.all("methods").filter_map(Method::parse).collect();
    // Choosing every method also includes those configured later.
    let all = visit.form.ticked("all") || Method::ALL.iter().all(|method| chosen.contains(method));
    if !all && chosen.is_empty() && !visit.form.ticked("none") {
        let question = Question::NoMethods { vendor: vendor.id, name: vendor.name };
        return Ok(visit.page(&panel, PLACE, question));
    }
    let methods = (!all).then_some(chosen);
    let methods_text = methods.as_ref().map_or_else(|| "all".to_owned(), |methods| Method::join(methods));
    let change = SettingsChange { methods: Some(methods), ..SettingsChange::default() };
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::SettingsChanged).about(vendor.id);
    panel
        .admin
        .accounts
        .set_settings(vendor.id, &change, &entry.saying(format!("methods: {methods_text}")))
        .await?;
    panel.directory.forget(vendor.id);
    Ok(done(&path(vendor.id), FlashMessage::Saved))
}

async fn parent(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = find(&panel, &id).await?;
    let parent = match visit.form.get("super") {
        "" => None,
        text => Some(UserId::parse(text).ok_or(Refused::NotFound)?),
    };
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::ParentChanged).about(vendor.id);
    let entry = parent.into_iter().fold(entry, |entry, id| entry.with(id));
    if !panel.admin.accounts.set_parent(vendor.id, parent, &entry).await? {
        return Ok(done(&path(vendor.id), FlashMessage::Failed));
    }
    panel.directory.forget(vendor.id);
    Ok(done(&path(vendor.id), FlashMessage::Saved))
}
