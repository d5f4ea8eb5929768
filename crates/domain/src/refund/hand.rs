//! Refunds that a person sends, because no provider can: no key to the money is kept here.

use super::{
    Observed, Refund, RefundState, Scene,
    observe::{fail, plain},
};
use crate::{change::Change, time::Timestamp};

/// What is known of a refund that a person sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hand {
    /// What they have to send, for people: `12.50 USDC (Ethereum)`.
    pub what: String,
    /// Why what they said they sent was not it, if they have said something that was not.
    pub note: Option<String>,
    /// When they said what they sent, while that is being checked or has proved right.
    pub sent_at: Option<Timestamp>,
}

/// Reads the hash of a transaction as a person types it: `0x` and 64 hex digits. In lower case, so that the same one is
/// the same text.
#[must_use]
pub fn read_transaction(typed: &str) -> Option<String> {
    let typed = typed.trim().to_ascii_lowercase();
    let digits = typed.strip_prefix("0x")?;
    (digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(typed)
}

/// A person says that this transaction has sent it: somebody should check that now. Nothing if nobody waits for their
/// word. The change is lost if somebody else was quicker.
#[must_use]
pub fn sent(refund: &Refund, transaction: &str, now: Timestamp) -> Option<(Refund, Change)> {
    let hand = refund.hand.as_ref().filter(|_| refund.state == RefundState::ByHand)?;
    let was = refund.version;
    let refund = Refund {
        state: RefundState::Sent,
        reference: Some(transaction.to_owned()),
        hand: Some(Hand { note: None, sent_at: Some(now), ..hand.clone() }),
        check_at: Some(now),
        version: was + 1,
        updated_at: now,
        ..refund.clone()
    };
    let change = Change::MoveRefund { refund: Box::new(refund.clone()), was };
    Some((refund, change))
}

/// A person says that it cannot be sent, or was not after all: it has failed, and its money goes back where it came from.
/// Also while what they named is being checked: a chain that nobody reads any more would never say that it was not it.
/// Nothing if nobody waits for their word.
#[must_use]
pub fn give_up(scene: &Scene<'_>, reason: &str) -> Option<Observed> {
    let refund = scene.refund;
    let named = refund.state == RefundState::Sent && refund.hand.is_some();
    (named || refund.state == RefundState::ByHand).then(|| fail(scene, reason))
}

/// A person has to send this.
pub(super) fn asked(refund: Refund, what: String) -> Refund {
    let hand = Some(Hand { what: plain(&what), note: None, sent_at: None });
    Refund { state: RefundState::ByHand, reference: None, hand, check_at: None, ..refund }
}

/// What they said was not it: what they named is free for another refund, and they are asked again.
pub(super) fn refused(refund: Refund, reason: &str) -> Refund {
    let what = refund.hand.as_ref().map(|hand| hand.what.clone()).unwrap_or_default();
    let hand = Some(Hand { what, note: Some(plain(reason)), sent_at: None });
    Refund { state: RefundState::ByHand, reference: None, hand, check_at: None, ..refund }
}
