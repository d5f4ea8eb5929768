//! Finds out whether paying a session would pay an order a second time. The rule itself is `till-domain`'s.

use super::Cashier;
use till_domain::{
    change::HistoryKind,
    id::SessionId,
    money::Money,
    refund::RefundState,
    rejection::Rejection,
    session::{self, REPEAT_WINDOW, Session},
    time::Timestamp,
};
use till_store::StoreError;

impl Cashier {
    /// The payment of the same order that a customer has to be warned about before paying this session: not
    /// refunded in full, and made after the customer last confirmed to pay again.
    pub async fn earlier_payment(&self, session: &Session) -> Result<Option<Session>, StoreError> {
        let (store, now) = (&self.environment.store, self.environment.now());
        let since = now.minus(REPEAT_WINDOW);
        let paid = store.paid_sessions_of_order(session.vendor, &session.order_id, since).await?;
        let mut confirmed_at = None;
        for paid in paid.into_iter().filter(|paid| session::repeats(session, paid, now)) {
            let confirmed = match confirmed_at {
                Some(known) => known,
                None => *confirmed_at.insert(self.repeat_confirmed_at(session.id).await?),
            };
            if confirmed < Some(paid.updated_at) && !self.is_refunded(&paid).await? {
                return Ok(Some(paid));
            }
        }
        Ok(None)
    }

    /// The customer was warned and pays again all the same. Does nothing where there is nothing to be warned
    /// about.
    pub async fn confirm_repeat(&self, session: &Session) -> Result<(), StoreError> {
        if self.earlier_payment(session).await?.is_none() {
            return Ok(());
        }
        match session::confirm_repeat(session, self.environment.now()) {
            Ok(changes) => self.environment.commit(&changes).await.map(drop),
            // The page shows how the session ended.
            Err(Rejection::SessionNotPending) => Ok(()),
            Err(other) => unreachable!("nothing else speaks against it: {other:?}"),
        }
    }

    async fn repeat_confirmed_at(&self, id: SessionId) -> Result<Option<Timestamp>, StoreError> {
        let history = self.environment.store.history(id).await?;
        let confirmed =
            history.into_iter().filter(|(_, kind, _)| kind == HistoryKind::RepeatConfirmed.as_str());
        Ok(confirmed.map(|(at, _, _)| at).max())
    }

    /// Returns true if all of a session's price has gone back to the customer.
    async fn is_refunded(&self, paid: &Session) -> Result<bool, StoreError> {
        let refunds = self.environment.store.refunds().of_session(paid.id).await?;
        let done =
            refunds.iter().filter(|refund| refund.is_of_payment() && refund.state == RefundState::Succeeded);
        let Money { minor, .. } = paid.item.price.money();
        Ok(done.map(|refund| refund.amount.minor).sum::<i64>() >= minor)
    }
}
