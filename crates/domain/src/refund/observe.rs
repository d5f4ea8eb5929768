//! The meaning of a provider's answer for a refund and its money.

use super::{Origin, Refund, RefundSeen, RefundState, manual, schedule};
use crate::{
    audit::Actor,
    callback,
    change::Change,
    finding::{self, Finding},
    fiscal::{
        ReceiptStatus,
        registration::{self, FiscalSending},
    },
    id::{ActionId, EntryId, EventId, ReceiptId, TransactionId},
    ledger::{Entry, Settlement, refund_failed, refund_sent},
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

/// How long a refund may be under way before an operator gets an action. Some banks take some days.
pub(super) const UNDER_WAY_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The action that an operator got about a provider's silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SilenceAction {
    pub action: ActionId,
    /// True if it is not decided yet.
    pub open: bool,
}

/// The version on which the total of a session's refunds is based. The callback of each refund has that total, so no two
/// refunds of a session may end at the same moment (compare-and-set).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TotalVersion {
    /// The version of the vendor's wallet, where a ledger is kept.
    Wallet(i64),
    /// The number of the session's refunds that have ended, where none is.
    Ended(i64),
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
    pub silence_action: Option<SilenceAction>,
    /// The part of the payment that is pending now, if any.
    pub pending: Option<&'a Settlement>,
    /// The version on which the total of the session's refunds is based, read before they were.
    pub version: TotalVersion,
    /// The receipt of the payment, if there is one.
    pub receipt: Option<&'a Receipt>,
    /// True if the provider's till returns the lines of the payment, and the refund's fiscal receipt has others.
    pub returns_other_lines: bool,
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
pub fn observe(facts: &RefundFacts<'_>, seen: RefundSeen) -> RefundDecision {
    match seen {
        RefundSeen::Pending | RefundSeen::Unheard => under_way(facts, with_next_check(facts)),
        RefundSeen::Accepted { reference } => {
            under_way(facts, Refund { reference: Some(reference), ..with_next_check(facts) })
        }
        RefundSeen::Succeeded { reference } => succeed(facts, reference),
        RefundSeen::Failed { reason } => fail(facts, &reason),
        RefundSeen::Manual { what } => quietly(facts, manual::leave_to_operator(moved(facts), what)),
        RefundSeen::NotThis { reason } => quietly(facts, manual::refused(moved(facts), &reason)),
    }
}

/// The provider gave no answer: it is asked again, less and less often. After a day of silence an operator
/// gets an action, once.
#[must_use]
pub fn unanswered(facts: &RefundFacts<'_>) -> RefundDecision {
    let since = facts.refund.silent_since.unwrap_or(facts.now);
    let refund = Refund { silent_since: Some(since), ..with_next_check(facts) };
    let mut observed = quietly(facts, refund);
    if facts.silence_action.is_none() && facts.now.since(since) >= SILENT_FOR {
        observed.changes.extend(report_doubt(facts, "has not confirmed", "24 hours"));
    }
    observed
}

/// The refund is under way. After a week an operator gets an action, once.
fn under_way(facts: &RefundFacts<'_>, refund: Refund) -> RefundDecision {
    let mut observed = quietly(facts, refund);
    if facts.silence_action.is_none() && facts.now.since(facts.refund.created_at) >= UNDER_WAY_FOR {
        observed.changes.extend(report_doubt(facts, "has not finished", "7 days"));
    }
    observed
}

fn report_doubt(facts: &RefundFacts<'_>, what: &str, how_long: &str) -> Vec<Change> {
    let Refund { id, provider, amount, session, vendor, .. } = facts.refund;
    let note = format!(
        "{provider} {what} refund {id} of {amount} for {how_long}. Look in its account: if the money went back, confirm the \
         refund here or by `till refund confirm {id}`; if it certainly will not, give it up here or by `till refund give-up {id} \
         --reason TEXT`"
    );
    let found = Finding::new(&facts.refund.silence_subject(), &note, Some(*amount));
    finding::differs(found, Some((*session, *vendor)), facts.now, facts.event_id)
}

