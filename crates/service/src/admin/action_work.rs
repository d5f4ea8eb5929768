//! The work of operators on open actions: who has one, and notes on it. Decisions are in `actions.rs`.

use super::{AdminError, entry};
use crate::{environment::EnvironmentStore, random};
use till_domain::{
    audit::{Actor, AuditEvent},
    change::Change,
    id::{ActionId, NoteId},
    transaction::ActionNote,
    user::{self, Role},
};
use till_store::{Accounts, Committed, StoreError, StoredAction};

/// An assignment of an action to an operator or to none.
#[derive(Debug, Clone, Copy)]
pub struct Assignment<'a> {
    pub action: ActionId,
    /// The operator's email address; `None` releases the action.
    pub to: Option<&'a str>,
    /// The assignee that was seen (compare-and-set).
    pub was: Option<&'a str>,
}

/// The result of an assignment. Except in the first case nothing was changed.
#[derive(Debug)]
pub enum AssignOutcome {
    Done(StoredAction),
    /// Another operator has it now, or none, although another was seen.
    Moved(StoredAction),
    /// It was decided.
    Decided(StoredAction),
    /// There is no active operator with that address.
    NoOperator(StoredAction),
    Missing,
}

/// The result of adding a note. Except in the first case nothing was changed.
#[derive(Debug)]
pub enum NoteOutcome {
    Done(StoredAction),
    /// It was decided.
    Decided(StoredAction),
    Missing,
}

/// Assigns an open action to an operator, or releases it, and writes the audit log.
pub async fn assign(
    accounts: &Accounts,
    store: &EnvironmentStore,
    actor: &Actor,
    assignment: Assignment<'_>,
) -> Result<AssignOutcome, AdminError> {
    let Assignment { action: id, to, was } = assignment;
    let Some(stored) = store.action(id).await? else { return Ok(AssignOutcome::Missing) };
    if stored.decided.is_some() {
        return Ok(AssignOutcome::Decided(stored));
    }
    let to = match to {
        None => None,
        Some(email) => match operator(accounts, email).await? {
            Some(email) => Some(email),
            None => return Ok(AssignOutcome::NoOperator(stored)),
        },
    };
    // The same form again, or two operators of one mind.
    if stored.assignee == to {
        return Ok(AssignOutcome::Done(stored));
    }
    let change = Change::AssignAction { id, to: to.clone(), was: was.map(str::to_owned) };
    let committed = store.commit(&[change]).await?;
    let Some(stored) = store.action(id).await? else { return Ok(AssignOutcome::Missing) };
    if committed != Committed::Done {
        let decided = stored.decided.is_some();
        return Ok(if decided { AssignOutcome::Decided(stored) } else { AssignOutcome::Moved(stored) });
    }
    let whom = to.as_deref().unwrap_or("nobody");
    record(accounts, store, actor, &stored, (AuditEvent::ActionAssigned, &format!("to {whom}, "))).await?;
    Ok(AssignOutcome::Done(stored))
}

/// The address of an active operator, as it is stored.
async fn operator(accounts: &Accounts, email: &str) -> Result<Option<String>, StoreError> {
    let Ok(email) = user::email(email) else { return Ok(None) };
    let known = accounts.user_by_email(&email).await?.map(|known| known.user);
    Ok(known.filter(|user| user.role == Role::Operator && !user.disabled).map(|user| user.email))
}

/// Adds a note to an open action, once, and writes the audit log. The text is one that
/// [`till_domain::text::note`] gave.
pub async fn add_note(
    accounts: &Accounts,
    store: &EnvironmentStore,
    actor: &Actor,
    (id, action, author, text): (NoteId, ActionId, &str, String),
) -> Result<NoteOutcome, AdminError> {
    let Some(stored) = store.action(action).await? else { return Ok(NoteOutcome::Missing) };
    let written = store.notes_on(action).await?.into_iter().find(|note| note.id == id);
    let id = match written {
        Some(note) if note.text == text => return Ok(NoteOutcome::Done(stored)),
        // The author went back to the same page and wrote another note.
        Some(_) => random::id::<NoteId>(store.now()),
        None => id,
    };
    let note = ActionNote { id, action, at: store.now(), by: author.to_owned(), text };
    if store.commit(&[Change::AddActionNote(Box::new(note))]).await? == Committed::Done {
        record(accounts, store, actor, &stored, (AuditEvent::ActionNoted, "")).await?;
        return Ok(NoteOutcome::Done(stored));
    }
    // The same form at the same moment, or a decision.
    let is_there = store.notes_on(action).await?.iter().any(|note| note.id == id);
    let Some(stored) = store.action(action).await? else { return Ok(NoteOutcome::Missing) };
    Ok(if is_there { NoteOutcome::Done(stored) } else { NoteOutcome::Decided(stored) })
}

async fn record(
    accounts: &Accounts,
    store: &EnvironmentStore,
    actor: &Actor,
    stored: &StoredAction,
    (event, before): (AuditEvent, &str),
) -> Result<(), StoreError> {
    let (id, environment) = (stored.action.id, store.name);
    // It is the operators' own work, which the vendor does not see in its history.
    let line = entry(accounts, actor, event).saying(format!("{before}{environment} action {id}"));
    accounts.record(&line).await
}
