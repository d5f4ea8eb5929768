//! Tests of money: ledger, refunds, chains, receipts.

mod chain_faults;
mod chains;
mod coins;
pub(crate) mod decisions;
mod late;
mod ledger;
mod receipts;
pub mod refunds;
mod reversals;
