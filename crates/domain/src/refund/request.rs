//! The request for a refund: whether a payment can be refunded, by how much, and out of which money.

use super::{MAX_REFUNDS, Origin, Refund, RefundState, UnsettledMoney};
use crate::{
    change::Change,
    decision::Wallet,
    defect::Defect,
    fiscal::{
        self, FiscalContent, FiscalItem, FiscalKind, FiscalReceipt, FiscalSettings, PaidReceipts, follow,
        registration,
    },
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

/// The payment of a session, as far as a refund depends on it.
#[derive(Debug, Clone, Copy)]
pub struct Payment<'a> {
    pub money: &'a Transaction,
    /// Held money of the same payment that the operator accepted for the vendor, in minor units: a part that
    /// came before the rest, or a surplus.
    pub accepted: i64,
    /// The operator's fee on it, in minor units.
    pub fee: i64,
    /// Its pending part, if any.
    pub pending: Option<&'a Settlement>,
    /// The part that was reversed, in minor units.
    pub taken_back: i64,
}

/// Everything that a decision about a refund depends on besides the request.
#[derive(Debug, Clone, Copy)]
pub struct RequestFacts<'a> {
    /// The rules of the environment.
    pub rules: &'a Rules,
    pub session: &'a Session,
    /// The session's payment, as the ledger has it.
    pub payment: Option<Payment<'a>>,
    /// All its refunds so far.
    pub refunds: &'a [Refund],
    /// The terms agreed on with the vendor.
    pub terms: &'a Terms,
    /// The vendor's wallet, read before everything else; `None` where no ledger is kept.
    pub wallet: Option<Wallet>,
    /// The fiscal receipts of the payment, if it has any.
    pub fiscal: Option<PaidReceipts<'a>>,
    /// The vendor's settings for them.
    pub fiscal_settings: &'a FiscalSettings,
    /// The requester, as text that stays with the refund.
    pub by: &'a str,
    pub now: Timestamp,
    /// The new refund's id.
    pub id: RefundId,
}

impl Payment<'_> {
    /// All that the provider received of it for the vendor, in minor units.
    fn whole(&self) -> i64 {
        self.money.amount.minor.saturating_add(self.accepted)
    }

    /// The remainder that was not refunded, is not being refunded, and was not reversed.
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

/// Creates the refund that a request asks for, with the changes that take its money. They are lost if another
/// commit took money from the vendor, refunded the payment or closed its prepayment meanwhile, or if the
/// pending money was settled; the caller reads again and retries.
pub fn request(
    request: &RefundRequest,
    situation: &RequestFacts<'_>,
) -> Result<(Refund, Vec<Change>), Rejection> {
    let (session, refunds) = (situation.session, situation.refunds);
    let currency = session.item.price.currency();
    let mut problems = Problems::default();
    let reason = request.reason.text().and_then(|reason| Ok(reason.map(text::name).transpose()?));
    let reason = problems.take("reason", reason).flatten();
    let price = |digits| Price::new(digits, currency).map_err(FieldProblem::from);
    let requested = request.amount.digits().and_then(|digits| digits.map(price).transpose());
    let requested = problems.take("amount", requested);
    let is_amount = requested.is_some();
    let requested = requested.flatten().map(|price| price.money());
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
    let mut left = payment.left(refunds);
    if Defect::RefundWithoutLimit.is_planted() {
        left.minor = payment.whole();
    }
    let is_too_large = requested.is_some_and(|requested| requested.minor > left.minor);
    if is_too_large {
        problems.add("amount", FieldProblem::AmountTooLarge { left });
    }
    let amount = requested.unwrap_or(left);
    let mut content = None;
    if amount.minor > 0 {
        let known = (is_amount && !is_too_large).then_some(amount);
        let (paid, settings) = (situation.fiscal, situation.fiscal_settings);
        content = fiscal::on_refund(&request.receipt, known, paid, settings, &mut problems);
    }
    problems.finish()?;
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
        (minor > 0).then_some(UnsettledMoney { minor, until: settlement.due_at })
    });
    let mut changes = take(&refund, &payment, situation)?;
    if let Some((content, paid)) = content.zip(situation.fiscal) {
        // What the lines say depends on whether there was a hand-over.
        let guards = changes.iter().take_while(|change| change.guard().is_some()).count();
        changes.insert(guards, follow::unchanged(paid.payment));
        changes.push(with_receipt(&refund, content, paid.payment));
    }
    Ok((refund, changes))
}

