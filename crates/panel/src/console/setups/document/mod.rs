//! A set-up as a document (TOML). Placeholders stand for its secrets: those that are stored, and those that
//! were entered and not saved yet, which travel encrypted in the page.

pub mod view;

use super::{
    PLACE,
    attempt::{Outcome, StoredDocument, attempt},
    changeable, path,
};
use crate::{
    Panel,
    console::setups::document::view::EditSetup,
    pages::FlashMessage,
    sealed,
    visit::{Answer, Visit, done},
};
use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use std::sync::Arc;
use till_providers::form::{SetupProblem, mask, unmask};
use till_service::registry::ProviderKind;

const MAX_DOCUMENT: usize = 16 * 1024;

/// The hidden field with the secrets that were entered before.
const CARRIED: &str = "carried";

pub(super) async fn edit(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    let kind = changeable(&panel, &name)?;
    let stored = StoredDocument::of(&panel, kind).await?;
    let document = match stored.text {
        Some(_) => stored.masked(kind).text,
        None => kind.template().to_owned(),
    };
    Ok(visit.page(&panel, PLACE, EditSetup::of(kind, document, stored.version)))
}

pub(super) async fn send(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    let kind = changeable(&panel, &name)?;
    let stored = StoredDocument::of(&panel, kind).await?;
    // Browsers send lines that end in CR LF.
    let text = visit.form.get("document").replace("\r\n", "\n");
    let seen = visit.form.get("version").parse().unwrap_or(0);
    let mut entered = entered(&panel, &visit, (kind, seen));
    let outcome = if seen == stored.version {
        match read(&text, kind, &stored, &entered) {
            Ok(document) => attempt(&panel, &visit, (kind, seen), document).await?,
            Err(problems) => {
                let view = EditSetup { problems, ..again(&panel, &visit, (kind, seen), &text, &mut entered) };
                return Ok(visit.again(&panel, PLACE, view));
            }
        }
    } else {
        Outcome::Moved
    };
    let view = again(&panel, &visit, (kind, seen), &text, &mut entered);
    let answer = |status, view: EditSetup| Ok(visit.answer(&panel, status, PLACE, view));
    let sentences = |problems: Vec<SetupProblem>| problems.iter().map(SetupProblem::to_string).collect();
    match outcome {
        Outcome::Saved => Ok(done(&path(kind), FlashMessage::Saved)),
        Outcome::Tested(checks) => answer(StatusCode::OK, EditSetup { checks: Some(checks), ..view }),
        Outcome::Wrong(problems) => {
            answer(StatusCode::UNPROCESSABLE_ENTITY, EditSetup { problems: sentences(problems), ..view })
        }
        Outcome::Contradicted(problems, checks) => {
            let view = EditSetup { problems, checks: Some(checks), ..view };
            answer(StatusCode::UNPROCESSABLE_ENTITY, view)
        }
        Outcome::Moved => answer(StatusCode::CONFLICT, EditSetup { moved: true, ..view }),
    }
}

/// The document with its secrets; an error lists the problems.
fn read(
    text: &str,
    kind: ProviderKind,
    stored: &StoredDocument,
    entered: &[String],
) -> Result<String, Vec<String>> {
    if text.len() > MAX_DOCUMENT {
        return Err(vec![format!("the document is longer than {MAX_DOCUMENT} bytes")]);
    }
    let problems = |all: Vec<SetupProblem>| all.iter().map(SetupProblem::to_string).collect::<Vec<_>>();
    unmask(kind.fields(), text, &stored.masked(kind).secrets, entered).map_err(problems)
}

fn purpose((kind, seen): (ProviderKind, i64)) -> String {
    format!("set-up document/{}/{seen}", kind.name())
}

/// The secrets that were entered before.
fn entered(panel: &Panel, visit: &Visit, setup: (ProviderKind, i64)) -> Vec<String> {
    let carried = sealed::open(panel, visit, &purpose(setup), visit.form.get(CARRIED));
    carried
        .into_iter()
        .flat_map(|fields| fields.all("entered").map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// The document to show again, with placeholders for the secrets that were entered.
fn again(
    panel: &Panel,
    visit: &Visit,
    (kind, seen): (ProviderKind, i64),
    text: &str,
    entered: &mut Vec<String>,
) -> EditSetup {
    let masked = mask(kind.fields(), text, "entered", entered.len() + 1);
    entered.extend(masked.secrets);
    let fields = entered.iter().map(|secret| ("entered", secret.as_str()));
    let carried = sealed::seal(panel, visit, &purpose((kind, seen)), fields);
    EditSetup { carried, ..EditSetup::of(kind, masked.text, seen) }
}
