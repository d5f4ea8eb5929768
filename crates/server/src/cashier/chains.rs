//! What is known of chains, kept in the store, for the provider that takes coins.

use super::{Cashier, TRIES};
use crate::telemetry::report_unreadable;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use till_domain::{id::AttemptId, time::Timestamp};
use till_providers::evm::{Advance, Book, BookError, Cursor, Deposit, Transfer, Watched};
use till_store::{ChainAdvance, Chains, Payments, StoreError, StoredCursor, StoredDeposit, StoredTransfer};

impl Cashier {
    /// Asks about an attempt now, because there is news of it, as a notice would say.
    pub async fn look_at(&self, id: AttemptId) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            let Some(attempt) = self.environment.store.attempt(id).await? else { return Ok(()) };
            // Whoever changed it meanwhile may have asked before the news was there.
            if self.look(attempt, None, None).await?.is_some() {
                return Ok(());
            }
        }
        Err(StoreError::Busy { waiting: TRIES })
    }
}

/// The book of all chains in an environment's store. Only the live store has one: a sandbox's gives no answer.
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

fn write_deposit(deposit: &Deposit) -> StoredDeposit {
    let Deposit { attempt, session, key, index, address, chain, coin, contract, decimals, charge, .. } =
        deposit.clone();
    let Deposit { rate, rate_source, opened_at, since_block, before, swept, .. } = deposit.clone();
    StoredDeposit {
        attempt,
        session,
        key,
        index,
        address,
        chain,
        coin,
        contract,
        decimals,
        charge,
        rate,
        rate_source,
        opened_at,
        since_block,
        before,
        swept,
    }
}

fn read_deposit(row: StoredDeposit) -> Deposit {
    let StoredDeposit { attempt, session, key, index, address, chain, coin, contract, decimals, .. } = row;
    let StoredDeposit { charge, rate, rate_source, opened_at, since_block, before, swept, .. } = row;
    Deposit {
        attempt,
        session,
        key,
        index,
        address,
        chain,
        coin,
        contract,
        decimals,
        charge,
        rate,
        rate_source,
        opened_at,
        since_block,
        before,
        swept,
    }
}

fn write_transfer(transfer: &Transfer) -> StoredTransfer {
    let Transfer { chain, reference, transaction, address, contract, atoms, block, block_hash, .. } =
        transfer.clone();
    let (seen_at, gone_at, told) = (transfer.seen_at, transfer.gone_at, transfer.told);
    StoredTransfer {
        chain,
        reference,
        transaction,
        address,
        contract,
        atoms,
        block,
        block_hash,
        seen_at,
        gone_at,
        told,
    }
}

fn read_transfer(row: StoredTransfer) -> Transfer {
    let StoredTransfer { chain, reference, transaction, address, contract, atoms, block, block_hash, .. } =
        row;
    let (seen_at, gone_at, told) = (row.seen_at, row.gone_at, row.told);
    Transfer {
        chain,
        reference,
        transaction,
        address,
        contract,
        atoms,
        block,
        block_hash,
        seen_at,
        gone_at,
        told,
    }
}

fn write_advance(advance: &Advance) -> ChainAdvance {
    let Cursor { chain, block, head, at, recent, version } = advance.cursor.clone();
    ChainAdvance {
        cursor: StoredCursor { chain, block, head, at, recent, version },
        replaced_from: advance.replaced_from,
        found: advance.found.iter().map(write_transfer).collect(),
        swept: advance.swept.clone(),
        before: advance.before.clone(),
        touched: advance.touched.clone(),
    }
}

fn read_cursor(row: StoredCursor) -> Cursor {
    let StoredCursor { chain, block, head, at, recent, version } = row;
    Cursor { chain, block, head, at, recent, version }
}

impl Book for StoreChainBook {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn next_index<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<u32, BookError>> {
        Box::pin(async move { self.chains()?.next_index(key).await.map_err(silent) })
    }

