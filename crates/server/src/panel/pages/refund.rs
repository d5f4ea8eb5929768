//! Refunds on the page of a session, and the form that asks for one.

use crate::{
    panel::pages::form::{Complaint, Input},
    web::words::Words,
};
use till_domain::{id::RefundId, money::Money, time::Timestamp};

/// A refund of a session.
#[derive(Debug, Clone)]
pub struct RefundLine {
    pub id: RefundId,
    pub amount: Money,
    /// `pending`, `succeeded` or `failed`.
    pub status: &'static str,
    /// Whether a person sends it.
    pub by_hand: bool,
    pub failure: Option<String>,
    /// Why it was asked for.
    pub reason: Option<String>,
    pub by: String,
    pub asked_at: Timestamp,
    /// When it came to its end.
    pub ended_at: Option<Timestamp>,
}

impl RefundLine {
    /// The class that gives it its colour, and its icon.
    pub fn class(&self) -> &'static str {
        match self.status {
            "succeeded" => "paid",
            "failed" => "failed",
            _ => "pending",
        }
    }

    /// Whether it is on its way and somebody has to send it.
    pub fn is_being_sent_by_hand(&self) -> bool {
        self.by_hand && self.status == "pending"
    }

    /// The key of where it stands.
    pub fn key(&self) -> String {
        format!("refund-{}", self.status)
    }
}

/// The form that asks for a refund, and the question whether it is meant.
#[derive(Debug, Clone)]
pub struct RefundForm {
    /// The page of the session.
    pub back: String,
    /// What is left of the payment.
    pub left: Money,
    /// How much, as it was typed.
    pub amount: String,
    /// Why, as it was typed.
    pub reason: String,
    /// What is wrong with it.
    pub problem: Option<RefundProblem>,
    /// What it costs, once it is only asked whether it is meant.
    pub cost: Option<RefundCost>,
}

/// What a refund costs.
#[derive(Debug, Clone, Copy)]
pub struct RefundCost {
    /// What the customer gets.
    pub amount: Money,
    /// What of it is the vendor's.
    pub own: Money,
    /// What of it the operator gives back.
    pub fee: Money,
}

/// What is wrong with a refund that was asked for.
#[derive(Debug, Clone, Copy)]
pub enum RefundProblem {
    /// The amount is none.
    Amount,
    /// It is more than is left.
    TooMuch,
    /// The reason is too long, or has characters that no text has.
    Reason,
    Nothing,
    /// The balance does not cover it.
    Balance {
        needed: Money,
        available: Money,
    },
    /// It cannot be refunded here.
    Unable,
}

impl RefundForm {
    pub fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let complaint = |problem: &RefundProblem| match problem {
            RefundProblem::Amount => Complaint::about("amount", t.text("refund-wrong-amount")),
            RefundProblem::TooMuch => {
                Complaint::about("amount", t.with("refund-too-much", "left", &t.money(&self.left)))
            }
            RefundProblem::Reason => Complaint::about("reason", t.text("refund-wrong-reason")),
            RefundProblem::Nothing => Complaint::general(t.text("refund-nothing")),
            RefundProblem::Balance { needed, available } => Complaint::general(t.with_two(
                "refund-balance",
                ("needed", &t.money(needed)),
                ("available", &t.money(available)),
            )),
            RefundProblem::Unable => Complaint::general(t.text("refund-unable")),
        };
        self.problem.iter().map(complaint).collect()
    }

    /// Fields to fill in; none once it is only asked whether it is meant.
    pub fn inputs(&self, t: &Words) -> Vec<Input> {
        if self.cost.is_some() {
            return Vec::new();
        }
        let complaints = self.complaints(t);
        let amount = Input::new("amount", t.with("refund-amount", "currency", self.left.currency.code()));
        let amount = amount.value(&self.amount).hint(t.with("refund-left", "left", &t.money(&self.left)));
        let reason = Input::new("reason", t.text("refund-reason")).value(&self.reason).max(255);
        let reason = reason.hint(t.text("refund-reason-hint"));
        vec![amount.required().marked(&complaints), reason.marked(&complaints)]
    }

    /// What is sent again with the answer.
    pub fn hidden(&self) -> Vec<(String, String)> {
        if self.cost.is_none() {
            return Vec::new();
        }
        let fields = [("amount", self.amount.as_str()), ("reason", &self.reason), ("sure", "on")];
        fields.map(|(name, text)| (name.to_owned(), text.to_owned())).into()
    }

    /// What happens, and what it costs.
    pub fn text(&self, t: &Words) -> String {
        match &self.cost {
            None => t.text("ask-refund-text"),
            Some(cost) if cost.fee.minor > 0 => {
                t.with_two("ask-refund-sure-fee", ("own", &t.money(&cost.own)), ("fee", &t.money(&cost.fee)))
            }
            Some(cost) => t.with("ask-refund-sure", "own", &t.money(&cost.own)),
        }
    }

    /// How much it is about.
    pub fn title(&self, t: &Words) -> String {
        match &self.cost {
            None => t.text("ask-refund-title"),
            Some(cost) => t.with("ask-refund-sure-title", "amount", &t.money(&cost.amount)),
        }
    }
}
