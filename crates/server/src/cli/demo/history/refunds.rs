//! The refunds of sample payments. All of them take the same steps, so that each step is one commit.

use super::{
    delivery::deliver,
    life::PaidSession,
    month::{CallbackCourse, PlannedRefund},
    past::Past,
};
use futures_util::future::try_join_all;
use std::{collections::BTreeMap, slice, time::Duration};
use till_domain::{
    change::Change,
    decision::Wallet,
    id::{EventId, RefundId},
    money::{Currency, Money},
    receipt::ReceiptLink,
    refund::{self, Payment, Refund, RefundDecision, RefundFacts, RefundSeen, RequestFacts, TotalVersion},
    request::RefundRequest,
    time::Timestamp,
};
use till_providers::BankDecision;
use till_service::random;

/// When the worker takes a refund up, and when the bank has answered.
const TAKEN_UP: Duration = Duration::from_millis(400);
const ANSWERED: Duration = Duration::from_millis(900);

/// The lease of a refund while the bank is called.
const LEASE: Duration = Duration::from_secs(30);

/// Counts how often money was taken from the vendor's wallets. The vendor is new, so the count starts at 0.
#[derive(Default)]
struct WalletVersions(BTreeMap<&'static str, i64>);

impl WalletVersions {
    /// The version that the next change of this wallet finds.
    fn next(&mut self, currency: Currency) -> i64 {
        let version = self.0.entry(currency.code()).or_default();
        *version += 1;
        *version - 1
    }
}

/// Refunds payments: each is requested, sent to the bank, and ended by the bank's answer.
pub(super) async fn refund_all(
    past: &Past<'_>,
    mut planned: Vec<(PaidSession, PlannedRefund)>,
) -> anyhow::Result<()> {
    planned.sort_by_key(|(paid, plan)| paid.session.updated_at.plus(plan.after));
    let (mut versions, mut requests, mut claims, mut sent) =
        (WalletVersions::default(), Vec::new(), Vec::new(), Vec::new());
    for (paid, plan) in &planned {
        let (refund, changes) = request(past, paid, plan, &mut versions)?;
        let (claimed, claim) = refund::claim(&refund, refund.created_at.plus(TAKEN_UP), LEASE);
        requests.extend(changes);
        claims.push(claim);
        sent.push(claimed);
    }
    past.commit_together(requests).await?;
    past.commit_together(claims).await?;
    let sending = sent.iter().zip(&planned).map(|(refund, (paid, plan))| send(past, refund, paid, plan));
    let seen = try_join_all(sending).await?;
    let mut ends = Vec::new();
    for ((refund, (paid, _)), seen) in sent.iter().zip(&planned).zip(seen) {
        ends.extend(end(past, refund, paid, seen, &mut versions).changes);
    }
    past.commit_together(ends.clone()).await?;
    deliver(past, &ends, CallbackCourse::Accepted).await
}

/// Requests a refund, as the shop does by the API.
fn request(
    past: &Past<'_>,
    paid: &PaidSession,
    plan: &PlannedRefund,
    versions: &mut WalletVersions,
) -> anyhow::Result<(Refund, Vec<Change>)> {
    let (session, money) = (&paid.session, &paid.money);
    let now = session.updated_at.plus(plan.after);
    let amount = Money { minor: money.amount.minor * plan.percent / 100, ..money.amount };
    let fee =
        past.vendor.terms.fee(money.method, amount.currency).map_or(0, |fee| fee.of(money.amount).minor);
    let facts = RequestFacts {
        rules: &past.rules,
        session,
        payment: Some(Payment { money, accepted: 0, fee, pending: None, taken_back: 0 }),
        refunds: &[],
        terms: &past.vendor.terms,
        // At least this is available: the payment came before, and only its own refund takes it.
        wallet: Some(Wallet { version: versions.next(amount.currency), available: money.amount }),
        fiscal: None,
        fiscal_settings: &past.vendor.settings.fiscal,
        by: "api",
        now,
        id: random::id::<RefundId>(now),
    };
    Ok(refund::request(&RefundRequest::typed(&amount.digits(), plan.reason), &facts)?)
}

/// Sends a refund at the bank.
async fn send(
    past: &Past<'_>,
    refund: &Refund,
    paid: &PaidSession,
    plan: &PlannedRefund,
) -> anyhow::Result<RefundSeen> {
    let bank = past.bank(refund.updated_at);
    if let Some(payment) = paid.money.attempt.filter(|_| plan.refused) {
        bank.decide(payment, BankDecision::RefuseRefunds).await?;
    }
    bank.refund(refund).await
}

/// Ends a refund by the bank's answer.
fn end(
    past: &Past<'_>,
    refund: &Refund,
    paid: &PaidSession,
    seen: RefundSeen,
    versions: &mut WalletVersions,
) -> RefundDecision {
    let now: Timestamp = refund.created_at.plus(ANSWERED);
    let facts = RefundFacts {
        refund,
        refunds: slice::from_ref(refund),
        session: &paid.session,
        settings: &past.vendor.settings,
        action: None,
        silence_action: None,
        pending: None,
        version: TotalVersion::Wallet(versions.next(refund.amount.currency)),
        receipt: paid.receipt.as_ref(),
        returns_other_lines: false,
        rules: &past.rules,
        now,
        event_id: random::id::<EventId>(now),
        link: ReceiptLink::new(random::draw("receipt link")),
    };
    refund::observe(&facts, seen)
}
