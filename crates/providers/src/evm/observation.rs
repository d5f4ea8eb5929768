//! Translates what the book knows of a payment into an [`Observation`]. It makes no queries.

use till_domain::{
    attempt::{Attempt, Observation, Quantity},
    chain::{Atoms, Cursor, Deposit, Transfer},
};

/// The provider's reference of a payment: `chain:address`.
pub(super) fn reference(deposit: &Deposit) -> String {
    format!("{}:{}", deposit.chain, deposit.address)
}

/// An amount of the deposit's coin.
pub(super) fn quantity(deposit: &Deposit, atoms: Atoms) -> Quantity {
    Quantity { atoms: atoms.0, decimals: deposit.decimals, unit: deposit.coin.clone() }
}

/// What arrived of the awaited coin, in blocks that are still on the chain.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Sum {
    all: Atoms,
    /// The part that has enough confirmations.
    confirmed: Atoms,
    /// Confirmations of the newest transfer that is not final.
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

/// The state of a payment. What was recorded and is still in a block counts, whatever its depth: more
/// confirmations may be required than when it was recorded, and a reorg may have moved it to a later block.
pub(super) fn say(
    attempt: &Attempt,
    (deposit, came): &(Deposit, Vec<Transfer>),
    cursor: Option<&Cursor>,
    needed: u32,
) -> Observation {
    let sum = sum(deposit, came, cursor.map(|cursor| cursor.block), needed);
    let recorded = Atoms(attempt.recorded);
    if sum.all < recorded {
        return Observation::TakenBack { received: quantity(deposit, sum.all) };
    }
    let counted = sum.confirmed.max(recorded);
    let received = quantity(deposit, counted);
    if counted >= deposit.charge {
        return Observation::Paid { received, reference: reference(deposit) };
    }
    match sum.least.filter(|_| sum.all > counted) {
        Some(seen) => Observation::Confirming { seen, needed, received: quantity(deposit, sum.all) },
        None if counted > Atoms::ZERO => Observation::Partial { received },
        None => Observation::Waiting,
    }
}
