//! Reads whole queues for operators: how many rows can be served, and which cannot be read. `due.rs` says how queues are
//! read; the rows that their workers pass over are named here, for `/metrics`, `till doctor` and `till verify`.

use crate::{
    accounts::Accounts,
    attempts, callbacks, chains,
    due::{Queue, Reader, Unreadable, single},
    engine::Engine,
    error::StoreError,
    ledger, mails,
    payments::{self, Payments},
    receipts, refunds,
    sql::{Row, Value},
};
use std::time::Duration;
use till_domain::{id::AttemptId, time::Timestamp};

/// How long ago the newest attempt was begun whose address is no longer read.
const WATCHED_FOR: Duration = Duration::from_secs(31 * 86_400);

/// What was found in a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspected {
    /// Rows that can be served.
    pub readable: u64,
    /// Rows that cannot be read.
    pub unreadable: Unreadable,
}

impl Payments {
    /// Reads every queue of this environment: what is due by `at`, until `limit` rows of it could be read. Unreadable
    /// rows are never served, so they are among the first. Of deposits, which are not served but read again and again,
    /// these are the newest.
    pub async fn inspect_queues(&self, at: Timestamp, limit: u32) -> Result<Vec<Inspected>, StoreError> {
        let looker = Looker { engine: &self.engine, limit };
        let by = || vec![Value::from(at)];
        let mut found = vec![
            looker.look(&payments::DUE, by(), single(payments::read_session)).await?,
            looker.look(&attempts::DUE, by(), single(attempts::read)).await?,
            looker.look(&callbacks::DUE_OF_ALL, by(), single(read_callback)).await?,
        ];
        if self.keeps_books {
            let newer = AttemptId::new(self.now().minus(WATCHED_FOR), &[0; 10]);
            let newer = vec![newer.as_bytes().into()];
            found.extend([
                looker.look(&refunds::DUE, by(), single(refunds::read)).await?,
                looker.look(&ledger::DUE, by(), single(ledger::read_settlement)).await?,
                looker.look(&ledger::UNSEALED_ENTRIES, vec![], ledger::read_entry).await?,
                looker.look(&receipts::DUE, by(), single(receipts::read_dispatch)).await?,
                looker.look(&chains::WATCHED_ANYWHERE, newer, chains::read_watched).await?,
                looker.look(&chains::STRAY_ANYWHERE, vec![], single(chains::read_stray)).await?,
            ]);
        }
        Ok(found)
    }
}

impl Accounts {
    /// Reads the queue of mails to users: what is due by `at`, until `limit` rows of it could be read.
    pub async fn inspect_mails(&self, at: Timestamp, limit: u32) -> Result<Inspected, StoreError> {
        let looker = Looker { engine: &self.engine, limit };
        looker.look(&mails::DUE, vec![at.into()], single(mails::read_due)).await
    }
}

fn read_callback(mut row: Row) -> Result<(), StoreError> {
    callbacks::read_due_without_body(&mut row).map(drop)
}

/// Who reads queues, and how much of each.
struct Looker<'a> {
    engine: &'a Engine,
    limit: u32,
}

impl Looker<'_> {
    async fn look<T>(
        &self,
        queue: &Queue,
        params: Vec<Value>,
        read: impl Fn(Vec<Row>) -> Result<T, StoreError>,
    ) -> Result<Inspected, StoreError> {
        let mut readable = 0_u64;
        let count = |rows| {
            read(rows)?;
            readable += 1;
            Ok(())
        };
        let unreadable = queue.walk(self.engine, Reader::Operator, params, self.limit, count).await?;
        Ok(Inspected { readable, unreadable })
    }
}
