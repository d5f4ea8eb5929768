//! The operator's pages of users: the list, a new user, and one user.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        LINES, newer, older,
        users::view::{
            InvitationPage, NewUser, NewUserProblem, User as UserPage, UserLine, UserState, Users,
            VendorChoice,
        },
    },
    does, drafts,
    one_time_links::SentLink,
    pages::{FlashMessage, NavItem, Question, UserConfirmation},
    shows,
    visit::{Answer, Refused, Visit, done},
};
use axum::{
    extract::{Path, State},
    response::Response,
};
use std::sync::Arc;
use till_domain::{
    audit::AuditEvent,
    id::{UserId, VendorId},
    user::{self, LinkPurpose, Role, User},
};
use till_service::admin::UserDraft;
use till_store::{AuditFilter, StoreError, UserFilter, VendorFilter};

const PLACE: Option<NavItem> = Some(NavItem::Users);
const PATH: &str = "/operator/users";

/// The most vendors to choose from.
const MOST: u32 = 1000;

/// Lines of the audit log on a user's page.
const LAST_LINES: u32 = 20;

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows(PATH, operate, list),
        does(PATH, operate, create).after_password(),
        shows("/operator/users/new", operate, show_new),
        shows("/operator/users/{id}", operate, show),
        shows("/operator/users/{id}/{deed}", operate, ask),
        does("/operator/users/{id}/{deed}", operate, act).after_password(),
    ]
}

pub(crate) fn line(user: User, vendor: Option<String>) -> UserLine {
    let state = match (user.disabled, user.has_password) {
        (true, _) => UserState::Disabled,
        (false, true) => UserState::Active,
        (false, false) => UserState::Invited,
    };
    UserLine {
        id: user.id.to_string(),
        email: user.email,
        role: user.role,
        vendor,
        state,
        totp: user.has_factor,
        seen_at: user.seen_at,
    }
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (q, before) = (visit.query.get("q").trim(), visit.query.get("before"));
    let filter = UserFilter {
        email_has: q.to_owned(),
        before: UserId::parse(before),
        limit: LINES,
        ..UserFilter::default()
    };
    let users = panel.admin.accounts.users(&filter).await?;
    let last = users.last().map(|user| user.id.to_string());
    let older = older(PATH, last, users.len(), &[("q", q)]);
    let mut rows = Vec::with_capacity(users.len());
    for user in users {
        let vendor = vendor_name(&panel, user.vendor).await?;
        rows.push(line(user, vendor));
    }
    let page = Users { q: q.to_owned(), newer: newer(PATH, before, &[("q", q)]), older, rows };
    Ok(visit.page(&panel, PLACE, page))
}

async fn vendor_name(panel: &Panel, id: Option<VendorId>) -> Result<Option<String>, StoreError> {
    let Some(id) = id else { return Ok(None) };
    Ok(panel.directory.vendor(id).await?.map(|vendor| vendor.name.clone()))
}

async fn show_new(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let kept = drafts::typed(&panel, &visit);
    let typed = |name| kept.as_ref().map(|fields| fields.get(name).to_owned()).unwrap_or_default();
    let vendor = if kept.is_some() { typed("vendor") } else { visit.query.get("vendor").to_owned() };
    let usual = if vendor.is_empty() { Role::Operator } else { Role::VendorAdmin };
    let role = Role::parse(&typed("role")).unwrap_or(usual);
    new_page(&panel, &visit, typed("email"), role, vendor, Vec::new()).await
}

async fn new_page(
    panel: &Panel,
    visit: &Visit,
    email: String,
    role: Role,
    vendor: String,
    problems: Vec<NewUserProblem>,
) -> Answer {
    let filter = VendorFilter { limit: MOST, ..VendorFilter::default() };
    let found = panel.admin.accounts.find_vendors(&filter).await?;
    let mut vendors: Vec<VendorChoice> = found
        .into_iter()
        .map(|vendor| VendorChoice { id: vendor.summary.id.to_string(), name: vendor.summary.name })
        .collect();
    vendors.sort_by_key(|choice| choice.name.to_lowercase());
    let wrong = !problems.is_empty();
    let body = NewUser { email, role, vendor, vendors, problems };
    Ok(if wrong { visit.again(panel, PLACE, body) } else { visit.page(panel, PLACE, body) })
}

