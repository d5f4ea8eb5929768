//! Turns a page into a response: status, language, headers, and compression if the browser accepts it.

use super::{
    CheckoutState,
    pages::{Body, CheckoutPage, Frame, Language, Shop},
};
use axum::{
    Extension,
    extract::{ConnectInfo, FromRequestParts, RawQuery},
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use std::{
    convert::Infallible,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};
use till_domain::{attempt::Origins, session::Session, vendor::Vendor};
use till_service::{
    environment::{FROM_BANK, RequestId},
    telemetry::explain,
    web::{assets, client_address, from_here, log_store_trouble},
};
use till_store::StoreError;

/// The content security policy. A form may be answered with a redirect to a provider's page, so `form-action`
/// allows more than our own origin.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; form-action 'self' https:; base-uri 'none'; frame-ancestors 'none'";

/// The content security policy of a page: with a provider's form in it, the origins that the form needs are
/// added.
fn policy(body: &Body) -> HeaderValue {
    let plain = HeaderValue::from_static(CONTENT_SECURITY_POLICY);
    let text = match body {
        Body::Embedded(view) => opened(&view.origins),
        // Browsers apply `form-action` also to the target of a redirect after a form: a shop may be without
        // https.
        Body::Leave(view) => CONTENT_SECURITY_POLICY
            .replace("form-action 'self'", &format!("form-action 'self' {}", view.origin)),
        _ => return plain,
    };
    HeaderValue::from_str(&text).unwrap_or(plain)
}

/// The policy with the origins that a form needs, each only for its purpose.
fn opened(origins: &Origins) -> String {
    let list = |texts: &[String]| -> String {
        texts.iter().filter_map(|text| origin(text)).map(|origin| format!(" {origin}")).collect()
    };
    let (scripts, frames) = (list(&origins.scripts), list(&origins.frames));
    let frames = if frames.is_empty() { String::new() } else { format!("; frame-src{frames}") };
    let connections = list(&origins.connections);
    CONTENT_SECURITY_POLICY
        .replace("script-src 'self'", &format!("script-src 'self'{scripts}{frames}"))
        .replace("connect-src 'self'", &format!("connect-src 'self'{connections}"))
}

/// The ASCII serialization of an https origin; `None` for anything else.
fn origin(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok().filter(|url| url.scheme() == "https")?;
    let plain = url.origin().ascii_serialization();
    let harmless = |c: char| c.is_ascii_alphanumeric() || ".-:/*".contains(c);
    plain.chars().all(harmless).then_some(plain)
}

/// The parts of a request that a page depends on.
#[derive(Debug, Clone)]
pub(super) struct Visit {
    /// The language that the user chose, now or before.
    own_language: Option<Language>,
    /// The language that the browser asks for, if the pages exist in it.
    accepted_language: Option<Language>,
    /// The language just chosen by the query.
    pub(super) chosen: Option<Language>,
    wants: Wants,
    /// True if a form was sent from another origin.
    pub(super) foreign: bool,
    /// The address of the client.
    pub(super) address: IpAddr,
    pub(super) request_id: String,
    headers: HeaderMap,
}

/// What the query of a session's page asks for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wants {
    /// The choice of methods, although one was chosen.
    pub(super) methods: bool,
    /// The customer comes back from the provider's page.
    pub(super) from_bank: bool,
    /// The tester's choice has just happened.
    pub(super) done: bool,
}

impl Wants {
    fn read(query: &str) -> Self {
        let mut wants = Self::default();
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            wants.methods |= name == "methods";
            wants.done |= name == "done";
            wants.from_bank |= name == "from" && value == "bank";
        }
        wants
    }

    /// The query that keeps this for the next page.
    pub(super) fn query(self) -> &'static str {
        if self.from_bank { FROM_BANK } else { "" }
    }
}

impl FromRequestParts<Arc<CheckoutState>> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        checkout: &Arc<CheckoutState>,
    ) -> Result<Self, Infallible> {
        let RawQuery(query) = RawQuery::from_request_parts(parts, checkout).await?;
        let query = query.unwrap_or_default();
        let chosen = url::form_urlencoded::parse(query.as_bytes())
            .find(|(name, _)| name == Language::NAME)
            .and_then(|(_, word)| Language::parse(&word));
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        let peer = peer.unwrap_or_else(|| Ipv4Addr::UNSPECIFIED.into());
        let id = Extension::<RequestId>::from_request_parts(parts, checkout).await;
        let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        Ok(Self {
            own_language: Language::chosen(chosen.map(Language::word), text(header::COOKIE)),
            accepted_language: text(header::ACCEPT_LANGUAGE).and_then(Language::from_accept),
            chosen,
            wants: Wants::read(&query),
            foreign: !from_here(&parts.headers),
            address: client_address(peer, &parts.headers, &checkout.cashier.environment().trusted_proxies),
            request_id: id.map(|Extension(id)| id.as_str().to_owned()).unwrap_or_default(),
            headers: parts.headers.clone(),
        })
    }
}

impl Visit {
    pub(super) fn wants(&self) -> Wants {
        self.wants
    }