    fn open<'a>(&'a self, deposit: &'a Deposit) -> BoxFuture<'a, Result<Option<Deposit>, BookError>> {
        Box::pin(async move {
            let opened = self.chains()?.open(&write_deposit(deposit)).await.map_err(silent)?;
            Ok(opened.map(read_deposit))
        })
    }

    fn deposit(&self, id: AttemptId) -> BoxFuture<'_, Result<Option<(Deposit, Vec<Transfer>)>, BookError>> {
        Box::pin(async move {
            let found = self.chains()?.deposit(id).await.map_err(silent)?;
            Ok(found.map(|(deposit, transfers)| {
                (read_deposit(deposit), transfers.into_iter().map(read_transfer).collect())
            }))
        })
    }

    fn deposit_at<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<Option<Deposit>, BookError>> {
        Box::pin(
            async move { Ok(self.chains()?.deposit_at(address).await.map_err(silent)?.map(read_deposit)) },
        )
    }

    fn came_since(
        &self,
        chain: u64,
        block: u64,
    ) -> BoxFuture<'_, Result<Vec<(AttemptId, Transfer)>, BookError>> {
        Box::pin(async move {
            let (found, unreadable) = self.chains()?.came_since(chain, block).await.map_err(silent)?;
            report_unreadable("live", &unreadable);
            Ok(found.into_iter().map(|(attempt, transfer)| (attempt, read_transfer(transfer))).collect())
        })
    }

    fn watched(&self, chain: u64, which: Watched) -> BoxFuture<'_, Result<Vec<(Deposit, u128)>, BookError>> {
        Box::pin(async move {
            let chains = self.chains()?;
            let found = match which {
                Watched::Since(since) => chains.watched(chain, since).await,
                Watched::WaitedForSince(since) => chains.waited_for(chain, since).await,
            };
            let (found, unreadable) = found.map_err(silent)?;
            report_unreadable("live", &unreadable);
            Ok(found.into_iter().map(|(deposit, came)| (read_deposit(deposit), came)).collect())
        })
    }

    fn cursor(&self, chain: u64) -> BoxFuture<'_, Result<Option<Cursor>, BookError>> {
        Box::pin(async move { Ok(self.chains()?.cursor(chain).await.map_err(silent)?.map(read_cursor)) })
    }

    fn advance<'a>(&'a self, advance: &'a Advance) -> BoxFuture<'a, Result<bool, BookError>> {
        Box::pin(async move { self.chains()?.advance(&write_advance(advance)).await.map_err(silent) })
    }

    fn touched(&self, chain: u64) -> BoxFuture<'_, Result<Vec<(AttemptId, i64)>, BookError>> {
        Box::pin(async move {
            let (touched, unreadable) = self.chains()?.touched(chain).await.map_err(silent)?;
            report_unreadable("live", &unreadable);
            Ok(touched)
        })
    }

    fn looked(&self, id: AttemptId, seen: i64) -> BoxFuture<'_, Result<(), BookError>> {
        Box::pin(async move { self.chains()?.looked(id, seen).await.map_err(silent) })
    }

    fn strays(&self, chain: u64, block: u64) -> BoxFuture<'_, Result<Vec<(Deposit, Transfer)>, BookError>> {
        Box::pin(async move {
            let (found, unreadable) = self.chains()?.strays(chain, block).await.map_err(silent)?;
            report_unreadable("live", &unreadable);
            Ok(found
                .into_iter()
                .map(|(deposit, transfer)| (read_deposit(deposit), read_transfer(transfer)))
                .collect())
        })
    }

    fn told<'a>(&'a self, transfer: &'a Transfer) -> BoxFuture<'a, Result<(), BookError>> {
        Box::pin(async move {
            let Transfer { chain, reference, address, .. } = transfer;
            self.chains()?.told(*chain, reference, address).await.map_err(silent)
        })
    }
}
