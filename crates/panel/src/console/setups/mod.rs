//! Set-up of providers: the operator writes a document for each, tests it, and switches the provider on or
//! off. The rest of a provider's page is made in `console/chains/` for crypto, and below for payment
//! services.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        chains, providers,
        setups::view::{CheckLine, CheckOutcome, EditSetup, Service, SetupHead, SetupOrigin},
    },
    does,
    pages::{FlashMessage, NavItem, View},
    shows,
    visit::{Answer, Refused, Visit, done},
};
use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use secrecy::ExposeSecret as _;
use std::sync::Arc;
use till_domain::{
    method::Method,
    rules::{Currencies, Offering},
};
use till_providers::{Check, CheckVerdict};
use till_service::{
    admin::AdminError,
    registry::{self, ProviderKind, SetupPlan},
};

pub(super) const PLACE: Option<NavItem> = Some(NavItem::Providers);

const MAX_DOCUMENT: usize = 16 * 1024;

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows("/operator/providers/{kind}", operate, show),
        does("/operator/providers/{kind}", operate, send).after_password(),
        // The document contains keys.
        shows("/operator/providers/{kind}/edit", operate, edit).after_password(),
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
async fn page(panel: &Panel, visit: &Visit, name: &str, checks: Option<Vec<Check>>) -> Answer {
    let kind = named(name)?;
    let current = panel.registry.current(kind);
    let head = SetupHead {
        kind,
        origin: origin(panel, kind).await?,
        problems: current.problems.clone(),
        running: current.plan.is_some(),
        checks: checks.map(check_lines),
    };
    let body = match kind {
        ProviderKind::Evm => chains::body(panel, head, &current).await?,
        ProviderKind::Yookassa | ProviderKind::Stripe => service(panel, head).await?,
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
    let name = head.kind.name();
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
        notices: format!("{}/notices/{name}", panel.base_url),
        line: lines.into_iter().find(|line| line.kind == Some(head.kind) && head.running),
        head,
    };
    Ok(Box::new(body))
}

fn check_lines(checks: Vec<Check>) -> Vec<CheckLine> {
    let line = |check: Check| {
        let outcome = match check.outcome {
            CheckVerdict::Ok => CheckOutcome::Good,
            CheckVerdict::Warn => CheckOutcome::Doubtful,
            CheckVerdict::Fail | CheckVerdict::Contradicts => CheckOutcome::Bad,
        };
        CheckLine { what: check.what, outcome, sentence: check.sentence }
    };
    checks.into_iter().map(line).collect()
}

/// Tests the running set-up by calling every service that it names.
async fn test(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    let plan = panel.registry.current(named(&name)?).plan.ok_or(Refused::NotFound)?;
    let checks = registry::probe(&plan, &panel.registry.prober()).await;
    page(&panel, &visit, &name, Some(checks)).await
}

async fn edit(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    let kind = changeable(&panel, &name)?;
    let known = panel.admin.show_setup(&visit.actor(), kind.name()).await?;
    let (document, version) = known.map_or((kind.template().to_owned(), 0), |open| {
        (open.document.expose_secret().to_owned(), open.stored.version)
    });
    let body = EditSetup { kind, document, version, problems: Vec::new(), moved: false, checks: None };
    Ok(visit.page(&panel, PLACE, body))
}

/// The provider named by the address, unless a file sets it up: that cannot be changed here.
pub(super) fn changeable(panel: &Panel, name: &str) -> Result<ProviderKind, Refused> {
    let kind = named(name)?;
    if panel.registry.file(kind).is_some() { Err(Refused::NotFound) } else { Ok(kind) }
}

async fn send(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    let kind = changeable(&panel, &name)?;
    // Browsers send lines that end in CR LF.
    let document = visit.form.get("document").replace("\r\n", "\n");
    let version = visit.form.get("version").parse().unwrap_or(0);
    let view = EditSetup { kind, document, version, problems: Vec::new(), moved: false, checks: None };
    let again = |status, view| Ok(visit.answer(&panel, status, PLACE, view));
    let plan = match read(&view) {
        Ok(plan) => plan,
        Err(problems) => return again(StatusCode::UNPROCESSABLE_ENTITY, EditSetup { problems, ..view }),
    };
    let prober = panel.registry.prober();
    if visit.form.get("do") == "test" {
        let checks = Some(check_lines(registry::probe(&plan, &prober).await));
        return again(StatusCode::OK, EditSetup { checks, ..view });
    }
    if let Some(checks) = registry::contradictions(&plan, &prober).await {
        let problems = registry::contradicted(&checks);
        let checks = Some(check_lines(checks));
        return again(StatusCode::UNPROCESSABLE_ENTITY, EditSetup { problems, checks, ..view });
    }
    let document = view.document.clone().into();
    match panel.admin.set_up(&visit.actor(), (kind.name(), version), &document).await {
        Ok(()) => {
            // Applies the change in this process now, instead of at the next poll.
            panel.registry.pass().await?;
            Ok(done(&path(kind), FlashMessage::Saved))
        }
        Err(AdminError::SetupMoved) => again(StatusCode::CONFLICT, EditSetup { moved: true, ..view }),
        Err(error) => Err(error.into()),
    }
}

/// Parses a document; an error lists all problems.
fn read(view: &EditSetup) -> Result<SetupPlan, Vec<String>> {
    if view.document.len() > MAX_DOCUMENT {
        return Err(vec![format!("the document is longer than {MAX_DOCUMENT} bytes")]);
    }
    view.kind.read(&view.document)
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