/// The change that stores the fiscal receipt of a refund. Its total is that of the goods, without a surplus. Where registrations
/// are played, it is played as that of the payment.
fn with_receipt(refund: &Refund, content: FiscalContent, paid: &FiscalReceipt) -> Change {
    let minor = content.items.iter().map(FiscalItem::total).sum();
    let (owner, total) = ((refund.session, refund.vendor), Money { minor, ..refund.amount });
    let (id, kind, at) = (refund.id.into(), FiscalKind::Refund, refund.created_at);
    let receipt = FiscalReceipt::new(id, kind, owner, content, total, at);
    registration::inserted(FiscalReceipt { plan: paid.plan, ..receipt })
}

/// The share of the fee that this refund gives back: all refunds together give back the same fraction of the
/// fee as of the payment. A full refund gives back all of it.
fn fee_share(payment: &Payment<'_>, amount: Money, refunds: &[Refund], terms: &Terms) -> i64 {
    let money = payment.money;
    if !terms.fee(money.method, amount.currency).is_some_and(|fee| fee.returned) {
        return 0;
    }
    let before = || counted(money, refunds);
    let gone: i128 = before().map(|refund| i128::from(refund.amount.minor)).sum();
    let returned_fee: i64 = before().map(Refund::fee).sum();
    let paid = i128::from(payment.whole().max(1));
    let part = (i128::from(payment.fee) * (gone + i128::from(amount.minor)) * 2 + paid) / (paid * 2);
    // A refund that failed in between may have been rounded differently.
    i64::try_from(part).unwrap_or(payment.fee).saturating_sub(returned_fee).clamp(0, amount.minor)
}

/// Takes a refund's money where a ledger is kept: first from the pending part of the payment, then from the available balance.
fn take(
    refund: &Refund,
    payment: &Payment<'_>,
    situation: &RequestFacts<'_>,
) -> Result<Vec<Change>, Rejection> {
    let Some(wallet) = situation.wallet else {
        return Ok(vec![Change::InsertRefund(Box::new(refund.clone()))]);
    };
    let needed = refund.of_vendor();
    let pending = refund.pending.map_or(0, |pending| pending.minor);
    let rest = Money { minor: needed - pending, ..refund.amount };
    if rest.minor > wallet.available.minor.max(0) {
        let available = wallet.available;
        return Err(Rejection::InsufficientBalance { needed: rest, available });
    }
    let (vendor, currency) = (refund.vendor, refund.amount.currency);
    let mut changes = vec![Change::TakeFromWallet { vendor, currency, was: wallet.version }];
    let shrunk = payment.pending.filter(|_| pending > 0);
    changes.extend(shrunk.map(|settlement| Change::SettleEntry { entry: settlement.entry }));
    changes.push(Change::InsertRefund(Box::new(refund.clone())));
    changes.push(Change::PostEntry(Box::new(refund_taken(refund))));
    // The rest is settled at the original time, under the entry of this refund. So a worker that read the old
    // amount cannot settle it.
    let minor = |settlement: &Settlement| settlement.amount.minor - pending;
    changes.extend(shrunk.filter(|settlement| minor(settlement) > 0).map(|settlement| {
        let amount = Money { minor: minor(settlement), ..settlement.amount };
        Change::ScheduleSettlement(Settlement { entry: refund.id.into(), amount, ..settlement.clone() })
    }));
    Ok(changes)
}

/// The refund of held money that the operator decided to give back; `moved` is the entry that books it. The
/// change is lost if another refund of the same payment was added meanwhile.
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

/// The refund of held money where no ledger is kept.
#[must_use]
pub fn give_back_unbooked(
    money: &Transaction,
    action: ActionId,
    id: RefundId,
    refunds: &[Refund],
    by: &str,
    now: Timestamp,
) -> (Refund, Change) {
    let refund = Refund {
        requested_by: by.to_owned(),
        ..made(money, id, money.amount, Origin::Suspense { action }, refunds, now)
    };
    let change = Change::InsertRefund(Box::new(refund.clone()));
    (refund, change)
}

/// The change that stores the fiscal receipt of held money that goes back: all lines of the receipt that the payment had. None
/// for another amount, such as a surplus: no receipt is of that money.
#[must_use]
pub fn receipt_of_held(refund: &Refund, paid: Option<&FiscalReceipt>) -> Option<Change> {
    let paid = paid.filter(|paid| paid.total == refund.amount)?;
    Some(with_receipt(refund, paid.content.clone(), paid))
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
        moved: None,
        manual: None,
        attempts: 0,
        check_at: Some(now),
        silent_since: None,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}
