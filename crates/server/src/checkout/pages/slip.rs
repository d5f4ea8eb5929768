//! What a receipt says, on its page and in its mail.

use super::{
    Slip,
    result::{Fact, FactValue, Outcome, Teller},
};
use crate::{
    mail::notes::ReceiptText,
    web::{language::Language, words::Words},
};
use till_domain::{receipt::ReceiptKind, session::Status};

/// A receipt in words, for a mail of a shop.
pub(crate) fn receipt_text(slip: &Slip, language: Language, shop: &str) -> ReceiptText {
    let t = Words { language };
    let outcome = Teller { t, shop, can_return: false }.receipt(slip);
    let line = |fact: Fact| (fact.label, fact.value.text(&t));
    ReceiptText {
        heading: outcome.heading,
        amount: t.money(&slip.amount),
        text: outcome.text,
        lines: outcome.facts.into_iter().map(line).collect(),
    }
}

impl FactValue {
    /// The value in one text.
    fn text(self, t: &Words) -> String {
        match self {
            Self::Text(text) | Self::Mono(text) => text,
            Self::Amount(amount) => amount.text(),
            Self::Moment(moment) => moment.text,
            Self::Status(status) => t.text(&format!("status-{status}")),
        }
    }
}

impl Teller<'_> {
    /// A receipt, as the page of a result shows one.
    pub(super) fn receipt(&self, view: &Slip) -> Outcome {
        let t = self.t;
        let paid = view.kind == ReceiptKind::Paid;
        let mut facts = vec![self.fact("status", standing(view, &t))];
        if let Some(refunded) = view.refunded.as_ref().filter(|_| paid) {
            facts.push(self.fact("refunded", FactValue::Text(t.money(refunded))));
        }
        facts.push(self.fact("item", FactValue::Text(view.order.item.clone())));
        facts.push(self.fact("order", FactValue::Text(view.order.order_id.clone())));
        facts.push(self.method("paid-with", view.method));
        // As text: the script would say it in the zone of whoever looks, and a receipt says it in one.
        let moment = FactValue::Text(t.moment_in(&view.at, &view.zone).text);
        facts.push(self.fact(if paid { "paid-at" } else { "refunded-at" }, moment));
        facts.push(self.fact("reference", FactValue::Mono(view.reference.clone())));
        Outcome {
            status: Status::Paid,
            amount: Some(t.amount(&view.amount)),
            heading: t.with(if paid { "paid-heading" } else { "refunded-heading" }, "shop", self.shop),
            text: t.text(if paid { "receipt-text" } else { "refunded-text" }),
            note: None,
            facts,
            button: String::new(),
            receipt: None,
            foot: None,
            again: None,
            return_in: None,
        }
    }
}

/// Whether it is paid, or how much of it went back.
fn standing(view: &Slip, t: &Words) -> FactValue {
    match (view.kind, view.refunded) {
        (ReceiptKind::Paid, None) => FactValue::Status(Status::Paid),
        (ReceiptKind::Paid, Some(refunded)) if refunded.minor < view.amount.minor => {
            FactValue::Text(t.text("receipt-refunded-part"))
        }
        (ReceiptKind::Paid, Some(_)) | (ReceiptKind::Refunded, _) => {
            FactValue::Text(t.text("receipt-refunded"))
        }
    }
}