/// The same refund, to be checked again later.
fn with_next_check(facts: &RefundFacts<'_>) -> Refund {
    Refund { check_at: Some(schedule::next_check(facts.refund, facts.now)), ..moved(facts) }
}

/// Nothing changes but the refund.
fn quietly(facts: &RefundFacts<'_>, refund: Refund) -> RefundDecision {
    let changes = vec![change(facts, &refund)];
    RefundDecision { refund, changes }
}

/// The part of a reason that is kept, on one line.
pub(super) fn plain(reason: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    reason.chars().take(MAX_REASON).map(plain).collect()
}

fn moved(facts: &RefundFacts<'_>) -> Refund {
    let was = facts.refund;
    Refund {
        version: was.version + 1,
        updated_at: facts.now,
        check_at: None,
        silent_since: None,
        ..was.clone()
    }
}

fn change(facts: &RefundFacts<'_>, refund: &Refund) -> Change {
    Change::MoveRefund { refund: Box::new(refund.clone()), was: facts.refund.version }
}

/// The guards of a refund's end. A refund of held money that was never the vendor's has no callback, and needs no guard
/// of the total.
fn guards(facts: &RefundFacts<'_>, refund: &Refund) -> Vec<Change> {
    let (vendor, currency) = (refund.vendor, refund.amount.currency);
    let total = match facts.version {
        TotalVersion::Wallet(was) => Change::TakeFromWallet { vendor, currency, was },
        TotalVersion::Ended(was) => Change::CountRefund { session: refund.session, was },
    };
    let total = refund.is_of_payment().then_some(total);
    let silence_over =
        facts.silence_action.filter(|action| action.open).map(|action| Change::ResolveAction {
            id: action.action,
            resolution: Resolution::Dismiss,
            at: facts.now,
            by: Actor::system().name,
        });
    total.into_iter().chain(silence_over).chain([change(facts, refund)]).collect()
}

pub(super) fn succeed(facts: &RefundFacts<'_>, reference: String) -> RefundDecision {
    let moved_by = Some(TransactionId::from(facts.event_id));
    let (state, reference) = (RefundState::Succeeded, Some(reference));
    let refund = Refund { state, reference, moved: moved_by, ..moved(facts) };
    let fiscal = registered(facts, &refund);
    // The action about a receipt is guarded by its subject.
    let (guarded, fiscal): (Vec<_>, Vec<_>) = fiscal.into_iter().partition(|change| change.guard().is_some());
    let mut changes = guards(facts, &refund);
    changes.extend(guarded);
    let entry = refund_sent(&refund, EntryId::from(facts.event_id), facts.now);
    changes.extend(posted(facts, entry));
    changes.extend(refund_callback(facts, &refund));
    changes.extend(receipt(facts, &refund));
    changes.extend(fiscal);
    RefundDecision { refund, changes }
}

/// The fiscal receipt of the refund is with the provider's till, or its registration is played.
fn registered(facts: &RefundFacts<'_>, refund: &Refund) -> Vec<Change> {
    let (Some(fiscal), Some(reference)) = (facts.session.fiscal, &refund.reference) else {
        return Vec::new();
    };
    let id = refund.id.into();
    if facts.rules.plays_registration {
        return vec![registration::played_for(id, fiscal.plan, facts.now).change()];
    }
    if !facts.rules.tills.contains(&refund.provider.as_str()) {
        return Vec::new();
    }
    let sent = registration::taken_along(id, &refund.provider, reference, facts.now);
    if !facts.returns_other_lines {
        return vec![sent.change()];
    }
    let reason = "the till returned the lines of the payment, which differ from those of the refund";
    let failed = FiscalSending {
        status: ReceiptStatus::Failed,
        failure: Some(reason.to_owned()),
        check_at: None,
        ..sent
    };
    [failed.change()].into_iter().chain(needs_correction(facts, reason)).collect()
}

