//! Payouts of all vendors, and the operator's next step of one.

use crate::{
    panel::{
        pages::{
            form::{Complaint, Input},
            view::{Crumb, View, template},
        },
        payments::payout::view::PayoutLine,
    },
    web::words::Words,
};
use till_domain::payout::{Payout, PayoutState};

/// Payouts of all vendors.
#[derive(Debug, Clone)]
pub struct Payouts {
    /// Whether those that are over are shown too.
    pub all: bool,
    /// Those of this page, newest first.
    pub rows: Vec<PayoutLine>,
    /// Where the page with newer ones is.
    pub newer: Option<String>,
    /// Where the page with older ones is.
    pub older: Option<String>,
}

/// "Do you want this?", about a payout; or that it cannot be any more.
#[derive(Debug, Clone)]
pub struct StepPayout {
    pub line: PayoutLine,
    /// What is to become of it.
    pub step: PayoutState,
    pub note: String,
    /// Whether that is missing or too long.
    pub wrong: bool,
}

impl StepPayout {
    /// Whether it can still become that.
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
