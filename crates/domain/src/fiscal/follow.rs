//! Follows a receipt's registration to its end: when a provider is asked, and what its answer means.

use super::{Contact, FiscalKind, FiscalReceipt, ReceiptStatus};
use crate::{
    audit::Actor,
    change::Change,
    finding::{self, Finding},
    id::{ActionId, EventId},
    time::Timestamp,
    transaction::Resolution,
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
    /// The fiscal document that the till made of it, if the provider names it.
    pub document: Option<String>,
}

impl RegistrationSeen {
    /// An answer that says nothing but how far the registration is.
    #[must_use]
    pub fn of(state: RegistrationState) -> Self {
        Self { state, reference: None, document: None }
    }
}

/// How far the registration of a receipt is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistrationState {
    /// The till has not answered yet.
    Pending,
    Registered,
    /// The provider does not say what becomes of it; final, and nothing is known to be wrong.
    Unreported,
    /// It will not be registered; final.
    Failed {
        reason: String,
    },
    /// It was not accepted for a reason outside of it, such as a key without the right: repeating it helps once a person has
    /// changed that.
    Blocked {
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
    /// The action that it is blocked, if there is one.
    pub blocked: Option<BlockedAction>,
}

/// The action that a receipt is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockedAction {
    pub action: ActionId,
    /// True if it is not decided yet.
    pub open: bool,
}

/// The subject of the finding that a receipt is blocked.
#[must_use]
pub fn blocked_subject(receipt: &FiscalReceipt) -> String {
    format!("{}:{}:receipt-blocked", receipt.provider.as_deref().unwrap_or_default(), receipt.id)
}

/// The answer about a receipt that cannot be sent: the customer was erased before the hand-over.
#[must_use]
pub fn without_customer(receipt: &FiscalReceipt) -> Option<RegistrationSeen> {
    let unsent = receipt.kind == FiscalKind::Closing && receipt.reference.is_none();
    (unsent && receipt.content.buyer.contact() == Contact::Unknown).then(|| {
        let reason = "the customer's data was erased, and no till makes a receipt without a contact";
        RegistrationSeen::of(RegistrationState::Failed { reason: reason.to_owned() })
    })
}

