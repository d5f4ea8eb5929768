//! The page of reconciliations: the last one of each provider with its verdict, a form to request one, and the
//! list of all runs.

use crate::{
    console::setups::view::setup_name,
    pages::{
        form::{Complaint, Input},
        view::{Crumb, View, template},
    },
};
use till_domain::{
    id::ReconciliationId,
    reconciliation::{MAX_DAYS, PeriodProblem, RunOrigin, RunState},
    time::Timestamp,
};
use till_service::{registry::ProviderKind, web::words::Words};
use till_store::RunCounts;

#[derive(Debug, Clone)]
pub struct ReconciliationsPage {
    /// The providers that can be reconciled, chain by chain, each with its last run.
    pub last: Vec<LastRun>,
    /// The time of the nightly runs in UTC, such as `02:00`.
    pub nightly: Option<String>,
    pub form: RunForm,
    /// The provider whose runs are listed; `None` for all.
    pub only: Option<ProviderKind>,
    /// The runs of this page, newest first.
    pub rows: Vec<RunLine>,
    /// The link to the page of newer runs.
    pub newer: Option<String>,
    /// The link to the page of older runs.
    pub older: Option<String>,
}

/// A provider or a chain with its last run.
#[derive(Debug, Clone)]
pub struct LastRun {
    pub kind: ProviderKind,
    pub chain: Option<String>,
    pub run: Option<RunLine>,
}

impl LastRun {
    pub fn title(&self, t: &Words) -> String {
        run_title(self.kind, self.chain.as_deref(), t)
    }
}

/// The form that requests a run.
#[derive(Debug, Clone, Default)]
pub struct RunForm {
    /// The providers to choose from.
    pub kinds: Vec<ProviderKind>,
    pub chosen: Option<ProviderKind>,
    /// The days, as they were typed.
    pub first: String,
    pub last: String,
    pub problem: Option<RunProblem>,
}

/// The reason why a run was not requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunProblem {
    /// No provider was chosen, or it is not set up.
    Provider,
    Days(PeriodProblem),
    /// A run that was requested before has not ended.
    Waits,
}

/// A run of the reconciliation.
#[derive(Debug, Clone)]
pub struct RunLine {
    pub id: ReconciliationId,
    pub kind: ProviderKind,
    pub chain: Option<String>,
    /// The first and the last day that were compared, in UTC.
    pub days: (String, String),
    pub origin: RunOrigin,
    /// The person who requested it.
    pub by: Option<String>,
    pub requested_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub state: RunState,
    pub counts: RunCounts,
    pub error: Option<String>,
}

/// The name of a provider, with the chain if it is one.
pub fn run_title(kind: ProviderKind, chain: Option<&str>, t: &Words) -> String {
    let name = setup_name(kind, t);
    chain.map_or_else(|| name.clone(), |chain| format!("{name}: {chain}"))
}

impl RunLine {
    pub fn title(&self, t: &Words) -> String {
        run_title(self.kind, self.chain.as_deref(), t)
    }

    /// The result in a few words.
    pub fn verdict(&self, t: &Words) -> String {
        match self.state {
            RunState::Differed => t.count("recon-differed", &self.counts.differences),
            RunState::Waiting if self.error.is_some() => t.text("recon-retries"),
            state => t.text(&format!("recon-{}", state.as_str())),
        }
    }

    /// The CSS class of its colour.
    pub fn class(&self) -> &'static str {
        match self.state {
            RunState::Matched => "paid",
            RunState::Differed => "failed",
            RunState::Failed => "warn",
            RunState::Waiting | RunState::Running => "pending",
        }
    }

    pub fn icon(&self) -> &'static str {
        match self.state {
            RunState::Differed | RunState::Failed => "alert",
            RunState::Matched | RunState::Waiting | RunState::Running => self.class(),
        }
    }

    /// True if its differences are under Needs action.
    pub fn has_differences(&self) -> bool {
        self.counts.differences > 0
    }

    pub fn period(&self, t: &Words) -> String {
        let (first, last) = (t.calendar_day(&self.days.0), t.calendar_day(&self.days.1));
        if self.days.0 == self.days.1 { first } else { t.with_two("span", ("from", &first), ("to", &last)) }
    }

    /// The person or the schedule that started it.
    pub fn starter(&self, t: &Words) -> String {
        match (&self.by, self.origin) {
            (Some(by), RunOrigin::Panel) => by.clone(),
            (_, origin) => t.text(&format!("recon-by-{}", origin.as_str())),
        }
    }

    /// What was compared, in a sentence.
    pub fn compared(&self, t: &Words) -> String {
        t.count("recon-compared", &self.counts.compared)
    }

    /// What was left out of the comparison.
    pub fn left_out(&self, t: &Words) -> Vec<String> {
        let RunCounts { under_way, without_till, .. } = self.counts;
        let all = [("recon-under-way", under_way), ("recon-without-till", without_till)];
        all.iter().filter(|(_, count)| *count > 0).map(|(key, count)| t.count(key, count)).collect()
    }
}

impl RunForm {
    pub fn is_chosen(&self, kind: &ProviderKind) -> bool {
        self.chosen == Some(*kind)
    }

    pub fn provider_name(&self, kind: &ProviderKind, t: &Words) -> String {
        setup_name(*kind, t)
    }

    fn complaint(&self, t: &Words) -> Option<Complaint> {
        Some(match self.problem? {
            RunProblem::Provider => Complaint::about("provider", t.text("recon-wrong-provider")),
            RunProblem::Waits => Complaint::general(t.text("recon-waits")),
            RunProblem::Days(PeriodProblem::First) => Complaint::about("first", t.text("recon-wrong-day")),
            RunProblem::Days(PeriodProblem::Last) => Complaint::about("last", t.text("recon-wrong-day")),
            RunProblem::Days(PeriodProblem::Order) => Complaint::about("last", t.text("recon-wrong-order")),
            RunProblem::Days(PeriodProblem::Future) => Complaint::about("last", t.text("recon-wrong-future")),
            RunProblem::Days(PeriodProblem::TooLong) => {
                Complaint::about("last", t.count("recon-too-long", &u64::from(MAX_DAYS)))
            }
        })
    }

    /// The message about the choice of a provider.
    pub fn provider_error(&self, t: &Words) -> Option<String> {
        self.complaint(t).filter(|complaint| complaint.is_about("provider")).map(|complaint| complaint.text)
    }

    pub fn days(&self, t: &Words) -> [Input; 2] {
        let complaints: Vec<_> = self.complaint(t).into_iter().collect();
        let day = |name, key, value: &str| {
            Input::new(name, t.text(key)).kind("date").value(value).required().marked(&complaints)
        };
        [day("first", "recon-first", &self.first), day("last", "recon-last", &self.last)]
    }
}

impl ReconciliationsPage {
    /// When the service reconciles by itself, in a sentence.
    pub fn schedule(&self, t: &Words) -> String {
        match &self.nightly {
            Some(at) => t.with("recon-nightly-on", "time", at),
            None => t.text("recon-nightly-off"),
        }
    }
}

impl View for ReconciliationsPage {
    fn kind(&self) -> &'static str {
        "reconciliations"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("recon-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/providers", t.text("nav-providers"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.form.complaint(t).into_iter().collect()
    }

    template!(write, view: ReconciliationsPage, "operator/reconciliations.html");
}
