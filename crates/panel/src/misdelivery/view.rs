//! The page of the sandbox's delivery.

use crate::pages::{
    form::Complaint,
    view::{Crumb, View, template},
};
use till_domain::misdelivery::{DeliveryChoice, Fault};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct DeliveryPage {
    /// The word of the choice, as stored or as sent.
    pub chosen: String,
    /// The delay in milliseconds, as stored or as typed.
    pub delay_ms: String,
    pub can_change: bool,
    pub problems: Vec<DeliveryProblem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryProblem {
    /// The page does not offer this choice.
    Fault,
    /// Not a number of milliseconds, or too large.
    Delay,
}

impl DeliveryProblem {
    /// The problem with a field of the form.
    pub fn about(field: &str) -> Option<Self> {
        [Self::Fault, Self::Delay].into_iter().find(|problem| problem.field() == field)
    }

    /// The name of the field that it is about.
    pub fn field(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Delay => "delay_ms",
        }
    }

    pub fn text(self, t: &Words) -> String {
        t.text(match self {
            Self::Fault => "delivery-unknown",
            Self::Delay => "delivery-delay-wrong",
        })
    }
}

impl DeliveryPage {
    /// The words of all choices, with what a correct receiver does.
    pub fn choices(&self) -> impl Iterator<Item = &'static str> {
        [DeliveryChoice::NONE].into_iter().chain(Fault::ALL.map(Fault::as_str))
    }

    pub fn is_chosen(&self, word: &str) -> bool {
        self.chosen == word
    }

    /// The problem with a field, for people.
    pub fn error(&self, field: &str, t: &Words) -> Option<String> {
        self.problems.iter().find(|problem| problem.field() == field).map(|problem| problem.text(t))
    }
}

impl View for DeliveryPage {
    fn kind(&self) -> &'static str {
        "sandbox-delivery"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("delivery-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/settings", t.text("nav-settings"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let about = |problem: &DeliveryProblem| {
            let id = if *problem == DeliveryProblem::Fault { "fault-none" } else { problem.field() };
            Complaint::about(id, problem.text(t))
        };
        self.problems.iter().map(about).collect()
    }

    template!(write, view: DeliveryPage, "panel/delivery.html");
}
