//! The simulated bank's books, kept in the store.

use futures_util::future::BoxFuture;
use std::sync::Arc;
use till_domain::{id::AttemptId, time::Timestamp};
use till_providers::{BankDecision, BankError, BankPayment, Behaviour, Book, RefundEntry};
use till_store::{Payments, SimulatedPayment, SimulatedRefund, StoreError};

/// Books in an environment's store.
#[derive(Debug)]
pub struct StoreBook(pub Arc<Payments>);

fn silent(error: StoreError) -> BankError {
    BankError(error.to_string())
}

fn read(row: SimulatedPayment) -> Result<BankPayment, BankError> {
    let decision = match row.decision {
        Some((word, at)) => {
            let decision =
                BankDecision::parse(&word).ok_or_else(|| BankError(format!("decision {word:?}")))?;
            Some((decision, at))
        }
        None => None,
    };
    let SimulatedPayment { id, session, method, amount, opened_at, closed_at, revision, .. } = row;
    Ok(BankPayment { id, session, method, amount, opened_at, decision, closed_at, revision })
}

fn write(entry: &BankPayment) -> SimulatedPayment {
    let BankPayment { id, session, method, amount, opened_at, decision, closed_at, revision } = entry.clone();
    let decision = decision.map(|(decision, at)| (decision.as_str().to_owned(), at));
    SimulatedPayment { id, session, method, amount, opened_at, decision, closed_at, revision }
}

fn read_refund(row: SimulatedRefund) -> Result<RefundEntry, BankError> {
    let SimulatedRefund { id, payment, minor, behaviour, acted_at, opened_at } = row;
    let unknown = || BankError(format!("behaviour {behaviour:?}"));
    let behaviour = Behaviour::parse(&behaviour).ok_or_else(unknown)?;
    Ok(RefundEntry { id, payment, minor, behaviour, acted_at, opened_at })
}

fn write_refund(refund: &RefundEntry) -> SimulatedRefund {
    let RefundEntry { id, payment, minor, behaviour, acted_at, opened_at } = refund.clone();
    let behaviour = behaviour.as_str().to_owned();
    SimulatedRefund { id, payment, minor, behaviour, acted_at, opened_at }
}

impl Book for StoreBook {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn open(&self, entry: BankPayment) -> BoxFuture<'_, Result<BankPayment, BankError>> {
        Box::pin(async move { read(self.0.open_simulated(&write(&entry)).await.map_err(silent)?) })
    }

    fn entry(&self, id: AttemptId) -> BoxFuture<'_, Result<Option<BankPayment>, BankError>> {
        Box::pin(async move { self.0.simulated(id).await.map_err(silent)?.map(read).transpose() })
    }

    fn change<'a>(&'a self, entry: &'a BankPayment) -> BoxFuture<'a, Result<bool, BankError>> {
        Box::pin(async move { self.0.change_simulated(&write(entry)).await.map_err(silent) })
    }

    fn refunds(&self, payment: AttemptId) -> BoxFuture<'_, Result<Vec<RefundEntry>, BankError>> {
        Box::pin(async move {
            let all = self.0.simulated_refunds(payment).await.map_err(silent)?;
            all.into_iter().map(read_refund).collect()
        })
    }

    fn write_refund<'a>(
        &'a self,
        payment: &'a BankPayment,
        refund: &'a RefundEntry,
    ) -> BoxFuture<'a, Result<bool, BankError>> {
        Box::pin(async move {
            let written = self.0.write_simulated_refund(&write(payment), &write_refund(refund)).await;
            written.map_err(silent)
        })
    }
}
