//! Extracts what the shop needs to know of a request, and sets the headers of its pages.

use crate::{
    Shop, address,
    pages::{self, Language},
};
use axum::{
    extract::{FromRequestParts, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use std::{convert::Infallible, sync::Arc};
use url::{Origin, Url};

#[derive(Debug)]
pub struct Visit {
    /// The language of the page.
    pub language: Language,
    /// The language that this request chooses.
    pub chosen: Option<Language>,
    /// True if a form was sent from another site (CSRF).
    pub foreign: bool,
    pub path: String,
    pub query: Vec<(String, String)>,
}

impl FromRequestParts<Arc<Shop>> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Shop>) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default().as_bytes();
        let query: Vec<_> = url::form_urlencoded::parse(query).into_owned().collect();
        let chosen =
            query.iter().find(|(name, _)| name == "lang").and_then(|(_, word)| Language::parse(word));
        let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        Ok(Self {
            language: Language::choose(chosen, text(header::COOKIE), text(header::ACCEPT_LANGUAGE)),
            chosen,
            foreign: is_foreign(&parts.headers),
            path: parts.uri.path().to_owned(),
            query,
        })
    }
}

impl Visit {
    /// A parameter of the query string.
    pub fn query_value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// True if a form was sent from a page of another site (CSRF). Browsers say so in `Sec-Fetch-Site`; those
/// that do not name the origin.
fn is_foreign(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return !matches!(site, "same-origin" | "none");
    }
    // "null" is never ours: the shop's own pages name their origin to the shop, see `page`.
    let Some(origin) = text("origin") else { return false };
    let host = origin.split_once("://").map(|(_, host)| host);
    host != text("host")
}

/// Middleware that answers only under the shop's own name: a page of another site that makes its name point
/// here (DNS rebinding) reads nothing.
pub async fn only_here(
    State(shop): State<Arc<Shop>>,
    visit: Visit,
    request: Request,
    next: Next,
) -> Response {
    let named = request.headers().get(header::HOST).and_then(|value| value.to_str().ok());
    let host = named.or_else(|| request.uri().authority().map(|authority| authority.as_str()));
    if host.is_some_and(|host| address::is_ours(&shop.config.base_url, host)) {
        return next.run(request).await;
    }
    pages::elsewhere(&shop, &visit)
}

/// The Content-Security-Policy of the shop's pages: what they may load, and where their forms may lead, which
/// is to the shop and from there to the checkout.
pub fn policy(checkout_url: &str) -> String {
    let checkout = match Url::parse(checkout_url).map(|url| url.origin()) {
        Ok(origin @ Origin::Tuple(..)) => origin.ascii_serialization(),
        _ => String::new(),
    };
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
        form-action 'self' {checkout}; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// An HTML response with the headers of the shop's pages.
pub fn page(shop: &Shop, language: Language, status: StatusCode, html: String) -> Response {
    let mut response = (status, html).into_response();
    let headers = response.headers_mut();
    let mut set = |name, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(header::CONTENT_TYPE, "text/html; charset=utf-8");
    set(header::CACHE_CONTROL, "no-store");
    set(header::CONTENT_LANGUAGE, language.word());
    set(header::VARY, "accept-language, cookie");
    set(header::CONTENT_SECURITY_POLICY, &shop.policy);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // Not "no-referrer": with it a browser sends "null" as the origin of the shop's own forms.
    set(header::REFERRER_POLICY, "same-origin");
    response
}

/// Redirects the browser (303), after a form too, so that a reload repeats nothing.
pub fn go(location: &str) -> Response {
    let Ok(location) = HeaderValue::from_str(location) else { return StatusCode::NOT_FOUND.into_response() };
    let no_store = HeaderValue::from_static("no-store");
    (StatusCode::SEE_OTHER, [(header::LOCATION, location), (header::CACHE_CONTROL, no_store)]).into_response()
}

/// Stores the chosen language in a cookie, and redirects to the page.
pub fn remember(path: &str, language: Language) -> Response {
    let cookie = format!("lang={}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly", language.word());
    let mut response = go(path);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(headers: &[(&'static str, &'static str)], foreign: bool) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, HeaderValue::from_static(value));
        }
        assert_eq!(is_foreign(&map), foreign, "{headers:?}");
    }

    #[test]
    fn forms_of_other_sites_are_known() {
        check(&[], false);
        check(&[("sec-fetch-site", "same-origin")], false);
        check(&[("sec-fetch-site", "none")], false);
        check(&[("sec-fetch-site", "same-site")], true);
        check(&[("sec-fetch-site", "cross-site")], true);
        check(&[("host", "127.0.0.1:1"), ("origin", "http://127.0.0.1:1")], false);
        check(&[("host", "127.0.0.1:1"), ("origin", "http://evil.example")], true);
        check(&[("host", "127.0.0.1:1"), ("origin", "null")], true);
    }

    #[test]
    fn forms_lead_to_the_shop_and_the_checkout_only() {
        let policy = policy("http://pay.example:81/deep/path");
        assert!(policy.contains("form-action 'self' http://pay.example:81;"), "{policy}");
    }
}
