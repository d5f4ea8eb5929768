//! Warnings about settings that are allowed but not suitable for production.

use till_service::settings::{Settings, is_open_to_others};
use till_store::StoreLocation;

/// Logs them. A command that chose a setting itself (`chosen`) needs no warning about it.
pub(super) fn warn(settings: &Settings, base_url: &str, chosen: &[&str]) {
    for warning in &settings.warnings {
        tracing::warn!("{warning}");
    }
    if let StoreLocation::Folder(folder) = &settings.place
        && is_open_to_others(folder)
    {
        let folder = folder.display();
        tracing::warn!("other users can write to {folder} and replace its files; run: chmod go= {folder}");
    }
    let dangers = switched(settings).into_iter().chain(exposed(settings, base_url));
    for (name, danger) in dangers.filter(|(name, _)| !chosen.contains(name)) {
        tracing::warn!("{name} {danger}");
    }
}

/// The protections that are switched off, each by the name of its setting.
fn switched(settings: &Settings) -> Vec<(&'static str, String)> {
    let all = [
        (settings.simulator, "TILL_SIMULATOR", "is on: live payments are simulated and no money moves"),
        (
            !settings.rate_limits,
            "TILL_RATE_LIMITS",
            "is off: requests are not limited, nor are failed logins",
        ),
        (!settings.operator_totp, "TILL_OPERATOR_TOTP", "is off: operators can log in with a password alone"),
        (
            settings.rules.private_callbacks,
            "TILL_ALLOW_PRIVATE_CALLBACKS",
            "is on: vendors can direct callbacks to private addresses",
        ),
    ];
    let there = all.into_iter().filter(|(there, ..)| *there);
    there.map(|(_, name, danger)| (name, danger.to_owned())).collect()
}

/// Addresses that customers cannot open, or cannot open safely, each by the name of its setting.
fn exposed(settings: &Settings, base_url: &str) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    if settings.base_url.is_none() && settings.listen.ip().is_unspecified() {
        let danger = format!("is not set: links would lead to {base_url}, which customers cannot open");
        found.push(("TILL_BASE_URL", danger));
    }
    let behind_proxy = base_url.starts_with("https://") && settings.tls.is_none();
    if behind_proxy && settings.trusted_proxies.is_empty() {
        let danger = "is not set: behind a proxy, all clients share one IP address and its rate limits";
        found.push(("TILL_TRUSTED_PROXIES", danger.to_owned()));
    }
    let checkout_url = settings.checkout_url.as_deref().unwrap_or(base_url);
    for (name, url) in [("TILL_BASE_URL", base_url), ("TILL_CHECKOUT_URL", checkout_url)] {
        if !url.starts_with("https://") {
            found
                .push((name, format!("is {url}: without https, tokens and payments can be read in transit")));
        }
    }
    found
}
