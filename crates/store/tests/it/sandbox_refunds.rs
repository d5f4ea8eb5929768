//! Refunds in the sandbox: what may be refunded without a ledger, by the rules and by the database itself.

use crate::fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, session_id, start};
use std::time::Duration;
use till_domain::{
    change::Change,
    id::RefundId,
    refund::{self, Payment, Refund, RequestFacts},
    rejection::Rejection,
    request::{FieldValue, RefundRequest, SimulateRequest},
    session::{Outcome, Session},
    simulation::{self, SimulationFacts},
    time::Timestamp,
    transaction::{Action, Transaction},
};
use till_store::{PaidWith, Payments};

fn shop() -> Shop {
    let shop = Shop::sandbox();
    Shop { rules: shop.rules.with_refunds(vec![Transaction::TESTER]), vendor: shop.vendor }
}

fn later(seconds: u64) -> Timestamp {
    start().plus(Duration::from_secs(seconds))
}

fn payment(paid: &PaidWith) -> Payment<'_> {
    let PaidWith { money, accepted, fee, pending, taken_back } = paid;
    Payment { money, accepted: *accepted, fee: *fee, pending: pending.as_ref(), taken_back: *taken_back }
}

async fn money(payments: &Payments) -> (Vec<Refund>, PaidWith) {
    let refunds = payments.refunds().of_session(session_id(1)).await.expect("refunds");
    let paid = payments.refunds().paid_with(session_id(1), &refunds).await.expect("a read");
    (refunds, paid.expect("a payment"))
}

/// A tester makes an event happen.
async fn simulate(
    payments: &Payments,
    shop: &Shop,
    session: &Session,
    number: u64,
    (event, detail): (&str, &str),
) {
    let text = |word: &str| FieldValue::Text(word.to_owned());
    let amount = if event == "payment.over" { text(detail) } else { FieldValue::Absent };
    let resolution = if event == "payment.resolved" { text(detail) } else { FieldValue::Absent };
    let request = SimulateRequest { event: text(event), amount, resolution, ..SimulateRequest::default() };
    let stored = payments.actions_of(session.id).await.expect("actions");
    let open: Vec<Action> =
        stored.into_iter().filter(|one| one.decided.is_none()).map(|one| one.action).collect();
    let (refunds, paid) = money(payments).await;
    let facts = SimulationFacts {
        session,
        transactions: &payments.transactions_of(session.id).await.expect("transactions"),
        open: &open,
        disputes: 0,
        refunds: &refunds,
        fiscal: None,
        payment: Some(payment(&paid)),
        settings: &shop.vendor.settings,
        now: later(number),
        id: event_id(number),
    };
    commit(payments, &simulation::simulate_event(&request, &facts).expect("it is possible")).await;
}

/// Decides a refund request on the data that is stored now.
async fn ask(
    payments: &Payments,
    shop: &Shop,
    session: &Session,
    amount: &str,
    number: u64,
) -> Result<(Refund, Vec<Change>), Rejection> {
    let (refunds, paid) = money(payments).await;
    let facts = RequestFacts {
        rules: &shop.rules,
        session,
        payment: Some(payment(&paid)),
        refunds: &refunds,
        terms: &shop.vendor.terms,
        wallet: None,
        fiscal: None,
        fiscal_settings: &shop.vendor.settings.fiscal,
        by: "api",
        now: later(number),
        id: RefundId::from_bytes(event_id(number).into()),
    };
    refund::request(&RefundRequest::typed(amount, "wrong size"), &facts)
}

async fn accepted_excess_is_refundable_and_not_a_unit_more(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (sandbox, shop) = (&backend.stores.sandbox, shop());
    let pending = shop.store(sandbox, 1, start()).await;
    let (session, changes) = shop.finish(&pending, Outcome::Paid, 1);
    commit(sandbox, &changes).await;
    simulate(sandbox, &shop, &session, 2, ("payment.over", "5.00")).await;
    assert_eq!(money(sandbox).await.1.accepted, 0, "nobody decided yet");
    simulate(sandbox, &shop, &session, 3, ("payment.resolved", "refunded")).await;
    simulate(sandbox, &shop, &session, 4, ("payment.over", "1.00")).await;
    simulate(sandbox, &shop, &session, 5, ("payment.resolved", "accepted")).await;
    assert_eq!(money(sandbox).await.1.accepted, 100, "only what was accepted");

    let (part, changes) = ask(sandbox, &shop, &session, "10.00", 6).await.expect("it is covered");
    commit(sandbox, &changes).await;
    assert_eq!(part.amount.minor, 1_000);
    let refused = ask(sandbox, &shop, &session, "40.91", 7).await;
    assert!(matches!(refused, Err(Rejection::Invalid(_))), "{refused:?}");
    let (rest, changes) = ask(sandbox, &shop, &session, "", 7).await.expect("it is covered");
    assert_eq!(rest.amount.minor, 4_090, "49.90 and 1.00 without 10.00");
    // The database itself refuses a refund that the rules would not have made.
    let more = Refund { amount: till_domain::money::Money { minor: 4_091, ..rest.amount }, ..rest };
    assert!(sandbox.commit(&[Change::InsertRefund(Box::new(more))]).await.is_err());
    commit(sandbox, &changes).await;
    assert!(matches!(ask(sandbox, &shop, &session, "", 8).await, Err(Rejection::NothingToRefund)));
}

on_both_engines!(accepted_excess_is_refundable_and_not_a_unit_more);
