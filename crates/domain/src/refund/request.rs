//! The wish: whether a payment can be refunded, by how much, and out of which money.

use super::{MAX_REFUNDS, Origin, Refund, RefundState, Unsettled};
use crate::{
    change::Change,
    id::{ActionId, RefundId},
    ledger::{Entry, Settlement, Terms, refund_taken},
    money::{Money, Price},
    rejection::{FieldProblem, Problems, Rejection},
    request::RefundRequest,
    rules::Rules,
    session::{Session, State},
    text,
    time::Timestamp,
    transaction::Transaction,
};

/// What a session was paid with.
#[derive(Debug, Clone, Copy)]
pub struct Payment<'a> {
    pub money: &'a Transaction,
    /// What else the provider took with it that a person said is the vendor's, in minor units: a part that came before
    /// the rest, or what was too much.
    pub accepted: i64,
    /// What the operator took of it, in minor units.
    pub fee: i64,
    /// What of it is pending, if any is.
    pub pending: Option<&'a Settlement>,
    /// What of it was taken back, in minor units.
    pub taken_back: i64,
}

/// What a decision about a refund depends on.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// The rules of the environment.
    pub rules: &'a Rules,
    pub session: &'a Session,
    /// What it was paid with, as the books have it.
    pub payment: Option<Payment<'a>>,
    /// All its refunds so far.
    pub refunds: &'a [Refund],
    /// What the vendor and the operator agreed on.
    pub terms: &'a Terms,
    /// The version of the vendor's wallet, read before anything else was.
    pub wallet: i64,
    /// What of the vendor's money can be used.
    pub available: Money,
    /// Who asks, in the words that stay with it.
    pub by: &'a str,
    pub now: Timestamp,
    /// The new refund's id.
    pub id: RefundId,
}

impl Payment<'_> {
    /// All that the provider took of it for the vendor.
    fn whole(&self) -> i64 {
        self.money.amount.minor.saturating_add(self.accepted)
    }

    /// What is left of it that was not refunded, nor is to be, nor was taken back.
    #[must_use]
    pub fn left(&self, refunds: &[Refund]) -> Money {
        let refunded: i64 = counted(self.money, refunds).map(|refund| refund.amount.minor).sum();
        let gone = refunded.saturating_add(self.taken_back);
        Money { minor: self.whole().saturating_sub(gone).max(0), ..self.money.amount }
    }
}

fn counted<'a>(money: &Transaction, refunds: &'a [Refund]) -> impl Iterator<Item = &'a Refund> {
    let payment = money.id;
    refunds.iter().filter(move |refund| refund.transaction == payment && refund.counts())
}

/// The refund that a request asks for, with everything that it takes. It is lost if anybody took money from the vendor
/// or refunded the payment meanwhile, or if what was pending became available; the caller reads again and asks again.
pub fn request(
    request: &RefundRequest,
    situation: &Situation<'_>,
) -> Result<(Refund, Vec<Change>), Rejection> {
    let (session, refunds) = (situation.session, situation.refunds);
    let currency = session.item.price.currency();
    let mut problems = Problems::default();
    let reason = request.reason.text().and_then(|given| Ok(given.map(text::name).transpose()?));
    let reason = problems.take("reason", reason).flatten();
    let price = |digits| Price::new(digits, currency).map_err(FieldProblem::from);
    let asked = request.amount.digits().and_then(|digits| digits.map(price).transpose());
    let asked = problems.take("amount", asked).flatten().map(|price| price.money());
    let named = problems.take("currency", request.currency.text()).flatten();
    if named.is_some_and(|named| !named.eq_ignore_ascii_case(currency.code())) {
        problems.add("currency", FieldProblem::OtherCurrency(currency));
    }
    if session.state != State::Paid {
        return Err(Rejection::SessionNotPaid);
    }
    let Some(payment) = situation.payment else { return Err(Rejection::RefundNotSupported) };
    if !situation.rules.refunding.contains(&payment.money.provider.as_str()) {
        return Err(Rejection::RefundNotSupported);
    }
    let left = payment.left(refunds);
    if asked.is_some_and(|asked| asked.minor > left.minor) {
        problems.add("amount", FieldProblem::AmountTooLarge { left });
    }
    problems.finish()?;
    let amount = asked.unwrap_or(left);
    if amount.minor == 0 {
        return Err(Rejection::NothingToRefund);
    }
    if refunds.len() >= MAX_REFUNDS {
        return Err(Rejection::TooManyRefunds);
    }
    let fee = fee_share(&payment, amount, refunds, situation.terms);
    let mut refund = Refund {
        reason,
        requested_by: situation.by.to_owned(),
        ..made(payment.money, situation.id, amount, Origin::Payment { fee }, refunds, situation.now)
    };
    refund.pending = payment.pending.and_then(|settlement| {
        let minor = settlement.amount.minor.min(refund.of_vendor());
        (minor > 0).then_some(Unsettled { minor, until: settlement.due_at })
    });
    let changes = take(&refund, &payment, situation)?;
    Ok((refund, changes))
}