    /// The language of a page without a session: the user's, else the browser's, else the shop's, else English.
    pub(super) fn language(&self, shop: Option<&str>) -> Language {
        let wanted = self.own_language.or(self.accepted_language);
        wanted.or_else(|| shop.and_then(Language::parse)).unwrap_or(Language::English)
    }

    /// The language of a session's page. The vendor may have said which one the customer speaks; what the customer
    /// chose on a page counts more, what the browser asks for less.
    pub(super) fn language_of(&self, session: &Session, vendor: &Vendor) -> Language {
        let said = session.customer.locale.as_deref().and_then(Language::from_tag);
        self.own_language.or(said).unwrap_or_else(|| self.language(vendor.settings.language.as_deref()))
    }

    /// A page without a session.
    pub(super) fn plain(&self, checkout: &CheckoutState, status: StatusCode, body: Body) -> Response {
        let frame = Frame {
            language: self.language(None),
            path: String::new(),
            banner: checkout.banner(),
            shop: None::<Shop>,
            live: false,
            from_bank: false,
            operator: checkout.operator.clone(),
        };
        self.page(status, &CheckoutPage { frame, body })
    }

    pub(super) fn page(&self, status: StatusCode, page: &CheckoutPage) -> Response {
        let (html, encoding) = assets::pack(page.render(), &self.headers);
        let mut response = (status, html).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(page.frame.language.word()));
        headers.insert(header::VARY, HeaderValue::from_static("accept-language, cookie, accept-encoding"));
        headers.insert(header::CONTENT_SECURITY_POLICY, policy(&page.body));
        headers.insert("cross-origin-opener-policy", HeaderValue::from_static(opener_policy(&page.body)));
        // Browsers send the origin of a form only if the referrer policy allows it for our own origin.
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        if let Some(encoding) = encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    }

    /// The page for an error of ours, without any detail.
    pub(super) fn trouble(&self, checkout: &CheckoutState, error: &StoreError) -> Response {
        let status = match error {
            StoreError::Corrupt(_) => {
                // Logged every time: the page tells the customer to quote this request.
                tracing::error!(error = explain(error), "a checkout page failed");
                StatusCode::INTERNAL_SERVER_ERROR
            }
            StoreError::Held => StatusCode::SERVICE_UNAVAILABLE,
            _ => {
                log_store_trouble(error);
                StatusCode::SERVICE_UNAVAILABLE
            }
        };
        self.plain(checkout, status, Body::Error { reference: self.request_id.clone() })
    }
}

/// The `Cross-Origin-Opener-Policy`: strict, unless a provider's form opens a window of its own.
fn opener_policy(body: &Body) -> &'static str {
    match body {
        Body::Embedded(_) => "same-origin-allow-popups",
        _ => "same-origin",
    }
}

/// Redirects the browser, after a form too; the answer is not cached.
pub(super) fn go(location: &str) -> Response {
    let location = HeaderValue::from_str(location).ok().or_else(|| {
        let plain = url::Url::parse(location).ok()?;
        HeaderValue::from_str(plain.as_str()).ok()
    });
    let Some(location) = location else { return StatusCode::NOT_FOUND.into_response() };
    let no_store = HeaderValue::from_static("no-store");
    (StatusCode::SEE_OTHER, [(header::LOCATION, location), (header::CACHE_CONTROL, no_store)]).into_response()
}

/// A redirect that stores the chosen language in a cookie.
pub(super) fn go_in_language(checkout: &CheckoutState, path: &str, language: Language) -> Response {
    let mut response = go(path);
    let secure = checkout.cashier.environment().checkout_url.starts_with("https://");
    let secure = if secure { "; Secure" } else { "" };
    let name = Language::NAME;
    let cookie =
        format!("{name}={}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly{secure}", language.word());
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::{CONTENT_SECURITY_POLICY, opened, origin};
    use till_domain::attempt::Origins;

    #[test]
    fn a_form_opens_what_it_needs_and_for_nothing_else() {
        assert_eq!(opened(&Origins::default()), CONTENT_SECURITY_POLICY);
        let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
        let origins = Origins {
            scripts: texts(&["https://js.example", "http://plain.example"]),
            frames: texts(&["https://js.example", "https://bank.example/page"]),
            connections: texts(&["https://api.example"]),
        };
        assert_eq!(
            opened(&origins),
            "default-src 'none'; script-src 'self' https://js.example; \
             frame-src https://js.example https://bank.example; style-src 'self'; img-src 'self' data:; \
             connect-src 'self' https://api.example; form-action 'self' https:; base-uri 'none'; \
             frame-ancestors 'none'"
        );
    }

    #[test]
    fn an_origin_of_a_provider_cannot_widen_the_policy_otherwise() {
        for (text, expected) in [
            ("https://js.example.com", Some("https://js.example.com")),
            ("https://js.example.com:8443/v3?x=1", Some("https://js.example.com:8443")),
            ("https://*.example.com", Some("https://*.example.com")),
            ("http://js.example.com", None),
            ("https://a.example; script-src *", None),
            ("'unsafe-inline'", None),
            ("*", None),
            ("data:", None),
        ] {
            assert_eq!(origin(text).as_deref(), expected, "{text}");
        }
    }
}
