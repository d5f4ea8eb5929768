//! One request to the panel: its visitor, address, language and form, and the answers to it.

use crate::{
    Panel,
    cookies::Cookie,
    page_of,
    pages::{
        self, FlashMessage, Frame, Language, NavItem, PanelPage, RefusalPage, TroublePage, View, Viewer,
        Zone, counted::UndeliveredCount,
    },
};
use axum::{
    Extension,
    body::Bytes,
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use std::{convert::Infallible, net::IpAddr, sync::Arc};
use till_domain::{
    audit::Actor,
    id::{FormId, VendorId},
    time::TimeZone,
    user::User,
    vendor::Vendor,
};
use till_service::{
    environment::RequestId,
    random,
    web::{assets, log_store_trouble, multipart},
};
use till_store::{Login, StoreError};

const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The most fields of a form that are read: a set-up of many chains has hundreds.
const MAX_FIELDS: usize = 2_000;

/// A logged-in user.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    pub(super) user: User,
    pub(super) login: Login,
    /// The CSRF token of forms.
    pub(super) csrf: String,
    /// The vendor they belong to.
    pub(super) vendor: Option<Arc<Vendor>>,
}

#[derive(Debug, Clone)]
pub(super) struct Visit {
    pub(super) visitor: Option<Visitor>,
    pub(super) language: Language,
    pub(super) address: IpAddr,
    pub(super) path: String,
    is_form: bool,
    pub(super) query: Fields,
    pub(super) form: Fields,
    /// The file that came with the form, if one was chosen.
    pub(super) file: Option<Bytes>,
    pub(super) headers: Arc<HeaderMap>,
    /// Open sandbox requests (counted for operators).
    pub(super) open_requests: u64,
    /// Actions that wait for a decision (counted for operators).
    pub(super) open_actions: u64,
    /// Payouts that wait for an operator (counted for operators).
    pub(super) open_payouts: u64,
    /// Refunds to be sent by hand (counted for operators).
    pub(super) open_refunds: u64,
    /// Undelivered callbacks (counted for users of a vendor).
    pub(super) undelivered: UndeliveredCount,
    request_id: String,
}

/// Names and values of a form or a query.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields(Arc<[(String, String)]>);

impl Fields {
    pub(super) fn parse(text: &[u8]) -> Self {
        let pairs = url::form_urlencoded::parse(text).take(MAX_FIELDS);
        // Valid text contains no U+0000, and one of the database engines cannot store it.
        Self(pairs.map(|(name, value)| (name.into_owned(), value.replace('\0', ""))).collect())
    }

    /// The text fields and the file of a multipart form.
    async fn parse_parts(body: Bytes, boundary: &str) -> (Self, Option<Bytes>) {
        let (files, texts): (Vec<_>, Vec<_>) =
            multipart::parts(body, boundary).await.into_iter().partition(|part| part.is_file);
        let text =
            |part: multipart::Part| (part.name, String::from_utf8_lossy(&part.content).replace('\0', ""));
        let file = files.into_iter().next().map(|part| part.content);
        (Self(texts.into_iter().map(text).collect()), file)
    }

    /// The same fields without some, and those of another form after them.
    pub(super) fn merged(&self, without: &[&str], other: &Self) -> Self {
        let kept = self.pairs().filter(|(name, _)| !without.contains(&name.as_str()));
        Self(kept.chain(other.pairs()).cloned().collect())
    }

    /// The value of a field; empty if it is missing.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// All fields, in the order in which they were sent.
    pub(super) fn pairs(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }

    /// All values of a field.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// True if a checkbox is ticked.
    pub(super) fn ticked(&self, name: &str) -> bool {
        !self.get(name).is_empty()
    }
}

impl Visit {
    /// The data of the request itself; the visitor is filled in later.
    pub(super) async fn new(parts: &Parts, address: IpAddr, form: Bytes) -> Self {
        let query = Fields::parse(parts.uri.query().unwrap_or_default().as_bytes());
        let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let chosen = Language::parse(query.get(Language::NAME)).map(Language::word);
        let (form, file) = match text(header::CONTENT_TYPE).and_then(multipart::boundary) {
            Some(boundary) => Fields::parse_parts(form, &boundary).await,
            None => (Fields::parse(&form), None),
        };
        Self {
            visitor: None,
            language: Language::choose(chosen, text(header::COOKIE), text(header::ACCEPT_LANGUAGE)),
            address,
            path: parts.uri.path().to_owned(),
            is_form: parts.method == Method::POST,
            query,
            form,
            file,
            headers: Arc::new(parts.headers.clone()),
            open_requests: 0,
            open_actions: 0,
            open_payouts: 0,
            open_refunds: 0,
            undelivered: UndeliveredCount::default(),
            request_id: parts
                .extensions
                .get::<RequestId>()
                .map(|id| id.as_str().to_owned())
                .unwrap_or_default(),
        }
    }