/// What of the fee is given back with this refund: so much that all refunds together have given the same part of the fee
/// as of the payment. A full refund gives all of it.
fn fee_share(payment: &Payment<'_>, amount: Money, refunds: &[Refund], terms: &Terms) -> i64 {
    let money = payment.money;
    if !terms.fee(money.method, amount.currency).is_some_and(|fee| fee.returned) {
        return 0;
    }
    let before = || counted(money, refunds);
    let gone: i128 = before().map(|refund| i128::from(refund.amount.minor)).sum();
    let given: i64 = before().map(Refund::fee).sum();
    let paid = i128::from(payment.whole().max(1));
    let part = (i128::from(payment.fee) * (gone + i128::from(amount.minor)) * 2 + paid) / (paid * 2);
    // What failed in between may have been rounded otherwise.
    i64::try_from(part).unwrap_or(payment.fee).saturating_sub(given).clamp(0, amount.minor)
}

/// Takes a refund's money: first what the payment brought and is still pending, then what is available.
fn take(refund: &Refund, payment: &Payment<'_>, situation: &Situation<'_>) -> Result<Vec<Change>, Rejection> {
    let needed = refund.of_vendor();
    let pending = refund.pending.map_or(0, |pending| pending.minor);
    let rest = Money { minor: needed - pending, ..refund.amount };
    if rest.minor > situation.available.minor.max(0) {
        let available = situation.available;
        return Err(Rejection::InsufficientBalance { needed: rest, available });
    }
    let (vendor, currency) = (refund.vendor, refund.amount.currency);
    let mut changes = vec![Change::TakeFromWallet { vendor, currency, was: situation.wallet }];
    let shrunk = payment.pending.filter(|_| pending > 0);
    changes.extend(shrunk.map(|settlement| Change::SettleEntry { entry: settlement.entry }));
    changes.push(Change::InsertRefund(Box::new(refund.clone())));
    changes.push(Change::PostEntry(Box::new(refund_taken(refund))));
    // What is left of it becomes available when it would have, as something that this entry left. So nobody who read
    // how much it was before can settle it.
    let minor = |settlement: &Settlement| settlement.amount.minor - pending;
    changes.extend(shrunk.filter(|settlement| minor(settlement) > 0).map(|settlement| {
        let amount = Money { minor: minor(settlement), ..settlement.amount };
        Change::ScheduleSettlement(Settlement { entry: refund.id.into(), amount, ..settlement.clone() })
    }));
    Ok(changes)
}

/// The refund of money in suspense that a person decided to give back, which `moved` books. The change is lost if
/// somebody else refunded some of the same payment meanwhile.
#[must_use]
pub fn give_back(
    money: &Transaction,
    moved: &Entry,
    action: ActionId,
    id: RefundId,
    refunds: &[Refund],
    by: &str,
) -> (Refund, Change) {
    let amount = moved.amount_on(&crate::ledger::Account::Refunds);
    let origin = Origin::Suspense { action };
    let refund = Refund {
        requested_by: by.to_owned(),
        ..made(money, id, amount, origin, refunds, moved.heading().at)
    };
    let change = Change::InsertRefund(Box::new(refund.clone()));
    (refund, change)
}

fn made(
    money: &Transaction,
    id: RefundId,
    amount: Money,
    origin: Origin,
    refunds: &[Refund],
    now: Timestamp,
) -> Refund {
    let before = refunds.iter().filter(|refund| refund.transaction == money.id).map(|refund| refund.number);
    Refund {
        id,
        session: money.session,
        vendor: money.vendor,
        transaction: money.id,
        number: before.max().unwrap_or(0) + 1,
        method: money.method,
        provider: money.provider.clone(),
        payment: money.reference.clone(),
        amount,
        origin,
        pending: None,
        reason: None,
        requested_by: String::new(),
        state: RefundState::Requested,
        reference: None,
        hand: None,
        attempts: 0,
        check_at: Some(now),
        silent_since: None,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}
