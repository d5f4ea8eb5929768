//! The form by which a vendor requests a payout, and a payout in lists.

use crate::pages::{
    form::{Complaint, Input},
    vendor_name::VendorName,
    view::{Crumb, View, template},
};
use till_domain::{
    id::PayoutId,
    money::{Currency, Money, PriceProblem},
    payout::{PayoutProblem, PayoutState},
    time::Timestamp,
};
use till_service::web::words::Words;

/// A payout in a list.
#[derive(Debug, Clone)]
pub struct PayoutLine {
    pub id: PayoutId,
    /// The vendor, on pages of several vendors.
    pub vendor: Option<VendorName>,
    pub amount: Money,
    pub destination: String,
    /// The time when it was requested.
    pub at: Timestamp,
    pub by: String,
    pub state: PayoutState,
    /// The time and the user of the last step; `None` if there was none after the request.
    pub moved: Option<(Timestamp, String)>,
    /// The reason of a refusal or failure, or the bank's reference.
    pub note: Option<String>,
}

impl PayoutLine {
    /// The CSS class of its colour, which is also its icon.
    pub fn class(&self) -> &'static str {
        match self.state {
            PayoutState::Asked | PayoutState::Approved => "pending",
            PayoutState::Sent => "paid",
            PayoutState::Refused | PayoutState::Failed => "failed",
        }
    }

    /// The translated state.
    pub fn standing(&self, t: &Words) -> String {
        t.text(&format!("payout-{}", self.state.as_str()))
    }

    /// The beginning of the destination.
    pub fn short(&self) -> String {
        let line = self.destination.lines().next().unwrap_or_default();
        let start: String = line.chars().take(40).collect();
        if start == self.destination { start } else { format!("{start}…") }
    }
}

/// A problem with a payout request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayoutRequestProblem {
    /// The amount is invalid in the currency.
    Amount(PriceProblem),
    /// Any other problem.
    Payout(PayoutProblem),
}

/// The form of a payout request.
#[derive(Debug, Clone)]
pub struct AskPayout {
    /// The available balances, by currency.
    pub available: Vec<Money>,
    pub currency: String,
    /// The amount as typed.
    pub amount: String,
    /// The destination as typed.
    pub destination: String,
    /// The amount, set when only the confirmation is missing.
    pub sure: Option<Money>,
    pub problems: Vec<PayoutRequestProblem>,
}

impl AskPayout {
    pub fn amount_field(&self, t: &Words) -> Input {
        let input = Input::new("amount", t.text("amount")).value(&self.amount).required().max(20);
        input.hint(t.text("payout-amount-hint")).marked(&self.complaints(t))
    }

    pub fn destination_error(&self, t: &Words) -> Option<String> {
        let all = self.complaints(t);
        all.into_iter().find(|complaint| complaint.is_about("destination")).map(|complaint| complaint.text)
    }

    pub fn is_chosen(&self, currency: &Currency) -> bool {
        self.currency == currency.code()
    }
}

impl View for AskPayout {
    fn kind(&self) -> &'static str {
        "ask-payout"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("payout-ask")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/wallet", t.text("nav-wallet"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let complaint = |problem: &PayoutRequestProblem| match problem {
            PayoutRequestProblem::Amount(_) => Complaint::about("amount", t.text("payout-wrong-amount")),
            PayoutRequestProblem::Payout(PayoutProblem::NotPositive) => {
                Complaint::about("amount", t.text("payout-wrong-amount"))
            }
            PayoutRequestProblem::Payout(PayoutProblem::NotAvailable) => {
                Complaint::about("amount", t.text("payout-not-available"))
            }
            PayoutRequestProblem::Payout(PayoutProblem::DestinationMissing) => {
                Complaint::about("destination", t.text("payout-no-destination"))
            }
            PayoutRequestProblem::Payout(PayoutProblem::DestinationWrong) => {
                Complaint::about("destination", t.text("payout-long-destination"))
            }
        };
        self.problems.iter().map(complaint).collect()
    }

    template!(write, view: AskPayout, "panel/payout.html");
}
