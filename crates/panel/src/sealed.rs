//! Fields that travel through a page and back encrypted, because they may be secrets: no page contains a
//! secret that was sent or stored. They open only for the same user, log-in and purpose.

use crate::{
    Panel,
    visit::{Fields, Visit, Visitor},
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret as _, SecretString};

/// The context that fields are sealed for.
fn place(visit: &Visit, purpose: &str) -> String {
    let Visitor { user, login, .. } = visit.known();
    format!("users/{}/{}/sealed/{purpose}", user.id, hex::encode(login.id.as_bytes()))
}

/// Encrypts fields for a hidden field of a page.
pub(super) fn seal<'a>(
    panel: &Panel,
    visit: &Visit,
    purpose: &str,
    fields: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    let mut text = url::form_urlencoded::Serializer::new(String::new());
    text.extend_pairs(fields);
    let sealed = panel.admin.vault.seal_text(&place(visit, purpose), &SecretString::from(text.finish()));
    BASE64_URL_SAFE_NO_PAD.encode(sealed)
}

/// The fields that were sealed for this visitor and purpose.
pub(super) fn open(panel: &Panel, visit: &Visit, purpose: &str, sealed: &str) -> Option<Fields> {
    visit.visitor.as_ref()?;
    let sealed = BASE64_URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let text = panel.admin.vault.open_text(&place(visit, purpose), &sealed).ok()?;
    Some(Fields::parse(text.expose_secret().as_bytes()))
}
