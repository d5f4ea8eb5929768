//! The simulated bank's books, kept in the store.

use futures_util::future::BoxFuture;
use std::sync::Arc;
use till_domain::{id::AttemptId, time::Timestamp};
use till_providers::{BankError, Book, Decision, Entry};
use till_store::{Payments, SimulatedPayment, StoreError};

/// Books in an environment's store.
#[derive(Debug)]
pub struct StoreBook(pub Arc<Payments>);

fn silent(error: StoreError) -> BankError {
    BankError(error.to_string())
}

fn read(row: SimulatedPayment) -> Result<Entry, BankError> {
    let decision = match row.decision {
        Some((word, at)) => {
            let decision = Decision::parse(&word).ok_or_else(|| BankError(format!("decision {word:?}")))?;
            Some((decision, at))
        }
        None => None,
    };
    let SimulatedPayment { id, session, method, amount, opened_at, closed_at, revision, .. } = row;
    Ok(Entry { id, session, method, amount, opened_at, decision, closed_at, revision })
}

fn write(entry: &Entry) -> SimulatedPayment {
    let Entry { id, session, method, amount, opened_at, decision, closed_at, revision } = entry.clone();
    let decision = decision.map(|(decision, at)| (decision.as_str().to_owned(), at));
    SimulatedPayment { id, session, method, amount, opened_at, decision, closed_at, revision }
}

impl Book for StoreBook {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn open(&self, entry: Entry) -> BoxFuture<'_, Result<Entry, BankError>> {
        Box::pin(async move { read(self.0.open_simulated(&write(&entry)).await.map_err(silent)?) })
    }

    fn entry(&self, id: AttemptId) -> BoxFuture<'_, Result<Option<Entry>, BankError>> {
        Box::pin(async move { self.0.simulated(id).await.map_err(silent)?.map(read).transpose() })
    }

    fn change<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<bool, BankError>> {
        Box::pin(async move { self.0.change_simulated(&write(entry)).await.map_err(silent) })
    }
}