    /// The logged-in user. Only for routes whose access requires a log-in.
    pub(super) fn user(&self) -> &User {
        &self.known().user
    }

    /// The logged-in user with the log-in. Only for routes whose access requires one.
    pub(super) fn known(&self) -> &Visitor {
        self.visitor.as_ref().unwrap_or_else(|| unreachable!("the guard lets nobody else through"))
    }

    /// The vendor of the user. Only for routes whose access requires one.
    pub(super) fn vendor(&self) -> &Arc<Vendor> {
        self.known().vendor.as_ref().unwrap_or_else(|| unreachable!("the guard lets nobody else through"))
    }

    /// The vendor, if its users work in the sandbox now: for pages that live does not have.
    pub(super) fn sandbox_vendor(&self) -> Result<&Arc<Vendor>, Refused> {
        Some(self.vendor()).filter(|vendor| vendor.sandbox).ok_or(Refused::NotFound)
    }

    pub(super) fn vendor_id(&self) -> VendorId {
        self.vendor().id
    }

    /// The actor for the audit log.
    pub(super) fn actor(&self) -> Actor {
        let user = self.visitor.as_ref().map(|visitor| &visitor.user);
        Actor {
            user: user.map(|user| user.id),
            name: user.map_or_else(|| "stranger".to_owned(), |user| user.email.clone()),
            address: Some(self.address.to_string()),
            form: FormId::parse(self.form.get("once")),
        }
    }

    /// The address of the page that is shown: the address that a form posts to cannot always be opened.
    fn page_path(&self, place: Option<NavItem>) -> String {
        match place {
            _ if !self.is_form => self.own_path(),
            Some(place) => pages::path(place).to_owned(),
            None => page_of(&self.path),
        }
    }

    /// The address of this visit, without the parameters of the language and of the notice.
    pub(super) fn own_path(&self) -> String {
        let kept = self.query.0.iter().filter(|(name, _)| name != Language::NAME && name != "done");
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish();
        if query.is_empty() { self.path.clone() } else { format!("{}?{query}", self.path) }
    }

    /// The zone in which times are shown: the one that the user chose, or that of their vendor.
    pub(super) fn zone(&self) -> TimeZone {
        let chosen = self.visitor.as_ref().and_then(|visitor| visitor.user.time_zone.clone());
        chosen.unwrap_or_else(|| self.usual_zone())
    }

    /// The zone of users who chose none.
    pub(super) fn usual_zone(&self) -> TimeZone {
        let vendor = self.visitor.as_ref().and_then(|visitor| visitor.vendor.as_deref());
        vendor.and_then(|vendor| vendor.settings.time_zone.clone()).unwrap_or_else(TimeZone::utc)
    }

    fn frame(&self, panel: &Panel, place: Option<NavItem>) -> Frame {
        let vendor = self.visitor.as_ref().and_then(|visitor| visitor.vendor.as_deref());
        Frame {
            language: self.language,
            zone: Zone::named(self.zone()),
            now: panel.now(),
            path: self.page_path(place),
            csrf: self.visitor.as_ref().map(|visitor| visitor.csrf.clone()).unwrap_or_default(),
            once: random::id::<FormId>(panel.now()).to_string(),
            who: self.visitor.as_ref().map(|visitor| Viewer {
                email: visitor.user.email.clone(),
                role: visitor.user.role,
                vendor: vendor.map(|vendor| vendor.name.clone()),
            }),
            place,
            sandbox_banner: vendor.is_some_and(|vendor| vendor.sandbox),
            live_payments: panel.live_payments(),
            notice: FlashMessage::parse(self.query.get("done")),
            open_requests: self.open_requests,
            open_actions: self.open_actions,
            open_payouts: self.open_payouts,
            open_refunds: self.open_refunds,
            undelivered: self.undelivered,
        }
    }

    pub(super) fn page(&self, panel: &Panel, place: Option<NavItem>, body: impl View + 'static) -> Response {
        self.answer(panel, StatusCode::OK, place, body)
    }

    /// A page shown again because of problems with the submitted form.
    pub(super) fn again(&self, panel: &Panel, place: Option<NavItem>, body: impl View + 'static) -> Response {
        self.answer(panel, StatusCode::UNPROCESSABLE_ENTITY, place, body)
    }

