//! The form of a set-up, made from the description of its fields. An empty secret stays as it is; secrets
//! that were entered and not saved yet travel encrypted in the page.

pub mod pieces;
pub mod view;

use super::{
    PLACE,
    attempt::{Outcome, StoredDocument, attempt},
    changeable,
    guide::Guide,
    path,
};
use crate::{
    Panel,
    console::setups::form::view::SetupForm,
    pages::FlashMessage,
    sealed,
    visit::{Answer, Visit, done},
};
use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use std::{collections::BTreeSet, sync::Arc};
use till_providers::form::{FieldKind, FilledForm, FormValues, KeptSecret, fill, has_comments, kind_of};
use till_service::registry::ProviderKind;

/// The hidden field with the secrets that were entered before.
const CARRIED: &str = "carried";

/// What the name of a field ends with that removes another one.
const REMOVE: &str = "-remove";

pub(super) async fn edit(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    let kind = changeable(&panel, &name)?;
    let stored = StoredDocument::of(&panel, kind).await?;
    let form = match stored.text {
        Some(_) => FilledForm::stored(kind.fields(), stored.text()),
        None => template(kind),
    };
    Ok(visit.page(&panel, PLACE, page(&panel, kind, &stored, form)))
}

/// The values that a form begins with: those of the template, without the secrets that are examples there.
fn template(kind: ProviderKind) -> FilledForm {
    let mut form = FilledForm::stored(kind.fields(), kind.template());
    for name in std::mem::take(&mut form.kept).into_keys() {
        form.values.set(name, "");
    }
    form
}

fn page(panel: &Panel, kind: ProviderKind, stored: &StoredDocument, form: FilledForm) -> SetupForm {
    let token = form.values.get("notice_token");
    SetupForm {
        guide: Guide::of(panel, kind, stored.version, token),
        kind,
        form,
        version: stored.version,
        drops_comments: has_comments(stored.text()),
        carried: String::new(),
        problems: Vec::new(),
        contradictions: Vec::new(),
        moved: false,
        checks: None,
    }
}

pub(super) async fn send(State(panel): State<Arc<Panel>>, visit: Visit, Path(name): Path<String>) -> Answer {
    let kind = changeable(&panel, &name)?;
    let stored = StoredDocument::of(&panel, kind).await?;
    let seen = visit.form.get("version").parse().unwrap_or(0);
    let shown = shown(&panel, &visit, (kind, seen), &stored);
    let form = filled(kind, &visit, &shown);
    let moved = seen != stored.version;
    let outcome = if moved {
        Outcome::Moved
    } else {
        attempt(&panel, &visit, (kind, seen), form.values.document(kind.fields())).await?
    };
    let carried = carry(&panel, &visit, (kind, seen), &form);
    let view = SetupForm { carried, version: seen, ..page(&panel, kind, &stored, form) };
    let again = |status, view: SetupForm| Ok(visit.answer(&panel, status, PLACE, view));
    match outcome {
        Outcome::Saved => Ok(done(&path(kind), FlashMessage::Saved)),
        Outcome::Tested(checks) => again(StatusCode::OK, SetupForm { checks: Some(checks), ..view }),
        Outcome::Wrong(problems) => again(StatusCode::UNPROCESSABLE_ENTITY, SetupForm { problems, ..view }),
        Outcome::Contradicted(contradictions, checks) => {
            let view = SetupForm { contradictions, checks: Some(checks), ..view };
            again(StatusCode::UNPROCESSABLE_ENTITY, view)
        }
        Outcome::Moved => again(StatusCode::CONFLICT, SetupForm { moved: true, ..view }),
    }
}

/// The values that were sent, with the secrets that empty fields stand for.
fn filled(kind: ProviderKind, visit: &Visit, shown: &FilledForm) -> FilledForm {
    let fields = kind.fields();
    let (mut typed, mut removed) = (FormValues::default(), BTreeSet::new());
    for (name, value) in visit.form.pairs() {
        match kind_of(fields, name) {
            Some(FieldKind::Choices(..)) => {
                typed.set(name.clone(), visit.form.all(name).collect::<Vec<_>>().join(" "));
            }
            Some(FieldKind::Rows(_) | FieldKind::List(..)) => {}
            Some(_) => typed.set(name.clone(), value),
            None => removed.extend(name.strip_suffix(REMOVE).map(str::to_owned)),
        }
    }
    fill(fields, &typed, &removed, shown)
}

fn purpose((kind, seen): (ProviderKind, i64)) -> String {
    format!("set-up/{}/{seen}", kind.name())
}

/// Seals what the secrets of a form are: a stored one by its name, an entered one itself.
fn carry(panel: &Panel, visit: &Visit, setup: (ProviderKind, i64), form: &FilledForm) -> String {
    let kept: Vec<(&str, String)> =
        form.kept.iter().map(|(name, kept)| (name.as_str(), word(kept))).collect();
    sealed::seal(panel, visit, &purpose(setup), kept.iter().map(|(name, kept)| (*name, kept.as_str())))
}

fn word(kept: &KeptSecret) -> String {
    match kept {
        KeptSecret::Stored(name) => format!("stored:{name}"),
        KeptSecret::Entered(value) => format!("entered:{value}"),
    }
}

/// The form as the page had it: with the stored secrets, or with those that it carried.
fn shown(panel: &Panel, visit: &Visit, setup: (ProviderKind, i64), stored: &StoredDocument) -> FilledForm {
    let form = FilledForm::stored(setup.0.fields(), stored.text());
    let carried = sealed::open(panel, visit, &purpose(setup), visit.form.get(CARRIED));
    let Some(carried) = carried else { return form };
    let mut shown = FilledForm::default();
    for (name, word) in carried.pairs() {
        let (kept, value) = match word.split_once(':') {
            Some(("stored", of)) => (KeptSecret::Stored(of.to_owned()), form.values.get(of)),
            Some(("entered", value)) => (KeptSecret::Entered(value.to_owned()), value),
            _ => continue,
        };
        shown.values.set(name.clone(), value);
        shown.kept.insert(name.clone(), kept);
    }
    shown
}
