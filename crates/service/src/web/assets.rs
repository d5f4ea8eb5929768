//! Stylesheets and scripts, compiled in and served under an address that contains the hash of their content.
//!
//! So browsers may cache them for ever. Templates link to [`Asset::url`].

use axum::{
    Router,
    body::Bytes,
    extract::Path,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::{
    io::Write as _,
    sync::{Arc, OnceLock},
};

use super::Problem;

/// A stylesheet with the design tokens that all of them share.
macro_rules! with_tokens {
    ($name:literal) => {
        concat!(include_str!("../../assets/tokens.css"), include_str!(concat!("../../assets/", $name)))
    };
}

pub static CHECKOUT_CSS: Asset = Asset::css("checkout.css", with_tokens!("checkout.css"));
pub static CHECKOUT_JS: Asset = Asset::js("checkout.js", include_str!("../../assets/checkout.js"));
/// The stylesheet of the API reference.
pub static DOCS_CSS: Asset = Asset::css("docs.css", with_tokens!("docs.css"));
/// The script of the API reference.
pub static DOCS_JS: Asset = Asset::js("docs.js", include_str!("../../assets/docs.js"));

/// The stylesheet of the vendor panel and the operator console.
pub static PANEL_CSS: Asset = Asset::css("panel.css", with_tokens!("panel.css"));
pub static PANEL_JS: Asset = Asset::js("panel.js", include_str!("../../assets/panel.js"));

static ASSETS: [&Asset; 6] = [&CHECKOUT_CSS, &CHECKOUT_JS, &DOCS_CSS, &DOCS_JS, &PANEL_CSS, &PANEL_JS];

/// A file that pages load.
#[derive(Debug)]
pub struct Asset {
    name: &'static str,
    content_type: &'static str,
    text: &'static str,
    made: OnceLock<AssetValues>,
}

/// Values that are computed once.
#[derive(Debug)]
struct AssetValues {
    hash: String,
    url: String,
    shared: Shared,
}

/// A text that is the same for all callers: all answers share its bytes, which are compressed once.
#[derive(Debug, Clone)]
pub struct Shared {
    content_type: &'static str,
    plain: Bytes,
    gzip: Arc<OnceLock<Bytes>>,
    /// The entity tag. It is weak, because both encodings share it.
    etag: HeaderValue,
}

impl Shared {
    #[must_use]
    pub fn new(content_type: &'static str, text: impl Into<Bytes>) -> Self {
        let plain: Bytes = text.into();
        let etag = HeaderValue::from_str(&format!("W/\"{}\"", short_hash(&plain)));
        let etag = etag.unwrap_or_else(|_| unreachable!("hexadecimal digits are plain ASCII"));
        Self { content_type, plain, gzip: Arc::default(), etag }
    }

    /// The text as a response, compressed if the caller accepts gzip; or 304 if the caller has it already.
    #[must_use]
    pub fn answer(&self, request: &HeaderMap) -> Response {
        let mut response = if self.is_known(request) {
            StatusCode::NOT_MODIFIED.into_response()
        } else if accepts_gzip(request) {
            let encoding = HeaderValue::from_static("gzip");
            let gzip = self.gzip.get_or_init(|| compressed(&self.plain).into());
            ([(header::CONTENT_ENCODING, encoding)], gzip.clone()).into_response()
        } else {
            self.plain.clone().into_response()
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        headers.insert(header::ETAG, self.etag.clone());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    }

    /// True if the caller names the entity tag.
    fn is_known(&self, request: &HeaderMap) -> bool {
        let values = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let mut tags =
            values.flat_map(|value| value.split(',')).map(|tag| tag.trim().trim_start_matches("W/"));
        tags.any(|tag| self.etag.to_str().is_ok_and(|own| own.trim_start_matches("W/") == tag))
    }
}

impl Asset {
    const fn css(name: &'static str, text: &'static str) -> Self {
        Self { name, content_type: "text/css; charset=utf-8", text, made: OnceLock::new() }
    }

    const fn js(name: &'static str, text: &'static str) -> Self {
        Self { name, content_type: "text/javascript; charset=utf-8", text, made: OnceLock::new() }
    }

    /// The path that pages link to.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.made().url
    }

    #[must_use]
    pub fn text(&self) -> &'static str {
        self.text
    }

    fn made(&self) -> &AssetValues {
        self.made.get_or_init(|| {
            let hash = short_hash(self.text.as_bytes());
            let url = format!("/assets/{hash}/{}", self.name);
            AssetValues { hash, url, shared: Shared::new(self.content_type, self.text) }
        })
    }

    fn answer(&self, hash: &str, request: &HeaderMap) -> Response {
        let made = self.made();
        let mut response = made.shared.answer(request);
        // Another hash comes from a page of another version, while nodes are replaced one by one: it gets the
        // present file, but must not cache it under that address.
        let keep = if hash == made.hash { "public, max-age=31536000, immutable" } else { "no-store" };
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
        response
    }
}

/// The route of all assets.
pub fn router() -> Router {
    Router::new().route("/assets/{hash}/{name}", get(serve))
}