/// The answer about a receipt that is not sent, because its provider is not set up here.
#[must_use]
pub fn not_set_up(receipt: &FiscalReceipt) -> Option<RegistrationSeen> {
    let unsent = receipt.kind == FiscalKind::Closing && receipt.reference.is_none();
    unsent.then(|| {
        let reason = "it is not set up here, or without a till".to_owned();
        RegistrationSeen::of(RegistrationState::Blocked { reason })
    })
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

/// The guard of everything that depends on the receipts of a payment and adds one, such as a refund: lost if another commit
/// added one, or the registration moved, since they were read.
#[must_use]
pub fn unchanged(paid: &FiscalReceipt) -> Change {
    let was = paid.version;
    Change::MoveFiscalReceipt { receipt: Box::new(FiscalReceipt { version: was + 1, ..paid.clone() }), was }
}

/// Decides what a provider's answer means; `None` if there was none. The changes are lost if another commit changed the receipt.
#[must_use]
pub fn observe(facts: &RegistrationFacts<'_>, seen: Option<RegistrationSeen>) -> Vec<Change> {
    let receipt = facts.receipt;
    let seen = seen.unwrap_or_else(|| RegistrationSeen::of(RegistrationState::Pending));
    let RegistrationSeen { state, reference: made, document } = seen;
    let waited = facts.now.since(receipt.sent_at.unwrap_or(receipt.created_at));
    // Nothing is known of it but that it was sent.
    let silent = state == RegistrationState::Pending;
    let state = match state {
        RegistrationState::Pending if waited >= REGISTERED_WITHIN => RegistrationState::Failed {
            reason: receipt.failure.clone().unwrap_or("the till has not registered it for 3 days".to_owned()),
        },
        RegistrationState::Blocked { reason } if waited >= REGISTERED_WITHIN => {
            RegistrationState::Failed { reason }
        }
        state => state,
    };
    let was = receipt.version;
    let mut moved = FiscalReceipt {
        reference: made.or_else(|| receipt.reference.clone()),
        document: document.or_else(|| receipt.document.clone()),
        version: was + 1,
        updated_at: facts.now,
        check_at: None,
        ..receipt.clone()
    };
    let mut actions = Vec::new();
    match state {
        RegistrationState::Pending => moved.check_at = Some(next_check(receipt, facts.now)),
        RegistrationState::Registered => (moved.status, moved.failure) = (ReceiptStatus::Registered, None),
        RegistrationState::Blocked { reason } => {
            let reason = plain(&reason);
            if facts.blocked.is_none() {
                actions = needs_access(facts, &reason);
            }
            (moved.check_at, moved.failure) = (Some(next_check(receipt, facts.now)), Some(reason));
        }
        RegistrationState::Unreported => {}
        RegistrationState::Failed { reason } => {
            let reason = plain(&reason);
            actions = needs_receipt(facts, &reason, silent);
            (moved.status, moved.failure) = (ReceiptStatus::Failed, Some(reason));
        }
    }
    let over = facts.blocked.filter(|blocked| blocked.open && moved.check_at.is_none());
    let over = over.map(|blocked| Change::ResolveAction {
        id: blocked.action,
        resolution: Resolution::Dismiss,
        at: facts.now,
        by: Actor::system().name,
    });
    let moved = Change::MoveFiscalReceipt { receipt: Box::new(moved), was };
    [moved].into_iter().chain(over).chain(actions).collect()
}

/// The part of a reason that is kept, on one line.
fn plain(reason: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    reason.chars().take(MAX_REASON).map(plain).collect()
}

fn next_check(receipt: &FiscalReceipt, now: Timestamp) -> Timestamp {
    let index = usize::try_from(receipt.checks.saturating_sub(1)).unwrap_or(usize::MAX);
    let pause = PAUSES[index.min(PAUSES.len() - 1)];
    now.plus(Duration::from_secs(pause))
}

/// The action that tells a person to make the receipt, or a correction receipt, by hand. No provider has a call for that.
fn needs_receipt(facts: &RegistrationFacts<'_>, reason: &str, silent: bool) -> Vec<Change> {
    let (receipt, total) = (facts.receipt, facts.receipt.total);
    let provider = receipt.provider.as_deref().unwrap_or_default();
    let reason = reason.trim_end_matches('.');
    let by_hand = format!(
        "in the account of the till at {provider}, with the data on the session's page, then resolve this"
    );
    let note = match receipt.kind {
        FiscalKind::Closing if silent || receipt.reference.is_none() => format!(
            "The closing receipt of the hand-over ({total}) may not have been made: {reason}. Look in the account of the till \
             whether it exists; if not, make it {by_hand}"
        ),
        kind => {
            let what = match kind {
                FiscalKind::Payment if !receipt.is_of_session() => "a second payment",
                FiscalKind::Payment => "the payment",
                FiscalKind::Refund => "a refund",
                FiscalKind::Closing => "the hand-over",
            };
            format!(
                "The fiscal receipt of {what} ({total}) is not registered: {reason}. Make a correction receipt {by_hand}"
            )
        }
    };
    report(facts, &format!("{provider}:{}:receipt", receipt.id), &note)
}

/// The action that tells a person to remove what keeps a provider from accepting a receipt.
fn needs_access(facts: &RegistrationFacts<'_>, reason: &str) -> Vec<Change> {
    let receipt = facts.receipt;
    let provider = receipt.provider.as_deref().unwrap_or_default();
    let until = receipt.sent_at.unwrap_or(receipt.created_at).plus(REGISTERED_WITHIN);
    let note = format!(
        "{provider} does not accept the closing receipt ({}): {reason}. Check the shop, its key and the key's permissions. Till \
         repeats it until {until}, and resolves this once it is accepted",
        receipt.total,
    );
    report(facts, &blocked_subject(receipt), &note)
}

/// An action about the receipt. Guarded by its subject: it is entered once.
fn report(facts: &RegistrationFacts<'_>, subject: &str, note: &str) -> Vec<Change> {
    let FiscalReceipt { total, session, vendor, .. } = facts.receipt;
    let found = Finding::new(subject, note, Some(*total));
    finding::differs(found, Some((*session, *vendor)), facts.now, facts.event_id)
}
