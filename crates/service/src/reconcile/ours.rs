//! Our books of one payment at a provider.

use super::counts;
use std::collections::HashSet;
use till_domain::{
    attempt::Quantity,
    id::{SessionId, TransactionId},
    ledger::{Account, EntryKind},
    refund::{Refund, RefundState},
    time::Timestamp,
    transaction::{ActionKind, Resolution, Transaction},
};
use till_store::{Payments, StoreError, StoredAction};

/// The amounts of a payment, in its smallest unit.
#[derive(Debug)]
pub(super) struct OurAmounts {
    pub taken: u128,
    pub refunds: Vec<Refund>,
    /// Refunded money that came back.
    pub lost: u128,
    /// Money that people sent back at the provider by hand.
    by_hand: u128,
}

impl OurAmounts {
    pub(super) async fn read(
        store: &Payments,
        provider: &str,
        session: SessionId,
        payment: &str,
    ) -> Result<Self, StoreError> {
        let same = |money: &Transaction| money.provider == provider && money.reference == payment;
        let all = store.transactions_of(session).await?;
        let all: Vec<_> = all.into_iter().filter(|money| same(money) && counts(money)).collect();
        let actions = store.actions_of(session).await?;
        let came_back: HashSet<TransactionId> = actions
            .iter()
            .filter(|stored| stored.action.kind == ActionKind::RefundLost)
            .filter_map(of)
            .collect();
        let sum = |back: bool| -> u128 {
            let some = all.iter().filter(|money| came_back.contains(&money.id) == back);
            some.map(|money| money.received.atoms).fold(0, u128::saturating_add)
        };
        let mut refunds = store.refunds().of_session(session).await?;
        refunds.retain(|refund| refund.provider == provider && refund.payment == payment);
        let mut by_hand = 0_u128;
        for stored in
            actions.iter().filter(|stored| of(stored).is_some_and(|id| all.iter().any(|m| m.id == id)))
        {
            by_hand = by_hand.saturating_add(sent_by_hand(store, provider, stored).await?);
        }
        Ok(Self { taken: sum(false), refunds, lost: sum(true), by_hand })
    }

    /// The refunded amount that did not come back.
    pub(super) fn returned(&self) -> u128 {
        let done = self.refunds.iter().filter(|refund| refund.state == RefundState::Succeeded);
        let done = done.map(|refund| Quantity::from(refund.amount).atoms).fold(0, u128::saturating_add);
        done.saturating_add(self.by_hand).saturating_sub(self.lost)
    }

    /// True if a refund is under way, or was until `since`.
    pub(super) fn is_moving(&self, since: Timestamp) -> bool {
        self.refunds.iter().any(|refund| !refund.state.is_final() || refund.updated_at > since)
    }
}

/// The transaction that an action is about.
fn of(stored: &StoredAction) -> Option<TransactionId> {
    stored.action.transaction
}

/// The amount sent back at the provider by a person's decision.
async fn sent_by_hand(store: &Payments, provider: &str, stored: &StoredAction) -> Result<u128, StoreError> {
    let refunded = matches!(&stored.decided, Some((Resolution::Refund, ..)));
    let Some(ledger) = store.ledger().filter(|_| refunded) else { return Ok(0) };
    let entry = ledger.entry_of(EntryKind::Refund, stored.action.id.into()).await?;
    let minor =
        entry.map_or(0, |stored| stored.entry.amount_on(&Account::Clearing(provider.to_owned())).minor);
    Ok(u128::try_from(minor).unwrap_or(0))
}
