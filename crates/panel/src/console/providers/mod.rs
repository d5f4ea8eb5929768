//! Providers and their health, and the operator's order where two serve one method.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        providers::view::{CallsLine, ProviderLine, Providers},
        setups::changeable,
    },
    does,
    pages::{FlashMessage, NavItem},
    shows,
    visit::{Answer, Refused, Visit, done},
};
use axum::extract::{Path, State};
use std::sync::Arc;
use till_domain::{activity::Activity, environment::EnvironmentName};
use till_service::{
    admin::AdminError,
    cashier::{Cashier, Health, ProviderHandle, Readiness, Tally},
    environment::Environment,
    registry::{Current, ProviderKind},
};
use till_store::StoreError;

const PATH: &str = "/operator/providers";

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows(PATH, operate, show),
        does("/operator/providers/{kind}/up", operate, move_up),
        does("/operator/providers/{kind}/down", operate, move_down),
    ]
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let mut rows = Vec::new();
    for cashier in &panel.cashiers {
        rows.extend(lines(&panel, cashier).await?);
    }
    let is_set_up = |kind: &ProviderKind| {
        panel.registry.file(*kind).is_some() || panel.registry.current(*kind).version > 0
    };
    let can_begin = ProviderKind::ALL.into_iter().filter(|kind| !is_set_up(kind)).collect();
    Ok(visit.page(&panel, Some(NavItem::Providers), Providers { rows, can_begin }))
}

/// The providers of an environment in the operator's order, including those that are off or unusable.
pub(super) async fn lines(panel: &Panel, cashier: &Cashier) -> Result<Vec<ProviderLine>, StoreError> {
    let environment = cashier.environment();
    let open = environment.store.open_at_providers().await?;
    let last = environment.store.last_money().await?;
    let mut activities = cashier.activity().await?;
    let (handles, now) = (cashier.handles(), cashier.uptime());
    let blank = |name: &str, health: Health| blank(name, environment, health);
    let live = environment.name == EnvironmentName::Live;
    let currents = if live { panel.registry.all() } else { Arc::from([]) };
    let line = |handle: &ProviderHandle| ProviderLine {
        methods: handle.provider.methods().into_iter().map(|offering| offering.method).collect(),
        offered: handle.offered,
        simulated: handle.provider.is_simulated(),
        down: handle.readiness(now) == Readiness::Down,
        ..blank(handle.provider.name(), handle.health(now))
    };
    let found = |name: &str| handles.iter().find(|handle| handle.provider.name() == name);
    let set_up = currents.iter().filter_map(|current| {
        let name = current.kind.name();
        let line = match found(name) {
            Some(handle) => line(handle),
            None if current.problems.is_empty() => return None,
            None => blank(name, Health::default()),
        };
        let moves = moves(panel, current, &currents);
        Some(ProviderLine { kind: Some(current.kind), unusable: !current.problems.is_empty(), moves, ..line })
    });
    let is_fixed = |handle: &&ProviderHandle| {
        currents.iter().all(|current| current.kind.name() != handle.provider.name())
    };
    let mut rows: Vec<_> = set_up.chain(handles.iter().filter(is_fixed).map(line)).collect();
    for (row, order) in rows.iter_mut().zip(1..) {
        row.order = order;
        row.last_paid = last.iter().find(|(other, _)| *other == row.name).map(|(_, at)| *at);
        if let Some(activity) = activities.remove(&row.name) {
            row.activity = activity;
        }
        row.open = open.iter().find(|(other, _)| *other == row.name).map_or(0, |(_, count)| *count);
    }
    Ok(rows)
}

/// A line with the health of a provider and no other data.
fn blank(name: &str, environment: &Environment, health: Health) -> ProviderLine {
    ProviderLine {
        name: name.to_owned(),
        environment: environment.name,
        methods: Vec::new(),
        simulated: false,
        order: 0,
        offered: false,
        kind: None,
        moves: (false, false),
        unusable: false,
        down: false,
        lately: calls(health.lately),
        activity: Activity::new(environment.now()),
        last_paid: None,
        open: 0,
    }
}

fn calls(tally: Tally) -> CallsLine {
    CallsLine { calls: tally.calls, answered: tally.answered, p95: tally.p95 }
}

/// True, for each direction, if a provider can move up and down in the order. Providers set up by a file come
/// first and do not move.
fn moves(panel: &Panel, current: &Current, all: &[Current]) -> (bool, bool) {
    let is_movable = |kind: ProviderKind, version: i64| version > 0 && panel.registry.file(kind).is_none();
    let movable: Vec<_> =
        all.iter().filter(|other| is_movable(other.kind, other.version)).map(|other| other.kind).collect();
    let Some(place) = movable.iter().position(|kind| *kind == current.kind) else { return (false, false) };
    (place > 0, place + 1 < movable.len())
}

async fn move_up(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    step(&panel, &visit, &name, true).await
}

async fn move_down(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    step(&panel, &visit, &name, false).await
}

/// Swaps a provider with the one before or after it. At the end of the order nothing changes, which is no
/// error.
async fn step(panel: &Panel, visit: &Visit, name: &str, up: bool) -> Answer {
    changeable(panel, name)?;
    let stored = panel.admin.accounts.setups().await?;
    let is_movable = |name: &&str| changeable(panel, name).is_ok();
    let mut order: Vec<_> = stored.iter().map(|stored| stored.name.as_str()).filter(is_movable).collect();
    let place = order.iter().position(|other| *other == name).ok_or(Refused::NotFound)?;
    let other = if up { place.checked_sub(1) } else { Some(place + 1).filter(|next| *next < order.len()) };
    if let Some(other) = other {
        order.swap(place, other);
        match panel.admin.order_providers(&visit.actor(), &order).await {
            Ok(()) => {}
            Err(AdminError::SetupMoved) => return Ok(done(PATH, FlashMessage::Overtaken)),
            Err(error) => return Err(error.into()),
        }
        panel.registry.pass().await?;
    }
    Ok(done(PATH, FlashMessage::Saved))
}
