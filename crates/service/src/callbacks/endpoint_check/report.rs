//! Explains the result of a check: what was wanted, what came, why it matters, and how to repair it.

use super::code_lines::CodeLanguage;
use crate::web::words::Words;
use std::time::Duration;
use till_domain::{
    endpoint_check::{CheckLevel, CheckStep, CheckVerdict},
    time::Timestamp,
};
use till_store::{StoredCheck, StoredStep};

/// A check with its steps.
#[derive(Debug, Clone)]
pub struct CheckReport {
    pub check: StoredCheck,
    /// `None` while it is running.
    pub verdict: Option<CheckVerdict>,
    /// The steps that were made, in their order.
    pub steps: Vec<StepReport>,
}

/// One step of a report.
#[derive(Debug, Clone)]
pub struct StepReport {
    pub step: CheckStep,
    pub level: CheckLevel,
    pub passed: bool,
    pub took: Duration,
    /// The word of its result.
    pub result: String,
    /// The HTTP status of the answer, if there was one.
    pub status: Option<u16>,
}

impl CheckReport {
    pub(super) fn new(check: StoredCheck, steps: Vec<StoredStep>, now: Timestamp) -> Self {
        let uses_https = check.target.is_https();
        let report = |stored: StoredStep| StepReport {
            step: stored.step,
            level: stored.step.level(uses_https),
            passed: stored.passed,
            took: stored.took,
            result: stored.result,
            status: stored.status,
        };
        let steps = steps.into_iter().map(report).collect();
        Self { verdict: check.verdict(now), check, steps }
    }

    /// The vendor's programming language, if it is known.
    #[must_use]
    pub fn own_language(&self) -> Option<CodeLanguage> {
        self.check.code_language.as_deref().and_then(CodeLanguage::parse)
    }
}

impl StepReport {
    /// False if an earlier step made this one pointless, so that no request was sent.
    #[must_use]
    pub fn was_tried(&self) -> bool {
        self.result != "not_tried"
    }

    /// What the step is about.
    #[must_use]
    pub fn title(&self, t: &Words) -> String {
        t.text(&format!("endpoint-{}", self.step.as_str()))
    }

    /// The answer that a right receiver gives.
    #[must_use]
    pub fn wanted(&self, t: &Words) -> String {
        t.text(match self.step {
            CheckStep::ValidTls => "endpoint-wanted-tls",
            CheckStep::SameEventTwice | CheckStep::OutOfOrder => "endpoint-wanted-both",
            step if step.is_refusal() => "endpoint-wanted-refused",
            _ => "endpoint-wanted-taken",
        })
    }

    /// The answer that came.
    #[must_use]
    pub fn got(&self, t: &Words) -> String {
        match self.status {
            Some(status) => t.with("endpoint-got-status", "status", &status.to_string()),
            None => t.text(&format!("endpoint-got-{}", self.result)),
        }
    }

    /// Why the step matters.
    #[must_use]
    pub fn why(&self, t: &Words) -> String {
        t.text(&format!("endpoint-{}-why", self.step.as_str()))
    }

    /// What to change, if it did not pass.
    #[must_use]
    pub fn repair(&self, t: &Words) -> Option<String> {
        if self.passed {
            return None;
        }
        let never_arrived = self.status.is_none() && self.step != CheckStep::ValidTls;
        Some(match self.result.as_str() {
            "not_tried" => t.text("endpoint-repair-not_tried"),
            "timeout" => t.text("endpoint-repair-timeout"),
            "blocked" => t.text("endpoint-repair-blocked"),
            "tls" => t.text("endpoint-valid_tls-repair"),
            _ if never_arrived => t.text("endpoint-repair-unreachable"),
            _ if self.status.is_some_and(|status| status >= 500) => t.text("endpoint-repair-crash"),
            _ if self.status.is_some_and(|status| (300..400).contains(&status)) => {
                t.text("endpoint-repair-redirect")
            }
            _ => t.text(&format!("endpoint-{}-repair", self.step.as_str())),
        })
    }

    /// The line of code that repairs it.
    #[must_use]
    pub fn code(&self, language: CodeLanguage) -> Option<&'static str> {
        let has_answer = self.status.is_some_and(|status| status < 500 && !(300..400).contains(&status));
        if self.passed || !has_answer { None } else { language.line(self.step) }
    }
}
