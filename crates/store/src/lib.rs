//! The store: makes changes durable.
//!
//! [`Payments`] holds one environment's sessions, [`Accounts`] the data that both environments share;
//! [`Stores`] opens all three databases. Payment data changes only through [`Payments::commit`], whose guards
//! are in the SQL. Concurrent commits share one transaction and one sync. This crate makes no business
//! decisions: `till-domain` decides what may happen. No row type leaves this crate.

mod accounts;
pub mod backup;
mod engine;
mod fail_point;
mod payments;
pub mod relocation;
#[cfg(feature = "simulation")]
pub mod simulation;
mod stores;

#[cfg(test)]
#[path = "../tests/unit/statements/mod.rs"]
mod statements;

pub use accounts::audit::AuditFilter;
pub use accounts::audit_chain::AuditSealing;
pub use accounts::catalog::ProductFilter;
pub use accounts::hold::{HoldReason, StoredHold};
pub use accounts::keys::StoredRotation;
pub use accounts::logins::Login;
pub use accounts::mails::{DueMail, MailCounts, MailEnd, MailState, NewMail, StoredMail};
pub use accounts::nodes::StoredNode;
pub use accounts::providers::StoredSetup;
pub use accounts::sandbox_requests::StoredSandboxRequest;
pub use accounts::sealed::{AtRotation, SEALED_COLUMNS, SealedKey, SealedRow, SealedTable};
pub use accounts::team::{Member, TeamEntry};
pub use accounts::users::{ConfirmedFactor, KnownUser, Link, NewLink, NewUser, UserFilter};
pub use accounts::{
    Accounts, FoundVendor, NewCredential, NewVendor, SealedCredential, VendorFilter, VendorSummary,
    VendorsByReceipts,
};
pub use engine::checked::CheckResult;
pub use engine::clock::{Clock, ClockStatus, ClockStep, SteadyClock};
pub use engine::due::{QueueName, Unreadable, UnreadableRow};
pub use engine::error::StoreError;
pub use engine::inspect::QueueInspection;
pub use engine::news::{Announcement, News};
pub use engine::node::NodeId;
pub use engine::postgres::DatabaseUrl;
pub use engine::size::{Rows, StoreSize, TableSize};
pub use engine::sqlite::{LARGE_LOG, OnFault};
pub use engine::{Durability, StoreStats};
pub use fail_point::FailPoint;
pub use payments::actions::{ActionFigures, ActionFilter, ActionsShown, AssigneeFilter, StoredAction};
pub use payments::all_vendors::{AllSessions, AllTransactions};
pub use payments::attempts::AttemptsDue;
pub use payments::callbacks::{
    DeliveryFilter, EventFilter, KeptResponses, MAX_BUSY_HOSTS, PendingVendor, StoredAttempt, StoredEvent,
    Undelivered,
};
pub use payments::chains::{ChainCompared, Chains};
pub use payments::endpoint_checks::{EndpointChecks, KEPT_CHECKS, NewCheck, StoredCheck, StoredStep};
pub use payments::erasure::{
    Erasure,
    mentions::{FreeText, Mention, Mentions},
};
pub use payments::faults::{Faults, PlayedFault};
pub use payments::figures::Figure;
pub use payments::integration_signs::IntegrationSigns;
pub use payments::leases::Lease;
pub use payments::ledger::{AccountLine, Balance, Ledger, StoredEntry, Wallet};
pub use payments::lists::{SessionFilter, Span, Turn};
pub use payments::money::{MoneyKind, TransactionFilter};
pub use payments::money_list::{
    ListedMoney, ListedTransaction, MoneyListFilter, MoneyOwner, TransactionType,
};
pub use payments::payouts::{PayoutFilter, StoredPayout};
pub use payments::provider_activity::{ProviderCalls, ProviderNews};
pub use payments::receipts::{DispatchCounts, StoredDispatch};
pub use payments::reconciliations::{ReconciliationRun, Reconciliations, RunCounts, RunResult};
pub use payments::refunds::{PaidWith, RefundFilter, Refunds};
pub use payments::sealed_forms::{SealedForm, SealedForms};
pub use payments::search::{SearchColumn, SessionKey};
pub use payments::simulated::{SimulatedPayment, SimulatedRefund};
pub use payments::wallets::{Due, MovedBy, WalletFilter, WalletLine};
pub use payments::watch::Queues;
pub use payments::{Callback, Committed, Payments, StoredKey};
pub use stores::{PendingMigrations, StoreLocation, Stores};
