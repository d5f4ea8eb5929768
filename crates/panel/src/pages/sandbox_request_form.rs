//! The form of who asked for a change and why, filled in by an operator.

use crate::pages::form::{Complaint, Input};
use till_domain::audit::SandboxRequestProblem;
use till_service::web::words::Words;

/// The fields as typed.
#[derive(Debug, Clone, Default)]
pub struct SandboxRequestForm {
    pub by: String,
    pub why: String,
    pub problems: Vec<SandboxRequestProblem>,
}

impl SandboxRequestForm {
    pub fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let complaints = self.problems.iter().map(|problem| match problem {
            SandboxRequestProblem::ByMissing => Complaint::about("asked_by", t.text("asked-by-missing")),
            SandboxRequestProblem::ByTooLong => Complaint::about("asked_by", t.text("asked-by-long")),
            SandboxRequestProblem::WhyMissing => Complaint::about("why", t.text("why-missing")),
            SandboxRequestProblem::WhyTooLong => Complaint::about("why", t.text("reason-long")),
        });
        complaints.collect()
    }

    pub fn inputs(&self, t: &Words) -> [Input; 2] {
        let complaints = self.complaints(t);
        let by = Input::new("asked_by", t.text("asked-by")).value(&self.by).required().max(254);
        let why = Input::new("why", t.text("why")).value(&self.why).required().max(500);
        let (by, why) = (by.hint(t.text("asked-by-hint")), why.hint(t.text("why-hint")));
        [by.marked(&complaints), why.marked(&complaints)]
    }
}
