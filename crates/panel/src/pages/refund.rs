//! Refunds on the page of a session, and the form that asks for one.

use crate::pages::form::{Complaint, Input};
use till_domain::{
    fiscal::{FiscalItem, ItemQuantity},
    id::RefundId,
    money::Money,
    time::Timestamp,
};
use till_service::web::words::Words;

/// A refund of a session.
#[derive(Debug, Clone)]
pub struct RefundLine {
    pub id: RefundId,
    pub amount: Money,
    /// `pending`, `succeeded` or `failed`.
    pub status: &'static str,
    /// True if it has to be sent by hand.
    pub by_hand: bool,
    pub failure: Option<String>,
    /// The reason given for it.
    pub reason: Option<String>,
    pub by: String,
    pub asked_at: Timestamp,
    /// The time when it succeeded or failed.
    pub ended_at: Option<Timestamp>,
}

impl RefundLine {
    /// The CSS class of its colour, and its icon.
    pub fn class(&self) -> &'static str {
        match self.status {
            "succeeded" => "paid",
            "failed" => "failed",
            _ => "pending",
        }
    }

    /// True if it is pending and has to be sent by hand.
    pub fn is_being_sent_by_hand(&self) -> bool {
        self.by_hand && self.status == "pending"
    }

    /// The translation key of its status.
    pub fn key(&self) -> String {
        format!("refund-{}", self.status)
    }
}

/// The form that asks for a refund, and the confirmation.
#[derive(Debug, Clone)]
pub struct RefundForm {
    /// The page of the session.
    pub back: String,
    /// The amount that can still be refunded.
    pub left: Money,
    /// The amount as typed.
    pub amount: String,
    /// The lines of the fiscal receipt, which are returned by their quantity; empty if the payment has none.
    pub lines: RefundLines,
    /// The reason as typed.
    pub reason: String,
    pub problem: Option<RefundProblem>,
    /// The cost, set when only the confirmation is asked for.
    pub cost: Option<RefundCost>,
    /// True in the sandbox, where no money moves.
    pub sandbox: bool,
}

/// The lines of a fiscal receipt that can be returned.
#[derive(Debug, Clone, Default)]
pub struct RefundLines {
    pub items: Vec<RefundItem>,
    /// Their mark, which comes back with the form: its fields name the lines by their places.
    pub mark: String,
}

impl RefundLines {
    /// All that can still be returned of each.
    pub fn of_all(self) -> Self {
        let all = |line: &RefundItem| line.left.map_or_else(|| "0".to_owned(), |left| left.to_string());
        let items = self.items.into_iter().map(|line| RefundItem { typed: all(&line), ..line });
        Self { items: items.collect(), ..self }
    }

    /// The quantities that were typed in these fields.
    pub fn typed(self, field: impl Fn(&str) -> String) -> Self {
        let typed = |(index, line)| RefundItem { typed: field(&RefundItem::field(index)), ..line };
        Self { items: self.items.into_iter().enumerate().map(typed).collect(), ..self }
    }
}

/// A line of a fiscal receipt that can be returned.
#[derive(Debug, Clone)]
pub struct RefundItem {
    pub item: FiscalItem,
    /// How many of it can still be returned.
    pub left: Option<ItemQuantity>,
    /// How many of it come back, as typed.
    pub typed: String,
}

impl RefundItem {
    /// The name of the field at this place in the form.
    pub fn field(index: usize) -> String {
        format!("item-{index}")
    }
}

/// The cost of a refund.
#[derive(Debug, Clone, Copy)]
pub struct RefundCost {
    /// The amount that the customer gets.
    pub amount: Money,
    /// The part that the vendor pays.
    pub own: Money,
    /// The part that the operator returns as fee.
    pub fee: Money,
}

