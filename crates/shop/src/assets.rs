//! The stylesheet and the script, at URLs that change with their content.

use axum::{
    extract::Path,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use sha2::{Digest as _, Sha256};
use std::sync::LazyLock;

const CSS: &str = include_str!("../assets/shop.css");
const JS: &str = include_str!("../assets/shop.js");

pub static CSS_PATH: LazyLock<String> = LazyLock::new(|| path(CSS, "shop.css"));
pub static JS_PATH: LazyLock<String> = LazyLock::new(|| path(JS, "shop.js"));

fn path(text: &str, name: &str) -> String {
    format!("/shop/assets/{}/{name}", hex::encode(&Sha256::digest(text.as_bytes())[..8]))
}

pub(crate) async fn serve(Path((_, name)): Path<(String, String)>) -> Response {
    let (content_type, text) = match name.as_str() {
        "shop.css" => ("text/css; charset=utf-8", CSS),
        "shop.js" => ("text/javascript; charset=utf-8", JS),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    let keep = "public, max-age=31536000, immutable";
    ([(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, keep)], text).into_response()
}
