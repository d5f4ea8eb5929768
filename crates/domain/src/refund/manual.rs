//! Refunds that the operator sends by hand, because no provider can: no key to the money is kept here. And refunds about
//! which only the operator can find out, in the provider's account, what became of them.

use super::{
    Refund, RefundDecision, RefundFacts, RefundState,
    observe::{UNDER_WAY_FOR, fail, plain, succeed},
};
use crate::{chain::TxHash, change::Change, time::Timestamp};

/// The state of a refund that the operator sends by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualTransfer {
    /// What to send, for people: `12.50 USDC (Ethereum)`.
    pub what: String,
    /// Why the transaction that the operator named last was refused, if it was.
    pub note: Option<String>,
    /// When the operator named a transaction, while it is being checked or has proved right.
    pub sent_at: Option<Timestamp>,
}

/// Parses the hash of a transaction as it was typed: `0x` and 64 hex digits, in any case, with spaces around
/// it.
#[must_use]
pub fn read_transaction(typed: &str) -> Option<TxHash> {
    TxHash::parse(&typed.trim().to_ascii_lowercase())
}

/// The operator names the transaction that sent the refund; it is due to be checked at once. `None` if the
/// refund does not wait for that. The change is lost if another commit was faster.
#[must_use]
pub fn sent(refund: &Refund, transaction: TxHash, now: Timestamp) -> Option<(Refund, Change)> {
    let hand = refund.manual.as_ref().filter(|_| refund.state == RefundState::Manual)?;
    let was = refund.version;
    let refund = Refund {
        state: RefundState::Sent,
        reference: Some(transaction.to_string()),
        manual: Some(ManualTransfer { note: None, sent_at: Some(now), ..hand.clone() }),
        check_at: Some(now),
        version: was + 1,
        updated_at: now,
        ..refund.clone()
    };
    let change = Change::MoveRefund { refund: Box::new(refund.clone()), was };
    Some((refund, change))
}

/// The operator says that the refund cannot be sent, or was not after all: it fails, and its money returns to
/// where it came from. Also possible while a named transaction is being checked: a chain that is no longer
/// read would never refute it. So is one whose provider has left it open for long ([`is_doubtful`]). `None` for any
/// other refund that a provider sends, and for one that has ended.
#[must_use]
pub fn give_up(facts: &RefundFacts<'_>, reason: &str) -> Option<RefundDecision> {
    let refund = facts.refund;
    let named = refund.state == RefundState::Sent && refund.manual.is_some();
    (named || refund.state == RefundState::Manual || is_doubtful(facts)).then(|| fail(facts, reason))
}

/// The operator has seen at the provider that the refund was made, which the provider does not tell Till. `None` for a refund
/// that is not in doubt.
#[must_use]
pub fn confirm(facts: &RefundFacts<'_>) -> Option<RefundDecision> {
    let refund = facts.refund;
    let reference = || refund.reference.clone().unwrap_or_else(|| refund.id.to_string());
    is_doubtful(facts).then(|| succeed(facts, reference()))
}

/// Whether a provider was requested to send the refund, and an operator was told that it has left open for long whether it
/// did, as it still does: then the operator may decide what its account shows.
fn is_doubtful(facts: &RefundFacts<'_>) -> bool {
    let refund = facts.refund;
    let is_open = refund.state == RefundState::Sent && refund.manual.is_none();
    let for_long = facts.now.since(refund.created_at) >= UNDER_WAY_FOR;
    facts.silence_action.is_some() && is_open && (refund.silent_since.is_some() || for_long)
}

/// Leaves the refund to the operator, to be sent by hand.
pub(super) fn leave_to_operator(refund: Refund, what: String) -> Refund {
    let hand = Some(ManualTransfer { what: plain(&what), note: None, sent_at: None });
    Refund { state: RefundState::Manual, reference: None, manual: hand, check_at: None, ..refund }
}

/// Refuses the transaction that the operator named: it can be named for another refund, and the operator is
/// asked again.
pub(super) fn refused(refund: Refund, reason: &str) -> Refund {
    let what = refund.manual.as_ref().map(|hand| hand.what.clone()).unwrap_or_default();
    let hand = Some(ManualTransfer { what, note: Some(plain(reason)), sent_at: None });
    Refund { state: RefundState::Manual, reference: None, manual: hand, check_at: None, ..refund }
}
