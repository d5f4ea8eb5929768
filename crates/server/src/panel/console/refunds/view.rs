//! Refunds that a person has to send: the list, and what they say about one.

use crate::{
    panel::pages::{
        form::{Complaint, Input},
        vendor_name::VendorName,
        view::{View, template},
    },
    web::words::Words,
};
use till_domain::{
    id::{RefundId, SessionId},
    money::Money,
    time::Timestamp,
};

/// A refund that a person has to send, or had to.
#[derive(Debug, Clone)]
pub struct HandLine {
    pub id: RefundId,
    /// Whose customer gets it.
    pub vendor: VendorName,
    /// The session that was paid.
    pub session: SessionId,
    /// How much it is.
    pub amount: Money,
    /// What has to be sent.
    pub what: String,
    /// Why what was said to have been sent was not it.
    pub note: Option<String>,
    /// Who asked for it.
    pub by: String,
    pub reason: Option<String>,
    pub at: Timestamp,
    /// Whether somebody still has to send it.
    pub waits: bool,
}

/// All of them that wait.
#[derive(Debug, Clone)]
pub struct HandRefunds {
    /// Those of this page, newest first.
    pub rows: Vec<HandLine>,
    /// Where the page with newer ones is.
    pub newer: Option<String>,
    /// Where the page with older ones is.
    pub older: Option<String>,
}

/// What somebody says about one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandStep {
    /// By which transaction it was sent.
    Sent,
    /// That it cannot be.
    GiveUp,
}

impl HandStep {
    pub const ALL: [Self; 2] = [Self::Sent, Self::GiveUp];

    /// Its word in addresses.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::GiveUp => "give-up",
        }
    }

    /// The step with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.word() == word)
    }
}

/// What is wrong with what was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandProblem {
    /// It is no hash of a transaction.
    Transaction,
    /// Another refund was sent by it.
    Taken,
    /// The reason is missing or too long.
    Reason,
    /// A transaction that was named before may still arrive.
    MayArrive,
    /// No node says whether it may.
    Silent,
}

/// The form about one; or that nobody waits for it any more.
#[derive(Debug, Clone)]
pub struct HandForm {
    pub line: HandLine,
    pub step: HandStep,
    pub typed: String,
    /// What is wrong with it.
    pub problem: Option<HandProblem>,
}

impl HandForm {
    /// Why nothing can be said about it now.
    pub fn unfit(&self, t: &Words) -> String {
        t.text(match self.problem {
            Some(HandProblem::MayArrive) => "hand-may-arrive",
            Some(HandProblem::Silent) => "hand-silent",
            _ => "hand-unfit",
        })
    }

    pub fn field(&self, t: &Words) -> Input {
        let input = match self.step {
            HandStep::Sent => Input::new("transaction", t.text("hand-transaction"))
                .max(100)
                .hint(t.text("hand-transaction-hint")),
            HandStep::GiveUp => {
                Input::new("reason", t.text("hand-reason")).max(255).hint(t.text("hand-reason-hint"))
            }
        };
        input.value(&self.typed).required().marked(&self.complaints(t))
    }
}

impl View for HandRefunds {
    fn kind(&self) -> &'static str {
        "hand-refunds"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-refunds")
    }

    template!(write, view: HandRefunds, "operator/hand-refunds.html");
}

impl View for HandForm {
    fn kind(&self) -> &'static str {
        "hand-refund"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(&format!("hand-to-{}", self.step.word()))
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let complaint = |problem: &HandProblem| match problem {
            HandProblem::Transaction => {
                Some(Complaint::about("transaction", t.text("hand-wrong-transaction")))
            }
            HandProblem::Taken => Some(Complaint::about("transaction", t.text("hand-taken"))),
            HandProblem::Reason => Some(Complaint::about("reason", t.text("hand-wrong-reason"))),
            HandProblem::MayArrive | HandProblem::Silent => None,
        };
        self.problem.iter().filter_map(complaint).collect()
    }

    template!(write, view: HandForm, "operator/hand-refund.html");
}
