//! What addresses had of the chain's own coin before they were given out. It is nobody's payment: the account may have
//! been used by another wallet before.

use super::{
    Chainside, Cursor, Deposit, NodeError, Seats, Timestamp,
    stretch::Stretch,
    tally::{self, Seat},
};
use std::{collections::BTreeMap, sync::Arc};

/// Nodes that do not keep everything know the balances of at least so many blocks back.
pub(super) const RECENT: u64 = 64;

/// The block whose balance shows what was there before. Later is too late: the customer may have paid.
fn block(deposit: &Deposit, stretch: &Stretch, old: Option<&Cursor>, head: u64) -> u64 {
    let read = old.map_or(stretch.first.saturating_sub(1), |old| old.block);
    let given_out = stretch.before(deposit);
    let is_old = given_out + RECENT < head;
    // The chain was never read then, or another coin is waited for: then this one only has to be told of.
    if deposit.since_block == 0 || (is_old && deposit.contract.is_some()) {
        read
    } else {
        given_out.min(read)
    }
}

/// Looks at the addresses of which nobody knows it yet. What is news.
pub(super) async fn look(
    chainside: &Chainside<'_>,
    stretch: &Stretch,
    seats: &mut Seats,
    old: Option<&Cursor>,
    now: Timestamp,
) -> Result<Vec<(String, u128)>, NodeError> {
    let head = chainside.head.number;
    let then = old.map_or(Timestamp::from_ms(0), |old| old.at);
    let mut by_block: BTreeMap<u64, Vec<&mut Seat>> = BTreeMap::new();
    for seat in seats.values_mut().filter(|seat| seat.deposit.before.is_none()) {
        let block = block(&seat.deposit, stretch, old, head);
        // Who does not know it now will hardly know it in a moment.
        if block + RECENT >= head || tally::is_due(seat.deposit.index, then, now) {
            by_block.entry(block).or_default().push(seat);
        }
    }
    let mut found = Vec::new();
    for (block, seats) in by_block {
        let addresses: Vec<_> = seats.iter().map(|seat| seat.deposit.address.clone()).collect();
        match chainside.balances_of(&addresses, block).await {
            Ok(balances) => {
                for (seat, balance) in seats.into_iter().zip(balances) {
                    Arc::make_mut(&mut seat.deposit).before = Some(balance);
                    found.push((seat.deposit.address.clone(), balance));
                }
            }
            Err(error) if block + RECENT < head => {
                let count = addresses.len();
                tracing::warn!(
                    %error, block, count,
                    "nobody knows what addresses had when they were given out: what comes to them of the chain's own \
                     coin is not counted; add a node that keeps old state"
                );
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}
