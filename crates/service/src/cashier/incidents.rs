//! Notices (webhooks) of disputes (chargebacks) and of refunds that came back. The provider is asked for the
//! current state, and an operator gets an action, once.

use super::{Cashier, checks::ANSWER_WITHIN, provider_handle::ProviderHandle};
use crate::cashier::findings;
use futures_util::future::BoxFuture;
use till_domain::refund::{RefundSeen, RefundState};
use till_providers::{ProviderError, web};
use till_store::{Committed, StoreError};

/// The reason why a notice was not processed; the provider has to send it again.
#[derive(Debug, thiserror::Error)]
pub enum NoticeError {
    /// The provider did not report the current state.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Cashier {
    /// Calls a provider about something besides its payments, with a timeout. The requests count against its
    /// rate limit.
    async fn within<T>(
        &self,
        handle: &ProviderHandle,
        call: BoxFuture<'_, Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let silent = |_| ProviderError::Unknown("no response in time".to_owned());
        let (answer, requests) = web::counting(tokio::time::timeout(ANSWER_WITHIN, call)).await;
        handle.known().pacer().spend(requests, self.uptime());
        answer.map_err(silent)?
    }

    /// Leaves a dispute to an operator, as the provider reports it now.
    pub(super) async fn dispute(&self, handle: &ProviderHandle, id: &str) -> Result<(), NoticeError> {
        let (name, store) = (handle.provider.name(), &self.environment.store);
        let accounts = self.environment.directory.accounts();
        let Some(disputes) = handle.provider.disputes() else { return Ok(()) };
        let dispute = self.within(handle, disputes.dispute(id)).await?;
        let money = match &dispute.payment {
            Some(payment) => findings::payment(store, name, payment).await?,
            None => None,
        };
        let Some(money) = money else {
            if self.will_be_checked(name, dispute.payment.as_deref()).await? {
                let text = "the disputed payment has not been recorded yet";
                return Err(ProviderError::Unknown(text.to_owned()).into());
            }
            tracing::info!("{name} reports a dispute about a payment that Till does not know");
            return Ok(());
        };
        let (session, status) = (money.session, dispute.status.as_str());
        if let Some(news) = findings::dispute_news(&dispute, &money, store).await? {
            // Lost: an operator has decided meanwhile, and the note that they read stays.
            let _: Committed = self.environment.commit(&[news]).await?;
        }
        let Some(changes) = findings::disputed(&dispute, &money, (accounts, store)).await? else {
            tracing::info!(session.id = %session, "a dispute at {name} closed without a loss: {status}");
            return Ok(());
        };
        match self.environment.commit(&changes).await? {
            Committed::Done => {
                tracing::warn!(session.id = %session, "a customer disputed a payment at {name}: see Needs \
                    action");
            }
            Committed::Lost(_) => {
                tracing::info!(session.id = %session, "a dispute at {name} was updated: {status}");
            }
        }
        Ok(())
    }

    /// Returns true if the worker will still check this payment.
    async fn will_be_checked(&self, name: &str, payment: Option<&str>) -> Result<bool, StoreError> {
        let Some(payment) = payment else { return Ok(false) };
        let attempt = self.environment.store.attempt_by_reference(name, payment).await?;
        Ok(attempt.is_some_and(|attempt| attempt.check_at.is_some()))
    }

    /// Processes the failure of a refund that had succeeded. One that had not fails in the usual way: the
    /// worker checks it, which the notice has made due.
    pub(super) async fn refund_failed(
        &self,
        handle: &ProviderHandle,
        id: till_domain::id::RefundId,
    ) -> Result<(), NoticeError> {
        let (name, store) = (handle.provider.name(), &self.environment.store);
        let accounts = self.environment.directory.accounts();
        let Some(provider) = handle.provider.refunds() else { return Ok(()) };
        let known = store.refunds().refund(id).await?.filter(|refund| refund.provider == name);
        let Some(refund) = known.filter(|refund| refund.state == RefundState::Succeeded) else {
            return Ok(());
        };
        let RefundSeen::Failed { reason } = self.within(handle, provider.check(&refund)).await? else {
            return Ok(());
        };
        let Some(changes) = findings::refund_lost((accounts, store), &refund, &reason).await? else {
            return Ok(());
        };
        if self.environment.commit(&changes).await? == Committed::Done {
            tracing::warn!(session.id = %refund.session, "a refund was returned to {name}: see Needs action");
        }
        Ok(())
    }
}
