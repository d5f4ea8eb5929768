//! The client secret of a vendor, for the commands of its developers.

use anyhow::{Context as _, bail};
use secrecy::SecretString;

/// The secret in `TILL_CLIENT_SECRET`, or the one that is typed at the terminal, where it is not shown.
pub fn client_secret() -> anyhow::Result<SecretString> {
    let secret = match std::env::var("TILL_CLIENT_SECRET") {
        Ok(secret) => secret,
        Err(_) => rpassword::prompt_password("Client secret: ")
            .context("set TILL_CLIENT_SECRET to the client secret: there is no terminal to ask for it")?,
    };
    if secret.is_empty() {
        bail!("the client secret is empty: set TILL_CLIENT_SECRET");
    }
    Ok(secret.into())
}
