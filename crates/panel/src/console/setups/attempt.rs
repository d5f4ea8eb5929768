//! Testing and saving a set-up, whether it was written as a form or as a document.

use crate::{
    Panel,
    console::setups::view::{CheckLine, CheckOutcome},
    visit::{Refused, Visit},
};
use secrecy::{ExposeSecret as _, SecretString};
use till_providers::{
    Check, CheckVerdict,
    form::{MaskedDocument, SetupProblem, mask},
};
use till_service::{
    admin::AdminError,
    registry::{self, Prober, ProviderKind},
};

/// The stored document of a provider.
pub(super) struct StoredDocument {
    pub(super) text: Option<SecretString>,
    /// Its version; 0 if nothing is stored.
    pub(super) version: i64,
}

impl StoredDocument {
    /// The stored document, to be edited. Its secrets are shown to no one, so this is not recorded as a secret
    /// that was revealed.
    pub(super) async fn of(panel: &Panel, kind: ProviderKind) -> Result<Self, Refused> {
        let open = panel.admin.setup(kind.name()).await?;
        let version = open.as_ref().map_or(0, |open| open.stored.version);
        Ok(Self { text: open.map(|open| open.document), version })
    }

    /// Its text; empty if nothing is stored.
    pub(super) fn text(&self) -> &str {
        self.text.as_ref().map_or("", |text| text.expose_secret())
    }

    /// Its text with placeholders, and its secrets.
    pub(super) fn masked(&self, kind: ProviderKind) -> MaskedDocument {
        mask(kind.fields(), self.text(), "stored", 1)
    }
}

/// What became of a set-up that was sent.
pub(super) enum Outcome {
    Saved,
    Tested(Vec<CheckLine>),
    /// The document cannot be used.
    Wrong(Vec<SetupProblem>),
    /// The provider contradicts the document.
    Contradicted(Vec<String>, Vec<CheckLine>),
    /// Another user changed it meanwhile.
    Moved,
}

impl Panel {
    /// The prober of the console, which looks for webhooks too.
    pub(super) fn prober(&self) -> Prober {
        self.registry.prober().at(&self.base_url)
    }
}

/// Tests or saves a document. `seen` is the version that the user began with.
pub(super) async fn attempt(
    panel: &Panel,
    visit: &Visit,
    (kind, seen): (ProviderKind, i64),
    document: String,
) -> Result<Outcome, Refused> {
    let plan = match kind.check(&document) {
        Ok(plan) => plan,
        Err(problems) => return Ok(Outcome::Wrong(problems)),
    };
    let secrets = mask(kind.fields(), &document, "entered", 1).secrets;
    let prober = panel.prober();
    if visit.form.get("do") == "test" {
        let prober = prober.for_vendors(&panel.admin.accounts).await?;
        return Ok(Outcome::Tested(check_lines(registry::probe(&plan, &prober).await, &secrets)));
    }
    if let Some(checks) = registry::contradictions(&plan, &prober).await {
        let problems = registry::contradicted(&checks).iter().map(|text| without(text, &secrets)).collect();
        return Ok(Outcome::Contradicted(problems, check_lines(checks, &secrets)));
    }
    match panel.admin.set_up(&visit.actor(), (kind.name(), seen), &document.into()).await {
        Ok(()) => {
            // Applies the change in this process now, instead of at the next poll.
            panel.registry.pass().await?;
            Ok(Outcome::Saved)
        }
        Err(AdminError::SetupMoved) => Ok(Outcome::Moved),
        Err(error) => Err(error.into()),
    }
}

/// The results of a test for a page. What a provider says could repeat a key that it was sent.
pub(super) fn check_lines(checks: Vec<Check>, secrets: &[String]) -> Vec<CheckLine> {
    let line = |check: Check| {
        let outcome = match check.outcome {
            CheckVerdict::Ok => CheckOutcome::Good,
            CheckVerdict::Warn => CheckOutcome::Doubtful,
            CheckVerdict::Unreachable => CheckOutcome::Unreachable,
            CheckVerdict::Fail | CheckVerdict::Contradicts => CheckOutcome::Bad,
        };
        CheckLine { what: check.what, outcome, sentence: without(&check.sentence, secrets) }
    };
    checks.into_iter().map(line).collect()
}

/// A text without these secrets.
fn without(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "…"))
}
