//! Set-up of providers: the operator fills in a form (`form/`) or writes a document (`document/`) for each,
//! tests it, and switches the provider on or off. The rest of a provider's page is made in `console/chains/`
//! for crypto, and below for payment services.

mod attempt;
pub mod document;
pub mod form;
pub mod guide;
pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        chains, providers, reconciliations,
        setups::{
            attempt::{StoredDocument, check_lines},
            guide::Guide,
            view::{CheckLine, Service, SetupHead, SetupOrigin},
        },
    },
    does,
    pages::{FlashMessage, NavItem, View},
    shows,
    visit::{Answer, Refused, Visit, done},
};
use axum::extract::{Path, State};
use std::sync::Arc;
use till_domain::{
    method::Method,
    rules::{Currencies, Offering},
};
use till_service::registry::{self, ProviderKind};

pub(super) const PLACE: Option<NavItem> = Some(NavItem::Providers);

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows("/operator/providers/{kind}", operate, show),
        does("/operator/providers/{kind}", operate, form::send).after_password(),
        // What is changed here leads to the money.
        shows("/operator/providers/{kind}/edit", operate, form::edit).after_password(),
        shows("/operator/providers/{kind}/document", operate, document::edit).after_password(),
        does("/operator/providers/{kind}/document", operate, document::send).after_password(),
        does("/operator/providers/{kind}/test", operate, test),
        does("/operator/providers/{kind}/on", operate, switch_on),
        does("/operator/providers/{kind}/off", operate, switch_off),
    ]
}

/// The provider named by the address.
pub(super) fn named(name: &str) -> Result<ProviderKind, Refused> {
    ProviderKind::parse(name).ok_or(Refused::NotFound)
}

fn path(kind: ProviderKind) -> String {
    format!("/operator/providers/{}", kind.name())
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    page(&panel, &visit, &name, None).await
}

/// The page of a provider, with the results of a test if there was one.
async fn page(panel: &Panel, visit: &Visit, name: &str, checks: Option<Vec<CheckLine>>) -> Answer {
    let kind = named(name)?;
    let current = panel.registry.current(kind);
    let head = SetupHead {
        kind,
        origin: origin(panel, kind).await?,
        problems: current.problems.clone(),
        running: current.plan.is_some(),
        checks,
        last_run: reconciliations::last_run(panel, kind).await?,
    };
    let body = match kind {
        ProviderKind::Evm => chains::body(panel, head, &current).await?,
        ProviderKind::Yookassa | ProviderKind::Tbank | ProviderKind::Stripe => service(panel, head).await?,
    };
    Ok(visit.page(panel, PLACE, body))
}

/// The source of a provider's set-up.
async fn origin(panel: &Panel, kind: ProviderKind) -> Result<SetupOrigin, Refused> {
    if let Some(file) = panel.registry.file(kind) {
        return Ok(SetupOrigin::File { path: file.path.display().to_string() });
    }
    let stored = panel.admin.accounts.setups().await?.into_iter().find(|stored| stored.name == kind.name());
    Ok(stored.map_or(SetupOrigin::Nobody, |stored| SetupOrigin::Console {
        enabled: stored.enabled,
        at: stored.updated_at,
        by: stored.updated_by,
    }))
}

/// The page of a payment service: its set-up and its health.
async fn service(panel: &Panel, head: SetupHead) -> Result<Box<dyn View>, Refused> {
    let offerings = panel.registry.current(head.kind).running.map(|running| running.provider().methods());
    let offer = |offering: Offering| -> (Method, Vec<String>) {
        let currencies = match offering.currencies {
            Currencies::Any => Vec::new(),
            Currencies::Only(currencies) => currencies.iter().map(|c| c.code().to_owned()).collect(),
        };
        (offering.method, currencies)
    };
    let lines = providers::lines(panel, panel.registry.cashier()).await?;
    let body = Service {
        offers: offerings.into_iter().flatten().map(offer).collect(),
        guide: Guide { proposal: None, ..Guide::of(panel, head.kind, 1, "stored") },
        line: lines.into_iter().find(|line| line.kind == Some(head.kind) && head.running),
        head,
    };
    Ok(Box::new(body))
}

/// Tests the running set-up by calling every service that it names.
async fn test(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    let kind = named(&name)?;
    let plan = panel.registry.current(kind).plan.ok_or(Refused::NotFound)?;
    let secrets = StoredDocument::of(&panel, kind).await?.masked(kind).secrets;
    let prober = panel.prober().for_vendors(&panel.admin.accounts).await?;
    let checks = check_lines(registry::probe(&plan, &prober).await, &secrets);
    page(&panel, &visit, &name, Some(checks)).await
}

/// The provider named by the address, unless a file sets it up: that cannot be changed here.
pub(super) fn changeable(panel: &Panel, name: &str) -> Result<ProviderKind, Refused> {
    let kind = named(name)?;
    if panel.registry.file(kind).is_some() { Err(Refused::NotFound) } else { Ok(kind) }
}

async fn switch_on(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    switch(&panel, &visit, &name, true).await
}

async fn switch_off(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    switch(&panel, &visit, &name, false).await
}

async fn switch(panel: &Panel, visit: &Visit, name: &str, on: bool) -> Answer {
    let kind = changeable(panel, name)?;
    if matches!(origin(panel, kind).await?, SetupOrigin::Nobody) {
        return Err(Refused::NotFound);
    }
    // A provider that is in that state already is no error.
    let _: bool = panel.admin.switch_provider(&visit.actor(), kind.name(), on).await?;
    panel.registry.pass().await?;
    Ok(done(&path(kind), if on { FlashMessage::Enabled } else { FlashMessage::Disabled }))
}
