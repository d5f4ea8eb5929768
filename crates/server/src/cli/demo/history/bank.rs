//! The simulated bank as it was: its books are in the store, and its clock shows a moment of the past.

use anyhow::Context as _;
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};
use till_domain::{
    environment::EnvironmentName,
    id::AttemptId,
    refund::{Refund, RefundSeen},
    time::Timestamp,
};
use till_providers::{Bank, BankDecision, BankError, BankPayment, Book, Provider, RefundEntry, Simulator};
use till_service::{cashier::StoreBook, environment::EnvironmentStore, random};

/// The simulated bank of an environment at a moment.
#[derive(Debug)]
pub(super) struct PastBank {
    book: Arc<PastBook>,
    bank: Arc<Bank>,
    pub(super) simulator: Simulator,
}

impl PastBank {
    /// The bank of this store, with its page at this address.
    pub(super) fn new(store: &EnvironmentStore, page: &str, now: Timestamp) -> Self {
        let book = Arc::new(PastBook { store: StoreBook(store.payments()), now: Mutex::new(now) });
        // Nothing verifies a notice of the past: any key will do.
        let bank = Bank::new(Arc::clone(&book) as Arc<dyn Book>, page.to_owned(), random::draw("bank"));
        let bank = Arc::new(bank);
        let make = match store.name {
            EnvironmentName::Live => Simulator::live,
            EnvironmentName::Sandbox => Simulator::sandbox,
        };
        Self { book, simulator: make(Arc::clone(&bank)), bank }
    }

    /// Moves the bank's clock.
    pub(super) fn wait_until(&self, now: Timestamp) {
        *self.book.now.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Makes a decision about a payment.
    pub(super) async fn decide(&self, payment: AttemptId, decision: BankDecision) -> anyhow::Result<()> {
        let notice = self.bank.decide(payment, decision).await?;
        notice.with_context(|| format!("payment {payment} cannot be decided: {decision:?}"))?;
        Ok(())
    }

    /// Sends a refund.
    pub(super) async fn refund(&self, refund: &Refund) -> anyhow::Result<RefundSeen> {
        let refunds = self.simulator.refunds().context("the simulated bank can refund")?;
        Ok(refunds.refund(refund).await?)
    }
}

/// The bank's books in the store, with a clock of their own.
#[derive(Debug)]
struct PastBook {
    store: StoreBook,
    now: Mutex<Timestamp>,
}

impl Book for PastBook {
    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, entry: BankPayment) -> BoxFuture<'_, Result<BankPayment, BankError>> {
        self.store.open(entry)
    }

    fn entry(&self, id: AttemptId) -> BoxFuture<'_, Result<Option<BankPayment>, BankError>> {
        self.store.entry(id)
    }

    fn change<'a>(&'a self, entry: &'a BankPayment) -> BoxFuture<'a, Result<bool, BankError>> {
        self.store.change(entry)
    }

    fn refunds(&self, payment: AttemptId) -> BoxFuture<'_, Result<Vec<RefundEntry>, BankError>> {
        self.store.refunds(payment)
    }

    fn write_refund<'a>(
        &'a self,
        payment: &'a BankPayment,
        refund: &'a RefundEntry,
    ) -> BoxFuture<'a, Result<bool, BankError>> {
        self.store.write_refund(payment, refund)
    }
}
