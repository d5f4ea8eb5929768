//! The middleware before every route: identifies the visitor, checks access rights, and prevents CSRF.

use crate::{
    Access, Panel,
    cookies::Cookie,
    drafts,
    login::view::LoginEnd,
    pages::{Language, counted::UndeliveredCount},
    reauthentication,
    visit::{Visit, Visitor, go, had_login, with_cookie},
};
use axum::{
    body::{self, to_bytes},
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use subtle::ConstantTimeEq as _;
use till_domain::{
    audit::AuditEvent,
    environment::EnvironmentName,
    user::{self, Right, Role, User},
};
use till_service::web::{BodyNotRead, client_address, from_here};
use till_store::{Login, StoreError};

/// The interval at which a log-in's last activity is stored.
const TOUCH_EVERY: Duration = Duration::from_secs(60);

const MAX_FORM: usize = till_service::web::MAX_UPLOAD;

/// The pages that an operator without a required second factor may use: its set-up, and log-out.
const SET_UP: [&str; 3] = ["/panel/account/totp", "/panel/account/totp/confirm", "/panel/logout"];

/// The access requirements of a route.
#[derive(Debug, Clone, Copy)]
pub(super) struct RouteAccess {
    /// The pattern of its path. It is logged instead of the path itself, whose parts can be secret.
    pub(super) path: &'static str,
    pub(super) access: Access,
    pub(super) needs_password: fn(&Visit) -> bool,
}

pub(super) async fn check(
    State((panel, gate)): State<(Arc<Panel>, RouteAccess)>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    let peer = peer.unwrap_or_else(|| std::net::Ipv4Addr::UNSPECIFIED.into());
    let address = client_address(peer, &parts.headers, &panel.trusted_proxies);
    let too_large = parts.extensions.get::<BodyNotRead>().is_some();
    let form = to_bytes(body, MAX_FORM).await.unwrap_or_default();
    let mut visit = Visit::new(&parts, address, form).await;
    if let Some(response) = change_language(&parts.method, &visit, panel.secure) {
        return response;
    }
    match visitor(&panel, &visit).await {
        Ok(visitor) => visit.visitor = visitor,
        Err(error) => return visit.trouble(&panel, &error),
    }
    if let Some(refusal) = refuse(&panel, gate, &parts.method, &visit, too_large) {
        return refusal;
    }
    if let Some(form) = reauthentication::form_before(&panel, &visit) {
        visit.form = form;
    }
    let mut confirmed = None;
    if (gate.needs_password)(&visit) && !reauthentication::is_recent(&panel, &visit) {
        match reauthentication::ask(&panel, &parts.method, &visit).await {
            Ok(cookie) => confirmed = Some(cookie),
            Err(page) => return *page,
        }
    }
    count_waiting(&panel, &mut visit).await;
    let filled = drafts::typed_before(&panel, &visit);
    parts.extensions.insert(visit.clone());
    let response = next.run(Request::from_parts(parts, body::Body::empty())).await;
    let response = visit.finish(&panel, response);
    let kept = filled.then(|| Cookie::Kept.clear(panel.secure));
    kept.into_iter().chain(confirmed).fold(response, with_cookie)
}

/// Counts what waits for the user, for the navigation.
async fn count_waiting(panel: &Panel, visit: &mut Visit) {
    let Some(visitor) = &visit.visitor else { return };
    let vendor = visitor.vendor.as_deref().filter(|_| visitor.user.role.has_vendor() && !is_poll(visit));
    if let Some(vendor) = vendor {
        let store = &panel.vendor_environment(vendor).store;
        let found = store.undelivered_up_to(vendor.id, UndeliveredCount::LOOK_FOR).await;
        visit.undelivered = UndeliveredCount::new(found.unwrap_or(0));
    }
    if visitor.user.role == Role::Operator {
        visit.open_requests = panel.admin.accounts.open_sandbox_requests().await.unwrap_or(0);
        let store = &panel.environment(EnvironmentName::Live).store;
        if let Some(ledger) = store.ledger() {
            visit.open_payouts = ledger.open_payouts().await.unwrap_or(0);
        }
        visit.open_refunds = store.refunds().by_hand_count().await.unwrap_or(0);
        visit.open_actions = store.open_actions().await.map_or(0, |count| count.try_into().unwrap_or(0));
    }
}

/// The answer to a visit that is refused; `None` if it may continue.
fn refuse(
    panel: &Panel,
    RouteAccess { path, access, .. }: RouteAccess,
    method: &Method,
    visit: &Visit,
    too_large: bool,
) -> Option<Response> {
    let changes = *method == Method::POST;
    let forbidden = |why: &str| {
        let about = visit.visitor.as_ref().map(|visitor| visitor.user.id);
        let detail = format!("{method} {path}: {why}");
        panel.note_refusal(AuditEvent::AccessRefused, (visit.actor(), visit.address), about, &detail);
        Some(visit.forbidden(panel))
    };
    if changes && !from_here(&visit.headers) {
        return forbidden("the form is from another site");
    }
    // Large bodies of senders that are not logged in are not read.
    let Some(visitor) = &visit.visitor else {
        return match access {
            Access::Open => too_large.then(|| visit.too_large(panel)),
            _ => Some(to_login(panel, method, visit)),
        };
    };
    if too_large {
        return Some(visit.too_large(panel));
    }
    if access == Access::Open {
        return None;
    }
    if changes && !bool::from(visit.form.get("csrf").as_bytes().ct_eq(visitor.csrf.as_bytes())) {
        return forbidden("the form is not from this log-in");
    }
    let set_up = panel.operator_totp && visitor.user.role == Role::Operator && !visitor.user.has_factor;
    if set_up && !SET_UP.contains(&visit.path.as_str()) {
        return Some(go(SET_UP[0]));
    }
    match access {
        Access::May(right) if !may(visitor, right) => forbidden("the role does not allow it"),
        _ => None,
    }
}

/// True if the role has the right and a vendor to use it on. A disabled vendor cannot be managed.
fn may(visitor: &Visitor, right: Right) -> bool {
    if right == Right::RunVendor && visitor.vendor.as_ref().is_some_and(|vendor| vendor.disabled) {
        return false;
    }
    let has_vendor = visitor.vendor.is_some() || !matches!(right, Right::SeeVendor | Right::RunVendor);
    visitor.user.role.may(right) && has_vendor
}

/// True for requests that a script repeats by itself (polling).
fn is_poll(visit: &Visit) -> bool {
    visit.path.ends_with("/news")
}

/// Redirects to the log-in, and from there back to the requested page, or to the page of the form that was
/// sent.
fn to_login(panel: &Panel, method: &Method, visit: &Visit) -> Response {
    // The cookie stays, so that the next click tells the user that the log-in ended.
    if *method == Method::GET && is_poll(visit) {
        return (StatusCode::UNAUTHORIZED, [(header::CACHE_CONTROL, "no-store")]).into_response();
    }
    let secure = panel.secure;
    let mut ended = had_login(&visit.headers, secure).then_some(LoginEnd::Plain);
    let (mut next, mut typed) = (visit.own_path(), None);
    if *method == Method::POST && visit.path != "/panel/logout" {
        let back = drafts::back(panel, visit);
        (next, typed, ended) = (back.next, back.cookie, Some(back.ended));
    }
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    if visit.path != "/panel/logout" {
        query.append_pair("next", &next);
    }
    if let Some(ended) = ended {
        query.append_pair("ended", ended.word());
    }
    let mut response = go(&format!("/panel/login?{}", query.finish()));
    if had_login(&visit.headers, secure) {
        response = with_cookie(response, Cookie::Login.clear(secure));
    }
    typed.into_iter().fold(response, with_cookie)
}

impl Panel {
    /// Returns true when the browser that sends these headers is logged in.
    pub async fn is_logged_in(&self, headers: &HeaderMap) -> bool {
        // A store error counts as logged in; the page itself then reports the error.
        !matches!(logged_in(self, headers).await, Ok(None))
    }
}

/// The user and the log-in of a browser, with the CSRF token of its forms.
async fn logged_in(panel: &Panel, headers: &HeaderMap) -> Result<Option<(User, Login, String)>, StoreError> {
    let Some(token) = Cookie::Login.of(headers, panel.secure) else { return Ok(None) };
    let accounts = &panel.admin.accounts;
    let mut found = None;
    // A log-in stays with the key that it was opened with, so that its forms stay valid while the key is rotated.
    for keys in panel.admin.vault.keys() {
        if let Some(login) = accounts.login(&keys.browser_token_check("login", token.as_bytes())).await? {
            found = Some((login, hex::encode(keys.browser_token_check("csrf", token.as_bytes()))));
            break;
        }
    }
    let Some((login, csrf)) = found else { return Ok(None) };
    let Some(known) = accounts.user(login.user).await? else { return Ok(None) };
    let stays = user::still_logged_in(login.created_at, login.seen_at, accounts.now());
    Ok((!known.user.disabled && stays).then_some((known.user, login, csrf)))
}

/// The visitor logged in with this browser, with their current data.
async fn visitor(panel: &Panel, visit: &Visit) -> Result<Option<Visitor>, StoreError> {
    let Some((user, login, csrf)) = logged_in(panel, &visit.headers).await? else { return Ok(None) };
    let accounts = &panel.admin.accounts;
    let now = accounts.now();
    // Polling by a script does not count as activity of the user.
    if now.since(login.seen_at) >= TOUCH_EVERY && !is_poll(visit) {
        accounts.touch_login(&login).await?;
    }
    let vendor = match user.vendor {
        Some(id) => panel.directory.vendor(id).await?,
        None => None,
    };
    Ok(Some(Visitor { user, login, csrf, vendor }))
}

/// Stores a chosen language in a cookie, and redirects to the page.
fn change_language(method: &Method, visit: &Visit, secure: bool) -> Option<Response> {
    if *method != Method::GET {
        return None;
    }
    let chosen = Language::parse(visit.query.get(Language::NAME))?;
    let secure = if secure { "; Secure" } else { "" };
    let cookie = format!(
        "{}={}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly{secure}",
        Language::NAME,
        chosen.word()
    );
    let mut response = go(&visit.own_path());
    response.headers_mut().insert(header::SET_COOKIE, HeaderValue::from_str(&cookie).ok()?);
    Some(response)
}