/// The action that tells a person to correct the receipt that a till made of the payment's lines.
fn needs_correction(facts: &RefundFacts<'_>, reason: &str) -> Vec<Change> {
    let Refund { id, provider, amount, session, vendor, .. } = facts.refund;
    let reason = reason.trim_end_matches('.');
    let note = format!(
        "The fiscal receipt of a refund ({amount}) is wrong: {reason}. Make a correction receipt in the account of the till at \
         {provider}, with the data on the session's page, then resolve this"
    );
    let found = Finding::new(&format!("{provider}:{id}:receipt"), &note, Some(*amount));
    finding::differs(found, Some((*session, *vendor)), facts.now, facts.event_id)
}

/// Posts an entry where a ledger is kept.
fn posted(facts: &RefundFacts<'_>, entry: Entry) -> Option<Change> {
    let has_ledger = matches!(facts.version, TotalVersion::Wallet(_));
    has_ledger.then(|| Change::PostEntry(Box::new(entry)))
}

pub(super) fn fail(facts: &RefundFacts<'_>, reason: &str) -> RefundDecision {
    let refund = Refund { state: RefundState::Failed(plain(reason)), ..moved(facts) };
    let mut changes = guards(facts, &refund);
    let entry = EntryId::from(facts.event_id);
    let waits = waits_again(facts, &refund, entry);
    if let Some(joined) = facts.pending.filter(|_| waits.is_some()) {
        // After the wallet and before the refund: the order in which every commit that needs all three takes
        // them.
        changes.insert(changes.len() - 1, Change::SettleEntry { entry: joined.entry });
    }
    // The operator's decision cannot be carried out: the money is in suspense again, and the operator has to
    // decide again.
    if let (Origin::Suspense { .. }, Some(action)) = (refund.origin, facts.action) {
        let finding = action.finding.as_ref().map(|finding| finding.again(refund.id));
        let again = Action { id: ActionId::from(facts.event_id), at: facts.now, finding, ..action.clone() };
        changes.push(Change::NeedAction(Box::new(again)));
    }
    changes.extend(posted(facts, refund_failed(&refund, entry, facts.now)));
    changes.extend(waits.map(Change::ScheduleSettlement));
    changes.extend(refund_callback(facts, &refund));
    RefundDecision { refund, changes }
}

/// Money that comes back before it would have been available is pending until then, together with the rest of
/// the payment that still is: a payment has one row that settles it.
fn waits_again(facts: &RefundFacts<'_>, refund: &Refund, entry: EntryId) -> Option<Settlement> {
    let back = refund.unsettled(facts.now)?;
    let joined = facts.pending.map_or(0, |pending| pending.amount.minor);
    Some(Settlement {
        entry,
        vendor: refund.vendor,
        session: Some(refund.session),
        amount: Money { minor: back.minor + joined, ..refund.amount },
        due_at: facts.pending.map_or(back.until, |pending| pending.due_at),
    })
}

/// A customer who got a receipt of the payment gets one of the refund.
fn receipt(facts: &RefundFacts<'_>, refund: &Refund) -> Vec<Change> {
    let Some(paid) = facts.receipt else { return Vec::new() };
    let id = ReceiptId::from_bytes(refund.id.into());
    let refunded = Refunded { id, amount: refund.amount, at: facts.now, link: facts.link };
    receipt::on_refund(facts.rules, facts.settings, paid, refunded)
}

/// The callback of a refund; only for a refund of the payment, not of held money.
fn refund_callback(facts: &RefundFacts<'_>, refund: &Refund) -> Option<Change> {
    if !refund.is_of_payment() {
        return None;
    }
    let done = |other: &&Refund| other.id != refund.id && other.is_of_payment();
    let before = facts.refunds.iter().filter(done).filter(|other| other.state == RefundState::Succeeded);
    let own = if refund.state == RefundState::Succeeded { refund.amount.minor } else { 0 };
    let minor = before.map(|other| other.amount.minor).sum::<i64>() + own;
    let total = Money { minor, ..refund.amount };
    let event = callback::refund_event(refund, total, facts.session, facts.settings, facts.event_id)?;
    Some(Change::QueueCallback(Box::new(event)))
}
