//! The provider of sandbox payments whose outcome a tester chose by a call: there was no bank. It takes no payments; it
//! plays the bank for their refunds.

use crate::{
    Notice, NoticeSubject, Order, Provider, ProviderError, Refunds,
    simulator::{Behaviour, SLOWLY},
};
use futures_util::future::BoxFuture;
use std::{fmt, sync::Arc};
use till_domain::{
    attempt::{Attempt, Observation, Started},
    refund::{Refund, RefundSeen},
    rules::Offering,
    time::Timestamp,
    transaction::Transaction,
};

/// Plays the bank for refunds. What it answers follows from the refund and the time alone.
pub struct Tester {
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

impl fmt::Debug for Tester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tester")
    }
}

impl Tester {
    #[must_use]
    pub fn new(clock: Arc<dyn Fn() -> Timestamp + Send + Sync>) -> Self {
        Self { clock }
    }

    /// The state of a refund, as the words in its reason ask for.
    fn state(&self, refund: &Refund) -> RefundSeen {
        match Behaviour::from_reason(refund.reason.as_deref()) {
            Behaviour::Fail => {
                RefundSeen::Failed { reason: "the bank of the customer refused the refund".to_owned() }
            }
            Behaviour::Slow if (self.clock)().since(refund.created_at) < SLOWLY => RefundSeen::Pending,
            _ => RefundSeen::Succeeded { reference: format!("simr_{}", refund.id) },
        }
    }
}

fn no_payments<T>() -> Result<T, ProviderError> {
    Err(ProviderError::Definite("outcomes that a tester chose have no payment at a bank".to_owned()))
}

impl Provider for Tester {
    fn name(&self) -> &'static str {
        Transaction::TESTER
    }

    fn methods(&self) -> Vec<Offering> {
        Vec::new()
    }

    fn is_simulated(&self) -> bool {
        true
    }

    fn refunds(&self) -> Option<&dyn Refunds> {
        Some(self)
    }

    fn start<'a>(&'a self, _order: &'a Order<'a>) -> BoxFuture<'a, Result<Started, ProviderError>> {
        Box::pin(async { no_payments() })
    }

    fn check<'a>(&'a self, _attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(async { no_payments() })
    }

    fn close<'a>(&'a self, _attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(async { no_payments() })
    }

    fn read_notice(&self, _notice: &Notice<'_>) -> Option<NoticeSubject> {
        None
    }
}

impl Refunds for Tester {
    fn refund<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        let times_out = matches!(
            Behaviour::from_reason(refund.reason.as_deref()),
            Behaviour::TimeoutBefore | Behaviour::TimeoutAfter
        );
        Box::pin(async move {
            if times_out && refund.attempts <= 1 {
                return Err(ProviderError::Unknown("the simulated bank does not answer in time".to_owned()));
            }
            Ok(self.state(refund))
        })
    }

    fn check<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(async move { Ok(self.state(refund)) })
    }
}
