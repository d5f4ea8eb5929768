//! The book of the crypto provider (deposits, transfers and read positions on chains), kept in the store.

use super::{Cashier, checks::Look};
use crate::environment::Retries;
use crate::telemetry::report_unreadable;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use till_domain::{
    chain::{Address, Advance, Atoms, ChainId, Cursor, Deposit, DepositSelection, Transfer},
    id::AttemptId,
    time::Timestamp,
};
use till_providers::evm::{Book, BookError};
use till_store::{Chains, Payments, StoreError};

impl Cashier {
    /// Checks an attempt now, because a chain has news of it; for other providers a notice (webhook) causes
    /// this.
    pub async fn look_at(&self, id: AttemptId) -> Result<(), StoreError> {
        let mut retries = Retries::with_provider_calls();
        loop {
            let Some(attempt) = self.environment.store.attempt(id).await? else { return Ok(()) };
            // A worker that changed it meanwhile may have asked before the news was there.
            if self.look(attempt, Look::Due, None).await?.is_some() {
                return Ok(());
            }
            retries.lost()?;
        }
    }
}

/// The book of all chains in an environment's store. Only the live store has one: in a sandbox every call is
/// an error.
#[derive(Debug)]
pub struct StoreChainBook(pub Arc<Payments>);

impl StoreChainBook {
    fn chains(&self) -> Result<Chains<'_>, BookError> {
        self.0.chains().ok_or_else(|| BookError("a sandbox has no chains".to_owned()))
    }
}

fn silent(error: StoreError) -> BookError {
    BookError(error.to_string())
}

impl Book for StoreChainBook {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn next_index<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<u32, BookError>> {
        Box::pin(async move { self.chains()?.next_index(key).await.map_err(silent) })
    }

    fn open<'a>(&'a self, deposit: &'a Deposit) -> BoxFuture<'a, Result<Option<Deposit>, BookError>> {
        Box::pin(async move { self.chains()?.open(deposit).await.map_err(silent) })
    }

    fn deposit(&self, id: AttemptId) -> BoxFuture<'_, Result<Option<(Deposit, Vec<Transfer>)>, BookError>> {
        Box::pin(async move { self.chains()?.deposit(id).await.map_err(silent) })
    }

    fn deposit_at(&self, address: Address) -> BoxFuture<'_, Result<Option<Deposit>, BookError>> {
        Box::pin(async move { self.chains()?.deposit_at(address).await.map_err(silent) })
    }

    fn came_since(
        &self,
        chain: ChainId,
        block: u64,
    ) -> BoxFuture<'_, Result<Vec<(AttemptId, Transfer)>, BookError>> {
        Box::pin(async move {
            let (found, unreadable) = self.chains()?.came_since(chain, block).await.map_err(silent)?;
            report_unreadable("live", &unreadable);
            Ok(found)
        })
    }

    fn watched(
        &self,
        chain: ChainId,
        which: DepositSelection,
    ) -> BoxFuture<'_, Result<Vec<(Deposit, Atoms)>, BookError>> {
        Box::pin(async move {
            let chains = self.chains()?;
            let found = match which {
                DepositSelection::Since(since) => chains.watched(chain, since).await,
                DepositSelection::WaitedForSince(since) => chains.waited_for(chain, since).await,
            };
            let (found, unreadable) = found.map_err(silent)?;
            report_unreadable("live", &unreadable);
            Ok(found)
        })
    }

    fn cursor(&self, chain: ChainId) -> BoxFuture<'_, Result<Option<Cursor>, BookError>> {
        Box::pin(async move { self.chains()?.cursor(chain).await.map_err(silent) })
    }

    fn advance<'a>(&'a self, advance: &'a Advance) -> BoxFuture<'a, Result<bool, BookError>> {
        Box::pin(async move { self.chains()?.advance(advance).await.map_err(silent) })
    }

    fn touched(&self, chain: ChainId) -> BoxFuture<'_, Result<Vec<(AttemptId, i64)>, BookError>> {
        Box::pin(async move {
            let (touched, unreadable) = self.chains()?.touched(chain).await.map_err(silent)?;
            report_unreadable("live", &unreadable);
            Ok(touched)
        })
    }

    fn looked(&self, id: AttemptId, seen: i64) -> BoxFuture<'_, Result<(), BookError>> {
        Box::pin(async move { self.chains()?.looked(id, seen).await.map_err(silent) })
    }

    fn strays(
        &self,
        chain: ChainId,
        block: u64,
    ) -> BoxFuture<'_, Result<Vec<(Deposit, Transfer)>, BookError>> {
        Box::pin(async move {
            let (found, unreadable) = self.chains()?.strays(chain, block).await.map_err(silent)?;
            report_unreadable("live", &unreadable);
            Ok(found)
        })
    }

    fn mark_reported<'a>(&'a self, transfer: &'a Transfer) -> BoxFuture<'a, Result<(), BookError>> {
        Box::pin(async move {
            let Transfer { chain, reference, address, .. } = transfer;
            self.chains()?.mark_reported(*chain, reference, *address).await.map_err(silent)
        })
    }
}