    /// A page with its HTTP status.
    pub(super) fn answer(
        &self,
        panel: &Panel,
        status: StatusCode,
        place: Option<NavItem>,
        body: impl View + 'static,
    ) -> Response {
        let page = PanelPage { frame: self.frame(panel, place), body: Box::new(body) };
        let (html, encoding) = assets::pack(page.render(), &self.headers);
        let mut response = (status, html).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(self.language.word()));
        headers.insert(header::VARY, HeaderValue::from_static("accept-language, cookie, accept-encoding"));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY));
        headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
        // Over http, `no-referrer` would make browsers hide the origin of forms even from us, and the CSRF
        // check needs it.
        if !panel.secure {
            headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        }
        if let Some(encoding) = encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    }

    pub(super) fn forbidden(&self, panel: &Panel) -> Response {
        self.answer(panel, StatusCode::FORBIDDEN, None, RefusalPage::Forbidden)
    }

    pub(super) fn not_found(&self, panel: &Panel) -> Response {
        self.answer(panel, StatusCode::NOT_FOUND, None, RefusalPage::NotFound)
    }

    /// The answer to a body that is too large to be read.
    pub(super) fn too_large(&self, panel: &Panel) -> Response {
        self.answer(panel, StatusCode::PAYLOAD_TOO_LARGE, None, RefusalPage::TooLarge)
    }

    /// The answer to an internal error, without any detail.
    pub(super) fn trouble(&self, panel: &Panel, error: &dyn std::error::Error) -> Response {
        log_store_trouble(error);
        let body = TroublePage { reference: self.request_id.clone() };
        self.answer(panel, StatusCode::SERVICE_UNAVAILABLE, None, body)
    }
}

/// An answer, or the reason why there is none.
pub(super) type Answer = Result<Response, Refused>;

/// The reason why a handler does not answer. The guard turns it into a page.
#[derive(Debug, Clone)]
pub(super) enum Refused {
    /// It does not exist for this visitor.
    NotFound,
    /// The form was sent before; nothing was done again.
    Repeated,
    Trouble(Arc<dyn std::error::Error + Send + Sync>),
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Trouble(Arc::new(error))
    }
}

impl From<till_service::admin::AdminError> for Refused {
    fn from(error: till_service::admin::AdminError) -> Self {
        match error {
            till_service::admin::AdminError::NoVendor => Self::NotFound,
            till_service::admin::AdminError::Repeated => Self::Repeated,
            error => Self::Trouble(Arc::new(error)),
        }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, Extension(self)).into_response()
    }
}

impl Visit {
    /// Turns a handler's refusal into a page.
    pub(super) fn finish(&self, panel: &Panel, mut response: Response) -> Response {
        match response.extensions_mut().remove() {
            None => response,
            Some(Refused::NotFound) => self.not_found(panel),
            Some(Refused::Repeated) => done(&page_of(&self.path), FlashMessage::Repeated),
            Some(Refused::Trouble(error)) => self.trouble(panel, error.as_ref()),
        }
    }
}

impl Visit {
    /// The visit that the guard let through.
    fn of(parts: &Parts) -> Self {
        let visit = parts.extensions.get().cloned();
        visit.unwrap_or_else(|| unreachable!("the guard stands before every route"))
    }
}

impl FromRequestParts<Arc<Panel>> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Panel>) -> Result<Self, Infallible> {
        Ok(Self::of(parts))
    }
}

/// The visit of a vendor in live mode; in the sandbox, the page that says that the sandbox has no such
/// feature.
pub(super) fn live(
    parts: &Parts,
    panel: &Panel,
    otherwise: impl View + 'static,
) -> Result<Visit, Box<Response>> {
    let visit = Visit::of(parts);
    if !visit.vendor().sandbox {
        return Ok(visit);
    }
    let status = if parts.method == Method::GET { StatusCode::OK } else { StatusCode::CONFLICT };
    Err(Box::new(visit.answer(panel, status, None, otherwise)))
}

/// Redirects the browser (303 See Other).
pub(super) fn go(path: &str) -> Response {
    let location = HeaderValue::from_str(path).unwrap_or_else(|_| HeaderValue::from_static("/panel"));
    let headers =
        [(header::LOCATION, location), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (StatusCode::SEE_OTHER, headers).into_response()
}

/// Redirects the browser to a page with a notice.
pub(super) fn done(path: &str, notice: FlashMessage) -> Response {
    go(&format!("{path}?done={}", notice.word()))
}

/// Adds a cookie to an answer.
pub(super) fn with_cookie(mut response: Response, cookie: HeaderValue) -> Response {
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}

/// The path to redirect to, if it is ours (no open redirect).
pub(super) fn safe_next(next: &str) -> Option<&str> {
    let ours = ["/panel", "/operator"].iter().any(|start| {
        next.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
    });
    let plain = next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    (ours && plain && next.len() <= 500).then_some(next)
}

/// True if the browser sent a log-in cookie, valid or not.
pub(super) fn had_login(headers: &HeaderMap, secure: bool) -> bool {
    Cookie::Login.of(headers, secure).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_ours_are_gone_on_to() {
        for ours in ["/panel", "/panel/settings", "/operator/vendors?q=x", "/panel?x=1"] {
            assert_eq!(safe_next(ours), Some(ours));
        }
        for other in
            ["", "/", "//evil.example", "/panel.evil", "https://evil.example", "/panel\\evil", "/panel/\n"]
        {
            assert_eq!(safe_next(other), None, "{other:?}");
        }
    }
}
