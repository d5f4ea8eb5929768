//! The meaning of a provider's answer for a refund and its money.

use super::{Origin, Refund, RefundSeen, RefundState, manual, schedule};
use crate::{
    audit::Actor,
    callback,
    change::Change,
    finding::{self, Finding},
    id::{ActionId, EntryId, EventId, ReceiptId},
    ledger::{Settlement, refund_failed, refund_sent},
    money::Money,
    receipt::{self, Receipt, ReceiptLink, Refunded},
    rules::Rules,
    session::Session,
    time::Timestamp,
    transaction::{Action, Resolution},
    vendor::Settings,
};
use std::time::Duration;

/// The most characters of a provider's reason that are kept.
const MAX_REASON: usize = 255;

/// How long a provider may be silent about a refund before an operator gets an action.
const SILENT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// The action that an operator got about a provider's silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SilenceAction {
    pub action: ActionId,
    /// True if it is not decided yet.
    pub open: bool,
}

/// The facts that a decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct RefundFacts<'a> {
    /// The refund as it was claimed.
    pub refund: &'a Refund,
    /// All refunds of its session, this one included.
    pub refunds: &'a [Refund],
    pub session: &'a Session,
    pub settings: &'a Settings,
    /// The action that was decided, if the money was in suspense.
    pub action: Option<&'a Action>,
    /// The action about the provider's silence, if it was silent for long.
    pub told: Option<SilenceAction>,
    /// The part of the payment that is pending now, if any.
    pub pending: Option<&'a Settlement>,
    /// The version of the vendor's wallet, read before the refunds were.
    pub wallet: i64,
    /// The receipt of the payment, if there is one.
    pub receipt: Option<&'a Receipt>,
    /// The rules of its environment.
    pub rules: &'a Rules,
    pub now: Timestamp,
    /// The id for the event, the action and the ledger entry that the decision makes.
    pub event_id: EventId,
    /// The link of the refund's own receipt.
    pub link: ReceiptLink,
}

/// The result of a decision. The changes are lost if another commit changed the refund, or took or refunded
/// money of the vendor meanwhile (compare-and-set); the caller reads again.
#[derive(Debug, Clone)]
pub struct RefundDecision {
    pub refund: Refund,
    pub changes: Vec<Change>,
}

/// Decides what a provider's answer means.
#[must_use]
pub fn observe(scene: &RefundFacts<'_>, seen: RefundSeen) -> RefundDecision {
    match seen {
        RefundSeen::Pending | RefundSeen::Unheard => quietly(scene, asked_again(scene)),
        RefundSeen::Succeeded { reference } => succeed(scene, reference),
        RefundSeen::Failed { reason } => fail(scene, &reason),
        RefundSeen::Manual { what } => quietly(scene, manual::asked(moved(scene), what)),
        RefundSeen::NotThis { reason } => quietly(scene, manual::refused(moved(scene), &reason)),
    }
}

/// The provider gave no answer: it is asked again, less and less often. After a day of silence an operator
/// gets an action, once.
#[must_use]
pub fn unanswered(scene: &RefundFacts<'_>) -> RefundDecision {
    let since = scene.refund.silent_since.unwrap_or(scene.now);
    let refund = Refund { silent_since: Some(since), ..asked_again(scene) };
    let mut observed = quietly(scene, refund);
    if scene.told.is_none() && scene.now.since(since) >= SILENT_FOR {
        observed.changes.extend(tell_of_silence(scene));
    }
    observed
}

fn tell_of_silence(scene: &RefundFacts<'_>) -> Vec<Change> {
    let Refund { id, provider, amount, session, vendor, .. } = scene.refund;
    let note = format!(
        "{provider} has not answered about refund {id} of {amount} for 24 hours: look there whether the money went back"
    );
    let found = Finding::new(&scene.refund.silence_subject(), &note, Some(*amount));
    finding::differs(found, Some((*session, *vendor)), scene.now, scene.event_id)
}

/// The same refund, to be checked again later.
fn asked_again(scene: &RefundFacts<'_>) -> Refund {
    Refund { check_at: Some(schedule::next_check(scene.refund, scene.now)), ..moved(scene) }
}

/// Nothing changes but the refund.
fn quietly(scene: &RefundFacts<'_>, refund: Refund) -> RefundDecision {
    let changes = vec![change(scene, &refund)];
    RefundDecision { refund, changes }
}

/// The part of a reason that is kept, on one line.
pub(super) fn plain(reason: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    reason.chars().take(MAX_REASON).map(plain).collect()
}

fn moved(scene: &RefundFacts<'_>) -> Refund {
    let was = scene.refund;
    Refund {
        version: was.version + 1,
        updated_at: scene.now,
        check_at: None,
        silent_since: None,
        ..was.clone()
    }
}

