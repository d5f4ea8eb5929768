//! The closing receipt: what was paid before has been handed over. Only the vendor knows when, so the vendor asks for it.

use super::{
    FiscalContent, FiscalItem, FiscalKind, FiscalProblem, FiscalReceipt, FiscalSettings, PaymentMode,
    ReceiptStatus, read::Reading,
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
    /// The receipt of the payment.
    pub paid: Option<&'a FiscalReceipt>,
    /// The sum of its refunds that did not fail, in minor units.
    pub refunded: i64,
    pub now: Timestamp,
    pub id: FiscalReceiptId,
}

/// Makes the closing receipt, with the change that stores it: lost if there is one already.
pub fn close(
    request: &ReceiptRequest,
    facts: &ClosingFacts<'_>,
) -> Result<(FiscalReceipt, Vec<Change>), Rejection> {
    let mut problems = Problems::default();
    problems.take("type", kind(request));
    if facts.session.state != State::Paid {
        problems.finish()?;
        return Err(Rejection::SessionNotPaid);
    }
    let prepaid = facts.paid.map(|paid| (paid, prepaid(paid)));
    let Some((paid, items)) = prepaid.filter(|(_, items)| !items.is_empty()) else {
        problems.finish()?;
        return Err(Rejection::NoPrepayment);
    };
    let minor = items.iter().map(FiscalItem::total).sum::<i64>() - facts.refunded;
    let expected = Money { minor, ..paid.total };
    if minor <= 0 {
        problems.finish()?;
        return Err(Rejection::NoPrepayment);
    }
    let items = read_items(request, paid, expected, &mut problems)
        .or_else(|| (!request.items.is_present()).then(|| handed_over(items, facts.now)));
    if facts.refunded > 0 && !request.items.is_present() {
        problems.add("items", FiscalProblem::RestRequired);
    }
    problems.finish()?;
    let items = items.unwrap_or_else(|| unreachable!("a missing part was noted as a problem"));
    let content = FiscalContent { items, ..paid.content.clone() };
    let owner = (facts.session.id, facts.session.vendor);
    let new = FiscalReceipt::new(facts.id, FiscalKind::Closing, owner, content, expected, facts.now);
    let receipt = begun(new, paid, facts);
    let change = Change::InsertClosingReceipt(Box::new(receipt.clone()));
    Ok((receipt, vec![change]))
}

/// Checks the type of a request that is answered with the receipt that there is.
pub fn check_kind(request: &ReceiptRequest) -> Result<(), Rejection> {
    let mut problems = Problems::default();
    problems.take("type", kind(request));
    problems.finish()
}

fn kind(request: &ReceiptRequest) -> Result<(), FieldProblem> {
    match request.kind.required_text()? {
        "closing" => Ok(()),
        _ => Err(FieldProblem::NotOneOf("closing")),
    }
}

/// The lines that were paid before the hand-over.
fn prepaid(paid: &FiscalReceipt) -> Vec<FiscalItem> {
    paid.content.items.iter().filter(|item| item.mode.is_prepayment()).cloned().collect()
}

/// The same lines as the hand-over states them.
fn handed_over(items: Vec<FiscalItem>, now: Timestamp) -> Vec<FiscalItem> {
    let closed = |item: FiscalItem| FiscalItem {
        mode: PaymentMode::FullPayment,
        vat: item.vat.at_hand_over(now),
        ..item
    };
    items.into_iter().map(closed).collect()
}

fn read_items(
    request: &ReceiptRequest,
    paid: &FiscalReceipt,
    expected: Money,
    problems: &mut Problems,
) -> Option<Vec<FiscalItem>> {
    if !request.items.is_present() {
        return None;
    }
    let settings = FiscalSettings { tax_system: paid.content.tax_system, ..FiscalSettings::default() };
    let reading = Reading { settings: &settings, mode: PaymentMode::FullPayment, expected: Some(expected) };
    let items = reading.items(&request.items, "items", problems, &mut { super::read::MAX_UNKNOWN })?;
    for (index, item) in items.iter().enumerate() {
        if item.mode.is_prepayment() {
            problems.add(format!("items[{index}].mode"), FieldProblem::NotOneOf("full_payment"));
        }
    }
    Some(items)
}

/// The receipt on its way: to the till of the payment, played, or nowhere.
fn begun(new: FiscalReceipt, paid: &FiscalReceipt, facts: &ClosingFacts<'_>) -> FiscalReceipt {
    let now = facts.now;
    if facts.rules.plays_registration {
        let status = facts.session.fiscal.map_or(ReceiptStatus::Registered, |fiscal| fiscal.plan);
        return FiscalReceipt { status, sent_at: Some(now), ..new };
    }
    match &paid.provider {
        Some(provider) => FiscalReceipt {
            status: ReceiptStatus::Pending,
            provider: Some(provider.clone()),
            sent_at: Some(now),
            check_at: Some(now),
            ..new
        },
        None => new,
    }
}
