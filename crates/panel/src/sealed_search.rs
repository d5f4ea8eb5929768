//! Searches for customers. The form posts the text, and the address of the page that follows holds it encrypted if it may
//! have an e-mail address: no log of a proxy and no browser history keeps a customer's e-mail address.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret as _, SecretString};
use till_service::vault::Vault;

/// The name of the parameter with the encrypted text.
pub(crate) const PARAMETER: &str = "customer";

/// The encrypted text of a search, if an e-mail address may be in it. `owner` names who may decrypt it.
pub(crate) fn seal(vault: &Vault, owner: &str, typed: &str) -> Option<String> {
    let typed = typed.trim();
    typed.contains('@').then(|| {
        URL_SAFE_NO_PAD.encode(vault.seal_text(&place(owner), &SecretString::from(typed.to_owned())))
    })
}

/// The text in a parameter; `None` if it was not made here, or for another owner.
pub(crate) fn open(vault: &Vault, owner: &str, sealed: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let typed = vault.open_text(&place(owner), &bytes).ok()?;
    Some(typed.expose_secret().to_owned())
}

fn place(owner: &str) -> String {
    format!("search for a customer by {owner}")
}
