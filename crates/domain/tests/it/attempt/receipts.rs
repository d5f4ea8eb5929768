//! The receipt of a payment and the mails about payments: who gets them, and when none is sent.

use super::{CHARGE, opened, paid};
use crate::fixture::{Shop, after, event_id, minutes};
use std::time::Duration;
use till_domain::{
    attempt::{
        self, Attempt, AttemptDecision, AttemptFacts, Observation, OtherAttempts, Pace, UnreachableActions,
    },
    change::{Change, Guard},
    delivery::DeliveryState,
    dispatch::{self, Dispatch, DispatchKind, DispatchState, DueDispatch, Sending},
    id::ReceiptId,
    ledger::Terms,
    method::Method,
    money::Money,
    receipt::{self, Receipt, ReceiptKind, ReceiptLink, Refunded},
    rules::Rules,
    session::{FailureReason, Session},
    vendor::Settings,
};

const LINK: ReceiptLink = ReceiptLink::new([0x5a; 16]);

fn settings(receipt_copy: bool) -> Settings {
    Settings { contact_email: Some("shop@halden.example".to_owned()), receipt_copy, ..Settings::default() }
}

/// An open attempt; with an address, its customer wants a receipt.
fn customer(email: Option<&str>) -> (Session, Attempt) {
    let (session, attempt) = opened(Method::Card);
    let (email, language) = (email.map(str::to_owned), Some("ru".to_owned()));
    (session, Attempt { email, language, ..attempt })
}

fn observe(
    (session, attempt): &(Session, Attempt),
    rules: &Rules,
    settings: &Settings,
    word: Observation,
) -> AttemptDecision {
    let (now, event_id) = (after(minutes(1)), event_id());
    attempt::observe(
        &AttemptFacts {
            session,
            attempt,
            beside: OtherAttempts::Nothing,
            settings,
            terms: &Terms::default(),
            rules,
            now,
            event_id,
            link: LINK,
            pace: Pace::Polling,
            doubt: UnreachableActions::default(),
            ends_now: false,
        },
        word,
    )
}

fn receipts(changes: &[Change]) -> Vec<&Receipt> {
    let mut found = Vec::new();
    for change in changes {
        if let Change::QueueReceipt(receipt) = change {
            found.push(&**receipt);
        }
    }
    found
}

fn mails(changes: &[Change]) -> Vec<(DispatchKind, &str)> {
    let mut found = Vec::new();
    for change in changes {
        if let Change::QueueDispatch(mail) = change {
            found.push((mail.kind, mail.recipient.as_str()));
        }
    }
    found
}

#[test]
fn a_payment_has_its_receipt_in_the_same_list_and_the_guards_stay_first() {
    let scene = customer(Some("ann@mail.example"));
    let observed = observe(&scene, &Shop::live().rules, &settings(false), paid(&scene.1, CHARGE));
    let [receipt] = receipts(&observed.changes)[..] else { panic!("{:?}", observed.changes) };
    assert_eq!((receipt.kind, receipt.link), (ReceiptKind::Paid, LINK));
    assert_eq!(receipt.id, ReceiptId::from_bytes(event_id().into()), "that of the money");
    assert_eq!((receipt.session, receipt.amount), (scene.0.id, scene.0.item.price.money()));
    assert_eq!(
        (receipt.email.as_deref(), receipt.language.as_deref()),
        (Some("ann@mail.example"), Some("ru"))
    );
    assert_eq!(mails(&observed.changes), [(DispatchKind::Receipt, "ann@mail.example")]);
    let guards: Vec<bool> = observed.changes.iter().map(|change| change.guard().is_some()).collect();
    assert!(guards.is_sorted_by_key(|guarded| !guarded), "{guards:?}");
}

#[test]
fn a_copy_goes_to_the_contact_address_only_if_it_is_switched_on() {
    let live = Shop::live().rules;
    let nobody = Settings { receipt_copy: true, ..Settings::default() };
    for (email, settings, expected) in [
        (None, settings(false), vec![]),
        (None, settings(true), vec![(DispatchKind::ReceiptCopy, "shop@halden.example")]),
        (
            Some("ann@mail.example"),
            settings(true),
            vec![
                (DispatchKind::Receipt, "ann@mail.example"),
                (DispatchKind::ReceiptCopy, "shop@halden.example"),
            ],
        ),
        (None, nobody, vec![]),
    ] {
        let scene = customer(email);
        let observed = observe(&scene, &live, &settings, paid(&scene.1, CHARGE));
        assert_eq!(receipts(&observed.changes).len(), 1, "its page is there whoever is mailed");
        assert_eq!(mails(&observed.changes), expected, "{email:?} {settings:?}");
    }
}

#[test]
fn t12_the_sandbox_has_no_receipt_and_never_a_mail() {
    let scene = customer(Some("ann@mail.example"));
    let sandbox = Shop::sandbox().rules;
    let observed = observe(&scene, &sandbox, &settings(true), paid(&scene.1, CHARGE));
    assert!(receipts(&observed.changes).is_empty() && mails(&observed.changes).is_empty());
    let lost = [undelivered()];
    assert!(dispatch::on_delivery(&sandbox, &settings(true), scene.0.vendor, &lost, after(0)).is_none());
}