fn change(scene: &RefundFacts<'_>, refund: &Refund) -> Change {
    Change::MoveRefund { refund: Box::new(refund.clone()), was: scene.refund.version }
}

/// The guards of a refund's end. The callback of each refund has the total that was refunded of the session,
/// so no other refund of it may end at the same moment: the wallet's version guards that. A refund of held
/// money that was never the vendor's has no callback, and needs no such guard.
fn guards(scene: &RefundFacts<'_>, refund: &Refund) -> Vec<Change> {
    let (vendor, currency) = (refund.vendor, refund.amount.currency);
    let wallet = Change::TakeFromWallet { vendor, currency, was: scene.wallet };
    let wallet = refund.is_of_payment().then_some(wallet);
    let silence_over = scene.told.filter(|told| told.open).map(|told| Change::ResolveAction {
        id: told.action,
        resolution: Resolution::Dismiss,
        at: scene.now,
        by: Actor::system().name,
    });
    wallet.into_iter().chain(silence_over).chain([change(scene, refund)]).collect()
}

fn succeed(scene: &RefundFacts<'_>, reference: String) -> RefundDecision {
    let refund = Refund { state: RefundState::Succeeded, reference: Some(reference), ..moved(scene) };
    let mut changes = guards(scene, &refund);
    let entry = refund_sent(&refund, EntryId::from(scene.event_id), scene.now);
    changes.push(Change::PostEntry(Box::new(entry)));
    changes.extend(told(scene, &refund));
    changes.extend(receipt(scene, &refund));
    RefundDecision { refund, changes }
}

pub(super) fn fail(scene: &RefundFacts<'_>, reason: &str) -> RefundDecision {
    let refund = Refund { state: RefundState::Failed(plain(reason)), ..moved(scene) };
    let mut changes = guards(scene, &refund);
    let entry = EntryId::from(scene.event_id);
    let waits = waits_again(scene, &refund, entry);
    if let Some(joined) = scene.pending.filter(|_| waits.is_some()) {
        // After the wallet and before the refund: the order in which every commit that needs all three takes
        // them.
        changes.insert(changes.len() - 1, Change::SettleEntry { entry: joined.entry });
    }
    // The operator's decision cannot be carried out: the money is in suspense again, and the operator has to
    // decide again.
    if let (Origin::Suspense { .. }, Some(action)) = (refund.origin, scene.action) {
        let finding = action.finding.as_ref().map(|finding| finding.again(refund.id));
        let again = Action { id: ActionId::from(scene.event_id), at: scene.now, finding, ..action.clone() };
        changes.push(Change::NeedAction(Box::new(again)));
    }
    changes.push(Change::PostEntry(Box::new(refund_failed(&refund, entry, scene.now))));
    changes.extend(waits.map(Change::ScheduleSettlement));
    changes.extend(told(scene, &refund));
    RefundDecision { refund, changes }
}

/// Money that comes back before it would have been available is pending until then, together with the rest of
/// the payment that still is: a payment has one row that settles it.
fn waits_again(scene: &RefundFacts<'_>, refund: &Refund, entry: EntryId) -> Option<Settlement> {
    let back = refund.unsettled(scene.now)?;
    let joined = scene.pending.map_or(0, |pending| pending.amount.minor);
    Some(Settlement {
        entry,
        vendor: refund.vendor,
        session: Some(refund.session),
        amount: Money { minor: back.minor + joined, ..refund.amount },
        due_at: scene.pending.map_or(back.until, |pending| pending.due_at),
    })
}

/// A customer who got a receipt of the payment gets one of the refund.
fn receipt(scene: &RefundFacts<'_>, refund: &Refund) -> Vec<Change> {
    let Some(paid) = scene.receipt else { return Vec::new() };
    let id = ReceiptId::from_bytes(refund.id.into());
    let refunded = Refunded { id, amount: refund.amount, at: scene.now, link: scene.link };
    receipt::on_refund(scene.rules, scene.settings, paid, refunded)
}

/// The callback of a refund; only for a refund of the payment, not of held money.
fn told(scene: &RefundFacts<'_>, refund: &Refund) -> Option<Change> {
    if !refund.is_of_payment() {
        return None;
    }
    let done = |other: &&Refund| other.id != refund.id && other.is_of_payment();
    let before = scene.refunds.iter().filter(done).filter(|other| other.state == RefundState::Succeeded);
    let own = if refund.state == RefundState::Succeeded { refund.amount.minor } else { 0 };
    let minor = before.map(|other| other.amount.minor).sum::<i64>() + own;
    let total = Money { minor, ..refund.amount };
    let event = callback::refund_event(refund, total, scene.session, scene.settings, scene.event_id)?;
    Some(Change::QueueCallback(Box::new(event)))
}
