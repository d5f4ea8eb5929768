//! The fiscal receipt of a refund: all of the payment's lines, or those that come back.

use super::{
    Contact, FiscalContent, FiscalItem, FiscalProblem, FiscalReceipt, FiscalSettings, ItemQuantity,
    PaymentMode, read::Reading,
};
use crate::{
    money::Money,
    rejection::{FieldProblem, Problems},
    request::FieldValue,
};
use std::cmp::Ordering;

/// The receipts of a session, as far as a refund depends on them.
#[derive(Debug, Clone, Copy)]
pub struct PaidReceipts<'a> {
    /// The receipt of the payment.
    pub payment: &'a FiscalReceipt,
    /// The receipt of the hand-over, if there was one.
    pub closing: Option<&'a FiscalReceipt>,
}

/// The receipt of a refund, as it was sent, or of everything that was paid. `amount` is unknown while it is wrong. `None` if there
/// is none, or if something is wrong.
pub fn on_refund(
    value: &FieldValue,
    amount: Option<Money>,
    paid: Option<PaidReceipts<'_>>,
    settings: &FiscalSettings,
    problems: &mut Problems,
) -> Option<FiscalContent> {
    let Some(paid) = paid else {
        if value.is_present() {
            problems.add("receipt", FiscalProblem::NoReceipt);
        }
        return None;
    };
    let whole = amount.is_some_and(|amount| amount.minor >= paid.payment.total.minor);
    let content = if value.is_present() {
        paid.read(value, amount, settings, problems)?
    } else if whole {
        paid.all()
    } else {
        problems.add("receipt", FiscalProblem::ItemsRequired);
        return None;
    };
    // What the payment says, the till knows.
    if paid.payment.differs_from(&content)
        && paid.payment.provider.is_some()
        && content.buyer.contact() == Contact::Unknown
    {
        problems.add("receipt.customer", FieldProblem::Required);
        return None;
    }
    Some(content)
}

impl PaidReceipts<'_> {
    /// The lines that the customer has: what was handed over, or else what was paid.
    #[must_use]
    pub fn items(&self) -> Vec<FiscalItem> {
        let paid = self.payment.content.items.iter();
        let Some(closing) = self.closing else { return paid.cloned().collect() };
        let at_once = paid.filter(|item| !item.mode.is_prepayment());
        at_once.chain(&closing.content.items).cloned().collect()
    }

    /// Each line with what is left of it after these refunds; `None` if all of it came back.
    #[must_use]
    pub fn left(&self, refunded: &[&FiscalReceipt]) -> Vec<(FiscalItem, Option<ItemQuantity>)> {
        // What came back before the hand-over is of the paid lines; the closing receipt has only what was left of them.
        let (before, after) = self.around_closing(refunded);
        let mut lines = whole(&self.payment.content.items);
        subtract(&mut lines, &before);
        if let Some(closing) = self.closing {
            lines.retain(|(item, _)| !item.mode.is_prepayment());
            lines.extend(whole(&closing.content.items));
            subtract(&mut lines, &after);
        }
        lines.into_iter().map(|(item, rest)| (item, ItemQuantity::from_thousandths(rest))).collect()
    }

    /// The lines that came back before the hand-over, and after it. Of one moment, the mode tells.
    fn around_closing<'a>(
        &self,
        refunded: &[&'a FiscalReceipt],
    ) -> (Vec<&'a FiscalItem>, Vec<&'a FiscalItem>) {
        let handed_over = self.closing.map(|closing| closing.created_at);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for receipt in refunded {
            for item in &receipt.content.items {
                let is_before = handed_over.is_none_or(|at| match receipt.created_at.cmp(&at) {
                    Ordering::Equal => item.mode.is_prepayment(),
                    order => order.is_lt(),
                });
                if is_before { before.push(item) } else { after.push(item) }
            }
        }
        (before, after)
    }

    /// True if a line that came back before the hand-over is of money that was paid before it: as the paid line says, if
    /// it is of one.
    pub(super) fn was_prepaid(&self, returned: &FiscalItem) -> bool {
        let same = || self.payment.content.items.iter().filter(|item| is_same(returned, item));
        let paid = same().find(|item| item.mode == returned.mode).or_else(|| same().next());
        paid.unwrap_or(returned).mode.is_prepayment()
    }

    fn all(&self) -> FiscalContent {
        FiscalContent { items: self.items(), ..self.payment.content.clone() }
    }

    fn read(
        &self,
        value: &FieldValue,
        amount: Option<Money>,
        settings: &FiscalSettings,
        problems: &mut Problems,
    ) -> Option<FiscalContent> {
        let FiscalContent { buyer, tax_system, items } = &self.payment.content;
        let settings = FiscalSettings { tax_system: *tax_system, ..*settings };
        let mode = match (self.closing, items.as_slice()) {
            (None, [first, others @ ..]) if others.iter().all(|item| item.mode == first.mode) => first.mode,
            (None, _) => settings.default_mode(),
            (Some(_), _) => PaymentMode::FullPayment,
        };
        let handed_over = self.closing.map(|closing| closing.created_at);
        let paid = &self.items();
        let reading = Reading { settings: &settings, paid, handed_over, mode, expected: amount };
        let mut content = reading.receipt(value, problems)?;
        if content.buyer.contact() == Contact::Unknown {
            content.buyer = buyer.clone();
        }
        Some(content)
    }
}

/// Each line with all of it, in thousandths.
fn whole(items: &[FiscalItem]) -> Vec<(FiscalItem, i64)> {
    items.iter().map(|item| (item.clone(), item.quantity.thousandths())).collect()
}

/// Takes what came back from the lines that it is of, each with what is left of it in thousandths; of two that are equal, rather
/// from that with the same mode.
fn subtract(lines: &mut [(FiscalItem, i64)], returned: &[&FiscalItem]) {
    let mut returned: Vec<_> = returned.iter().map(|item| (*item, item.quantity.thousandths())).collect();
    for of_mode in [true, false] {
        for (item, rest) in &mut *lines {
            let same = |one: &FiscalItem| is_same(one, item) && (one.mode == item.mode || !of_mode);
            for (_, back) in returned.iter_mut().filter(|(one, _)| same(one)) {
                let taken = (*rest).min(*back);
                (*rest, *back) = (*rest - taken, *back - taken);
            }
        }
    }
}

/// True if a returned line is of this one: all is equal but the quantity, and the mode, which changes with the hand-over.
fn is_same(returned: &FiscalItem, item: &FiscalItem) -> bool {
    returned.name == item.name
        && returned.price == item.price
        && returned.vat == item.vat
        && returned.subject == item.subject
        && returned.measure == item.measure
}

/// The body of a refund's receipt with these lines, as a caller of the API would write it.
#[must_use]
pub fn refund_body(items: &[FiscalItem], total: Money) -> FieldValue {
    let text = |text: &str| FieldValue::Text(text.to_owned());
    let line = |item: &FiscalItem| {
        let price = Money { minor: item.price, ..total }.digits();
        let fields = [
            ("name", text(&item.name)),
            ("quantity", text(&item.quantity.to_string())),
            ("price", text(&price)),
            ("vat", text(item.vat.as_str())),
            ("subject", text(item.subject.as_str())),
            ("mode", text(item.mode.as_str())),
            ("measure", text(item.measure.as_str())),
        ];
        FieldValue::Object(fields.map(|(name, value)| (name.to_owned(), value)).to_vec())
    };
    let items = FieldValue::List(items.iter().map(line).collect());
    FieldValue::Object(vec![("items".to_owned(), items)])
}
