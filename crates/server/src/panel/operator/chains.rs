//! Crypto on chains: the operator sets it up, tries it out, switches it, and sees how it does.

use crate::{
    office::OfficeError,
    panel::{
        Access, Panel, Route, does,
        pages::{
            Body, ChainLine, ChainRead, Chains, CheckLine, CheckOutcome, EditChains, Notice, Place,
            PriceLine, SetupOrigin,
        },
        shows,
        visit::{Answer, Refused, Visit, done},
    },
    registry::{self, Kind},
};
use axum::{Extension, extract::State, http::StatusCode, response::Response};
use secrecy::ExposeSecret as _;
use std::sync::Arc;
use till_domain::{environment::Environment, time::Timestamp};
use till_providers::{
    Check, Outcome,
    evm::{AccountKey, Chain, SourceState},
};

const PLACE: Option<Place> = Some(Place::Providers);
const PATH: &str = "/operator/providers/evm";

/// The longest document.
const MAX_DOCUMENT: usize = 16 * 1024;

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows(PATH, operate, show),
        does(PATH, operate, send),
        shows("/operator/providers/evm/edit", operate, edit),
        does("/operator/providers/evm/on", operate, switch_on),
        does("/operator/providers/evm/off", operate, switch_off),
    ]
}

async fn show(State(panel): State<Arc<Panel>>, Extension(visit): Extension<Visit>) -> Response {
    let answer = page(&panel, &visit).await;
    visit.finish(&panel, answer)
}

async fn page(panel: &Panel, visit: &Visit) -> Answer {
    let current = panel.registry.current(Kind::Evm);
    let running = current.chains();
    let mut chains = Vec::new();
    for chain in running.iter().flat_map(|running| &running.setup.chains) {
        chains.push(chain_line(panel, chain).await?);
    }
    let now = panel.now();
    let prices = running.map(|running| running.prices.status());
    let prices = prices.map(|states| states.into_iter().map(|state| price_line(state, now)).collect());
    let body = Chains {
        origin: origin(panel).await?,
        problems: current.problems.clone(),
        chains,
        prices: prices.unwrap_or_default(),
    };
    Ok(visit.page(panel, PLACE, Body::Chains(Box::new(body))))
}

/// Who says how the chains are set up.
async fn origin(panel: &Panel) -> Result<SetupOrigin, Refused> {
    if let Some(file) = panel.registry.file(Kind::Evm) {
        return Ok(SetupOrigin::File { path: file.path.display().to_string() });
    }
    let stored =
        panel.office.accounts.setups().await?.into_iter().find(|stored| stored.name == Kind::Evm.name());
    Ok(stored.map_or(SetupOrigin::Nobody, |stored| SetupOrigin::Console {
        enabled: stored.enabled,
        at: stored.updated_at,
        by: stored.updated_by,
    }))
}

/// A chain as it is set up, and how it does.
async fn chain_line(panel: &Panel, chain: &Chain) -> Result<ChainLine, Refused> {
    let book = panel.environment(Environment::Live).store.chains().ok_or(Refused::NotFound)?;
    let cursor = book.cursor(chain.id).await?;
    // A set-up whose key cannot be read is refused before it comes here.
    let next = match AccountKey::parse(&chain.xpub) {
        Ok(key) => book.next_index(&key.fingerprint()).await?,
        Err(_) => 0,
    };
    Ok(ChainLine {
        name: chain.name.clone(),
        id: chain.id,
        coins: chain.coins.iter().map(|coin| coin.symbol.clone()).collect(),
        confirmations: chain.confirmations.into(),
        read: cursor.map(|cursor| ChainRead { block: cursor.block, head: cursor.head, at: cursor.at }),
        last_error: panel.registry.records().error(chain.id),
        highest: next.checked_sub(1),
    })
}

fn price_line(state: SourceState, now: Timestamp) -> PriceLine {
    let last = state.price.zip(state.at).map(|(price, at)| (price.to_string(), now.since(at)));
    PriceLine { coin: state.coin, currency: state.currency, source: state.source, last, fresh: state.fresh }
}

fn check_line(check: Check) -> CheckLine {
    let outcome = match check.outcome {
        Outcome::Ok => CheckOutcome::Good,
        Outcome::Warn => CheckOutcome::Doubtful,
        Outcome::Fail | Outcome::Contradicts => CheckOutcome::Bad,
    };
    CheckLine { what: check.what, outcome, sentence: check.sentence }
}