async fn create(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let typed = visit.form.get("email").to_owned();
    let role = Role::parse(visit.form.get("role")).ok_or(Refused::NotFound)?;
    let chosen = visit.form.get("vendor").to_owned();
    let vendor = match VendorId::parse(&chosen) {
        Some(id) => panel.admin.accounts.vendor(id).await?.map(|vendor| vendor.id),
        None => None,
    };
    let mut problems = Vec::new();
    let email = user::email(&typed).map_err(|_| problems.push(NewUserProblem::Email)).ok();
    if role.has_vendor() && vendor.is_none() {
        problems.push(NewUserProblem::VendorMissing);
    }
    if !role.has_vendor() && !chosen.is_empty() {
        problems.push(NewUserProblem::VendorTooMany);
    }
    let Some(email) = email.filter(|_| problems.is_empty()) else {
        return new_page(&panel, &visit, typed, role, chosen, problems).await;
    };
    let who = UserDraft { email: &email, role, vendor };
    match panel.invite(&visit.actor(), who, visit.language).await? {
        Some((id, link)) => Ok(invited(&panel, &visit, (id, email), LinkPurpose::Invitation, link)),
        None => new_page(&panel, &visit, typed, role, chosen, vec![NewUserProblem::EmailTaken]).await,
    }
}

fn invited(
    panel: &Panel,
    visit: &Visit,
    (id, email): (UserId, String),
    purpose: LinkPurpose,
    link: SentLink,
) -> Response {
    let page = InvitationPage {
        id: id.to_string(),
        email,
        purpose,
        link: link.url,
        until: link.until,
        of_team: false,
    };
    visit.page(panel, PLACE, page)
}

async fn find(panel: &Panel, id: &str) -> Result<User, Refused> {
    let id = UserId::parse(id).ok_or(Refused::NotFound)?;
    Ok(panel.admin.accounts.user(id).await?.ok_or(Refused::NotFound)?.user)
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let user = find(&panel, &id).await?;
    let vendor = vendor_name(&panel, user.vendor).await?;
    let filter = AuditFilter { actor: Some(user.email.clone()), limit: LAST_LINES, ..AuditFilter::default() };
    let log = panel.admin.accounts.audit(&filter).await?;
    let body = UserPage {
        created_at: user.created_at,
        sessions: panel.devices(user.id, Some(visit.known().login.id)).await?,
        is_self: user.id == visit.user().id,
        audit: panel.audit_lines(log).await?,
        line: line(user, vendor),
    };
    Ok(visit.page(&panel, PLACE, body))
}

async fn ask(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path((id, word)): Path<(String, String)>,
) -> Answer {
    let user = find(&panel, &id).await?;
    let confirmation = UserConfirmation::ALL
        .into_iter()
        .find(|confirmation| confirmation.word() == word)
        .ok_or(Refused::NotFound)?;
    let question = Question::User { confirmation, id: user.id.to_string(), email: user.email };
    Ok(visit.page(&panel, PLACE, question))
}

async fn act(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path((id, word)): Path<(String, String)>,
) -> Answer {
    let user = find(&panel, &id).await?;
    let (accounts, path) = (&panel.admin.accounts, format!("{PATH}/{}", user.id));
    let entry = |event| panel.admin.entry(&visit.actor(), event).with(user.id);
    // Users cannot lock themselves out.
    let own = user.id == visit.user().id && matches!(word.as_str(), "disable" | "totp-off");
    if own {
        return Ok(visit.forbidden(&panel));
    }
    let notice = match word.as_str() {
        "disable" => {
            let disabled =
                accounts.set_user_disabled(user.id, true, &entry(AuditEvent::UserDisabled)).await?;
            if disabled { FlashMessage::Disabled } else { FlashMessage::LastOperator }
        }
        "enable" => {
            accounts.set_user_disabled(user.id, false, &entry(AuditEvent::UserEnabled)).await?;
            FlashMessage::Enabled
        }
        "totp-off" => {
            accounts.drop_factor(user.id, &entry(AuditEvent::FactorOff)).await?;
            FlashMessage::TotpOff
        }
        "end-sessions" => {
            accounts.end_logins(user.id, None, &entry(AuditEvent::LoginsEnded)).await?;
            FlashMessage::SessionsEnded
        }
        "reset" => return reset(&panel, &visit, user).await,
        _ => return Err(Refused::NotFound),
    };
    Ok(done(&path, notice))
}

/// Makes a new link for a user, which is mailed or shown to the operator.
async fn reset(panel: &Panel, visit: &Visit, user: User) -> Answer {
    let purpose = if user.has_password { LinkPurpose::Reset } else { LinkPurpose::Invitation };
    let link = panel.send_link(&visit.actor(), (user.id, &user.email), purpose, visit.language).await?;
    Ok(invited(panel, visit, (user.id, user.email), purpose, link))
}
