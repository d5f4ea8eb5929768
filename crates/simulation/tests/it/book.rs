//! The bank's records, in memory: they outlive every node, and say how much money was really taken and sent back.

use futures_util::future::BoxFuture;
use std::{
    collections::{BTreeMap, BTreeSet},
    future::ready,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};
use till_domain::{
    id::{AttemptId, SessionId},
    time::Timestamp,
};
use till_providers::{BankError, BankPayment, Book, RefundEntry};

#[derive(Debug)]
pub struct MemoryBook {
    now: Arc<AtomicI64>,
    records: Mutex<Records>,
}

#[derive(Debug, Default)]
pub struct Records {
    pub payments: BTreeMap<AttemptId, BankPayment>,
    pub refunds: BTreeMap<AttemptId, Vec<RefundEntry>>,
    /// The payments of each session.
    sessions: BTreeMap<SessionId, BTreeSet<AttemptId>>,
}

impl Records {
    /// The payments of a session, in the order of their ids.
    pub fn of_session(&self, session: SessionId) -> Vec<AttemptId> {
        self.sessions.get(&session).into_iter().flatten().copied().collect()
    }
}

impl MemoryBook {
    pub fn new(now: Arc<AtomicI64>) -> Self {
        Self { now, records: Mutex::default() }
    }

    pub fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a payment that has still the revision that was read.
    fn replace(&self, entry: &BankPayment) -> bool {
        let mut records = self.records();
        let Some(known) = records.payments.get_mut(&entry.id) else { return false };
        let current = known.revision == entry.revision;
        if current {
            *known = BankPayment { revision: entry.revision + 1, ..entry.clone() };
        }
        current
    }
}

impl Book for MemoryBook {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.now.load(Ordering::SeqCst))
    }

    fn open(&self, entry: BankPayment) -> BoxFuture<'_, Result<BankPayment, BankError>> {
        let mut records = self.records();
        records.sessions.entry(entry.session).or_default().insert(entry.id);
        let opened = records.payments.entry(entry.id).or_insert(entry).clone();
        drop(records);
        Box::pin(ready(Ok(opened)))
    }

    fn entry(&self, id: AttemptId) -> BoxFuture<'_, Result<Option<BankPayment>, BankError>> {
        Box::pin(ready(Ok(self.records().payments.get(&id).cloned())))
    }

    fn change<'a>(&'a self, entry: &'a BankPayment) -> BoxFuture<'a, Result<bool, BankError>> {
        Box::pin(ready(Ok(self.replace(entry))))
    }

    fn refunds(&self, payment: AttemptId) -> BoxFuture<'_, Result<Vec<RefundEntry>, BankError>> {
        Box::pin(ready(Ok(self.records().refunds.get(&payment).cloned().unwrap_or_default())))
    }

    fn write_refund<'a>(
        &'a self,
        payment: &'a BankPayment,
        refund: &'a RefundEntry,
    ) -> BoxFuture<'a, Result<bool, BankError>> {
        if !self.replace(payment) {
            return Box::pin(ready(Ok(false)));
        }
        let mut records = self.records();
        let all = records.refunds.entry(refund.payment).or_default();
        match all.iter_mut().find(|known| known.id == refund.id) {
            Some(known) => *known = refund.clone(),
            None => all.push(refund.clone()),
        }
        Box::pin(ready(Ok(true)))
    }
}
