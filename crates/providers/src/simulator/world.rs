//! The simulated bank's answers at a moment. Everything follows from a payment's entry and the time, so it is
//! the same on every node and after a restart.

use super::{
    book::{BankDecision, BankPayment, Behaviour, RefundEntry},
    disputes::dispute_id,
    rates, reference,
};
use std::time::Duration;
use till_domain::{
    attempt::{Observation, Quantity},
    finding::{Dispute, DisputeState},
    id::AttemptId,
    method::Method,
    refund::RefundSeen,
    session::FailureReason,
    time::Timestamp,
};

/// Duration of a slow approval: longer than the pause between two checks, so that it is seen.
pub(crate) const SLOWLY: Duration = Duration::from_secs(12);

/// Time until a transfer is in a block, and from one block to the next.
const BLOCK: Duration = Duration::from_secs(2);

/// Confirmations that make a transfer final.
const NEEDED: u32 = 6;

/// The amount that the customer has to pay.
pub(super) fn charge(entry: &BankPayment) -> Quantity {
    if entry.method == Method::Crypto { rates::coins(entry.amount) } else { entry.amount.into() }
}

/// An address that only this payment has, and that no wallet takes for one.
pub(super) fn address(id: AttemptId) -> String {
    let hex = hex::encode(id.as_bytes());
    format!("SIMULATED-NOT-AN-ADDRESS-{}", &hex[hex.len() - 12..])
}

/// The decisions that can be made about a payment now.
pub(super) fn decisions(entry: &BankPayment, now: Timestamp) -> Vec<BankDecision> {
    use BankDecision as D;
    // A chain cannot be closed: money can always be sent until the charge is covered.
    if entry.method == Method::Crypto {
        let open = entry.decision.is_none() || short(entry);
        return if open { vec![D::PayExact, D::PayShort, D::PayOver] } else { Vec::new() };
    }
    if entry.closed_at.is_some() {
        return Vec::new();
    }
    match (entry.decision, entry.method) {
        (None, Method::Card) => vec![
            D::Approve,
            D::ThreeDs,
            D::ApproveSlowly,
            D::Decline,
            D::InsufficientFunds,
            D::CardExpired,
            D::Cancel,
            D::Expire,
        ],
        (None, _) => vec![D::Approve, D::ApproveSlowly, D::Cancel, D::Expire],
        (Some((D::ThreeDs, since)), _) if now.since(since) < CHALLENGE => vec![D::Confirm, D::Refuse],
        (Some((D::Expire, _)), _) => vec![D::ApproveLate],
        (Some((D::Dispute, _)), _) => Vec::new(),
        (Some((D::RefuseRefunds, _)), _) => vec![D::Dispute],
        _ if matches!(at(entry, now), Observation::Paid { .. }) => vec![D::Dispute, D::RefuseRefunds],
        _ => Vec::new(),
    }
}

/// The dispute of a payment, if its customer started one.
pub(super) fn dispute(entry: &BankPayment) -> Option<Dispute> {
    let (BankDecision::Dispute, since) = entry.decision? else { return None };
    Some(Dispute {
        id: dispute_id(entry.id),
        payment: Some(reference(entry.id)),
        amount: entry.amount.into(),
        reason: "product_not_received".to_owned(),
        state: DisputeState::NeedsResponse,
        status: "needs_response".to_owned(),
        answer_by: Some(since.plus(EVIDENCE)),
    })
}

/// The time that a shop has for its evidence.
const EVIDENCE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How long the bank waits for the answer to a 3-D Secure challenge.
pub(super) const CHALLENGE: Duration = Duration::from_secs(5 * 60);

fn short(entry: &BankPayment) -> bool {
    matches!(entry.decision, Some((BankDecision::PayShort, _)))
}

