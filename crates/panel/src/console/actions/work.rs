//! The page of one action, where operators assign it and write notes while it is open.

use crate::{
    Panel,
    console::{
        actions::{
            PATH, PLACE,
            view::{ActionPage, WorkProblem},
        },
        watch,
    },
    pages::FlashMessage,
    visit::{Answer, Refused, Visit, go},
};
use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use std::sync::Arc;
use till_domain::{
    environment::EnvironmentName,
    id::{ActionId, FormId, NoteId},
    text::{self, TextProblem},
    user::Role,
};
use till_service::{
    admin::{self, AssignOutcome, Assignment, NoteOutcome},
    random,
};
use till_store::{StoreError, StoredAction, UserFilter};

/// The most operators that an action can be assigned to from the page.
const MAX_OPERATORS: u32 = 200;

/// The action named by the address.
fn read((environment, id): &(String, String)) -> Result<(EnvironmentName, ActionId), Refused> {
    Ok((watch::named(environment)?, ActionId::parse(id).ok_or(Refused::NotFound)?))
}

/// The email addresses of active operators, and of the assignee whatever became of them, in order.
async fn operators(panel: &Panel, assignee: Option<&String>) -> Result<Vec<String>, StoreError> {
    let filter = UserFilter { role: Some(Role::Operator), limit: MAX_OPERATORS, ..UserFilter::default() };
    let users = panel.admin.accounts.users(&filter).await?;
    let mut emails: Vec<_> = users.into_iter().filter(|user| !user.disabled).map(|user| user.email).collect();
    emails.extend(assignee.cloned());
    emails.sort_unstable();
    emails.dedup();
    Ok(emails)
}

async fn page(
    panel: &Panel,
    visit: &Visit,
    environment: EnvironmentName,
    (stored, problem): (StoredAction, Option<WorkProblem>),
) -> Answer {
    let status = match problem {
        None => StatusCode::OK,
        Some(WorkProblem::Moved | WorkProblem::Decided) => StatusCode::CONFLICT,
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let operators = operators(panel, stored.assignee.as_ref()).await?;
    let body = ActionPage {
        line: panel.action_line(panel.environment(environment), stored).await?,
        me: visit.user().email.clone(),
        operators,
        typed: visit.form.get("text").to_owned(),
        problem,
    };
    Ok(visit.answer(panel, status, PLACE, body))
}

/// Back to the page of the action, with a message.
fn back(environment: EnvironmentName, id: ActionId, message: FlashMessage) -> Answer {
    Ok(go(&format!("{PATH}/{environment}/{id}?done={}", message.word())))
}

pub(super) async fn show(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path(path): Path<(String, String)>,
) -> Answer {
    let (environment, id) = read(&path)?;
    let stored = panel.environment(environment).store.action(id).await?.ok_or(Refused::NotFound)?;
    page(&panel, &visit, environment, (stored, None)).await
}

pub(super) async fn assign(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path(path): Path<(String, String)>,
) -> Answer {
    let (environment, id) = read(&path)?;
    let some = |name: &str| Some(visit.form.get(name).trim()).filter(|email| !email.is_empty());
    let assignment = Assignment { action: id, to: some("to"), was: some("was") };
    let store = &panel.environment(environment).store;
    match admin::assign(&panel.admin.accounts, store, &visit.actor(), assignment).await? {
        AssignOutcome::Done(_) => back(environment, id, FlashMessage::Saved),
        AssignOutcome::Moved(stored) => {
            page(&panel, &visit, environment, (stored, Some(WorkProblem::Moved))).await
        }
        AssignOutcome::Decided(stored) => {
            page(&panel, &visit, environment, (stored, Some(WorkProblem::Decided))).await
        }
        AssignOutcome::NoOperator(stored) => {
            page(&panel, &visit, environment, (stored, Some(WorkProblem::NoOperator))).await
        }
        AssignOutcome::Missing => Err(Refused::NotFound),
    }
}

pub(super) async fn note(
    State(panel): State<Arc<Panel>>,
    visit: Visit,
    Path(path): Path<(String, String)>,
) -> Answer {
    let (environment, id) = read(&path)?;
    let (store, actor) = (&panel.environment(environment).store, visit.actor());
    let text = match text::note(visit.form.get("text")) {
        Ok(text) => text,
        Err(problem) => {
            let stored = store.action(id).await?.ok_or(Refused::NotFound)?;
            let problem = match problem {
                _ if stored.decided.is_some() => WorkProblem::Decided,
                TextProblem::TooLong { .. } => WorkProblem::NoteLong,
                TextProblem::BadCharacter(_) => WorkProblem::NoteCharacter,
                TextProblem::Empty | TextProblem::NotAnEmail => WorkProblem::NoteEmpty,
            };
            return page(&panel, &visit, environment, (stored, Some(problem))).await;
        }
    };
    let form = actor.form.unwrap_or_else(|| random::id::<FormId>(panel.now()));
    let new = (NoteId::from(form), id, actor.name.as_str(), text);
    match admin::add_note(&panel.admin.accounts, store, &actor, new).await? {
        NoteOutcome::Done(_) => back(environment, id, FlashMessage::Saved),
        NoteOutcome::Decided(stored) => {
            page(&panel, &visit, environment, (stored, Some(WorkProblem::Decided))).await
        }
        NoteOutcome::Missing => Err(Refused::NotFound),
    }
}
