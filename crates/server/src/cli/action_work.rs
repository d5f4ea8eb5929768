//! `till action assign` and `till action note`: who works on an open action, and notes on it.

use super::{
    action::{ActionRow, no_such_action},
    context::Context,
    output::print,
};
use anyhow::{anyhow, bail};
use serde::Serialize;
use std::time::Duration;
use till_domain::{
    audit::Actor,
    environment::EnvironmentName,
    id::{ActionId, NoteId},
    text,
    transaction::ActionNote,
};
use till_service::{
    admin::{self, AssignOutcome, Assignment, NoteOutcome},
    random,
};
use till_store::{Payments, StoredAction};

/// A note, as it is printed.
#[derive(Serialize)]
pub(super) struct NoteRow {
    created_at: String,
    author: String,
    text: String,
}

impl NoteRow {
    /// The note on one line.
    pub(super) fn line(&self) -> String {
        format!("{} {}: {}", self.created_at, self.author, self.text.replace('\n', " / "))
    }
}

impl From<&ActionNote> for NoteRow {
    fn from(note: &ActionNote) -> Self {
        Self { created_at: note.at.to_string(), author: note.by.clone(), text: note.text.clone() }
    }
}

fn resolved(stored: &StoredAction) -> anyhow::Error {
    let id = stored.action.id;
    anyhow!("action {id} is already resolved, and nothing was changed; `till action show {id}` shows how")
}

/// Assigns an action, or releases it.
pub(super) async fn assign(
    context: &Context,
    json: bool,
    environment: EnvironmentName,
    (id, to): (ActionId, Option<&str>),
) -> anyhow::Result<()> {
    let store = context.store(environment);
    let Some(seen) = store.action(id).await? else { return Err(no_such_action(id)) };
    let assignment = Assignment { action: id, to, was: seen.assignee.as_deref() };
    let stored = match admin::assign(&context.accounts, store, &Actor::shell(), assignment).await? {
        AssignOutcome::Done(stored) => stored,
        AssignOutcome::Missing => return Err(no_such_action(id)),
        AssignOutcome::Decided(stored) => return Err(resolved(&stored)),
        AssignOutcome::Moved(stored) => {
            let whose = stored.assignee.as_deref().unwrap_or("nobody");
            bail!("another operator changed the assignee at the same time: it is {whose} now")
        }
        AssignOutcome::NoOperator(_) => bail!(
            "there is no active operator with the address {}; `till user list` lists users",
            to.unwrap_or_default()
        ),
    };
    print(json, &ActionRow::from(&stored), |_| match &stored.assignee {
        Some(email) => format!("Action {id} is assigned to {email}."),
        None => format!("Action {id} is assigned to nobody."),
    })
}

/// Adds a note to an action.
pub(super) async fn note(
    context: &Context,
    json: bool,
    environment: EnvironmentName,
    (id, typed, by): (ActionId, &str, String),
) -> anyhow::Result<()> {
    let store = context.store(environment);
    let text = text::note(typed).map_err(|problem| anyhow!("the note {problem}"))?;
    let author = text::name(&by).map_err(|problem| anyhow!("--by {problem}"))?;
    let new = (random::id::<NoteId>(store.now()), id, author.as_str(), text);
    match admin::add_note(&context.accounts, store, &Actor::shell(), new).await? {
        NoteOutcome::Done(_) => {}
        NoteOutcome::Missing => return Err(no_such_action(id)),
        NoteOutcome::Decided(stored) => return Err(resolved(&stored)),
    }
    let notes: Vec<_> = store.notes_on(id).await?.iter().map(NoteRow::from).collect();
    print(json, &notes, |_| format!("The note was added to action {id}."))
}

/// The period of decisions that the figures count.
const DECIDED_IN: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How long actions wait.
#[derive(Serialize)]
struct FiguresReport {
    open: u64,
    oldest_open_s: Option<u64>,
    median_open_s: Option<u64>,
    decided_in_30_days: u64,
    median_to_decide_s: Option<u64>,
}

/// Prints how long actions wait.
pub(super) async fn figures(payments: &Payments, json: bool) -> anyhow::Result<()> {
    let now = payments.now();
    let found = payments.action_figures(now.minus(DECIDED_IN)).await?;
    let report = FiguresReport {
        open: found.open,
        oldest_open_s: found.oldest.map(|at| now.since(at).as_secs()),
        median_open_s: found.middle.map(|at| now.since(at).as_secs()),
        decided_in_30_days: found.decided,
        median_to_decide_s: found.time_to_decide.map(|took| took.as_secs()),
    };
    print(json, &report, |report| {
        let time = |seconds: Option<u64>| seconds.map_or_else(|| "-".to_owned(), hours);
        [
            ("open", report.open.to_string()),
            ("oldest open", time(report.oldest_open_s)),
            ("median open", time(report.median_open_s)),
            ("decided in the last 30 days", report.decided_in_30_days.to_string()),
            ("median time to a decision", time(report.median_to_decide_s)),
        ]
        .map(|(name, value)| format!("{name:30}{value}"))
        .join("\n")
    })
}

/// A duration in hours and minutes.
fn hours(seconds: u64) -> String {
    format!("{} h {} min", seconds / 3_600, seconds / 60 % 60)
}
