//! The simulated bank's answers at a moment. Everything follows from a payment's entry and the time, so it is
//! the same on every node and after a restart.

use super::{
    book::{BankDecision, BankPayment, Behaviour, RefundEntry},
    reference,
};
use std::time::Duration;
use till_domain::{
    attempt::{Observation, Quantity},
    id::AttemptId,
    method::Method,
    refund::RefundSeen,
    session::FailureReason,
    time::Timestamp,
};

/// Duration of a slow approval: longer than the pause between two checks, so that it is seen.
const SLOWLY: Duration = Duration::from_secs(12);

/// Time until a transfer is in a block, and from one block to the next.
const BLOCK: Duration = Duration::from_secs(2);

/// Confirmations that make a transfer final.
const NEEDED: u32 = 6;

/// The coin of the simulated chain, with six decimal places like the real USDC.
const COIN: &str = "USDC";
const COIN_PLACES: u8 = 6;

/// The contract of USDC on Ethereum, as a wallet would read it.
const CONTRACT: &str = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

/// The amount that the customer has to pay. The simulated rate is one coin for one unit of any currency.
pub(super) fn charge(entry: &BankPayment) -> Quantity {
    if entry.method != Method::Crypto {
        return entry.amount.into();
    }
    let money = Quantity::from(entry.amount);
    let places = COIN_PLACES.saturating_sub(money.decimals);
    let atoms = money.atoms * 10_u128.pow(u32::from(places));
    Quantity { atoms, decimals: COIN_PLACES, unit: COIN.to_owned() }
}

/// An address that only this payment has.
pub(super) fn address(id: AttemptId) -> String {
    format!("0x51{}000000", hex::encode(id.as_bytes()))
}

/// Address and amount as a payment URI for wallets (EIP-681).
pub(super) fn uri(address: &str, charge: &Quantity) -> String {
    format!("ethereum:{CONTRACT}@1/transfer?address={address}&uint256={}", charge.atoms)
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
        ],
        (None, _) => vec![D::Approve, D::ApproveSlowly, D::Cancel],
        (Some((D::ThreeDs, since)), _) if now.since(since) < CHALLENGE => vec![D::Confirm, D::Refuse],
        _ => Vec::new(),
    }
}

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
        BankDecision::Approve | BankDecision::Confirm => paid(),
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
    let charged = charge(entry);
    let received = charged.with(match decision {
        BankDecision::PayShort => charged.atoms * 9 / 10,
        BankDecision::PayOver => charged.atoms * 11 / 10,
        _ => charged.atoms,
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

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::{
        id::{AttemptId, SessionId},
        money::{Currency, Money},
    };

    #[test]
    fn a_coin_is_counted_in_its_own_places_whatever_the_currency_has() {
        for (code, minor, atoms) in
            [("JPY", 500, 500_000_000), ("RUB", 4_990, 49_900_000), ("KWD", 1_234, 1_234_000)]
        {
            let amount = Money { minor, currency: Currency::parse(code).expect("a currency") };
            let entry = BankPayment {
                id: AttemptId::new(Timestamp::from_ms(0), &[1; 10]),
                session: SessionId::new(Timestamp::from_ms(0), &[1; 10]),
                method: Method::Crypto,
                amount,
                opened_at: Timestamp::from_ms(0),
                decision: None,
                closed_at: None,
                revision: 1,
            };
            assert_eq!(charge(&entry).atoms, atoms, "{code}");
        }
    }
}
