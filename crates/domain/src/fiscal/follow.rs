//! Follows a receipt's registration to its end: when a provider is asked, and what its answer means.

use super::{FiscalKind, FiscalReceipt, ReceiptStatus};
use crate::{
    change::Change,
    finding::{self, Finding},
    id::EventId,
    time::Timestamp,
};
use std::time::Duration;

/// The backoff between two questions, in seconds. A till takes seconds or minutes; one that is out of order may take days.
const PAUSES: [u64; 10] = [5, 10, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600];

/// How long a registration may take. After that, only a person can find out.
pub const REGISTERED_WITHIN: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// The most characters of a provider's reason that are kept.
const MAX_REASON: usize = 255;

/// A provider's answer about a receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistrationSeen {
    pub state: RegistrationState,
    /// The provider's reference of a receipt that it made, if it was made by this call.
    pub reference: Option<String>,
}

/// How far the registration of a receipt is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistrationState {
    /// The till has not answered yet.
    Pending,
    Registered,
    /// The provider does not say what becomes of it; final, and nothing is known to be wrong.
    Untold,
    /// It will not be registered; final.
    Failed {
        reason: String,
    },
}

/// The facts that a decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct RegistrationFacts<'a> {
    /// The receipt as it was claimed.
    pub receipt: &'a FiscalReceipt,
    pub now: Timestamp,
    /// The id of the action that the decision may make.
    pub event_id: EventId,
}

/// Claims a receipt for the duration of a call. The change is lost if another worker claimed it.
#[must_use]
pub fn claim(receipt: &FiscalReceipt, now: Timestamp, lease: Duration) -> (FiscalReceipt, Change) {
    let was = receipt.version;
    let claimed = FiscalReceipt {
        checks: receipt.checks.saturating_add(1),
        check_at: Some(now.plus(lease)),
        version: was + 1,
        ..receipt.clone()
    };
    let change = Change::MoveFiscalReceipt { receipt: Box::new(claimed.clone()), was };
    (claimed, change)
}

/// Decides what a provider's answer means; `None` if there was none. The changes are lost if another commit changed the receipt.
#[must_use]
pub fn observe(facts: &RegistrationFacts<'_>, seen: Option<RegistrationSeen>) -> Vec<Change> {
    let receipt = facts.receipt;
    let (state, made) = seen.map_or((RegistrationState::Pending, None), |seen| (seen.state, seen.reference));
    let waited = facts.now.since(receipt.sent_at.unwrap_or(receipt.created_at));
    let state = match state {
        RegistrationState::Pending if waited >= REGISTERED_WITHIN => {
            RegistrationState::Failed { reason: "the till has not registered it for 3 days".to_owned() }
        }
        state => state,
    };
    let was = receipt.version;
    let mut moved = FiscalReceipt {
        reference: made.or_else(|| receipt.reference.clone()),
        version: was + 1,
        updated_at: facts.now,
        check_at: None,
        ..receipt.clone()
    };
    let mut actions = Vec::new();
    match state {
        RegistrationState::Pending => moved.check_at = Some(next_check(receipt, facts.now)),
        RegistrationState::Registered => moved.status = ReceiptStatus::Registered,
        RegistrationState::Untold => {}
        RegistrationState::Failed { reason } => {
            let plain = |c: char| if c.is_control() { ' ' } else { c };
            let reason: String = reason.chars().take(MAX_REASON).map(plain).collect();
            actions = needs_correction(facts, &reason);
            (moved.status, moved.failure) = (ReceiptStatus::Failed, Some(reason));
        }
    }
    let moved = Change::MoveFiscalReceipt { receipt: Box::new(moved), was };
    [moved].into_iter().chain(actions).collect()
}

fn next_check(receipt: &FiscalReceipt, now: Timestamp) -> Timestamp {
    let index = usize::try_from(receipt.checks.saturating_sub(1)).unwrap_or(usize::MAX);
    let pause = PAUSES[index.min(PAUSES.len() - 1)];
    now.plus(Duration::from_secs(pause))
}

/// The action that tells a person to make a correction receipt. No provider has a call for that.
fn needs_correction(facts: &RegistrationFacts<'_>, reason: &str) -> Vec<Change> {
    let FiscalReceipt { id, kind, provider, total, session, vendor, .. } = facts.receipt;
    let provider = provider.as_deref().unwrap_or_default();
    let what = match kind {
        FiscalKind::Payment => "the payment",
        FiscalKind::Refund => "a refund",
        FiscalKind::Closing => "the hand-over",
    };
    let note = format!(
        "The fiscal receipt of {what} ({total}) is not registered: {reason}. Make a correction receipt in the account of the \
         till at {provider}, with the data on the session's page, then resolve this"
    );
    let found = Finding::new(&format!("{provider}:{id}:receipt"), &note, Some(*total));
    // Guarded by its subject: it is entered once.
    finding::differs(found, Some((*session, *vendor)), facts.now, facts.event_id)
}
