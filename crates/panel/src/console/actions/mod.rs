//! Actions: money that came late, short or unexpectedly, and the operator's decisions about it.

pub mod view;
mod work;

use crate::{
    Access, Panel, Route,
    console::{
        LINES,
        actions::view::{Actions, AssigneeChoice, Decide, DecideProblem, ShownActions, WaitingFigures},
        newer, older, watch,
    },
    does,
    pages::{FlashMessage, NavItem},
    shows,
    visit::{Answer, Refused, Visit, go},
};
use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    decision::Obstacle,
    environment::EnvironmentName,
    id::ActionId,
    transaction::{ActionKind, Resolution},
};
use till_service::{
    admin::{self, Decision, DecisionOutcome, SentBy},
    environment::Environment,
};
use till_store::{ActionFilter, ActionsShown, AssigneeFilter, StoreError, StoredAction};

const PLACE: Option<NavItem> = Some(NavItem::Actions);
const PATH: &str = "/operator/actions";

/// The period of the figures about decisions.
const LATELY: Duration = Duration::from_secs(30 * 86_400);

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows(PATH, operate, list),
        shows("/operator/actions/{env}/{id}", operate, work::show),
        does("/operator/actions/{env}/{id}/assign", operate, work::assign),
        does("/operator/actions/{env}/{id}/note", operate, work::note),
        shows("/operator/actions/{env}/{id}/{resolution}", operate, ask),
        does("/operator/actions/{env}/{id}/{resolution}", operate, decide),
    ]
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (query, before) = (&visit.query, visit.query.get("before"));
    let environment = panel.environment(watch::environment_filter(query));
    let typed = query.get("vendor").trim();
    let vendor = if typed.is_empty() { None } else { panel.typed_vendor(typed).await? };
    let mut page = Actions {
        environment: environment.name,
        me: visit.user().email.clone(),
        shown: ShownActions::parse(query.get("show")),
        kind: ActionKind::parse(query.get("kind")),
        assignee: AssigneeChoice::parse(query.get("assignee")),
        vendor: typed.to_owned(),
        wrong_vendor: !typed.is_empty() && vendor.is_none(),
        figures: figures(environment).await?,
        rows: Vec::new(),
        newer: None,
        older: None,
    };
    // A filter with errors shows nothing instead of everything.
    if page.wrong_vendor {
        return Ok(visit.again(&panel, PLACE, page));
    }
    let filter = ActionFilter {
        vendor: vendor.map(|vendor| vendor.id),
        kind: page.kind,
        assignee: assignee(page.assignee, &visit),
        shown: shown(page.shown),
        before: ActionId::parse(before),
    };
    let found = environment.store.actions(&filter, LINES).await?;
    let last = found.last().map(|stored| stored.action.id.to_string());
    let links = (newer(PATH, before, &fields(&page)), older(PATH, last, found.len(), &fields(&page)));
    (page.newer, page.older) = links;
    for stored in found {
        page.rows.push(panel.action_line(environment, stored).await?);
    }
    Ok(visit.page(&panel, PLACE, page))
}

/// The filters that links to other pages of the list keep.
fn fields(page: &Actions) -> [(&'static str, &str); 5] {
    [
        ("env", page.environment.as_str()),
        ("show", if page.shown == ShownActions::Open { "" } else { page.shown.word() }),
        ("kind", page.kind.map_or("", ActionKind::as_str)),
        ("assignee", if page.assignee == AssigneeChoice::Anyone { "" } else { page.assignee.word() }),
        ("vendor", &page.vendor),
    ]
}

fn shown(shown: ShownActions) -> ActionsShown {
    match shown {
        ShownActions::Open => ActionsShown::Open,
        ShownActions::Due => ActionsShown::Due,
        ShownActions::Decided => ActionsShown::Decided,
        ShownActions::All => ActionsShown::All,
    }
}

fn assignee(choice: AssigneeChoice, visit: &Visit) -> AssigneeFilter {
    match choice {
        AssigneeChoice::Anyone => AssigneeFilter::Anyone,
        AssigneeChoice::Mine => AssigneeFilter::Is(visit.user().email.clone()),
        AssigneeChoice::Unassigned => AssigneeFilter::Nobody,
    }
}

async fn figures(environment: &Environment) -> Result<WaitingFigures, StoreError> {
    let now = environment.now();
    let known = environment.store.action_figures(now.minus(LATELY)).await?;
    Ok(WaitingFigures {
        open: known.open,
        oldest: known.oldest.map(|at| now.since(at)),
        median: known.middle.map(|at| now.since(at)),
        decided: known.decided,
        time_to_decide: known.time_to_decide,
    })
}

/// The decision named by the address.
struct DecisionPath {
    environment: EnvironmentName,
    action: ActionId,
    resolution: Resolution,
}

fn read((environment, id, resolution): &(String, String, String)) -> Result<DecisionPath, Refused> {
    Ok(DecisionPath {
        environment: watch::named(environment)?,
        action: ActionId::parse(id).ok_or(Refused::NotFound)?,
        resolution: Resolution::parse(resolution).ok_or(Refused::NotFound)?,
    })
}

/// The page of a decision: the question, or a message that the action was decided meanwhile.
async fn decide_page(
    panel: &Panel,
    visit: &Visit,
    decision_path: &DecisionPath,
    (status, stored, problem): (StatusCode, StoredAction, Option<DecideProblem>),
) -> Answer {
    let line = panel.action_line(panel.environment(decision_path.environment), stored).await?;
    let body = Decide { line, resolution: decision_path.resolution, problem };
    Ok(visit.answer(panel, status, PLACE, body))
}

async fn ask(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path(path): Path<(String, String, String)>,
) -> Answer {
    let decision_path = read(&path)?;
    let stored = panel.environment(decision_path.environment).store.action(decision_path.action).await?;
    let stored = stored.ok_or(Refused::NotFound)?;
    if !stored.action.choices().contains(&decision_path.resolution) {
        return Err(Refused::NotFound);
    }
    decide_page(&panel, &visit, &decision_path, (StatusCode::OK, stored, None)).await
}

async fn decide(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path(path): Path<(String, String, String)>,
) -> Answer {
    let decision_path = read(&path)?;
    let DecisionPath { environment, action, resolution } = decision_path;
    let actor = visit.actor();
    let here = panel.environment(environment);
    let decision = Decision { action, resolution, by: &actor.name, sent_by: SentBy::Provider };
    match admin::resolve(&panel.admin.accounts, &here.store, &actor, decision).await? {
        DecisionOutcome::Done(_) => {
            let done = FlashMessage::Decided.word();
            Ok(go(&format!("{PATH}?env={environment}&done={done}")))
        }
        DecisionOutcome::Before(stored) => {
            decide_page(&panel, &visit, &decision_path, (StatusCode::CONFLICT, stored, None)).await
        }
        DecisionOutcome::Refused(stored, Obstacle::NotCovered { needed, available }) => {
            let problem = Some(DecideProblem::NotCovered { needed, available });
            decide_page(&panel, &visit, &decision_path, (StatusCode::CONFLICT, stored, problem)).await
        }
        DecisionOutcome::Refused(stored, Obstacle::Gone) => {
            let problem = Some(DecideProblem::Gone);
            decide_page(&panel, &visit, &decision_path, (StatusCode::CONFLICT, stored, problem)).await
        }
        DecisionOutcome::Refused(_, Obstacle::Unfit) | DecisionOutcome::Missing => Err(Refused::NotFound),
    }
}
