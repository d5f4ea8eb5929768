//! The form by which a vendor asks for a payout.

use crate::{
    panel::pages::{
        form::{Complaint, Input},
        vendor_name::VendorName,
        view::{Crumb, View, template},
    },
    web::words::Words,
};
use till_domain::{
    id::PayoutId,
    money::{Currency, Money, PriceProblem},
    payout::{PayoutProblem, PayoutState},
    time::Timestamp,
};

/// A payout in a list.
#[derive(Debug, Clone)]
pub struct PayoutLine {
    pub id: PayoutId,
    /// Whose it is, where that is not plain.
    pub vendor: Option<VendorName>,
    pub amount: Money,
    pub destination: String,
    /// When it was asked for.
    pub at: Timestamp,
    pub by: String,
    pub state: PayoutState,
    /// Since when, and by whom, if it is no longer only asked for.
    pub moved: Option<(Timestamp, String)>,
    /// Why not, or what the bank calls it.
    pub note: Option<String>,
}

impl PayoutLine {
    /// The class of its colour, which is also its icon.
    pub fn class(&self) -> &'static str {
        match self.state {
            PayoutState::Asked | PayoutState::Approved => "pending",
            PayoutState::Sent => "paid",
            PayoutState::Refused | PayoutState::Failed => "failed",
        }
    }

    /// Where it stands, in words.
    pub fn standing(&self, t: &Words) -> String {
        t.text(&format!("payout-{}", self.state.as_str()))
    }

    /// The start of where it goes to.
    pub fn short(&self) -> String {
        let line = self.destination.lines().next().unwrap_or_default();
        let start: String = line.chars().take(40).collect();
        if start == self.destination { start } else { format!("{start}…") }
    }
}

/// What is wrong with a vendor's wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WishProblem {
    /// The amount is none of the currency.
    Amount(PriceProblem),
    /// Something else about it.
    Payout(PayoutProblem),
}

/// A vendor asks for some of its money.
#[derive(Debug, Clone)]
pub struct AskPayout {
    /// What is available, by currency.
    pub available: Vec<Money>,
    /// The currency that was chosen.
    pub currency: String,
    /// The amount, as it was typed.
    pub amount: String,
    /// Where to, as it was typed.
    pub destination: String,
    /// The amount, once all is well and only the last word is missing.
    pub sure: Option<Money>,
    pub problems: Vec<WishProblem>,
}

impl AskPayout {
    pub fn amount_field(&self, t: &Words) -> Input {
        let input = Input::new("amount", t.text("amount")).value(&self.amount).required().max(20);
        input.hint(t.text("payout-amount-hint")).marked(&self.complaints(t))
    }

    pub fn destination_error(&self, t: &Words) -> Option<String> {
        let all = self.complaints(t);
        all.into_iter()
            .find(|complaint| complaint.field == Some("destination"))
            .map(|complaint| complaint.text)
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
        let complaint = |problem: &WishProblem| match problem {
            WishProblem::Amount(_) => Complaint::about("amount", t.text("payout-wrong-amount")),
            WishProblem::Payout(PayoutProblem::NotPositive) => {
                Complaint::about("amount", t.text("payout-wrong-amount"))
            }
            WishProblem::Payout(PayoutProblem::NotAvailable) => {
                Complaint::about("amount", t.text("payout-not-available"))
            }
            WishProblem::Payout(PayoutProblem::DestinationMissing) => {
                Complaint::about("destination", t.text("payout-no-destination"))
            }
            WishProblem::Payout(PayoutProblem::DestinationWrong) => {
                Complaint::about("destination", t.text("payout-long-destination"))
            }
        };
        self.problems.iter().map(complaint).collect()
    }

    template!(write, view: AskPayout, "panel/payout.html");
}