#[test]
fn without_a_mail_server_there_is_a_receipt_and_no_mail() {
    let scene = customer(Some("ann@mail.example"));
    let rules = Rules { mails: false, ..Shop::live().rules };
    let observed = observe(&scene, &rules, &settings(true), paid(&scene.1, CHARGE));
    assert_eq!((receipts(&observed.changes).len(), mails(&observed.changes).len()), (1, 0));
}

#[test]
fn what_is_not_paid_has_no_receipt() {
    let scene = customer(Some("ann@mail.example"));
    let live = Shop::live().rules;
    for word in [
        Observation::Waiting,
        Observation::Declined(FailureReason::CardDeclined),
        Observation::TimedOut,
        paid(&scene.1, CHARGE - 1),
        Observation::Paid { received: super::coins(CHARGE), reference: "another".to_owned() },
    ] {
        let observed = observe(&scene, &live, &settings(true), word.clone());
        assert!(receipts(&observed.changes).is_empty() && mails(&observed.changes).is_empty(), "{word:?}");
    }
    // The operator decides about money that comes too late; no receipt says that the order is paid.
    let done = observe(&scene, &live, &settings(true), Observation::Declined(FailureReason::CardDeclined));
    let late = observe(&(done.session, done.attempt), &live, &settings(true), paid(&scene.1, CHARGE));
    assert_eq!(super::transactions(&late.changes).len(), 1);
    assert!(receipts(&late.changes).is_empty());
}

#[test]
fn a_refund_has_a_receipt_of_its_own_that_goes_where_the_first_one_went() {
    let scene = customer(Some("ann@mail.example"));
    let live = Shop::live().rules;
    let observed = observe(&scene, &live, &settings(true), paid(&scene.1, CHARGE));
    let [first] = receipts(&observed.changes)[..] else { panic!("{:?}", observed.changes) };
    let amount = Money { minor: 1_000, ..first.amount };
    let (id, link) = (ReceiptId::from_bytes([7; 16]), ReceiptLink::new([8; 16]));
    let refunded = Refunded { id, amount, at: after(minutes(9)), link };
    let changes = receipt::on_refund(&live, &settings(true), first, refunded);
    let [receipt] = receipts(&changes)[..] else { panic!("{changes:?}") };
    assert_eq!((receipt.kind, receipt.id, receipt.amount), (ReceiptKind::Refunded, id, amount));
    assert_eq!((receipt.link, receipt.at, receipt.session), (link, after(minutes(9)), scene.0.id));
    assert_eq!(mails(&changes).len(), 2);
    assert!(receipt::on_refund(&Shop::sandbox().rules, &settings(true), first, refunded).is_empty());
}

fn undelivered() -> Change {
    let (id, state) = (event_id(), DeliveryState::Undelivered);
    Change::EndAttempt { id, fence: 4, state, due_at: None, delivered_at: None }
}

#[test]
fn a_callback_that_is_given_up_is_reported_to_the_contact_address() {
    let (live, vendor) = (Shop::live().rules, Shop::live().vendor.id);
    let told = |settings: &Settings, change: Change| {
        dispatch::on_delivery(&live, settings, vendor, &[change], after(0))
    };
    let Some(Change::QueueDispatch(mail)) = told(&settings(false), undelivered()) else { panic!("a mail") };
    assert_eq!((mail.kind, mail.recipient.as_str()), (DispatchKind::Undelivered, "shop@halden.example"));
    assert_eq!((mail.about, mail.session), (event_id().into(), None));
    assert!(told(&Settings::default(), undelivered()).is_none(), "nobody to tell");
    for state in [DeliveryState::Queued, DeliveryState::Delivered] {
        let change = Change::EndAttempt { id: event_id(), fence: 4, state, due_at: None, delivered_at: None };
        assert!(told(&settings(false), change).is_none(), "{state:?}");
    }
}

#[test]
fn a_mail_is_tried_at_growing_gaps_and_given_up_at_last() {
    let dispatch = Dispatch {
        about: [1; 16],
        kind: DispatchKind::Receipt,
        vendor: Shop::live().vendor.id,
        session: None,
        recipient: "ann@mail.example".to_owned(),
        at: after(0),
    };
    let due = DueDispatch { dispatch, attempts: 0, fence: 3 };
    let (first, change) = dispatch::take(&due, after(0), Duration::from_secs(30));
    assert_eq!((first.attempts, first.fence, change.guard()), (1, 4, Some(Guard::LeaseLost)));
    assert!(matches!(change, Change::TakeDispatch { fence: 3, due_at, .. } if due_at == after(30_000)));
    let pauses = [60, 300].map(Duration::from_secs);
    let end = |attempts: u32, sending| {
        let taken = DueDispatch { attempts, ..first.clone() };
        match dispatch::end(&taken, sending, after(0), &pauses) {
            Change::EndDispatch { fence: 4, state, due_at, ended_at, error, .. } => {
                (state, due_at.or(ended_at).map(|at| at.since(after(0)).as_secs()), error)
            }
            other => panic!("{other:?}"),
        }
    };
    use DispatchState::{Failed, Queued, Sent};
    assert_eq!(end(1, Sending::Accepted), (Sent, Some(0), None));
    assert_eq!(end(1, Sending::Trouble("connect")), (Queued, Some(60), Some("connect")));
    assert_eq!(end(2, Sending::Trouble("connect")), (Queued, Some(300), Some("connect")));
    assert_eq!(end(3, Sending::Trouble("connect")), (Failed, Some(0), Some("connect")));
    assert_eq!(end(1, Sending::Refused("refused")), (Failed, Some(0), Some("refused")));
}
