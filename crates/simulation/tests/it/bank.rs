//! The bank as a node sees it: the simulator behind a network that loses, doubles and delays.

use crate::world::{Fate, LateRequest, World};
use futures_util::future::BoxFuture;
use std::{future::Future, sync::Arc};
use till_domain::{
    attempt::{Attempt, Observation, Started},
    finding::Dispute,
    fiscal::{FiscalReceipt, follow::RegistrationSeen},
    refund::{Refund, RefundSeen},
    rules::Offering,
};
use till_providers::{
    Disputes, Notice, NoticeSubject, Order, Provider, ProviderError, Receipts, Refunds, Simulator,
};

#[derive(Debug)]
pub struct DistantBank(pub Arc<World>);

impl DistantBank {
    /// Makes a call that may be lost, late or doubled.
    async fn call<T, Answer>(
        &self,
        act: impl Fn() -> Answer,
        late: impl FnOnce() -> Option<LateRequest>,
    ) -> Result<T, ProviderError>
    where
        Answer: Future<Output = Result<T, ProviderError>>,
    {
        let silent = || Err(ProviderError::Unknown("no response".to_owned()));
        let (fate, there, back) = self.0.message();
        tokio::time::sleep(there).await;
        match fate {
            Fate::Lost => return silent(),
            Fate::Late(after) => {
                if let Some(request) = late() {
                    self.0.send_late(after, request);
                }
                return silent();
            }
            Fate::Refused => return Err(ProviderError::Unclear("the bank answers 500".to_owned())),
            Fate::Doubled => drop(act().await),
            Fate::Plain | Fate::AnswerLost => {}
        }
        let answer = act().await;
        tokio::time::sleep(back).await;
        if fate == Fate::AnswerLost { silent() } else { answer }
    }
}

impl Provider for DistantBank {
    fn name(&self) -> &'static str {
        Simulator::NAME
    }

    fn methods(&self) -> Vec<Offering> {
        self.0.simulator.methods()
    }

    fn is_simulated(&self) -> bool {
        true
    }

    fn notifies_of_every_change(&self) -> bool {
        self.0.promises_notices
    }

    fn start<'a>(&'a self, order: &'a Order<'a>) -> BoxFuture<'a, Result<Started, ProviderError>> {
        let late = || LateRequest::Start { attempt: Box::new(order.attempt.clone()), amount: order.amount };
        Box::pin(self.call(|| self.0.simulator.start(order), move || Some(late())))
    }

    fn check<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(self.call(|| Provider::check(&self.0.simulator, attempt), || None))
    }

    fn close<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        let late = || LateRequest::Close(Box::new(attempt.clone()));
        Box::pin(self.call(|| self.0.simulator.close(attempt), move || Some(late())))
    }

    fn refunds(&self) -> Option<&dyn Refunds> {
        Some(self)
    }

    fn receipts(&self) -> Option<&dyn Receipts> {
        Some(self)
    }

    fn disputes(&self) -> Option<&dyn Disputes> {
        Some(self)
    }

    fn read_notice(&self, notice: &Notice<'_>) -> Option<NoticeSubject> {
        self.0.simulator.read_notice(notice)
    }
}

impl Refunds for DistantBank {
    fn refund<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        let late = || LateRequest::Refund(Box::new(refund.clone()));
        Box::pin(self.call(|| self.0.simulator.refund(refund), move || Some(late())))
    }

    fn check<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(self.call(|| Refunds::check(&self.0.simulator, refund), || None))
    }
}

/// The till of the bank, behind the same network.
impl Receipts for DistantBank {
    fn start_with<'a>(
        &'a self,
        order: &'a Order<'a>,
        _receipt: &'a FiscalReceipt,
    ) -> BoxFuture<'a, Result<Started, ProviderError>> {
        self.start(order)
    }

    fn refund_with<'a>(
        &'a self,
        refund: &'a Refund,
        _receipt: &'a FiscalReceipt,
    ) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        self.refund(refund)
    }

    fn register<'a>(
        &'a self,
        receipt: &'a FiscalReceipt,
        payment: &'a str,
    ) -> BoxFuture<'a, Result<RegistrationSeen, ProviderError>> {
        Box::pin(self.call(|| self.0.simulator.register(receipt, payment), || None))
    }
}

impl Disputes for DistantBank {
    fn dispute<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Dispute, ProviderError>> {
        Box::pin(self.call(|| self.0.simulator.dispute(id), || None))
    }

    fn disputes_of<'a>(&'a self, payment: &'a str) -> BoxFuture<'a, Result<Vec<Dispute>, ProviderError>> {
        Box::pin(self.call(|| self.0.simulator.disputes_of(payment), || None))
    }
}
