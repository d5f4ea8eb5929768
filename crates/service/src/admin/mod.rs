//! Privileged acts, by a command or on a page. A change of accounts is committed together with its entry in
//! the audit log; a callback that is sent again is logged before; a decision about money records its author
//! and time itself.

mod action_work;
mod actions;
mod callbacks;
pub mod catalog;
mod closing;
pub mod csv_sheet;
mod erasure;
mod hold;
mod keys;
mod manual_refunds;
mod payouts;
mod providers;
mod receipts;
mod refunds;
mod simulation;
mod users;
mod vendors;

pub use action_work::{AssignOutcome, Assignment, NoteOutcome, add_note, assign};
pub use actions::{Decision, DecisionOutcome, SentBy, held, resolve};
pub use callbacks::{ResendOutcome, Resender};
pub use closing::{ClosingError, close};
pub use erasure::{CustomerLookup, CustomerRecord, CustomerSession, ErasureReport, LookupBounds};
pub use hold::{ReleaseForecast, place_hold, release_hold};
pub use keys::{KeyError, KeyRotation, ResealReport, adopt_key};
pub use manual_refunds::{ManualRefundOutcome, confirm_refund, give_up_refund, sent_by_hand};
pub use payouts::{PayoutOutcome, PayoutRequest, PayoutStepOutcome, ask_payout, step_payout};
pub use providers::{OpenSetup, open_setup};
pub use receipts::receipt_body;
pub use refunds::{RefundError, RefundOrder, Refunder, lines_left, lines_mark, payment};
pub use simulation::{SimulationError, Simulator};
pub use users::{Bringer, MadeLink, UserDraft, factor_place, new_password, new_token};
pub use vendors::{CredentialPair, NewPair, VendorDraft, VendorPairs};

use crate::{random, vault::Vault};
use std::sync::Arc;
use till_domain::{
    audit::{Actor, AuditEntry, AuditEvent},
    id::AuditId,
};
use till_store::{Accounts, StoreError};

/// The accounts store, and the vault for its secrets.
#[derive(Debug, Clone)]
pub struct Admin {
    /// Vendors, users, and the audit log.
    pub accounts: Arc<Accounts>,
    /// Seals and opens secrets.
    pub vault: Arc<Vault>,
}

/// The reason why an act was refused.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// There is no such vendor.
    #[error("there is no such vendor")]
    NoVendor,
    /// A concurrent request rotated the same pair.
    #[error("another request rotated these credentials at the same time")]
    Overtaken,
    /// The set-up was changed after it was read (compare-and-set).
    #[error("another operator has changed the setup in the meantime: review it, then make your change again")]
    SetupMoved,
    /// The same form was submitted before, and took effect then.
    #[error("this form was already submitted")]
    Repeated,
    /// A secret cannot be opened.
    #[error(transparent)]
    Sealed(#[from] crate::vault::CannotOpen),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Admin {
    /// The error of a refused act: `Repeated` if its form was submitted before, else the caller's.
    async fn refused(&self, actor: &Actor, otherwise: AdminError) -> AdminError {
        let Some(form) = actor.form else { return otherwise };
        match self.accounts.form_used(form).await {
            Ok(true) => AdminError::Repeated,
            Ok(false) => otherwise,
            Err(error) => error.into(),
        }
    }

    /// A new audit log entry, at the current time.
    #[must_use]
    pub fn entry(&self, actor: &Actor, event: AuditEvent) -> AuditEntry {
        entry(&self.accounts, actor, event)
    }
}

/// A new audit log entry, at the current time.
#[must_use]
pub fn entry(accounts: &Accounts, actor: &Actor, event: AuditEvent) -> AuditEntry {
    let id = accounts.next_audit_id(&random::entropy::<AuditId>());
    AuditEntry::new(id, accounts.now(), actor.clone(), event)
}
