//! Inspects the queues of an environment for operators: how many rows can be served, and which cannot be
//! read. `due.rs` describes how queues are read; the rows that workers skip are named here, for `/metrics`,
//! `till doctor` and `till verify`.

use crate::{
    engine::{
        due::single,
        error::StoreError,
        inspect::{Inspector, QueueInspection},
        sql::{Row, Value},
    },
    payments::{self, Payments, attempts, callbacks, chain_rows, chains, fiscal, ledger, receipts, refunds},
};
use std::time::Duration;
use till_domain::{id::AttemptId, time::Timestamp};

/// The age of an attempt from which its address is no longer read.
const WATCHED_FOR: Duration = Duration::from_secs(31 * 86_400);

impl Payments {
    /// Inspects every queue of this environment: rows that are due by `at`, until `limit` of them could be
    /// read. Unreadable rows are never served, so they are among the first. Deposits are not served but read
    /// again and again; of them the newest are inspected.
    pub async fn inspect_queues(
        &self,
        at: Timestamp,
        limit: u32,
    ) -> Result<Vec<QueueInspection>, StoreError> {
        let inspector = Inspector { engine: &self.engine, limit };
        let by = || vec![Value::from(at)];
        let mut found = vec![
            inspector.look(&payments::DUE, by(), single(payments::read_session)).await?,
            inspector.look(&attempts::DUE, by(), single(attempts::read)).await?,
            inspector.look(&callbacks::DUE_OF_ALL, by(), single(read_callback)).await?,
            inspector.look(&refunds::DUE, by(), single(refunds::read)).await?,
            inspector.look(&fiscal::DUE, by(), single(fiscal::read)).await?,
        ];
        if self.keeps_books {
            let newer = AttemptId::new(self.now().minus(WATCHED_FOR), &[0; 10]);
            let newer = vec![newer.as_bytes().into()];
            found.extend([
                inspector.look(&ledger::DUE, by(), single(ledger::read_settlement)).await?,
                inspector.look(&ledger::UNSEALED_ENTRIES, vec![], ledger::read_entry).await?,
                inspector.look(&receipts::DUE, by(), single(receipts::read_dispatch)).await?,
                inspector.look(&chains::WATCHED_ANYWHERE, newer, chain_rows::read_watched).await?,
                inspector.look(&chains::STRAY_ANYWHERE, vec![], single(chain_rows::read_stray)).await?,
            ]);
        }
        Ok(found)
    }
}

fn read_callback(mut row: Row) -> Result<(), StoreError> {
    callbacks::read_due_without_body(&mut row).map(drop)
}
