//! The text of a receipt, on its page and in its mail.

use super::{
    ReceiptView,
    result::{Fact, FactValue, ResultWriter},
};
use till_domain::{receipt::ReceiptKind, session::Status};
use till_service::{
    mail::notes::ReceiptText,
    web::{
        language::Language,
        words::{Amount, Words},
    },
};

/// A receipt for the template.
#[derive(Debug)]
pub(super) struct SlipView {
    pub heading: String,
    /// The shop that was paid, or that paid back.
    pub lead: String,
    pub amount: Amount,
    pub text: String,
    /// The lines of the details.
    pub facts: Vec<Fact>,
}

/// A receipt as text, for a shop's mail.
pub(crate) fn receipt_text(slip: &ReceiptView, language: Language, shop: &str) -> ReceiptText {
    let t = Words { language };
    let outcome = ResultWriter { t, shop, can_return: false }.receipt(slip);
    let line = |fact: Fact| (fact.label, fact.value.text(&t));
    ReceiptText {
        heading: outcome.lead,
        amount: t.money(&slip.amount),
        text: outcome.text,
        lines: outcome.facts.into_iter().map(line).collect(),
    }
}

impl FactValue {
    /// The value as plain text.
    fn text(self, t: &Words) -> String {
        match self {
            Self::Text(text) | Self::Mono(text) => text,
            Self::Amount(amount) => amount.text(),
            Self::Moment(moment) => moment.text,
            Self::Status(status) => t.text(&format!("status-{status}")),
        }
    }
}

impl ResultWriter<'_> {
    /// The content of a receipt's page.
    pub(super) fn receipt(&self, view: &ReceiptView) -> SlipView {
        let t = self.t;
        let paid = view.kind == ReceiptKind::Paid;
        SlipView {
            heading: t.text(if paid { "receipt-heading" } else { "receipt-of-refund-heading" }),
            lead: t.with(if paid { "paid-heading" } else { "refunded-heading" }, "shop", self.shop),
            amount: t.amount(&view.amount),
            text: t.text(if paid { "receipt-text" } else { "refunded-text" }),
            facts: self.receipt_facts(view),
        }
    }

    fn receipt_facts(&self, view: &ReceiptView) -> Vec<Fact> {
        let t = self.t;
        let paid = view.kind == ReceiptKind::Paid;
        let mut facts = vec![self.fact("status", standing(view, &t))];
        if let Some(refunded) = view.refunded.as_ref().filter(|_| paid) {
            facts.push(self.fact("refunded", FactValue::Text(t.money(refunded))));
        }
        facts.push(self.fact("receipt-number", FactValue::Mono(view.number.clone())));
        facts.push(self.fact("item", FactValue::Text(view.order.item.clone())));
        facts.push(self.fact("order", FactValue::Text(view.order.order_id.clone())));
        facts.push(self.fact("seller", FactValue::Text(self.shop.to_owned())));
        let contact = view.contact.as_ref().map(|contact| FactValue::Text(contact.clone()));
        facts.extend(contact.map(|contact| self.fact("seller-contact", contact)));
        facts.push(self.method("paid-with", view.method));
        // As text: the script would convert it to the reader's time zone, and a receipt shows it in the
        // shop's.
        let moment = FactValue::Text(t.moment_in(&view.at, &view.zone).text);
        facts.push(self.fact(if paid { "paid-at" } else { "refunded-at" }, moment));
        let provider = Some(&view.provider_reference).filter(|reference| !reference.is_empty());
        facts.extend(
            provider.map(|reference| self.fact("provider-reference", FactValue::Mono(reference.clone()))),
        );
        facts
    }
}

/// The status line: paid, partly refunded or refunded.
fn standing(view: &ReceiptView, t: &Words) -> FactValue {
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
