//! The text of a receipt, on its page and in its mail.

use super::{
    ReceiptView,
    result::{Fact, FactValue, ResultView, ResultWriter},
};
use till_domain::{receipt::ReceiptKind, session::Status};
use till_service::{
    mail::notes::ReceiptText,
    web::{language::Language, words::Words},
};

/// A receipt as text, for a shop's mail.
pub(crate) fn receipt_text(slip: &ReceiptView, language: Language, shop: &str) -> ReceiptText {
    let t = Words { language };
    let outcome = ResultWriter { t, shop, can_return: false }.receipt(slip);
    let line = |fact: Fact| (fact.label, fact.value.text(&t));
    ReceiptText {
        heading: outcome.heading,
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
    /// A receipt in the shape of a result page.
    pub(super) fn receipt(&self, view: &ReceiptView) -> ResultView {
        let t = self.t;
        let paid = view.kind == ReceiptKind::Paid;
        let mut facts = vec![self.fact("status", standing(view, &t))];
        if let Some(refunded) = view.refunded.as_ref().filter(|_| paid) {
            facts.push(self.fact("refunded", FactValue::Text(t.money(refunded))));
        }
        facts.push(self.fact("item", FactValue::Text(view.order.item.clone())));
        facts.push(self.fact("order", FactValue::Text(view.order.order_id.clone())));
        facts.push(self.method("paid-with", view.method));
        // As text: the script would convert it to the reader's time zone, and a receipt shows it in the
        // shop's.
        let moment = FactValue::Text(t.moment_in(&view.at, &view.zone).text);
        facts.push(self.fact(if paid { "paid-at" } else { "refunded-at" }, moment));
        facts.push(self.fact("reference", FactValue::Mono(view.reference.clone())));
        ResultView {
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
            bank: None,
        }
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
