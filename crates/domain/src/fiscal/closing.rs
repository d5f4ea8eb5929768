//! The closing receipt: what was paid before has been handed over. Only the vendor knows when, so the vendor asks for it.

use super::{
    FiscalContent, FiscalItem, FiscalKind, FiscalProblem, FiscalReceipt, FiscalSettings, PaidReceipts,
    PaymentMode, ReceiptStatus, follow,
    read::{MAX_UNKNOWN, Reading, shown},
};
use crate::{
    change::Change,
    id::FiscalReceiptId,
    money::Money,
    rejection::{FieldProblem, Problems, Rejection},
    request::ReceiptRequest,
    rules::Rules,
    session::{Session, State},
    time::Timestamp,
};

/// Everything that a closing receipt depends on besides the request.
#[derive(Debug, Clone, Copy)]
pub struct ClosingFacts<'a> {
    pub rules: &'a Rules,
    pub session: &'a Session,
    /// The vendor's settings.
    pub settings: &'a FiscalSettings,
    /// The receipt of the payment.
    pub paid: Option<&'a FiscalReceipt>,
    /// The receipts of its refunds that did not fail.
    pub refunded: &'a [&'a FiscalReceipt],
    /// True if a refund of it has not ended.
    pub is_refunding: bool,
    pub now: Timestamp,
    /// The new receipt's id.
    pub id: FiscalReceiptId,
}

/// Makes the closing receipt, with the changes that store it: lost if there is one already, or if a refund began since the
/// receipts were read.
pub fn close(
    request: &ReceiptRequest,
    facts: &ClosingFacts<'_>,
) -> Result<(FiscalReceipt, Vec<Change>), Rejection> {
    check_body(request)?;
    if facts.session.state != State::Paid {
        return Err(Rejection::SessionNotPaid);
    }
    let paid = facts.paid.ok_or(Rejection::NoPrepayment)?;
    // If it failed later, what it was to return would never be closed.
    if facts.is_refunding {
        return Err(Rejection::RefundPending);
    }
    let receipts = PaidReceipts { payment: paid, closing: None };
    let expected = Money { minor: prepaid(paid) - returned(receipts, facts.refunded), ..paid.total };
    if expected.minor <= 0 {
        return Err(Rejection::NoPrepayment);
    }
    let items = if request.items.is_present() {
        read_items(request, paid, expected, facts.settings)?
    } else {
        handed_over(receipts, expected, facts)?
    };
    let content = FiscalContent { items, ..paid.content.clone() };
    let owner = (facts.session.id, facts.session.vendor);
    let new = FiscalReceipt::new(facts.id, FiscalKind::Closing, owner, content, expected, facts.now);
    let receipt = begun(new, paid, facts);
    let change = Change::InsertClosingReceipt(Box::new(receipt.clone()));
    Ok((receipt, vec![follow::unchanged(paid), change]))
}

/// Validates the type of a request, the only one is `closing`, and that it has no other members than it may have.
pub fn check_body(request: &ReceiptRequest) -> Result<(), Rejection> {
    let mut problems = Problems::default();
    let kind = request.kind.required_text();
    let kind =
        kind.and_then(|kind| (kind == "closing").then_some(()).ok_or(FieldProblem::NotOneOf("closing")));
    problems.take("type", kind);
    for name in request.unknown.iter().take(MAX_UNKNOWN) {
        problems.add(shown(name), FiscalProblem::UnknownField);
    }
    problems.finish()
}

/// The sum of the lines that were paid before the hand-over, in minor units.
fn prepaid(receipt: &FiscalReceipt) -> i64 {
    let lines = receipt.content.items.iter().filter(|item| item.mode.is_prepayment());
    lines.map(FiscalItem::total).sum()
}

/// The part of it that came back.
fn returned(paid: PaidReceipts<'_>, refunded: &[&FiscalReceipt]) -> i64 {
    let lines = refunded.iter().flat_map(|receipt| &receipt.content.items);
    lines.filter(|item| paid.was_prepaid(item)).map(FiscalItem::total).sum()
}

/// All prepaid lines of which something is left, as the hand-over states them.
fn handed_over(
    paid: PaidReceipts<'_>,
    expected: Money,
    facts: &ClosingFacts<'_>,
) -> Result<Vec<FiscalItem>, Rejection> {
    let left = paid.left(facts.refunded);
    let left = left.into_iter().filter(|(item, _)| item.mode.is_prepayment());
    let closed = |(item, left): (FiscalItem, _)| {
        let (mode, vat) = (PaymentMode::FullPayment, item.vat.at_hand_over(facts.now));
        Some(FiscalItem { mode, vat, quantity: left?, ..item })
    };
    let items: Vec<FiscalItem> = left.filter_map(closed).collect();
    // A refund of something other than whole lines, such as a lower price: only the vendor knows what is left.
    if items.iter().map(FiscalItem::total).sum::<i64>() != expected.minor {
        let mut problems = Problems::default();
        problems.add("items", FiscalProblem::RestRequired);
        problems.finish()?;
    }
    Ok(items)
}

fn read_items(
    request: &ReceiptRequest,
    paid: &FiscalReceipt,
    expected: Money,
    settings: &FiscalSettings,
) -> Result<Vec<FiscalItem>, Rejection> {
    let mut problems = Problems::default();
    let prepaid = paid.content.items.iter().filter(|item| item.mode.is_prepayment());
    let mode = PaymentMode::FullPayment;
    let prepaid: Vec<_> = prepaid.map(|item| FiscalItem { mode, ..item.clone() }).collect();
    let reading = Reading { settings, paid: &prepaid, handed_over: None, mode, expected: Some(expected) };
    let items = reading.only_items(&request.items, "items", &mut problems);
    for (index, item) in items.iter().flatten().enumerate() {
        if item.mode.is_prepayment() {
            problems.add(format!("items[{index}].mode"), FieldProblem::NotOneOf("full_payment"));
        }
    }
    problems.finish()?;
    Ok(items.unwrap_or_else(|| unreachable!("a missing part was noted as a problem")))
}

/// The receipt as it begins: on its way to the till of the payment, if there is one. Where registrations are played, it is
/// played as that of the payment.
fn begun(new: FiscalReceipt, paid: &FiscalReceipt, facts: &ClosingFacts<'_>) -> FiscalReceipt {
    let sent_at = Some(facts.now);
    if facts.rules.plays_registration {
        let status = facts.session.fiscal.map_or(ReceiptStatus::Registered, |fiscal| fiscal.plan);
        return FiscalReceipt { status, sent_at, ..new };
    }
    let Some(provider) = paid.provider.clone() else { return new };
    let status = ReceiptStatus::Pending;
    FiscalReceipt { status, provider: Some(provider), sent_at, check_at: sent_at, ..new }
}
