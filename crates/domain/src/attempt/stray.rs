//! Money that was not asked for: another coin at the address of a payment.

use super::{Attempt, Quantity};
use crate::{
    chain::{Address, ChainId},
    change::Change,
    id::EventId,
    session::Session,
    time::Timestamp,
    transaction::{Action, ActionKind, Transaction},
};

/// A transfer of a coin that a payment did not wait for.
#[derive(Debug, Clone, Copy)]
pub struct StrayTransfer<'a> {
    /// The session of the payment.
    pub session: &'a Session,
    pub attempt: &'a Attempt,
    pub chain: ChainId,
    /// The reference of the transfer on the chain.
    pub reference: &'a str,
    /// The address that it came to.
    pub address: Address,
    pub received: &'a Quantity,
}

/// Leaves a stray transfer to an operator. It is worth nothing until the operator has decided; the payment
/// still waits for the coin that was asked for. The changes are lost if the transfer was reported before, or
/// a reorg took it back.
#[must_use]
pub fn stray(stray: &StrayTransfer<'_>, now: Timestamp, event: EventId) -> Vec<Change> {
    let StrayTransfer { session, attempt, chain, reference, address, received } = *stray;
    let name = reference.to_owned();
    let money = Transaction::claimed(attempt, session, received.clone(), name, now, event);
    let action = Action {
        id: event.into(),
        kind: ActionKind::Mismatch,
        session: Some(session.id),
        vendor: Some(session.vendor),
        transaction: Some(money.id),
        finding: None,
        at: now,
    };
    let reference = reference.to_owned();
    vec![
        Change::TellOfTransfer { chain, reference, address },
        Change::RecordTransaction(Box::new(money)),
        Change::NeedAction(Box::new(action)),
    ]
}