async fn edit(State(panel): State<Arc<Panel>>, Extension(visit): Extension<Visit>) -> Response {
    let answer = form(&panel, &visit).await;
    visit.finish(&panel, answer)
}

async fn form(panel: &Panel, visit: &Visit) -> Answer {
    refuse_beside_a_file(panel)?;
    let known = panel.office.show_setup(&visit.actor(), Kind::Evm.name()).await?;
    let (document, version) = known.map_or((Kind::Evm.template().to_owned(), 0), |open| {
        (open.document.expose_secret().to_owned(), open.stored.version)
    });
    let body = EditChains { document, version, problems: Vec::new(), moved: false, checks: None };
    Ok(visit.page(panel, PLACE, Body::EditChains(Box::new(body))))
}

/// What a file says is not changed here.
fn refuse_beside_a_file(panel: &Panel) -> Result<(), Refused> {
    if panel.registry.file(Kind::Evm).is_some() { Err(Refused::NotFound) } else { Ok(()) }
}

async fn send(State(panel): State<Arc<Panel>>, Extension(visit): Extension<Visit>) -> Response {
    let answer = take(&panel, &visit).await;
    visit.finish(&panel, answer)
}

async fn take(panel: &Panel, visit: &Visit) -> Answer {
    refuse_beside_a_file(panel)?;
    // Browsers send lines that end in CR LF.
    let document = visit.form.get("document").replace("\r\n", "\n");
    let version = visit.form.get("version").parse().unwrap_or(0);
    let view = EditChains { document, version, problems: Vec::new(), moved: false, checks: None };
    let again = |status, view| Ok(visit.answer(panel, status, PLACE, Body::EditChains(Box::new(view))));
    let parsed = if view.document.len() > MAX_DOCUMENT {
        Err(vec![format!("the document is longer than {MAX_DOCUMENT} bytes")])
    } else {
        Kind::Evm.read(&view.document)
    };
    let setup = match parsed {
        Ok(setup) => setup,
        Err(problems) => return again(StatusCode::UNPROCESSABLE_ENTITY, EditChains { problems, ..view }),
    };
    if visit.form.get("do") == "test" {
        let checks = Some(
            registry::probe(&setup, &panel.registry.prober()).await.into_iter().map(check_line).collect(),
        );
        return again(StatusCode::OK, EditChains { checks, ..view });
    }
    if let Some(checks) = registry::contradictions(&setup, &panel.registry.prober()).await {
        let wrong = checks.iter().filter(|check| check.outcome == Outcome::Contradicts);
        let problems = wrong.map(|check| format!("{}: {}", check.what, check.sentence)).collect();
        let checks = Some(checks.into_iter().map(check_line).collect());
        return again(StatusCode::UNPROCESSABLE_ENTITY, EditChains { problems, checks, ..view });
    }
    match panel
        .office
        .set_up(&visit.actor(), (Kind::Evm.name(), version), &view.document.clone().into())
        .await
    {
        Ok(()) => {
            // This process need not wait until it looks by itself.
            panel.registry.pass().await?;
            Ok(done(PATH, Notice::Saved))
        }
        Err(OfficeError::SetupMoved) => again(StatusCode::CONFLICT, EditChains { moved: true, ..view }),
        Err(error) => Err(error.into()),
    }
}

async fn switch_on(State(panel): State<Arc<Panel>>, Extension(visit): Extension<Visit>) -> Response {
    let answer = switch(&panel, &visit, true).await;
    visit.finish(&panel, answer)
}

async fn switch_off(State(panel): State<Arc<Panel>>, Extension(visit): Extension<Visit>) -> Response {
    let answer = switch(&panel, &visit, false).await;
    visit.finish(&panel, answer)
}

async fn switch(panel: &Panel, visit: &Visit, on: bool) -> Answer {
    refuse_beside_a_file(panel)?;
    if matches!(origin(panel).await?, SetupOrigin::Nobody) {
        return Err(Refused::NotFound);
    }
    // Who finds it that way already has what they want.
    let _: bool = panel.office.switch_provider(&visit.actor(), Kind::Evm.name(), on).await?;
    panel.registry.pass().await?;
    Ok(done(PATH, if on { Notice::Enabled } else { Notice::Disabled }))
}
