//! Keeps the fields of a form when the log-in had ended before it was sent. They travel encrypted in a cookie
//! while the user logs in again, and fill the form afterwards.
//!
//! Only forms without secrets are kept, only for the user who was logged in with this browser, and only as
//! much as fits into a cookie. In all other cases the log-in page and the page after it say that the form was
//! lost.

use crate::{
    Panel,
    cookies::{self, Cookie},
    login::view::LoginEnd,
    page_of,
    pages::FlashMessage,
    visit::{Fields, Visit},
};
use axum::http::HeaderValue;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret as _, SecretString};
use till_domain::id::UserId;

/// The forms that are kept, with their fields.
const FORMS: [(&str, &[&str]); 7] = [
    (
        "/panel/settings",
        &[
            "callback_url",
            "return_url",
            "contact_email",
            "display_name",
            "time_zone",
            "language",
            "receipt_copy",
            "events",
            "events_refund",
            "events_payment",
            "events_dispute",
        ],
    ),
    ("/panel/sandbox/ask", &["reason"]),
    ("/operator/vendors", &["name", "sandbox", "contact_email"]),
    ("/operator/users", &["email", "role", "vendor"]),
    ("/panel/products", &["product_id", "name", "price", "currency", "category_id"]),
    ("/panel/categories", &["category_id", "name"]),
    ("/panel/team", &["email", "role"]),
];

/// The longest value of a cookie: browsers accept 4096 bytes including its name and attributes.
const MAX_COOKIE: usize = 3800;

/// The way back after the log-in, for a form that was sent without a valid log-in.
pub(super) struct ReturnPath {
    /// The page of the form, with a notice of what happened to it.
    pub(super) next: String,
    /// The message of the log-in page.
    pub(super) ended: LoginEnd,
    pub(super) cookie: Option<HeaderValue>,
}

/// The way back to a form that was sent after the log-in had ended.
pub(super) fn back(panel: &Panel, visit: &Visit) -> ReturnPath {
    let page = page_of(&visit.path);
    let cookie = keep(panel, visit, &page);
    let (notice, ended) = match cookie {
        Some(_) => (FlashMessage::Unsaved, LoginEnd::Kept),
        None => (FlashMessage::NotDone, LoginEnd::Lost),
    };
    ReturnPath { next: format!("{page}?done={}", notice.word()), ended, cookie }
}

/// The context that a text is sealed for: one user, one page.
fn place(user: UserId, page: &str) -> String {
    format!("users/{user}/kept{page}")
}

fn keep(panel: &Panel, visit: &Visit, page: &str) -> Option<HeaderValue> {
    let (_, names) = FORMS.iter().find(|(path, _)| *path == visit.path)?;
    // Sealed for the user known to this browser, so that another user who logs in cannot read it.
    let known = Cookie::Known.of(&visit.headers, panel.secure)?;
    let user = cookies::read_known(&panel.admin.vault, known, panel.now())?;
    let mut text = url::form_urlencoded::Serializer::new(String::new());
    for name in *names {
        text.append_pair(name, visit.form.get(name));
    }
    let sealed = panel.admin.vault.seal_text(&place(user, page), &SecretString::from(text.finish()));
    let value = BASE64_URL_SAFE_NO_PAD.encode(sealed);
    (value.len() <= MAX_COOKIE).then(|| Cookie::Kept.set(&value, panel.secure))
}

/// The fields that the visitor typed into the form of this page before the log-in ended.
pub(super) fn typed(panel: &Panel, visit: &Visit) -> Option<Fields> {
    if visit.query.get("done") != FlashMessage::Unsaved.word() {
        return None;
    }
    let value = Cookie::Kept.of(&visit.headers, panel.secure)?;
    let sealed = BASE64_URL_SAFE_NO_PAD.decode(value).ok()?;
    let text = panel.admin.vault.open_text(&place(visit.user().id, &visit.path), &sealed).ok()?;
    Some(Fields::parse(text.expose_secret().as_bytes()))
}

/// True if this page shows fields that were kept; the cookie is then deleted.
pub(super) fn typed_before(panel: &Panel, visit: &Visit) -> bool {
    visit.visitor.is_some() && typed(panel, visit).is_some()
}
