//! The pages of endpoint checks: the form with the history, and the report of one check.

use crate::{
    pages::{
        form::{Complaint, Input},
        view::{Crumb, View, template},
    },
    settings::view::of_url,
};
use till_domain::{
    endpoint_check::{CheckLevel, CheckStep, CheckVerdict},
    id::{CheckId, VendorId},
    time::Timestamp,
    weburl::UrlProblem,
};
use till_service::{
    callbacks::endpoint_check::{CodeLanguage, StepReport},
    web::words::Words,
};

/// A check in a list.
#[derive(Debug, Clone)]
pub struct CheckLine {
    pub id: CheckId,
    pub target: String,
    /// `None` while it is running.
    pub verdict: Option<CheckVerdict>,
    pub at: Timestamp,
    /// The user who started it; `None` for the API.
    pub by: Option<String>,
}

impl CheckLine {
    pub fn class(&self) -> &'static str {
        match self.verdict {
            None => "pending",
            Some(CheckVerdict::Ready) => "paid",
            Some(CheckVerdict::NotReady) => "failed",
        }
    }

    /// The word of its state.
    pub fn word(&self) -> &'static str {
        self.verdict.map_or("running", CheckVerdict::as_str)
    }

    pub fn text(&self, t: &Words) -> String {
        t.text(&format!("endpoint-{}", self.word()))
    }

    pub fn author(&self, t: &Words) -> String {
        self.by.clone().unwrap_or_else(|| t.text("endpoint-by-api"))
    }
}

/// The form, and the checks so far.
#[derive(Debug, Clone)]
pub struct CheckPage {
    /// The URL to check, as stored or as typed.
    pub callback_url: String,
    pub problem: Option<CheckProblem>,
    pub can_run: bool,
    /// Newest first.
    pub history: Vec<CheckLine>,
}

/// Why a check did not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckProblem {
    NoUrl,
    Url(UrlProblem),
    Running,
    TooMany,
}

impl CheckProblem {
    fn complaint(self, t: &Words) -> Complaint {
        match self {
            Self::NoUrl => Complaint::about("callback_url", t.text("endpoint-url-missing")),
            Self::Url(problem) => Complaint::about("callback_url", of_url(problem, t)),
            Self::Running => Complaint::general(t.text("endpoint-running-already")),
            Self::TooMany => Complaint::general(t.text("endpoint-too-many")),
        }
    }
}

impl CheckPage {
    pub fn about(&self, t: &Words) -> String {
        t.count("endpoint-about", &u64::try_from(CheckStep::ALL.len()).unwrap_or_default())
    }

    pub fn input(&self, t: &Words) -> Input {
        let complaint = self.problem.map(|problem| problem.complaint(t));
        let error = complaint.filter(|complaint| complaint.is_about("callback_url")).map(|it| it.text);
        Input {
            error,
            max: Some(2048),
            ..Input::new("callback_url", t.text("endpoint-url"))
                .kind("url")
                .hint(t.text("endpoint-url-hint"))
                .value(&self.callback_url)
        }
    }
}

/// The report of a check.
#[derive(Debug, Clone)]
pub struct ReportPage {
    pub line: CheckLine,
    /// The vendor and its name, for the operator.
    pub vendor: Option<(VendorId, String)>,
    /// The vendor's programming language, if it is known.
    pub own_language: Option<CodeLanguage>,
    /// The steps that were made.
    pub steps: Vec<StepReport>,
}

impl ReportPage {
    pub fn progress(&self, t: &Words) -> String {
        let (made, all) = (self.steps.len().to_string(), CheckStep::ALL.len().to_string());
        t.with_two("endpoint-progress", ("made", &made), ("all", &all))
    }

    /// The steps made and all steps.
    pub fn made(&self) -> (usize, usize) {
        (self.steps.len(), CheckStep::ALL.len())
    }

    /// What the verdict means.
    pub fn summary(&self, t: &Words) -> Option<String> {
        let verdict = self.line.verdict?;
        let lost = self.steps.len() < CheckStep::ALL.len();
        let word = if lost { "lost" } else { verdict.as_str() };
        // The operator reads about the endpoint of a vendor.
        let reader = if self.vendor.is_some() { "vendor-" } else { "" };
        Some(t.text(&format!("endpoint-summary-{reader}{word}")))
    }

    /// The lines of code that repair a step: the vendor's own language, or all.
    pub fn code(&self, step: &StepReport) -> Vec<(&'static str, &'static str)> {
        let languages = match self.own_language {
            Some(own) => vec![own],
            None => CodeLanguage::ALL.to_vec(),
        };
        languages.into_iter().filter_map(|one| Some((one.name(), step.code(one)?))).collect()
    }

    pub fn class(&self, step: &StepReport) -> &'static str {
        match (step.passed, step.level) {
            (true, _) => "paid",
            _ if !step.was_tried() => "expired",
            (false, CheckLevel::Must) => "failed",
            (false, CheckLevel::Should) => "warn",
        }
    }

    /// The word of the step's result.
    pub fn word(&self, step: &StepReport, t: &Words) -> String {
        t.text(match (step.passed, step.level) {
            (true, _) => "endpoint-passed",
            _ if !step.was_tried() => "endpoint-not_tried",
            (false, CheckLevel::Must) => "endpoint-failed",
            (false, CheckLevel::Should) => "endpoint-advice",
        })
    }

    /// The icon of the step's result.
    pub fn icon(&self, step: &StepReport) -> &'static str {
        match (step.passed, step.level) {
            (true, _) => "paid",
            _ if !step.was_tried() => "expired",
            (false, CheckLevel::Must) => "failed",
            (false, CheckLevel::Should) => "alert",
        }
    }
}

impl View for CheckPage {
    fn kind(&self) -> &'static str {
        "endpoint-check"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("endpoint-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/settings", t.text("nav-settings"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.problem.map(|problem| problem.complaint(t)).into_iter().collect()
    }

    template!(write, view: CheckPage, "panel/endpoint-check.html");
}

impl View for ReportPage {
    fn kind(&self) -> &'static str {
        "check-report"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("endpoint-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        match &self.vendor {
            Some((id, name)) => vec![
                Crumb::new("/operator/vendors", t.text("nav-vendors")),
                Crumb::new(&format!("/operator/vendors/{id}"), name.clone()),
            ],
            None => vec![
                Crumb::new("/panel/settings", t.text("nav-settings")),
                Crumb::new("/panel/settings/endpoint-check", t.text("endpoint-heading")),
            ],
        }
    }

    template!(write, view: ReportPage, "panel/check-report.html");
}
