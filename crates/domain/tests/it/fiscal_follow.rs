//! The registration of a fiscal receipt: when the till is asked, and what its answers mean.

use crate::{
    fiscal_refund::paid,
    fixture::{after, event_id},
};
use std::time::Duration;
use till_domain::{
    change::{Change, Guard},
    fiscal::{
        Buyer, FiscalContent, FiscalKind, FiscalReceipt, ReceiptStatus,
        follow::{
            self, BlockedAction, REGISTERED_WITHIN, RegistrationFacts, RegistrationSeen, RegistrationState,
        },
    },
    id::ActionId,
    time::Timestamp,
    transaction::{ActionKind, Resolution},
};

/// A receipt that a till has, since the beginning.
fn sent() -> FiscalReceipt {
    let (status, provider) = (ReceiptStatus::Pending, Some("bank".to_owned()));
    let reference = Some("pay-1".to_owned());
    FiscalReceipt { status, provider, reference, sent_at: Some(after(0)), check_at: Some(after(0)), ..paid() }
}

fn seen(state: RegistrationState) -> Option<RegistrationSeen> {
    Some(RegistrationSeen::of(state))
}

fn observe(
    receipt: &FiscalReceipt,
    now: Timestamp,
    seen: Option<RegistrationSeen>,
) -> (FiscalReceipt, Vec<Change>) {
    observe_with(receipt, now, seen, None)
}

fn observe_with(
    receipt: &FiscalReceipt,
    now: Timestamp,
    seen: Option<RegistrationSeen>,
    blocked: Option<BlockedAction>,
) -> (FiscalReceipt, Vec<Change>) {
    let facts = RegistrationFacts { receipt, now, event_id: event_id(), blocked };
    let mut changes = follow::observe(&facts, seen);
    assert_eq!(changes[0].guard(), Some(Guard::ReceiptMoved));
    let Change::MoveFiscalReceipt { receipt: moved, was } = changes.remove(0) else { panic!("{changes:?}") };
    assert_eq!((was, moved.version), (receipt.version, receipt.version + 1));
    assert_eq!((&moved.content, moved.total), (&receipt.content, receipt.total));
    (*moved, changes)
}

#[test]
fn a_till_is_asked_less_and_less_often_until_it_has_registered() {
    let (mut receipt, mut now, mut pauses) = (sent(), after(0), Vec::new());
    for _ in 0..12 {
        let (claimed, claim) = follow::claim(&receipt, now, Duration::from_secs(30));
        assert_eq!(claim.guard(), Some(Guard::ReceiptMoved));
        assert_eq!(claimed.check_at, Some(now.plus(Duration::from_secs(30))), "the lease");
        // Silence counts as not registered yet.
        let (moved, rest) = observe(&claimed, now, None);
        assert!(rest.is_empty() && moved.status == ReceiptStatus::Pending);
        let next = moved.check_at.expect("a check");
        pauses.push(next.since(now).as_secs());
        (receipt, now) = (moved, next);
    }
    assert_eq!(pauses, [5, 10, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 21_600, 21_600]);
    let (moved, rest) = observe(&receipt, now, seen(RegistrationState::Registered));
    assert_eq!((moved.status, moved.check_at, moved.failure), (ReceiptStatus::Registered, None, None));
    assert!(rest.is_empty());
}

#[test]
fn a_receipt_that_is_not_registered_needs_action() {
    let late = after(0).plus(REGISTERED_WITHIN);
    let refused = RegistrationState::Failed { reason: "out of\npaper".to_owned() };
    for (now, answer, reason) in [
        (after(1), seen(refused), "out of paper"),
        (late, seen(RegistrationState::Pending), "3 days"),
        (late, None, "3 days"),
    ] {
        let receipt = sent();
        let (moved, rest) = observe(&receipt, now, answer);
        assert_eq!((moved.status, moved.check_at), (ReceiptStatus::Failed, None));
        assert!(moved.failure.as_deref().is_some_and(|why| why.contains(reason)), "{moved:?}");
        let [Change::NeedAction(action)] = rest.as_slice() else { panic!("one action: {rest:?}") };
        assert_eq!((action.kind, action.session), (ActionKind::Difference, Some(receipt.session)));
        let finding = action.finding.as_ref().expect("a finding");
        assert_eq!((finding.amount, finding.subject.contains("bank")), (Some(receipt.total), true));
        for part in ["1490.00 RUB", reason, "correction receipt"] {
            assert!(finding.note.contains(part), "{part}: {}", finding.note);
        }
        // The customer is personal data, and stays on the page of the session.
        assert!(!finding.note.contains("ann@"), "{}", finding.note);
    }
    // A moment earlier it may still be registered.
    let (moved, _) = observe(&sent(), after(0).plus(REGISTERED_WITHIN).minus(Duration::from_millis(1)), None);
    assert_eq!(moved.status, ReceiptStatus::Pending);
}

#[test]
fn a_receipt_of_which_the_provider_tells_nothing_stays_pending_and_needs_nothing() {
    for now in [after(1), after(0).plus(REGISTERED_WITHIN)] {
        let (moved, rest) = observe(&sent(), now, seen(RegistrationState::Unreported));
        assert_eq!((moved.status, moved.check_at, moved.failure), (ReceiptStatus::Pending, None, None));
        assert!(rest.is_empty(), "{rest:?}");
    }
}

