//! The simulated bank's records in memory, for tests: with a clock that only tests move, lost answers, and a
//! concurrent writer.

use super::lost::{Lost, When};
use futures_util::{FutureExt as _, future::BoxFuture};
use std::{
    collections::BTreeMap,
    future::ready,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};
use till_domain::{
    id::{AttemptId, RefundId},
    time::Timestamp,
};
use till_providers::{BankError, BankPayment, Book, RefundEntry};

/// A [`Book`] in memory.
#[derive(Debug, Default)]
pub struct MemoryBank {
    entries: Mutex<BTreeMap<AttemptId, BankPayment>>,
    refunds: Mutex<BTreeMap<RefundId, RefundEntry>>,
    now: AtomicI64,
    meanwhile: Mutex<Option<BankPayment>>,
    silent: AtomicBool,
    lost: Lost,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MemoryBank {
    pub fn later(&self, ms: i64) {
        self.now.fetch_add(ms, Ordering::SeqCst);
    }

    /// Schedules the write of a concurrent writer, just before the next change.
    pub fn meanwhile(&self, entry: BankPayment) {
        *open(&self.meanwhile) = Some(entry);
    }

    /// Fails every query from now on.
    pub fn fall_silent(&self) {
        self.silent.store(true, Ordering::SeqCst);
    }

    /// Loses the next answer to this query.
    pub fn lose(&self, question: &'static str, when: When) {
        self.lost.lose(question, when);
    }

    pub fn get(&self, id: AttemptId) -> Option<BankPayment> {
        open(&self.entries).get(&id).cloned()
    }

    pub fn all_refunds(&self) -> Vec<RefundEntry> {
        open(&self.refunds).values().cloned().collect()
    }

    fn answer<'a, T: Send + 'a>(
        &'a self,
        question: &'static str,
        act: impl FnOnce() -> T,
    ) -> BoxFuture<'a, Result<T, BankError>> {
        let answer = self.lost.answer(question, act).filter(|_| !self.silent.load(Ordering::SeqCst));
        ready(answer.ok_or_else(|| BankError("no".to_owned()))).boxed()
    }
}

impl Book for MemoryBank {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.now.load(Ordering::SeqCst))
    }

    fn open(&self, entry: BankPayment) -> BoxFuture<'_, Result<BankPayment, BankError>> {
        self.answer("open", || open(&self.entries).entry(entry.id).or_insert(entry).clone())
    }

    fn entry(&self, id: AttemptId) -> BoxFuture<'_, Result<Option<BankPayment>, BankError>> {
        self.answer("entry", || self.get(id))
    }

    fn change<'a>(&'a self, entry: &'a BankPayment) -> BoxFuture<'a, Result<bool, BankError>> {
        self.answer("change", || {
            let mut entries = open(&self.entries);
            if let Some(other) = open(&self.meanwhile).take() {
                entries.insert(other.id, BankPayment { revision: other.revision + 1, ..other });
            }
            let known = entries.get(&entry.id).is_some_and(|known| known.revision == entry.revision);
            if known {
                entries.insert(entry.id, BankPayment { revision: entry.revision + 1, ..entry.clone() });
            }
            known
        })
    }

    fn refunds(&self, payment: AttemptId) -> BoxFuture<'_, Result<Vec<RefundEntry>, BankError>> {
        self.answer("refunds", || {
            open(&self.refunds).values().filter(|refund| refund.payment == payment).cloned().collect()
        })
    }

    fn write_refund<'a>(
        &'a self,
        payment: &'a BankPayment,
        refund: &'a RefundEntry,
    ) -> BoxFuture<'a, Result<bool, BankError>> {
        self.answer("write_refund", || {
            let mut entries = open(&self.entries);
            let known = entries.get_mut(&payment.id).filter(|known| known.revision == payment.revision);
            let written = known.map(|known| known.revision += 1).is_some();
            if written {
                open(&self.refunds).insert(refund.id, refund.clone());
            }
            written
        })
    }
}
