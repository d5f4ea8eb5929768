//! The pages of refunds that the operator has to send or to decide about: the list, and the form for one.

use crate::pages::{
    form::{Complaint, Input},
    vendor_name::VendorName,
    view::{View, template},
};
use till_domain::{
    id::{RefundId, SessionId},
    money::Money,
    time::Timestamp,
};
use till_service::web::words::Words;

/// A refund that has or had to be sent by hand, or of which its provider does not say whether it was made.
#[derive(Debug, Clone)]
pub struct ManualRefundLine {
    pub id: RefundId,
    /// The vendor of the customer who gets it.
    pub vendor: VendorName,
    /// The session that was paid.
    pub session: SessionId,
    /// The provider's reference of the payment.
    pub payment: String,
    pub amount: Money,
    /// Description of the transfer to make; empty if a provider sends it.
    pub what: String,
    /// The provider that does not say whether it sent it.
    pub silent: Option<String>,
    /// The reason why the transaction named before was not accepted.
    pub note: Option<String>,
    /// The user who asked for the refund.
    pub by: String,
    pub reason: Option<String>,
    pub at: Timestamp,
    /// True if the operator still has to send it, or to decide about it.
    pub waits: bool,
}

/// The refunds that wait to be sent by hand.
#[derive(Debug, Clone)]
pub struct ManualRefunds {
    /// The refunds of this page, newest first.
    pub rows: Vec<ManualRefundLine>,
    /// The link to the page of newer refunds.
    pub newer: Option<String>,
    /// The link to the page of older refunds.
    pub older: Option<String>,
}

/// The operator's answer about a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManualRefundStep {
    /// It was sent by a transaction.
    Sent,
    /// It cannot be sent, or was not.
    GiveUp,
    /// Its provider has made it.
    Confirm,
}

impl ManualRefundStep {
    pub const ALL: [Self; 3] = [Self::Sent, Self::GiveUp, Self::Confirm];
    /// The answers about a refund that the operator sends.
    pub const BY_HAND: [Self; 2] = [Self::Sent, Self::GiveUp];

    /// The word used in addresses.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::GiveUp => "give-up",
            Self::Confirm => "confirm",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.word() == word)
    }
}

/// A problem with the submitted form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManualRefundProblem {
    /// The text is no transaction hash.
    Transaction,
    /// Another refund was sent by this transaction.
    Taken,
    Reason,
    /// A transaction that was named before may still be confirmed.
    MayArrive,
    /// No node answers whether it may.
    Silent,
}

/// The form about a refund, or a message that it no longer waits.
#[derive(Debug, Clone)]
pub struct ManualRefundForm {
    pub line: ManualRefundLine,
    pub step: ManualRefundStep,
    pub typed: String,
    /// The problem with the submitted text.
    pub problem: Option<ManualRefundProblem>,
}

impl ManualRefundForm {
    /// The translation key of the answer.
    pub fn key(&self) -> String {
        let step = self.step.word();
        match self.line.silent {
            Some(_) => format!("doubt-to-{step}"),
            None => format!("hand-to-{step}"),
        }
    }

    /// The translation key of what the answer means.
    pub fn meaning(&self) -> String {
        let step = self.step.word();
        match self.line.silent {
            Some(_) => format!("doubt-to-{step}-text"),
            None => format!("hand-to-{step}-text"),
        }
    }

    /// True if it cannot be answered this way now, whatever is typed.
    pub fn is_refused(&self) -> bool {
        matches!(self.problem, Some(ManualRefundProblem::MayArrive | ManualRefundProblem::Silent))
    }

    /// The page of everything that waits like this one, and the key of its name.
    pub fn list(&self) -> (&'static str, &'static str) {
        match self.line.silent {
            Some(_) => ("/operator/actions", "nav-actions"),
            None => ("/operator/refunds", "nav-refunds"),
        }
    }

    /// The reason why the refund cannot be changed now.
    pub fn unfit(&self, t: &Words) -> String {
        t.text(match self.problem {
            Some(ManualRefundProblem::MayArrive) if self.line.silent.is_some() => "doubt-may-arrive",
            Some(ManualRefundProblem::MayArrive) => "hand-may-arrive",
            Some(ManualRefundProblem::Silent) => "hand-silent",
            _ => "hand-unfit",
        })
    }

    /// The field of the answer, if it needs one.
    pub fn field(&self, t: &Words) -> Option<Input> {
        let input = match self.step {
            ManualRefundStep::Confirm => return None,
            ManualRefundStep::Sent => Input::new("transaction", t.text("hand-transaction"))
                .max(100)
                .hint(t.text("hand-transaction-hint")),
            ManualRefundStep::GiveUp => {
                Input::new("reason", t.text("hand-reason")).max(255).hint(t.text("hand-reason-hint"))
            }
        };
        Some(input.value(&self.typed).required().marked(&self.complaints(t)))
    }
}

impl View for ManualRefunds {
    fn kind(&self) -> &'static str {
        "hand-refunds"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-refunds")
    }

    template!(write, view: ManualRefunds, "operator/hand-refunds.html");
}

impl View for ManualRefundForm {
    fn kind(&self) -> &'static str {
        "hand-refund"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(&self.key())
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let complaint = |problem: &ManualRefundProblem| match problem {
            ManualRefundProblem::Transaction => {
                Some(Complaint::about("transaction", t.text("hand-wrong-transaction")))
            }
            ManualRefundProblem::Taken => Some(Complaint::about("transaction", t.text("hand-taken"))),
            ManualRefundProblem::Reason => Some(Complaint::about("reason", t.text("hand-wrong-reason"))),
            ManualRefundProblem::MayArrive | ManualRefundProblem::Silent => None,
        };
        self.problem.iter().filter_map(complaint).collect()
    }

    template!(write, view: ManualRefundForm, "operator/hand-refund.html");
}
