//! The page with the form of a set-up. It renders any description of fields; the words of a field are found
//! by the name of its provider and its key.

use crate::{
    console::setups::{
        form::pieces::{Builder, FieldPiece, Piece, RowPiece, SecretState},
        guide::Guide,
        view::{CheckLine, setup_name},
    },
    pages::{
        form::Complaint,
        view::{Crumb, View, template},
    },
};
use std::fmt;
use till_providers::form::{FieldKind, FilledForm, SetupProblem};
use till_service::{registry::ProviderKind, web::words::Words};

/// The form of a set-up.
#[derive(Clone)]
pub struct SetupForm {
    pub kind: ProviderKind,
    pub form: FilledForm,
    /// What to enter at the provider.
    pub guide: Guide,
    /// The version that was read (compare-and-set); 0 if nothing is stored yet.
    pub version: i64,
    /// True if the stored document has comments, which are lost when the form is saved.
    pub drops_comments: bool,
    /// The secrets that were entered and not saved, encrypted.
    pub carried: String,
    pub problems: Vec<SetupProblem>,
    /// What the provider says against the set-up.
    pub contradictions: Vec<String>,
    /// True if another user changed it meanwhile.
    pub moved: bool,
    /// The results of a test.
    pub checks: Option<Vec<CheckLine>>,
}

/// Leaves out secrets.
impl fmt::Debug for SetupForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SetupForm").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl SetupForm {
    /// The pieces of the form, in the order of the page.
    pub fn pieces(&self) -> Vec<Piece> {
        let proposed = self.guide.fresh_token();
        let mut builder =
            Builder { form: &self.form, problems: &self.problems, proposed, pieces: Vec::new() };
        builder.table(self.kind.fields(), "", self.kind.name());
        builder.pieces
    }

    /// A problem in the reader's language.
    pub fn said(&self, problem: &SetupProblem, t: &Words) -> String {
        let rule = problem.rule.word();
        let key = format!("rule-{rule}");
        match problem.values.as_slice() {
            [] => t.text(&key),
            [(name, value)] => t.with(&key, name, value),
            [(name, value), (other, more), ..] => t.with_two(&key, (name, value), (other, more)),
        }
    }

    /// The ids that a problem can lead to, with their labels.
    fn ids(&self, t: &Words) -> Vec<(String, String)> {
        let id = |piece: Piece| match piece {
            Piece::Field(field) => Some((field.name.clone(), field.label(t))),
            Piece::List { id, word, .. } => Some((id, t.text(&format!("list-{word}")))),
            _ => None,
        };
        self.pieces().into_iter().filter_map(id).collect()
    }
}

impl RowPiece {
    /// Its heading.
    pub fn heading(&self, t: &Words) -> String {
        let word = &self.word;
        if self.is_new {
            return t.text(&format!("row-new-{word}"));
        }
        t.with(&format!("row-{word}"), "number", &self.number.to_string())
    }
}

impl FieldPiece {
    pub fn label(&self, t: &Words) -> String {
        let word = &self.word;
        match self.number {
            Some(number) => t.with(&format!("field-{word}"), "number", &number.to_string()),
            None => t.text(&format!("field-{word}")),
        }
    }

    /// Where the value is found, and what it means. A list says it once.
    pub fn help(&self, t: &Words) -> Option<String> {
        let word = &self.word;
        self.number.is_none_or(|number| number == 1).then(|| t.text(&format!("about-{word}")))
    }

    /// What is known of a secret.
    pub fn kept(&self, t: &Words) -> Option<String> {
        match &self.secret {
            SecretState::Unset => None,
            SecretState::Stored(hint) if hint.is_empty() => Some(t.text("secret-stored")),
            SecretState::Stored(hint) => Some(t.with("secret-stored-hint", "hint", hint)),
            SecretState::Entered(hint) if hint.is_empty() => Some(t.text("secret-entered")),
            SecretState::Entered(hint) => Some(t.with("secret-entered-hint", "hint", hint)),
        }
    }

    /// The `type` of its control.
    pub fn control(&self) -> &'static str {
        match self.kind {
            FieldKind::Secret => "password",
            FieldKind::Token if self.value.is_empty() => "password",
            FieldKind::Address | FieldKind::SecretAddress => "url",
            FieldKind::Number => "number",
            _ => "text",
        }
    }

    /// The words to choose from, each with whether it is chosen.
    pub fn choices(&self) -> Option<Vec<(&'static str, bool)>> {
        let FieldKind::Choices(all, _) = self.kind else { return None };
        let chosen: Vec<&str> = self.value.split(' ').collect();
        Some(all.iter().map(|word| (*word, chosen.contains(word))).collect())
    }

    /// The name of a choice: that of a method, or a currency code.
    pub fn choice_name(&self, choice: &str, t: &Words) -> String {
        let words = match self.word.rsplit('-').next() {
            Some("methods") => "method",
            Some("receipt_contacts") => "receipt-contact",
            _ => return choice.to_owned(),
        };
        t.text(&format!("{words}-{choice}"))
    }

    pub fn is_decimal(&self) -> bool {
        self.kind == FieldKind::Decimal
    }

    /// The ids of its hint, its state and its error message (`aria-describedby`).
    pub fn described_by(&self) -> String {
        let (name, has_help) = (&self.name, self.number.is_none_or(|number| number == 1));
        let parts = [
            ("hint", has_help),
            ("kept", self.secret != SecretState::Unset),
            ("error", !self.problems.is_empty()),
        ];
        let ids = parts.into_iter().filter(|(_, there)| *there).map(|(part, _)| format!("{name}-{part}"));
        ids.collect::<Vec<_>>().join(" ")
    }
}

impl View for SetupForm {
    fn kind(&self) -> &'static str {
        "setup-form"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(&format!("setup-edit-heading-{}", self.kind.name()))
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![
            Crumb::new("/operator/providers", t.text("nav-providers")),
            Crumb::new(&format!("/operator/providers/{}", self.kind.name()), setup_name(self.kind, t)),
        ]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        if self.moved {
            return vec![Complaint::general(t.text("setup-form-moved"))];
        }
        let ids = self.ids(t);
        let mut complaints: Vec<Complaint> = Vec::new();
        for problem in &self.problems {
            let (field, text) = (problem.field.as_str(), self.said(problem, t));
            let label = ids.iter().find(|(id, _)| id == field).map(|(_, label)| label);
            let Some(label) = label else {
                if complaints.iter().all(|known| known.text != text) {
                    complaints.push(Complaint::general(text));
                }
                continue;
            };
            // One link for each field, whatever is wrong with it.
            match complaints.iter_mut().find(|known| known.is_about(field)) {
                Some(known) => known.text = format!("{} {text}", known.text),
                None => {
                    let text = t.with_two("setup-field-problem", ("field", label), ("problem", &text));
                    complaints.push(Complaint::about(field.to_owned(), text));
                }
            }
        }
        complaints.extend(self.contradictions.iter().map(|text| Complaint::general(text.clone())));
        complaints
    }

    template!(write, view: SetupForm, "operator/setup-form.html");
}
