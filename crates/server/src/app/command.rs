//! The cashiers of a command: with the providers of the service, and without its sockets, workers and pages.

use super::{
    build::{Shared, cashiers, read_setup_files},
    providers::{live_providers, live_rules, sandbox_rules},
};
use anyhow::Context as _;
use std::sync::Arc;
use till_service::{
    admin::{Admin, adopt_key},
    cashier::Cashier,
    registry::{self, Registry},
    settings::Settings,
};
use till_store::{Durability, Stores};

/// The cashiers of live and sandbox. They share the store with a service that may be running.
pub async fn cashiers_of_a_command(settings: &Settings) -> anyhow::Result<[Arc<Cashier>; 2]> {
    let vault = Arc::new(settings.vault()?);
    let files = read_setup_files(settings)?;
    let web = registry::web(settings.callbacks.roots.as_deref())?;
    let stores = Stores::open(&settings.place, Durability::Full, None).await;
    let stores = stores.with_context(|| settings.name_place())?;
    let shared = Shared::new(settings, vault, stores.accounts);
    adopt_key(shared.directory.accounts(), &shared.vault).await?;
    shared.hold.refresh(shared.directory.accounts()).await?;
    let checkout_url = settings.checkout_url.as_ref().or(settings.base_url.as_ref());
    let checkout_url = checkout_url.cloned().unwrap_or_default();
    let live = shared.environment(live_rules(settings), stores.live, checkout_url.clone());
    let sandbox =
        shared.environment(sandbox_rules(settings), stores.sandbox, format!("{checkout_url}/sandbox"));
    let fixed = live_providers(settings, &live);
    let cashiers = cashiers([&live, &sandbox], fixed.clone());
    let admin = Admin { accounts: shared.directory.accounts_shared(), vault: Arc::clone(&shared.vault) };
    Registry::new(admin, Arc::clone(&cashiers[0]), (fixed, files), web).load().await?;
    Ok(cashiers)
}
