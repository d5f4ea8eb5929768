//! What people with rights do, by a command or on a page. What is done to accounts is stored together with its line in
//! the audit log; callbacks that are sent again are logged before, and a decision about money names who and when itself.

mod callbacks;
pub mod catalog;
mod hand;
mod money;
mod payouts;
mod providers;
mod refunds;
pub mod sheet;
mod users;
mod vendors;

pub use callbacks::{Resender, Resent};
pub use hand::{Handed, give_up_refund, sent_by_hand};
pub use money::{Decided, Decision, SentBy, held, resolve};
pub use payouts::{Asked, Stepped, Wanted, ask_payout, step_payout};
pub use providers::{OpenSetup, open_setup};
pub use refunds::{Asking, RefundError, Refunder, payment};
pub use users::{Bringer, MadeLink, Newcomer, new_password, new_token};
pub use vendors::{Beginner, NewPair, Pair, VendorPairs};

use crate::{random, vault::Vault};
use std::sync::Arc;
use till_domain::audit::{Actor, AuditEntry, Deed};
use till_store::{Accounts, StoreError};

/// The accounts, and the vault that their secrets are in.
#[derive(Debug, Clone)]
pub struct Office {
    /// Vendors, users, and what they did.
    pub accounts: Arc<Accounts>,
    /// What seals and opens secrets.
    pub vault: Arc<Vault>,
}

/// Why an act was not done.
#[derive(Debug, thiserror::Error)]
pub enum OfficeError {
    /// There is no such vendor.
    #[error("there is no such vendor")]
    NoVendor,
    /// Somebody else rotated the same pair at the same moment.
    #[error("these credentials were rotated by somebody else at the same moment")]
    Overtaken,
    /// Somebody else has set the provider up meanwhile.
    #[error("the set-up was changed by somebody else meanwhile: look at it, and change it again")]
    SetupMoved,
    /// The form was sent before, and did then what it does.
    #[error("this form was sent already")]
    Repeated,
    /// A secret cannot be opened.
    #[error(transparent)]
    Sealed(#[from] crate::vault::CannotOpen),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Office {
    /// Why an act was not done that a form does: it was sent before, or what the caller thinks.
    async fn refused(&self, actor: &Actor, otherwise: OfficeError) -> OfficeError {
        let Some(form) = actor.form else { return otherwise };
        match self.accounts.form_used(form).await {
            Ok(true) => OfficeError::Repeated,
            Ok(false) => otherwise,
            Err(error) => error.into(),
        }
    }

    /// A line about what somebody does now.
    #[must_use]
    pub fn entry(&self, actor: &Actor, deed: Deed) -> AuditEntry {
        entry(&self.accounts, actor, deed)
    }
}

/// A line about what somebody does now.
#[must_use]
pub fn entry(accounts: &Accounts, actor: &Actor, deed: Deed) -> AuditEntry {
    let id = accounts.next_audit_id(&random::entropy());
    AuditEntry::new(id, accounts.now(), actor.clone(), deed)
}
