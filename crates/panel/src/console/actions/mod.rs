//! Actions: money that came late, short or unexpectedly, and the operator's decisions about it.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        LINES,
        actions::view::{Actions, Decide, DecideProblem},
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
use std::sync::Arc;
use till_domain::{decision::Obstacle, environment::EnvironmentName, id::ActionId, transaction::Resolution};
use till_service::admin::{self, Decision, DecisionOutcome, SentBy};
use till_store::{ActionFilter, StoredAction};

const PLACE: Option<NavItem> = Some(NavItem::Actions);
const PATH: &str = "/operator/actions";

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows(PATH, operate, list),
        shows("/operator/actions/{env}/{id}/{resolution}", operate, ask),
        does("/operator/actions/{env}/{id}/{resolution}", operate, decide),
    ]
}

async fn list(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let (name, before) = (watch::environment_filter(&visit.query), visit.query.get("before"));
    let decided = visit.query.get("show") == "all";
    let environment = panel.environment(name);
    let filter = ActionFilter { vendor: None, decided, before: ActionId::parse(before) };
    let found = environment.store.actions(&filter, LINES).await?;
    let fields = [("env", name.as_str()), ("show", if decided { "all" } else { "" })];
    let last = found.last().map(|stored| stored.action.id.to_string());
    let (newer, older) = (newer(PATH, before, &fields), older(PATH, last, found.len(), &fields));
    let mut rows = Vec::with_capacity(found.len());
    for stored in found {
        rows.push(panel.action_line(environment, stored).await?);
    }
    let body = Actions { environment: name, decided, rows, newer, older };
    Ok(visit.page(&panel, PLACE, body))
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