#[test]
fn a_receipt_that_a_call_has_made_keeps_its_reference() {
    let receipt = FiscalReceipt { reference: None, ..sent() };
    let made = RegistrationSeen {
        reference: Some("rt-1".to_owned()),
        ..RegistrationSeen::of(RegistrationState::Pending)
    };
    let (moved, _) = observe(&receipt, after(1), Some(made));
    assert_eq!(moved.reference.as_deref(), Some("rt-1"));
    let (again, _) = observe(&moved, after(2), seen(RegistrationState::Registered));
    assert_eq!(again.reference.as_deref(), Some("rt-1"));
}

/// A closing receipt that no till has yet.
fn closing() -> FiscalReceipt {
    FiscalReceipt { kind: FiscalKind::Closing, reference: None, ..sent() }
}

/// The note of the one action.
fn note(changes: &[Change]) -> &str {
    let [Change::NeedAction(action)] = changes else { panic!("one action: {changes:?}") };
    &action.finding.as_ref().expect("a finding").note
}

#[test]
fn a_receipt_that_a_person_can_unblock_is_repeated_and_reported_once() {
    let reason = "the key may not make receipts";
    let blocked = || seen(RegistrationState::Blocked { reason: reason.to_owned() });
    let (moved, rest) = observe(&closing(), after(1), blocked());
    assert_eq!((moved.status, moved.failure.as_deref()), (ReceiptStatus::Pending, Some(reason)));
    assert!(moved.check_at.is_some(), "it is repeated");
    for part in [reason, "permissions", "repeats", "bank"] {
        assert!(note(&rest).contains(part), "{part}: {}", note(&rest));
    }
    let action = ActionId::from_bytes([6; 16]);
    for open in [true, false] {
        let known = Some(BlockedAction { action, open });
        let (_, rest) = observe_with(&moved, after(2), blocked(), known);
        assert!(rest.is_empty(), "it was reported: {rest:?}");
        // Once the provider accepts it, the action ends by itself.
        let (done, rest) = observe_with(&moved, after(3), seen(RegistrationState::Registered), known);
        assert_eq!((done.status, done.failure), (ReceiptStatus::Registered, None));
        let ended = |change: &Change| matches!(change, Change::ResolveAction { id, resolution: Resolution::Dismiss, .. } if *id == action);
        assert_eq!(rest.iter().filter(|change| ended(change)).count(), usize::from(open));
    }
    let late = after(0).plus(REGISTERED_WITHIN);
    for answer in [blocked(), None] {
        let (failed, rest) = observe(&moved, late, answer);
        assert_eq!((failed.status, failed.check_at), (ReceiptStatus::Failed, None));
        assert!(note(&rest).contains(reason), "the last thing that is known: {}", note(&rest));
    }
}

#[test]
fn a_closing_receipt_that_was_not_made_is_made_by_hand() {
    let refused = || seen(RegistrationState::Failed { reason: "no such tax system".to_owned() });
    let (_, rest) = observe(&closing(), after(1), refused());
    assert!(note(&rest).contains("closing receipt") && note(&rest).contains("make it in the account"));
    assert!(!note(&rest).contains("correction"), "there is nothing to correct: {}", note(&rest));
    let made = FiscalReceipt { reference: Some("rt-1".to_owned()), ..closing() };
    let (_, rest) = observe(&made, after(1), refused());
    assert!(note(&rest).contains("correction receipt"), "{}", note(&rest));
    // Of one that was sent and never answered, the outcome is unknown.
    let (failed, rest) = observe(&made, after(0).plus(REGISTERED_WITHIN), seen(RegistrationState::Pending));
    assert_eq!(failed.status, ReceiptStatus::Failed);
    assert!(note(&rest).contains("may not have been made") && note(&rest).contains("Look in the account"));
    assert!(!note(&rest).contains("correction"), "{}", note(&rest));
}

#[test]
fn a_closing_receipt_that_is_not_sent_for_want_of_a_setup_is_sent_later() {
    let Some(RegistrationSeen { state: RegistrationState::Blocked { reason }, reference: None, .. }) =
        follow::not_set_up(&closing())
    else {
        panic!("not blocked")
    };
    assert!(reason.contains("not set up"), "{reason}");
    let sent = FiscalReceipt { reference: Some("rt-1".to_owned()), ..closing() };
    assert_eq!(follow::not_set_up(&sent), None, "it is not sent again");
}

#[test]
fn a_closing_receipt_of_an_erased_customer_is_not_sent() {
    assert_eq!(follow::without_customer(&closing()), None);
    let erased = |receipt: FiscalReceipt| {
        let content = FiscalContent { buyer: Buyer::default(), ..receipt.content.clone() };
        FiscalReceipt { content, ..receipt }
    };
    let answer = follow::without_customer(&erased(closing()));
    let (moved, rest) = observe(&erased(closing()), after(1), answer);
    assert_eq!(moved.status, ReceiptStatus::Failed);
    assert!(note(&rest).contains("erased") && note(&rest).contains("make it in the account"));
    let made = FiscalReceipt { reference: Some("rt-1".to_owned()), ..erased(closing()) };
    for asked in [made, erased(sent())] {
        assert_eq!(follow::without_customer(&asked), None, "the till has it");
    }
}
