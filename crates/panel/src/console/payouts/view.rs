//! The pages of payouts of all vendors, and of the operator's next step for one.

use crate::{
    pages::{
        form::{Complaint, Input},
        view::{Crumb, View, template},
    },
    payments::payout::view::PayoutLine,
};
use till_domain::payout::{Payout, PayoutState};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct Payouts {
    /// True if finished payouts are shown too.
    pub all: bool,
    /// The payouts of this page, newest first.
    pub rows: Vec<PayoutLine>,
    /// The link to the page of newer payouts.
    pub newer: Option<String>,
    /// The link to the page of older payouts.
    pub older: Option<String>,
}

/// The page that asks for confirmation of a step, or says that it is no longer possible.
#[derive(Debug, Clone)]
pub struct StepPayout {
    pub line: PayoutLine,
    /// The new state.
    pub step: PayoutState,
    pub note: String,
    /// True if the note is missing or too long.
    pub wrong: bool,
}

impl StepPayout {
    /// True if the payout can still move to that state.
    pub fn fits(&self) -> bool {
        self.line.state.next().contains(&self.step)
    }

    pub fn field(&self, t: &Words) -> Option<Input> {
        let key = if self.step == PayoutState::Sent { "payout-reference" } else { "payout-reason" };
        let max = u16::try_from(Payout::MAX_NOTE).ok()?;
        let input = Input::new("note", t.text(key)).value(&self.note).required().max(max);
        let input = input.hint(t.text("payout-note-hint")).marked(&self.complaints(t));
        self.step.needs_note().then_some(input)
    }
}

impl View for Payouts {
    fn kind(&self) -> &'static str {
        "payouts"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-payouts")
    }

    template!(write, view: Payouts, "operator/payouts.html");
}

impl View for StepPayout {
    fn kind(&self) -> &'static str {
        "step-payout"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(&format!("payout-to-{}", self.step.as_str()))
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/payouts", t.text("nav-payouts"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let wrong = self.wrong.then(|| Complaint::about("note", t.text("payout-wrong-note")));
        wrong.into_iter().collect()
    }

    template!(write, view: StepPayout, "operator/payout.html");
}