/// The state of a payment.
pub(super) fn at(entry: &BankPayment, now: Timestamp) -> Observation {
    let Some((decision, since)) = entry.decision else {
        return if entry.closed_at.is_some() && entry.method != Method::Crypto {
            Observation::Closed
        } else {
            Observation::Waiting
        };
    };
    let paid = || Observation::Paid { received: charge(entry), reference: reference(entry.id) };
    match decision {
        BankDecision::Approve
        | BankDecision::Confirm
        | BankDecision::ApproveLate
        | BankDecision::Dispute
        | BankDecision::RefuseRefunds => paid(),
        BankDecision::ApproveSlowly if now.since(since) < SLOWLY => Observation::InFlight,
        BankDecision::ApproveSlowly => paid(),
        BankDecision::Decline => Observation::Declined(FailureReason::CardDeclined),
        BankDecision::InsufficientFunds => Observation::Declined(FailureReason::InsufficientFunds),
        BankDecision::CardExpired => Observation::Declined(FailureReason::CardExpired),
        BankDecision::Refuse => Observation::Declined(FailureReason::ThreeDsFailed),
        BankDecision::ThreeDs if now.since(since) < CHALLENGE => Observation::InFlight,
        BankDecision::ThreeDs => Observation::Declined(FailureReason::ThreeDsFailed),
        BankDecision::Cancel => Observation::Declined(FailureReason::CanceledByCustomer),
        BankDecision::Expire => Observation::TimedOut,
        BankDecision::PayExact | BankDecision::PayShort | BankDecision::PayOver => {
            transfer(entry, decision, since, now)
        }
    }
}

/// A transfer that collects confirmations, block after block.
fn transfer(entry: &BankPayment, decision: BankDecision, since: Timestamp, now: Timestamp) -> Observation {
    let due = charge(entry);
    let received = due.with(match decision {
        BankDecision::PayShort => due.atoms * 9 / 10,
        BankDecision::PayOver => due.atoms * 11 / 10,
        _ => due.atoms,
    });
    let blocks = now.since(since).as_millis() / BLOCK.as_millis();
    let seen = u32::try_from(blocks).unwrap_or(NEEDED).min(NEEDED);
    if seen < NEEDED {
        return Observation::Confirming { seen, needed: NEEDED, received };
    }
    if decision == BankDecision::PayShort {
        return Observation::Partial { received };
    }
    Observation::Paid { received, reference: reference(entry.id) }
}

/// The amount that the bank has taken of a payment's price, in minor units.
pub(super) fn taken(entry: &BankPayment, now: Timestamp) -> i64 {
    let (Observation::Paid { received, .. } | Observation::Partial { received }) = at(entry, now) else {
        return 0;
    };
    received.share(&charge(entry), entry.amount).minor
}

/// The state of a refund that the bank has recorded.
pub(super) fn refunded(refund: &RefundEntry, now: Timestamp) -> RefundSeen {
    let Some(acted_at) = refund.acted_at else { return RefundSeen::Unheard };
    let failed = |reason: &str| RefundSeen::Failed { reason: reason.to_owned() };
    match refund.behaviour {
        Behaviour::Fail => failed("the bank of the customer refused the refund"),
        Behaviour::TooMuch => failed("it is more than was taken"),
        Behaviour::Slow if now.since(acted_at) < SLOWLY => RefundSeen::Pending,
        _ => RefundSeen::Succeeded { reference: format!("simr_{}", refund.id) },
    }
}

/// The result of closing a payment: `Ok` with the state that is there already, or `Err` with the closed entry
/// that has to be written.
pub(super) fn closing(entry: &BankPayment, now: Timestamp) -> Result<Observation, BankPayment> {
    match at(entry, now) {
        Observation::Waiting if entry.method == Method::Crypto => Ok(Observation::CannotBeClosed),
        // Undecided, or in progress at the bank: it can be called off.
        Observation::Waiting | Observation::InFlight => {
            Err(BankPayment { decision: None, closed_at: Some(now), ..entry.clone() })
        }
        there => Ok(there),
    }
}
