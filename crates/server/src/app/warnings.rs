//! Warnings about settings that are allowed but not suitable for production.

use till_service::settings::{Settings, is_open_to_others};
use till_store::StoreLocation;

/// Logs them.
pub(super) fn warn(settings: &Settings, base_url: &str) {
    for warning in &settings.warnings {
        tracing::warn!("{warning}");
    }
    if let StoreLocation::Folder(folder) = &settings.place
        && is_open_to_others(folder)
    {
        let folder = folder.display();
        tracing::warn!("other users can write to {folder} and replace its files; run: chmod go= {folder}");
    }
    if settings.simulator {
        tracing::warn!("TILL_SIMULATOR is on: live payments are simulated and no money moves");
    }
    if !settings.rate_limits {
        tracing::warn!("TILL_RATE_LIMITS is off: requests are not limited, nor are failed logins");
    }
    if !settings.operator_totp {
        tracing::warn!("TILL_OPERATOR_TOTP is off: operators can log in with a password alone");
    }
    if settings.rules.private_callbacks {
        tracing::warn!(
            "TILL_ALLOW_PRIVATE_CALLBACKS is on: vendors can direct callbacks to private addresses"
        );
    }
    if settings.base_url.is_none() && settings.listen.ip().is_unspecified() {
        tracing::warn!(
            "TILL_BASE_URL is not set: links would lead to {base_url}, which customers cannot open"
        );
    }
    let behind_proxy = base_url.starts_with("https://") && settings.tls.is_none();
    if behind_proxy && settings.trusted_proxies.is_empty() {
        tracing::warn!(
            "TILL_TRUSTED_PROXIES is not set: behind a proxy, all clients share one IP address and its rate \
             limits"
        );
    }
    let checkout_url = settings.checkout_url.as_deref().unwrap_or(base_url);
    for (name, url) in [("TILL_BASE_URL", base_url), ("TILL_CHECKOUT_URL", checkout_url)] {
        if !url.starts_with("https://") {
            tracing::warn!("{name} is {url}: without https, tokens and payments can be read in transit");
        }
    }
}
