//! The result pages: paid, failed, expired. One shape for all of them.

use super::{AlreadyPaid, Body, Expired, Failed, Order, Paid};
use till_domain::{method::Method, session::Status, text::masked_email};
use till_service::web::words::Amount;
use till_service::web::{moments::Moment, words::Words};

/// A result for the template.
#[derive(Debug)]
pub(super) struct ResultView {
    /// The status, which determines colour and icon.
    pub status: Status,
    /// The amount, on pages that show it on top.
    pub amount: Option<Amount>,
    pub heading: String,
    /// The event, and whether money moved.
    pub text: String,
    /// A warning that the customer must not overlook.
    pub note: Option<String>,
    /// The lines of the details.
    pub facts: Vec<Fact>,
    /// The text of the button.
    pub button: String,
    /// The address of the receipt.
    pub receipt: Option<String>,
    pub foot: Option<String>,
    /// The warning about paying again, if the order was paid before.
    pub again: Option<String>,
    /// Seconds after which the script takes the customer back to the shop.
    pub return_in: Option<u64>,
    /// The page of the simulated bank.
    pub bank: Option<String>,
}

/// A line of the details.
#[derive(Debug)]
pub(super) struct Fact {
    pub label: String,
    pub value: FactValue,
}

/// A value with its format.
#[derive(Debug)]
pub(super) enum FactValue {
    Text(String),
    /// In a monospaced font, to be compared.
    Mono(String),
    Amount(Amount),
    Moment(Moment),
    Status(Status),
}

/// Writes results in one language, for one shop.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResultWriter<'a> {
    pub t: Words,
    pub shop: &'a str,
    /// True if there is a button back to the shop.
    pub can_return: bool,
}

impl ResultWriter<'_> {
    /// The result, if the page shows one.
    pub fn tell(&self, body: &Body) -> Option<ResultView> {
        match body {
            Body::Paid(view) => Some(self.paid(view)),
            Body::AlreadyPaid(view) => Some(self.already_paid(view)),
            Body::Failed(view) => Some(self.failed(view)),
            Body::Expired(view) => Some(self.expired(view)),
            _ => None,
        }
    }

    fn paid(&self, view: &Paid) -> ResultView {
        let t = self.t;
        let mut facts = self.facts_of(Status::Paid, &view.order, true);
        facts.push(self.method("paid-with", view.method));
        facts.push(self.fact("paid-at", FactValue::Moment(t.moment(&view.paid_at))));
        facts.push(self.reference(&view.reference));
        if let Some(promised) = &view.receipt {
            let key = format!("receipt-{}", promised.state.as_str());
            let text = t.with(&key, "email", &masked_email(&promised.email));
            facts.push(self.fact("receipt", FactValue::Text(text)));
        }
        let keep = if view.receipt_url.is_some() { "keep-page" } else { "keep-page-only" };
        let over = |coins| t.with_two("paid-over", ("coins", &t.coins(coins)), ("shop", self.shop));
        ResultView {
            status: Status::Paid,
            amount: Some(t.amount(&view.order.amount)),
            heading: t.with("paid-heading", "shop", self.shop),
            text: t.text(if self.can_return { "paid" } else { "paid-no-return" }),
            note: view.over.as_ref().map(over),
            facts,
            button: t.with("return-to", "shop", self.shop),
            receipt: view.receipt_url.clone(),
            foot: Some(t.text(keep)),
            again: None,
            return_in: view.return_in.map(|delay| delay.as_secs()),
            bank: view.bank.clone(),
        }
    }

    fn already_paid(&self, view: &AlreadyPaid) -> ResultView {
        let t = self.t;
        let mut facts = self.facts_of(Status::Paid, &view.order, true);
        facts.push(self.method("paid-with", view.method));
        facts.push(self.fact("paid-at", FactValue::Moment(t.moment(&view.paid_at))));
        facts.push(self.reference(&view.reference));
        ResultView {
            status: Status::Paid,
            amount: Some(t.amount(&view.order.amount)),
            heading: t.text("already-heading"),
            text: t.text("already"),
            note: None,
            facts,
            button: t.with("return-to", "shop", self.shop),
            receipt: None,
            foot: None,
            again: Some(t.with("pay-again-means", "amount", &t.money(&view.order.amount))),
            return_in: None,
            bank: None,
        }
    }

    fn failed(&self, view: &Failed) -> ResultView {
        let t = self.t;
        let mut facts = self.facts_of(Status::Failed, &view.order, false);
        facts.push(self.method("tried-with", view.method));
        facts.push(self.fact("tried-at", FactValue::Moment(t.moment(&view.at))));
        facts.push(self.reference(&view.reference));
        let reason = format!("reason-{}", view.reason.as_str());
        let reason = t.with(&reason, "method", view.method.as_str());
        ResultView {
            status: Status::Failed,
            amount: None,
            heading: t.text("failed-heading"),
            text: format!("{reason} {}", self.charged(view.charged_nothing)),
            note: None,
            facts,
            button: t.with(if view.charged_nothing { "try-again" } else { "return-to" }, "shop", self.shop),
            receipt: None,
            foot: view.charged_nothing.then(|| t.text("closed")),
            again: None,
            return_in: None,
            bank: None,
        }
    }

    fn expired(&self, view: &Expired) -> ResultView {
        let t = self.t;
        let mut facts = self.facts_of(Status::Expired, &view.order, false);
        facts.push(self.fact("expired-at", FactValue::Moment(t.moment(&view.at))));
        facts.push(self.reference(&view.reference));
        let note = match &view.partial {
            Some(coins) => t.with_two("expired-partial", ("coins", &t.coins(coins)), ("shop", self.shop)),
            None => t.with("expired-twice", "shop", self.shop),
        };
        let text = match (&view.partial, view.charged_nothing) {
            (Some(_), _) => t.text("expired-short"),
            (None, true) => format!("{} {}", t.count("expired", &view.minutes), self.charged(true)),
            (None, false) => self.charged(false),
        };
        let may_start_again = view.charged_nothing && view.partial.is_none();
        ResultView {
            status: Status::Expired,
            amount: None,
            heading: t.text("expired-heading"),
            text,
            note: Some(note),
            facts,
            button: t.with(if may_start_again { "start-again" } else { "return-to" }, "shop", self.shop),
            receipt: None,
            foot: None,
            again: None,
            return_in: None,
            bank: view.bank.clone(),
        }
    }

    /// Says that nothing was charged only if that is known.
    fn charged(&self, nothing: bool) -> String {
        self.t.text(if nothing { "nothing-charged" } else { "not-confirmed" })
    }

    /// Status, item and order; the amount too, unless it is shown on top.
    fn facts_of(&self, status: Status, order: &Order, amount_leads: bool) -> Vec<Fact> {
        let mut facts = vec![self.fact("status", FactValue::Status(status))];
        if !amount_leads {
            facts.push(self.fact("amount", FactValue::Amount(self.t.amount(&order.amount))));
        }
        facts.push(self.fact("item", FactValue::Text(order.item.clone())));
        facts.push(self.fact("order", FactValue::Text(order.order_id.clone())));
        facts
    }

    fn reference(&self, reference: &str) -> Fact {
        self.fact("reference", FactValue::Mono(reference.to_owned()))
    }

    pub(super) fn method(&self, label: &str, method: Method) -> Fact {
        self.fact(label, FactValue::Text(self.t.text(&format!("method-{method}"))))
    }

    pub(super) fn fact(&self, label: &str, value: FactValue) -> Fact {
        Fact { label: self.t.text(label), value }
    }
}
