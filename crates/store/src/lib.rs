//! Makes changes durable.
//!
//! [`Payments`] holds one environment's sessions, [`Accounts`] what both share; [`Stores`] opens all
//! three. Payment data changes only through [`Payments::commit`], whose guards are in the SQL. Concurrent
//! commits share one transaction and one sync. This crate decides nothing: what may happen is
//! `till-domain`'s business, and no row type leaves it.

mod accounts;
mod attempts;
mod attention;
mod audit;
mod audit_chain;
mod callbacks;
mod catalog;
mod chains;
mod change;
mod clock;
mod deadlines;
mod due;
mod engine;
mod error;
mod figures;
mod forms;
mod inspect;
mod leases;
mod ledger;
mod lists;
mod logins;
mod mails;
mod migrate;
mod money;
mod news;
mod nodes;
mod orders;
mod payments;
mod payouts;
mod postgres;
#[cfg(test)]
mod prepare_test;
mod providers;
mod prune;
mod queue;
mod receipts;
mod refunds;
mod retention;
mod simulated;
mod sql;
mod sqlite;
mod stores;
mod team;
mod terms;
#[cfg(test)]
mod upgrade_test;
mod users;
mod verify;
mod verify_prices;
mod wallets;
mod watch;
mod wishes;

pub use accounts::{
    Accounts, FoundVendor, NewCredential, NewVendor, SealedCredential, VendorFilter, VendorSummary,
};
pub use attempts::AttemptsDue;
pub use audit::AuditFilter;
pub use audit_chain::AuditSealing;
pub use callbacks::{
    EventFilter, MAX_BUSY_HOSTS, PendingVendor, Standing, StoredAttempt, StoredEvent, Undelivered,
};
pub use catalog::ProductFilter;
pub use chains::{ChainAdvance, ChainCompared, Chains, StoredCursor, StoredDeposit, StoredTransfer};
pub use clock::{Clock, ClockStatus, ClockStep, SteadyClock};
pub use due::{QueueName, Unreadable, UnreadableRow};
pub use engine::StoreStats;
pub use error::StoreError;
pub use figures::Figure;
pub use inspect::Inspected;
pub use leases::{Lease, NodeId};
pub use ledger::{AccountLine, Balance, Ledger, StoredEntry, Wallet};
pub use lists::{SessionFilter, Span, Turn};
pub use logins::Login;
pub use mails::{DueMail, MailCounts, MailEnd, MailState, NewMail, StoredMail};
pub use money::{ActionFilter, MoneyKind, StoredAction, TransactionFilter};
pub use news::{Heard, News};
pub use nodes::StoredNode;
pub use payments::{Callback, Committed, Payments, Remembered};
pub use payouts::{PayoutFilter, StoredPayout};
pub use postgres::DatabaseUrl;
pub use providers::StoredSetup;
pub use receipts::{DispatchCounts, StoredDispatch};
pub use refunds::{PaidWith, RefundFilter, Refunds};
pub use simulated::{SimulatedPayment, SimulatedRefund};
pub use sqlite::{LARGE_LOG, OnFault};
pub use stores::{Durability, Place, Stores};
pub use team::{Member, TeamEntry};
pub use users::{ConfirmedFactor, KnownUser, Link, NewLink, NewUser, UserFilter};
pub use verify::Checked;
pub use wallets::{Due, MovedBy, WalletFilter, WalletLine};
pub use watch::{Queues, Rows, StoreSize, TableSize};
pub use wishes::SandboxWish;
