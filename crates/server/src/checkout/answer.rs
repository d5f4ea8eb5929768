//! A page as an answer: status, language, headers, and fewer bytes for whoever takes them.

use super::{
    Counter,
    pages::{Body, Frame, Language, Page, Shop},
};
use crate::{
    environment::RequestId,
    telemetry::explain,
    web::{assets, client_address, from_here, log_store_trouble},
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
use till_domain::attempt::Origins;
use till_store::StoreError;

/// Forms may be answered with a redirect to a provider's page, so these are not only our own.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; form-action 'self' https:; base-uri 'none'; frame-ancestors 'none'";

/// The policy of a page: with a provider's form in it, that provider may load what the form needs.
fn policy(body: &Body) -> HeaderValue {
    let plain = HeaderValue::from_static(CONTENT_SECURITY_POLICY);
    let text = match body {
        Body::Embedded(view) => opened(&view.origins),
        // A browser asks the policy also about where a form's answer leads: a shop may be without https.
        Body::Leave(view) => CONTENT_SECURITY_POLICY
            .replace("form-action 'self'", &format!("form-action 'self' {}", view.origin)),
        _ => return plain,
    };
    HeaderValue::from_str(&text).unwrap_or(plain)
}

/// The policy, opened to what a form needs and for what it needs it.
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

/// An https origin in its plain form; nothing for anything else, whatever it contains.
fn origin(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok().filter(|url| url.scheme() == "https")?;
    let plain = url.origin().ascii_serialization();
    let harmless = |c: char| c.is_ascii_alphanumeric() || ".-:/*".contains(c);
    plain.chars().all(harmless).then_some(plain)
}

/// What a page needs to know of its request.
#[derive(Debug, Clone)]
pub(super) struct Visit {
    /// The language that the browser or its user asks for, if there is one like that.
    asked: Option<Language>,
    /// The word of a language that was just chosen.
    pub(super) chosen: Option<Language>,
    /// Whether the choice of methods is wanted although one was chosen.
    pub(super) methods: bool,
    /// Whether a form came from somewhere else.
    pub(super) foreign: bool,
    /// Where the request came from.
    pub(super) address: IpAddr,
    pub(super) request_id: String,
    headers: HeaderMap,
}

impl FromRequestParts<Arc<Counter>> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, counter: &Arc<Counter>) -> Result<Self, Infallible> {
        let RawQuery(query) = RawQuery::from_request_parts(parts, counter).await?;
        let query = query.unwrap_or_default();
        let chosen = url::form_urlencoded::parse(query.as_bytes())
            .find(|(name, _)| name == Language::NAME)
            .and_then(|(_, word)| Language::parse(&word));
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        let peer = peer.unwrap_or_else(|| Ipv4Addr::UNSPECIFIED.into());
        let id = Extension::<RequestId>::from_request_parts(parts, counter).await;
        let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let asked =
            Language::asked(chosen.map(Language::word), text(header::COOKIE), text(header::ACCEPT_LANGUAGE));
        Ok(Self {
            asked,
            chosen,
            methods: url::form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "methods"),
            foreign: !from_here(&parts.headers),
            address: client_address(peer, &parts.headers, &counter.cashier.environment().trusted_proxies),
            request_id: id.map(|Extension(id)| id.as_str().to_owned()).unwrap_or_default(),
            headers: parts.headers.clone(),
        })
    }
}

impl Visit {
    /// The language to speak: what is asked for, else the shop's own, else English.
    pub(super) fn language(&self, shop: Option<&str>) -> Language {
        self.asked.or_else(|| shop.and_then(Language::parse)).unwrap_or(Language::English)
    }

    /// A page without a session.
    pub(super) fn plain(&self, counter: &Counter, status: StatusCode, body: Body) -> Response {
        let frame = Frame {
            language: self.language(None),
            path: String::new(),
            tape: counter.tape(),
            shop: None::<Shop>,
            live: false,
        };
        self.page(status, &Page { frame, body })
    }

    pub(super) fn page(&self, status: StatusCode, page: &Page) -> Response {
        let (html, encoding) = assets::pack(page.render(), &self.headers);
        let mut response = (status, html).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(page.frame.language.word()));
        headers.insert(header::VARY, HeaderValue::from_static("accept-language, cookie, accept-encoding"));
        headers.insert(header::CONTENT_SECURITY_POLICY, policy(&page.body));
        headers.insert("cross-origin-opener-policy", HeaderValue::from_static(opener_policy(&page.body)));
        // A browser says where a form comes from only if it may say so to ourselves.
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        if let Some(encoding) = encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    }

    /// Our own trouble, told without any detail.
    pub(super) fn trouble(&self, counter: &Counter, error: &StoreError) -> Response {
        let status = match error {
            StoreError::Corrupt(_) => {
                // Every time: the page tells the customer to ask about this very request.
                tracing::error!(error = explain(error), "a checkout page failed");
                StatusCode::INTERNAL_SERVER_ERROR
            }
            _ => {
                log_store_trouble(error);
                StatusCode::SERVICE_UNAVAILABLE
            }
        };
        self.plain(counter, status, Body::Error { reference: self.request_id.clone() })
    }
}

/// Whom a page shares its window with: nobody, unless a provider's form opens a window of its own.
fn opener_policy(body: &Body) -> &'static str {
    match body {
        Body::Embedded(_) => "same-origin-allow-popups",
        _ => "same-origin",
    }
}

/// Sends the browser on, after a form too, without the page being kept.
pub(super) fn go(location: &str) -> Response {
    let location = HeaderValue::from_str(location).ok().or_else(|| {
        let plain = url::Url::parse(location).ok()?;
        HeaderValue::from_str(plain.as_str()).ok()
    });
    let Some(location) = location else { return StatusCode::NOT_FOUND.into_response() };
    let no_store = HeaderValue::from_static("no-store");
    (StatusCode::SEE_OTHER, [(header::LOCATION, location), (header::CACHE_CONTROL, no_store)]).into_response()
}

/// Remembers a language for the next pages.
pub(super) fn remember(mut response: Response, language: Language, secure: bool) -> Response {
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
