//! What the book says about a payment, in our words. Nothing is asked of anybody.

use till_domain::{
    attempt::{Attempt, Observation, Quantity},
    chain::{Cursor, Deposit, Transfer},
};

/// What the provider calls a payment.
pub(super) fn reference(deposit: &Deposit) -> String {
    format!("{}:{}", deposit.chain, deposit.address)
}

/// What has to come, or has come.
pub(super) fn quantity(deposit: &Deposit, atoms: u128) -> Quantity {
    Quantity { atoms, decimals: deposit.decimals, unit: deposit.coin.clone() }
}

/// What came of the coin that is waited for, in blocks that stand.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Sum {
    all: u128,
    /// What of it is final.
    confirmed: u128,
    /// How many blocks confirm the newest of what is not.
    least: Option<u32>,
}

fn sum(deposit: &Deposit, came: &[Transfer], read: Option<u64>, needed: u32) -> Sum {
    let mut sum = Sum::default();
    let ours = came.iter().filter(|transfer| transfer.contract == deposit.contract);
    for transfer in ours.filter(|transfer| transfer.gone_at.is_none()) {
        let blocks = read.and_then(|read| (read + 1).checked_sub(transfer.block)).unwrap_or(0);
        let blocks = u32::try_from(blocks).unwrap_or(u32::MAX);
        sum.all = sum.all.saturating_add(transfer.atoms);
        if blocks >= needed {
            sum.confirmed = sum.confirmed.saturating_add(transfer.atoms);
        } else {
            sum.least = Some(sum.least.map_or(blocks, |least| least.min(blocks)));
        }
    }
    sum
}

/// How a payment stands. What was recorded and is still in a block stands, whatever its depth: more confirmations may be
/// asked for than when it counted, and a fork may have moved it to a later block.
pub(super) fn say(
    attempt: &Attempt,
    (deposit, came): &(Deposit, Vec<Transfer>),
    cursor: Option<&Cursor>,
    needed: u32,
) -> Observation {
    let sum = sum(deposit, came, cursor.map(|cursor| cursor.block), needed);
    if sum.all < attempt.recorded {
        return Observation::TakenBack { received: quantity(deposit, sum.all) };
    }
    let counted = sum.confirmed.max(attempt.recorded);
    let received = quantity(deposit, counted);
    if counted >= deposit.charge {
        return Observation::Paid { received, reference: reference(deposit) };
    }
    match sum.least.filter(|_| sum.all > counted) {
        Some(seen) => Observation::Confirming { seen, needed, received: quantity(deposit, sum.all) },
        None if counted > 0 => Observation::Partial { received },
        None => Observation::Waiting,
    }
}