/// A problem with the form of a refund.
#[derive(Debug, Clone)]
pub enum RefundProblem {
    /// The text is no valid amount.
    Amount,
    /// These lines have no valid quantity, or more than is left.
    Quantities(Vec<usize>),
    /// No line comes back.
    NoItems,
    /// The lines have changed since the form was opened.
    Changed,
    /// The customer of the fiscal receipt is not known any more.
    Customer,
    /// It is more than can still be refunded.
    TooMuch,
    /// The reason is too long or has invalid characters.
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
        if let Some(RefundProblem::Quantities(wrong)) = &self.problem {
            let text = t.text("refund-wrong-quantity");
            return wrong.iter().map(|at| Complaint::about(RefundItem::field(*at), text.clone())).collect();
        }
        let complaint = |problem: &RefundProblem| match problem {
            RefundProblem::Quantities(_) => unreachable!("each of them has its own text"),
            RefundProblem::NoItems => Complaint::general(t.text("refund-no-items")),
            RefundProblem::Changed => Complaint::general(t.text("refund-changed")),
            RefundProblem::Customer => Complaint::general(t.text("refund-no-customer")),
            RefundProblem::TooMuch if !self.lines.items.is_empty() => {
                Complaint::general(t.with("refund-too-much", "left", &t.money(&self.left)))
            }
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

    /// The fields; none when only the confirmation is asked for.
    pub fn inputs(&self, t: &Words) -> Vec<Input> {
        if self.cost.is_some() {
            return Vec::new();
        }
        let complaints = self.complaints(t);
        let reason = Input::new("reason", t.text("refund-reason")).value(&self.reason).max(255);
        let reason = reason.hint(t.text("refund-reason-hint"));
        let mut inputs = self.item_inputs(t);
        if self.lines.items.is_empty() {
            let amount = Input::new("amount", t.with("refund-amount", "currency", self.left.currency.code()));
            let hint = t.with("refund-left", "left", &t.money(&self.left));
            inputs.push(amount.value(&self.amount).hint(hint).required());
        }
        inputs.push(reason);
        inputs.into_iter().map(|input| input.marked(&complaints)).collect()
    }

    /// A field for each line of the fiscal receipt.
    fn item_inputs(&self, t: &Words) -> Vec<Input> {
        let input = |(index, line): (usize, &RefundItem)| {
            let price = Money { minor: line.item.price, ..self.left };
            let label = t.with_two("refund-item", ("name", &line.item.name), ("price", &t.money(&price)));
            let left = line.left.map_or_else(|| "0".to_owned(), |left| left.to_string());
            let hint = t.with("refund-item-left", "left", &t.decimal(&left));
            let typed = if line.typed == left { t.decimal(&left) } else { line.typed.clone() };
            Input::new(RefundItem::field(index), label).value(&typed).hint(hint).max(9)
        };
        self.lines.items.iter().enumerate().map(input).collect()
    }

    /// The fields sent again with the form, and with the confirmation.
    pub fn hidden(&self) -> Vec<(String, String)> {
        let mark = (!self.lines.items.is_empty()).then(|| ("lines".to_owned(), self.lines.mark.clone()));
        if self.cost.is_none() {
            return mark.into_iter().collect();
        }
        let fields = [("amount", self.amount.as_str()), ("reason", &self.reason), ("sure", "on")];
        let fields = fields.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let items = self.lines.items.iter().enumerate();
        let items = items.map(|(index, line)| (RefundItem::field(index), line.typed.clone()));
        mark.into_iter().chain(fields).chain(items).collect()
    }

    /// The explanation of the refund, by which lines, and its cost.
    pub fn text(&self, t: &Words) -> String {
        let cost = self.cost_text(t);
        match &self.cost {
            _ if self.lines.items.is_empty() => cost,
            None if self.sandbox => t.text("ask-refund-text-items-sandbox"),
            None => t.text("ask-refund-text-items"),
            Some(_) => format!("{} {cost}", t.with("ask-refund-sure-items", "items", &self.returned(t))),
        }
    }

    /// The lines that come back, one after the other.
    fn returned(&self, t: &Words) -> String {
        let is_none = |typed: &str| typed.chars().all(|c| matches!(c, '0' | '.' | ',' | ' '));
        let items = self.lines.items.iter().filter(|line| !is_none(&line.typed));
        let quantity = |line: &RefundItem| t.decimal(&line.typed.trim().replace(',', "."));
        let items: Vec<_> = items.map(|line| format!("{} × {}", quantity(line), line.item.name)).collect();
        items.join("; ")
    }

    fn cost_text(&self, t: &Words) -> String {
        match &self.cost {
            None if self.sandbox => t.text("ask-refund-text-sandbox"),
            Some(_) if self.sandbox => t.text("ask-refund-sure-sandbox"),
            None => t.text("ask-refund-text"),
            Some(cost) if cost.fee.minor > 0 => {
                t.with_two("ask-refund-sure-fee", ("own", &t.money(&cost.own)), ("fee", &t.money(&cost.fee)))
            }
            Some(cost) => t.with("ask-refund-sure", "own", &t.money(&cost.own)),
        }
    }

    /// The title, with the amount in the confirmation.
    pub fn title(&self, t: &Words) -> String {
        match &self.cost {
            None => t.text("ask-refund-title"),
            Some(cost) => t.with("ask-refund-sure-title", "amount", &t.money(&cost.amount)),
        }
    }
}