async fn serve(Path((hash, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => asset.answer(&hash, &headers),
        None => Problem::not_found().into_response(),
    }
}

fn short_hash(text: &[u8]) -> String {
    hex::encode(&Sha256::digest(text)[..8])
}

fn compressed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    written.unwrap_or_else(|_| unreachable!("memory takes everything"))
}

/// Compresses a page if the caller accepts gzip; returns the content encoding.
#[must_use]
pub fn pack(page: String, request: &HeaderMap) -> (Vec<u8>, Option<&'static str>) {
    if !accepts_gzip(request) {
        return (page.into_bytes(), None);
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(page.len() / 3), Compression::fast());
    let written = encoder.write_all(page.as_bytes()).and_then(|()| encoder.finish());
    (written.unwrap_or_else(|_| unreachable!("memory takes everything")), Some("gzip"))
}

/// True if the caller lists gzip, and not with a weight of zero.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        is_gzip && !parts.any(|weight| weight.strip_prefix("q=").is_some_and(is_zero))
    })
}

fn is_zero(weight: &str) -> bool {
    weight.bytes().all(|b| b == b'0' || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use http_body_util::BodyExt as _;
    use std::io::Read as _;

    async fn get(hash: &str, name: &str, accepted: &'static str) -> (Response, Vec<u8>) {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
        let path = Path((hash.to_owned(), name.to_owned()));
        let (parts, body) = serve(path, headers).await.into_parts();
        let body = body.collect().await.expect("a body").to_bytes().to_vec();
        (Response::from_parts(parts, axum::body::Body::empty()), body)
    }

    fn value<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
        response.headers().get(name).and_then(|value| value.to_str().ok())
    }

    #[tokio::test]
    async fn an_asset_is_kept_for_ever_under_its_own_hash_only() {
        for asset in ASSETS {
            let [_, _, hash, name] = asset.url().split('/').collect::<Vec<_>>()[..] else { panic!("a path") };
            let (response, body) = get(hash, name, "identity").await;
            assert_eq!(value(&response, "cache-control"), Some("public, max-age=31536000, immutable"));
            assert_eq!(value(&response, "content-type"), Some(asset.content_type));
            assert_eq!(body, asset.text.as_bytes());
            let (response, _) = get("0123456789abcdef", name, "identity").await;
            assert_eq!(value(&response, "cache-control"), Some("no-store"));
        }
        let (response, _) = get("0123456789abcdef", "nothing.css", "identity").await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn who_accepts_gzip_gets_it() {
        for (accepted, zipped) in [
            ("gzip, deflate, br", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip; q=0.000", false),
            ("br", false),
            ("x-gzip-not", false),
            ("", false),
        ] {
            let (response, body) = get("x", "checkout.js", accepted).await;
            assert_eq!(value(&response, "content-encoding"), zipped.then_some("gzip"), "{accepted}");
            assert_eq!(value(&response, "vary"), Some("accept-encoding"));
            let mut text = String::new();
            if zipped {
                GzDecoder::new(body.as_slice()).read_to_string(&mut text).expect("gzip");
            } else {
                text = String::from_utf8(body).expect("text");
            }
            assert_eq!(text, CHECKOUT_JS.text);
        }
    }

    #[tokio::test]
    async fn a_text_is_sent_once_and_then_confirmed() {
        let text = Shared::new("text/plain", "text");
        let first = text.answer(&HeaderMap::new());
        assert_eq!(first.status(), StatusCode::OK);
        assert_eq!(value(&first, "cache-control"), Some("no-cache"));
        let tag = first.headers().get(header::ETAG).expect("a tag").clone();
        for (known, status) in [
            (tag.to_str().expect("text").to_owned(), StatusCode::NOT_MODIFIED),
            (format!("\"x\", {}", tag.to_str().expect("text")), StatusCode::NOT_MODIFIED),
            ("W/\"0123456789abcdef\"".to_owned(), StatusCode::OK),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, HeaderValue::from_str(&known).expect("a value"));
            let again = text.answer(&headers);
            assert_eq!((again.status(), again.headers().get(header::ETAG)), (status, Some(&tag)), "{known}");
            let body = again.into_body().collect().await.expect("a body").to_bytes();
            assert_eq!(body.is_empty(), status == StatusCode::NOT_MODIFIED, "{known}");
        }
    }

    #[test]
    fn pages_stay_small() {
        let zipped = |asset: &Asset| compressed(&asset.made().shared.plain).len();
        assert!(zipped(&DOCS_JS) <= 1024, "{}", zipped(&DOCS_JS));
        assert!(zipped(&DOCS_CSS) <= 5 * 1024, "{}", zipped(&DOCS_CSS));
        assert!(zipped(&PANEL_JS) <= 3 * 1024, "{}", zipped(&PANEL_JS));
        assert!(zipped(&PANEL_CSS) <= 8 * 1024, "{}", zipped(&PANEL_CSS));
        assert!(zipped(&CHECKOUT_JS) <= 3 * 1024, "{}", zipped(&CHECKOUT_JS));
        assert!(zipped(&CHECKOUT_CSS) <= 4 * 1024 + 768, "{}", zipped(&CHECKOUT_CSS));
    }
}
